/* SPDX-License-Identifier: Apache-2.0
 * C++ type names of collections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "root/cxxtype.h"
#include "root/streamer.h"

static tg_cxx_type parse(const char *text)
{
    return tg_cxx_type_parse((tg_text){text, (uint32_t)strlen(text)});
}

static void finds_lists_of_numbers(void **state)
{
    static const struct {
        const char *name;
        uint32_t n_lists;
        int32_t code;
    } rows[] = {{"int", 0, TG_CODE_I32},
                {"vector<float>", 1, TG_CODE_F32},
                {"vector<vector<double> >", 2, TG_CODE_F64},
                {"vector<vector<vector<short>>>", 3, TG_CODE_I16},
                {"std::vector<unsigned int, std::allocator<unsigned int> >", 1, TG_CODE_U32},
                {"vector<set<int,less<int>,allocator<int> > >", 2, TG_CODE_I32},
                {"const vector<const Long64_t>", 1, TG_CODE_I64},
                {"ROOT::VecOps::RVec<bool>", 1, TG_CODE_BOOL},
                {"unordered_multiset<unsigned char>", 1, TG_CODE_U8},
                {"deque<Double32_t>", 1, TG_CODE_DOUBLE32},
                {"forward_list<Float16_t>", 1, TG_CODE_FLOAT16},
                {" list< unsigned long > ", 1, TG_CODE_U64}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg_cxx_type type = parse(rows[i].name);

        assert_int_equal(type.kind, TG_CXX_NUMBER);
        assert_int_equal(type.n_lists, rows[i].n_lists);
        assert_int_equal(type.code, rows[i].code);
        assert_false(type.is_bitset);
    }
}

static void finds_strings(void **state)
{
    static const char *const names[] = {"string", "std::string", "TString"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(parse(names[i]).kind, TG_CXX_STRING);
        assert_int_equal(parse(names[i]).n_lists, 0);
    }
    assert_int_equal(parse("vector<string>").n_lists, 1);
    assert_int_equal(parse("vector<string>").kind, TG_CXX_STRING);
}

static void takes_a_bitset_for_a_list_of_bool(void **state)
{
    tg_cxx_type type = parse("bitset<16>");

    (void)state;
    assert_true(type.is_bitset);
    assert_int_equal(type.n_lists, 1);
    assert_int_equal(type.code, TG_CODE_BOOL);
    assert_int_equal(parse("vector<bitset<16> >").kind, TG_CXX_OTHER);
}

static void leaves_the_rest_alone(void **state)
{
    static const char *const names[] = {"map<int,float>",
                                        "pair<int,int>",
                                        "Track",
                                        "vector<Track>",
                                        "vector<Track*>",
                                        "vector<const char*>",
                                        "array<int,3>",
                                        "",
                                        "<",
                                        ">",
                                        "vector<",
                                        "vector>",
                                        "vector<>",
                                        "vector<vector<",
                                        "std::",
                                        "const "};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(parse(names[i]).kind, TG_CXX_OTHER);
}

/* A name of any depth is taken apart as far as anybody needs. */
static void holds_out_against_deep_names(void **state)
{
    enum { DEPTH = 20000 };
    static char name[DEPTH * 8 + 16];
    char *at = name;

    (void)state;
    for (int i = 0; i < DEPTH; i++, at += 5)
        memcpy(at, "list<", 5);
    memcpy(at, "int", 3);
    memset(at + 3, '>', DEPTH);
    assert_int_equal(parse(name).kind, TG_CXX_OTHER);
    assert_int_equal(parse(name).n_lists, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_lists_of_numbers),
        cmocka_unit_test(finds_strings),
        cmocka_unit_test(takes_a_bitset_for_a_list_of_bool),
        cmocka_unit_test(leaves_the_rest_alone),
        cmocka_unit_test(holds_out_against_deep_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
