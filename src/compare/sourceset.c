/* SPDX-License-Identifier: Apache-2.0
 * The files a store was made of, open as far as they are needed. */
#include "compare/sourceset.h"

#include <inttypes.h>

#include "base/num.h"
#include "event/events.h"

static void close_source(tagma_ctx *ctx, tg_source_set *set, tg_source_file *it)
{
    if (!it->events)
        return;
    tagma_reader_free(it->reader);
    tagma_events_release(it->events);
    tg_free(ctx, it->columns);
    it->events = NULL;
    it->reader = NULL;
    it->columns = NULL;
    set->n_open--;
}

/* Room for one more. */
static tagma_status close_oldest(tagma_ctx *ctx, tg_source_set *set)
{
    tg_source_file *oldest = NULL;

    if (set->n_open < TG_SOURCES_OPEN)
        return TAGMA_OK;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->at[i].events && (!oldest || set->at[i].used < oldest->used))
            oldest = &set->at[i];
    if (!oldest)
        return TAGMA_OK;
    TG_TRY(tagma_events_unchanged(ctx, oldest->events));
    close_source(ctx, set, oldest);
    return TAGMA_OK;
}

static tagma_status find_columns(tagma_ctx *ctx, const tg_source_set *set, tg_source_file *it)
{
    it->columns = tg_alloc(ctx, set->n_names, sizeof *it->columns);
    if (!it->columns)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < set->n_names; c++) {
        it->columns[c] = tagma_schema_find(it->events->schema, set->names[c]);
        if (it->columns[c] == TAGMA_NONE)
            return tg_fail(ctx, TAGMA_E_NAME, "%s: tree %s has no branch %s", it->path, it->events->info.tree,
                           set->names[c]);
    }
    return TAGMA_OK;
}

static tagma_status open_source(tagma_ctx *ctx, tg_source_set *set, tg_source_file *it)
{
    tagma_open_options open = TAGMA_OPEN_OPTIONS_INIT;
    tagma_reader_options reading = TAGMA_READER_OPTIONS_INIT;

    open.io = set->options->io;
    open.tree = it->tree;
    open.ids = set->options->ids;
    open.sidecar = TAGMA_SIDECAR_NONE;
    reading.pool = set->options->pool;
    reading.cache_bytes = ctx->limits.max_memory / 8 / (set->n < TG_SOURCES_OPEN ? set->n : TG_SOURCES_OPEN);
    TG_TRY(close_oldest(ctx, set));
    TG_TRY(tagma_open(ctx, it->path, &open, &it->events));
    set->n_open++;
    TG_TRY(tagma_reader_new(ctx, it->events, &reading, &it->reader));
    return set->names ? find_columns(ctx, set, it) : TAGMA_OK;
}

tagma_status tg_source_set_open(tagma_ctx *ctx, tg_source_set *set, uint32_t i, const tg_source_file **out)
{
    tg_source_file *it = &set->at[i];

    it->used = ++set->clock;
    if (!it->events) {
        TG_TRY(open_source(ctx, set, it));
        if (it->events->info.n_entries != it->n_entries)
            return tg_fail(ctx, TAGMA_E_CHANGED, "%s changed while it was read; results discarded", it->path);
    }
    *out = it;
    return TAGMA_OK;
}

static tagma_status count_entries(tagma_ctx *ctx, tg_source_set *set, tg_source_file *it)
{
    TG_TRY(open_source(ctx, set, it));
    it->n_entries = it->events->info.n_entries;
    it->first = set->n_entries;
    if (!tg_add(set->n_entries, it->n_entries, &set->n_entries))
        return tg_fail(ctx, TAGMA_E_LIMIT, "over 2^64 entries");
    return TAGMA_OK;
}

tagma_status tg_source_set_new(tagma_ctx *ctx, const tagma_convert_input *inputs, uint32_t n,
                               const tg_provenance *provenance, const tagma_verify_options *options,
                               tg_source_set *out)
{
    *out = (tg_source_set){.options = options, .n = n};
    out->at = tg_zalloc(ctx, n, sizeof *out->at);
    if (!out->at)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        tg_source_file *it = &out->at[i];

        it->path = inputs[i].path;
        it->tree = inputs[i].tree;
        if (!it->tree) {
            it->own_tree = tg_printf(ctx, "%s;%u", provenance->sources[i].tree, provenance->sources[i].cycle);
            if (!it->own_tree)
                return TAGMA_E_MEMORY;
            it->tree = it->own_tree;
        }
        TG_TRY(tg_progress(ctx, "open", "files", i, n));
        TG_TRY(count_entries(ctx, out, it));
    }
    return TAGMA_OK;
}

void tg_source_set_free(tagma_ctx *ctx, tg_source_set *set)
{
    for (uint32_t i = 0; set->at && i < set->n; i++) {
        close_source(ctx, set, &set->at[i]);
        tg_free(ctx, set->at[i].own_tree);
    }
    tg_free(ctx, set->at);
    *set = (tg_source_set){.at = NULL};
}

tagma_status tg_source_set_columns(tagma_ctx *ctx, tg_source_set *set, const char **names, uint32_t n)
{
    set->names = names;
    set->n_names = n;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->at[i].events)
            TG_TRY(find_columns(ctx, set, &set->at[i]));
    return TAGMA_OK;
}

tagma_status tg_source_set_unchanged(tagma_ctx *ctx, const tg_source_set *set)
{
    for (uint32_t i = 0; i < set->n; i++)
        if (set->at[i].events)
            TG_TRY(tagma_events_unchanged(ctx, set->at[i].events));
    return TAGMA_OK;
}
