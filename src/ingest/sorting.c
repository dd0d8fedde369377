/* SPDX-License-Identifier: Apache-2.0
 * Events in the order of their ids. A sort of runs would copy each event through memory twice; in a store an event has an address,
 * so its place in the order is all that is sorted. */
#include "ingest/sorting.h"

#include "event/events.h"
#include "store/store.h"
#include "store/storewriter.h"

enum { TURN_BYTES = 32 << 20 };

struct tg_sorting {
    const tg_inputs *inputs;
    tg_provenance provenance;
    tg_store_writer *writer; /* while they come */
    tagma_events *events;    /* when they go */
    tagma_reader *reader;
    tagma_index *index;
    uint64_t at, window; /* rank that goes next; events of a batch */
    uint64_t *entries;   /* [window] */
};

tagma_status tg_sorting_new(tagma_ctx *ctx, const tg_inputs *inputs, const char *folder, tg_sorting **out)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_sorting *sorting = tg_zalloc(ctx, 1, sizeof *sorting);
    tagma_status st;

    *out = NULL;
    if (!sorting)
        return TAGMA_E_MEMORY;
    sorting->inputs = inputs;
    sorting->provenance = (tg_provenance){.tree = "waiting", .title = "", .producer = "", .options = ""};
    options.is_passing = true;
    options.is_plain_only = true;
    options.columns = "none";
    options.pool = inputs->options->pool;
    st = tg_store_writer_new(ctx, folder, inputs->schema, &sorting->provenance, &options, &sorting->writer);
    if (st < 0) {
        tg_sorting_free(ctx, sorting);
        return st;
    }
    *out = sorting;
    return TAGMA_OK;
}

void tg_sorting_free(tagma_ctx *ctx, tg_sorting *sorting)
{
    if (!sorting)
        return;
    tg_store_writer_free(ctx, sorting->writer);
    tagma_reader_free(sorting->reader);
    tagma_events_release(sorting->events);
    tagma_index_release(sorting->index);
    tg_free(ctx, sorting->entries);
    tg_free(ctx, sorting);
}

tagma_status tg_sorting_put(tagma_ctx *ctx, tg_sorting *sorting, tagma_batch *batch, uint64_t origin)
{
    return tg_store_writer_append(ctx, sorting->writer, batch, origin, NULL);
}

/* So many events that a batch takes what it may, by what they take on average. */
static uint64_t choose_window(const tg_sorting *sorting, uint64_t max_memory)
{
    uint64_t bytes = 1, most = max_memory / 16 < TURN_BYTES ? max_memory / 16 : TURN_BYTES;

    for (uint32_t i = 0; i < sorting->inputs->n; i++)
        if (sorting->inputs->at[i].entry_bytes > bytes)
            bytes = sorting->inputs->at[i].entry_bytes;
    return most / bytes + 1;
}

tagma_status tg_sorting_turn(tagma_ctx *ctx, tg_sorting *sorting, tagma_index *index)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    tagma_source *source;
    tagma_status st;

    sorting->index = index;
    TG_TRY(tg_store_writer_hand_over(ctx, sorting->writer, &source));
    tg_store_writer_free(ctx, sorting->writer);
    sorting->writer = NULL;
    st = tg_store_open(ctx, source, NULL, &sorting->events);
    tagma_source_release(source);
    TG_TRY(st);
    options.pool = sorting->inputs->options->pool;
    TG_TRY(tagma_reader_new(ctx, sorting->events, &options, &sorting->reader));
    sorting->window = choose_window(sorting, ctx->limits.max_memory);
    sorting->entries = tg_alloc(ctx, sorting->window, sizeof *sorting->entries);
    return sorting->entries ? TAGMA_OK : TAGMA_E_MEMORY;
}

tagma_status tg_sorting_next(tagma_ctx *ctx, tg_sorting *sorting, tagma_batch **out, const uint64_t **origins)
{
    uint64_t n_all = sorting->inputs->n_entries, n = n_all - sorting->at;
    tagma_status st;

    *out = NULL;
    if (n == 0)
        return TAGMA_END;
    TG_TRY(tg_progress(ctx, "sort", "events", sorting->at, n_all));
    for (n = n < sorting->window ? n : sorting->window;; n /= 2) {
        tagma_index_entries(sorting->index, sorting->at, n, sorting->entries);
        st = tagma_read_rows(ctx, sorting->reader, sorting->entries, n, NULL, 0, out);
        if (!tg_is_too_much(st) || n == 1)
            break;
    }
    TG_TRY(st);
    sorting->at += n;
    *origins = sorting->entries;
    return TAGMA_OK;
}
