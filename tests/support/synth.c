/* SPDX-License-Identifier: Apache-2.0
 * Events of every type and shape. */
#include "support/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/batch.h"
#include "event/schema.h"

/* How the values of a column are drawn. */
typedef enum draw {
    FULL,     /* all bits */
    EDGES,    /* NaN payloads, -0.0, denormals, infinities; extremes of integers */
    CUT,      /* floats with 10 bits of mantissa, few exponents */
    SMALL,    /* 0 to 20 */
    NEGATIVE, /* -10 to 10 */
    FEW,      /* 7 far values */
    COMMON,   /* one value mostly */
    SAME,     /* always one */
    DECIMALS, /* three digits behind the point */
    TWIN,     /* those of the column before */
    COUNT     /* items of the collection */
} draw;

typedef struct spec {
    const char *name;
    tagma_type type;
    draw draw;
    uint32_t n_lists;
    int collection; /* in `collections`; -1 scalars */
    uint32_t dims[2];
    int null_from; /* with nulls: null from entries of this number on in every 64; 0: never */
} spec;

static const struct {
    const char *name;
    int parent;
    const char *count;
} collections[] = {{"nJet", -1, "nJet"}, {"hits", -1, NULL},  {"vecs", -1, NULL}, {"vecs", 2, NULL},
                   {"words", -1, NULL},  {"pages", -1, NULL}, {"pages", 5, NULL}, {"nTau", -1, "nTau"}};

static const spec specs[] = {
    {"run", TAGMA_U32, SAME, 0, -1, {0}, 0},
    {"event", TAGMA_U64, FULL, 0, -1, {0}, 0},
    {"b", TAGMA_BOOL, SMALL, 0, -1, {0}, 40},
    {"b_false", TAGMA_BOOL, SAME, 0, -1, {0}, 0},
    {"i8", TAGMA_I8, EDGES, 0, -1, {0}, 0},
    {"u8", TAGMA_U8, SMALL, 0, -1, {0}, 0},
    {"i16", TAGMA_I16, NEGATIVE, 0, -1, {0}, 60},
    {"u16", TAGMA_U16, EDGES, 0, -1, {0}, 0},
    {"i32", TAGMA_I32, FEW, 0, -1, {0}, 0},
    {"u32", TAGMA_U32, EDGES, 0, -1, {0}, 0},
    {"i64", TAGMA_I64, EDGES, 0, -1, {0}, 0},
    {"i64_near", TAGMA_I64, NEGATIVE, 0, -1, {0}, 0},
    {"u64", TAGMA_U64, EDGES, 0, -1, {0}, 0},
    {"f32", TAGMA_F32, EDGES, 0, -1, {0}, 0},
    {"f32_cut", TAGMA_F32, CUT, 0, -1, {0}, 30},
    {"f64", TAGMA_F64, EDGES, 0, -1, {0}, 0},
    {"f64_cut", TAGMA_F64, CUT, 0, -1, {0}, 0},
    {"price", TAGMA_F64, DECIMALS, 0, -1, {0}, 25},
    {"price_twin", TAGMA_F64, TWIN, 0, -1, {0}, 35},
    {"matrix", TAGMA_I32, SMALL, 0, -1, {3, 2}, 0},
    {"flags", TAGMA_BOOL, SMALL, 0, -1, {5}, 50},
    {"wide", TAGMA_F64, FULL, 0, -1, {2}, 0},
    {"nJet", TAGMA_I32, COUNT, 0, -1, {0}, 0},
    {"name", TAGMA_STRING, FULL, 0, -1, {0}, 20},
    {"names", TAGMA_STRING, FEW, 0, -1, {2}, 0},
    {"Jet_pt", TAGMA_F32, CUT, 1, 0, {0}, 0},
    {"Jet_pt_twin", TAGMA_F32, TWIN, 1, 0, {0}, 0},
    {"Jet_price", TAGMA_F32, DECIMALS, 1, 0, {0}, 0},
    {"Jet_prices", TAGMA_F32, DECIMALS, 1, 0, {2}, 0},
    {"Jet_eta", TAGMA_F64, CUT, 1, 0, {0}, 56},
    {"Jet_id", TAGMA_I32, FEW, 1, 0, {0}, 0},
    {"Jet_flag", TAGMA_BOOL, SMALL, 1, 0, {0}, 0},
    {"Jet_muEF", TAGMA_F32, COMMON, 1, 0, {0}, 0},
    {"Jet_raw", TAGMA_U64, FULL, 1, 0, {0}, 0},
    {"Jet_same", TAGMA_I16, SAME, 1, 0, {0}, 0},
    {"Jet_pair", TAGMA_F32, COMMON, 1, 0, {2}, 0},
    {"Jet_edge", TAGMA_F32, EDGES, 1, 0, {0}, 0},
    {"Jet_label", TAGMA_STRING, FEW, 1, 0, {0}, 0},
    {"hits", TAGMA_I16, EDGES, 1, 1, {0}, 10},
    {"vecs_x", TAGMA_F64, FULL, 2, 3, {0}, 0},
    {"vecs_id", TAGMA_U8, COMMON, 2, 3, {0}, 33},
    {"vecs_n", TAGMA_U8, SMALL, 1, 2, {0}, 0},
    {"words", TAGMA_STRING, FULL, 1, 4, {0}, 0},
    {"pages", TAGMA_STRING, FEW, 2, 6, {0}, 44},
    {"nTau", TAGMA_U8, COUNT, 0, -1, {0}, 48},
    {"Tau_late", TAGMA_F32, CUT, 1, 7, {0}, 48},
};

