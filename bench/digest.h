/* SPDX-License-Identifier: Apache-2.0
 * One number for all values of some events, whatever order and layout they are delivered in: each reader of a comparison
 * must come to the same one, so none is fast by leaving values out. C and C++. */
#ifndef BENCH_DIGEST_H
#define BENCH_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** The finalizer of splitmix64 over a value's bits and width. Sums of it do not depend on the order. */
static inline uint64_t digest_of_bits(uint64_t bits, size_t width)
{
    uint64_t z = bits + (uint64_t)width * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/** Of n values of `width` bytes (1, 2, 4 or 8) in host byte order, of any alignment. */
static inline uint64_t digest_of_values(const void *values, uint64_t n, size_t width)
{
    const unsigned char *at = (const unsigned char *)values;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++, at += width) {
        uint64_t bits = 0;
        memcpy(&bits, at, width);
        sum += digest_of_bits(bits, width);
    }
    return sum;
}

/** Sixteen hexadecimal digits: JSON's numbers are not exact in every reader. */
static inline const char *digest_text(uint64_t digest)
{
    static char text[17];

    snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    return text;
}

#endif
