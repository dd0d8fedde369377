/* SPDX-License-Identifier: Apache-2.0
 * Events of the fixed layout: an address by arithmetic, one request, and doubles into values. */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "event/batch.h"
#include "store/fixed.h"

enum { CLUSTER_EVENTS = 4096 }; /* there are none, but who reads events in pieces asks where to cut */

static const tg_records *records_of(const tg_store *store)
{
    return &store->records;
}

tagma_status tg_fixed_open(tagma_ctx *ctx, tg_store *store, tg_lane *lane)
{
    const char *file = tagma_source_name(store->source);
    const tg_section *section = tg_header_section(&store->header, TG_STORE_SECTION_RECORDS);
    uint8_t *bytes;
    tagma_status st;

    if (!section)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte %d: no section %s", file, TG_HEADER_FIXED,
                       tg_section_name(TG_STORE_SECTION_RECORDS));
    if (store->header.n_clusters > 0 || store->header.n_chunks > 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: byte 40: %" PRIu32 " clusters and %" PRIu32
                       " chunks in the fixed layout, which has none",
                       file, store->header.n_clusters, store->header.n_chunks);
    TG_TRY(tg_store_read_section(ctx, store, lane, section, 0, &bytes));
    st = tg_records_load(ctx, store->events.schema, &store->header, bytes, file, &store->records);
    tg_free(ctx, bytes);
    return st;
}

static uint64_t block_count(uint64_t n_slots)
{
    return (n_slots - 1) / TG_SLOTS_BLOCK + 1;
}

tagma_status tg_fixed_check_slots(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                                  const uint8_t *bytes)
{
    uint64_t n_slots = records_of(store)->layout.count, n_blocks = block_count(n_slots), n = 0;

    if (section->bytes != n_blocks * (TG_SLOTS_BLOCK / 8))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section slots, byte %" PRIu64 ": %" PRIu64 " bytes for %" PRIu64 " slots",
                       tagma_source_name(store->source), section->offset, section->bytes, n_slots);
    for (uint64_t at = 0; at < section->bytes; at += 8)
        n += (uint64_t)__builtin_popcountll(tg_le64(bytes + at));
    for (uint64_t slot = n_slots; slot < n_blocks * TG_SLOTS_BLOCK; slot++)
        n += bytes[slot / 8] >> (slot % 8) & 1 ? n_slots : 0; /* none is behind the last */
    if (n != store->header.n_events)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section slots, byte %" PRIu64 ": events in %" PRIu64 " slots, expected %" PRIu64,
                       tagma_source_name(store->source), section->offset, n, store->header.n_events);
    return TAGMA_OK;
}

/* Events before each block of slots: the same block for all threads, as a section is. */
static tagma_status rank_slots(tagma_ctx *ctx, const tg_store *store, tg_slots *slots)
{
    tg_store *own = (tg_store *)store; /* what is lazy is not seen from outside */
    tagma_ctx owner = {.limits = ctx->limits, .account = store->events.account};
    uint64_t *ranks = atomic_load_explicit(&own->slot_ranks, memory_order_acquire), *other = NULL;

    if (!ranks) {
        ranks = tg_alloc(&owner, slots->n_blocks + 1, sizeof *ranks);
        if (!ranks)
            return tg_adopt(ctx, TAGMA_E_MEMORY, &owner);
        tg_slots_rank(slots->bits, slots->n_blocks, ranks);
        if (!atomic_compare_exchange_strong(&own->slot_ranks, &other, ranks)) {
            tg_free(&owner, ranks); /* another thread was first */
            ranks = other;
        }
    }
    slots->ranks = ranks;
    return TAGMA_OK;
}

tagma_status tg_fixed_slots(tagma_ctx *ctx, const tg_store *store, tg_slots *out)
{
    uint64_t n_slots = records_of(store)->layout.count, n;

    *out = (tg_slots){.n_blocks = block_count(n_slots)};
    TG_TRY(tg_store_section(ctx, store, TG_STORE_SECTION_CHECKSUMS, &out->checksums, &n));
    if (!out->checksums)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte %d: no section checksums",
                       tagma_source_name(store->source), TG_HEADER_FIXED);
    TG_TRY(tg_store_section(ctx, store, TG_STORE_SECTION_SLOTS, &out->bits, &n));
    if (!out->bits && n_slots != store->header.n_events)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte %d: no section slots",
                       tagma_source_name(store->source), TG_HEADER_FIXED);
    return out->bits ? rank_slots(ctx, store, out) : TAGMA_OK;
}

tagma_status tg_fixed_prepare(tagma_ctx *ctx, tg_fixed_reader *reader)
{
    if (!reader->has_slots)
        TG_TRY(tg_fixed_slots(ctx, reader->store, &reader->slots));
    reader->has_slots = true;
    return TAGMA_OK;
}

