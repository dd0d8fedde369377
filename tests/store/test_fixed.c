/* SPDX-License-Identifier: Apache-2.0
 * The fixed layout keeps what it promises, bit for bit: scalars, and the first item of each list; the rest it refuses before it
 * writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "event/batch.h"
#include "event/schema.h"
#include "store/fixed.h"
#include "store/fixedwriter.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { COLUMNS_MAX = 64, RECORD_BYTES = 4096 };

static tagma_ctx *ctx;
static test_scratch scratch;

/* Made-up events without what a record of doubles cannot hold. */
typedef struct sample {
    test_synth synth;
    tagma_schema *schema;
    uint32_t columns[COLUMNS_MAX];
    uint32_t n_columns;
    tagma_index *index;
    uint64_t n;
} sample;

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

/* 3 runs, up to 4 luminosity blocks in each, event numbers out of order and now and then the same. */
static void make_index(sample *s)
{
    uint64_t *values = malloc(3 * (s->n + 1) * sizeof *values);
    tagma_index_input input = {3,
                               {false, false, false},
                               {"run", "lumi", "event"},
                               {values, values + s->n + 1, values + 2 * (s->n + 1)},
                               s->n};

    for (uint64_t i = 0; i < s->n; i++) {
        values[i] = 273158 + i * i % 3;
        values[s->n + 1 + i] = i * 31 % (1 + i * i % 3 * 3) * 100;
        values[2 * (s->n + 1) + i] = i * 7919 % 100;
    }
    must(tagma_index_new(ctx, &input, &s->index));
    free(values);
}

static void make_sample(sample *s, uint64_t n, bool has_index)
{
    *s = (sample){.n = n};
    test_synth_make(&s->synth, ctx, n, TEST_SYNTH_NULLS | TEST_SYNTH_LONG);
    for (uint32_t c = 0; c < tagma_schema_n_columns(s->synth.schema); c++) {
        const tagma_column *column = tagma_schema_column(s->synth.schema, c);

        if (column->type != TAGMA_STRING && strcmp(column->name, "event") != 0 &&
            strcmp(column->name, "i64") != 0 && strcmp(column->name, "u64") != 0 &&
            strcmp(column->name, "Jet_raw") != 0)
            s->columns[s->n_columns++] = c;
    }
    must(tg_schema_subset(ctx, s->synth.schema, s->columns, s->n_columns, &s->schema));
    if (has_index)
        make_index(s);
}

static void free_sample(sample *s)
{
    tagma_index_release(s->index);
    tg_schema_free(s->schema);
    test_synth_free(&s->synth);
}

static const tg_provenance_source source = {"x.root", "", "Events", 1, 1000, 100000};
static const tg_provenance provenance = {.tree = "Events",
                                         .title = "made up",
                                         .cycle = 1,
                                         .producer = "test",
                                         .options = "",
                                         .sources = &source,
                                         .n_sources = 1};

static tagma_status write_fixed(const sample *s, const char *path, const tg_fixed_options *options,
                                tg_fixed_summary *summary)
{
    tg_fixed_writer *writer;
    tagma_status st =
        tg_fixed_writer_new(ctx, path, s->schema, &provenance, s->index, s->n, options, &writer);

    for (uint64_t at = 0; st == TAGMA_OK && at < s->n; at += 70)
        st = tg_fixed_writer_append(
            ctx, writer,
            test_synth_batch(&s->synth, at, NULL, s->n - at < 70 ? s->n - at : 70, s->columns, s->n_columns),
            at);
    if (st == TAGMA_OK)
        st = tg_fixed_writer_finish(ctx, writer, NULL, summary);
    tg_fixed_writer_free(ctx, writer);
    return st;
}

