/* SPDX-License-Identifier: Apache-2.0
 * Opening a store, and what it tells of itself. */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

#include "event/schema.h"
#include "index/idnames.h"
#include "index/section.h"
#include "store/chunk.h"
#include "store/fixed.h"
#include "store/schemasec.h"

bool tg_store_is(const uint8_t *bytes, size_t n)
{
    static const char magics[][5] = {"\x89TGM", "\x09TGM"}; /* as it is, and copied over a 7-bit line */

    return n >= 4 && (memcmp(bytes, magics[0], 4) == 0 || memcmp(bytes, magics[1], 4) == 0);
}

static tg_store *own(tagma_events *events)
{
    return (tg_store *)events;
}

static void store_close(tagma_events *events)
{
    tg_store *store = own(events);
    tg_account *account = events->account;

    tg_account_free(account, store->fields.block);
    tg_account_free(account, store->clusters);
    tg_account_free(account, store->totals);
    tg_account_free(account, store->chunks);
    tg_account_free(account, store->origin);
    tg_account_free(account, store->provenance);
    tg_account_free(account, store->records.block);
    tg_account_free(account, store->slots);
    tg_account_free(account, store->checksums);
    tg_account_free(account, store->slot_ranks);
    if (store->index)
        tagma_index_release(store->index);
    tg_schema_free(events->schema);
    tg_account_free(account, events->ids);
    tagma_source_release(store->source);
    tg_account_free(account, store);
    tg_account_release(account);
}

tagma_status tg_store_read_section(tagma_ctx *ctx, const tg_store *store, tg_lane *lane,
                                   const tg_section *section, uint64_t room, uint8_t **out)
{
    const char *file = tagma_source_name(store->source);
    uint8_t *block = NULL;
    tagma_status st;

    *out = NULL;
    if (section->bytes > ctx->limits.max_object_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT,
                       "%s: section %s, byte %" PRIu64 ": %" PRIu64 " bytes (limit %" PRIu64 ")", file,
                       tg_section_name(section->id), section->offset, section->bytes,
                       ctx->limits.max_object_bytes);
    block = tg_alloc(ctx, 1, section->bytes + room);
    if (!block)
        return TAGMA_E_MEMORY;
    st = tg_lane_read(ctx, lane, section->offset, section->bytes, block);
    if (st == TAGMA_OK)
        st = tg_section_verify(ctx, section, block, file);
    if (st < 0) {
        tg_free(ctx, block);
        return st;
    }
    *out = block;
    return TAGMA_OK;
}

static tagma_status fail_missing(tagma_ctx *ctx, const tg_store *store, uint32_t id)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte %d: no section %s", tagma_source_name(store->source),
                   TG_HEADER_FIXED, tg_section_name(id));
}

static tagma_status open_schema(tagma_ctx *ctx, tg_store *store, tg_lane *lane)
{
    const tg_header *header = &store->header;
    const tg_section *section = tg_header_section(header, TG_STORE_SECTION_SCHEMA);
    uint8_t *block;
    tg_schemasec loaded;
    tagma_status st;

    if (!section || section->bytes < TG_SCHEMASEC_HEAD)
        return fail_missing(ctx, store, TG_STORE_SECTION_SCHEMA);
    if (header->n_columns > ctx->limits.max_columns || header->n_collections > ctx->limits.max_columns)
        return tg_fail(ctx, TAGMA_E_LIMIT, "%s: %" PRIu32 " columns (limit max_columns %" PRIu32 ")",
                       tagma_source_name(store->source), header->n_columns, ctx->limits.max_columns);
    TG_TRY(tg_store_read_section(ctx, store, lane, section,
                                 tg_schemasec_room(section->bytes, header->n_columns, header->n_collections),
                                 &block));
    st = tg_schemasec_load(ctx, block, section, header, tagma_source_name(store->source), &loaded);
    if (st < 0) {
        tg_free(ctx, block);
        return st;
    }
    store->events.schema = loaded.schema;
    store->events.info.tree = loaded.tree;
    store->events.info.title = loaded.title;
    return tg_fields_new(ctx, loaded.schema, &store->fields);
}

