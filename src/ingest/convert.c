/* SPDX-License-Identifier: Apache-2.0
 * From any events to a store. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "event/events.h"
#include "ingest/convertin.h"
#include "ingest/feed.h"
#include "ingest/fixing.h"
#include "ingest/idpass.h"
#include "ingest/phase.h"
#include "ingest/sorting.h"
#include "store/storewriter.h"

static const char *const layout_names[] = {"tiles", "fixed", "collection"};

/* A conversion on its way. */
typedef struct converting {
    const tagma_convert_options *options;
    tg_inputs inputs;
    tg_idpass ids;
    tg_provenance provenance;
    tg_buf words; /* how it was called */
    tg_store_writer *writer;
    tg_sorting *sorting; /* NULL: they are written as they come */
    tagma_index *index;
    tagma_convert_summary summary;
    uint64_t began, phase_began;
    tagma_progress_fn progress_fn; /* the caller's */
    void *progress_user;
    const char *phase; /* of the whole; NULL while none can be told */
    uint64_t n_done;   /* of its events */
} converting;

/* Reading a window has a progress of its own, which says nothing of the whole. */
static int relay_progress(void *user, const tagma_progress *progress)
{
    converting *c = user;

    tagma_progress whole = {sizeof whole, c->phase, "events", c->n_done, c->inputs.n_entries};
    bool is_part = c->phase && strcmp(progress->phase, "read") == 0;

    return c->progress_fn(c->progress_user, is_part ? &whole : progress);
}

/* What is of one layout does not go with another. */
static tagma_status check_layout(tagma_ctx *ctx, const tagma_convert_options *options)
{
    const char *wrong = NULL;

    if (options->layout > TAGMA_STORE_COLLECTION)
        return tg_fail(ctx, TAGMA_E_ARG, "no layout has number %d", (int)options->layout);
    if (options->layout != TAGMA_STORE_TILES)
        wrong = options->tile_events > 0 ? "--tile"
                : options->no_sparse     ? "--no-sparse"
                : options->hot           ? "--columns"
                                         : NULL;
    if (wrong)
        return tg_fail(ctx, TAGMA_E_ARG, "%s belongs to --layout tiles, not to %s", wrong,
                       layout_names[options->layout]);
    if (options->layout != TAGMA_STORE_FIXED)
        wrong = options->record_bytes > 0 ? "--record-bytes"
                : options->max_output > 0 ? "--max-output"
                                          : NULL;
    return wrong ? tg_fail(ctx, TAGMA_E_ARG, "%s belongs to --layout fixed", wrong) : TAGMA_OK;
}

static tagma_status check_options(tagma_ctx *ctx, const tagma_convert_options *options, uint32_t n_inputs)
{
    if (options->struct_bytes != sizeof *options)
        return tg_fail(ctx, TAGMA_E_ARG, "convert options of %zu bytes, this version knows %zu",
                       options->struct_bytes, sizeof *options);
    if (n_inputs == 0)
        return tg_fail(ctx, TAGMA_E_ARG, "nothing to be converted");
    return check_layout(ctx, options);
}

