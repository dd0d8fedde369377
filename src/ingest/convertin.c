/* SPDX-License-Identifier: Apache-2.0
 * The inputs of a conversion: opened, found alike, and what of them is taken. */
#include "ingest/convertin.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "event/schema.h"
#include "index/idnames.h"
#include "ingest/fixing.h"
#include "open/openfile.h"

/* A list of names in words: "a, b, c and 12 more". */
typedef struct naming {
    char words[500];
    size_t used;
    uint64_t n;
} naming;

static void name_one(naming *to, const char *name, const char *more)
{
    enum { SHOWN = 10 };

    if (to->n++ < SHOWN && to->used < sizeof to->words)
        to->used += (size_t)snprintf(to->words + to->used, sizeof to->words - to->used, "%s%s%s",
                                     to->n > 1 ? ", " : "", name, more);
    else if (to->n > SHOWN && to->used < sizeof to->words)
        snprintf(to->words + to->used, sizeof to->words - to->used, " and %" PRIu64 " more", to->n - SHOWN);
}

/* An input as it is looked at. */
typedef struct looking {
    tagma_file *file;
    tagma_events *events;
    bool *is_taken; /* [columns of its schema] */
} looking;

static void stop_looking(tagma_ctx *ctx, looking *at)
{
    tg_free(ctx, at->is_taken);
    tagma_events_release(at->events);
    tagma_file_release(at->file);
    *at = (looking){0};
}

static tagma_status open_one(tagma_ctx *ctx, const tagma_convert_options *options, const char *path,
                             const char *tree, looking *out)
{
    tagma_open_options open = TAGMA_OPEN_OPTIONS_INIT;
    uint32_t i = 0;

    open.io = options->io;
    open.tree = tree;
    open.ids = options->ids;
    open.sidecar = TAGMA_SIDECAR_NONE;
    TG_TRY(tagma_file_open(ctx, path, options->io, &out->file));
    if (out->file->store)
        return tg_open_store(ctx, out->file->source, &open, &out->events);
    TG_TRY(tg_file_choose_tree(ctx, out->file, tree, &i));
    return tg_file_open_events(ctx, out->file, i, &open, &out->events);
}

/* What -c and --drop leave. The id columns are taken unless they are dropped by hand. */
static tagma_status mark_columns(tagma_ctx *ctx, const tagma_convert_options *options, looking *at)
{
    const tagma_schema *schema = at->events->schema;
    uint32_t n = tagma_schema_n_columns(schema);
    bool *is_dropped;
    tagma_ids ids;
    tagma_status st = TAGMA_OK;

    at->is_taken = tg_zalloc(ctx, n, sizeof *at->is_taken);
    is_dropped = tg_zalloc(ctx, n, sizeof *is_dropped);
    if (!at->is_taken || !is_dropped)
        st = TAGMA_E_MEMORY;
    if (st == TAGMA_OK && options->columns) {
        st = tg_schema_mark(ctx, schema, options->columns, true, at->is_taken);
        if (st == TAGMA_OK && tagma_events_ids(ctx, at->events, &ids) == TAGMA_OK)
            for (uint32_t a = 0; a < ids.n_axes; a++)
                at->is_taken[ids.columns[a]] = true;
    } else if (st == TAGMA_OK) {
        memset(at->is_taken, 1, n * sizeof *at->is_taken);
    }
    if (st == TAGMA_OK && options->drop)
        st = tg_schema_mark(ctx, schema, options->drop, true, is_dropped);
    for (uint32_t c = 0; st == TAGMA_OK && c < n; c++)
        at->is_taken[c] = at->is_taken[c] && !is_dropped[c];
    tg_free(ctx, is_dropped);
    return st < 0 ? tg_within(ctx, st, "%s", at->events->info.file) : TAGMA_OK;
}

