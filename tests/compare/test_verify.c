/* SPDX-License-Identifier: Apache-2.0
 * A store is what it was made of, or it is told how it is not: in its tiles, its columns section, its origins and its index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <tagma/compare.h>
#include <unistd.h>
#include <xxhash.h>

#include "support/failing.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { N = 300 };

static tagma_ctx *ctx;
static test_scratch scratch;
static char in[512], out[512];
static test_synth synth;

static void must(tagma_status st)
{
    if (st < 0)
        fail_msg("%s: %s", tagma_status_name(st), tagma_ctx_message(ctx));
}

/* Events of every type and shape at `in`. */
static int make_desk(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    test_scratch_make(&scratch);
    must(tagma_ctx_new(NULL, &ctx));
    snprintf(in, sizeof in, "%s", test_scratch_path(&scratch, "in.tagma"));
    snprintf(out, sizeof out, "%s", test_scratch_path(&scratch, "out.tagma"));
    test_synth_make(&synth, ctx, 5, TEST_SYNTH_NULLS | TEST_SYNTH_LONG);
    must(test_store_write(&synth, in, N, 333, false, &options, NULL));
    return 0;
}

static int clear_desk(void **state)
{
    (void)state;
    test_synth_free(&synth);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

static tagma_status verify_in(tagma_ctx *with, const char *path, uint32_t n_sources, tagma_comparison **found)
{
    tagma_convert_input inputs[] = {{in, NULL}, {in, NULL}};
    tagma_events *events;
    tagma_status st = tagma_open(with, path, NULL, &events);

    *found = NULL;
    if (st == TAGMA_OK)
        st = tagma_verify(with, events, inputs, n_sources, NULL, found);
    tagma_events_release(events);
    return st;
}

static tagma_comparison_info verify(uint32_t n_sources, tagma_comparison **found)
{
    tagma_comparison_info info = {.struct_bytes = sizeof info};

    must(verify_in(ctx, out, n_sources, found));
    tagma_comparison_get_info(*found, &info);
    return info;
}

static void convert(const tagma_convert_options *options, uint32_t n_inputs)
{
    tagma_convert_input inputs[] = {{in, NULL}, {in, NULL}};

    must(tagma_convert(ctx, inputs, n_inputs, out, options, NULL));
}

static void every_layout_is_the_same(void **state)
{
    static const uint32_t tiles[] = {1, 8, 64, 65536};

    (void)state;
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        for (int way = 0; way < 4; way++) {
            tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
            tagma_comparison *found;
            tagma_comparison_info info = {.struct_bytes = sizeof info};

            options.tile_events = tiles[i];
            options.no_sparse = way & 1;
            options.sort = way & 2;
            options.hot = way & 1 ? "all" : NULL;
            convert(&options, 2);
            info = verify(2, &found);
            assert_true(info.is_same);
            assert_int_equal(info.alignment, TAGMA_BY_ORIGIN);
            assert_int_equal(info.n_events, 2 * N);
            assert_int_equal(info.n_compared, tagma_schema_n_columns(synth.schema));
            assert_true(info.has_index);
            tagma_comparison_free(found);
        }
}

/* A store of the events of `in` as its provenance says, in which things may be wrong. */
static void write_false(const uint64_t *origins, const tagma_index *index)
{
    static const tg_provenance_absent absents[] = {{0, TAGMA_ABSENT_TREE, "Runs", "TTree", 12}};
    const tg_provenance_source source = {in, "", "dir/Events", 3, 1000, N};
    const tg_provenance provenance = {.tree = "dir/Events",
                                      .title = "",
                                      .cycle = 3,
                                      .producer = "test",
                                      .options = "",
                                      .sources = &source,
                                      .absents = absents,
                                      .n_sources = 1,
                                      .n_absents = 1};
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_store_writer *writer;

    options.columns = "f32,Jet_pt";
    must(tg_store_writer_new(ctx, out, synth.schema, &provenance, &options, &writer));
    must(tg_store_writer_append(ctx, writer, test_synth_batch(&synth, 0, NULL, N, NULL, 0), 0, origins));
    must(tg_store_writer_finish(ctx, writer, index, NULL));
    tg_store_writer_free(ctx, writer);
}

/* An index of the events' own ids, but for `wrong`, whose entry has another. */
static tagma_index *index_but(uint64_t wrong)
{
    static uint64_t runs[N], events[N];
    tagma_index_input input = {2, {false, false}, {"run", "event"}, {runs, events}, N};
    const uint32_t columns[] = {tagma_schema_find(synth.schema, "run"),
                                tagma_schema_find(synth.schema, "event")};
    tagma_batch *batch = test_synth_batch(&synth, 0, NULL, N, columns, 2);
    tagma_index *index;

    for (uint64_t i = 0; i < N; i++) {
        runs[i] = ((const uint32_t *)tagma_batch_column_at(batch, 0)->values)[i];
        events[i] = ((const uint64_t *)tagma_batch_column_at(batch, 1)->values)[i];
    }
    if (wrong < N)
        events[wrong]++;
    tagma_batch_free(batch);
    must(tagma_index_new(ctx, &input, &index));
    return index;
}

static void an_index_that_misses_an_entry_is_told(void **state)
{
    (void)state;
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        tagma_index *index = index_but(is_wrong ? 77 : N);
        tagma_comparison *found;
        tagma_comparison_info info = {.struct_bytes = sizeof info};

        write_false(NULL, index);
        info = verify(1, &found);
        assert_int_equal(info.is_same, !is_wrong);
        assert_int_equal(info.n_unfound, is_wrong);
        if (is_wrong)
            assert_int_equal(info.first_unfound, 77);
        assert_int_equal(info.n_different_columns, 0);
        tagma_comparison_free(found);
        tagma_index_release(index);
    }
}