/* A store is never written over what it is made of, whatever the name. */
static tagma_status check_output(tagma_ctx *ctx, const tagma_convert_input *inputs, uint32_t n,
                                 const char *path)
{
    struct stat out, in;

    if (stat(path, &out) != 0)
        return TAGMA_OK;
    if (!S_ISREG(out.st_mode))
        return tg_fail(ctx, TAGMA_E_ARG, "%s is %s; a store cannot be written there", path,
                       S_ISDIR(out.st_mode) ? "a folder" : "no regular file");
    for (uint32_t i = 0; i < n; i++)
        if (stat(inputs[i].path, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return tg_fail(ctx, TAGMA_E_ARG, "%s is an input (%s) and would be overwritten", path,
                           inputs[i].path);
    return TAGMA_OK;
}

static tagma_status put_words(tagma_ctx *ctx, tg_buf *to, const char *name, const char *value)
{
    if (to->n > 0)
        TG_TRY(tg_buf_put(ctx, to, " ", 1));
    TG_TRY(tg_buf_put(ctx, to, name, strlen(name)));
    if (!value)
        return TAGMA_OK;
    TG_TRY(tg_buf_put(ctx, to, " ", 1));
    return tg_buf_put(ctx, to, value, strlen(value));
}

static tagma_status put_number(tagma_ctx *ctx, tg_buf *to, const char *name, uint64_t n)
{
    char number[24];

    snprintf(number, sizeof number, "%" PRIu64, n);
    return put_words(ctx, to, name, number);
}

/* What the store depends on besides its sources, as one would write it. */
static tagma_status spell_options(tagma_ctx *ctx, const tagma_convert_options *options, tg_buf *to)
{
    if (options->layout != TAGMA_STORE_TILES)
        TG_TRY(put_words(ctx, to, "--layout", layout_names[options->layout]));
    if (options->record_bytes > 0)
        TG_TRY(put_number(ctx, to, "--record-bytes", options->record_bytes));
    if (options->block_bytes > 0) {
        TG_TRY(put_number(ctx, to, "--blocks", options->block_bytes));
        TG_TRY(put_words(ctx, to, "--codec", tg_block_codec_name((tg_block_codec)options->block_codec)));
    }
    if (options->ids)
        TG_TRY(put_words(ctx, to, "--ids", options->ids));
    if (options->columns)
        TG_TRY(put_words(ctx, to, "-c", options->columns));
    if (options->drop)
        TG_TRY(put_words(ctx, to, "--drop", options->drop));
    if (options->tile_events)
        TG_TRY(put_number(ctx, to, "--tile", options->tile_events));
    if (options->no_sparse)
        TG_TRY(put_words(ctx, to, "--no-sparse", NULL));
    if (options->hot)
        TG_TRY(put_words(ctx, to, "--columns", options->hot));
    if (options->sort)
        TG_TRY(put_words(ctx, to, "--sort", NULL));
    if (options->skip_unsupported)
        TG_TRY(put_words(ctx, to, "--skip-unsupported", NULL));
    return tg_buf_put(ctx, to, "", 1);
}

static tagma_status describe(tagma_ctx *ctx, converting *c)
{
    const tagma_events_info *info = &c->inputs.first->info;

    TG_TRY(spell_options(ctx, c->options, &c->words));
    c->provenance = (tg_provenance){.tree = info->tree,
                                    .title = info->title,
                                    .cycle = info->cycle,
                                    .producer = "tagma " TAGMA_VERSION,
                                    .options = (const char *)c->words.bytes,
                                    .sources = c->inputs.sources,
                                    .absents = c->inputs.absents,
                                    .n_sources = c->inputs.n,
                                    .n_absents = (uint32_t)c->inputs.n_absents};
    return TAGMA_OK;
}

static tagma_status begin_writing(tagma_ctx *ctx, converting *c, const char *path)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    options.layout = (uint32_t)c->options->layout;
    options.tile_events = c->options->tile_events;
    options.is_plain_only = c->options->no_sparse;
    options.columns = c->options->hot;
    options.pool = c->options->pool;
    options.blocks.block_bytes = c->options->block_bytes;
    options.blocks.codec = (tg_block_codec)c->options->block_codec;
    return tg_store_writer_new(ctx, path, c->inputs.schema, &c->provenance, &options, &c->writer);
}

/* The folder of a path, "." where it has none. */
static char *folder_of(tagma_ctx *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');

    return tg_printf(ctx, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
}

static tagma_status begin_sorting(tagma_ctx *ctx, converting *c, const char *path)
{
    char *folder = c->options->sort_dir ? tg_strdup(ctx, c->options->sort_dir) : folder_of(ctx, path);
    tagma_status st = folder ? tg_sorting_new(ctx, &c->inputs, folder, &c->sorting) : TAGMA_E_MEMORY;

    tg_free(ctx, folder);
    return st;
}

/* A batch to the writer, or to what is sorted first. */
static tagma_status put(tagma_ctx *ctx, converting *c, tagma_batch *batch, uint64_t origin)
{
    tagma_status st = tg_idpass_add(ctx, &c->ids, &c->inputs, batch);

    if (st < 0) {
        tagma_batch_free(batch);
        return st;
    }
    if (c->sorting)
        return tg_sorting_put(ctx, c->sorting, batch, origin);
    return tg_store_writer_append(ctx, c->writer, batch, origin, NULL);
}

static tagma_status pump(tagma_ctx *ctx, converting *c)
{
    tagma_convert_summary *summary = &c->summary;
    tg_feed *feed;
    tagma_batch *batch;
    uint64_t origin;
    tagma_status st;

    TG_TRY(tg_feed_new(ctx, &c->inputs, &feed));
    c->phase = "convert";
    for (;;) {
        st = tg_feed_next(ctx, feed, &batch, &origin);
        tg_phase_end(&c->phase_began, &summary->seconds_reading);
        if (st != TAGMA_OK)
            break;
        c->n_done = origin;
        st = put(ctx, c, batch, origin);
        tg_phase_end(&c->phase_began, c->sorting ? &summary->seconds_sorting : &summary->seconds_encoding);
        if (st < 0)
            break;
    }
    tg_feed_free(ctx, feed);
    return st < 0 ? st : TAGMA_OK;
}

#define CLUSTER_WORDS "%s: a cluster of events is put together in memory, about 160 MiB"

static tagma_status make_index(tagma_ctx *ctx, converting *c, tagma_index **out)
{
    uint64_t n = c->ids.n;
    tagma_status st = tg_idpass_index(ctx, &c->ids, &c->inputs, out);

    tg_phase_end(&c->phase_began, &c->summary.seconds_index);
    if (st == TAGMA_E_MEMORY)
        return tg_within(ctx, st, "an index of %" PRIu64 " entries is made in memory", n);
    return st;
}

/* All of it waits: its ids are sorted, and pass a second time, in that order. */
static tagma_status turn(tagma_ctx *ctx, converting *c, const char *path)
{
    tagma_index *index;
    tagma_status st;

    TG_TRY(make_index(ctx, c, &index));
    st = tg_sorting_turn(ctx, c->sorting, index);
    if (st == TAGMA_E_MEMORY)
        return tg_within(ctx, st, CLUSTER_WORDS, path);
    TG_TRY(st);
    return tg_idpass_new(ctx, &c->inputs, &c->ids);
}

/* What waits goes to the writer in the order of ids. */
static tagma_status pump_sorted(tagma_ctx *ctx, converting *c)
{
    tagma_convert_summary *summary = &c->summary;
    const uint64_t *origins;
    tagma_batch *batch;
    tagma_status st;

    c->phase = "sort";
    c->n_done = 0;
    for (;;) {
        st = tg_sorting_next(ctx, c->sorting, &batch, &origins);
        tg_phase_end(&c->phase_began, &summary->seconds_sorting);
        if (st != TAGMA_OK)
            return st < 0 ? st : TAGMA_OK;
        c->n_done += tagma_batch_n_entries(batch);
        st = tg_idpass_add(ctx, &c->ids, &c->inputs, batch);
        if (st < 0)
            tagma_batch_free(batch);
        else
            st = tg_store_writer_append(ctx, c->writer, batch, 0, origins);
        tg_phase_end(&c->phase_began, &summary->seconds_encoding);
        TG_TRY(st);
    }
}

static void sum_up(converting *c, const tg_store_summary *wrote)
{
    tagma_convert_summary *summary = &c->summary;
    tagma_index_info info = {.struct_bytes = sizeof info};

    if (c->index) {
        tagma_index_get_info(c->index, &info);
        summary->n_axes = info.n_axes;
        summary->n_ids = info.n_ids;
        summary->n_repeated_ids = info.n_repeated_ids;
    }
    summary->n_events = wrote->n_events;
    summary->n_clusters = wrote->n_clusters;
    summary->raw_bytes = wrote->raw_bytes;
    summary->bytes_out = wrote->file_bytes;
    summary->tile_bytes = wrote->tile_bytes;
    summary->hot_bytes = wrote->chunk_bytes;
    summary->index_bytes = wrote->index_bytes;
    summary->n_hot = wrote->n_hot;
    summary->n_columns = c->inputs.n_columns;
    summary->bytes_in = c->inputs.bytes;
    summary->seconds = (double)(tg_now_ns() - c->began) * 1e-9;
}

/* All clusters. Who is refused memory is told what it is for. */
static tagma_status write_events(tagma_ctx *ctx, converting *c, const char *path)
{
    tagma_status st = pump(ctx, c);

    if (st == TAGMA_OK && c->sorting) {
        TG_TRY(turn(ctx, c, path));
        st = pump_sorted(ctx, c);
    }
    if (st == TAGMA_OK)
        st = tg_store_writer_flush(ctx, c->writer);
    tg_phase_end(&c->phase_began, &c->summary.seconds_encoding);
    if (st != TAGMA_E_MEMORY)
        return st;
    return tg_within(ctx, st, CLUSTER_WORDS, path);
}

static tagma_status finish(tagma_ctx *ctx, converting *c, const char *path)
{
    tagma_convert_summary *summary = &c->summary;
    tg_store_summary wrote;
    tagma_status st;

    TG_TRY(make_index(ctx, c, &c->index));
    st = tg_store_writer_finish(ctx, c->writer, c->index, &wrote);
    if (st == TAGMA_E_MEMORY)
        return tg_within(ctx, st, "%s: what stands behind the events is put together in memory", path);
    TG_TRY(st);
    tg_phase_end(&c->phase_began, &summary->seconds_syncing);
    sum_up(c, &wrote);
    return TAGMA_OK;
}

/* Records are placed by ids, so that all of them are read first. */
static tagma_status convert_fixed(tagma_ctx *ctx, converting *c, const char *path)
{
    tagma_convert_summary *summary = &c->summary;
    tg_fixing fixing;
    tagma_status st = tg_fixing_run(ctx, &c->inputs, &c->provenance, path, summary, &fixing);

    c->index = fixing.index;
    TG_TRY(st);
    summary->n_bounds = fixing.fixed.n_axes;
    memcpy(summary->bounds, fixing.fixed.bounds, sizeof summary->bounds);
    summary->n_slots = fixing.fixed.n_slots;
    summary->record_bytes = fixing.fixed.record_bytes;
    summary->empty_bytes = fixing.fixed.empty_bytes;
    summary->padding_bytes = fixing.fixed.padding_bytes;
    summary->n_first_items = fixing.first_items;
    sum_up(c, &fixing.wrote);
    return TAGMA_OK;
}

static const char *copy(char **to, const char *text)
{
    char *from = *to;

    *to = stpcpy(from, text) + 1;
    return from;
}

/* What the summary points to, in one block that outlives the conversion. */
static tagma_status take_words(tagma_ctx *ctx, converting *c)
{
    const tg_inputs *inputs = &c->inputs;
    uint64_t n = inputs->n_absents, bytes = n * sizeof(tagma_absent);
    tagma_absent *absents;
    char *words;

    for (uint64_t i = 0; i < n; i++)
        bytes += strlen(inputs->absents[i].name) + strlen(inputs->absents[i].words) + 2;
    for (uint32_t a = 0; a < inputs->ids.n_axes; a++)
        bytes += strlen(tagma_schema_column(inputs->schema, inputs->ids.columns[a])->name) + 1;
    absents = tg_alloc(ctx, bytes, 1);
    if (!absents)
        return TAGMA_E_MEMORY;
    words = (char *)(absents + n);
    for (uint64_t i = 0; i < n; i++) {
        const tg_provenance_absent *from = &inputs->absents[i];

        absents[i] = (tagma_absent){from->source, (tagma_absent_kind)from->kind, copy(&words, from->name),
                                    NULL, from->n};
        absents[i].words = copy(&words, from->words);
    }
    for (uint32_t a = 0; a < inputs->ids.n_axes; a++) {
        c->summary.id_names[a] =
            copy(&words, tagma_schema_column(inputs->schema, inputs->ids.columns[a])->name);
        c->summary.id_roles[a] = inputs->ids.roles[a];
    }
    c->summary.absents = absents;
    c->summary.n_absents = (uint32_t)n;
    c->summary.block = absents;
    return TAGMA_OK;
}

static tagma_status convert(tagma_ctx *ctx, converting *c, const tagma_convert_input *inputs,
                            uint32_t n_inputs, const char *path)
{
    TG_TRY(check_options(ctx, c->options, n_inputs));
    TG_TRY(check_output(ctx, inputs, n_inputs, path));
    TG_TRY(tg_inputs_new(ctx, inputs, n_inputs, c->options, &c->inputs));
    TG_TRY(describe(ctx, c));
    TG_TRY(take_words(ctx, c));
    if (c->options->layout == TAGMA_STORE_FIXED) /* in the order of ids by itself */
        return convert_fixed(ctx, c, path);
    TG_TRY(tg_idpass_new(ctx, &c->inputs, &c->ids));
    TG_TRY(begin_writing(ctx, c, path));
    if (c->options->sort)
        TG_TRY(begin_sorting(ctx, c, path));
    TG_TRY(write_events(ctx, c, path));
    tg_sorting_free(ctx, c->sorting);
    c->sorting = NULL;
    return finish(ctx, c, path);
}

tagma_status tagma_convert(tagma_ctx *ctx, const tagma_convert_input *inputs, uint32_t n_inputs,
                           const char *path, const tagma_convert_options *options,
                           tagma_convert_summary *summary)
{
    static const tagma_convert_options defaults = TAGMA_CONVERT_OPTIONS_INIT;
    converting c = {.options = options ? options : &defaults, .began = tg_now_ns()};
    tagma_status st;

    if (summary && summary->struct_bytes < sizeof *summary)
        return tg_fail(ctx, TAGMA_E_ARG, "a conversion's summary of %zu bytes, this version needs %zu",
                       summary->struct_bytes, sizeof *summary);
    c.phase_began = c.began;
    c.summary.struct_bytes = sizeof c.summary;
    c.progress_fn = ctx->progress_fn;
    c.progress_user = ctx->progress_user;
    if (c.progress_fn)
        tagma_ctx_on_progress(ctx, relay_progress, &c);
    st = convert(ctx, &c, inputs, n_inputs, path);
    tagma_ctx_on_progress(ctx, c.progress_fn, c.progress_user);
    tg_store_writer_free(ctx, c.writer);
    tg_sorting_free(ctx, c.sorting);
    tagma_index_release(c.index);
    tg_idpass_free(ctx, &c.ids);
    tg_buf_free(ctx, &c.words);
    tg_inputs_free(ctx, &c.inputs);
    if (st < 0 || !summary)
        tagma_convert_summary_free(ctx, &c.summary);
    if (summary)
        tg_give(summary, &c.summary, sizeof c.summary);
    return st;
}

void tagma_convert_summary_free(tagma_ctx *ctx, tagma_convert_summary *summary)
{
    tg_free(ctx, summary->block);
    *summary = (tagma_convert_summary){.struct_bytes = sizeof *summary};
}
