/* SPDX-License-Identifier: Apache-2.0
 * Windows read ahead: a ring of them, each read by one thread with a reader of its own. */
#include "ingest/ahead.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"
#include "event/events.h"

typedef enum window_state { FREE, BEGUN, READ } window_state;

/* A place of the ring. */
typedef struct window {
    window_state state;
    uint64_t first, n;
    tagma_batch *batch;
    tagma_status status;
    char words[TG_MESSAGE_BYTES], damage[TG_MESSAGE_BYTES];
} window;

struct tg_ahead {
    tagma_pool *pool;
    tagma_events *events;
    const uint32_t *columns;
    uint32_t n_columns, n_threads, n_places;
    tagma_reader **readers; /* [n_threads] made at first use */
    window *places;         /* [n_places] window i is at i % n_places */
    uint64_t *begins;       /* [n_windows + 1] */
    uint64_t n_windows;
    pthread_mutex_t lock;
    pthread_cond_t is_read;
    uint64_t taken, begun;         /* windows; what is begun and not taken is in the ring */
    bool is_over;                  /* nothing is begun any more */
    char damage[TG_MESSAGE_BYTES]; /* of the window taken last */
};

/* Windows of whole clusters; false where one cluster alone is longer than a window may be. */
static bool plan(const tagma_events *events, uint64_t most, uint64_t *begins, uint64_t *n_windows)
{
    uint64_t n_clusters = events->info.n_clusters, begin = 0, n = 0;

    for (uint64_t i = 0; i < n_clusters; i++) {
        uint64_t end = tagma_events_cluster(events, i + 1);

        if (end - tagma_events_cluster(events, i) > most)
            return false;
        if (end - begin <= most)
            continue;
        if (begins)
            begins[n] = begin;
        n++;
        begin = tagma_events_cluster(events, i);
    }
    if (begins) {
        begins[n] = begin;
        begins[n + 1] = events->info.n_entries;
    }
    *n_windows = n + 1;
    return true;
}

static tagma_status make(tagma_ctx *ctx, tg_ahead *ahead, uint64_t most)
{
    ahead->readers = tg_zalloc(ctx, ahead->n_threads, sizeof(void *));
    ahead->places = tg_zalloc(ctx, ahead->n_places, sizeof *ahead->places);
    ahead->begins = tg_alloc(ctx, ahead->n_windows + 1, sizeof *ahead->begins);
    if (!ahead->readers || !ahead->places || !ahead->begins)
        return TAGMA_E_MEMORY;
    plan(ahead->events, most, ahead->begins, &ahead->n_windows);
    return TAGMA_OK;
}

static void on_fault(void *user, const tagma_fault *fault)
{
    window *at = user;

    if (!at->damage[0])
        snprintf(at->damage, sizeof at->damage, "%s", fault->message);
}

static tagma_status read_with(tagma_ctx *ctx, tg_ahead *ahead, uint32_t thread, window *at)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;

    options.cache_bytes = ctx->limits.max_memory / 8 / ahead->n_threads;
    if (!ahead->readers[thread])
        TG_TRY(tagma_reader_new(ctx, ahead->events, &options, &ahead->readers[thread]));
    return tagma_read_columns(ctx, ahead->readers[thread], at->first, at->n, ahead->columns, ahead->n_columns,
                              &at->batch);
}

/* Without the lock: the window is the thread's own until it is marked as read. */
static void read_window(tagma_ctx *ctx, tg_ahead *ahead, uint32_t thread, window *at)
{
    tagma_fault_fn fault_fn = ctx->fault_fn;
    void *fault_user = ctx->fault_user;

    at->batch = NULL;
    at->damage[0] = at->words[0] = 0;
    tagma_ctx_on_fault(ctx, on_fault, at);
    at->status = read_with(ctx, ahead, thread, at);
    tagma_ctx_on_fault(ctx, fault_fn, fault_user);
    if (at->status < 0)
        snprintf(at->words, sizeof at->words, "%s", tagma_ctx_message(ctx));
}