uint64_t tg_fixed_offset(const tg_fixed_reader *reader, uint64_t row)
{
    const tg_records *records = records_of(reader->store);

    return records->records_at + tg_slots_select(&reader->slots, row) * records->layout.record_bytes;
}

tagma_status tg_fixed_verify(tagma_ctx *ctx, const tg_fixed_reader *reader, uint64_t row,
                             const uint8_t *record)
{
    uint32_t claimed = tg_le32(reader->slots.checksums + 4 * row),
             found = tg_checksum(record, records_of(reader->store)->layout.record_bytes, row);

    if (found == claimed)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s: record of entry %" PRIu64 ", byte %" PRIu64 ": its checksum is %08" PRIx32
                   ", its bytes give %08" PRIx32,
                   tagma_source_name(reader->store->source), row, tg_fixed_offset(reader, row), claimed,
                   found);
}

tagma_column_status tg_fixed_settle(const tg_fixed_reader *reader, uint64_t row, const uint8_t *record,
                                    uint32_t column)
{
    const tg_records *records = records_of(reader->store);
    const tagma_column *shape = tagma_schema_column(reader->store->events.schema, column);
    uint32_t first = records->first_word[column];
    uint8_t value[8];

    if (tg_le64(record + (uint64_t)first * TG_WORD_BYTES) == TG_NULL_WORD)
        return shape->type == TAGMA_F64 && tg_records_is_exception(records, row, first) ? TAGMA_COLUMN_GOOD
                                                                                        : TAGMA_COLUMN_NULL;
    for (uint32_t i = 0; shape->type != TAGMA_F64 && i < shape->n_items; i++)
        if (tg_word_value(shape->type, tg_le64(record + ((uint64_t)first + i) * TG_WORD_BYTES), value))
            return TAGMA_COLUMN_CORRUPT;
    return TAGMA_COLUMN_GOOD;
}

void tg_fixed_fault(tagma_ctx *ctx, tg_fixed_reader *reader, tagma_status st, uint64_t row,
                    const char *column)
{
    const tagma_events_info *info = &reader->store->events.info;
    char tree[256];
    tagma_fault fault = {.struct_bytes = sizeof fault,
                         .status = st,
                         .file = info->file,
                         .tree = tree,
                         .column = column,
                         .basket = -1,
                         .offset = tg_fixed_offset(reader, row),
                         .first_entry = row,
                         .n_entries = 1,
                         .message = tagma_ctx_message(ctx)};

    snprintf(tree, sizeof tree, "%s;%" PRIu32, info->tree, info->cycle);
    reader->n_faults++;
    tg_fault(ctx, &fault);
}

void tg_fixed_reader_free(tagma_reader *reader)
{
    tg_fixed_reader *own = (tg_fixed_reader *)reader;
    tg_account *account = own->account;

    tg_lane_free(own->lane);
    tg_account_free(account, own->moves);
    tg_account_free(account, own);
    tg_account_release(account);
}

tagma_status tg_fixed_reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                                 tagma_reader **out)
{
    tg_fixed_reader *reader = tg_zalloc(ctx, 1, sizeof *reader);
    tagma_status st;

    *out = NULL;
    if (!reader)
        return TAGMA_E_MEMORY;
    reader->account = tg_account_acquire(ctx->account);
    reader->reader = (tagma_reader){.events = events, .ctx = ctx, .pool = options->pool};
    reader->store = tg_store_of(events);
    reader->verifies = options->verifies;
    reader->is_mapped = tg_source_has_view(reader->store->source);
    st = tg_lane_new(ctx, reader->store->source, &reader->lane);
    if (st < 0) {
        tg_fixed_reader_free(&reader->reader);
        return st;
    }
    *out = &reader->reader;
    return TAGMA_OK;
}

void tg_fixed_reader_stats(const tagma_reader *reader, tagma_reader_stats *out)
{
    const tg_fixed_reader *own = (const tg_fixed_reader *)reader;

    out->io = *tg_lane_stats(own->lane);
    out->baskets = out->distinct_baskets = own->n_records;
    out->faults = own->n_faults;
}

/* Where each word of a plan's columns goes, type by type. */
static tagma_status compile(tagma_ctx *ctx, tg_fixed_reader *reader, const tagma_record_plan *plan)
{
    const tg_records *records = records_of(reader->store);
    uint64_t n_words = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->n_columns; i++)
        n_words += plan->places[i].n_items;
    tg_free(ctx, reader->moves);
    reader->tag = 0;
    reader->moves = tg_alloc(ctx, n_words, sizeof *reader->moves);
    if (!reader->moves)
        return TAGMA_E_MEMORY;
    for (uint32_t type = 0; type < TAGMA_STRING; type++) {
        for (uint32_t i = 0; i < plan->n_columns; i++) {
            const tg_place *place = &plan->places[i];

            for (uint32_t k = 0; place->type == type && k < place->n_items; k++)
                reader->moves[n++] = (tg_word_move){(records->first_word[place->column] + k) * TG_WORD_BYTES,
                                                    place->at + k * place->bytes};
        }
        reader->ends[type] = n;
    }
    reader->tag = plan->tag;
    return TAGMA_OK;
}

