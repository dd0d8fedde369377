/* SPDX-License-Identifier: Apache-2.0
 * Floats that were written with few digits: 0.5837 is 5837 / 10^4, and a division gives it back to the last bit.
 * Source: docs/FORMAT.md, "Value code". */
#ifndef TG_STORE_DECIMAL_H
#define TG_STORE_DECIMAL_H

#include "base/num.h"

enum { TG_DECIMAL_DIGITS_MAX = 15 };

extern const double tg_tens[TG_DECIMAL_DIGITS_MAX + 1];

/* The bits of the f32 (width 2) or f64 (width 3) nearest to k / 10^digits; k is signed, of as many bits. */
static inline uint64_t tg_decimal_value(uint64_t k, uint32_t digits, uint32_t width)
{
    double value;
    float narrow;
    uint64_t bits = 0;

    if (width == 3) {
        value = (double)(int64_t)k / tg_tens[digits];
        memcpy(&bits, &value, sizeof value);
    } else {
        narrow = (float)((double)(int32_t)(uint32_t)k / tg_tens[digits]);
        memcpy(&bits, &narrow, sizeof narrow);
    }
    return bits;
}

/* The number k that gives a value back; false if there is none. */
bool tg_decimal_of(uint64_t bits, uint32_t digits, uint32_t width, int64_t *k);
/* The least number of digits, from `digits` on, that gives a value back; false if none does. */
bool tg_decimal_digits(uint64_t bits, uint32_t width, uint32_t *digits);

#endif
