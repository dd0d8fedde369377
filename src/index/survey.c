/* SPDX-License-Identifier: Apache-2.0
 * What shape a level of an index is given: the widths that make its section smallest.
 *
 * Three ways to lay out buckets are weighed, each with low bits of about the mean distance of two keys:
 *   even nodes with one base     nothing is kept per node: the closed form of coord/ as it stands
 *   even nodes, own bases        a base per node; for nodes of about equal width at different places
 *   own bases and own widths     a base and a correction of the closed form per node
 * and for entries of the last level four: a shift per node or one for all, of the entry or of entry - rank (which is constant
 * where a file is sorted). */
#include "index/survey.h"

#include <math.h>

#include "index/section.h"

typedef enum layout_kind { EVEN, OWN_BASE, OWN_WIDTH } layout_kind;

typedef struct survey {
    uint64_t n_nodes, n_keys;
    uint64_t base, last_base, max; /* least and greatest begin of a node, greatest value */
    uint64_t widest;               /* greatest value - base of a node */
    double total;                  /* sum of the nodes' widths */
} survey;

static survey survey_nodes(const tg_axis_view *view)
{
    survey s = {.base = UINT64_MAX, .n_keys = view->n};

    for (uint64_t begin = 0, end; begin < view->n; begin = end) {
        uint64_t low = view->items[begin].key, high;

        end = tg_node_end(view, begin);
        high = view->items[end - 1].key;
        s.n_nodes++;
        s.base = low < s.base ? low : s.base;
        s.last_base = low > s.last_base ? low : s.last_base;
        s.max = high > s.max ? high : s.max;
        s.widest = high - low > s.widest ? high - low : s.widest;
        s.total += (double)(high - low) + 1;
    }
    if (!view->is_last) {
        s.n_keys = 0;
        for (uint64_t i = 0; i < view->n; i++)
            s.n_keys += tg_is_key(view, i);
    }
    return s;
}

/* Buckets of all nodes with `level->low_bits`, each of its own width, and the correction that takes. */
static void measure_own_widths(const tg_axis_view *view, tg_level *level)
{
    int64_t least = 0, most = 0;

    level->n_buckets = 0;
    for (uint64_t begin = 0, end; begin < view->n; begin = end) {
        end = tg_node_end(view, begin);
        level->n_buckets += ((view->items[end - 1].key - view->items[begin].key) >> level->low_bits) + 1;
    }
    level->stride = level->n_buckets / level->n_nodes;
    for (uint64_t begin = 0, end, node = 0, first = 0; begin < view->n; begin = end) {
        int64_t off;

        end = tg_node_end(view, begin);
        first += ((view->items[end - 1].key - view->items[begin].key) >> level->low_bits) + 1;
        off = (int64_t)(first - ++node * level->stride);
        least = off < least ? off : least;
        most = off > most ? off : most;
    }
    level->correction = (uint64_t)-least;
    level->first_bits = tg_width_of((uint64_t)(most - least));
}

static double directory_cost(const tg_level *level, uint32_t step_bits)
{
    return ((double)(level->n_buckets >> step_bits) + 1) * level->directory_bits;
}

/* The finest directory that takes at most 3/4 of a bit an entry: one bucket a step for the few keys of leading axes, so that
 * these are found without counting zeros, and 32 where all entries are keys. */
static uint32_t choose_step(const tg_axis_view *view, const tg_level *level)
{
    uint32_t step_bits = 0;

    while (step_bits < TG_MAX_STEP_BITS &&
           directory_cost(level, step_bits) > (view->is_last ? 0.75 : 0.25) * (double)view->n)
        step_bits++;
    return step_bits;
}

/* The widths of all nodes together, as a layout sees them. */
static double universe(const survey *s, layout_kind kind)
{
    if (kind == OWN_WIDTH)
        return s->total;
    return ((double)(kind == EVEN ? s->max - s->base : s->widest) + 1) * (double)s->n_nodes;
}

