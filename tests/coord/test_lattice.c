/* SPDX-License-Identifier: Apache-2.0
 * The canonical lattice of 19 x 21 x 28 states, state by state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <tagma/coord.h>

/* The closed form U+AC00 + 588 i + 28 m + f and its inverse, over the whole lattice: both ways, in order, without a gap. */
static void maps_every_state_both_ways(void **state)
{
    uint32_t expected = 0xAC00;

    (void)state;
    for (uint32_t i = 0; i < 19; i++)
        for (uint32_t m = 0; m < 21; m++)
            for (uint32_t f = 0; f < 28; f++) {
                uint32_t code = 0, i2 = 99, m2 = 99, f2 = 99;
                assert_int_equal(tagma_lattice_code(i, m, f, &code), TAGMA_OK);
                assert_int_equal(code, 0xAC00 + 588 * i + 28 * m + f);
                assert_int_equal(code, expected++);
                assert_int_equal(tagma_lattice_axes(code, &i2, &m2, &f2), TAGMA_OK);
                assert_true(i2 == i && m2 == m && f2 == f);
            }
    assert_int_equal(expected, TAGMA_LATTICE_LAST + 1);
    assert_int_equal(expected - 0xAC00, TAGMA_LATTICE_COUNT);
}

/* Of the 65,536 states of 16 bits 11,172 are valid and 54,364 are not, U+D7A4 to U+D7AF among them. */
static void tells_valid_states_of_sixteen_bits(void **state)
{
    uint32_t n_valid = 0, n_refused = 0;

    (void)state;
    for (uint32_t code = 0; code <= 0xFFFF; code++) {
        uint32_t i = 77, m = 77, f = 77;
        tagma_status st = tagma_lattice_axes(code, &i, &m, &f);
        if (code >= 0xAC00 && code <= 0xD7A3) {
            assert_int_equal(st, TAGMA_OK);
            assert_int_equal(0xAC00 + 588 * i + 28 * m + f, code);
            assert_true(i < 19 && m < 21 && f < 28);
            n_valid++;
        } else {
            assert_int_equal(st, TAGMA_E_RANGE);
            assert_true(i == 77 && m == 77 && f == 77);
            n_refused++;
        }
    }
    assert_int_equal(n_valid, 11172);
    assert_int_equal(n_refused, 54364);
}

/* Beyond 16 bits nothing is valid: neither the rest of Unicode, nor codes that wrap round, nor a valid one plus 65,536. */
static void refuses_codes_beyond_sixteen_bits(void **state)
{
    uint32_t i, m, f;

    (void)state;
    for (uint32_t code = 0x10000; code <= 0x120000; code++)
        assert_int_equal(tagma_lattice_axes(code, &i, &m, &f), TAGMA_E_RANGE);
    for (uint32_t bit = 16; bit < 32; bit++)
        for (uint32_t code = 0xAC00; code <= 0xD7A3; code++)
            assert_int_equal(tagma_lattice_axes(code | UINT32_C(1) << bit, &i, &m, &f), TAGMA_E_RANGE);
    assert_int_equal(tagma_lattice_axes(UINT32_MAX, &i, &m, &f), TAGMA_E_RANGE);
    assert_int_equal(tagma_lattice_axes(0, &i, &m, &f), TAGMA_E_RANGE);
}

/* A coordinate out of bounds on any axis is refused and the output stays, also where the sum would come out valid. */
static void refuses_coordinates_out_of_bounds(void **state)
{
    static const uint32_t far[] = {28, 29, 588, 65536, UINT32_MAX / 28, UINT32_MAX};
    uint32_t code = 1234;

    (void)state;
    assert_int_equal(tagma_lattice_code(19, 0, 0, &code), TAGMA_E_RANGE);
    assert_int_equal(tagma_lattice_code(0, 21, 0, &code), TAGMA_E_RANGE);
    assert_int_equal(tagma_lattice_code(0, 0, 28, &code), TAGMA_E_RANGE);
    for (size_t k = 0; k < sizeof far / sizeof far[0]; k++) {
        assert_int_equal(tagma_lattice_code(far[k], 0, 0, &code), TAGMA_E_RANGE);
        assert_int_equal(tagma_lattice_code(0, far[k], 0, &code), TAGMA_E_RANGE);
        assert_int_equal(tagma_lattice_code(0, 0, far[k], &code), TAGMA_E_RANGE);
    }
    assert_int_equal(code, 1234);
}

/* The lattice is the layout of bounds 19, 21, 28 with records of one byte, moved to U+AC00. */
static void equals_the_general_layout(void **state)
{
    static const uint64_t bounds[] = {19, 21, 28};
    tagma_ctx *ctx;
    tagma_layout layout;

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    assert_int_equal(tagma_layout_init(ctx, &layout, bounds, 3, 1), TAGMA_OK);
    assert_int_equal(layout.count, TAGMA_LATTICE_COUNT);
    for (uint32_t code = TAGMA_LATTICE_FIRST; code <= TAGMA_LATTICE_LAST; code++) {
        uint32_t i, m, f;
        uint64_t axes[3];
        assert_int_equal(tagma_lattice_axes(code, &i, &m, &f), TAGMA_OK);
        assert_int_equal(tagma_layout_axes(&layout, code - TAGMA_LATTICE_FIRST, axes), TAGMA_OK);
        assert_true(axes[0] == i && axes[1] == m && axes[2] == f);
    }
    tagma_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_every_state_both_ways),
        cmocka_unit_test(tells_valid_states_of_sixteen_bits),
        cmocka_unit_test(refuses_codes_beyond_sixteen_bits),
        cmocka_unit_test(refuses_coordinates_out_of_bounds),
        cmocka_unit_test(equals_the_general_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