static tagma_status open_directory(tagma_ctx *ctx, tg_store *store, tg_lane *lane)
{
    const tg_section *section = tg_header_section(&store->header, TG_STORE_SECTION_CLUSTERS);
    uint8_t *block;
    tagma_status st;

    if (!section)
        return fail_missing(ctx, store, TG_STORE_SECTION_CLUSTERS);
    if (section->bytes / TG_DIRECTORY_BYTES != store->header.n_clusters)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section clusters, byte %" PRIu64 ": %" PRIu64 " bytes for %" PRIu32 " clusters",
                       tagma_source_name(store->source), section->offset, section->bytes,
                       store->header.n_clusters);
    TG_TRY(tg_store_read_section(ctx, store, lane, section, 0, &block));
    store->clusters = tg_alloc(ctx, store->header.n_clusters, sizeof *store->clusters);
    st = store->clusters ? tg_directory_load(ctx, &store->header, block, section->bytes,
                                             tagma_source_name(store->source), store->clusters)
                         : TAGMA_E_MEMORY;
    tg_free(ctx, block);
    return st;
}

static tagma_status open_header(tagma_ctx *ctx, tg_store *store, tg_lane *lane)
{
    uint64_t size = tagma_source_size(store->source), n = size < TG_HEADER_BYTES ? size : TG_HEADER_BYTES;
    uint8_t bytes[TG_HEADER_BYTES];

    TG_TRY(tg_lane_read(ctx, lane, 0, n, bytes));
    return tg_header_load(ctx, bytes, n, size, tagma_source_name(store->source), &store->header);
}

/* "NAME" or "NAME;CYCLE", or the last part of a path alone. */
static bool is_named(const tg_store *store, const char *wanted)
{
    const char *tree = store->events.info.tree, *cycle = strrchr(wanted, ';'), *slash = strrchr(tree, '/');
    size_t n = cycle ? (size_t)(cycle - wanted) : strlen(wanted);

    if (cycle && strtoul(cycle + 1, NULL, 10) != store->header.cycle)
        return false;
    if (strlen(tree) == n && memcmp(tree, wanted, n) == 0)
        return true;
    return slash && strlen(slash + 1) == n && memcmp(slash + 1, wanted, n) == 0;
}

static tagma_status open_parts(tagma_ctx *ctx, tg_store *store, const tagma_open_options *options,
                               tg_lane *lane)
{
    tagma_events_info *info = &store->events.info;

    TG_TRY(open_header(ctx, store, lane));
    TG_TRY(open_schema(ctx, store, lane));
    if (store->header.layout == TG_LAYOUT_FIXED)
        TG_TRY(tg_fixed_open(ctx, store, lane));
    else
        TG_TRY(open_directory(ctx, store, lane));
    if (options && options->tree && !is_named(store, options->tree))
        return tg_fail(ctx, TAGMA_E_NAME, "%s holds no tree \"%s\" (it holds %s;%" PRIu32 ")",
                       tagma_source_name(store->source), options->tree, info->tree, store->header.cycle);
    if (options && options->ids) {
        store->events.ids = tg_strdup(ctx, options->ids);
        if (!store->events.ids)
            return TAGMA_E_MEMORY;
    }
    info->file = tagma_source_name(store->source);
    info->cycle = store->header.cycle;
    info->n_entries = store->header.n_events;
    info->n_clusters = store->header.n_clusters;
    if (store->header.layout == TG_LAYOUT_FIXED)
        info->n_clusters = tg_fixed_n_clusters(info->n_entries);
    info->packed_bytes = tg_source_stored_bytes(store->source);
    info->condition = TAGMA_CLOSED;
    return TAGMA_OK;
}

