/* SPDX-License-Identifier: Apache-2.0
 * The encoded columns of a cluster into its tiles. */
#include "store/pack.h"

#include "base/num.h"
#include "store/storehead.h"

enum { WIDE_END = 16, WIDEST_END = 31 };

void tg_packing_free(tagma_ctx *ctx, tg_packing *pack)
{
    tg_free(ctx, pack->items);
    tg_free(ctx, pack->parents);
    tg_free(ctx, pack->end_bits);
    tg_free(ctx, pack->sparse);
    tg_free(ctx, pack->rests);
    tg_free(ctx, pack->tiles);
    pack->items = pack->parents = pack->sparse = pack->rests = pack->tiles = NULL;
    pack->end_bits = NULL;
}

static uint32_t *row(const tg_packing *pack, uint32_t *rows, uint32_t i)
{
    return rows + (uint64_t)i * (pack->n_tiles + 1);
}

/* Lists and items before each tile, and the bits of an end. */
static void measure_lists(tg_packing *pack)
{
    for (uint32_t l = 0; l < pack->fields->n_lists; l++) {
        const tg_lists *lists = &pack->fields->lists[l];
        uint32_t *items = row(pack, pack->items, l), *parents = row(pack, pack->parents, l), most = 0;

        for (uint32_t t = 0; t <= pack->n_tiles; t++) {
            uint64_t entry = (uint64_t)t * pack->tile_events;
            uint64_t parent = entry < pack->n_events ? entry : pack->n_events;

            if (lists->parent != TAGMA_NONE)
                parent = row(pack, pack->items, lists->parent)[t];
            parents[t] = (uint32_t)(parent * lists->per_parent);
            items[t] = pack->lists[l].offsets[parents[t]];
            if (t > 0 && items[t] - items[t - 1] > most)
                most = items[t] - items[t - 1];
        }
        pack->end_bits[l] = (uint8_t)tg_bits_of(most);
        if (pack->has_wide_ends)
            pack->end_bits[l] = pack->end_bits[l] <= WIDE_END ? WIDE_END : WIDEST_END;
    }
}

/* The code of lists that are strings as numbers of texts; NULL for others. */
static const tg_coded *texts_of(const tg_packing *pack, uint32_t l)
{
    const tg_lists *lists = &pack->fields->lists[l];
    const tg_coded *coded = &pack->coded[lists->first_field];

    return lists->column != TAGMA_NONE && coded->code.kind == TG_CODE_TEXTS ? coded : NULL;
}

/* Numbers of texts stand where ends would. */
static void measure_texts(tg_packing *pack)
{
    for (uint32_t l = 0; l < pack->fields->n_lists; l++)
        if (texts_of(pack, l))
            pack->end_bits[l] = texts_of(pack, l)->code.w;
}

/* Words of sparse fields before each tile. */
static void measure_sparse(tg_packing *pack)
{
    for (uint32_t l = 0; l < pack->fields->n_lists; l++) {
        const tg_lists *lists = &pack->fields->lists[l];
        const uint32_t *items = row(pack, pack->items, l);

        for (uint32_t f = lists->first_field; f < lists->first_field + lists->n_fields; f++) {
            const tg_coded *coded = &pack->coded[f];
            uint64_t n_words =
                tg_word_count(tagma_schema_column(pack->fields->schema, pack->fields->columns[f]));
            uint32_t *rests = row(pack, pack->rests, pack->n_sparse);

            if (!coded->code.is_sparse)
                continue;
            pack->sparse[pack->n_sparse++] = f;
            rests[0] = 0;
            for (uint32_t t = 0; t < pack->n_tiles; t++)
                rests[t + 1] = rests[t] + (uint32_t)tg_bits_count(coded->presence, items[t] * n_words,
                                                                  (items[t + 1] - items[t]) * n_words);
        }
    }
}

static uint64_t fixed_bits(const tg_packing *pack)
{
    const tg_fields *fields = pack->fields;
    uint64_t bits = 0;

    for (uint32_t l = 0; l < fields->n_lists; l++)
        if (fields->lists[l].parent == TAGMA_NONE)
            bits += (uint64_t)fields->lists[l].per_parent * pack->end_bits[l];
    for (uint32_t f = 0; f < fields->n_scalars; f++)
        bits += (uint64_t)tagma_schema_column(fields->schema, fields->columns[f])->n_items *
                pack->coded[f].code.w;
    for (uint32_t i = 0; i < pack->n_nullable; i++)
        bits += pack->coded[fields->n_columns + i].code.w;
    return bits * pack->tile_events;
}

