/* SPDX-License-Identifier: Apache-2.0
 * The head of a sidecar: what state of a file it was made for, and where its sections lie. */
#ifndef TG_INDEX_SIDEHEAD_H
#define TG_INDEX_SIDEHEAD_H

#include "index/sidecar.h"
#include "source/source.h"

enum {
    TG_SIDECAR_VERSION = 1,
    TG_SIDECAR_HEADER_BYTES = 64,
    TG_SIDECAR_ROW_BYTES = 64, /* of a row of the table, before its names */
    TG_SIDECAR_CHECKED_FROM = 32,
    TG_SIDECAR_ALIGN = 64,
    TG_SIDECAR_TABLE_BYTES = 16 << 20 /* at most */
};
#define TG_SIDECAR_MAGIC "TAGMATGX"

typedef enum tg_section_kind { TG_SECTION_INDEX = 1, TG_SECTION_BRANCHES = 2 } tg_section_kind;

/* One section. */
typedef struct tg_section {
    uint32_t kind; /* tg_section_kind; others are kept and not looked at */
    uint64_t offset, bytes;
    uint64_t checksum; /* XXH3-64 of its bytes; of an index section, the one in its own header */
    uint64_t n_entries, record_checksum;
    uint32_t cycle;
    const char *tree;
    const char *names; /* [n_axes] of an index' id columns, each with its 0 */
    uint32_t names_bytes, n_axes;
} tg_section;

struct tg_sidecar {
    tagma_source *source;
    tg_lane *lane;
    char *file; /* it belongs to */
    uint8_t *head;
    uint64_t file_bytes; /* what the file had when this was made */
    uint8_t uuid[16];
    tg_section *sections; /* names are borrowed from head */
    uint32_t n_sections;
};

/* Read and check the head. *is_foreign: it does not even begin as a sidecar does. */
tagma_status tg_sidehead_read(tagma_ctx *ctx, tg_sidecar *sidecar, bool *is_foreign);
/* The head of sections whose offsets are still to be set: they are, in order, each on a multiple of 64, and *end is behind the last.
 * *head is of tg_alloc and [*head_bytes] long. */
tagma_status tg_sidehead_make(tagma_ctx *ctx, const tg_identity *identity, tg_section *sections, uint32_t n,
                              uint8_t **head, uint64_t *head_bytes, uint64_t *end);
/* tg_sidecar_open that also tells what does not even begin as a sidecar does. */
tagma_status tg_sidecar_open_any(tagma_ctx *ctx, tagma_source *source, const char *file, tg_sidecar **out,
                                 bool *is_foreign);
/* Is this section of the tree? Its state may be another. */
bool tg_section_is_of(const tg_section *section, const tg_identity *identity);
/* The names of id columns end to end, each with its 0; of tg_alloc. */
char *tg_section_names(tagma_ctx *ctx, const char *const *names, uint32_t n_axes, uint32_t *names_bytes);

#endif
