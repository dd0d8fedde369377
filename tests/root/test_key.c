/* SPDX-License-Identifier: Apache-2.0
 * Keys and counted strings, from bytes in sight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "root/key.h"

/* A narrow key of an object "hist" of class TH1F, 60 bytes long, at byte 0x64. */
static const uint8_t narrow[] = {
    0,    0,    0,   60,        /* fNbytes */
    0,    4,                    /* fVersion */
    0,    0,    0,   100,       /* fObjlen */
    0,    0,    0,   1,         /* fDatime */
    0,    40,                   /* fKeylen */
    0xff, 0xfe,                 /* fCycle: -2, "keep" */
    0,    0,    0,   0x64,      /* fSeekKey */
    0,    0,    0,   0x32,      /* fSeekPdir */
    4,    'T',  'H', '1',  'F', /* class */
    4,    'h',  'i', 's',  't', /* name */
    2,    'o',  'k',            /* title */
};

static int make_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int free_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}

static void reads_a_narrow_key(void **state)
{
    tg_in in = tg_in_of(narrow, sizeof narrow);
    tg_key key;

    assert_int_equal(tg_key_parse(*state, &in, 0x64, &key), TAGMA_OK);
    assert_int_equal(key.bytes, 60);
    assert_int_equal(key.key_bytes, 40);
    assert_int_equal(key.unpacked_bytes, 100);
    assert_int_equal(key.cycle, 2);
    assert_int_equal(key.offset, 0x64);
    assert_int_equal(key.directory, 0x32);
    assert_true(tg_text_is(key.class_name, "TH1F"));
    assert_true(tg_text_is(key.name, "hist"));
    assert_true(tg_text_is(key.title, "ok"));
    assert_int_equal(in.at, sizeof narrow);
    assert_true(tg_key_is_packed(&key));
}

/* The upper 16 bits of a wide directory offset are a process id. */
static void masks_the_process_id_of_a_wide_key(void **state)
{
    static const uint8_t wide[] = {0,    0,    0,  60, 0x03, 0xec, 0, 0,    0, 20,  0, 0,   0,
                                   1,    0,    40, 0,  1,    0,    0, 0,    1, 0,   0, 0,   0x64,
                                   0x12, 0x34, 0,  0,  0,    0,    0, 0x32, 1, 'A', 1, 'b', 0};
    tg_in in = tg_in_of(wide, sizeof wide);
    tg_key key;

    assert_int_equal(tg_key_parse(*state, &in, 0, &key), TAGMA_OK);
    assert_int_equal(key.offset, 0x100000064);
    assert_int_equal(key.directory, 0x32);
    assert_false(tg_key_is_packed(&key));
}

static void refuses_a_key_cut_anywhere(void **state)
{
    for (size_t n = 0; n < sizeof narrow; n++) {
        tg_in in = tg_in_of(narrow, n);
        tg_key key;

        assert_int_equal(tg_key_parse(*state, &in, 0x64, &key), TAGMA_E_TRUNCATED);
        assert_non_null(strstr(tagma_ctx_message(*state), "byte 100"));
    }
}

/* Each length set to what is none. */
static void refuses_lengths_that_are_none(void **state)
{
    static const struct {
        size_t at;
        uint8_t bytes[4];
        size_t n;
    } spoils[] = {{0, {0, 0, 0, 0}, 4},
                  {0, {0xff, 0xff, 0xff, 0xff}, 4},
                  {0, {0x80, 0, 0, 0}, 4},
                  {0, {0, 0, 0, 39}, 4},
                  {6, {0xff, 0xff, 0xff, 0xff}, 4},
                  {6, {0x80, 0, 0, 0}, 4},
                  {14, {0, 0}, 2},
                  {14, {0xff, 0xff}, 2},
                  {14, {0, 61}, 2}};

    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        uint8_t bytes[sizeof narrow];
        tg_in in = tg_in_of(bytes, sizeof bytes);
        tg_key key;

        memcpy(bytes, narrow, sizeof bytes);
        memcpy(bytes + spoils[i].at, spoils[i].bytes, spoils[i].n);
        assert_int_equal(tg_key_parse(*state, &in, 0x64, &key), TAGMA_E_CORRUPT);
    }
}

/* 255 means that an i32 follows; a negative one is more than is there. */
static void reads_strings_of_any_length(void **state)
{
    static const uint8_t escaped[] = {255, 0, 0, 0, 3, 'a', 'b', 'c'};
    static const uint8_t negative[] = {255, 0xff, 0xff, 0xff, 0xff, 'a', 'b', 'c'};
    tg_in in = tg_in_of(escaped, sizeof escaped);

    (void)state;
    assert_true(tg_text_is(tg_in_text(&in), "abc"));
    assert_false(tg_in_short(&in));
    in = tg_in_of(negative, sizeof negative);
    assert_int_equal(tg_in_text(&in).n, 0);
    assert_true(tg_in_short(&in));
}

static void reads_strings_that_end_with_0(void **state)
{
    static const uint8_t bytes[] = {'T', 'H', '1', 0, 'x'};
    tg_in in = tg_in_of(bytes, sizeof bytes);

    (void)state;
    assert_true(tg_text_is(tg_in_zero_text(&in, 100), "TH1"));
    assert_int_equal(in.at, 4);
    assert_int_equal(tg_in_zero_text(&in, 100).n, 0);
    assert_true(tg_in_short(&in));
    in = tg_in_of(bytes, sizeof bytes);
    assert_int_equal(tg_in_zero_text(&in, 3).n, 0);
    assert_true(tg_in_short(&in));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_narrow_key),          cmocka_unit_test(masks_the_process_id_of_a_wide_key),
        cmocka_unit_test(refuses_a_key_cut_anywhere),  cmocka_unit_test(refuses_lengths_that_are_none),
        cmocka_unit_test(reads_strings_of_any_length), cmocka_unit_test(reads_strings_that_end_with_0),
    };

    return cmocka_run_group_tests(tests, make_ctx, free_ctx);
}
