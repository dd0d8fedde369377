/* SPDX-License-Identifier: Apache-2.0
 * Which kind of file is this? Stores by their first bytes, whatever their name; their tree, their index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/stores.h"

static tagma_ctx *ctx;
static test_scratch scratch;

static void must(tagma_status st)
{
    if (st < 0)
        fail_msg("%s: %s", tagma_status_name(st), tagma_ctx_message(ctx));
}

/* 100 events of tree "dir/Events;3" with an index of run and event. */
static const char *a_store(const char *name, bool has_index)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    const char *path = test_scratch_path(&scratch, name);
    test_synth synth;

    test_synth_make(&synth, ctx, 3, 0);
    must(test_store_write(&synth, path, 100, 100, has_index, &options, NULL));
    test_synth_free(&synth);
    return path;
}

static void fails_with(tagma_status expected, const char *path, const tagma_open_options *options,
                       const char *words)
{
    tagma_events *events;

    assert_int_equal(tagma_open(ctx, path, options, &events), expected);
    assert_null(events);
    if (!strstr(tagma_ctx_message(ctx), words))
        fail_msg("\"%s\" without \"%s\"", tagma_ctx_message(ctx), words);
}

/* The name says nothing: the first bytes do. */
static void a_store_is_told_by_its_first_bytes(void **state)
{
    const char *path = a_store("a.root", true);
    tagma_events_info info = {.struct_bytes = sizeof info};
    tagma_events *events;

    (void)state;
    must(tagma_open(ctx, path, NULL, &events));
    tagma_events_get_info(events, &info);
    assert_string_equal(info.kind, "Tagma store");
    assert_string_equal(info.tree, "dir/Events");
    assert_int_equal(info.n_entries, 100);
    tagma_events_release(events);
}

static void its_tree_must_be_the_one_that_is_asked_for(void **state)
{
    const char *path = a_store("a.tagma", true);
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;
    tagma_events *events;
    char with_tree[600];

    (void)state;
    options.tree = "Runs";
    fails_with(TAGMA_E_NAME, path, &options, "no tree \"Runs\"");
    options.tree = "dir/Events;2";
    fails_with(TAGMA_E_NAME, path, &options, "dir/Events;3");
    options.tree = "dir/Events;3";
    must(tagma_open(ctx, path, &options, &events));
    tagma_events_release(events);
    snprintf(with_tree, sizeof with_tree, "%s:Events", path);
    must(tagma_open(ctx, with_tree, NULL, &events));
    tagma_events_release(events);
    snprintf(with_tree, sizeof with_tree, "%s:Other", path);
    fails_with(TAGMA_E_NAME, with_tree, NULL, "no tree \"Other\"");
}

/* What is lost behind the first four bytes is told in words about a store, not about ROOT. */
static void a_cut_store_is_a_store(void **state)
{
    const char *path = a_store("a.tagma", true);
    uint8_t bytes[8192];
    FILE *file = fopen(path, "rb");
    size_t n;

    (void)state;
    assert_non_null(file);
    n = fread(bytes, 1, sizeof bytes, file);
    assert_true(n > 5000);
    fclose(file);
    for (size_t k = 4; k <= n; k += k < 12 ? 1 : 251)
        fails_with(TAGMA_E_TRUNCATED, test_scratch_write(&scratch, "cut", bytes, k), NULL, "store");
    bytes[100] ^= 1;
    fails_with(TAGMA_E_CORRUPT, test_scratch_write(&scratch, "cut", bytes, n), NULL, "checksum");
}