/* Where a section that is read lazily is kept. */
static tg_lazy *place_of(tg_store *store, uint32_t id)
{
    switch (id) {
    case TG_STORE_SECTION_TOTALS:
        return &store->totals;
    case TG_STORE_SECTION_CHUNKS:
        return &store->chunks;
    case TG_STORE_SECTION_ORIGIN:
        return &store->origin;
    case TG_STORE_SECTION_SLOTS:
        return &store->slots;
    case TG_STORE_SECTION_CHECKSUMS:
        return &store->checksums;
    default:
        return &store->provenance;
    }
}

static tagma_status check_section(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                                  const uint8_t *bytes)
{
    const char *file = tagma_source_name(store->source);
    uint64_t n_totals = 3 * ((uint64_t)store->fields.n_columns + store->fields.n_lists) * 8;

    if (section->id == TG_STORE_SECTION_ORIGIN)
        return tg_origins_check(ctx, bytes, section->bytes, store->header.n_events, file, section->offset);
    if (section->id == TG_STORE_SECTION_CHUNKS)
        return tg_chunks_check(ctx, store, section, bytes);
    if (section->id == TG_STORE_SECTION_SLOTS)
        return tg_fixed_check_slots(ctx, store, section, bytes);
    if (section->id == TG_STORE_SECTION_CHECKSUMS && section->bytes != 4 * store->header.n_events)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section checksums, byte %" PRIu64 ": %" PRIu64 " bytes for %" PRIu64 " records",
                       file, section->offset, section->bytes, store->header.n_events);
    if (section->id == TG_STORE_SECTION_TOTALS && section->bytes != n_totals)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section totals, byte %" PRIu64 ": %" PRIu64 " bytes, expected %" PRIu64, file,
                       section->offset, section->bytes, n_totals);
    return TAGMA_OK;
}

/* What is read lazily lives with the store, whoever asked first: on the store's account, not on the caller's. */
static tagma_ctx owner_of(const tagma_ctx *ctx, const tg_store *store)
{
    return (tagma_ctx){.limits = ctx->limits, .account = store->events.account};
}

static tagma_status read_lazily(tagma_ctx *owner, const tg_store *store, const tg_section *section,
                                uint8_t **out)
{
    tg_lane *lane;
    tagma_status st;

    TG_TRY(tg_lane_new(owner, store->source, &lane));
    st = tg_store_read_section(owner, store, lane, section, TG_BITS_SLACK, out);
    tg_lane_free(lane);
    return st;
}

tagma_status tg_store_section(tagma_ctx *ctx, const tg_store *store, uint32_t id, const uint8_t **bytes,
                              uint64_t *n)
{
    const tg_section *section = tg_header_section(&store->header, id);
    tg_lazy *place = place_of((tg_store *)store, id); /* what is lazy is not seen from outside */
    uint8_t *block = atomic_load_explicit(place, memory_order_acquire), *other = NULL;
    tagma_ctx owner = owner_of(ctx, store);
    tagma_status st;

    *bytes = block;
    *n = section ? section->bytes : 0;
    if (block || !section)
        return TAGMA_OK;
    st = read_lazily(&owner, store, section, &block);
    if (st == TAGMA_OK)
        st = check_section(&owner, store, section, block);
    if (st < 0) {
        tg_free(&owner, block);
        return tg_adopt(ctx, st, &owner);
    }
    if (!atomic_compare_exchange_strong(place, &other, block)) {
        tg_free(&owner, block); /* another thread was first */
        block = other;
    }
    *bytes = block;
    return TAGMA_OK;
}

static tagma_status load_index(tagma_ctx *owner, const tg_store *store, const tg_section *section,
                               tagma_index **out)
{
    const char *file = tagma_source_name(store->source);
    tagma_index_info info;
    uint8_t *block;

    TG_TRY(read_lazily(owner, store, section, &block));
    TG_TRY(tg_index_load(owner, block, section->bytes, file, section->offset, block, NULL, out));
    tagma_index_get_info(*out, &info);
    if (info.n_entries == store->header.n_events)
        return TAGMA_OK;
    tagma_index_release(*out);
    return tg_fail(owner, TAGMA_E_CORRUPT,
                   "%s: section index, byte %" PRIu64 ": %" PRIu64 " entries, the store has %" PRIu64, file,
                   section->offset, info.n_entries, store->header.n_events);
}

