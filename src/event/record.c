/* SPDX-License-Identifier: Apache-2.0
 * The plan of a record, one column of it, and a record made from an entry of a batch. */
#include "event/record.h"

#include <string.h>
#include <xxhash.h>

#include "base/num.h"

enum { RECORD_ALIGN = 8 };

static uint64_t aligned(uint64_t n)
{
    return (n + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

static uint32_t group_of(tagma_record_plan *plan, uint32_t collection)
{
    for (uint32_t g = plan->n_groups; g > 0; g--)
        if (plan->groups[g - 1].collection == collection)
            return g - 1;
    plan->groups[plan->n_groups].collection = collection;
    return plan->n_groups++;
}

static void classify(tagma_record_plan *plan, const tagma_schema *schema, uint32_t i)
{
    const tagma_column *column = tagma_schema_column(schema, plan->columns[i]);
    tg_place *place = &plan->places[i];

    place->column = plan->columns[i];
    place->type = (uint8_t)column->type;
    place->n_lists = (uint8_t)column->n_lists;
    place->n_levels = (uint8_t)(column->n_lists + (column->type == TAGMA_STRING));
    place->n_items = column->n_items;
    place->bytes = tagma_type_bytes(column->type);
    if (place->n_levels == 0) {
        place->kind = TG_PLACE_FIXED;
    } else if (place->n_levels == 1 && place->n_lists == 1) {
        place->kind = TG_PLACE_LIST;
        place->group = group_of(plan, column->collection);
    } else {
        place->kind = TG_PLACE_TAIL;
    }
}

/* Places of everything, widest values first, so that each is aligned without padding. */
static bool lay_out(tagma_record_plan *plan)
{
    uint64_t at = sizeof(tg_record_head);

    for (uint32_t bytes = 8; bytes > 0; bytes /= 2) {
        for (uint32_t i = 0; i < plan->n_columns; i++) {
            tg_place *place = &plan->places[i];

            if (place->kind == TG_PLACE_TAIL && bytes == 4) {
                place->at = (uint32_t)at;
                at += sizeof(tg_tail);
            } else if (place->bytes == bytes && place->kind == TG_PLACE_FIXED) {
                place->at = (uint32_t)at;
                at += (uint64_t)bytes * place->n_items;
            } else if (place->bytes == bytes && place->kind == TG_PLACE_LIST) {
                tg_group *group = &plan->groups[place->group];
                uint64_t width = (uint64_t)bytes * place->n_items + group->item_bytes;

                place->width_before = group->item_bytes;
                if (width > INT32_MAX)
                    return false;
                group->item_bytes = (uint32_t)width;
            }
            if (at > INT32_MAX)
                return false;
        }
        for (uint32_t g = 0; bytes == 4 && g < plan->n_groups; g++) {
            plan->groups[g].count_at = (uint32_t)at;
            plan->groups[g].start_at = (uint32_t)at + 4;
            at += 8;
        }
    }
    plan->status_at = (uint32_t)at;
    plan->fixed_bytes = (uint32_t)aligned(at + plan->n_columns);
    return true;
}

static tagma_status choose_columns(tagma_ctx *ctx, const tagma_schema *schema, const uint32_t *columns,
                                   uint32_t n_columns, tagma_record_plan *plan)
{
    uint32_t n_all = tagma_schema_n_columns(schema);

    plan->columns = tg_alloc(ctx, columns ? n_columns : n_all, sizeof *plan->columns);
    if (!plan->columns)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; columns && i < n_columns; i++) {
        const tagma_column *column = tagma_schema_column(schema, columns[i]);

        if (!column)
            return tg_fail(ctx, TAGMA_E_RANGE, "column %" PRIu32 " of %" PRIu32, columns[i], n_all);
        if (column->reason)
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s", column->name,
                           column->reason);
        plan->columns[plan->n_columns++] = columns[i];
    }
    for (uint32_t c = 0; !columns && c < n_all; c++)
        if (!tagma_schema_column(schema, c)->reason)
            plan->columns[plan->n_columns++] = c;
    return TAGMA_OK;
}

tagma_status tagma_record_plan_new(tagma_ctx *ctx, const tagma_schema *schema, const uint32_t *columns,
                                   uint32_t n_columns, tagma_record_plan **out)
{
    tagma_record_plan *plan = tg_zalloc(ctx, 1, sizeof *plan);
    tagma_status st;

    *out = NULL;
    if (!plan)
        return TAGMA_E_MEMORY;
    plan->account = tg_account_acquire(ctx->account);
    st = choose_columns(ctx, schema, columns, n_columns, plan);
    if (st == TAGMA_OK) {
        uint32_t most_groups = tagma_schema_n_collections(schema);

        plan->places = tg_zalloc(ctx, plan->n_columns, sizeof *plan->places);
        plan->groups = tg_zalloc(ctx, most_groups < plan->n_columns ? most_groups : plan->n_columns,
                                 sizeof *plan->groups);
        st = plan->places && plan->groups ? TAGMA_OK : TAGMA_E_MEMORY;
    }
    for (uint32_t i = 0; st == TAGMA_OK && i < plan->n_columns; i++)
        classify(plan, schema, i);
    if (st == TAGMA_OK && !lay_out(plan))
        st = tg_fail(ctx, TAGMA_E_LIMIT, "the fixed part of a record would pass %d bytes", INT32_MAX);
    if (st < 0) {
        tagma_record_plan_free(plan);
        return st;
    }
    plan->tag = (uint32_t)XXH3_64bits(plan->places, plan->n_columns * sizeof *plan->places) | 1U;
    *out = plan;
    return TAGMA_OK;
}

