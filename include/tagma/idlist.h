/* SPDX-License-Identifier: Apache-2.0
 * Event ids as people write them: one id, or a list in any of the forms they come in. */
#ifndef TAGMA_IDLIST_H
#define TAGMA_IDLIST_H

#include <stdbool.h>
#include <tagma/index.h>

TAGMA_BEGIN_DECLS

/** What ids are read against: the tree's axes, so that depth and names can be checked. */
typedef struct tagma_id_axes {
    uint32_t n_axes;                      /**< 0: the tree has no ids, only @N is accepted */
    const char *names[TAGMA_MAX_ID_AXES]; /**< id column names, for messages and for headers of lists */
    const char *roles[TAGMA_MAX_ID_AXES]; /**< "run", "lumi", "event", or "" where named by --ids */
    bool is_signed[TAGMA_MAX_ID_AXES];
    const char *tree; /**< for messages */
} tagma_id_axes;

/** One id as listed. With is_entry the entry number stands in axes[0]. */
typedef struct tagma_id {
    uint64_t axes[TAGMA_MAX_ID_AXES];
    uint8_t n_axes; /**< numbers given: all axes; 2 of 3: first and last; 1: the last */
    bool is_entry;  /**< written @N */
    uint32_t line;  /**< 1-based line of the list; 0 for a single id */
} tagma_id;

typedef struct tagma_idlist {
    tagma_id *ids;
    size_t n;
} tagma_idlist;

/**
 * One id: "run:lumi:event", "run:event", "event" or "@N".
 * @param where  put in front in messages, for example "argument 2".
 * @return TAGMA_OK; TAGMA_E_ARG with the words of docs/man/tagma-pick.1: wrong depth, rounded number, not a number.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_id_parse(tagma_ctx *ctx, const tagma_id_axes *axes,
                                                    const char *text, const char *where, tagma_id *out);

/**
 * A list, told by content: separators, CSV with or without header, the table that TTree::Scan prints, JSON lines.
 * @param name  of the list, for messages.
 * @return TAGMA_OK; TAGMA_ABSENT for an empty list (with words); TAGMA_E_ARG for bad lines (the first 10 named), and then
 *         no id is delivered. Free the list with tagma_idlist_free().
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_idlist_parse(tagma_ctx *ctx, const tagma_id_axes *axes,
                                                        const char *text, size_t n_bytes, const char *name,
                                                        tagma_idlist *out);
TAGMA_API void tagma_idlist_free(tagma_ctx *ctx, tagma_idlist *list);

TAGMA_END_DECLS

#endif