/* Two rows that say they are one entry: it is there twice, and another not at all. */
static void each_entry_is_there_once(void **state)
{
    uint64_t origins[N], entry;
    tagma_comparison *found;
    tagma_comparison_info info = {.struct_bytes = sizeof info};
    tagma_compared_column column = {.struct_bytes = sizeof column};
    uint32_t source;

    (void)state;
    for (uint64_t i = 0; i < N; i++)
        origins[i] = i;
    origins[9] = 8;
    write_false(origins, NULL);
    info = verify(1, &found);
    assert_false(info.is_same);
    assert_false(info.has_index);
    assert_int_equal(info.n_only_a, 1);
    assert_int_equal(info.n_only_b, 1);
    must(tagma_comparison_only(found, 0, 0, &entry, NULL));
    assert_int_equal(entry, 9);
    must(tagma_comparison_only(found, 1, 0, &entry, &source));
    assert_int_equal(entry, 9);
    assert_int_equal(source, 0);
    assert_int_equal(tagma_comparison_only(found, 1, 1, &entry, &source), TAGMA_E_RANGE);
    /* The row is compared with what it says it is, and differs from that. */
    assert_int_equal(info.n_different, 1);
    must(tagma_comparison_column(found, tagma_schema_find(synth.schema, "event"), &column));
    assert_int_equal(column.n_different, 1);
    assert_int_equal(column.entry_a, 9);
    assert_int_equal(column.entry_b, 8);
    /* Both copies differ; the event counts once. */
    must(tagma_comparison_column(found, tagma_schema_find(synth.schema, "f32"), &column));
    assert_int_equal(column.n_different, 1);
    assert_false(column.is_in_columns_section);
    tagma_comparison_free(found);
}

/* Change a value in the columns section of `out`, and its checksum, so that nothing but the tiles can tell. */
static void change_chunk_of(const char *name)
{
    test_bytes file = test_read_file(out);
    uint32_t which = tagma_schema_find(synth.schema, name), number = 0;
    const tg_section *chunks, *clusters;
    tg_header header;
    tg_cluster cluster;
    uint8_t *chunk;
    uint64_t n, sum;
    int fd = open(out, O_WRONLY);

    assert_true(fd >= 0);
    must(tg_header_load(ctx, file.bytes, TG_HEADER_BYTES, file.n, "out", &header));
    chunks = tg_header_section(&header, TG_STORE_SECTION_CHUNKS);
    clusters = tg_header_section(&header, TG_STORE_SECTION_CLUSTERS);
    must(tg_directory_load(ctx, &header, file.bytes + clusters->offset, clusters->bytes, "out", &cluster));
    while (tg_le32(file.bytes + chunks->offset + 4 * (size_t)number) != which)
        assert_true(++number < header.n_chunks);
    chunk = file.bytes + chunks->offset + 4 * (size_t)(header.n_chunks + number);
    n = tg_le32(chunk + 4) - tg_le32(chunk);
    chunk = file.bytes + cluster.chunks_at + tg_le32(chunk);
    chunk[n - 40] ^= 4;
    sum = XXH3_64bits(chunk + 4, n - 4) + (uint64_t)which * 0x9E3779B1U;
    for (int i = 0; i < 4; i++)
        chunk[i] = (uint8_t)(sum >> (8 * i));
    assert_int_equal(pwrite(fd, chunk, n, (off_t)(chunk - file.bytes)), (ssize_t)n);
    close(fd);
    free(file.bytes);
}

