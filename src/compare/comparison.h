/* SPDX-License-Identifier: Apache-2.0
 * Inside of a comparison: columns that belong together, what was found of them, and the step that both kinds of comparing share. */
#ifndef TG_COMPARE_COMPARISON_H
#define TG_COMPARE_COMPARISON_H

#include <tagma/compare.h>

#include "base/arena.h"
#include "compare/values.h"

enum { TG_ONLY_KEPT = 10 };

typedef struct tg_only {
    uint64_t n, entries[TG_ONLY_KEPT];
    uint32_t sources[TG_ONLY_KEPT];
} tg_only;

typedef struct tg_compared {
    tagma_compared_column told;
    bool is_leading; /* a has the leading element of b's lists only */
} tg_compared;

struct tagma_comparison {
    tg_account *account;
    tg_arena words;
    tg_compared *columns; /* [n_columns] */
    uint64_t n_columns, capacity;
    tagma_comparison_info info;
    tg_only only[2];
    tg_tolerance tolerance;
    uint32_t *pairs; /* [n_pairs] those of columns that are compared */
    uint32_t n_pairs;
    uint32_t *of_side[2];  /* [n_pairs] their columns, as readers want them */
    uint8_t *is_different; /* of the events of a step */
    uint64_t step_capacity;
};

tagma_status tg_comparison_new(tagma_ctx *ctx, tagma_comparison **out);

/* A column of one side or both; the other's number is TAGMA_NONE. Its relation follows from types and reasons. *out may be
 * changed until the next call. */
tagma_status tg_comparison_add(tagma_ctx *ctx, tagma_comparison *to, const tagma_schema *schema_a,
                               uint32_t column_a, const tagma_schema *schema_b, uint32_t column_b,
                               tg_compared **out);
/* All columns are there: make the lists of those that are read. */
tagma_status tg_comparison_seal(tagma_ctx *ctx, tagma_comparison *to);

/* Batches of both sides, and which entries of a belong to those of b. */
typedef struct tg_step {
    tagma_batch *a, *b;    /* of the columns of_side[] */
    tagma_batch *copies;   /* the entries of batch a once more, from the columns section; NULL: none */
    const uint32_t *pairs; /* [n_copies] the pairs, ascending, that `copies` has columns of */
    uint32_t n_copies;
    const uint32_t *at_a; /* [n] entries of batch a; NULL: i */
    const uint64_t *of_a; /* [entries of batch a] which entries of the events they are; NULL: first_a on */
    const uint64_t *of_b; /* [n] likewise of batch b, whose entry i is compared as the i-th */
    uint64_t first_a, first_b;
    uint64_t n;
    uint32_t source;
} tg_step;
/* An event whose copies both differ is one that differs. */
tagma_status tg_comparison_step(tagma_ctx *ctx, tagma_comparison *to, const tg_step *step);

/* Entries in any order, as a run where they are one. */
tagma_status tg_read_entries(tagma_ctx *ctx, tagma_reader *reader, const uint64_t *entries, uint64_t n,
                             const uint32_t *columns, uint32_t n_columns, tagma_batch **out);

void tg_comparison_only_one(tagma_comparison *to, int side, uint64_t entry, uint32_t source);
/* Nothing more comes: is it the same? */
void tg_comparison_end(tagma_comparison *to);

/* Compare entries first to first + n - 1 of a. *has_counted: something of them is in the result, and they cannot be taken again. */
typedef tagma_status (*tg_window_fn)(tagma_ctx *ctx, void *user, uint64_t first, uint64_t n,
                                     bool *has_counted);
/* All entries of a, window by window; by smaller ones from where one is more than memory or a limit allows. */
tagma_status tg_compare_windows(tagma_ctx *ctx, const char *phase, uint64_t n_entries, uint64_t window,
                                tg_window_fn compare, void *user);

#endif
