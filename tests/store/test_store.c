/* SPDX-License-Identifier: Apache-2.0
 * What goes into a store comes out of it, bit for bit, whatever its layout and however it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

static tagma_ctx *ctx;
static test_scratch scratch;

static void no_fault(void *user, const tagma_fault *fault)
{
    (void)user;
    fail_msg("fault: %s", fault->message);
}

static int set_up(void **state)
{
    (void)state;
    test_scratch_make(&scratch);
    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return -1;
    tagma_ctx_on_fault(ctx, no_fault, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

static void must(tagma_status st)
{
    if (st != TAGMA_OK)
        fail_msg("%s: %s", tagma_status_name(st), tagma_ctx_message(ctx));
}

static const char *write_store(const test_synth *synth, const char *name, uint64_t n, uint64_t step,
                               const tg_store_options *options)
{
    const char *path = test_scratch_path(&scratch, name);
    tg_store_summary summary;

    must(test_store_write(synth, path, n, step, true, options, &summary));
    assert_int_equal(summary.n_events, n);
    return path;
}

static tagma_events *open_store(const char *path, tagma_io io)
{
    tagma_events *events;

    must(test_store_open(ctx, path, io, &events));
    return events;
}

static void check_rows(const test_synth *synth, tagma_reader *reader, const uint64_t *entries, uint64_t n,
                       const uint32_t *columns, uint32_t n_columns)
{
    tagma_batch *expected = test_synth_batch(synth, 0, entries, n, columns, n_columns), *found;
    const char *difference;

    must(tagma_read_rows(ctx, reader, entries, n, columns, n_columns, &found));
    difference = test_batch_difference(expected, found);
    if (difference)
        fail_msg("rows: %s", difference);
    tagma_batch_free(expected);
    tagma_batch_free(found);
}

static void check_range(const test_synth *synth, tagma_reader *reader, uint64_t first, uint64_t n,
                        const uint32_t *columns, uint32_t n_columns)
{
    tagma_batch *expected = test_synth_batch(synth, first, NULL, n, columns, n_columns), *found;
    const char *difference;

    must(tagma_read_columns(ctx, reader, first, n, columns, n_columns, &found));
    difference = test_batch_difference(expected, found);
    if (difference)
        fail_msg("entries %llu + %llu: %s", (unsigned long long)first, (unsigned long long)n, difference);
    tagma_batch_free(expected);
    tagma_batch_free(found);
}

static void check_events(const test_synth *synth, tagma_reader *reader, const uint32_t *columns,
                         uint32_t n_columns, uint64_t step)
{
    const tagma_schema *schema = tagma_events_schema(tagma_reader_events(reader));
    uint64_t n = tagma_events_n_entries(tagma_reader_events(reader));
    tagma_batch *expected = test_synth_batch(synth, 0, NULL, n, columns, n_columns);
    static uint64_t record[8192];
    tagma_record_plan *plan;

    must(tagma_record_plan_new(ctx, schema, columns, n_columns, &plan));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t entry = i * step % n;
        const char *difference;
        size_t needed;

        must(tagma_read_event(ctx, reader, plan, entry, record, sizeof record, &needed));
        difference = test_record_difference(plan, record, expected, entry);
        if (difference)
            fail_msg("entry %llu: %s", (unsigned long long)entry, difference);
        if (i % 50 == 0) {
            assert_int_equal(tagma_read_event(ctx, reader, plan, entry, record, needed - 1, &needed),
                             TAGMA_E_LIMIT);
            assert_true(needed <= sizeof record);
        }
    }
    tagma_record_plan_free(plan);
    tagma_batch_free(expected);
}

/* Every way of reading against what was written. */
static void check_store(const test_synth *synth, const char *path, tagma_io io)
{
    tagma_events *events = open_store(path, io);
    uint64_t n = tagma_events_n_entries(events), entries[64], n_tiles, n_faults;
    uint32_t n_columns = tagma_schema_n_columns(synth->schema), some[8];
    tagma_reader *reader;

    assert_int_equal(tagma_schema_n_columns(tagma_events_schema(events)), n_columns);
    must(tagma_reader_new(ctx, events, NULL, &reader));
    check_range(synth, reader, 0, n, NULL, 0);
    check_range(synth, reader, n / 3, n / 2, NULL, 0);
    check_range(synth, reader, n - 1, 1, NULL, 0);
    check_range(synth, reader, n / 2, 0, NULL, 0);
    for (uint32_t c = 0; c < n_columns; c++) {
        check_range(synth, reader, 0, n, &c, 1);
        check_range(synth, reader, n / 5, n < 9 ? 1 : 3, &c, 1);
    }
    for (uint32_t i = 0; i < 8; i++)
        some[i] = n_columns - 1 - i;
    check_range(synth, reader, 1, n - 1, some, 8);
    for (uint32_t i = 0; i < 64; i++)
        entries[i] = (i * i * 37 + 11 * (63 - i)) % n;
    check_rows(synth, reader, entries, 64, NULL, 0);
    check_rows(synth, reader, entries, 64, some, 3);
    check_events(synth, reader, NULL, 0, 1);
    check_events(synth, reader, NULL, 0, 37);
    check_events(synth, reader, some, 5, 1);
    must(tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults));
    assert_int_equal(n_faults, 0);
    assert_true(n_tiles > 0);
    tagma_reader_free(reader);
    tagma_events_release(events);
}