static void it_has_its_index_and_no_sidecar(void **state)
{
    const char *path = a_store("a.tagma", true);
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;
    const tagma_index *index;
    uint64_t axes[] = {273159, 7919 % 1000}, found[2];
    tagma_events *events;
    size_t n;

    (void)state;
    must(tagma_open(ctx, path, NULL, &events));
    must(tagma_events_index(ctx, events, &index));
    assert_int_equal(tagma_index_find(index, axes, found, 2, &n), TAGMA_OK);
    assert_int_equal(found[0], 1);
    assert_int_equal(tagma_events_save_sidecar(ctx, events, index, NULL, false), TAGMA_E_UNSUPPORTED);
    tagma_events_release(events);
    options.sidecar = TAGMA_SIDECAR_PATH;
    options.sidecar_path = "x.tgx";
    fails_with(TAGMA_E_ARG, path, &options, "x.tgx is not for it");
    options.sidecar = TAGMA_SIDECAR_AUTO;
    test_scratch_write(&scratch, "a.tagma.tgx", "rubbish", 7);
    must(tagma_open(ctx, test_scratch_path(&scratch, "a.tagma"), &options, &events));
    tagma_events_release(events);
}

/* An index of other columns than those named by hand is not used. */
static void its_index_is_used_for_its_own_ids(void **state)
{
    const char *path = a_store("a.tagma", true);
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;
    const tagma_index *index;
    tagma_events *events;
    tagma_ids ids;

    (void)state;
    options.ids = "run,event";
    must(tagma_open(ctx, path, &options, &events));
    assert_int_equal(tagma_events_index(ctx, events, &index), TAGMA_OK);
    tagma_events_release(events);
    options.ids = "event";
    must(tagma_open(ctx, path, &options, &events));
    assert_int_equal(tagma_events_index(ctx, events, &index), TAGMA_ABSENT);
    assert_null(index);
    must(tagma_events_ids(ctx, events, &ids));
    assert_int_equal(ids.n_axes, 1);
    tagma_events_release(events);
    must(tagma_open(ctx, a_store("b.tagma", false), NULL, &events));
    assert_int_equal(tagma_events_index(ctx, events, &index), TAGMA_ABSENT);
    tagma_events_release(events);
}

static void it_is_a_file_with_one_tree(void **state)
{
    const char *path = a_store("a.tagma", true);
    tagma_file_info info = {.struct_bytes = sizeof info};
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    tagma_events *events;
    tagma_file *file;
    uint64_t n_records, n_faults;

    (void)state;
    must(tagma_file_open(ctx, path, TAGMA_IO_PREAD, &file));
    tagma_file_get_info(file, &info);
    assert_string_equal(info.kind, "Tagma store");
    assert_string_equal(info.producer, "test");
    assert_int_equal(info.n_trees, 1);
    assert_int_equal(info.n_classes, 0);
    must(tagma_file_tree(ctx, file, 0, &tree));
    assert_string_equal(tree.name, "dir/Events");
    assert_string_equal(tree.title, "made up");
    assert_int_equal(tree.cycle, 3);
    assert_true(tree.is_newest);
    assert_int_equal(tagma_file_tree(ctx, file, 1, &tree), TAGMA_E_RANGE);
    assert_int_equal(tagma_file_events(ctx, file, 1, NULL, &events), TAGMA_E_RANGE);
    must(tagma_file_check(ctx, file, &n_records, &n_faults));
    assert_int_equal(n_faults, 0);
    must(tagma_file_events(ctx, file, 0, NULL, &events));
    tagma_file_release(file);
    assert_int_equal(tagma_events_n_entries(events), 100);
    tagma_events_release(events);
}

static int begin(void **state)
{
    (void)state;
    test_scratch_make(&scratch);
    return tagma_ctx_new(NULL, &ctx) == TAGMA_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_is_told_by_its_first_bytes, begin, end),
        cmocka_unit_test_setup_teardown(its_tree_must_be_the_one_that_is_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(a_cut_store_is_a_store, begin, end),
        cmocka_unit_test_setup_teardown(it_has_its_index_and_no_sidecar, begin, end),
        cmocka_unit_test_setup_teardown(its_index_is_used_for_its_own_ids, begin, end),
        cmocka_unit_test_setup_teardown(it_is_a_file_with_one_tree, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
