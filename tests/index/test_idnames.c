/* SPDX-License-Identifier: Apache-2.0
 * Which columns name events, and what their values are as axes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/batch.h"
#include "event/schema.h"
#include "index/idnames.h"

static int open_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int close_ctx(void **state)
{
    assert_int_equal(tagma_ctx_memory(*state), 0);
    tagma_ctx_free(*state);
    return 0;
}

/* A column of a schema to be. */
typedef struct made {
    const char *name;
    tagma_type type;
    uint32_t n_lists;
    const char *reason;
} made;

static tagma_schema *schema_of(tagma_ctx *ctx, const made *columns, size_t n)
{
    const tagma_collection own = {"own", TAGMA_NONE, TAGMA_NONE};
    tagma_schema *schema;
    uint32_t number, list;

    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    assert_int_equal(tg_schema_add_collection(ctx, schema, &own, &list), TAGMA_OK);
    for (size_t i = 0; i < n; i++) {
        tagma_column column = {.name = columns[i].name,
                               .path = columns[i].name,
                               .reason = columns[i].reason,
                               .n_items = 1,
                               .type = columns[i].type,
                               .n_lists = columns[i].n_lists,
                               .collection = columns[i].n_lists > 0 ? list : TAGMA_NONE};
        assert_int_equal(tg_schema_add_column(ctx, schema, &column, &number), TAGMA_OK);
    }
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    return schema;
}

static tagma_status find(tagma_ctx *ctx, const made *columns, size_t n, const char *named, tagma_ids *ids)
{
    tagma_schema *schema = schema_of(ctx, columns, n);
    tagma_status st = tg_ids_find(ctx, schema, "Events", named, ids);

    tg_schema_free(schema);
    return st;
}

/* Run, lumi, event come out in this order, wherever they stand; each with its role and sign. */
static void finds_the_columns_of_the_field(void **state)
{
    static const made columns[] = {{"pt", TAGMA_F32, 0, NULL},
                                   {"event", TAGMA_U64, 0, NULL},
                                   {"luminosityBlock", TAGMA_U32, 0, NULL},
                                   {"run", TAGMA_I32, 0, NULL}};
    tagma_ids ids;

    assert_int_equal(find(*state, columns, 4, NULL, &ids), TAGMA_OK);
    assert_int_equal(ids.n_axes, 3);
    assert_int_equal(ids.columns[0], 3);
    assert_int_equal(ids.columns[1], 2);
    assert_int_equal(ids.columns[2], 1);
    assert_string_equal(ids.roles[0], "run");
    assert_string_equal(ids.roles[1], "lumi");
    assert_string_equal(ids.roles[2], "event");
    assert_true(ids.is_signed[0]);
    assert_false(ids.is_signed[1]);
    assert_false(ids.is_signed[2]);
}