static bool is_set(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

/* Where the first item of an entry stands, worked out anew; -1 for none. */
static int64_t first_of(const tagma_batch_column *column, uint64_t e)
{
    uint64_t at = e;

    if (column->validity && !is_set(column->validity, e))
        return -1;
    for (uint32_t k = 0; k < column->n_levels; k++) {
        if (column->offsets[k][at + 1] == column->offsets[k][at])
            return -1;
        at = column->offsets[k][at];
    }
    return (int64_t)(at * column->n_items);
}

/* Entry r of what was read is entry e of what was written. */
static void check_entry(const tagma_batch *found, uint64_t r, const tagma_batch *written, uint64_t e)
{
    for (uint32_t c = 0; c < tagma_batch_n_columns(found); c++) {
        const tagma_batch_column *a = tagma_batch_column_at(found, c), *b = tagma_batch_column_at(written, c);
        uint32_t width = tagma_type_bytes(a->type);
        int64_t at = first_of(b, e);

        assert_int_equal(a->n_levels, 0);
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->n_items, b->n_items);
        assert_int_equal(at < 0, a->validity && !is_set(a->validity, r));
        for (uint32_t i = 0; at >= 0 && i < a->n_items; i++) {
            const uint8_t *value = (const uint8_t *)a->values + (r * a->n_items + i) * width;
            uint64_t from = (uint64_t)at + i;

            if (b->is_bits ? *value != is_set(b->values, from)
                           : memcmp(value, (const uint8_t *)b->values + from * width, width) != 0)
                fail_msg("column %u, row %llu", c, (unsigned long long)r);
        }
    }
}

/* Records and scattered rows are what all rows at once are. */
static void check_verbs(tagma_reader *reader, const tagma_batch *all)
{
    static uint64_t record[RECORD_BYTES / 8];
    const tagma_schema *schema = tagma_events_schema(tagma_reader_events(reader));
    uint64_t n = tagma_batch_n_entries(all), entries[40], n_records, n_faults;
    tagma_batch *some, *expected;
    tagma_record_plan *plan;
    uint32_t odd[3] = {4, 1, tagma_schema_n_columns(schema) - 1};
    const char *difference;

    must(tagma_record_plan_new(ctx, schema, NULL, 0, &plan));
    for (uint64_t i = 0; i < n; i++) {
        size_t needed;

        must(tagma_read_event(ctx, reader, plan, i * 37 % n, record, sizeof record, &needed));
        difference = test_record_difference(plan, record, all, i * 37 % n);
        if (difference)
            fail_msg("entry %llu: %s", (unsigned long long)(i * 37 % n), difference);
        if (i == 0)
            assert_int_equal(tagma_read_event(ctx, reader, plan, 0, record, needed - 1, &needed),
                             TAGMA_E_LIMIT);
    }
    tagma_record_plan_free(plan);
    for (uint64_t i = 0; i < 40; i++)
        entries[i] = (i * i * 17 + 5) % n;
    must(tagma_read_rows(ctx, reader, entries, 40, NULL, 0, &some));
    must(tg_batch_take(ctx, all, entries, 40, &expected));
    assert_null(test_batch_difference(expected, some));
    tagma_batch_free(expected);
    tagma_batch_free(some);
    must(tagma_read_columns(ctx, reader, n / 3, n / 2, odd, 3, &some));
    for (uint32_t c = 0; c < 3; c++) {
        const tagma_batch_column *a = tagma_batch_column_at(some, c), *b = tagma_batch_column_at(all, odd[c]);
        uint64_t width = (uint64_t)tagma_type_bytes(a->type) * a->n_items;

        assert_memory_equal(a->values, (const uint8_t *)b->values + n / 3 * width, n / 2 * width);
    }
    tagma_batch_free(some);
    must(tagma_events_check(ctx, reader, NULL, 0, &n_records, &n_faults));
    assert_int_equal(n_records, n);
    assert_int_equal(n_faults, 0);
}

