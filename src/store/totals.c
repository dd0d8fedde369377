/* SPDX-License-Identifier: Apache-2.0
 * What columns and lists take in the whole store: checked once, so that every sum of these numbers fits. */
#include "store/totals.h"

#include "base/num.h"

/* The section as arrays that stand one behind the other. */
typedef struct totals {
    const uint8_t *tile_bits, *chunk_bytes, *kinds;  /* [n_columns] */
    const uint8_t *n_items, *list_bits, *list_bytes; /* [n_lists] */
} totals;

static uint64_t n_numbers(const tg_store *store)
{
    return 3 * ((uint64_t)store->fields.n_columns + store->fields.n_lists);
}

static totals arrays_of(const tg_store *store, const uint8_t *bytes)
{
    uint64_t of_columns = 8 * (uint64_t)store->fields.n_columns,
             of_lists = 8 * (uint64_t)store->fields.n_lists;
    const uint8_t *lists = bytes + 3 * of_columns;

    return (totals){.tile_bits = bytes,
                    .chunk_bytes = bytes + of_columns,
                    .kinds = bytes + 2 * of_columns,
                    .n_items = lists,
                    .list_bits = lists + of_lists,
                    .list_bytes = lists + 2 * of_lists};
}

static uint64_t number(const uint8_t *array, uint64_t i)
{
    return tg_le64(array + 8 * i);
}

/* False where the values of a column are more bytes than can be counted. */
static bool raw_bytes(const tg_store *store, const totals *all, uint32_t column, uint64_t *bytes)
{
    const tagma_column *shape = tagma_schema_column(store->events.schema, column);
    uint32_t lists = store->fields.column_lists[column];
    uint64_t n = lists == TAGMA_NONE ? store->header.n_events : number(all->n_items, lists);

    return tg_mul(n, (uint64_t)tg_word_count(shape) * tagma_type_bytes(shape->type), bytes);
}

/* Bits of tiles and bytes of chunks, which lie in the file, all together. */
static bool add_stored(const tg_store *store, const uint8_t *tile_bits, const uint8_t *chunk_bytes,
                       uint64_t i, uint64_t *bytes)
{
    return tg_add(*bytes, number(tile_bits, i) / 8, bytes) && tg_add(*bytes, number(chunk_bytes, i), bytes) &&
           *bytes <= store->header.file_bytes;
}

tagma_status tg_totals_check(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                             const uint8_t *bytes)
{
    const char *file = tagma_source_name(store->source);
    totals all = arrays_of(store, bytes);
    uint64_t stored = 0, raw;

    if (section->bytes != 8 * n_numbers(store))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section totals, byte %" PRIu64 ": %" PRIu64 " bytes, expected %" PRIu64, file,
                       section->offset, section->bytes, 8 * n_numbers(store));
    for (uint32_t c = 0; c < store->fields.n_columns; c++) {
        const char *name = tagma_schema_column(store->events.schema, c)->name;

        if (!add_stored(store, all.tile_bits, all.chunk_bytes, c, &stored))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: section totals, byte %" PRIu64 ": branch %s takes %" PRIu64
                           " bits in tiles and %" PRIu64 " bytes in chunks, the file has %" PRIu64 " bytes",
                           file, section->offset + 8 * (uint64_t)c, name, number(all.tile_bits, c),
                           number(all.chunk_bytes, c), store->header.file_bytes);
        if (!raw_bytes(store, &all, c, &raw))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: section totals, byte %" PRIu64 ": the lists of branch %s have %" PRIu64
                           " items, which is over 2^64 bytes",
                           file, section->offset + (uint64_t)(all.n_items - bytes), name,
                           number(all.n_items, store->fields.column_lists[c]));
    }
    for (uint32_t l = 0; l < store->fields.n_lists; l++)
        if (!add_stored(store, all.list_bits, all.list_bytes, l, &stored))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: section totals, byte %" PRIu64 ": lists %" PRIu32 " take %" PRIu64
                           " bits in tiles and %" PRIu64 " bytes in chunks, the file has %" PRIu64 " bytes",
                           file, section->offset + (uint64_t)(all.list_bits - bytes) + 8 * (uint64_t)l, l,
                           number(all.list_bits, l), number(all.list_bytes, l), store->header.file_bytes);
    return TAGMA_OK;
}

static tagma_status load(tagma_ctx *ctx, const tg_store *store, totals *out)
{
    const uint8_t *bytes;
    uint64_t n;

    TG_TRY(tg_store_section(ctx, store, TG_STORE_SECTION_TOTALS, &bytes, &n));
    if (!bytes) {
        (void)tg_store_fail_missing(ctx, store, TG_STORE_SECTION_TOTALS);
        return TAGMA_E_CORRUPT; /* which a checker of this file can see */
    }
    *out = arrays_of(store, bytes);
    return TAGMA_OK;
}

tagma_status tg_totals_column(tagma_ctx *ctx, const tg_store *store, uint32_t column, tg_taken *out)
{
    totals all;

    TG_TRY(load(ctx, store, &all));
    *out = (tg_taken){.tile_bits = number(all.tile_bits, column),
                      .chunk_bytes = number(all.chunk_bytes, column),
                      .kinds = number(all.kinds, column)};
    (void)raw_bytes(store, &all, column, &out->raw_bytes); /* it fits: tg_totals_check() has seen to it */
    return TAGMA_OK;
}

tagma_status tg_totals_lists(tagma_ctx *ctx, const tg_store *store, uint32_t lists, tg_taken *out)
{
    totals all;

    TG_TRY(load(ctx, store, &all));
    *out =
        (tg_taken){.tile_bits = number(all.list_bits, lists), .chunk_bytes = number(all.list_bytes, lists)};
    return TAGMA_OK;
}

tagma_status tg_totals_hot(tagma_ctx *ctx, const tg_store *store, uint32_t *n_hot, uint64_t *bytes)
{
    totals all;

    TG_TRY(load(ctx, store, &all));
    *n_hot = 0;
    *bytes = 0;
    for (uint32_t c = 0; c < store->fields.n_columns; c++) {
        *n_hot += number(all.chunk_bytes, c) > 0;
        *bytes += number(all.chunk_bytes, c);
    }
    for (uint32_t l = 0; l < store->fields.n_lists; l++)
        *bytes += number(all.list_bytes, l);
    return TAGMA_OK;
}

/* The kind of all clusters, if they have one. */
static const char *codec_of(uint64_t kinds)
{
    for (uint32_t k = 0; k < TG_N_CODE_KINDS; k++)
        if (kinds == UINT64_C(1) << k)
            return tg_code_name(k);
    return kinds >> TG_SPARSE_KIND & 1 ? "sparse" : "mixed";
}

tagma_status tg_totals_storage(const tagma_events *events, uint32_t column, tagma_storage *out)
{
    const tg_store *store = tg_store_of(events);
    /* This getter has no context: a lazy section is read with one of its own. */
    tagma_ctx ctx = {.limits = TAGMA_LIMITS_INIT, .account = events->account};
    tg_taken taken;

    *out = (tagma_storage){.struct_bytes = sizeof *out};
    TG_TRY(tg_totals_column(&ctx, store, column, &taken));
    out->n_baskets = store->header.n_clusters;
    out->bytes = taken.raw_bytes;
    out->packed_bytes = taken.tile_bits / 8 + (taken.tile_bits % 8 != 0) + taken.chunk_bytes;
    out->codec = codec_of(taken.kinds);
    return TAGMA_OK;
}
