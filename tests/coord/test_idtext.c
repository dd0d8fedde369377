/* SPDX-License-Identifier: Apache-2.0
 * One id as text: the rule of written digits, depths, signs, spelling, and every word that refuses one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coord/idnumber.h"
#include "support/ids.h"

static tg_id_kind number(const char *text, uint64_t *value, bool *is_negative)
{
    uint64_t a, b;

    return tg_id_number(text, strlen(text), value, is_negative, &a, &b);
}

/* Digits alone count up to the last of 64 bits; one more is told. */
static void reads_all_of_64_bits(void **state)
{
    uint64_t value;
    bool is_negative;

    (void)state;
    assert_int_equal(number("0", &value, &is_negative), TG_ID_GOOD);
    assert_true(value == 0 && !is_negative);
    assert_int_equal(number("18446744073709551615", &value, &is_negative), TG_ID_GOOD);
    assert_true(value == UINT64_MAX);
    assert_int_equal(number("00000000000000000000000018446744073709551615", &value, &is_negative),
                     TG_ID_GOOD);
    assert_true(value == UINT64_MAX);
    assert_int_equal(number("9007199254740993", &value, &is_negative), TG_ID_GOOD); /* 2^53 + 1 */
    assert_true(value == UINT64_C(9007199254740993));
    assert_int_equal(number("18446744073709551616", &value, &is_negative), TG_ID_OVERFLOW);
    assert_int_equal(number("99999999999999999999999", &value, &is_negative), TG_ID_OVERFLOW);
    assert_int_equal(number("-9223372036854775808", &value, &is_negative), TG_ID_GOOD);
    assert_true(value == UINT64_C(1) << 63 && is_negative);
}

