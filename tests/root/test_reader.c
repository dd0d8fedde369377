/* SPDX-License-Identifier: Apache-2.0
 * A tree of every shape, read in every way: whole, by ranges and lists of rows, by any number of threads, damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "support/baskets.h"
#include "support/failing.h"

enum { N_ENTRIES = 120, TEXT_BYTES = 512 };

/* The columns of the tree, in its order. */
enum {
    COL_N,     /* u32 that counts x and y */
    COL_X,     /* f32[n] with offsets */
    COL_Y,     /* u8[n] without offsets */
    COL_S,     /* i16 */
    COL_A,     /* i32[3] with offsets, as split objects have them */
    COL_V,     /* vector of u16 */
    COL_VV,    /* vector of vectors of u8 */
    COL_TEXT,  /* string */
    COL_WORDS, /* vector of strings */
    COL_M,     /* leaf list m/i:w[m]/s */
    COL_W,
    COL_P, /* leaf list p/D:q/O */
    COL_Q,
    COL_P2,    /* counted pointer f32[n], null at every seventh entry */
    COL_SHORT, /* u8 of the entries 12 to 79 only */
    COL_LAST,  /* i32, its last basket embedded in the tree's record */
    N_COLUMNS
};

/* What the entries hold, by formula. */

static uint32_t count_of(uint32_t column, uint32_t entry)
{
    return (entry / 3 * 7 + column) % 4;
}

static uint32_t number_of(uint32_t column, uint32_t entry, uint32_t k)
{
    return (entry / 16 * 31 + column * 5 + k * 3) % 251;
}

static uint32_t shared_count(uint32_t entry)
{
    return entry == 41 ? 0 : (entry / 2 * 5 + 1) % 4;
}

static bool is_null_pointer(uint32_t entry)
{
    return entry % 7 == 3;
}

/* Text of one entry: numbers, lists in brackets, strings in quotes. */

typedef struct text {
    char chars[TEXT_BYTES];
    size_t n;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->n += (size_t)vsnprintf(t->chars + t->n, sizeof t->chars - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->chars);
}

static void put_numbers(text *t, uint32_t column, uint32_t entry, uint32_t from, uint32_t n)
{
    for (uint32_t k = from; k < from + n; k++)
        put(t, "%u ", number_of(column, entry, k));
}

/* What a string of the tree says. */
static void put_word(text *t, uint32_t column, uint32_t entry, uint32_t k)
{
    uint32_t n = (entry + k + column) % 5;

    put(t, "\"");
    for (uint32_t i = 0; i < n; i++)
        put(t, "%c", 'a' + (int)((entry + i) % 26));
    put(t, "\" ");
}

static void expect(text *t, uint32_t column, uint32_t entry)
{
    uint32_t n = count_of(column, entry);

    t->n = 0;
    t->chars[0] = 0;
    switch (column) {
    case COL_N:
        put(t, "%u ", shared_count(entry));
        break;
    case COL_M:
        put(t, "%u ", count_of(COL_W, entry));
        break;
    case COL_X:
    case COL_Y:
    case COL_P2:
        if (column == COL_P2 && is_null_pointer(entry) && shared_count(entry) > 0) {
            put(t, "null");
            break;
        }
        put(t, "[");
        put_numbers(t, column, entry, 0, shared_count(entry));
        put(t, "] ");
        break;
    case COL_V:
    case COL_W:
        put(t, "[");
        put_numbers(t, column, entry, 0, n);
        put(t, "] ");
        break;
    case COL_VV:
        put(t, "[");
        for (uint32_t i = 0; i < n; i++) {
            put(t, "[");
            put_numbers(t, column, entry, 10 * i, (entry + i) % 3);
            put(t, "] ");
        }
        put(t, "] ");
        break;
    case COL_TEXT:
        put_word(t, column, entry, 0);
        break;
    case COL_WORDS:
        put(t, "[");
        for (uint32_t i = 0; i < n; i++)
            put_word(t, column, entry, i);
        put(t, "] ");
        break;
    case COL_A:
        put_numbers(t, column, entry, 0, 3);
        break;
    case COL_Q:
        put(t, "%u ", number_of(column, entry, 0) % 2);
        break;
    case COL_SHORT:
        if (entry < 12 || entry >= 80)
            put(t, "null");
        else
            put_numbers(t, column, entry, 0, 1);
        break;
    default:
        put_numbers(t, column, entry, 0, 1);
    }
}

/* The same, made once. */
static const char *expected_of(uint32_t column, uint64_t entry)
{
    static text known[N_COLUMNS][N_ENTRIES];
    text *t = &known[column][entry];

    if (t->n == 0)
        expect(t, column, (uint32_t)entry);
    return t->chars;
}

