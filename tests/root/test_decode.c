/* SPDX-License-Identifier: Apache-2.0
 * Numbers of every wire, runs of entries, and entries that are walked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/loss.h"
#include "root/walk.h"
#include "support/baskets.h"

static int set_up(void **state)
{
    tagma_ctx *ctx;

    if (tagma_ctx_new(NULL, &ctx) < 0)
        return -1;
    *state = ctx;
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(tagma_ctx_memory(*state), 0);
    tagma_ctx_free(*state);
    return 0;
}

/* A code for a column of one leaf. */
static tg_code code_of(const tg_layout *layout, tagma_type type, uint32_t n_lists, uint32_t n_items)
{
    static const uint8_t bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4, 3, 4, 0};
    tg_code code = {.layout = layout,
                    .type = (uint8_t)type,
                    .wire = layout->wire,
                    .value_bytes = (uint8_t)tagma_type_bytes(type),
                    .n_lists = (uint8_t)n_lists,
                    .is_string = type == TAGMA_STRING,
                    .n_items = n_items};

    code.wire_bytes = code.is_string ? 0 : bytes[layout->wire];
    code.n_levels = (uint8_t)(n_lists + code.is_string);
    code.item_bytes = n_items * code.wire_bytes;
    code.entry_bytes = code.item_bytes;
    return code;
}

static void decode(const tg_layout *layout, tagma_type type, void *dst, const uint8_t *src, uint64_t n)
{
    tg_code code = code_of(layout, type, 0, 1);

    tg_decode_numbers(&code, dst, src, n);
}

/* Big-endian numbers, with the bits that a conversion through another type would lose. */
static void decodes_plain_numbers(void **state)
{
    static const uint8_t bytes[] = {0x80, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe};
    static const uint8_t nan_payload[] = {0x7f, 0x80, 0x12, 0x34, 0x80, 0, 0, 0};
    uint8_t b[16];
    uint16_t s[8];
    uint32_t i[4];
    uint64_t l[2];

    (void)state;
    decode(&(tg_layout){.wire = TG_WIRE_BOOL}, TAGMA_BOOL, b, (const uint8_t[]){0, 1, 0x99, 0xff}, 4);
    assert_memory_equal(b, ((const uint8_t[]){0, 1, 1, 1}), 4);
    decode(&(tg_layout){.wire = TG_WIRE_I8}, TAGMA_I8, b, bytes, 16);
    assert_memory_equal(b, bytes, 16);
    decode(&(tg_layout){.wire = TG_WIRE_I16}, TAGMA_I16, s, bytes, 8);
    assert_int_equal(s[0], 0x8001);
    assert_int_equal(s[7], 0xfffe);
    decode(&(tg_layout){.wire = TG_WIRE_U32}, TAGMA_U32, i, bytes, 4);
    assert_int_equal(i[0], 0x80010203);
    decode(&(tg_layout){.wire = TG_WIRE_I64}, TAGMA_I64, l, bytes, 2);
    assert_true(l[0] == 0x8001020304050607 && l[1] == 0xfffffffffffffffe);
    decode(&(tg_layout){.wire = TG_WIRE_F32}, TAGMA_F32, i, nan_payload, 2);
    assert_true(i[0] == 0x7f801234 && i[1] == 0x80000000); /* a signalling NaN and -0.0 stay */
}

