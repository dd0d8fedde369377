/* SPDX-License-Identifier: Apache-2.0
 * Lists as a whole: every form of one list gives the same ids; bad lines, empty lists, other files, hostile bytes, memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/failing.h"
#include "support/ids.h"

enum { N_IDS = 1000, LINE_BYTES = 400 };

/* splitmix64: a seeded sequence, the same on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* One form of a list: what stands before the lines, between them, behind them, and one line of id i. */
typedef struct form {
    const char *name, *before, *between, *after;
    int (*line)(char *dst, size_t i, const uint64_t *a);
    bool is_small; /* written through float: below 2^53 only */
} form;

/* clang-format off */
#define LINE(name, format, ...) \
    static int name(char *dst, size_t i, const uint64_t *a) { (void)i, (void)a; return snprintf(dst, LINE_BYTES, format, __VA_ARGS__); }
/* clang-format on */
#define U    "%llu"
#define A(k) (unsigned long long)a[k]

LINE(colons, U ":" U ":" U, A(0), A(1), A(2))
LINE(commas, U "," U "," U, A(0), A(1), A(2))
LINE(semicolons, U " ; " U ";" U, A(0), A(1), A(2))
LINE(tabs, U "\t" U "\t\t" U, A(0), A(1), A(2))
LINE(blanks, "  " U "  " U " " U "   # number %zu", A(0), A(1), A(2), i)
LINE(quotes, "\"" U "\", \"" U "\",\"" U "\"", A(0), A(1), A(2))
LINE(quoted, "'" U ":" U ":" U "',", A(0), A(1), A(2))
LINE(reversed, U "," U "," U, A(2), A(1), A(0))
LINE(table, "%zu,text %zu,\"[%zu, \"\"\n\"\"]\"," U "," U "," U ",#", i, i, i, A(1), A(2), A(0))
LINE(picked, "x.root,%zu," U ":" U ":" U ",1.5", i, A(0), A(1), A(2))
LINE(scanned, "* %8zu * %9zu * %20llu * %20llu * %20llu *", i, i, A(0), A(1), A(2))
LINE(objects, "{\"run\": " U ", \"x\": [1, {}], \"lumi\": " U ", \"event\": " U "}", A(0), A(1), A(2))
LINE(ids, "{\"@file\":\"x\",\"@entry\":%zu,\"@id\":\"" U ":" U ":" U "\",\"event\":7}", i, A(0), A(1), A(2))
LINE(arrays, "[" U ", " U ", " U "]", A(0), A(1), A(2))
LINE(tuples, "(" U ", " U ", " U ")", A(0), A(1), A(2))
LINE(strings, "\"" U ":" U ":" U "\"", A(0), A(1), A(2))
LINE(floats, "%.1f %.3f %.18e", (double)a[0], (double)a[1], (double)a[2])

static const form forms[] = {
    {"colons", "", "\n", "\n", colons, false},
    {"colons, CRLF, BOM", "\xef\xbb\xbf", "\r\n", "\r\n", colons, false},
    {"colons, CR", "", "\r", "", colons, false},
    {"colons, one line", "", " ", "", colons, false},
    {"colons, one line of commas", "", ", ", "\n", colons, false},
    {"commas", "", "\n", "", commas, false},
    {"commas, header", "run,lumi,event\n", "\n", "", commas, false},
    {"commas, other order", "# event lumi run\n", "\n", "", reversed, false},
    {"semicolons", "\n\n", "\n\n", "\n\n", semicolons, false},
    {"tabs", "", "\n", "", tabs, false},
    {"blanks, comments", "# a list\n", "\n# more\n", "\n# end", blanks, false},
    {"quotes", "", "\r\n", "", quotes, false},
    {"quoted ids", "", "\n", "", quoted, false},
    {"CSV", "a,b,c,LuminosityBlock,EventNumber,RunNumber,d\n", "\n", "\n", table, false},
    {"CSV of pick", "@file,@entry,@id,event\n", "\n", "\n", picked, false},
    {"Scan",
     "***\n*    Row   *         x *                  run *      luminosityBlock *                event "
     "*\n***\n",
     "\n", "\n***\n==> 1000 selected entries\n", scanned, false},
    {"JSON objects", "", "\n", "\n", objects, false},
    {"JSON of pick", "", "\n", "\n", ids, false},
    {"JSON arrays", "", "\n", "\n", arrays, false},
    {"JSON array of arrays", "[", ",\n", "]", arrays, false},
    {"JSON array of strings", "{\"event\": 1, \"@id\": \"@0\"}\n[", ", ", "]\n", strings, false},
    {"Python tuples", "[", ", ", "]", tuples, false},
    {"floats", "", "\n", "\n", floats, true},
};

