/* SPDX-License-Identifier: Apache-2.0
 * Golden stores, one for each version of the format, are read forever: tests/store/golden/KIND_vN.tagma.
 * Recipe: test_goldenstore PATH KIND writes one of the version at hand; KIND is tiles, texts, collection, fixed, zstd or lz4. Their
 * values are plain arithmetic, written out here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "event/batch.h"
#include "event/schema.h"
#include "store/fixedwriter.h"
#include "support/realfiles.h"
#include "support/scratch.h"
#include "support/stores.h"

enum { N_EVENTS = 100, RUN, EVENT, GOOD, MASS, N_HIT, HIT_T, HIT_E, NAME, TRACKS, N_COLUMNS_END };
enum { N_COLUMNS = TRACKS - RUN + 1 };

/* Numbers of entry e. */
static uint32_t run_of(uint64_t e)
{
    return 300000 + (uint32_t)(e / 40);
}
static uint64_t event_of(uint64_t e)
{
    return (e * 7919 + 13) % 1009 << 33 | 1;
}
static float mass_of(uint64_t e)
{
    return e == 7 ? -0.0F : (float)(e * e) / 8 - 3;
}
static uint32_t n_hit_of(uint64_t e)
{
    return (uint32_t)(e * 5 % 7);
}
static int16_t hit_t_of(uint64_t e, uint32_t i)
{
    return (int16_t)((int)(e * 31 % 101) - 50 * (int)i);
}
static float hit_e_of(uint64_t e, uint32_t i)
{
    return (e + i) % 4 != 0 ? -1.0F : (float)e + (float)i / 4;
}
static uint32_t name_of(uint64_t e, bool names_repeat)
{
    return (uint32_t)(names_repeat ? e * e % 7 : e);
}
static bool is_null(uint64_t e) /* of mass */
{
    return e >= 90;
}
static uint32_t n_track_of(uint64_t e)
{
    return (uint32_t)(e % 3);
}
static double track_of(uint64_t e, uint32_t i, uint32_t k)
{
    return 1.0 / (double)(e + i + k + 1);
}

static tagma_ctx *ctx;

static tagma_schema *make_schema(void)
{
    static const tagma_collection collections[] = {
        {"nHit", TAGMA_NONE, N_HIT - RUN}, {"tracks", TAGMA_NONE, TAGMA_NONE}, {"tracks", 1, TAGMA_NONE}};
    static const tagma_column columns[N_COLUMNS] = {
        {"run", "run", "run number", NULL, NULL, 0, 1, TAGMA_U32, 0, TAGMA_NONE},
        {"event", "event", "", NULL, NULL, 0, 1, TAGMA_U64, 0, TAGMA_NONE},
        {"good", "good", "", NULL, NULL, 0, 1, TAGMA_BOOL, 0, TAGMA_NONE},
        {"mass", "mass", "GeV", NULL, NULL, 0, 1, TAGMA_F32, 0, TAGMA_NONE},
        {"nHit", "nHit", "", NULL, NULL, 0, 1, TAGMA_I32, 0, TAGMA_NONE},
        {"Hit_t", "Hit_t", "", NULL, NULL, 0, 1, TAGMA_I16, 1, 0},
        {"Hit_e", "Hit_e", "", NULL, NULL, 0, 1, TAGMA_F32, 1, 0},
        {"name", "name", "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
        {"tracks", "tracks", "", NULL, NULL, 0, 1, TAGMA_F64, 2, 2},
    };
    tagma_schema *schema;
    uint32_t number;

    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tg_schema_add_collection(ctx, schema, &collections[i], &number), TAGMA_OK);
    for (int i = 0; i < N_COLUMNS; i++)
        assert_int_equal(tg_schema_add_column(ctx, schema, &columns[i], &number), TAGMA_OK);
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    return schema;
}

