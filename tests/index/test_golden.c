/* SPDX-License-Identifier: Apache-2.0
 * Golden sidecars, one for each version of the format, are read forever: tests/index/golden/sidecar_vN.tgx.
 * Recipe: test_golden PATH writes one of the version at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "index/sidecar.h"
#include "support/goldenids.h"

static tg_identity identity_of(uint32_t tree)
{
    return (tg_identity){.file_bytes = 123456789,
                         .uuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef},
                         .tree = test_golden_trees[tree].tree,
                         .cycle = 1 + tree,
                         .record_checksum = 1000 + tree,
                         .n_entries = TEST_GOLDEN_ENTRIES};
}

static tagma_status save(tagma_ctx *ctx, const char *path, uint32_t tree)
{
    static uint64_t values[TAGMA_MAX_ID_AXES][TEST_GOLDEN_ENTRIES];
    const test_golden_tree *golden = &test_golden_trees[tree];
    tagma_index_input input = {.n_axes = golden->n_axes, .n_entries = TEST_GOLDEN_ENTRIES};
    tg_identity identity = identity_of(tree);
    tg_sidecar_content content = {NULL, (const uint8_t *)golden->tree, strlen(golden->tree)};
    tagma_index *index;
    tagma_status st;

    for (uint64_t i = 0; i < TEST_GOLDEN_ENTRIES; i++) {
        uint64_t axes[TAGMA_MAX_ID_AXES];
        test_golden_id(tree, i, axes);
        for (uint32_t axis = 0; axis < golden->n_axes; axis++)
            values[axis][i] = axes[axis];
    }
    for (uint32_t axis = 0; axis < golden->n_axes; axis++) {
        input.values[axis] = values[axis];
        input.names[axis] = golden->names[axis];
        input.is_signed[axis] = golden->is_signed[axis];
    }
    st = tagma_index_new(ctx, &input, &index);
    content.index = index;
    if (st == TAGMA_OK)
        st = tg_sidecar_save(ctx, path, "x.root", &identity, &content);
    tagma_index_release(index);
    return st;
}

static int write_golden(const char *path)
{
    tagma_status st = TAGMA_OK;
    tagma_ctx *ctx;

    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return 2;
    for (uint32_t tree = 0; tree < TEST_GOLDEN_TREES && st == TAGMA_OK; tree++)
        st = save(ctx, path, tree);
    if (st < 0)
        fprintf(stderr, "%s\n", tagma_ctx_message(ctx));
    tagma_ctx_free(ctx);
    return st < 0 ? 2 : 0;
}

static void check_tree(tagma_ctx *ctx, tg_sidecar *sidecar, uint32_t tree)
{
    const test_golden_tree *golden = &test_golden_trees[tree];
    tg_identity identity = identity_of(tree);
    tagma_index_info info = {.struct_bytes = sizeof info};
    uint64_t n_bytes, n_found = 0;
    tagma_index *index;
    uint8_t *bytes;

    assert_int_equal(tg_sidecar_branches(ctx, sidecar, &identity, &bytes, &n_bytes), TAGMA_OK);
    assert_int_equal(n_bytes, strlen(golden->tree));
    assert_memory_equal(bytes, golden->tree, n_bytes);
    tg_free(ctx, bytes);
    assert_int_equal(tg_sidecar_index(ctx, sidecar, &identity, golden->names, golden->n_axes, &index),
                     TAGMA_OK);
    tagma_index_get_info(index, &info);
    assert_int_equal(info.n_entries, TEST_GOLDEN_ENTRIES);
    for (uint64_t i = 0; i < TEST_GOLDEN_ENTRIES; i++) {
        uint64_t axes[TAGMA_MAX_ID_AXES], entries[8];
        bool is_there = false;
        size_t n;

        test_golden_id(tree, i, axes);
        assert_int_equal(tagma_index_find(index, axes, entries, 8, &n), TAGMA_OK);
        for (size_t k = 0; k < n; k++)
            is_there = is_there || entries[k] == i;
        assert_true(is_there);
        n_found += n == 1 ? 2 : 1;
    }
    assert_int_equal(n_found, TEST_GOLDEN_ENTRIES + info.n_ids - info.n_repeated_ids);
    tagma_index_release(index);
}

static void reads_version_1(void **state)
{
    tagma_source *source;
    tg_sidecar *sidecar;
    tagma_ctx *ctx;

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    assert_int_equal(tagma_source_open(ctx, "tests/index/golden/sidecar_v1.tgx", TAGMA_IO_PREAD, &source),
                     TAGMA_OK);
    assert_int_equal(tg_sidecar_open(ctx, source, "x.root", &sidecar), TAGMA_OK);
    for (uint32_t tree = 0; tree < TEST_GOLDEN_TREES; tree++)
        check_tree(ctx, sidecar, tree);
    tg_sidecar_free(ctx, sidecar);
    tagma_source_release(source);
    tagma_ctx_free(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_version_1)};

    if (argc > 1)
        return write_golden(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
