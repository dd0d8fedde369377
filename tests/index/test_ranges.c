/* SPDX-License-Identifier: Apache-2.0
 * Boxes of coordinates as intervals of ranks, against looking at every coordinate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tagma/index.h>

#include "support/failing.h"
#include "support/idmodel.h"

static int open_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int close_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}

static bool is_in(const test_model *model, const test_row *row, const tagma_id_range *range)
{
    for (uint32_t axis = 0; axis < model->input.n_axes; axis++) {
        uint64_t sign = model->input.is_signed[axis] ? (uint64_t)1 << 63 : 0, value = row->axes[axis] ^ sign;

        if (value < (range->lo[axis] ^ sign) || value > (range->hi[axis] ^ sign))
            return false;
    }
    return true;
}

/* The intervals cover exactly the ranks whose coordinates lie in a box; they ascend, and none touches the next. */
static void check_boxes(tagma_ctx *ctx, const test_model *model, const tagma_index *index,
                        const tagma_id_range *ranges, size_t n_ranges)
{
    uint64_t n_entries = model->input.n_entries;
    tagma_interval *intervals = calloc(n_entries + 1, sizeof *intervals);
    uint8_t *covered = calloc(n_entries + 1, 1);
    size_t n;

    assert_int_equal(tagma_index_intervals(ctx, index, ranges, n_ranges, intervals, n_entries + 1, &n),
                     TAGMA_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(intervals[i].n > 0);
        assert_true(intervals[i].first + intervals[i].n <= n_entries);
        assert_true(i == 0 || intervals[i].first > intervals[i - 1].first + intervals[i - 1].n);
        memset(covered + intervals[i].first, 1, intervals[i].n);
    }
    for (uint64_t rank = 0; rank < n_entries; rank++) {
        bool expected = false;

        for (size_t i = 0; i < n_ranges; i++)
            expected = expected || is_in(model, &model->rows[rank], &ranges[i]);
        assert_int_equal(covered[rank], expected);
    }
    if (n > 0) {
        size_t needed = 0;
        assert_int_equal(tagma_index_intervals(ctx, index, ranges, n_ranges, intervals, n - 1, &needed),
                         TAGMA_E_LIMIT);
        assert_int_equal(needed, n);
    }
    free(covered);
    free(intervals);
}

/* A box with some axes free, some a single value, some a range between two values of the model or at random. */
static tagma_id_range box_of(const test_model *model, const tagma_index *index, uint64_t *seed)
{
    tagma_id_range range;

    tagma_index_whole_range(index, &range);
    for (uint32_t axis = 0; axis < model->input.n_axes; axis++) {
        uint64_t n = model->input.n_entries, a = model->rows[test_random(seed) % n].axes[axis];
        uint64_t b =
            test_random(seed) % 5 == 0 ? test_random(seed) : model->rows[test_random(seed) % n].axes[axis];

        switch (test_random(seed) % 4) {
        case 0:
            break;
        case 1:
            range.lo[axis] = range.hi[axis] = a;
            break;
        case 2:
            range.lo[axis] = a;
            break;
        default:
            range.lo[axis] = a;
            range.hi[axis] = b;
        }
    }
    return range;
}

static void boxes_are_intervals(void **state)
{
    uint64_t seed = 11;

    for (int round = 0; round < 300; round++) {
        uint32_t n_axes = 1 + (uint32_t)round % TAGMA_MAX_ID_AXES;
        test_axis_kind kinds[TAGMA_MAX_ID_AXES];
        tagma_id_range ranges[6];
        tagma_index *index;
        test_model model;

        for (int axis = 0; axis < TAGMA_MAX_ID_AXES; axis++)
            kinds[axis] = (test_axis_kind)(test_random(&seed) % TEST_N_KINDS);
        model = test_model_make(n_axes, kinds, (uint32_t)test_random(&seed) & 15,
                                1 + test_random(&seed) % 300, round & 1, seed);
        assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
        for (int i = 0; i < 6; i++)
            ranges[i] = box_of(&model, index, &seed);
        for (size_t n = 0; n <= 6; n++)
            check_boxes(*state, &model, index, ranges, n);
        tagma_index_release(index);
        test_model_free(&model);
    }
}

/* Prefixes of an index are single intervals, and the whole range is all of it. */
static void a_prefix_is_one_interval(void **state)
{
    static const test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_SPARSE};
    test_model model = test_model_make(3, kinds, 0, 1000, false, 1);
    tagma_id_range range;
    tagma_interval interval;
    tagma_index *index;
    size_t n;

    assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
    tagma_index_whole_range(index, &range);
    for (uint32_t depth = 0; depth <= 3; depth++) {
        assert_int_equal(tagma_index_intervals(*state, index, &range, 1, &interval, 1, &n), TAGMA_OK);
        assert_int_equal(n, 1);
        assert_true(depth > 0 || (interval.first == 0 && interval.n == 1000));
        if (depth < 3)
            range.lo[depth] = range.hi[depth] = model.rows[500].axes[depth];
    }
    assert_int_equal(interval.first, 500);
    tagma_index_release(index);
    test_model_free(&model);
}

/* An empty index, no boxes, a box the wrong way round: nothing. */
static void nothing_is_no_interval(void **state)
{
    static const test_axis_kind kinds[] = {TEST_COUNTING};
    tagma_id_range range = {{5}, {4}};

    for (uint64_t n_entries = 0; n_entries < 20; n_entries += 10) {
        test_model model = test_model_make(1, kinds, 0, n_entries, false, 1);
        tagma_index *index;
        size_t n = 9;

        assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
        assert_int_equal(tagma_index_intervals(*state, index, &range, 1, NULL, 0, &n), TAGMA_OK);
        assert_int_equal(n, 0);
        assert_int_equal(tagma_index_intervals(*state, index, NULL, 0, NULL, 0, &n), TAGMA_OK);
        assert_int_equal(n, 0);
        tagma_index_release(index);
        test_model_free(&model);
    }
}

/* Whichever allocation fails. */
static void survives_each_allocation_that_fails(void **state)
{
    static const test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_SPARSE};
    test_model model = test_model_make(3, kinds, 0, 3000, false, 1);
    tagma_interval intervals[3000];
    test_failing failing = {0, 1};
    tagma_status st = TAGMA_E_MEMORY;
    tagma_id_range range;
    tagma_index *index;

    assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
    tagma_index_whole_range(index, &range);
    range.lo[2] = UINT64_C(1) << 32;
    for (; st == TAGMA_E_MEMORY && failing.fails < 100; failing.fails++) {
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        size_t n;

        st = tagma_index_intervals(ctx, index, &range, 1, intervals, 3000, &n);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_true(failing.fails > 3);
    tagma_index_release(index);
    test_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(boxes_are_intervals, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(a_prefix_is_one_interval, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(nothing_is_no_interval, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
