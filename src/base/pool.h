/* SPDX-License-Identifier: Apache-2.0
 * Inside of the pool: run numbered tasks on every thread of it, the caller's included. */
#ifndef TG_BASE_POOL_H
#define TG_BASE_POOL_H

#include "base/ctx.h"

/* One task. `ctx` is the worker's own, `worker` its number, 0 <= worker < tg_pool_width(pool); two tasks that
 * run at once never have the same worker. A negative status ends the run: tasks not begun are dropped. */
typedef tagma_status (*tg_task_fn)(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task);

/* Threads of a pool; 1 for NULL. */
uint32_t tg_pool_width(const tagma_pool *pool);

/* Run tasks 0 to n - 1 in any order and wait for all. With several failures the lowest task's status and words are the
 * answer, whatever the number of threads. Progress (may be NULL: phase) is told from the calling thread in tasks done.
 * pool == NULL runs them on the caller. */
TAGMA_CHECKED tagma_status tg_pool_run(tagma_ctx *ctx, tagma_pool *pool, uint64_t n, tg_task_fn fn,
                                       void *user, const char *phase, const char *unit);

/* A piece of work in the background, done by a worker that no run needs; `worker` as in tg_task_fn, never 0. @return false where
 * there is nothing to do until tg_pool_wake(). */
typedef bool (*tg_background_fn)(tagma_ctx *ctx, void *user, uint32_t worker);
/* From now on workers do such pieces between runs: a run waits for none of them, and those who are free join it. fn NULL ends it:
 * when that returns, no piece is on its way. Without a pool, or with one thread, nothing is done. */
void tg_pool_background(tagma_pool *pool, tg_background_fn fn, void *user);
/* There may be something to do again. */
void tg_pool_wake(tagma_pool *pool);

#endif
