/* SPDX-License-Identifier: Apache-2.0
 * A cluster from batches to the file. */
#include "store/cluster.h"

#include "base/hash.h"
#include "base/pool.h"
#include "store/pack.h"
#include "store/storehead.h"

enum { BLOCK_BYTES = 1 << 20 };

/* One cluster while it is made. */
typedef struct making {
    tg_cluster_writer *writer;
    const tg_staged *staged;
    tg_offsets *lists;  /* [n_lists] */
    tg_coded *coded;    /* [n_columns + n_nullable] */
    tg_coded *counts;   /* [n_lists] of those that have a chunk */
    tg_coded *strings;  /* [n_lists] bytes of strings that are texts in tiles and have a chunk */
    uint32_t *nullable; /* [n_nullable] columns */
    tg_packing packing;
    uint32_t *blocks; /* [n_blocks + 1] tiles that are written at once */
    uint32_t n_blocks;
    uint64_t tiles_at;
} making;

tagma_status tg_cluster_writer_new(tagma_ctx *ctx, tg_cluster_writer *writer)
{
    uint64_t n = writer->fields->n_columns, n_lists = writer->fields->n_lists;
    uint64_t *room = tg_zalloc(ctx, 3 * (n + n_lists), sizeof *room);

    writer->totals.tile_bits = room;
    writer->scratch = tg_zalloc(ctx, tg_pool_width(writer->pool), sizeof *writer->scratch);
    writer->chunks = tg_alloc(ctx, n + n_lists, sizeof *writer->chunks);
    if (!room || !writer->scratch || !writer->chunks)
        return TAGMA_E_MEMORY;
    writer->totals.chunk_bytes = room + n;
    writer->totals.kinds = room + 2 * n;
    writer->totals.n_items = room + 3 * n;
    writer->totals.list_bits = room + 3 * n + n_lists;
    writer->totals.list_bytes = room + 3 * n + 2 * n_lists;
    return TAGMA_OK;
}

void tg_cluster_writer_free(tagma_ctx *ctx, tg_cluster_writer *writer)
{
    for (uint32_t i = 0; writer->scratch && i < tg_pool_width(writer->pool); i++) {
        tg_coder_free(ctx, &writer->scratch[i].coder);
        tg_text_coder_free(ctx, &writer->scratch[i].texts);
        tg_buf_free(ctx, &writer->scratch[i].values);
        tg_buf_free(ctx, &writer->scratch[i].tile);
    }
    tg_free(ctx, writer->scratch);
    tg_free(ctx, writer->chunks);
    tg_free(ctx, writer->totals.tile_bits);
    tg_hot_free(ctx, &writer->hot);
}

static void making_free(tagma_ctx *ctx, making *make)
{
    const tg_fields *fields = make->writer->fields;

    for (uint32_t l = 0; make->lists && l < fields->n_lists; l++)
        tg_free(ctx, make->lists[l].offsets);
    for (uint32_t i = 0; make->coded && i < 2 * fields->n_columns; i++)
        tg_coded_free(ctx, &make->coded[i]);
    for (uint32_t l = 0; make->counts && l < fields->n_lists; l++)
        tg_coded_free(ctx, &make->counts[l]);
    for (uint32_t l = 0; make->strings && l < fields->n_lists; l++)
        tg_coded_free(ctx, &make->strings[l]);
    tg_free(ctx, make->lists);
    tg_free(ctx, make->coded);
    tg_free(ctx, make->counts);
    tg_free(ctx, make->strings);
    tg_free(ctx, make->nullable);
    tg_free(ctx, make->blocks);
    tg_packing_free(ctx, &make->packing);
}

