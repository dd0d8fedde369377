/* SPDX-License-Identifier: Apache-2.0
 * The context: words, callbacks, memory under a limit. */
#include "base/ctx.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/num.h"

/* A header before each block, as wide as the alignment we promise. */
enum { BLOCK_HEADER = 64 };

struct tg_account {
    atomic_uint_fast64_t users;
    atomic_uint_fast64_t alive;
    atomic_uint_fast64_t peak;
    atomic_uint_fast64_t requests, bytes_read, bytes_used;
    uint64_t limit;
    tagma_alloc_fn fn;
    void *user;
    pthread_mutex_t lock; /* of what is shared */
    tg_shared *shared;
};

/* What stands in front of a block: how long it is, and where the allocator's own block begins. */
typedef struct block_head {
    uint64_t bytes;
    void *base;
    uint64_t base_bytes;
} block_head;

static void *libc_alloc(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_bytes);
}

tagma_status tagma_ctx_new(const tagma_ctx_options *options, tagma_ctx **out)
{
    static const tagma_ctx_options defaults = TAGMA_CTX_OPTIONS_INIT;
    tagma_alloc_fn fn;
    tagma_ctx *ctx;
    tg_account *account;

    *out = NULL;
    if (!options)
        options = &defaults;
    if (options->struct_bytes != sizeof *options)
        return TAGMA_E_ARG;
    fn = options->alloc ? options->alloc : libc_alloc;
    account = fn(options->alloc_user, NULL, 0, sizeof *account);
    if (!account)
        return TAGMA_E_MEMORY;
    ctx = fn(options->alloc_user, NULL, 0, sizeof *ctx);
    if (!ctx) {
        fn(options->alloc_user, account, sizeof *account, 0);
        return TAGMA_E_MEMORY;
    }
    memset(account, 0, sizeof *account);
    memset(ctx, 0, sizeof *ctx);
    atomic_init(&account->users, 1);
    account->limit = options->limits.max_memory;
    account->fn = fn;
    account->user = options->alloc_user;
    pthread_mutex_init(&account->lock, NULL); /* a plain one cannot fail */
    ctx->account = account;
    ctx->limits = options->limits;
    *out = ctx;
    return TAGMA_OK;
}

tagma_status tg_ctx_lend(tagma_ctx *ctx, tagma_ctx **out)
{
    tg_account *account = ctx->account;
    tagma_ctx *lent = account->fn(account->user, NULL, 0, sizeof *lent);

    *out = NULL;
    if (!lent)
        return tg_fail(ctx, TAGMA_E_MEMORY, "no memory for a worker's context");
    memset(lent, 0, sizeof *lent);
    lent->limits = ctx->limits;
    lent->account = tg_account_acquire(account);
    *out = lent;
    return TAGMA_OK;
}

void tagma_ctx_free(tagma_ctx *ctx)
{
    tg_account *account;

    if (!ctx)
        return;
    account = ctx->account;
    account->fn(account->user, ctx, sizeof *ctx, 0);
    tg_account_release(account);
}

tg_account *tg_account_acquire(tg_account *account)
{
    atomic_fetch_add_explicit(&account->users, 1, memory_order_relaxed);
    return account;
}