/* Double32_t and Float16_t in all their forms. */
static void decodes_packed_floats(void **state)
{
    static const tg_layout scaled = {.wire = TG_WIRE_SCALED, .factor = 16.0, .xmin = -2.0};
    static const tg_layout nbits12 = {.wire = TG_WIRE_TRUNCATED, .nbits = 12};
    static const uint8_t raw[] = {0, 0, 0, 40, 0xff, 0xff, 0xff, 0xff};
    /* 1.0: exponent 127, mantissa 0; the same negative; 1.5 with the highest mantissa bit. */
    static const uint8_t truncated[] = {127, 0x00, 0x00, 127, 0x20, 0x00, 127, 0x08, 0x00};
    static const uint8_t single[] = {0x3f, 0xc0, 0, 0};
    double d[3];
    float f[3];

    (void)state;
    decode(&scaled, TAGMA_F64, d, raw, 2);
    assert_true(d[0] == 0.5 && d[1] == 4294967295.0 / 16.0 - 2.0);
    decode(&scaled, TAGMA_F32, f, raw, 2);
    assert_true(f[0] == 0.5F && f[1] == (float)(4294967295.0 / 16.0 - 2.0));
    decode(&nbits12, TAGMA_F32, f, truncated, 3);
    assert_true(f[0] == 1.0F && f[1] == -1.0F && f[2] == 1.5F);
    decode(&nbits12, TAGMA_F64, d, truncated, 3);
    assert_true(d[0] == 1.0 && d[1] == -1.0 && d[2] == 1.5);
    decode(&(tg_layout){.wire = TG_WIRE_F32_AS_F64}, TAGMA_F64, d, single, 1);
    assert_true(d[0] == 1.5);
}

/* Leaves that stand side by side in each entry. */
static void decodes_one_of_several_leaves(void **state)
{
    static const tg_layout layout = {.wire = TG_WIRE_I16};
    static const uint8_t entries[] = {9, 0, 1, 0, 2, 9, 9, 0, 3, 0, 4, 9};
    tg_code code = code_of(&layout, TAGMA_I16, 0, 2);
    int16_t values[4];

    (void)state;
    code.entry_bytes = 6;
    code.leaf_offset = 1;
    tg_decode_fixed(&code, values, entries, 2);
    assert_memory_equal(values, ((const int16_t[]){1, 2, 3, 4}), sizeof values);
}

/* Rows of a list that are neighbours in the basket are one run; a range is one run. */
static void makes_runs(void **state)
{
    static const uint64_t entries[] = {3, 100, 101, 102, 110, 112, 200};
    tg_rows list = {.n = 7, .entries = entries}, range = {.first = 95, .n = 50};
    tg_runs runs = {.rows = &list, .first_entry = 100, .row = 1, .end_row = 6};
    tg_run run;

    (void)state;
    assert_true(tg_runs_next(&runs, &run));
    assert_true(run.row == 1 && run.entry == 0 && run.n == 3);
    assert_true(tg_runs_next(&runs, &run));
    assert_true(run.row == 4 && run.entry == 10 && run.n == 1);
    assert_true(tg_runs_next(&runs, &run));
    assert_true(run.row == 5 && run.entry == 12 && run.n == 1);
    assert_false(tg_runs_next(&runs, &run));
    runs = (tg_runs){.rows = &range, .first_entry = 90, .row = 0, .end_row = 45};
    assert_true(tg_runs_next(&runs, &run));
    assert_true(run.row == 0 && run.entry == 5 && run.n == 45);
    assert_false(tg_runs_next(&runs, &run));
}

/* Offsets of a run must be what the counts say, to the last one, and lie within the data. */
static void holds_offsets_against_counts(void **state)
{
    static const uint32_t ends[] = {7, 8, 8, 10}, others[] = {7, 8, 9, 10};
    uint8_t data[12] = {0}, offsets[12] = {0, 0, 0, 50, 0, 0, 0, 54, 0, 0, 0, 54};
    tg_entries entries = {.data = data, .data_bytes = 12, .n = 3, .key_bytes = 50, .offsets = offsets};
    tg_run all = {.n = 3}, last = {.row = 2, .entry = 2, .n = 1};
    const uint8_t *begin;

    (void)state;
    assert_true(tg_run_is_counted(&entries, &all, ends, 4, &begin));
    assert_ptr_equal(begin, data);
    assert_true(tg_run_is_counted(&entries, &last, ends + 2, 4, &begin));
    assert_ptr_equal(begin, data + 4);
    assert_false(tg_run_is_counted(&entries, &all, others, 4, &begin));
    assert_false(tg_run_is_counted(&entries, &all, ends, 2, &begin));
    entries.data_bytes = 11;
    assert_false(tg_run_is_counted(&entries, &all, ends, 4, &begin));
    entries.data_bytes = 12;
    offsets[3] = 49; /* before the data */
    assert_false(tg_run_is_counted(&entries, &all, ends, 4, &begin));
    /* Without offsets all entries are as long as the stride. */
    entries = (tg_entries){.data = data, .data_bytes = 12, .n = 3, .stride = 4};
    assert_true(tg_run_is_counted(&entries, &all, others, 4, &begin));
    assert_false(tg_run_is_counted(&entries, &all, ends, 4, &begin));
}