static tagma_status making_new(tagma_ctx *ctx, making *make)
{
    const tg_fields *fields = make->writer->fields;

    make->lists = tg_zalloc(ctx, fields->n_lists, sizeof *make->lists);
    make->coded = tg_zalloc(ctx, 2 * (uint64_t)fields->n_columns, sizeof *make->coded);
    make->counts = tg_zalloc(ctx, fields->n_lists, sizeof *make->counts);
    make->strings = tg_zalloc(ctx, fields->n_lists, sizeof *make->strings);
    make->nullable = tg_alloc(ctx, fields->n_columns, sizeof *make->nullable);
    return make->lists && make->coded && make->counts && make->strings && make->nullable ? TAGMA_OK
                                                                                         : TAGMA_E_MEMORY;
}

/* The values in scratch, n of them. */
static tagma_status encode(tagma_ctx *ctx, const making *make, tg_cluster_scratch *scratch, tagma_type type,
                           uint64_t n, bool may_be_sparse, tg_coded *out)
{
    if (make->writer->is_raw)
        return tg_code_plain(ctx, &scratch->coder, type, scratch->values.bytes, n, out);
    return tg_code_encode(ctx, &scratch->coder, type, scratch->values.bytes, n, may_be_sparse, out);
}

/* Which columns have nulls, and their validity as fields of its own. */
static tagma_status encode_validity(tagma_ctx *ctx, making *make)
{
    const tg_fields *fields = make->writer->fields;
    tg_cluster_scratch *scratch = &make->writer->scratch[0];
    tg_packing *packing = &make->packing;
    bool has_nulls;

    for (uint32_t c = 0; c < fields->n_columns; c++) {
        TG_TRY(tg_gather_validity(ctx, make->staged, c, &scratch->values, &has_nulls));
        if (!has_nulls)
            continue;
        make->nullable[packing->n_nullable] = c;
        TG_TRY(encode(ctx, make, scratch, TAGMA_BOOL, make->staged->n_events, false,
                      &make->coded[fields->n_columns + packing->n_nullable++]));
    }
    return TAGMA_OK;
}

/* Strings, whose bytes are encoded, become numbers of texts where those take less; chunks have the bytes. */
static tagma_status try_texts(tagma_ctx *ctx, const making *make, tg_cluster_scratch *scratch, uint32_t c,
                              tg_coded *coded)
{
    uint32_t l = make->writer->fields->column_lists[c];
    const tg_offsets *lists = &make->lists[l];
    uint64_t bits =
        tg_code_cost(&coded->code, coded->n, coded->n_words) + lists->n * make->packing.end_bits[l];
    tg_coded texts;
    bool is_less;
    tagma_status st = tg_texts_encode(ctx, &scratch->texts, scratch->values.bytes, lists->offsets, lists->n,
                                      bits, &texts, &is_less);

    if (st < 0 || !is_less) {
        tg_coded_free(ctx, &texts);
        return st;
    }
    if (make->writer->hot.is_hot[c])
        make->strings[l] = *coded;
    else
        tg_coded_free(ctx, coded);
    *coded = texts;
    return TAGMA_OK;
}

/* Task i: field i. */
static tagma_status encode_field(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    making *make = user;
    const tg_fields *fields = make->writer->fields;
    tg_cluster_scratch *scratch = &make->writer->scratch[worker];
    uint32_t c = fields->columns[task];
    bool may_be_sparse =
        task >= fields->n_scalars && !make->writer->hot.is_dense[c] && !make->writer->is_plain_only;
    uint64_t n;

    TG_TRY(tg_gather_values(ctx, make->staged, make->lists, c, &scratch->values, &n));
    if (!make->writer->is_raw && tg_gather_is_count(make->staged, make->lists, c, scratch->values.bytes)) {
        make->coded[task] = (tg_coded){.code = {.kind = TG_CODE_COUNT, .bytes = 1}, .n = n};
        return TAGMA_OK;
    }
    TG_TRY(encode(ctx, make, scratch, tg_word_type(tagma_schema_column(fields->schema, c)), n, may_be_sparse,
                  &make->coded[task]));
    if (make->writer->is_raw || tagma_schema_column(fields->schema, c)->type != TAGMA_STRING)
        return TAGMA_OK;
    return try_texts(ctx, make, scratch, c, &make->coded[task]);
}

