/* SPDX-License-Identifier: Apache-2.0
 * Numbered tasks over threads: each once, and an answer that does not depend on how many threads there are. */
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
    for (uint32_t threads = 1; threads <= 4; threads++) {
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

static int stop(void *user, const tagma_progress *progress)
{
    (void)user;
    assert_string_equal(progress->phase, "check");
    return 1;
}

static void progress_may_cancel_a_run(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        work *w = new_work(N);
        tagma_ctx *ctx;
        tagma_pool *pool;

        assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
        assert_int_equal(tagma_pool_new(ctx, threads, &pool), TAGMA_OK);
        tagma_ctx_on_progress(ctx, stop, NULL);
        /* The callers of a wide pool may find no task left to tell of; then all is done. */
        if (threads == 1)
            assert_int_equal(tg_pool_run(ctx, pool, N, count, w, "check", "tasks"), TAGMA_E_CANCELLED);
        else
            assert_true(tg_pool_run(ctx, pool, N, count, w, "check", "tasks") <= 0);
        tagma_pool_free(pool);
        tagma_ctx_free(ctx);
        free(w);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(the_lowest_failure_is_the_answer),
        cmocka_unit_test(progress_may_cancel_a_run),
        cmocka_unit_test(refuses_no_threads_and_too_many),
        cmocka_unit_test(making_a_pool_may_fail_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
