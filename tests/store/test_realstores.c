/* SPDX-License-Identifier: Apache-2.0
 * Every tree of every real file there is, into stores of several layouts and back: bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "event/schema.h"
#include "support/hostile.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { STEP = 700 };

static tagma_ctx *ctx;
static test_scratch scratch;
static uint64_t n_stores, n_damaged, n_trees;

/* A tree that is being tried. */
typedef struct trial {
    const char *file;
    tagma_events *events;
    tagma_reader *reader;
    tagma_schema *schema; /* of the columns that can be read */
    uint32_t *columns, n_columns;
} trial;

static void fail_trial(const trial *it, const char *what, const char *words)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    tagma_events_get_info(it->events, &info);
    fail_msg("%s, %s: %s: %s", it->file, info.tree, what, words);
}

static tagma_status write_store(const trial *it, const char *path, const tg_store_options *options)
{
    static const tg_provenance provenance = {
        .tree = "t", .title = "", .cycle = 1, .producer = "", .options = ""};
    uint64_t n = tagma_events_n_entries(it->events);
    tg_store_writer *writer;
    tagma_status st = tg_store_writer_new(ctx, path, it->schema, &provenance, options, &writer);

    for (uint64_t at = 0; st == TAGMA_OK && at < n; at += STEP) {
        tagma_batch *batch;

        st = tagma_read_columns(ctx, it->reader, at, n - at < STEP ? n - at : STEP, it->columns,
                                it->n_columns, &batch);
        if (st == TAGMA_OK)
            st = tg_store_writer_append(ctx, writer, batch, at, NULL);
    }
    if (st == TAGMA_OK)
        st = tg_store_writer_finish(ctx, writer, NULL, NULL);
    tg_store_writer_free(ctx, writer);
    return st;
}

static void compare(const trial *it, tagma_events *store)
{
    uint64_t n = tagma_events_n_entries(it->events);
    tagma_reader *reader;

    assert_int_equal(tagma_events_n_entries(store), n);
    assert_int_equal(tagma_reader_new(ctx, store, NULL, &reader), TAGMA_OK);
    for (uint64_t at = 0; at < n; at += STEP + 11) {
        uint64_t here = n - at < STEP + 11 ? n - at : STEP + 11;
        tagma_batch *expected = NULL, *found = NULL;
        const char *difference;

        if (tagma_read_columns(ctx, it->reader, at, here, it->columns, it->n_columns, &expected) !=
                TAGMA_OK ||
            tagma_read_columns(ctx, reader, at, here, NULL, 0, &found) != TAGMA_OK)
            fail_trial(it, "reading", tagma_ctx_message(ctx));
        difference = test_batch_difference(expected, found);
        if (difference)
            fail_trial(it, "values", difference);
        tagma_batch_free(expected);
        tagma_batch_free(found);
    }
    tagma_reader_free(reader);
}

static void try_layouts(const trial *it)
{
    static const struct {
        uint32_t tile_events;
        const char *columns;
        bool is_plain_only;
    } layouts[] = {{0, NULL, false}, {1, "none", true}, {64, "all", false}, {65536, "none", false}};
    const char *path = test_scratch_path(&scratch, "a.tagma");
    uint32_t share = test_hostile_share(20);

    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        tg_store_options options = TG_STORE_OPTIONS_INIT;
        tagma_events *store = NULL;
        tagma_status st;

        if (share < 20 && (i + n_trees) % (sizeof layouts / sizeof layouts[0]) != 0)
            continue; /* TAGMA_HOSTILE=all: each layout for each tree; else by turns */
        options.tile_events = layouts[i].tile_events;
        options.columns = layouts[i].columns;
        options.is_plain_only = layouts[i].is_plain_only;
        st = write_store(it, path, &options);
        if (st == TAGMA_E_CORRUPT && strstr(tagma_ctx_message(ctx), "damaged entries")) {
            n_damaged++;
            return;
        }
        if (st < 0 || test_store_open(ctx, path, i % 2 ? TAGMA_IO_MMAP : TAGMA_IO_PREAD, &store) != TAGMA_OK)
            fail_trial(it, "writing", tagma_ctx_message(ctx));
        compare(it, store);
        tagma_events_release(store);
        n_stores++;
    }
}

static void try_tree(const char *file, tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    trial it = {.file = file, .events = events};

    it.columns = malloc((tagma_schema_n_columns(schema) + 1) * sizeof *it.columns);
    assert_non_null(it.columns);
    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++)
        if (!tagma_schema_column(schema, c)->reason)
            it.columns[it.n_columns++] = c;
    assert_int_equal(tg_schema_subset(ctx, schema, it.columns, it.n_columns, &it.schema), TAGMA_OK);
    assert_int_equal(tagma_reader_new(ctx, events, NULL, &it.reader), TAGMA_OK);
    if (it.n_columns > 0 && tagma_events_n_entries(events) > 0)
        try_layouts(&it);
    n_trees++;
    tagma_reader_free(it.reader);
    tg_schema_free(it.schema);
    free(it.columns);
}

static void every_tree_comes_back(void **state)
{
    char **paths = test_root_files();

    (void)state;
    test_scratch_make(&scratch);
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    for (size_t i = 0; paths[i]; i++) {
        tagma_file_info info = {.struct_bytes = sizeof info};
        tagma_file *file;

        if (tagma_file_open(ctx, paths[i], TAGMA_IO_PREAD, &file) != TAGMA_OK)
            continue;
        tagma_file_get_info(file, &info);
        for (uint32_t t = 0; t < info.n_trees; t++) {
            tagma_events *events;

            if (tagma_file_events(ctx, file, t, NULL, &events) == TAGMA_OK)
                try_tree(paths[i], events);
            tagma_events_release(events);
        }
        tagma_file_release(file);
    }
    test_paths_free(paths);
    print_message("%llu stores, %llu trees with damaged entries\n", (unsigned long long)n_stores,
                  (unsigned long long)n_damaged);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_tree_comes_back)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