/* Bits of what an item has, those of sparse fields but for their words. */
static uint64_t item_bits(const tg_packing *pack, uint32_t l)
{
    const tg_lists *lists = &pack->fields->lists[l];
    uint64_t bits = 0;

    if (texts_of(pack, l))
        return 0;
    for (uint32_t f = lists->first_field; f < lists->first_field + lists->n_fields; f++) {
        const tg_code *code = &pack->coded[f].code;
        bits += (uint64_t)tg_word_count(tagma_schema_column(pack->fields->schema, pack->fields->columns[f])) *
                (code->is_sparse ? 1 : code->w);
    }
    return bits;
}

static tagma_status measure_tiles(tagma_ctx *ctx, tg_packing *pack, uint64_t *bits)
{
    uint64_t fixed = fixed_bits(pack), total = 0;

    for (uint32_t t = 0; t < pack->n_tiles; t++)
        bits[t] = fixed;
    for (uint32_t l = 0; l < pack->fields->n_lists; l++) {
        const uint32_t *items = row(pack, pack->items, l), *parents = row(pack, pack->parents, l);
        uint64_t per_item = item_bits(pack, l), per_end = pack->end_bits[l];
        bool is_inner = pack->fields->lists[l].parent != TAGMA_NONE;

        for (uint32_t t = 0; t < pack->n_tiles; t++)
            bits[t] += (items[t + 1] - items[t]) * per_item +
                       (is_inner ? (parents[t + 1] - parents[t]) * per_end : 0);
    }
    for (uint32_t s = 0; s < pack->n_sparse; s++) {
        const uint32_t *rests = row(pack, pack->rests, s);

        for (uint32_t t = 0; t < pack->n_tiles; t++)
            bits[t] += (uint64_t)(rests[t + 1] - rests[t]) * pack->coded[pack->sparse[s]].code.w;
    }
    for (uint32_t t = 0; t < pack->n_tiles; t++) {
        uint64_t bytes = TG_TILE_HEAD + (bits[t] + 7) / 8;

        if (bytes >= TG_TILE_BYTES_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT,
                           "entry %" PRIu64 " on: a tile of %u events takes %" PRIu64
                           " bytes, %d are possible",
                           pack->first_entry + (uint64_t)t * pack->tile_events, pack->tile_events, bytes,
                           TG_TILE_BYTES_MAX - 1);
        pack->tiles[t] = (uint32_t)total;
        pack->most_bytes = bytes > pack->most_bytes ? bytes : pack->most_bytes;
        total += bytes;
        if (total > UINT32_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT,
                           "entry %" PRIu64 " on: a cluster of %u events takes over 4 GiB", pack->first_entry,
                           pack->n_events);
    }
    pack->tiles[pack->n_tiles] = (uint32_t)total;
    return TAGMA_OK;
}

tagma_status tg_pack_lists(tagma_ctx *ctx, tg_packing *pack)
{
    uint64_t n_lists = pack->fields->n_lists, width = (uint64_t)pack->n_tiles + 1;

    pack->items = tg_alloc(ctx, n_lists * width, sizeof *pack->items);
    pack->parents = tg_alloc(ctx, n_lists * width, sizeof *pack->parents);
    pack->end_bits = tg_alloc(ctx, n_lists, sizeof *pack->end_bits);
    if (!pack->items || !pack->parents || !pack->end_bits)
        return TAGMA_E_MEMORY;
    measure_lists(pack);
    return TAGMA_OK;
}

tagma_status tg_pack_measure(tagma_ctx *ctx, tg_packing *pack)
{
    const tg_fields *fields = pack->fields;
    uint64_t n_sparse = 0, width = (uint64_t)pack->n_tiles + 1, *bits;
    tagma_status st = TAGMA_E_MEMORY;

    for (uint32_t f = 0; f < fields->n_columns; f++)
        n_sparse += pack->coded[f].code.is_sparse;
    pack->sparse = tg_alloc(ctx, n_sparse, sizeof(uint32_t));
    pack->rests = tg_alloc(ctx, (n_sparse + 1) * width, sizeof(uint32_t));
    pack->tiles = tg_alloc(ctx, width, sizeof(uint32_t));
    bits = tg_alloc(ctx, width, sizeof *bits);
    if (pack->sparse && pack->rests && pack->tiles && bits) {
        measure_texts(pack);
        measure_sparse(pack);
        st = measure_tiles(ctx, pack, bits);
    }
    tg_free(ctx, bits);
    return st;
}

