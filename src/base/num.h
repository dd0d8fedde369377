/* SPDX-License-Identifier: Apache-2.0
 * Sums and products of claims that say whether they fit, and byte order as arithmetic. */
#ifndef TG_BASE_NUM_H
#define TG_BASE_NUM_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool tg_add(uint64_t a, uint64_t b, uint64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool tg_mul(uint64_t a, uint64_t b, uint64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* [offset, offset + n) lies in [0, size). */
static inline bool tg_inside(uint64_t offset, uint64_t n, uint64_t size)
{
    return offset <= size && n <= size - offset;
}

/* gcc and clang make one load (and one bswap) of each of these. */
static inline uint16_t tg_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t tg_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t tg_be64(const uint8_t *p)
{
    return (uint64_t)tg_be32(p) << 32 | tg_be32(p + 4);
}

static inline uint16_t tg_le16(const uint8_t *p)
{
    return (uint16_t)(p[1] << 8 | p[0]);
}

static inline uint32_t tg_le32(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint64_t tg_le64(const uint8_t *p)
{
    return (uint64_t)tg_le32(p + 4) << 32 | tg_le32(p);
}

static inline void tg_put_le32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline void tg_put_le64(uint8_t *p, uint64_t v)
{
    tg_put_le32(p, (uint32_t)v);
    tg_put_le32(p + 4, (uint32_t)(v >> 32));
}

/* "81,230": digits in groups of three, as messages spell counts. Returns `text`. */
enum { TG_GROUPED_BYTES = 27 };
const char *tg_grouped(uint64_t n, char text[TG_GROUPED_BYTES]);

/* Known to the compiler: numbers that lie in a little-endian file may be used in place. */
static inline bool tg_is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* Big-endian values of width bytes (1, 2, 4 or 8) to host order. src and dst may have any alignment, but not overlap. */
void tg_swap_be(void *restrict dst, const uint8_t *restrict src, size_t n, uint32_t width);

#endif
