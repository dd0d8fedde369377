/* SPDX-License-Identifier: Apache-2.0
 * A pool of threads that take numbered tasks from one counter. */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* One run of tasks; lives on the caller's stack. */
typedef struct pool_run {
    tg_task_fn fn;
    void *user;
    uint64_t n;
    atomic_uint_fast64_t next;   /* task to begin next */
    atomic_uint_fast64_t failed; /* lowest task that failed; n while none has */
} pool_run;

typedef struct pool_worker {
    tagma_pool *pool;
    tagma_ctx *ctx;
    uint32_t number;
    tagma_status status; /* of the lowest task that failed here; words are in ctx */
    uint64_t failed;
    pthread_t thread;
} pool_worker;

struct tagma_pool {
    tagma_ctx *ctx;
    uint32_t n;           /* the caller counted */
    pool_worker *workers; /* [n]; workers[0] is the caller's place */
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    uint64_t round;   /* counts runs; workers wait for the next */
    uint32_t working; /* workers in this round */
    bool is_closing;
    pool_run *run; /* NULL between runs */
    tg_background_fn background;
    void *background_user;
    uint64_t wakes;        /* counts reasons to look for something to do in the background */
    uint32_t n_background; /* workers that do */
};

/* The lowest failure wins, so that the answer does not depend on the number of threads: tasks below the lowest
 * known failure are still done, those above are dropped. */
static void note_failure(pool_run *run, uint64_t task)
{
    uint_fast64_t lowest = atomic_load(&run->failed);

    while (task < lowest && !atomic_compare_exchange_weak(&run->failed, &lowest, task))
        ;
}

static bool take_task(pool_run *run, uint64_t *task)
{
    *task = atomic_fetch_add(&run->next, 1);
    return *task < run->n && *task < atomic_load(&run->failed);
}

static void do_task(pool_run *run, pool_worker *worker, tagma_ctx *ctx, uint64_t task)
{
    tagma_status st = run->fn(ctx, run->user, worker->number, task);

    if (st < 0) {
        /* A worker takes ascending tasks, so its first failure is its lowest and the words stay. */
        worker->status = st;
        worker->failed = task;
        note_failure(run, task);
    }
}

/* With the lock held, which is given up meanwhile. */
static void join_run(tagma_pool *pool, pool_worker *worker)
{
    pool_run *run = pool->run;
    uint64_t task;

    pool->working++;
    pthread_mutex_unlock(&pool->lock);
    while (worker->status >= 0 && take_task(run, &task))
        do_task(run, worker, worker->ctx, task);
    pthread_mutex_lock(&pool->lock);
    if (--pool->working == 0)
        pthread_cond_broadcast(&pool->done);
}

/* The same. Is there more to do? */
static bool do_piece(tagma_pool *pool, pool_worker *worker)
{
    tg_background_fn fn = pool->background;
    void *user = pool->background_user;
    bool is_more;

    pool->n_background++;
    pthread_mutex_unlock(&pool->lock);
    is_more = fn(worker->ctx, user, worker->number);
    pthread_mutex_lock(&pool->lock);
    if (--pool->n_background == 0)
        pthread_cond_broadcast(&pool->done);
    return is_more;
}