/* Is the index of the id columns that the store was opened with? */
static bool is_wanted(const tg_store *store, const tagma_index *index)
{
    tagma_ctx ctx = {.limits = TAGMA_LIMITS_INIT, .account = store->events.account};
    tagma_index_info info;
    tagma_ids ids;
    bool same;

    if (!store->events.ids)
        return true;
    tagma_index_get_info(index, &info);
    same = tg_ids_find(&ctx, store->events.schema, store->events.info.tree, store->events.ids, &ids) ==
               TAGMA_OK &&
           ids.n_axes == info.n_axes;
    for (uint32_t a = 0; same && a < info.n_axes; a++)
        same = strcmp(info.names[a], tagma_schema_column(store->events.schema, ids.columns[a])->name) == 0;
    return same;
}

static tagma_status given(const tg_store *store, tagma_index *index, const tagma_index **out)
{
    *out = is_wanted(store, index) ? index : NULL;
    return *out ? TAGMA_OK : TAGMA_ABSENT;
}

tagma_status tg_store_index(tagma_ctx *ctx, const tagma_events *events, const tagma_index **out)
{
    tg_store *store = (tg_store *)events;
    const tg_section *section = tg_header_section(&store->header, TG_STORE_SECTION_INDEX);
    tagma_index *index = atomic_load_explicit(&store->index, memory_order_acquire), *other = NULL;
    tagma_ctx owner = owner_of(ctx, store);
    tagma_status st;

    *out = NULL;
    if (index)
        return given(store, index, out);
    if (!section)
        return TAGMA_ABSENT;
    st = load_index(&owner, store, section, &index);
    if (st < 0)
        return tg_adopt(ctx, st, &owner);
    if (!atomic_compare_exchange_strong(&store->index, &other, index)) {
        tagma_index_release(index);
        index = other;
    }
    return given(store, index, out);
}

tagma_status tg_store_provenance(tagma_ctx *ctx, const tagma_events *events, tg_provenance *out, void **block)
{
    const tg_store *store = tg_store_of(events);
    const tg_section *section = tg_header_section(&store->header, TG_STORE_SECTION_PROVENANCE);
    const uint8_t *bytes;
    uint64_t n;

    *block = NULL;
    TG_TRY(tg_store_section(ctx, store, TG_STORE_SECTION_PROVENANCE, &bytes, &n));
    if (!section)
        return fail_missing(ctx, store, TG_STORE_SECTION_PROVENANCE);
    TG_TRY(tg_provenance_load(ctx, bytes, n, tagma_source_name(store->source), section->offset, out, block));
    out->tree = events->info.tree;
    out->title = events->info.title;
    out->cycle = events->info.cycle;
    return TAGMA_OK;
}

tagma_status tg_store_origin(tagma_ctx *ctx, const tagma_events *events, uint64_t row, uint64_t *entry)
{
    const uint8_t *bytes;
    uint64_t n;

    if (row >= events->info.n_entries)
        return tg_fail(ctx, TAGMA_E_RANGE, "%s: entry %" PRIu64 " of %" PRIu64, events->info.tree, row,
                       events->info.n_entries);
    TG_TRY(tg_store_section(ctx, tg_store_of(events), TG_STORE_SECTION_ORIGIN, &bytes, &n));
    *entry = tg_origins_at(bytes, row);
    return TAGMA_OK;
}

static const char *codec_of(uint64_t kinds)
{
    for (uint32_t k = 0; k < TG_N_CODE_KINDS; k++)
        if (kinds == UINT64_C(1) << k)
            return tg_code_name(k);
    return kinds >> TG_SPARSE_KIND & 1 ? "sparse" : "mixed";
}

