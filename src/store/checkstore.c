/* SPDX-License-Identifier: Apache-2.0
 * Checking a store: every section, table, tile and chunk, and that tiles and chunks decode. */
#include "base/num.h"
#include "store/block.h"
#include "store/chunk.h"
#include "store/texts.h"

/* A fault is told; what stops everything is given back. */
static tagma_status note_of(tagma_ctx *ctx, const tg_store *store, tagma_status st, uint64_t offset,
                            uint64_t first, uint64_t n, uint64_t *n_faults)
{
    if (st != TAGMA_E_CORRUPT && st != TAGMA_E_TRUNCATED)
        return st < 0 ? st : TAGMA_OK;
    tg_store_tell(ctx, store, st, offset, first, n);
    ++*n_faults;
    return TAGMA_OK;
}

static tagma_status note(tagma_ctx *ctx, tg_store_reader *reader, tagma_status st, uint64_t offset,
                         uint64_t first, uint64_t n, uint64_t *n_faults)
{
    uint64_t before = *n_faults;

    TG_TRY(note_of(ctx, reader->store, st, offset, first, n, n_faults));
    reader->n_faults += *n_faults - before;
    return TAGMA_OK;
}

tagma_status tg_store_check_sections(tagma_ctx *ctx, const tg_store *store, uint64_t *n_faults)
{
    static const uint32_t lazy[] = {TG_STORE_SECTION_TOTALS, TG_STORE_SECTION_CHUNKS, TG_STORE_SECTION_ORIGIN,
                                    TG_STORE_SECTION_SLOTS, TG_STORE_SECTION_CHECKSUMS};
    const tg_section *section;
    const tagma_index *index;
    const uint8_t *bytes;
    tg_provenance provenance;
    void *block = NULL;
    uint64_t n;

    section = tg_header_section(&store->header, TG_STORE_SECTION_SCHEMA);
    TG_TRY(note_of(ctx, store, tg_store_verify_schema(ctx, store), section->offset, 0, 0, n_faults));
    for (size_t i = 0; i < sizeof lazy / sizeof lazy[0]; i++) {
        section = tg_header_section(&store->header, lazy[i]);
        TG_TRY(note_of(ctx, store, tg_store_section(ctx, store, lazy[i], &bytes, &n),
                       section ? section->offset : 0, 0, 0, n_faults));
    }
    section = tg_header_section(&store->header, TG_STORE_SECTION_INDEX);
    TG_TRY(note_of(ctx, store, tg_store_index(ctx, &store->events, &index), section ? section->offset : 0, 0,
                   0, n_faults));
    section = tg_header_section(&store->header, TG_STORE_SECTION_PROVENANCE);
    TG_TRY(note_of(ctx, store, tg_store_provenance(ctx, &store->events, &provenance, &block),
                   section ? section->offset : 0, 0, 0, n_faults));
    tg_free(ctx, block);
    return TAGMA_OK;
}

/* Ends do not fall; each string that is a number of a text is that of one. */
static tagma_status check_ends(tagma_ctx *ctx, const tg_table *table, const tg_tile *tile, uint32_t l,
                               const tg_tile_lists *lists)
{
    const tg_tile_texts texts = {table, tile, l, lists->ends_at};
    uint64_t entry = (uint64_t)tile->number * table->tile_events, n = lists->n_lists, bytes;
    uint32_t last = 0;

    if (table->lists[l].are_texts) {
        if (table->fields->lists[l].parent == TAGMA_NONE && table->n_events - entry < table->tile_events)
            n = (table->n_events - entry) * table->fields->lists[l].per_parent;
        return tg_texts_measure(ctx, &texts, 0, n, &bytes);
    }
    for (uint64_t i = 1; i <= n; i++) {
        uint32_t end = tg_tile_end(tile, &table->lists[l], lists->ends_at, i);

        if (end < last)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "its lists do not fit into it");
        last = end;
    }
    return TAGMA_OK;
}

/* Everything in the tile is where its lists say, and nothing is behind it. */
static tagma_status check_geometry(tagma_ctx *ctx, const tg_store_reader *reader, const tg_table *table,
                                   const tg_tile *tile, tg_tile_lists *lists, uint64_t *presence)
{
    uint64_t entry = table->first_entry + (uint64_t)tile->number * table->tile_events, at;
    uint64_t *rests = presence + table->n_sparse + 1;
    bool is_sound = tg_tile_measure(table, tile, table->fields->n_lists, lists, &at) &&
                    tg_tile_measure_sparse(table, tile, lists, at, table->n_sparse, presence, rests) &&
                    tg_tile_is_full(tile, rests[table->n_sparse]);
    tagma_status st = is_sound ? TAGMA_OK : tg_fail(ctx, TAGMA_E_CORRUPT, "its lists do not fit into it");

    for (uint32_t l = 0; st == TAGMA_OK && l < table->fields->n_lists; l++)
        st = check_ends(ctx, table, tile, l, &lists[l]);
    if (st == TAGMA_OK)
        return TAGMA_OK;
    return tg_within(ctx, st, "%s: tile of entry %" PRIu64 ", byte %" PRIu64,
                     tagma_source_name(reader->store->source), entry,
                     table->tiles_at + tg_le32(table->tiles + 4 * (size_t)tile->number));
}

/* What checking the tiles of a cluster needs. */
typedef struct checking {
    tg_store_reader *reader;
    const tg_table *table;
    tg_tile_lists *lists;
    uint64_t *presence;
    uint8_t *bytes;
    uint64_t capacity;
} checking;