static void check_fixed(const sample *s, const char *path, tagma_io io)
{
    tagma_batch *written = test_synth_batch(&s->synth, 0, NULL, s->n, s->columns, s->n_columns), *all;
    uint8_t *seen = calloc(s->n, 1);
    tagma_reader *reader;
    tagma_events *events;

    must(test_store_open(ctx, path, io, &events));
    assert_true(tg_events_are_store(events));
    assert_int_equal(tagma_events_n_entries(events), s->n);
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tagma_read_columns(ctx, reader, 0, s->n, NULL, 0, &all));
    for (uint64_t r = 0; r < s->n; r++) {
        uint64_t e;

        must(tg_store_origin(ctx, events, r, &e));
        assert_int_equal(seen[e], 0);
        seen[e] = 1;
        check_entry(all, r, written, e);
    }
    check_verbs(reader, all);
    tagma_batch_free(all);
    tagma_reader_free(reader);
    tagma_events_release(events);
    tagma_batch_free(written);
    free(seen);
}

static void what_fits_comes_back_bit_for_bit(void **state)
{
    static const uint64_t numbers[] = {1, 2, 65, 301, 1100};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (int has_index = 0; has_index < 2; has_index++) {
            tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
            const char *path = test_scratch_path(&scratch, "a.tagma");
            sample s;

            make_sample(&s, numbers[i], has_index);
            options.record_bytes = i % 2 ? 1001 : 0;
            must(write_fixed(&s, path, &options, NULL));
            check_fixed(&s, path, TAGMA_IO_PREAD);
            check_fixed(&s, path, TAGMA_IO_MMAP);
            options.blocks.block_bytes = 8 << 10;
            must(write_fixed(&s, path, &options, NULL));
            check_fixed(&s, path, TAGMA_IO_PREAD);
            free_sample(&s);
        }
}

/* An address is the mixed radix of the ranks of its id: bounds are the largest seen, and what is empty is counted. */
static void addresses_are_ranks_in_mixed_radix(void **state)
{
    static uint64_t run[] = {9, 5, 9, 9, 5, 9}, event[] = {70, 1, 20, 70, 3, 1};
    tagma_index_input input = {2, {false, false}, {"run", "event"}, {run, event}, 6};
    static const uint64_t slots[] = {0, 1, 4, 5, 6, 7},
                          entries[] = {1, 4, 5, 2, 0, 3}; /* run 5: 2 events of 4 */
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    tg_fixed_summary summary;
    tagma_events *events;
    uint64_t found[4];
    tg_slots loaded;
    sample s;

    (void)state;
    make_sample(&s, 6, false);
    must(tagma_index_new(ctx, &input, &s.index));
    options.record_bytes = 1024;
    must(write_fixed(&s, test_scratch_path(&scratch, "a.tagma"), &options, &summary));
    assert_int_equal(summary.n_axes, 2);
    assert_int_equal(summary.bounds[0], 2);
    assert_int_equal(summary.bounds[1], 4);
    assert_int_equal(summary.n_slots, 8);
    assert_int_equal(summary.empty_bytes, 2 * 1024);
    must(test_store_open(ctx, scratch.path, TAGMA_IO_PREAD, &events));
    must(tg_fixed_slots(ctx, tg_store_of(events), &loaded));
    for (uint64_t r = 0; r < 6; r++) {
        uint64_t entry;

        assert_int_equal(tg_slots_select(&loaded, r), slots[r]);
        must(tg_store_origin(ctx, events, r, &entry));
        assert_int_equal(entry, entries[r]);
    }
    for (uint64_t id = 0; id < 2; id++) { /* an id leads to its rows, all of them */
        static const uint64_t ids[2][2] = {{9, 70}, {5, 3}};
        const tagma_index *index;
        size_t n;

        must(tg_store_index(ctx, events, &index));
        must(tagma_index_find(index, ids[id], found, 4, &n));
        assert_int_equal(n, id == 0 ? 2 : 1);
        assert_int_equal(found[0], id == 0 ? 4 : 1);
    }
    tagma_events_release(events);
    free_sample(&s);
}

