/* SPDX-License-Identifier: Apache-2.0
 * Look-up in an index, of ids of every shape, against comparing all of them. */
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

static tagma_index *index_of(tagma_ctx *ctx, const test_model *model)
{
    tagma_index *index;
    tagma_status st = tagma_index_new(ctx, &model->input, &index);

    if (st != TAGMA_OK)
        fail_msg("%s", tagma_ctx_message(ctx));
    return index;
}

/* What the index says of a coordinate is what the model says: all entries, ascending, or proven absent. */
static void check_find(const test_model *model, const tagma_index *index, const uint64_t *axes)
{
    enum { CAPACITY = 40 };
    uint64_t entries[CAPACITY] = {0}, first, expected = test_model_find(model, axes, &first);
    size_t n = 99;
    tagma_status st = tagma_index_find(index, axes, entries, CAPACITY, &n);

    assert_int_equal(st, expected > 0 ? TAGMA_OK : TAGMA_ABSENT);
    assert_int_equal(n, expected);
    for (uint64_t i = 0; i < expected && i < CAPACITY; i++)
        assert_int_equal(entries[i], model->rows[first + i].entry);
}

static void check_many(const test_model *model, const tagma_index *index, const uint64_t *axes, size_t n)
{
    uint64_t *first = calloc(n, sizeof *first), expected_first;
    uint32_t *count = calloc(n, sizeof *count);

    tagma_index_find_many(index, axes, n, first, count);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(count[i], test_model_find(model, axes + i * model->input.n_axes, &expected_first));
        if (count[i] > 0)
            assert_int_equal(first[i], expected_first);
    }
    free(first);
    free(count);
}

/* Ids that are there, their neighbours on every axis, and ids at random. */
static void check_ids(const test_model *model, const tagma_index *index, uint64_t *seed)
{
    uint32_t n_axes = model->input.n_axes;
    uint64_t n = model->input.n_entries, step = n < 1000 ? 1 : n / 1000;
    uint64_t *asked = calloc((n / step + 1) * 2 * n_axes + 1, sizeof *asked), n_asked = 0;

    for (uint64_t i = 0; i < n; i += step) {
        uint64_t axes[TAGMA_MAX_ID_AXES];

        memcpy(axes, model->rows[i].axes, sizeof axes);
        memcpy(asked + n_asked++ * n_axes, axes, n_axes * sizeof *axes);
        check_find(model, index, axes);
        for (uint32_t axis = 0; axis < n_axes; axis++) {
            axes[axis]++;
            check_find(model, index, axes);
            axes[axis] -= 2;
            check_find(model, index, axes);
            axes[axis] = test_random(seed);
            check_find(model, index, axes);
            axes[axis] = model->rows[test_random(seed) % n].axes[axis];
            check_find(model, index, axes);
        }
        memcpy(asked + n_asked++ * n_axes, axes, n_axes * sizeof *axes);
    }
    check_many(model, index, asked, n_asked);
    free(asked);
}

/* From rank to coordinate and entry. */
static void check_ranks(const test_model *model, const tagma_index *index)
{
    uint64_t n = model->input.n_entries, axes[TAGMA_MAX_ID_AXES];
    uint64_t *entries = calloc(n + 1, sizeof *entries);

    tagma_index_entries(index, 0, n, entries);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t one;

        assert_int_equal(entries[i], model->rows[i].entry);
        tagma_index_entries(index, i, 1, &one);
        assert_int_equal(one, entries[i]);
        assert_int_equal(tagma_index_coordinate(index, i, axes), TAGMA_OK);
        assert_memory_equal(axes, model->rows[i].axes, model->input.n_axes * sizeof *axes);
    }
    assert_int_equal(tagma_index_coordinate(index, n, axes), TAGMA_E_RANGE);
    free(entries);
}

