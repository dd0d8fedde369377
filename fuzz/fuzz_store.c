/* SPDX-License-Identifier: Apache-2.0
 * Stores of every layout: header, section table, schema, cluster tables, tiles, chunks, records. Input: a byte (bit 0 mends all checksums so that what they
 * guard is reached, bit 1 hides that the bytes lie in memory), then the store. */
#include "fuzz.h"

#include <string.h>
#include <xxhash.h>

#include "store/fixed.h"

enum { MEMORY_BYTES_MAX = 64 << 20, RECORD_BYTES = 1 << 20, EVENTS_MAX = 3000 };

/* A store's head, sections and tables get the checksums that their bytes have. */
static void mend_head(uint8_t *bytes, size_t n)
{
    uint32_t n_sections = tg_le32(bytes + 64);

    for (uint32_t i = 0; i < n_sections && i < TG_STORE_SECTIONS_MAX; i++) {
        uint8_t *row = bytes + TG_HEADER_FIXED + (size_t)i * TG_STORE_SECTION_BYTES;
        uint64_t offset = tg_le64(row + 8), length = tg_le64(row + 16);

        if (!tg_inside(offset, length, n))
            continue;
        for (uint64_t at = 0; tg_le32(row) == TG_STORE_SECTION_CLUSTERS && at + TG_DIRECTORY_BYTES <= length;
             at += TG_DIRECTORY_BYTES) {
            uint8_t *cluster = bytes + offset + at;
            uint64_t table = tg_le64(cluster + 32), table_bytes = tg_le32(cluster + 12);

            if (tg_inside(table, table_bytes, n))
                tg_put_le64(cluster + 40, XXH3_64bits(bytes + table, table_bytes));
        }
        tg_put_le64(row + 24, XXH3_64bits(bytes + offset, length));
    }
    tg_put_le64(bytes + 16, n);
    tg_put_le64(bytes + TG_HEADER_BYTES - 8, XXH3_64bits(bytes, TG_HEADER_BYTES - 8));
}

/* The same for tiles and chunks, with what an open store knows of them. */
static void mend_tiles(const tg_store *store, uint32_t i, uint8_t *bytes, size_t n)
{
    const tg_cluster *cluster = &store->clusters[i];
    const uint8_t *table = bytes + cluster->table_at;
    uint64_t starts = TG_TABLE_HEAD + (uint64_t)store->fields.n_lists * TG_TABLE_LISTS +
                      (uint64_t)store->fields.n_columns * TG_CODE_BYTES;
    uint32_t k, n_tiles;

    if (cluster->table_bytes < TG_TABLE_HEAD)
        return;
    k = tg_le32(table + 4);
    n_tiles = tg_le32(table + 8);
    starts += (uint64_t)tg_le32(table + 12) * (TG_CODE_BYTES + 4);
    for (uint64_t t = 0; t < n_tiles && starts + 4 * t + 8 <= cluster->table_bytes; t++) {
        uint64_t begin = tg_le32(table + starts + 4 * t), end = tg_le32(table + starts + 4 * t + 4);

        if (begin + TG_TILE_HEAD <= end && tg_inside(cluster->tiles_at + begin, end - begin, n))
            tg_put_le32(bytes + cluster->tiles_at + begin,
                        tg_checksum(bytes + cluster->tiles_at + begin + TG_TILE_HEAD,
                                    end - begin - TG_TILE_HEAD, cluster->first_entry + t * k));
    }
}

static void mend_chunks(const tg_store *store, uint32_t i, const uint8_t *section, uint8_t *bytes)
{
    uint64_t n_chunks = store->header.n_chunks, first = store->clusters[i].first_entry;
    const uint8_t *starts = section + 4 * n_chunks + 4 * i * (n_chunks + 1);

    for (uint64_t c = 0; c < n_chunks;
         c++, starts += 4) { /* checked: they lie in the file, and have a head */
        uint8_t *chunk = bytes + store->clusters[i].chunks_at + tg_le32(starts);

        tg_put_le32(chunk, tg_checksum(chunk + 4, tg_le32(starts + 4) - tg_le32(starts) - 4,
                                       tg_chunk_number(first, tg_le32(section + 4 * c))));
    }
}