static tagma_status store_storage(const tagma_events *events, uint32_t column, tagma_storage *out)
{
    const tg_store *store = tg_store_of(events);
    /* This getter has no context: a lazy section is read with one of its own. */
    tagma_ctx ctx = {.limits = TAGMA_LIMITS_INIT, .account = events->account};
    const tagma_column *shape = tagma_schema_column(events->schema, column);
    uint64_t n_columns = store->fields.n_columns, n_values = store->header.n_events, n;
    uint32_t lists = store->fields.column_lists[column];
    const uint8_t *totals;

    memset(out, 0, sizeof *out);
    out->struct_bytes = sizeof *out;
    TG_TRY(tg_store_section(&ctx, store, TG_STORE_SECTION_TOTALS, &totals, &n));
    if (!totals)
        return fail_missing(&ctx, store, TG_STORE_SECTION_TOTALS);
    if (lists != TAGMA_NONE)
        n_values = tg_le64(totals + 8 * (3 * n_columns + lists));
    out->n_baskets = store->header.n_clusters;
    out->bytes = n_values * tg_word_count(shape) * tagma_type_bytes(shape->type);
    out->packed_bytes =
        (tg_le64(totals + 8 * (uint64_t)column) + 7) / 8 + tg_le64(totals + 8 * (n_columns + column));
    out->codec = codec_of(tg_le64(totals + 8 * (2 * n_columns + column)));
    return TAGMA_OK;
}

static tagma_status store_basket(const tagma_events *events, uint32_t column, uint64_t i,
                                 tagma_basket_info *out)
{
    const tg_store *store = tg_store_of(events);

    (void)column;
    if (i >= store->header.n_clusters)
        return TAGMA_E_RANGE;
    *out = (tagma_basket_info){.struct_bytes = sizeof *out,
                               .first_entry = store->clusters[i].first_entry,
                               .n_entries = store->clusters[i].n_events,
                               .offset = store->clusters[i].tiles_at,
                               .packed_bytes = store->clusters[i].tiles_bytes};
    return TAGMA_OK;
}

static uint64_t store_cluster(const tagma_events *events, uint64_t i)
{
    return tg_store_of(events)->clusters[i].first_entry;
}

/* Never called: a store has no friends. */
static tagma_status store_friend(const tagma_events *events, uint32_t i, const char **name, const char **file)
{
    (void)events;
    (void)i;
    (void)name;
    (void)file;
    return TAGMA_E_RANGE;
}

static tagma_status store_unchanged(tagma_ctx *ctx, const tagma_events *events)
{
    return tg_source_check(ctx, tg_store_of(events)->source);
}

static tagma_status store_save_sidecar(tagma_ctx *ctx, const tagma_events *events, const tagma_index *index,
                                       const char *path, bool force)
{
    (void)index;
    (void)path;
    (void)force;
    return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "%s is a store, and holds its own index; it has no sidecar",
                   events->info.file);
}

static void reader_free(tagma_reader *reader)
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

static tagma_status reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
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
    reader->is_mapped = tg_source_has_view(reader->store->source);
    reader->slots = tg_zalloc(ctx, reader->store->header.n_clusters, 1);
    if (reader->slots)
        st = tg_lane_new(ctx, reader->store->source, &reader->lane);
    if (st < 0) {
        reader_free(&reader->reader);
        return st;
    }
    *out = &reader->reader;
    return TAGMA_OK;
}

static void reader_stats(const tagma_reader *reader, tagma_reader_stats *out)
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
    if (reader->kept[*slot]->table.block)
        reader->slots[reader->kept[*slot]->cluster] = 0;
    tg_copyplan_free(reader->account, &reader->kept[*slot]->plan);
    tg_table_free(reader->account, &reader->kept[*slot]->table);
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
    return tg_table_load(ctx, &store->fields, it, bytes, tagma_source_name(store->source), out);
}

tagma_status tg_reader_table(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, tg_kept **out)
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