/* What cannot be read is refused, or left out where that is allowed. */
static tagma_status leave_out_unsupported(tagma_ctx *ctx, const tagma_convert_options *options, looking *at)
{
    const tagma_schema *schema = at->events->schema;
    naming names = {.n = 0};

    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++) {
        const tagma_column *column = tagma_schema_column(schema, c);
        const char *why = options->layout == TAGMA_STORE_FIXED ? tg_fixing_reason(column) : column->reason;
        char reason[160];

        if (!at->is_taken[c] || !why)
            continue;
        at->is_taken[c] = false;
        snprintf(reason, sizeof reason, " (%s)", why);
        name_one(&names, column->name, reason);
    }
    if (names.n == 0 || options->skip_unsupported)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                   "%s: %" PRIu64 " branch%s cannot be %s; leave %s out with --skip-unsupported: %s",
                   at->events->info.file, names.n, names.n == 1 ? "" : "es",
                   options->layout == TAGMA_STORE_FIXED ? "kept" : "read", names.n == 1 ? "it" : "them",
                   names.words);
}

static tagma_status look_at(tagma_ctx *ctx, const tagma_convert_options *options, const char *path,
                            const char *tree, looking *out)
{
    tagma_status st = open_one(ctx, options, path, tree, out);

    if (st == TAGMA_OK)
        st = mark_columns(ctx, options, out);
    if (st == TAGMA_OK)
        st = leave_out_unsupported(ctx, options, out);
    if (st < 0)
        stop_looking(ctx, out);
    return st;
}

/* The columns taken of an input, as a schema of their own: a list whose count is left out carries its own there. */
static tagma_status subset(tagma_ctx *ctx, const looking *at, tagma_schema **out)
{
    uint32_t n_all = tagma_schema_n_columns(at->events->schema), n = 0;
    uint32_t *columns = tg_alloc(ctx, n_all, sizeof *columns);
    tagma_status st = TAGMA_E_MEMORY;

    *out = NULL;
    for (uint32_t c = 0; columns && c < n_all; c++)
        if (at->is_taken[c])
            columns[n++] = c;
    if (columns && n == 0)
        st = tg_fail(ctx, TAGMA_E_NAME, "%s: no branch of tree %s is left to be converted",
                     at->events->info.file, at->events->info.tree);
    else if (columns)
        st = tg_schema_subset(ctx, at->events->schema, columns, n, out);
    tg_free(ctx, columns);
    return st;
}

/* Have two inputs the same columns, of the same types and shapes? */
static tagma_status compare(tagma_ctx *ctx, const tg_inputs *inputs, const tagma_schema *schema,
                            const char *file)
{
    naming missing = {.n = 0}, others = {.n = 0}, more = {.n = 0};
    char here[256], there[256], words[600];

    for (uint32_t c = 0; c < tagma_schema_n_columns(inputs->whole); c++) {
        const char *name = tagma_schema_column(inputs->whole, c)->name;
        uint32_t other = tagma_schema_find(schema, name);

        if (other == TAGMA_NONE) {
            name_one(&missing, name, "");
            continue;
        }
        tagma_schema_spell(inputs->whole, c, there, sizeof there);
        tagma_schema_spell(schema, other, here, sizeof here);
        snprintf(words, sizeof words, " (%s, not %s)", here, there);
        if (strcmp(here, there) != 0)
            name_one(&others, name, words);
    }
    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++)
        if (tagma_schema_find(inputs->whole, tagma_schema_column(schema, c)->name) == TAGMA_NONE)
            name_one(&more, tagma_schema_column(schema, c)->name, "");
    if (missing.n == 0 && others.n == 0 && more.n == 0)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                   "%s has not the branches of %s%s%s%s%s%s%s; -c or --drop picks %s", file,
                   inputs->at[0].path, missing.n ? "; missing: " : "", missing.words,
                   others.n ? "; of another type: " : "", others.words, more.n ? "; there only: " : "",
                   more.words, "those that all have");
}