static void what_is_too_short_or_too_much_is_refused(void **state)
{
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    uint64_t n_words = 0;
    char words[300];
    sample s;

    (void)state;
    make_sample(&s, 100, true);
    for (uint32_t c = 0; c < s.n_columns; c++)
        n_words += tagma_schema_column(s.schema, c)->n_items;
    options.record_bytes = 8 * n_words - 1;
    assert_int_equal(write_fixed(&s, test_scratch_path(&scratch, "a.tagma"), &options, NULL), TAGMA_E_ARG);
    snprintf(
        words, sizeof words,
        "%s: records of %llu bytes are too short: %llu doubles take %llu; --record-bytes takes that or more",
        scratch.path, (unsigned long long)(8 * n_words - 1), (unsigned long long)n_words,
        (unsigned long long)(8 * n_words));
    assert_string_equal(tagma_ctx_message(ctx), words);
    options.record_bytes = 1 << 20;
    options.max_output = 100 << 20;
    assert_int_equal(write_fixed(&s, scratch.path, &options, NULL), TAGMA_E_LIMIT);
    assert_non_null(strstr(tagma_ctx_message(ctx), "slots of 1048576 bytes take"));
    assert_non_null(
        strstr(tagma_ctx_message(ctx), "over the limit of 104857600; --max-output SIZE allows more"));
    free_sample(&s);
}

/* A string, and an integer that no double holds, name their branch. */
static void what_no_double_holds_is_refused(void **state)
{
    static const int64_t values[] = {INT64_C(1) << 53, -(INT64_C(1) << 53) - 1, INT64_MAX, INT64_MIN};
    static const uint64_t more[] = {UINT64_MAX, UINT64_MAX - 2047, (UINT64_C(1) << 53) + 1,
                                    UINT64_C(1) << 63};
    static const bool are_exact[] = {true, false, false, true}, are_exact_too[] = {false, true, false, true};
    uint32_t first_items, name;
    test_synth synth;
    uint64_t word;
    tagma_schema *strings;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(tg_word_of(TAGMA_I64, &values[i], &word), are_exact[i]);
        assert_int_equal(tg_word_of(TAGMA_U64, &more[i], &word), are_exact_too[i]);
    }
    test_synth_make(&synth, ctx, 3, 0);
    name = tagma_schema_find(synth.schema, "name");
    must(tg_schema_subset(ctx, synth.schema, &name, 1, &strings));
    assert_int_equal(tg_fixed_check_schema(ctx, strings, &first_items), TAGMA_E_UNSUPPORTED);
    assert_string_equal(tagma_ctx_message(ctx),
                        "branch name: a record of doubles holds no string; leave it out with --drop");
    tg_schema_free(strings);
    test_synth_free(&synth);
}

static void inexact_integers_are_named(void **state)
{
    sample s = {.n = 3};
    uint64_t event;
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    char words[200];
    tagma_batch *batch;

    (void)state;
    test_synth_make(&s.synth, ctx, 3, 0);
    s.columns[s.n_columns++] = tagma_schema_find(s.synth.schema, "event");
    must(tg_schema_subset(ctx, s.synth.schema, s.columns, 1, &s.schema));
    batch = test_synth_batch(&s.synth, 0, NULL, 3, s.columns, 1);
    memcpy(&event, tagma_batch_column_at(batch, 0)->values, 8);
    snprintf(words, sizeof words,
             "branch event: entry 7 is %llu, which no double holds; leave the branch out with --drop event",
             (unsigned long long)event);
    assert_int_equal(
        tg_fixed_check_column(ctx, tagma_schema_column(s.schema, 0), tagma_batch_column_at(batch, 0), 3, 7),
        TAGMA_E_UNSUPPORTED);
    assert_string_equal(tagma_ctx_message(ctx), words);
    tagma_batch_free(batch);
    assert_int_equal(write_fixed(&s, test_scratch_path(&scratch, "a.tagma"), &options, NULL),
                     TAGMA_E_UNSUPPORTED);
    free_sample(&s);
}