static void render_number(text *t, const tagma_batch_column *c, uint64_t i)
{
    const void *v = c->values;

    switch (c->type) {
    case TAGMA_F32:
        put(t, "%.0f ", (double)((const float *)v)[i]);
        break;
    case TAGMA_F64:
        put(t, "%.0f ", ((const double *)v)[i]);
        break;
    case TAGMA_I32:
    case TAGMA_U32:
        put(t, "%u ", ((const uint32_t *)v)[i]);
        break;
    case TAGMA_I16:
    case TAGMA_U16:
        put(t, "%u ", ((const uint16_t *)v)[i]);
        break;
    default:
        put(t, "%u ", ((const uint8_t *)v)[i]);
    }
}

/* Items [lo, hi) of level k and below. */
static void render_items(text *t, const tagma_batch_column *c, uint32_t k, uint64_t lo, uint64_t hi)
{
    bool is_string = c->type == TAGMA_STRING && k + 1 == c->n_levels;

    if (k == c->n_levels || is_string) {
        lo *= c->n_items;
        hi *= c->n_items;
    }
    for (uint64_t i = lo; i < hi; i++) {
        if (k == c->n_levels) {
            render_number(t, c, i);
        } else if (is_string) {
            put(t, "\"%.*s\" ", (int)(c->offsets[k][i + 1] - c->offsets[k][i]),
                (const char *)c->values + c->offsets[k][i]);
        } else {
            put(t, "[");
            render_items(t, c, k + 1, c->offsets[k][i], c->offsets[k][i + 1]);
            put(t, "] ");
        }
    }
}

