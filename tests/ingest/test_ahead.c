/* SPDX-License-Identifier: Apache-2.0
 * Windows that are read ahead come in order, each whole, whoever read them; what fails does so in its turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "base/pool.h"
#include "event/batch.h"
#include "event/events.h"
#include "ingest/ahead.h"
#include "support/synth.h"

enum { CLUSTER = 7, N = 40 * CLUSTER + 3, MOST = 20 };

/* Made-up events in clusters of 7, of which one entry may not be read and one is damaged. */
typedef struct made_up {
    tagma_events events;
    const test_synth *synth;
    uint64_t refused, damaged; /* N: none */
    atomic_int n_readers;
} made_up;

static tagma_ctx *ctx;
static test_synth synth;

static uint64_t cluster(const tagma_events *events, uint64_t i)
{
    (void)events;
    return i * CLUSTER;
}

static tagma_status reader_new(tagma_ctx *with, tagma_events *events, const tagma_reader_options *options,
                               tagma_reader **out)
{
    *out = tg_zalloc(with, 1, sizeof **out);
    assert_non_null(*out);
    **out = (tagma_reader){.events = events, .ctx = with, .pool = options->pool};
    atomic_fetch_add(&((made_up *)events)->n_readers, 1);
    return TAGMA_OK;
}

static void reader_free(tagma_reader *reader)
{
    atomic_fetch_sub(&((made_up *)reader->events)->n_readers, 1);
    tg_free(reader->ctx, reader);
}

static tagma_status read_rows(tagma_ctx *with, tagma_reader *reader, const tg_rows *rows,
                              const uint32_t *columns, uint32_t n_columns, tagma_batch **out)
{
    const made_up *it = (const made_up *)reader->events;

    if (it->refused - rows->first < rows->n)
        return tg_fail(with, TAGMA_E_IO, "entry %d is out of reach", (int)it->refused);
    if (it->damaged - rows->first < rows->n) {
        tagma_fault fault = {.struct_bytes = sizeof fault, .message = "basket 5 is damaged"};
        tg_fault(with, &fault);
        fault.message = "basket 6 is damaged";
        tg_fault(with, &fault);
    }
    *out = test_synth_batch(it->synth, rows->first, NULL, rows->n, columns, n_columns);
    return TAGMA_OK;
}

static const tg_events_kind kind = {.name = "made up",
                                    .cluster = cluster,
                                    .reader_new = reader_new,
                                    .reader_free = reader_free,
                                    .read = read_rows};

static int make_desk(void **state)
{
    made_up *it = calloc(1, sizeof *it);

    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    test_synth_make(&synth, ctx, 9, TEST_SYNTH_SCALARS);
    it->events.kind = &kind;
    it->events.schema = synth.schema;
    it->events.account = ctx->account;
    it->events.info = (tagma_events_info){.n_entries = N, .n_clusters = 41, .tree = "t", .file = "f"};
    it->synth = &synth;
    it->refused = it->damaged = N;
    *state = it;
    return 0;
}

static int clear_desk(void **state)
{
    made_up *it = *state;

    assert_int_equal(atomic_load(&it->n_readers), 0);
    free(it);
    test_synth_free(&synth);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    return 0;
}

/* Entries that came before the end or a failure, all checked; *st is that of the last call. */
static uint64_t take_all(made_up *it, uint32_t threads, uint64_t stop_at, tagma_status *st)
{
    static const uint32_t columns[] = {1, 3};
    tagma_pool *pool;
    tg_ahead *ahead;
    uint64_t at = 0, first;
    const char *damage;

    *st = TAGMA_OK;

    assert_int_equal(tagma_pool_new(ctx, threads, &pool), TAGMA_OK);
    assert_int_equal(tg_ahead_new(ctx, pool, &it->events, columns, 2, MOST, &ahead), TAGMA_OK);
    while (at < stop_at) {
        tagma_batch *found, *expected;
        uint64_t n;

        *st = tg_ahead_next(ctx, ahead, &found, &first, &damage);
        if (*st != TAGMA_OK)
            break;
        assert_string_equal(damage, "");
        assert_int_equal(first, at);
        n = tagma_batch_n_entries(found);
        assert_true(n <= MOST && (n % CLUSTER == 0 || at + n == N));
        expected = test_synth_batch(&synth, at, NULL, n, columns, 2);
        assert_null(test_batch_difference(expected, found));
        tagma_batch_free(expected);
        tagma_batch_free(found);
        at += n;
    }
    tg_ahead_free(ctx, ahead);
    tagma_pool_free(pool);
    return at;
}

