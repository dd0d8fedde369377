/* SPDX-License-Identifier: Apache-2.0
 * Chunks of the columns section. */
#include "store/chunk.h"

#include "base/in.h"
#include "store/tile.h"

struct tg_chunk_cache {
    const uint8_t *which;  /* u32 [n] */
    const uint8_t *starts; /* u32 [n_clusters][n + 1] */
    uint32_t n;
    uint32_t *of_column; /* [n_columns] */
    uint32_t *of_lists;  /* [n_lists] */
    tg_chunk *chunks;    /* [n] */
};

static const uint32_t LISTS = (uint32_t)TG_CHUNK_LISTS;

static void chunk_free(tg_account *account, tg_chunk *chunk)
{
    tg_account_free(account, chunk->bytes);
    tg_account_free(account, chunk->offsets);
    *chunk = (tg_chunk){0};
}

void tg_chunk_cache_free(tg_account *account, tg_chunk_cache *cache)
{
    if (!cache)
        return;
    for (uint32_t i = 0; cache->chunks && i < cache->n; i++)
        chunk_free(account, &cache->chunks[i]);
    tg_account_free(account, cache->chunks);
    tg_account_free(account, cache->of_column);
    tg_account_free(account, cache);
}

static tagma_status wrong(tagma_ctx *ctx, const tg_store *store, const tg_section *section, const char *what,
                          uint64_t found)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: section chunks, byte %" PRIu64 ": %s %" PRIu64,
                   tagma_source_name(store->source), section->offset, what, found);
}

/* Every chunk is of a column or lists that the schema has, none twice. */
static tagma_status check_which(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                                const uint8_t *bytes)
{
    uint32_t n_columns = store->fields.n_columns, n_lists = store->fields.n_lists;
    uint8_t *seen = tg_zalloc(ctx, (uint64_t)n_columns + n_lists, 1);
    tagma_status st = seen ? TAGMA_OK : TAGMA_E_MEMORY;

    for (uint32_t i = 0; st == TAGMA_OK && i < store->header.n_chunks; i++) {
        uint32_t which = tg_le32(bytes + 4 * (size_t)i), number = which & ~LISTS;
        uint32_t at = which & LISTS ? n_columns + number : number;

        if (number >= (which & LISTS ? n_lists : n_columns) || seen[at])
            st = wrong(ctx, store, section, "a chunk of", which);
        else
            seen[at] = 1;
    }
    tg_free(ctx, seen);
    return st;
}

tagma_status tg_chunks_check(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                             const uint8_t *bytes)
{
    uint64_t n = store->header.n_chunks, per_cluster, n_words;

    if (!tg_mul(n + 1, store->header.n_clusters, &per_cluster) || !tg_mul(per_cluster + n, 4, &n_words) ||
        n_words != section->bytes)
        return wrong(ctx, store, section, "its length is", section->bytes);
    TG_TRY(check_which(ctx, store, section, bytes));
    bytes += 4 * n;
    for (uint32_t i = 0; i < store->header.n_clusters; i++) {
        uint32_t last = 0;

        for (uint64_t k = 0; k <= n; k++, bytes += 4) {
            uint32_t start = tg_le32(bytes);

            if (k == 0 ? start != 0 : start < last || start - last < TG_CHUNK_HEAD)
                return wrong(ctx, store, section, "a chunk begins at", start);
            last = start;
        }
        if (!tg_inside(store->clusters[i].chunks_at, last, store->header.file_bytes))
            return wrong(ctx, store, section, "chunks end at", store->clusters[i].chunks_at + last);
    }
    return TAGMA_OK;
}

