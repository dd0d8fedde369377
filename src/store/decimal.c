/* SPDX-License-Identifier: Apache-2.0
 * Floats that were written with few digits. */
#include "store/decimal.h"

const double tg_tens[TG_DECIMAL_DIGITS_MAX + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

bool tg_decimal_of(uint64_t bits, uint32_t digits, uint32_t width, int64_t *k)
{
    static const double most[] = {[2] = 2147483647.0, [3] = 4503599627370496.0};
    double scaled;
    float narrow;

    if (width == 3) {
        memcpy(&scaled, &bits, sizeof scaled);
    } else {
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, sizeof narrow);
        scaled = narrow;
    }
    scaled *= tg_tens[digits];
    if (!(scaled > -most[width] && scaled < most[width])) /* not a number, too */
        return false;
    *k = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    return tg_decimal_value((uint64_t)*k, digits, width) == bits;
}

bool tg_decimal_digits(uint64_t bits, uint32_t width, uint32_t *digits)
{
    int64_t k;

    while (*digits <= TG_DECIMAL_DIGITS_MAX && !tg_decimal_of(bits, *digits, width, &k))
        ++*digits;
    return *digits <= TG_DECIMAL_DIGITS_MAX;
}
