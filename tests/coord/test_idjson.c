/* SPDX-License-Identifier: Apache-2.0
 * Lists in JSON: a value a line, or values in arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/ids.h"

/* Objects with the tree's names or the field's, keys in any order, numbers also as strings. */
static void reads_objects(void **state)
{
    static const char *const texts[] = {
        "{\"run\":1,\"luminosityBlock\":2,\"event\":3}",
        "{\"EventNumber\": 3, \"LS\": 2, \"run_number\": 1}\n",
        "{\"run\":\"1\",\"lumi\":\"2\",\"event\":\"3\"}\r\n",
        "{\"x\":[1,{\"event\":9}],\"run\":1,\"lumi\":2.0,\"y\":null,\"event\":3,\"z\":\"}\\\"\"}",
        "{\"run\":1,\"lumi\":2,\"event\":3,\"run_number\":9}",
        "# mine\n{\"run\":1,\"lumi\":2,\"event\":3}, # mine\n",
        "[{\"run\":1,\"lumi\":2,\"event\":3}]",
        "[\n  {\n    \"run\": 1,\n    \"lumi\": 2,\n    \"event\": 3\n  }\n]\n",
        "{'run': 1, 'lumi': 2, 'event': 3}",
        "\xef\xbb\xbf{\"run\":1,\"lumi\":2,\"event\":3}",
        "{\"run\":1,\"lumi\":2,\"event\":3,\"nan\":NaN,\"deep\":[[[[[[[[]]]]]]]]}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        test_ids_are(*state, &test_axes_events, texts[i], "1:2:3");
}

static void gives_what_keys_there_are(void **state)
{
    test_ids_are(*state, &test_axes_events, "{\"run\":1,\"event\":3}\n{\"event\":4}\n", "1:3 4");
    test_ids_are(*state, &test_axes_ntuple, "{\"run\":1,\"lumi\":2,\"event\":3}", "1:3");
    test_ids_are(*state, &test_axes_grid, "{\"d\":4,\"b\":-2,\"a\":1,\"c\":3}", "1:-2:3:4");
}

/* What pick writes reads back by its "@id", whatever the columns beside it hold. */
static void reads_back_what_pick_writes(void **state)
{
    test_ids_are(
        *state, &test_axes_events,
        "{\"@file\":\"x.root\",\"@entry\":5,\"@id\":\"1:2:3\",\"event\":9,\"Muon_pt\":[1.5,\"NaN\"]}\n"
        "{\"@file\":\"x.root\",\"@entry\":6,\"@id\":\"@6\"}\n",
        "1:2:3 @6");
    test_ids_are(*state, &test_axes_events, "{\"event\":9,\"@id\":\"1:2:3\"}", "1:2:3");
}

/* Arrays of numbers are ids; arrays of anything else are lists; Python's print is read as well. */
static void reads_arrays(void **state)
{
    test_ids_are(*state, &test_axes_events, "[1,2,3]\n[1, 2, 4]\n[1,5]\n[6]\n[\"7\",\"8\",\"9\"]",
                 "1:2:3 1:2:4 1:5 6 7:8:9");
    test_ids_are(*state, &test_axes_events, "[[1,2,3],[1,2,4]]", "1:2:3 1:2:4");
    test_ids_are(*state, &test_axes_events, "[\n [\n  1,\n  2,\n  3\n ],\n [1,2,4]\n]\n", "1:2:3 1:2:4");
    test_ids_are(*state, &test_axes_events, "[\"1:2:3\", \"1:2:4\",\n \"@7\", \"5:6\"]",
                 "1:2:3 1:2:4 @7 5:6");
    test_ids_are(*state, &test_axes_events, "[(1, 2, 3), (1, 2, 4)]", "1:2:3 1:2:4");
    test_ids_are(*state, &test_axes_events, "['1:2:3']\n(1, 2, 4)\n\"1:2:5\"\n", "1:2:3 1:2:4 1:2:5");
    test_ids_are(*state, &test_axes_events, "[]\n[[],[1,2,3]]", "1:2:3");
}

/* Objects of one list may differ in their keys and in the order of keys. */
static void reads_objects_of_changing_keys(void **state)
{
    test_ids_are(*state, &test_axes_events,
                 "{\"run\":1,\"lumi\":2,\"event\":3}\n{\"event\":6,\"run\":4,\"lumi\":5}\n{\"x\":0,\"y\":0,"
                 "\"event\":7}\n"
                 "{\"run\":8,\"event\":9}\n",
                 "1:2:3 4:5:6 7 8:9");
}

static void tells_the_line_where_an_id_begins(void **state)
{
    static const char text[] = "[\n{\"run\":1,\n\"event\":2},\n\n[3,\n4],\"5\"\n]";
    static const uint32_t lines[] = {2, 5, 6};
    tagma_idlist list;

    assert_int_equal(tagma_idlist_parse(*state, &test_axes_ntuple, text, sizeof text - 1, "x", &list),
                     TAGMA_OK);
    assert_int_equal(list.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(list.ids[i].line, lines[i]);
    tagma_idlist_free(*state, &list);
}

static void refuses_values(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{\"run\":1,\"event\":1.23457e+09}",
         "list.txt line 1: event \"1.23457e+09\" has been rounded (6 digits written, 10 needed); it cannot "
         "name an "
         "event. Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")"},
        {"{\"run\":1,\"event\":null}", "list.txt line 1: event \"null\" is not a number"},
        {"{\"run\":1,\"event\":[2]}", "list.txt line 1: event \"[\" is not a number"},
        {"{\"run\":1,\"event\":\"\"}", "list.txt line 1: event is empty"},
        {"{\"run\":1,\"event\":-2}",
         "list.txt line 1: event \"-2\" is negative, and event of tree Events is unsigned"},
        {"{\"run\":1,\"lumi\":2}", "list.txt line 1: no column named event (event; or event, eventnumber, "
                                   "eventnum, evtnumber, evtnum, evt)"},
        {"{\"lumi\":1,\"event\":2}",
         "list.txt line 1: no column named run (run; or run, runnumber, runnum, runnr)"},
        {"{\"evt\":1,\"evtnum\":2}", "list.txt line 1: two columns for event: \"evt\" and \"evtnum\""},
        {"{\"event\":1,\"event\":2}", "list.txt line 1: two columns for event: \"event\" and \"event\""},
        {"{}",
         "list.txt line 1: no column named event (event; or event, eventnumber, eventnum, evtnumber, evtnum, "
         "evt)"},
        {"{\"@id\":5.5}", "list.txt line 1: event \"5.5\" is not a whole number"},
        {"[1,2,3,4]",
         "list.txt line 1 has 4 numbers, tree Events has 3 (run=run, lumi=luminosityBlock, event=event). "
         "Remove one, or name the columns with --ids A,B,C,D"},
        {"[1,,3]", "list.txt line 1: no JSON of ids at \",3]\""},
        {"[1 2 3]", "list.txt line 1: no JSON of ids at \"2 3]\""},
        {"[null]", "list.txt line 1: event \"null\" is not a number"},
        {"[1,[2],3]", "list.txt line 1: lumi \"[\" is not a number"},
        {"[[1,2,3],4]", "list.txt line 1: no JSON of ids at \"4]\""},
        {"{\"event\":1}\n1:2:3\n", "list.txt line 2: no JSON of ids at \"1:2:3\""},
        {"{\"event\":1}]\n", "list.txt line 1: no JSON of ids at \"]\""},
        {"{\"event\":1", "list.txt line 1: the list ends inside of a JSON value"},
        {"[[1,2,3],", "list.txt line 1: the list ends inside of a JSON value"},
        {"{\"event\" 1}", "list.txt line 1: no JSON of ids at \"1}\""},
        {"{\"event\":1,}", "list.txt line 1: no JSON of ids at \"}\""},
        {"{event:1}", "list.txt line 1: no JSON of ids at \"event:1}\""},
        {"{\"event\":1,\"x\":[}]}", "list.txt line 1: no JSON of ids at \"}]}\""},
        {"{\"event\":1,\"x\":\"abc\n\"}",
         "list.txt line 1: no JSON of ids at \"\"abc\"\n2 bad lines: 1, 2; nothing was read"},
        {"{\"x\":1}\n{\"y\":}\n", "list.txt line 1: no column named event (event; or event, eventnumber, "
                                  "eventnum, evtnumber, evtnum, evt)\n2 bad "
                                  "lines: 1, 2 (not an id); nothing was read"},
        {"[[[[[[[[[[1]]]]]]]]]]", "list.txt line 1: JSON nested too deep"},
        {"{\"x\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1",
         "list.txt line 1: JSON nested too deep"},
        {"{\"Event\": {\"0\": 1}}", "list.txt line 1: event \"{\" is not a number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_ids_refused(*state, &test_axes_events, cases[i].text, cases[i].words);
}

/* No id anywhere is an empty list. */
static void tells_empty_lists(void **state)
{
    test_ids_empty(*state, &test_axes_events, "[]");
    test_ids_empty(*state, &test_axes_events, " [[],\n[]] # nothing\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_objects, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(gives_what_keys_there_are, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_back_what_pick_writes, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_arrays, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_objects_of_changing_keys, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(tells_the_line_where_an_id_begins, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_values, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(tells_empty_lists, test_open_ctx, test_close_ctx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