/* Where the columns of `schema` are in an input. */
static void find_columns(const tg_inputs *inputs, const tagma_schema *schema, uint32_t *columns)
{
    for (uint32_t c = 0; c < inputs->n_columns; c++)
        columns[c] = tagma_schema_find(schema, tagma_schema_column(inputs->schema, c)->name);
}

static tagma_status match(tagma_ctx *ctx, const tg_inputs *inputs, const looking *at)
{
    tagma_schema *schema;
    tagma_status st;

    TG_TRY(subset(ctx, at, &schema));
    st = compare(ctx, inputs, schema, at->events->info.file);
    tg_schema_free(schema);
    return st;
}

/* Where the id columns are among those taken. One that is dropped leaves the store without an index. */
static tagma_status take_ids(tagma_ctx *ctx, tg_inputs *inputs, const looking *at)
{
    const tagma_convert_options *options = inputs->options;
    tagma_status st = tagma_events_ids(ctx, at->events, &inputs->ids);

    if (st == TAGMA_ABSENT) {
        inputs->ids.n_axes = 0;
        if (options->sort)
            return tg_fail(ctx, TAGMA_E_NAME, "%s: tree %s has no id columns to be sorted by",
                           at->events->info.file, at->events->info.tree);
        tg_note(ctx, "%s: tree %s has no id columns, so its store has no index; pick takes @ENTRY",
                at->events->info.file, at->events->info.tree);
        return TAGMA_OK;
    }
    if (st < 0)
        return st;
    for (uint32_t a = 0; a < inputs->ids.n_axes; a++) {
        const char *name = tagma_schema_column(at->events->schema, inputs->ids.columns[a])->name;

        inputs->ids.columns[a] = tagma_schema_find(inputs->schema, name);
        if (inputs->ids.columns[a] != TAGMA_NONE)
            continue;
        inputs->ids.n_axes = 0;
        if (options->sort)
            return tg_fail(ctx, TAGMA_E_NAME, "branch %s is sorted by, and must not be left out", name);
        tg_note(ctx, "branch %s is left out, so the store has no index", name);
    }
    return TAGMA_OK;
}

static tagma_status measure_entry(tagma_ctx *ctx, const tg_inputs *inputs, const tagma_events *events,
                                  uint64_t *bytes)
{
    uint32_t *columns = tg_alloc(ctx, inputs->n_columns, sizeof *columns);

    if (!columns)
        return TAGMA_E_MEMORY;
    find_columns(inputs, events->schema, columns);
    *bytes = tg_events_entry_bytes(events, columns, inputs->n_columns);
    tg_free(ctx, columns);
    return TAGMA_OK;
}

static tagma_status note_source(tagma_ctx *ctx, tg_inputs *inputs, uint32_t i, const looking *at)
{
    const tagma_schema *schema = at->events->schema;
    tagma_file_info info = {.struct_bytes = sizeof info};
    tg_provenance_source *source = &inputs->sources[i];

    tagma_file_get_info(at->file, &info);
    source->file = tg_arena_text(ctx, &inputs->words, inputs->at[i].path, strlen(inputs->at[i].path));
    source->uuid = tg_arena_text(ctx, &inputs->words, info.uuid, strlen(info.uuid));
    source->tree = tg_arena_text(ctx, &inputs->words, at->events->info.tree, strlen(at->events->info.tree));
    if (!source->file || !source->uuid || !source->tree)
        return TAGMA_E_MEMORY;
    source->cycle = at->events->info.cycle;
    source->file_bytes = info.bytes;
    source->n_entries = at->events->info.n_entries;
    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++)
        if (!at->is_taken[c])
            TG_TRY(tg_absent_column(ctx, inputs, i, schema, c));
    return tg_absent_others(ctx, inputs, i, at->file, at->events);
}

static tagma_status add_input(tagma_ctx *ctx, tg_inputs *inputs, uint32_t i, const looking *at)
{
    tg_input *input = &inputs->at[i];

    input->first = inputs->n_entries;
    input->n_entries = at->events->info.n_entries;
    TG_TRY(measure_entry(ctx, inputs, at->events, &input->entry_bytes));
    if (!tg_add(inputs->n_entries, input->n_entries, &inputs->n_entries))
        return tg_fail(ctx, TAGMA_E_LIMIT, "over 2^64 entries");
    inputs->bytes += tg_source_stored_bytes(at->file->source);
    return note_source(ctx, inputs, i, at);
}

