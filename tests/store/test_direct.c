/* SPDX-License-Identifier: Apache-2.0
 * The first event that is read of a cluster comes straight from the table: the same record as by the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "event/batch.h"
#include "event/schema.h"
#include "store/store.h"
#include "store/storewriter.h"
#include "support/scratch.h"

enum { N_EVENTS = 150, RUN, N_HIT, X, SAME_X, GOOD, AXES, TIME, HIT_T, SAME_T, HIT_E, N_ALL };
enum { N_COLUMNS = N_ALL - RUN, N_HITS_MAX = 7, N_AXES = 3 };

static tagma_ctx *ctx;
static test_scratch scratch;

static tagma_schema *make_schema(void)
{
    static const tagma_collection hits = {"nHit", TAGMA_NONE, N_HIT - RUN};
    static const uint32_t axes[] = {N_AXES};
    static const tagma_column columns[N_COLUMNS] = {
        {"run", "run", "", NULL, NULL, 0, 1, TAGMA_U32, 0, TAGMA_NONE},
        {"nHit", "nHit", "", NULL, NULL, 0, 1, TAGMA_U32, 0, TAGMA_NONE},
        {"x", "x", "", NULL, NULL, 0, 1, TAGMA_F32, 0, TAGMA_NONE},
        {"same_x", "same_x", "", NULL, NULL, 0, 1, TAGMA_F32, 0, TAGMA_NONE},
        {"good", "good", "", NULL, NULL, 0, 1, TAGMA_BOOL, 0, TAGMA_NONE},
        {"axes", "axes", "", NULL, axes, 1, N_AXES, TAGMA_I16, 0, TAGMA_NONE},
        {"time", "time", "", NULL, NULL, 0, 1, TAGMA_U64, 0, TAGMA_NONE},
        {"Hit_t", "Hit_t", "", NULL, NULL, 0, 1, TAGMA_I16, 1, 0},
        {"Hit_same", "Hit_same", "", NULL, NULL, 0, 1, TAGMA_I16, 1, 0},
        {"Hit_e", "Hit_e", "", NULL, NULL, 0, 1, TAGMA_F32, 1, 0},
    };
    tagma_schema *schema;
    uint32_t number;

    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    assert_int_equal(tg_schema_add_collection(ctx, schema, &hits, &number), TAGMA_OK);
    for (int i = 0; i < N_COLUMNS; i++)
        assert_int_equal(tg_schema_add_column(ctx, schema, &columns[i], &number), TAGMA_OK);
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    return schema;
}

static void set(tagma_batch *batch, int column, const void *values, uint64_t n, const uint32_t *offsets)
{
    tagma_batch_column *to = tg_batch_column(batch, (uint32_t)(column - RUN));

    to->n_values = n;
    assert_int_equal(tg_buffer_new(ctx, n * tagma_type_bytes(to->type), &to->values_buffer), TAGMA_OK);
    memcpy(tg_buffer_fill(to->values_buffer), values, n * tagma_type_bytes(to->type));
    to->values = tagma_buffer_bytes(to->values_buffer);
    if (!offsets)
        return;
    assert_int_equal(tg_buffer_new(ctx, (N_EVENTS + 1) * 4, &to->offsets_buffers[0]), TAGMA_OK);
    memcpy(tg_buffer_fill(to->offsets_buffers[0]), offsets, (N_EVENTS + 1) * sizeof *offsets);
    to->offsets[0] = tagma_buffer_bytes(to->offsets_buffers[0]);
}

static tagma_batch *make_batch(const tagma_schema *schema)
{
    static uint32_t run[N_EVENTS], n_hit[N_EVENTS], ends[N_EVENTS + 1], all[N_COLUMNS];
    static float x[N_EVENTS], hit_e[N_HITS_MAX * N_EVENTS];
    static uint8_t good[N_EVENTS];
    static int16_t axes[N_AXES * N_EVENTS], hit_t[N_HITS_MAX * N_EVENTS];
    static uint64_t time[N_EVENTS];
    uint32_t hits = 0;
    tagma_batch *batch;

    for (uint32_t e = 0; e < N_EVENTS; e++) {
        run[e] = 7;
        n_hit[e] = e * 5 % 7;
        x[e] = (float)e / 3;
        good[e] = e % 3 == 0;
        time[e] = e * UINT64_C(0x9e3779b97f4a7c15);
        for (int i = 0; i < N_AXES; i++)
            axes[N_AXES * e + (uint32_t)i] = (int16_t)(e * 11 - (uint32_t)i * 900);
        for (uint32_t i = 0; i < n_hit[e]; i++, hits++) {
            hit_t[hits] = (int16_t)(e * 31 + i * 1001);
            hit_e[hits] = hits % 11 == 0 ? (float)e * 1.7F : -1; /* sparse */
        }
        ends[e + 1] = hits;
    }
    for (uint32_t c = 0; c < N_COLUMNS; c++)
        all[c] = c;
    assert_int_equal(tg_batch_new(ctx, schema, N_EVENTS, all, N_COLUMNS, &batch), TAGMA_OK);
    set(batch, RUN, run, N_EVENTS, NULL);
    set(batch, N_HIT, n_hit, N_EVENTS, NULL);
    set(batch, X, x, N_EVENTS, NULL);
    set(batch, SAME_X, x, N_EVENTS, NULL);
    set(batch, GOOD, good, N_EVENTS, NULL);
    set(batch, AXES, axes, N_AXES * N_EVENTS, NULL);
    set(batch, TIME, time, N_EVENTS, NULL);
    set(batch, HIT_T, hit_t, hits, ends);
    set(batch, SAME_T, hit_t, hits, ends);
    set(batch, HIT_E, hit_e, hits, ends);
    return batch;
}

