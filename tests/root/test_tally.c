/* SPDX-License-Identifier: Apache-2.0
 * Counters of every width count their columns; what is negative or missing counts nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "root/fetch.h"
#include "support/baskets.h"

enum { N_ENTRIES = 4 };

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

static const struct {
    tagma_type type;
    uint8_t wire, bytes;
    bool is_signed;
} widths[] = {
    {TAGMA_BOOL, TG_WIRE_BOOL, 1, false}, {TAGMA_I8, TG_WIRE_I8, 1, true},
    {TAGMA_U8, TG_WIRE_U8, 1, false},     {TAGMA_I16, TG_WIRE_I16, 2, true},
    {TAGMA_U16, TG_WIRE_U16, 2, false},   {TAGMA_I32, TG_WIRE_I32, 4, true},
    {TAGMA_U32, TG_WIRE_U32, 4, false},   {TAGMA_I64, TG_WIRE_I64, 8, true},
    {TAGMA_U64, TG_WIRE_U64, 8, false},
};
enum { N_WIDTHS = sizeof widths / sizeof widths[0] };

/* A counter of one width over entries with 1, 0, 1, 1 items of a byte: 7, 8, 9. `last` replaces its last value. */
static void make_tree(tagma_ctx *ctx, test_tree *tree, size_t w, uint64_t last)
{
    static const uint8_t items[] = {7, 8, 9};
    static const uint32_t begin[] = {0, 1, 1, 2};
    test_bytes counts = {0};
    tg_layout counter = {.wire = widths[w].wire}, counted = {.wire = TG_WIRE_U8};
    test_basket basket = {.n_entries = N_ENTRIES, .codec = TEST_RAW, .stride = widths[w].bytes};

    for (uint32_t i = 0; i < N_ENTRIES; i++) {
        uint64_t value = i == 3 ? last : begin[i + 1] - begin[i];

        for (uint32_t k = widths[w].bytes; k > 0; k--)
            test_append(&counts, &(uint8_t){(uint8_t)(value >> (8 * (k - 1)))}, 1);
    }
    basket.data = counts.bytes;
    basket.data_bytes = (uint32_t)counts.n;
    test_tree_begin(ctx, tree, N_ENTRIES);
    (void)test_tree_branch(tree, "n", 0, N_ENTRIES);
    test_tree_basket(tree, 0, &basket);
    counted.count_column = test_tree_column(tree, "n", widths[w].type, 0, 1, &counter);
    (void)test_tree_branch(tree, "x", 0, N_ENTRIES);
    basket = (test_basket){.data = items,
                           .data_bytes = 3,
                           .n_entries = N_ENTRIES,
                           .stride = 1000,
                           .begin = begin,
                           .codec = TEST_RAW};
    test_tree_basket(tree, 0, &basket);
    (void)test_tree_column(tree, "x", TAGMA_U8, 1, 1, &counted);
    free(counts.bytes);
}

static tagma_batch *read_all(tagma_ctx *ctx, tagma_events *events)
{
    tagma_reader *reader;
    tagma_batch *batch;

    assert_int_equal(tagma_reader_new(ctx, events, NULL, &reader), TAGMA_OK);
    assert_int_equal(tagma_read_columns(ctx, reader, 0, N_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    tagma_reader_free(reader);
    return batch;
}

/* Any integer may count. */
static void counts_by_any_integer(void **state)
{
    for (size_t w = 0; w < N_WIDTHS; w++) {
        const tagma_batch_column *x;
        tagma_events *events;
        tagma_batch *batch;
        test_tree tree;

        make_tree(*state, &tree, w, 1);
        events = test_tree_events(&tree);
        batch = read_all(*state, events);
        x = tagma_batch_column_at(batch, 1);
        assert_int_equal(x->status, TAGMA_COLUMN_GOOD);
        assert_memory_equal(x->offsets[0], ((const uint32_t[]){0, 1, 1, 2, 3}), 20);
        assert_memory_equal(x->values, ((const uint8_t[]){7, 8, 9}), 3);
        tagma_batch_free(batch);
        tagma_events_release(events);
        test_tree_free(&tree);
    }
}

/* A negative or absurd count loses its own entry of what it counts, with words; itself it is read as it stands. */
static void loses_what_an_absurd_count_counts(void **state)
{
    for (size_t w = 0; w < N_WIDTHS; w++) {
        const tagma_batch_column *x;
        tagma_events *events;
        tagma_batch *batch;
        test_tree tree;

        if (!widths[w].is_signed && widths[w].bytes < 4)
            continue; /* such a count is only wrong, not absurd */
        make_tree(*state, &tree, w, UINT64_MAX);
        events = test_tree_events(&tree);
        batch = read_all(*state, events);
        assert_int_equal(tagma_batch_column_at(batch, 0)->status, TAGMA_COLUMN_GOOD);
        x = tagma_batch_column_at(batch, 1);
        assert_int_equal(x->status, TAGMA_COLUMN_CORRUPT);
        assert_int_equal(*x->damaged, 1 << 3);
        assert_memory_equal(x->offsets[0], ((const uint32_t[]){0, 1, 1, 2, 2}), 20);
        assert_memory_equal(x->values, ((const uint8_t[]){7, 8}), 2);
        tagma_batch_free(batch);
        tagma_events_release(events);
        test_tree_free(&tree);
    }
}

/* Where a count is null because its branch is short, what it counts is null too, and not damaged. */
static void counts_of_a_short_branch_are_null(void **state)
{
    const tagma_batch_column *x;
    tagma_events *events;
    tagma_batch *batch;
    test_tree tree;

    make_tree(*state, &tree, 6, 1);
    tree.n_entries = N_ENTRIES;
    tree.branches[0].end_entry = 2;
    events = test_tree_events(&tree);
    batch = read_all(*state, events);
    for (uint32_t c = 0; c < 2; c++) {
        x = tagma_batch_column_at(batch, c);
        assert_int_equal(x->status, TAGMA_COLUMN_NULL);
        assert_int_equal(*x->validity, 0x3);
        assert_null(x->damaged);
    }
    assert_memory_equal(x->offsets[0], ((const uint32_t[]){0, 1, 1, 1, 1}), 20);
    tagma_batch_free(batch);
    tagma_events_release(events);
    test_tree_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_by_any_integer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(loses_what_an_absurd_count_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_of_a_short_branch_are_null, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("root/tally", tests, NULL, NULL);
}
