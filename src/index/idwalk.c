/* SPDX-License-Identifier: Apache-2.0
 * All coordinates of an index, in order. */
#include "index/idwalk.h"

static void enter_node(const tg_level *level, tg_walk_place *place, uint64_t node)
{
    place->node = node;
    place->base = tg_level_base(level, node);
    place->first = tg_level_first(level, node);
    place->end = tg_level_first(level, node + 1);
}

/* The first one at or behind bit `at`; there is one. */
static uint64_t next_one(const tg_level *level, uint64_t at)
{
    uint64_t word = tg_word_at(level->bits, at / 64) & UINT64_MAX << at % 64;

    while (word == 0) {
        at = (at / 64 + 1) * 64;
        word = tg_word_at(level->bits, at / 64);
    }
    return at / 64 * 64 + (uint64_t)__builtin_ctzll(word);
}

/* The value of the key where a place stands. */
static uint64_t value_at(const tg_level *level, tg_walk_place *place)
{
    uint64_t bucket = level->is_dense ? place->rank : place->at - place->rank;

    while (bucket >= place->end)
        enter_node(level, place, place->node + 1);
    return (place->base + ((bucket - place->first) << level->low_bits) + tg_level_low(level, place->rank)) ^
           level->sign;
}

void tg_walk_begin(tg_walk *walk, const tagma_index *index)
{
    *walk = (tg_walk){.index = index, .rank = UINT64_MAX};
    for (uint32_t axis = 0; axis < index->n_axes; axis++) {
        const tg_level *level = &index->levels[axis];

        if (index->n_entries == 0 || level->n_keys == 0)
            return;
        enter_node(level, &walk->places[axis], 0);
        if (!level->is_dense)
            walk->places[axis].at = next_one(level, 0);
        walk->axes[axis] = value_at(level, &walk->places[axis]);
    }
}

bool tg_walk_next(tg_walk *walk)
{
    const tagma_index *index = walk->index;
    uint64_t rank = walk->rank + 1;

    if (rank >= index->n_entries)
        return false;
    walk->rank = rank;
    /* From the last level up, as long as the node changes, and only once more where the first key is stood on already. */
    for (uint32_t axis = index->n_axes; axis-- > 0;) {
        const tg_level *level = &index->levels[axis];
        tg_walk_place *place = &walk->places[axis];

        if (place->rank == rank)
            break;
        for (; place->rank < rank; place->rank++)
            if (!level->is_dense)
                place->at = next_one(level, place->at + 1);
        walk->axes[axis] = value_at(level, place);
        rank = place->node;
    }
    return true;
}
