/* SPDX-License-Identifier: Apache-2.0
 * Runs of bits: copied, counted. */
#include "store/bits.h"

void tg_bits_copy(uint8_t *restrict dst, uint64_t to, const uint8_t *restrict src, uint64_t from, uint64_t n)
{
    if (to % 8 == 0 && from % 8 == 0 && n >= 64) {
        uint64_t bytes = n / 8;

        memcpy(dst + to / 8, src + from / 8, bytes);
        to += bytes * 8;
        from += bytes * 8;
        n %= 8;
    }
    for (; n > TG_BITS_NEAR - 1; n -= TG_BITS_NEAR - 1) { /* 56 bits: `to` keeps its place in a byte */
        tg_bits_put(dst, to, TG_BITS_NEAR - 1, tg_bits_near(src, from, TG_BITS_NEAR - 1));
        to += TG_BITS_NEAR - 1;
        from += TG_BITS_NEAR - 1;
    }
    if (n > 0)
        tg_bits_put(dst, to, (uint32_t)n, tg_bits_near(src, from, (uint32_t)n));
}

uint64_t tg_bits_count(const uint8_t *bytes, uint64_t from, uint64_t n)
{
    uint64_t count = 0;

    for (; n > 56; n -= 56, from += 56)
        count += (uint64_t)__builtin_popcountll(tg_bits_near(bytes, from, 56));
    return count + (uint64_t)__builtin_popcountll(tg_bits_near(bytes, from, (uint32_t)n));
}
