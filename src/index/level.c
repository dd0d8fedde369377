/* SPDX-License-Identifier: Apache-2.0
 * The less hurried half of a level: far buckets, bounds, and the way back from rank to value. */
#include "index/level.h"

static uint64_t zeros_before(const tg_level *level, uint64_t block)
{
    return tg_le64(level->blocks + 8 * block);
}

static uint64_t ones_before(const tg_level *level, uint64_t block)
{
    return block * TG_BLOCK_BITS - zeros_before(level, block);
}

/* The last block before which there are at most k bits of the kind that `before` counts. */
static uint64_t block_of(const tg_level *level, uint64_t k,
                         uint64_t (*before)(const tg_level *level, uint64_t block))
{
    uint64_t low = 0, n = (level->n_keys + level->n_buckets) / TG_BLOCK_BITS + 1;

    while (n > 1) {
        uint64_t half = n / 2;
        if (before(level, low + half) <= k) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return low;
}

/* Position of the k-th zero (flip: all ones) or one (flip: 0), k from 0, at or behind the begin of a block. */
static uint64_t scan(const tg_level *level, uint64_t block, uint64_t k, uint64_t flip)
{
    uint64_t i = block * (TG_BLOCK_BITS / 64);

    for (;; i++) {
        uint64_t word = tg_word_at(level->bits, i) ^ flip;
        uint32_t n = tg_ones_of(word);
        if (n > k)
            return i * 64 + tg_select(word, (uint32_t)k);
        k -= n;
    }
}

/* Where the keys of a few buckets fill many words, scanning on would cost time in proportion to them. */
uint64_t tg_level_position_far(const tg_level *level, uint64_t bucket)
{
    enum { NEAR_WORDS = 8 };
    uint64_t at = tg_level_group_at(level, bucket >> level->step_bits);
    uint64_t left = bucket & tg_mask_of(level->step_bits), i = at / 64;
    uint64_t zeros = ~tg_word_at(level->bits, i) & UINT64_MAX << at % 64, block;

    if (left == 0)
        return at;
    for (uint32_t tried = 0; tried < NEAR_WORDS; tried++) {
        uint32_t n = tg_ones_of(zeros);
        if (n >= left)
            return i * 64 + tg_select(zeros, (uint32_t)left - 1) + 1;
        left -= n;
        zeros = ~tg_word_at(level->bits, ++i);
    }
    block = block_of(level, bucket - 1, zeros_before);
    return scan(level, block, bucket - 1 - zeros_before(level, block), UINT64_MAX) + 1;
}

uint64_t tg_level_bucket_of(const tg_level *level, uint64_t rank)
{
    uint64_t block;

    if (level->is_dense)
        return rank;
    block = block_of(level, rank, ones_before);
    return scan(level, block, rank - ones_before(level, block), 0) - rank;
}

/* The first of the ranks first to first + n - 1, which are sorted by their low bits, whose low bits are at least `low`. */
static uint64_t lower_low(const tg_level *level, uint64_t first, uint64_t n, uint64_t low)
{
    while (n > 0) {
        uint64_t half = n / 2;
        bool is_less = tg_level_low(level, first + half) < low;
        first = is_less ? first + half + 1 : first;
        n = is_less ? n - half - 1 : half;
    }
    return first;
}

/* tg_level_match for any run and width. */
uint64_t tg_level_match_long(const tg_level *level, uint64_t run, uint64_t low, uint64_t *first)
{
    uint64_t end = *first + run;

    *first = lower_low(level, *first, run, low);
    if (low == level->low_mask)
        return end - *first;
    return lower_low(level, *first, end - *first, low + 1) - *first;
}

uint64_t tg_level_lower(const tg_level *level, uint64_t node, uint64_t value)
{
    uint64_t bucket, low, at;

    if (value < tg_level_base(level, node))
        return tg_level_node_start(level, node);
    if (!tg_level_bucket(level, node, value, &bucket, &low))
        return tg_level_node_start(level, node + 1);
    if (level->is_dense)
        return bucket;
    at = tg_level_position(level, bucket);
    return lower_low(level, at - bucket, tg_level_run(level, bucket, at), low);
}

uint64_t tg_level_node_of(const tg_level *level, uint64_t bucket)
{
    uint64_t axes[2], low = 0, n = level->n_nodes;

    if (level->first_bits == 0 && tagma_layout_axes(&level->grid, bucket, axes) == TAGMA_OK)
        return axes[0];
    while (n > 1) {
        uint64_t half = n / 2;
        if (tg_level_first(level, low + half) <= bucket) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return low;
}

uint64_t tg_level_value(const tg_level *level, uint64_t rank, uint64_t *node)
{
    uint64_t bucket = tg_level_bucket_of(level, rank);
    uint64_t digit;

    *node = tg_level_node_of(level, bucket);
    digit = bucket - tg_level_first(level, *node);
    return (tg_level_base(level, *node) + (digit << level->low_bits) + tg_level_low(level, rank)) ^
           level->sign;
}
