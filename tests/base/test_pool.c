/* SPDX-License-Identifier: Apache-2.0
 * Numbered tasks over threads: each once, and an answer that does not depend on how many threads there are. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/pool.h"
#include "support/failing.h"

enum { N = 5000 };

typedef struct work {
    atomic_int runs[N];
    atomic_int busy[8]; /* tasks running now as a worker */
    uint64_t first_bad;
    atomic_bool overlapped;
} work;

static tagma_status count(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    work *w = user;

    if (atomic_fetch_add(&w->busy[worker], 1) != 0)
        atomic_store(&w->overlapped, true);
    atomic_fetch_add(&w->runs[task], 1);
    atomic_fetch_sub(&w->busy[worker], 1);
    if (task >= w->first_bad && (task - w->first_bad) % 3 == 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "task %" PRIu64 " is damaged", task);
    return TAGMA_OK;
}

static work *new_work(uint64_t first_bad)
{
    work *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->first_bad = first_bad;
    return w;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads <= 8; threads += 4) {
        work *w = new_work(N);
        tagma_ctx *ctx;
        tagma_pool *pool = NULL;

        assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
        if (threads)
            assert_int_equal(tagma_pool_new(ctx, threads, &pool), TAGMA_OK);
        assert_int_equal(tg_pool_width(pool), threads ? threads : 1);
        assert_int_equal(tg_pool_run(ctx, pool, N, count, w, NULL, NULL), TAGMA_OK);
        for (int i = 0; i < N; i++)
            assert_int_equal(atomic_load(&w->runs[i]), 1);
        assert_false(atomic_load(&w->overlapped));
        assert_int_equal(tg_pool_run(ctx, pool, 0, count, w, NULL, NULL), TAGMA_OK);
        tagma_pool_free(pool);
        assert_true(tagma_ctx_memory(ctx) == 0);
        tagma_ctx_free(ctx);
        free(w);
    }
}

/* With several failures the lowest task's words are the answer: what a user reads is the same for any -j. */
static void the_lowest_failure_is_the_answer(void **state)
{
    tagma_ctx *ctx;

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    for (uint32_t threads = 1; threads <= 8; threads++) {
        tagma_pool *pool;

        assert_int_equal(tagma_pool_new(ctx, threads, &pool), TAGMA_OK);
        assert_int_equal(tagma_pool_threads(pool), threads);
        for (int round = 0; round < 50; round++) {
            work *w = new_work(37);

            assert_int_equal(tg_pool_run(ctx, pool, 200, count, w, NULL, NULL), TAGMA_E_CORRUPT);
            assert_string_equal(tagma_ctx_message(ctx), "task 37 is damaged");
            for (int i = 0; i <= 37; i++)
                assert_int_equal(atomic_load(&w->runs[i]), 1);
            free(w);
        }
        tagma_pool_free(pool);
    }
    tagma_ctx_free(ctx);
}

/* Workers hold their first task until the caller has cancelled, so that there are tasks left to drop. */
typedef struct cancelled_work {
    atomic_bool is_cancelled;
    atomic_int n_run;
} cancelled_work;

static tagma_status wait_for_cancel(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    cancelled_work *w = user;

    (void)ctx;
    (void)task;
    while (worker > 0 && !atomic_load(&w->is_cancelled))
        sched_yield();
    atomic_fetch_add(&w->n_run, 1);
    return TAGMA_OK;
}

static int cancel(void *user, const tagma_progress *progress)
{
    cancelled_work *w = user;

    assert_string_equal(progress->phase, "check");
    assert_string_equal(progress->unit, "tasks");
    assert_int_equal(progress->total, N);
    atomic_store(&w->is_cancelled, true);
    return 1;
}

static void progress_may_cancel_a_run(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 8; threads++) {
        cancelled_work w = {.n_run = 0};
        tagma_ctx *ctx;
        tagma_pool *pool;

        assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
        assert_int_equal(tagma_pool_new(ctx, threads, &pool), TAGMA_OK);
        tagma_ctx_on_progress(ctx, cancel, &w);
        assert_int_equal(tg_pool_run(ctx, pool, N, wait_for_cancel, &w, "check", "tasks"), TAGMA_E_CANCELLED);
        assert_string_equal(tagma_ctx_message(ctx), "cancelled");
        assert_in_range(atomic_load(&w.n_run), 1, N - 1);
        /* The pool is as good as before. */
        tagma_ctx_on_progress(ctx, NULL, NULL);
        assert_int_equal(tg_pool_run(ctx, pool, N, wait_for_cancel, &w, "check", "tasks"), TAGMA_OK);
        tagma_pool_free(pool);
        tagma_ctx_free(ctx);
    }
}