static bool bit(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

static void render(text *t, const tagma_batch_column *c, uint64_t row)
{
    text inside = {.n = 0};

    t->n = 0;
    render_items(&inside, c, 0, row, row + 1);
    if (!c->validity || bit(c->validity, row)) {
        *t = inside;
        return;
    }
    /* A null has zeros or empty lists, never what the memory held. */
    assert_null(strpbrk(inside.chars, "123456789abc"));
    put(t, c->damaged && bit(c->damaged, row) ? "damaged" : "null");
}

/* The tree. */

/* Entries being put one behind the other. */
typedef struct filler {
    test_bytes data;
    uint32_t begin[N_ENTRIES];
} filler;

static void fill_numbers(filler *f, uint32_t column, uint32_t entry, uint32_t from, uint32_t n,
                         uint32_t width)
{
    for (uint32_t k = from; k < from + n; k++) {
        uint32_t v = number_of(column, entry, k);
        float single = (float)v;

        if (column == COL_X || column == COL_P2)
            memcpy(&v, &single, sizeof v);
        if (width == 1)
            test_append(&f->data, &(uint8_t){(uint8_t)v}, 1);
        else if (width == 2)
            test_put_be16(&f->data, (uint16_t)v);
        else
            test_put_be32(&f->data, v);
    }
}

static void fill_frame(filler *f, uint32_t bytes)
{
    test_put_be32(&f->data, 0x40000000 | (bytes + 2));
    test_put_be16(&f->data, 9);
}

static void fill_word(test_bytes *to, uint32_t column, uint32_t entry, uint32_t k)
{
    text word = {.n = 0};

    put_word(&word, column, entry, k);
    test_append(to, &(uint8_t){(uint8_t)(word.n - 3)}, 1);
    test_append(to, word.chars + 1, word.n - 3);
}

/* Some collections stand in bytes of their own first, to know their length. */
static void fill_framed(filler *f, uint32_t column, uint32_t entry)
{
    filler inner = {0};
    uint32_t n = count_of(column, entry);

    test_put_be32(&inner.data, n);
    for (uint32_t i = 0; i < n; i++) {
        if (column == COL_V) {
            fill_numbers(&inner, column, entry, i, 1, 2);
        } else if (column == COL_VV) {
            test_put_be32(&inner.data, (entry + i) % 3);
            fill_numbers(&inner, column, entry, 10 * i, (entry + i) % 3, 1);
        } else {
            fill_word(&inner.data, column, entry, i);
        }
    }
    fill_frame(f, (uint32_t)inner.data.n);
    test_append(&f->data, inner.data.bytes, inner.data.n);
    free(inner.data.bytes);
}

static void fill_entry(filler *f, uint32_t column, uint32_t entry)
{
    double wide = number_of(column, entry, 0);
    uint64_t bits;

    switch (column) {
    case COL_N:
        test_put_be32(&f->data, shared_count(entry));
        break;
    case COL_X:
        fill_numbers(f, column, entry, 0, shared_count(entry), 4);
        break;
    case COL_Y:
        fill_numbers(f, column, entry, 0, shared_count(entry), 1);
        break;
    case COL_P2:
        test_append(&f->data, &(uint8_t){!is_null_pointer(entry) && shared_count(entry) > 0}, 1);
        if (!is_null_pointer(entry))
            fill_numbers(f, column, entry, 0, shared_count(entry), 4);
        break;
    case COL_S:
        fill_numbers(f, column, entry, 0, 1, 2);
        break;
    case COL_A:
        fill_numbers(f, column, entry, 0, 3, 4);
        break;
    case COL_V:
    case COL_VV:
    case COL_WORDS:
        fill_framed(f, column, entry);
        break;
    case COL_TEXT:
        fill_word(&f->data, column, entry, 0);
        break;
    case COL_M:
        test_put_be32(&f->data, count_of(COL_W, entry));
        fill_numbers(f, COL_W, entry, 0, count_of(COL_W, entry), 2);
        break;
    case COL_P:
        memcpy(&bits, &wide, sizeof bits);
        test_put_be64(&f->data, bits);
        test_append(&f->data, &(uint8_t){number_of(COL_Q, entry, 0) % 2 ? 0x99 : 0}, 1);
        break;
    case COL_SHORT:
        fill_numbers(f, column, entry, 0, 1, 1);
        break;
    default:
        fill_numbers(f, column, entry, 0, 1, 4);
    }
}

/* How a branch's baskets look. */
typedef struct shape {
    uint32_t column, per_basket;
    bool has_offsets, no_offsets;
    uint32_t first, end;
} shape;

static const shape shapes[] = {
    {COL_N, 40, false, false, 0, N_ENTRIES},    {COL_X, 28, true, false, 0, N_ENTRIES},
    {COL_Y, 24, false, true, 0, N_ENTRIES},     {COL_S, 16, false, false, 0, N_ENTRIES},
    {COL_A, 44, true, false, 0, N_ENTRIES},     {COL_V, 32, true, false, 0, N_ENTRIES},
    {COL_VV, 120, true, false, 0, N_ENTRIES},   {COL_TEXT, 36, true, false, 0, N_ENTRIES},
    {COL_WORDS, 20, true, false, 0, N_ENTRIES}, {COL_M, 48, true, false, 0, N_ENTRIES},
    {COL_P, 9, false, false, 0, N_ENTRIES},     {COL_P2, 52, true, false, 0, N_ENTRIES},
    {COL_SHORT, 20, false, false, 12, 80},      {COL_LAST, 64, false, false, 0, N_ENTRIES},
};
enum { N_BRANCHES = sizeof shapes / sizeof shapes[0] };

/* One basket of a branch; the last of COL_LAST is embedded. */
static uint32_t add_basket(test_tree *tree, const shape *how, uint32_t first, int codec, test_bytes *record)
{
    filler f = {0};
    uint32_t n = 0, bytes;
    test_basket basket = {.codec = codec, .no_offsets = how->no_offsets, .stride = 1000};

    for (; n < how->per_basket && first + n < how->end; n++) {
        f.begin[n] = (uint32_t)f.data.n;
        fill_entry(&f, how->column, first + n);
    }
    basket.data = f.data.bytes;
    basket.data_bytes = (uint32_t)f.data.n;
    basket.n_entries = n;
    basket.begin = how->has_offsets ? f.begin : NULL;
    if (!how->has_offsets && !how->no_offsets)
        basket.stride = (int32_t)(f.data.n / n);
    if (how->column == COL_LAST && first + n == N_ENTRIES) {
        uint64_t at;

        basket.codec = TEST_RAW;
        at = test_append_embedded(record, &basket, 12, &bytes);
        test_tree_place(tree, first, n, TG_BASKET_EMBEDDED | at, bytes);
    } else {
        test_tree_basket(tree, first, &basket);
    }
    free(f.data.bytes);
    return n;
}

static void add_columns(test_tree *tree, uint32_t column)
{
    static const tg_layout plain[N_COLUMNS] = {
        [COL_N] = {.wire = TG_WIRE_U32},
        [COL_X] = {.wire = TG_WIRE_F32, .count_column = COL_N},
        [COL_Y] = {.wire = TG_WIRE_U8, .count_column = COL_N},
        [COL_S] = {.wire = TG_WIRE_I16},
        [COL_A] = {.wire = TG_WIRE_I32},
        [COL_V] = {.wire = TG_WIRE_U16, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE}},
        [COL_VV] = {.wire = TG_WIRE_U8,
                    .frame = TG_ENTRY_FRAMED,
                    .counts = {TG_COUNT_INLINE, TG_COUNT_INLINE}},
        [COL_TEXT] = {.string = TG_STRING_COUNTED},
        [COL_WORDS] = {.string = TG_STRING_COUNTED, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE}},
        [COL_M] = {.wire = TG_WIRE_U32, .n_leaves = 2, .first_column = COL_M},
        [COL_W] =
            {.wire = TG_WIRE_U16, .n_leaves = 2, .leaf = 1, .first_column = COL_M, .count_column = COL_M},
        [COL_P] = {.wire = TG_WIRE_F64, .n_leaves = 2, .first_column = COL_P},
        [COL_Q] = {.wire = TG_WIRE_BOOL, .n_leaves = 2, .leaf = 1, .first_column = COL_P},
        [COL_P2] = {.wire = TG_WIRE_F32, .frame = TG_ENTRY_FLAGGED, .count_column = COL_N},
        [COL_SHORT] = {.wire = TG_WIRE_U8},
        [COL_LAST] = {.wire = TG_WIRE_I32},
    };
    static const struct {
        const char *name;
        tagma_type type;
        uint32_t n_lists, n_items;
    } columns[N_COLUMNS] = {
        {"n", TAGMA_U32, 0, 1},    {"x", TAGMA_F32, 1, 1},       {"y", TAGMA_U8, 1, 1},
        {"s", TAGMA_I16, 0, 1},    {"a", TAGMA_I32, 0, 3},       {"v", TAGMA_U16, 1, 1},
        {"vv", TAGMA_U8, 2, 1},    {"text", TAGMA_STRING, 0, 1}, {"words", TAGMA_STRING, 1, 1},
        {"m", TAGMA_U32, 0, 1},    {"w", TAGMA_U16, 1, 1},       {"p", TAGMA_F64, 0, 1},
        {"q", TAGMA_BOOL, 0, 1},   {"p2", TAGMA_F32, 1, 1},      {"short", TAGMA_U8, 0, 1},
        {"last", TAGMA_I32, 0, 1},
    };
    uint32_t n = plain[column].n_leaves ? plain[column].n_leaves : 1;

    for (uint32_t c = column; c < column + n; c++)
        assert_int_equal(test_tree_column(tree, columns[c].name, columns[c].type, columns[c].n_lists,
                                          columns[c].n_items, &plain[c]),
                         c);
}

