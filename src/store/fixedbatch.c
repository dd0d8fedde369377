/* SPDX-License-Identifier: Apache-2.0
 * Batches out of the fixed layout: records that lie near each other by one request, then column by column; and checking all. */
#include "base/num.h"
#include "event/batch.h"
#include "store/fixed.h"

enum { RECORDS = 256 }; /* at hand at once */

/* A batch on its way. */
typedef struct job {
    tg_fixed_reader *reader;
    const tg_rows *rows;
    tagma_batch *batch;
    const uint32_t *columns;
    uint32_t n_columns;
    bool verifies;
    /* Records at hand: rows first_at to first_at + n - 1 of those wanted. */
    uint64_t first_at, n;
    uint64_t entries[RECORDS];
    const uint8_t *records[RECORDS];
    bool is_bad[RECORDS];
    uint8_t *blank; /* stands for a record that could not be read */
} job;

static uint64_t entry_at(const tg_rows *rows, uint64_t at)
{
    return rows->entries ? rows->entries[at] : rows->first + at;
}

static tagma_status add_values(tagma_ctx *ctx, job *it)
{
    for (uint32_t i = 0; i < it->n_columns; i++) {
        tagma_batch_column *column = tg_batch_column(it->batch, i);

        if (!tg_mul(it->rows->n, column->n_items, &column->n_values) || column->n_values > UINT64_MAX / 16)
            return tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " entries of %" PRIu32 " values in a column",
                           it->rows->n, column->n_items);
        TG_TRY(tg_buffer_new(ctx, column->n_values * tagma_type_bytes(column->type), &column->values_buffer));
        column->values = tagma_buffer_bytes(column->values_buffer);
    }
    return TAGMA_OK;
}

/* Bits of all entries, each `value`; made when the first one is to be told. */
static tagma_status make_bits(tagma_ctx *ctx, uint64_t n, bool value, tagma_buffer **buffer,
                              const uint8_t **bits)
{
    if (*bits)
        return TAGMA_OK;
    TG_TRY(tg_buffer_new(ctx, (n + 7) / 8, buffer));
    memset(tg_buffer_fill(*buffer), value ? 0xff : 0, (n + 7) / 8);
    if (value && n % 8 != 0)
        ((uint8_t *)tg_buffer_fill(*buffer))[n / 8] = (uint8_t)((1U << (n % 8)) - 1);
    *bits = tagma_buffer_bytes(*buffer);
    return TAGMA_OK;
}

/* An entry of a column is null, or damaged. */
static tagma_status mark(tagma_ctx *ctx, job *it, uint32_t i, uint64_t at, tagma_column_status status)
{
    tagma_batch_column *column = tg_batch_column(it->batch, i);
    uint64_t bytes = (uint64_t)column->n_items * tagma_type_bytes(column->type);
    uint8_t bit = (uint8_t)(1U << (at % 8));

    TG_TRY(make_bits(ctx, it->rows->n, true, &column->validity_buffer, &column->validity));
    ((uint8_t *)tg_buffer_fill(column->validity_buffer))[at / 8] &= (uint8_t)~bit;
    memset((uint8_t *)tg_buffer_fill(column->values_buffer) + at * bytes, 0, bytes);
    if (status > column->status)
        column->status = status;
    if (status != TAGMA_COLUMN_CORRUPT)
        return TAGMA_OK;
    TG_TRY(make_bits(ctx, it->rows->n, false, &column->damaged_buffer, &column->damaged));
    ((uint8_t *)tg_buffer_fill(column->damaged_buffer))[at / 8] |= bit;
    return TAGMA_OK;
}

static tagma_status settle(tagma_ctx *ctx, job *it, uint32_t i, uint64_t k)
{
    const tagma_column *shape = tagma_schema_column(it->reader->store->events.schema, it->columns[i]);
    tagma_column_status status = tg_fixed_settle(it->reader, it->entries[k], it->records[k], it->columns[i]);

    if (status == TAGMA_COLUMN_CORRUPT) {
        (void)!tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: record of entry %" PRIu64 ", byte %" PRIu64 ": no %s stands there for branch %s",
                       tagma_source_name(it->reader->store->source), it->entries[k],
                       tg_fixed_offset(it->reader, it->entries[k]) +
                           (uint64_t)it->reader->store->records.first_word[it->columns[i]] * TG_WORD_BYTES,
                       tagma_type_name(shape->type), shape->name);
        tg_fixed_fault(ctx, it->reader, TAGMA_E_CORRUPT, it->entries[k], shape->name);
    }
    return status == TAGMA_COLUMN_GOOD ? TAGMA_OK : mark(ctx, it, i, it->first_at + k, status);
}