/* Every f32 survives, signalling NaNs and denormals too: all exponents, with mantissas of every kind. */
static void every_f32_survives(void **state)
{
    (void)state;
    for (uint32_t top = 0; top < 512; top++)
        for (uint32_t k = 0; k < 100; k++) {
            uint32_t bits = top << 23 | (k < 24   ? (1U << k) - 1
                                         : k < 48 ? 1U << (k - 24) & 0x7fffff
                                                  : k * 83886U & 0x7fffff),
                     back;
            uint64_t word;

            assert_true(tg_word_of(TAGMA_F32, &bits, &word));
            assert_int_equal(tg_word_value(TAGMA_F32, word, (uint8_t *)&back), TG_WORD_GOOD);
            assert_int_equal(back, bits);
        }
}

/* An f64 with the very bits that say null is no null. */
static void a_value_that_looks_like_a_null_is_none(void **state)
{
    static const uint64_t null_word = TG_NULL_WORD;
    static const uint8_t validity[] = {0x05}; /* entry 1 is null */
    tagma_column column = {"x", "x", "", NULL, NULL, 0, 1, TAGMA_F64, 0, TAGMA_NONE};
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    static uint64_t record[64];
    tagma_batch_column *to;
    tg_fixed_writer *writer;
    tagma_schema *schema;
    tagma_record_plan *plan;
    tagma_record_value value;
    tagma_reader *reader;
    tagma_events *events;
    tagma_batch *batch;
    uint32_t number = 0;

    (void)state;
    must(tg_schema_new(ctx, &schema));
    must(tg_schema_add_column(ctx, schema, &column, &number));
    must(tg_schema_seal(ctx, schema));
    must(tg_batch_new(ctx, schema, 3, &number, 1, &batch));
    to = tg_batch_column(batch, 0);
    to->n_values = 3;
    must(tg_buffer_new(ctx, 24, &to->values_buffer));
    for (int i = 0; i < 3; i++)
        memcpy((uint8_t *)tg_buffer_fill(to->values_buffer) + 8 * i, &null_word, 8);
    to->values = tagma_buffer_bytes(to->values_buffer);
    must(tg_buffer_new(ctx, 1, &to->validity_buffer));
    memcpy(tg_buffer_fill(to->validity_buffer), validity, 1);
    to->validity = tagma_buffer_bytes(to->validity_buffer);
    must(tg_fixed_writer_new(ctx, test_scratch_path(&scratch, "a.tagma"), schema, &provenance, NULL, 3,
                             &options, &writer));
    must(tg_fixed_writer_append(ctx, writer, batch, 0));
    must(tg_fixed_writer_finish(ctx, writer, NULL, NULL));
    tg_fixed_writer_free(ctx, writer);
    must(test_store_open(ctx, scratch.path, TAGMA_IO_PREAD, &events));
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan));
    must(tagma_read_columns(ctx, reader, 0, 3, NULL, 0, &batch));
    assert_int_equal(*tagma_batch_column_at(batch, 0)->validity, 0x05);
    for (uint64_t e = 0; e < 3; e++) {
        must(tagma_read_event(ctx, reader, plan, e, record, sizeof record, NULL));
        must(tagma_record_column(plan, record, 0, &value));
        assert_int_equal(value.status, e == 1 ? TAGMA_COLUMN_NULL : TAGMA_COLUMN_GOOD);
        if (e != 1)
            assert_memory_equal(value.values, &null_word, 8);
        if (e != 1)
            assert_memory_equal((const uint8_t *)tagma_batch_column_at(batch, 0)->values + 8 * e, &null_word,
                                8);
    }
    tagma_batch_free(batch);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    tagma_events_release(events);
    tg_schema_free(schema);
}

static uint64_t n_told;

static void count_fault(void *user, const tagma_fault *fault)
{
    (void)user;
    n_told++;
    assert_true(*fault->message != 0);
}

