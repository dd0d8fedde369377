/* SPDX-License-Identifier: Apache-2.0
 * The entries of all inputs, in order, in batches that suit a writer. */
#include "ingest/feed.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "event/events.h"
#include "ingest/ahead.h"

enum { WINDOW_BYTES = 16 << 20, WINDOWS_OF_MEMORY = 32 };

struct tg_feed {
    const tg_inputs *inputs;
    uint32_t input; /* that is read now */
    tagma_events *events;
    tg_ahead *ahead;      /* reads it while others work; NULL: */
    tagma_reader *reader; /* all threads read at once, when asked */
    uint32_t *columns;
    uint64_t at, window; /* entry of the input that comes next; entries of a batch, about */
    char damage[TG_MESSAGE_BYTES];
};

/* The first damage ends the conversion: its words are kept. */
static void on_fault(void *user, const tagma_fault *fault)
{
    tg_feed *feed = user;

    if (!feed->damage[0])
        snprintf(feed->damage, sizeof feed->damage, "%s", fault->message);
}

tagma_status tg_feed_new(tagma_ctx *ctx, const tg_inputs *inputs, tg_feed **out)
{
    tg_feed *feed = tg_zalloc(ctx, 1, sizeof *feed);

    *out = NULL;
    if (!feed)
        return TAGMA_E_MEMORY;
    feed->inputs = inputs;
    feed->columns = tg_alloc(ctx, inputs->n_columns, sizeof *feed->columns);
    if (!feed->columns) {
        tg_free(ctx, feed);
        return TAGMA_E_MEMORY;
    }
    *out = feed;
    return TAGMA_OK;
}

static void close_input(tagma_ctx *ctx, tg_feed *feed)
{
    tg_ahead_free(ctx, feed->ahead);
    feed->ahead = NULL;
    tagma_reader_free(feed->reader);
    tagma_events_release(feed->events);
    feed->reader = NULL;
    feed->events = NULL;
}

void tg_feed_free(tagma_ctx *ctx, tg_feed *feed)
{
    if (!feed)
        return;
    close_input(ctx, feed);
    tg_free(ctx, feed->columns);
    tg_free(ctx, feed);
}

static tagma_status open_reader(tagma_ctx *ctx, tg_feed *feed)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;

    options.pool = feed->inputs->options->pool;
    options.cache_bytes = ctx->limits.max_memory / 8;
    return tagma_reader_new(ctx, feed->events, &options, &feed->reader);
}

static tagma_status open_input(tagma_ctx *ctx, tg_feed *feed)
{
    const tg_inputs *inputs = feed->inputs;
    uint64_t bytes = ctx->limits.max_memory / WINDOWS_OF_MEMORY;
    tagma_status st;

    bytes = bytes < WINDOW_BYTES ? bytes : WINDOW_BYTES;
    feed->at = 0;
    feed->window = bytes / inputs->at[feed->input].entry_bytes + 1;
    TG_TRY(tg_inputs_open(ctx, inputs, feed->input, feed->columns, &feed->events));
    st = tg_ahead_new(ctx, inputs->options->pool, feed->events, feed->columns, inputs->n_columns,
                      feed->window, &feed->ahead);
    return st == TAGMA_ABSENT ? open_reader(ctx, feed) : st;
}

/* Up to where the batch from feed->at on goes: whole clusters, where those are not too long. */
static uint64_t window_end(const tg_feed *feed)
{
    const tagma_events_info *info = &feed->events->info;
    uint64_t most = info->n_entries - feed->at > feed->window ? feed->at + feed->window : info->n_entries;
    uint64_t lo = 0, hi = info->n_clusters, end;

    while (lo < hi) { /* the last cluster that begins at or before `most` */
        uint64_t middle = lo + (hi - lo) / 2;

        if (tagma_events_cluster(feed->events, middle) <= most)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (most == info->n_entries || lo == 0)
        return most;
    end = tagma_events_cluster(feed->events, lo - 1);
    return end > feed->at ? end : most;
}

static tagma_status read_window(tagma_ctx *ctx, tg_feed *feed, tagma_batch **out)
{
    tagma_fault_fn fault_fn = ctx->fault_fn;
    void *fault_user = ctx->fault_user;
    tagma_status st = TAGMA_E_MEMORY;
    uint64_t n = window_end(feed) - feed->at;

    tagma_ctx_on_fault(ctx, on_fault, feed);
    for (; n > 0; n /= 2, feed->window = n) {
        st = tagma_read_columns(ctx, feed->reader, feed->at, n, feed->columns, feed->inputs->n_columns, out);
        if (!tg_is_too_much(st) || n == 1)
            break;
    }
    tagma_ctx_on_fault(ctx, fault_fn, fault_user);
    return st;
}

/* What was read ahead. Where memory did not suffice for that, the rest of the input is read piece by piece. */
static tagma_status take_window(tagma_ctx *ctx, tg_feed *feed, tagma_batch **out)
{
    const char *damage;
    tagma_status st = tg_ahead_next(ctx, feed->ahead, out, &feed->at, &damage);

    snprintf(feed->damage, sizeof feed->damage, "%s", damage);
    if (!tg_is_too_much(st))
        return st;
    tg_ahead_free(ctx, feed->ahead);
    feed->ahead = NULL;
    TG_TRY(open_reader(ctx, feed));
    return read_window(ctx, feed, out);
}

static tagma_status next_window(tagma_ctx *ctx, tg_feed *feed, tagma_batch **out)
{
    TG_TRY(feed->ahead ? take_window(ctx, feed, out) : read_window(ctx, feed, out));
    if (feed->damage[0]) {
        tagma_batch_free(*out);
        *out = NULL;
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s; what is damaged is not converted (tagma check tells all)",
                       feed->damage);
    }
    feed->at += tagma_batch_n_entries(*out);
    return TAGMA_OK;
}

tagma_status tg_feed_next(tagma_ctx *ctx, tg_feed *feed, tagma_batch **out, uint64_t *origin)
{
    const tg_inputs *inputs = feed->inputs;

    *out = NULL;
    while (!feed->events || feed->at == feed->events->info.n_entries) {
        if (feed->events) {
            TG_TRY(tagma_events_unchanged(ctx, feed->events));
            close_input(ctx, feed);
            feed->input++;
        }
        if (feed->input == inputs->n)
            return TAGMA_END;
        TG_TRY(open_input(ctx, feed));
    }
    *origin = inputs->at[feed->input].first + feed->at;
    TG_TRY(tg_progress(ctx, "convert", "events", *origin, inputs->n_entries));
    return next_window(ctx, feed, out);
}