/* With a point or exponent a number counts where its digits reach the units place, its fraction is zero, and it is small. */
static void reads_floats_by_their_digits(void **state)
{
    static const struct {
        const char *text;
        tg_id_kind kind;
        uint64_t value;
    } cases[] = {
        {"1.0", TG_ID_GOOD, 1},
        {"1.", TG_ID_GOOD, 1},
        {".0", TG_ID_GOOD, 0},
        {"0.5e1", TG_ID_GOOD, 5},
        {".5e1", TG_ID_GOOD, 5},
        {"10e-1", TG_ID_GOOD, 1},
        {"273158.000", TG_ID_GOOD, 273158},
        {"2.731580000000000000e+05", TG_ID_GOOD, 273158},
        {"2.73158e+05", TG_ID_GOOD, 273158},
        {"2.73158E5", TG_ID_GOOD, 273158},
        {"1.234567890e9", TG_ID_GOOD, 1234567890},
        {"1234567890e0", TG_ID_GOOD, 1234567890},
        {"0.000000000000000000e+00", TG_ID_GOOD, 0},
        {"0e-5", TG_ID_GOOD, 0},
        {"0000.0000", TG_ID_GOOD, 0},
        {"9007199254740991.0", TG_ID_GOOD, UINT64_C(9007199254740991)},
        {"9007199254740992.0", TG_ID_INEXACT, 0},
        {"9.007199254740993e15", TG_ID_INEXACT, 0},
        {"123456789012345678901234567890.0", TG_ID_INEXACT, 0},
        {"1.23457e+09", TG_ID_ROUNDED, 0},
        {"1e3", TG_ID_ROUNDED, 0},
        {"1e1", TG_ID_ROUNDED, 0},
        {"0e5", TG_ID_ROUNDED, 0},
        {"1e999999999999999999999999", TG_ID_ROUNDED, 0},
        {"1e-999999999999999999999999", TG_ID_FRACTION, 0},
        {"1.5", TG_ID_FRACTION, 0},
        {"1.234e2", TG_ID_FRACTION, 0},
        {"0.1", TG_ID_FRACTION, 0},
        {"1e-1", TG_ID_FRACTION, 0},
        {"", TG_ID_WORD, 0},
        {"-", TG_ID_WORD, 0},
        {".", TG_ID_WORD, 0},
        {"e5", TG_ID_WORD, 0},
        {".e5", TG_ID_WORD, 0},
        {"1e", TG_ID_WORD, 0},
        {"1e+", TG_ID_WORD, 0},
        {"1e5x", TG_ID_WORD, 0},
        {"1.2.3", TG_ID_WORD, 0},
        {"1 2", TG_ID_WORD, 0},
        {"+1", TG_ID_WORD, 0},
        {"--1", TG_ID_WORD, 0},
        {"0x10", TG_ID_WORD, 0},
        {"nan", TG_ID_WORD, 0},
        {"inf", TG_ID_WORD, 0},
        {"1_000", TG_ID_WORD, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value;
        bool is_negative;
        if (number(cases[i].text, &value, &is_negative) != cases[i].kind)
            fail_msg("%s is not of kind %d", cases[i].text, cases[i].kind);
        if (cases[i].kind == TG_ID_GOOD)
            assert_int_equal(value, cases[i].value);
    }
}

static void parses_as(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, const char *spelled,
                      unsigned given)
{
    tagma_id id;
    char back[TAGMA_ID_TEXT_BYTES];

    if (tagma_id_parse(ctx, axes, text, "argument 1", &id) != TAGMA_OK)
        fail_msg("%s: %s", text, tagma_ctx_message(ctx));
    assert_int_equal(tagma_id_spell(axes, &id, back, sizeof back), strlen(spelled));
    assert_string_equal(back, spelled);
    assert_int_equal(id.given, given);
    assert_int_equal(id.line, 0);
}

/* All numbers, two are the first and the last, one is the last; blanks do not matter; leading zeros neither. */
static void knows_which_axes_are_given(void **state)
{
    parses_as(*state, &test_axes_events, "273158:1:5", "273158:1:5", 7);
    parses_as(*state, &test_axes_events, "273158:5", "273158:5", 5);
    parses_as(*state, &test_axes_events, "5", "5", 4);
    parses_as(*state, &test_axes_ntuple, "1:2", "1:2", 3);
    parses_as(*state, &test_axes_ntuple, "2", "2", 2);
    parses_as(*state, &test_axes_hits, "-7", "-7", 1);
    parses_as(*state, &test_axes_grid, "1:-2:3:-4", "1:-2:3:-4", 15);
    parses_as(*state, &test_axes_grid, "1:4", "1:4", 9);
    parses_as(*state, &test_axes_grid, "4", "4", 8);
    parses_as(*state, &test_axes_events, " 1 :\t2: 3 ", "1:2:3", 7);
    parses_as(*state, &test_axes_events, "001:002:003.0", "1:2:3", 7);
    parses_as(*state, &test_axes_events, "0:0:0", "0:0:0", 7);
    parses_as(*state, &test_axes_events, "-0:0:0", "0:0:0", 7);
}

/* @N needs no ids, and all of 64 bits are an entry. */
static void reads_entries(void **state)
{
    tagma_id id;

    parses_as(*state, &test_axes_events, "@0", "@0", 0);
    parses_as(*state, &test_axes_none, "@123", "@123", 0);
    parses_as(*state, &test_axes_none, "@18446744073709551615", "@18446744073709551615", 0);
    assert_int_equal(tagma_id_parse(*state, &test_axes_none, "@5", NULL, &id), TAGMA_OK);
    assert_true(id.is_entry && id.axes[0] == 5);
}

/* Signed axes hold two's complement, from the least to the largest; unsigned ones all of 64 bits. */
static void keeps_every_value_of_its_sign(void **state)
{
    tagma_id id;

    assert_int_equal(tagma_id_parse(*state, &test_axes_hits, "-9223372036854775808", NULL, &id), TAGMA_OK);
    assert_true(id.axes[0] == UINT64_C(1) << 63);
    assert_int_equal(tagma_id_parse(*state, &test_axes_hits, "9223372036854775807", NULL, &id), TAGMA_OK);
    assert_true(id.axes[0] == INT64_MAX);
    assert_int_equal(tagma_id_parse(*state, &test_axes_hits, "-1", NULL, &id), TAGMA_OK);
    assert_true(id.axes[0] == UINT64_MAX);
    parses_as(*state, &test_axes_hits, "-9223372036854775808", "-9223372036854775808", 1);
    parses_as(*state, &test_axes_events, "18446744073709551615:18446744073709551615:18446744073709551615",
              "18446744073709551615:18446744073709551615:18446744073709551615", 7);
    parses_as(*state, &test_axes_grid,
              "-9223372036854775808:-9223372036854775808:-9223372036854775808:-9223372036854775808",
              "-9223372036854775808:-9223372036854775808:-9223372036854775808:-9223372036854775808", 15);
}

/* Each refusal, word for word; the id is then zero. */
static void refuses_with_words(void **state)
{
    static const struct {
        const tagma_id_axes *axes;
        const char *text, *words;
    } cases[] = {
        {&test_axes_ntuple, "1:2:3",
         "argument 2 has 3 numbers, tree ntuple has 2 (run=runNumber, event=eventNumber). Remove the middle "
         "one, or "
         "name the columns with --ids A,B,C"},
        {&test_axes_ntuple, "1:2:3:4",
         "argument 2 has 4 numbers, tree ntuple has 2 (run=runNumber, event=eventNumber). Keep the first and "
         "the "
         "last, or name the columns with --ids A,B,C,D"},
        {&test_axes_hits, "1:2",
         "argument 2 has 2 numbers, tree hits has 1 (event=evt). Keep the last one, or name the columns with "
         "--ids "
         "A,B"},
        {&test_axes_hits, "1:2:3",
         "argument 2 has 3 numbers, tree hits has 1 (event=evt). Keep the last one, or name the columns with "
         "--ids "
         "A,B,C"},
        {&test_axes_events, "1:2:3:4",
         "argument 2 has 4 numbers, tree Events has 3 (run=run, lumi=luminosityBlock, event=event). Remove "
         "one, or "
         "name the columns with --ids A,B,C,D"},
        {&test_axes_grid, "1:2:3",
         "argument 2 has 3 numbers, tree grid has 4 (a, b, c, d). Give all 4, the first and the last, or the "
         "last "
         "alone"},
        {&test_axes_grid, "1:2:3:4:5:6",
         "argument 2 has 6 numbers, tree grid has 4 (a, b, c, d). Write one id a line, or join the numbers "
         "of each "
         "with colons: 1:2:3 1:2:4"},
        {&test_axes_none, "1:2:3",
         "argument 2: tree plain has no id columns to find \"1:2:3\" by. @N is entry N; or name the "
         "columns "
         "with --ids A,B,C"},
        {&test_axes_events, "1:2:1.23457e+09",
         "argument 2: event \"1.23457e+09\" has been rounded (6 digits written, 10 needed); it cannot name "
         "an event. "
         "Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")"},
        {&test_axes_events, "1e1:2:3",
         "argument 2: run \"1e1\" has been rounded (1 digit written, 2 needed); it cannot name an event. "
         "Write the "
         "ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")"},
        {&test_axes_events, "1:2:9007199254740993.0",
         "argument 2: event \"9007199254740993.0\" has a point or exponent and is not below 2^53; it cannot "
         "name an "
         "event. Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")"},
        {&test_axes_events, "1:2.5:3", "argument 2: lumi \"2.5\" is not a whole number"},
        {&test_axes_events, "1:x:3", "argument 2: lumi \"x\" is not a number"},
        {&test_axes_events, "1::3", "argument 2: lumi is empty"},
        {&test_axes_events, "", "argument 2: event is empty"},
        {&test_axes_events, "a:b:c:d:e", "argument 2: \"a\" is not a number"},
        {&test_axes_events, "1:2:18446744073709551616",
         "argument 2: event \"18446744073709551616\" does not fit 64 bits"},
        {&test_axes_hits, "9223372036854775808",
         "argument 2: event \"9223372036854775808\" does not fit a signed 64-bit number"},
        {&test_axes_hits, "-9223372036854775809",
         "argument 2: event \"-9223372036854775809\" does not fit a signed 64-bit number"},
        {&test_axes_grid, "1:2:3:x", "argument 2: d \"x\" is not a number"},
        {&test_axes_ntuple, "1:-2",
         "argument 2: event \"-2\" is negative, and eventNumber of tree ntuple is unsigned"},
        {&test_axes_events, "@", "argument 2: \"@\" is not an entry; @N is entry N, from 0"},
        {&test_axes_events, "@-1", "argument 2: \"@-1\" is not an entry; @N is entry N, from 0"},
        {&test_axes_events, "@1:2", "argument 2: \"@1:2\" is not an entry; @N is entry N, from 0"},
        {&test_axes_events, "@18446744073709551616",
         "argument 2: \"@18446744073709551616\" does not fit 64 bits"},
    };
    static const tagma_id zero;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tagma_id id;
        memset(&id, 0xff, sizeof id);
        assert_int_equal(tagma_id_parse(*state, cases[i].axes, cases[i].text, "argument 2", &id),
                         TAGMA_E_ARG);
        assert_string_equal(tagma_ctx_message(*state), cases[i].words);
        assert_memory_equal(&id, &zero, sizeof zero);
    }
}

