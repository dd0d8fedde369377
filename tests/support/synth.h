/* SPDX-License-Identifier: Apache-2.0
 * Events of every type and shape, each value a function of seed, column and entry alone. */
#ifndef TESTS_SUPPORT_SYNTH_H
#define TESTS_SUPPORT_SYNTH_H

#include <stdbool.h>
#include <tagma/batch.h>

/* What the schema holds. */
enum {
    TEST_SYNTH_NULLS = 1,   /* some columns have null entries */
    TEST_SYNTH_SCALARS = 2, /* none but scalars */
    TEST_SYNTH_LONG = 4     /* lists of 300 items now and then */
};

typedef struct test_synth {
    tagma_ctx *ctx;
    tagma_schema *schema;
    uint64_t seed;
    unsigned flags;
} test_synth;

void test_synth_make(test_synth *synth, tagma_ctx *ctx, uint64_t seed, unsigned flags);
void test_synth_free(test_synth *synth);
/* Entries entries[0..n) (NULL: first to first + n - 1) of some columns (NULL: all in order). Trouble ends the program. */
tagma_batch *test_synth_batch(const test_synth *synth, uint64_t first, const uint64_t *entries, uint64_t n,
                              const uint32_t *columns, uint32_t n_columns);

/* NULL where both have the same columns, in the same order, with the same bits; else a word where they differ. */
const char *test_batch_difference(const tagma_batch *a, const tagma_batch *b);
/* The same of a record and entry i of a batch, columns those of the plan; what the record calls damaged is passed over. */
const char *test_record_difference(const tagma_record_plan *plan, const void *record,
                                   const tagma_batch *batch, uint64_t i);

#endif