/* How many items each of the lists has, as a column. */
static tagma_status encode_counts(tagma_ctx *ctx, making *make, uint32_t l)
{
    tg_cluster_scratch *scratch = &make->writer->scratch[0];
    const tg_offsets *lists = &make->lists[l];

    if (make->counts[l].heads)
        return TAGMA_OK;
    TG_TRY(tg_buf_reserve(ctx, &scratch->values, lists->n * sizeof(uint32_t)));
    for (uint64_t i = 0; i < lists->n; i++) {
        uint32_t count = lists->offsets[i + 1] - lists->offsets[i];
        memcpy(scratch->values.bytes + i * sizeof count, &count, sizeof count);
    }
    return tg_code_encode(ctx, &scratch->coder, TAGMA_U32, scratch->values.bytes, lists->n, false,
                          &make->counts[l]);
}

static uint64_t packed_bytes(uint64_t n, uint32_t w)
{
    return (n * w + 7) / 8;
}

/* Do two fields have the same values, word for word? */
static bool is_same(const making *make, uint32_t a, uint32_t b)
{
    const tg_fields *fields = make->writer->fields;
    const tagma_column *x = tagma_schema_column(fields->schema, fields->columns[a]),
                       *y = tagma_schema_column(fields->schema, fields->columns[b]);
    const tg_coded *p = &make->coded[a], *q = &make->coded[b];

    return x->type == y->type && tg_word_count(x) == tg_word_count(y) &&
           fields->column_lists[fields->columns[a]] == fields->column_lists[fields->columns[b]] &&
           p->code.kind == q->code.kind && p->code.w == q->code.w && p->code.m == q->code.m &&
           p->code.tz == q->code.tz && p->code.n_heads == q->code.n_heads && p->n_words == q->n_words &&
           memcmp(p->heads, q->heads, p->code.n_heads * sizeof *p->heads) == 0 &&
           memcmp(p->words, q->words, packed_bytes(p->n_words, p->code.w)) == 0;
}

/* Fields with the words of an earlier one become its alias. Found by a hash of their words. */
static tagma_status find_aliases(tagma_ctx *ctx, making *make)
{
    uint32_t n = make->writer->fields->n_columns;
    uint64_t n_slots = 16;
    uint32_t *slots;

    while (n_slots < 2 * (uint64_t)n)
        n_slots *= 2;
    slots = tg_alloc(ctx, n_slots, sizeof *slots);
    if (!slots)
        return TAGMA_E_MEMORY;
    memset(slots, 0xff, n_slots * sizeof *slots);
    for (uint32_t f = 0; f < n; f++) {
        tg_coded *coded = &make->coded[f];
        uint64_t bytes = packed_bytes(coded->n_words, coded->code.w), at;

        if (coded->code.is_sparse || coded->code.kind == TG_CODE_TEXTS || bytes < sizeof(uint64_t))
            continue;
        for (at = tg_hash(coded->words, bytes) & (n_slots - 1); slots[at] != TAGMA_NONE;
             at = (at + 1) & (n_slots - 1))
            if (is_same(make, slots[at], f))
                break;
        if (slots[at] == TAGMA_NONE) {
            slots[at] = f;
            continue;
        }
        tg_coded_free(ctx, coded);
        coded->code = (tg_code){.kind = TG_CODE_ALIAS, .bytes = 1, .common = slots[at]};
    }
    tg_free(ctx, slots);
    return TAGMA_OK;
}

/* A field's own words, those it is an alias of, or those of the bytes of its strings: what a chunk of it has. */
static const tg_coded *words_of(const making *make, uint32_t field)
{
    const tg_fields *fields = make->writer->fields;
    const tg_coded *coded = &make->coded[field];

    if (coded->code.kind == TG_CODE_TEXTS)
        return &make->strings[fields->column_lists[fields->columns[field]]];
    return coded->code.kind == TG_CODE_ALIAS ? &make->coded[coded->code.common] : coded;
}