static void set(tagma_batch *batch, int column, const void *values, uint64_t n, const uint32_t *offsets[3],
                const uint64_t n_offsets[3])
{
    tagma_batch_column *to = tg_batch_column(batch, (uint32_t)(column - RUN));

    to->n_values = n;
    assert_int_equal(tg_buffer_new(ctx, n * tagma_type_bytes(to->type), &to->values_buffer), TAGMA_OK);
    memcpy(tg_buffer_fill(to->values_buffer), values, n * tagma_type_bytes(to->type));
    to->values = tagma_buffer_bytes(to->values_buffer);
    for (uint32_t k = 0; k < to->n_levels; k++) {
        assert_int_equal(tg_buffer_new(ctx, n_offsets[k] * 4, &to->offsets_buffers[k]), TAGMA_OK);
        memcpy(tg_buffer_fill(to->offsets_buffers[k]), offsets[k], n_offsets[k] * 4);
        to->offsets[k] = tagma_buffer_bytes(to->offsets_buffers[k]);
    }
}

/* All entries as a batch. */
static tagma_batch *make_batch(const tagma_schema *schema, bool names_repeat)
{
    static uint32_t run[N_EVENTS], hit_ends[N_EVENTS + 1], name_ends[N_EVENTS + 1], track_ends[N_EVENTS + 1];
    static uint32_t inner_ends[3 * N_EVENTS + 1], all[N_COLUMNS];
    static uint64_t event[N_EVENTS];
    static uint8_t good[N_EVENTS];
    static float mass[N_EVENTS], hit_e[7 * N_EVENTS];
    static int32_t n_hit[N_EVENTS];
    static int16_t hit_t[7 * N_EVENTS];
    static char name[16 * N_EVENTS];
    static double tracks[9 * N_EVENTS];
    static const uint8_t validity[(N_EVENTS + 7) / 8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                         0xff, 0xff, 0xff, 0xff, 0x03, 0x00};
    uint32_t hits = 0, lists = 0, values = 0;
    tagma_batch *batch;

    for (uint32_t e = 0; e < N_EVENTS; e++) {
        run[e] = run_of(e);
        event[e] = event_of(e);
        good[e] = e % 3 == 0;
        mass[e] = is_null(e) ? 0 : mass_of(e);
        n_hit[e] = (int32_t)n_hit_of(e);
        for (uint32_t i = 0; i < n_hit_of(e); i++, hits++) {
            hit_t[hits] = hit_t_of(e, i);
            hit_e[hits] = hit_e_of(e, i);
        }
        hit_ends[e + 1] = hits;
        name_ends[e + 1] =
            name_ends[e] + (uint32_t)sprintf(name + name_ends[e], "event %u", name_of(e, names_repeat));
        for (uint32_t i = 0; i < n_track_of(e); i++) {
            for (uint32_t k = 0; k < i + 1; k++)
                tracks[values++] = track_of(e, i, k);
            inner_ends[++lists] = values;
        }
        track_ends[e + 1] = lists;
    }
    for (uint32_t c = 0; c < N_COLUMNS; c++)
        all[c] = c;
    assert_int_equal(tg_batch_new(ctx, schema, N_EVENTS, all, N_COLUMNS, &batch), TAGMA_OK);
    set(batch, RUN, run, N_EVENTS, NULL, NULL);
    set(batch, EVENT, event, N_EVENTS, NULL, NULL);
    set(batch, GOOD, good, N_EVENTS, NULL, NULL);
    set(batch, MASS, mass, N_EVENTS, NULL, NULL);
    set(batch, N_HIT, n_hit, N_EVENTS, NULL, NULL);
    set(batch, HIT_T, hit_t, hits, (const uint32_t *[3]){hit_ends}, (const uint64_t[3]){N_EVENTS + 1});
    set(batch, HIT_E, hit_e, hits, (const uint32_t *[3]){hit_ends}, (const uint64_t[3]){N_EVENTS + 1});
    set(batch, NAME, name, name_ends[N_EVENTS], (const uint32_t *[3]){name_ends},
        (const uint64_t[3]){N_EVENTS + 1});
    set(batch, TRACKS, tracks, values, (const uint32_t *[3]){track_ends, inner_ends},
        (const uint64_t[3]){N_EVENTS + 1, lists + 1});
    assert_int_equal(
        tg_buffer_new(ctx, sizeof validity, &tg_batch_column(batch, MASS - RUN)->validity_buffer), TAGMA_OK);
    memcpy(tg_buffer_fill(tg_batch_column(batch, MASS - RUN)->validity_buffer), validity, sizeof validity);
    tg_batch_column(batch, MASS - RUN)->validity =
        tagma_buffer_bytes(tg_batch_column(batch, MASS - RUN)->validity_buffer);
    tg_batch_column(batch, MASS - RUN)->status = TAGMA_COLUMN_NULL;
    return batch;
}