typedef struct fixture {
    tagma_ctx *ctx;
    test_tree tree;
    tagma_events *events;
    uint64_t n_baskets;
    uint32_t n_faults;
    tagma_fault fault; /* the last */
    char words[1024], tree_name[64], column_name[64];
} fixture;

static void note_fault(void *user, const tagma_fault *fault)
{
    fixture *f = user;

    f->n_faults++;
    f->fault = *fault; /* its strings are borrowed */
    snprintf(f->tree_name, sizeof f->tree_name, "%s", fault->tree);
    snprintf(f->column_name, sizeof f->column_name, "%s", fault->column);
    snprintf(f->words, sizeof f->words, "%s", fault->message);
    /* The words hold all that the numbers say. */
    assert_non_null(strstr(fault->message, fault->file));
    assert_non_null(strstr(fault->message, fault->tree));
    assert_non_null(strstr(fault->message, fault->column));
}

static void make_tree(fixture *f, int codec)
{
    test_bytes record = {0};
    const tg_branch *branch;

    test_tree_begin(f->ctx, &f->tree, N_ENTRIES);
    for (uint32_t b = 0; b < N_BRANCHES; b++) {
        (void)test_tree_branch(&f->tree, "branch", shapes[b].first, shapes[b].end);
        for (uint32_t first = shapes[b].first; first < shapes[b].end;)
            first += add_basket(&f->tree, &shapes[b], first, codec, &record);
        add_columns(&f->tree, shapes[b].column);
        branch = &f->tree.branches[b];
        assert_true(branch->n_baskets > 0);
    }
    f->tree.record_offset =
        test_append_record(&f->tree.file, "TTree", record.bytes, record.n, &f->tree.record_bytes);
    f->tree.record_hash = test_hash(f->tree.file.bytes + f->tree.record_offset, f->tree.record_bytes);
    f->n_baskets = f->tree.n_baskets;
    f->events = test_tree_events(&f->tree);
    free(record.bytes);
}

static int set_up_codec(void **state, int codec)
{
    fixture *f = calloc(1, sizeof *f);

    if (!f || tagma_ctx_new(NULL, &f->ctx) < 0)
        return -1;
    tagma_ctx_on_fault(f->ctx, note_fault, f);
    make_tree(f, codec);
    *state = f;
    return 0;
}

static int set_up(void **state)
{
    return set_up_codec(state, TEST_LZ4);
}

static int tear_down(void **state)
{
    fixture *f = *state;

    tagma_events_release(f->events);
    test_tree_free(&f->tree);
    assert_int_equal(tagma_ctx_memory(f->ctx), 0);
    tagma_ctx_free(f->ctx);
    free(f);
    return 0;
}

static tagma_reader *new_reader(fixture *f, tagma_pool *pool)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    tagma_reader *reader;

    options.pool = pool;
    assert_int_equal(tagma_reader_new(f->ctx, f->events, &options, &reader), TAGMA_OK);
    return reader;
}

static tagma_reader_stats stats_of(const tagma_reader *reader)
{
    tagma_reader_stats stats;

    tagma_reader_get_stats(reader, &stats);
    return stats;
}

/* Every column of a batch against the formula. */
static void assert_batch(const tagma_batch *batch, uint64_t first, const uint64_t *entries)
{
    for (uint32_t c = 0; c < tagma_batch_n_columns(batch); c++) {
        const tagma_batch_column *column = tagma_batch_column_at(batch, c);

        assert_int_equal((uintptr_t)column->values % 64, 0);
        for (uint64_t row = 0; row < tagma_batch_n_entries(batch); row++) {
            uint32_t entry = (uint32_t)(entries ? entries[row] : first + row);
            const char *expected = expected_of(column->column, entry);
            text found;

            render(&found, column, row);
            if (strcmp(found.chars, expected) != 0)
                fail_msg("column %u, entry %u: %s, expected %s", column->column, entry, found.chars,
                         expected);
        }
    }
}

