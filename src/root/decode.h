/* SPDX-License-Identifier: Apache-2.0
 * From bytes of a basket to values of columns: numbers in bulk, for entries whose place and length are known. */
#ifndef TG_ROOT_DECODE_H
#define TG_ROOT_DECODE_H

#include "event/events.h"
#include "root/basket.h"

typedef enum tg_code_kind {
    TG_CODE_FIXED,   /* every entry of the branch has the same length: a run of entries is a run of values */
    TG_CODE_COUNTED, /* entries hold nothing but as many items as the count column says */
    TG_CODE_WALK     /* everything else: entry by entry, see root/walk.h */
} tg_code_kind;

/* How one column is decoded; made once from schema and layout. */
typedef struct tg_code {
    uint8_t kind;        /* tg_code_kind */
    uint8_t type;        /* tagma_type */
    uint8_t wire;        /* tg_wire */
    uint8_t wire_bytes;  /* of a number in the basket; 0 where it varies */
    uint8_t value_bytes; /* of a number in the batch; 1 for a string's */
    uint8_t n_lists, n_levels;
    bool is_string;
    bool is_vector; /* TG_CODE_WALK: a frame, a count, and numbers of one width, nothing else in the branch */
    bool has_places; /* where values go follows from entry and count: no segment is needed */
    uint32_t n_items;
    uint32_t item_bytes;  /* n_items * wire_bytes */
    uint32_t leaf_offset; /* TG_CODE_FIXED: where the leaf stands in an entry */
    uint32_t entry_bytes; /* TG_CODE_FIXED: of all leaves */
    const tg_layout *layout;
} tg_code;

/* Codes of all columns, [n_columns], from tables that are checked on the way: numbers of branches, columns and baskets that
 * do not exist are TAGMA_E_CORRUPT. Free with tg_free(). */
tagma_status tg_codes_new(tagma_ctx *ctx, const tg_tree *tree, tg_code **out);

/* n numbers from src to dst. Not for TG_WIRE_BITS. */
void tg_decode_numbers(const tg_code *code, void *restrict dst, const uint8_t *restrict src, uint64_t n);

/* Consecutive rows of a call that are consecutive entries of a basket. */
typedef struct tg_run {
    uint64_t row;
    uint32_t entry; /* in the basket */
    uint32_t n;
} tg_run;

/* The rows of a call that one basket serves, as runs. */
typedef struct tg_runs {
    const tg_rows *rows;
    uint64_t first_entry;  /* of the basket, in the tree */
    uint64_t row, end_row; /* [row, end_row) are left */
} tg_runs;
bool tg_runs_next(tg_runs *runs, tg_run *run);

/* Does a run hold n bytes an entry (FIXED) or what counts say (COUNTED)? If all of it does, *data is where it begins. */
bool tg_run_is_fixed(const tg_entries *entries, const tg_run *run, uint32_t entry_bytes,
                     const uint8_t **data);
bool tg_run_is_counted(const tg_entries *entries, const tg_run *run, const uint32_t *ends,
                       uint32_t item_bytes, const uint8_t **data);
/* One leaf of n entries of code->entry_bytes each. */
void tg_decode_fixed(const tg_code *code, void *restrict dst, const uint8_t *restrict src, uint64_t n);

#endif
