/* SPDX-License-Identifier: Apache-2.0
 * Words of any width packed end to end, least significant bit first: read anywhere, written in order, copied in runs.
 * Reads take 8 bytes from where a word begins, 9 if it reaches so far: TG_BITS_SLACK readable bytes stand behind the last. */
#ifndef TG_STORE_BITS_H
#define TG_STORE_BITS_H

#include "base/num.h"

enum { TG_BITS_SLACK = 16, TG_BITS_NEAR = 57 };

/* The low `bits` bits set, 0 to 64. */
static inline uint64_t tg_bits_mask(uint32_t bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Bits that v takes: 0 for 0. */
static inline uint32_t tg_bits_of(uint64_t v)
{
    return v == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(v);
}

static inline uint64_t tg_bits_get(const uint8_t *bytes, uint64_t at, uint32_t w)
{
    const uint8_t *p = bytes + at / 8;
    uint32_t shift = (uint32_t)(at % 8);
    uint64_t v = tg_le64(p) >> shift;

    if (w + shift > 64)
        v |= (uint64_t)p[8] << (64 - shift);
    return v & tg_bits_mask(w);
}

/* The same in one load, for w of at most TG_BITS_NEAR. */
static inline uint64_t tg_bits_near(const uint8_t *bytes, uint64_t at, uint32_t w)
{
    return tg_le64(bytes + at / 8) >> (at % 8) & ((UINT64_C(1) << w) - 1);
}

/* Write w bits of v, which has none above; the bytes from there on are zero before. */
static inline void tg_bits_put(uint8_t *bytes, uint64_t at, uint32_t w, uint64_t v)
{
    uint8_t *p = bytes + at / 8;
    uint32_t shift = (uint32_t)(at % 8);

    tg_put_le64(p, tg_le64(p) | v << shift);
    if (w + shift > 64)
        p[8] |= (uint8_t)(v >> (64 - shift));
}

/* Words one after another into bytes that may hold anything; whole 8 bytes are written, the rest by tg_bits_end. */
typedef struct tg_bits_writer {
    uint8_t *at;
    uint64_t held;
    uint32_t n_held; /* bits, below 64 */
} tg_bits_writer;

static inline void tg_bits_write(tg_bits_writer *to, uint64_t v, uint32_t w)
{
    to->held |= v << to->n_held;
    to->n_held += w;
    if (to->n_held >= 64) {
        tg_put_le64(to->at, to->held);
        to->at += 8;
        to->n_held -= 64;
        to->held = to->n_held == 0 ? 0 : v >> (w - to->n_held);
    }
}

/* 8 bytes more are written, whatever is held. */
static inline void tg_bits_end(tg_bits_writer *to)
{
    tg_put_le64(to->at, to->held);
}

/* n bits from bit `from` of src to bit `to` of dst, whose bytes from there on are zero before; both have the slack. */
void tg_bits_copy(uint8_t *restrict dst, uint64_t to, const uint8_t *restrict src, uint64_t from, uint64_t n);
/* How many of the n bits from bit `from` on are set. */
uint64_t tg_bits_count(const uint8_t *bytes, uint64_t from, uint64_t n);

#endif