/* Bits that a layout takes; widths and counts into the level. */
static double lay_out(const tg_axis_view *view, const survey *s, layout_kind kind, uint32_t low_bits,
                      tg_level *level)
{
    double bits;

    /* More buckets than could ever pay, or be counted. */
    if (ldexp(universe(s, kind), -(int)low_bits) + (double)s->n_nodes >= ldexp(1, TG_INDEX_COUNT_BITS))
        return INFINITY;
    level->low_bits = low_bits;
    level->base_bits = kind == EVEN ? 0 : tg_width_of(s->last_base - s->base);
    level->first_bits = 0;
    level->correction = 0;
    if (kind == OWN_WIDTH) {
        measure_own_widths(view, level);
    } else {
        level->stride = ((kind == EVEN ? s->max - s->base : s->widest) >> low_bits) + 1;
        level->n_buckets = level->stride * s->n_nodes;
    }
    level->step_bits = choose_step(view, level);
    level->is_dense =
        low_bits == 0 && level->n_buckets == s->n_keys && (!view->is_last || s->n_keys == view->n_ids);
    bits = (double)s->n_keys * low_bits + (double)s->n_nodes * (level->base_bits + level->first_bits);
    if (!level->is_dense)
        bits += (double)(s->n_keys + level->n_buckets) + directory_cost(level, level->step_bits);
    return bits;
}

static void choose_layout(const tg_axis_view *view, const survey *s, tg_level *level)
{
    const double spare = 0.5 * (double)view->n;
    tg_level best = *level, tried = *level;
    double least = INFINITY;

    for (layout_kind kind = EVEN; kind <= OWN_WIDTH; kind++) {
        double gap = universe(s, kind) / (double)s->n_keys;
        uint32_t middle = gap < 1 ? 0 : gap >= 0x1p62 ? 62 : tg_width_of((uint64_t)gap) - 1;

        for (uint32_t low_bits = middle - (middle > 0); low_bits <= middle + 1; low_bits++) {
            double bits = lay_out(view, s, kind, low_bits, &tried);

            if (bits < least) {
                least = bits;
                best = tried;
            }
        }
    }
    /* Few keys beside many entries: a bucket for every value finds them fastest, and half a bit an entry is not missed. */
    for (layout_kind kind = EVEN; kind <= OWN_WIDTH && best.low_bits > 0 && !view->is_last; kind++)
        if (lay_out(view, s, kind, 0, &tried) < spare)
            best = tried;
    *level = best;
}

/* Least and greatest of a quantity over one node, and over all. */
typedef struct span {
    int64_t least, most;
} span;

static void widen(span *s, int64_t value)
{
    s->least = value < s->least ? value : s->least;
    s->most = value > s->most ? value : s->most;
}

/* How entries of the last level are told from ranks. */
static void choose_entries(const tg_axis_view *view, tg_level *level)
{
    static const span none = {INT64_MAX, INT64_MIN};
    span all[2] = {none, none}, shifts[2] = {none, none};
    uint64_t widest[2] = {0, 0};
    double least = INFINITY;

    for (uint64_t begin = 0, end; begin < view->n; begin = end) {
        span node[2] = {none, none};

        end = tg_node_end(view, begin);
        for (uint64_t i = begin; i < end; i++) {
            widen(&node[0], (int64_t)view->items[i].entry);
            widen(&node[1], (int64_t)(view->items[i].entry - i));
        }
        for (uint32_t ranked = 0; ranked < 2; ranked++) {
            uint64_t width = (uint64_t)(node[ranked].most - node[ranked].least);

            widen(&all[ranked], node[ranked].least);
            widen(&all[ranked], node[ranked].most);
            widen(&shifts[ranked], node[ranked].least);
            widest[ranked] = width > widest[ranked] ? width : widest[ranked];
        }
    }
    for (uint32_t way = 0; way < 4; way++) {
        uint32_t ranked = way & 1;
        bool is_own = way & 2;
        uint32_t shift_bits =
            is_own ? tg_width_of((uint64_t)(shifts[ranked].most - shifts[ranked].least)) : 0;
        uint32_t delta_bits =
            tg_width_of(is_own ? widest[ranked] : (uint64_t)(all[ranked].most - all[ranked].least));
        double bits = (double)view->n * delta_bits + (double)level->n_nodes * shift_bits;

        if (bits < least) {
            least = bits;
            level->is_ranked = ranked;
            level->shift_bits = shift_bits;
            level->delta_bits = delta_bits;
            level->shift = (uint64_t)all[ranked].least;
        }
    }
}

void tg_level_plan(const tg_axis_view *view, tg_level *level, uint64_t *max)
{
    survey s = survey_nodes(view);

    *max = s.max;
    level->n_keys = s.n_keys;
    if (view->n == 0) {
        level->n_nodes = view->axis == 0;
        level->n_buckets = level->n_nodes;
        level->stride = 1;
        return;
    }
    level->n_nodes = s.n_nodes;
    level->base = s.base;
    level->directory_bits = tg_width_of(s.n_keys);
    choose_layout(view, &s, level);
    if (view->is_last)
        choose_entries(view, level);
    level->slot_bits = level->low_bits + level->delta_bits;
    level->node_bits = level->base_bits + level->first_bits + level->shift_bits;
}
