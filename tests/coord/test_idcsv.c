/* SPDX-License-Identifier: Apache-2.0
 * Lists with a header that names other columns as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/ids.h"

/* More columns and any order, with each separator; names as the tree has them or as the field spells them. */
static void finds_columns_by_name(void **state)
{
    static const char *const texts[] = {
        "pt,run,event,luminosityBlock\n1.5,1,3,2\n",
        "event,pt,RunNumber,lumi_block\n3,x,1,2\n",
        "event;pt;EventInfo.runNumber;LS\n3;1,5;1;2\n",
        "run\tlumi\tevent\tpt\n1\t2\t3\t1e5\n",
        "run lumi event pt\n  1  2 3\t4.5  \n",
        "run:lumi:event:pt\n1:2:3:4.5\n",
        " run , lumi , event , pt # mine\n 1 , 2 , 3 , 4 # mine\n",
        "\"pt\",\"run\",\"lumi\",\"event\"\n\"1,5\",\"1\",\"2\",\"3\"\n",
        ",run,lumi,event\n0,1,2,3\n", /* pandas writes its index so */
        "run,lumi,event,x\r\n1,2,3,\r\n",
        "\357\273\277x,run,lumi,event\n,1,2,3",
        "x,run,lumi,event\n\n# a comment\n0,1,2,3\n\n",
        "run,lumi,event,pt\n\" 1 \",\"2\",\" 3\",0\n",
        "event.event,run.run,luminosityBlock.luminosityBlock,pt\n3,1,2,0",
        "run,lumi,event,run_number,pt\n1,2,3,99,0\n", /* the tree's own name wins */
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        test_ids_are(*state, &test_axes_events, texts[i], "1:2:3");
}

/* Without a lumi column the ids are run:event, with an event column alone they are events. */
static void gives_what_columns_there_are(void **state)
{
    test_ids_are(*state, &test_axes_events, "pt,run,event\n0,1,3\n", "1:3");
    test_ids_are(*state, &test_axes_events, "pt,event\n0,3\n", "3");
    test_ids_are(*state, &test_axes_ntuple, "run,lumi,event,pt\n1,2,3,0\n", "1:3");
    test_ids_are(*state, &test_axes_grid, "x,d,c,b,a\n0,4,3,2,-1\n", "-1:2:3:4");
    test_ids_are(*state, &test_axes_hits, "pt,evt\n0,-5\n", "-5");
}

/* The CSV that pick writes reads back by its "@id", whatever else it holds. */
static void reads_back_what_pick_writes(void **state)
{
    test_ids_are(*state, &test_axes_events,
                 "@file,@entry,@id,run,event,Muon_pt,name\n"
                 "x.root,5,1:2:3,9,9,\"[1.5,2.5]\",\"a \"\"b\"\",\nc\"\n"
                 "x.root,6,1:2:4,9,9,[],\n",
                 "1:2:3 1:2:4");
    test_ids_are(*state, &test_axes_none, "@file,@entry,@id\nx.root,5,@5\n", "@5");
    test_ids_are(*state, &test_axes_events, "@id\n1:2:3\n1:3\n", "1:2:3 1:3");
}

/* Fields as RFC 4180 quotes them: separators, quotes and line ends inside; the line told is where the row begins. */
static void reads_quoted_fields(void **state)
{
    static const char text[] = "text,run,lumi,event\n\"a,b\n\"\"c\"\"\r\nd\",1,2,3\n\"# no comment\",4,5,6\n";
    tagma_idlist list;

    test_ids_are(*state, &test_axes_events, text, "1:2:3 4:5:6");
    assert_int_equal(tagma_idlist_parse(*state, &test_axes_events, text, sizeof text - 1, "x", &list),
                     TAGMA_OK);
    assert_int_equal(list.ids[0].line, 2);
    assert_int_equal(list.ids[1].line, 5);
    tagma_idlist_free(*state, &list);
}

/* Files put together repeat their header; the same line again is passed over. */
static void passes_over_a_repeated_header(void **state)
{
    test_ids_are(*state, &test_axes_events, "x,run,lumi,event\n0,1,2,3\nx,run,lumi,event\n0,4,5,6\n",
                 "1:2:3 4:5:6");
}

static void refuses_rows(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"x,run,lumi,event\n1,2,3\n", "list.txt line 2 has 3 fields, the header names 4"},
        {"x,run,lumi,event\n0,1,2,3,4\n", "list.txt line 2 has 5 fields, the header names 4"},
        {"x,run,lumi,event\n0,1,2,3,\n", "list.txt line 2 has 5 fields, the header names 4"},
        {"run lumi event pt\n1 2 3\n", "list.txt line 2 has 3 fields, the header names 4"},
        {"x,run,lumi,event\n0,1,,3\n", "list.txt line 2: lumi is empty"},
        {"x,run,lumi,event\n0,1,2,x\n", "list.txt line 2: event \"x\" is not a number"},
        {"x,run,lumi,event\n0,1,2,1:2\n", "list.txt line 2: event \"1:2\" is not a number"},
        {"x,run,lumi,event\n0,1,2,\"3\n4,5,6,7\n", "list.txt line 2: a quote without its other end"},
        {"x,run,lumi,event\n0,1,2,\"3\"4\n", "list.txt line 2: a quote without its other end"},
        {"x,run,lumi,event\n0,1,2,1.23457e+09\n",
         "list.txt line 2: event \"1.23457e+09\" has been rounded (6 digits written, 10 needed); it cannot "
         "name an "
         "event. Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")"},
        {"@id,x\n1:2:3:4,0\n", "list.txt line 2 has 4 numbers, tree Events has 3 (run=run, "
                               "lumi=luminosityBlock, event=event). Remove one, "
                               "or name the columns with --ids A,B,C,D"},
        {"@id,x\n,0\n", "list.txt line 2: event is empty"},
        {"run,lumi,evno,pt\n", "list.txt line 1: \"run,lumi,evno,pt\" is no id, and no header either: no "
                               "column named event (event; or "
                               "event, eventnumber, eventnum, evtnumber, evtnum, evt)"},
        {"lumi,event,pt\n1,2,3\n", "list.txt line 1: \"lumi,event,pt\" is no id, and no header either: no "
                                   "column named run (run; or run, "
                                   "runnumber, runnum, runnr)"},
        {"run,lumi,evt,evtnum,pt\n1,2,3,4,5\n",
         "list.txt line 1: two columns for event: \"evt\" and \"evtnum\""},
        {"run,lumi,event,event,pt\n1,2,3,4,5\n",
         "list.txt line 1: two columns for event: \"event\" and \"event\""},
        {"run 273158 lumi 1 event 5\n", "list.txt line 1: \"run\" is not a number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_ids_refused(*state, &test_axes_events, cases[i].text, cases[i].words);
}

/* A header alone is an empty list; a header for a tree without ids is refused. */
static void tells_headers_without_use(void **state)
{
    test_ids_empty(*state, &test_axes_events, "pt,run,lumi,event\n");
    test_ids_empty(*state, &test_axes_events, "run,lumi,event\n\n# nothing\n");
    test_ids_refused(
        *state, &test_axes_none, "@1\nrun,lumi,event,x\n1,2,3,4\n",
        "list.txt line 2: \"run\" is not a number\n2 bad lines: 2, 3 (no id columns); nothing was read");
    test_ids_refused(*state, &test_axes_none, "run,lumi,event,x\n1,2,3,4\n",
                     "list.txt line 1: tree plain has no id columns to find \"run,lumi,event,x\" by. @N is "
                     "entry N; or name "
                     "the columns with --ids A,B,C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_columns_by_name, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(gives_what_columns_there_are, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_back_what_pick_writes, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_quoted_fields, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(passes_over_a_repeated_header, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_rows, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(tells_headers_without_use, test_open_ctx, test_close_ctx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