static tagma_status take_column(tagma_ctx *ctx, job *it, uint32_t i)
{
    tagma_batch_column *column = tg_batch_column(it->batch, i);
    uint64_t bytes = (uint64_t)column->n_items * tagma_type_bytes(column->type),
             from = (uint64_t)it->reader->store->records.first_word[it->columns[i]] * TG_WORD_BYTES;
    uint8_t flaws[RECORDS];

    tg_words_take(column->type, it->records, it->n, from, column->n_items,
                  (uint8_t *)tg_buffer_fill(column->values_buffer) + it->first_at * bytes, flaws);
    for (uint64_t k = 0; k < it->n; k++) {
        if (it->is_bad[k])
            TG_TRY(mark(ctx, it, i, it->first_at + k, TAGMA_COLUMN_CORRUPT));
        else if (flaws[k] != TG_WORD_GOOD)
            TG_TRY(settle(ctx, it, i, k));
    }
    return TAGMA_OK;
}

/* Verify the records at hand, and take from them what is wanted. */
static tagma_status take_records(tagma_ctx *ctx, job *it)
{
    for (uint64_t k = 0; it->verifies && k < it->n; k++) {
        tagma_status st;

        if (it->is_bad[k])
            continue;
        st = tg_fixed_verify(ctx, it->reader, it->entries[k], it->records[k]);
        it->reader->n_records++;
        it->is_bad[k] = st < 0;
        if (st < 0)
            tg_fixed_fault(ctx, it->reader, st, it->entries[k], NULL);
    }
    for (uint32_t i = 0; i < it->n_columns; i++)
        TG_TRY(take_column(ctx, it, i));
    it->first_at += it->n;
    it->n = 0;
    return TAGMA_OK;
}

/* A record that its file cannot give is damaged, as one with a wrong checksum is: packed blocks have their own. */
static tagma_status fetch_one(tagma_ctx *ctx, job *it, uint64_t entry)
{
    uint64_t n = it->reader->store->records.layout.record_bytes;
    tagma_status st =
        tg_lane_view(ctx, it->reader->lane, tg_fixed_offset(it->reader, entry), n, &it->records[it->n]);

    it->is_bad[it->n] = st == TAGMA_E_CORRUPT;
    if (st == TAGMA_E_CORRUPT) {
        tg_fixed_fault(ctx, it->reader, st, entry, NULL);
        if (!it->blank) {
            it->blank = tg_zalloc(ctx, n, 1);
            if (!it->blank)
                return TAGMA_E_MEMORY;
        }
        it->records[it->n] = it->blank;
        st = TAGMA_OK;
    }
    it->entries[it->n++] = entry;
    return st;
}

/* Rows from first_at on whose records are one request: *n of them. Their end is *end. */
static void plan_extent(const job *it, uint64_t *n, uint64_t *begin, uint64_t *end)
{
    const tagma_source *source = it->reader->store->source;
    uint64_t bytes = it->reader->store->records.layout.record_bytes;

    *begin = tg_fixed_offset(it->reader, entry_at(it->rows, it->first_at));
    *end = *begin + bytes;
    for (*n = 1; *n < RECORDS && it->first_at + *n < it->rows->n; ++*n) {
        uint64_t next = tg_fixed_offset(it->reader, entry_at(it->rows, it->first_at + *n));

        if (next - *end > tg_source_gap_bytes(source) ||
            next + bytes - *begin > tg_source_extent_bytes(source))
            return;
        *end = next + bytes;
    }
}

/* The next records, read: by one request where that pays, else where they lie. */
static tagma_status fetch(tagma_ctx *ctx, job *it)
{
    uint64_t bytes = it->reader->store->records.layout.record_bytes, n, begin, end;
    const uint8_t *view;
    tagma_status st;

    for (uint64_t at = it->first_at; it->reader->is_mapped && at < it->rows->n && it->n < RECORDS; at++)
        TG_TRY(fetch_one(ctx, it, entry_at(it->rows, at)));
    if (it->reader->is_mapped)
        return TAGMA_OK;
    plan_extent(it, &n, &begin, &end);
    st = tg_lane_view(ctx, it->reader->lane, begin, end - begin, &view);
    if (st == TAGMA_E_CORRUPT)
        return fetch_one(ctx, it, entry_at(it->rows, it->first_at));
    TG_TRY(st);
    tg_lane_count_used(it->reader->lane, n * bytes);
    for (it->n = 0; it->n < n; it->n++) {
        it->entries[it->n] = entry_at(it->rows, it->first_at + it->n);
        it->records[it->n] = view + (tg_fixed_offset(it->reader, it->entries[it->n]) - begin);
        it->is_bad[it->n] = false;
    }
    return TAGMA_OK;
}

static tagma_status read_all(tagma_ctx *ctx, job *it)
{
    TG_TRY(add_values(ctx, it));
    TG_TRY(tg_fixed_prepare(ctx, it->reader));
    while (it->n_columns > 0 && it->first_at < it->rows->n) {
        TG_TRY(tg_progress(ctx, "read", "events", it->first_at, it->rows->n));
        TG_TRY(fetch(ctx, it));
        TG_TRY(take_records(ctx, it));
    }
    return TAGMA_OK;
}

