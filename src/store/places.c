/* SPDX-License-Identifier: Apache-2.0
 * Ranks of ids, rows and slots: a walk over the index in the order of ids. */
#include "store/places.h"

#include "index/idwalk.h"
#include "index/section.h"

/* The axis on which a place of the walk begins anew: the first whose value is another one. */
static uint32_t changed_axis(const tg_walk *walk, const uint64_t *before)
{
    uint32_t last = walk->index->n_axes - 1, axis = 0;

    while (axis < last && walk->axes[axis] == before[axis])
        axis++;
    return axis; /* equal ids have ranks of their own on the last */
}

/* Ranks of the next event in coordinate order. */
static void step(const tg_walk *walk, uint64_t *before, uint64_t *ranks)
{
    uint32_t axis = changed_axis(walk, before);

    if (walk->rank > 0)
        ranks[axis]++;
    for (uint32_t a = walk->rank > 0 ? axis + 1 : 0; a < walk->index->n_axes; a++)
        ranks[a] = 0;
    memcpy(before, walk->axes, walk->index->n_axes * sizeof *before);
}

/* The largest ranks seen. */
void tg_places_measure(const tagma_index *index, uint64_t *bounds)
{
    uint64_t before[TG_FIXED_AXES_MAX] = {0}, ranks[TG_FIXED_AXES_MAX] = {0};
    tg_walk walk;

    tg_walk_begin(&walk, index);
    for (uint32_t a = 0; a < TG_FIXED_AXES_MAX; a++)
        bounds[a] = 1;
    while (tg_walk_next(&walk)) {
        step(&walk, before, ranks);
        for (uint32_t a = 0; a < index->n_axes; a++)
            bounds[a] = ranks[a] + 1 > bounds[a] ? ranks[a] + 1 : bounds[a];
    }
}

tagma_status tg_places_new(tagma_ctx *ctx, const tagma_index *index, const tagma_layout *layout,
                           tg_places *out)
{
    uint64_t before[TG_FIXED_AXES_MAX] = {0}, ranks[TG_FIXED_AXES_MAX] = {0};
    tg_walk walk;

    out->rows = tg_alloc(ctx, index->n_entries, sizeof *out->rows);
    out->slots = tg_alloc(ctx, index->n_entries, sizeof *out->slots);
    if (!out->rows || !out->slots)
        return TAGMA_E_MEMORY;
    tg_walk_begin(&walk, index);
    while (tg_walk_next(&walk)) {
        step(&walk, before, ranks);
        out->rows[tg_walk_entry(&walk)] = walk.rank;
        TG_TRY(tagma_layout_address(layout, ranks, &out->slots[walk.rank]));
    }
    return TAGMA_OK;
}

void tg_places_free(tagma_ctx *ctx, tg_places *places)
{
    tg_free(ctx, places->rows);
    tg_free(ctx, places->slots);
}

/* The index again, of rows instead of entries: they lie in the order of its ranks. */
static tagma_status make_index(tagma_ctx *ctx, const tagma_index *index, tagma_index **out)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_index_input input = {.n_axes = index->n_axes, .n_entries = index->n_entries};
    uint64_t *values = tg_alloc(ctx, index->n_entries, sizeof *values * input.n_axes);
    tagma_status st;
    tg_walk walk;

    *out = NULL;
    if (!values)
        return TAGMA_E_MEMORY;
    tagma_index_get_info(index, &info);
    for (uint32_t a = 0; a < input.n_axes; a++) {
        input.names[a] = info.names[a];
        input.is_signed[a] = info.is_signed[a];
        input.values[a] = values + a * index->n_entries;
    }
    tg_walk_begin(&walk, index);
    while (tg_walk_next(&walk))
        for (uint32_t a = 0; a < input.n_axes; a++)
            values[a * index->n_entries + walk.rank] = walk.axes[a];
    st = tagma_index_new(ctx, &input, out);
    tg_free(ctx, values);
    return st;
}

static tagma_status put_index(tagma_ctx *ctx, const tagma_index *index, tg_sections *sections)
{
    tagma_index *of_rows;
    tagma_status st;

    TG_TRY(make_index(ctx, index, &of_rows));
    st = tg_sections_put_index(ctx, sections, of_rows);
    tagma_index_release(of_rows);
    return st;
}

static tagma_status put_origins(tagma_ctx *ctx, const tagma_index *index, tg_sections *sections)
{
    tg_origins origins = {0};
    tagma_status st = TAGMA_OK;
    tg_walk walk;

    tg_walk_begin(&walk, index);
    while (st == TAGMA_OK && tg_walk_next(&walk))
        st = tg_origins_add(ctx, &origins, tg_walk_entry(&walk), 1);
    if (st == TAGMA_OK)
        st = tg_sections_put_origins(ctx, sections, &origins);
    tg_origins_free(ctx, &origins);
    return st;
}

tagma_status tg_places_put(tagma_ctx *ctx, const tagma_index *index, tg_sections *sections)
{
    TG_TRY(put_index(ctx, index, sections));
    return put_origins(ctx, index, sections);
}
