/* SPDX-License-Identifier: Apache-2.0
 * Batches, records and the reading verbs, over a kind of events whose values are a formula. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "event/batch.h"
#include "event/events.h"
#include "event/schema.h"

/* Entry e has: x = e as f64; v[2] of i16; flag; n lists of e % 4 items of f32 and of u8[3]; a string of e % 3 bytes; e % 3
 * lists of e % 2 + 1 strings, each of one letter. Entry 7's list columns are damaged, entry 9's x is null. */
enum { N_ENTRIES = 40, X = 0, V, FLAG, N, PT, RGB, NAME, WORDS, N_COLUMNS };

typedef struct toy_events {
    tagma_events base;
} toy_events;

static tagma_ctx *ctx;
static tagma_events *events;
static tagma_reader *reader;

static void toy_close(tagma_events *toy)
{
    tg_account *account = toy->account;

    tg_schema_free(toy->schema);
    tg_account_free(account, toy);
    tg_account_release(account);
}

static tagma_status toy_reader_new(tagma_ctx *c, tagma_events *toy, const tagma_reader_options *options,
                                   tagma_reader **out)
{
    *out = tg_zalloc(c, 1, sizeof **out);
    if (!*out)
        return TAGMA_E_MEMORY;
    (*out)->events = toy;
    (*out)->ctx = c;
    (*out)->pool = options->pool;
    return TAGMA_OK;
}

static void toy_reader_free(tagma_reader *toy)
{
    tg_free(toy->ctx, toy);
}

static uint64_t entry_of(const tg_rows *rows, uint64_t i)
{
    return rows->entries ? rows->entries[i] : rows->first + i;
}

/* A buffer big enough for any toy column. */
static uint8_t *room(tagma_ctx *c, tagma_buffer **buffer)
{
    assert_int_equal(tg_buffer_new(c, 16384, buffer), TAGMA_OK);
    memset(tg_buffer_fill(*buffer), 0, 16384);
    return tg_buffer_fill(*buffer);
}

static void put(tagma_batch_column *to, uint8_t *values, const void *value, size_t bytes)
{
    memcpy(values + to->n_values * tagma_type_bytes(to->type), value, bytes);
    to->n_values += bytes / tagma_type_bytes(to->type);
}

static void toy_items(tagma_batch_column *to, uint8_t *values, uint32_t *const offsets[3], uint64_t i,
                      uint64_t e, bool is_null)
{
    uint32_t n = (uint32_t)(e % 4), length = (uint32_t)(e % 3);

    if (to->column == NAME) {
        put(to, values, "ab", length);
        offsets[0][i + 1] = (uint32_t)to->n_values;
    } else if (to->column == WORDS) {
        offsets[0][i + 1] = offsets[0][i] + length;
        for (uint32_t k = 0; k < length; k++) {
            uint32_t at = offsets[0][i] + k;

            offsets[1][at + 1] = offsets[1][at] + (uint32_t)(e % 2 + 1);
            for (uint32_t s = offsets[1][at]; s < offsets[1][at + 1]; s++) {
                char letter = (char)('a' + (e + s) % 26);

                put(to, values, &letter, 1);
                offsets[2][s + 1] = (uint32_t)to->n_values;
            }
        }
    } else {
        offsets[0][i + 1] = offsets[0][i] + (is_null ? 0 : n);
        for (uint32_t k = 0; !is_null && k < n; k++) {
            float pt = (float)e + (float)k / 8;
            uint8_t rgb[3] = {(uint8_t)e, (uint8_t)k, 255};

            put(to, values, to->column == PT ? (const void *)&pt : rgb,
                to->column == PT ? sizeof pt : sizeof rgb);
        }
    }
}

static void toy_scalar(tagma_batch_column *to, uint8_t *values, uint64_t e)
{
    double x = e == 9 ? 0 : (double)e;
    int16_t v[2] = {(int16_t)e, (int16_t)-e};
    uint8_t flag = e % 2;
    uint32_t n = (uint32_t)(e % 4);

    switch (to->column) {
    case X:
        put(to, values, &x, sizeof x);
        break;
    case V:
        put(to, values, v, sizeof v);
        break;
    case FLAG:
        put(to, values, &flag, 1);
        break;
    default:
        put(to, values, &n, sizeof n);
    }
}