/* Whatever byte is flipped, it is refused or told, and rows that are not called damaged are what they were. */
static void every_flip_is_found(void **state)
{
    const char *path = test_scratch_path(&scratch, "a.tagma");
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    tagma_batch *sound;
    tagma_events *events;
    tagma_reader *reader;
    test_bytes bytes;
    sample s;

    (void)state;
    make_sample(&s, 20, true);
    must(write_fixed(&s, path, &options, NULL));
    must(test_store_open(ctx, path, TAGMA_IO_PREAD, &events));
    must(tagma_reader_new(ctx, events, NULL, &reader));
    must(tagma_read_columns(ctx, reader, 0, 20, NULL, 0, &sound));
    tagma_reader_free(reader);
    tagma_events_release(events);
    bytes = test_read_file(path);
    tagma_ctx_on_fault(ctx, count_fault, NULL);
    for (uint64_t i = 0; i + 64 < bytes.n; i += 13) {
        tagma_source *from;
        uint64_t n_records, n_faults = 0;
        tagma_status st;
        tagma_batch *found = NULL;

        bytes.bytes[i] ^= 0x20;
        n_told = 0;
        must(tagma_source_memory(ctx, bytes.bytes, bytes.n, "x.tagma", &from));
        st = tg_store_open(ctx, from, NULL, &events);
        if (st == TAGMA_OK) {
            must(tagma_reader_new(ctx, events, NULL, &reader));
            must(tagma_events_check(ctx, reader, NULL, 0, &n_records, &n_faults));
            if (tagma_read_columns(ctx, reader, 0, 20, NULL, 0, &found) == TAGMA_OK)
                for (uint32_t c = 0; c < tagma_batch_n_columns(found); c++) {
                    const tagma_batch_column *a = tagma_batch_column_at(found, c),
                                             *b = tagma_batch_column_at(sound, c);
                    uint64_t width = (uint64_t)tagma_type_bytes(a->type) * a->n_items;

                    for (uint64_t r = 0; r < 20; r++)
                        if (!a->damaged || !is_set(a->damaged, r))
                            assert_memory_equal((const uint8_t *)a->values + r * width,
                                                (const uint8_t *)b->values + r * width, width);
                }
            tagma_batch_free(found);
            tagma_reader_free(reader);
            tagma_events_release(events);
        }
        tagma_source_release(from);
        /* Between sections stand zeros that nobody reads. */
        if (st == TAGMA_OK && n_faults == 0 && bytes.bytes[i] != 0x20)
            fail_msg("byte %llu of %llu", (unsigned long long)i, (unsigned long long)bytes.n);
        bytes.bytes[i] ^= 0x20;
    }
    free(bytes.bytes);
    tagma_batch_free(sound);
    free_sample(&s);
}

/* Whoever asks for clusters would find none. */
static void clusters_are_refused(void **state)
{
    static const uint32_t places[] = {40, 56};
    const char *path = test_scratch_path(&scratch, "a.tagma");
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    test_bytes bytes;
    sample s;

    (void)state;
    make_sample(&s, 3, false);
    must(write_fixed(&s, path, &options, NULL));
    bytes = test_read_file(path);
    for (int i = 0; i < 2; i++) {
        tagma_source *from;
        tagma_events *events;

        tg_put_le32(bytes.bytes + places[i], 1);
        tg_put_le64(bytes.bytes + TG_HEADER_BYTES - 8, XXH3_64bits(bytes.bytes, TG_HEADER_BYTES - 8));
        must(tagma_source_memory(ctx, bytes.bytes, bytes.n, "x.tagma", &from));
        assert_int_equal(tg_store_open(ctx, from, NULL, &events), TAGMA_E_CORRUPT);
        assert_non_null(strstr(tagma_ctx_message(ctx), "in the fixed layout, which has none"));
        tagma_source_release(from);
        tg_put_le32(bytes.bytes + places[i], 0);
    }
    free(bytes.bytes);
    free_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_fits_comes_back_bit_for_bit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(addresses_are_ranks_in_mixed_radix, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_too_short_or_too_much_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_no_double_holds_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inexact_integers_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_f32_survives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_that_looks_like_a_null_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_flip_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clusters_are_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
