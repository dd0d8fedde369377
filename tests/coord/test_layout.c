/* SPDX-License-Identifier: Apache-2.0
 * Layouts of 1 to 8 axes: both ways exact, every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tagma/coord.h>

static int open_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int close_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}

/* splitmix64: a seeded sequence, the same on every machine. */
static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Every address of small layouts of each number of axes, and the coordinates in the order of a nest of loops. */
static void counts_through_small_layouts(void **state)
{
    uint64_t seed = 1;

    for (uint32_t n_axes = 1; n_axes <= 8; n_axes++)
        for (int round = 0; round < 20; round++) {
            uint64_t bounds[8], counter[8] = {0};
            tagma_layout layout;
            for (uint32_t a = 0; a < n_axes; a++)
                bounds[a] = 1 + next_random(&seed) % 4;
            assert_int_equal(tagma_layout_init(*state, &layout, bounds, n_axes, 3), TAGMA_OK);
            for (uint64_t n = 0; n < layout.count; n++) {
                uint64_t axes[8], address = 0, offset = 0;
                assert_int_equal(tagma_layout_axes(&layout, n, axes), TAGMA_OK);
                assert_memory_equal(axes, counter, n_axes * sizeof *axes);
                assert_int_equal(tagma_layout_address(&layout, axes, &address), TAGMA_OK);
                assert_int_equal(address, n);
                assert_int_equal(tagma_layout_offset(&layout, axes, &offset), TAGMA_OK);
                assert_int_equal(offset, 3 * n);
                for (uint32_t a = n_axes; a-- > 0;) {
                    if (++counter[a] < bounds[a])
                        break;
                    counter[a] = 0;
                }
            }
            for (uint32_t a = 0; a < n_axes; a++)
                assert_int_equal(counter[a], 0);
        }
}

/* Random layouts as large as 64 bits allow: both ways at the corners and at random places, against 128-bit sums. */
static void is_exact_up_to_64_bits(void **state)
{
    uint64_t seed = 2;

    for (int round = 0; round < 4000; round++) {
        uint32_t n_axes = 1 + (uint32_t)(next_random(&seed) % 8);
        uint64_t bounds[8], record = 1 + next_random(&seed) % 64;
        unsigned __int128 count = 1;
        tagma_layout layout;
        for (uint32_t a = 0; a < n_axes; a++) {
            bounds[a] = 1 + (next_random(&seed) >> (64 - 1 - next_random(&seed) % (64 / n_axes)));
            count *= bounds[a];
        }
        if (count > UINT64_MAX || count * record > UINT64_MAX) {
            assert_int_equal(tagma_layout_init(*state, &layout, bounds, n_axes, record), TAGMA_E_LIMIT);
            continue;
        }
        assert_int_equal(tagma_layout_init(*state, &layout, bounds, n_axes, record), TAGMA_OK);
        assert_true(layout.count == (uint64_t)count && layout.extent_bytes == layout.count * record);
        for (int k = 0; k < 50; k++) {
            uint64_t axes[8], back[8], address = 0;
            unsigned __int128 expected = 0;
            for (uint32_t a = 0; a < n_axes; a++) {
                axes[a] = k == 0 ? 0 : k == 1 ? bounds[a] - 1 : next_random(&seed) % bounds[a];
                expected = expected * bounds[a] + axes[a];
            }
            assert_int_equal(tagma_layout_address(&layout, axes, &address), TAGMA_OK);
            assert_true(address == (uint64_t)expected && address < layout.count);
            assert_true(k != 1 || address == layout.count - 1);
            assert_int_equal(tagma_layout_axes(&layout, address, back), TAGMA_OK);
            assert_memory_equal(axes, back, n_axes * sizeof *axes);
        }
    }
}

/* Zero axes, nine axes, a zero bound and a zero record are the caller's slip, each with words; the layout is then zero. */
static void refuses_what_is_no_layout(void **state)
{
    static const uint64_t bounds[9] = {2, 2, 2, 2, 2, 2, 2, 2, 2};
    static const tagma_layout zero;
    tagma_layout layout;
    char words[80];

    memset(&layout, 0xff, sizeof layout);
    assert_int_equal(tagma_layout_init(*state, &layout, bounds, 0, 1), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "a layout of 0 axes: 1 to 8 are possible");
    assert_memory_equal(&layout, &zero, sizeof zero);
    assert_int_equal(tagma_layout_init(*state, &layout, bounds, 9, 1), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "a layout of 9 axes: 1 to 8 are possible");
    assert_int_equal(tagma_layout_init(*state, &layout, bounds, UINT32_MAX, 1), TAGMA_E_ARG);
    assert_int_equal(tagma_layout_init(*state, &layout, bounds, 8, 0), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "a layout with records of 0 bytes");
    for (uint32_t a = 0; a < 8; a++) {
        uint64_t with_zero[8];
        memcpy(with_zero, bounds, sizeof with_zero);
        with_zero[a] = 0;
        memset(&layout, 0xff, sizeof layout);
        assert_int_equal(tagma_layout_init(*state, &layout, with_zero, 8, 1), TAGMA_E_ARG);
        snprintf(words, sizeof words, "axis %u of a layout has bound 0", a);
        assert_string_equal(tagma_ctx_message(*state), words);
        assert_memory_equal(&layout, &zero, sizeof zero);
    }
}