/* The directory at hand, by column and by lists. */
static tagma_status make_cache(tagma_ctx *ctx, tg_store_reader *reader)
{
    const tg_store *store = reader->store;
    uint32_t n_columns = store->fields.n_columns, n_lists = store->fields.n_lists;
    tg_chunk_cache *cache;
    const uint8_t *bytes;
    uint64_t n;

    TG_TRY(tg_store_section(ctx, store, TG_STORE_SECTION_CHUNKS, &bytes, &n));
    cache = tg_zalloc(ctx, 1, sizeof *cache);
    if (!cache)
        return TAGMA_E_MEMORY;
    cache->n = bytes ? store->header.n_chunks : 0;
    cache->chunks = tg_zalloc(ctx, cache->n, sizeof *cache->chunks);
    cache->of_column = tg_alloc(ctx, (uint64_t)n_columns + n_lists, sizeof *cache->of_column);
    if (!cache->chunks || !cache->of_column) {
        tg_chunk_cache_free(ctx->account, cache);
        return TAGMA_E_MEMORY;
    }
    cache->of_lists = cache->of_column + n_columns;
    memset(cache->of_column, 0xff, ((uint64_t)n_columns + n_lists) * sizeof *cache->of_column);
    cache->which = bytes;
    cache->starts = bytes ? bytes + 4 * (size_t)cache->n : NULL;
    for (uint32_t i = 0; i < cache->n; i++) {
        uint32_t which = tg_le32(bytes + 4 * (size_t)i);

        if (which & LISTS)
            cache->of_lists[which & ~LISTS] = i;
        else
            cache->of_column[which] = i;
    }
    reader->chunks = cache;
    return TAGMA_OK;
}

tagma_status tg_chunk_find(tagma_ctx *ctx, tg_store_reader *reader, uint32_t which, uint32_t *number)
{
    if (!reader->chunks)
        TG_TRY(make_cache(ctx, reader));
    *number = which & LISTS ? reader->chunks->of_lists[which & ~LISTS] : reader->chunks->of_column[which];
    return TAGMA_OK;
}

const tg_chunk *tg_chunk_loaded(const tg_store_reader *reader, uint32_t number)
{
    return &reader->chunks->chunks[number];
}

uint32_t tg_chunk_count(const tg_store_reader *reader)
{
    return reader->chunks->n;
}

uint32_t tg_chunk_which(const tg_store_reader *reader, uint32_t number)
{
    return tg_le32(reader->chunks->which + 4 * (size_t)number);
}

static const uint8_t *start_of(const tg_store_reader *reader, uint32_t cluster, uint32_t number)
{
    return reader->chunks->starts + 4 * (cluster * ((uint64_t)reader->chunks->n + 1) + number);
}

uint64_t tg_chunk_bytes(const tg_store_reader *reader, uint32_t cluster, uint32_t number)
{
    const uint8_t *start = start_of(reader, cluster, number);

    return tg_le32(start + 4) - tg_le32(start);
}

/* Where a chunk stands, for messages. */
typedef struct place {
    const tg_store_reader *reader;
    uint32_t cluster, which;
    uint64_t offset;
} place;

static tagma_status within(tagma_ctx *ctx, tagma_status st, const place *at)
{
    const tg_store *store = at->reader->store;
    const tg_fields *fields = &store->fields;
    uint32_t column = at->which & LISTS ? fields->lists[at->which & ~LISTS].model : at->which;

    return tg_within(ctx, st, "%s: chunk of %s%s from entry %" PRIu64 " on, byte %" PRIu64,
                     tagma_source_name(store->source), at->which & LISTS ? "the lists of " : "",
                     tagma_schema_column(fields->schema, column)->name,
                     store->clusters[at->cluster].first_entry, at->offset);
}

