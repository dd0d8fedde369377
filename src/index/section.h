/* SPDX-License-Identifier: Apache-2.0
 * The index section: its bytes (docs/FORMAT.md, "Index section"), and the index that stands on them in place. */
#ifndef TG_INDEX_SECTION_H
#define TG_INDEX_SECTION_H

#include <stdatomic.h>
#include <tagma/index.h>

#include "base/ctx.h"
#include "index/level.h"

enum {
    TG_INDEX_VERSION = 1,
    TG_INDEX_HEADER_BYTES = 64,
    TG_INDEX_LEVEL_BYTES = 80,
    TG_INDEX_ALIGN = 64,        /* every array begins at a multiple of it, counted from the section's begin */
    TG_INDEX_CHECKED_FROM = 32, /* the checksum covers all bytes from here on */
    TG_INDEX_NAMES_BYTES = 65536,
    TG_INDEX_COUNT_BITS = 43 /* of nodes, keys, buckets: what 2^40 entries can need */
};
#define TG_INDEX_MAGIC       "TAGMAIDX"
#define TG_INDEX_MAX_ENTRIES ((uint64_t)1 << 40)

/* Bits of a level's flags. */
enum { TG_LEVEL_SIGNED = 1, TG_LEVEL_DENSE = 2, TG_LEVEL_RANKED = 4 };

struct tagma_index {
    tg_level levels[TAGMA_MAX_ID_AXES];
    uint32_t n_axes;
    uint64_t n_entries, n_ids, n_repeated_ids;
    uint64_t max[TAGMA_MAX_ID_AXES]; /* as given */
    const char *names[TAGMA_MAX_ID_AXES];
    const uint8_t *bytes;
    uint64_t n_bytes;
    void *owned;          /* the block that holds bytes, if it is ours */
    tagma_source *source; /* what holds bytes, if it is borrowed; may be NULL */
    tg_account *account;
    /* On a cache line of its own: those who share an index must not slow down those who look up. */
    _Alignas(64) atomic_uint_fast64_t users;
};

/* Where the arrays of a level lie in the section, as its counts and widths say. */
typedef struct tg_level_extent {
    uint64_t nodes, bits, directory, blocks, slots, end;
} tg_level_extent;
/* Counts are at most 2^TG_INDEX_COUNT_BITS and widths at most 64 bits each, so that no sum in here overflows. */
tg_level_extent tg_level_measure(const tg_level *level, uint64_t begin);

/* An index over the bytes of a section. All bounds are checked once, so that nothing a section says leads outside of it.
 * @param bytes   [n]. @param name, offset  file and byte where the section begins, for messages.
 * @param owned   NULL: bytes are borrowed and must outlive the index, by way of `source` (counted here; may be NULL too).
 *                Else the block (of tg_alloc) that holds them, which the index takes over, also after a failure. */
tagma_status tg_index_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, const char *name,
                           uint64_t offset, void *owned, tagma_source *source, tagma_index **out);
/* The section's bytes, for embedding; borrowed from the index. */
void tg_index_bytes(const tagma_index *index, const uint8_t **bytes, uint64_t *n);
/* The checksum that belongs into the section's header. */
uint64_t tg_index_checksum(const uint8_t *bytes, uint64_t n);

#endif
