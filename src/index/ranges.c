/* SPDX-License-Identifier: Apache-2.0
 * Boxes of coordinates as intervals of ranks: nodes are sorted, so a range of an axis is a run of a node's keys. */
#include <stdlib.h>
#include <tagma/index.h>

#include "index/section.h"

/* Intervals being gathered from boxes. */
typedef struct gathering {
    tagma_ctx *ctx;
    const tagma_index *index;
    uint64_t lo[TAGMA_MAX_ID_AXES], hi[TAGMA_MAX_ID_AXES]; /* of the box, ordered */
    uint32_t n_bound;                                      /* axes from this one on are free */
    tagma_interval *intervals;
    uint64_t n, capacity;
    uint64_t n_seen; /* nodes looked at, for progress */
} gathering;

void tagma_index_whole_range(const tagma_index *index, tagma_id_range *range)
{
    for (uint32_t axis = 0; axis < TAGMA_MAX_ID_AXES; axis++) {
        uint64_t sign = axis < index->n_axes ? index->levels[axis].sign : 0;

        range->lo[axis] = sign;
        range->hi[axis] = UINT64_MAX ^ sign;
    }
}

static tagma_status add(gathering *g, uint64_t first, uint64_t end)
{
    void *block = g->intervals;
    tagma_status st;

    if (first == end)
        return TAGMA_OK;
    if (g->n > 0 && g->intervals[g->n - 1].first + g->intervals[g->n - 1].n == first) {
        g->intervals[g->n - 1].n += end - first;
        return TAGMA_OK;
    }
    st = tg_reserve(g->ctx, &block, &g->capacity, g->n + 1, sizeof *g->intervals);
    g->intervals = block;
    TG_TRY(st);
    g->intervals[g->n++] = (tagma_interval){first, end - first};
    return TAGMA_OK;
}

/* All coordinates that begin with the nodes first to end - 1 of a level. */
static tagma_status add_nodes(gathering *g, uint32_t axis, uint64_t first, uint64_t end)
{
    for (; axis < g->index->n_axes; axis++) {
        first = tg_level_node_start(&g->index->levels[axis], first);
        end = tg_level_node_start(&g->index->levels[axis], end);
    }
    return add(g, first, end);
}

/* Of the nodes first to end - 1 of a level, what lies in the box. A level deeper at each call, so at most four deep. */
static tagma_status gather(gathering *g, uint32_t axis, uint64_t first, uint64_t end)
{
    enum { TELL_NODES = 4096 };
    const tg_level *level = &g->index->levels[axis];

    if (axis >= g->n_bound || axis >= TAGMA_MAX_ID_AXES)
        return add_nodes(g, axis, first, end);
    for (uint64_t node = first; node < end; node++) {
        uint64_t from = tg_level_lower(level, node, g->lo[axis]);
        uint64_t to = g->hi[axis] == UINT64_MAX ? tg_level_node_start(level, node + 1)
                                                : tg_level_lower(level, node, g->hi[axis] + 1);

        if (from < to)
            TG_TRY(gather(g, axis + 1, from, to));
        if (++g->n_seen % TELL_NODES == 0)
            TG_TRY(tg_progress(g->ctx, "index", "luminosity blocks", g->n_seen, 0));
    }
    return TAGMA_OK;
}

static tagma_status gather_box(gathering *g, const tagma_id_range *range)
{
    g->n_bound = 0;
    for (uint32_t axis = 0; axis < g->index->n_axes; axis++) {
        const tg_level *level = &g->index->levels[axis];

        g->lo[axis] = range->lo[axis] ^ level->sign;
        g->hi[axis] = range->hi[axis] ^ level->sign;
        if (g->lo[axis] > g->hi[axis])
            return TAGMA_OK;
        if (g->lo[axis] > level->base || g->hi[axis] < (g->index->max[axis] ^ level->sign))
            g->n_bound = axis + 1;
    }
    return gather(g, 0, 0, 1);
}

static int by_first(const void *a, const void *b)
{
    const tagma_interval *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Ascending and disjoint: overlapping and touching ones are one. */
static void unite(gathering *g)
{
    uint64_t n = 0;

    if (g->n > 1)
        qsort(g->intervals, g->n, sizeof *g->intervals, by_first);
    for (uint64_t i = 0; i < g->n; i++) {
        const tagma_interval next = g->intervals[i];
        tagma_interval *last = n > 0 ? &g->intervals[n - 1] : NULL;

        if (!last || next.first > last->first + last->n)
            g->intervals[n++] = next;
        else if (next.first + next.n > last->first + last->n)
            last->n = next.first + next.n - last->first;
    }
    g->n = n;
}

tagma_status tagma_index_intervals(tagma_ctx *ctx, const tagma_index *index, const tagma_id_range *ranges,
                                   size_t n_ranges, tagma_interval *intervals, size_t capacity, size_t *n)
{
    gathering g = {.ctx = ctx, .index = index};
    tagma_status st = TAGMA_OK;

    *n = 0;
    for (size_t i = 0; i < n_ranges && st == TAGMA_OK && index->n_entries > 0; i++)
        st = gather_box(&g, &ranges[i]);
    if (st == TAGMA_OK) {
        unite(&g);
        *n = (size_t)g.n;
        if (g.n > capacity)
            st = tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " intervals, room for %zu", g.n, capacity);
        else if (g.n > 0)
            memcpy(intervals, g.intervals, g.n * sizeof *intervals);
    }
    tg_free(ctx, g.intervals);
    return st;
}