static const tg_provenance_source source = {"golden.root", "", "Events", 1, 12345, N_EVENTS};
static const tg_provenance provenance = {.tree = "Events",
                                         .title = "golden",
                                         .cycle = 1,
                                         .producer = "test_goldenstore",
                                         .options = "",
                                         .sources = &source,
                                         .n_sources = 1};

/* What is kept: how it was made. What zstd and lz4 make of it depends on their version. */
typedef struct golden {
    const char *path, *name;
    uint32_t layout;
    tg_block_codec codec; /* 0: not in blocks */
    bool names_repeat;    /* so that they are texts, of format 1.1 */
} golden;
static const golden goldens[] = {
    {"tests/store/golden/store_v1.tagma", "tiles", TG_LAYOUT_TILES, 0, false},
    {"tests/store/golden/collection_v1.tagma", "collection", TG_LAYOUT_COLLECTION, 0, false},
    {"tests/store/golden/fixed_v1.tagma", "fixed", TG_LAYOUT_FIXED, 0, false},
    {"tests/store/golden/zstd_v1.tagma", "zstd", TG_LAYOUT_COLLECTION, TG_BLOCK_ZSTD, false},
    {"tests/store/golden/lz4_v1.tagma", "lz4", TG_LAYOUT_COLLECTION, TG_BLOCK_LZ4, false},
    {"tests/store/golden/texts_v1.tagma", "texts", TG_LAYOUT_TILES, 0, true},
};
enum { N_GOLDENS = sizeof goldens / sizeof goldens[0] };

static tagma_status write_tiles(const char *path, const golden *kind, const tagma_schema *schema)
{
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_store_writer *writer;
    tagma_status st;

    options.layout = kind->layout;
    if (kind->layout == TG_LAYOUT_TILES) {
        options.columns = "run,event,good,nHit,Hit_t,mass";
        options.tile_events = 8;
    }
    if (kind->codec)
        options.blocks = (tg_blocks_options){8 << 10, kind->codec, NULL};
    st = tg_store_writer_new(ctx, path, schema, &provenance, &options, &writer);
    if (st == TAGMA_OK)
        st = tg_store_writer_append(ctx, writer, make_batch(schema, kind->names_repeat), 0, NULL);
    if (st == TAGMA_OK)
        st = tg_store_writer_finish(ctx, writer, NULL, NULL);
    tg_store_writer_free(ctx, writer);
    return st;
}

/* The columns but the string, which no record holds. */
static tagma_schema *without_name(const tagma_schema *schema)
{
    uint32_t columns[N_COLUMNS], n = 0;
    tagma_schema *some;

    for (uint32_t c = 0; c < N_COLUMNS; c++)
        if (c != NAME - RUN)
            columns[n++] = c;
    assert_int_equal(tg_schema_subset(ctx, schema, columns, n, &some), TAGMA_OK);
    return some;
}

