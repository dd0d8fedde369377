/* SPDX-License-Identifier: Apache-2.0
 * What is the same for all kinds of events: sharing, getters, and the reading verbs above a kind's one read. */
#include "event/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "event/batch.h"

tagma_events *tagma_events_acquire(tagma_events *events)
{
    atomic_fetch_add_explicit(&events->users, 1, memory_order_relaxed);
    return events;
}

void tagma_events_release(tagma_events *events)
{
    if (events && atomic_fetch_sub_explicit(&events->users, 1, memory_order_acq_rel) == 1)
        events->kind->close(events);
}

const tagma_schema *tagma_events_schema(const tagma_events *events)
{
    return events->schema;
}

uint64_t tagma_events_n_entries(const tagma_events *events)
{
    return events->info.n_entries;
}

void tagma_events_get_info(const tagma_events *events, tagma_events_info *info)
{
    tagma_events_info full = events->info;

    full.kind = events->kind->name;
    tg_give(info, &full, sizeof full);
}

tagma_status tagma_events_index(tagma_ctx *ctx, const tagma_events *events, const tagma_index **out)
{
    *out = events->index;
    if (events->kind->index)
        return events->kind->index(ctx, events, out);
    return events->index ? TAGMA_OK : TAGMA_ABSENT;
}

tagma_status tagma_events_friend(const tagma_events *events, uint32_t i, const char **name, const char **file)
{
    return i < events->info.n_friends ? events->kind->friend_at(events, i, name, file) : TAGMA_E_RANGE;
}

uint64_t tagma_events_cluster(const tagma_events *events, uint64_t i)
{
    return i < events->info.n_clusters ? events->kind->cluster(events, i) : events->info.n_entries;
}

tagma_status tagma_events_storage(const tagma_events *events, uint32_t column, tagma_storage *out)
{
    tagma_storage full = {.struct_bytes = sizeof full};
    tagma_status st = TAGMA_E_RANGE;

    if (column < tagma_schema_n_columns(events->schema))
        st = events->kind->storage(events, column, &full);
    tg_give(out, &full, sizeof full);
    return st;
}

uint64_t tg_events_entry_bytes(const tagma_events *events, const uint32_t *columns, uint32_t n_columns)
{
    uint64_t n = events->info.n_entries, sum = 0;

    for (uint32_t i = 0; i < n_columns; i++) {
        tagma_storage storage = {.struct_bytes = sizeof storage};

        if (tagma_events_storage(events, columns[i], &storage) == TAGMA_OK &&
            !tg_add(sum, storage.bytes, &sum))
            sum = UINT64_MAX;
    }
    if (n == 0)
        return 1;
    return sum / n + (sum < UINT64_MAX);
}

tagma_status tagma_events_basket(const tagma_events *events, uint32_t column, uint64_t i,
                                 tagma_basket_info *out)
{
    tagma_basket_info full = {.struct_bytes = sizeof full};
    tagma_status st = TAGMA_E_RANGE;

    if (column < tagma_schema_n_columns(events->schema))
        st = events->kind->basket(events, column, i, &full);
    tg_give(out, &full, sizeof full);
    return st;
}

tagma_status tagma_events_unchanged(tagma_ctx *ctx, const tagma_events *events)
{
    return events->kind->unchanged(ctx, events);
}

tagma_status tagma_events_save_sidecar(tagma_ctx *ctx, const tagma_events *events, const tagma_index *index,
                                       const char *path, bool force)
{
    return events->kind->save_sidecar(ctx, events, index, path, force);
}

tagma_status tagma_reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                              tagma_reader **out)
{
    static const tagma_reader_options defaults = TAGMA_READER_OPTIONS_INIT;

    *out = NULL;
    if (options && options->struct_bytes != sizeof *options)
        return tg_fail(ctx, TAGMA_E_ARG, "reader options of %zu bytes, this version knows %zu",
                       options->struct_bytes, sizeof *options);
    return events->kind->reader_new(ctx, events, options ? options : &defaults, out);
}

void tagma_reader_free(tagma_reader *reader)
{
    if (reader)
        reader->events->kind->reader_free(reader);
}

tagma_events *tagma_reader_events(const tagma_reader *reader)
{
    return reader->events;
}

void tagma_reader_get_stats(const tagma_reader *reader, tagma_reader_stats *out)
{
    tagma_reader_stats full = {.struct_bytes = sizeof full};

    reader->events->kind->reader_stats(reader, &full);
    tg_give(out, &full, sizeof full);
}

