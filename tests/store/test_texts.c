/* SPDX-License-Identifier: Apache-2.0
 * Strings that repeat stand as numbers of the distinct texts of their column: chosen where that is less, read in every way, and
 * refused with words where a number or a length is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <tagma/store.h>
#include <xxhash.h>

#include "base/pool.h"
#include "event/batch.h"
#include "event/schema.h"
#include "store/texts.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { NAME, ONE, EMPTY, OTHER, LABELS, N_COLUMNS };
enum { TEXT_MAX = 32, LABELS_EACH = 2 };
enum { NAME_BITS = 2, SPOILED = 1 }; /* of the victim: bits of a number; the event that is looked at */

/* How events are made. */
typedef struct making {
    uint64_t n_events;
    uint32_t n_texts; /* of name and labels */
    bool has_nulls;   /* in name */
    bool is_binary;   /* texts are 4 bytes of any kind */
} making;

static tagma_ctx *ctx;
static test_scratch scratch;
static uint64_t n_told;
static char told[512];

static void keep_fault(void *user, const tagma_fault *fault)
{
    (void)user;
    n_told++;
    snprintf(told, sizeof told, "%s", fault->message);
}

static int set_up(void **state)
{
    (void)state;
    n_told = 0;
    test_scratch_make(&scratch);
    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return -1;
    tagma_ctx_on_fault(ctx, keep_fault, NULL);
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

/* Text i of a column; text 0 is empty. */
static uint32_t put_text(const making *make, uint64_t i, char *to)
{
    uint32_t number = (uint32_t)(i % make->n_texts), mixed = number * UINT32_C(0x9e3779b1);

    if (make->is_binary) {
        memcpy(to, &mixed, sizeof mixed);
        return sizeof mixed;
    }
    return number == 0 ? 0
                       : (uint32_t)snprintf(to, TEXT_MAX, "HLT_mu%u_iloose%.*s", number, (int)(number % 7),
                                            "_L1MU20");
}

static uint32_t n_labels_of(uint64_t entry)
{
    return (uint32_t)(entry * 7 % 5);
}

static bool is_null(const making *make, uint64_t entry)
{
    return make->has_nulls && entry % 16 > 12;
}

static uint32_t put_string(const making *make, int column, uint64_t entry, uint64_t i, char *to)
{
    switch (column) {
    case NAME:
        return is_null(make, entry) ? 0 : put_text(make, entry * entry + 1, to);
    case ONE:
        return (uint32_t)snprintf(to, TEXT_MAX, "always the same");
    case EMPTY:
        return 0;
    case OTHER:
        return (uint32_t)snprintf(to, TEXT_MAX, "event %u", (uint32_t)entry * UINT32_C(0x9e3779b1));
    default:
        return put_text(make, entry * 13 + i * 5, to);
    }
}

static tagma_schema *make_schema(void)
{
    static const tagma_collection labels = {"labels", TAGMA_NONE, TAGMA_NONE};
    static const uint32_t dims[] = {LABELS_EACH};
    static const tagma_column columns[N_COLUMNS] = {
        {"name", "name", "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
        {"one", "one", "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
        {"empty", "empty", "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
        {"other", "other", "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
        {"labels", "labels", "", NULL, dims, 1, LABELS_EACH, TAGMA_STRING, 1, 0},
    };
    tagma_schema *schema;
    uint32_t number;

    must(tg_schema_new(ctx, &schema));
    must(tg_schema_add_collection(ctx, schema, &labels, &number));
    for (int i = 0; i < N_COLUMNS; i++)
        must(tg_schema_add_column(ctx, schema, &columns[i], &number));
    must(tg_schema_seal(ctx, schema));
    return schema;
}

static tagma_buffer *buffer_of(const void *bytes, uint64_t n)
{
    tagma_buffer *buffer;

    must(tg_buffer_new(ctx, n, &buffer));
    if (n > 0)
        memcpy(tg_buffer_fill(buffer), bytes, n);
    return buffer;
}

static void set_offsets(tagma_batch_column *to, uint32_t level, const uint32_t *offsets, uint64_t n)
{
    to->offsets_buffers[level] = buffer_of(offsets, (n + 1) * sizeof *offsets);
    to->offsets[level] = tagma_buffer_bytes(to->offsets_buffers[level]);
}

static void set_nulls(const making *make, uint64_t first, uint64_t n, tagma_batch_column *to)
{
    uint8_t *bits = calloc(1, n / 8 + 1);
    bool any = false;

    for (uint64_t e = 0; e < n; e++) {
        any |= is_null(make, first + e);
        bits[e / 8] |= (uint8_t)(!is_null(make, first + e) << (e % 8));
    }
    if (any) {
        to->validity_buffer = buffer_of(bits, (n + 7) / 8);
        to->validity = tagma_buffer_bytes(to->validity_buffer);
        to->status = TAGMA_COLUMN_NULL;
    }
    free(bits);
}

static void fill_column(const making *make, int column, uint64_t first, uint64_t n, tagma_batch_column *to)
{
    uint64_t n_strings = 0, most = 4 * LABELS_EACH * n;
    uint32_t *items = calloc(n + 1, sizeof *items), *ends = calloc(most + 1, sizeof *ends);
    char *bytes = malloc(most * TEXT_MAX + 1);

    for (uint64_t e = 0; e < n; e++) {
        uint32_t n_here = column == LABELS ? n_labels_of(first + e) * LABELS_EACH : 1;

        items[e + 1] = items[e] + (column == LABELS ? n_labels_of(first + e) : 1);
        for (uint32_t i = 0; i < n_here; i++, n_strings++)
            ends[n_strings + 1] =
                ends[n_strings] + put_string(make, column, first + e, i, bytes + ends[n_strings]);
    }
    to->n_values = ends[n_strings];
    to->values_buffer = buffer_of(bytes, to->n_values);
    to->values = tagma_buffer_bytes(to->values_buffer);
    if (column == LABELS)
        set_offsets(to, 0, items, n);
    set_offsets(to, column == LABELS, ends, n_strings);
    if (column == NAME)
        set_nulls(make, first, n, to);
    free(items);
    free(ends);
    free(bytes);
}

static tagma_batch *make_batch(const making *make, const tagma_schema *schema, uint64_t first, uint64_t n)
{
    static const uint32_t all[N_COLUMNS] = {NAME, ONE, EMPTY, OTHER, LABELS};
    tagma_batch *batch;

    must(tg_batch_new(ctx, schema, n, all, N_COLUMNS, &batch));
    for (int c = 0; c < N_COLUMNS; c++)
        fill_column(make, c, first, n, tg_batch_column(batch, (uint32_t)c));
    return batch;
}

static tagma_events *write_and_open(const making *make, const tg_store_options *options, tagma_io io)
{
    static const tg_provenance provenance = {
        .tree = "t", .title = "", .cycle = 1, .producer = "test_texts", .options = ""};
    const char *path = test_scratch_path(&scratch, "a.tagma");
    tagma_schema *schema = make_schema();
    tg_store_writer *writer;
    tagma_events *events;

    must(tg_store_writer_new(ctx, path, schema, &provenance, options, &writer));
    for (uint64_t at = 0; at < make->n_events; at += 10000)
        must(tg_store_writer_append(
            ctx, writer,
            make_batch(make, schema, at, make->n_events - at < 10000 ? make->n_events - at : 10000), at,
            NULL));
    must(tg_store_writer_finish(ctx, writer, NULL, NULL));
    tg_store_writer_free(ctx, writer);
    tg_schema_free(schema);
    must(test_store_open(ctx, path, io, &events));
    return events;
}

static void check_range(const making *make, tagma_reader *reader, uint64_t first, uint64_t n)
{
    tagma_batch *expected = make_batch(make, tagma_events_schema(tagma_reader_events(reader)), first, n),
                *found;
    const char *difference;

    must(tagma_read_columns(ctx, reader, first, n, NULL, 0, &found));
    difference = test_batch_difference(expected, found);
    if (difference)
        fail_msg("entries %u + %u: %s", (unsigned)first, (unsigned)n, difference);
    tagma_batch_free(expected);
    tagma_batch_free(found);
}

static void check_events(const making *make, tagma_reader *reader, uint64_t step)
{
    static uint64_t record[1024];
    const tagma_schema *schema = tagma_events_schema(tagma_reader_events(reader));
    tagma_record_plan *plan;

    must(tagma_record_plan_new(ctx, schema, NULL, 0, &plan));
    for (uint64_t e = 0; e < make->n_events; e += step) {
        tagma_batch *expected = make_batch(make, schema, e, 1);
        const char *difference;

        must(tagma_read_event(ctx, reader, plan, e, record, sizeof record, NULL));
        difference = test_record_difference(plan, record, expected, 0);
        if (difference)
            fail_msg("entry %u: %s", (unsigned)e, difference);
        tagma_batch_free(expected);
    }
    tagma_record_plan_free(plan);
}

static void check_rows(const making *make, tagma_reader *reader)
{
    const tagma_schema *schema = tagma_events_schema(tagma_reader_events(reader));
    uint64_t entries[20];
    tagma_batch *found;

    for (uint64_t i = 0; i < 20; i++)
        entries[i] = (i * i * 31 + 17) % make->n_events;
    must(tagma_read_rows(ctx, reader, entries, 20, NULL, 0, &found));
    for (uint64_t i = 0; i < 20; i++) {
        tagma_batch *expected = make_batch(make, schema, entries[i], 1);
        static uint64_t record[1024];
        tagma_record_plan *plan;
        size_t needed;

        must(tagma_record_plan_new(ctx, schema, NULL, 0, &plan));
        must(tg_record_from_batch(ctx, plan, found, i, record, sizeof record, &needed));
        assert_null(test_record_difference(plan, record, expected, 0));
        tagma_record_plan_free(plan);
        tagma_batch_free(expected);
    }
    tagma_batch_free(found);
}

/* Every way of reading. */
static void check_store(const making *make, tagma_events *events)
{
    uint64_t n_tiles, n_faults;
    tagma_reader *reader;

    must(tagma_reader_new(ctx, events, NULL, &reader));
    check_range(make, reader, 0, make->n_events);
    check_range(make, reader, make->n_events / 3, make->n_events / 4 + 1);
    check_rows(make, reader);
    check_events(make, reader, make->n_events / 200 + 1);
    must(tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults));
    assert_int_equal(n_faults, 0);
    tagma_reader_free(reader);
}

static const char *code_of(const tagma_events *events, uint32_t column)
{
    static tagma_store_column out = {.struct_bytes = sizeof out};

    must(tagma_store_get_column(ctx, events, column, &out));
    return out.code;
}

static void what_repeats_is_kept_once(void **state)
{
    static const uint32_t tiles[] = {1, 8, 64, 65536};
    static const char *const columns[] = {"none", "all"};

    (void)state;
    for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++)
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
            for (int io = 0; io < 2; io++) {
                making make = {.n_events = 1003, .n_texts = 40, .has_nulls = true};
                tg_store_options options = TG_STORE_OPTIONS_INIT;
                tagma_events *events;

                options.tile_events = tiles[t];
                options.columns = columns[c];
                events = write_and_open(&make, &options, io ? TAGMA_IO_MMAP : TAGMA_IO_PREAD);
                assert_string_equal(code_of(events, NAME), "texts");
                assert_string_equal(code_of(events, ONE), "texts");
                assert_string_equal(code_of(events, EMPTY), "constant");
                assert_null(strstr(code_of(events, OTHER), "texts"));
                assert_string_equal(code_of(events, LABELS), "texts");
                check_store(&make, events);
                tagma_events_release(events);
            }
    assert_int_equal(n_told, 0);
}

/* From one text, whose numbers take no bits, to as many as strings. */
static void any_number_of_texts_comes_back(void **state)
{
    static const uint32_t numbers[] = {1, 2, 3, 4, 5, 255, 256, 257, 999, 100000};
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        making make = {.n_events = 700, .n_texts = numbers[i]};
        tagma_events *events = write_and_open(&make, &options, TAGMA_IO_PREAD);

        check_store(&make, events);
        assert_int_equal(strstr(code_of(events, LABELS), "texts") != NULL,
                         numbers[i] > 1 && numbers[i] < 100000);
        tagma_events_release(events);
    }
}

/* Each cluster has texts of its own. */
static void clusters_have_their_own_texts(void **state)
{
    making make = {.n_events = 66000, .n_texts = 300, .has_nulls = true};
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_events *events = write_and_open(&make, &options, TAGMA_IO_MMAP);
    tagma_reader *reader;

    (void)state;
    assert_int_equal(tagma_events_cluster(events, 1), 65536);
    must(tagma_reader_new(ctx, events, NULL, &reader));
    check_range(&make, reader, 64000, 2000);
    check_rows(&make, reader);
    check_events(&make, reader, 997);
    tagma_reader_free(reader);
    tagma_events_release(events);
}

/* The greatest number of texts is that which 16 bits tell. */
static void no_more_texts_than_a_number_tells(void **state)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;

    (void)state;
    for (uint32_t above = 0; above < 2; above++) {
        making make = {.n_events = 65536, .n_texts = TG_TEXTS_MAX + above, .is_binary = true};
        tagma_events *events;
        tagma_reader *reader;

        options.tile_events = 65536;
        events = write_and_open(&make, &options, TAGMA_IO_PREAD);
        assert_int_equal(strstr(code_of(events, LABELS), "texts") != NULL, above == 0);
        must(tagma_reader_new(ctx, events, NULL, &reader));
        check_range(&make, reader, 40000, 20000);
        tagma_reader_free(reader);
        tagma_events_release(events);
    }
}

/* A table stays small: texts of more than 256 KiB together are none, however often they repeat. */
static void long_texts_are_left_alone(void **state)
{
    enum { EACH = 60000, N = 100 };
    uint8_t *bytes = malloc((size_t)EACH * N);
    uint32_t offsets[N + 1];
    tg_text_coder coder = {0};
    tg_coded coded;
    bool is_less;

    (void)state;
    for (uint32_t n_texts = 4; n_texts <= 5; n_texts++) {
        for (uint32_t i = 0; i < N; i++)
            memset(bytes + (size_t)i * EACH, (int)(i % n_texts), EACH);
        for (uint32_t i = 0; i <= N; i++)
            offsets[i] = i * EACH;
        must(tg_texts_encode(ctx, &coder, bytes, offsets, N, (uint64_t)8 * EACH * N, &coded, &is_less));
        assert_int_equal(is_less, n_texts == 4);
        tg_coded_free(ctx, &coded);
    }
    tg_text_coder_free(ctx, &coder);
    free(bytes);
}

/* A reader that knows no texts must not take them for ends: a section that is needed says so, and the minor version. */
static void a_store_says_that_it_has_texts(void **state)
{
    making few = {.n_events = 100, .n_texts = 3}, many = {.n_events = 1, .n_texts = 100000};
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_events *events = write_and_open(&few, &options, TAGMA_IO_PREAD);
    const tg_header *header = &tg_store_of(events)->header;
    const tg_section *section = tg_header_section(header, TG_STORE_SECTION_TEXTS);

    (void)state;
    assert_non_null(section);
    assert_int_equal(section->flags, TG_STORE_SECTION_REQUIRED);
    assert_int_equal(section->bytes, 0);
    assert_int_equal(header->minor, 1);
    tagma_events_release(events);
    events = write_and_open(&many, &options, TAGMA_IO_PREAD);
    assert_null(tg_header_section(&tg_store_of(events)->header, TG_STORE_SECTION_TEXTS));
    assert_int_equal(tg_store_of(events)->header.minor, 0);
    tagma_events_release(events);
    options.layout = TG_LAYOUT_COLLECTION; /* where nothing is coded */
    events = write_and_open(&few, &options, TAGMA_IO_PREAD);
    assert_string_equal(code_of(events, ONE), "offset");
    assert_int_equal(tg_store_of(events)->header.minor, 0);
    tagma_events_release(events);
}

/* What columns take, told in totals, is what the tiles have. */
static void every_bit_is_counted(void **state)
{
    making make = {.n_events = 1024, .n_texts = 5};
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_store_column column = {.struct_bytes = sizeof column};
    tagma_events *events;

    (void)state;
    options.tile_events = 64;
    events = write_and_open(&make, &options, TAGMA_IO_PREAD);
    must(tagma_store_get_column(ctx, events, ONE, &column));
    assert_true(column.tile_bytes == TG_CODE_BYTES + 4.0 + 15.0); /* its end, and the bytes */
    assert_int_equal(column.raw_bytes, 1024 * 15);
    must(tagma_store_get_column(ctx, events, NAME, &column)); /* two bits a string, and three texts */
    assert_true(column.tile_bytes > 256 && column.tile_bytes < 504);
    tagma_events_release(events);
}

/* A store in memory, to be spoiled. */
typedef struct victim {
    making make;
    test_bytes bytes;
    uint64_t table_at, tile_at, tile_bytes, name_code_at; /* bytes of the file; of the first tile */
    uint64_t name_ends_at, name_lists_at, name_bit; /* name_bit: of the tile's words, where numbers begin */
} victim;

static uint64_t name_lists(const tg_fields *fields)
{
    return fields->column_lists[NAME];
}

static victim make_victim(void)
{
    victim v = {.make = {.n_events = 60, .n_texts = 5}};
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_events *events;
    const tg_store *store;
    const tg_fields *fields;
    tagma_reader *reader;
    tg_kept *kept;

    options.tile_events = 8;
    options.columns = "none";
    events = write_and_open(&v.make, &options, TAGMA_IO_PREAD);
    store = tg_store_of(events);
    fields = &store->fields;
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tg_reader_table(ctx, (tg_store_reader *)reader, 0, &kept));
    assert_int_equal(kept->table.lists[name_lists(fields)].last_text, 2); /* squares are not all remainders */
    assert_int_equal(kept->table.lists[name_lists(fields)].end_bits, NAME_BITS);
    v.table_at = store->clusters[0].table_at;
    v.tile_at = store->clusters[0].tiles_at;
    v.tile_bytes = tg_le32(kept->table.tiles + 4);
    v.name_lists_at = v.table_at + TG_TABLE_HEAD + name_lists(fields) * TG_TABLE_LISTS;
    v.name_code_at = v.table_at + (uint64_t)(kept->table.codes - kept->table.start) +
                     (uint64_t)fields->fields[NAME] * TG_CODE_BYTES;
    v.name_ends_at =
        v.table_at +
        (uint64_t)((const uint8_t *)tg_table_texts(&kept->table, (uint32_t)name_lists(fields)).ends -
                   kept->table.start);
    v.name_bit = kept->table.lists[name_lists(fields)].ends_at;
    tagma_reader_free(reader);
    tagma_events_release(events);
    v.bytes = test_read_file(scratch.path);
    return v;
}