static void windows_come_in_order(void **state)
{
    tagma_status st;

    for (uint32_t threads = 2; threads <= 4; threads++)
        for (int round = 0; round < 10; round++) {
            assert_int_equal(take_all(*state, threads, UINT64_MAX, &st), N);
            assert_int_equal(st, TAGMA_END);
        }
}

static void a_window_that_fails_does_so_in_its_turn(void **state)
{
    made_up *it = *state;
    tagma_status st;

    it->refused = 100;
    for (int round = 0; round < 10; round++) {
        assert_int_equal(take_all(it, 3, UINT64_MAX, &st), 98);
        assert_int_equal(st, TAGMA_E_IO);
        assert_string_equal(tagma_ctx_message(ctx), "entry 100 is out of reach");
    }
}

/* What is read ahead and never taken is put away. */
static void it_may_be_given_up(void **state)
{
    tagma_status st;

    for (uint64_t stop_at = 0; stop_at < N; stop_at += 31)
        assert_true(take_all(*state, 4, stop_at, &st) >= stop_at);
}

static void nothing_is_read_ahead_for_nothing(void **state)
{
    static const uint32_t columns[] = {1};
    made_up *it = *state;
    tagma_pool *pool;
    tg_ahead *ahead;

    assert_int_equal(tg_ahead_new(ctx, NULL, &it->events, columns, 1, MOST, &ahead), TAGMA_ABSENT);
    assert_int_equal(tagma_pool_new(ctx, 2, &pool), TAGMA_OK);
    assert_int_equal(tg_ahead_new(ctx, pool, &it->events, columns, 1, CLUSTER - 1, &ahead), TAGMA_ABSENT);
    assert_int_equal(tg_ahead_new(ctx, pool, &it->events, columns, 1, N, &ahead), TAGMA_ABSENT);
    it->events.info.n_entries = 0;
    assert_int_equal(tg_ahead_new(ctx, pool, &it->events, columns, 1, MOST, &ahead), TAGMA_ABSENT);
    it->events.info.n_entries = N;
    tagma_pool_free(pool);
}

/* The first words of the first window with damage. */
static void damage_is_told_with_its_window(void **state)
{
    made_up *it = *state;
    tagma_batch *batch;
    tagma_status st = TAGMA_OK;
    const char *damage = "";
    uint64_t first = 0;
    static const uint32_t columns[] = {1};
    tagma_pool *pool;
    tg_ahead *ahead;

    it->damaged = 50;
    assert_int_equal(tagma_pool_new(ctx, 2, &pool), TAGMA_OK);
    assert_int_equal(tg_ahead_new(ctx, pool, &it->events, columns, 1, MOST, &ahead), TAGMA_OK);
    while (st == TAGMA_OK && !*damage) {
        st = tg_ahead_next(ctx, ahead, &batch, &first, &damage);
        tagma_batch_free(batch);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_int_equal(first, 42);
    assert_string_equal(damage, "basket 5 is damaged");
    tg_ahead_free(ctx, ahead);
    tagma_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(windows_come_in_order, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(a_window_that_fails_does_so_in_its_turn, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(it_may_be_given_up, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(nothing_is_read_ahead_for_nothing, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(damage_is_told_with_its_window, make_desk, clear_desk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