tagma_status tg_fixed_read(tagma_ctx *ctx, tagma_reader *reader, const tg_rows *rows, const uint32_t *columns,
                           uint32_t n_columns, tagma_batch **out)
{
    tg_fixed_reader *own = (tg_fixed_reader *)reader;
    job it = {.reader = own, .rows = rows, .columns = columns, .n_columns = n_columns};
    tagma_status st;

    *out = NULL;
    it.verifies =
        own->verifies || !own->is_mapped || n_columns == tagma_schema_n_columns(own->store->events.schema);
    TG_TRY(tg_batch_new(ctx, own->store->events.schema, rows->n, columns, n_columns, &it.batch));
    st = read_all(ctx, &it);
    tg_free(ctx, it.blank);
    if (st < 0) {
        tagma_batch_free(it.batch);
        return st;
    }
    *out = it.batch;
    return TAGMA_OK;
}

/* A slot without an event is empty. */
static tagma_status check_empty(tagma_ctx *ctx, const tg_fixed_reader *reader, uint64_t slot,
                                const uint8_t *bytes)
{
    const tg_records *records = &reader->store->records;

    for (uint64_t i = 0; i < records->layout.record_bytes; i++)
        if (bytes[i] != 0)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: slot %" PRIu64 ", byte %" PRIu64 ": no event is there, but bytes",
                           tagma_source_name(reader->store->source), slot,
                           records->records_at + slot * records->layout.record_bytes + i);
    return TAGMA_OK;
}

/* All values of a record are of their types. */
static tagma_status check_words(tagma_ctx *ctx, const tg_fixed_reader *reader, uint64_t row,
                                const uint8_t *record)
{
    const tagma_schema *schema = reader->store->events.schema;

    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++)
        if (tg_fixed_settle(reader, row, record, c) == TAGMA_COLUMN_CORRUPT)
            return tg_fail(
                ctx, TAGMA_E_CORRUPT,
                "%s: record of entry %" PRIu64 ", byte %" PRIu64 ": no %s stands there for branch %s",
                tagma_source_name(reader->store->source), row,
                tg_fixed_offset(reader, row) + (uint64_t)reader->store->records.first_word[c] * TG_WORD_BYTES,
                tagma_type_name(tagma_schema_column(schema, c)->type), tagma_schema_column(schema, c)->name);
    return TAGMA_OK;
}

static tagma_status check_slot(tagma_ctx *ctx, tg_fixed_reader *reader, uint64_t slot, bool is_empty,
                               uint64_t row)
{
    const tg_records *records = &reader->store->records;
    const uint8_t *bytes;

    TG_TRY(tg_lane_view(ctx, reader->lane, records->records_at + slot * records->layout.record_bytes,
                        records->layout.record_bytes, &bytes));
    if (is_empty)
        return check_empty(ctx, reader, slot, bytes);
    TG_TRY(tg_fixed_verify(ctx, reader, row, bytes));
    return check_words(ctx, reader, row, bytes);
}

/* A fault is told; what stops everything is given back. */
static tagma_status note(tagma_ctx *ctx, tg_fixed_reader *reader, tagma_status st, uint64_t row,
                         uint64_t *n_faults)
{
    if (st != TAGMA_E_CORRUPT)
        return st < 0 ? st : TAGMA_OK;
    tg_fixed_fault(ctx, reader, st, row, NULL);
    ++*n_faults;
    return TAGMA_OK;
}

static tagma_status check_slots(tagma_ctx *ctx, tg_fixed_reader *reader, uint64_t *n_faults)
{
    uint64_t n_slots = reader->store->records.layout.count, row = 0;
    const uint8_t *bits = reader->slots.bits;

    for (uint64_t slot = 0; slot < n_slots; slot++) {
        bool is_empty = bits ? !(bits[slot / 8] >> (slot % 8) & 1) : reader->store->header.n_events == 0;

        TG_TRY(note(ctx, reader, check_slot(ctx, reader, slot, is_empty, row),
                    row < reader->store->header.n_events ? row : row - 1, n_faults));
        row += !is_empty;
        TG_TRY(tg_progress(ctx, "check", "events", row, reader->store->header.n_events));
    }
    return TAGMA_OK;
}

tagma_status tg_fixed_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                            uint64_t *n_baskets, uint64_t *n_faults)
{
    tg_fixed_reader *own = (tg_fixed_reader *)reader;
    tagma_status st;

    (void)columns; /* a record has them all */
    (void)n_columns;
    *n_baskets = *n_faults = 0;
    TG_TRY(tg_store_check_sections(ctx, own->store, n_faults));
    own->n_faults += *n_faults;
    st = tg_fixed_prepare(ctx, own);
    if (st == TAGMA_E_CORRUPT) /* told with the sections */
        return TAGMA_OK;
    TG_TRY(st);
    *n_baskets = own->store->header.n_events;
    own->n_records += *n_baskets;
    return check_slots(ctx, own, n_faults);
}
