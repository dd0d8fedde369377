/* SPDX-License-Identifier: Apache-2.0
 * A run of tiles in memory at once, and columns out of them. */
#ifndef TG_STORE_BLOCK_H
#define TG_STORE_BLOCK_H

#include "store/outcol.h"
#include "store/store.h"
#include "store/tile.h"

enum { TG_BLOCK_SPANS = 256, TG_BLOCK_BYTES = 512 << 10 };

/* Events k0 to k1 - 1 of a tile. */
typedef struct tg_tile_span {
    tg_tile tile;
    uint32_t k0, k1;
    bool is_bad; /* its bytes are wrong: its events are damaged */
} tg_tile_span;

/* Items of the events of a span in wanted lists. */
typedef struct tg_span_lists {
    uint64_t ends_at, items_at;
    uint32_t n_items;              /* of the tile */
    uint32_t first_list, end_list; /* lists */
    uint32_t first, end;           /* items */
} tg_span_lists;

/* Where the parts of a sparse field stand in a span. */
typedef struct tg_span_sparse {
    uint64_t presence, rests;
} tg_span_sparse;

typedef struct tg_block {
    tg_store_reader *reader;
    const tg_table *table;
    tg_outs *outs;
    const uint8_t *is_wanted;  /* [outs->n_columns] columns that are read from tiles */
    const uint8_t *lists_done; /* [outs->n_lists] lists whose offsets stand already, by chunks */
    tg_tile_span spans[TG_BLOCK_SPANS];
    uint32_t n_spans;
    uint64_t first_row; /* of outs: of the first span's first event */
    bool verifies;
    /* What the wanted columns need; made anew for each table. */
    uint32_t n_measured;  /* lists that must be measured */
    uint32_t n_sparse;    /* sparse fields that must be measured */
    uint8_t *needs_lists; /* [outs->n_lists] */
    uint32_t *of_sparse;  /* [n_sparse of the table] number among the wanted; TAGMA_NONE */
    uint32_t n_sparse_wanted;
    uint32_t *lines; /* [n_lines] bytes of a tile that wanted scalars need, a line or so apart */
    uint32_t n_lines;
    uint32_t *validity;         /* [outs->n_columns] slot of a column's validity; TAGMA_NONE */
    tg_span_lists *lists;       /* [outs->n_lists][TG_BLOCK_SPANS] */
    tg_span_sparse *sparse;     /* [n_sparse_wanted][TG_BLOCK_SPANS] */
    tg_tile_lists *measured;    /* [n_lists of the fields] */
    uint64_t *presence, *rests; /* [n_sparse of the table + 1] */
    void *plan_block;
    uint8_t *bytes; /* tiles, where they are not mapped */
    uint64_t capacity;
} tg_block;

/* Begin with a table; reader, outs, is_wanted and lists_done are set. */
tagma_status tg_block_begin(tagma_ctx *ctx, tg_block *block, const tg_table *table);
/* Bring the spans' tiles (numbers and events are set) into memory, and measure them. Bad ones are told as faults. */
tagma_status tg_block_fetch(tagma_ctx *ctx, tg_block *block);
/* Append the offsets of lists number i of outs. */
tagma_status tg_block_offsets(tagma_ctx *ctx, tg_block *block, uint32_t i);
/* Append the values of column i of outs. Columns may be decoded at once by several threads. */
tagma_status tg_block_column(tagma_ctx *ctx, const tg_block *block, uint32_t i);
void tg_block_free(tagma_ctx *ctx, tg_block *block);

/* Tell a fault that makes n entries from `first` on null. */
void tg_store_fault(tagma_ctx *ctx, tg_store_reader *reader, tagma_status status, uint64_t offset,
                    uint64_t first, uint64_t n);

#endif
