/* SPDX-License-Identifier: Apache-2.0
 * The public face of an index: sharing, figures, look-up one by one and many at once. */
#include <tagma/index.h>

#include "index/section.h"

tagma_index *tagma_index_acquire(tagma_index *index)
{
    atomic_fetch_add_explicit(&index->users, 1, memory_order_relaxed);
    return index;
}

void tagma_index_release(tagma_index *index)
{
    tg_account *account;

    if (!index || atomic_fetch_sub_explicit(&index->users, 1, memory_order_acq_rel) != 1)
        return;
    account = index->account;
    tg_account_free(account, index->owned);
    tagma_source_release(index->source);
    tg_account_free(account, index);
    tg_account_release(account);
}

void tagma_index_get_info(const tagma_index *index, tagma_index_info *info)
{
    tagma_index_info full = {.struct_bytes = sizeof full};
    const uint32_t last = index->n_axes - 1;

    full.n_axes = index->n_axes;
    full.n_entries = index->n_entries;
    full.n_ids = index->n_ids;
    full.n_repeated_ids = index->n_repeated_ids;
    full.n_cells = index->levels[last].n_nodes;
    full.bytes = index->n_bytes;
    for (uint32_t axis = 0; axis < TAGMA_MAX_ID_AXES; axis++) {
        const tg_level *level = &index->levels[axis];
        bool is_there = axis < index->n_axes;

        full.is_signed[axis] = is_there && level->sign != 0;
        full.names[axis] = is_there ? index->names[axis] : NULL;
        full.n_distinct[axis] = !is_there ? 0 : axis == last ? index->n_ids : level->n_keys;
        full.min[axis] = is_there ? level->base ^ level->sign : 0;
        full.max[axis] = is_there ? index->max[axis] : 0;
    }
    tg_give(info, &full, sizeof full);
}

/* Ranks of a coordinate's entries: how many, the first of them, and the node they are in. */
static inline uint64_t find(const tagma_index *index, const uint64_t *axes, uint64_t *node, uint64_t *first)
{
    uint32_t last = index->n_axes - 1;

    *node = 0;
    *first = 0;
    for (uint32_t axis = 0; axis < last; axis++)
        if (tg_level_find(&index->levels[axis], *node, axes[axis], node) == 0)
            return 0;
    return tg_level_find(&index->levels[last], *node, axes[last], first);
}

tagma_status tagma_index_find(const tagma_index *index, const uint64_t *axes, uint64_t *entries,
                              size_t capacity, size_t *n)
{
    const tg_level *level = &index->levels[index->n_axes - 1];
    uint64_t node, first, count = find(index, axes, &node, &first);

    for (uint64_t i = 0; i < count && i < capacity; i++)
        entries[i] = tg_level_entry(level, node, first + i);
    *n = (size_t)count;
    return count > 0 ? TAGMA_OK : TAGMA_ABSENT;
}

enum { GROUP = 32 };

/* Ids on their way through one level, side by side, so that their cache misses overlap. */
typedef struct group {
    uint32_t n;
    uint64_t node[GROUP], bucket[GROUP], low[GROUP], at[GROUP], first[GROUP], count[GROUP];
} group;

static void prefetch_packed(const uint8_t *packed, uint64_t at)
{
    __builtin_prefetch(packed + at / 8);
}

/* One step of every id of the group through a level: what each needs next is asked for before any waits for it. */
static void group_step(const tg_level *level, const uint64_t *values, uint32_t stride, group *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->count[i] == 0)
            continue;
        g->count[i] = tg_level_bucket(level, g->node[i], values[(size_t)i * stride] ^ level->sign,
                                      &g->bucket[i], &g->low[i]);
        g->first[i] = g->bucket[i];
        if (g->count[i] > 0)
            prefetch_packed(level->directory, (g->bucket[i] >> level->step_bits) * level->directory_bits);
    }
    if (level->is_dense)
        return;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->count[i] > 0)
            prefetch_packed(level->bits, tg_level_group_at(level, g->bucket[i] >> level->step_bits));
    for (uint32_t i = 0; i < g->n; i++) {
        if (g->count[i] == 0)
            continue;
        g->at[i] = tg_level_position(level, g->bucket[i]);
        g->first[i] = g->at[i] - g->bucket[i];
        prefetch_packed(level->slots, g->first[i] * level->slot_bits);
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (g->count[i] > 0)
            g->count[i] =
                tg_level_match(level, tg_level_run(level, g->bucket[i], g->at[i]), g->low[i], &g->first[i]);
}

void tagma_index_find_many(const tagma_index *index, const uint64_t *axes, size_t n, uint64_t *first,
                           uint32_t *count)
{
    group g;

    for (size_t begin = 0; begin < n; begin += g.n) {
        g.n = n - begin < GROUP ? (uint32_t)(n - begin) : GROUP;
        for (uint32_t i = 0; i < g.n; i++) {
            g.node[i] = 0;
            g.first[i] = 0;
            g.count[i] = 1;
        }
        for (uint32_t axis = 0; axis < index->n_axes; axis++) {
            const tg_level *next = &index->levels[axis + 1 < index->n_axes ? axis + 1 : axis];

            group_step(&index->levels[axis], axes + begin * index->n_axes + axis, index->n_axes, &g);
            for (uint32_t i = 0; i < g.n; i++) {
                g.node[i] = g.first[i];
                prefetch_packed(next->nodes, g.count[i] > 0 ? g.node[i] * next->node_bits : 0);
            }
        }
        for (uint32_t i = 0; i < g.n; i++) {
            first[begin + i] = g.count[i] > 0 ? g.first[i] : 0;
            count[begin + i] = g.count[i] < UINT32_MAX ? (uint32_t)g.count[i] : UINT32_MAX;
        }
    }
}

void tagma_index_entries(const tagma_index *index, uint64_t first, size_t n, uint64_t *entries)
{
    const tg_level *level = &index->levels[index->n_axes - 1];
    uint64_t node = 0, end = index->n_entries;

    if (n > 0 && level->shift_bits > 0) {
        node = tg_level_node_of(level, tg_level_bucket_of(level, first));
        end = tg_level_node_start(level, node + 1);
    }
    for (size_t i = 0; i < n; i++) {
        while (first + i >= end)
            end = tg_level_node_start(level, ++node + 1);
        entries[i] = tg_level_entry(level, node, first + i);
    }
}

tagma_status tagma_index_coordinate(const tagma_index *index, uint64_t rank, uint64_t *axes)
{
    if (rank >= index->n_entries)
        return TAGMA_E_RANGE;
    for (uint32_t axis = index->n_axes; axis-- > 0;)
        axes[axis] = tg_level_value(&index->levels[axis], rank, &rank);
    return TAGMA_OK;
}
