/* SPDX-License-Identifier: Apache-2.0
 * A tree's flat tables as bytes: what is saved is loaded, and nothing in the bytes is trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/tablefile.h"
#include "root/treeread.h"
#include "support/failing.h"
#include "support/realfiles.h"

static tagma_ctx *make_ctx(void)
{
    tagma_ctx *ctx;

    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    return ctx;
}

/* Tree i of a file; NULL where the file has none or cannot be opened. */
static tg_tree *read_tree(tagma_ctx *ctx, const char *path, uint32_t i)
{
    tagma_source *source;
    tg_root_file *file;
    tg_tree *tree = NULL;

    assert_int_equal(tagma_source_open(ctx, path, TAGMA_IO_PREAD, &source), TAGMA_OK);
    if (tg_root_file_open(ctx, source, &file) == TAGMA_OK) {
        if (i < file->n_trees)
            assert_int_equal(tg_root_tree_read(ctx, file, i, &tree), TAGMA_OK);
        tg_root_file_free(file);
    }
    tagma_source_release(source);
    return tree;
}

static void assert_same_columns(const tg_tree *a, const tg_tree *b)
{
    uint32_t n = tagma_schema_n_columns(a->schema);

    assert_int_equal(n, tagma_schema_n_columns(b->schema));
    for (uint32_t c = 0; c < n; c++) {
        const tagma_column *left = tagma_schema_column(a->schema, c),
                           *right = tagma_schema_column(b->schema, c);
        char one[256], two[256];

        assert_string_equal(left->name, right->name);
        assert_string_equal(left->path, right->path);
        assert_string_equal(left->title, right->title);
        assert_string_equal(left->reason ? left->reason : "", right->reason ? right->reason : "");
        tagma_schema_spell(a->schema, c, one, sizeof one);
        tagma_schema_spell(b->schema, c, two, sizeof two);
        assert_string_equal(one, two);
        assert_int_equal(a->layouts[c].branch, b->layouts[c].branch);
        assert_int_equal(a->layouts[c].count_column, b->layouts[c].count_column);
        assert_int_equal(a->layouts[c].wire, b->layouts[c].wire);
        assert_int_equal(a->layouts[c].string, b->layouts[c].string);
        assert_true(a->layouts[c].factor == b->layouts[c].factor && a->layouts[c].xmin == b->layouts[c].xmin);
    }
}

/* A branch's baskets may stand elsewhere in the table: behind those of the branch before. */
static void assert_same_baskets(const tg_tree *a, const tg_tree *b)
{
    assert_int_equal(a->n_branches, b->n_branches);
    for (uint32_t i = 0; i < a->n_branches; i++) {
        const tg_branch *left = &a->branches[i], *right = &b->branches[i];

        assert_string_equal(left->name, right->name);
        assert_int_equal(left->n_baskets, right->n_baskets);
        assert_int_equal(left->packed_bytes, right->packed_bytes);
        for (uint64_t k = 0; k < left->n_baskets; k++) {
            const tg_basket *one = &a->baskets[left->first_basket + k],
                            *two = &b->baskets[right->first_basket + k];

            assert_int_equal(one->first_entry, two->first_entry);
            assert_int_equal(one->n_entries, two->n_entries);
            assert_true(one->offset == two->offset);
            assert_int_equal(one->bytes, two->bytes);
        }
    }
}

