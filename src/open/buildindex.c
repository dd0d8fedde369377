/* SPDX-License-Identifier: Apache-2.0
 * The id columns of events, and an index made of them in one pass. */
#include <string.h>

#include "base/num.h"
#include "event/events.h"
#include "index/idnames.h"

enum { IDS_BATCH = 1 << 18 };

/* Are these the columns that an index is made of? */
static bool is_index_of(const tagma_index_info *info, const tagma_schema *schema, const tagma_ids *ids)
{
    bool same = info->n_axes == ids->n_axes;

    for (uint32_t a = 0; same && a < info->n_axes; a++)
        same = strcmp(info->names[a], tagma_schema_column(schema, ids->columns[a])->name) == 0;
    return same;
}

/* The columns that an index is made of, which were named by hand once; false where one is not there. */
static bool take_ids(const tagma_index_info *info, const tagma_schema *schema, tagma_ids *out)
{
    *out = (tagma_ids){.n_axes = info->n_axes};
    for (uint32_t a = 0; a < info->n_axes; a++) {
        out->columns[a] = tagma_schema_find(schema, info->names[a]);
        out->roles[a] = "";
        out->is_signed[a] = info->is_signed[a];
        if (out->columns[a] == TAGMA_NONE)
            return false;
    }
    return true;
}

tagma_status tagma_events_ids(tagma_ctx *ctx, const tagma_events *events, tagma_ids *out)
{
    const tagma_index *index;
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_ids own;
    tagma_status st;

    if (!events->ids && events->kind->index) {
        st = events->kind->index(ctx, events, &index);
        if (st < 0)
            return st;
        if (st == TAGMA_OK) {
            tagma_index_get_info(index, &info);
            st = tg_ids_find(ctx, events->schema, events->info.tree, NULL, out);
            if (st == TAGMA_OK && is_index_of(&info, events->schema, out))
                return TAGMA_OK;
            if (take_ids(&info, events->schema, &own)) {
                *out = own;
                return TAGMA_OK;
            }
        }
    }
    return tg_ids_find(ctx, events->schema, events->info.tree, events->ids, out);
}

/* Read the id columns of all entries into axes[a][n_entries]. */
static tagma_status read_axes(tagma_ctx *ctx, tagma_reader *reader, const tagma_ids *ids,
                              uint64_t *const *axes)
{
    const tagma_events *events = reader->events;
    uint64_t n_entries = events->info.n_entries;

    for (uint64_t first = 0; first < n_entries; first += IDS_BATCH) {
        uint64_t n = n_entries - first < IDS_BATCH ? n_entries - first : IDS_BATCH;
        tagma_batch *batch;
        tagma_status st;

        TG_TRY(tg_progress(ctx, "index", "events", first, n_entries));
        TG_TRY(tagma_read_columns(ctx, reader, first, n, ids->columns, ids->n_axes, &batch));
        st = TAGMA_OK;
        for (uint32_t a = 0; st == TAGMA_OK && a < ids->n_axes; a++)
            st = tg_ids_values(ctx, tagma_schema_column(events->schema, ids->columns[a])->name, batch, a,
                               first, axes[a] + first);
        tagma_batch_free(batch);
        if (st < 0)
            return tg_within(ctx, st, "%s, tree %s", events->info.file, events->info.tree);
    }
    return TAGMA_OK;
}

tagma_status tagma_events_build_index(tagma_ctx *ctx, tagma_reader *reader, tagma_index **out)
{
    const tagma_events *events = reader->events;
    uint64_t *axes[TAGMA_MAX_ID_AXES] = {NULL};
    tagma_index_input input = {.n_entries = events->info.n_entries};
    tagma_ids ids;
    tagma_status st;

    *out = NULL;
    st = tagma_events_ids(ctx, events, &ids);
    if (st != TAGMA_OK)
        return st == TAGMA_ABSENT ? TAGMA_E_NAME : st;
    input.n_axes = ids.n_axes;
    for (uint32_t a = 0; st == TAGMA_OK && a < ids.n_axes; a++) {
        input.names[a] = tagma_schema_column(events->schema, ids.columns[a])->name;
        input.is_signed[a] = ids.is_signed[a];
        axes[a] = tg_alloc(ctx, input.n_entries, sizeof **axes);
        input.values[a] = axes[a];
        st = axes[a] ? TAGMA_OK : TAGMA_E_MEMORY;
    }
    /* Whoever looks ids up with this reader reads the events next, id columns included. */
    reader->keeps_all = true;
    if (st == TAGMA_OK)
        st = read_axes(ctx, reader, &ids, axes);
    reader->keeps_all = false;
    if (st == TAGMA_OK)
        st = tagma_index_new(ctx, &input, out);
    for (uint32_t a = 0; a < ids.n_axes; a++)
        tg_free(ctx, axes[a]);
    return st;
}
