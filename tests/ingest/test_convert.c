/* SPDX-License-Identifier: Apache-2.0
 * What is converted is what was there: every value, where it came from, whatever the order, the threads and the memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <tagma/store.h>

#include "support/failing.h"
#include "support/scratch.h"
#include "support/stores.h"

static tagma_ctx *ctx;
static test_scratch scratch;
static char in[512], in2[512], out[512];

enum { N = 1000 };

static void must_in(tagma_ctx *with, tagma_status st)
{
    if (st < 0)
        fail_msg("%s: %s", tagma_status_name(st), tagma_ctx_message(with));
}

static void must(tagma_status st)
{
    must_in(ctx, st);
}

/* Events of every type and shape at `in`; others of the same schema at `in2`. */
static int make_desk(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    test_synth synth;

    (void)state;
    test_scratch_make(&scratch);
    must(tagma_ctx_new(NULL, &ctx));
    snprintf(in, sizeof in, "%s", test_scratch_path(&scratch, "in.tagma"));
    snprintf(in2, sizeof in2, "%s", test_scratch_path(&scratch, "in2.tagma"));
    snprintf(out, sizeof out, "%s", test_scratch_path(&scratch, "out.tagma"));
    test_synth_make(&synth, ctx, 5, TEST_SYNTH_NULLS | TEST_SYNTH_LONG);
    must(test_store_write(&synth, in, N, 333, false, &options, NULL));
    test_synth_free(&synth);
    test_synth_make(&synth, ctx, 6, TEST_SYNTH_NULLS | TEST_SYNTH_LONG);
    must(test_store_write(&synth, in2, 50, 50, false, &options, NULL));
    test_synth_free(&synth);
    return 0;
}