enum { N_SPECS = sizeof specs / sizeof specs[0], N_COLLECTIONS = sizeof collections / sizeof collections[0] };

static void *must(void *block)
{
    if (!block)
        abort();
    return block;
}

static void must_do(tagma_status st)
{
    if (st != TAGMA_OK)
        abort();
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static bool is_kept(const test_synth *synth, uint32_t i)
{
    return !(synth->flags & TEST_SYNTH_SCALARS) ||
           (specs[i].n_lists == 0 && specs[i].type != TAGMA_STRING && specs[i].draw != COUNT);
}

static uint32_t find_column(const test_synth *synth, const char *name)
{
    for (uint32_t c = 0; c < tagma_schema_n_columns(synth->schema); c++)
        if (strcmp(tagma_schema_column(synth->schema, c)->name, name) == 0)
            return c;
    return TAGMA_NONE;
}

void test_synth_make(test_synth *synth, tagma_ctx *ctx, uint64_t seed, unsigned flags)
{
    uint32_t number;

    *synth = (test_synth){.ctx = ctx, .seed = seed, .flags = flags};
    must_do(tg_schema_new(ctx, &synth->schema));
    for (uint32_t i = 0; i < N_COLLECTIONS && !(flags & TEST_SYNTH_SCALARS); i++) {
        tagma_collection collection = {.name = collections[i].name,
                                       .parent = collections[i].parent < 0 ? TAGMA_NONE
                                                                           : (uint32_t)collections[i].parent,
                                       .count_column = TAGMA_NONE};
        must_do(tg_schema_add_collection(ctx, synth->schema, &collection, &number));
    }
    for (uint32_t i = 0; i < N_SPECS; i++) {
        tagma_column column = {.name = specs[i].name,
                               .title = i % 3 == 0 ? "a title" : "",
                               .type = specs[i].type,
                               .n_lists = specs[i].n_lists,
                               .n_items = 1,
                               .dims = specs[i].dims,
                               .collection =
                                   specs[i].collection < 0 ? TAGMA_NONE : (uint32_t)specs[i].collection};
        for (; column.n_dims < 2 && specs[i].dims[column.n_dims] > 0; column.n_dims++)
            column.n_items *= specs[i].dims[column.n_dims];
        if (is_kept(synth, i))
            must_do(tg_schema_add_column(ctx, synth->schema, &column, &number));
    }
    for (uint32_t i = 0; i < N_COLLECTIONS && !(flags & TEST_SYNTH_SCALARS); i++)
        if (collections[i].count)
            tg_schema_set_count_column(synth->schema, i, find_column(synth, collections[i].count));
    must_do(tg_schema_seal(ctx, synth->schema));
}

void test_synth_free(test_synth *synth)
{
    tg_schema_free(synth->schema);
}

/* Items that a collection has in an entry, or inside of an outer item. */
static uint32_t count_of(const test_synth *synth, int collection, uint64_t entry, uint64_t outer)
{
    uint64_t h = mix(synth->seed + (uint64_t)collection, mix(entry, outer + 1));

    if ((synth->flags & TEST_SYNTH_LONG) && h % 97 == 0 && outer == 0)
        return 300;
    return (uint32_t)(h >> 8) % 4 == 0 ? 0 : (uint32_t)(h >> 16) % 6;
}

static uint64_t edge_of(tagma_type type, uint64_t h)
{
    static const uint32_t singles[] = {0,          0x80000000, 1,          0x807fffff,
                                       0x7f800000, 0xff800000, 0x7fc00001, 0xffc12345,
                                       0x7f800001, 0x3f800000, 0x7f7fffff, 0x00800000};
    static const uint64_t doubles[] = {0,
                                       UINT64_C(0x8000000000000000),
                                       1,
                                       UINT64_C(0x800fffffffffffff),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0xfff0000000000000),
                                       UINT64_C(0x7ff8000000000abc),
                                       UINT64_C(0xfff0000000000001),
                                       UINT64_C(0x3ff0000000000000)};

    if (type == TAGMA_F32)
        return h >> 8 & 3 ? singles[h % (sizeof singles / sizeof singles[0])] : h >> 32;
    if (type == TAGMA_F64)
        return h >> 8 & 3 ? doubles[h % (sizeof doubles / sizeof doubles[0])] : h;
    switch (h % 5) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << (8 * tagma_type_bytes(type) - 1);
    case 3:
        return (UINT64_C(1) << (8 * tagma_type_bytes(type) - 1)) - 1;
    default:
        return h >> 3;
    }
}

