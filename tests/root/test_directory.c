/* SPDX-License-Identifier: Apache-2.0
 * Directories of files made here: nested, circular, overlapping, damaged; and what is found where they are lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/rootfile.h"
#include "support/rootbuild.h"

static int make_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int free_ctx(void **state)
{
    assert_int_equal(tagma_ctx_memory(*state), 0);
    tagma_ctx_free(*state);
    return 0;
}

static tagma_status open_bytes(tagma_ctx *ctx, const test_bytes *bytes, tg_root_file **out)
{
    tagma_source *source;
    tagma_status st;

    assert_int_equal(tagma_source_memory(ctx, bytes->bytes, bytes->n, "x.root", &source), TAGMA_OK);
    st = tg_root_file_open(ctx, source, out);
    tagma_source_release(source);
    return st;
}

static const test_key some_tree = {"TTree", "t", 500, 10, 1};

/* The file's own directory holds a, which holds h and b, which holds two cycles of t. */
static test_bytes nested_file(void)
{
    test_bytes file = test_begin_root();
    test_key a, b, trees[2] = {some_tree, some_tree}, in_a[2];
    size_t a_fields = test_put_directory(&file, "a", TEST_BEGIN, &a);
    size_t b_fields = test_put_directory(&file, "b", a.offset, &b);

    trees[1].cycle = -2; /* negative says "keep" */
    test_put_keys(&file, b_fields, b.offset, trees, 2);
    in_a[0] = (test_key){"TH1D", "h", 500, 10, 1};
    in_a[1] = b;
    test_put_keys(&file, a_fields, a.offset, in_a, 2);
    test_put_keys(&file, test_root_fields(), TEST_BEGIN, &a, 1);
    return file;
}

static void finds_trees_in_directories_of_directories(void **state)
{
    test_bytes bytes = nested_file();
    tg_root_file *file;

    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_int_equal(file->condition, TAGMA_CLOSED);
    assert_int_equal(file->n_damages, 0);
    assert_int_equal(file->n_directories, 3);
    assert_int_equal(file->n_trees, 2);
    assert_string_equal(file->trees[0].path, "a/b/t");
    assert_false(file->trees[0].is_newest);
    assert_true(file->trees[1].is_newest);
    assert_int_equal(file->entries[file->trees[1].entry].cycle, 2);
    assert_int_equal(file->n_classes, 1);
    assert_string_equal(file->classes[0].name, "TH1D");
    tg_root_file_free(file);
    free(bytes.bytes);
}

/* A directory that holds itself, and the one above it, is entered once. */
static void ends_where_directories_are_circular(void **state)
{
    test_bytes bytes = test_begin_root();
    test_key keys[3] = {{NULL, NULL, 0, 0, 0}, {NULL, NULL, 0, 0, 0}, some_tree};
    size_t fields = test_put_directory(&bytes, "a", TEST_BEGIN, &keys[0]);
    tg_root_file *file;

    keys[1] = (test_key){"TDirectory", "a", keys[0].offset, TEST_FIELDS_BYTES, 1};
    test_put_keys(&bytes, fields, keys[0].offset, keys, 3);
    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, keys, 1);
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_int_equal(file->n_directories, 2);
    assert_int_equal(file->n_trees, 1);
    tg_root_file_free(file);
    free(bytes.bytes);
}

/* Directories deeper than the limit are left out and said to be. */
static void leaves_out_what_is_nested_too_deep(void **state)
{
    enum { DEPTH = 80 };
    test_bytes bytes = test_begin_root();
    size_t above = test_root_fields();
    uint32_t parent = TEST_BEGIN;
    tg_root_file *file;

    for (int i = 0; i < DEPTH; i++) {
        test_key keys[2] = {{NULL, NULL, 0, 0, 0}, some_tree};
        size_t fields = test_put_directory(&bytes, "d", parent, &keys[0]);

        test_put_keys(&bytes, above, parent, keys, 2);
        above = fields;
        parent = keys[0].offset;
    }
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_int_equal(file->n_directories, 65);
    assert_int_equal(file->n_damages, 1);
    assert_int_equal(file->damages[0].status, TAGMA_E_LIMIT);
    assert_non_null(strstr(file->damages[0].words, "max_depth"));
    tg_root_file_free(file);
    free(bytes.bytes);
}