static void check_info(const test_model *model, const tagma_index *index)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    uint32_t n_axes = model->input.n_axes;

    tagma_index_get_info(index, &info);
    assert_int_equal(info.n_axes, n_axes);
    assert_int_equal(info.n_entries, model->input.n_entries);
    for (uint32_t axis = 0; axis < n_axes; axis++) {
        uint64_t n_distinct = model->input.n_entries > 0, min = 0, max = 0, n_repeated = 0;
        uint64_t sign = model->input.is_signed[axis] ? (uint64_t)1 << 63 : 0;

        for (uint64_t i = 0; i < model->input.n_entries; i++) {
            uint64_t value = model->rows[i].axes[axis];
            uint64_t compared = (axis + 1) * sizeof *model->rows[i].axes;
            bool is_new = i == 0 || memcmp(model->rows[i].axes, model->rows[i - 1].axes, compared) != 0;
            bool was_new = i < 2 || memcmp(model->rows[i - 1].axes, model->rows[i - 2].axes, compared) != 0;

            n_distinct += i > 0 && is_new;
            n_repeated += i > 0 && !is_new && was_new;
            min = i == 0 || (value ^ sign) < (min ^ sign) ? value : min;
            max = i == 0 || (value ^ sign) > (max ^ sign) ? value : max;
        }
        assert_string_equal(info.names[axis], model->input.names[axis]);
        assert_int_equal(info.is_signed[axis], model->input.is_signed[axis]);
        assert_int_equal(info.n_distinct[axis], n_distinct);
        if (model->input.n_entries > 0) {
            assert_int_equal(info.min[axis], min);
            assert_int_equal(info.max[axis], max);
        }
        if (axis == n_axes - 1) {
            assert_int_equal(info.n_ids, n_distinct);
            assert_int_equal(info.n_repeated_ids, n_repeated);
        } else if (axis + 2 == n_axes) {
            assert_int_equal(info.n_cells, n_distinct);
        }
    }
}

static void check_model(tagma_ctx *ctx, const test_model *model, uint64_t seed)
{
    tagma_index *index = index_of(ctx, model);

    check_info(model, index);
    check_ranks(model, index);
    check_ids(model, index, &seed);
    tagma_index_release(index);
}

/* Every kind of axis alone, in all sizes around the steps of words, directory and blocks. */
static void finds_every_id_of_one_axis(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 300, 4200};

    for (test_axis_kind kind = 0; kind < TEST_N_KINDS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (uint32_t way = 0; way < 4; way++) {
                test_model model = test_model_make(1, &kind, way & 1, sizes[i], way >> 1, 100 * kind + i);
                check_model(*state, &model, i);
                test_model_free(&model);
            }
}

/* Every kind after every kind. */
static void finds_every_id_of_two_axes(void **state)
{
    for (uint32_t first = 0; first < TEST_N_KINDS; first++)
        for (uint32_t second = 0; second < TEST_N_KINDS; second++) {
            test_axis_kind kinds[] = {(test_axis_kind)first, (test_axis_kind)second};
            test_model model = test_model_make(2, kinds, first & 3, 300, second & 1, first * 100 + second);
            check_model(*state, &model, second);
            test_model_free(&model);
        }
}

/* Three and four axes of kinds, signs and sizes at random. */
static void finds_every_id_of_shapes_at_random(void **state)
{
    uint64_t seed = 5;

    for (int round = 0; round < 90; round++) {
        uint32_t n_axes = 3 + (uint32_t)(test_random(&seed) % 2);
        test_axis_kind kinds[TAGMA_MAX_ID_AXES];
        test_model model;

        for (int axis = 0; axis < TAGMA_MAX_ID_AXES; axis++)
            kinds[axis] = (test_axis_kind)(test_random(&seed) % TEST_N_KINDS);
        model = test_model_make(n_axes, kinds, (uint32_t)test_random(&seed) & 15,
                                1 + test_random(&seed) % (round % 30 == 0 ? 20000 : 500), round & 1, seed);
        check_model(*state, &model, seed);
        test_model_free(&model);
    }
}

/* One id for all, so many that its run of keys passes words, blocks and a 32-wide directory step. */
static void one_id_may_have_all_entries(void **state)
{
    enum { N = 30000 };
    test_axis_kind kinds[] = {TEST_CONSTANT, TEST_CONSTANT, TEST_CONSTANT};
    test_model model = test_model_make(3, kinds, 0, N, false, 1);
    tagma_index *index = index_of(*state, &model);
    uint64_t *entries = calloc(N, sizeof *entries), first, axes[] = {7, 7, 7};
    uint32_t count;
    size_t n;

    assert_int_equal(tagma_index_find(index, axes, entries, N, &n), TAGMA_OK);
    assert_int_equal(n, N);
    for (uint64_t i = 0; i < N; i++)
        assert_int_equal(entries[i], i);
    assert_int_equal(tagma_index_find(index, axes, NULL, 0, &n), TAGMA_OK);
    assert_int_equal(n, N);
    tagma_index_find_many(index, axes, 1, &first, &count);
    assert_int_equal(count, N);
    axes[2] = 8;
    assert_int_equal(tagma_index_find(index, axes, entries, N, &n), TAGMA_ABSENT);
    free(entries);
    tagma_index_release(index);
    test_model_free(&model);
}

