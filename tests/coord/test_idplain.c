/* SPDX-License-Identifier: Apache-2.0
 * Lists of plain lines: separators, padding, quotes, comments, several ids a line, headers of ids only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/ids.h"

/* Three numbers of one line are one id, whatever separates them. */
static void reads_any_separator(void **state)
{
    static const char *const texts[] = {"1:2:3",
                                        "1,2,3",
                                        "1;2;3",
                                        "1\t2\t3",
                                        "1 2 3",
                                        "1, 2, 3",
                                        "1 , 2 ; 3",
                                        "  1   2   3  ",
                                        "\t1 2\t 3\n",
                                        "1 : 2 : 3",
                                        "\"1\",\"2\",\"3\"",
                                        "'1' '2' '3'",
                                        "'1:2:3'",
                                        "\"1:2:3\",",
                                        "1:2:3;",
                                        "\"1, 2, 3\"\r\n",
                                        "1,2,3,",
                                        "1:2:3#x",
                                        "\"1:2:3\"#x",
                                        "1 2 3 # x",
                                        "\n\n1:2:3\n\n",
                                        "# x\n1:2:3\n",
                                        "  # x\n\n1 2 3",
                                        "\357\273\2771:2:3",
                                        "1:2:3\r",
                                        "1.0 2.0 3.000e+00"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        test_ids_are(*state, &test_axes_events, texts[i], "1:2:3");
}

/* Lines end in any of three ways. */
static void reads_any_line_end(void **state)
{
    test_ids_are(*state, &test_axes_events, "1:2:3\n4:5:6\n", "1:2:3 4:5:6");
    test_ids_are(*state, &test_axes_events, "1:2:3\r\n4:5:6\r\n", "1:2:3 4:5:6");
    test_ids_are(*state, &test_axes_events, "1 2 3\r4 5 6", "1:2:3 4:5:6");
    test_ids_are(*state, &test_axes_events, "1 2 3\r\r\n\n4 5 6\n\r", "1:2:3 4:5:6");
}

/* Two plain numbers are run and event, one is the event. */
static void knows_depths(void **state)
{
    test_ids_are(*state, &test_axes_events, "1 3\n7\n1,2,3\n", "1:3 7 1:2:3");
    test_ids_are(*state, &test_axes_ntuple, "1 3\n7\n", "1:3 7");
    test_ids_are(*state, &test_axes_hits, "-5\n7\n", "-5 7");
    test_ids_are(*state, &test_axes_grid, "1 -2 3 -4\n5 6\n7", "1:-2:3:-4 5:6 7");
}

/* Ids whose numbers are joined by colons, and entries, may stand in one line in any number. */
static void reads_several_ids_a_line(void **state)
{
    test_ids_are(*state, &test_axes_events, "1:2:3 1:2:4\t1:2:5,1:2:6;1:2:7",
                 "1:2:3 1:2:4 1:2:5 1:2:6 1:2:7");
    test_ids_are(*state, &test_axes_events, "\"1:2:3\", \"1:2:4\",\n", "1:2:3 1:2:4");
    test_ids_are(*state, &test_axes_events, "@5 @6, 1:2:3 1:3", "@5 @6 1:2:3 1:3");
    test_ids_are(*state, &test_axes_none, "@5\n@6,@7", "@5 @6 @7");
}

/* Order and repeats are kept, and each id knows its line. */
static void keeps_order_repeats_and_lines(void **state)
{
    static const char text[] = "# list\n1:2:3\n\n1:2:3 1:2:2\r\n@7";
    static const uint32_t lines[] = {2, 4, 4, 5};
    tagma_idlist list;

    assert_int_equal(tagma_idlist_parse(*state, &test_axes_events, text, sizeof text - 1, "x", &list),
                     TAGMA_OK);
    assert_int_equal(list.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(list.ids[i].line, lines[i]);
    tagma_idlist_free(*state, &list);
    test_ids_are(*state, &test_axes_events, text, "1:2:3 1:2:3 1:2:2 @7");
}

/* A first line of id names orders the numbers of the lines, also behind "#", as np.savetxt writes it. */
static void obeys_a_header_of_ids(void **state)
{
    test_ids_are(*state, &test_axes_events, "run lumi event\n1 2 3\n", "1:2:3");
    test_ids_are(*state, &test_axes_events, "event,run,luminosityBlock\n3,1,2\n6:4:5 9:7:8\n",
                 "1:2:3 4:5:6 7:8:9");
    test_ids_are(*state, &test_axes_events, "run:lumi:event\n1:2:3", "1:2:3");
    test_ids_are(*state, &test_axes_events, "# event run lumi\n3 1 2\n", "1:2:3");
    test_ids_are(*state, &test_axes_events, "#event,run\r\n3,1\r\n", "1:3");
    test_ids_are(*state, &test_axes_events, "\"EventNumber\";\"RUN_NUMBER\";\"LS\" # mine\n3;1;2", "1:2:3");
    test_ids_are(*state, &test_axes_events, "event\n3\n4\n", "3 4");
    test_ids_are(*state, &test_axes_ntuple, "run lumi event\n1 2 3",
                 "1:3"); /* an axis the tree does not have */
    test_ids_are(*state, &test_axes_grid, "d a\n4 1", "1:4");
    test_ids_are(*state, &test_axes_events, "run lumi event\n1 2 3\nrun lumi event\n@9", "1:2:3 @9");
}

/* A comment is a header only where each of its words names an id column and there are two. */
static void takes_other_comments_as_comments(void **state)
{
    test_ids_are(*state, &test_axes_events, "# event list\n1 2 3\n", "1:2:3");
    test_ids_are(*state, &test_axes_events, "# event\n1 2 3\n", "1:2:3");
    test_ids_are(*state, &test_axes_events, "# run lumi\n1 2 3\n", "1:2:3");
    test_ids_are(*state, &test_axes_events, "1 2 3\n# event run lumi\n1 2 3\n", "1:2:3 1:2:3");
}

/* What could be read in two ways, or not at all, is refused. */
static void refuses_lines(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"1 2:3\n",
         "list.txt line 1: single numbers beside ids. Join the numbers of each id with colons: 1:2:3 1:2:4"},
        {"5 @6\n",
         "list.txt line 1: single numbers beside ids. Join the numbers of each id with colons: 1:2:3 1:2:4"},
        {"1,,3\n", "list.txt line 1: a number is missing beside a separator"},
        {",2,3\n", "list.txt line 1: a number is missing beside a separator"},
        {"1,2,\n", "list.txt line 1: a number is missing beside a separator"},
        {"1,2,\"\"\n", "list.txt line 1: a number is missing beside a separator"},
        {"1:2:3,,1:2:4\n", "list.txt line 1: a number is missing beside a separator"},
        {",\n", "list.txt line 1: a number is missing beside a separator"},
        {"1:2:\n", "list.txt line 1: event is empty"},
        {":2:3\n", "list.txt line 1: run is empty"},
        {"1:2:3\n\"1:2:3\n", "list.txt line 2: a quote without its other end"},
        {"1:2:3\n12\"34\n", "list.txt line 2: a quote without its other end"},
        {"1:2:3\n\"12\"34\n", "list.txt line 2: a quote without its other end"},
        {"1:2:3\n'1:2:3\"\n", "list.txt line 2: a quote without its other end"},
        {"1 2 3 4\n",
         "list.txt line 1 has 4 numbers, tree Events has 3 (run=run, lumi=luminosityBlock, event=event). "
         "Remove one, or name the columns with --ids A,B,C,D"},
        {"1 2 3 4 5 6\n", "list.txt line 1 has 6 numbers, tree Events has 3 (run=run, lumi=luminosityBlock, "
                          "event=event). Write one id "
                          "a line, or join the numbers of each with colons: 1:2:3 1:2:4"},
        {"1:2:3 pick me\n", "list.txt line 1: \"pick\" is not a number"},
        {"1:2:3\npick 2 3\n", "list.txt line 2: run \"pick\" is not a number"},
        {"1:2:3\n5@6\n", "list.txt line 2: event \"5@6\" is not a number"},
        {"1:2:3\n@5:6\n", "list.txt line 2: \"@5:6\" is not an entry; @N is entry N, from 0"},
        {"1:2:3\n1 2 -3\n",
         "list.txt line 2: event \"-3\" is negative, and event of tree Events is unsigned"},
        {"run lumi event\n1 2\n", "list.txt line 2 has 2 numbers, the header names 3"},
        {"run lumi event\n1:2:3:4\n", "list.txt line 2 has 4 numbers, the header names 3"},
        {"hello\n1:2:3\n",
         "list.txt line 1: \"hello\" is no id, and no header either: no column named event (event; or event, "
         "eventnumber, eventnum, evtnumber, evtnum, evt)"},
        {"run lumi\n1:2:3\n", "list.txt line 1: \"run lumi\" is no id, and no header either: no column named "
                              "event (event; or event, "
                              "eventnumber, eventnum, evtnumber, evtnum, evt)"},
        {"lumi event\n1 2\n",
         "list.txt line 1: \"lumi event\" is no id, and no header either: no column named run (run; or run, "
         "runnumber, runnum, runnr)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_ids_refused(*state, &test_axes_events, cases[i].text, cases[i].words);
}

/* Two columns for one axis: the tree's own name wins, two others are refused. */
static void settles_two_columns_for_an_axis(void **state)
{
    test_ids_are(*state, &test_axes_events, "event run evt lumi\n3 1 9 2\n", "1:2:3");
    test_ids_refused(*state, &test_axes_ntuple, "run evt event\n1 2 3\n",
                     "list.txt line 1: two columns for event: \"evt\" and \"event\"");
}

/* A tree without ids takes entries only. */
static void refuses_ids_where_the_tree_has_none(void **state)
{
    test_ids_refused(
        *state, &test_axes_none, "@1\n1:2:3\n",
        "list.txt line 2: tree plain has no id columns to find \"1:2:3\" by. @N is entry N; or name "
        "the columns with --ids A,B,C");
    test_ids_refused(
        *state, &test_axes_none, "1 2 3\n",
        "list.txt line 1: tree plain has no id columns to find \"1 2 3\" by. @N is entry N; or name "
        "the columns with --ids A,B,C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_any_separator, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_any_line_end, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(knows_depths, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_several_ids_a_line, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(keeps_order_repeats_and_lines, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(obeys_a_header_of_ids, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(takes_other_comments_as_comments, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_lines, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(settles_two_columns_for_an_axis, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_ids_where_the_tree_has_none, test_open_ctx, test_close_ctx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
