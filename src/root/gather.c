/* SPDX-License-Identifier: Apache-2.0
 * From places, segments and losses of a call to the columns of a batch. */
#include "base/pool.h"
#include "root/fetch.h"

/* Nulls. */

static tagma_status new_bits(tagma_ctx *ctx, uint64_t n, int fill, tagma_buffer **out)
{
    uint64_t bytes = (n + 7) / 8;
    uint8_t *bits;

    TG_TRY(tg_buffer_new(ctx, bytes, out));
    bits = tg_buffer_fill(*out);
    if (bytes > 0)
        memset(bits, fill, bytes);
    if (fill && n % 8 > 0)
        bits[bytes - 1] = (uint8_t)((1U << (n % 8)) - 1);
    return TAGMA_OK;
}

static tagma_status need_bits(tagma_ctx *ctx, uint64_t n_rows, tg_slot *slot, bool is_damaged)
{
    if (!slot->validity)
        TG_TRY(new_bits(ctx, n_rows, 0xff, &slot->validity));
    if (is_damaged && !slot->damaged)
        TG_TRY(new_bits(ctx, n_rows, 0, &slot->damaged));
    return TAGMA_OK;
}

static tagma_status note_marks(tagma_ctx *ctx, tg_call *call)
{
    for (uint64_t i = 0; i < call->loss.n_marks; i++) {
        const tg_mark *mark = &call->loss.marks[i];
        tg_slot *slot = &call->slots[mark->slot];
        uint8_t *validity, *damaged;

        TG_TRY(need_bits(ctx, call->rows.n, slot, mark->is_damaged));
        validity = tg_buffer_fill(slot->validity);
        damaged = mark->is_damaged ? tg_buffer_fill(slot->damaged) : NULL;
        for (uint64_t row = mark->row; row < mark->row + mark->n; row++) {
            uint8_t bit = (uint8_t)(1U << (row % 8));

            validity[row / 8] &= (uint8_t)~bit;
            if (damaged)
                damaged[row / 8] |= bit;
        }
    }
    return TAGMA_OK;
}

/* What a null count counts is null too, and damaged if the count is. */
static tagma_status inherit_nulls(tagma_ctx *ctx, const tg_call *call, tg_slot *slot)
{
    const tg_slot *counter = slot->counter == TAGMA_NONE ? NULL : &call->slots[slot->counter];
    const uint8_t *from;
    uint8_t *to;

    if (!counter || !counter->validity)
        return TAGMA_OK;
    TG_TRY(need_bits(ctx, call->rows.n, slot, counter->damaged != NULL));
    from = tagma_buffer_bytes(counter->validity);
    to = tg_buffer_fill(slot->validity);
    for (uint64_t i = 0; i < (call->rows.n + 7) / 8; i++)
        to[i] &= from[i];
    if (!counter->damaged)
        return TAGMA_OK;
    from = tagma_buffer_bytes(counter->damaged);
    to = tg_buffer_fill(slot->damaged);
    for (uint64_t i = 0; i < (call->rows.n + 7) / 8; i++)
        to[i] |= from[i];
    return TAGMA_OK;
}

/* Places. */

/* Null rows of a column without levels are whatever the memory held. */
static void zero_nulls(const tg_call *call, const tg_slot *slot)
{
    uint64_t bytes = (uint64_t)slot->code->n_items * slot->code->value_bytes;
    const uint8_t *validity = tagma_buffer_bytes(slot->validity);

    for (uint64_t row = 0; row < call->rows.n; row++)
        if (!tg_bit(validity, row))
            memset(slot->place + row * bytes, 0, bytes);
}

/* Close the gaps that null rows have in a column whose places came from shared counts. */
static tagma_status close_gaps(tagma_ctx *ctx, const tg_call *call, tg_slot *slot, tagma_buffer **offsets)
{
    const uint32_t *ends = call->slots[slot->counter].counts.ends;
    uint64_t bytes = (uint64_t)slot->code->n_items * slot->code->value_bytes;
    const uint8_t *validity = tagma_buffer_bytes(slot->validity);
    uint32_t *to, at = 0;

    TG_TRY(tg_buffer_new(ctx, (call->rows.n + 1) * sizeof *to, offsets));
    to = tg_buffer_fill(*offsets);
    to[0] = 0;
    for (uint64_t row = 0; row < call->rows.n; row++) {
        uint32_t n = tg_bit(validity, row) ? ends[row + 1] - ends[row] : 0;

        if (n > 0 && at != ends[row])
            memmove(slot->place + at * bytes, slot->place + ends[row] * bytes, n * bytes);
        at += n;
        to[row + 1] = at;
    }
    slot->n_values = (uint64_t)at * slot->code->n_items;
    tg_buffer_trim(slot->values, slot->n_values * slot->code->value_bytes);
    return TAGMA_OK;
}