static uint64_t chunk_bytes(const tg_coded *coded, uint64_t validity_bytes)
{
    uint64_t n_heads = coded->code.n_heads == 0 ? 0 : UINT64_C(1) << (coded->code.w - coded->code.m);

    /* Heads are filled up with zeros, so that any word finds one. */
    return TG_CHUNK_HEAD + n_heads * coded->code.bytes + validity_bytes +
           packed_bytes(coded->n_words, coded->code.w);
}

/* With the first cluster at hand: which columns get chunks. */
static tagma_status choose_chunks(tagma_ctx *ctx, making *make)
{
    tg_cluster_writer *writer = make->writer;
    const tg_fields *fields = writer->fields;
    uint64_t *bytes = tg_alloc(ctx, fields->n_columns, sizeof *bytes);
    uint8_t *is_chunk = tg_zalloc(ctx, fields->n_lists, 1);
    tagma_status st = bytes && is_chunk ? TAGMA_OK : TAGMA_E_MEMORY;

    for (uint32_t c = 0; st == TAGMA_OK && c < fields->n_columns; c++) {
        const tg_coded *coded = words_of(make, fields->fields[c]);

        bytes[c] = chunk_bytes(coded, 0);
        if (writer->hot.is_hot[c] && coded->code.kind == TG_CODE_COUNT) {
            st = encode_counts(ctx, make, fields->column_count[c]);
            bytes[c] += chunk_bytes(&make->counts[fields->column_count[c]], 0);
        }
    }
    if (st == TAGMA_OK && writer->hot.is_bounded)
        st = tg_hot_bound(ctx, fields, bytes, make->packing.tiles[make->packing.n_tiles], &writer->hot);
    for (uint32_t c = 0; st == TAGMA_OK && c < fields->n_columns; c++) {
        if (!writer->hot.is_hot[c])
            continue;
        if (fields->column_count[c] != TAGMA_NONE)
            is_chunk[fields->column_count[c]] = 1;
        for (uint32_t l = fields->column_lists[c]; l != TAGMA_NONE; l = fields->lists[l].parent)
            is_chunk[l] = 1;
    }
    for (uint32_t l = 0; st == TAGMA_OK && l < fields->n_lists; l++)
        if (is_chunk[l])
            writer->chunks[writer->n_chunks++] = l | (uint32_t)TG_CHUNK_LISTS;
    for (uint32_t c = 0; st == TAGMA_OK && c < fields->n_columns; c++)
        if (writer->hot.is_hot[c])
            writer->chunks[writer->n_chunks++] = c;
    writer->has_chosen = st == TAGMA_OK;
    tg_free(ctx, is_chunk);
    tg_free(ctx, bytes);
    return st;
}

/* Task i: the tiles of block i. */
static tagma_status write_block(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    const making *make = user;
    const tg_packing *packing = &make->packing;
    tg_buf *buf = &make->writer->scratch[worker].tile;
    uint32_t first = make->blocks[task], end = make->blocks[task + 1];
    uint64_t n = packing->tiles[end] - packing->tiles[first];

    TG_TRY(tg_buf_reserve(ctx, buf, n + TG_BITS_SLACK));
    for (uint32_t t = first; t < end; t++)
        tg_pack_tile(packing, t, buf->bytes + (packing->tiles[t] - packing->tiles[first]));
    return tg_sink_write(ctx, make->writer->file, make->tiles_at + packing->tiles[first], buf->bytes, n);
}