/* The same for records of the fixed layout: in what the store keeps of their checksums. */
static void mend_records(tagma_ctx *ctx, const tg_store *store, const uint8_t *bytes)
{
    uint64_t record_bytes = store->records.layout.record_bytes;
    tg_slots slots;

    if (tg_fixed_slots(ctx, store, &slots) != TAGMA_OK)
        return;
    for (uint64_t row = 0; row < store->header.n_events; row++)
        tg_put_le32(
            (uint8_t *)slots.checksums + 4 * row,
            tg_checksum(bytes + store->records.records_at + tg_slots_select(&slots, row) * record_bytes,
                        record_bytes, row));
}

static void mend_rest(tagma_ctx *ctx, const tg_store *store, uint8_t *bytes, size_t n)
{
    const uint8_t *section;
    uint64_t section_bytes;
    bool has_chunks =
        store->header.n_chunks > 0 &&
        tg_store_section(ctx, store, TG_STORE_SECTION_CHUNKS, &section, &section_bytes) == TAGMA_OK &&
        section;

    for (uint32_t i = 0; store->clusters && i < store->header.n_clusters; i++) {
        mend_tiles(store, i, bytes, n);
        if (has_chunks)
            mend_chunks(store, i, section, bytes);
    }
}

/* A failure has words; what a store can say is not E_ARG or E_RANGE. */
static bool has_words(tagma_ctx *ctx, tagma_status st)
{
    return st >= 0 || (st != TAGMA_E_ARG && st != TAGMA_E_RANGE && *tagma_ctx_message(ctx));
}

/* Arrow's shapes hold, so that nobody who walks over a batch falls. */
static void check_batch(const tagma_batch *batch)
{
    for (uint32_t i = 0; i < tagma_batch_n_columns(batch); i++) {
        const tagma_batch_column *column = tagma_batch_column_at(batch, i);
        uint64_t n = tagma_batch_n_entries(batch);

        for (uint32_t k = 0; k < column->n_levels; k++) {
            n *= column->type == TAGMA_STRING && k + 1 == column->n_levels ? column->n_items : 1;
            FUZZ_CHECK(column->offsets[k][0] == 0);
            for (uint64_t u = 0; u < n; u++)
                FUZZ_CHECK(column->offsets[k][u] <= column->offsets[k][u + 1]);
            n = column->offsets[k][n];
        }
        n *= column->type == TAGMA_STRING ? 1 : column->n_items;
        FUZZ_CHECK(n == column->n_values);
        FUZZ_CHECK(tagma_buffer_size(column->values_buffer) >=
                   (column->is_bits ? (n + 7) / 8 : n * tagma_type_bytes(column->type)));
    }
}

static void read_batches(tagma_ctx *ctx, tagma_reader *reader, uint64_t n)
{
    uint32_t n_columns = tagma_schema_n_columns(tagma_events_schema(tagma_reader_events(reader)));
    uint64_t entries[5] = {0, n / 4, n / 3, n / 2, n - 1};
    tagma_batch *batch;

    FUZZ_CHECK(has_words(ctx, tagma_read_columns(ctx, reader, 0, n, NULL, 0, &batch)));
    if (batch)
        check_batch(batch);
    tagma_batch_free(batch);
    for (uint32_t c = 0; c < n_columns && c < 64; c++) {
        FUZZ_CHECK(has_words(ctx, tagma_read_columns(ctx, reader, n / 5, n - n / 5, &c, 1, &batch)));
        if (batch)
            check_batch(batch);
        tagma_batch_free(batch);
    }
    FUZZ_CHECK(has_words(ctx, tagma_read_rows(ctx, reader, entries, n > 4 ? 5 : 1, NULL, 0, &batch)));
    if (batch)
        check_batch(batch);
    tagma_batch_free(batch);
}

