/* SPDX-License-Identifier: Apache-2.0
 * Lumi masks: which boxes a text means, and where one that is none goes wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tagma/index.h>

#include "support/failing.h"

static int open_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int close_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}

/* Two runs with lumis 1 to 4, one event each. */
static tagma_index *index_of(tagma_ctx *ctx, const char *run, const char *lumi, const char *event)
{
    static const uint64_t runs[] = {1, 1, 1, 1, 3, 3, 3, 3}, lumis[] = {1, 2, 3, 4, 1, 2, 3, 4},
                          events[] = {9, 8, 7, 6, 5, 4, 3, 2};
    const tagma_index_input input = {.n_axes = event ? 3 : 2,
                                     .is_signed = {true, false, false},
                                     .names = {run, lumi, event},
                                     .values = {runs, lumis, events},
                                     .n_entries = 8};
    tagma_index *index;

    assert_int_equal(tagma_index_new(ctx, &input, &index), TAGMA_OK);
    return index;
}

static void check_mask(tagma_ctx *ctx, const tagma_index *index, const char *json, const char *expected)
{
    tagma_interval intervals[8];
    tagma_id_range *ranges;
    size_t n_ranges, n;
    char selected[9] = "........";

    if (tagma_lumi_mask_parse(ctx, index, json, strlen(json), &ranges, &n_ranges) != TAGMA_OK)
        fail_msg("%s: %s", json, tagma_ctx_message(ctx));
    assert_int_equal(tagma_index_intervals(ctx, index, ranges, n_ranges, intervals, 8, &n), TAGMA_OK);
    for (size_t i = 0; i < n; i++)
        memset(selected + intervals[i].first, 'x', intervals[i].n);
    assert_string_equal(selected, expected);
    tagma_lumi_mask_free(ctx, ranges);
}

/* Ranks 0 to 3 are run 1, 4 to 7 run 3. */
static void selects_the_lumis_of_a_mask(void **state)
{
    tagma_index *index = index_of(*state, "run", "luminosityBlock", "event");

    check_mask(*state, index, "{}", "........");
    check_mask(*state, index, " { } \n", "........");
    check_mask(*state, index, "{\"1\": [[1, 4]]}", "xxxx....");
    check_mask(*state, index, "{\"1\": [[2, 2], [4, 9]], \"3\": [[0, 1]]}", ".x.xx...");
    check_mask(*state, index, "{\"1\":[[1,2]],\"1\":[[2,3]]}", "xxx.....");
    check_mask(*state, index, "\xef\xbb\xbf{\n \"2\" : [ [ 1 , 9 ] ] ,\r\n\t\"3\" : [] }\n", "........");
    check_mask(*state, index, "{\"3\": [[4, 9223372036854775807]]}", ".......x");
    tagma_index_release(index);
}

/* Run and lumi are told by the names of the field, in any order; three axes without such names are taken as they stand. */
static void finds_the_axes_by_name(void **state)
{
    static const char *const mask = "{\"1\": [[3, 4]]}";
    tagma_index *index = index_of(*state, "luminosityBlock", "RunNumber", "event");
    tagma_id_range *ranges;
    size_t n;

    check_mask(*state, index, "{\"3\": [[1, 1]]}", "..x.....");
    tagma_index_release(index);
    index = index_of(*state, "x", "y", "z");
    check_mask(*state, index, mask, "..xx....");
    tagma_index_release(index);
    index = index_of(*state, "run", "event", NULL);
    assert_int_equal(tagma_lumi_mask_parse(*state, index, mask, strlen(mask), &ranges, &n), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state),
                        "a lumi mask needs a run and a luminosity block; the index has no such axes");
    assert_null(ranges);
    tagma_index_release(index);
    index = index_of(*state, "x", "y", NULL);
    assert_int_equal(tagma_lumi_mask_parse(*state, index, mask, strlen(mask), &ranges, &n), TAGMA_E_ARG);
    tagma_index_release(index);
}