static void round_trip(unsigned flags, uint64_t n, uint64_t step, const tg_store_options *options)
{
    test_synth synth;
    const char *path;

    test_synth_make(&synth, ctx, n + flags, flags);
    path = write_store(&synth, "a.tagma", n, step, options);
    check_store(&synth, path, TAGMA_IO_PREAD);
    check_store(&synth, path, TAGMA_IO_MMAP);
    test_synth_free(&synth);
}

static void every_layout_gives_back_what_was_written(void **state)
{
    static const uint32_t tiles[] = {1, 2, 8, 64, 512, 65536};
    static const char *const columns[] = {NULL, "none", "all", "nJet,Jet_pt,f32,b,vecs_id"};

    (void)state;
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++)
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
            for (int plain = 0; plain < (columns[c] ? 1 : 2); plain++) {
                tg_store_options options = TG_STORE_OPTIONS_INIT;

                options.tile_events = tiles[t];
                options.columns = columns[c];
                options.is_plain_only = plain;
                round_trip(plain ? 0 : TEST_SYNTH_NULLS | TEST_SYNTH_LONG, 301, 100, &options);
            }
}

static void collections_are_raw_slices_of_one_event(void **state)
{
    static const uint64_t numbers[] = {1, 9, 65, 301};
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    options.layout = TG_LAYOUT_COLLECTION;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        round_trip(TEST_SYNTH_NULLS | TEST_SYNTH_LONG, numbers[i], 100, &options);
}

/* Blocks change how the file lies on the disk, and nothing of what is read. */
static void any_layout_is_read_through_blocks(void **state)
{
    static const uint32_t layouts[] = {TG_LAYOUT_TILES, TG_LAYOUT_COLLECTION};
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_store_summary packed, plain;
    test_synth synth;

    (void)state;
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++)
        for (int c = TG_BLOCK_ZSTD; c <= TG_BLOCK_LZ4; c++) {
            options.layout = layouts[l];
            options.blocks =
                (tg_blocks_options){c == TG_BLOCK_LZ4 ? 8 << 10 : 64 << 10, (tg_block_codec)c, NULL};
            round_trip(TEST_SYNTH_NULLS | TEST_SYNTH_LONG, 301, 100, &options);
        }
    test_synth_make(&synth, ctx, 3, 0);
    must(test_store_write(&synth, test_scratch_path(&scratch, "a.tagma"), 300, 100, true, &options, &packed));
    options.blocks.block_bytes = 0;
    must(test_store_write(&synth, test_scratch_path(&scratch, "a.tagma"), 300, 100, true, &options, &plain));
    assert_true(packed.file_bytes < plain.file_bytes);
    options.blocks.block_bytes = 4096;
    assert_int_equal(test_store_write(&synth, scratch.path, 5, 5, true, &options, &plain), TAGMA_E_ARG);
    test_synth_free(&synth);
}

