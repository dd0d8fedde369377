/* SPDX-License-Identifier: Apache-2.0
 * One axis of an index: from a node and a value to the rank of the key, and back.
 *
 * An index is a trie with a level for each axis. A node of level a is a distinct prefix of a values, known by its rank among
 * them (level 0 has one node, the empty prefix); its keys are the sorted values that follow. The rank of a key among all keys
 * of its level is the number of its node one level below: ranks are dense, and from here on they are the coordinates.
 *
 * Each node has a run of buckets, and a key lies in bucket first(node) + ((value - base(node)) >> low_bits): the closed form of
 * coord/ with axes (node, high digit), bucket = node * stride + digit, plus a correction packed per node where nodes differ in
 * width. How many keys a bucket has is told by a run of ones that ends with a zero, so key `rank` of bucket `b` is bit
 * rank + b, and finding a bucket is finding the b-th zero: the directory says where every 2^step_bits-th lies. A level whose every bucket
 * holds exactly one key (luminosity blocks without a hole) needs no bits: rank and bucket are one number, no padding at all.
 * docs/FORMAT.md, "Index section", says the same in bytes. */
#ifndef TG_INDEX_LEVEL_H
#define TG_INDEX_LEVEL_H

#include <tagma/coord.h>

#include "index/packed.h"

enum {
    TG_MAX_STEP_BITS = 6, /* at most 64 buckets a directory entry */
    TG_BLOCK_BITS = 4096  /* bucket bits a block entry */
};

/* All pointers are into the section; all numbers have been checked against it by tg_index_load. */
typedef struct tg_level {
    const uint8_t *nodes;     /* [n_nodes + 1] packed {base, first, shift}, if node_bits > 0 */
    const uint8_t *bits;      /* [n_keys + n_buckets], if not dense */
    const uint8_t *directory; /* [(n_buckets >> step_bits) + 1] packed: keys before bucket j << step_bits */
    const uint8_t *blocks;    /* u64 [(n_keys + n_buckets) / 4096 + 1]: zeros before bit 4096 i */
    const uint8_t *slots;     /* [n_keys] packed {low, delta} */
    uint64_t n_nodes, n_keys, n_buckets;
    uint64_t base;       /* least base of all nodes, sign flipped as below */
    uint64_t stride;     /* buckets a node in the closed form */
    uint64_t correction; /* what stands in a node is too large by this */
    uint64_t shift;      /* least shift of all nodes */
    uint64_t sign;       /* xor'd to a value so that it sorts as unsigned: bit 63 for a signed axis */
    uint64_t low_mask;
    tagma_layout grid; /* (node, digit), where first_bits is 0 and there are nodes */
    uint32_t low_bits, slot_bits;
    uint32_t base_bits, first_bits, shift_bits, node_bits;
    uint32_t directory_bits, step_bits;
    uint32_t delta_bits; /* last level: an entry is shift + delta, + rank if is_ranked */
    bool is_dense, is_ranked;
} tg_level;

static inline uint64_t tg_level_base(const tg_level *level, uint64_t node)
{
    return level->base + tg_packed_get(level->nodes, node * level->node_bits, level->base_bits);
}

/* First bucket of a node; of node n_nodes, which is none, n_buckets. */
static inline uint64_t tg_level_first(const tg_level *level, uint64_t node)
{
    return node * level->stride +
           tg_packed_near(level->nodes, node * level->node_bits + level->base_bits, level->first_bits) -
           level->correction;
}

/* The bucket of a value of a node; false where it lies outside of all of them. */
static inline bool tg_level_bucket(const tg_level *level, uint64_t node, uint64_t value, uint64_t *bucket,
                                   uint64_t *low)
{
    uint64_t base = level->base, first = node * level->stride, end = first + level->stride;
    uint64_t digit;

    if ((level->base_bits | level->first_bits) > 0) {
        base = tg_level_base(level, node);
        first = tg_level_first(level, node);
        end = tg_level_first(level, node + 1);
    }
    digit = (value - base) >> level->low_bits;
    *bucket = first + digit;
    *low = (value - base) & level->low_mask;
    return value >= base && digit < end - first;
}

/* Keys before bucket entry << step_bits. */
static inline uint64_t tg_level_directory(const tg_level *level, uint64_t entry)
{
    return tg_packed_near(level->directory, entry * level->directory_bits, level->directory_bits);
}

/* The bit where the ones of that bucket begin. */
static inline uint64_t tg_level_group_at(const tg_level *level, uint64_t entry)
{
    return tg_level_directory(level, entry) + (entry << level->step_bits);
}

uint64_t tg_level_position_far(const tg_level *level, uint64_t bucket);

