/* SPDX-License-Identifier: Apache-2.0
 * Where a store comes from: files, trees, entries; what of them is not in it.
 * Source: docs/FORMAT.md, "Provenance section" and "Origin section". */
#ifndef TG_STORE_PROVENANCE_H
#define TG_STORE_PROVENANCE_H

#include <tagma/store.h>

#include "base/ctx.h"

typedef struct tg_provenance_source {
    const char *file; /* as it was named */
    const char *uuid; /* "" where it has none */
    const char *tree;
    uint32_t cycle;
    uint64_t file_bytes, n_entries; /* of the tree, taken or not */
} tg_provenance_source;

/* Those of tagma_absent_kind, as they stand in the file. */
enum { TG_N_ABSENT_KINDS = TAGMA_ABSENT_UNSUPPORTED + 1 };

/* Something of a source that is not in the store. */
typedef struct tg_provenance_absent {
    uint32_t source; /* number */
    tagma_absent_kind kind;
    const char *name, *words; /* class of an object, type of a column, reason */
    uint64_t n;               /* entries of a tree, number of objects */
} tg_provenance_absent;

typedef struct tg_provenance {
    const char *tree, *title; /* of the store */
    uint32_t cycle;
    const char *producer, *options; /* "tagma 0.1.0"; how it was called */
    const tg_provenance_source *sources;
    const tg_provenance_absent *absents;
    uint32_t n_sources, n_absents;
} tg_provenance;

/* Tree, title and cycle are not in it: the schema section and the header have them. */
tagma_status tg_provenance_write(tagma_ctx *ctx, const tg_provenance *provenance, tg_buf *out);
/* What `bytes` (their checksum is verified) say, borrowed from them but for the arrays, which are *block.
 * @param file, offset  where they stand, for messages. */
tagma_status tg_provenance_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, const char *file,
                                uint64_t offset, tg_provenance *out, void **block);

/* Which entry of the sources (counted over all of them in turn) each row is: runs that continue. */
typedef struct tg_origin_run {
    uint64_t row, entry;
} tg_origin_run;

typedef struct tg_origins {
    tg_origin_run *runs;
    uint64_t n_runs, capacity, n_rows;
    uint64_t most; /* the greatest entry */
} tg_origins;

tagma_status tg_origins_add(tagma_ctx *ctx, tg_origins *origins, uint64_t entry, uint64_t n);
void tg_origins_free(tagma_ctx *ctx, tg_origins *origins);
/* The section; empty where every row is the entry of its own number. */
tagma_status tg_origins_write(tagma_ctx *ctx, const tg_origins *origins, tg_buf *out);
/* Check a section of a store with n_rows rows. */
tagma_status tg_origins_check(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, uint64_t n_rows,
                              const char *file, uint64_t offset);
/* Entry of a row; the section is checked, the row below n_rows. NULL: its own number. */
uint64_t tg_origins_at(const uint8_t *bytes, uint64_t row);

#endif