/* Checksums of the first tile, of the table, and of all that tells them are made right. */
static void mend(victim *v)
{
    uint8_t *bytes = v->bytes.bytes, *row;
    tg_header header = {0};
    tg_section *section;

    tg_put_le32(bytes + v->tile_at,
                tg_checksum(bytes + v->tile_at + TG_TILE_HEAD, v->tile_bytes - TG_TILE_HEAD, 0));
    must(tg_header_load(ctx, bytes, v->bytes.n, v->bytes.n, "x", &header));
    section = (tg_section *)(uintptr_t)tg_header_section(&header, TG_STORE_SECTION_CLUSTERS);
    row = bytes + section->offset;
    tg_put_le64(row + 40, XXH3_64bits(bytes + v->table_at, tg_le32(row + 12)));
    section->checksum = XXH3_64bits(row, section->bytes);
    tg_header_write(&header, bytes);
}

/* Reads all of it in every way. What has no words is no failure. */
static void read_all(const victim *v)
{
    static uint64_t record[1 << 14];
    uint64_t n_tiles, n_faults;
    tagma_record_plan *plan;
    tagma_source *source;
    tagma_events *events;
    tagma_reader *reader;
    tagma_batch *batch;

    must(tagma_source_memory(ctx, v->bytes.bytes, v->bytes.n, "x.tagma", &source));
    must(tg_store_open(ctx, source, NULL, &events));
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan));
    for (uint64_t e = 0; e < v->make.n_events; e++) {
        tagma_status st = tagma_read_event(ctx, reader, plan, e, record, sizeof record, NULL);
        assert_true(st == TAGMA_OK ||
                    ((st == TAGMA_E_CORRUPT || st == TAGMA_E_LIMIT) && strlen(tagma_ctx_message(ctx)) > 10));
    }
    if (tagma_read_columns(ctx, reader, 0, v->make.n_events, NULL, 0, &batch) < 0)
        assert_true(strlen(tagma_ctx_message(ctx)) > 10);
    tagma_batch_free(batch);
    must(tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults));
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    tagma_events_release(events);
    tagma_source_release(source);
}

