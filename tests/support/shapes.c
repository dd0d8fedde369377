/* SPDX-License-Identifier: Apache-2.0
 * The tree of every shape: its formulas, its baskets, and how a row is spelled. */
#include "support/shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"

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

static void put(shapes_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(shapes_text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->n += (size_t)vsnprintf(t->chars + t->n, sizeof t->chars - t->n, format, args);
    va_end(args);
    assert_true(t->n < sizeof t->chars);
}

static void put_numbers(shapes_text *t, uint32_t column, uint32_t entry, uint32_t from, uint32_t n)
{
    for (uint32_t k = from; k < from + n; k++)
        put(t, "%u ", number_of(column, entry, k));
}

/* What a string of the tree says. */
static void put_word(shapes_text *t, uint32_t column, uint32_t entry, uint32_t k)
{
    uint32_t n = (entry + k + column) % 5;

    put(t, "\"");
    for (uint32_t i = 0; i < n; i++)
        put(t, "%c", 'a' + (int)((entry + i) % 26));
    put(t, "\" ");
}

static void expect(shapes_text *t, uint32_t column, uint32_t entry)
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
const char *shapes_expected(uint32_t column, uint64_t entry)
{
    static shapes_text known[N_COLUMNS][SHAPES_ENTRIES];
    shapes_text *t = &known[column][entry];

    if (t->n == 0)
        expect(t, column, (uint32_t)entry);
    return t->chars;
}

static void render_number(shapes_text *t, const tagma_batch_column *c, uint64_t i)
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
static void render_items(shapes_text *t, const tagma_batch_column *c, uint32_t k, uint64_t lo, uint64_t hi)
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

void shapes_render(shapes_text *t, const tagma_batch_column *c, uint64_t row)
{
    shapes_text inside = {.n = 0};

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
    uint32_t begin[SHAPES_ENTRIES];
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
    shapes_text word = {.n = 0};

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

const shapes_branch shapes_branches[SHAPES_BRANCHES] = {
    {COL_N, 40, false, false, 0, SHAPES_ENTRIES},    {COL_X, 28, true, false, 0, SHAPES_ENTRIES},
    {COL_Y, 24, false, true, 0, SHAPES_ENTRIES},     {COL_S, 16, false, false, 0, SHAPES_ENTRIES},
    {COL_A, 44, true, false, 0, SHAPES_ENTRIES},     {COL_V, 32, true, false, 0, SHAPES_ENTRIES},
    {COL_VV, 120, true, false, 0, SHAPES_ENTRIES},   {COL_TEXT, 36, true, false, 0, SHAPES_ENTRIES},
    {COL_WORDS, 20, true, false, 0, SHAPES_ENTRIES}, {COL_M, 48, true, false, 0, SHAPES_ENTRIES},
    {COL_P, 9, false, false, 0, SHAPES_ENTRIES},     {COL_P2, 52, true, false, 0, SHAPES_ENTRIES},
    {COL_SHORT, 20, false, false, 12, 80},           {COL_LAST, 64, false, false, 0, SHAPES_ENTRIES},
};

/* One basket of a branch; the last of COL_LAST is embedded. */
static uint32_t add_basket(test_tree *tree, const shapes_branch *how, uint32_t first, int codec,
                           test_bytes *record)
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
    if (how->column == COL_LAST && first + n == SHAPES_ENTRIES) {
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

static void note_fault(void *user, const tagma_fault *fault)
{
    shapes_fixture *f = user;

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

static void make_tree(shapes_fixture *f, int codec)
{
    test_bytes record = {0};
    const tg_branch *branch;

    test_tree_begin(f->ctx, &f->tree, SHAPES_ENTRIES);
    for (uint32_t b = 0; b < SHAPES_BRANCHES; b++) {
        (void)test_tree_branch(&f->tree, "branch", shapes_branches[b].first, shapes_branches[b].end);
        for (uint32_t first = shapes_branches[b].first; first < shapes_branches[b].end;)
            first += add_basket(&f->tree, &shapes_branches[b], first, codec, &record);
        add_columns(&f->tree, shapes_branches[b].column);
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

int shapes_set_up_codec(void **state, int codec)
{
    shapes_fixture *f = calloc(1, sizeof *f);

    if (!f || tagma_ctx_new(NULL, &f->ctx) < 0)
        return -1;
    tagma_ctx_on_fault(f->ctx, note_fault, f);
    make_tree(f, codec);
    *state = f;
    return 0;
}

int shapes_set_up(void **state)
{
    return shapes_set_up_codec(state, TEST_LZ4);
}

int shapes_tear_down(void **state)
{
    shapes_fixture *f = *state;

    tagma_events_release(f->events);
    test_tree_free(&f->tree);
    assert_int_equal(tagma_ctx_memory(f->ctx), 0);
    tagma_ctx_free(f->ctx);
    free(f);
    return 0;
}

tagma_reader *shapes_reader(shapes_fixture *f, tagma_pool *pool)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    tagma_reader *reader;

    options.pool = pool;
    assert_int_equal(tagma_reader_new(f->ctx, f->events, &options, &reader), TAGMA_OK);
    return reader;
}

tagma_reader_stats shapes_stats(const tagma_reader *reader)
{
    tagma_reader_stats stats = {.struct_bytes = sizeof stats};

    tagma_reader_get_stats(reader, &stats);
    return stats;
}

/* Every column of a batch against the formula. */
void shapes_assert_batch(const tagma_batch *batch, uint64_t first, const uint64_t *entries)
{
    for (uint32_t c = 0; c < tagma_batch_n_columns(batch); c++) {
        const tagma_batch_column *column = tagma_batch_column_at(batch, c);

        assert_int_equal((uintptr_t)column->values % 64, 0);
        for (uint64_t row = 0; row < tagma_batch_n_entries(batch); row++) {
            uint32_t entry = (uint32_t)(entries ? entries[row] : first + row);
            const char *expected = shapes_expected(column->column, entry);
            shapes_text found;

            shapes_render(&found, column, row);
            if (strcmp(found.chars, expected) != 0)
                fail_msg("column %u, entry %u: %s, expected %s", column->column, entry, found.chars,
                         expected);
        }
    }
}
