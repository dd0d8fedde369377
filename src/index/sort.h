/* SPDX-License-Identifier: Apache-2.0
 * Entries in the order of their coordinates. */
#ifndef TG_INDEX_SORT_H
#define TG_INDEX_SORT_H

#include <tagma/index.h>

#include "base/ctx.h"

typedef struct tg_sorted {
    uint64_t key; /* scratch: an axis' value, or several side by side */
    uint64_t entry;
} tg_sorted;

/* A value of an axis so that it sorts as unsigned. */
static inline uint64_t tg_ordered(const tagma_index_input *input, uint32_t axis, uint64_t entry)
{
    return input->values[axis][entry] ^ (input->is_signed[axis] ? (uint64_t)1 << 63 : 0);
}

/* Sort [input->n_entries] by coordinate, those of equal ones by entry. */
TAGMA_CHECKED tagma_status tg_index_sort(tagma_ctx *ctx, const tagma_index_input *input, tg_sorted *sorted);

#endif
