/* SPDX-License-Identifier: Apache-2.0
 * Values of two batches, entry by entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "compare/values.h"

static const tg_tolerance exact = {0, 0.0};

static tagma_batch_column floats(const float *values, uint64_t n)
{
    return (tagma_batch_column){.type = TAGMA_F32, .n_items = 1, .n_values = n, .values = values};
}

static tg_verdict compare_floats(float x, float y, tg_tolerance tolerance)
{
    tagma_batch_column a = floats(&x, 1), b = floats(&y, 1);
    int64_t item;

    return tg_values_compare(&a, 0, &b, 0, &tolerance, &item);
}

static tg_verdict compare_doubles(double x, double y, tg_tolerance tolerance)
{
    tagma_batch_column a = {.type = TAGMA_F64, .n_items = 1, .n_values = 1, .values = &x}, b = a;
    int64_t item;

    b.values = &y;
    return tg_values_compare(&a, 0, &b, 0, &tolerance, &item);
}

/* Zeros of both signs differ by a bit and are no step apart. */
static void steps_are_counted_over_zero(void **state)
{
    float least = 0x1p-149F;

    (void)state;
    assert_int_equal(compare_floats(0.0F, -0.0F, exact), TG_DIFFERENT);
    assert_int_equal(compare_floats(0.0F, -0.0F, (tg_tolerance){1, 0}), TG_SAME);
    assert_int_equal(compare_floats(least, -least, (tg_tolerance){1, 0}), TG_DIFFERENT);
    assert_int_equal(compare_floats(least, -least, (tg_tolerance){2, 0}), TG_SAME);
    assert_int_equal(compare_doubles(1, 1 + 0x2p-52, (tg_tolerance){1, 0}), TG_DIFFERENT);
    assert_int_equal(compare_doubles(1, 1 + 0x2p-52, (tg_tolerance){2, 0}), TG_SAME);
    assert_int_equal(compare_doubles(-1, 1, (tg_tolerance){UINT64_MAX, 0}), TG_SAME);
}

/* What is no number is near to nothing, however wide the tolerance. */
static void infinities_and_nans_are_near_to_nothing(void **state)
{
    static const tg_tolerance wide = {UINT64_MAX, 1.0};

    (void)state;
    assert_int_equal(compare_floats(INFINITY, 3.4e38F, wide), TG_DIFFERENT);
    assert_int_equal(compare_floats(INFINITY, INFINITY, wide), TG_SAME);
    assert_int_equal(compare_doubles((double)NAN, 1, wide), TG_DIFFERENT);
    assert_int_equal(compare_doubles((double)NAN, (double)NAN, exact), TG_SAME);
}

static void relative_is_of_the_larger(void **state)
{
    (void)state;
    assert_int_equal(compare_doubles(100, 101, (tg_tolerance){0, 0.0099}), TG_DIFFERENT);
    assert_int_equal(compare_doubles(100, 101, (tg_tolerance){0, 0.01}), TG_SAME);
    assert_int_equal(compare_doubles(-100, 101, (tg_tolerance){0, 1.0}), TG_DIFFERENT);
}

/* Strings in fixed arrays in lists: three levels of offsets, the last one's entries counted n_items to an item. */
static void lengths_count_at_every_level(void **state)
{
    static const uint32_t lists[] = {0, 2, 2}, strings[] = {0, 1, 3, 3, 6}, others[] = {0, 1, 3, 4, 6};
    tagma_batch_column a = {
        .type = TAGMA_STRING, .n_items = 2, .n_levels = 2, .n_values = 6, .values = "abcdef"};
    tagma_batch_column b;
    int64_t item = 0;

    (void)state;
    a.offsets[0] = lists;
    a.offsets[1] = strings;
    b = a;
    assert_int_equal(tg_values_compare(&a, 0, &b, 0, &exact, &item), TG_SAME);
    assert_int_equal(tg_values_compare(&a, 1, &b, 1, &exact, &item), TG_SAME);
    b.offsets[1] = others; /* the same bytes, cut elsewhere */
    assert_int_equal(tg_values_compare(&a, 0, &b, 0, &exact, &item), TG_DIFFERENT);
    assert_int_equal(item, -1);
    assert_false(tg_values_are_equal(&a, &b, 2));
    b = a;
    b.values = "abcdeF";
    assert_int_equal(tg_values_compare(&a, 0, &b, 0, &exact, &item), TG_DIFFERENT);
    assert_int_equal(item, 5);
    assert_int_equal(tg_values_compare(&a, 0, &b, 1, &exact, &item), TG_DIFFERENT);
}

static void nulls_and_damage_are_told_apart(void **state)
{
    static const float values[] = {0, 0, 7};
    static const uint8_t two_are_null = 4, none_is = 7, damaged = 2;
    tagma_batch_column a = floats(values, 3), b = a;
    int64_t item;

    (void)state;
    a.validity = &two_are_null;
    b.validity = &none_is;
    assert_int_equal(tg_values_compare(&a, 0, &b, 0, &exact, &item), TG_DIFFERENT);
    assert_int_equal(item, -1);
    assert_int_equal(tg_values_compare(&a, 0, &a, 1, &exact, &item), TG_SAME);
    assert_false(tg_values_are_equal(&a, &b, 3));
    assert_true(tg_values_are_equal(&a, &a, 3));
    b.damaged = &damaged;
    assert_int_equal(tg_values_compare(&a, 1, &b, 1, &exact, &item), TG_DAMAGED);
    assert_int_equal(tg_values_compare(&a, 2, &b, 2, &exact, &item), TG_SAME);
    assert_false(tg_values_are_equal(&b, &b, 3));
}

static void leading_elements_stand_for_lists(void **state)
{
    static const uint32_t offsets[] = {0, 2, 2, 3};
    static const float items[] = {4, 5, 6}, firsts[] = {4, 0, 6}, wrong[] = {4, 0, 5};
    static const uint8_t valid = 5;
    tagma_batch_column lists = floats(items, 3), a = floats(firsts, 3);
    int64_t item;

    (void)state;
    lists.n_levels = 1;
    lists.offsets[0] = offsets;
    a.validity = &valid;
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(tg_values_compare_leading(&a, i, &lists, i, &item), TG_SAME);
    a.validity = NULL;
    assert_int_equal(tg_values_compare_leading(&a, 1, &lists, 1, &item), TG_DIFFERENT);
    a.values = wrong;
    assert_int_equal(tg_values_compare_leading(&a, 2, &lists, 2, &item), TG_DIFFERENT);
    assert_int_equal(item, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_counted_over_zero),
        cmocka_unit_test(infinities_and_nans_are_near_to_nothing),
        cmocka_unit_test(relative_is_of_the_larger),
        cmocka_unit_test(lengths_count_at_every_level),
        cmocka_unit_test(nulls_and_damage_are_told_apart),
        cmocka_unit_test(leading_elements_stand_for_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
