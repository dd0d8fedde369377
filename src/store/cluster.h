/* SPDX-License-Identifier: Apache-2.0
 * A cluster on its way from batches to the file: columns encoded, tiles packed, chunks, table. */
#ifndef TG_STORE_CLUSTER_H
#define TG_STORE_CLUSTER_H

#include "store/codetable.h"
#include "store/hot.h"
#include "store/sink.h"
#include "store/staged.h"
#include "store/texts.h"

/* What columns and lists took so far, for the totals section. */
typedef struct tg_totals {
    uint64_t *tile_bits;   /* [n_columns] words, presence, heads, validity */
    uint64_t *chunk_bytes; /* [n_columns] */
    uint64_t *kinds;       /* [n_columns] bit k: coded as kind k somewhere; bit 7: sparse somewhere */
    uint64_t *n_items;     /* [n_lists] */
    uint64_t *list_bits;   /* [n_lists] ends */
    uint64_t *list_bytes;  /* [n_lists] of their chunks */
} tg_totals;

/* A thread's own. */
typedef struct tg_cluster_scratch {
    tg_coder coder;
    tg_text_coder texts;
    tg_buf values, tile;
} tg_cluster_scratch;

typedef struct tg_cluster_writer {
    const tg_fields *fields;
    const tg_aside *file;
    tagma_pool *pool;
    tg_cluster_scratch *scratch; /* [threads of the pool] */
    uint32_t tile_events;
    bool is_plain_only;
    bool is_raw; /* nothing is coded: the collection layout */
    tg_hot hot;
    uint32_t *
        chunks; /* [n_chunks] columns, or lists with TG_CHUNK_LISTS; chosen when the first cluster is there */
    uint32_t n_chunks;
    bool has_chosen;
    tg_totals totals;
    uint64_t table_bytes, tile_bytes, chunk_bytes;
} tg_cluster_writer;

tagma_status tg_cluster_writer_new(tagma_ctx *ctx, tg_cluster_writer *writer);
void tg_cluster_writer_free(tagma_ctx *ctx, tg_cluster_writer *writer);

/* Write the staged events as a cluster from byte `at` on.
 * @param directory     what the directory says of it.
 * @param chunk_starts  u32 [n_chunks + 1] bytes from directory->chunks_at, put behind what is there.
 * @param end           the byte behind it. */
tagma_status tg_cluster_write(tagma_ctx *ctx, tg_cluster_writer *writer, const tg_staged *staged, uint64_t at,
                              tg_cluster *directory, tg_buf *chunk_starts, uint64_t *end);

#endif