enum { SMALL = 1000, LIMIT = 100000 };

/* Half of the tasks ask for more than the limit, half for a little. */
static tagma_status ask(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    void *block = tg_alloc(ctx, task % 2 ? UINT64_C(1) << 62 : SMALL, 1);
    tagma_status st = (block == NULL) == (task % 2 == 1) ? TAGMA_OK : TAGMA_E_MEMORY;

    (void)user;
    (void)worker;
    tg_free(ctx, block);
    return st;
}

/* One thread's claim beyond the limit does not refuse another's small block, else answers would depend on luck. */
static void a_refused_claim_disturbs_no_other_thread(void **state)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_ctx *ctx;
    tagma_pool *pool;

    (void)state;
    options.limits.max_memory = LIMIT;
    assert_int_equal(tagma_ctx_new(&options, &ctx), TAGMA_OK);
    assert_int_equal(tagma_pool_new(ctx, 4, &pool), TAGMA_OK);
    assert_int_equal(tg_pool_run(ctx, pool, 200000, ask, NULL, NULL, NULL), TAGMA_OK);
    tagma_pool_free(pool);
    assert_true(tagma_ctx_peak_memory(ctx) <= LIMIT);
    assert_true(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
}

static void refuses_no_threads_and_too_many(void **state)
{
    tagma_ctx *ctx;
    tagma_pool *pool = (tagma_pool *)1;

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    assert_int_equal(tagma_pool_new(ctx, 0, &pool), TAGMA_E_ARG);
    assert_null(pool);
    assert_string_equal(tagma_ctx_message(ctx), "a pool of 0 threads: 1 to 1024 are possible");
    assert_int_equal(tagma_pool_new(ctx, 1025, &pool), TAGMA_E_ARG);
    tagma_pool_free(NULL);
    tagma_ctx_free(ctx);
}

static void making_a_pool_may_fail_at_every_allocation(void **state)
{
    (void)state;
    for (uint64_t fails = 1;; fails++) {
        test_failing failing = {0, 0};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tagma_pool *pool;
        tagma_status st;

        failing.fails = fails;
        st = tagma_pool_new(ctx, 3, &pool);
        assert_true(st == TAGMA_OK || (st == TAGMA_E_MEMORY && !pool && *tagma_ctx_message(ctx)));
        tagma_pool_free(pool);
        assert_true(tagma_ctx_memory(ctx) == 0);
        tagma_ctx_free(ctx);
        if (st == TAGMA_OK)
            break;
    }
}

/* Pieces are counted down; the last one says that there is no more. */
typedef struct pieces {
    atomic_int left, done;
    atomic_bool by_caller;
} pieces;

static bool do_piece(tagma_ctx *ctx, void *user, uint32_t worker)
{
    pieces *p = user;

    (void)ctx;
    if (worker == 0)
        atomic_store(&p->by_caller, true);
    if (atomic_fetch_sub(&p->left, 1) <= 0) {
        atomic_fetch_add(&p->left, 1);
        return false;
    }
    atomic_fetch_add(&p->done, 1);
    return true;
}

/* Workers do pieces between runs, runs come first, and behind the end of it none is on its way. */
static void pieces_are_done_in_the_background(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        pieces p = {0};
        work *w = new_work(N);
        tagma_ctx *ctx;
        tagma_pool *pool;

        assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
        assert_int_equal(tagma_pool_new(ctx, threads, &pool), TAGMA_OK);
        tg_pool_background(pool, do_piece, &p);
        for (int round = 0; round < 20; round++) {
            atomic_fetch_add(&p.left, 100);
            tg_pool_wake(pool);
            assert_int_equal(tg_pool_run(ctx, pool, N, count, w, NULL, NULL), TAGMA_OK);
        }
        while (threads > 1 && atomic_load(&p.done) < 2000)
            sched_yield();
        tg_pool_background(pool, NULL, NULL);
        assert_int_equal(atomic_load(&p.done), threads > 1 ? 2000 : 0);
        assert_false(atomic_load(&p.by_caller));
        assert_false(atomic_load(&w->overlapped));
        for (int i = 0; i < N; i++)
            assert_int_equal(atomic_load(&w->runs[i]), 20);
        tagma_pool_free(pool);
        tagma_ctx_free(ctx);
        free(w);
    }
    tg_pool_background(NULL, do_piece, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(the_lowest_failure_is_the_answer),
        cmocka_unit_test(progress_may_cancel_a_run),
        cmocka_unit_test(a_refused_claim_disturbs_no_other_thread),
        cmocka_unit_test(pieces_are_done_in_the_background),
        cmocka_unit_test(refuses_no_threads_and_too_many),
        cmocka_unit_test(making_a_pool_may_fail_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