static char *write_form(const form *f, const uint64_t (*list)[3], size_t n, size_t *n_bytes)
{
    char *text = malloc(n * (LINE_BYTES + 10) + 1000);
    size_t at = (size_t)sprintf(text, "%s", f->before);

    for (size_t i = 0; i < n; i++) {
        at += (size_t)sprintf(text + at, "%s", i > 0 ? f->between : "");
        at += (size_t)f->line(text + at, i, list[i]);
    }
    at += (size_t)sprintf(text + at, "%s", f->after);
    *n_bytes = at;
    return realloc(text, at);
}

/* Every form of one list of 1,000 ids, of all 64 bits, gives the same ids in the same order. */
static void every_form_gives_the_same_ids(void **state)
{
    uint64_t list[N_IDS][3], seed = 3;

    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        bool has_more = strncmp(forms[k].name, "JSON array of strings", 21) == 0;
        size_t n_bytes;
        char *text;
        tagma_idlist ids;

        for (size_t i = 0; i < N_IDS; i++)
            for (size_t a = 0; a < 3; a++)
                list[i][a] = next_random(&seed) >> (forms[k].is_small ? 11 : 0) >> next_random(&seed) % 53;
        text = write_form(&forms[k], (const uint64_t(*)[3])list, N_IDS, &n_bytes);
        if (tagma_idlist_parse(*state, &test_axes_events, text, n_bytes, forms[k].name, &ids) != TAGMA_OK)
            fail_msg("%s", tagma_ctx_message(*state));
        assert_int_equal(ids.n, N_IDS + has_more);
        for (size_t i = 0; i < N_IDS; i++) {
            assert_int_equal(ids.ids[i + has_more].given, 7);
            assert_memory_equal(ids.ids[i + has_more].axes, list[i], sizeof list[i]);
        }
        tagma_idlist_free(*state, &ids);
        free(text);
    }
    assert_int_equal(tagma_ctx_memory(*state), 0);
}

/* The two refusals that users are promised word for word. */
static void says_what_is_promised(void **state)
{
    tagma_idlist ids;
    static const char rounded[] = "run,event\n1,1.23457e+09\n";

    test_ids_refused(
        *state, &test_axes_ntuple, "1:2:3\n",
        "list.txt line 1 has 3 numbers, tree ntuple has 2 (run=runNumber, event=eventNumber). Remove the "
        "middle one, or name the columns with --ids A,B,C");
    assert_int_equal(
        tagma_idlist_parse(*state, &test_axes_ntuple, rounded, sizeof rounded - 1, "list.csv", &ids),
        TAGMA_E_ARG);
    assert_string_equal(
        tagma_ctx_message(*state),
        "list.csv line 2: event \"1.23457e+09\" has been rounded (6 digits written, 10 needed); it cannot "
        "name an event. Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")");
}

/* Bad lines refuse the list: the first in full, the first ten by number, those of another kind with their kind. */
static void names_the_first_ten_bad_lines(void **state)
{
    char text[8000] = "";

    for (int i = 0; i < 1234; i++)
        strcat(text, i % 2 ? "7\n" : "x\n");
    text[0] = '5';
    test_ids_refused(
        *state, &test_axes_events, text,
        "list.txt line 3: event \"x\" is not a number\n616 bad lines, the first 10: 3, 5, 7, 9, 11, 13, 15, "
        "17, 19, 21; nothing was read");
    test_ids_refused(
        *state, &test_axes_events, "1:2:3\nx\n1 2 3 4\n1.5\n1:2:3\n\n9e9 # x\n-5\n",
        "list.txt line 2: event \"x\" is not a number\n5 bad lines: 2, 3 (wrong depth), 4 (not whole), 7 "
        "(rounded), 8 (negative); nothing was read");
}

/* A number of bad lines that is told in groups of three digits. */
static void counts_many_bad_lines(void **state)
{
    enum { LINES = 1234567 };
    char *text = malloc(2 * LINES + 1);

    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 2 * i, "x\n", 2);
    text[0] = '1';
    text[1] = ' ';
    text[2 * LINES] = 0;
    test_ids_refused(
        *state, &test_axes_events, text,
        "list.txt line 1: event \"x\" is not a number\n1,234,566 bad lines, the first 10: 1, 2, 3, 4, 5, 6, "
        "7, 8, 9, 10; nothing was read");
    free(text);
}

