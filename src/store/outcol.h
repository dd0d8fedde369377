/* SPDX-License-Identifier: Apache-2.0
 * Columns and lists while they are read, row after row, and then as a batch. */
#ifndef TG_STORE_OUTCOL_H
#define TG_STORE_OUTCOL_H

#include "event/batch.h"
#include "store/codetable.h"

/* Offsets of lists, shared by the columns of a collection. */
typedef struct tg_outlists {
    uint32_t lists;
    uint32_t *offsets; /* [n + 1] */
    uint64_t n, capacity, total;
    tagma_buffer *buffer;
} tg_outlists;

typedef struct tg_outcol {
    uint32_t column, field;
    uint32_t lists;           /* innermost; TAGMA_NONE */
    uint32_t n_words;         /* an event or item */
    uint32_t width;           /* log2 of a value's bytes */
    bool is_bits;             /* a bit each instead of a byte */
    uint8_t *values;          /* slack behind them */
    uint64_t n, capacity;     /* values */
    uint8_t *valid, *damaged; /* bits of all rows; NULL where no row is null, damaged */
} tg_outcol;

typedef struct tg_outs {
    const tg_fields *fields;
    tg_outcol *columns; /* [n_columns] */
    uint32_t n_columns;
    tg_outlists *lists; /* [n_lists] those that the columns need, parents first */
    uint32_t n_lists;
    uint32_t *of_lists; /* [n_lists of the fields] number in lists; TAGMA_NONE */
    uint64_t n_rows;
} tg_outs;

tagma_status tg_outs_new(tagma_ctx *ctx, const tg_fields *fields, const uint32_t *columns, uint32_t n_columns,
                         uint64_t n_rows, tg_outs *out);
void tg_outs_free(tagma_ctx *ctx, tg_outs *outs);

/* Room for n more, where *at is the place of the first. */
tagma_status tg_outcol_reserve(tagma_ctx *ctx, tg_outcol *column, uint64_t n);
tagma_status tg_outlists_reserve(tagma_ctx *ctx, tg_outlists *lists, uint64_t n);
/* Where the next values go; bits: at bit column->n of values. */
static inline uint8_t *tg_outcol_end(const tg_outcol *column)
{
    return column->values + (column->n << column->width);
}
/* n values that are all the same, which is 0 or 1 for bits. Reserved. */
void tg_outcol_fill(tg_outcol *column, uint64_t value, uint64_t n);
/* How many items n lists have, as their n + 1 offsets say, as integers of the column's width. Reserved. */
void tg_outcol_counts(tg_outcol *column, const uint32_t *offsets, uint64_t n);
/* n words of a field from bit `at` on, not sparse. Reserved. */
void tg_outcol_decode(tg_outcol *column, const tg_heads *heads, const tg_slot *slot, const uint8_t *words,
                      uint64_t at, uint64_t n);
/* Items that n rows have in lists l of the fields, and how many lists that is, as the offsets that stand already say: of l, or of
 * those around l. */
uint64_t tg_outs_items(const tg_outs *outs, uint32_t l, uint64_t first_row, uint64_t n);
uint64_t tg_outs_lists(const tg_outs *outs, uint32_t l, uint64_t first_row, uint64_t n);
/* Rows that are null or damaged. */
tagma_status tg_outcol_mark(tagma_ctx *ctx, uint8_t **bits, uint64_t n_rows, bool initially);

/* The batch; null entries have empty lists then, whatever their collection has. */
tagma_status tg_outs_finish(tagma_ctx *ctx, tg_outs *outs, tagma_batch **out);

#endif