/* Everything in one call. Shared offsets are one buffer; each basket is unpacked once. */
static void reads_all(void **state)
{
    fixture *f = *state;
    tagma_reader *reader = new_reader(f, NULL);
    tagma_batch *batch;

    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, N_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    assert_batch(batch, 0, NULL);
    assert_ptr_equal(tagma_batch_column_at(batch, COL_X)->offsets[0],
                     tagma_batch_column_at(batch, COL_Y)->offsets[0]);
    assert_int_equal(tagma_batch_column_at(batch, COL_SHORT)->status, TAGMA_COLUMN_NULL);
    assert_int_equal(tagma_batch_column_at(batch, COL_X)->status, TAGMA_COLUMN_GOOD);
    assert_int_equal(f->n_faults, 0);
    assert_int_equal(stats_of(reader).distinct_baskets, f->n_baskets);
    assert_int_equal(stats_of(reader).baskets, f->n_baskets);
    tagma_batch_free(batch);
    tagma_reader_free(reader);
}

/* Runs of entries, each by a reader of its own: a basket may begin before it and end behind it. */
static void reads_ranges(void **state)
{
    fixture *f = *state;

    for (uint64_t first = 0; first <= N_ENTRIES; first += 1 + first / 5)
        for (uint64_t n = 0; n <= N_ENTRIES - first; n += 1 + n / 3) {
            tagma_reader *reader = new_reader(f, NULL);
            tagma_batch *batch;

            assert_int_equal(tagma_read_columns(f->ctx, reader, first, n, NULL, 0, &batch), TAGMA_OK);
            assert_batch(batch, first, NULL);
            tagma_batch_free(batch);
            tagma_reader_free(reader);
        }
    assert_int_equal(f->n_faults, 0);
}

/* Lists of rows of every stride, ascending, backward and repeated, and each basket unpacked once but for the counters that
 * give offsets of whole baskets. */
static void reads_lists_of_rows(void **state)
{
    fixture *f = *state;

    for (uint64_t step = 1; step < N_ENTRIES; step += 1 + step / 4)
        for (uint64_t first = 0; first < 60; first += 19) {
            tagma_reader *reader = new_reader(f, NULL);
            uint64_t entries[2 * N_ENTRIES], n = 0;
            tagma_batch *batch;

            for (uint64_t e = first; e < N_ENTRIES; e += step)
                entries[n++] = e;
            assert_int_equal(tagma_read_rows(f->ctx, reader, entries, n, NULL, 0, &batch), TAGMA_OK);
            assert_batch(batch, 0, entries);
            tagma_batch_free(batch);
            for (uint64_t i = 0; i < n; i++)
                entries[2 * n - 1 - i] = entries[i];
            assert_int_equal(tagma_read_rows(f->ctx, reader, entries, 2 * n, NULL, 0, &batch), TAGMA_OK);
            assert_batch(batch, 0, entries);
            tagma_batch_free(batch);
            tagma_reader_free(reader);
        }
    assert_int_equal(f->n_faults, 0);
}

/* Columns alone and in any order, with their counter or without. */
static void reads_any_columns(void **state)
{
    fixture *f = *state;
    tagma_reader *reader = new_reader(f, NULL);

    for (uint32_t c = 0; c < N_COLUMNS; c++)
        for (uint32_t d = 0; d < N_COLUMNS; d++) {
            uint32_t columns[] = {c, d};
            tagma_batch *batch;

            assert_int_equal(tagma_read_columns(f->ctx, reader, 5, 80, columns, 1 + (c != d), &batch),
                             TAGMA_OK);
            assert_batch(batch, 5, NULL);
            tagma_batch_free(batch);
        }
    tagma_reader_free(reader);
}

/* A forward sequence of calls, of any length each, unpacks each basket once: what straddles an end is kept. */
static void unpacks_each_basket_once(void **state)
{
    fixture *f = *state;

    for (uint64_t step = 1; step <= N_ENTRIES; step += 1 + step / 4) {
        tagma_reader *reader = new_reader(f, NULL);

        for (uint64_t first = 0; first < N_ENTRIES; first += step) {
            uint64_t n = N_ENTRIES - first < step ? N_ENTRIES - first : step;
            tagma_batch *batch;

            assert_int_equal(tagma_read_columns(f->ctx, reader, first, n, NULL, 0, &batch), TAGMA_OK);
            assert_batch(batch, first, NULL);
            tagma_batch_free(batch);
        }
        assert_int_equal(stats_of(reader).distinct_baskets, f->n_baskets);
        /* Twice only: counters, for baskets without offsets that begin before them. */
        assert_true(stats_of(reader).baskets <= f->n_baskets + 3);
        tagma_reader_free(reader);
    }
}