/* What the collection layout is does not go with tiles of many events or columns by themselves. */
static void collections_take_no_options_of_tiles(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_store_summary summary;
    test_synth synth;

    (void)state;
    test_synth_make(&synth, ctx, 3, 0);
    options.layout = TG_LAYOUT_COLLECTION;
    options.tile_events = 8;
    assert_int_equal(
        test_store_write(&synth, test_scratch_path(&scratch, "a.tagma"), 5, 5, true, &options, &summary),
        TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(ctx), "layout collection has one event a tile, not 8");
    options.tile_events = 1;
    options.columns = "all";
    assert_int_equal(
        test_store_write(&synth, test_scratch_path(&scratch, "a.tagma"), 5, 5, true, &options, &summary),
        TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(ctx), "layout collection has no columns by themselves");
    test_synth_free(&synth);
}

static void any_number_of_events_is_kept(void **state)
{
    static const uint64_t numbers[] = {1, 7, 8, 9, 63, 64, 65, 500};
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        round_trip(TEST_SYNTH_NULLS, numbers[i], 17, &options);
}

/* Clusters end at 65,536 events, and what is read across their borders is whole. */
static void clusters_follow_each_other(void **state)
{
    enum { N = 140000 };
    test_synth synth;
    tagma_events *events;
    tagma_reader *reader;
    const char *path;
    uint64_t entries[600];
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    test_synth_make(&synth, ctx, 5, TEST_SYNTH_SCALARS | TEST_SYNTH_NULLS);
    path = write_store(&synth, "a.tagma", N, 30000, &options);
    events = open_store(path, TAGMA_IO_PREAD);
    assert_int_equal(tagma_events_cluster(events, 1), 65536);
    assert_int_equal(tagma_events_cluster(events, 2), 131072);
    assert_int_equal(tagma_events_cluster(events, 3), N);
    must(tagma_reader_new(ctx, events, NULL, &reader));
    check_range(&synth, reader, 65530, 20, NULL, 0);
    check_range(&synth, reader, 60000, 75000, NULL, 0);
    check_range(&synth, reader, N - 1, 1, NULL, 0);
    for (uint64_t i = 0; i < 600; i++)
        entries[i] = i * 7919 * 31 % N;
    check_rows(&synth, reader, entries, 600, NULL, 0);
    tagma_reader_free(reader);
    tagma_events_release(events);
    test_synth_free(&synth);
}

static test_bytes read_scratch(const char *name)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", scratch.dir, name);
    return test_read_file(path);
}

static void check_equal_files(const char *a, const char *b)
{
    test_bytes bytes_a = read_scratch(a), bytes_b = read_scratch(b);

    assert_int_equal(bytes_a.n, bytes_b.n);
    assert_memory_equal(bytes_a.bytes, bytes_b.bytes, bytes_a.n);
    free(bytes_a.bytes);
    free(bytes_b.bytes);
}

/* How the events came in batches, and how many threads wrote, leaves no trace. */
static void bytes_depend_on_events_alone(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    test_synth synth;

    (void)state;
    test_synth_make(&synth, ctx, 11, TEST_SYNTH_NULLS | TEST_SYNTH_LONG);
    (void)write_store(&synth, "one", 700, 700, &options);
    (void)write_store(&synth, "many", 700, 3, &options);
    must(tagma_pool_new(ctx, 3, &options.pool));
    (void)write_store(&synth, "threads", 700, 41, &options);
    tagma_pool_free(options.pool);
    check_equal_files("one", "many");
    check_equal_files("one", "threads");
    test_synth_free(&synth);
}

