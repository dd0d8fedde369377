/* SPDX-License-Identifier: Apache-2.0
 * Schemas: names made unique, spelling of types, selection by name and glob, near names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "event/schema.h"

static tagma_ctx *ctx;

static int set_up(void **state)
{
    (void)state;
    return tagma_ctx_new(NULL, &ctx) == TAGMA_OK ? 0 : -1;
}

/* Everything a test made is freed by then: the account is back at nothing. */
static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    return 0;
}

static uint32_t add(tagma_schema *schema, const char *name, const char *path, const char *reason)
{
    tagma_column column = {.name = name, .path = path, .reason = reason, .n_items = 1, .type = TAGMA_F32};
    uint32_t number;

    column.collection = TAGMA_NONE;
    assert_int_equal(tg_schema_add_column(ctx, schema, &column, &number), TAGMA_OK);
    return number;
}

static const char *name_of(const tagma_schema *schema, uint32_t column)
{
    return tagma_schema_column(schema, column)->name;
}

/* Two branches of one name take their paths; equal paths are numbered in tree order; a path is accepted everywhere. */
static void shared_names_become_paths_then_numbers(void **state)
{
    tagma_schema *schema;

    (void)state;
    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    add(schema, "pt", "muon.pt", NULL);
    add(schema, "pt", "jet.pt", NULL);
    add(schema, "size", "size", NULL);
    add(schema, "size", "size", NULL);
    add(schema, "size", "size", NULL);
    add(schema, "x", "deep.in.x", NULL);
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    assert_string_equal(name_of(schema, 0), "muon.pt");
    assert_string_equal(name_of(schema, 1), "jet.pt");
    assert_string_equal(name_of(schema, 2), "size");
    assert_string_equal(name_of(schema, 3), "size;2");
    assert_string_equal(name_of(schema, 4), "size;3");
    assert_int_equal(tagma_schema_find(schema, "x"), 5);
    assert_int_equal(tagma_schema_find(schema, "deep.in.x"), 5);
    assert_int_equal(tagma_schema_find(schema, "size;3"), 4);
    assert_int_equal(tagma_schema_find(schema, "pt"), TAGMA_NONE);
    tg_schema_free(schema);
}

/* A schema of many columns finds every one of them. */
static void finds_each_of_many_columns(void **state)
{
    tagma_schema *schema;
    char name[16];

    (void)state;
    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "c%d", i);
        add(schema, name, NULL, NULL);
    }
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    for (uint32_t i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "c%u", i);
        assert_int_equal(tagma_schema_find(schema, name), i);
    }
    assert_int_equal(tagma_schema_find(schema, "c3000"), TAGMA_NONE);
    tg_schema_free(schema);
}

/* Types are spelled from the outside in: counted lists by their counter, own lists empty, then fixed dimensions. */
static void spells_types_from_the_outside_in(void **state)
{
    static const uint32_t dims[] = {2, 3};
    tagma_collection outer = {"nMuon", TAGMA_NONE, TAGMA_NONE}, inner = {"hits", 0, TAGMA_NONE};
    tagma_column column = {
        .name = "m", .dims = dims, .n_dims = 2, .n_items = 6, .type = TAGMA_F32, .n_lists = 1};
    tagma_schema *schema;
    uint32_t n, c;
    char text[64];

    (void)state;
    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    n = add(schema, "nMuon", NULL, NULL);
    assert_int_equal(tg_schema_add_collection(ctx, schema, &outer, &c), TAGMA_OK);
    assert_int_equal(tg_schema_add_collection(ctx, schema, &inner, &c), TAGMA_OK);
    tg_schema_set_count_column(schema, 0, n);
    column.collection = 0;
    assert_int_equal(tg_schema_add_column(ctx, schema, &column, &c), TAGMA_OK);
    column.name = "hits";
    column.n_dims = 0;
    column.n_items = 1;
    column.n_lists = 2;
    column.collection = 1;
    column.type = TAGMA_STRING;
    assert_int_equal(tg_schema_add_column(ctx, schema, &column, &c), TAGMA_OK);
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    assert_int_equal(tagma_schema_spell(schema, 0, text, sizeof text), 3);
    assert_string_equal(text, "f32");
    tagma_schema_spell(schema, 1, text, sizeof text);
    assert_string_equal(text, "f32[nMuon][2][3]");
    assert_int_equal(tagma_schema_spell(schema, 2, text, 8), strlen("string[nMuon][]"));
    assert_string_equal(text, "string[");
    tg_schema_free(schema);
}