/* Event SPOILED, all columns, and checking end with these words. */
static void expect_words(const victim *v, const char *words)
{
    static uint64_t record[1024];
    uint64_t n_tiles, n_faults, before;
    tagma_record_plan *plan;
    tagma_source *source;
    tagma_events *events;
    tagma_reader *reader;
    tagma_batch *batch;

    must(tagma_source_memory(ctx, v->bytes.bytes, v->bytes.n, "x.tagma", &source));
    must(tg_store_open(ctx, source, NULL, &events));
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan));
    assert_int_equal(tagma_read_event(ctx, reader, plan, SPOILED, record, sizeof record, NULL),
                     TAGMA_E_CORRUPT);
    if (!strstr(tagma_ctx_message(ctx), words) || strncmp(tagma_ctx_message(ctx), "x.tagma: t", 10) != 0 ||
        !strstr(tagma_ctx_message(ctx), ", byte "))
        fail_msg("%s, expected %s", tagma_ctx_message(ctx), words);
    before = n_told;
    must(tagma_read_columns(ctx, reader, 0, 8, NULL, 0, &batch));
    assert_int_equal(n_told, before + 1);
    assert_non_null(strstr(told, words));
    assert_int_equal(tagma_batch_column_at(batch, NAME)->status, TAGMA_COLUMN_CORRUPT);
    tagma_batch_free(batch);
    must(tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults));
    assert_true(n_faults > 0);
    assert_non_null(strstr(told, words));
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    tagma_events_release(events);
    tagma_source_release(source);
}