static tagma_status write_tiles(tagma_ctx *ctx, making *make)
{
    const tg_packing *packing = &make->packing;

    make->blocks = tg_alloc(ctx, (uint64_t)packing->n_tiles + 1, sizeof *make->blocks);
    if (!make->blocks)
        return TAGMA_E_MEMORY;
    make->blocks[0] = 0;
    for (uint32_t t = 1; t <= packing->n_tiles; t++)
        if (t == packing->n_tiles ||
            packing->tiles[t + 1] - packing->tiles[make->blocks[make->n_blocks]] > BLOCK_BYTES)
            make->blocks[++make->n_blocks] = t;
    return tg_pool_run(ctx, make->writer->pool, make->n_blocks, write_block, make, NULL, NULL);
}

/* Is the column among those with nulls? Then its validity, as bits. */
static uint64_t put_validity(const making *make, uint32_t column, uint8_t *to)
{
    const tg_coded *coded = make->coded + make->writer->fields->n_columns;
    uint64_t n = make->staged->n_events;
    uint32_t i = 0;

    while (i < make->packing.n_nullable && make->nullable[i] != column)
        i++;
    if (i == make->packing.n_nullable)
        return 0;
    for (uint64_t k = 0; to && k < n; k++) {
        uint64_t w = coded[i].code.w, word = w == 0 ? 0 : tg_bits_get(coded[i].words, k * w, (uint32_t)w);
        to[k / 8] |= (uint8_t)((tg_code_value(&coded[i].code, coded[i].heads, word) & 1) << (k % 8));
    }
    return (n + 7) / 8;
}

static tagma_status put_chunk(tagma_ctx *ctx, const making *make, uint32_t which, tg_buf *out)
{
    const tg_fields *fields = make->writer->fields;
    bool are_lists = which & (uint32_t)TG_CHUNK_LISTS;
    const tg_coded *coded =
        are_lists ? &make->counts[which & ~(uint32_t)TG_CHUNK_LISTS] : words_of(make, fields->fields[which]);
    uint64_t validity = are_lists ? 0 : put_validity(make, which, NULL), n = chunk_bytes(coded, validity),
             from = out->n, words = packed_bytes(coded->n_words, coded->code.w);
    uint8_t *head, *at;

    TG_TRY(tg_buf_reserve(ctx, out, from + n));
    out->n = from + n;
    head = out->bytes + from;
    memset(head, 0, n - words);
    tg_put_le32(head + 4, (uint32_t)coded->n);
    tg_code_write(&coded->code, validity > 0 ? TG_CHUNK_VALIDITY : 0, head + 8);
    (void)tg_heads_write(coded, head + TG_CHUNK_HEAD);
    at = head + (n - words);
    if (validity > 0)
        (void)put_validity(make, which, at - validity);
    if (coded->code.w > 0) {
        uint64_t bits = coded->n_words * coded->code.w;

        memcpy(at, coded->words, words);
        if (bits % 8 != 0) /* what lies behind the last word in its byte */
            at[words - 1] &= (uint8_t)tg_bits_mask(bits % 8);
    }
    tg_put_le32(head, tg_checksum(head + 4, n - 4, tg_chunk_number(make->staged->first_entry, which)));
    return TAGMA_OK;
}