/* Columns that are null in this event, or no values of their type. */
static tagma_status settle_all(tagma_ctx *ctx, tg_fixed_reader *reader, const tagma_record_plan *plan,
                               uint64_t row, const uint8_t *from, uint8_t flaws, uint8_t *record)
{
    for (uint32_t i = 0; i < plan->n_columns; i++) {
        const tg_place *place = &plan->places[i];
        uint64_t at = (uint64_t)records_of(reader->store)->first_word[place->column] * TG_WORD_BYTES;
        tagma_column_status status;

        if (flaws == TG_WORD_NULL && place->n_items == 1 && tg_le64(from + at) != TG_NULL_WORD)
            continue;
        status = tg_fixed_settle(reader, row, from, place->column);
        if (status == TAGMA_COLUMN_CORRUPT)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: record of entry %" PRIu64 ", byte %" PRIu64
                           ": no %s stands there for branch %s",
                           tagma_source_name(reader->store->source), row, tg_fixed_offset(reader, row) + at,
                           tagma_type_name((tagma_type)place->type),
                           tagma_schema_column(reader->store->events.schema, place->column)->name);
        if (status == TAGMA_COLUMN_NULL)
            memset(record + place->at, 0, (uint64_t)place->n_items * place->bytes);
        record[plan->status_at + i] = (uint8_t)status;
    }
    return TAGMA_OK;
}

static tagma_status deliver(tagma_ctx *ctx, tg_fixed_reader *reader, const tagma_record_plan *plan,
                            uint64_t row, const uint8_t *from, uint8_t *record)
{
    tg_record_head head = {.tag = plan->tag, .total_bytes = plan->fixed_bytes};
    uint8_t flaws = TG_WORD_GOOD;
    uint32_t begin = 0;

    memset(record, 0, plan->fixed_bytes);
    memcpy(record, &head, sizeof head);
    for (uint32_t type = 0; type < TAGMA_STRING; type++) {
        flaws |=
            tg_words_move((tagma_type)type, from, reader->moves + begin, reader->ends[type] - begin, record);
        begin = reader->ends[type];
    }
    return flaws == TG_WORD_GOOD ? TAGMA_OK : settle_all(ctx, reader, plan, row, from, flaws, record);
}

tagma_status tg_fixed_read_event(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                                 uint64_t entry, void *record, size_t record_bytes, size_t *needed)
{
    tg_fixed_reader *own = (tg_fixed_reader *)reader;
    uint64_t n = records_of(own->store)->layout.record_bytes;
    const uint8_t *bytes;

    *needed = plan->fixed_bytes;
    TG_TRY(tg_record_check_bytes(ctx, plan->fixed_bytes, record_bytes));
    TG_TRY(tg_fixed_prepare(ctx, own));
    if (own->tag != plan->tag)
        TG_TRY(compile(ctx, own, plan));
    TG_TRY(tg_lane_view(ctx, own->lane, tg_fixed_offset(own, entry), n, &bytes));
    tg_lane_count_used(own->lane, n);
    TG_TRY(tg_fixed_verify(ctx, own, entry, bytes));
    own->n_records++;
    return deliver(ctx, own, plan, entry, bytes, record);
}

tagma_status tg_fixed_storage(const tagma_events *events, uint32_t column, tagma_storage *out)
{
    const tg_store *store = tg_store_of(events);
    const tagma_column *shape = tagma_schema_column(events->schema, column);
    uint64_t n = store->header.n_events * shape->n_items;

    *out = (tagma_storage){.struct_bytes = sizeof *out,
                           .n_baskets = 1,
                           .bytes = n * tagma_type_bytes(shape->type),
                           .packed_bytes = n * TG_WORD_BYTES,
                           .codec = "double"};
    return TAGMA_OK;
}

tagma_status tg_fixed_basket(const tagma_events *events, uint32_t column, uint64_t i, tagma_basket_info *out)
{
    const tg_store *store = tg_store_of(events);

    (void)column;
    if (i > 0)
        return TAGMA_E_RANGE;
    *out = (tagma_basket_info){.struct_bytes = sizeof *out,
                               .n_entries = store->header.n_events,
                               .offset = store->records.records_at,
                               .packed_bytes = store->records.layout.extent_bytes};
    return TAGMA_OK;
}

uint64_t tg_fixed_cluster(const tagma_events *events, uint64_t i)
{
    (void)events;
    return i * CLUSTER_EVENTS;
}

uint64_t tg_fixed_n_clusters(uint64_t n_events)
{
    return n_events / CLUSTER_EVENTS + (n_events % CLUSTER_EVENTS != 0);
}