/* A zero bound is told as such even behind bounds whose product overflows. */
static void names_a_zero_bound_before_an_overflow(void **state)
{
    static const uint64_t bounds[] = {UINT64_MAX, UINT64_MAX, 0};
    tagma_layout layout;

    assert_int_equal(tagma_layout_init(*state, &layout, bounds, 3, 1), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "axis 2 of a layout has bound 0");
}

/* One more than 64 bits hold is refused, for the count as for the extent; the largest that fits is not. */
static void refuses_overflow_of_count_and_extent(void **state)
{
    static const uint64_t square[] = {UINT64_C(1) << 32, UINT64_C(1) << 32};
    static const uint64_t largest[] = {UINT64_MAX};
    static const uint64_t factors[] = {3, 5, 17, 257, 641, 65537, 6700417}; /* of 2^64 - 1 */
    static const uint64_t half[] = {UINT64_C(1) << 31, UINT64_C(1) << 32};
    tagma_layout layout;

    assert_int_equal(tagma_layout_init(*state, &layout, square, 2, 1), TAGMA_E_LIMIT);
    assert_string_equal(tagma_ctx_message(*state),
                        "axis 1 with bound 4294967296 takes the count of a layout past 64 bits");
    assert_int_equal(layout.count, 0);
    assert_int_equal(tagma_layout_init(*state, &layout, largest, 1, 1), TAGMA_OK);
    assert_true(layout.count == UINT64_MAX && layout.extent_bytes == UINT64_MAX);
    assert_int_equal(tagma_layout_init(*state, &layout, factors, 7, 1), TAGMA_OK);
    assert_true(layout.count == UINT64_MAX);
    assert_int_equal(tagma_layout_init(*state, &layout, largest, 1, 2), TAGMA_E_LIMIT);
    assert_string_equal(tagma_ctx_message(*state),
                        "18446744073709551615 records of 2 bytes take the extent of a layout past 64 bits");
    assert_int_equal(tagma_layout_init(*state, &layout, half, 2, 1), TAGMA_OK);
    assert_int_equal(tagma_layout_init(*state, &layout, half, 2, 2), TAGMA_E_LIMIT);
}

/* A coordinate or an address out of bounds is refused in use, and the output is not touched. */
static void refuses_coordinates_and_addresses_out_of_bounds(void **state)
{
    static const uint64_t bounds[] = {3, 5, 7};
    uint64_t axes[3] = {9, 9, 9}, address = 77, offset = 77;
    tagma_layout layout;

    assert_int_equal(tagma_layout_init(*state, &layout, bounds, 3, 8), TAGMA_OK);
    for (uint32_t a = 0; a < 3; a++) {
        static const uint64_t beyond[] = {0, 1, UINT64_MAX / 2};
        for (size_t k = 0; k < 3; k++) {
            uint64_t outside[3] = {0, 0, 0};
            outside[a] = bounds[a] + beyond[k];
            assert_int_equal(tagma_layout_address(&layout, outside, &address), TAGMA_E_RANGE);
            assert_int_equal(tagma_layout_offset(&layout, outside, &offset), TAGMA_E_RANGE);
        }
    }
    assert_int_equal(tagma_layout_axes(&layout, 105, axes), TAGMA_E_RANGE);
    assert_int_equal(tagma_layout_axes(&layout, UINT64_MAX, axes), TAGMA_E_RANGE);
    assert_true(address == 77 && offset == 77 && axes[0] == 9 && axes[1] == 9 && axes[2] == 9);
    assert_int_equal(tagma_layout_axes(&layout, 104, axes), TAGMA_OK);
    assert_true(axes[0] == 2 && axes[1] == 4 && axes[2] == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_through_small_layouts, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(is_exact_up_to_64_bits, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_layout, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(names_a_zero_bound_before_an_overflow, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_overflow_of_count_and_extent, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_coordinates_and_addresses_out_of_bounds, open_ctx, close_ctx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
