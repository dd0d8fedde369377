/* SPDX-License-Identifier: Apache-2.0
 * The values of the special files as functions of the entry, so that a reader can be checked without ROOT. C and C++. */
#ifndef BENCH_CLOSED_FORM_H
#define BENCH_CLOSED_FORM_H

#include <stdint.h>

enum { CLOSED_FORM_MOST_ITEMS = 8 };

/** splitmix64's finaliser. */
static inline uint64_t closed_form_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/** 20 of its bits: a float holds them exactly. */
static inline float closed_form_small(uint64_t z)
{
    return (float)(closed_form_mix(z) >> 44);
}

static inline uint32_t closed_form_run(uint64_t entry)
{
    return 273158 + (uint32_t)(entry >> 16);
}

static inline uint32_t closed_form_lumi(uint64_t entry)
{
    return 1 + (uint32_t)((entry >> 6) & 1023);
}

/** An odd multiple modulo 2^32: every event number is different. */
static inline uint64_t closed_form_event(uint64_t entry)
{
    return (entry * UINT64_C(0x9E3779B1)) & UINT64_C(0xFFFFFFFF);
}

static inline double closed_form_d(uint64_t entry)
{
    return (double)(closed_form_mix(entry) >> 11);
}

/** x[16], i < 16. */
static inline float closed_form_x(uint64_t entry, uint32_t i)
{
    return closed_form_small(entry * 16 + i);
}

static inline uint32_t closed_form_n(uint64_t entry)
{
    return (uint32_t)(closed_form_mix(~entry) % (CLOSED_FORM_MOST_ITEMS + 1));
}

/** a[n], i < n. */
static inline float closed_form_a(uint64_t entry, uint32_t i)
{
    return closed_form_small(~(entry * CLOSED_FORM_MOST_ITEMS + i));
}

#endif
