/* SPDX-License-Identifier: Apache-2.0
 * The value code: every value comes back bit for bit, and each way of coding is taken where it should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "store/code.h"
#include "store/codetable.h"
#include "store/decimal.h"

static tagma_ctx *ctx;
static tg_coder coder;

static int set_up(void **state)
{
    (void)state;
    return tagma_ctx_new(NULL, &ctx) == TAGMA_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tg_coder_free(ctx, &coder);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    return 0;
}

static uint64_t value_at(const void *values, uint64_t i, uint32_t bytes)
{
    uint64_t v = 0;

    memcpy(&v, (const uint8_t *)values + i * bytes, bytes);
    return v;
}

/* Encode, get each word and value back; returns the code. */
static tg_code round_trip(tagma_type type, const void *values, uint64_t n, bool may_be_sparse)
{
    uint32_t bytes = tagma_type_bytes(type);
    uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << bytes * 8) - 1, next = 0;
    tg_coded coded;
    tg_code code;

    assert_int_equal(tg_code_encode(ctx, &coder, type, values, n, may_be_sparse, &coded), TAGMA_OK);
    code = coded.code;
    assert_true(code.w <= 64 && code.m <= 63 && code.tz <= 63 && code.n_heads <= TG_HEADS_MAX);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t v = value_at(values, i, bytes);

        if (code.is_sparse && !tg_bits_get(coded.presence, i, 1)) {
            assert_int_equal(code.common, v);
            continue;
        }
        assert_true(next < coded.n_words);
        if (code.kind == TG_CODE_DECIMAL) {
            uint64_t k = coded.heads[0] + tg_bits_get(coded.words, next * code.w, code.w);
            assert_int_equal(tg_decimal_value(k, code.tz, code.bytes == 8 ? 3 : 2), v);
            next++;
            continue;
        }
        assert_int_equal(
            tg_code_value(&code, coded.heads, tg_bits_get(coded.words, next * code.w, code.w)) & mask, v);
        next++;
    }
    assert_int_equal(next, coded.n_words);
    tg_coded_free(ctx, &coded);
    return code;
}

static uint64_t seed = 1;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void equal_values_take_no_bits(void **state)
{
    double nan_payload[3];
    static const uint64_t bits[3] = {UINT64_C(0x7ff8000000000abc), UINT64_C(0x7ff8000000000abc),
                                     UINT64_C(0x7ff8000000000abc)};
    tg_code code;

    (void)state;
    memcpy(nan_payload, bits, sizeof bits);
    code = round_trip(TAGMA_F64, nan_payload, 3, true);
    assert_int_equal(code.kind, TG_CODE_CONSTANT);
    assert_int_equal(code.w, 0);
}

/* Integers in a narrow range, around zero as well, are offsets; zeros at the right are cut off. */
static void near_integers_are_offsets(void **state)
{
    int32_t values[1000];
    int64_t spread[1000];
    tg_code code;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        values[i] = i - 500;
        spread[i] = (int64_t)(draw() % 100000) * 4096 - 1000;
    }
    code = round_trip(TAGMA_I32, values, 1000, false);
    assert_int_equal(code.kind, TG_CODE_OFFSET);
    assert_int_equal(code.w, 10);
    code = round_trip(TAGMA_I64, spread, 1000, false);
    assert_int_equal(code.tz, 12);
    assert_int_equal(code.w, 17);
}

/* Floats with cut mantissas: sign and exponent as a head, the mantissa bits in use behind it. */
static void cut_floats_are_prefixes(void **state)
{
    float values[5000];
    tg_code code;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        uint32_t bits = (uint32_t)(60 + draw() % 13 * 9) << 23 | (uint32_t)(draw() % 1024) << 13 |
                        (uint32_t)(draw() & 1) << 31;
        memcpy(&values[i], &bits, sizeof bits);
    }
    code = round_trip(TAGMA_F32, values, 5000, false);
    assert_int_equal(code.kind, TG_CODE_PREFIX);
    assert_int_equal(code.tz, 13);
    assert_int_equal(code.w, 10 + 5);
}

static void few_far_values_are_a_dictionary(void **state)
{
    static const int32_t ids[] = {-2147483647, -13, 13, 11, -11, 999999, 2000000000};
    int32_t values[3000];
    tg_code code;

    (void)state;
    for (int i = 0; i < 3000; i++)
        values[i] = ids[draw() % 7];
    code = round_trip(TAGMA_I32, values, 3000, false);
    assert_int_equal(code.kind, TG_CODE_DICTIONARY);
    assert_int_equal(code.w, 3);
}

/* Numbers that somebody wrote with few digits are those digits; not -0.0, and not numbers that only come near. */
static void floats_of_few_digits_are_decimals(void **state)
{
    double values[4000];
    float narrow[4000];
    tg_code code;

    (void)state;
    for (int i = 0; i < 4000; i++) {
        values[i] = (double)((int)(draw() % 300000) - 100000) / 10000;
        narrow[i] = (float)((double)((int)(draw() % 300000) - 100000) / 100);
    }
    code = round_trip(TAGMA_F64, values, 4000, false);
    assert_int_equal(code.kind, TG_CODE_DECIMAL);
    assert_int_equal(code.tz, 4);
    assert_int_equal(code.w, 19);
    code = round_trip(TAGMA_F32, narrow, 4000, false);
    assert_int_equal(code.kind, TG_CODE_DECIMAL);
    assert_int_equal(code.tz, 2);
    narrow[17] = -0.0F;
    code = round_trip(TAGMA_F32, narrow, 4000, false);
    assert_int_not_equal(code.kind, TG_CODE_DECIMAL);
    values[3999] = 1.0 / 3;
    code = round_trip(TAGMA_F64, values, 4000, false);
    assert_int_not_equal(code.kind, TG_CODE_DECIMAL);
}