/* Entries of fixed length may have offsets too. */
static void holds_offsets_against_a_length(void **state)
{
    uint8_t data[12] = {0}, offsets[12] = {0, 0, 0, 50, 0, 0, 0, 54, 0, 0, 0, 58};
    tg_entries entries = {.data = data, .data_bytes = 12, .n = 3, .key_bytes = 50, .offsets = offsets};
    tg_run all = {.n = 3}, two = {.row = 1, .entry = 1, .n = 2};
    const uint8_t *begin;

    (void)state;
    assert_true(tg_run_is_fixed(&entries, &all, 4, &begin));
    assert_true(tg_run_is_fixed(&entries, &two, 4, &begin));
    assert_ptr_equal(begin, data + 4);
    assert_false(tg_run_is_fixed(&entries, &all, 3, &begin));
    offsets[7] = 53;
    assert_false(tg_run_is_fixed(&entries, &all, 4, &begin));
    assert_false(tg_run_is_fixed(&entries, &two, 4, &begin));
}

/* What walking one entry gives. */
typedef struct walked {
    tg_sink sink;
    tagma_status st;
    bool is_missing;
    size_t left;
} walked;

static void walk(tagma_ctx *ctx, const tg_code *code, const uint8_t *bytes, size_t n, uint32_t count,
                 walked *w)
{
    tg_target target = {.code = code, .sink = &w->sink};
    uint8_t *copy = malloc(n + 1); /* of its own, so that a byte too far is found */
    tg_in in;

    memcpy(copy, bytes, n);
    in = tg_in_of(copy, n);
    w->st = tg_walk_leaf(ctx, &in, &target, count, &w->is_missing);
    w->left = tg_in_left(&in);
    free(copy);
}

static uint32_t end_at(const tg_sink *sink, uint32_t level, uint32_t i)
{
    uint32_t end;

    assert_true(sink->ends[level].n >= (i + 1) * sizeof end);
    memcpy(&end, sink->ends[level].bytes + i * sizeof end, sizeof end);
    return end;
}

/* Each prefix of a good entry is refused, whatever it is. */
static void assert_no_prefix(tagma_ctx *ctx, const tg_code *code, const uint8_t *bytes, size_t n,
                             uint32_t count)
{
    for (size_t k = 0; k < n; k++) {
        walked w = {0};

        walk(ctx, code, bytes, k, count, &w);
        assert_int_equal(w.st, TAGMA_E_CORRUPT);
        assert_true(*tagma_ctx_message(ctx) != 0);
        tg_sink_free(ctx, &w.sink);
    }
}