/* Without a place the text itself stands there. */
static void names_the_text_where_no_place_is_given(void **state)
{
    tagma_id id;

    assert_int_equal(tagma_id_parse(*state, &test_axes_hits, "1:2", NULL, &id), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state),
                        "\"1:2\" has 2 numbers, tree hits has 1 (event=evt). Keep the "
                        "last one, or name the columns with --ids A,B");
}

/* What a word holds cannot steer a terminal, and a long one is cut between characters. */
static void quotes_foreign_text_with_care(void **state)
{
    tagma_id id;

    assert_int_equal(tagma_id_parse(*state, &test_axes_hits, "\x1b[31m\x7f", "argument 2", &id), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "argument 2: event \"?[31m?\" is not a number");
    assert_int_equal(tagma_id_parse(*state, &test_axes_hits,
                                    "012345678901234567890123456789012345678\xc3\xa4z", "argument 2", &id),
                     TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state),
                        "argument 2: event \"012345678901234567890123456789012345678...\" is not a number");
}

/* A short buffer is cut and the length needed told, as snprintf does. */
static void spells_into_short_buffers(void **state)
{
    tagma_id id;
    char text[8] = "xxxxxxx";

    assert_int_equal(tagma_id_parse(*state, &test_axes_events, "273158:1:5", NULL, &id), TAGMA_OK);
    assert_int_equal(tagma_id_spell(&test_axes_events, &id, NULL, 0), 10);
    assert_int_equal(tagma_id_spell(&test_axes_events, &id, text, sizeof text), 10);
    assert_string_equal(text, "273158:");
    assert_int_equal(tagma_id_spell(&test_axes_events, &id, text, 1), 10);
    assert_string_equal(text, "");
}