static void the_copy_in_the_columns_section_is_compared_too(void **state)
{
    tagma_compared_column column = {.struct_bytes = sizeof column};
    tagma_comparison *found;
    tagma_comparison_info info = {.struct_bytes = sizeof info};

    (void)state;
    write_false(NULL, NULL);
    change_chunk_of("Jet_pt");
    info = verify(1, &found);
    assert_false(info.is_same);
    assert_int_equal(info.n_damaged, 0);
    assert_int_equal(info.n_different_columns, 1);
    must(tagma_comparison_column(found, tagma_schema_find(synth.schema, "Jet_pt"), &column));
    assert_true(column.n_different >= 1);
    assert_int_equal(info.n_different, column.n_different);
    assert_true(column.is_in_columns_section);
    assert_true(column.item >= 0);
    tagma_comparison_free(found);
}

static void what_is_no_store_or_has_other_sources_is_refused(void **state)
{
    tagma_comparison *found;

    (void)state;
    convert(NULL, 2);
    assert_int_equal(verify_in(ctx, out, 1, &found), TAGMA_E_ARG);
    assert_non_null(strstr(tagma_ctx_message(ctx), "was made of 2 files, 1 given"));
    assert_null(found);
}

/* Columns of the source that the store has not, and says so, and does not say so. */
static void what_is_left_out_is_no_difference_if_it_is_said(void **state)
{
    tagma_convert_options options = TAGMA_CONVERT_OPTIONS_INIT;
    tagma_compared_column column = {.struct_bytes = sizeof column};
    tagma_comparison *found;
    tagma_comparison_info info = {.struct_bytes = sizeof info};
    uint32_t n_left_out = 0;

    (void)state;
    options.drop = "f32,Jet_*";
    convert(&options, 1);
    info = verify(1, &found);
    assert_true(info.is_same);
    for (uint32_t i = 0; tagma_comparison_column(found, i, &column) == TAGMA_OK; i++)
        n_left_out += column.relation == TAGMA_LEFT_OUT;
    assert_true(n_left_out > 10);
    assert_int_equal(info.n_compared + n_left_out, tagma_schema_n_columns(synth.schema));
    tagma_comparison_free(found);
}

static int stop_at_once(void *user, const tagma_progress *progress)
{
    (void)user;
    (void)progress;
    return 1;
}

static void what_is_cancelled_says_so(void **state)
{
    tagma_comparison *found;

    (void)state;
    convert(NULL, 1);
    tagma_ctx_on_progress(ctx, stop_at_once, NULL);
    assert_int_equal(verify_in(ctx, out, 1, &found), TAGMA_E_CANCELLED);
    assert_null(found);
    tagma_ctx_on_progress(ctx, NULL, NULL);
}

/* The n-th allocation fails: words and nothing lost, or the same answer by shorter steps. */
static void survives_each_allocation_that_fails(void **state)
{
    test_failing failing = {0, 1};
    bool is_met = true;

    (void)state;
    convert(NULL, 1);
    for (; is_met; failing.fails += 1 + failing.fails / 6) {
        tagma_ctx *own = test_failing_ctx(&failing, NULL);
        tagma_comparison_info info = {.struct_bytes = sizeof info};
        tagma_comparison *found;
        tagma_status st = verify_in(own, out, 1, &found);

        is_met = failing.n >= failing.fails;
        assert_true(st == TAGMA_OK || *tagma_ctx_message(own) != 0);
        assert_true(is_met || st == TAGMA_OK);
        if (st == TAGMA_OK) {
            tagma_comparison_get_info(found, &info);
            assert_true(info.is_same);
            assert_int_equal(info.n_events, N);
        } else {
            assert_null(found);
        }
        tagma_comparison_free(found);
        assert_int_equal(tagma_ctx_memory(own), 0);
        tagma_ctx_free(own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_layout_is_the_same, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(an_index_that_misses_an_entry_is_told, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(each_entry_is_there_once, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(the_copy_in_the_columns_section_is_compared_too, make_desk,
                                        clear_desk),
        cmocka_unit_test_setup_teardown(what_is_no_store_or_has_other_sources_is_refused, make_desk,
                                        clear_desk),
        cmocka_unit_test_setup_teardown(what_is_left_out_is_no_difference_if_it_is_said, make_desk,
                                        clear_desk),
        cmocka_unit_test_setup_teardown(what_is_cancelled_says_so, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, make_desk, clear_desk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