void tg_account_release(tg_account *account)
{
    tagma_alloc_fn fn = account->fn;
    void *user = account->user;

    if (atomic_fetch_sub_explicit(&account->users, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_destroy(&account->lock);
    fn(user, account, sizeof *account, 0);
}

tg_shared *tg_shared_acquire(tg_account *account, uint64_t key, void (*free)(tg_account *, tg_shared *))
{
    tg_shared *found;

    pthread_mutex_lock(&account->lock);
    found = account->shared;
    while (found && (found->key != key || found->free != free))
        found = found->next;
    if (found)
        found->users++;
    pthread_mutex_unlock(&account->lock);
    return found;
}

void tg_shared_offer(tg_account *account, tg_shared *shared)
{
    pthread_mutex_lock(&account->lock);
    shared->next = account->shared;
    account->shared = shared;
    pthread_mutex_unlock(&account->lock);
}

void tg_shared_release(tg_account *account, tg_shared *shared)
{
    bool is_last;

    pthread_mutex_lock(&account->lock);
    is_last = --shared->users == 0;
    for (tg_shared **at = &account->shared; is_last && *at; at = &(*at)->next)
        if (*at == shared) {
            *at = shared->next;
            break;
        }
    pthread_mutex_unlock(&account->lock);
    if (is_last)
        shared->free(account, shared);
}

void tg_account_add_io(tg_account *account, uint64_t requests, uint64_t bytes_read, uint64_t bytes_used)
{
    atomic_fetch_add_explicit(&account->requests, requests, memory_order_relaxed);
    atomic_fetch_add_explicit(&account->bytes_read, bytes_read, memory_order_relaxed);
    atomic_fetch_add_explicit(&account->bytes_used, bytes_used, memory_order_relaxed);
}

void tg_account_io(const tg_account *account, uint64_t *requests, uint64_t *bytes_read, uint64_t *bytes_used)
{
    *requests = atomic_load_explicit(&account->requests, memory_order_relaxed);
    *bytes_read = atomic_load_explicit(&account->bytes_read, memory_order_relaxed);
    *bytes_used = atomic_load_explicit(&account->bytes_used, memory_order_relaxed);
}

const char *tagma_ctx_message(const tagma_ctx *ctx)
{
    return ctx->message;
}

uint64_t tagma_ctx_memory(const tagma_ctx *ctx)
{
    return atomic_load_explicit(&ctx->account->alive, memory_order_relaxed);
}

uint64_t tagma_ctx_peak_memory(const tagma_ctx *ctx)
{
    return atomic_load_explicit(&ctx->account->peak, memory_order_relaxed);
}

tagma_status tagma_ctx_status(const tagma_ctx *ctx)
{
    return ctx->failed;
}

void tagma_ctx_on_progress(tagma_ctx *ctx, tagma_progress_fn fn, void *user)
{
    ctx->progress_fn = fn;
    ctx->progress_user = user;
}

void tagma_ctx_on_fault(tagma_ctx *ctx, tagma_fault_fn fn, void *user)
{
    ctx->fault_fn = fn;
    ctx->fault_user = user;
}

void tagma_ctx_on_note(tagma_ctx *ctx, tagma_note_fn fn, void *user)
{
    ctx->note_fn = fn;
    ctx->note_user = user;
}

tagma_status tg_failv(tagma_ctx *ctx, tagma_status status, const char *format, va_list args)
{
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    ctx->failed = status;
    return status;
}

tagma_status tg_fail(tagma_ctx *ctx, tagma_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    tg_failv(ctx, status, format, args);
    va_end(args);
    return status;
}

tagma_status tg_within(tagma_ctx *ctx, tagma_status status, const char *format, ...)
{
    char words[TG_MESSAGE_BYTES];
    va_list args;
    int n;

    memcpy(words, ctx->message, sizeof words);
    va_start(args, format);
    n = vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof ctx->message)
        snprintf(ctx->message + n, sizeof ctx->message - (size_t)n, ": %s", words);
    return status;
}

tagma_status tg_adopt(tagma_ctx *ctx, tagma_status status, const tagma_ctx *other)
{
    if (ctx != other)
        memcpy(ctx->message, other->message, sizeof ctx->message);
    ctx->failed = status;
    return status;
}

void tg_note(tagma_ctx *ctx, const char *format, ...)
{
    char words[TG_MESSAGE_BYTES];
    va_list args;

    if (!ctx->note_fn)
        return;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    ctx->note_fn(ctx->note_user, words);
}

void tg_fault(tagma_ctx *ctx, const tagma_fault *fault)
{
    if (ctx->fault_fn)
        ctx->fault_fn(ctx->fault_user, fault);
}

uint64_t tg_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

tagma_status tg_progress(tagma_ctx *ctx, const char *phase, const char *unit, uint64_t done, uint64_t total)
{
    enum { INTERVAL_NS = 100000000 };
    tagma_progress progress = {sizeof progress, phase, unit, done, total};
    uint64_t now;

    if (!ctx->progress_fn)
        return TAGMA_OK;
    now = tg_now_ns();
    if (now < ctx->progress_next_ns)
        return TAGMA_OK;
    ctx->progress_next_ns = now + INTERVAL_NS;
    if (ctx->progress_fn(ctx->progress_user, &progress) != 0)
        return tg_fail(ctx, TAGMA_E_CANCELLED, "cancelled");
    return TAGMA_OK;
}

static block_head *head_of(void *block)
{
    return (block_head *)(void *)((uint8_t *)block - BLOCK_HEADER);
}

/* Nothing is added that does not fit, not even for a moment: another thread's small block must not be refused because this
 * one asks too much. */
static bool charge(tagma_ctx *ctx, uint64_t bytes)
{
    tg_account *account = ctx->account;
    uint_fast64_t alive = atomic_load_explicit(&account->alive, memory_order_relaxed);
    uint_fast64_t peak = atomic_load_explicit(&account->peak, memory_order_relaxed);

    do {
        if (alive > account->limit || bytes > account->limit - alive) {
            tg_fail(ctx, TAGMA_E_MEMORY,
                    "%" PRIu64 " more bytes would pass the memory limit of %" PRIu64 " bytes", bytes,
                    account->limit);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&account->alive, &alive, alive + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    alive += bytes;
    while (alive > peak && !atomic_compare_exchange_weak_explicit(&account->peak, &peak, alive,
                                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    return true;
}

void *tg_alloc(tagma_ctx *ctx, uint64_t n, uint64_t width)
{
    tg_account *account = ctx->account;
    uint64_t bytes, base_bytes;
    uint8_t *base, *block;

    if (!tg_mul(n, width, &bytes) || !tg_add(bytes, 2 * BLOCK_HEADER, &base_bytes) ||
        base_bytes > SIZE_MAX / 2) {
        tg_fail(ctx, TAGMA_E_MEMORY,
                "a block of %" PRIu64 " x %" PRIu64 " bytes is more than memory can hold", n, width);
        return NULL;
    }
    if (!charge(ctx, base_bytes))
        return NULL;
    base = account->fn(account->user, NULL, 0, base_bytes);
    if (!base) {
        atomic_fetch_sub_explicit(&account->alive, base_bytes, memory_order_relaxed);
        tg_fail(ctx, TAGMA_E_MEMORY, "the allocator refused %" PRIu64 " bytes", base_bytes);
        return NULL;
    }
    block = base + BLOCK_HEADER + (BLOCK_HEADER - (uintptr_t)base % BLOCK_HEADER) % BLOCK_HEADER;
    *head_of(block) = (block_head){bytes, base, base_bytes};
    return block;
}

void *tg_zalloc(tagma_ctx *ctx, uint64_t n, uint64_t width)
{
    void *block = tg_alloc(ctx, n, width);

    if (block)
        memset(block, 0, n * width);
    return block;
}

void *tg_realloc(tagma_ctx *ctx, void *block, uint64_t n, uint64_t width)
{
    void *grown = tg_alloc(ctx, n, width);

    if (grown && block) {
        uint64_t old = head_of(block)->bytes;
        memcpy(grown, block, old < n * width ? old : n * width);
        tg_free(ctx, block);
    }
    return grown;
}

void tg_account_free(tg_account *account, void *block)
{
    block_head head;

    if (!block)
        return;
    head = *head_of(block);
    atomic_fetch_sub_explicit(&account->alive, head.base_bytes, memory_order_relaxed);
    account->fn(account->user, head.base, head.base_bytes, 0);
}

void tg_free(tagma_ctx *ctx, void *block)
{
    tg_account_free(ctx->account, block);
}

char *tg_strdup(tagma_ctx *ctx, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = tg_alloc(ctx, n, 1);

    if (copy)
        memcpy(copy, text, n);
    return copy;
}

char *tg_printf(tagma_ctx *ctx, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return NULL;
    text = tg_alloc(ctx, (uint64_t)n + 1, 1);
    if (!text)
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

tagma_status tg_reserve(tagma_ctx *ctx, void **block, uint64_t *capacity, uint64_t n, uint64_t width)
{
    uint64_t wanted = *capacity < 16 ? 16 : *capacity;
    void *grown;

    if (n <= *capacity)
        return TAGMA_OK;
    while (wanted < n)
        wanted = wanted > UINT64_MAX / 2 ? n : wanted * 2;
    grown = tg_realloc(ctx, *block, wanted, width);
    if (!grown)
        return TAGMA_E_MEMORY;
    *block = grown;
    *capacity = wanted;
    return TAGMA_OK;
}

tagma_status tg_buf_reserve(tagma_ctx *ctx, tg_buf *buf, uint64_t capacity)
{
    void *block = buf->bytes;
    tagma_status st = tg_reserve(ctx, &block, &buf->capacity, capacity, 1);

    buf->bytes = block;
    return st;
}

tagma_status tg_buf_put(tagma_ctx *ctx, tg_buf *buf, const void *bytes, uint64_t n)
{
    uint64_t wanted;

    if (!tg_add(buf->n, n, &wanted))
        return tg_fail(ctx, TAGMA_E_LIMIT, "a buffer of %" PRIu64 " + %" PRIu64 " bytes", buf->n, n);
    TG_TRY(tg_buf_reserve(ctx, buf, wanted));
    if (n > 0)
        memcpy(buf->bytes + buf->n, bytes, n);
    buf->n = wanted;
    return TAGMA_OK;
}

void tg_buf_free(tagma_ctx *ctx, tg_buf *buf)
{
    tg_free(ctx, buf->bytes);
    *buf = (tg_buf)TG_BUF_INIT;
}

void tg_give(void *to, const void *from, size_t n)
{
    size_t given;

    memcpy(&given, to, sizeof given);
    if (given > n)
        given = n;
    if (given < sizeof given)
        return; /* it has no room for its own length */
    memcpy(to, from, given);
    memcpy(to, &given, sizeof given);
}