/* Text that is no mask: line, column, and what was expected there. */
static void tells_where_a_mask_goes_wrong(void **state)
{
    static const struct {
        const char *json, *words;
    } cases[] = {
        {"", "line 1, column 1: expected {\"run\": [[first, last], ...]}"},
        {"[1]", "line 1, column 1: expected {\"run\": [[first, last], ...]}"},
        {"{", "line 1, column 2: expected a run in quotes"},
        {"{1: [[1, 2]]}", "line 1, column 2: expected a run in quotes"},
        {"{\"\": [[1, 2]]}", "line 1, column 3: expected the number of a run"},
        {"{\"1", "line 1, column 4: expected the closing quote of a run"},
        {"{\"1a\": [[1, 2]]}", "line 1, column 4: expected the closing quote of a run"},
        {"{\"99999999999999999999\": []}", "line 1, column 3: expected a number below 2^63"},
        {"{\"9223372036854775808\": []}", "line 1, column 3: expected a number below 2^63"},
        {"{\"1\" [[1, 2]]}", "line 1, column 6: expected a colon"},
        {"{\"1\": 5}", "line 1, column 7: expected [[first, last], ...]"},
        {"{\"1\": [5]}", "line 1, column 8: expected [first, last]"},
        {"{\"1\":\n [[1, 2],\n  [3]]}", "line 3, column 5: expected a comma and the last luminosity block"},
        {"{\"1\": [[x, 2]]}", "line 1, column 9: expected the number of a luminosity block"},
        {"{\"1\": [[1, -2]]}", "line 1, column 12: expected the number of a luminosity block"},
        {"{\"1\": [[1, 2.5]]}",
         "line 1, column 13: expected ]: a range has a first and a last luminosity block"},
        {"{\"1\": [[1, 2, 3]]}",
         "line 1, column 13: expected ]: a range has a first and a last luminosity block"},
        {"{\"1\": [[5, 2]]}", "line 1, column 8: expected [first, last] with first <= last"},
        {"{\"1\": [[1, 2]}", "line 1, column 14: expected a comma or ]"},
        {"{\"1\": [[1, 2]]", "line 1, column 15: expected a comma or }"},
        {"{\"1\": [[1, 2]],}", "line 1, column 16: expected a run in quotes"},
        {"{} {}", "line 1, column 4: expected nothing after the last }"},
    };
    tagma_index *index = index_of(*state, "run", "luminosityBlock", "event");

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n_bytes = strlen(cases[i].json), n;
        char *exact = malloc(n_bytes + 1), words[200];
        tagma_id_range *ranges;

        memcpy(exact, cases[i].json, n_bytes);
        assert_int_equal(tagma_lumi_mask_parse(*state, index, exact, n_bytes, &ranges, &n), TAGMA_E_CORRUPT);
        assert_null(ranges);
        snprintf(words, sizeof words, "lumi mask: %s", cases[i].words);
        assert_string_equal(tagma_ctx_message(*state), words);
        free(exact);
    }
    tagma_index_release(index);
}

/* A mask cut anywhere, and with a 0 inside, is none. */
static void refuses_every_cut(void **state)
{
    static const char json[] = "{\"1\": [[1, 2], [3, 4]], \"3\": [[1, 1]]}";
    tagma_index *index = index_of(*state, "run", "luminosityBlock", "event");
    tagma_id_range *ranges;
    size_t n;

    for (size_t cut = 0; cut < sizeof json - 1; cut++) {
        char *part = malloc(cut + 1), *holed = malloc(sizeof json);

        memcpy(part, json, cut);
        assert_int_equal(tagma_lumi_mask_parse(*state, index, part, cut, &ranges, &n), TAGMA_E_CORRUPT);
        memcpy(holed, json, sizeof json);
        holed[cut] = 0;
        assert_int_equal(tagma_lumi_mask_parse(*state, index, holed, sizeof json - 1, &ranges, &n),
                         TAGMA_E_CORRUPT);
        free(part);
        free(holed);
    }
    tagma_index_release(index);
}

/* No memory for the boxes. */
static void survives_each_allocation_that_fails(void **state)
{
    static const char json[] = "{\"1\": [[1, 2], [3, 4]]}";
    tagma_index *index = index_of(*state, "run", "luminosityBlock", "event");
    test_failing failing = {0, 1};
    tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
    tagma_id_range *ranges;
    size_t n;

    assert_int_equal(tagma_lumi_mask_parse(ctx, index, json, sizeof json - 1, &ranges, &n), TAGMA_E_MEMORY);
    assert_null(ranges);
    tagma_ctx_free(ctx);
    tagma_index_release(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(selects_the_lumis_of_a_mask, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(finds_the_axes_by_name, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(tells_where_a_mask_goes_wrong, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_every_cut, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
