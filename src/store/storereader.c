/* SPDX-License-Identifier: Apache-2.0
 * A reader of a store: the tables it keeps, the tile at hand, one event. */
#include "store/chunk.h"
#include "store/direct.h"
#include "store/store.h"

void tg_store_reader_free(tagma_reader *reader)
{
    tg_store_reader *own_reader = (tg_store_reader *)reader;
    tg_account *account = own_reader->account;

    for (uint32_t i = 0; i < own_reader->n_kept; i++) {
        tg_table_free(account, &own_reader->kept[i]->table);
        tg_copyplan_free(account, &own_reader->kept[i]->plan);
        tg_account_free(account, own_reader->kept[i]);
    }
    tg_chunk_cache_free(account, own_reader->chunks);
    tg_account_free(account, own_reader->slots);
    tg_account_free(account, own_reader->tile);
    tg_lane_free(own_reader->lane);
    tg_account_free(account, own_reader);
    tg_account_release(account);
}

tagma_status tg_store_reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                                 tagma_reader **out)
{
    tg_store_reader *reader = tg_zalloc(ctx, 1, sizeof *reader);
    tagma_status st = TAGMA_E_MEMORY;

    *out = NULL;
    if (!reader)
        return TAGMA_E_MEMORY;
    reader->account = tg_account_acquire(ctx->account);
    reader->reader = (tagma_reader){.events = events, .ctx = ctx, .pool = options->pool};
    reader->store = tg_store_of(events);
    reader->verifies = options->verifies;
    reader->is_mapped = tg_source_has_view(reader->store->source);
    reader->slots = tg_zalloc(ctx, reader->store->header.n_clusters, 1);
    if (reader->slots)
        st = tg_lane_new(ctx, reader->store->source, &reader->lane);
    if (st < 0) {
        tg_store_reader_free(&reader->reader);
        return st;
    }
    *out = &reader->reader;
    return TAGMA_OK;
}

void tg_store_reader_stats(const tagma_reader *reader, tagma_reader_stats *out)
{
    const tg_store_reader *own_reader = (const tg_store_reader *)reader;

    out->io = *tg_lane_stats(own_reader->lane);
    out->baskets = own_reader->n_tiles + own_reader->n_chunks;
    out->distinct_baskets = out->baskets;
    out->faults = own_reader->n_faults;
}

uint32_t tg_store_cluster_of(const tg_store *store, uint32_t guess, uint64_t entry)
{
    const tg_cluster *clusters = store->clusters;
    uint32_t lo = 0, n = store->header.n_clusters;

    if (entry - clusters[guess].first_entry < clusters[guess].n_events)
        return guess;
    while (n > 1) {
        uint32_t half = n / 2;
        lo += clusters[lo + half].first_entry <= entry ? half : 0;
        n -= half;
    }
    return lo;
}

tagma_status tg_store_within(tagma_ctx *ctx, tagma_status status, const tg_store *store, const char *what,
                             uint64_t number, uint64_t offset)
{
    return tg_within(ctx, status, "%s: %s %" PRIu64 ", byte %" PRIu64, tagma_source_name(store->source), what,
                     number, offset);
}

/* The slot for a table that is to be loaded: a new one, or the one not used for longest. */
static tagma_status free_slot(tagma_ctx *ctx, tg_store_reader *reader, uint32_t *slot)
{
    *slot = 0;
    if (reader->n_kept < TG_TABLES_KEPT) {
        reader->kept[reader->n_kept] = tg_zalloc(ctx, 1, sizeof **reader->kept);
        if (!reader->kept[reader->n_kept])
            return TAGMA_E_MEMORY;
        *slot = reader->n_kept++;
        return TAGMA_OK;
    }
    for (uint32_t i = 1; i < reader->n_kept; i++)
        if (reader->kept[i]->used < reader->kept[*slot]->used)
            *slot = i;
    if (reader->kept[*slot]->table.start)
        reader->slots[reader->kept[*slot]->cluster] = 0;
    tg_copyplan_free(reader->account, &reader->kept[*slot]->plan);
    tg_table_free(reader->account, &reader->kept[*slot]->table);
    reader->kept[*slot]->was_direct = false;
    return TAGMA_OK;
}