/* No entries: all is absent. */
static void an_index_may_be_empty(void **state)
{
    for (uint32_t n_axes = 1; n_axes <= TAGMA_MAX_ID_AXES; n_axes++) {
        test_axis_kind kinds[TAGMA_MAX_ID_AXES] = {TEST_CONSTANT};
        test_model model = test_model_make(n_axes, kinds, 5, 0, false, 1);
        tagma_index *index = index_of(*state, &model);
        uint64_t axes[TAGMA_MAX_ID_AXES] = {0};

        check_info(&model, index);
        check_ranks(&model, index);
        for (int i = 0; i < 5; i++) {
            check_find(&model, index, axes);
            check_many(&model, index, axes, 1);
            for (int axis = 0; axis < TAGMA_MAX_ID_AXES; axis++)
                axes[axis] = ((uint64_t)1 << 63) - 2 + (uint64_t)i;
        }
        tagma_index_release(index);
        test_model_free(&model);
    }
}

/* Axes out of 1 to 4, entries past 2^40, names past 64 KiB. */
static void refuses_what_it_cannot_hold(void **state)
{
    tagma_index_input input = {.n_axes = 0};
    uint64_t value = 0;
    tagma_index *index = (tagma_index *)state;
    char *name = calloc(70000, 1);

    assert_int_equal(tagma_index_new(*state, &input, &index), TAGMA_E_ARG);
    assert_null(index);
    input.n_axes = 5;
    assert_int_equal(tagma_index_new(*state, &input, &index), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "an index of 5 axes: 1 to 4 are possible");
    input.n_axes = 1;
    input.n_entries = ((uint64_t)1 << 40) + 1;
    assert_int_equal(tagma_index_new(*state, &input, &index), TAGMA_E_LIMIT);
    memset(name, 'a', 69999);
    input.n_entries = 1;
    input.names[0] = name;
    input.values[0] = &value;
    assert_int_equal(tagma_index_new(*state, &input, &index), TAGMA_E_LIMIT);
    assert_null(index);
    free(name);
}

/* Whichever allocation fails: a status, words, nothing kept. */
static void survives_each_allocation_that_fails(void **state)
{
    test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_SPARSE};
    test_model model = test_model_make(3, kinds, 0, 500, true, 1);
    test_failing failing = {0, 1};
    tagma_status st = TAGMA_E_MEMORY;

    (void)state;
    for (; st == TAGMA_E_MEMORY && failing.fails < 100; failing.fails++) {
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tagma_index *index;

        st = tagma_index_new(ctx, &model.input, &index);
        if (st == TAGMA_E_MEMORY) {
            assert_null(index);
            assert_true(*tagma_ctx_message(ctx));
        }
        tagma_index_release(index);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_true(failing.fails > 5);
    test_model_free(&model);
}

/* An index outlives the context that made it, and goes with its last user. */
static void an_index_is_shared(void **state)
{
    test_axis_kind kind = TEST_COUNTING;
    test_model model = test_model_make(1, &kind, 0, 10, false, 1);
    tagma_index *index, *same;
    tagma_ctx *ctx;

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    index = index_of(ctx, &model);
    tagma_ctx_free(ctx);
    same = tagma_index_acquire(index);
    assert_ptr_equal(same, index);
    tagma_index_release(index);
    check_ranks(&model, same);
    tagma_index_release(same);
    tagma_index_release(NULL);
    test_model_free(&model);
}

static int cancel(void *user, const tagma_progress *progress)
{
    (void)user;
    assert_string_equal(progress->phase, "index");
    return 1;
}

/* A cancelled build leaves nothing. */
static void building_can_be_cancelled(void **state)
{
    test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_SPARSE};
    test_model model = test_model_make(3, kinds, 0, 500, true, 1);
    uint64_t before = tagma_ctx_memory(*state);
    tagma_index *index;

    tagma_ctx_on_progress(*state, cancel, NULL);
    assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_E_CANCELLED);
    assert_null(index);
    assert_int_equal(tagma_ctx_memory(*state), before);
    test_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_every_id_of_one_axis, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(finds_every_id_of_two_axes, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(finds_every_id_of_shapes_at_random, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(one_id_may_have_all_entries, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(an_index_may_be_empty, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_what_it_cannot_hold, open_ctx, close_ctx),
        cmocka_unit_test(survives_each_allocation_that_fails),
        cmocka_unit_test(an_index_is_shared),
        cmocka_unit_test_setup_teardown(building_can_be_cancelled, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