static void *work(void *arg)
{
    pool_worker *worker = arg;
    tagma_pool *pool = worker->pool;
    uint64_t seen = 0, wakes = 0;

    pthread_mutex_lock(&pool->lock);
    while (!pool->is_closing) {
        if (pool->round != seen) {
            seen = pool->round;
            if (pool->run) /* else it is over already */
                join_run(pool, worker);
        } else if (pool->background && pool->wakes != wakes) {
            uint64_t before = pool->wakes;

            if (!do_piece(pool, worker))
                wakes = before;
        } else {
            pthread_cond_wait(&pool->go, &pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

tagma_status tagma_pool_new(tagma_ctx *ctx, uint32_t n_threads, tagma_pool **out)
{
    tagma_pool *pool;

    *out = NULL;
    if (n_threads < 1 || n_threads > 1024)
        return tg_fail(ctx, TAGMA_E_ARG, "a pool of %u threads: 1 to 1024 are possible", n_threads);
    pool = tg_zalloc(ctx, 1, sizeof *pool);
    if (!pool)
        return TAGMA_E_MEMORY;
    pool->ctx = ctx;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->go, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->n = 1;
    pool->workers = tg_zalloc(ctx, n_threads, sizeof *pool->workers);
    if (!pool->workers) {
        tagma_pool_free(pool);
        return TAGMA_E_MEMORY;
    }
    for (uint32_t i = 1; i < n_threads; i++) {
        pool_worker *worker = &pool->workers[i];
        tagma_status st;

        worker->pool = pool;
        worker->number = i;
        st = tg_ctx_lend(ctx, &worker->ctx);
        if (st == TAGMA_OK && pthread_create(&worker->thread, NULL, work, worker) != 0) {
            tagma_ctx_free(worker->ctx);
            st = tg_fail(ctx, TAGMA_E_IO, "thread %u of %u could not be made", i + 1, n_threads);
        }
        if (st < 0) {
            tagma_pool_free(pool);
            return st;
        }
        pool->n++;
    }
    *out = pool;
    return TAGMA_OK;
}

void tagma_pool_free(tagma_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_closing = true;
    pthread_cond_broadcast(&pool->go);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 1; i < pool->n; i++) {
        pthread_join(pool->workers[i].thread, NULL);
        tagma_ctx_free(pool->workers[i].ctx);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->go);
    pthread_mutex_destroy(&pool->lock);
    tg_free(pool->ctx, pool->workers);
    tg_free(pool->ctx, pool);
}

uint32_t tagma_pool_threads(const tagma_pool *pool)
{
    return pool->n;
}

uint32_t tg_pool_width(const tagma_pool *pool)
{
    return pool ? pool->n : 1;
}

/* The answer of a finished run: of the lowest task that failed. */
static tagma_status verdict(tagma_ctx *ctx, tagma_pool *pool, const pool_worker *caller)
{
    const pool_worker *worst = caller->status < 0 ? caller : NULL;

    for (uint32_t i = 1; i < tg_pool_width(pool); i++) {
        const pool_worker *worker = &pool->workers[i];
        if (worker->status < 0 && (!worst || worker->failed < worst->failed))
            worst = worker;
    }
    if (!worst)
        return TAGMA_OK;
    return worst == caller ? caller->status : tg_adopt(ctx, worst->status, worst->ctx);
}

tagma_status tg_pool_run(tagma_ctx *ctx, tagma_pool *pool, uint64_t n, tg_task_fn fn, void *user,
                         const char *phase, const char *unit)
{
    pool_run run = {.fn = fn, .user = user, .n = n};
    pool_worker caller = {.number = 0};
    tagma_status cancelled = TAGMA_OK;
    uint64_t task;
    bool is_shared = pool && pool->n > 1 && n > 1;

    atomic_init(&run.next, 0);
    atomic_init(&run.failed, n);
    if (is_shared) {
        pthread_mutex_lock(&pool->lock);
        for (uint32_t i = 1; i < pool->n; i++)
            pool->workers[i].status = TAGMA_OK;
        pool->run = &run;
        pool->round++;
        pthread_cond_broadcast(&pool->go);
        pthread_mutex_unlock(&pool->lock);
    }
    while (caller.status >= 0 && cancelled == TAGMA_OK && take_task(&run, &task)) {
        do_task(&run, &caller, ctx, task);
        if (phase && caller.status >= 0)
            cancelled = tg_progress(ctx, phase, unit, task, n);
        if (cancelled < 0)
            note_failure(&run, 0);
    }
    if (is_shared) {
        pthread_mutex_lock(&pool->lock);
        pool->run = NULL; /* nobody joins any more */
        while (pool->working > 0)
            pthread_cond_wait(&pool->done, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
    if (cancelled < 0)
        return cancelled;
    return verdict(ctx, is_shared ? pool : NULL, &caller);
}

void tg_pool_background(tagma_pool *pool, tg_background_fn fn, void *user)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->background = fn;
    pool->background_user = user;
    pool->wakes++;
    pthread_cond_broadcast(&pool->go);
    while (!fn && pool->n_background > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void tg_pool_wake(tagma_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->wakes++;
    pthread_cond_broadcast(&pool->go);
    pthread_mutex_unlock(&pool->lock);
}