/* The columns a call names, or every supported one; checked. *own is to be freed. */
static tagma_status resolve(tagma_ctx *ctx, const tagma_events *events, const uint32_t **columns,
                            uint32_t *n_columns, uint32_t **own)
{
    const tagma_schema *schema = events->schema;
    uint32_t n_all = tagma_schema_n_columns(schema), n = 0;
    uint8_t *is_named;

    *own = NULL;
    if (!*columns) {
        *own = tg_alloc(ctx, n_all, sizeof **own);
        if (!*own)
            return TAGMA_E_MEMORY;
        for (uint32_t c = 0; c < n_all; c++)
            if (!tagma_schema_column(schema, c)->reason)
                (*own)[n++] = c;
        *columns = *own;
        *n_columns = n;
        return TAGMA_OK;
    }
    is_named = tg_zalloc(ctx, n_all, 1);
    if (!is_named)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < *n_columns; i++) {
        uint32_t c = (*columns)[i];
        const tagma_column *column = tagma_schema_column(schema, c);
        tagma_status st = TAGMA_OK;

        if (!column)
            st = tg_fail(ctx, TAGMA_E_RANGE, "column %" PRIu32 " of %" PRIu32, c, n_all);
        else if (column->reason)
            st = tg_fail(ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s", column->name,
                         column->reason);
        else if (is_named[c])
            st = tg_fail(ctx, TAGMA_E_ARG, "branch %s is asked for twice", column->name);
        if (st < 0) {
            tg_free(ctx, is_named);
            return st;
        }
        is_named[c] = 1;
    }
    tg_free(ctx, is_named);
    return TAGMA_OK;
}

tagma_status tagma_read_columns(tagma_ctx *ctx, tagma_reader *reader, uint64_t first, uint64_t n,
                                const uint32_t *columns, uint32_t n_columns, tagma_batch **out)
{
    tagma_events *events = reader->events;
    tg_rows rows = {.first = first, .n = n};
    uint32_t *own;
    tagma_status st;

    *out = NULL;
    if (!tg_inside(first, n, events->info.n_entries))
        return tg_fail(ctx, TAGMA_E_RANGE, "%s: entries %" PRIu64 " + %" PRIu64 " of %" PRIu64,
                       events->info.tree, first, n, events->info.n_entries);
    st = resolve(ctx, events, &columns, &n_columns, &own);
    if (st == TAGMA_OK)
        st = events->kind->read(ctx, reader, &rows, columns, n_columns, out);
    tg_free(ctx, own);
    return st;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Where each asked entry stands among the sorted ones. */
static void rank_entries(const uint64_t *entries, size_t n, const uint64_t *sorted, uint64_t n_sorted,
                         uint64_t *positions)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t lo = 0, length = n_sorted;

        while (length > 1) {
            uint64_t half = length / 2;
            lo += sorted[lo + half - 1] < entries[i] ? half : 0;
            length -= half;
        }
        positions[i] = lo;
    }
}

static bool is_ascending(const uint64_t *entries, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (entries[i - 1] >= entries[i])
            return false;
    return true;
}

/* Read in the order of entries, each once, then take them in the asked order. */
static tagma_status read_shuffled(tagma_ctx *ctx, tagma_reader *reader, const uint64_t *entries, size_t n,
                                  const uint32_t *columns, uint32_t n_columns, tagma_batch **out)
{
    uint64_t *sorted = tg_alloc(ctx, n, sizeof *sorted), *positions = tg_alloc(ctx, n, sizeof *positions);
    tg_rows rows = {0};
    tagma_batch *batch = NULL;
    tagma_status st = TAGMA_E_MEMORY;

    if (sorted && positions) {
        memcpy(sorted, entries, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_u64);
        for (size_t i = 0; i < n; i++)
            if (rows.n == 0 || sorted[rows.n - 1] != sorted[i])
                sorted[rows.n++] = sorted[i];
        rows.entries = sorted;
        st = reader->events->kind->read(ctx, reader, &rows, columns, n_columns, &batch);
    }
    if (st == TAGMA_OK) {
        rank_entries(entries, n, sorted, rows.n, positions);
        st = tg_batch_take(ctx, batch, positions, n, out);
    }
    tagma_batch_free(batch);
    tg_free(ctx, positions);
    tg_free(ctx, sorted);
    return st;
}

tagma_status tagma_read_rows(tagma_ctx *ctx, tagma_reader *reader, const uint64_t *entries, size_t n,
                             const uint32_t *columns, uint32_t n_columns, tagma_batch **out)
{
    tagma_events *events = reader->events;
    tg_rows rows = {.n = n, .entries = entries};
    uint32_t *own;
    tagma_status st;

    *out = NULL;
    for (size_t i = 0; i < n; i++)
        if (entries[i] >= events->info.n_entries)
            return tg_fail(ctx, TAGMA_E_RANGE, "%s: entry %" PRIu64 " of %" PRIu64, events->info.tree,
                           entries[i], events->info.n_entries);
    st = resolve(ctx, events, &columns, &n_columns, &own);
    if (st == TAGMA_OK && is_ascending(entries, n))
        st = events->kind->read(ctx, reader, &rows, columns, n_columns, out);
    else if (st == TAGMA_OK)
        st = read_shuffled(ctx, reader, entries, n, columns, n_columns, out);
    tg_free(ctx, own);
    return st;
}

