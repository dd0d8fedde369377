/* SPDX-License-Identifier: Apache-2.0
 * Entries of ids of any depth, against looking at every coordinate; and the walk that finds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "index/idwalk.h"
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

static test_model model_of(uint32_t n_axes, uint64_t most, uint64_t *seed)
{
    test_axis_kind kinds[TAGMA_MAX_ID_AXES];

    for (int axis = 0; axis < TAGMA_MAX_ID_AXES; axis++)
        kinds[axis] = (test_axis_kind)(test_random(seed) % TEST_N_KINDS);
    return test_model_make(n_axes, kinds, (uint32_t)test_random(seed) & 15, test_random(seed) % (most + 1),
                           test_random(seed) & 1, *seed);
}

/* The walk tells every coordinate and entry in the order of ranks. */
static void walks_over_every_coordinate(void **state)
{
    uint64_t seed = 2;

    for (int round = 0; round < 300; round++) {
        test_model model = model_of(1 + (uint32_t)round % TAGMA_MAX_ID_AXES, 900, &seed);
        tagma_index *index;
        uint64_t rank = 0;
        tg_walk walk;

        assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
        for (tg_walk_begin(&walk, index); tg_walk_next(&walk); rank++) {
            assert_int_equal(walk.rank, rank);
            assert_memory_equal(walk.axes, model.rows[rank].axes, model.input.n_axes * sizeof *walk.axes);
            assert_int_equal(tg_walk_entry(&walk), model.rows[rank].entry);
        }
        assert_int_equal(rank, model.input.n_entries);
        tagma_index_release(index);
        test_model_free(&model);
    }
}

static bool is_match(const test_model *model, uint64_t entry, const uint64_t *axes, uint8_t given)
{
    for (uint32_t axis = 0; axis < model->input.n_axes; axis++)
        if (given >> axis & 1 && model->input.values[axis][entry] != axes[axis])
            return false;
    return true;
}

static void check_matches(const test_model *model, const uint64_t *axes, const uint8_t *given, size_t n,
                          const tagma_matches *matches)
{
    assert_int_equal(matches->n, n);
    assert_int_equal(matches->offsets[0], 0);
    for (size_t i = 0; i < n; i++) {
        uint64_t at = matches->offsets[i];

        for (uint64_t entry = 0; entry < model->input.n_entries; entry++)
            if (is_match(model, entry, axes + i * model->input.n_axes, given[i])) {
                assert_true(at < matches->offsets[i + 1]);
                assert_int_equal(matches->entries[at++], entry);
            }
        assert_int_equal(at, matches->offsets[i + 1]);
    }
}

/* Ids of the model, most with some axes left out, some changed, many twice. */
static void fill_ids(const test_model *model, uint64_t *axes, uint8_t *given, size_t n, uint64_t *seed)
{
    uint32_t n_axes = model->input.n_axes;

    for (size_t i = 0; i < n; i++) {
        uint64_t *id = axes + i * n_axes;

        given[i] = (uint8_t)(test_random(seed) % 4 == 0 ? 0xff : test_random(seed) & 0xff);
        for (uint32_t axis = 0; axis < n_axes; axis++)
            id[axis] = model->input.n_entries > 0
                           ? model->rows[test_random(seed) % model->input.n_entries].axes[axis]
                           : 7;
        if (model->input.n_entries > 0 && test_random(seed) % 4 > 0)
            memcpy(id, model->rows[test_random(seed) % model->input.n_entries].axes, n_axes * sizeof *id);
        if (i > 0 && test_random(seed) % 4 == 0) {
            memcpy(id, id - n_axes, n_axes * sizeof *id);
            given[i] = given[i - 1];
        }
        if (test_random(seed) % 8 == 0)
            id[test_random(seed) % n_axes]++;
    }
}

static void matches_ids_of_any_depth(void **state)
{
    enum { N = 60 };
    uint64_t seed = 4;

    for (int round = 0; round < 300; round++) {
        test_model model = model_of(1 + (uint32_t)round % TAGMA_MAX_ID_AXES, 200, &seed);
        uint64_t axes[N * TAGMA_MAX_ID_AXES];
        size_t n = test_random(&seed) % (N + 1);
        tagma_matches matches;
        tagma_index *index;
        uint8_t given[N];

        assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
        fill_ids(&model, axes, given, n, &seed);
        assert_int_equal(tagma_index_match(*state, index, axes, given, n, &matches), TAGMA_OK);
        check_matches(&model, axes, given, n, &matches);
        tagma_matches_free(*state, &matches);
        tagma_index_release(index);
        test_model_free(&model);
    }
}

/* Long runs of whole ids, which are looked up many at once, with others between them. */
static void matches_many_whole_ids(void **state)
{
    enum { N = 2000 };
    static const test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_DENSE};
    test_model model = test_model_make(3, kinds, 0, 500, true, 1);
    uint64_t *axes = calloc(N * 3, sizeof *axes), seed = 1;
    uint8_t *given = calloc(N, 1);
    tagma_matches matches;
    tagma_index *index;

    assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
    fill_ids(&model, axes, given, N, &seed);
    for (size_t i = 0; i < N; i++)
        given[i] = i % 700 == 0 ? 4 : 7;
    assert_int_equal(tagma_index_match(*state, index, axes, given, N, &matches), TAGMA_OK);
    check_matches(&model, axes, given, N, &matches);
    tagma_matches_free(*state, &matches);
    tagma_index_release(index);
    test_model_free(&model);
    free(given);
    free(axes);
}

/* Whichever allocation fails. */
static void survives_each_allocation_that_fails(void **state)
{
    enum { N = 40 };
    static const test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_DENSE};
    test_model model = test_model_make(3, kinds, 0, 300, true, 1);
    test_failing failing = {0, 1};
    tagma_status st = TAGMA_E_MEMORY;
    uint64_t axes[N * 3], seed = 1;
    tagma_index *index;
    uint8_t given[N];

    assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
    fill_ids(&model, axes, given, N, &seed);
    for (; st == TAGMA_E_MEMORY && failing.fails < 100; failing.fails++) {
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tagma_matches matches;

        st = tagma_index_match(ctx, index, axes, given, N, &matches);
        if (st == TAGMA_E_MEMORY)
            assert_null(matches.offsets);
        tagma_matches_free(ctx, &matches);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_true(failing.fails > 8);
    tagma_index_release(index);
    test_model_free(&model);
}

static int cancel(void *user, const tagma_progress *progress)
{
    (void)user;
    (void)progress;
    return 1;
}

/* The walk can be stopped. */
static void can_be_cancelled(void **state)
{
    static const test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE};
    test_model model = test_model_make(2, kinds, 0, 300, false, 1);
    uint64_t axes[] = {0, 3}, before;
    uint8_t given = 2;
    tagma_matches matches;
    tagma_index *index;

    assert_int_equal(tagma_index_new(*state, &model.input, &index), TAGMA_OK);
    before = tagma_ctx_memory(*state);
    tagma_ctx_on_progress(*state, cancel, NULL);
    assert_int_equal(tagma_index_match(*state, index, axes, &given, 1, &matches), TAGMA_E_CANCELLED);
    assert_int_equal(tagma_ctx_memory(*state), before);
    tagma_index_release(index);
    test_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(walks_over_every_coordinate, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(matches_ids_of_any_depth, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(matches_many_whole_ids, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(can_be_cancelled, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
