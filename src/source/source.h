/* SPDX-License-Identifier: Apache-2.0
 * Inside of byte sources: lanes, the planner, and the table of functions a kind of source fills. */
#ifndef TG_SOURCE_SOURCE_H
#define TG_SOURCE_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <tagma/source.h>

#include "base/ctx.h"

/* A lane reads one source for one thread: descriptors, requests in flight, counters. It holds the source, and is used with
 * contexts of the family that made it. */
typedef struct tg_lane tg_lane;

tagma_status tg_lane_new(tagma_ctx *ctx, tagma_source *source, tg_lane **out);
void tg_lane_free(tg_lane *lane);
tagma_source *tg_lane_source(const tg_lane *lane);
const tagma_io_stats *tg_lane_stats(const tg_lane *lane);
/* Bytes a caller made use of, of what it read; for bytes_used. */
void tg_lane_count_used(tg_lane *lane, uint64_t bytes);

/* One request: bytes [offset, offset + n) into dst. TAGMA_E_TRUNCATED where the source ends before, naming source, byte,
 * what was wanted and what is there. */
tagma_status tg_lane_read(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t n, void *dst);
/* The same without a copy where the kind can (memory, mmap); else through the lane's own buffer. *bytes is borrowed until the
 * next call on this lane. A mapped file is asked for its size first; one that shrinks while the view is in use still kills the
 * process, which is why pread is the default. */
tagma_status tg_lane_view(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t n, const uint8_t **bytes);

/* A piece somebody wants. dst may be NULL where the caller only plans. */
typedef struct tg_span {
    uint64_t offset, n;
    void *dst;
    uint32_t tag; /* the caller's own, carried along */
} tg_span;

/* A request that covers spans first to first + n_spans - 1 of the planned order. */
typedef struct tg_extent {
    uint64_t offset, n;
    uint32_t first, n_spans;
} tg_extent;

/* Sort spans by offset in place and cut them into requests: neighbours, overlaps and gaps up to the kind's gap limit are
 * merged, no extent passes its length limit unless one span alone does (a span is never cut). Pure arithmetic; extents is
 * [n_spans] at least. Returns the number of extents. */
uint32_t tg_plan(tg_span *spans, uint32_t n_spans, uint64_t gap_bytes, uint64_t extent_bytes,
                 tg_extent *extents);
/* Do views cost no copy, and stay as long as the source? */
bool tg_source_has_view(const tagma_source *source);
/* Do they live as long as somebody holds the source, or as long as a caller keeps them? */
bool tg_source_owns_bytes(const tagma_source *source);
/* The kind's limits for tg_plan. */
uint64_t tg_source_gap_bytes(const tagma_source *source);
uint64_t tg_source_extent_bytes(const tagma_source *source);

/* Read many pieces: planned, merged, cut by the kind's limits, scattered to each dst. Order of spans is lost. A piece past the
 * source's end is TAGMA_E_TRUNCATED before anything is read. */
tagma_status tg_lane_read_spans(tagma_ctx *ctx, tg_lane *lane, tg_span *spans, uint32_t n_spans);

/* Still the same file as when it was opened (size, time, inode)? TAGMA_E_CHANGED: "x.root changed while it was read; results
 * discarded". */
tagma_status tg_source_check(tagma_ctx *ctx, const tagma_source *source);
/* Modification time in ns since 1970 as the file system says, 0 where the kind has none. */
uint64_t tg_source_mtime_ns(const tagma_source *source);

/* Bytes of the file that a source stands on: less than its size where it is packed. */
uint64_t tg_source_stored_bytes(const tagma_source *source);

/* What a kind of source does. Local kinds finish in start; remote ones in pump. A new kind is one of these and one opening
 * function. */
typedef struct tg_request {
    uint64_t offset, n;
    uint8_t *dst;
    uint64_t done; /* bytes that have come */
} tg_request;
typedef struct tg_source_kind {
    const char *name;
    uint64_t gap_bytes;    /* a gap this small is cheaper to read than to leave out */
    uint64_t extent_bytes; /* a request should not be longer */
    /* All may be NULL but start and close; view is there for kinds whose bytes lie in memory. */
    tagma_status (*lane_open)(tagma_ctx *ctx, const tagma_source *source, void **state);
    void (*lane_close)(const tagma_source *source, void *state);
    /* Where bytes of the source are not those of its file: what was read of that by a lane so far. */
    void (*lane_io)(const void *state, uint64_t *requests, uint64_t *bytes_read);
    tagma_status (*start)(tagma_ctx *ctx, const tagma_source *source, void *state, tg_request *requests,
                          uint32_t n);
    tagma_status (*pump)(tagma_ctx *ctx, const tagma_source *source, void *state);
    void (*cancel)(const tagma_source *source, void *state);
    tagma_status (*view)(tagma_ctx *ctx, const tagma_source *source, uint64_t offset, uint64_t n,
                         const uint8_t **bytes);
    tagma_status (*check)(tagma_ctx *ctx, const tagma_source *source);
    void (*close)(tagma_source *source);
    bool
        owns_bytes; /* that a view shows: they live as long as the source, and not as long as a caller keeps them */
} tg_source_kind;

/* What all kinds have. Only the kinds look inside. */
struct tagma_source {
    const tg_source_kind *kind;
    tg_account *account;
    atomic_uint_fast64_t users;
    uint64_t size;
    uint64_t mtime_ns;
    uint64_t stored; /* bytes of the file, where they are not `size` */
    char *name;
    void *own; /* the kind's, of the account; freed after close */
};

/* A source of one user. `own_bytes` zeroed bytes are made for the kind, which fills own, size and time. */
tagma_status tg_source_new(tagma_ctx *ctx, const tg_source_kind *kind, const char *name, uint64_t size,
                           size_t own_bytes, tagma_source **out);

/* Kinds of one file each: file.c, map.c. */
tagma_status tg_file_open(tagma_ctx *ctx, const char *path, tagma_source **out);
tagma_status tg_map_open(tagma_ctx *ctx, const char *path, tagma_source **out);
/* A file that is open already, and needs no name: `fd` is the source's from then on, also after a failure. `name` is for words. */
tagma_status tg_file_adopt(tagma_ctx *ctx, int fd, const char *name, tagma_source **out);

#endif
