/* SPDX-License-Identifier: Apache-2.0
 * Events against events: paired by id whatever their order, counted the same whatever the memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <tagma/compare.h>

#include "support/failing.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { N = 400 };

static tagma_ctx *ctx;
static test_scratch scratch;
static char in[512], other[512], sorted[512];

static void must(tagma_status st)
{
    if (st < 0)
        fail_msg("%s: %s", tagma_status_name(st), tagma_ctx_message(ctx));
}

static void convert(const char *first, const char *second, bool sort, const char *path)
{
    tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
    const tagma_convert_input inputs[] = {{first, NULL}, {second, NULL}};

    options.sort = sort;
    must(tagma_convert(ctx, inputs, second ? 2 : 1, path, &options, NULL));
}

static void write_events(uint64_t seed, const char *path, uint64_t n)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    test_synth synth;

    test_synth_make(&synth, ctx, seed, TEST_SYNTH_NULLS | TEST_SYNTH_LONG);
    must(test_store_write(&synth, path, n, 100, false, &options, NULL));
    test_synth_free(&synth);
}

/* At `in` and `other` events of one schema, all of them different. */
static int make_desk(void **state)
{
    (void)state;
    test_scratch_make(&scratch);
    must(tagma_ctx_new(NULL, &ctx));
    snprintf(in, sizeof in, "%s", test_scratch_path(&scratch, "in.tagma"));
    snprintf(other, sizeof other, "%s", test_scratch_path(&scratch, "other.tagma"));
    snprintf(sorted, sizeof sorted, "%s", test_scratch_path(&scratch, "sorted.tagma"));
    write_events(5, in, N);
    write_events(6, other, 50);
    return 0;
}