/* The same with one byte of the table changed. */
static void expect_words_for_byte(victim *v, uint64_t at, uint8_t value, const char *words)
{
    uint8_t held = v->bytes.bytes[at];

    v->bytes.bytes[at] = value;
    mend(v);
    expect_words(v, words);
    v->bytes.bytes[at] = held;
}

static void a_number_of_no_text_is_told(void **state)
{
    victim v = make_victim();
    uint64_t bit = v.name_bit + SPOILED * NAME_BITS;

    (void)state;
    v.bytes.bytes[v.tile_at + TG_TILE_HEAD + bit / 8] |= (uint8_t)(3 << (bit % 8));
    mend(&v);
    expect_words(&v, "branch name: string 1 of the tile is text 3, expected one of 3");
    read_all(&v);
    free(v.bytes.bytes);
}

static void texts_that_are_none_are_told(void **state)
{
    victim v = make_victim();

    (void)state;
    expect_words_for_byte(&v, v.name_ends_at + 3, 0xff, "the end of a text, 42781");
    expect_words_for_byte(&v, v.name_ends_at + 4, 0, "the end of a text, 0, expected 15");
    expect_words_for_byte(&v, v.name_code_at + 4, 200, "bytes of texts 200, expected");
    expect_words_for_byte(&v, v.name_code_at + 7, 200, "bytes of texts");
    expect_words_for_byte(&v, v.name_code_at + 4, 1, "the end of a text, ");
    expect_words_for_byte(&v, v.name_code_at + 2, 1, "bits of a text's number 2, expected 1");
    expect_words_for_byte(&v, v.name_code_at + 3, 1, "bits of a text's number 2, expected 9");
    expect_words_for_byte(&v, v.name_code_at + 1, 3, "bits of a text's number 2, expected 2");
    expect_words_for_byte(&v, v.name_lists_at + 8, 16, "bits of a text's number 16, expected 2");
    free(v.bytes.bytes);
}

