/* SPDX-License-Identifier: Apache-2.0
 * Ids of many shapes, and what an index of them must answer, found by comparing all of them. */
#ifndef TESTS_SUPPORT_IDMODEL_H
#define TESTS_SUPPORT_IDMODEL_H

#include <stddef.h>
#include <stdint.h>
#include <tagma/index.h>

/* How the values of an axis come about. */
typedef enum test_axis_kind {
    TEST_CONSTANT,  /* 7 for all */
    TEST_FEW,       /* 5 values, not neighbours */
    TEST_DENSE,     /* 0 to 39 */
    TEST_SPARSE,    /* 33 bits */
    TEST_WIDE,      /* 64 bits */
    TEST_EXTREMES,  /* the ends of all integers, and their neighbours */
    TEST_OUTLIER,   /* small, but for one in a hundred at the far end */
    TEST_COUNTING,  /* 1, 2, 3 ... */
    TEST_BACKWARDS, /* the same the other way round */
    TEST_BLOCKS,    /* the same for 17 entries on end */
    TEST_N_KINDS
} test_axis_kind;

typedef struct test_row {
    uint64_t axes[TAGMA_MAX_ID_AXES];
    uint64_t entry;
} test_row;

/* Free with test_model_free. */
typedef struct test_model {
    tagma_index_input input;
    test_row *rows; /* [input.n_entries] sorted by coordinate, then entry */
} test_model;

/* splitmix64 */
uint64_t test_random(uint64_t *seed);
/* Bit a of signs: axis a is signed. One id in four repeats an earlier one where `repeats`. */
test_model test_model_make(uint32_t n_axes, const test_axis_kind *kinds, uint32_t signs, uint64_t n_entries,
                           bool repeats, uint64_t seed);
void test_model_free(test_model *model);
/* As in qsort; by the axes' signs. */
int test_model_compare(const test_model *model, const uint64_t *a, const uint64_t *b);
/* The first row whose coordinate is not below. */
uint64_t test_model_lower(const test_model *model, const uint64_t *axes);
/* Rows of a coordinate, from *first on. */
uint64_t test_model_find(const test_model *model, const uint64_t *axes, uint64_t *first);

#endif