static tagma_status fail_table(tagma_ctx *ctx, const tg_store *store, const tg_cluster *it)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s: table of the cluster of entry %" PRIu64 ", byte %" PRIu64
                   ": its checksum is not that of "
                   "its %" PRIu32 " bytes",
                   tagma_source_name(store->source), it->first_entry, it->table_at, it->table_bytes);
}

/* Used where it is mapped; else in a block of its own. */
static tagma_status load_table(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, tg_table *out)
{
    const tg_store *store = reader->store;
    const tg_cluster *it = &store->clusters[cluster];
    tg_section as_section = {
        .offset = it->table_at, .bytes = it->table_bytes, .checksum = it->table_checksum};
    const uint8_t *bytes = NULL;
    tagma_status st;

    if (reader->is_mapped && tg_is_little_endian())
        TG_TRY(tg_lane_view(ctx, reader->lane, it->table_at, it->table_bytes, &bytes));
    out->bytes = NULL;
    if (!bytes || (uintptr_t)bytes % 8 != 0) {
        bytes = out->bytes = tg_alloc(ctx, it->table_bytes, 1);
        if (!bytes)
            return TAGMA_E_MEMORY;
        st = tg_lane_read(ctx, reader->lane, it->table_at, it->table_bytes, out->bytes);
        if (st < 0) {
            tg_table_free(ctx->account, out);
            return st;
        }
    }
    tg_lane_count_used(reader->lane, it->table_bytes);
    if (tg_section_verify(ctx, &as_section, bytes, tagma_source_name(store->source)) < 0) {
        tg_table_free(ctx->account, out);
        return fail_table(ctx, store, it);
    }
    return tg_table_begin(ctx, &store->fields, it, bytes, tagma_source_name(store->source), out);
}

/* A table whose head is known. */
static tagma_status begin_table(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, tg_kept **out)
{
    uint32_t slot = reader->slots[cluster];

    *out = NULL;
    if (slot == 0) {
        TG_TRY(free_slot(ctx, reader, &slot));
        TG_TRY(load_table(ctx, reader, cluster, &reader->kept[slot]->table));
        reader->kept[slot]->cluster = cluster;
        reader->slots[cluster] = (uint8_t)++slot;
    }
    *out = reader->kept[slot - 1];
    (*out)->used = ++reader->clock;
    return TAGMA_OK;
}

/* Its codes, too. */
static tagma_status finish_table(tagma_ctx *ctx, tg_store_reader *reader, tg_kept *kept)
{
    const tg_store *store = reader->store;
    tagma_status st;

    if (kept->table.slots)
        return TAGMA_OK;
    st =
        tg_table_finish(ctx, &store->clusters[kept->cluster], tagma_source_name(store->source), &kept->table);
    if (st < 0)
        reader->slots[kept->cluster] = 0;
    return st;
}

tagma_status tg_reader_table(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, tg_kept **out)
{
    TG_TRY(begin_table(ctx, reader, cluster, out));
    return finish_table(ctx, reader, *out);
}

tagma_status tg_reader_tile_at(tagma_ctx *ctx, const tg_store_reader *reader, const tg_table *table,
                               uint32_t tile, uint64_t *offset, uint64_t *n)
{
    uint32_t begin = tg_le32(table->tiles + 4 * (size_t)tile),
             end = tg_le32(table->tiles + 4 * (size_t)tile + 4);

    if (end <= begin || end - begin < TG_TILE_HEAD || end - begin >= TG_TILE_BYTES_MAX ||
        end > table->tiles_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: tile %" PRIu32 " of the cluster of entry %" PRIu64
                       " is said to lie at bytes %" PRIu32 " to %" PRIu32 " of %" PRIu64,
                       tagma_source_name(reader->store->source), tile, table->first_entry, begin, end,
                       table->tiles_bytes);
    *offset = table->tiles_at + begin;
    *n = end - begin;
    return TAGMA_OK;
}

tagma_status tg_reader_verify_tile(tagma_ctx *ctx, const tg_store_reader *reader, const tg_table *table,
                                   uint32_t tile, const uint8_t *bytes, uint64_t n)
{
    uint64_t entry = table->first_entry + (uint64_t)tile * table->tile_events;
    uint32_t found = tg_checksum(bytes + TG_TILE_HEAD, n - TG_TILE_HEAD, entry);

    if (found == tg_le32(bytes))
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s: tile of entry %" PRIu64 ", byte %" PRIu64 ": its checksum is %08" PRIx32
                   ", its bytes give %08" PRIx32,
                   tagma_source_name(reader->store->source), entry,
                   table->tiles_at + tg_le32(table->tiles + 4 * (size_t)tile), tg_le32(bytes), found);
}