static tagma_status store_read_event(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
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
    TG_TRY(tg_reader_table(ctx, own_reader, own_reader->last, &kept));
    if (kept->plan.tag != plan->tag) {
        tg_copyplan_free(own_reader->account, &kept->plan);
        TG_TRY(tg_copyplan_compile(ctx, &kept->table, plan, &kept->plan));
    }
    in_cluster = entry - kept->table.first_entry;
    number = (uint32_t)(in_cluster / kept->table.tile_events);
    TG_TRY(fetch_tile(ctx, own_reader, kept, number, &tile));
    st = tg_copyplan_run(ctx, &kept->plan, plan, &tile, (uint32_t)(in_cluster % kept->table.tile_events),
                         record, record_bytes, needed);
    if (st == TAGMA_E_CORRUPT)
        return tg_store_within(ctx, st, store, "tile of entry", entry,
                               kept->table.tiles_at + tg_le32(kept->table.tiles + 4 * (size_t)number));
    return st;
}

static const tg_events_kind store_kind = {
    .name = "Tagma store",
    .close = store_close,
    .storage = store_storage,
    .basket = store_basket,
    .cluster = store_cluster,
    .friend_at = store_friend,
    .index = tg_store_index,
    .unchanged = store_unchanged,
    .save_sidecar = store_save_sidecar,
    .reader_new = reader_new,
    .reader_free = reader_free,
    .reader_stats = reader_stats,
    .read = tg_store_read,
    .read_event = store_read_event,
    .check = tg_store_check,
};

static const tg_events_kind fixed_kind = {
    .name = "Tagma store",
    .close = store_close,
    .storage = tg_fixed_storage,
    .basket = tg_fixed_basket,
    .cluster = tg_fixed_cluster,
    .friend_at = store_friend,
    .index = tg_store_index,
    .unchanged = store_unchanged,
    .save_sidecar = store_save_sidecar,
    .reader_new = tg_fixed_reader_new,
    .reader_free = tg_fixed_reader_free,
    .reader_stats = tg_fixed_reader_stats,
    .read = tg_fixed_read,
    .read_event = tg_fixed_read_event,
    .check = tg_fixed_check,
};

void tg_store_read_from(tagma_reader *reader, tg_store_from from)
{
    if (reader->events->kind == &store_kind)
        ((tg_store_reader *)reader)->from = (uint8_t)from;
}

tagma_status tg_store_is_hot(tagma_ctx *ctx, tagma_reader *reader, uint32_t column, bool *is_hot)
{
    uint32_t number;
    tagma_status st;

    *is_hot = false;
    if (reader->events->kind != &store_kind) /* records have everything once */
        return TAGMA_OK;
    st = tg_chunk_find(ctx, (tg_store_reader *)reader, column, &number);
    *is_hot = st == TAGMA_OK && number != TAGMA_NONE;
    return st;
}

bool tg_events_are_store(const tagma_events *events)
{
    return events->kind == &store_kind || events->kind == &fixed_kind;
}

tagma_status tg_store_open(tagma_ctx *ctx, tagma_source *source, const tagma_open_options *options,
                           tagma_events **out)
{
    tg_store *store = tg_zalloc(ctx, 1, sizeof *store);
    tg_lane *lane;
    tagma_status st;

    *out = NULL;
    if (!store)
        return TAGMA_E_MEMORY;
    store->events.kind = &store_kind;
    store->events.account = tg_account_acquire(ctx->account);
    store->source = tagma_source_acquire(source);
    atomic_init(&store->events.users, 1);
    st = tg_lane_new(ctx, source, &lane);
    if (st == TAGMA_OK) {
        st = open_parts(ctx, store, options, lane);
        tg_lane_free(lane);
    }
    if (store->header.layout == TG_LAYOUT_FIXED)
        store->events.kind = &fixed_kind;
    if (st < 0) {
        tagma_events_release(&store->events);
        return st;
    }
    *out = &store->events;
    return TAGMA_OK;
}
