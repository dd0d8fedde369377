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
#include "store/totals.h"

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
    if (store->schema)
        tg_shared_release(account, &store->schema->shared);
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

/* A section where it is mapped, if it can be used there; else in a block of its own. Verified. */
static tagma_status borrow_section(tagma_ctx *ctx, const tg_store *store, tg_lane *lane,
                                   const tg_section *section, const uint8_t **bytes, uint8_t **own)
{
    *bytes = *own = NULL;
    if (tg_source_has_view(store->source) && tg_is_little_endian())
        TG_TRY(tg_lane_view(ctx, lane, section->offset, section->bytes, bytes));
    if (*bytes && (uintptr_t)*bytes % 8 == 0)
        return tg_section_verify(ctx, section, *bytes, tagma_source_name(store->source));
    TG_TRY(tg_store_read_section(ctx, store, lane, section, 0, own));
    *bytes = *own;
    return TAGMA_OK;
}

tagma_status tg_store_fail_missing(tagma_ctx *ctx, const tg_store *store, uint32_t id)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte %d: no section %s", tagma_source_name(store->source),
                   TG_HEADER_FIXED, tg_section_name(id));
}

static void free_schema(tg_account *account, tg_shared *shared)
{
    tg_store_schema *schema = (tg_store_schema *)shared;

    tg_account_free(account, schema->fields.block);
    tg_schema_free(schema->schema);
    tagma_source_release(schema->source);
    tg_account_free(account, schema);
}

static tagma_status load_schema(tagma_ctx *ctx, tg_store *store, tg_lane *lane, const tg_section *section,
                                tg_store_schema *to)
{
    const uint8_t *bytes = NULL;
    uint8_t *own = NULL;
    tg_schemasec loaded;
    tagma_status st;

    TG_TRY(borrow_section(ctx, store, lane, section, &bytes, &own));
    st = tg_schemasec_load(ctx, bytes, own, section, &store->header, tagma_source_name(store->source),
                           &loaded);
    if (st < 0) {
        tg_free(ctx, own);
        return st;
    }
    to->is_lent = !own && !tg_source_owns_bytes(store->source);
    to->schema = loaded.schema;
    to->tree = loaded.tree;
    to->title = loaded.title;
    return tg_fields_new(ctx, loaded.schema, &to->fields);
}

/* Stores of one context whose schemas have an equal hash have one schema, which is read once. */
static tagma_status open_schema(tagma_ctx *ctx, tg_store *store, tg_lane *lane)
{
    const tg_header *header = &store->header;
    const tg_section *section = tg_header_section(header, TG_STORE_SECTION_SCHEMA);
    tg_store_schema *schema;
    tagma_status st;

    if (!section || section->bytes < TG_SCHEMASEC_HEAD)
        return tg_store_fail_missing(ctx, store, TG_STORE_SECTION_SCHEMA);
    if (header->n_columns > ctx->limits.max_columns || header->n_collections > ctx->limits.max_columns)
        return tg_fail(ctx, TAGMA_E_LIMIT, "%s: %" PRIu32 " columns (limit max_columns %" PRIu32 ")",
                       tagma_source_name(store->source), header->n_columns, ctx->limits.max_columns);
    schema = (tg_store_schema *)tg_shared_acquire(ctx->account, section->checksum, free_schema);
    if (schema && schema->bytes == section->bytes && header->n_columns == schema->fields.n_columns &&
        header->n_collections == tagma_schema_n_collections(schema->schema)) {
        store->schema = schema;
        return TAGMA_OK;
    }
    if (schema)
        tg_shared_release(ctx->account, &schema->shared);
    schema = tg_zalloc(ctx, 1, sizeof *schema);
    if (!schema)
        return TAGMA_E_MEMORY;
    schema->shared.key = section->checksum;
    schema->shared.free = free_schema;
    schema->bytes = section->bytes;
    schema->source = tagma_source_acquire(store->source); /* where it may lie mapped */
    st = load_schema(ctx, store, lane, section, schema);
    if (st < 0) {
        free_schema(ctx->account, &schema->shared);
        return st;
    }
    schema->shared.users = 1;
    if (!schema->is_lent)
        tg_shared_offer(ctx->account, &schema->shared);
    store->schema = schema;
    return TAGMA_OK;
}

static tagma_status open_directory(tagma_ctx *ctx, tg_store *store, tg_lane *lane)
{
    const tg_section *section = tg_header_section(&store->header, TG_STORE_SECTION_CLUSTERS);
    uint8_t *block;
    tagma_status st;

    if (!section)
        return tg_store_fail_missing(ctx, store, TG_STORE_SECTION_CLUSTERS);
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
    store->events.schema = store->schema->schema;
    store->fields = store->schema->fields;
    info->tree = store->schema->tree;
    info->title = store->schema->title;
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

    if (section->id == TG_STORE_SECTION_ORIGIN)
        return tg_origins_check(ctx, bytes, section->bytes, store->header.n_events, file, section->offset);
    if (section->id == TG_STORE_SECTION_TOTALS)
        return tg_totals_check(ctx, store, section, bytes);
    if (section->id == TG_STORE_SECTION_CHUNKS)
        return tg_chunks_check(ctx, store, section, bytes);
    if (section->id == TG_STORE_SECTION_SLOTS)
        return tg_fixed_check_slots(ctx, store, section, bytes);
    if (section->id == TG_STORE_SECTION_CHECKSUMS && section->bytes != 4 * store->header.n_events)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section checksums, byte %" PRIu64 ": %" PRIu64 " bytes for %" PRIu64 " records",
                       file, section->offset, section->bytes, store->header.n_events);
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

tagma_status tg_store_verify_schema(tagma_ctx *ctx, const tg_store *store)
{
    tagma_ctx owner = owner_of(ctx, store);
    uint8_t *bytes = NULL;
    tagma_status st =
        read_lazily(&owner, store, tg_header_section(&store->header, TG_STORE_SECTION_SCHEMA), &bytes);

    tg_free(&owner, bytes);
    return st < 0 ? tg_adopt(ctx, st, &owner) : TAGMA_OK;
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
    tagma_index_info info = {.struct_bytes = sizeof info};
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
    tagma_index_info info = {.struct_bytes = sizeof info};
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
        return tg_store_fail_missing(ctx, store, TG_STORE_SECTION_PROVENANCE);
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

static const tg_events_kind store_kind = {
    .name = "Tagma store",
    .close = store_close,
    .storage = tg_totals_storage,
    .basket = store_basket,
    .cluster = store_cluster,
    .friend_at = store_friend,
    .index = tg_store_index,
    .unchanged = store_unchanged,
    .save_sidecar = store_save_sidecar,
    .reader_new = tg_store_reader_new,
    .reader_free = tg_store_reader_free,
    .reader_stats = tg_store_reader_stats,
    .read = tg_store_read,
    .read_event = tg_store_read_event,
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
