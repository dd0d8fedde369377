/* SPDX-License-Identifier: Apache-2.0
 * Entries that must be walked: frames, lists with counts of their own, strings, several leaves in turn. */
#ifndef TG_ROOT_WALK_H
#define TG_ROOT_WALK_H

#include "base/in.h"
#include "root/decode.h"

/* Counts of a call's rows: row r has ends[r + 1] - ends[r] items, modulo 2^32. */
typedef struct tg_counts {
    const uint32_t *ends;   /* [n_rows + 1] from 0; rows whose count is not usable have none */
    uint64_t n_items;       /* of all rows; over INT32_MAX the ends are no places */
    const uint8_t *unknown; /* bits of rows whose count is null; NULL where none */
    const uint8_t *absurd;  /* bits of rows whose count is negative or over INT32_MAX; NULL where none */
    const char *name;       /* of the count column */
} tg_counts;

static inline bool tg_bit(const uint8_t *bits, uint64_t i)
{
    return bits && (bits[i / 8] >> (i % 8) & 1);
}

/* Values as they come where their places are not known beforehand: a segment of a column. */
typedef struct tg_sink {
    tg_buf values;     /* bytes */
    tg_buf ends[3];    /* u32: where each list of level k ends, in items of the next level */
    uint32_t items[3]; /* so far, of each level */
} tg_sink;
void tg_sink_clear(tg_sink *sink);
void tg_sink_free(tagma_ctx *ctx, tg_sink *sink);

/* Where the values of one leaf go. */
typedef struct tg_target {
    const tg_code *code;
    const tg_counts *counts; /* of a shared level 0 */
    uint8_t *place;          /* of the entry's values, where known; NULL: into the sink */
    tg_sink *sink;
} tg_target;

/* Values of one leaf from an entry's window; n is its shared count. Moves the window on. On failure the sink holds less than
 * an entry: put it back by tg_sink_put_back(). *is_missing: a pointer that was null when written; no values. */
tagma_status tg_walk_leaf(tagma_ctx *ctx, tg_in *in, const tg_target *target, uint32_t n, bool *is_missing);

/* What most vectors of numbers are: byte count, version, count and as many items, to the last byte. Such an entry may be put
 * into a sink at once; tg_walk_leaf() would give the same. */
enum { TG_VECTOR_HEAD_BYTES = 10 };
static inline bool tg_is_plain_vector(const uint8_t *entry, uint32_t bytes, uint32_t item_bytes, uint32_t *n)
{
    uint16_t version;

    if (bytes < TG_VECTOR_HEAD_BYTES || tg_be32(entry) != (0x40000000 | (bytes - 4)))
        return false;
    version = tg_be16(entry + 4);
    *n = tg_be32(entry + 6);
    return version > 0 && version < 0x4000 && (uint64_t)*n * item_bytes == bytes - TG_VECTOR_HEAD_BYTES;
}
tagma_status tg_sink_put_vector(tagma_ctx *ctx, const tg_code *code, tg_sink *sink, const uint8_t *entry,
                                uint32_t n);

/* How full a sink is. */
typedef struct tg_sink_mark {
    uint64_t values, ends[3];
    uint32_t items[3];
} tg_sink_mark;
tg_sink_mark tg_sink_tell(const tg_sink *sink);
void tg_sink_put_back(tg_sink *sink, const tg_sink_mark *mark);
/* An entry without values. */
tagma_status tg_sink_put_empty(tagma_ctx *ctx, const tg_code *code, tg_sink *sink);

#endif