static tagma_status look_at_first(tagma_ctx *ctx, tg_inputs *inputs, looking *at)
{
    TG_TRY(subset(ctx, at, &inputs->schema));
    inputs->whole = inputs->schema;
    inputs->n_columns = tagma_schema_n_columns(inputs->schema);
    TG_TRY(take_ids(ctx, inputs, at));
    inputs->first = tagma_events_acquire(at->events);
    return add_input(ctx, inputs, 0, at);
}

static tagma_status look_at_other(tagma_ctx *ctx, tg_inputs *inputs, uint32_t i, const looking *at)
{
    TG_TRY(match(ctx, inputs, at));
    return add_input(ctx, inputs, i, at);
}

tagma_status tg_inputs_new(tagma_ctx *ctx, const tagma_convert_input *inputs, uint32_t n,
                           const tagma_convert_options *options, tg_inputs *out)
{
    tagma_status st = TAGMA_OK;

    *out = (tg_inputs){.options = options, .n = n};
    out->at = tg_zalloc(ctx, n, sizeof *out->at);
    out->sources = tg_zalloc(ctx, n, sizeof *out->sources);
    if (!out->at || !out->sources)
        st = TAGMA_E_MEMORY;
    for (uint32_t i = 0; st == TAGMA_OK && i < n; i++) {
        looking at = {0};

        out->at[i].path = inputs[i].path;
        out->at[i].tree = inputs[i].tree;
        st = tg_progress(ctx, "open", "files", i, n);
        if (st == TAGMA_OK)
            st = look_at(ctx, options, inputs[i].path, inputs[i].tree, &at);
        if (st == TAGMA_OK)
            st = i == 0 ? look_at_first(ctx, out, &at) : look_at_other(ctx, out, i, &at);
        stop_looking(ctx, &at);
    }
    if (st == TAGMA_OK && options->strict_objects)
        st = tg_absent_refuse(ctx, out);
    if (st < 0)
        tg_inputs_free(ctx, out);
    return st;
}

void tg_inputs_free(tagma_ctx *ctx, tg_inputs *inputs)
{
    tagma_events_release(inputs->first);
    tg_schema_free(inputs->schema);
    tg_free(ctx, inputs->at);
    tg_free(ctx, inputs->sources);
    tg_free(ctx, inputs->absents);
    tg_arena_free(ctx->account, &inputs->words);
    *inputs = (tg_inputs){0};
}

tagma_status tg_inputs_open(tagma_ctx *ctx, const tg_inputs *inputs, uint32_t i, uint32_t *columns,
                            tagma_events **out)
{
    const tg_input *input = &inputs->at[i];
    tagma_note_fn note = ctx->note_fn;
    looking at = {0};
    tagma_status st;

    *out = NULL;
    if (i == 0) {
        find_columns(inputs, inputs->first->schema, columns);
        *out = tagma_events_acquire(inputs->first);
        return TAGMA_OK;
    }
    ctx->note_fn = NULL; /* the notes were made when it was looked at */
    st = look_at(ctx, inputs->options, input->path, input->tree, &at);
    ctx->note_fn = note;
    TG_TRY(st);
    st = match(ctx, inputs, &at);
    if (st == TAGMA_E_UNSUPPORTED || (st == TAGMA_OK && at.events->info.n_entries != input->n_entries))
        st = tg_fail(ctx, TAGMA_E_CHANGED, "%s changed while it was read; results discarded", input->path);
    if (st == TAGMA_OK) {
        find_columns(inputs, at.events->schema, columns);
        *out = tagma_events_acquire(at.events);
    }
    stop_looking(ctx, &at);
    return st;
}
