/* SPDX-License-Identifier: Apache-2.0
 * Are the values of an event the same in two batches? */
#include "compare/values.h"

#include <math.h>
#include <string.h>

enum { WHOLE = -1 };

static bool bit(const uint8_t *bits, uint64_t i)
{
    return (bits[i / 8] >> (i % 8) & 1) != 0;
}

/* Steps between two floats on the line of all floats; both zeros are one place. */
static uint64_t steps(int64_t a, int64_t b)
{
    a = a < 0 ? -(a & INT64_MAX) : a;
    b = b < 0 ? -(b & INT64_MAX) : b;
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool is_near(const tg_tolerance *tolerance, double a, double b, uint64_t n_steps)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

    if (!isfinite(a) || !isfinite(b))
        return false;
    return n_steps <= tolerance->ulp || fabs(a - b) <= tolerance->relative * larger;
}

static bool are_near(const tg_tolerance *tolerance, tagma_type type, const uint8_t *a, const uint8_t *b)
{
    int64_t bits_a, bits_b;
    int32_t narrow_a, narrow_b;
    double x, y;
    float f, g;

    if (type == TAGMA_F64) {
        memcpy(&bits_a, a, sizeof bits_a);
        memcpy(&bits_b, b, sizeof bits_b);
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return is_near(tolerance, x, y, steps(bits_a, bits_b));
    }
    if (type != TAGMA_F32)
        return false;
    memcpy(&narrow_a, a, sizeof narrow_a);
    memcpy(&narrow_b, b, sizeof narrow_b);
    memcpy(&f, a, sizeof f);
    memcpy(&g, b, sizeof g);
    /* To the line of 64 bits: sign to the top, magnitude stays. */
    bits_a = narrow_a < 0 ? (int64_t)((uint64_t)INT64_MIN | (uint32_t)(narrow_a & INT32_MAX)) : narrow_a;
    bits_b = narrow_b < 0 ? (int64_t)((uint64_t)INT64_MIN | (uint32_t)(narrow_b & INT32_MAX)) : narrow_b;
    return is_near(tolerance, (double)f, (double)g, steps(bits_a, bits_b));
}

/* n values from lo_a and lo_b on. */
static tg_verdict compare_run(const tagma_batch_column *a, uint64_t lo_a, const tagma_batch_column *b,
                              uint64_t lo_b, uint64_t n, const tg_tolerance *tolerance, int64_t *item)
{
    size_t width = tagma_type_bytes(a->type);
    const uint8_t *bytes_a = (const uint8_t *)a->values + lo_a * width;
    const uint8_t *bytes_b = (const uint8_t *)b->values + lo_b * width;
    bool is_exact = tolerance->ulp == 0 && !(tolerance->relative > 0);

    if (n == 0 || memcmp(bytes_a, bytes_b, n * width) == 0)
        return TG_SAME;
    for (uint64_t i = 0; i < n; i++, bytes_a += width, bytes_b += width) {
        if (memcmp(bytes_a, bytes_b, width) == 0 ||
            (!is_exact && are_near(tolerance, a->type, bytes_a, bytes_b)))
            continue;
        *item = (int64_t)i;
        return TG_DIFFERENT;
    }
    return TG_SAME;
}

/* Nulls and damage. TG_SAME: both have a value; *is_null: both are null. */
static tg_verdict compare_state(const tagma_batch_column *a, uint64_t at_a, const tagma_batch_column *b,
                                uint64_t at_b, bool *is_null)
{
    bool null_a = a->validity && !bit(a->validity, at_a), null_b = b->validity && !bit(b->validity, at_b);

    *is_null = null_a && null_b;
    if ((a->damaged && bit(a->damaged, at_a)) || (b->damaged && bit(b->damaged, at_b)))
        return TG_DAMAGED;
    return null_a == null_b ? TG_SAME : TG_DIFFERENT;
}

/* Entry (or item) at of a level's lists: where its own begin. Their number is offsets[at + n] - offsets[at]. */
static bool same_lengths(const uint32_t *a, uint64_t lo_a, const uint32_t *b, uint64_t lo_b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (a[lo_a + i + 1] - a[lo_a + i] != b[lo_b + i + 1] - b[lo_b + i])
            return false;
    return true;
}

tg_verdict tg_values_compare(const tagma_batch_column *a, uint64_t at_a, const tagma_batch_column *b,
                             uint64_t at_b, const tg_tolerance *tolerance, int64_t *item)
{
    uint64_t lo_a = at_a, lo_b = at_b, n = 1;
    bool is_null;
    tg_verdict verdict = compare_state(a, at_a, b, at_b, &is_null);

    *item = WHOLE;
    if (verdict != TG_SAME || is_null)
        return verdict;
    for (uint32_t level = 0; level < a->n_levels; level++) {
        if (a->type == TAGMA_STRING && level == a->n_levels - 1) {
            lo_a *= a->n_items;
            lo_b *= a->n_items;
            n *= a->n_items;
        }
        if (!same_lengths(a->offsets[level], lo_a, b->offsets[level], lo_b, n))
            return TG_DIFFERENT;
        n = a->offsets[level][lo_a + n] - a->offsets[level][lo_a];
        lo_a = a->offsets[level][lo_a];
        lo_b = b->offsets[level][lo_b];
    }
    if (a->type != TAGMA_STRING) {
        lo_a *= a->n_items;
        lo_b *= a->n_items;
        n *= a->n_items;
    }
    return compare_run(a, lo_a, b, lo_b, n, tolerance, item);
}

tg_verdict tg_values_compare_leading(const tagma_batch_column *a, uint64_t at_a, const tagma_batch_column *b,
                                     uint64_t at_b, int64_t *item)
{
    static const tg_tolerance exact = {0, 0.0};
    bool null_a = a->validity && !bit(a->validity, at_a);
    bool is_empty = b->validity && !bit(b->validity, at_b);
    uint64_t lo = at_b;

    *item = WHOLE;
    if ((a->damaged && bit(a->damaged, at_a)) || (b->damaged && bit(b->damaged, at_b)))
        return TG_DAMAGED;
    for (uint32_t level = 0; !is_empty && level < b->n_levels; level++) {
        is_empty = b->offsets[level][lo] == b->offsets[level][lo + 1];
        lo = b->offsets[level][lo];
    }
    if (null_a || is_empty)
        return null_a == is_empty ? TG_SAME : TG_DIFFERENT;
    return compare_run(a, at_a * a->n_items, b, lo * b->n_items, a->n_items, &exact, item);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, uint64_t n)
{
    if (!a || !b)
        return a == b;
    if (memcmp(a, b, n / 8) != 0)
        return false;
    return n % 8 == 0 || ((a[n / 8] ^ b[n / 8]) & ((1U << (n % 8)) - 1)) == 0;
}

bool tg_values_are_equal(const tagma_batch_column *a, const tagma_batch_column *b, uint64_t n_entries)
{
    uint64_t n = n_entries;

    if (a->damaged || b->damaged || a->n_values != b->n_values ||
        !same_bits(a->validity, b->validity, n_entries))
        return false;
    for (uint32_t level = 0; level < a->n_levels; level++) {
        if (a->type == TAGMA_STRING && level == a->n_levels - 1)
            n *= a->n_items;
        if (memcmp(a->offsets[level], b->offsets[level], (n + 1) * sizeof *a->offsets[level]) != 0)
            return false;
        n = a->offsets[level][n];
    }
    return a->n_values == 0 || memcmp(a->values, b->values, a->n_values * tagma_type_bytes(a->type)) == 0;
}
