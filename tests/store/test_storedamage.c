/* SPDX-License-Identifier: Apache-2.0
 * Whatever the bytes of a store are, and wherever memory ends: words, and never a wrong value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <tagma/store.h>
#include <unistd.h>
#include <xxhash.h>

#include "support/failing.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { N_EVENTS = 90 };

static test_scratch scratch;
static tagma_ctx *ctx;
static test_synth synth;
static test_bytes sound;
static tagma_batch *expected;
static uint64_t n_told;

static void count_fault(void *user, const tagma_fault *fault)
{
    (void)user;
    assert_true(strlen(fault->message) > 10);
    n_told++;
}

static int set_up(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    const char *path;

    (void)state;
    test_scratch_make(&scratch);
    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return -1;
    tagma_ctx_on_fault(ctx, count_fault, NULL);
    test_synth_make(&synth, ctx, 77, TEST_SYNTH_NULLS);
    path = test_scratch_path(&scratch, "a.tagma");
    options.columns = "run,nJet,Jet_pt,vecs_id,f32,b,i64,pages";
    options.tile_events = 8;
    if (test_store_write(&synth, path, N_EVENTS, N_EVENTS, true, &options, NULL) != TAGMA_OK)
        return -1;
    sound = test_read_file(path);
    expected = test_synth_batch(&synth, 0, NULL, N_EVENTS, NULL, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tagma_batch_free(expected);
    test_synth_free(&synth);
    free(sound.bytes);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

/* Bytes that cannot be viewed, as those of a file that is read by pread. */
static int read_bytes(void *user, uint64_t offset, void *dst, size_t n)
{
    memcpy(dst, (const uint8_t *)user + offset, n);
    return 0;
}

static tagma_status open_bytes(tagma_ctx *with, uint8_t *bytes, size_t n, bool by_view, tagma_events **out)
{
    static const tagma_source_functions functions = {sizeof functions, read_bytes, NULL};
    tagma_source *source;
    tagma_status st = by_view ? tagma_source_memory(with, bytes, n, "x.tagma", &source)
                              : tagma_source_custom(with, &functions, bytes, n, "x.tagma", &source);

    *out = NULL;
    if (st < 0)
        return st;
    st = tg_store_open(with, source, NULL, out);
    tagma_source_release(source);
    return st;
}

static bool has_words(tagma_status st)
{
    return st >= 0 || strlen(tagma_ctx_message(ctx)) > 10;
}

/* Values that a batch says are good are those that were written. */
static void check_batch(tagma_batch *found, uint64_t at)
{
    static uint64_t record[4096];
    tagma_record_plan *plan;
    size_t needed;

    assert_int_equal(tagma_record_plan_new(ctx, synth.schema, NULL, 0, &plan), TAGMA_OK);
    for (uint64_t i = 0; i < tagma_batch_n_entries(found); i++) {
        const char *difference;

        assert_int_equal(tg_record_from_batch(ctx, plan, found, i, record, sizeof record, &needed), TAGMA_OK);
        difference = test_record_difference(plan, record, expected, i);
        if (difference)
            fail_msg("byte %llu: entry %llu: %s", (unsigned long long)at, (unsigned long long)i, difference);
    }
    tagma_record_plan_free(plan);
}

static void read_all(tagma_events *events, uint64_t at)
{
    static uint64_t record[4096];
    uint64_t n_tiles, n_faults, told = n_told;
    bool failed = false;
    tagma_record_plan *plan;
    tagma_reader *reader;
    tagma_batch *batch;
    tagma_status st;

    /* A schema that opened is the one that was written: its section is verified. */
    assert_int_equal(tagma_events_n_entries(events), N_EVENTS);
    assert_int_equal(tagma_reader_new(ctx, events, NULL, &reader), TAGMA_OK);
    assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), TAGMA_OK);
    st = tagma_read_columns(ctx, reader, 0, N_EVENTS, NULL, 0, &batch);
    assert_true(has_words(st));
    failed |= st < 0;
    if (st == TAGMA_OK)
        check_batch(batch, at);
    tagma_batch_free(batch);
    for (uint64_t i = 0; i < N_EVENTS; i++) {
        st = tagma_read_event(ctx, reader, plan, i, record, sizeof record, NULL);
        assert_true(has_words(st));
        failed |= st < 0;
        if (st == TAGMA_OK) {
            const char *difference = test_record_difference(plan, record, expected, i);
            if (difference)
                fail_msg("byte %llu: event %llu: %s", (unsigned long long)at, (unsigned long long)i,
                         difference);
        }
    }
    failed |= n_told > told;
    st = tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults);
    assert_true(has_words(st));
    if (failed)
        assert_true(st < 0 || n_faults > 0);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
}

