/* SPDX-License-Identifier: Apache-2.0
 * The files a store was made of, open as far as they are needed. */
#ifndef TG_COMPARE_SOURCESET_H
#define TG_COMPARE_SOURCESET_H

#include <tagma/compare.h>

#include "base/ctx.h"
#include "store/provenance.h"

enum { TG_SOURCES_OPEN = 32 };

typedef struct tg_source_file {
    const char *path, *tree; /* tree: owned, "NAME;CYCLE" where the caller named none */
    char *own_tree;
    tagma_events *events; /* NULL while it is closed */
    tagma_reader *reader;
    uint32_t *columns; /* [n_names] */
    uint64_t n_entries, used;
    uint64_t first; /* entries of the sources before */
} tg_source_file;

typedef struct tg_source_set {
    const tagma_verify_options *options;
    tg_source_file *at; /* [n] */
    uint32_t n, n_open;
    uint64_t clock, n_entries; /* of all */
    const char **names; /* [n_names] columns that each must have, in the shape they have in the first */
    uint32_t n_names;
} tg_source_set;

/* Open each once: their entries are counted. @param provenance  of the store: the trees that were taken. */
tagma_status tg_source_set_new(tagma_ctx *ctx, const tagma_convert_input *inputs, uint32_t n,
                               const tg_provenance *provenance, const tagma_verify_options *options,
                               tg_source_set *out);
void tg_source_set_free(tagma_ctx *ctx, tg_source_set *set);
/* The columns that are read from now on: [n] names, borrowed. */
tagma_status tg_source_set_columns(tagma_ctx *ctx, tg_source_set *set, const char **names, uint32_t n);
/* Source i, opened again if it was closed; valid until the next call. */
tagma_status tg_source_set_open(tagma_ctx *ctx, tg_source_set *set, uint32_t i, const tg_source_file **out);
/* Has none of them changed? */
tagma_status tg_source_set_unchanged(tagma_ctx *ctx, const tg_source_set *set);

#endif