/* One tile, one request. */
static void an_event_is_one_request(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    static uint64_t record[8192];
    tagma_reader_stats before = {.struct_bytes = sizeof before}, after = before;
    tagma_record_plan *plan;
    tagma_reader *reader;
    tagma_events *events;
    test_synth synth;

    (void)state;
    options.tile_events = 8;
    test_synth_make(&synth, ctx, 3, 0);
    events = open_store(write_store(&synth, "a.tagma", 500, 100, &options), TAGMA_IO_PREAD);
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan));
    must(tagma_read_event(ctx, reader, plan, 0, record, sizeof record, NULL));
    tagma_reader_get_stats(reader, &before);
    for (uint64_t entry = 8; entry < 500; entry += 8)
        must(tagma_read_event(ctx, reader, plan, entry, record, sizeof record, NULL));
    tagma_reader_get_stats(reader, &after);
    assert_int_equal(after.io.requests - before.io.requests, 62);
    must(tagma_read_event(ctx, reader, plan, 499, record, sizeof record, NULL)); /* the same tile */
    tagma_reader_get_stats(reader, &after);
    assert_int_equal(after.io.requests - before.io.requests, 62);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    tagma_events_release(events);
    test_synth_free(&synth);
}

static void it_tells_where_it_comes_from(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_open_options open_options = TAGMA_OPEN_OPTIONS_INIT;
    tagma_events_info info = {.struct_bytes = sizeof info};
    const tagma_index *index;
    tagma_source *source;
    tagma_events *events;
    tg_provenance provenance;
    uint64_t entry, ids[TAGMA_MAX_ID_AXES] = {273159, 919}, found[2];
    tagma_storage storage = {.struct_bytes = sizeof storage};
    const char *path;
    test_synth synth;
    size_t n;
    void *block;

    (void)state;
    test_synth_make(&synth, ctx, 3, 0);
    path = write_store(&synth, "a.tagma", 100, 100, &options);
    events = open_store(path, TAGMA_IO_PREAD);
    tagma_events_get_info(events, &info);
    assert_string_equal(info.tree, "dir/Events");
    assert_string_equal(info.title, "made up");
    assert_int_equal(info.cycle, 3);
    must(tg_store_provenance(ctx, events, &provenance, &block));
    assert_int_equal(provenance.n_sources, 2);
    assert_string_equal(provenance.sources[0].uuid, "6ad1-77");
    assert_string_equal(provenance.sources[1].file, "y.root");
    assert_string_equal(provenance.absents[1].words, "a matrix");
    assert_int_equal(provenance.absents[0].n, 12);
    tg_free(ctx, block);
    must(tg_store_origin(ctx, events, 99, &entry));
    assert_int_equal(entry, 99);
    assert_int_equal(tg_store_origin(ctx, events, 100, &entry), TAGMA_E_RANGE);
    must(tg_store_index(ctx, events, &index));
    assert_int_equal(tagma_index_find(index, ids, found, 2, &n), TAGMA_OK);
    assert_int_equal(found[0], 1);
    must(tagma_events_storage(events, tagma_schema_find(tagma_events_schema(events), "run"), &storage));
    assert_string_equal(storage.codec, "constant");
    assert_int_equal(storage.bytes, 400);
    must(tagma_events_storage(events, tagma_schema_find(tagma_events_schema(events), "nJet"), &storage));
    assert_string_equal(storage.codec, "count");
    must(tagma_events_storage(events, tagma_schema_find(tagma_events_schema(events), "Jet_price"), &storage));
    assert_string_equal(storage.codec, "decimal");
    must(
        tagma_events_storage(events, tagma_schema_find(tagma_events_schema(events), "price_twin"), &storage));
    assert_string_equal(storage.codec, "alias");
    assert_int_equal(tagma_schema_find(tagma_events_schema(events), "nJett"), TAGMA_NONE);
    tagma_events_release(events);
    must(tagma_source_open(ctx, path, TAGMA_IO_PREAD, &source));
    open_options.tree = "Events;2";
    assert_int_equal(tg_store_open(ctx, source, &open_options, &events), TAGMA_E_NAME);
    assert_non_null(strstr(tagma_ctx_message(ctx), "it holds dir/Events;3"));
    open_options.tree = "Events;3";
    must(tg_store_open(ctx, source, &open_options, &events));
    tagma_events_release(events);
    tagma_source_release(source);
    test_synth_free(&synth);
}