static int clear_desk(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

static tagma_status convert_in(tagma_ctx *with, const tagma_convert_options *options, uint32_t n)
{
    tagma_convert_input inputs[] = {{in, NULL}, {in2, NULL}, {in, NULL}};

    return tagma_convert(with, inputs, n, out, options, NULL);
}

static tagma_batch *read_all(const char *path, const uint64_t *entries, uint64_t n)
{
    tagma_events *events;
    tagma_reader *reader;
    tagma_batch *batch;

    must(tagma_open(ctx, path, NULL, &events));
    must(tagma_reader_new(ctx, events, NULL, &reader));
    if (entries)
        must(tagma_read_rows(ctx, reader, entries, n, NULL, 0, &batch));
    else
        must(tagma_read_columns(ctx, reader, 0, tagma_events_n_entries(events), NULL, 0, &batch));
    tagma_reader_free(reader);
    tagma_events_release(events);
    return batch;
}

static void check_same(const char *expected_path, const uint64_t *entries, uint64_t n, const char *path)
{
    tagma_batch *expected = read_all(expected_path, entries, n), *found = read_all(path, NULL, 0);
    const char *difference = test_batch_difference(expected, found);

    if (difference)
        fail_msg("%s", difference);
    tagma_batch_free(expected);
    tagma_batch_free(found);
}

static uint8_t *bytes_of(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(8 << 20);

    assert_non_null(file);
    *n = fread(bytes, 1, 8 << 20, file);
    fclose(file);
    return bytes;
}

static int n_files(void)
{
    DIR *dir = opendir(scratch.dir);
    int n = -2; /* . and .. */

    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void every_value_is_kept_whatever_the_layout(void **state)
{
    static const uint32_t tiles[] = {0, 1, 8, 64, 65536};

    (void)state;
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        for (int no_sparse = 0; no_sparse < 2; no_sparse++) {
            tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;

            options.tile_events = tiles[i];
            options.no_sparse = no_sparse;
            options.hot = i % 2 ? "all" : "none";
            must(convert_in(ctx, &options, 1));
            check_same(in, NULL, 0, out);
        }
}

/* What can be told of a store: which file and entry each of its entries was. */
static void every_entry_keeps_its_file_and_number(void **state)
{
    tagma_origins *origins;
    tagma_events *events;
    uint32_t source;
    uint64_t entry;

    (void)state;
    must(convert_in(ctx, NULL, 2));
    must(tagma_open(ctx, out, NULL, &events));
    assert_int_equal(tagma_events_n_entries(events), N + 50);
    must(tagma_origins_new(ctx, events, &origins));
    assert_int_equal(tagma_origins_n_sources(origins), 2);
    assert_string_equal(tagma_origins_file(origins, 1), in2);
    assert_null(tagma_origins_file(origins, 2));
    must(tagma_origins_at(origins, N - 1, &source, &entry));
    assert_int_equal(source, 0);
    assert_int_equal(entry, N - 1);
    must(tagma_origins_at(origins, N, &source, &entry));
    assert_int_equal(source, 1);
    assert_int_equal(entry, 0);
    assert_int_equal(tagma_origins_at(origins, N + 50, &source, &entry), TAGMA_E_RANGE);
    tagma_origins_free(origins);
    tagma_events_release(events);
}

/* By id; of equal ids the earlier first; each with the values it had. */
static void sorted_entries_are_those_that_came(void **state)
{
    tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
    const tagma_batch_column *event;
    uint64_t *entries = malloc((2 * N + 50) * sizeof *entries), n = 2 * N + 50;
    tagma_origins *origins;
    tagma_events *events;
    tagma_batch *batch;

    (void)state;
    must(convert_in(ctx, NULL, 3));
    snprintf(in2, sizeof in2, "%s", test_scratch_path(&scratch, "unsorted.tagma"));
    assert_int_equal(rename(out, in2), 0);
    snprintf(in2, sizeof in2, "%s", test_scratch_path(&scratch, "in2.tagma"));
    options.sort = true;
    must(convert_in(ctx, &options, 3));
    must(tagma_open(ctx, out, NULL, &events));
    must(tagma_origins_new(ctx, events, &origins));
    batch = read_all(out, NULL, 0);
    event = tagma_batch_column_at(batch, tagma_schema_find(tagma_events_schema(events), "event"));
    for (uint64_t i = 0; i < n; i++) {
        static const uint64_t before[] = {0, N, N + 50};
        const uint64_t *values = event->values;
        uint32_t source;

        must(tagma_origins_at(origins, i, &source, &entries[i]));
        entries[i] += before[source];
        if (i > 0 && values[i] == values[i - 1])
            assert_true(entries[i] > entries[i - 1]);
        else if (i > 0)
            assert_true(values[i] > values[i - 1]);
    }
    tagma_batch_free(batch);
    tagma_origins_free(origins);
    tagma_events_release(events);
    check_same(test_scratch_path(&scratch, "unsorted.tagma"), entries, n, out);
    free(entries);
}

/* Threads and memory are the machine's; the store is the events'. */
static void bytes_depend_on_events_and_options_alone(void **state)
{
    (void)state;
    for (int sort = 0; sort < 2; sort++) {
        uint8_t *expected = NULL;
        size_t n_expected = 0;

        for (uint32_t round = 0; round < 4; round++) {
            tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
            tagma_ctx_options limited = TAGMA_CTX_OPTIONS_INIT;
            tagma_ctx *own;
            uint8_t *found;
            size_t n;

            limited.limits.max_memory = (uint64_t)(round == 3 ? 12 : 1024) << 20;
            must(tagma_ctx_new(&limited, &own));
            must_in(own, tagma_pool_new(own, round + 1, &options.pool));
            options.sort = sort;
            must_in(own, convert_in(own, &options, 3));
            assert_true(tagma_ctx_peak_memory(own) <= limited.limits.max_memory);
            tagma_pool_free(options.pool);
            assert_int_equal(tagma_ctx_memory(own), 0);
            tagma_ctx_free(own);
            found = bytes_of(out, &n);
            if (!expected) {
                expected = found;
                n_expected = n;
                continue;
            }
            assert_int_equal(n, n_expected);
            assert_memory_equal(found, expected, n);
            free(found);
        }
        free(expected);
    }
}

/* The n-th allocation fails, for each n: words, no half store, nothing lost. */
static void survives_each_allocation_that_fails(void **state)
{
    tagma_convert_input input = {in2, NULL};

    (void)state;
    for (int sort = 0; sort < 2; sort++) {
        tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
        test_failing failing = {0, 1};
        bool is_met = true;

        options.sort = sort;
        for (; is_met; failing.fails += 1 + failing.fails / 8) {
            tagma_ctx *own = test_failing_ctx(&failing, NULL);
            tagma_status st = tagma_convert(own, &input, 1, out, &options, NULL);

            is_met = failing.n >= failing.fails;
            if (st < 0)
                assert_true(*tagma_ctx_message(own) != 0);
            assert_int_equal(n_files(), st < 0 ? 2 : 3);
            assert_true(is_met || st == TAGMA_OK);
            assert_int_equal(tagma_ctx_memory(own), 0);
            tagma_ctx_free(own);
            if (st == TAGMA_OK)
                assert_int_equal(remove(out), 0);
        }
    }
}

static void the_summary_tells_what_is_not_there(void **state)
{
    tagma_convert_input input = {in, NULL};
    tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
    tagma_convert_summary summary = {.struct_bytes = sizeof summary};
    uint32_t n_dropped = 0;

    (void)state;
    options.drop = "f*,i8";
    must(tagma_convert(ctx, &input, 1, out, &options, &summary));
    assert_int_equal(summary.n_events, N);
    assert_int_equal(summary.n_axes, 2);
    assert_string_equal(summary.id_names[1], "event");
    for (uint32_t i = 0; i < summary.n_absents; i++)
        n_dropped += summary.absents[i].kind == TAGMA_ABSENT_COLUMN;
    assert_true(n_dropped > 3);
    /* What was absent from the source is absent from what is made of it. */
    assert_string_equal(summary.absents[summary.n_absents - 2].name, "Runs");
    tagma_convert_summary_free(ctx, &summary);
}

/* What is told is of the whole conversion: parts of it have a progress of their own, which is not. */
static int note_phase(void *user, const tagma_progress *progress)
{
    uint64_t *most = user;

    assert_true(strcmp(progress->phase, "read") != 0);
    if (strcmp(progress->phase, "convert") == 0) {
        assert_int_equal(progress->total, 2 * N + 50);
        assert_true(progress->done <= progress->total);
        *most = progress->done > *most ? progress->done : *most;
    }
    return 0;
}

static void progress_is_that_of_the_whole(void **state)
{
    uint64_t most = 0;

    (void)state;
    tagma_ctx_on_progress(ctx, note_phase, &most);
    must(convert_in(ctx, NULL, 3));
    assert_true(most <= 2 * N + 50);
    tagma_ctx_on_progress(ctx, NULL, NULL);
}

static int stop_at_once(void *user, const tagma_progress *progress)
{
    (void)user;
    (void)progress;
    return 1;
}

static void what_is_cancelled_leaves_nothing(void **state)
{
    (void)state;
    tagma_ctx_on_progress(ctx, stop_at_once, NULL);
    assert_int_equal(convert_in(ctx, NULL, 1), TAGMA_E_CANCELLED);
    assert_int_equal(n_files(), 2);
    tagma_ctx_on_progress(ctx, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_value_is_kept_whatever_the_layout, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(every_entry_keeps_its_file_and_number, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(sorted_entries_are_those_that_came, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(bytes_depend_on_events_and_options_alone, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(the_summary_tells_what_is_not_there, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(progress_is_that_of_the_whole, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(what_is_cancelled_leaves_nothing, make_desk, clear_desk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