static void read_events(tagma_ctx *ctx, tagma_reader *reader, uint64_t n)
{
    const tagma_schema *schema = tagma_events_schema(tagma_reader_events(reader));
    uint64_t *record = malloc(RECORD_BYTES);
    tagma_record_plan *plan = NULL;
    tagma_status st = tagma_record_plan_new(ctx, schema, NULL, 0, &plan);

    for (uint64_t i = 0; st == TAGMA_OK && i < n && i < EVENTS_MAX; i++) {
        size_t needed = 0;

        st = tagma_read_event(ctx, reader, plan, i * 7 % n, record, RECORD_BYTES, &needed);
        FUZZ_CHECK(has_words(ctx, st));
        FUZZ_CHECK(st < 0 || needed <= RECORD_BYTES);
        for (uint32_t c = 0; st == TAGMA_OK && c < tagma_record_plan_n_columns(plan); c++) {
            tagma_record_value value;
            const uint8_t *begin = (const uint8_t *)record;

            FUZZ_CHECK(tagma_record_column(plan, record, c, &value) == TAGMA_OK);
            FUZZ_CHECK(value.n_values == 0 ||
                       ((const uint8_t *)value.values >= begin &&
                        (const uint8_t *)value.values + value.n_values <= begin + needed));
        }
        st = st == TAGMA_E_CORRUPT || st == TAGMA_E_LIMIT ? TAGMA_OK : st;
    }
    tagma_record_plan_free(plan);
    free(record);
}

static void use(tagma_ctx *ctx, tagma_events *events)
{
    uint64_t n = tagma_events_n_entries(events), n_tiles, n_faults, entry;
    const tagma_index *index;
    tg_provenance provenance;
    tagma_reader *reader;
    void *block = NULL;

    FUZZ_CHECK(has_words(ctx, tagma_reader_new(ctx, events, NULL, &reader)));
    if (!reader)
        return;
    if (n > 0) {
        read_batches(ctx, reader, n < EVENTS_MAX ? n : EVENTS_MAX);
        read_events(ctx, reader, n);
        FUZZ_CHECK(has_words(ctx, tg_store_origin(ctx, events, n - 1, &entry)));
    }
    FUZZ_CHECK(has_words(ctx, tg_store_index(ctx, events, &index)));
    FUZZ_CHECK(has_words(ctx, tg_store_provenance(ctx, events, &provenance, &block)));
    tg_free(ctx, block);
    FUZZ_CHECK(has_words(ctx, tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults)));
    for (uint32_t c = 0; c < tagma_schema_n_columns(tagma_events_schema(events)); c++) {
        tagma_storage storage = {.struct_bytes = sizeof storage};
        (void)!tagma_events_storage(events, c, &storage);
    }
    tagma_reader_free(reader);
}

static int read_bytes(void *user, uint64_t offset, void *dst, size_t n)
{
    memcpy(dst, (const uint8_t *)user + offset, n);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tagma_source_functions functions = {sizeof functions, read_bytes, NULL};
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    bool mends, hides;
    tagma_source *source;
    tagma_events *events;
    tagma_ctx *ctx;
    uint8_t *bytes;
    size_t n;
    tagma_status st;

    if (size < 1)
        return 0;
    mends = data[0] & 1;
    hides = data[0] & 2;
    n = size - 1;
    bytes = malloc(n + 1);
    memcpy(bytes, data + 1, n);
    if (mends && n >= TG_HEADER_BYTES)
        mend_head(bytes, n);
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    st = hides ? tagma_source_custom(ctx, &functions, bytes, n, "x.tagma", &source)
               : tagma_source_memory(ctx, bytes, n, "x.tagma", &source);
    FUZZ_CHECK(st == TAGMA_OK);
    st = tg_store_open(ctx, source, NULL, &events);
    FUZZ_CHECK(st < 0 ? events == NULL && has_words(ctx, st) : events != NULL);
    if (st == TAGMA_OK && mends) { /* what is open must not change under its reader: opened anew */
        mend_rest(ctx, tg_store_of(events), bytes, n);
        tagma_events_release(events);
        st = tg_store_open(ctx, source, NULL, &events);
        FUZZ_CHECK(st < 0 ? events == NULL && has_words(ctx, st) : events != NULL);
        if (st == TAGMA_OK && tg_store_of(events)->header.layout == TG_LAYOUT_FIXED)
            mend_records(ctx, tg_store_of(events), bytes);
    }
    if (st == TAGMA_OK)
        use(ctx, events);
    tagma_events_release(events);
    tagma_source_release(source);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(bytes);
    return 0;
}
