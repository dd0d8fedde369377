/* SPDX-License-Identifier: Apache-2.0
 * Ids of many shapes, and what an index of them must answer, found by comparing all of them. */
#include "support/idmodel.h"

#include <stdlib.h>
#include <string.h>

uint64_t test_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t value_of(test_axis_kind kind, uint64_t i, uint64_t n, uint64_t *seed)
{
    static const uint64_t extremes[] = {0,
                                        1,
                                        2,
                                        UINT64_MAX,
                                        UINT64_MAX - 1,
                                        (uint64_t)1 << 63,
                                        ((uint64_t)1 << 63) - 1,
                                        ((uint64_t)1 << 63) + 1,
                                        ((uint64_t)1 << 53) + 1,
                                        (uint64_t)1 << 53,
                                        UINT32_MAX,
                                        (uint64_t)1 << 32};
    uint64_t random = test_random(seed);

    switch (kind) {
    case TEST_FEW:
        return 273158 + random % 5 * 37;
    case TEST_DENSE:
        return random % 40;
    case TEST_SPARSE:
        return random >> 31;
    case TEST_WIDE:
        return random;
    case TEST_EXTREMES:
        return extremes[random % (sizeof extremes / sizeof extremes[0])];
    case TEST_OUTLIER:
        return random % 100 == 0 ? UINT64_MAX - random % 3 : random % 5000;
    case TEST_COUNTING:
        return i + 1;
    case TEST_BACKWARDS:
        return n - i;
    case TEST_BLOCKS:
        return i / 17 % 30;
    default:
        return 7;
    }
}

/* What qsort compares by. It has no room for a context of its own in C17, so the rows are compared in ordered form. */
static int by_ordered(const void *a, const void *b)
{
    const test_row *x = a, *y = b;

    for (int axis = 0; axis < TAGMA_MAX_ID_AXES; axis++)
        if (x->axes[axis] != y->axes[axis])
            return x->axes[axis] < y->axes[axis] ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static uint64_t sign_of(const test_model *model, uint32_t axis)
{
    return axis < model->input.n_axes && model->input.is_signed[axis] ? (uint64_t)1 << 63 : 0;
}

static void *take(size_t n)
{
    void *block = calloc(n + 1, 1);

    if (!block)
        abort();
    return block;
}

test_model test_model_make(uint32_t n_axes, const test_axis_kind *kinds, uint32_t signs, uint64_t n_entries,
                           bool repeats, uint64_t seed)
{
    static const char *const names[] = {"run", "luminosityBlock", "event", "fourth"};
    test_model model = {.input = {.n_axes = n_axes, .n_entries = n_entries}};
    uint64_t *values[TAGMA_MAX_ID_AXES];

    model.rows = take(n_entries * sizeof *model.rows);
    for (uint32_t axis = 0; axis < n_axes; axis++) {
        values[axis] = take(n_entries * sizeof **values);
        model.input.values[axis] = values[axis];
        model.input.names[axis] = names[axis];
        model.input.is_signed[axis] = signs >> axis & 1;
    }
    for (uint64_t i = 0; i < n_entries; i++) {
        uint64_t copied = repeats && i > 0 && test_random(&seed) % 4 == 0 ? test_random(&seed) % i : i;

        model.rows[i].entry = i;
        for (uint32_t axis = 0; axis < n_axes; axis++) {
            values[axis][i] = copied < i ? values[axis][copied] : value_of(kinds[axis], i, n_entries, &seed);
            model.rows[i].axes[axis] = values[axis][i] ^ sign_of(&model, axis);
        }
    }
    qsort(model.rows, n_entries, sizeof *model.rows, by_ordered);
    for (uint64_t i = 0; i < n_entries; i++)
        for (uint32_t axis = 0; axis < n_axes; axis++)
            model.rows[i].axes[axis] ^= sign_of(&model, axis);
    return model;
}

void test_model_free(test_model *model)
{
    for (uint32_t axis = 0; axis < model->input.n_axes; axis++)
        free((void *)model->input.values[axis]);
    free(model->rows);
}

int test_model_compare(const test_model *model, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t axis = 0; axis < model->input.n_axes; axis++) {
        uint64_t x = a[axis] ^ sign_of(model, axis), y = b[axis] ^ sign_of(model, axis);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

uint64_t test_model_lower(const test_model *model, const uint64_t *axes)
{
    uint64_t low = 0, high = model->input.n_entries;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (test_model_compare(model, model->rows[middle].axes, axes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t test_model_find(const test_model *model, const uint64_t *axes, uint64_t *first)
{
    uint64_t n = 0;

    *first = test_model_lower(model, axes);
    while (*first + n < model->input.n_entries &&
           test_model_compare(model, model->rows[*first + n].axes, axes) == 0)
        n++;
    return n;
}