static tagma_status toy_read(tagma_ctx *c, tagma_reader *toy, const tg_rows *rows, const uint32_t *columns,
                             uint32_t n_columns, tagma_batch **out)
{

    TG_TRY(tg_batch_new(c, toy->events->schema, rows->n, columns, n_columns, out));
    for (uint32_t i = 0; i < n_columns; i++) {
        tagma_batch_column *to = tg_batch_column(*out, i);
        uint8_t *values = room(c, &to->values_buffer), *validity = NULL;
        uint32_t *offsets[3] = {NULL, NULL, NULL};

        to->values = values;
        for (uint32_t k = 0; k < to->n_levels; k++) {
            offsets[k] = (uint32_t *)(void *)room(c, &to->offsets_buffers[k]);
            to->offsets[k] = offsets[k];
        }
        if (to->column == X || to->column == PT) {
            validity = room(c, &to->validity_buffer);
            to->validity = validity;
            to->status = to->column == X ? TAGMA_COLUMN_NULL : TAGMA_COLUMN_CORRUPT;
        }
        if (to->column == PT)
            to->damaged = room(c, &to->damaged_buffer);
        for (uint64_t k = 0; k < rows->n; k++) {
            uint64_t e = entry_of(rows, k);
            bool is_null = (to->column == X && e == 9) || (to->column == PT && e == 7);

            if (validity && !is_null)
                validity[k / 8] |= (uint8_t)(1 << k % 8);
            else if (to->column == PT)
                ((uint8_t *)tg_buffer_fill(to->damaged_buffer))[k / 8] |= (uint8_t)(1 << k % 8);
            if (to->n_levels > 0)
                toy_items(to, values, offsets, k, e, is_null);
            else
                toy_scalar(to, values, e);
        }
        for (uint32_t k = 0; k < to->n_levels; k++)
            tg_buffer_trim(to->offsets_buffers[k],
                           k > 0 ? (to->offsets[k - 1][rows->n] + 1ULL) * 4 : rows->n * 4 + 4);
    }
    return TAGMA_OK;
}

static const tg_events_kind toy_kind = {.name = "toy",
                                        .close = toy_close,
                                        .reader_new = toy_reader_new,
                                        .reader_free = toy_reader_free,
                                        .read = toy_read};

static tagma_schema *toy_schema(void)
{
    static const uint32_t two = 2, three = 3;
    const tagma_collection collections[] = {
        {"N", TAGMA_NONE, N}, {"words", TAGMA_NONE, TAGMA_NONE}, {"words", 1, TAGMA_NONE}};
    const tagma_column columns[N_COLUMNS] = {
        [X] = {"x", NULL, "", NULL, NULL, 0, 1, TAGMA_F64, 0, TAGMA_NONE},
        [V] = {"v", NULL, "", NULL, &two, 1, 2, TAGMA_I16, 0, TAGMA_NONE},
        [FLAG] = {"flag", NULL, "", NULL, NULL, 0, 1, TAGMA_BOOL, 0, TAGMA_NONE},
        [N] = {"n", NULL, "", NULL, NULL, 0, 1, TAGMA_U32, 0, TAGMA_NONE},
        [PT] = {"pt", NULL, "", NULL, NULL, 0, 1, TAGMA_F32, 1, 0},
        [RGB] = {"rgb", NULL, "", NULL, &three, 1, 3, TAGMA_U8, 1, 0},
        [NAME] = {"name", NULL, "", NULL, NULL, 0, 1, TAGMA_STRING, 0, TAGMA_NONE},
        [WORDS] = {"words", NULL, "", NULL, NULL, 0, 1, TAGMA_STRING, 2, 2},
    };
    tagma_schema *schema;
    uint32_t number;

    assert_int_equal(tg_schema_new(ctx, &schema), TAGMA_OK);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(tg_schema_add_collection(ctx, schema, &collections[i], &number), TAGMA_OK);
    for (uint32_t i = 0; i < N_COLUMNS; i++)
        assert_int_equal(tg_schema_add_column(ctx, schema, &columns[i], &number), TAGMA_OK);
    assert_int_equal(tg_schema_seal(ctx, schema), TAGMA_OK);
    return schema;
}

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    events = tg_zalloc(ctx, 1, sizeof(toy_events));
    assert_non_null(events);
    events->kind = &toy_kind;
    atomic_init(&events->users, 1);
    events->account = tg_account_acquire(ctx->account);
    events->schema = toy_schema();
    events->info.n_entries = N_ENTRIES;
    events->info.tree = "toy";
    return tagma_reader_new(ctx, events, NULL, &reader) == TAGMA_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tagma_reader_free(reader);
    tagma_events_release(events);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    return 0;
}