/* Rows out of order keep their entries: as runs where there are few, as numbers else. */
static void rows_keep_their_entries(void **state)
{
    (void)state;
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        tg_origins origins = {0};
        tg_buf buf = TG_BUF_INIT;

        for (uint64_t row = 0; row < 1000; row++)
            must(tg_origins_add(ctx, &origins, shuffled ? row * 389 % 1000 : (row + 500) % 1000, 1));
        must(tg_origins_write(ctx, &origins, &buf));
        must(tg_origins_check(ctx, buf.bytes, buf.n, 1000, "x", 0));
        for (uint64_t row = 0; row < 1000; row++)
            assert_int_equal(tg_origins_at(buf.bytes, row), shuffled ? row * 389 % 1000 : (row + 500) % 1000);
        assert_true(buf.n < (shuffled ? 1400 : 70));
        for (uint64_t n = 0; n < buf.n; n++)
            assert_int_equal(tg_origins_check(ctx, buf.bytes, n, 1000, "x", 0), TAGMA_E_CORRUPT);
        tg_buf_free(ctx, &buf);
        tg_origins_free(ctx, &origins);
    }
}

/* A writer that is dropped, or fails, leaves neither the file nor a trace of it. */
static void what_is_not_finished_is_not_there(void **state)
{
    static const tg_provenance provenance = {
        .tree = "t", .title = "", .cycle = 1, .producer = "", .options = ""};
    const char *path = test_scratch_path(&scratch, "a.tagma");
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_store_writer *writer;
    test_synth synth, other;

    (void)state;
    test_synth_make(&synth, ctx, 3, 0);
    test_synth_make(&other, ctx, 3, TEST_SYNTH_SCALARS);
    must(tg_store_writer_new(ctx, path, synth.schema, &provenance, &options, &writer));
    must(tg_store_writer_append(ctx, writer, test_synth_batch(&synth, 0, NULL, 10, NULL, 0), 0, NULL));
    assert_int_equal(
        tg_store_writer_append(ctx, writer, test_synth_batch(&other, 0, NULL, 10, NULL, 0), 0, NULL),
        TAGMA_E_ARG);
    assert_int_equal(tg_store_writer_finish(ctx, writer, NULL, NULL), TAGMA_E_ARG);
    tg_store_writer_free(ctx, writer);
    options.tile_events = 24;
    assert_int_equal(tg_store_writer_new(ctx, path, synth.schema, &provenance, &options, &writer),
                     TAGMA_E_ARG);
    options.tile_events = 8;
    options.columns = "nonsense";
    assert_int_equal(tg_store_writer_new(ctx, path, synth.schema, &provenance, &options, &writer),
                     TAGMA_E_NAME);
    assert_int_equal(rmdir(scratch.dir), 0); /* it is empty */
    assert_int_equal(mkdir(scratch.dir, 0700), 0);
    test_synth_free(&synth);
    test_synth_free(&other);
}

/* Task: a reader of its own over events that all share, by a way of its own. */
static tagma_status read_in_thread(tagma_ctx *worker, void *user, uint32_t number, uint64_t task)
{
    tagma_events *events = user;
    const tagma_index *index;
    tagma_batch *batch = NULL;
    tagma_reader *reader;
    tagma_status st = tagma_reader_new(worker, events, NULL, &reader);

    (void)number;
    if (st == TAGMA_OK)
        st = tg_store_index(worker, events, &index);
    if (st == TAGMA_OK)
        st = tagma_read_columns(worker, reader, task, 300, NULL, 0, &batch);
    tagma_batch_free(batch);
    tagma_reader_free(reader);
    return st;
}