static tagma_events *make_store(uint32_t tile_events, bool is_plain_only)
{
    static const tg_provenance_source source = {"x.root", "", "Events", 1, 1, N_EVENTS};
    static const tg_provenance provenance = {.tree = "Events",
                                             .title = "",
                                             .cycle = 1,
                                             .producer = "test_direct",
                                             .options = "",
                                             .sources = &source,
                                             .n_sources = 1};
    const char *path = test_scratch_path(&scratch, "x.tagma");
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tagma_schema *schema = make_schema();
    tg_store_writer *writer;
    tg_store_summary summary;
    tagma_source *opened;
    tagma_events *events;

    options.tile_events = tile_events;
    options.is_plain_only = is_plain_only;
    assert_int_equal(tg_store_writer_new(ctx, path, schema, &provenance, &options, &writer), TAGMA_OK);
    assert_int_equal(tg_store_writer_append(ctx, writer, make_batch(schema), 0, NULL), TAGMA_OK);
    assert_int_equal(tg_store_writer_finish(ctx, writer, NULL, &summary), TAGMA_OK);
    tg_store_writer_free(ctx, writer);
    tg_schema_free(schema);
    assert_int_equal(tagma_source_open(ctx, path, TAGMA_IO_PREAD, &opened), TAGMA_OK);
    assert_int_equal(tg_store_open(ctx, opened, NULL, &events), TAGMA_OK);
    tagma_source_release(opened);
    return events;
}

static tagma_reader *new_reader(tagma_events *events)
{
    tagma_reader *reader;

    assert_int_equal(tagma_reader_new(ctx, events, NULL, &reader), TAGMA_OK);
    return reader;
}

/* Every event is once the first of a reader, and once the second. */
static void check_store(tagma_events *events)
{
    static uint64_t first[1024], second[1024];
    tagma_record_plan *plan;
    size_t needed, again;

    assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), TAGMA_OK);
    for (uint64_t e = 0; e < N_EVENTS; e++) {
        tagma_reader *reader = new_reader(events);
        const tg_kept *kept;

        assert_int_equal(tagma_read_event(ctx, reader, plan, e, first, sizeof first, &needed), TAGMA_OK);
        kept = ((const tg_store_reader *)reader)->kept[0];
        assert_true(kept->was_direct);
        assert_null(kept->table.slots);
        assert_int_equal(tagma_read_event(ctx, reader, plan, e, second, sizeof second, &again), TAGMA_OK);
        assert_non_null(kept->table.slots);
        assert_int_equal(needed, again);
        assert_memory_equal(first, second, needed);
        tagma_reader_free(reader);
    }
    tagma_record_plan_free(plan);
}

static void the_first_event_is_as_all_others(void **state)
{
    static const uint32_t tiles[] = {1, 8, 64, 65536};

    (void)state;
    for (int i = 0; i < 8; i++) {
        tagma_events *events = make_store(tiles[i / 2], i % 2);
        check_store(events);
        tagma_events_release(events);
    }
}

/* A short buffer and a plan of some columns go the other way, which has the words and the size. */
static void what_is_not_simple_goes_by_the_plan(void **state)
{
    static uint64_t record[1024];
    static const uint32_t some[] = {X - RUN, HIT_E - RUN};
    tagma_events *events = make_store(8, false);
    tagma_reader *reader = new_reader(events);
    tagma_record_plan *all, *few;
    size_t needed, whole;

    (void)state;
    assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &all), TAGMA_OK);
    assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events), some, 2, &few), TAGMA_OK);
    assert_int_equal(tagma_read_event(ctx, reader, all, 3, record, 8, &needed), TAGMA_E_LIMIT);
    tagma_reader_free(reader);
    reader = new_reader(events);
    assert_int_equal(tagma_read_event(ctx, reader, all, 3, record, needed, &whole), TAGMA_OK);
    assert_int_equal(needed, whole);
    tagma_reader_free(reader);
    reader = new_reader(events);
    assert_int_equal(tagma_read_event(ctx, reader, few, 3, record, sizeof record, &needed), TAGMA_OK);
    assert_true(needed < whole);
    tagma_reader_free(reader);
    tagma_record_plan_free(all);
    tagma_record_plan_free(few);
    tagma_events_release(events);
}

static int set_up(void **state)
{
    (void)state;
    test_scratch_make(&scratch);
    return tagma_ctx_new(NULL, &ctx) == TAGMA_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_event_is_as_all_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_simple_goes_by_the_plan, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