static tagma_status check_tile(tagma_ctx *ctx, checking *it, uint32_t number)
{
    const tg_table *table = it->table;
    tg_tile tile = {.number = number};
    uint64_t offset = 0, n = TG_TILE_HEAD;

    TG_TRY(tg_reader_tile_at(ctx, it->reader, table, number, &offset, &n));
    if (!it->bytes || n + TG_BITS_SLACK > it->capacity) {
        tg_free(ctx, it->bytes);
        it->capacity = 0;
        it->bytes = tg_alloc(ctx, 2 * n + TG_BITS_SLACK, 1);
        if (!it->bytes)
            return TAGMA_E_MEMORY;
        it->capacity = 2 * n + TG_BITS_SLACK;
    }
    TG_TRY(tg_lane_read(ctx, it->reader->lane, offset, n, it->bytes));
    memset(it->bytes + n, 0, TG_BITS_SLACK);
    TG_TRY(tg_reader_verify_tile(ctx, it->reader, table, number, it->bytes, n));
    tile.words = it->bytes + TG_TILE_HEAD;
    tile.n_bits = (n - TG_TILE_HEAD) * 8;
    return check_geometry(ctx, it->reader, table, &tile, it->lists, it->presence);
}

static tagma_status check_tiles(tagma_ctx *ctx, tg_store_reader *reader, const tg_table *table,
                                uint64_t *n_tiles, uint64_t *n_faults)
{
    checking it = {.reader = reader, .table = table};
    tagma_status st = TAGMA_OK;

    it.lists = tg_alloc(ctx, table->fields->n_lists, sizeof *it.lists);
    it.presence = tg_alloc(ctx, 2 * ((uint64_t)table->n_sparse + 1), sizeof *it.presence);
    if (!it.lists || !it.presence)
        st = TAGMA_E_MEMORY;
    for (uint32_t t = 0; st == TAGMA_OK && t < table->n_tiles; t++) {
        uint64_t first = table->first_entry + (uint64_t)t * table->tile_events;
        uint64_t left = table->first_entry + table->n_events - first;

        st = note(ctx, reader, check_tile(ctx, &it, t),
                  table->tiles_at + tg_le32(table->tiles + 4 * (size_t)t), first,
                  left < table->tile_events ? left : table->tile_events, n_faults);
        ++*n_tiles;
        reader->n_tiles++;
    }
    tg_free(ctx, it.bytes);
    tg_free(ctx, it.lists);
    tg_free(ctx, it.presence);
    return st;
}

/* Words that a chunk must have, as the chunks of its lists say; those are loaded. */
static tagma_status expected_words(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, uint32_t lists,
                                   uint64_t *n)
{
    const tg_fields *fields = &reader->store->fields;
    const tg_chunk *chunk;
    uint32_t number;

    *n = reader->store->clusters[cluster].n_events;
    if (lists == TAGMA_NONE)
        return TAGMA_OK;
    TG_TRY(expected_words(ctx, reader, cluster, fields->lists[lists].parent, n));
    *n *= fields->lists[lists].per_parent;
    TG_TRY(tg_chunk_find(ctx, reader, lists | (uint32_t)TG_CHUNK_LISTS, &number));
    if (number == TAGMA_NONE)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: no chunk of lists %" PRIu32,
                       tagma_source_name(reader->store->source), lists);
    TG_TRY(tg_chunk_lists(ctx, reader, cluster, number, *n, &chunk));
    *n = chunk->offsets[*n];
    return TAGMA_OK;
}

static tagma_status check_chunk(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, uint32_t number)
{
    const tg_fields *fields = &reader->store->fields;
    uint32_t which = tg_chunk_which(reader, number);
    const tg_chunk *chunk;
    uint64_t n;

    if (which & (uint32_t)TG_CHUNK_LISTS)
        return expected_words(ctx, reader, cluster, which & ~(uint32_t)TG_CHUNK_LISTS, &n);
    TG_TRY(expected_words(ctx, reader, cluster, fields->column_lists[which], &n));
    return tg_chunk_load(ctx, reader, cluster, number,
                         n * tg_word_count(tagma_schema_column(fields->schema, which)), &chunk);
}

static tagma_status check_chunks(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster,
                                 uint64_t *n_chunks, uint64_t *n_faults)
{
    const tg_cluster *it = &reader->store->clusters[cluster];
    uint32_t ignored;

    if (tg_chunk_find(ctx, reader, 0, &ignored) < 0) /* the section has been told */
        return ctx->failed == TAGMA_E_CORRUPT ? TAGMA_OK : ctx->failed;
    for (uint32_t i = 0; i < tg_chunk_count(reader); i++, ++*n_chunks)
        TG_TRY(note(ctx, reader, check_chunk(ctx, reader, cluster, i), it->chunks_at, 0, 0, n_faults));
    return TAGMA_OK;
}

tagma_status tg_store_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                            uint64_t *n_baskets, uint64_t *n_faults)
{
    tg_store_reader *own = (tg_store_reader *)reader;
    const tg_store *store = own->store;

    (void)columns; /* a tile has them all */
    (void)n_columns;
    *n_baskets = *n_faults = 0;
    TG_TRY(tg_store_check_sections(ctx, store, n_faults));
    own->n_faults += *n_faults;
    for (uint32_t i = 0; i < store->header.n_clusters; i++) {
        const tg_cluster *cluster = &store->clusters[i];
        tg_kept *kept = NULL;
        tagma_status st = tg_reader_table(ctx, own, i, &kept);

        TG_TRY(note(ctx, own, st, cluster->table_at, cluster->first_entry, cluster->n_events, n_faults));
        if (st == TAGMA_OK)
            TG_TRY(check_tiles(ctx, own, &kept->table, n_baskets, n_faults));
        TG_TRY(check_chunks(ctx, own, i, n_baskets, n_faults));
        TG_TRY(tg_progress(ctx, "check", "events", cluster->first_entry + cluster->n_events,
                           store->header.n_events));
    }
    return TAGMA_OK;
}