void tagma_record_plan_free(tagma_record_plan *plan)
{
    tg_account *account;

    if (!plan)
        return;
    account = plan->account;
    tg_account_free(account, plan->columns);
    tg_account_free(account, plan->places);
    tg_account_free(account, plan->groups);
    tg_account_free(account, plan);
    tg_account_release(account);
}

uint32_t tagma_record_plan_n_columns(const tagma_record_plan *plan)
{
    return plan->n_columns;
}

size_t tagma_record_plan_fixed_bytes(const tagma_record_plan *plan)
{
    return plan->fixed_bytes;
}

const uint32_t *tg_record_plan_columns(const tagma_record_plan *plan)
{
    return plan->columns;
}

static uint32_t load_u32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static void tail_value(const tg_place *place, const uint8_t *record, tagma_record_value *out)
{
    tg_tail tail;
    const uint32_t *offsets;
    uint64_t n = 1;

    memcpy(&tail, record + place->at, sizeof tail);
    offsets = (const uint32_t *)(const void *)(record + tail.start);
    for (uint32_t k = 0; k < place->n_levels; k++) {
        bool is_string = place->type == TAGMA_STRING && k + 1U == place->n_levels;

        if (k == 0 && place->n_lists > 0) {
            n = tail.n_lists0;
            continue;
        }
        n *= is_string ? place->n_items : 1;
        out->offsets[k] = offsets;
        offsets += n + 1;
        n = out->offsets[k][n];
    }
    out->n_lists0 = tail.n_lists0;
    out->n_values = tail.n_values;
    out->values = record + tail.values;
}

tagma_status tagma_record_column(const tagma_record_plan *plan, const void *record, uint32_t i,
                                 tagma_record_value *out)
{
    const uint8_t *bytes = record;
    const tg_place *place;

    if (i >= plan->n_columns)
        return TAGMA_E_RANGE;
    if (load_u32(bytes) != plan->tag)
        return TAGMA_E_ARG;
    place = &plan->places[i];
    memset(out, 0, sizeof *out);
    out->status = (tagma_column_status)bytes[plan->status_at + i];
    if (place->kind == TG_PLACE_FIXED) {
        out->values = bytes + place->at;
        out->n_values = place->n_items;
    } else if (place->kind == TG_PLACE_LIST) {
        const tg_group *group = &plan->groups[place->group];
        uint32_t n = load_u32(bytes + group->count_at);

        out->n_lists0 = out->status == TAGMA_COLUMN_GOOD ? n : 0;
        out->n_values = (uint64_t)out->n_lists0 * place->n_items;
        out->values = bytes + load_u32(bytes + group->start_at) + (uint64_t)n * place->width_before;
    } else {
        tail_value(place, bytes, out);
    }
    return TAGMA_OK;
}

static tagma_column_status entry_status(const tagma_batch_column *column, uint64_t i)
{
    if (column->damaged && (column->damaged[i / 8] >> (i % 8) & 1))
        return TAGMA_COLUMN_CORRUPT;
    if (column->validity && !(column->validity[i / 8] >> (i % 8) & 1))
        return TAGMA_COLUMN_NULL;
    return TAGMA_COLUMN_GOOD;
}

/* One entry on its way into a record. */
typedef struct record_writer {
    const tagma_record_plan *plan;
    const tagma_batch *batch;
    uint64_t entry;
    uint8_t *record; /* NULL while only measured */
    uint64_t at;     /* end of the tail so far */
} record_writer;

/* Items of a group: of any column of it that is good in this entry, since they share their count. */
static uint32_t group_count(const record_writer *w, uint32_t group)
{
    for (uint32_t i = 0; i < w->plan->n_columns; i++) {
        const tg_place *place = &w->plan->places[i];
        const tagma_batch_column *column = tagma_batch_column_at(w->batch, i);

        if (place->kind == TG_PLACE_LIST && place->group == group &&
            entry_status(column, w->entry) == TAGMA_COLUMN_GOOD)
            return column->offsets[0][w->entry + 1] - column->offsets[0][w->entry];
    }
    return 0;
}

static void put_groups(record_writer *w)
{
    for (uint32_t g = 0; g < w->plan->n_groups; g++) {
        const tg_group *group = &w->plan->groups[g];
        uint32_t n = group_count(w, g), start = (uint32_t)w->at;

        w->at = aligned(w->at + (uint64_t)n * group->item_bytes);
        if (w->record && w->at <= UINT32_MAX) {
            memcpy(w->record + group->count_at, &n, sizeof n);
            memcpy(w->record + group->start_at, &start, sizeof start);
        }
    }
}