static int clear_desk(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

static tagma_status diff_in(tagma_ctx *with, const char *a, const char *b, const tagma_diff_options *options,
                            tagma_comparison **found)
{
    tagma_events *events[2] = {NULL, NULL};
    tagma_status st = tagma_open(with, a, NULL, &events[0]);

    *found = NULL;
    if (st == TAGMA_OK)
        st = tagma_open(with, b, NULL, &events[1]);
    if (st == TAGMA_OK)
        st = tagma_diff(with, events[0], events[1], options, found);
    tagma_events_release(events[0]);
    tagma_events_release(events[1]);
    return st;
}

static tagma_comparison_info diff(const char *a, const char *b, const tagma_diff_options *options)
{
    tagma_comparison_info info = {.struct_bytes = sizeof info};
    tagma_comparison *found;

    must(diff_in(ctx, a, b, options, &found));
    tagma_comparison_get_info(found, &info);
    tagma_comparison_free(found);
    return info;
}

static void events_are_paired_by_id(void **state)
{
    tagma_diff_options options = TAGMA_DIFF_OPTIONS_INIT;
    tagma_comparison_info info = {.struct_bytes = sizeof info};

    (void)state;
    convert(in, NULL, true, sorted);
    info = diff(in, sorted, NULL);
    assert_true(info.is_same);
    assert_int_equal(info.alignment, TAGMA_BY_ID);
    assert_int_equal(info.n_events, N);
    options.by_entry = true;
    info = diff(in, sorted, &options);
    assert_false(info.is_same);
    assert_int_equal(info.alignment, TAGMA_BY_ENTRY);
    assert_int_equal(info.n_events, N);
    assert_true(info.n_different > N / 2);
}

/* Each id twice on both sides, the files in the other order: the k-th goes with the k-th, and they are the same. */
static void equal_ids_are_paired_in_their_order(void **state)
{
    char twice[512], swapped[512];
    tagma_comparison_info info = {.struct_bytes = sizeof info};

    (void)state;
    snprintf(twice, sizeof twice, "%s", test_scratch_path(&scratch, "twice.tagma"));
    snprintf(swapped, sizeof swapped, "%s", test_scratch_path(&scratch, "swapped.tagma"));
    convert(in, other, false, sorted);
    convert(sorted, in, false, twice);
    convert(in, sorted, true, swapped);
    info = diff(twice, swapped, NULL);
    assert_true(info.is_same);
    assert_int_equal(info.n_events, 2 * N + 50);
    info = diff(twice, sorted, NULL);
    assert_int_equal(info.n_events, N + 50);
    assert_int_equal(info.n_different, 0);
    assert_int_equal(info.n_only_a, N);
    assert_int_equal(info.n_only_b, 0);
    assert_false(info.is_same);
}

/* All events differ, in columns of every type: no count depends on how much memory there is, however often a step is tried. */
static void counts_do_not_depend_on_memory(void **state)
{
    tagma_diff_options options = TAGMA_DIFF_OPTIONS_INIT;
    tagma_comparison_info expected = {.struct_bytes = sizeof expected};
    uint32_t n_met = 0;

    (void)state;
    options.by_entry = true;
    expected = diff(in, other, &options);
    assert_int_equal(expected.n_events, 50);
    assert_int_equal(expected.n_only_a, N - 50);
    for (test_failing failing = {0, 40}; n_met < 3; failing.fails += 1 + failing.fails / 10) {
        tagma_ctx *own = test_failing_ctx(&failing, NULL);
        tagma_comparison_info info = {.struct_bytes = sizeof info};
        tagma_comparison *found;
        tagma_status st = diff_in(own, in, other, &options, &found);

        if (st == TAGMA_OK) {
            tagma_comparison_get_info(found, &info);
            assert_int_equal(info.n_events, expected.n_events);
            assert_int_equal(info.n_different, expected.n_different);
            assert_int_equal(info.n_different_columns, expected.n_different_columns);
        } else {
            assert_null(found);
            assert_true(*tagma_ctx_message(own) != 0);
        }
        n_met += failing.n < failing.fails;
        tagma_comparison_free(found);
        assert_int_equal(tagma_ctx_memory(own), 0);
        tagma_ctx_free(own);
    }
}

/* By id with an index to be made on the fly: each allocation may fail. */
static void pairing_bears_the_end_of_memory(void **state)
{
    bool is_met = true;

    (void)state;
    convert(in, NULL, true, sorted);
    for (test_failing failing = {0, 1}; is_met; failing.fails += 1 + failing.fails / 6) {
        tagma_ctx *own = test_failing_ctx(&failing, NULL);
        tagma_comparison *found;
        tagma_status st = diff_in(own, in, sorted, NULL, &found);

        is_met = failing.n >= failing.fails;
        assert_true(st == TAGMA_OK ? found != NULL : found == NULL && *tagma_ctx_message(own) != 0);
        assert_true(is_met || st == TAGMA_OK);
        tagma_comparison_free(found);
        assert_int_equal(tagma_ctx_memory(own), 0);
        tagma_ctx_free(own);
    }
}

/* A name that neither side has is no reason to compare the others only. */
static void each_name_must_be_somewhere(void **state)
{
    tagma_diff_options options = TAGMA_DIFF_OPTIONS_INIT;
    tagma_comparison *found;

    (void)state;
    options.columns = "nJet,Jet_ptt";
    assert_int_equal(diff_in(ctx, in, in, &options, &found), TAGMA_E_NAME);
    assert_non_null(strstr(tagma_ctx_message(ctx), "Jet_ptt"));
    options.columns = "nJet,Tau_*";
    assert_int_equal(diff(in, in, &options).n_compared, 2);
    options.relative = -1;
    assert_int_equal(diff_in(ctx, in, in, &options, &found), TAGMA_E_ARG);
    options.relative = 0;
    options.struct_bytes--;
    assert_int_equal(diff_in(ctx, in, in, &options, &found), TAGMA_E_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_are_paired_by_id, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(equal_ids_are_paired_in_their_order, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(counts_do_not_depend_on_memory, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(pairing_bears_the_end_of_memory, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(each_name_must_be_somewhere, make_desk, clear_desk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