/* No memory to keep anything: the same values, more unpacking. */
static void reads_without_keeping(void **state)
{
    fixture *f = *state;
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    tagma_reader *reader;

    options.cache_bytes = 0;
    assert_int_equal(tagma_reader_new(f->ctx, f->events, &options, &reader), TAGMA_OK);
    for (uint64_t first = 0; first < N_ENTRIES; first += 12) {
        tagma_batch *batch;

        assert_int_equal(tagma_read_columns(f->ctx, reader, first, 12, NULL, 0, &batch), TAGMA_OK);
        assert_batch(batch, first, NULL);
        tagma_batch_free(batch);
    }
    assert_true(stats_of(reader).baskets > f->n_baskets);
    tagma_reader_free(reader);
}

/* Any number of threads gives the same. */
static void reads_with_threads(void **state)
{
    fixture *f = *state;

    for (uint32_t n_threads = 1; n_threads <= 4; n_threads++) {
        uint64_t n_baskets, n_faults;
        tagma_reader *reader;
        tagma_batch *batch;
        tagma_pool *pool;

        assert_int_equal(tagma_pool_new(f->ctx, n_threads, &pool), TAGMA_OK);
        reader = new_reader(f, pool);
        for (uint64_t first = 0; first < N_ENTRIES; first += 40) {
            assert_int_equal(tagma_read_columns(f->ctx, reader, first, 40, NULL, 0, &batch), TAGMA_OK);
            assert_batch(batch, first, NULL);
            tagma_batch_free(batch);
        }
        assert_int_equal(tagma_events_check(f->ctx, reader, NULL, 0, &n_baskets, &n_faults), TAGMA_OK);
        assert_int_equal(n_baskets, f->n_baskets);
        assert_int_equal(n_faults, 0);
        tagma_reader_free(reader);
        tagma_pool_free(pool);
    }
    assert_int_equal(f->n_faults, 0);
}

static bool is_counted_by_n(uint32_t column)
{
    return column == COL_X || column == COL_Y || column == COL_P2;
}

/* Rows that are damaged, or null, are those the test expects; all others are what the formula says. */
static void assert_damage(const tagma_batch *batch, uint64_t row_step, uint32_t column, uint64_t first,
                          uint64_t end, bool *any)
{
    for (uint32_t c = 0; c < N_COLUMNS; c++) {
        const tagma_batch_column *from = tagma_batch_column_at(batch, c);
        bool is_hit = c == column || (column == COL_N && is_counted_by_n(c)) ||
                      ((column == COL_M || column == COL_W) && (c == COL_M || c == COL_W)) ||
                      ((column == COL_P || column == COL_Q) && (c == COL_P || c == COL_Q));

        for (uint64_t row = 0; row < tagma_batch_n_entries(batch); row++) {
            uint64_t entry = row * row_step;
            const char *expected = expected_of(c, entry);
            text found;

            render(&found, from, row);
            if (is_hit && entry >= first && entry < end) {
                assert_string_equal(found.chars, "damaged");
                assert_int_equal(from->status, TAGMA_COLUMN_CORRUPT);
                *any = true;
            } else if (column == COL_N && c == COL_Y && strcmp(found.chars, "damaged") == 0) {
                continue; /* its baskets have no offsets: all of one are lost with a count */
            } else {
                assert_string_equal(found.chars, expected);
            }
        }
    }
}

/* Does the record at an offset hold frames, which have checksums? */
static bool is_checked(const fixture *f, uint64_t offset)
{
    const uint8_t *record = f->tree.file.bytes + offset;

    return tg_be32(record + 6) > tg_be32(record) - tg_be16(record + 14);
}

/* A flipped byte in the payload of any basket: its entries are null and told once, everything else is exact. */
static void loses_one_basket_only(void **state)
{
    fixture *f = *state;

    for (uint32_t b = 0; b < N_BRANCHES; b++) {
        uint32_t column = shapes[b].column;

        for (uint64_t i = 0;; i++) {
            tagma_basket_info info;
            uint8_t *byte;

            if (tagma_events_basket(f->events, column, i, &info) < 0)
                break;
            if (info.packed_bytes == 0 || !is_checked(f, info.offset))
                continue; /* embedded: below; without a checksum: below */
            byte = &f->tree.file.bytes[info.offset + info.packed_bytes - 1];
            *byte ^= 0x10;
            for (uint64_t step = 1; step < 20; step += 6) {
                tagma_reader *reader = new_reader(f, NULL);
                uint64_t entries[N_ENTRIES], n = 0;
                bool any = false;
                tagma_batch *batch;

                for (uint64_t e = 0; e < N_ENTRIES; e += step)
                    entries[n++] = e;
                f->n_faults = 0;
                for (int again = 0; again < 2; again++) { /* told once a reader */
                    assert_int_equal(tagma_read_rows(f->ctx, reader, entries, n, NULL, 0, &batch), TAGMA_OK);
                    assert_damage(batch, step, column, info.first_entry, info.first_entry + info.n_entries,
                                  &any);
                    tagma_batch_free(batch);
                }
                if (any && column != COL_N) { /* the counter's loss costs baskets without offsets, told too */
                    assert_int_equal(f->n_faults, 1);
                    assert_int_equal(f->fault.basket, i);
                    assert_int_equal(f->fault.offset, info.offset);
                    assert_int_equal(f->fault.first_entry, info.first_entry);
                    assert_int_equal(f->fault.n_entries, info.n_entries);
                }
                assert_int_equal(stats_of(reader).faults, f->n_faults);
                tagma_reader_free(reader);
            }
            *byte ^= 0x10;
        }
    }
}