static void copy_values(uint8_t *to, const tagma_batch_column *column, uint64_t lo, uint64_t n,
                        uint32_t bytes)
{
    const uint8_t *values = column->values;

    if (column->is_bits)
        for (uint64_t k = 0; k < n; k++)
            to[k] = values[(lo + k) / 8] >> ((lo + k) % 8) & 1;
    else if (n > 0)
        memcpy(to, values + lo * bytes, n * bytes);
}

/* The offsets of one level for items lo to hi - 1, begun anew at 0. */
static void put_offsets(uint8_t *to, const uint32_t *offsets, uint64_t lo, uint64_t hi)
{
    for (uint64_t u = lo; u <= hi; u++) {
        uint32_t v = offsets[u] - offsets[lo];
        memcpy(to + (u - lo) * sizeof v, &v, sizeof v);
    }
}

static void put_tail(record_writer *w, uint32_t i)
{
    const tg_place *place = &w->plan->places[i];
    const tagma_batch_column *column = tagma_batch_column_at(w->batch, i);
    tg_tail tail = {.start = (uint32_t)w->at};
    uint64_t lo = w->entry, hi = w->entry + 1;

    for (uint32_t k = 0; k < place->n_levels; k++) {
        bool is_string = place->type == TAGMA_STRING && k + 1U == place->n_levels;
        uint64_t width = is_string ? place->n_items : 1;

        lo *= width;
        hi *= width;
        if (k > 0 || place->n_lists == 0) {
            if (w->record)
                put_offsets(w->record + w->at, column->offsets[k], lo, hi);
            w->at += (hi - lo + 1) * sizeof(uint32_t);
        }
        lo = column->offsets[k][lo];
        hi = column->offsets[k][hi];
        if (k == 0 && place->n_lists > 0)
            tail.n_lists0 = (uint32_t)(hi - lo);
    }
    if (place->type != TAGMA_STRING) {
        lo *= place->n_items;
        hi *= place->n_items;
    }
    w->at = aligned(w->at);
    tail.values = (uint32_t)w->at;
    tail.n_values = (uint32_t)(hi - lo);
    if (w->record) {
        copy_values(w->record + w->at, column, lo, hi - lo, place->bytes);
        memcpy(w->record + place->at, &tail, sizeof tail);
    }
    w->at = aligned(w->at + (hi - lo) * place->bytes);
}

static void put_flat(const record_writer *w, uint32_t i)
{
    const tg_place *place = &w->plan->places[i];
    const tagma_batch_column *column = tagma_batch_column_at(w->batch, i);
    const tg_group *group;
    uint64_t lo, hi;
    uint32_t n;

    if (place->kind == TG_PLACE_FIXED) {
        copy_values(w->record + place->at, column, w->entry * place->n_items, place->n_items, place->bytes);
        return;
    }
    group = &w->plan->groups[place->group];
    n = load_u32(w->record + group->count_at);
    lo = column->offsets[0][w->entry];
    hi = column->offsets[0][w->entry + 1];
    if (hi - lo == n)
        copy_values(w->record + load_u32(w->record + group->start_at) + (uint64_t)n * place->width_before,
                    column, lo * place->n_items, (hi - lo) * place->n_items, place->bytes);
    else
        memset(w->record + load_u32(w->record + group->start_at) + (uint64_t)n * place->width_before, 0,
               (uint64_t)n * place->n_items * place->bytes);
}

static void put_all(record_writer *w)
{
    w->at = w->plan->fixed_bytes;
    put_groups(w);
    for (uint32_t i = 0; i < w->plan->n_columns; i++) {
        if (w->plan->places[i].kind == TG_PLACE_TAIL)
            put_tail(w, i);
        else if (w->record)
            put_flat(w, i);
        if (w->record)
            w->record[w->plan->status_at + i] =
                (uint8_t)entry_status(tagma_batch_column_at(w->batch, i), w->entry);
    }
}

tagma_status tg_record_from_batch(tagma_ctx *ctx, const tagma_record_plan *plan, const tagma_batch *batch,
                                  uint64_t i, void *record, size_t record_bytes, size_t *needed)
{
    record_writer w = {.plan = plan, .batch = batch, .entry = i};
    tg_record_head head = {.tag = plan->tag};

    put_all(&w);
    *needed = w.at;
    if (w.at > UINT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "an event of %" PRIu64 " bytes; a record holds less than 4 GiB",
                       w.at);
    if (w.at > record_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT, "the event takes %" PRIu64 " bytes, the record has %zu", w.at,
                       record_bytes);
    head.total_bytes = (uint32_t)w.at;
    memset(record, 0, plan->fixed_bytes);
    memcpy(record, &head, sizeof head);
    w.record = record;
    put_all(&w);
    return TAGMA_OK;
}
