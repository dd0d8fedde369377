/* SPDX-License-Identifier: Apache-2.0
 * What shape a level of an index is given: the widths that make its section smallest. */
#ifndef TG_INDEX_SURVEY_H
#define TG_INDEX_SURVEY_H

#include "index/level.h"
#include "index/sort.h"

/* The sorted entries as one level sees them: each with its value of the axis, and how early it differs from the one before. */
typedef struct tg_axis_view {
    const tg_sorted *items;
    const uint8_t
        *differs; /* the first axis that changes here; n_axes for a repeated coordinate; 0 at item 0 */
    uint64_t n;
    uint64_t n_ids;
    uint32_t axis;
    bool is_last;
} tg_axis_view;

/* Where the node that begins at item `begin` ends. */
static inline uint64_t tg_node_end(const tg_axis_view *view, uint64_t begin)
{
    uint64_t end = begin + 1;

    if (view->axis == 0)
        return view->n;
    while (end < view->n && view->differs[end] >= view->axis)
        end++;
    return end;
}

/* Is item i a key, or does it repeat the one before? The last level keeps repeats: each has an entry of its own. */
static inline bool tg_is_key(const tg_axis_view *view, uint64_t i)
{
    return view->is_last || i == 0 || view->differs[i] <= view->axis;
}

/* Fill the level's counts, widths and constants; *max is the greatest value, ordered. */
void tg_level_plan(const tg_axis_view *view, tg_level *level, uint64_t *max);

#endif
