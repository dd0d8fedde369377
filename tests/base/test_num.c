/* SPDX-License-Identifier: Apache-2.0
 * Sums that say whether they fit, byte order, and the window on bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/in.h"
#include "base/num.h"

static void sums_and_products_say_whether_they_fit(void **state)
{
    uint64_t out;

    (void)state;
    assert_true(tg_add(UINT64_MAX - 1, 1, &out));
    assert_true(out == UINT64_MAX);
    assert_false(tg_add(UINT64_MAX, 1, &out));
    assert_true(tg_mul((uint64_t)1 << 32, ((uint64_t)1 << 32) - 1, &out));
    assert_false(tg_mul((uint64_t)1 << 32, (uint64_t)1 << 32, &out));
}

/* The bounds are inclusive of an empty run at the very end, and no sum is made that could wrap. */
static void a_run_is_inside_or_not(void **state)
{
    (void)state;
    assert_true(tg_inside(0, 10, 10));
    assert_true(tg_inside(10, 0, 10));
    assert_false(tg_inside(10, 1, 10));
    assert_false(tg_inside(11, 0, 10));
    assert_false(tg_inside(5, UINT64_MAX, 10));
    assert_false(tg_inside(UINT64_MAX, 2, 10));
}

static void loads_by_byte_order(void **state)
{
    static const uint8_t bytes[] = {0x81, 2, 3, 4, 5, 6, 7, 8};

    (void)state;
    assert_int_equal(tg_be16(bytes), 0x8102);
    assert_int_equal(tg_le16(bytes), 0x0281);
    assert_int_equal(tg_be32(bytes), 0x81020304);
    assert_int_equal(tg_le32(bytes), 0x04030281);
    assert_true(tg_be64(bytes) == 0x8102030405060708);
    assert_true(tg_le64(bytes) == 0x0807060504030281);
}

static void stores_what_it_loads(void **state)
{
    uint8_t bytes[8];

    (void)state;
    tg_put_le32(bytes, 0x81020304);
    assert_int_equal(tg_le32(bytes), 0x81020304);
    tg_put_le64(bytes, 0x8102030405060708);
    assert_true(tg_le64(bytes) == 0x8102030405060708);
}

/* Every width, from and to addresses of no alignment, with lengths that leave a tail behind any vector. */
static void swaps_in_bulk_as_one_by_one(void **state)
{
    static const uint32_t widths[] = {1, 2, 4, 8};
    uint8_t src[1 + 37 * 8], dst[3 + 37 * 8];

    (void)state;
    for (size_t i = 0; i < sizeof src; i++)
        src[i] = (uint8_t)(i * 41 + 7);
    for (size_t w = 0; w < 4; w++) {
        uint32_t width = widths[w];

        for (size_t n = 0; n <= 37; n++) {
            memset(dst, 0xee, sizeof dst);
            tg_swap_be(dst + 3, src + 1, n, width);
            for (size_t i = 0; i < n * width; i++)
                assert_int_equal(dst[3 + i], src[1 + i / width * width + (width - 1 - i % width)]);
            if (3 + n * width < sizeof dst)
                assert_int_equal(dst[3 + n * width], 0xee);
        }
    }
}

static void a_window_reads_like_the_table_of_a_format(void **state)
{
    static const uint8_t bytes[] = {1, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0x05, 0, 0, 0, 0x06, 0, 0, 0, 0, 0, 0, 0};
    tg_in in = tg_in_of(bytes, sizeof bytes);

    (void)state;
    assert_int_equal(tg_in_u8(&in), 1);
    assert_int_equal(tg_in_be16(&in), 2);
    assert_int_equal(tg_in_be32(&in), 3);
    assert_int_equal(tg_in_le24(&in), 4);
    assert_int_equal(tg_in_le32(&in), 5);
    assert_true(tg_in_le64(&in) == 6);
    assert_int_equal(tg_in_left(&in), 0);
    assert_false(tg_in_short(&in));
}

/* One check at the end covers all reads before it: what was short stays short. */
static void a_short_read_gives_zero_and_is_remembered(void **state)
{
    static const uint8_t bytes[] = {0xff, 0xff, 0xff};
    tg_in in = tg_in_of(bytes, sizeof bytes);

    (void)state;
    assert_int_equal(tg_in_be32(&in), 0);
    assert_true(tg_in_short(&in));
    assert_int_equal(tg_in_left(&in), 0);
    assert_true(tg_in_be64(&in) == 0);
    tg_in_seek(&in, 0);
    assert_int_equal(tg_in_u8(&in), 0xff);
    assert_true(tg_in_short(&in));
}

static void a_window_is_moved_within_its_bounds(void **state)
{
    static const uint8_t bytes[] = {1, 2, 3, 4};
    tg_in in = tg_in_of(bytes, sizeof bytes);

    (void)state;
    tg_in_skip(&in, 2);
    assert_int_equal(tg_in_u8(&in), 3);
    tg_in_seek(&in, 4);
    assert_false(tg_in_short(&in));
    assert_non_null(tg_in_take(&in, 0));
    tg_in_seek(&in, 1);
    assert_null(tg_in_take(&in, UINT64_MAX));
    assert_true(tg_in_short(&in));
    in = tg_in_of(bytes, sizeof bytes);
    tg_in_seek(&in, 5);
    assert_true(tg_in_short(&in));
}

/* Counts in groups of three, as messages spell them. */
static void counts_are_spelled_in_groups(void **state)
{
    char text[TG_GROUPED_BYTES];

    (void)state;
    assert_string_equal(tg_grouped(0, text), "0");
    assert_string_equal(tg_grouped(999, text), "999");
    assert_string_equal(tg_grouped(1000, text), "1,000");
    assert_string_equal(tg_grouped(81230, text), "81,230");
    assert_string_equal(tg_grouped(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_say_whether_they_fit),
        cmocka_unit_test(a_run_is_inside_or_not),
        cmocka_unit_test(loads_by_byte_order),
        cmocka_unit_test(stores_what_it_loads),
        cmocka_unit_test(swaps_in_bulk_as_one_by_one),
        cmocka_unit_test(a_window_reads_like_the_table_of_a_format),
        cmocka_unit_test(a_short_read_gives_zero_and_is_remembered),
        cmocka_unit_test(a_window_is_moved_within_its_bounds),
        cmocka_unit_test(counts_are_spelled_in_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