static uint64_t decimal_of(tagma_type type, double thousandths)
{
    double value = thousandths / 1000;
    float narrow = (float)value;
    uint64_t bits = 0;

    if (type == TAGMA_F64)
        memcpy(&bits, &value, sizeof value);
    else
        memcpy(&bits, &narrow, sizeof narrow);
    return bits;
}

static uint64_t value_of(const test_synth *synth, uint32_t i, uint64_t entry, uint64_t at)
{
    uint64_t h = mix(synth->seed ^ (i + UINT64_C(1)) << 32, mix(entry, at));

    switch (specs[i].draw) {
    case FULL:
        return specs[i].type == TAGMA_BOOL ? h & 1 : h;
    case EDGES:
        return edge_of(specs[i].type, h);
    case CUT:
        if (specs[i].type == TAGMA_F32)
            return (h & 1) << 31 | (120 + (h >> 1) % 9) << 23 | ((h >> 8) & 1023) << 13;
        return (h & 1) << 63 | (1020 + (h >> 1) % 9) << 52 | ((h >> 8) & 1023) << 42;
    case SMALL:
        return specs[i].type == TAGMA_BOOL ? h & 1 : h % 21;
    case NEGATIVE:
        return h % 21 - 10;
    case FEW:
        return h % 7 * UINT64_C(0x1234567);
    case COMMON:
        return h % 5 ? (uint64_t)(specs[i].type == TAGMA_F32 ? 0xbf800000U : 9U) : h >> 40;
    case DECIMALS:
        return decimal_of(specs[i].type, (double)(h % 200000) - 50000);
    case TWIN:
        return value_of(synth, i - 1, entry, at);
    case SAME:
        return specs[i].type == TAGMA_BOOL ? 0 : 273158;
    default:
        for (int c = 0; c < N_COLLECTIONS; c++)
            if (collections[c].count && strcmp(collections[c].count, specs[i].name) == 0)
                return count_of(synth, c, entry, 0);
        abort();
    }
}

static bool is_null(const test_synth *synth, uint32_t i, uint64_t entry)
{
    return (synth->flags & TEST_SYNTH_NULLS) && specs[i].null_from > 0 &&
           entry % 64 >= (uint64_t)specs[i].null_from && entry >= 64;
}

/* Bytes that grow. */
typedef struct bytes {
    uint8_t *at;
    uint64_t n, capacity;
} bytes;

static void put(bytes *to, const void *from, uint64_t n)
{
    if (to->n + n > to->capacity || !to->at) {
        to->capacity = 2 * (to->n + n) + 64;
        to->at = must(realloc(to->at, to->capacity));
    }
    memcpy(to->at + to->n, from, n);
    to->n += n;
}

static tagma_buffer *to_buffer(tagma_ctx *ctx, bytes *from)
{
    tagma_buffer *buffer;

    must_do(tg_buffer_new(ctx, from->n, &buffer));
    if (from->n > 0)
        memcpy(tg_buffer_fill(buffer), from->at, from->n);
    free(from->at);
    *from = (bytes){0};
    return buffer;
}

/* A column on its way. */
typedef struct column_maker {
    const test_synth *synth;
    uint32_t i;
    bytes values, offsets[3];
    uint32_t ends[3];
} column_maker;

static void put_items(column_maker *make, uint64_t entry, uint64_t at, uint32_t n_items)
{
    const spec *it = &specs[make->i];
    uint32_t level = it->n_lists;

    for (uint32_t k = 0; k < n_items; k++) {
        uint64_t v = value_of(make->synth, make->i, entry, at * 8 + k);

        if (it->type != TAGMA_STRING) {
            put(&make->values, &v, tagma_type_bytes(it->type));
            continue;
        }
        for (uint32_t c = 0; c < v % 9; c++) {
            uint8_t letter = c == 5 ? (uint8_t)(v >> 20) : (uint8_t)(97 + (v >> c) % 20);
            put(&make->values, &letter, 1);
        }
        make->ends[level] += (uint32_t)(v % 9);
        put(&make->offsets[level], &make->ends[level], 4);
    }
}