/* Ends of lists of tile t, counted from its begin. Lists that a last tile lacks repeat the last end. Numbers of texts are copied. */
static uint64_t put_ends(const tg_packing *pack, uint32_t t, uint32_t l, uint8_t *bytes, uint64_t at)
{
    const uint32_t *offsets = pack->lists[l].offsets;
    uint32_t from = row(pack, pack->parents, l)[t], to = row(pack, pack->parents, l)[t + 1],
             w = pack->end_bits[l];
    const tg_lists *lists = &pack->fields->lists[l];
    uint64_t n = lists->parent == TAGMA_NONE ? (uint64_t)pack->tile_events * lists->per_parent : to - from;

    if (texts_of(pack, l)) {
        if (w > 0 && to > from)
            tg_bits_copy(bytes, at, texts_of(pack, l)->words, (uint64_t)from * w, (uint64_t)(to - from) * w);
        return at + n * w;
    }
    for (uint64_t i = 0; w > 0 && i < n; i++, at += w) {
        uint64_t end = from + i + 1 < to ? from + i + 1 : to;
        tg_bits_put(bytes, at, w, offsets[end] - offsets[from]);
    }
    return at;
}

static uint64_t put_scalars(const tg_packing *pack, uint32_t t, const tg_coded *coded, uint64_t n_words,
                            uint8_t *bytes, uint64_t at)
{
    uint64_t step = n_words * coded->code.w, from = (uint64_t)t * pack->tile_events;
    uint64_t n = pack->n_events - from < pack->tile_events ? pack->n_events - from : pack->tile_events;

    if (step > 0)
        tg_bits_copy(bytes, at, coded->words, from * step, n * step);
    return at + pack->tile_events * step;
}

static uint64_t put_items(const tg_packing *pack, uint32_t t, uint32_t l, uint8_t *bytes, uint64_t at)
{
    const tg_lists *lists = &pack->fields->lists[l];
    uint64_t from = row(pack, pack->items, l)[t], n = row(pack, pack->items, l)[t + 1] - from;

    if (texts_of(pack, l))
        return at;
    for (uint32_t f = lists->first_field; n > 0 && f < lists->first_field + lists->n_fields; f++) {
        const tg_coded *coded = &pack->coded[f];
        uint64_t step = tg_word_count(tagma_schema_column(pack->fields->schema, pack->fields->columns[f])) *
                        (uint64_t)coded->code.w;

        if (coded->code.is_sparse || step == 0)
            continue;
        tg_bits_copy(bytes, at, coded->words, from * step, n * step);
        at += n * step;
    }
    return at;
}

static uint64_t put_sparse(const tg_packing *pack, uint32_t t, uint8_t *bytes, uint64_t at)
{
    const tg_fields *fields = pack->fields;

    for (uint32_t s = 0; s < pack->n_sparse; s++) {
        uint32_t column = fields->columns[pack->sparse[s]];
        uint64_t n_words = tg_word_count(tagma_schema_column(fields->schema, column));
        const uint32_t *items = row(pack, pack->items, fields->column_lists[column]);
        uint64_t n = (items[t + 1] - items[t]) * n_words;

        if (n > 0)
            tg_bits_copy(bytes, at, pack->coded[pack->sparse[s]].presence, items[t] * n_words, n);
        at += n;
    }
    for (uint32_t s = 0; s < pack->n_sparse; s++) {
        const tg_coded *coded = &pack->coded[pack->sparse[s]];
        const uint32_t *rests = row(pack, pack->rests, s);
        uint64_t w = coded->code.w, n = (rests[t + 1] - rests[t]) * w;

        if (n > 0)
            tg_bits_copy(bytes, at, coded->words, rests[t] * w, n);
        at += n;
    }
    return at;
}

void tg_pack_tile(const tg_packing *pack, uint32_t t, uint8_t *bytes)
{
    const tg_fields *fields = pack->fields;
    uint64_t n = pack->tiles[t + 1] - pack->tiles[t], at = 0;
    uint8_t *words = bytes + TG_TILE_HEAD;

    memset(bytes, 0, n + TG_BITS_SLACK);
    for (uint32_t l = 0; l < fields->n_lists; l++)
        if (fields->lists[l].parent == TAGMA_NONE)
            at = put_ends(pack, t, l, words, at);
    for (uint32_t f = 0; f < fields->n_scalars; f++)
        at = put_scalars(pack, t, &pack->coded[f],
                         tagma_schema_column(fields->schema, fields->columns[f])->n_items, words, at);
    for (uint32_t i = 0; i < pack->n_nullable; i++)
        at = put_scalars(pack, t, &pack->coded[fields->n_columns + i], 1, words, at);
    for (uint32_t l = 0; l < fields->n_lists; l++)
        if (fields->lists[l].parent != TAGMA_NONE)
            at = put_ends(pack, t, l, words, at);
    for (uint32_t l = 0; l < fields->n_lists; l++)
        at = put_items(pack, t, l, words, at);
    (void)put_sparse(pack, t, words, at);
    tg_put_le32(bytes,
                tg_checksum(words, n - TG_TILE_HEAD, pack->first_entry + (uint64_t)t * pack->tile_events));
}
