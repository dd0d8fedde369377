/* SPDX-License-Identifier: Apache-2.0
 * The header of a frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "codec/codec.h"

static int make_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int free_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}

/* Sizes are little-endian in a file that is otherwise big-endian. */
static void reads_tag_method_and_little_endian_sizes(void **state)
{
    static const uint8_t bytes[] = {'X', 'Z', 7, 0x02, 0x00, 0x00, 0x56, 0x34, 0x12, 0xaa, 0xbb, 0xcc};
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_frame frame;

    assert_int_equal(tg_frame_parse(*state, &in, &frame), TAGMA_OK);
    assert_int_equal(frame.tag, 'X' << 8 | 'Z');
    assert_int_equal(frame.method, 7);
    assert_int_equal(frame.packed_bytes, 2);
    assert_int_equal(frame.unpacked_bytes, 0x123456);
    assert_int_equal(tg_in_left(&in), 3); /* the payload and what comes after it */
}

/* A payload larger than the file is refused before anything is allocated for it. */
static void refuses_payload_past_the_end(void **state)
{
    static const uint8_t bytes[] = {'Z',  'L',  8,     /* zlib, method deflate */
                                    0xff, 0xff, 0xff,  /* packed: 16777215 bytes, none here */
                                    0x10, 0x00, 0x00}; /* unpacked: 16 bytes */
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_frame frame;

    assert_int_equal(tg_frame_parse(*state, &in, &frame), TAGMA_E_TRUNCATED);
    assert_string_equal(tagma_ctx_message(*state), "payload claims 16777215 bytes, 0 remain");
}

static void refuses_a_header_cut_anywhere(void **state)
{
    static const uint8_t bytes[TG_FRAME_BYTES] = {'Z', 'L', 8};

    for (size_t n = 0; n < sizeof bytes; n++) {
        tg_in in = tg_in_of(bytes, n);
        tg_frame frame;

        assert_int_equal(tg_frame_parse(*state, &in, &frame), TAGMA_E_TRUNCATED);
        assert_non_null(strstr(tagma_ctx_message(*state), "compression header needs 9 bytes"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tag_method_and_little_endian_sizes),
        cmocka_unit_test(refuses_payload_past_the_end),
        cmocka_unit_test(refuses_a_header_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, make_ctx, free_ctx);
}