/* Many directories that share one long list would make of few bytes many keys. */
static void refuses_lists_that_overlap(void **state)
{
    enum { DIRECTORIES = 300, KEYS = 300 };
    test_bytes bytes = test_begin_root();
    test_key *keys = calloc(KEYS, sizeof *keys), *directories = calloc(DIRECTORIES, sizeof *directories);
    size_t fields[DIRECTORIES], list;
    tg_root_file *file;

    for (int i = 0; i < DIRECTORIES; i++)
        fields[i] = test_put_directory(&bytes, "d", TEST_BEGIN, &directories[i]);
    for (int i = 0; i < KEYS; i++)
        keys[i] = some_tree;
    list = test_put_keys(&bytes, fields[0], directories[0].offset, keys, KEYS);
    for (int i = 1; i < DIRECTORIES; i++) {
        memcpy(bytes.bytes + fields[i] + 10, bytes.bytes + fields[0] + 10, 4);
        test_patch_be32(&bytes, fields[i] + 26, (uint32_t)list);
    }
    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, directories, DIRECTORIES);
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_true(file->n_entries < 10 * KEYS);
    assert_true(file->n_damages > 200);
    tg_root_file_free(file);
    free(keys);
    free(directories);
    free(bytes.bytes);
}

/* A directory below that is damaged takes down itself and what is in it. */
static void passes_over_a_damaged_directory(void **state)
{
    test_bytes bytes = test_begin_root();
    test_key keys[3];
    tg_root_file *file;

    test_patch_be32(&bytes, test_put_directory(&bytes, "bad", TEST_BEGIN, &keys[0]) + 26, 0x7fffff00);
    keys[1] = some_tree;
    keys[2] = (test_key){"TDirectory", "gone", 0x7fffff00, TEST_FIELDS_BYTES, 1};
    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, keys, 3);
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_int_equal(file->condition, TAGMA_CLOSED);
    assert_int_equal(file->n_trees, 1);
    assert_int_equal(file->n_damages, 2);
    assert_non_null(strstr(file->damages[0].words, "x.root"));
    assert_non_null(strstr(file->damages[0].words, "\"bad\""));
    assert_non_null(strstr(file->damages[1].words, "\"gone\""));
    tg_root_file_free(file);
    free(bytes.bytes);
}

/* Images of keys follow one another by what was parsed, whatever length they claim for themselves. */
static void goes_by_the_bytes_of_a_key_not_by_its_length(void **state)
{
    test_bytes bytes = test_begin_root();
    test_key keys[2] = {some_tree, some_tree};
    size_t list;
    tg_root_file *file;

    keys[1].name = "u";
    list = test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, keys, 2);
    bytes.bytes[list + 26 + 3 + 5 + 1 + 4 + 15] -= 4; /* fKeylen of the first */
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_int_equal(file->n_trees, 2);
    assert_string_equal(file->trees[1].path, "u");
    tg_root_file_free(file);
    free(bytes.bytes);
}

/* What walking the records must find again: all trees, in their directories, of all cycles. */
static test_bytes walkable_file(void)
{
    test_bytes bytes = test_begin_root();
    test_key a, tree = {"TTree", "t", 0, 20, 1}, basket = {"TBasket", "x", 0, 30, 0};

    test_put_directory(&bytes, "a", TEST_BEGIN, &a);
    basket.offset = (uint32_t)bytes.n;
    test_put_key(&bytes, &basket, a.offset);
    for (int i = 0; i < 30; i++)
        test_put_be(&bytes, 0, 1);
    test_put_be(&bytes, (uint64_t)-40, 4); /* a gap */
    for (int i = 0; i < 36; i++)
        test_put_be(&bytes, 0, 1);
    for (tree.cycle = 1; tree.cycle <= 2; tree.cycle++) {
        tree.offset = (uint32_t)bytes.n;
        test_put_key(&bytes, &tree, a.offset);
        for (int i = 0; i < 20; i++)
            test_put_be(&bytes, 0, 1);
    }
    test_patch_be32(&bytes, 12, (uint32_t)bytes.n);
    return bytes;
}

static void assert_walked(tagma_ctx *ctx, const test_bytes *bytes, tagma_condition condition)
{
    tg_root_file *file;

    assert_int_equal(open_bytes(ctx, bytes, &file), TAGMA_OK);
    assert_int_equal(file->condition, condition);
    assert_int_equal(file->n_trees, 2);
    assert_string_equal(file->trees[0].path, "a/t");
    assert_false(file->trees[0].is_newest);
    assert_true(file->trees[1].is_newest);
    tg_root_file_free(file);
}

static void walks_the_records_of_an_unclosed_file(void **state)
{
    test_bytes bytes = walkable_file();

    test_patch_be32(&bytes, 16, 0); /* fSeekFree */
    assert_walked(*state, &bytes, TAGMA_UNCLOSED);
    free(bytes.bytes);
}

static void walks_the_records_where_the_keys_are_lost(void **state)
{
    test_bytes bytes = walkable_file();

    assert_walked(*state, &bytes, TAGMA_RECOVERED); /* a closed file without a list of keys */
    test_patch_be32(&bytes, test_root_fields() + 26, 0x7fffff00);
    assert_walked(*state, &bytes, TAGMA_RECOVERED);
    free(bytes.bytes);
}

