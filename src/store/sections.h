/* SPDX-License-Identifier: Apache-2.0
 * What a writer puts behind the events: sections one after the other, then the head that names them. */
#ifndef TG_STORE_SECTIONS_H
#define TG_STORE_SECTIONS_H

#include <tagma/batch.h>
#include <tagma/index.h>

#include "source/blocks.h"
#include "store/provenance.h"
#include "store/storehead.h"

/* A store that is being written. */
typedef struct tg_sections {
    tg_aside file;
    tg_header header; /* layout, n_events, n_clusters, tile_events, n_chunks are the writer's to fill */
    uint64_t at;      /* of the file: where the next thing may begin */
    const tagma_schema *schema;
    const tg_provenance *provenance;
} tg_sections;

/* Nothing is open yet: tg_sections_free() is safe from here on. Both are borrowed. */
void tg_sections_init(tg_sections *sections, const tagma_schema *schema, const tg_provenance *provenance);
/* What the schema section cannot say is refused before anything is written. */
tagma_status tg_sections_check_schema(tagma_ctx *ctx, const tg_sections *sections);
/* Room for the head, and the events from behind it on. is_passing: the path is that of a folder, and there is no name. */
tagma_status tg_sections_open(tagma_ctx *ctx, tg_sections *sections, const char *path, bool is_passing);

tagma_status tg_sections_put(tagma_ctx *ctx, tg_sections *sections, uint32_t id, uint32_t flags,
                             const void *bytes, uint64_t n);
/* No section for an index of NULL, and for rows that are the entries of their own numbers. */
tagma_status tg_sections_put_index(tagma_ctx *ctx, tg_sections *sections, const tagma_index *index);
tagma_status tg_sections_put_origins(tagma_ctx *ctx, tg_sections *sections, const tg_origins *origins);
/* Those of every layout: provenance, totals (their numbers are n), schema. */
tagma_status tg_sections_put_common(tagma_ctx *ctx, tg_sections *sections, const uint64_t *totals,
                                    uint64_t n);

/* The end of the file and its head: all that is written is there. */
tagma_status tg_sections_put_head(tagma_ctx *ctx, tg_sections *sections);
/* The file gets its name; *file_bytes is what stands under it. */
tagma_status tg_sections_commit(tagma_ctx *ctx, tg_sections *sections, const tg_blocks_options *blocks,
                                uint64_t *file_bytes);
/* A store without a name leaves no trace. */
void tg_sections_free(tagma_ctx *ctx, tg_sections *sections);

/* Do the columns of a batch look like those of a schema, and, unless they become null, is none damaged? */
tagma_status tg_sections_check_batch(tagma_ctx *ctx, const tagma_schema *schema, const tagma_batch *batch,
                                     bool damaged_is_null);

#endif
