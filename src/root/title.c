/* SPDX-License-Identifier: Apache-2.0
 * Parse titles. */
#include "root/title.h"

#include <locale.h>
#include <stdlib.h>

enum { BITS_DEFAULT = 32, BITS_FLOAT16 = 12, NUMBER_BYTES_MAX = 63 };

static const char *find(const char *from, const char *end, char what)
{
    return from < end ? memchr(from, what, (size_t)(end - from)) : NULL;
}

/* All of it decimal digits, and a number below 2^31. */
static bool parse_dim(const char *from, const char *end, uint32_t *dim)
{
    uint64_t value = 0;

    while (from < end && *from == ' ')
        from++;
    while (end > from && end[-1] == ' ')
        end--;
    if (from == end)
        return false;
    for (; from < end; from++) {
        if (*from < '0' || *from > '9')
            return false;
        value = value * 10 + (uint64_t)(*from - '0');
        if (value > INT32_MAX)
            return false;
    }
    *dim = (uint32_t)value;
    return true;
}

/* The point is a point whatever the host's locale. */
static double parse_decimal(const char *text)
{
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    double value = c ? strtod_l(text, NULL, c) : 0;

    if (c)
        freelocale(c);
    return value;
}

/* A decimal number, or pi, 2pi, 2*pi, twopi, pi/2, pi/4 with a sign. What cannot be read counts as 0. */
static double parse_limit(const char *from, const char *end)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"2pi", 2 * 3.14159265358979323846},   {"2*pi", 2 * 3.14159265358979323846},
                 {"twopi", 2 * 3.14159265358979323846}, {"pi/2", 3.14159265358979323846 / 2},
                 {"pi/4", 3.14159265358979323846 / 4},  {"pi", 3.14159265358979323846}};
    char text[NUMBER_BYTES_MAX + 1];
    size_t n = 0;

    for (; from < end && n < NUMBER_BYTES_MAX; from++)
        if (*from != ' ')
            text[n++] = *from >= 'A' && *from <= 'Z' ? (char)(*from - 'A' + 'a') : *from;
    text[n] = 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(text, words[i].word))
            return strchr(text, '-') ? -words[i].value : words[i].value;
    return parse_decimal(text);
}

/* "min,max" or "min,max,nbits" between two brackets. */
static void parse_range(const char *from, const char *end, tg_title *title)
{
    const char *comma = find(from, end, ','), *second = find(comma + 1, end, ',');
    uint32_t nbits = BITS_DEFAULT;

    if (second && (!parse_dim(second + 1, end, &nbits) || nbits < 2 || nbits > BITS_DEFAULT))
        nbits = BITS_DEFAULT;
    title->has_range = true;
    title->nbits = nbits;
    title->xmin = parse_limit(from, comma);
    title->xmax = parse_limit(comma + 1, second ? second : end);
}

tg_title tg_title_parse(tg_text text)
{
    tg_title title = {.n_items = 1, .nbits = BITS_DEFAULT};
    const char *at = text.bytes, *end = text.bytes + text.n;

    for (;;) {
        const char *open = find(at, end, '['), *close = open ? find(open, end, ']') : NULL;
        uint32_t dim;

        if (!close)
            return title;
        at = close + 1;
        if (find(open, close, ',')) {
            if (!title.has_range)
                parse_range(open + 1, close, &title);
        } else if (!parse_dim(open + 1, close, &dim)) {
            title.has_variable = true;
        } else if (title.n_dims < TG_TITLE_DIMS_MAX && title.n_items > 0) {
            title.dims[title.n_dims++] = dim;
            title.n_items = title.n_items > INT32_MAX ? title.n_items : title.n_items * dim;
        } else {
            title.n_items = 0;
        }
    }
}

/* The limits mean a scale where they ascend. Where they do not, fewer than 15 bits mean a mantissa of that many; ROOT keeps
 * that number in xmin, and so takes an xmin for it where more bits were asked for. */
tg_packing tg_title_packing(const tg_title *title, bool is_float16, double *factor, double *xmin,
                            uint8_t *nbits)
{
    double bits = 0, range;

    *factor = *xmin = 0;
    *nbits = 0;
    if (title->has_range && title->xmin < title->xmax) {
        range = title->nbits < BITS_DEFAULT ? (double)((uint64_t)1 << title->nbits) : (double)UINT32_MAX;
        *factor = range / (title->xmax - title->xmin);
        *xmin = title->xmin;
        if (*factor != 0)
            return TG_PACKING_SCALED;
    } else if (title->has_range) {
        bits = title->nbits <= TG_BITS_TRUNCATED_MAX ? title->nbits : title->xmin;
    }
    if (bits > -1 && bits < 1) {
        if (!is_float16)
            return TG_PACKING_NONE;
        bits = BITS_FLOAT16;
    }
    if (!(bits >= 1 && bits < TG_BITS_TRUNCATED_MAX + 1))
        return TG_PACKING_UNKNOWN;
    *nbits = (uint8_t)bits;
    return TG_PACKING_TRUNCATED;
}