/* Spellings of the experiments: case, "_", EventInfo before them; run and lumi join where they are. */
static void knows_the_spellings_of_the_experiments(void **state)
{
    static const struct {
        made columns[3];
        uint32_t n, n_axes;
    } cases[] = {
        {{{"runNumber", TAGMA_U32, 0, NULL}, {"eventNumber", TAGMA_U64, 0, NULL}}, 2, 2},
        {{{"EventInfoAuxDyn.runNumber", TAGMA_U32, 0, NULL},
          {"EventInfoAuxDyn.lumiBlock", TAGMA_U32, 0, NULL},
          {"EventInfoAuxDyn.eventNumber", TAGMA_U64, 0, NULL}},
         3,
         3},
        {{{"RunNum", TAGMA_I32, 1, NULL},
          {"LumiBlockNum", TAGMA_I32, 1, NULL},
          {"EvtNum", TAGMA_I64, 1, NULL}},
         3,
         3},
        {{{"EVENT_NUMBER", TAGMA_F64, 0, NULL}}, 1, 1},
        {{{"Run_Number", TAGMA_F32, 0, NULL}, {"subrun", TAGMA_I16, 0, NULL}, {"evt", TAGMA_I8, 0, NULL}},
         3,
         3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tagma_ids ids;
        assert_int_equal(find(*state, cases[i].columns, cases[i].n, NULL, &ids), TAGMA_OK);
        assert_int_equal(ids.n_axes, cases[i].n_axes);
    }
}

/* Without an event column there are no ids; columns that cannot hold one are passed over. */
static void says_what_was_looked_for(void **state)
{
    static const made columns[] = {{"run", TAGMA_U32, 0, NULL},
                                   {"event", TAGMA_STRING, 0, NULL},
                                   {"evt", TAGMA_BOOL, 0, NULL},
                                   {"eventNumber", TAGMA_U64, 2, NULL},
                                   {"EventNumber", TAGMA_U64, 0, "a class without streamer info"}};
    tagma_ids ids;

    assert_int_equal(find(*state, columns, 5, NULL, &ids), TAGMA_ABSENT);
    assert_string_equal(tagma_ctx_message(*state), "no id columns found in tree Events. Looked for an event "
                                                   "number (event, eventnumber, eventnum, evtnumber, "
                                                   "evtnum, evt), a run (run, runnumber, runnum, runnr) and "
                                                   "a luminosity block (luminosityblock, lumi, lumiblock, "
                                                   "lumiblocknum, lumisection, ls, subrun), compared without "
                                                   "case and \"_\". Name them with --ids A,B,C, or give "
                                                   "entries as @N");
}

/* Two candidates for one axis: both are named, none is taken. */
static void refuses_to_choose_between_two(void **state)
{
    static const made columns[] = {
        {"run", TAGMA_U32, 0, NULL}, {"event", TAGMA_U64, 0, NULL}, {"EventNumber", TAGMA_U64, 0, NULL}};
    tagma_ids ids;

    assert_int_equal(find(*state, columns, 3, NULL, &ids), TAGMA_E_NAME);
    assert_string_equal(tagma_ctx_message(*state),
                        "tree Events has two candidates for the event column: event and "
                        "EventNumber. Name the id columns with --ids A,B,C");
    assert_int_equal(find(*state, columns, 3, "run,EventNumber", &ids), TAGMA_OK);
    assert_int_equal(ids.n_axes, 2);
    assert_int_equal(ids.columns[1], 2);
    assert_string_equal(ids.roles[1], "");
}

/* Named by hand: one to four, in the order given, each a column that can hold an id. */
static void takes_the_columns_named_by_hand(void **state)
{
    static const made columns[] = {{"a", TAGMA_I16, 0, NULL},    {"b", TAGMA_U64, 0, NULL},
                                   {"c", TAGMA_F64, 1, NULL},    {"d", TAGMA_U8, 0, NULL},
                                   {"s", TAGMA_STRING, 0, NULL}, {"x", TAGMA_I32, 0, "its class is unknown"}};
    tagma_ids ids;

    assert_int_equal(find(*state, columns, 6, "d,c,b,a", &ids), TAGMA_OK);
    assert_int_equal(ids.n_axes, 4);
    assert_int_equal(ids.columns[0], 3);
    assert_true(ids.is_signed[3]);
    assert_int_equal(find(*state, columns, 6, "a,b,c,d,a", &ids), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(*state), "--ids takes 1 to 4 branches, \"a,b,c,d,a\" names more");
    assert_int_equal(find(*state, columns, 6, "a,nothing", &ids), TAGMA_E_NAME);
    assert_non_null(strstr(tagma_ctx_message(*state), "no branch named \"nothing\""));
    assert_int_equal(find(*state, columns, 6, "s", &ids), TAGMA_E_NAME);
    assert_string_equal(tagma_ctx_message(*state),
                        "branch s is string and cannot name events; an integer is needed");
    assert_int_equal(find(*state, columns, 6, "x", &ids), TAGMA_E_NAME);
    assert_string_equal(tagma_ctx_message(*state), "branch x cannot name events: its class is unknown");
    assert_int_equal(find(*state, columns, 6, "", &ids), TAGMA_E_NAME);
}

/* A batch of one column over values that the test holds. */
static tagma_batch *batch_of(tagma_ctx *ctx, tagma_type type, const void *values, uint64_t n)
{
    tagma_batch *batch;
    tagma_batch_column *column;

    assert_int_equal(tg_batch_new_empty(ctx, n, 1, &batch), TAGMA_OK);
    column = tg_batch_column(batch, 0);
    column->type = type;
    column->n_items = 1;
    column->n_values = n;
    column->values = values;
    return batch;
}

static tagma_status values_of(tagma_ctx *ctx, tagma_type type, const void *values, uint64_t n, uint64_t *axis)
{
    tagma_batch *batch = batch_of(ctx, type, values, n);
    tagma_status st = tg_ids_values(ctx, "event", batch, 0, 1000, axis);

    tagma_batch_free(batch);
    return st;
}

/* Every type, its ends, and its sign. */
static void widens_every_type(void **state)
{
    static const int8_t i8[] = {-128, 127};
    static const uint8_t u8[] = {0, 255};
    static const int16_t i16[] = {-32768, 32767};
    static const uint16_t u16[] = {0, 65535};
    static const int32_t i32[] = {INT32_MIN, INT32_MAX};
    static const uint32_t u32[] = {0, UINT32_MAX};
    static const int64_t i64[] = {INT64_MIN, INT64_MAX};
    static const uint64_t u64[] = {0, UINT64_MAX};
    static const float f32[] = {-16777215.0F, 16777215.0F};
    static const double f64[] = {-9007199254740991.0, 9007199254740991.0};
    static const struct {
        tagma_type type;
        const void *values;
        uint64_t expected[2];
    } cases[] = {
        {TAGMA_I8, i8, {UINT64_MAX - 127, 127}},
        {TAGMA_U8, u8, {0, 255}},
        {TAGMA_I16, i16, {UINT64_MAX - 32767, 32767}},
        {TAGMA_U16, u16, {0, 65535}},
        {TAGMA_I32, i32, {UINT64_MAX - INT32_MAX, INT32_MAX}},
        {TAGMA_U32, u32, {0, UINT32_MAX}},
        {TAGMA_I64, i64, {(uint64_t)1 << 63, INT64_MAX}},
        {TAGMA_U64, u64, {0, UINT64_MAX}},
        {TAGMA_F32, f32, {UINT64_MAX - 16777214, 16777215}},
        {TAGMA_F64, f64, {UINT64_MAX - 9007199254740990, 9007199254740991}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t axis[2];
        assert_int_equal(values_of(*state, cases[i].type, cases[i].values, 2, axis), TAGMA_OK);
        assert_int_equal(axis[0], cases[i].expected[0]);
        assert_int_equal(axis[1], cases[i].expected[1]);
    }
}

/* A float that is no whole number, or so large that another could have been rounded to it, is told with its entry. */
static void refuses_floats_that_are_no_ids(void **state)
{
    static const float f32[] = {1.0F, 16777216.0F};
    static const double bad[] = {0.5, 9007199254740992.0, -1e300, (double)INFINITY, (double)NAN};
    uint64_t axis[2];

    assert_int_equal(values_of(*state, TAGMA_F32, f32, 2, axis), TAGMA_E_UNSUPPORTED);
    assert_string_equal(tagma_ctx_message(*state),
                        "branch event is f32 and cannot name events: entry 1001 holds "
                        "16777216, expected a whole number below 2^24");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(values_of(*state, TAGMA_F64, &bad[i], 1, axis), TAGMA_E_UNSUPPORTED);
        assert_non_null(strstr(tagma_ctx_message(*state), "entry 1000 holds "));
        assert_non_null(strstr(tagma_ctx_message(*state), "below 2^53"));
    }
}

/* Lists give their one element; none or two are told with their entry. */
static void takes_the_one_element_of_each_list(void **state)
{
    static const uint32_t values[] = {7, 8, 9}, one_each[] = {0, 1, 2, 3}, none[] = {0, 1, 1, 2},
                          two[] = {0, 1, 2, 4};
    static const struct {
        const uint32_t *offsets;
        const char *words;
    } cases[] = {
        {one_each, NULL},
        {none, "id column event is a list with 0 elements in entry 1001, expected exactly one"},
        {two, "id column event is a list with 2 elements in entry 1002, expected exactly one"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tagma_batch *batch = batch_of(*state, TAGMA_U32, values, 3);
        uint64_t axis[3];
        tagma_status st;

        tg_batch_column(batch, 0)->n_levels = 1;
        tg_batch_column(batch, 0)->offsets[0] = cases[i].offsets;
        st = tg_ids_values(*state, "event", batch, 0, 1000, axis);
        assert_int_equal(st, cases[i].words ? TAGMA_E_UNSUPPORTED : TAGMA_OK);
        if (cases[i].words)
            assert_string_equal(tagma_ctx_message(*state), cases[i].words);
        else
            assert_int_equal(axis[2], 9);
        tagma_batch_free(batch);
    }
}

/* An entry without a value, and one whose bytes are damaged, cannot be indexed. */
static void refuses_entries_without_a_value(void **state)
{
    static const uint32_t values[] = {7, 8, 9};
    static const uint8_t second_missing[] = {0x05}, second[] = {0x02};
    tagma_batch *batch = batch_of(*state, TAGMA_U32, values, 3);
    tagma_batch_column *column = tg_batch_column(batch, 0);
    uint64_t axis[3];

    column->status = TAGMA_COLUMN_NULL;
    column->validity = second_missing;
    assert_int_equal(tg_ids_values(*state, "event", batch, 0, 1000, axis), TAGMA_E_UNSUPPORTED);
    assert_string_equal(tagma_ctx_message(*state), "id column event has no value in entry 1001");
    column->status = TAGMA_COLUMN_CORRUPT;
    column->damaged = second;
    assert_int_equal(tg_ids_values(*state, "event", batch, 0, 1000, axis), TAGMA_E_CORRUPT);
    assert_string_equal(tagma_ctx_message(*state), "id column event is damaged at entry 1001");
    tagma_batch_free(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_the_columns_of_the_field, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(knows_the_spellings_of_the_experiments, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(says_what_was_looked_for, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_to_choose_between_two, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(takes_the_columns_named_by_hand, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(widens_every_type, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_floats_that_are_no_ids, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(takes_the_one_element_of_each_list, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_entries_without_a_value, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