static bool bit(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

/* Scattered, repeated, unordered entries come in the asked order, every level right. */
static void rows_come_in_the_asked_order(void **state)
{
    static const uint64_t asked[] = {11, 9, 7, 11, 0, 39, 2, 8};
    enum { N_ASKED = sizeof asked / sizeof asked[0] };
    const tagma_batch_column *x, *pt, *rgb, *words;
    tagma_batch *batch;

    (void)state;
    assert_int_equal(tagma_read_rows(ctx, reader, asked, N_ASKED, NULL, 0, &batch), TAGMA_OK);
    assert_int_equal(tagma_batch_n_entries(batch), N_ASKED);
    assert_int_equal(tagma_batch_n_columns(batch), N_COLUMNS);
    x = tagma_batch_column_at(batch, X);
    pt = tagma_batch_column_at(batch, PT);
    rgb = tagma_batch_column_at(batch, RGB);
    words = tagma_batch_column_at(batch, WORDS);
    assert_int_equal(x->status, TAGMA_COLUMN_NULL);
    assert_int_equal(pt->status, TAGMA_COLUMN_CORRUPT);
    for (uint64_t i = 0; i < N_ASKED; i++) {
        uint64_t e = asked[i];

        assert_true(((const double *)x->values)[i] == (e == 9 ? 0 : (double)e));
        assert_int_equal(bit(x->validity, i), e != 9);
        assert_int_equal(bit(pt->damaged, i), e == 7);
        assert_int_equal(pt->offsets[0][i + 1] - pt->offsets[0][i], e == 7 ? 0 : e % 4);
        for (uint32_t k = 0; e != 7 && k < e % 4; k++)
            assert_true(((const float *)pt->values)[pt->offsets[0][i] + k] == (float)e + (float)k / 8);
        assert_int_equal(rgb->offsets[0][i + 1] - rgb->offsets[0][i], e % 4);
        for (uint32_t k = 0; k < e % 4; k++)
            assert_int_equal(((const uint8_t *)rgb->values)[(rgb->offsets[0][i] + k) * 3 + 1], k);
        assert_int_equal(words->offsets[0][i + 1] - words->offsets[0][i], e % 3);
        for (uint32_t k = words->offsets[0][i]; k < words->offsets[0][i + 1]; k++)
            assert_int_equal(words->offsets[1][k + 1] - words->offsets[1][k], e % 2 + 1);
    }
    tagma_batch_free(batch);
}

/* A buffer that was acquired outlives its batch, the reader's other columns do not. */
static void a_kept_buffer_outlives_its_batch(void **state)
{
    tagma_batch *batch;
    tagma_buffer *kept;
    uint64_t whole;

    (void)state;
    assert_int_equal(tagma_read_columns(ctx, reader, 0, N_ENTRIES, NULL, 0, &batch), TAGMA_OK);
    whole = tagma_ctx_memory(ctx);
    kept = tagma_buffer_acquire(tagma_batch_column_at(batch, X)->values_buffer);
    tagma_batch_free(batch);
    assert_true(tagma_ctx_memory(ctx) < whole / 2);
    assert_true(((const double *)tagma_buffer_bytes(kept))[39] == 39);
    assert_int_equal((uintptr_t)tagma_buffer_bytes(kept) % 64, 0);
    tagma_buffer_release(kept);
}

/* Bools become bits and bytes again without a change of value. */
static void bools_convert_both_ways(void **state)
{
    uint32_t flag = FLAG;
    tagma_batch *batch;

    (void)state;
    assert_int_equal(tagma_read_columns(ctx, reader, 0, N_ENTRIES, &flag, 1, &batch), TAGMA_OK);
    assert_int_equal(tagma_batch_bools(ctx, batch, 0, true), TAGMA_OK);
    for (uint64_t i = 0; i < N_ENTRIES; i++)
        assert_int_equal(bit(tagma_batch_column_at(batch, 0)->values, i), i % 2);
    assert_int_equal(tagma_batch_bools(ctx, batch, 0, false), TAGMA_OK);
    for (uint64_t i = 0; i < N_ENTRIES; i++)
        assert_int_equal(((const uint8_t *)tagma_batch_column_at(batch, 0)->values)[i], i % 2);
    assert_int_equal(tagma_batch_bools(ctx, batch, 1, true), TAGMA_E_ARG);
    tagma_batch_free(batch);
}

/* Every column of every event stands in its record as in a batch, naturally aligned. */
static void records_hold_every_column(void **state)
{
    _Alignas(8) uint8_t record[4096];
    tagma_record_plan *plan;
    tagma_record_value value;
    size_t needed;

    (void)state;
    assert_int_equal(tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), TAGMA_OK);
    assert_int_equal(tagma_record_plan_n_columns(plan), N_COLUMNS);
    for (uint64_t e = 0; e < N_ENTRIES; e++) {
        assert_int_equal(tagma_read_event(ctx, reader, plan, e, record, sizeof record, &needed), TAGMA_OK);
        assert_in_range(needed, tagma_record_plan_fixed_bytes(plan), sizeof record);
        assert_int_equal(tagma_record_column(plan, record, X, &value), TAGMA_OK);
        assert_int_equal(value.status, e == 9 ? TAGMA_COLUMN_NULL : TAGMA_COLUMN_GOOD);
        assert_true(*(const double *)value.values == (e == 9 ? 0 : (double)e));
        assert_int_equal(tagma_record_column(plan, record, V, &value), TAGMA_OK);
        assert_int_equal(((const int16_t *)value.values)[1], -(int)e);
        assert_int_equal(tagma_record_column(plan, record, PT, &value), TAGMA_OK);
        assert_int_equal(value.status, e == 7 ? TAGMA_COLUMN_CORRUPT : TAGMA_COLUMN_GOOD);
        assert_int_equal(value.n_lists0, e == 7 ? 0 : e % 4);
        for (uint32_t k = 0; k < value.n_lists0; k++)
            assert_true(((const float *)value.values)[k] == (float)e + (float)k / 8);
        assert_int_equal(tagma_record_column(plan, record, RGB, &value), TAGMA_OK);
        assert_int_equal(value.n_values, e % 4 * 3);
        assert_int_equal(tagma_record_column(plan, record, NAME, &value), TAGMA_OK);
        assert_int_equal(value.n_values, e % 3);
        assert_int_equal(value.offsets[0][1], e % 3);
        assert_memory_equal(value.values, "ab", e % 3);
        assert_int_equal(tagma_record_column(plan, record, WORDS, &value), TAGMA_OK);
        assert_int_equal(value.n_lists0, e % 3);
        assert_int_equal(value.offsets[1][value.n_lists0], e % 3 * (e % 2 + 1));
        assert_int_equal(value.offsets[2][value.offsets[1][value.n_lists0]], value.n_values);
    }
    assert_int_equal(tagma_record_column(plan, record, N_COLUMNS, &value), TAGMA_E_RANGE);
    memset(record, 0, 8);
    assert_int_equal(tagma_record_column(plan, record, 0, &value), TAGMA_E_ARG);
    assert_int_equal(tagma_read_event(ctx, reader, plan, 3, record, 16, &needed), TAGMA_E_LIMIT);
    assert_true(needed > 16);
    assert_int_equal(tagma_read_event(ctx, reader, plan, N_ENTRIES, record, sizeof record, NULL),
                     TAGMA_E_RANGE);
    tagma_record_plan_free(plan);
}