/* The words of a fault, whole. */
static void words_name_the_place(void **state)
{
    fixture *f = *state;
    uint32_t column = COL_S;
    tagma_reader *reader = new_reader(f, NULL);
    tagma_basket_info info;
    tagma_batch *batch;
    char start[256];

    assert_int_equal(tagma_events_basket(f->events, COL_S, 2, &info), TAGMA_OK);
    f->tree.file.bytes[info.offset + info.packed_bytes - 1] ^= 1;
    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, N_ENTRIES, &column, 1, &batch), TAGMA_OK);
    snprintf(start, sizeof start,
             "x.root: tree t;1, branch s, basket 2 at byte %llu (entries 32 to 47): LZ4 frame 0",
             (unsigned long long)info.offset);
    assert_int_equal(strncmp(f->words, start, strlen(start)), 0);
    assert_string_equal(f->column_name, "s");
    assert_string_equal(f->tree_name, "t;1");
    tagma_batch_free(batch);
    tagma_reader_free(reader);
}

/* The tree's record is not the one the tables came from: what is embedded in it is damaged, nothing else. */
static void loses_embedded_baskets_with_their_record(void **state)
{
    fixture *f = *state;
    tagma_reader *reader = new_reader(f, NULL);
    bool any = false;
    tagma_batch *batch;

    f->tree.file.bytes[f->tree.record_offset + f->tree.record_bytes - 1] ^= 1;
    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, N_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    assert_damage(batch, 1, COL_LAST, 64, N_ENTRIES, &any);
    assert_int_equal(f->n_faults, 1);
    assert_non_null(strstr(f->words, "embedded in the tree's record"));
    tagma_batch_free(batch);
    tagma_reader_free(reader);
}

/* Reads all with one byte flipped: what is delivered as good is right. */
static void assert_flip_is_told(fixture *f, uint8_t *byte, uint8_t flip)
{
    tagma_reader *reader = new_reader(f, NULL);
    uint64_t n_baskets, n_faults;
    tagma_batch *batch;

    *byte ^= flip;
    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, N_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    for (uint32_t c = 0; c < N_COLUMNS; c++)
        for (uint64_t row = 0; row < N_ENTRIES; row++) {
            const char *expected = expected_of(c, row);
            text found;

            render(&found, tagma_batch_column_at(batch, c), row);
            if (strcmp(found.chars, "damaged") != 0)
                assert_string_equal(found.chars, expected);
        }
    tagma_batch_free(batch);
    f->n_faults = 0;
    assert_int_equal(tagma_events_check(f->ctx, reader, NULL, 0, &n_baskets, &n_faults), TAGMA_OK);
    assert_int_equal(n_faults, f->n_faults);
    *byte ^= flip;
    tagma_reader_free(reader);
}

/* Bytes of packed baskets flipped in turn, of their keys too. */
static void never_delivers_a_flipped_byte(void **state)
{
    fixture *f = *state;
    uint32_t n_checked = 0;

    for (uint32_t b = 0; b < N_BRANCHES; b++)
        for (uint64_t i = 0;; i++) {
            tagma_basket_info info;

            if (tagma_events_basket(f->events, shapes[b].column, i, &info) < 0)
                break;
            if (i % 3 != 0 || info.packed_bytes == 0 || !is_checked(f, info.offset))
                continue;
            n_checked++;
            for (uint64_t at = i % 8; at < info.packed_bytes; at += 8)
                assert_flip_is_told(f, &f->tree.file.bytes[info.offset + at], (uint8_t)(1 << (at % 8)));
        }
    assert_true(n_checked > 10);
}

/* The same without any checksum: no crash, and lengths that contradict are told. */
static int set_up_raw(void **state)
{
    return set_up_codec(state, TEST_RAW);
}

static void survives_flips_without_checksums(void **state)
{
    fixture *f = *state;

    for (size_t at = 8; at < f->tree.record_offset; at += 19) {
        uint64_t entries[] = {1, 4, 5, 41, 77, 118}, n_baskets, n_faults;
        uint8_t flip = (uint8_t)(1 << (at % 8));
        tagma_reader *reader = new_reader(f, NULL);
        tagma_batch *batch;

        f->tree.file.bytes[at] ^= flip;
        assert_int_equal(tagma_read_columns(f->ctx, reader, 0, N_ENTRIES, NULL, 0, &batch), TAGMA_OK);
        tagma_batch_free(batch);
        assert_int_equal(tagma_read_rows(f->ctx, reader, entries, 6, NULL, 0, &batch), TAGMA_OK);
        tagma_batch_free(batch);
        assert_int_equal(tagma_events_check(f->ctx, reader, NULL, 0, &n_baskets, &n_faults), TAGMA_OK);
        f->tree.file.bytes[at] ^= flip;
        tagma_reader_free(reader);
    }
}