/* Words stay whole where the list's name is long. */
static void keeps_words_where_names_are_long(void **state)
{
    char name[2000];
    tagma_idlist ids;

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(tagma_idlist_parse(*state, &test_axes_hits, "1:2\n1:2\nx", 9, name, &ids), TAGMA_E_ARG);
    assert_non_null(
        strstr(tagma_ctx_message(*state), "\n3 bad lines: 1, 2, 3 (not a number); nothing was read"));
    assert_int_equal(tagma_idlist_parse(*state, &test_axes_hits, "", 0, name, &ids), TAGMA_ABSENT);
}

static void tells_empty_lists(void **state)
{
    static const char *const texts[] = {
        "", "\n", " \t\r\n\r", "# nothing\n", "\xef\xbb\xbf", "\xef\xbb\xbf\n"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        test_ids_empty(*state, &test_axes_events, texts[i]);
}

/* Files that are no text of ids are told as what they are. */
static void tells_other_kinds_of_files(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *words;
    } cases[] = {
        {"root\0\0\xf3", 7, "list.txt is a ROOT file, not a list of event ids"},
        {"\x1f\x8b\x08", 3, "list.txt is packed by gzip; unpack it first"},
        {"\xff\xfe"
         "1\0",
         4, "list.txt is UTF-16 text; save it as UTF-8"},
        {"\xfe\xff\0"
         "1",
         4, "list.txt is UTF-16 text; save it as UTF-8"},
    };
    tagma_idlist ids;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(
            tagma_idlist_parse(*state, &test_axes_events, cases[i].bytes, cases[i].n, "list.txt", &ids),
            TAGMA_E_ARG);
        assert_string_equal(tagma_ctx_message(*state), cases[i].words);
    }
    test_ids_refused(
        *state, &test_axes_events, "root of all\n1:2:3\n",
        "list.txt line 1: \"root of all\" is no id, and no header either: no column named event (event; or "
        "event, eventnumber, eventnum, evtnumber, evtnum, evt)");
}

/* Bytes that are 0 or not UTF-8 are words like others. */
static void survives_bytes_that_are_no_text(void **state)
{
    static const char text[] = "1:2:3\n1:2:\0\xff\x80\n";
    tagma_idlist ids;

    assert_int_equal(tagma_idlist_parse(*state, &test_axes_events, text, sizeof text - 1, "list.txt", &ids),
                     TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "list.txt line 2: event \"?\xff\x80\" is not a number");
}

/* Whatever became of a list, it is an answer: ids that spell and read back as themselves, or words; and no memory is left. */
static void check_any_text(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, size_t n)
{
    tagma_idlist ids;
    tagma_status st = tagma_idlist_parse(ctx, axes, text, n, "x", &ids);

    assert_true(st == TAGMA_OK || st == TAGMA_ABSENT || st == TAGMA_E_ARG);
    assert_true(st == TAGMA_OK ? ids.n > 0 : ids.n == 0 && !ids.ids && tagma_ctx_message(ctx)[0]);
    for (size_t i = 0; i < ids.n; i++) {
        char spelled[TAGMA_ID_TEXT_BYTES];
        tagma_id back;
        tagma_id_spell(axes, &ids.ids[i], spelled, sizeof spelled);
        assert_int_equal(tagma_id_parse(ctx, axes, spelled, NULL, &back), TAGMA_OK);
        back.line = ids.ids[i].line;
        assert_memory_equal(&back, &ids.ids[i], sizeof back);
    }
    tagma_idlist_free(ctx, &ids);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
}

/* Each form, with bytes changed, cut out and put in at seeded places, against trees of each shape. */
static void answers_to_mutated_lists(void **state)
{
    static const tagma_id_axes *const trees[] = {&test_axes_events, &test_axes_ntuple, &test_axes_hits,
                                                 &test_axes_grid, &test_axes_none};
    static const char odd[] = "\n\r\"'#@*:,;[]{}()-.eE0 \t\\\0\xff"
                              "9x";
    uint64_t list[3][3] = {{1, 2, 3}, {273158, 28, UINT64_MAX}, {9, 8, 7}}, seed = 4;

    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        size_t n;
        char *text = write_form(&forms[k], (const uint64_t(*)[3])list, 3, &n);
        for (int round = 0; round < 400; round++) {
            char *bytes = malloc(n + 1);
            size_t m = n;
            memcpy(bytes, text, n);
            for (uint64_t changes = next_random(&seed) % 4; changes-- > 0 && m > 0;) {
                size_t at = next_random(&seed) % m;
                char c = odd[next_random(&seed) % (sizeof odd - 1)];
                if (next_random(&seed) % 3 == 0) {
                    memmove(bytes + at, bytes + at + 1, m - at - 1);
                    m--;
                } else {
                    bytes[at] = c;
                }
            }
            if (round % 4 == 0)
                m = next_random(&seed) % (m + 1);
            bytes = realloc(bytes, m ? m : 1);
            check_any_text(*state, trees[round % 5], bytes, m);
            free(bytes);
        }
        free(text);
    }
}

