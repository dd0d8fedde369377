/* SPDX-License-Identifier: Apache-2.0
 * What of any columns goes into records of doubles: scalars, and the first item of each list; and what cannot. */
#include <stdio.h>

#include "store/fixedsource.h"
#include "store/fixedwriter.h"

tagma_status tg_fixed_check_schema(tagma_ctx *ctx, const tagma_schema *schema, uint32_t *first_items)
{
    *first_items = 0;
    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++) {
        const tagma_column *column = tagma_schema_column(schema, c);

        if (column->reason)
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s", column->name,
                           column->reason);
        if (column->type == TAGMA_STRING)
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                           "branch %s: a record of doubles holds no string; leave it out with --drop",
                           column->name);
        *first_items += column->n_lists > 0;
    }
    return TAGMA_OK;
}

bool tg_fixed_is_risky(const tagma_column *column)
{
    return column->type == TAGMA_I64 || column->type == TAGMA_U64;
}

static bool is_null(const tagma_batch_column *column, uint64_t entry)
{
    return (column->validity && !(column->validity[entry / 8] >> (entry % 8) & 1)) ||
           (column->damaged && (column->damaged[entry / 8] >> (entry % 8) & 1));
}

bool tg_fixed_first(const tagma_batch_column *column, uint64_t entry, uint64_t *at)
{
    uint64_t item = entry;

    if (is_null(column, entry))
        return false;
    for (uint32_t k = 0; k < column->n_levels; k++) {
        if (column->offsets[k][item] == column->offsets[k][item + 1])
            return false;
        item = column->offsets[k][item];
    }
    *at = item * column->n_items;
    return true;
}

tagma_status tg_fixed_inexact(tagma_ctx *ctx, const tagma_column *shape, const void *value, uint64_t entry)
{
    char number[24];
    uint64_t bits;

    memcpy(&bits, value, sizeof bits);
    if (shape->type == TAGMA_I64)
        snprintf(number, sizeof number, "%" PRId64, (int64_t)bits);
    else
        snprintf(number, sizeof number, "%" PRIu64, bits);
    return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                   "branch %s: entry %" PRIu64
                   " is %s, which no double holds; leave the branch out with --drop %s",
                   shape->name, entry, number, shape->name);
}

tagma_status tg_fixed_check_column(tagma_ctx *ctx, const tagma_column *shape,
                                   const tagma_batch_column *column, uint64_t n_entries, uint64_t first_entry)
{
    const uint8_t *values = column->values;
    uint64_t at, word;

    if (!tg_fixed_is_risky(shape))
        return TAGMA_OK;
    for (uint64_t e = 0; e < n_entries; e++) {
        if (!tg_fixed_first(column, e, &at))
            continue;
        for (uint64_t i = at; i < at + column->n_items; i++)
            if (!tg_word_of(shape->type, values + 8 * i, &word))
                return tg_fixed_inexact(ctx, shape, values + 8 * i, first_entry + e);
    }
    return TAGMA_OK;
}
