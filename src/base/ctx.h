/* SPDX-License-Identifier: Apache-2.0
 * Inside of the context: allocation under a limit, failure with words, notes, faults, progress. */
#ifndef TG_BASE_CTX_H
#define TG_BASE_CTX_H

#include <stdarg.h>
#include <stdbool.h>
#include <tagma/ctx.h>

enum { TG_MESSAGE_BYTES = 1024 };

/* Bytes alive of a family of contexts: one a caller made and those of its pool's workers. */
typedef struct tg_account tg_account;

struct tagma_ctx {
    tagma_limits limits;
    tg_account *account;
    tagma_progress_fn progress_fn;
    void *progress_user;
    uint64_t progress_next_ns; /* when the callback may be called again */
    tagma_fault_fn fault_fn;
    void *fault_user;
    tagma_note_fn note_fn;
    void *note_user;
    tagma_status failed; /* what the words in message belong to */
    char message[TG_MESSAGE_BYTES];
};

/* A context for a worker: shares limits and account, has words of its own, and no callbacks. */
tagma_status tg_ctx_lend(tagma_ctx *ctx, tagma_ctx **out);

/* Set the words and give the status back: return tg_fail(ctx, TAGMA_E_CORRUPT, "..."). */
tagma_status tg_fail(tagma_ctx *ctx, tagma_status status, const char *format, ...) TAGMA_PRINTF(3, 4);
tagma_status tg_failv(tagma_ctx *ctx, tagma_status status, const char *format, va_list args);
/* Put a place in front of the words of a failure: "place: words". Gives status back. */
tagma_status tg_within(tagma_ctx *ctx, tagma_status status, const char *format, ...) TAGMA_PRINTF(3, 4);
/* Take over the words of another context (a worker's). Gives status back. */
tagma_status tg_adopt(tagma_ctx *ctx, tagma_status status, const tagma_ctx *other);
void tg_note(tagma_ctx *ctx, const char *format, ...) TAGMA_PRINTF(2, 3);
void tg_fault(tagma_ctx *ctx, const tagma_fault *fault);
/* Say how far a long call is; TAGMA_E_CANCELLED if the callback wants it to stop. Cheap when called too often. */
TAGMA_CHECKED tagma_status tg_progress(tagma_ctx *ctx, const char *phase, const char *unit, uint64_t done,
                                       uint64_t total);

#define TG_TRY(call)                                                                                         \
    do {                                                                                                     \
        tagma_status tg_try_status = (call);                                                                 \
        if (tg_try_status < 0)                                                                               \
            return tg_try_status;                                                                            \
    } while (0)

/* n * width bytes, 64-byte aligned, zeroed by tg_zalloc; NULL with words after a failure. n * width == 0 gives a
 * block that may be freed. */
void *tg_alloc(tagma_ctx *ctx, uint64_t n, uint64_t width);
void *tg_zalloc(tagma_ctx *ctx, uint64_t n, uint64_t width);
/* Grow or shrink; the old block stays alive after a failure. */
void *tg_realloc(tagma_ctx *ctx, void *block, uint64_t n, uint64_t width);
void tg_free(tagma_ctx *ctx, void *block);
char *tg_strdup(tagma_ctx *ctx, const char *text);
/* "%s..." into a block of its own. */
char *tg_printf(tagma_ctx *ctx, const char *format, ...) TAGMA_PRINTF(2, 3);

/* The account is counted, so that a block may be freed after the context that made it: by tg_account_free. */
tg_account *tg_account_acquire(tg_account *account);
void tg_account_release(tg_account *account);
/* What was read from sources, over all contexts that share the account. */
void tg_account_add_io(tg_account *account, uint64_t requests, uint64_t bytes_read, uint64_t bytes_used);
void tg_account_io(const tg_account *account, uint64_t *requests, uint64_t *bytes_read, uint64_t *bytes_used);
void tg_account_free(tg_account *account, void *block);

/* What objects of one account share, by a key, as long as one of them holds it. The first member of the thing that is shared. */
typedef struct tg_shared {
    struct tg_shared *next;
    uint64_t key;
    uint64_t users;
    void (*free)(tg_account *account, struct tg_shared *shared);
} tg_shared;
/* The thing of that key and kind (told by its free), now also the caller's; NULL where there is none. */
tg_shared *tg_shared_acquire(tg_account *account, uint64_t key, void (*free)(tg_account *, tg_shared *));
/* Offer a thing that is the caller's to others; key, users (1) and free are set. One that is never offered may be released, too. */
void tg_shared_offer(tg_account *account, tg_shared *shared);
void tg_shared_release(tg_account *account, tg_shared *shared);

/* Grow *block to hold at least n elements, doubling; *capacity is in elements. */
TAGMA_CHECKED tagma_status tg_reserve(tagma_ctx *ctx, void **block, uint64_t *capacity, uint64_t n,
                                      uint64_t width);

/* A growing run of bytes. */
typedef struct tg_buf {
    uint8_t *bytes;
    uint64_t n, capacity;
} tg_buf;
/* clang-format off */
#define TG_BUF_INIT { NULL, 0, 0 }
/* clang-format on */
TAGMA_CHECKED tagma_status tg_buf_reserve(tagma_ctx *ctx, tg_buf *buf, uint64_t capacity);
TAGMA_CHECKED tagma_status tg_buf_put(tagma_ctx *ctx, tg_buf *buf, const void *bytes, uint64_t n);
void tg_buf_free(tagma_ctx *ctx, tg_buf *buf);

/* Did a call ask for too much at once? Half of it may do. */
static inline bool tg_is_too_much(tagma_status status)
{
    return status == TAGMA_E_MEMORY || status == TAGMA_E_LIMIT;
}

/* A struct of n bytes that begins with struct_bytes, to a caller whose own says how long it is there: no more than that is written,
 * and it tells then how much was. A caller that was compiled with a shorter one gets what it knows of. */
void tg_give(void *to, const void *from, size_t n);

/* CLOCK_MONOTONIC, for progress only. */
uint64_t tg_now_ns(void);

#endif
