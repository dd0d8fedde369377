/* SPDX-License-Identifier: Apache-2.0
 * The rule of written digits. 1.23457e+09 is not 1234570000 but a number that has lost its last digits. */
#include "coord/idnumber.h"

#include "base/num.h"

/* A number in pieces: `n_whole` digits, a point, `n_fraction` digits, times ten to the power of `exponent`. */
typedef struct decimal {
    const char *whole, *fraction;
    size_t n_whole, n_fraction;
    int64_t exponent;
    bool is_float;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text, size_t n)
{
    size_t m = 0;

    while (m < n && is_digit(text[m]))
        m++;
    return m;
}

/* "e+09" and nothing behind it. An exponent past what any digits could balance is cut short. */
static bool split_exponent(const char *text, size_t n, int64_t *exponent)
{
    enum { FAR = 1000000000 };
    bool is_negative;
    int64_t value = 0;
    size_t at = 1;

    if (n < 2 || (text[0] != 'e' && text[0] != 'E'))
        return false;
    is_negative = text[at] == '-';
    if (text[at] == '-' || text[at] == '+')
        at++;
    if (at == n || count_digits(text + at, n - at) != n - at)
        return false;
    for (; at < n; at++)
        if (value < FAR)
            value = 10 * value + (text[at] - '0');
    *exponent = is_negative ? -value : value;
    return true;
}

static bool split(const char *text, size_t n, decimal *out)
{
    size_t at = count_digits(text, n);

    *out = (decimal){.whole = text, .n_whole = at};
    if (at == n)
        return n > 0;
    out->is_float = true;
    if (text[at] == '.') {
        at++;
        out->fraction = text + at;
        out->n_fraction = count_digits(text + at, n - at);
        at += out->n_fraction;
    }
    if (out->n_whole + out->n_fraction == 0)
        return false;
    return at == n || split_exponent(text + at, n - at, &out->exponent);
}

/* Digit i of all that are written, the fraction's behind the whole ones. */
static unsigned digit_at(const decimal *d, uint64_t i)
{
    return (unsigned)((i < d->n_whole ? d->whole[i] : d->fraction[i - d->n_whole]) - '0');
}

static tg_id_kind float_value(const decimal *d, uint64_t *magnitude, uint64_t *a, uint64_t *b)
{
    uint64_t n_written = d->n_whole + d->n_fraction, n_zeros = 0, value = 0;
    int64_t n_units = (int64_t)d->n_whole + d->exponent; /* digits before the point, once it has moved */

    while (n_zeros + 1 < n_written && digit_at(d, n_zeros) == 0)
        n_zeros++;
    if (n_units > (int64_t)n_written) {
        *a = n_written - n_zeros;
        *b = (uint64_t)n_units - n_zeros;
        return TG_ID_ROUNDED;
    }
    if (n_units < 0)
        n_units = 0;
    for (uint64_t i = (uint64_t)n_units; i < n_written; i++)
        if (digit_at(d, i) != 0)
            return TG_ID_FRACTION;
    for (uint64_t i = 0; i < (uint64_t)n_units; i++) {
        value = 10 * value + digit_at(d, i);
        if (value >= UINT64_C(1) << 53)
            return TG_ID_INEXACT;
    }
    *magnitude = value;
    return TG_ID_GOOD;
}

static tg_id_kind whole_value(const decimal *d, uint64_t *magnitude)
{
    uint64_t value = 0;

    for (size_t i = 0; i < d->n_whole; i++)
        if (!tg_mul(value, 10, &value) || !tg_add(value, (uint64_t)(d->whole[i] - '0'), &value))
            return TG_ID_OVERFLOW;
    *magnitude = value;
    return TG_ID_GOOD;
}

tg_id_kind tg_id_number(const char *text, size_t n, uint64_t *magnitude, bool *is_negative, uint64_t *a,
                        uint64_t *b)
{
    decimal d;

    *magnitude = 0;
    *is_negative = n > 0 && text[0] == '-';
    if (*is_negative) {
        text++;
        n--;
    }
    if (!split(text, n, &d))
        return TG_ID_WORD;
    return d.is_float ? float_value(&d, magnitude, a, b) : whole_value(&d, magnitude);
}