/* Room for a tile of n bytes in the reader's own memory. */
static tagma_status make_room(tagma_ctx *ctx, tg_store_reader *reader, uint64_t n)
{
    if (n + TG_BITS_SLACK <= reader->tile_capacity)
        return TAGMA_OK;
    tg_free(ctx, reader->tile);
    reader->tile_capacity = 0;
    reader->tile = tg_alloc(ctx, n + n / 4 + TG_BITS_SLACK, 1);
    if (!reader->tile)
        return TAGMA_E_MEMORY;
    reader->tile_capacity = n + n / 4 + TG_BITS_SLACK;
    return TAGMA_OK;
}

/* The tile of an event into the reader's own memory, verified. Nothing is read if it is there. */
static tagma_status fetch_tile(tagma_ctx *ctx, tg_store_reader *reader, const tg_kept *kept, uint32_t number,
                               tg_tile *tile)
{
    const uint8_t *bytes;
    uint64_t offset = 0, n = TG_TILE_HEAD;

    TG_TRY(tg_reader_tile_at(ctx, reader, &kept->table, number, &offset, &n));
    if (!reader->has_tile || reader->tile_cluster != kept->cluster || reader->tile_number != number) {
        reader->has_tile = false;
        TG_TRY(make_room(ctx, reader, n));
        if (reader->is_mapped) { /* a straight copy brings the lines in before the checksum looks at them */
            TG_TRY(tg_lane_view(ctx, reader->lane, offset, n, &bytes));
            memcpy(reader->tile, bytes, n);
        } else {
            TG_TRY(tg_lane_read(ctx, reader->lane, offset, n, reader->tile));
        }
        memset(reader->tile + n, 0, TG_BITS_SLACK);
        TG_TRY(tg_reader_verify_tile(ctx, reader, &kept->table, number, reader->tile, n));
        tg_lane_count_used(reader->lane, n);
        reader->n_tiles++;
        reader->tile_cluster = kept->cluster;
        reader->tile_number = number;
        reader->has_tile = true;
    }
    *tile = (tg_tile){reader->tile + TG_TILE_HEAD, (n - TG_TILE_HEAD) * 8, number};
    return TAGMA_OK;
}

tagma_status tg_store_read_event(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                                 uint64_t entry, void *record, size_t record_bytes, size_t *needed)
{
    tg_store_reader *own_reader = (tg_store_reader *)reader;
    const tg_store *store = own_reader->store;
    uint64_t in_cluster;
    tg_kept *kept;
    tg_tile tile;
    uint32_t number;
    tagma_status st;

    own_reader->last = tg_store_cluster_of(store, own_reader->last, entry);
    TG_TRY(begin_table(ctx, own_reader, own_reader->last, &kept));
    in_cluster = entry - kept->table.first_entry;
    number = (uint32_t)(in_cluster / kept->table.tile_events);
    TG_TRY(fetch_tile(ctx, own_reader, kept, number, &tile));
    if (!kept->table.slots && !kept->was_direct) {
        kept->was_direct = true;
        if (tg_direct_event(&kept->table, plan, &tile, (uint32_t)(in_cluster % kept->table.tile_events),
                            record, record_bytes, needed))
            return TAGMA_OK;
    }
    TG_TRY(finish_table(ctx, own_reader, kept));
    if (kept->plan.tag != plan->tag) {
        tg_copyplan_free(own_reader->account, &kept->plan);
        TG_TRY(tg_copyplan_compile(ctx, &kept->table, plan, &kept->plan));
    }
    st = tg_copyplan_run(ctx, &kept->plan, plan, &tile, (uint32_t)(in_cluster % kept->table.tile_events),
                         record, record_bytes, needed);
    if (st == TAGMA_E_CORRUPT)
        return tg_store_within(ctx, st, store, "tile of entry", entry,
                               kept->table.tiles_at + tg_le32(kept->table.tiles + 4 * (size_t)number));
    return st;
}