/* Values of all 64 bits need two heads, since a shift by 64 is not defined. */
/* Whether decimals pay is told by the first block: they may be wider than the words of a dictionary, whose heads they do without. */
static void decimals_are_not_given_up_too_early(void **state)
{
    enum { N = 600 };
    static float few[N];
    tg_code code;

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        few[i] = (float)(i * 13 % 120 * 17 / 100.0);
    code = round_trip(TAGMA_F32, few, N, false);
    assert_int_equal(code.kind, TG_CODE_DECIMAL);
    assert_int_equal(code.tz, 2);
    assert_true(code.w > 7); /* a dictionary of 120 takes 7 bits, and 120 heads */
}

/* What resists costs no more to be found out than what does not: the choice is that of the least bits all the same. */
static void the_least_of_all_is_chosen(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        static uint32_t values[3000];
        uint64_t n = 1 + draw() % 3000, distinct = 1 + draw() % 1500, least;
        uint32_t n_heads = 0;
        static bool is_seen[1500];
        tg_code code;

        memset(is_seen, 0, sizeof is_seen);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t k = draw() % distinct;

            n_heads += !is_seen[k];
            is_seen[k] = true;
            values[i] = (uint32_t)(k * UINT32_C(2654435761));
        }
        code = round_trip(TAGMA_U32, values, n, false);
        least = n * tg_bits_of(n_heads - UINT64_C(1)) + (uint64_t)n_heads * 32;
        if (n_heads <= TG_HEADS_MAX)
            assert_true(tg_code_cost(&code, n, n) <= least);
    }
}

static void full_width_values_come_back(void **state)
{
    uint64_t values[2000];
    double edges[] = {0.0,     -0.0, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308,
                      1.0 / 3, 1e300};
    tg_code code;

    (void)state;
    for (int i = 0; i < 2000; i++)
        values[i] = draw();
    values[0] = 0;
    values[1] = UINT64_MAX;
    code = round_trip(TAGMA_U64, values, 2000, true);
    assert_int_equal(code.kind, TG_CODE_PLAIN);
    round_trip(TAGMA_I64, values, 2000, true);
    round_trip(TAGMA_F64, values, 2000, true);
    round_trip(TAGMA_F64, edges, sizeof edges / sizeof edges[0], true);
}

/* A value that most items have costs a bit an item; the rest are coded by themselves. */
static void a_common_value_is_a_bit(void **state)
{
    float values[4000];
    tg_code code;

    (void)state;
    for (int i = 0; i < 4000; i++)
        values[i] = draw() % 5 == 0 ? (float)(draw() % 100000) / 7 : -1.0F;
    code = round_trip(TAGMA_F32, values, 4000, true);
    assert_true(code.is_sparse);
    code = round_trip(TAGMA_F32, values, 4000, false);
    assert_false(code.is_sparse);
}

/* Any type, any width of values, any number of them. */
static void random_columns_come_back(void **state)
{
    static uint8_t values[8 * 3000];

    (void)state;
    for (int round = 0; round < 600; round++) {
        tagma_type type = (tagma_type)(draw() % 11);
        uint32_t bytes = tagma_type_bytes(type), few = (uint32_t)(draw() % 3);
        uint64_t n = draw() % 3000, keep = draw();

        keep |= draw();
        if (draw() % 2)
            keep >>= draw() % 60;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t v = (few == 0   ? draw()
                          : few == 1 ? draw() % 3 * UINT64_C(0x123456789abcdef)
                                     : draw() % 1500) &
                         keep;
            memcpy(values + i * bytes, &v, bytes);
        }
        round_trip(type, values, n, draw() % 2);
    }
}

/* All sound combinations of widths are those of a slow and plain check: found by a fuzzer, w 64 and m 0 passed as one head. */
static void codes_are_sound_by_their_numbers(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 512, 513, 1024, 1025, 65535};

    (void)state;
    for (uint64_t w = 0; w < 256; w++)
        for (uint64_t m = 0; m < 256; m++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                uint64_t n = counts[i], code = TG_CODE_PREFIX | w << 8 | m << 16 | n << 48;
                bool expected = w <= 64 && m <= w && m <= 63 && w - m <= TG_HEAD_BITS_MAX && n > 0 &&
                                tg_bits_of(n - 1) == w - m;
                tg_slot slot;
                uint32_t n_heads;

                assert_int_equal(tg_code_unpack(code, TAGMA_F64, &slot, &n_heads), expected);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_values_take_no_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(near_integers_are_offsets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_floats_are_prefixes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(few_far_values_are_a_dictionary, set_up, tear_down),
        cmocka_unit_test_setup_teardown(floats_of_few_digits_are_decimals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decimals_are_not_given_up_too_early, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_least_of_all_is_chosen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_width_values_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_common_value_is_a_bit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_columns_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(codes_are_sound_by_their_numbers, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