/* With the lock held: begin the next window, read it without the lock. False where none may be begun. */
static bool read_next(tagma_ctx *ctx, tg_ahead *ahead, uint32_t thread)
{
    window *at = &ahead->places[ahead->begun % ahead->n_places];

    if (ahead->is_over || ahead->begun == ahead->n_windows || ahead->begun - ahead->taken == ahead->n_places)
        return false;
    at->first = ahead->begins[ahead->begun];
    at->n = ahead->begins[ahead->begun + 1] - at->first;
    at->state = BEGUN;
    ahead->begun++;
    pthread_mutex_unlock(&ahead->lock);
    read_window(ctx, ahead, thread, at);
    pthread_mutex_lock(&ahead->lock);
    at->state = READ;
    pthread_cond_broadcast(&ahead->is_read);
    return true;
}

static bool in_background(tagma_ctx *ctx, void *user, uint32_t worker)
{
    tg_ahead *ahead = user;
    bool is_more;

    pthread_mutex_lock(&ahead->lock);
    is_more = read_next(ctx, ahead, worker);
    pthread_mutex_unlock(&ahead->lock);
    return is_more;
}

tagma_status tg_ahead_new(tagma_ctx *ctx, tagma_pool *pool, tagma_events *events, const uint32_t *columns,
                          uint32_t n_columns, uint64_t most, tg_ahead **out)
{
    uint32_t n_threads = tg_pool_width(pool);
    uint64_t n_windows;
    tg_ahead *ahead;

    *out = NULL;
    if (n_threads < 2 || events->info.n_entries == 0 || !plan(events, most, NULL, &n_windows) ||
        n_windows < 2 * (uint64_t)n_threads)
        return TAGMA_ABSENT;
    ahead = tg_zalloc(ctx, 1, sizeof *ahead);
    if (!ahead)
        return TAGMA_E_MEMORY;
    ahead->pool = pool;
    ahead->events = events;
    ahead->columns = columns;
    ahead->n_columns = n_columns;
    ahead->n_threads = n_threads;
    ahead->n_places = 2 * n_threads;
    ahead->n_windows = n_windows;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->is_read, NULL);
    if (make(ctx, ahead, most) < 0) {
        tg_ahead_free(ctx, ahead);
        return TAGMA_E_MEMORY;
    }
    tg_pool_background(pool, in_background, ahead);
    *out = ahead;
    return TAGMA_OK;
}

void tg_ahead_free(tagma_ctx *ctx, tg_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->is_over = true;
    pthread_mutex_unlock(&ahead->lock);
    tg_pool_background(ahead->pool, NULL, NULL);
    for (uint32_t i = 0; ahead->places && i < ahead->n_places; i++)
        tagma_batch_free(ahead->places[i].batch);
    for (uint32_t i = 0; ahead->readers && i < ahead->n_threads; i++)
        tagma_reader_free(ahead->readers[i]);
    pthread_cond_destroy(&ahead->is_read);
    pthread_mutex_destroy(&ahead->lock);
    tg_free(ctx, ahead->readers);
    tg_free(ctx, ahead->places);
    tg_free(ctx, ahead->begins);
    tg_free(ctx, ahead);
}

/* With the lock held: the place may be begun anew as soon as the window is taken. */
static tagma_status take(tagma_ctx *ctx, tg_ahead *ahead, window *at, tagma_batch **out)
{
    tagma_status st = at->status;

    if (st < 0)
        st = tg_fail(ctx, st, "%s", at->words);
    *out = at->batch;
    at->batch = NULL;
    at->state = FREE;
    memcpy(ahead->damage, at->damage, sizeof ahead->damage);
    ahead->taken++;
    return st;
}

tagma_status tg_ahead_next(tagma_ctx *ctx, tg_ahead *ahead, tagma_batch **out, uint64_t *first,
                           const char **damage)
{
    window *at = &ahead->places[ahead->taken % ahead->n_places];
    tagma_status st;

    *out = NULL;
    if (ahead->taken == ahead->n_windows)
        return TAGMA_END;
    pthread_mutex_lock(&ahead->lock);
    while (ahead->begun == ahead->taken || at->state != READ)
        if (!read_next(ctx, ahead, 0))
            pthread_cond_wait(&ahead->is_read, &ahead->lock);
    *first = at->first;
    st = take(ctx, ahead, at, out);
    pthread_mutex_unlock(&ahead->lock);
    *damage = ahead->damage;
    tg_pool_wake(ahead->pool);
    return st;
}
