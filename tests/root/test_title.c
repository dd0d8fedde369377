/* SPDX-License-Identifier: Apache-2.0
 * Titles of leaves and members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "root/title.h"

static tg_title parse(const char *text)
{
    return tg_title_parse((tg_text){text, (uint32_t)strlen(text)});
}

static void finds_no_dimensions_where_there_are_none(void **state)
{
    static const char *const titles[] = {"", "px", "px/F", "a]b[", "a[", "a[3"};

    (void)state;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        tg_title title = parse(titles[i]);
        assert_int_equal(title.n_dims, 0);
        assert_int_equal(title.n_items, 1);
        assert_false(title.has_variable);
        assert_false(title.has_range);
    }
}

static void finds_dimensions_from_the_outside_in(void **state)
{
    tg_title title = parse("a[n][3][ 2 ]/F");

    (void)state;
    assert_true(title.has_variable);
    assert_int_equal(title.n_dims, 2);
    assert_int_equal(title.dims[0], 3);
    assert_int_equal(title.dims[1], 2);
    assert_int_equal(title.n_items, 6);
}

/* A dimension too large to be one is taken for a name; a product too large says that it does not fit. */
static void holds_out_against_huge_dimensions(void **state)
{
    tg_title title = parse("a[2147483647][2147483647][2147483647][2147483647]");

    (void)state;
    assert_true(title.n_items > INT32_MAX);
    title = parse("a[99999999999999999999999999]");
    assert_true(title.has_variable);
    title = parse("[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]");
    assert_int_equal(title.n_items, 0);
}

static void finds_the_range_behind_a_dimension(void **state)
{
    tg_title title = parse("d[10]/d[-2.71,10,20]");
    double factor, xmin;
    uint8_t nbits;

    (void)state;
    assert_int_equal(title.n_dims, 1);
    assert_true(title.has_range);
    assert_true(title.xmin == -2.71);
    assert_int_equal(title.nbits, 20);
    assert_int_equal(tg_title_packing(&title, false, &factor, &xmin, &nbits), TG_PACKING_SCALED);
    assert_true(factor == 1048576 / (10 + 2.71));
    assert_true(xmin == -2.71);
}

static void knows_pi(void **state)
{
    static const struct {
        const char *title;
        double xmin, xmax;
    } rows[] = {{"[-pi,pi]", -3.14159265358979323846, 3.14159265358979323846},
                {"[0,2pi]", 0, 2 * 3.14159265358979323846},
                {"[0, 2*Pi]", 0, 2 * 3.14159265358979323846},
                {"[-pi/2,twopi]", -3.14159265358979323846 / 2, 2 * 3.14159265358979323846},
                {"[-pi/4,pi/4,10]", -3.14159265358979323846 / 4, 3.14159265358979323846 / 4}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg_title title = parse(rows[i].title);
        assert_true(title.xmin == rows[i].xmin);
        assert_true(title.xmax == rows[i].xmax);
    }
}

static void tells_how_floats_are_packed(void **state)
{
    static const struct {
        const char *title;
        bool is_float16;
        tg_packing packing;
        uint8_t nbits;
    } rows[] = {
        {"d", false, TG_PACKING_NONE, 0},
        {"f", true, TG_PACKING_TRUNCATED, 12},
        {"d[0,0,32]", false, TG_PACKING_NONE, 0},
        {"f[0,0,16]", true, TG_PACKING_TRUNCATED, 12},
        {"d[0,0,10]", false, TG_PACKING_TRUNCATED, 10},
        {"f[0,0,8]", true, TG_PACKING_TRUNCATED, 8},
        {"d[0,0,99]", false, TG_PACKING_NONE, 0},
        {"d[5,5,20]", false, TG_PACKING_TRUNCATED, 5},
        {"d[-3,-4]", false, TG_PACKING_UNKNOWN, 0},
        {"d[x,y,z]", false, TG_PACKING_NONE, 0},
        {"d[0,1]", false, TG_PACKING_SCALED, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg_title title = parse(rows[i].title);
        double factor, xmin;
        uint8_t nbits;

        assert_int_equal(tg_title_packing(&title, rows[i].is_float16, &factor, &xmin, &nbits),
                         rows[i].packing);
        assert_int_equal(nbits, rows[i].nbits);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_no_dimensions_where_there_are_none),
        cmocka_unit_test(finds_dimensions_from_the_outside_in),
        cmocka_unit_test(holds_out_against_huge_dimensions),
        cmocka_unit_test(finds_the_range_behind_a_dimension),
        cmocka_unit_test(knows_pi),
        cmocka_unit_test(tells_how_floats_are_packed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