/* The code, heads, validity and words of n bytes in chunk->bytes; words that name no place. */
static tagma_status parse(tagma_ctx *ctx, const place *at, uint64_t n, uint64_t n_expected, tg_chunk *chunk)
{
    const tg_store *store = at->reader->store;
    tagma_type type =
        at->which & LISTS ? TAGMA_U32 : tg_word_type(tagma_schema_column(store->fields.schema, at->which));
    uint32_t width = (uint32_t)__builtin_ctz(tagma_type_bytes(type)), n_heads;
    uint64_t n_events = store->clusters[at->cluster].n_events, validity, heads, words;
    uint8_t *bytes = chunk->bytes;
    bool has_validity = bytes[12] & TG_CHUNK_VALIDITY;

    if (tg_checksum(bytes + 4, n - 4, tg_chunk_number(store->clusters[at->cluster].first_entry, at->which)) !=
        tg_le32(bytes))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "its checksum is not that of its %" PRIu64 " bytes", n);
    bytes[12] &= (uint8_t)~TG_CHUNK_VALIDITY;
    TG_TRY(tg_code_load(ctx, bytes + 8, type, &chunk->slot, &n_heads));
    if (chunk->slot.kind == TG_CODE_COUNT &&
        (at->which & LISTS || store->fields.column_count[at->which] == TAGMA_NONE))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "it counts no lists");
    chunk->n = tg_le32(bytes + 4);
    if ((chunk->n != n_expected && chunk->slot.kind != TG_CODE_COUNT) || chunk->slot.is_sparse)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%" PRIu64 " values, expected %" PRIu64, chunk->n, n_expected);
    heads = tg_slot_reach(&chunk->slot) << width;
    validity = has_validity ? (n_events + 7) / 8 : 0;
    words = (chunk->n * chunk->slot.w + 7) / 8;
    if (TG_CHUNK_HEAD + heads + validity + words != n)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%" PRIu64 " bytes, its code tells %" PRIu64, n,
                       TG_CHUNK_HEAD + heads + validity + words);
    tg_heads_fix(bytes + TG_CHUNK_HEAD, n_heads, width);
    chunk->slot.head = 0;
    chunk->heads = tg_heads_at(bytes + TG_CHUNK_HEAD);
    chunk->validity = has_validity ? bytes + TG_CHUNK_HEAD + heads : NULL;
    chunk->words = bytes + TG_CHUNK_HEAD + heads + validity;
    return TAGMA_OK;
}

tagma_status tg_chunk_load(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, uint32_t number,
                           uint64_t n, const tg_chunk **out)
{
    tg_chunk *chunk = &reader->chunks->chunks[number];
    uint64_t bytes = tg_chunk_bytes(reader, cluster, number);
    place at = {reader, cluster, tg_chunk_which(reader, number),
                reader->store->clusters[cluster].chunks_at + tg_le32(start_of(reader, cluster, number))};
    tagma_status st;

    *out = chunk;
    if (chunk->is_loaded && chunk->cluster == cluster && (chunk->n == n || chunk->slot.kind == TG_CODE_COUNT))
        return TAGMA_OK;
    chunk_free(reader->account, chunk);
    chunk->cluster = cluster;
    chunk->bytes = tg_alloc(ctx, bytes + TG_BITS_SLACK, 1);
    if (!chunk->bytes)
        return TAGMA_E_MEMORY;
    st = tg_lane_read(ctx, reader->lane, at.offset, bytes, chunk->bytes);
    if (st == TAGMA_OK) {
        memset(chunk->bytes + bytes, 0, TG_BITS_SLACK);
        tg_lane_count_used(reader->lane, bytes);
        st = parse(ctx, &at, bytes, n, chunk);
        if (st == TAGMA_E_CORRUPT)
            st = within(ctx, st, &at);
    }
    chunk->is_loaded = st == TAGMA_OK;
    reader->n_chunks += chunk->is_loaded;
    return st;
}

tagma_status tg_chunk_lists(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, uint32_t number,
                            uint64_t n, const tg_chunk **out)
{
    tg_chunk *chunk = &reader->chunks->chunks[number];
    uint64_t total = 0;

    TG_TRY(tg_chunk_load(ctx, reader, cluster, number, n, out));
    if (chunk->offsets)
        return TAGMA_OK;
    chunk->is_loaded = false; /* until it has all its parts */
    chunk->offsets = tg_alloc(ctx, n + 1, sizeof *chunk->offsets);
    if (!chunk->offsets)
        return TAGMA_E_MEMORY;
    tg_decode(&chunk->heads, &chunk->slot, chunk->words, 0, n, (uint8_t *)(chunk->offsets + 1));
    chunk->offsets[0] = 0;
    for (uint64_t i = 1; i <= n; i++) {
        total += chunk->offsets[i];
        chunk->offsets[i] = (uint32_t)total;
    }
    if (total > INT32_MAX) {
        place at = {reader, cluster, tg_chunk_which(reader, number),
                    reader->store->clusters[cluster].chunks_at};
        tg_fail(ctx, TAGMA_E_CORRUPT, "over %d items", INT32_MAX);
        return within(ctx, TAGMA_E_CORRUPT, &at);
    }
    chunk->is_loaded = true;
    return TAGMA_OK;
}