/* A vector of numbers: byte count, version, count, values. */
static void walks_a_vector(void **state)
{
    static const tg_layout layout = {
        .wire = TG_WIRE_U16, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE}};
    static const uint8_t bytes[] = {0x40, 0, 0, 10, 0, 9, 0, 0, 0, 2, 0x12, 0x34, 0xff, 0xff};
    static const uint8_t checksummed[] = {0x40, 0, 0, 12, 0, 0, 0xaa, 0xbb, 0xcc, 0xdd, 0, 0, 0, 1, 0, 5};
    static const uint8_t bare_version[] = {0, 9, 0, 0, 0, 1, 0, 5};
    tg_code code = code_of(&layout, TAGMA_U16, 1, 1);
    walked w = {0};

    walk(*state, &code, bytes, sizeof bytes, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_int_equal(w.left, 0);
    walk(*state, &code, checksummed, sizeof checksummed, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    walk(*state, &code, bare_version, sizeof bare_version, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_memory_equal(w.sink.values.bytes, ((const uint16_t[]){0x1234, 0xffff, 5, 5}), 8);
    assert_int_equal(end_at(&w.sink, 0, 0), 2);
    assert_int_equal(end_at(&w.sink, 0, 2), 4);
    tg_sink_free(*state, &w.sink);
    assert_no_prefix(*state, &code, bytes, sizeof bytes, 0);
}

/* The vector that most writers make is put at once, with what walking gives; anything else is left to walking. */
static void puts_plain_vectors_at_once(void **state)
{
    static const tg_layout layout = {
        .wire = TG_WIRE_U16, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE}};
    static const uint8_t plain[] = {0x40, 0, 0, 10, 0, 9, 0, 0, 0, 2, 0x12, 0x34, 0xff, 0xff};
    static const uint8_t at[] = {0, 3, 4, 5, 9}; /* a byte of the frame, the version twice, the count */
    static const uint8_t to[] = {0, 11, 0x40, 0, 1};
    tg_code code = code_of(&layout, TAGMA_U16, 1, 1);
    walked w = {0}, put = {0};
    uint32_t n;

    walk(*state, &code, plain, sizeof plain, 0, &w);
    assert_true(tg_is_plain_vector(plain, sizeof plain, 2, &n));
    assert_int_equal(tg_sink_put_vector(*state, &code, &put.sink, plain, n), TAGMA_OK);
    assert_int_equal(put.sink.values.n, w.sink.values.n);
    assert_memory_equal(put.sink.values.bytes, w.sink.values.bytes, w.sink.values.n);
    assert_int_equal(end_at(&put.sink, 0, 0), end_at(&w.sink, 0, 0));
    tg_sink_free(*state, &w.sink);
    tg_sink_free(*state, &put.sink);
    for (size_t i = 0; i < sizeof at; i++) {
        uint8_t changed[sizeof plain];

        memcpy(changed, plain, sizeof plain);
        changed[at[i]] = to[i];
        assert_false(tg_is_plain_vector(changed, sizeof changed, 2, &n));
    }
    for (uint32_t bytes = 0; bytes < sizeof plain; bytes++)
        assert_false(tg_is_plain_vector(plain, bytes, 2, &n));
}

/* A frame that is longer or shorter than its values, a negative count, member-wise streaming. */
static void refuses_frames_that_lie(void **state)
{
    static const tg_layout layout = {
        .wire = TG_WIRE_U16, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE}};
    static const struct {
        uint8_t bytes[14];
        const char *words;
    } entries[] = {
        {{0x40, 0, 0, 9, 0, 9, 0, 0, 0, 2, 0, 1, 0, 2},
         "values end at byte 14 of an entry, their frame at 13"},
        {{0x40, 0, 0, 11, 0, 9, 0, 0, 0, 2, 0, 1, 0, 2},
         "a frame of 11 bytes at byte 0 of an entry of 14 bytes"},
        {{0x40, 0, 0, 10, 0, 9, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 2},
         "-1 items at byte 6 of an entry of 14 bytes"},
        {{0x40, 0, 0, 10, 0x40, 9, 0, 0, 0, 2, 0, 1, 0, 2}, "streamed member-wise"},
        {{0x40, 0, 0, 1, 0, 9, 0, 0, 0, 2, 0, 1, 0, 2}, "a frame of 1 bytes"},
    };
    tg_code code = code_of(&layout, TAGMA_U16, 1, 1);

    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        walked w = {0};

        walk(*state, &code, entries[i].bytes, sizeof entries[i].bytes, 0, &w);
        assert_true(tg_is_loss(w.st));
        assert_non_null(strstr(tagma_ctx_message(*state), entries[i].words));
        tg_sink_free(*state, &w.sink);
    }
}

/* A vector of vectors: inner ones have a count and no frame. */
static void walks_a_vector_of_vectors(void **state)
{
    static const tg_layout layout = {
        .wire = TG_WIRE_U8, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE, TG_COUNT_INLINE}};
    static const uint8_t bytes[] = {0x40, 0, 0, 21, 0, 9, 0, 0, 0, 3, 0, 0, 0,
                                    2,    7, 8, 0,  0, 0, 0, 0, 0, 0, 1, 9};
    tg_code code = code_of(&layout, TAGMA_U8, 2, 1);
    walked w = {0};

    walk(*state, &code, bytes, sizeof bytes, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_int_equal(end_at(&w.sink, 0, 0), 3);
    assert_int_equal(end_at(&w.sink, 1, 0), 2);
    assert_int_equal(end_at(&w.sink, 1, 1), 2);
    assert_int_equal(end_at(&w.sink, 1, 2), 3);
    assert_memory_equal(w.sink.values.bytes, ((const uint8_t[]){7, 8, 9}), 3);
    tg_sink_free(*state, &w.sink);
    assert_no_prefix(*state, &code, bytes, sizeof bytes, 0);
}