/* Every value that comes out of a store with a changed byte is right, or said not to be. */
static void a_changed_byte_is_never_a_wrong_value(void **state)
{
    uint64_t noise = 1;

    (void)state;
    for (size_t at = 0; at < sound.n; at += 1 + (noise >> 33) % 131) {
        tagma_events *events;
        uint8_t bit;
        tagma_status st;

        noise = noise * UINT64_C(6364136223846793005) + 1442695040888963407;
        bit = (uint8_t)(1U << (noise >> 40) % 8);
        sound.bytes[at] ^= bit;
        st = open_bytes(ctx, sound.bytes, sound.n, noise >> 50 & 1, &events);
        assert_true(st == TAGMA_OK ? events != NULL : events == NULL && has_words(st));
        if (st == TAGMA_OK)
            read_all(events, at);
        tagma_events_release(events);
        sound.bytes[at] ^= bit;
    }
}

static void a_cut_store_never_opens(void **state)
{
    (void)state;
    for (size_t n = 0; n < sound.n; n++) {
        tagma_events *events;
        tagma_status st = open_bytes(ctx, sound.bytes, n, n % 2, &events);

        assert_true(st == TAGMA_E_TRUNCATED || (st == TAGMA_E_CORRUPT && n < 8));
        assert_true(has_words(st));
        assert_null(events);
    }
}

static void foreign_and_newer_stores_are_told_apart(void **state)
{
    tagma_events *events;

    (void)state;
    sound.bytes[8] = 2;
    assert_int_equal(open_bytes(ctx, sound.bytes, sound.n, true, &events), TAGMA_E_UNSUPPORTED);
    assert_non_null(strstr(tagma_ctx_message(ctx), "store of format 2.1, this program reads 1"));
    sound.bytes[8] = 1;
    memmove(sound.bytes + 4, sound.bytes + 5, 20); /* CR LF became LF */
    assert_int_equal(open_bytes(ctx, sound.bytes, sound.n, true, &events), TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(ctx), "copied as text"));
    memcpy(sound.bytes, "root", 4);
    assert_int_equal(open_bytes(ctx, sound.bytes, sound.n, true, &events), TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(ctx), "no store of Tagma"));
}

/* A store whose schema section is damaged is refused; where another's equal schema is there already it is read with that, and
 * check says so. */
static void a_damaged_schema_is_told_though_another_serves(void **state)
{
    uint8_t *bytes = malloc(sound.n);
    tagma_events *whole, *damaged;
    tg_header header;
    uint64_t n_faults = 0;

    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, sound.bytes, sound.n);
    assert_int_equal(tg_header_load(ctx, bytes, sound.n, sound.n, "x.tagma", &header), TAGMA_OK);
    bytes[tg_header_section(&header, TG_STORE_SECTION_SCHEMA)->offset + 70] ^= 1;
    assert_int_equal(open_bytes(ctx, bytes, sound.n, false, &damaged), TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(ctx), "section schema"));
    assert_int_equal(open_bytes(ctx, sound.bytes, sound.n, false, &whole), TAGMA_OK);
    assert_int_equal(open_bytes(ctx, bytes, sound.n, false, &damaged), TAGMA_OK);
    n_told = 0;
    assert_int_equal(tg_store_check_sections(ctx, tg_store_of(damaged), &n_faults), TAGMA_OK);
    assert_int_equal(n_told, 1);
    tagma_events_release(damaged);
    tagma_events_release(whole);
    free(bytes);
}

/* The row of section `id` in the head's table. */
static uint8_t *row_of(uint8_t *bytes, uint32_t id)
{
    uint8_t *row = bytes + TG_HEADER_FIXED;

    while (tg_le32(row) != id)
        row += TG_STORE_SECTION_BYTES;
    return row;
}

