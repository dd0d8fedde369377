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
#include "support/failing.h"
#include "support/shapes.h"

/* Everything in one call. Shared offsets are one buffer; each basket is unpacked once. */
static void reads_all(void **state)
{
    shapes_fixture *f = *state;
    tagma_reader *reader = shapes_reader(f, NULL);
    tagma_batch *batch;

    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, SHAPES_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    shapes_assert_batch(batch, 0, NULL);
    assert_ptr_equal(tagma_batch_column_at(batch, COL_X)->offsets[0],
                     tagma_batch_column_at(batch, COL_Y)->offsets[0]);
    assert_int_equal(tagma_batch_column_at(batch, COL_SHORT)->status, TAGMA_COLUMN_NULL);
    assert_int_equal(tagma_batch_column_at(batch, COL_X)->status, TAGMA_COLUMN_GOOD);
    assert_int_equal(f->n_faults, 0);
    assert_int_equal(shapes_stats(reader).distinct_baskets, f->n_baskets);
    assert_int_equal(shapes_stats(reader).baskets, f->n_baskets);
    tagma_batch_free(batch);
    tagma_reader_free(reader);
}

/* Runs of entries, each by a reader of its own: a basket may begin before it and end behind it. */
static void reads_ranges(void **state)
{
    shapes_fixture *f = *state;

    for (uint64_t first = 0; first <= SHAPES_ENTRIES; first += 1 + first / 5)
        for (uint64_t n = 0; n <= SHAPES_ENTRIES - first; n += 1 + n / 3) {
            tagma_reader *reader = shapes_reader(f, NULL);
            tagma_batch *batch;

            assert_int_equal(tagma_read_columns(f->ctx, reader, first, n, NULL, 0, &batch), TAGMA_OK);
            shapes_assert_batch(batch, first, NULL);
            tagma_batch_free(batch);
            tagma_reader_free(reader);
        }
    assert_int_equal(f->n_faults, 0);
}

/* Lists of rows of every stride, ascending, backward and repeated, and each basket unpacked once but for the counters that
 * give offsets of whole baskets. */
static void reads_lists_of_rows(void **state)
{
    shapes_fixture *f = *state;

    for (uint64_t step = 1; step < SHAPES_ENTRIES; step += 1 + step / 4)
        for (uint64_t first = 0; first < 60; first += 19) {
            tagma_reader *reader = shapes_reader(f, NULL);
            uint64_t entries[2 * SHAPES_ENTRIES], n = 0;
            tagma_batch *batch;

            for (uint64_t e = first; e < SHAPES_ENTRIES; e += step)
                entries[n++] = e;
            assert_int_equal(tagma_read_rows(f->ctx, reader, entries, n, NULL, 0, &batch), TAGMA_OK);
            shapes_assert_batch(batch, 0, entries);
            assert_int_equal(shapes_stats(reader).baskets, shapes_stats(reader).distinct_baskets);
            tagma_batch_free(batch);
            for (uint64_t i = 0; i < n; i++)
                entries[2 * n - 1 - i] = entries[i];
            assert_int_equal(tagma_read_rows(f->ctx, reader, entries, 2 * n, NULL, 0, &batch), TAGMA_OK);
            shapes_assert_batch(batch, 0, entries);
            tagma_batch_free(batch);
            tagma_reader_free(reader);
        }
    assert_int_equal(f->n_faults, 0);
}

/* Columns alone and in any order, with their counter or without. */
static void reads_any_columns(void **state)
{
    shapes_fixture *f = *state;
    tagma_reader *reader = shapes_reader(f, NULL);

    for (uint32_t c = 0; c < N_COLUMNS; c++)
        for (uint32_t d = 0; d < N_COLUMNS; d++) {
            uint32_t columns[] = {c, d};
            tagma_batch *batch;

            assert_int_equal(tagma_read_columns(f->ctx, reader, 5, 80, columns, 1 + (c != d), &batch),
                             TAGMA_OK);
            shapes_assert_batch(batch, 5, NULL);
            tagma_batch_free(batch);
        }
    tagma_reader_free(reader);
}

/* A forward sequence of calls, of any length each, unpacks each basket once: what straddles an end is kept. */
static void unpacks_each_basket_once(void **state)
{
    shapes_fixture *f = *state;

    for (uint64_t step = 1; step <= SHAPES_ENTRIES; step += 1 + step / 4) {
        tagma_reader *reader = shapes_reader(f, NULL);

        for (uint64_t first = 0; first < SHAPES_ENTRIES; first += step) {
            uint64_t n = SHAPES_ENTRIES - first < step ? SHAPES_ENTRIES - first : step;
            tagma_batch *batch;

            assert_int_equal(tagma_read_columns(f->ctx, reader, first, n, NULL, 0, &batch), TAGMA_OK);
            shapes_assert_batch(batch, first, NULL);
            tagma_batch_free(batch);
        }
        assert_int_equal(shapes_stats(reader).distinct_baskets, f->n_baskets);
        /* Twice only: counters, for baskets without offsets that begin before them. */
        assert_true(shapes_stats(reader).baskets <= f->n_baskets + 3);
        tagma_reader_free(reader);
    }
}

