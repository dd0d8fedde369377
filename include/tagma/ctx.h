/* SPDX-License-Identifier: Apache-2.0
 * The context: memory, limits, words, progress; and the pool of threads a caller may lend. */
#ifndef TAGMA_CTX_H
#define TAGMA_CTX_H

#include <stddef.h>
#include <stdint.h>
#include <tagma/status.h>

TAGMA_BEGIN_DECLS

/** Belongs to one thread at a time. Cheap: make one per thread. */
typedef struct tagma_ctx tagma_ctx;

/** What any file may ask of us, whatever its bytes claim. */
typedef struct tagma_limits {
    uint64_t max_memory;       /**< bytes alive in this context and those lent from it; default 1 GiB */
    uint64_t max_object_bytes; /**< bytes of one unpacked record or basket; default 1 GiB */
    uint32_t max_depth;        /**< branches in branches, directories in directories; default 64 */
    uint32_t max_columns;      /**< columns of one tree; default 1,000,000 */
} tagma_limits;

/** A fault that was passed over so that the rest could be read. Strings are borrowed until the callback returns. */
typedef struct tagma_fault {
    size_t struct_bytes;
    tagma_status status; /**< TAGMA_E_CORRUPT, TAGMA_E_TRUNCATED, TAGMA_E_LIMIT, TAGMA_E_IO ... */
    const char *file;
    const char *tree;                /**< "name;cycle", or NULL where the fault is not in a tree */
    const char *column;              /**< branch, or NULL */
    int64_t basket;                  /**< basket of the branch, or -1 */
    uint64_t offset;                 /**< byte in the file */
    uint64_t first_entry, n_entries; /**< entries it makes null; n_entries 0 where none */
    const char *message;             /**< the words, all of the above included */
} tagma_fault;

/** How far a long call is. `total` is 0 while unknown. */
typedef struct tagma_progress {
    size_t struct_bytes;
    const char *phase; /**< "read", "index", "check" ...; static storage */
    const char *unit;  /**< "events", "bytes", "baskets"; static storage */
    uint64_t done, total;
} tagma_progress;

/** Called at most ten times a second, from the calling thread only. Non-zero cancels: TAGMA_E_CANCELLED. */
typedef int (*tagma_progress_fn)(void *user, const tagma_progress *progress);
/** Called from the calling thread, once for each fault that was passed over. */
typedef void (*tagma_fault_fn)(void *user, const tagma_fault *fault);
/** A word about something unusual but sound ("recovered 2 of 3 keys"), from the calling thread. */
typedef void (*tagma_note_fn)(void *user, const char *text);

/** An allocator: `grow(user, NULL, 0, n)` allocates, `grow(user, p, old, n)` resizes, `grow(user, p, old, 0)` frees. */
typedef void *(*tagma_alloc_fn)(void *user, void *block, size_t old_bytes, size_t new_bytes);

typedef struct tagma_ctx_options {
    size_t struct_bytes;
    tagma_limits limits;
    tagma_alloc_fn alloc; /**< NULL: the C library's. Called from pool threads too. */
    void *alloc_user;
} tagma_ctx_options;

/* clang-format off */
#define TAGMA_LIMITS_INIT { (uint64_t)1 << 30, (uint64_t)1 << 30, 64, 1000000 }
#define TAGMA_CTX_OPTIONS_INIT { sizeof(tagma_ctx_options), TAGMA_LIMITS_INIT, NULL, NULL }
/* clang-format on */

/**
 * @param options  NULL for the defaults.
 * @return TAGMA_OK; TAGMA_E_MEMORY; TAGMA_E_ARG for a struct_bytes this version does not know. *out is NULL after a failure.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_ctx_new(const tagma_ctx_options *options, tagma_ctx **out);
TAGMA_API void tagma_ctx_free(tagma_ctx *ctx);

/** The words of the last failure; "" if none. Borrowed until the next call on this context. */
TAGMA_API const char *tagma_ctx_message(const tagma_ctx *ctx);
/** The status that these words belong to; TAGMA_OK if nothing has failed yet. */
TAGMA_API tagma_status tagma_ctx_status(const tagma_ctx *ctx);
/** Bytes alive now, and the most that ever were, in this context and those lent from it. */
TAGMA_API uint64_t tagma_ctx_memory(const tagma_ctx *ctx);
TAGMA_API uint64_t tagma_ctx_peak_memory(const tagma_ctx *ctx);

TAGMA_API void tagma_ctx_on_progress(tagma_ctx *ctx, tagma_progress_fn fn, void *user);
TAGMA_API void tagma_ctx_on_fault(tagma_ctx *ctx, tagma_fault_fn fn, void *user);
TAGMA_API void tagma_ctx_on_note(tagma_ctx *ctx, tagma_note_fn fn, void *user);

/** Threads that long calls may use. One call at a time may use a pool. */
typedef struct tagma_pool tagma_pool;

/**
 * @param n_threads  1 to 1024, the calling thread counted: 1 makes no thread.
 * @return TAGMA_OK; TAGMA_E_ARG; TAGMA_E_MEMORY; TAGMA_E_IO if a thread cannot be made.
 * The pool draws on ctx's memory limit and must be freed before ctx.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_pool_new(tagma_ctx *ctx, uint32_t n_threads, tagma_pool **out);
TAGMA_API void tagma_pool_free(tagma_pool *pool);
TAGMA_API uint32_t tagma_pool_threads(const tagma_pool *pool);

TAGMA_END_DECLS

#endif