/* Give a section and the head the checksums of their bytes, as whoever wrote them would have done. */
static void seal(uint8_t *bytes, uint32_t id)
{
    uint8_t *row = row_of(bytes, id);

    tg_put_le64(row + 24, XXH3_64bits(bytes + tg_le64(row + 8), tg_le64(row + 16)));
    tg_put_le64(bytes + TG_HEADER_BYTES - 8, XXH3_64bits(bytes, TG_HEADER_BYTES - 8));
}

/* Numbers of what columns take are added and multiplied: those that have no sum are refused by whoever asks, with words, and the
 * values are read all the same. */
static void totals_that_have_no_sum_are_refused(void **state)
{
    static const struct {
        const char *column;
        uint32_t array; /* bits in tiles, bytes of chunks, kinds, items of lists */
        uint64_t number;
        const char *words;
    } rows[] = {{"run", 0, UINT64_MAX, "branch run takes 18446744073709551615 bits in tiles"},
                {"f32", 1, UINT64_MAX, "18446744073709551615 bytes in chunks, the file has"},
                {"f32", 1, UINT64_C(1) << 40, "1099511627776 bytes in chunks, the file has"},
                {"Jet_pt", 3, UINT64_MAX / 2, "have 9223372036854775807 items, which is over 2^64 bytes"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t *bytes = malloc(sound.n), *row;
        tagma_store_info info = {.struct_bytes = sizeof info};
        tagma_store_column told = {.struct_bytes = sizeof told};
        tagma_storage storage = {.struct_bytes = sizeof storage};
        tagma_events *events;
        uint32_t column = tagma_schema_find(synth.schema, rows[i].column);
        uint64_t at;

        assert_non_null(bytes);
        memcpy(bytes, sound.bytes, sound.n);
        assert_int_equal(open_bytes(ctx, bytes, sound.n, true, &events), TAGMA_OK);
        at = (uint64_t)rows[i].array * tagma_schema_n_columns(synth.schema) + column;
        if (rows[i].array == 3)
            at += tg_store_of(events)->fields.column_lists[column] - (uint64_t)column;
        tagma_events_release(events);
        row = row_of(bytes, TG_STORE_SECTION_TOTALS);
        assert_true(8 * at < tg_le64(row + 16));
        tg_put_le64(bytes + tg_le64(row + 8) + 8 * at, rows[i].number);
        seal(bytes, TG_STORE_SECTION_TOTALS);

        assert_int_equal(open_bytes(ctx, bytes, sound.n, i % 2, &events), TAGMA_OK);
        assert_int_equal(tagma_store_get_info(ctx, events, &info), TAGMA_E_CORRUPT);
        assert_non_null(strstr(tagma_ctx_message(ctx), "x.tagma: section totals, byte "));
        if (!strstr(tagma_ctx_message(ctx), rows[i].words))
            fail_msg("%s", tagma_ctx_message(ctx));
        assert_int_equal(tagma_store_get_column(ctx, events, column, &told), TAGMA_E_CORRUPT);
        assert_int_equal(tagma_events_storage(events, column, &storage), TAGMA_E_CORRUPT);
        read_all(events, at);
        tagma_events_release(events);
        free(bytes);
    }
}

/* A schema that lies in memory of the caller's is gone with it, and serves no other store. */
static void a_schema_in_a_callers_memory_is_not_shared(void **state)
{
    uint8_t *bytes = malloc(sound.n);
    tagma_events *first, *second;

    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, sound.bytes, sound.n);
    assert_int_equal(open_bytes(ctx, bytes, sound.n, true, &first), TAGMA_OK);
    assert_int_equal(open_bytes(ctx, sound.bytes, sound.n, true, &second), TAGMA_OK);
    assert_ptr_not_equal(tagma_events_schema(first), tagma_events_schema(second));
    tagma_events_release(first);
    free(bytes);
    assert_string_equal(tagma_schema_column(tagma_events_schema(second), 0)->name,
                        tagma_schema_column(synth.schema, 0)->name);
    tagma_events_release(second);
}

