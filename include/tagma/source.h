/* SPDX-License-Identifier: Apache-2.0
 * Where bytes come from: a file by pread or mapped, memory, or a caller's function. */
#ifndef TAGMA_SOURCE_H
#define TAGMA_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <tagma/ctx.h>

TAGMA_BEGIN_DECLS

/** Immutable and counted; may be shared by threads. */
typedef struct tagma_source tagma_source;

typedef enum tagma_io {
    TAGMA_IO_PREAD = 0,
    TAGMA_IO_MMAP = 1 /**< asked for, never the default: a mapped file that shrinks must be noticed first */
} tagma_io;

/** Requests and bytes, as one pays for them on a remote disk. */
typedef struct tagma_io_stats {
    uint64_t requests;   /**< reads that went to the source after merging */
    uint64_t bytes_read; /**< bytes those requests asked for, gaps included */
    uint64_t bytes_used; /**< bytes the reader wanted */
} tagma_io_stats;

/**
 * A caller's bytes. `read` fills dst[0..n) from `offset` and returns 0, or anything else on failure; it is
 * never asked for bytes at or past the size, and may be called from several threads at once.
 * `close` may be NULL.
 */
typedef struct tagma_source_functions {
    size_t struct_bytes;
    int (*read)(void *user, uint64_t offset, void *dst, size_t n);
    void (*close)(void *user);
} tagma_source_functions;

/** @return TAGMA_OK; TAGMA_E_IO where the file cannot be opened or is no regular file; TAGMA_E_MEMORY. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_source_open(tagma_ctx *ctx, const char *path, tagma_io io,
                                                       tagma_source **out);
/** @param bytes  [n] borrowed until the source is released. @param name  for messages; copied. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_source_memory(tagma_ctx *ctx, const void *bytes, size_t n,
                                                         const char *name, tagma_source **out);
/** @param size  in bytes. @param name  for messages; copied. `functions` is copied. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_source_custom(tagma_ctx *ctx,
                                                         const tagma_source_functions *functions, void *user,
                                                         uint64_t size, const char *name, tagma_source **out);
TAGMA_API tagma_source *tagma_source_acquire(tagma_source *source);
/** NULL is accepted. The last release closes. */
TAGMA_API void tagma_source_release(tagma_source *source);
TAGMA_API uint64_t tagma_source_size(const tagma_source *source);
/** Path or given name; borrowed until the source is released. */
TAGMA_API const char *tagma_source_name(const tagma_source *source);

/**
 * What was read from sources in this context and those lent from it: directories, trees' records and sidecars as well as
 * baskets. What a file or reader reads is counted when its reading ends, at the latest when it is freed.
 */
TAGMA_API void tagma_ctx_get_io(const tagma_ctx *ctx, tagma_io_stats *out);

TAGMA_END_DECLS

#endif