static tagma_status write_chunks(tagma_ctx *ctx, making *make, uint64_t at, tg_buf *starts, uint64_t *n_bytes)
{
    tg_cluster_writer *writer = make->writer;
    tg_buf buf = TG_BUF_INIT;
    tagma_status st = TAGMA_OK;
    uint8_t start[4] = {0};

    for (uint32_t i = 0; st == TAGMA_OK && i <= writer->n_chunks; i++) {
        uint64_t from = buf.n;

        tg_put_le32(start, (uint32_t)buf.n);
        st = tg_buf_put(ctx, starts, start, sizeof start);
        if (st < 0 || i == writer->n_chunks)
            break;
        if (writer->chunks[i] & (uint32_t)TG_CHUNK_LISTS)
            st = encode_counts(ctx, make, writer->chunks[i] & ~(uint32_t)TG_CHUNK_LISTS);
        if (st == TAGMA_OK)
            st = put_chunk(ctx, make, writer->chunks[i], &buf);
        if (st == TAGMA_OK && buf.n > UINT32_MAX)
            st = tg_fail(ctx, TAGMA_E_LIMIT, "entry %" PRIu64 " on: over 4 GiB of columns in a cluster",
                         make->staged->first_entry);
        if (writer->chunks[i] & (uint32_t)TG_CHUNK_LISTS)
            writer->totals.list_bytes[writer->chunks[i] & ~(uint32_t)TG_CHUNK_LISTS] += buf.n - from;
        else
            writer->totals.chunk_bytes[writer->chunks[i]] += buf.n - from;
    }
    if (st == TAGMA_OK)
        st = tg_sink_write(ctx, writer->file, at, buf.bytes, buf.n);
    *n_bytes = buf.n;
    tg_buf_free(ctx, &buf);
    return st;
}

/* Of lists, in all tiles: their ends, or the numbers of texts in their place. */
static uint64_t bits_of_ends(const making *make, uint32_t l)
{
    const tg_lists *lists = &make->writer->fields->lists[l];
    const tg_packing *packing = &make->packing;
    uint64_t n = make->lists[l].n;

    if (lists->parent == TAGMA_NONE)
        n = (uint64_t)packing->n_tiles * packing->tile_events * lists->per_parent;
    return n * packing->end_bits[l];
}

static void add_totals(const making *make)
{
    const tg_fields *fields = make->writer->fields;
    const tg_packing *packing = &make->packing;
    tg_totals *totals = &make->writer->totals;
    uint64_t n_events = (uint64_t)packing->n_tiles * packing->tile_events;

    for (uint32_t f = 0; f < fields->n_columns + packing->n_nullable; f++) {
        const tg_coded *coded = &make->coded[f];
        bool is_validity = f >= fields->n_columns;
        uint32_t c = is_validity ? make->nullable[f - fields->n_columns] : fields->columns[f];
        uint64_t bits = coded->n_words * coded->code.w + (coded->code.is_sparse ? coded->n : 0);

        if (is_validity)
            bits = n_events * coded->code.w;
        else if (f < fields->n_scalars)
            bits = n_events * tagma_schema_column(fields->schema, c)->n_items * coded->code.w;
        else if (coded->code.kind == TG_CODE_TEXTS)
            bits = bits_of_ends(make, fields->column_lists[c]);
        totals->tile_bits[c] += bits + 8 * (TG_CODE_BYTES + tg_heads_bytes(&coded->code));
        if (!is_validity)
            totals->kinds[c] |= UINT64_C(1) << coded->code.kind | (uint64_t)coded->code.is_sparse
                                                                      << TG_SPARSE_KIND;
    }
    for (uint32_t l = 0; l < fields->n_lists; l++) {
        const tg_coded *coded = &make->coded[fields->lists[l].first_field];

        totals->n_items[l] += make->lists[l].offsets[make->lists[l].n];
        if (fields->lists[l].column == TAGMA_NONE || coded->code.kind != TG_CODE_TEXTS)
            totals->list_bits[l] += bits_of_ends(make, l);
    }
}