static void walks_the_records_of_a_cut_file(void **state)
{
    test_bytes bytes = walkable_file();
    test_key key = some_tree;

    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, &key, 1);
    bytes.n -= 10;
    assert_walked(*state, &bytes, TAGMA_RECOVERED);
    free(bytes.bytes);
}

/* No step of the walk may stand still or leave the file, whatever a record says of its length. */
static void ends_the_walk_at_any_length(void **state)
{
    static const uint32_t lengths[] = {
        0, 1, 28, UINT32_MAX, (uint32_t)-3, (uint32_t)-4, INT32_MAX, (uint32_t)INT32_MIN};
    test_bytes bytes = walkable_file();
    tg_root_file *file;

    for (size_t at = TEST_BEGIN; at + 4 < bytes.n; at++)
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            uint8_t kept[4];

            memcpy(kept, bytes.bytes + at, 4);
            test_patch_be32(&bytes, at, lengths[i]);
            if (open_bytes(*state, &bytes, &file) == TAGMA_OK)
                tg_root_file_free(file);
            memcpy(bytes.bytes + at, kept, 4);
        }
    free(bytes.bytes);
}

static void says_what_is_wrong_with_a_file_without_a_tree(void **state)
{
    test_bytes bytes = test_begin_root();
    tg_root_file *file;

    test_patch_be32(&bytes, 16, 0);
    test_patch_be32(&bytes, 12, (uint32_t)bytes.n);
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_E_TRUNCATED);
    assert_string_equal(tagma_ctx_message(*state),
                        "x.root was never closed, and no tree was found by walking its records");
    free(bytes.bytes);
}

static void refuses_what_is_no_root_file(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        tagma_status status;
    } rows[] = {{"", 0, TAGMA_E_TRUNCATED},
                {"roo", 3, TAGMA_E_TRUNCATED},
                {"root", 4, TAGMA_E_TRUNCATED},
                {"\x89HDF\r\n\x1a\n", 8, TAGMA_E_CORRUPT}};
    tg_root_file *file;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t kept[16];
        test_bytes bytes = {kept, rows[i].n};

        memcpy(kept, rows[i].bytes, rows[i].n);
        assert_int_equal(open_bytes(*state, &bytes, &file), rows[i].status);
        assert_null(file);
        assert_non_null(strstr(tagma_ctx_message(*state), "x.root"));
    }
}

/* An RNTuple is no tree, but its name is told, for the words about it. */
static void counts_what_is_no_tree_by_class(void **state)
{
    test_bytes bytes = test_begin_root();
    test_key keys[5] = {{"TH1D", "h", 500, 10, 1},
                        {"ROOT::RNTuple", "Events", 500, 10, 1},
                        {"TH1D", "g", 500, 10, 1},
                        {"TObjString", "s", 500, 10, 1},
                        {"NoSuchClass", "n", 500, 10, 1}};
    tagma_file_info info = {.struct_bytes = sizeof info};
    tg_root_file *file;

    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, keys, 5);
    assert_int_equal(open_bytes(*state, &bytes, &file), TAGMA_OK);
    assert_int_equal(file->n_trees, 0);
    assert_int_equal(file->n_classes, 4);
    assert_string_equal(file->classes[2].name, "TH1D");
    assert_int_equal(file->classes[2].n, 2);
    assert_int_equal(file->n_ntuples, 1);
    assert_string_equal(tg_root_file_ntuple(file, 0), "Events");
    assert_string_equal(tg_root_file_ntuple(file, 1), "");
    tg_root_file_info(file, &info);
    assert_string_equal(info.producer, "6.24/00");
    assert_string_equal(info.codec, "ZLIB 1");
    assert_string_equal(info.uuid, "");
    assert_int_equal(info.bytes, bytes.n);
    tg_root_file_free(file);
    free(bytes.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_trees_in_directories_of_directories),
        cmocka_unit_test(ends_where_directories_are_circular),
        cmocka_unit_test(leaves_out_what_is_nested_too_deep),
        cmocka_unit_test(refuses_lists_that_overlap),
        cmocka_unit_test(passes_over_a_damaged_directory),
        cmocka_unit_test(goes_by_the_bytes_of_a_key_not_by_its_length),
        cmocka_unit_test(walks_the_records_of_an_unclosed_file),
        cmocka_unit_test(walks_the_records_where_the_keys_are_lost),
        cmocka_unit_test(walks_the_records_of_a_cut_file),
        cmocka_unit_test(ends_the_walk_at_any_length),
        cmocka_unit_test(says_what_is_wrong_with_a_file_without_a_tree),
        cmocka_unit_test(refuses_what_is_no_root_file),
        cmocka_unit_test(counts_what_is_no_tree_by_class),
    };

    return cmocka_run_group_tests(tests, make_ctx, free_ctx);
}
