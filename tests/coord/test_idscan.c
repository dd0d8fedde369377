/* SPDX-License-Identifier: Apache-2.0
 * The tables that TTree::Scan prints. The tables here are as ROOT 6 printed them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/ids.h"

/* Header cut to nine characters, Row is no id. */
static void reads_a_table_with_cut_header(void **state)
{
    test_ids_are(*state, &test_axes_events,
                 "************************************************\n"
                 "*    Row   *       run * luminosit *     event *\n"
                 "************************************************\n"
                 "*        0 *    273158 *         0 *         5 *\n"
                 "*        1 *    273158 *        28 * 123456789 *\n"
                 "************************************************\n",
                 "273158:0:5 273158:28:123456789");
}

/* A cut name may be the begin of a spelling that is not the tree's own. */
static void knows_cut_spellings(void **state)
{
    test_ids_are(*state, &test_axes_hits,
                 "*    Row   * eventNumb * eventWeig *\n"
                 "*        0 *         5 *       1.5 *\n",
                 "5");
    test_ids_refused(
        *state, &test_axes_hits, "*    Row   * eventWeig *\n*        0 *         5 *\n",
        "list.txt line 1: no column named event (evt; or event, eventnumber, eventnum, evtnumber, evtnum, "
        "evt)");
    test_ids_refused(
        *state, &test_axes_hits, "*    Row   * @id *\n*        0 * 5 *\n",
        "list.txt line 1: no column named event (evt; or event, eventnumber, eventnum, evtnumber, evtnum, "
        "evt)");
}

/* Branch and leaf in one cut name, other columns, a line for each instance: an event counts once. */
static void reads_a_table_of_all_branches(void **state)
{
    test_ids_are(*state, &test_axes_events,
                 "***********************************************************************************\n"
                 "*    Row   * Instance *   run.run * luminosit * event.eve * nMuon.nMu * Muon_pt.M *\n"
                 "***********************************************************************************\n"
                 "*        0 *        0 *    273158 *         0 *         5 *         0 *           *\n"
                 "*        2 *        0 *    273158 *         7 *         5 *         2 *       0.5 *\n"
                 "*        2 *        1 *    273158 *         7 *         5 *         2 *       1.5 *\n"
                 "*        3 *        0 *    273158 *         7 *         5 *         0 *           *\n"
                 "*        4 *        1 *    273158 *         8 *         6 *         2 *       1.5 *\n"
                 "*        4 *        2 *           *           *           *           *       1.5 *\n"
                 "***********************************************************************************\n",
                 "273158:0:5 273158:7:5 273158:7:5 273158:8:6");
}

/* What ROOT says around a table, its prompt in the middle, tables one behind the other with other columns. */
static void passes_over_what_root_says(void **state)
{
    test_ids_are(*state, &test_axes_events,
                 "root [0] Events->Scan(\"run:event\")\n"
                 "\n"
                 "************************************\n"
                 "*    Row   *       run *     event *\n"
                 "************************************\n"
                 "*        0 *         1 *         5 *\r\n"
                 "Type <CR> to continue or q to quit ==> \n"
                 "*        1 *         1 *         6 *\n"
                 "Type <CR> to continue or q to quit ==> *        2 *         1 *         7 *\n"
                 "************************************\n"
                 "==> 3 selected entries\n"
                 "(long long) 3\n"
                 "root [1] Events->Scan(\"event:pt:run\")\n"
                 "************************************************\n"
                 "*    Row   *     event *        pt *       run *\n"
                 "************************************************\n"
                 "*        0 *         8 *       0.5 *         2 *\n"
                 "************************************************\n"
                 "==> 1 selected entry\n"
                 "root [2] .q\n",
                 "1:5 1:6 1:7 2:8");
}

/* An id need not be on the first axes, nor unsigned; wide columns are not cut. */
static void reads_wide_columns(void **state)
{
    test_ids_are(*state, &test_axes_hits,
                 "***********************************\n"
                 "*    Row   *                  evt *\n"
                 "***********************************\n"
                 "*        0 *          -1234567890 *\n"
                 "***********************************\n",
                 "-1234567890");
    test_ids_are(*state, &test_axes_events,
                 "# my scan\n"
                 "*    Row   *                  run *      luminosityBlock *                event *\n"
                 "*        0 *               273158 *           1000000007 *          12345678901 *\n",
                 "273158:1000000007:12345678901");
}