/* A column lands in the caller's own memory, and a short buffer is told what it needs. */
static void reads_into_the_callers_memory(void **state)
{
    static const uint64_t asked[] = {5, 3};
    uint32_t offsets[N_ENTRIES + 1], *const levels[3] = {offsets, NULL, NULL};
    const size_t level_bytes[3] = {sizeof offsets, 0, 0};
    uint8_t rgb[3 * 4 * N_ENTRIES];
    uint64_t needed;

    (void)state;
    assert_int_equal(
        tagma_read_into(ctx, reader, 0, N_ENTRIES, RGB, rgb, sizeof rgb, levels, level_bytes, &needed),
        TAGMA_OK);
    assert_int_equal(needed, 3 * offsets[N_ENTRIES]);
    assert_int_equal(tagma_read_into(ctx, reader, 0, N_ENTRIES, RGB, rgb, 5, levels, level_bytes, &needed),
                     TAGMA_E_LIMIT);
    assert_int_equal(needed, 3 * offsets[N_ENTRIES]);
    assert_int_equal(
        tagma_gather_into(ctx, reader, asked, 2, RGB, rgb, sizeof rgb, levels, level_bytes, NULL), TAGMA_OK);
    assert_int_equal(offsets[1], 1);
    assert_int_equal(offsets[2], 4);
    assert_int_equal(rgb[3], 3);
}

/* What cannot be asked for is refused with words. */
static void refuses_what_is_not_there(void **state)
{
    static const uint32_t twice[] = {X, X}, past[] = {N_COLUMNS};
    static const uint64_t beyond[] = {1, N_ENTRIES};
    tagma_batch *batch;

    (void)state;
    assert_int_equal(tagma_read_columns(ctx, reader, 1, N_ENTRIES, NULL, 0, &batch), TAGMA_E_RANGE);
    assert_int_equal(tagma_read_columns(ctx, reader, UINT64_MAX, 2, NULL, 0, &batch), TAGMA_E_RANGE);
    assert_null(batch);
    assert_int_equal(tagma_read_columns(ctx, reader, 0, 1, twice, 2, &batch), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(ctx), "branch x is asked for twice");
    assert_int_equal(tagma_read_columns(ctx, reader, 0, 1, past, 1, &batch), TAGMA_E_RANGE);
    assert_int_equal(tagma_read_rows(ctx, reader, beyond, 2, NULL, 0, &batch), TAGMA_E_RANGE);
    assert_string_equal(tagma_ctx_message(ctx), "toy: entry 40 of 40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_in_the_asked_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_kept_buffer_outlives_its_batch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bools_convert_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_hold_every_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_into_the_callers_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_what_is_not_there, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