/* The events of a tile that is damaged are null and said to be so; all others are read. */
static void a_damaged_tile_takes_its_events_only(void **state)
{
    tagma_reader *reader;
    tagma_events *events;
    tagma_batch *batch;
    const tagma_batch_column *column;

    (void)state;
    sound.bytes[TG_HEADER_BYTES + 20] ^= 1; /* the first tile */
    assert_int_equal(open_bytes(ctx, sound.bytes, sound.n, false, &events), TAGMA_OK);
    assert_int_equal(tagma_reader_new(ctx, events, NULL, &reader), TAGMA_OK);
    n_told = 0;
    assert_int_equal(tagma_read_columns(ctx, reader, 0, N_EVENTS, NULL, 0, &batch), TAGMA_OK);
    assert_int_equal(n_told, 1);
    check_batch(batch, 0);
    column = tagma_batch_column_at(batch, tagma_schema_find(synth.schema, "Jet_muEF"));
    assert_int_equal(column->status, TAGMA_COLUMN_CORRUPT);
    assert_int_equal(column->damaged[0], 0xff);
    assert_int_equal(column->damaged[1], 0);
    assert_int_equal(column->offsets[0][8], 0);
    column = tagma_batch_column_at(batch, tagma_schema_find(synth.schema, "Jet_pt")); /* has a chunk */
    assert_int_equal(column->status, TAGMA_COLUMN_GOOD);
    tagma_batch_free(batch);
    tagma_reader_free(reader);
    tagma_events_release(events);
}

/* A mapped scan of one column looks at few bytes of a tile, and at its checksum only when asked to. */
static void a_narrow_scan_verifies_when_asked(void **state)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    uint8_t *bytes = malloc(sound.n);
    tagma_events *events;
    uint32_t column;

    (void)state;
    memcpy(bytes, sound.bytes, sound.n);
    assert_int_equal(open_bytes(ctx, bytes, sound.n, true, &events), TAGMA_OK);
    bytes[tg_store_of(events)->clusters[0].tiles_at] ^= 1; /* of the first tile's checksum */
    column = tagma_schema_find(tagma_events_schema(events), "u8");
    assert_int_not_equal(column, TAGMA_NONE);
    for (int asked = 0; asked < 2; asked++) {
        tagma_reader *reader;
        tagma_batch *batch;

        options.verifies = asked;
        n_told = 0;
        assert_int_equal(tagma_reader_new(ctx, events, &options, &reader), TAGMA_OK);
        assert_int_equal(tagma_read_columns(ctx, reader, 0, 16, &column, 1, &batch), TAGMA_OK);
        assert_int_equal(n_told, asked);
        assert_int_equal(tagma_batch_column_at(batch, 0)->damaged != NULL, asked);
        tagma_batch_free(batch);
        tagma_reader_free(reader);
    }
    tagma_events_release(events);
    free(bytes);
}

/* What writing, opening and reading do with the n-th allocation refused, for each n until none is. */
static void memory_may_end_anywhere(void **state)
{
    const char *path;
    bool is_done = false;

    (void)state;
    path = test_scratch_path(&scratch, "b.tagma");
    for (uint64_t n = 1; !is_done; n++) {
        test_failing failing = {.fails = n};
        tagma_ctx *own = test_failing_ctx(&failing, NULL);
        tg_store_options options = TG_STORE_OPTIONS_INIT;
        static const tg_provenance provenance = {
            .tree = "t", .title = "", .cycle = 1, .producer = "", .options = ""};
        tg_store_writer *writer;
        tagma_status st = tg_store_writer_new(own, path, synth.schema, &provenance, &options, &writer);

        if (st == TAGMA_OK)
            st = tg_store_writer_append(own, writer, test_synth_batch(&synth, 0, NULL, 70, NULL, 0), 0, NULL);
        if (st == TAGMA_OK)
            st = tg_store_writer_finish(own, writer, NULL, NULL);
        tg_store_writer_free(own, writer);
        is_done = failing.n < n;
        assert_int_equal(st, is_done ? TAGMA_OK : TAGMA_E_MEMORY);
        assert_int_equal(tagma_ctx_memory(own), 0);
        assert_int_equal(access(path, F_OK), is_done ? 0 : -1);
        tagma_ctx_free(own);
    }
}

