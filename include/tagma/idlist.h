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

/**
 * One id as listed. Given are all axes; or the first and the last ("run:event"); or the last alone ("event"): the axes and
 * mask that tagma_index_match() takes.
 */
typedef struct tagma_id {
    uint64_t axes
        [TAGMA_MAX_ID_AXES]; /**< by the tree's axes; 0 where not given; with is_entry the entry in axes[0] */
    uint32_t line;           /**< 1-based line of the list where it began; 0 for a single id */
    uint8_t given;           /**< bit a set: axis a is given; 0 with is_entry */
    bool is_entry;           /**< written @N */
} tagma_id;

/** Does an argument look like an id rather than a file: "@N", or digits and colons, a "-" allowed before each number. */
TAGMA_API bool tagma_id_is_text(const char *text);

/**
 * One id: "run:lumi:event", "run:event", "event" or "@N"; blanks around it and around colons do not matter.
 * @param where  put in front in messages, for example "argument 2"; NULL: the text itself stands there.
 * @return TAGMA_OK; TAGMA_E_ARG with the words of docs/IDLISTS.md: wrong depth, rounded number, not a number. *out is
 *         all zero after a failure.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_id_parse(tagma_ctx *ctx, const tagma_id_axes *axes,
                                                    const char *text, const char *where, tagma_id *out);

/** Room for any spelled id with its final 0. */
enum { TAGMA_ID_TEXT_BYTES = 4 * 21 };

/**
 * The id as tagma_id_parse() reads it: "273158:1:5", "273158:5", "5", "@5".
 * @return the characters it takes without the final 0, as snprintf does.
 */
TAGMA_API size_t tagma_id_spell(const tagma_id_axes *axes, const tagma_id *id, char *dst, size_t dst_bytes);

/** Ids in the order and as often as they were listed. */
typedef struct tagma_idlist {
    tagma_id *ids;
    size_t n;
} tagma_idlist;

/**
 * A list, told by content: separators, CSV with or without header, the table that TTree::Scan prints, JSON lines. The
 * grammar and the words are in docs/IDLISTS.md. Numbers of a Scan table that ROOT may have cut or rounded are a note.
 * @param text  [n_bytes], need not end in 0.
 * @param name  of the list, for messages.
 * @return TAGMA_OK with at least one id; TAGMA_ABSENT for an empty list (with words); TAGMA_E_ARG for bad lines: words for
 *         the first, and where there are more, on a second line their number and the first 10; then no id is delivered;
 *         TAGMA_E_MEMORY; TAGMA_E_CANCELLED. Free the list with tagma_idlist_free().
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_idlist_parse(tagma_ctx *ctx, const tagma_id_axes *axes,
                                                        const char *text, size_t n_bytes, const char *name,
                                                        tagma_idlist *out);
TAGMA_API void tagma_idlist_free(tagma_ctx *ctx, tagma_idlist *list);

TAGMA_END_DECLS

#endif