/* A wrong count in an uncompressed basket contradicts what it counts: that entry alone is lost. */
static void holds_counts_against_lengths(void **state)
{
    fixture *f = *state;
    static const uint32_t wrong[] = {1, 200, 0x01000000, 0x7fffffff, 0xffffffff};
    tagma_basket_info info;

    assert_int_equal(tagma_events_basket(f->events, COL_N, 1, &info), TAGMA_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t key_bytes = (uint32_t)(info.packed_bytes - 160), columns[] = {COL_X, COL_P2, COL_N};
        uint8_t *count = f->tree.file.bytes + info.offset + key_bytes + 4 * 1, kept[4];
        tagma_reader *reader = new_reader(f, NULL);
        tagma_batch *batch;

        memcpy(kept, count, 4);
        assert_int_equal(kept[3], 0); /* entry 41 has none */
        for (int k = 0; k < 4; k++)
            count[k] = (uint8_t)(wrong[i] >> (24 - 8 * k));
        f->n_faults = 0;
        assert_int_equal(tagma_read_columns(f->ctx, reader, 0, N_ENTRIES, columns, 3, &batch), TAGMA_OK);
        for (uint64_t row = 0; row < N_ENTRIES; row++)
            for (uint32_t c = 0; c < 2; c++) {
                const char *expected = expected_of(columns[c], row);
                text found;

                render(&found, tagma_batch_column_at(batch, c), row);
                /* Entry 41 of the pointer says itself that it has no values. */
                if (row != 41)
                    assert_string_equal(found.chars, expected);
                else
                    assert_string_equal(found.chars, c == 0 || wrong[i] > INT32_MAX ? "damaged" : "null");
            }
        assert_true(f->n_faults >= 1);
        memcpy(count, kept, 4);
        tagma_batch_free(batch);
        tagma_reader_free(reader);
    }
}

/* Whichever allocation fails, the call fails with it or does without, and nothing is left behind. */
static void survives_failing_allocations(void **state)
{
    fixture *f = *state;
    uint64_t entries[] = {1, 4, 5, 41, 77, 118};
    bool is_done = false;

    f->tree.file.bytes[f->tree.file.n / 3] ^= 1; /* with a fault to be told */
    for (uint64_t fails = 1; !is_done; fails++) {
        test_failing failing = {.fails = fails};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tagma_reader *reader = NULL;
        tagma_batch *batch = NULL;
        uint64_t n_baskets, n_faults;
        tagma_status st = tagma_reader_new(ctx, f->events, NULL, &reader);

        if (st == TAGMA_OK)
            st = tagma_read_columns(ctx, reader, 0, 50, NULL, 0, &batch);
        assert_true(st == TAGMA_OK ? reader && batch : batch == NULL);
        tagma_batch_free(batch);
        batch = NULL;
        if (st == TAGMA_OK)
            st = tagma_read_rows(ctx, reader, entries, 6, NULL, 0, &batch);
        tagma_batch_free(batch);
        if (st == TAGMA_OK)
            st = tagma_events_check(ctx, reader, NULL, 0, &n_baskets, &n_faults);
        assert_true(st == TAGMA_OK || st == TAGMA_E_MEMORY);
        is_done = failing.n < fails;
        tagma_reader_free(reader);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
}

/* What is told of a column's storage and baskets. */
static void tells_storage(void **state)
{
    fixture *f = *state;
    tagma_storage storage;
    tagma_basket_info info;

    assert_int_equal(tagma_events_storage(f->events, COL_N, &storage), TAGMA_OK);
    assert_int_equal(storage.n_baskets, 3);
    assert_int_equal(tagma_events_basket(f->events, COL_N, 2, &info), TAGMA_OK);
    assert_int_equal(info.first_entry, 80);
    assert_int_equal(info.n_entries, 40);
    assert_int_equal(tagma_events_basket(f->events, COL_N, 3, &info), TAGMA_E_RANGE);
    assert_int_equal(tagma_events_basket(f->events, COL_LAST, 1, &info), TAGMA_OK);
    assert_int_equal(info.packed_bytes, 0);
    assert_int_equal(info.offset, f->tree.record_offset);
    assert_int_equal(tagma_events_cluster(f->events, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_lists_of_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_any_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unpacks_each_basket_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_without_keeping, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_with_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loses_one_basket_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_name_the_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loses_embedded_baskets_with_their_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(never_delivers_a_flipped_byte, set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_flips_without_checksums, set_up_raw, tear_down),
        cmocka_unit_test_setup_teardown(holds_counts_against_lengths, set_up_raw, tear_down),
        cmocka_unit_test_setup_teardown(survives_failing_allocations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_storage, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("root/reader", tests, NULL, NULL);
}