/* No memory to keep anything: the same values, more unpacking. */
static void reads_without_keeping(void **state)
{
    shapes_fixture *f = *state;
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    tagma_reader *reader;

    options.cache_bytes = 0;
    assert_int_equal(tagma_reader_new(f->ctx, f->events, &options, &reader), TAGMA_OK);
    for (uint64_t first = 0; first < SHAPES_ENTRIES; first += 12) {
        tagma_batch *batch;

        assert_int_equal(tagma_read_columns(f->ctx, reader, first, 12, NULL, 0, &batch), TAGMA_OK);
        shapes_assert_batch(batch, first, NULL);
        tagma_batch_free(batch);
    }
    assert_true(shapes_stats(reader).baskets > f->n_baskets);
    tagma_reader_free(reader);
}

/* Any number of threads gives the same. */
static void reads_with_threads(void **state)
{
    shapes_fixture *f = *state;

    for (uint32_t n_threads = 1; n_threads <= 4; n_threads++) {
        uint64_t n_baskets, n_faults;
        tagma_reader *reader;
        tagma_batch *batch;
        tagma_pool *pool;

        assert_int_equal(tagma_pool_new(f->ctx, n_threads, &pool), TAGMA_OK);
        reader = shapes_reader(f, pool);
        for (uint64_t first = 0; first < SHAPES_ENTRIES; first += 40) {
            assert_int_equal(tagma_read_columns(f->ctx, reader, first, 40, NULL, 0, &batch), TAGMA_OK);
            shapes_assert_batch(batch, first, NULL);
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
            const char *expected = shapes_expected(c, entry);
            shapes_text found;

            shapes_render(&found, from, row);
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
static bool is_checked(const shapes_fixture *f, uint64_t offset)
{
    const uint8_t *record = f->tree.file.bytes + offset;

    return tg_be32(record + 6) > tg_be32(record) - tg_be16(record + 14);
}

/* A flipped byte in the payload of any basket: its entries are null and told once, everything else is exact. */
static void loses_one_basket_only(void **state)
{
    shapes_fixture *f = *state;

    for (uint32_t b = 0; b < SHAPES_BRANCHES; b++) {
        uint32_t column = shapes_branches[b].column;

        for (uint64_t i = 0;; i++) {
            tagma_basket_info info = {.struct_bytes = sizeof info};
            uint8_t *byte;

            if (tagma_events_basket(f->events, column, i, &info) < 0)
                break;
            if (info.packed_bytes == 0 || !is_checked(f, info.offset))
                continue; /* embedded: below; without a checksum: below */
            byte = &f->tree.file.bytes[info.offset + info.packed_bytes - 1];
            *byte ^= 0x10;
            for (uint64_t step = 1; step < 20; step += 6) {
                tagma_reader *reader = shapes_reader(f, NULL);
                uint64_t entries[SHAPES_ENTRIES], n = 0;
                bool any = false;
                tagma_batch *batch;

                for (uint64_t e = 0; e < SHAPES_ENTRIES; e += step)
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
                assert_int_equal(shapes_stats(reader).faults, f->n_faults);
                tagma_reader_free(reader);
            }
            *byte ^= 0x10;
        }
    }
}

/* The words of a fault, whole. */
static void words_name_the_place(void **state)
{
    shapes_fixture *f = *state;
    uint32_t column = COL_S;
    tagma_reader *reader = shapes_reader(f, NULL);
    tagma_basket_info info = {.struct_bytes = sizeof info};
    tagma_batch *batch;
    char start[256];

    assert_int_equal(tagma_events_basket(f->events, COL_S, 2, &info), TAGMA_OK);
    f->tree.file.bytes[info.offset + info.packed_bytes - 1] ^= 1;
    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, SHAPES_ENTRIES, &column, 1, &batch), TAGMA_OK);
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
    shapes_fixture *f = *state;
    tagma_reader *reader = shapes_reader(f, NULL);
    bool any = false;
    tagma_batch *batch;

    f->tree.file.bytes[f->tree.record_offset + f->tree.record_bytes - 1] ^= 1;
    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, SHAPES_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    assert_damage(batch, 1, COL_LAST, 64, SHAPES_ENTRIES, &any);
    assert_int_equal(f->n_faults, 1);
    assert_non_null(strstr(f->words, "embedded in the tree's record"));
    tagma_batch_free(batch);
    tagma_reader_free(reader);
}

/* Reads all with one byte flipped: what is delivered as good is right. */
static void assert_flip_is_told(shapes_fixture *f, uint8_t *byte, uint8_t flip)
{
    tagma_reader *reader = shapes_reader(f, NULL);
    uint64_t n_baskets, n_faults;
    tagma_batch *batch;

    *byte ^= flip;
    assert_int_equal(tagma_read_columns(f->ctx, reader, 0, SHAPES_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    for (uint32_t c = 0; c < N_COLUMNS; c++)
        for (uint64_t row = 0; row < SHAPES_ENTRIES; row++) {
            const char *expected = shapes_expected(c, row);
            shapes_text found;

            shapes_render(&found, tagma_batch_column_at(batch, c), row);
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
    shapes_fixture *f = *state;
    uint32_t n_checked = 0;

    for (uint32_t b = 0; b < SHAPES_BRANCHES; b++)
        for (uint64_t i = 0;; i++) {
            tagma_basket_info info = {.struct_bytes = sizeof info};

            if (tagma_events_basket(f->events, shapes_branches[b].column, i, &info) < 0)
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
    return shapes_set_up_codec(state, TEST_RAW);
}

static void survives_flips_without_checksums(void **state)
{
    shapes_fixture *f = *state;

    for (size_t at = 8; at < f->tree.record_offset; at += 19) {
        uint64_t entries[] = {1, 4, 5, 41, 77, 118}, n_baskets, n_faults;
        uint8_t flip = (uint8_t)(1 << (at % 8));
        tagma_reader *reader = shapes_reader(f, NULL);
        tagma_batch *batch;

        f->tree.file.bytes[at] ^= flip;
        assert_int_equal(tagma_read_columns(f->ctx, reader, 0, SHAPES_ENTRIES, NULL, 0, &batch), TAGMA_OK);
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
    shapes_fixture *f = *state;
    static const uint32_t wrong[] = {1, 200, 0x01000000, 0x7fffffff, 0xffffffff};
    tagma_basket_info info = {.struct_bytes = sizeof info};

    assert_int_equal(tagma_events_basket(f->events, COL_N, 1, &info), TAGMA_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t key_bytes = (uint32_t)(info.packed_bytes - 160), columns[] = {COL_X, COL_P2, COL_N};
        uint8_t *count = f->tree.file.bytes + info.offset + key_bytes + 4 * 1, kept[4];
        tagma_reader *reader = shapes_reader(f, NULL);
        tagma_batch *batch;

        memcpy(kept, count, 4);
        assert_int_equal(kept[3], 0); /* entry 41 has none */
        for (int k = 0; k < 4; k++)
            count[k] = (uint8_t)(wrong[i] >> (24 - 8 * k));
        f->n_faults = 0;
        assert_int_equal(tagma_read_columns(f->ctx, reader, 0, SHAPES_ENTRIES, columns, 3, &batch), TAGMA_OK);
        for (uint64_t row = 0; row < SHAPES_ENTRIES; row++)
            for (uint32_t c = 0; c < 2; c++) {
                const char *expected = shapes_expected(columns[c], row);
                shapes_text found;

                shapes_render(&found, tagma_batch_column_at(batch, c), row);
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
    shapes_fixture *f = *state;
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
    shapes_fixture *f = *state;
    tagma_storage storage = {.struct_bytes = sizeof storage};
    tagma_basket_info info = {.struct_bytes = sizeof info};

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
        cmocka_unit_test_setup_teardown(reads_all, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(reads_ranges, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(reads_lists_of_rows, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(reads_any_columns, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(unpacks_each_basket_once, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(reads_without_keeping, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(reads_with_threads, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(loses_one_basket_only, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(words_name_the_place, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(loses_embedded_baskets_with_their_record, shapes_set_up,
                                        shapes_tear_down),
        cmocka_unit_test_setup_teardown(never_delivers_a_flipped_byte, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(survives_flips_without_checksums, set_up_raw, shapes_tear_down),
        cmocka_unit_test_setup_teardown(holds_counts_against_lengths, set_up_raw, shapes_tear_down),
        cmocka_unit_test_setup_teardown(survives_failing_allocations, shapes_set_up, shapes_tear_down),
        cmocka_unit_test_setup_teardown(tells_storage, shapes_set_up, shapes_tear_down),
    };

    return cmocka_run_group_tests_name("root/reader", tests, NULL, NULL);
}