static tagma_status deliver_place(tagma_ctx *ctx, const tg_call *call, tg_slot *slot, tagma_batch_column *to)
{
    if (slot->code->n_lists == 0 && slot->validity)
        zero_nulls(call, slot);
    if (slot->code->n_lists > 0 && slot->validity)
        TG_TRY(close_gaps(ctx, call, slot, &to->offsets_buffers[0]));
    else if (slot->code->n_lists > 0)
        to->offsets_buffers[0] = tagma_buffer_acquire(call->slots[slot->counter].ends);
    to->values_buffer = tagma_buffer_acquire(slot->values);
    to->n_values = slot->n_values;
    return TAGMA_OK;
}

/* Segments. */

/* A column being put together from segments. */
typedef struct stitch {
    uint64_t n_ends[3]; /* of each level, in all segments and the rows between */
    uint64_t value_bytes;
    uint32_t *ends[3]; /* behind the 0 they begin with */
    uint64_t at[3];
    uint64_t items[3]; /* so far */
    uint8_t *values;
} stitch;

/* Level-0 lists of so many rows without values. */
static void put_empty_rows(stitch *to, const tg_code *code, uint64_t n_rows)
{
    uint64_t n = code->n_lists > 0 ? n_rows : n_rows * code->n_items;

    for (uint64_t i = 0; i < n; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only what has lists has empty ones. */
        to->ends[0][to->at[0]++] = (uint32_t)to->items[0];
}

static void put_segment(stitch *to, const tg_code *code, const tg_segment *segment)
{
    for (uint32_t k = 0; k < code->n_levels; k++) {
        uint32_t n = segment->n_ends[k], *ends = to->ends[k] + to->at[k], base = (uint32_t)to->items[k];

        for (uint32_t i = 0; i < n; i++)
            ends[i] = base + segment->ends[k][i];
        to->at[k] += n;
        to->items[k] += n > 0 ? segment->ends[k][n - 1] : 0;
    }
    if (segment->value_bytes > 0)
        memcpy(to->values, segment->values, segment->value_bytes);
    to->values += segment->value_bytes;
}

static void measure(const tg_call *call, const tg_slot *slot, stitch *out)
{
    const tg_code *code = slot->code;
    const tg_group *group = &call->groups[slot->group];
    uint64_t n_rows = call->rows.n;

    *out = (stitch){.value_bytes = 0};
    for (uint32_t j = 0; j < group->n_jobs; j++) {
        const tg_segment *segment = call->segments[slot->first_segment + j];

        if (!segment)
            continue;
        n_rows -= call->jobs[group->first_job + j].n_rows;
        out->value_bytes += segment->value_bytes;
        for (uint32_t k = 0; k < code->n_levels; k++) {
            out->n_ends[k] += segment->n_ends[k];
            out->items[k] += segment->n_ends[k] > 0 ? segment->ends[k][segment->n_ends[k] - 1] : 0;
        }
    }
    out->n_ends[0] += code->n_lists > 0 ? n_rows : n_rows * code->n_items;
}

static tagma_status make_stitch(tagma_ctx *ctx, const tg_call *call, const tg_slot *slot, stitch *to,
                                tagma_batch_column *column)
{
    for (uint32_t k = 0; k < slot->code->n_levels; k++) {
        if (to->items[k] > INT32_MAX || to->n_ends[k] >= INT32_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT,
                           "branch %s: over %d items in one batch; read fewer entries at a time",
                           tagma_schema_column(call->fetcher->tree->schema, slot->column)->name, INT32_MAX);
        TG_TRY(tg_buffer_new(ctx, (to->n_ends[k] + 1) * sizeof(uint32_t), &column->offsets_buffers[k]));
        to->ends[k] = tg_buffer_fill(column->offsets_buffers[k]);
        *to->ends[k]++ = 0;
        to->items[k] = 0;
    }
    TG_TRY(tg_buffer_new(ctx, to->value_bytes, &column->values_buffer));
    to->values = tg_buffer_fill(column->values_buffer);
    column->n_values = to->value_bytes / slot->code->value_bytes;
    return TAGMA_OK;
}

static tagma_status deliver_segments(tagma_ctx *ctx, const tg_call *call, const tg_slot *slot,
                                     tagma_batch_column *column)
{
    const tg_group *group = &call->groups[slot->group];
    uint64_t row = 0;
    stitch to;

    measure(call, slot, &to);
    TG_TRY(make_stitch(ctx, call, slot, &to, column));
    for (uint32_t j = 0; j < group->n_jobs; j++) {
        const tg_job *job = &call->jobs[group->first_job + j];
        const tg_segment *segment = call->segments[slot->first_segment + j];

        if (!segment)
            continue;
        put_empty_rows(&to, slot->code, job->row - row);
        put_segment(&to, slot->code, segment);
        row = job->row + job->n_rows;
    }
    put_empty_rows(&to, slot->code, call->rows.n - row);
    return TAGMA_OK;
}

/* Columns that share a count share its offsets. */
static void share_offsets(const tg_call *call, const tg_slot *slot, tagma_batch_column *column)
{
    if (slot->validity || slot->counter == TAGMA_NONE ||
        call->slots[slot->counter].counts.n_items > INT32_MAX)
        return;
    tagma_buffer_release(column->offsets_buffers[0]);
    column->offsets_buffers[0] = tagma_buffer_acquire(call->slots[slot->counter].ends);
}

/* The batch. */

typedef struct delivery {
    tg_call *call;
    tagma_batch *batch;
} delivery;

static tagma_status deliver_column(tagma_ctx *ctx, void *user, uint32_t w, uint64_t i)
{
    delivery *d = user;
    tg_slot *slot = &d->call->slots[i];
    tagma_batch_column *to = tg_batch_column(d->batch, (uint32_t)i);

    (void)w;
    if (slot->in_segments) {
        TG_TRY(deliver_segments(ctx, d->call, slot, to));
        share_offsets(d->call, slot, to);
    } else {
        TG_TRY(deliver_place(ctx, d->call, slot, to));
    }
    to->values = tagma_buffer_bytes(to->values_buffer);
    for (uint32_t k = 0; k < to->n_levels; k++)
        to->offsets[k] = tagma_buffer_bytes(to->offsets_buffers[k]);
    if (slot->validity) {
        to->validity_buffer = tagma_buffer_acquire(slot->validity);
        to->validity = tagma_buffer_bytes(slot->validity);
        to->status = TAGMA_COLUMN_NULL;
    }
    if (slot->damaged) {
        to->damaged_buffer = tagma_buffer_acquire(slot->damaged);
        to->damaged = tagma_buffer_bytes(slot->damaged);
        to->status = TAGMA_COLUMN_CORRUPT;
    }
    return TAGMA_OK;
}

tagma_status tg_call_batch(tagma_ctx *ctx, tg_call *call, tagma_batch **out)
{
    uint32_t n = call->n_wanted;
    delivery d = {.call = call};
    tagma_status st = TAGMA_OK;
    uint32_t *columns;

    *out = NULL;
    TG_TRY(note_marks(ctx, call));
    for (uint32_t s = 0; s < n; s++)
        TG_TRY(inherit_nulls(ctx, call, &call->slots[s]));
    columns = tg_alloc(ctx, n, sizeof *columns);
    if (!columns)
        return TAGMA_E_MEMORY;
    for (uint32_t s = 0; s < n; s++)
        columns[s] = call->slots[s].column;
    st = tg_batch_new(ctx, call->fetcher->tree->schema, call->rows.n, columns, n, &d.batch);
    tg_free(ctx, columns);
    if (st == TAGMA_OK)
        st = tg_pool_run(ctx, call->fetcher->pool, n, deliver_column, &d, NULL, NULL);
    if (st < 0) {
        tagma_batch_free(d.batch);
        return st;
    }
    *out = d.batch;
    return TAGMA_OK;
}