/* Two stores of one schema: it is loaded once, and lives as long as one of them. */
static void stores_of_one_schema_share_it(void **state)
{
    static uint64_t record[4096];
    static const tagma_io ways[] = {TAGMA_IO_PREAD, TAGMA_IO_MMAP};
    char paths[2][4096];
    tagma_events *events[2], *other;
    tagma_record_plan *plan;
    test_synth synth;
    const tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_reader *reader;
    size_t needed;

    (void)state;
    test_synth_make(&synth, ctx, 7, 0);
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s",
                 test_scratch_path(&scratch, i == 0 ? "one.tagma" : "two.tagma"));
        assert_int_equal(test_store_write(&synth, paths[i], 20 + (uint64_t)i, 20, false, &options, NULL),
                         TAGMA_OK);
    }
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(test_store_open(ctx, paths[i], ways[w], &events[i]), TAGMA_OK);
        assert_ptr_equal(tagma_events_schema(events[0]), tagma_events_schema(events[1]));
        tagma_events_release(events[0]);
        assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events[1]), NULL, 0, &plan),
                         TAGMA_OK);
        assert_int_equal(tagma_reader_new(ctx, events[1], NULL, &reader), TAGMA_OK);
        assert_int_equal(tagma_read_event(ctx, reader, plan, 20, record, sizeof record, &needed), TAGMA_OK);
        assert_string_equal(tagma_schema_column(tagma_events_schema(events[1]), 0)->name,
                            tagma_schema_column(synth.schema, 0)->name);
        tagma_reader_free(reader);
        tagma_record_plan_free(plan);
        assert_int_equal(test_store_open(ctx, paths[0], ways[w], &other), TAGMA_OK);
        assert_ptr_equal(tagma_events_schema(other), tagma_events_schema(events[1]));
        tagma_events_release(events[1]);
        tagma_events_release(other);
    }
    test_synth_free(&synth);
}

static void threads_share_events(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_events *events;
    tagma_pool *pool;
    test_synth synth;

    (void)state;
    test_synth_make(&synth, ctx, 3, TEST_SYNTH_NULLS);
    events = open_store(write_store(&synth, "a.tagma", 400, 100, &options), TAGMA_IO_PREAD);
    must(tagma_pool_new(ctx, 4, &pool));
    must(tg_pool_run(ctx, pool, 40, read_in_thread, events, NULL, NULL));
    tagma_pool_free(pool);
    tagma_events_release(events);
    test_synth_free(&synth);
}

/* Columns decoded by a pool are those decoded without. */
static void a_pool_reads_the_same(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_reader_options reader_options = TAGMA_READER_OPTIONS_INIT;
    tagma_events *events;
    tagma_reader *reader;
    test_synth synth;

    (void)state;
    options.columns = "none";
    test_synth_make(&synth, ctx, 3, TEST_SYNTH_NULLS);
    events = open_store(write_store(&synth, "a.tagma", 3000, 1000, &options), TAGMA_IO_PREAD);
    must(tagma_pool_new(ctx, 3, &reader_options.pool));
    must(tagma_reader_new(ctx, events, &reader_options, &reader));
    check_range(&synth, reader, 0, 3000, NULL, 0);
    tagma_reader_free(reader);
    tagma_pool_free(reader_options.pool);
    tagma_events_release(events);
    test_synth_free(&synth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(collections_are_raw_slices_of_one_event, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_layout_is_read_through_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(collections_take_no_options_of_tiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_number_of_events_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_layout_gives_back_what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clusters_follow_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_depend_on_events_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_event_is_one_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_tells_where_it_comes_from, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_keep_their_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_finished_is_not_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stores_of_one_schema_share_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_share_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pool_reads_the_same, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
