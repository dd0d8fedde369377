/* SPDX-License-Identifier: Apache-2.0
 * The plan of a record, one column of it, and a record made from an entry of a batch. */
#include "event/record.h"

#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "event/schema.h"

enum { RECORD_ALIGN = 8, N_WIDTHS = 4, WIDTH_OF_TAILS = 1 };

static uint64_t aligned(uint64_t n)
{
    return (n + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

/* While a plan is made. */
typedef struct making {
    tagma_record_plan *plan;
    const tg_shape *shapes;
    uint64_t fixed
        [N_WIDTHS]; /* bytes of the fixed part by width, the widest first; then where the next one stands */
    uint64_t (*items)[N_WIDTHS]; /* [n_groups] the same for bytes of an item */
    uint32_t *groups;            /* [n_collections] group + 1; 0 none yet */
} making;

static uint32_t group_of(making *make, uint32_t collection)
{
    tagma_record_plan *plan = make->plan;

    if (make->groups[collection] == 0) {
        plan->groups[plan->n_groups].collection = collection;
        make->groups[collection] = ++plan->n_groups;
    }
    return make->groups[collection] - 1;
}

static void classify(making *make, uint32_t i, uint32_t column)
{
    const tg_shape *shape = &make->shapes[column];
    uint32_t log2_bytes = tg_type_width(shape->type), width = N_WIDTHS - 1 - log2_bytes;
    tg_place *place = &make->plan->places[i];

    *place = (tg_place){.column = column,
                        .n_items = shape->n_items,
                        .kind = TG_PLACE_FIXED,
                        .type = shape->type,
                        .n_lists = shape->n_lists,
                        .bytes = (uint8_t)(1U << log2_bytes)};
    if (shape->type == TAGMA_STRING || shape->n_lists > 1) {
        place->kind = TG_PLACE_TAIL;
        make->fixed[WIDTH_OF_TAILS] += sizeof(tg_tail);
    } else if (shape->n_lists == 1) {
        place->kind = TG_PLACE_LIST;
        place->group = group_of(make, shape->collection);
        make->items[place->group][width] += (uint64_t)shape->n_items << log2_bytes;
    } else {
        make->fixed[width] += (uint64_t)shape->n_items << log2_bytes;
    }
}

/* Sizes become places, the widest first, so that each is aligned without padding. */
static bool begin_places(making *make)
{
    tagma_record_plan *plan = make->plan;
    uint64_t at = sizeof(tg_record_head);

    for (uint32_t g = 0; g < plan->n_groups; g++) {
        uint64_t width_before = 0;

        for (uint32_t w = 0; w < N_WIDTHS; w++) {
            uint64_t bytes = make->items[g][w];

            make->items[g][w] = width_before;
            width_before += bytes;
        }
        if (width_before > INT32_MAX)
            return false;
        plan->groups[g].item_bytes = (uint32_t)width_before;
    }
    for (uint32_t w = 0; w < N_WIDTHS; w++) {
        uint64_t bytes = make->fixed[w];

        make->fixed[w] = at;
        at += bytes;
        for (uint32_t g = 0; w == WIDTH_OF_TAILS && g < plan->n_groups && at <= INT32_MAX; g++, at += 8) {
            plan->groups[g].count_at = (uint32_t)at;
            plan->groups[g].start_at = (uint32_t)at + 4;
        }
        if (at > INT32_MAX)
            return false;
    }
    plan->status_at = (uint32_t)at;
    plan->fixed_bytes = (uint32_t)aligned(at + plan->n_columns);
    return true;
}

static void place_all(making *make)
{
    tagma_record_plan *plan = make->plan;

    for (uint32_t i = 0; i < plan->n_columns; i++) {
        tg_place *place = &plan->places[i];
        uint32_t width = N_WIDTHS - 1 - (uint32_t)__builtin_ctz(place->bytes);
        uint64_t bytes = (uint64_t)place->n_items * place->bytes, *at = &make->fixed[width];

        if (place->kind == TG_PLACE_LIST) {
            at = &make->items[place->group][width];
        } else if (place->kind == TG_PLACE_TAIL) {
            at = &make->fixed[WIDTH_OF_TAILS];
            bytes = sizeof(tg_tail);
        }
        place->at = (uint32_t)*at;
        *at += bytes;
    }
}

/* Columns a call names can be read. */
static tagma_status check_columns(tagma_ctx *ctx, const tagma_schema *schema, const uint32_t *columns,
                                  uint32_t n_columns)
{
    for (uint32_t i = 0; columns && i < n_columns; i++) {
        if (columns[i] >= tagma_schema_n_columns(schema))
            return tg_fail(ctx, TAGMA_E_RANGE, "column %" PRIu32 " of %" PRIu32, columns[i],
                           tagma_schema_n_columns(schema));
        if (tg_schema_shapes(schema)[columns[i]].has_reason)
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s",
                           tagma_schema_column(schema, columns[i])->name,
                           tagma_schema_column(schema, columns[i])->reason);
    }
    return TAGMA_OK;
}

static tagma_status make_room(tagma_ctx *ctx, making *make, uint64_t n_columns, uint64_t n_collections)
{
    tagma_record_plan *plan = make->plan;
    uint64_t n_groups = n_collections < n_columns ? n_collections : n_columns;

    plan->block = tg_alloc(ctx, 1, n_columns * sizeof *plan->places + n_groups * sizeof *plan->groups);
    make->items = tg_zalloc(ctx, n_groups, sizeof *make->items);
    make->groups = tg_zalloc(ctx, n_collections, sizeof *make->groups);
    if (!plan->block || !make->items || !make->groups)
        return TAGMA_E_MEMORY;
    plan->groups = plan->block;
    plan->places = (tg_place *)(void *)(plan->groups + n_groups);
    return TAGMA_OK;
}

static tagma_status make_plan(tagma_ctx *ctx, making *make, const tagma_schema *schema,
                              const uint32_t *columns, uint32_t n_columns)
{
    tagma_record_plan *plan = make->plan;
    uint32_t n_all = tagma_schema_n_columns(schema);

    make->shapes = tg_schema_shapes(schema);
    TG_TRY(check_columns(ctx, schema, columns, n_columns));
    TG_TRY(make_room(ctx, make, columns ? n_columns : n_all, tagma_schema_n_collections(schema)));
    for (uint32_t i = 0; columns && i < n_columns; i++)
        classify(make, plan->n_columns++, columns[i]);
    for (uint32_t c = 0; !columns && c < n_all; c++)
        if (!make->shapes[c].has_reason)
            classify(make, plan->n_columns++, c);
    if (!begin_places(make))
        return tg_fail(ctx, TAGMA_E_LIMIT, "the fixed part of a record would pass %d bytes", INT32_MAX);
    place_all(make);
    plan->tag = (uint32_t)tg_hash(plan->places, plan->n_columns * sizeof *plan->places) | 1U;
    return TAGMA_OK;
}

tagma_status tagma_record_plan_new(tagma_ctx *ctx, const tagma_schema *schema, const uint32_t *columns,
                                   uint32_t n_columns, tagma_record_plan **out)
{
    making make = {.plan = tg_zalloc(ctx, 1, sizeof *make.plan)};
    tagma_status st;

    *out = NULL;
    if (!make.plan)
        return TAGMA_E_MEMORY;
    make.plan->account = tg_account_acquire(ctx->account);
    st = make_plan(ctx, &make, schema, columns, n_columns);
    tg_free(ctx, make.items);
    tg_free(ctx, make.groups);
    if (st < 0) {
        tagma_record_plan_free(make.plan);
        return st;
    }
    *out = make.plan;
    return TAGMA_OK;
}

void tagma_record_plan_free(tagma_record_plan *plan)
{
    tg_account *account;

    if (!plan)
        return;
    account = plan->account;
    tg_account_free(account, plan->block);
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

void tg_record_plan_columns(const tagma_record_plan *plan, uint32_t *columns)
{
    for (uint32_t i = 0; i < plan->n_columns; i++)
        columns[i] = plan->places[i].column;
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
    for (uint32_t k = 0; k < tg_place_levels(place); k++) {
        bool is_string = place->type == TAGMA_STRING && k + 1U == tg_place_levels(place);

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

    for (uint32_t k = 0; k < tg_place_levels(place); k++) {
        bool is_string = place->type == TAGMA_STRING && k + 1U == tg_place_levels(place);
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

tagma_status tg_record_check_bytes(tagma_ctx *ctx, uint64_t n, size_t record_bytes)
{
    if (n > UINT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "an event of %" PRIu64 " bytes; a record holds less than 4 GiB",
                       n);
    if (n > record_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT, "the event takes %" PRIu64 " bytes, the record has %zu", n,
                       record_bytes);
    return TAGMA_OK;
}

tagma_status tg_record_from_batch(tagma_ctx *ctx, const tagma_record_plan *plan, const tagma_batch *batch,
                                  uint64_t i, void *record, size_t record_bytes, size_t *needed)
{
    record_writer w = {.plan = plan, .batch = batch, .entry = i};
    tg_record_head head = {.tag = plan->tag};

    put_all(&w);
    *needed = w.at;
    TG_TRY(tg_record_check_bytes(ctx, w.at, record_bytes));
    head.total_bytes = (uint32_t)w.at;
    memset(record, 0, plan->fixed_bytes);
    memcpy(record, &head, sizeof head);
    w.record = record;
    put_all(&w);
    return TAGMA_OK;
}