static void loads_what_was_saved(void **state)
{
    char **paths = test_root_files();
    uint32_t n_trees = 0;

    (void)state;
    for (size_t i = 0; paths[i]; i++) {
        tagma_ctx *ctx = make_ctx();
        tg_tree *tree, *loaded;

        for (uint32_t t = 0; (tree = read_tree(ctx, paths[i], t)); t++, n_trees++) {
            tg_buf bytes = TG_BUF_INIT, again = TG_BUF_INIT;

            assert_int_equal(tg_tree_save(ctx, tree, &bytes), TAGMA_OK);
            assert_int_equal(tg_tree_load(ctx, bytes.bytes, bytes.n, &loaded), TAGMA_OK);
            assert_string_equal(loaded->name, tree->name);
            assert_string_equal(loaded->title, tree->title);
            assert_string_equal(loaded->class_name, tree->class_name);
            assert_true(loaded->record_hash == tree->record_hash);
            assert_int_equal(loaded->record_unpacked, tree->record_unpacked);
            assert_int_equal(loaded->n_entries, tree->n_entries);
            assert_int_equal(loaded->n_clusters, tree->n_clusters);
            assert_memory_equal(loaded->clusters, tree->clusters, (tree->n_clusters + 1) * sizeof(uint64_t));
            assert_same_columns(loaded, tree);
            assert_same_baskets(loaded, tree);
            assert_int_equal(tg_tree_save(ctx, loaded, &again), TAGMA_OK);
            assert_int_equal(again.n, bytes.n);
            tg_buf_free(ctx, &again);
            tg_buf_free(ctx, &bytes);
            tg_tree_free(loaded);
            tg_tree_free(tree);
        }
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    test_paths_free(paths);
    assert_true(n_trees >= 8);
}

static tg_buf saved(tagma_ctx *ctx, const char *path)
{
    tg_tree *tree = read_tree(ctx, path, 0);
    tg_buf bytes = TG_BUF_INIT;

    assert_non_null(tree);
    assert_int_equal(tg_tree_save(ctx, tree, &bytes), TAGMA_OK);
    tg_tree_free(tree);
    return bytes;
}

/* A refusal has words and leaves nothing behind; what loads can be saved. */
static void try_to_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n)
{
    uint64_t before = tagma_ctx_memory(ctx);
    tg_buf again = TG_BUF_INIT;
    tg_tree *tree;
    tagma_status st = tg_tree_load(ctx, bytes, n, &tree);

    if (st == TAGMA_OK) {
        assert_int_equal(tg_tree_save(ctx, tree, &again), TAGMA_OK);
        tg_buf_free(ctx, &again);
        tg_tree_free(tree);
    } else {
        assert_null(tree);
        assert_true(st == TAGMA_E_CORRUPT || st == TAGMA_E_TRUNCATED);
        assert_non_null(strstr(tagma_ctx_message(ctx), "branch table"));
    }
    assert_int_equal(tagma_ctx_memory(ctx), before);
}

/* A tree that has everything, and a small one. */
static const char *const rich = "tests/data/edge/edge-zstd.root", *const small =
                                                                      "tests/data/edge/killed-saveself.root";

static void refuses_tables_cut_anywhere(void **state)
{
    tagma_ctx *ctx = make_ctx();
    tg_buf bytes = saved(ctx, rich);
    tg_tree *tree;

    (void)state;
    for (uint64_t n = 0; n < bytes.n; n += n < 400 ? 1 : 97)
        assert_true(tg_tree_load(ctx, bytes.bytes, n, &tree) < 0);
    tg_buf_free(ctx, &bytes);
    tagma_ctx_free(ctx);
}

/* Numbers of it, `step` bytes apart, set to what a number can go wrong by. */
static void spoil_numbers(const char *path, uint64_t step)
{
    static const uint32_t values[] = {0, UINT32_MAX, INT32_MAX, (uint32_t)INT32_MIN, 1};
    tagma_ctx *ctx = make_ctx();
    tg_buf bytes = saved(ctx, path);

    for (uint64_t at = 0; at + 4 <= bytes.n; at += step)
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            uint8_t kept[4];

            memcpy(kept, bytes.bytes + at, 4);
            tg_put_le32(bytes.bytes + at, values[v]);
            try_to_load(ctx, bytes.bytes, bytes.n);
            memcpy(bytes.bytes + at, kept, 4);
        }
    tg_buf_free(ctx, &bytes);
    tagma_ctx_free(ctx);
}

static void holds_out_against_any_number(void **state)
{
    (void)state;
    spoil_numbers(small, 4);
    spoil_numbers(rich, 331);
}

static void survives_the_nth_allocation_failing(void **state)
{
    tagma_ctx *plain = make_ctx();
    tg_buf bytes = saved(plain, rich);
    tagma_status st = TAGMA_E_MEMORY;

    (void)state;
    for (uint64_t n = 1; st != TAGMA_OK; n++) {
        test_failing failing = {.fails = n};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tg_tree *tree;

        st = tg_tree_load(ctx, bytes.bytes, bytes.n, &tree);
        assert_true(st == TAGMA_OK || st == TAGMA_E_MEMORY);
        assert_true((st == TAGMA_OK) == (tree != NULL));
        tg_tree_free(tree);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    tg_buf_free(plain, &bytes);
    tagma_ctx_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_what_was_saved),
        cmocka_unit_test(refuses_tables_cut_anywhere),
        cmocka_unit_test(holds_out_against_any_number),
        cmocka_unit_test(survives_the_nth_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
