/* SPDX-License-Identifier: Apache-2.0
 * A conversion into the fixed layout. */
#include "ingest/fixing.h"

#include <stdio.h>

#include "event/schema.h"
#include "ingest/feed.h"
#include "ingest/idpass.h"
#include "ingest/phase.h"

typedef struct fixing {
    const tg_inputs *inputs;
    tg_idpass ids;
    tg_fixed_writer *writer;
    tagma_convert_summary *summary;
    uint64_t phase_began;
} fixing;

const char *tg_fixing_reason(const tagma_column *column)
{
    if (column->reason)
        return column->reason;
    return column->type == TAGMA_STRING ? "a record of doubles holds no string" : NULL;
}

/* It keeps less than all, and must be heard. */
static void tell_first_items(tagma_ctx *ctx, const tagma_schema *schema, uint32_t n)
{
    enum { SHOWN = 10 };
    char words[600] = "";
    size_t used = 0;
    uint32_t shown = 0;

    for (uint32_t c = 0; c < tagma_schema_n_columns(schema) && shown < SHOWN; c++) {
        const tagma_column *column = tagma_schema_column(schema, c);

        if (column->n_lists > 0 && used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", shown++ > 0 ? ", " : "",
                                     column->name);
    }
    if (n > SHOWN && used < sizeof words)
        snprintf(words + used, sizeof words - used, " and %" PRIu32 " more", n - SHOWN);
    if (n > 0)
        tg_note(ctx,
                "LAYOUT FIXED KEEPS ONLY THE FIRST ITEM of each list, null where there is none, in %" PRIu32
                " branch%s: %s",
                n, n == 1 ? "" : "es", words);
}

/* The id columns, and those whose integers may be too much for a double, as inputs of their own; *n 0 where there are none. */
static tagma_status narrow(tagma_ctx *ctx, const tg_inputs *inputs, tg_inputs *out)
{
    uint32_t n = 0, *columns = tg_alloc(ctx, inputs->n_columns, sizeof *columns);
    tagma_status st;

    if (!columns)
        return TAGMA_E_MEMORY;
    *out = *inputs;
    for (uint32_t c = 0; c < inputs->n_columns; c++) {
        bool is_wanted = tg_fixed_is_risky(tagma_schema_column(inputs->schema, c));

        for (uint32_t a = 0; a < inputs->ids.n_axes; a++) {
            is_wanted |= inputs->ids.columns[a] == c;
            if (inputs->ids.columns[a] == c)
                out->ids.columns[a] = n;
        }
        if (is_wanted)
            columns[n++] = c;
    }
    st = tg_schema_subset(ctx, inputs->schema, columns, n, &out->schema);
    out->n_columns = n;
    tg_free(ctx, columns);
    return st;
}

static tagma_status look_at(tagma_ctx *ctx, fixing *it, const tg_inputs *few, const tagma_batch *batch,
                            uint64_t origin)
{
    for (uint32_t c = 0; c < few->n_columns; c++)
        TG_TRY(tg_fixed_check_column(ctx, tagma_schema_column(few->schema, c),
                                     tagma_batch_column_at(batch, c), tagma_batch_n_entries(batch), origin));
    return tg_idpass_add(ctx, &it->ids, few, batch);
}

/* The first pass, over few columns. */
static tagma_status read_few(tagma_ctx *ctx, fixing *it, const tg_inputs *few)
{
    tagma_batch *batch;
    tg_feed *feed;
    uint64_t origin;
    tagma_status st;

    TG_TRY(tg_feed_new(ctx, few, &feed));
    for (;;) {
        st = tg_feed_next(ctx, feed, &batch, &origin);
        if (st != TAGMA_OK)
            break;
        st = look_at(ctx, it, few, batch, origin);
        tagma_batch_free(batch);
        if (st < 0)
            break;
    }
    tg_feed_free(ctx, feed);
    return st < 0 ? st : TAGMA_OK;
}

static tagma_status make_index(tagma_ctx *ctx, fixing *it, tagma_index **out)
{
    tg_inputs few;
    tagma_status st = narrow(ctx, it->inputs, &few);

    TG_TRY(st);
    st = tg_idpass_new(ctx, &few, &it->ids);
    if (st == TAGMA_OK && few.n_columns > 0)
        st = read_few(ctx, it, &few);
    if (st == TAGMA_OK)
        st = tg_idpass_index(ctx, &it->ids, &few, out);
    tg_schema_free(few.schema);
    return st;
}

/* The second pass, over all columns. */
static tagma_status write_all(tagma_ctx *ctx, fixing *it)
{
    tagma_batch *batch;
    tg_feed *feed;
    uint64_t origin;
    tagma_status st;

    TG_TRY(tg_feed_new(ctx, it->inputs, &feed));
    for (;;) {
        st = tg_feed_next(ctx, feed, &batch, &origin);
        tg_phase_end(&it->phase_began, &it->summary->seconds_reading);
        if (st != TAGMA_OK)
            break;
        st = tg_fixed_writer_append(ctx, it->writer, batch, origin);
        tg_phase_end(&it->phase_began, &it->summary->seconds_encoding);
        if (st < 0)
            break;
    }
    tg_feed_free(ctx, feed);
    return st < 0 ? st : TAGMA_OK;
}

static tg_fixed_options spell(const tagma_convert_options *from)
{
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;

    options.record_bytes = from->record_bytes;
    if (from->max_output > 0)
        options.max_output = from->max_output;
    options.pool = from->pool;
    options.blocks.block_bytes = from->block_bytes;
    options.blocks.codec = (tg_block_codec)from->block_codec;
    return options;
}

static tagma_status run(tagma_ctx *ctx, fixing *it, const tg_provenance *provenance, const char *path,
                        tg_fixing *out)
{
    tg_fixed_options options = spell(it->inputs->options);

    TG_TRY(tg_fixed_check_schema(ctx, it->inputs->schema, &out->first_items));
    tell_first_items(ctx, it->inputs->schema, out->first_items);
    TG_TRY(make_index(ctx, it, &out->index));
    tg_phase_end(&it->phase_began, &it->summary->seconds_index);
    TG_TRY(tg_fixed_writer_new(ctx, path, it->inputs->schema, provenance, out->index, it->inputs->n_entries,
                               &options, &it->writer));
    TG_TRY(write_all(ctx, it));
    TG_TRY(tg_fixed_writer_finish(ctx, it->writer, &out->wrote, &out->fixed));
    tg_phase_end(&it->phase_began, &it->summary->seconds_syncing);
    return TAGMA_OK;
}

tagma_status tg_fixing_run(tagma_ctx *ctx, const tg_inputs *inputs, const tg_provenance *provenance,
                           const char *path, tagma_convert_summary *summary, tg_fixing *out)
{
    fixing it = {.inputs = inputs, .summary = summary, .phase_began = tg_now_ns()};
    tagma_status st;

    *out = (tg_fixing){.index = NULL};
    st = run(ctx, &it, provenance, path, out);
    tg_fixed_writer_free(ctx, it.writer);
    tg_idpass_free(ctx, &it.ids);
    return st;
}
