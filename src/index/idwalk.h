/* SPDX-License-Identifier: Apache-2.0
 * All coordinates of an index, in order: a few nanoseconds each, where asking rank by rank would count bits every time. */
#ifndef TG_INDEX_IDWALK_H
#define TG_INDEX_IDWALK_H

#include "index/section.h"

/* Where the walk stands on one level: on key `rank`, which is bit `at` and lies in a bucket before `end` of `node`. */
typedef struct tg_walk_place {
    uint64_t rank, at, node, first, end, base;
} tg_walk_place;

typedef struct tg_walk {
    const tagma_index *index;
    uint64_t rank;                    /* the one that `axes` is of */
    uint64_t axes[TAGMA_MAX_ID_AXES]; /* as given */
    tg_walk_place places[TAGMA_MAX_ID_AXES];
} tg_walk;

/* Stand before rank 0. */
void tg_walk_begin(tg_walk *walk, const tagma_index *index);
/* Go to the next rank; false behind the last. */
bool tg_walk_next(tg_walk *walk);
/* The entry of the rank where the walk stands. */
static inline uint64_t tg_walk_entry(const tg_walk *walk)
{
    uint32_t last = walk->index->n_axes - 1;

    return tg_level_entry(&walk->index->levels[last], walk->places[last].node, walk->rank);
}

#endif
