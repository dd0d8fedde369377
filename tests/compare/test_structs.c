/* SPDX-License-Identifier: Apache-2.0
 * Structs that begin with struct_bytes: a program that was compiled with a shorter one gets what it knows of, and no byte more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <tagma/compare.h>

#include "support/scratch.h"
#include "support/stores.h"

enum { N = 100, UNTOUCHED = 0xa5 };

static test_scratch scratch;
static tagma_ctx *ctx;
static test_synth synth;
static tagma_events *events;
static tagma_reader *reader;
static tagma_file *file;
static tagma_comparison *comparison;
static char path[512];

static int set_up(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    test_scratch_make(&scratch);
    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return -1;
    test_synth_make(&synth, ctx, 7, 0);
    snprintf(path, sizeof path, "%s", test_scratch_path(&scratch, "a.tagma"));
    return test_store_write(&synth, path, N, N, true, &options, NULL) == TAGMA_OK &&
                   tagma_open(ctx, path, NULL, &events) == TAGMA_OK &&
                   tagma_reader_new(ctx, events, NULL, &reader) == TAGMA_OK &&
                   tagma_file_open(ctx, path, TAGMA_IO_PREAD, &file) == TAGMA_OK &&
                   tagma_diff(ctx, events, events, NULL, &comparison) == TAGMA_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tagma_comparison_free(comparison);
    tagma_file_release(file);
    tagma_reader_free(reader);
    tagma_events_release(events);
    test_synth_free(&synth);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

/* Every call that fills such a struct. */
static void events_info(void *to)
{
    tagma_events_get_info(events, to);
}
static void storage(void *to)
{
    assert_int_equal(tagma_events_storage(events, 0, to), TAGMA_OK);
}
static void basket(void *to)
{
    assert_int_equal(tagma_events_basket(events, 0, 0, to), TAGMA_OK);
}
static void reader_stats(void *to)
{
    tagma_reader_get_stats(reader, to);
}
static void file_info(void *to)
{
    tagma_file_get_info(file, to);
}
static void tree_info(void *to)
{
    assert_int_equal(tagma_file_tree(ctx, file, 0, to), TAGMA_OK);
}
static void index_info(void *to)
{
    const tagma_index *index;

    assert_int_equal(tagma_events_index(ctx, events, &index), TAGMA_OK);
    tagma_index_get_info(index, to);
}
static void comparison_info(void *to)
{
    tagma_comparison_get_info(comparison, to);
}
static void compared_column(void *to)
{
    assert_int_equal(tagma_comparison_column(comparison, 0, to), TAGMA_OK);
}
static void store_info(void *to)
{
    assert_int_equal(tagma_store_get_info(ctx, events, to), TAGMA_OK);
}
static void store_source(void *to)
{
    assert_int_equal(tagma_store_get_source(ctx, events, 0, to), TAGMA_OK);
}
static void store_column(void *to)
{
    assert_int_equal(tagma_store_get_column(ctx, events, 0, to), TAGMA_OK);
}
static void store_collection(void *to)
{
    assert_int_equal(tagma_store_get_collection(ctx, events, 0, to), TAGMA_OK);
}

/* Cut at every byte, and said to be longer than this version knows. */
static void a_shorter_struct_gets_what_fits(void **state)
{
    static const struct {
        void (*fill)(void *to);
        size_t n;
    } calls[] = {{events_info, sizeof(tagma_events_info)},
                 {storage, sizeof(tagma_storage)},
                 {basket, sizeof(tagma_basket_info)},
                 {reader_stats, sizeof(tagma_reader_stats)},
                 {file_info, sizeof(tagma_file_info)},
                 {tree_info, sizeof(tagma_tree_info)},
                 {index_info, sizeof(tagma_index_info)},
                 {comparison_info, sizeof(tagma_comparison_info)},
                 {compared_column, sizeof(tagma_compared_column)},
                 {store_info, sizeof(tagma_store_info)},
                 {store_source, sizeof(tagma_store_source)},
                 {store_column, sizeof(tagma_store_column)},
                 {store_collection, sizeof(tagma_store_column)}};
    static _Alignas(16) uint8_t full[1024], cut[1024];

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        size_t n = calls[i].n, told;

        memset(full, UNTOUCHED, sizeof full);
        memcpy(full, &n, sizeof n);
        calls[i].fill(full);
        for (told = 0; told <= n + 8; told++) {
            size_t given = told < n ? told : n, found;

            memset(cut, UNTOUCHED, sizeof cut);
            memcpy(cut, &told, sizeof told);
            calls[i].fill(cut);
            memcpy(&found, cut, sizeof found);
            assert_int_equal(found, given < sizeof found ? told : given);
            if (given >= sizeof found)
                assert_memory_equal(cut + sizeof found, full + sizeof found, given - sizeof found);
            for (size_t at = given < sizeof found ? sizeof found : given; at < sizeof cut; at++)
                if (cut[at] != UNTOUCHED)
                    fail_msg("call %zu, %zu bytes: byte %zu was written", i, told, at);
        }
    }
}

/* What a conversion tells is to be freed by what it holds: a struct without that is refused before anything is written. */
static void a_summary_without_its_block_is_refused(void **state)
{
    tagma_convert_summary summary = {.struct_bytes = offsetof(tagma_convert_summary, block)};
    tagma_convert_input input = {.path = path};
    char out[512];

    (void)state;
    snprintf(out, sizeof out, "%s", test_scratch_path(&scratch, "b.tagma"));
    assert_int_equal(tagma_convert(ctx, &input, 1, out, NULL, &summary), TAGMA_E_ARG);
    assert_non_null(strstr(tagma_ctx_message(ctx), "a conversion's summary of"));
    summary.struct_bytes = sizeof summary;
    assert_int_equal(tagma_convert(ctx, &input, 1, out, NULL, &summary), TAGMA_OK);
    assert_int_equal(summary.n_events, N);
    tagma_convert_summary_free(ctx, &summary);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_shorter_struct_gets_what_fits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_summary_without_its_block_is_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