/* What strings ask for is bounded by what their cluster has, before there is memory for it. */
static void strings_longer_than_their_cluster_are_told(void **state)
{
    victim v = make_victim();

    (void)state;
    tg_put_le64(v.bytes.bytes + v.name_lists_at, 7);
    mend(&v);
    expect_words(&v, "branch name: strings of ");
    assert_non_null(strstr(told, "expected at most the 7 of the cluster"));
    free(v.bytes.bytes);
}

/* Whatever the table and a tile say under good checksums, nothing leads outside. */
static void no_byte_leads_outside(void **state)
{
    victim v = make_victim();
    uint64_t table_bytes;
    tg_header header = {0};

    (void)state;
    must(tg_header_load(ctx, v.bytes.bytes, v.bytes.n, v.bytes.n, "x", &header));
    table_bytes = tg_le32(v.bytes.bytes + tg_header_section(&header, TG_STORE_SECTION_CLUSTERS)->offset + 12);
    for (uint64_t i = 0; i < table_bytes + v.tile_bytes - TG_TILE_HEAD; i++) {
        uint64_t at = i < table_bytes ? v.table_at + i : v.tile_at + TG_TILE_HEAD + i - table_bytes;

        for (int bit = (int)(i % 3); bit < 8; bit += 3) {
            v.bytes.bytes[at] ^= (uint8_t)(1U << bit);
            mend(&v);
            read_all(&v);
            v.bytes.bytes[at] ^= (uint8_t)(1U << bit);
        }
    }
    free(v.bytes.bytes);
}

/* Texts are of strings: a number, validity or chunk coded so is none. */
static void only_strings_are_texts(void **state)
{
    static const tagma_type types[] = {TAGMA_BOOL, TAGMA_U8, TAGMA_U32, TAGMA_F64};
    static const uint8_t code[8] = {TG_CODE_TEXTS, 0, 0, 0, 0, 0, 0, 0};
    uint32_t n_heads;
    tg_slot slot;

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        assert_int_equal(tg_code_load(ctx, code, types[i], &slot, &n_heads), TAGMA_E_CORRUPT);
        assert_non_null(strstr(tagma_ctx_message(ctx), "code of kind 9"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_repeats_is_kept_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_number_of_texts_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clusters_have_their_own_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_more_texts_than_a_number_tells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_texts_are_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_store_says_that_it_has_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_bit_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_of_no_text_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_that_are_none_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strings_longer_than_their_cluster_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_byte_leads_outside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_strings_are_texts, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