static tagma_batch *batch_without_name(const tagma_schema *schema)
{
    tagma_batch *all = make_batch(schema, false), *some;
    uint32_t n = 0;

    assert_int_equal(tg_batch_new_empty(ctx, N_EVENTS, N_COLUMNS - 1, &some), TAGMA_OK);
    for (uint32_t c = 0; c < N_COLUMNS; c++) {
        tagma_batch_column *to;

        if (c == NAME - RUN)
            continue;
        to = tg_batch_column(some, n++);
        *to = *tagma_batch_column_at(all, c);
        tagma_buffer_acquire(to->values_buffer);
        for (uint32_t k = 0; k < to->n_levels; k++)
            tagma_buffer_acquire(to->offsets_buffers[k]);
        if (to->validity_buffer)
            tagma_buffer_acquire(to->validity_buffer);
    }
    tagma_batch_free(all);
    return some;
}

static tagma_status write_records(const char *path, const tagma_schema *schema)
{
    static uint64_t run[N_EVENTS], event[N_EVENTS];
    tagma_index_input input = {2, {false, false}, {"run", "event"}, {run, event}, N_EVENTS};
    tg_fixed_options options = TG_FIXED_OPTIONS_INIT;
    tagma_schema *some = without_name(schema);
    tg_fixed_writer *writer;
    tagma_index *index;
    tagma_status st;

    for (uint64_t e = 0; e < N_EVENTS; e++) {
        run[e] = run_of(e);
        event[e] = event_of(e);
    }
    assert_int_equal(tagma_index_new(ctx, &input, &index), TAGMA_OK);
    options.record_bytes = 72;
    st = tg_fixed_writer_new(ctx, path, some, &provenance, index, N_EVENTS, &options, &writer);
    if (st == TAGMA_OK)
        st = tg_fixed_writer_append(ctx, writer, batch_without_name(schema), 0);
    if (st == TAGMA_OK)
        st = tg_fixed_writer_finish(ctx, writer, NULL, NULL);
    tg_fixed_writer_free(ctx, writer);
    tagma_index_release(index);
    tg_schema_free(some);
    return st;
}

static tagma_status write_golden(const char *path, const golden *kind)
{
    tagma_schema *schema = make_schema();
    tagma_status st =
        kind->layout == TG_LAYOUT_FIXED ? write_records(path, schema) : write_tiles(path, kind, schema);

    tg_schema_free(schema);
    return st;
}

static int set_up(void **state)
{
    (void)state;
    return tagma_ctx_new(NULL, &ctx) == TAGMA_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    return 0;
}

static void stores_of_every_version_are_read(void **state)
{
    static uint64_t record[512];

    (void)state;
    for (size_t i = 0; i < N_GOLDENS; i++) {
        tagma_schema *schema = make_schema();
        tagma_batch *expected = make_batch(schema, goldens[i].names_repeat), *found;
        tagma_record_plan *plan;
        tagma_reader *reader;
        tagma_events *events;

        if (goldens[i].layout == TG_LAYOUT_FIXED) {
            tagma_batch_free(expected);
            tg_schema_free(schema);
            continue;
        }
        assert_int_equal(test_store_open(ctx, goldens[i].path, TAGMA_IO_PREAD, &events), TAGMA_OK);
        assert_int_equal(tagma_reader_new(ctx, events, NULL, &reader), TAGMA_OK);
        assert_int_equal(tagma_read_columns(ctx, reader, 0, N_EVENTS, NULL, 0, &found), TAGMA_OK);
        assert_null(test_batch_difference(expected, found));
        assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), TAGMA_OK);
        for (uint64_t e = 0; e < N_EVENTS; e++) {
            assert_int_equal(tagma_read_event(ctx, reader, plan, e, record, sizeof record, NULL), TAGMA_OK);
            assert_null(test_record_difference(plan, record, expected, e));
        }
        tagma_record_plan_free(plan);
        tagma_batch_free(found);
        tagma_batch_free(expected);
        tagma_reader_free(reader);
        tagma_events_release(events);
        tg_schema_free(schema);
    }
}

static bool is_there(const tagma_batch *batch, uint32_t c, uint64_t row)
{
    const uint8_t *validity = tagma_batch_column_at(batch, c)->validity;

    return !validity || (validity[row / 8] >> (row % 8) & 1);
}