/* When any allocation fails, the answer is TAGMA_E_MEMORY with words, and nothing is left. */
static void survives_any_failing_allocation(void **state)
{
    static const char *const texts[] = {"1:2:3\n1:2:4\n1 2 3", "{\"event\":1}\n{\"event\":2}"};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        test_failing failing = {0, 0};
        tagma_status st = TAGMA_E_MEMORY;
        for (uint64_t fails = 1; st != TAGMA_OK; fails++) {
            tagma_ctx *ctx;
            tagma_idlist ids;
            failing = (test_failing){0, fails};
            ctx = test_failing_ctx(&failing, NULL);
            st = tagma_idlist_parse(ctx, &test_axes_events, texts[k], strlen(texts[k]), "x", &ids);
            assert_true(st == TAGMA_OK || (st == TAGMA_E_MEMORY && !ids.ids && tagma_ctx_message(ctx)[0]));
            tagma_idlist_free(ctx, &ids);
            assert_int_equal(tagma_ctx_memory(ctx), 0);
            tagma_ctx_free(ctx);
            assert_true(fails < 20);
        }
    }
}

/* Memory is in proportion to the text, of any kind. */
static void takes_memory_in_proportion(void **state)
{
    enum { BYTES = 1 << 20 };
    static const char *const pieces[] = {"1\n", "1:2\n", "[1]\n", "[",   "{\"a\":1,", "{\"event\":1}\n",
                                         "x\n", "\"",    ",",     "@1 ", "* ",        "*\n"};
    static const char header[] = "a,run,event\n";
    char *text = malloc(BYTES);

    (void)state;
    for (size_t k = 0; k < 2 * sizeof pieces / sizeof pieces[0]; k++) {
        const char *piece = pieces[k / 2];
        tagma_ctx *ctx;
        tagma_idlist ids;
        assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
        for (size_t at = 0; at < BYTES; at++)
            text[at] = piece[at % strlen(piece)];
        if (k % 2)
            memcpy(text, header, sizeof header - 1);
        if (tagma_idlist_parse(ctx, &test_axes_events, text, BYTES, "x", &ids) == TAGMA_OK)
            tagma_idlist_free(ctx, &ids);
        assert_true(tagma_ctx_peak_memory(ctx) <= UINT64_C(80) * BYTES);
        tagma_ctx_free(ctx);
    }
    free(text);
}

static int stop_at_once(void *user, const tagma_progress *progress)
{
    assert_string_equal(progress->unit, "bytes");
    assert_true(progress->done <= progress->total);
    ++*(int *)user;
    return 1;
}

/* A long list tells progress, and stops when asked. */
static void stops_when_asked(void **state)
{
    enum { LINES = 10000 };
    char *text = malloc(6 * LINES);
    tagma_idlist ids;
    int calls = 0;

    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 6 * i, "1:2:3\n", 6);
    tagma_ctx_on_progress(*state, stop_at_once, &calls);
    assert_int_equal(tagma_idlist_parse(*state, &test_axes_events, text, 6 * LINES, "x", &ids),
                     TAGMA_E_CANCELLED);
    assert_int_equal(calls, 1);
    assert_null(ids.ids);
    assert_int_equal(tagma_ctx_memory(*state), 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_form_gives_the_same_ids, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(says_what_is_promised, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(names_the_first_ten_bad_lines, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(counts_many_bad_lines, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(keeps_words_where_names_are_long, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(tells_empty_lists, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(tells_other_kinds_of_files, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(survives_bytes_that_are_no_text, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(answers_to_mutated_lists, test_open_ctx, test_close_ctx),
        cmocka_unit_test(survives_any_failing_allocation),
        cmocka_unit_test_setup_teardown(takes_memory_in_proportion, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(stops_when_asked, test_open_ctx, test_close_ctx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