static tagma_status write_table(tagma_ctx *ctx, const making *make, tg_cluster *directory)
{
    const tg_fields *fields = make->writer->fields;
    const tg_packing *packing = &make->packing;
    tg_table_input input = {.fields = fields,
                            .n_events = packing->n_events,
                            .tile_events = packing->tile_events,
                            .n_tiles = packing->n_tiles,
                            .n_nullable = packing->n_nullable,
                            .coded = make->coded,
                            .nullable = make->nullable,
                            .end_bits = packing->end_bits,
                            .tiles = packing->tiles};
    tg_buf buf = TG_BUF_INIT;
    uint64_t *n_items = tg_alloc(ctx, fields->n_lists, sizeof *n_items);
    tagma_status st = TAGMA_E_MEMORY;

    if (n_items) {
        for (uint32_t l = 0; l < fields->n_lists; l++)
            n_items[l] = make->lists[l].offsets[make->lists[l].n];
        input.n_items = n_items;
        st = tg_table_write(ctx, &input, &buf);
    }
    if (st == TAGMA_OK && buf.n > UINT32_MAX)
        st = tg_fail(ctx, TAGMA_E_LIMIT, "a cluster table of %" PRIu64 " bytes", buf.n);
    if (st == TAGMA_OK) {
        directory->table_bytes = (uint32_t)buf.n;
        directory->table_checksum = tg_hash(buf.bytes, buf.n);
        st = tg_sink_write(ctx, make->writer->file, directory->table_at, buf.bytes, buf.n);
    }
    tg_free(ctx, n_items);
    tg_buf_free(ctx, &buf);
    return st;
}

static uint64_t aligned(uint64_t n)
{
    return (n + TG_ALIGN - 1) / TG_ALIGN * TG_ALIGN;
}

static tagma_status make_tiles(tagma_ctx *ctx, making *make)
{
    const tg_staged *staged = make->staged;
    tg_packing *packing = &make->packing;

    TG_TRY(tg_gather_lists(ctx, staged, make->lists));
    packing->fields = make->writer->fields;
    packing->coded = make->coded;
    packing->lists = make->lists;
    packing->first_entry = staged->first_entry;
    packing->has_wide_ends = make->writer->is_raw;
    packing->n_events = (uint32_t)staged->n_events;
    packing->tile_events = tg_tile_events(make->writer->tile_events, staged->n_events);
    packing->n_tiles = (packing->n_events - 1) / packing->tile_events + 1;
    TG_TRY(tg_pack_lists(ctx, packing));
    TG_TRY(encode_validity(ctx, make));
    TG_TRY(tg_pool_run(ctx, make->writer->pool, make->writer->fields->n_columns, encode_field, make, NULL,
                       NULL));
    if (!make->writer->is_raw)
        TG_TRY(find_aliases(ctx, make));
    TG_TRY(tg_pack_measure(ctx, packing));
    return write_tiles(ctx, make);
}

static tagma_status write_cluster(tagma_ctx *ctx, making *make, tg_cluster *directory, tg_buf *chunk_starts,
                                  uint64_t *end)
{
    tg_cluster_writer *writer = make->writer;
    uint64_t n;

    TG_TRY(making_new(ctx, make));
    make->tiles_at = directory->tiles_at;
    TG_TRY(make_tiles(ctx, make));
    directory->tiles_bytes = make->packing.tiles[make->packing.n_tiles];
    if (!writer->has_chosen)
        TG_TRY(choose_chunks(ctx, make));
    directory->chunks_at = aligned(directory->tiles_at + directory->tiles_bytes);
    TG_TRY(write_chunks(ctx, make, directory->chunks_at, chunk_starts, &n));
    directory->table_at = aligned(directory->chunks_at + n);
    TG_TRY(write_table(ctx, make, directory));
    add_totals(make);
    *end = aligned(directory->table_at + directory->table_bytes);
    writer->tile_bytes += directory->tiles_bytes;
    writer->chunk_bytes += n;
    writer->table_bytes += directory->table_bytes;
    return TAGMA_OK;
}

tagma_status tg_cluster_write(tagma_ctx *ctx, tg_cluster_writer *writer, const tg_staged *staged, uint64_t at,
                              tg_cluster *directory, tg_buf *chunk_starts, uint64_t *end)
{
    making make = {.writer = writer, .staged = staged};
    tagma_status st;

    *directory = (tg_cluster){
        .first_entry = staged->first_entry, .n_events = (uint32_t)staged->n_events, .tiles_at = aligned(at)};
    st = write_cluster(ctx, &make, directory, chunk_starts, end);
    making_free(ctx, &make);
    return st;
}
