/* SPDX-License-Identifier: Apache-2.0
 * Numbers of any width packed end to end, least significant bit first; and finding the k-th bit of a word.
 * A load takes 8 bytes from where a number begins, 9 if it reaches so far: whoever maps packed numbers has checked that
 * TG_PACKED_SLACK bytes lie behind them. */
#ifndef TG_INDEX_PACKED_H
#define TG_INDEX_PACKED_H

#include "base/num.h"

enum { TG_PACKED_SLACK = 16, TG_PACKED_NEAR = 57 };

/* Bits that v takes: 0 for 0. */
static inline uint32_t tg_width_of(uint64_t v)
{
    return v == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(v);
}

/* The low `width` bits set, 0 <= width <= 64. */
static inline uint64_t tg_mask_of(uint32_t width)
{
    return width == 0 ? 0 : UINT64_MAX >> (64 - width);
}

/* `width` bits from bit `at` on. */
static inline uint64_t tg_packed_get(const uint8_t *packed, uint64_t at, uint32_t width)
{
    const uint8_t *p = packed + (at >> 3);
    uint32_t shift = (uint32_t)at & 7;
    uint64_t v = tg_le64(p) >> shift;

    if (shift + width > 64)
        v |= (uint64_t)p[8] << (64 - shift);
    return v & tg_mask_of(width);
}

/* The same in one load, for at most TG_PACKED_NEAR bits: what a look-up uses. */
static inline uint64_t tg_packed_near(const uint8_t *packed, uint64_t at, uint32_t width)
{
    return tg_le64(packed + (at >> 3)) >> (at & 7) & (((uint64_t)1 << width) - 1);
}

/* 64 bits from bit `at` on, without a branch: which bit of a byte it is cannot be foretold. */
static inline uint64_t tg_packed_window(const uint8_t *packed, uint64_t at)
{
    const uint8_t *p = packed + (at >> 3);
    uint32_t shift = (uint32_t)at & 7;

    return tg_le64(p) >> shift | (uint64_t)p[8] << 1 << (63 - shift);
}

/* Write v, which has no bit above `width`, into zeroed memory. */
static inline void tg_packed_put(uint8_t *packed, uint64_t at, uint32_t width, uint64_t v)
{
    uint8_t *p = packed + (at >> 3);
    uint32_t shift = (uint32_t)at & 7;

    tg_put_le64(p, tg_le64(p) | v << shift);
    if (shift + width > 64)
        p[8] = (uint8_t)(p[8] | v >> (64 - shift));
}

/* Bytes of n numbers of `width` bits, for n * width below 2^61. */
static inline uint64_t tg_packed_bytes(uint64_t n, uint32_t width)
{
    return (n * width + 7) / 8;
}

static inline uint64_t tg_word_at(const uint8_t *words, uint64_t i)
{
    return tg_le64(words + 8 * i);
}

static inline uint32_t tg_ones_of(uint64_t word)
{
    return (uint32_t)__builtin_popcountll(word);
}

/* Position of the k-th set bit, k from 0; the word has more than k of them.
 * Source: S. Vigna, Broadword implementation of rank/select queries (2008): sums of bytes side by side, then the byte in
 * which the k-th lies, found by comparing all eight sums at once. */
static inline uint32_t tg_select(uint64_t word, uint32_t k)
{
    static const uint64_t ones = UINT64_C(0x0101010101010101), highs = UINT64_C(0x8080808080808080);
    uint64_t sums = word - (word >> 1 & UINT64_C(0x5555555555555555));
    uint64_t bits;
    uint32_t at;

    sums = (sums & UINT64_C(0x3333333333333333)) + (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * ones;
    at = tg_ones_of(((k * ones | highs) - sums) & highs) * 8;
    k -= (uint32_t)(sums << 8 >> at) & 0xff;
    /* The same again with the byte's eight bits spread over eight bytes. */
    bits = (word >> at & 0xff) * ones & UINT64_C(0x8040201008040201);
    bits = ((bits | ((bits | highs) - ones)) & highs) >> 7;
    bits *= ones;
    return at + tg_ones_of(((k * ones | highs) - bits) & highs);
}

#endif