static double number_at(const tagma_batch *batch, uint32_t c, uint64_t row)
{
    const tagma_batch_column *column = tagma_batch_column_at(batch, c);

    switch (column->type) {
    case TAGMA_I16:
        return ((const int16_t *)column->values)[row];
    case TAGMA_U32:
        return ((const uint32_t *)column->values)[row];
    case TAGMA_F32:
        return ((const float *)column->values)[row];
    default:
        return ((const double *)column->values)[row];
    }
}

static void records_of_every_version_are_read(void **state)
{
    enum { MASS_AT = 3, HIT_T_AT = 5, HIT_E_AT = 6, TRACKS_AT = 7 }; /* without the string */
    tagma_events *events;
    tagma_reader *reader;
    tagma_batch *found;

    (void)state;
    assert_int_equal(test_store_open(ctx, goldens[2].path, TAGMA_IO_PREAD, &events), TAGMA_OK);
    assert_int_equal(tagma_reader_new(ctx, events, NULL, &reader), TAGMA_OK);
    assert_int_equal(tagma_read_columns(ctx, reader, 0, N_EVENTS, NULL, 0, &found), TAGMA_OK);
    for (uint64_t row = 0; row < N_EVENTS; row++) {
        uint64_t e;

        assert_int_equal(tg_store_origin(ctx, events, row, &e), TAGMA_OK);
        assert_int_equal(((const uint32_t *)tagma_batch_column_at(found, 0)->values)[row], run_of(e));
        assert_int_equal(((const uint64_t *)tagma_batch_column_at(found, 1)->values)[row], event_of(e));
        assert_int_equal(is_there(found, MASS_AT, row), !is_null(e));
        if (!is_null(e))
            assert_true(number_at(found, MASS_AT, row) == (double)mass_of(e));
        assert_int_equal(is_there(found, HIT_T_AT, row), n_hit_of(e) > 0);
        if (n_hit_of(e) > 0)
            assert_true(number_at(found, HIT_T_AT, row) == hit_t_of(e, 0) &&
                        number_at(found, HIT_E_AT, row) == (double)hit_e_of(e, 0));
        assert_int_equal(is_there(found, TRACKS_AT, row), n_track_of(e) > 0);
        if (n_track_of(e) > 0)
            assert_true(number_at(found, TRACKS_AT, row) == track_of(e, 0, 0));
    }
    tagma_batch_free(found);
    tagma_reader_free(reader);
    tagma_events_release(events);
}

/* Who changes what is written changes the version, or means to. */
static void the_same_bytes_are_written_still(void **state)
{
    test_scratch scratch;
    test_bytes kept, again;

    (void)state;
    test_scratch_make(&scratch);
    for (size_t i = 0; i < N_GOLDENS; i++) {
        if (goldens[i].codec)
            continue;
        assert_int_equal(write_golden(test_scratch_path(&scratch, "again.tagma"), &goldens[i]), TAGMA_OK);
        kept = test_read_file(goldens[i].path);
        again = test_read_file(scratch.path);
        assert_int_equal(kept.n, again.n);
        assert_memory_equal(kept.bytes, again.bytes, again.n);
        free(kept.bytes);
        free(again.bytes);
    }
    test_scratch_remove(&scratch);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stores_of_every_version_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_of_every_version_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_bytes_are_written_still, set_up, tear_down),
    };

    if (argc == 3) {
        tagma_status st = set_up(NULL) == 0 ? TAGMA_E_ARG : TAGMA_E_MEMORY;

        for (size_t i = 0; i < N_GOLDENS; i++)
            if (st == TAGMA_E_ARG && strcmp(goldens[i].name, argv[2]) == 0)
                st = write_golden(argv[1], &goldens[i]);
        if (st < 0)
            fprintf(stderr, "%s\n", ctx ? tagma_ctx_message(ctx) : "no memory");
        tagma_ctx_free(ctx);
        return st < 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
