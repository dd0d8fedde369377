/* SPDX-License-Identifier: Apache-2.0
 * Are the values of an event the same in two batches? */
#ifndef TG_COMPARE_VALUES_H
#define TG_COMPARE_VALUES_H

#include <tagma/batch.h>

/* How far floats may be apart; both 0: not a bit. */
typedef struct tg_tolerance {
    uint64_t ulp;
    double relative;
} tg_tolerance;

typedef enum tg_verdict { TG_SAME = 0, TG_DIFFERENT = 1, TG_DAMAGED = 2 } tg_verdict;

/* Columns of one type and shape; bools are bytes.
 * @param item  of TG_DIFFERENT: the first value that differs, counted over all lists of the event; TAGMA_WHOLE_VALUE (-1) for
 *              other lengths, or a null on one side. */
tg_verdict tg_values_compare(const tagma_batch_column *a, uint64_t at_a, const tagma_batch_column *b,
                             uint64_t at_b, const tg_tolerance *tolerance, int64_t *item);

/* The same of a scalar column and the leading element of lists, where a null stands for an empty list. */
tg_verdict tg_values_compare_leading(const tagma_batch_column *a, uint64_t at_a, const tagma_batch_column *b,
                                     uint64_t at_b, int64_t *item);

/* Are two whole columns of n_entries the same, byte by byte, and undamaged? False may mean that it takes a closer look. */
bool tg_values_are_equal(const tagma_batch_column *a, const tagma_batch_column *b, uint64_t n_entries);

#endif
