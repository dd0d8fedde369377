/* SPDX-License-Identifier: Apache-2.0
 * Words into values: whichever way the processor takes, each value is what the formula of the format gives for its word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "store/eights.h"

enum { RUNS = 5, RUN_WORDS = 24, HEADS = 1024, WORDS = 200, BYTES = WORDS * 8 + TG_BITS_SLACK };

static uint8_t words[BYTES];
static uint64_t eight[HEADS];
static uint32_t four[HEADS];
static uint16_t two[HEADS];
static uint8_t one[HEADS];
static const tg_heads heads = {eight, four, two, one};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state ^ *state >> 29;
}

static int set_up(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (uint32_t i = 0; i < BYTES; i++)
        words[i] = (uint8_t)(next_random(&seed) >> 11);
    for (uint32_t i = 0; i < HEADS; i++) {
        eight[i] = next_random(&seed) << 17 ^ next_random(&seed);
        four[i] = (uint32_t)eight[i];
        two[i] = (uint16_t)eight[i];
        one[i] = (uint8_t)eight[i];
    }
    return 0;
}

static void check_run(const tg_slot *slot, uint64_t at, uint64_t n, const uint8_t *values)
{
    uint32_t bytes = 1U << slot->width;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t expected = tg_slot_value(&heads, slot, tg_bits_get(words, at + i * slot->w, slot->w)),
                 found = 0;

        memcpy(&found, values + i * bytes, bytes);
        if (bytes < 8)
            expected &= (UINT64_C(1) << 8 * bytes) - 1;
        if (found != expected)
            fail_msg("w %u m %u tz %u, %u bytes, bit %llu, word %llu: %llx, expected %llx", slot->w, slot->m,
                     slot->tz, bytes, (unsigned long long)at, (unsigned long long)i,
                     (unsigned long long)found, (unsigned long long)expected);
    }
}

/* Several runs of eights, as tiles have them; then one long run from each of the first words on. */
static void check_slot(const tg_slot *slot)
{
    static uint8_t values[WORDS * 8 + 32];
    tg_run runs[RUNS];
    uint8_t *at = values;

    for (uint32_t r = 0; r < RUNS; r++)
        runs[r] = (tg_run){words, 8 * (uint64_t)(r * 3), r % 2 == 0 ? 8 : RUN_WORDS};
    tg_decode_runs(&heads, slot, runs, RUNS, values);
    for (uint32_t r = 0; r < RUNS; r++, at += runs[r - 1].n << slot->width)
        check_run(slot, runs[r].at, runs[r].n, at);
    for (uint64_t first = 0; first < 9; first++) {
        uint64_t n = WORDS - 9 - first % 4;

        memset(values, 0xee, sizeof values);
        tg_decode(&heads, slot, words, first * slot->w, n, values);
        check_run(slot, first * slot->w, n, values);
        assert_int_equal(values[n << slot->width], 0xee); /* nothing is written behind the last */
    }
    tg_decode(&heads, slot, words, 3, 100, values); /* words that begin anywhere */
    check_run(slot, 3, 100, values);
}

static void values_are_those_of_the_formula(void **state)
{
    (void)state;
    for (uint32_t width = 0; width < 4; width++)
        for (uint32_t w = 0; w <= 8U << width; w++)
            for (uint32_t head_bits = 0; head_bits <= 10 && head_bits <= w; head_bits++)
                for (uint32_t tz = 0; tz < 8U << width; tz += 5) {
                    const tg_slot slot = {.w = (uint8_t)w,
                                          .m = (uint8_t)(w - head_bits),
                                          .tz = (uint8_t)tz,
                                          .width = width & 3};
                    if (slot.m <= 63)
                        check_slot(&slot);
                }
}

static void one_head_of_many_is_the_slots_own(void **state)
{
    (void)state;
    for (uint32_t width = 2; width < 4; width++) {
        const tg_slot slot = {.head = 700, .w = 13, .m = 11, .tz = 2, .width = width & 3};
        check_slot(&slot);
    }
}

static void the_way_of_eights_is_taken_where_it_can(void **state)
{
    const tg_slot suits = {.w = 20, .m = 20, .width = 2}, narrow = {.w = 3, .m = 3, .width = 0},
                  wide = {.w = 58, .m = 58, .width = 3};

    (void)state;
    assert_false(tg_eights_suit(&narrow));
    assert_false(tg_eights_suit(&wide));
#ifdef __x86_64__
    assert_int_equal(tg_eights_suit(&suits), __builtin_cpu_supports("avx2") != 0);
#else
    assert_false(tg_eights_suit(&suits));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_formula),
        cmocka_unit_test(one_head_of_many_is_the_slots_own),
        cmocka_unit_test(the_way_of_eights_is_taken_where_it_can),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