/* The bit where a bucket's ones begin, 0 <= bucket <= n_buckets: one behind zero number `bucket`, counted from 1. */
static inline uint64_t tg_level_position(const tg_level *level, uint64_t bucket)
{
    uint64_t at = tg_level_group_at(level, bucket >> level->step_bits);
    uint32_t left = (uint32_t)(bucket & (((uint32_t)1 << level->step_bits) - 1));
    uint64_t zeros;

    if (level->step_bits == 0)
        return at;
    /* The zero that ends the bucket before `at` is put in front, so that left == 0 is no case of its own. */
    zeros = ~tg_packed_window(level->bits, at) << 1 | 1;
    if (tg_ones_of(zeros) > left)
        return at + tg_select(zeros, left);
    return tg_level_position_far(level, bucket);
}

/* Rank of the first key at or after the begin of a bucket, 0 <= bucket <= n_buckets. */
static inline uint64_t tg_level_start(const tg_level *level, uint64_t bucket)
{
    return level->is_dense ? bucket : tg_level_position(level, bucket) - bucket;
}

/* Keys in the bucket whose ones begin at bit `at`. */
static inline uint64_t tg_level_run(const tg_level *level, uint64_t bucket, uint64_t at)
{
    enum { SURE_BITS = 57 }; /* of a load of 64 bits at any bit */
    uint64_t zeros = ~(tg_le64(level->bits + at / 8) >> at % 8) | (uint64_t)1 << 63;
    uint64_t run = (uint64_t)__builtin_ctzll(zeros);

    return run < SURE_BITS ? run : tg_level_position(level, bucket + 1) - 1 - at;
}

static inline uint64_t tg_level_low(const tg_level *level, uint64_t rank)
{
    return tg_packed_get(level->slots, rank * level->slot_bits, level->low_bits);
}

uint64_t tg_level_match_long(const tg_level *level, uint64_t run, uint64_t low, uint64_t *first);

/* How many of the `run` keys from rank *first on have these low bits; *first moves to the first of them. */
static inline uint64_t tg_level_match(const tg_level *level, uint64_t run, uint64_t low, uint64_t *first)
{
    enum { SHORT_RUN = 4 };
    uint64_t at = *first * level->slot_bits, less = 0, equal = 0;

    if (level->low_bits == 0)
        return run;
    if (run > SHORT_RUN || level->low_bits > TG_PACKED_NEAR)
        return tg_level_match_long(level, run, low, first);
    /* Always SHORT_RUN of them, and no branch that cannot be foretold: & and not &&. What lies past the last is slack. */
    for (uint32_t i = 0; i < SHORT_RUN; i++)
        less += (uint64_t)(i < run) &
                (uint64_t)(tg_packed_near(level->slots, at + i * level->slot_bits, level->low_bits) < low);
    *first += less;
    at += less * level->slot_bits;
    while ((uint64_t)(less + equal < run) &
           (uint64_t)(tg_packed_near(level->slots, at, level->low_bits) == low)) {
        at += level->slot_bits;
        equal++;
    }
    return equal;
}

/* Keys of a node that equal a value: how many, and the rank of the first of them. */
static inline uint64_t tg_level_find(const tg_level *level, uint64_t node, uint64_t value, uint64_t *first)
{
    uint64_t bucket, low, at;

    if (!tg_level_bucket(level, node, value ^ level->sign, &bucket, &low))
        return 0;
    if (level->is_dense) {
        *first = bucket;
        return 1;
    }
    if (level->step_bits == 0) {
        *first = tg_level_directory(level, bucket);
        return tg_level_match(level, tg_level_directory(level, bucket + 1) - *first, low, first);
    }
    at = tg_level_position(level, bucket);
    *first = at - bucket;
    return tg_level_match(level, tg_level_run(level, bucket, at), low, first);
}

/* Rank of the first key of a node; of node n_nodes, n_keys. */
static inline uint64_t tg_level_node_start(const tg_level *level, uint64_t node)
{
    return tg_level_start(level, tg_level_first(level, node));
}

/* Rank of the first key of a node that is at least `value` (sign flipped); the next node's first if there is none. */
uint64_t tg_level_lower(const tg_level *level, uint64_t node, uint64_t value);
/* The node of a bucket. */
uint64_t tg_level_node_of(const tg_level *level, uint64_t bucket);
/* The bucket of a key. */
uint64_t tg_level_bucket_of(const tg_level *level, uint64_t rank);
/* The value of key `rank`, as it was given; and its node. */
uint64_t tg_level_value(const tg_level *level, uint64_t rank, uint64_t *node);

/* Last level: the entry of a rank of a node. */
static inline uint64_t tg_level_entry(const tg_level *level, uint64_t node, uint64_t rank)
{
    uint64_t shift =
        level->shift + tg_packed_near(level->nodes,
                                      node * level->node_bits + level->base_bits + level->first_bits,
                                      level->shift_bits);

    return shift +
           tg_packed_near(level->slots, rank * level->slot_bits + level->low_bits, level->delta_bits) +
           (level->is_ranked ? rank : 0);
}

#endif