static void put_entry(column_maker *make, uint64_t entry, uint32_t n_items)
{
    const spec *it = &specs[make->i];
    bool null = is_null(make->synth, make->i, entry);
    static const uint8_t zeros[64];
    uint32_t n = it->n_lists == 0 || null ? 0 : 1;

    if (it->n_lists == 0 && null && it->type == TAGMA_STRING) {
        for (uint32_t k = 0; k < n_items; k++)
            put(&make->offsets[0], &make->ends[0], 4);
    } else if (it->n_lists == 0 && null) {
        put(&make->values, zeros, (uint64_t)n_items * tagma_type_bytes(it->type));
    } else if (it->n_lists == 0) {
        put_items(make, entry, 0, n_items);
    }
    if (it->n_lists == 0)
        return;
    if (n > 0)
        n = count_of(make->synth, it->n_lists == 2 ? collections[it->collection].parent : it->collection,
                     entry, 0);
    make->ends[0] += n;
    put(&make->offsets[0], &make->ends[0], 4);
    for (uint32_t a = 0; a < n; a++) {
        uint32_t inner = it->n_lists == 2 ? count_of(make->synth, it->collection, entry, a + 1) : 0;

        if (it->n_lists == 1) {
            put_items(make, entry, a, n_items);
            continue;
        }
        make->ends[1] += inner;
        put(&make->offsets[1], &make->ends[1], 4);
        for (uint32_t b = 0; b < inner; b++)
            put_items(make, entry, a * 1000 + b, n_items);
    }
}

static void fill_column(const test_synth *synth, uint32_t i, uint64_t first, const uint64_t *entries,
                        uint64_t n, tagma_batch_column *to)
{
    column_maker make = {.synth = synth, .i = i};
    bytes validity = {0};
    bool any_null = false;
    uint32_t zero = 0;

    for (uint32_t k = 0; k < to->n_levels; k++)
        put(&make.offsets[k], &zero, 4);
    for (uint64_t e = 0; e < n; e++) {
        uint64_t entry = entries ? entries[e] : first + e;

        if (e % 8 == 0)
            put(&validity, &zero, 1);
        if (is_null(synth, i, entry))
            any_null = true;
        else
            validity.at[e / 8] |= (uint8_t)(1U << (e % 8));
        put_entry(&make, entry, to->n_items);
    }
    to->n_values = make.values.n / tagma_type_bytes(to->type);
    to->values_buffer = to_buffer(synth->ctx, &make.values);
    to->values = tagma_buffer_bytes(to->values_buffer);
    for (uint32_t k = 0; k < to->n_levels; k++) {
        to->offsets_buffers[k] = to_buffer(synth->ctx, &make.offsets[k]);
        to->offsets[k] = tagma_buffer_bytes(to->offsets_buffers[k]);
    }
    if (any_null) {
        to->validity_buffer = to_buffer(synth->ctx, &validity);
        to->validity = tagma_buffer_bytes(to->validity_buffer);
        to->status = TAGMA_COLUMN_NULL;
    }
    free(validity.at);
}

tagma_batch *test_synth_batch(const test_synth *synth, uint64_t first, const uint64_t *entries, uint64_t n,
                              const uint32_t *columns, uint32_t n_columns)
{
    uint32_t n_all = tagma_schema_n_columns(synth->schema), *own = must(malloc((n_all + 1) * sizeof *own));
    tagma_batch *batch;

    for (uint32_t c = 0; c < n_all; c++)
        own[c] = c;
    if (!columns) {
        columns = own;
        n_columns = n_all;
    }
    must_do(tg_batch_new(synth->ctx, synth->schema, n, columns, n_columns, &batch));
    for (uint32_t k = 0; k < n_columns; k++)
        for (uint32_t i = 0; i < N_SPECS; i++)
            if (strcmp(specs[i].name, tagma_schema_column(synth->schema, columns[k])->name) == 0)
                fill_column(synth, i, first, entries, n, tg_batch_column(batch, k));
    free(own);
    return batch;
}

static uint8_t bool_at(const tagma_batch_column *column, uint64_t i)
{
    const uint8_t *values = column->values;

    if (column->is_bits)
        return (uint8_t)(values[i / 8] >> (i % 8) & 1);
    return values[i];
}