/* An exact name wins over a glob, a glob passes over what cannot be read, a mistyped name is offered its neighbours. */
static void selects_by_name_and_glob(void **state)
{
    tagma_schema *schema;
    uint32_t picked[8];
    size_t n;

    (void)state;
    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    add(schema, "Muon_pt", NULL, NULL);
    add(schema, "Muon_eta", NULL, NULL);
    add(schema, "Muon_map", NULL, "map<int,int> is not read");
    add(schema, "MET_pt", NULL, NULL);
    add(schema, "odd,name[", NULL, NULL);
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);

    assert_int_equal(tagma_schema_select(ctx, schema, "MET_pt, Muon_*,Muon_pt", picked, 8, &n), TAGMA_OK);
    assert_int_equal(n, 3);
    assert_int_equal(picked[0], 0);
    assert_int_equal(picked[1], 1);
    assert_int_equal(picked[2], 3);
    assert_int_equal(tagma_schema_select(ctx, schema, "odd,name[", picked, 8, &n), TAGMA_OK);
    assert_int_equal(picked[0], 4);
    assert_int_equal(tagma_schema_select(ctx, schema, "M[!E]*_p?", picked, 8, &n), TAGMA_OK);
    assert_int_equal(n, 1);

    assert_int_equal(tagma_schema_select(ctx, schema, "*", picked, 2, &n), TAGMA_E_LIMIT);
    assert_int_equal(n, 4);
    assert_int_equal(tagma_schema_select(ctx, schema, "Muon_map", picked, 8, &n), TAGMA_E_UNSUPPORTED);
    assert_string_equal(tagma_ctx_message(ctx), "branch Muon_map cannot be read: map<int,int> is not read");
    assert_int_equal(tagma_schema_select(ctx, schema, "Muon_pz", picked, 8, &n), TAGMA_E_NAME);
    assert_non_null(strstr(tagma_ctx_message(ctx), "no branch named \"Muon_pz\" (near: Muon_pt"));
    assert_int_equal(tagma_schema_select(ctx, schema, "Jet_*", picked, 8, &n), TAGMA_E_NAME);
    assert_int_equal(tagma_schema_select(ctx, schema, " ,", picked, 8, &n), TAGMA_E_NAME);
    tg_schema_free(schema);
}

/* Globs are linear enough: a text that drives a backtracking matcher mad is answered at once. */
static void globs_do_not_explode(void **state)
{
    char text[2001];

    (void)state;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_false(tagma_glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
    assert_true(tagma_glob_match("*a*a*a", text));
    assert_true(tagma_glob_match("[a-c]x[]]", "bx]"));
    assert_false(tagma_glob_match("[a-c]", "d"));
    assert_true(tagma_glob_match("[", "["));
    assert_false(tagma_glob_match("", "a"));
}

/* Whoever has a list of names of its own, options or trees, offers the near ones in the same words, each once. */
static void offers_near_names_of_any_list(void **state)
{
    static const char *const names[] = {"--once", "--order", "--report", "--once"};
    char words[64];
    char little[8];

    (void)state;
    tagma_near_names("--onse", names, 4, words, sizeof words);
    assert_string_equal(words, " (near: --once)");
    tagma_near_names("--frobnicate", names, 3, words, sizeof words);
    assert_string_equal(words, "");
    tagma_near_names("--onse", names, 3, little, sizeof little);
    assert_string_equal(little, " (near:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shared_names_become_paths_then_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(finds_each_of_many_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spells_types_from_the_outside_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(selects_by_name_and_glob, set_up, tear_down),
        cmocka_unit_test_setup_teardown(globs_do_not_explode, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offers_near_names_of_any_list, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