static void refuses_tables(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"*    Row   *       run *     event *\n*        2 *    273158 * 1.234e+09 *\n",
         "list.txt line 2: event \"1.234e+09\" has been rounded (4 digits written, 10 needed); it cannot "
         "name an event. "
         "Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\"), tree->Scan(\"...\", \"\", "
         "\"colsize=20\")"},
        {"*    Row   *       run *     event *\n*        2 *    273158 *\n",
         "list.txt line 2 has 2 fields, the header names 3"},
        {"*    Row   *       run *     event *\n*        2 *    273158 *           *\n",
         "list.txt line 2: event is empty"},
        {"*        2 *    273158 *         1 *\n",
         "list.txt line 1: a row of a TTree::Scan table without the table's header"},
        {"*    Row   *       run *     event *\n*        2 *    273158 *         1\n",
         "list.txt line 2: \"*        2 *    273158 *         1\" is no row of a TTree::Scan table"},
        {"*    Row   *       run *     event *\n273158:1:5\n",
         "list.txt line 2: \"273158:1:5\" is no row of a TTree::Scan table"},
        {"*    Row   *       run *        pt *\n*        2 *    273158 *         1 *\n",
         "list.txt line 1: no column named event (event; or event, eventnumber, eventnum, evtnumber, evtnum, "
         "evt)"},
        {"*    Row   *     event * event.eve *\n*        2 *    273158 *         1 *\n", NULL},
    };

    for (size_t i = 0; cases[i].words; i++)
        test_ids_refused(*state, &test_axes_events, cases[i].text, cases[i].words);
    test_ids_are(*state, &test_axes_events, cases[7].text, "273158"); /* the whole name beats the cut one */
}

/* Names that are cut to the same letters tell nothing. */
static void refuses_names_cut_to_the_same(void **state)
{
    static const tagma_id_axes axes = {2,
                                       {"EventInfoAuxDyn.runNumber", "EventInfoAuxDyn.eventNumber"},
                                       {"run", "event"},
                                       {false, false},
                                       "CollectionTree"};

    test_ids_refused(*state, &axes,
                     "*    Row   * EventInfo * EventInfo *\n*        0 *         1 *         2 *\n",
                     "list.txt line 1: two columns for run: \"EventInfo\" and \"EventInfo\"");
    test_ids_are(*state, &axes,
                 "*    Row   * EventInfoAuxDyn.runN * EventInfoAuxDyn.even *\n"
                 "*        0 *                    1 *                    2 *\n",
                 "1:2");
}

static void collect_note(void *user, const char *text)
{
    char *notes = user;

    strncat(notes, text, 1000 - strlen(notes));
    strncat(notes, "\n", 1000 - strlen(notes));
}

/* ROOT cuts what is wider than its column and rounds what passes 2^53, without a word. We say so. */
static void notes_numbers_that_root_may_have_changed(void **state)
{
    char notes[1024] = "";

    tagma_ctx_on_note(*state, collect_note, notes);
    test_ids_are(*state, &test_axes_events,
                 "*    Row   *       run *     event *\n"
                 "*        0 *         1 * 123456789 *\n"
                 "*        1 *         1 *  12345678 *\n",
                 "1:123456789 1:12345678");
    assert_string_equal(notes, "list.txt: in 1 of 2 rows a number is as wide as its column; TTree::Scan cuts "
                               "longer ones without a word. "
                               "To be sure: tree->Scan(\"...\", \"\", \"colsize=20\")\n");
    notes[0] = 0;
    test_ids_are(*state, &test_axes_events,
                 "*    Row   *                event *\n"
                 "*        0 *     9007199254740992 *\n"
                 "*        1 *     9007199254740991 *\n",
                 "9007199254740992 9007199254740991");
    assert_string_equal(notes, "list.txt: in 1 of 2 rows a number is 2^53 or above; TTree::Scan prints "
                               "through double, which rounds those\n");
    tagma_ctx_on_note(*state, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_a_table_with_cut_header, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(knows_cut_spellings, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_a_table_of_all_branches, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(passes_over_what_root_says, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_wide_columns, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_tables, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_names_cut_to_the_same, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(notes_numbers_that_root_may_have_changed, test_open_ctx,
                                        test_close_ctx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