/* Digits, colons, a leading "-" or @N are ids; anything else is a file. */
static void tells_ids_from_files(void **state)
{
    (void)state;
    assert_true(tagma_id_is_text("5"));
    assert_true(tagma_id_is_text("1:2:3"));
    assert_true(tagma_id_is_text("-5"));
    assert_true(tagma_id_is_text("-5:1"));
    assert_true(tagma_id_is_text("1:-2:-3"));
    assert_true(tagma_id_is_text("@5"));
    assert_false(tagma_id_is_text(""));
    assert_false(tagma_id_is_text("-"));
    assert_false(tagma_id_is_text("@"));
    assert_false(tagma_id_is_text("@x"));
    assert_false(tagma_id_is_text("@5:1"));
    assert_false(tagma_id_is_text("x.root"));
    assert_false(tagma_id_is_text("./123"));
    assert_false(tagma_id_is_text("123.root"));
    assert_false(tagma_id_is_text("--"));
    assert_false(tagma_id_is_text("-e"));
    assert_false(tagma_id_is_text(":"));
    assert_false(tagma_id_is_text("1-2"));
    assert_false(tagma_id_is_text("--5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_of_64_bits),
        cmocka_unit_test(reads_floats_by_their_digits),
        cmocka_unit_test_setup_teardown(knows_which_axes_are_given, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(reads_entries, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(keeps_every_value_of_its_sign, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(refuses_with_words, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(names_the_text_where_no_place_is_given, test_open_ctx,
                                        test_close_ctx),
        cmocka_unit_test_setup_teardown(quotes_foreign_text_with_care, test_open_ctx, test_close_ctx),
        cmocka_unit_test_setup_teardown(spells_into_short_buffers, test_open_ctx, test_close_ctx),
        cmocka_unit_test(tells_ids_from_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