tagma_status tagma_read_event(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                              uint64_t entry, void *record, size_t record_bytes, size_t *needed)
{
    const tg_events_kind *kind = reader->events->kind;
    tagma_batch *batch = NULL;
    uint32_t *columns;
    size_t unused;
    tagma_status st;

    if (!needed)
        needed = &unused;
    *needed = 0;
    if (entry >= reader->events->info.n_entries)
        return tg_fail(ctx, TAGMA_E_RANGE, "%s: entry %" PRIu64 " of %" PRIu64, reader->events->info.tree,
                       entry, reader->events->info.n_entries);
    if (kind->read_event)
        return kind->read_event(ctx, reader, plan, entry, record, record_bytes, needed);
    columns = tg_alloc(ctx, tagma_record_plan_n_columns(plan), sizeof *columns);
    if (!columns)
        return TAGMA_E_MEMORY;
    tg_record_plan_columns(plan, columns);
    st = tagma_read_rows(ctx, reader, &entry, 1, columns, tagma_record_plan_n_columns(plan), &batch);
    tg_free(ctx, columns);
    if (st == TAGMA_OK)
        st = tg_record_from_batch(ctx, plan, batch, 0, record, record_bytes, needed);
    tagma_batch_free(batch);
    return st;
}

/* One column of a batch into the caller's memory. */
static tagma_status deliver(tagma_ctx *ctx, const tagma_batch *batch, void *values, size_t values_bytes,
                            uint32_t *const offsets[3], const size_t offsets_bytes[3], uint64_t *needed_bytes)
{
    const tagma_batch_column *column = tagma_batch_column_at(batch, 0);
    uint64_t bytes = column->n_values * tagma_type_bytes(column->type);

    for (uint32_t k = 0; k < column->n_levels; k++) {
        uint64_t wanted = tagma_buffer_size(column->offsets_buffers[k]);

        if (!offsets || !offsets[k])
            continue;
        if (needed_bytes)
            *needed_bytes = wanted;
        if (wanted > offsets_bytes[k])
            return tg_fail(ctx, TAGMA_E_LIMIT,
                           "offsets of level %" PRIu32 " take %" PRIu64 " bytes, there are %zu", k, wanted,
                           offsets_bytes[k]);
        memcpy(offsets[k], column->offsets[k], wanted);
    }
    if (needed_bytes)
        *needed_bytes = bytes;
    if (bytes > values_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT, "the values take %" PRIu64 " bytes, there are %zu", bytes,
                       values_bytes);
    if (bytes > 0)
        memcpy(values, column->values, bytes);
    return column->status == TAGMA_COLUMN_CORRUPT
               ? tg_fail(ctx, TAGMA_E_CORRUPT, "some entries are damaged; read them as a batch to know which")
               : TAGMA_OK;
}

/* The end of both calls below: the one column of a batch that was read, or why it was not. */
static tagma_status hand_over(tagma_ctx *ctx, tagma_status st, tagma_batch *batch, void *values,
                              size_t values_bytes, uint32_t *const offsets[3], const size_t offsets_bytes[3],
                              uint64_t *needed_bytes)
{
    if (st == TAGMA_OK && tagma_batch_column_at(batch, 0)->is_bits)
        st = tagma_batch_bools(ctx, batch, 0, false);
    if (st == TAGMA_OK)
        st = deliver(ctx, batch, values, values_bytes, offsets, offsets_bytes, needed_bytes);
    tagma_batch_free(batch);
    return st;
}

tagma_status tagma_read_into(tagma_ctx *ctx, tagma_reader *reader, uint64_t first, uint64_t n,
                             uint32_t column, void *values, size_t values_bytes, uint32_t *const offsets[3],
                             const size_t offsets_bytes[3], uint64_t *needed_bytes)
{
    tagma_batch *batch;
    tagma_status st = tagma_read_columns(ctx, reader, first, n, &column, 1, &batch);

    return hand_over(ctx, st, batch, values, values_bytes, offsets, offsets_bytes, needed_bytes);
}

tagma_status tagma_gather_into(tagma_ctx *ctx, tagma_reader *reader, const uint64_t *entries, size_t n,
                               uint32_t column, void *values, size_t values_bytes, uint32_t *const offsets[3],
                               const size_t offsets_bytes[3], uint64_t *needed_bytes)
{
    tagma_batch *batch;
    tagma_status st = tagma_read_rows(ctx, reader, entries, n, &column, 1, &batch);

    return hand_over(ctx, st, batch, values, values_bytes, offsets, offsets_bytes, needed_bytes);
}

tagma_status tagma_events_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns,
                                uint32_t n_columns, uint64_t *n_baskets, uint64_t *n_faults)
{
    uint32_t n_all = tagma_schema_n_columns(reader->events->schema);

    for (uint32_t i = 0; columns && i < n_columns; i++)
        if (columns[i] >= n_all)
            return tg_fail(ctx, TAGMA_E_RANGE, "column %" PRIu32 " of %" PRIu32, columns[i], n_all);
    return reader->events->kind->check(ctx, reader, columns, n_columns, n_baskets, n_faults);
}