static bool is_valid(const tagma_batch_column *column, uint64_t i)
{
    return !column->validity || (column->validity[i / 8] >> (i % 8) & 1);
}

static const char *column_difference(const tagma_batch_column *a, const tagma_batch_column *b, uint64_t n)
{
    uint64_t lists = n;

    if (a->type != b->type || a->n_items != b->n_items || a->n_levels != b->n_levels)
        return "shape";
    if (a->damaged || b->damaged)
        return "damage";
    if (a->status != b->status)
        return "status";
    for (uint64_t i = 0; i < n; i++)
        if (is_valid(a, i) != is_valid(b, i))
            return "validity";
    for (uint32_t k = 0; k < a->n_levels; k++) {
        lists *= a->type == TAGMA_STRING && k + 1 == a->n_levels ? a->n_items : 1;
        if (memcmp(a->offsets[k], b->offsets[k], (lists + 1) * 4) != 0)
            return k == 0 ? "offsets" : "inner offsets";
        lists = a->offsets[k][lists];
    }
    if (a->n_values != b->n_values)
        return "number of values";
    if (a->type == TAGMA_BOOL) {
        for (uint64_t i = 0; i < a->n_values; i++)
            if (bool_at(a, i) != bool_at(b, i))
                return "bools";
    } else if (a->n_values > 0 &&
               memcmp(a->values, b->values, a->n_values * tagma_type_bytes(a->type)) != 0) {
        return "values";
    }
    return NULL;
}

const char *test_batch_difference(const tagma_batch *a, const tagma_batch *b)
{
    static char words[128];

    if (tagma_batch_n_entries(a) != tagma_batch_n_entries(b) ||
        tagma_batch_n_columns(a) != tagma_batch_n_columns(b))
        return "number of entries or columns";
    for (uint32_t i = 0; i < tagma_batch_n_columns(a); i++) {
        const char *difference = column_difference(tagma_batch_column_at(a, i), tagma_batch_column_at(b, i),
                                                   tagma_batch_n_entries(a));
        if (difference) {
            snprintf(words, sizeof words, "%s of column %u", difference, tagma_batch_column_at(a, i)->column);
            return words;
        }
    }
    return NULL;
}

static const char *value_difference(const tagma_record_value *value, const tagma_batch_column *column,
                                    uint64_t i)
{
    uint64_t lo = i, hi = i + 1;

    if (value->status == TAGMA_COLUMN_CORRUPT) /* it says so */
        return NULL;
    if (value->status != (is_valid(column, i) ? TAGMA_COLUMN_GOOD : TAGMA_COLUMN_NULL))
        return "status";
    for (uint32_t k = 0; k < column->n_levels; k++) {
        bool is_string = column->type == TAGMA_STRING && k + 1 == column->n_levels;

        lo *= is_string ? column->n_items : 1;
        hi *= is_string ? column->n_items : 1;
        if (k == 0 && !(is_string && column->n_levels == 1)) {
            if (value->n_lists0 != column->offsets[0][hi] - column->offsets[0][lo])
                return "count";
        } else {
            for (uint64_t u = lo; u <= hi; u++)
                if (value->offsets[k][u - lo] != column->offsets[k][u] - column->offsets[k][lo])
                    return "offsets";
        }
        lo = column->offsets[k][lo];
        hi = column->offsets[k][hi];
    }
    if (column->type != TAGMA_STRING) {
        lo *= column->n_items;
        hi *= column->n_items;
    }
    if (value->n_values != hi - lo)
        return "number of values";
    for (uint64_t u = lo; u < hi; u++) {
        uint32_t width = tagma_type_bytes(column->type);
        const uint8_t *found = (const uint8_t *)value->values + (u - lo) * width;

        if (column->type == TAGMA_BOOL
                ? *found != bool_at(column, u)
                : memcmp(found, (const uint8_t *)column->values + u * width, width) != 0)
            return "values";
    }
    return NULL;
}

const char *test_record_difference(const tagma_record_plan *plan, const void *record,
                                   const tagma_batch *batch, uint64_t i)
{
    static char words[128];

    for (uint32_t c = 0; c < tagma_record_plan_n_columns(plan); c++) {
        tagma_record_value value;
        const char *difference = "no column";

        if (tagma_record_column(plan, record, c, &value) == TAGMA_OK)
            difference = value_difference(&value, tagma_batch_column_at(batch, c), i);
        if (difference) {
            snprintf(words, sizeof words, "%s of column %u", difference,
                     tagma_batch_column_at(batch, c)->column);
            return words;
        }
    }
    return NULL;
}