/* A vector member of a split collection: one frame for all elements, whose number another branch tells. */
static void walks_vectors_of_a_shared_count(void **state)
{
    static const tg_layout layout = {
        .wire = TG_WIRE_U8, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_SHARED, TG_COUNT_INLINE}};
    static const uint8_t two[] = {0x40, 0, 0, 11, 0, 9, 0, 0, 0, 1, 7, 0, 0, 0, 0};
    static const uint8_t none[] = {0x40, 0, 0, 2, 0, 9};
    static const uint8_t none_member_wise[] = {0x40, 0, 0, 8, 0x40, 9, 0, 1, 0, 0, 0, 0};
    tg_code code = code_of(&layout, TAGMA_U8, 2, 1);
    walked w = {0};

    walk(*state, &code, two, sizeof two, 2, &w);
    assert_int_equal(w.st, TAGMA_OK);
    walk(*state, &code, none, sizeof none, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    walk(*state, &code, none_member_wise, sizeof none_member_wise, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_int_equal(w.left, 0);
    walk(*state, &code, none, 0, 0, &w); /* as old writers left it */
    assert_int_equal(w.st, TAGMA_OK);
    assert_int_equal(end_at(&w.sink, 0, 0), 2);
    assert_int_equal(end_at(&w.sink, 0, 3), 2);
    assert_int_equal(end_at(&w.sink, 1, 1), 1);
    walk(*state, &code, two, sizeof two, 1, &w);
    assert_int_equal(w.st, TAGMA_E_CORRUPT);
    tg_sink_free(*state, &w.sink);
}

/* The encodings of a string, and the empty leaf that takes no byte. */
static void walks_strings(void **state)
{
    static const tg_layout counted = {.string = TG_STRING_COUNTED}, leaf = {.string = TG_STRING_LEAF};
    static const tg_layout wide = {.string = TG_STRING_LONG};
    static const tg_layout list = {
        .string = TG_STRING_COUNTED, .frame = TG_ENTRY_FRAMED, .counts = {TG_COUNT_INLINE}};
    static const uint8_t abc[] = {3, 'a', 'b', 'c'}, long_abc[] = {255, 0, 0, 0, 3, 'a', 'b', 'c'};
    static const uint8_t wide_ab[] = {0, 0, 0, 2, 'a', 'b'};
    static const uint8_t two[] = {0x40, 0, 0, 9, 0, 9, 0, 0, 0, 2, 1, 'x', 0};
    tg_code code = code_of(&counted, TAGMA_STRING, 0, 1), leaf_code = code_of(&leaf, TAGMA_STRING, 0, 1);
    tg_code wide_code = code_of(&wide, TAGMA_STRING, 0, 1), list_code = code_of(&list, TAGMA_STRING, 1, 1);
    walked w = {0};

    walk(*state, &code, abc, sizeof abc, 0, &w);
    walk(*state, &code, long_abc, sizeof long_abc, 0, &w);
    walk(*state, &leaf_code, abc, 0, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    walk(*state, &wide_code, wide_ab, sizeof wide_ab, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_memory_equal(w.sink.values.bytes, "abcabcab", 8);
    assert_int_equal(end_at(&w.sink, 0, 1), 6);
    assert_int_equal(end_at(&w.sink, 0, 2), 6);
    assert_int_equal(end_at(&w.sink, 0, 3), 8);
    tg_sink_free(*state, &w.sink);
    w = (walked){0};
    walk(*state, &list_code, two, sizeof two, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_int_equal(end_at(&w.sink, 0, 0), 2);
    assert_int_equal(end_at(&w.sink, 1, 0), 1);
    assert_int_equal(end_at(&w.sink, 1, 1), 1);
    tg_sink_free(*state, &w.sink);
    assert_no_prefix(*state, &code, long_abc, sizeof long_abc, 0);
    assert_no_prefix(*state, &wide_code, wide_ab, sizeof wide_ab, 0);
    assert_no_prefix(*state, &list_code, two, sizeof two, 0);
}

/* A counted pointer: a flag, then as many values as another branch says; none at all if it was null. */
static void walks_counted_pointers(void **state)
{
    static const tg_layout layout = {
        .wire = TG_WIRE_U8, .frame = TG_ENTRY_FLAGGED, .counts = {TG_COUNT_SHARED}};
    static const uint8_t two[] = {1, 7, 8}, null[] = {0};
    tg_code code = code_of(&layout, TAGMA_U8, 1, 1);
    walked w = {0};

    walk(*state, &code, two, sizeof two, 2, &w);
    assert_true(w.st == TAGMA_OK && !w.is_missing && w.left == 0);
    walk(*state, &code, null, sizeof null, 0, &w);
    assert_true(w.st == TAGMA_OK && !w.is_missing);
    walk(*state, &code, null, sizeof null, 2, &w);
    assert_true(w.st == TAGMA_OK && w.is_missing);
    assert_int_equal(end_at(&w.sink, 0, 1), 2);
    assert_int_equal(w.sink.ends[0].n, 2 * sizeof(uint32_t));
    tg_sink_free(*state, &w.sink);
    assert_no_prefix(*state, &code, two, sizeof two, 2);
}

/* Bits take two bytes more where they say so. */
static void walks_bits(void **state)
{
    static const tg_layout layout = {.wire = TG_WIRE_BITS, .counts = {TG_COUNT_SHARED}};
    static const uint8_t bytes[] = {0, 0, 0, 0x10, 0, 5, 0, 0, 1, 0};
    tg_code code = code_of(&layout, TAGMA_U32, 1, 1);
    walked w = {0};

    walk(*state, &code, bytes, sizeof bytes, 2, &w);
    assert_int_equal(w.st, TAGMA_OK);
    assert_int_equal(w.left, 0);
    assert_memory_equal(w.sink.values.bytes, ((const uint32_t[]){0x10, 0x100}), 8);
    tg_sink_free(*state, &w.sink);
    assert_no_prefix(*state, &code, bytes, sizeof bytes, 2);
}

/* Tables that contradict each other are refused, whoever made them. */
static void refuses_tables_that_contradict(void **state)
{
    static const struct {
        tagma_type type;
        uint32_t n_lists;
        tg_layout layout;
        const char *words;
    } bad[] = {
        {TAGMA_U8, 0, {.wire = TG_WIRE_U8, .branch = 1, .n_leaves = 1}, "its branch does not fit"},
        {TAGMA_U8, 0, {.wire = TG_WIRE_U8, .n_leaves = 0}, "its leaf"},
        {TAGMA_U8, 0, {.wire = TG_WIRE_U8, .n_leaves = 2}, "its leaf"},
        {TAGMA_U8, 0, {.wire = TG_WIRE_U8, .n_leaves = 1, .first_column = 1}, "its leaf"},
        {TAGMA_U8, 0, {.wire = TG_WIRE_U16, .n_leaves = 1}, "its type"},
        {TAGMA_U8, 0, {.wire = 200, .n_leaves = 1}, "its type"},
        {TAGMA_F64, 0, {.wire = TG_WIRE_BOOL, .n_leaves = 1}, "its type"},
        {TAGMA_U8, 0, {.wire = TG_WIRE_SCALED, .n_leaves = 1}, "its type"},
        {TAGMA_F32, 0, {.wire = TG_WIRE_F32_AS_F64, .n_leaves = 1}, "its type"},
        {TAGMA_I32, 0, {.wire = TG_WIRE_BITS, .n_leaves = 1}, "its type"},
        {TAGMA_F32, 0, {.wire = TG_WIRE_TRUNCATED, .nbits = 15, .n_leaves = 1}, "its type"},
        {TAGMA_F32, 0, {.wire = TG_WIRE_TRUNCATED, .nbits = 0, .n_leaves = 1}, "its type"},
        {TAGMA_STRING, 0, {.wire = TG_WIRE_U8, .n_leaves = 1}, "its type"},
        {TAGMA_STRING, 0, {.string = 200, .n_leaves = 1}, "its type"},
        {TAGMA_U8, 0, {.wire = TG_WIRE_U8, .string = TG_STRING_LEAF, .n_leaves = 1}, "its type"},
        {TAGMA_U8, 1, {.wire = TG_WIRE_U8, .n_leaves = 1, .count_column = 0}, "its count"},
        {TAGMA_U8, 1, {.wire = TG_WIRE_U8, .n_leaves = 1, .count_column = 9}, "its count"},
        {TAGMA_U8, 2, {.wire = TG_WIRE_U8, .n_leaves = 1, .counts = {TG_COUNT_INLINE}}, "its count"},
    };
    tg_branch branch = {.name = "b"};

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tagma_column column = {.name = "c",
                               .path = "c",
                               .title = "",
                               .n_items = 1,
                               .type = bad[i].type,
                               .n_lists = bad[i].n_lists};
        tg_layout layout = bad[i].layout;
        tg_tree tree = {.name = "t", .layouts = &layout, .branches = &branch, .n_branches = 1};
        uint32_t number;
        tg_code *codes;

        column.collection = TAGMA_NONE;
        assert_int_equal(tg_schema_new(*state, &tree.schema), TAGMA_OK);
        assert_int_equal(tg_schema_add_column(*state, tree.schema, &column, &number), TAGMA_OK);
        assert_int_equal(tg_schema_seal(*state, tree.schema), TAGMA_OK);
        assert_int_equal(tg_codes_new(*state, &tree, &codes), TAGMA_E_CORRUPT);
        assert_null(codes);
        if (!strstr(tagma_ctx_message(*state), bad[i].words))
            fail_msg("table %zu: %s", i, tagma_ctx_message(*state));
        branch.n_baskets = 1; /* of none */
        assert_int_equal(tg_codes_new(*state, &tree, &codes), TAGMA_E_CORRUPT);
        assert_non_null(strstr(tagma_ctx_message(*state), "branch b: its baskets"));
        branch.n_baskets = 0;
        tg_schema_free(tree.schema);
    }
}

/* A sink put back to where an entry began holds what it held, and an empty entry in its place. */
static void puts_a_sink_back(void **state)
{
    static const tg_layout layout = {.string = TG_STRING_COUNTED};
    static const uint8_t cut[] = {1, 'd', 9};
    tg_code code = code_of(&layout, TAGMA_STRING, 0, 2); /* two strings an entry */
    static const uint8_t both[] = {3, 'a', 'b', 'c', 0};
    tg_sink_mark mark;
    walked w = {0};

    walk(*state, &code, both, sizeof both, 0, &w);
    assert_int_equal(w.st, TAGMA_OK);
    mark = tg_sink_tell(&w.sink);
    walk(*state, &code, cut, sizeof cut, 0, &w);
    assert_int_equal(w.st, TAGMA_E_CORRUPT);
    tg_sink_put_back(&w.sink, &mark);
    assert_int_equal(tg_sink_put_empty(*state, &code, &w.sink), TAGMA_OK);
    assert_int_equal(w.sink.values.n, 3);
    assert_int_equal(w.sink.ends[0].n, 4 * sizeof(uint32_t));
    assert_int_equal(end_at(&w.sink, 0, 3), 3);
    tg_sink_free(*state, &w.sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(decodes_plain_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decodes_packed_floats, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decodes_one_of_several_leaves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(makes_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(holds_offsets_against_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(holds_offsets_against_a_length, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_a_vector, set_up, tear_down),
        cmocka_unit_test_setup_teardown(puts_plain_vectors_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_frames_that_lie, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_a_vector_of_vectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_vectors_of_a_shared_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_strings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_counted_pointers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(walks_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_tables_that_contradict, set_up, tear_down),
        cmocka_unit_test_setup_teardown(puts_a_sink_back, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("root/decode", tests, NULL, NULL);
}