static tagma_status open_and_read(tagma_ctx *own)
{
    static uint64_t record[4096];
    uint64_t entries[] = {80, 3, 3, 50}, n_tiles, n_faults;
    tagma_events *events;
    tagma_reader *reader = NULL;
    tagma_record_plan *plan = NULL;
    tagma_batch *batch = NULL;
    const tagma_index *index;
    tagma_status st = open_bytes(own, sound.bytes, sound.n, false, &events);

    if (st == TAGMA_OK)
        st = tagma_reader_new(own, events, NULL, &reader);
    if (st == TAGMA_OK)
        st = tagma_record_plan_new(own, tagma_events_schema(events), NULL, 0, &plan);
    if (st == TAGMA_OK)
        st = tagma_read_event(own, reader, plan, 50, record, sizeof record, NULL);
    if (st == TAGMA_OK)
        st = tagma_read_columns(own, reader, 0, N_EVENTS, NULL, 0, &batch);
    tagma_batch_free(batch);
    batch = NULL;
    if (st == TAGMA_OK)
        st = tagma_read_rows(own, reader, entries, 4, NULL, 0, &batch);
    tagma_batch_free(batch);
    if (st == TAGMA_OK)
        st = tg_store_index(own, events, &index);
    if (st == TAGMA_OK)
        st = tagma_events_check(own, reader, NULL, 0, &n_tiles, &n_faults);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    tagma_events_release(events);
    return st;
}

static void reading_bears_the_end_of_memory(void **state)
{
    bool is_done = false;

    (void)state;
    for (uint64_t n = 1; !is_done; n++) {
        test_failing failing = {.fails = n};
        tagma_ctx *own = test_failing_ctx(&failing, NULL);
        tagma_status st = open_and_read(own);

        is_done = failing.n < n;
        assert_int_equal(st, is_done ? TAGMA_OK : TAGMA_E_MEMORY);
        assert_int_equal(tagma_ctx_memory(own), 0);
        tagma_ctx_free(own);
    }
}

static void put(int file, const void *bytes, size_t n, uint64_t offset)
{
    assert_int_equal(pwrite(file, bytes, n, (off_t)offset), (ssize_t)n);
}

/* The sound store with everything behind its head moved far out, over a hole. */
static void write_far(const char *path, uint64_t by)
{
    tg_header header = {0};
    const tg_section *section;
    tg_cluster clusters[1];
    uint8_t head[TG_HEADER_BYTES], row[TG_DIRECTORY_BYTES];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(file >= 0);
    assert_int_equal(tg_header_load(ctx, sound.bytes, sound.n, sound.n, "x", &header), TAGMA_OK);
    section = tg_header_section(&header, TG_STORE_SECTION_CLUSTERS);
    assert_int_equal(
        tg_directory_load(ctx, &header, sound.bytes + section->offset, section->bytes, "x", clusters),
        TAGMA_OK);
    clusters[0].tiles_at += by;
    clusters[0].table_at += by;
    clusters[0].chunks_at += by;
    tg_directory_put(&clusters[0], row);
    put(file, sound.bytes + TG_HEADER_BYTES, sound.n - TG_HEADER_BYTES, TG_HEADER_BYTES + by);
    put(file, row, sizeof row, section->offset + by);
    for (uint32_t i = 0; i < header.n_sections; i++) {
        header.sections[i].offset += by;
        if (header.sections[i].id == TG_STORE_SECTION_CLUSTERS)
            header.sections[i].checksum = XXH3_64bits(row, sizeof row);
    }
    header.file_bytes += by;
    tg_header_write(&header, head);
    put(file, head, sizeof head, 0);
    close(file);
}

static void offsets_past_32_bits_are_read(void **state)
{
    static const uint64_t far[] = {UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(5) << 32};
    const char *path = test_scratch_path(&scratch, "far.tagma");

    (void)state;
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
        for (int io = 0; io < 2; io++) {
            tagma_events *events;

            write_far(path, far[i]);
            assert_int_equal(test_store_open(ctx, path, io ? TAGMA_IO_MMAP : TAGMA_IO_PREAD, &events),
                             TAGMA_OK);
            n_told = 0;
            read_all(events, 0);
            assert_int_equal(n_told, 0);
            tagma_events_release(events);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_changed_byte_is_never_a_wrong_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_store_never_opens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(totals_that_have_no_sum_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(foreign_and_newer_stores_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_schema_is_told_though_another_serves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_schema_in_a_callers_memory_is_not_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_tile_takes_its_events_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_narrow_scan_verifies_when_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_may_end_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_bears_the_end_of_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offsets_past_32_bits_are_read, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
