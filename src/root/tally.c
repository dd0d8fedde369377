/* SPDX-License-Identifier: Apache-2.0
 * From the values of a counter to the counts of the columns it counts. */
#include "root/fetch.h"

uint64_t tg_count_at(uint8_t type, const uint8_t *values, uint64_t i)
{
    uint64_t wide;
    uint32_t word;
    uint16_t half;

    switch (type) {
    case TAGMA_I8:
        return (uint64_t)(int64_t)(int8_t)values[i];
    case TAGMA_I16:
        memcpy(&half, values + 2 * i, sizeof half);
        return (uint64_t)(int64_t)(int16_t)half;
    case TAGMA_U16:
        memcpy(&half, values + 2 * i, sizeof half);
        return half;
    case TAGMA_I32:
        memcpy(&word, values + 4 * i, sizeof word);
        return (uint64_t)(int64_t)(int32_t)word;
    case TAGMA_U32:
        memcpy(&word, values + 4 * i, sizeof word);
        return word;
    case TAGMA_I64:
    case TAGMA_U64:
        memcpy(&wide, values + 8 * i, sizeof wide);
        return wide;
    default:
        return values[i];
    }
}

/* Values of lost rows are whatever the memory held: make them 0, and note them as unknown. */
static tagma_status note_unknown(tagma_ctx *ctx, tg_call *call, tg_slot *slot, uint32_t s)
{
    for (uint64_t i = 0; i < call->loss.n_marks; i++) {
        const tg_mark *mark = &call->loss.marks[i];

        if (mark->slot != s)
            continue;
        if (!slot->unknown) {
            slot->unknown = tg_zalloc(ctx, (call->rows.n + 7) / 8, 1);
            if (!slot->unknown)
                return TAGMA_E_MEMORY;
        }
        memset(slot->place + mark->row * slot->code->value_bytes, 0, mark->n * slot->code->value_bytes);
        for (uint64_t row = mark->row; row < mark->row + mark->n; row++)
            slot->unknown[row / 8] |= (uint8_t)(1U << (row % 8));
    }
    return TAGMA_OK;
}

static tagma_status note_absurd(tagma_ctx *ctx, const tg_call *call, tg_slot *slot, uint64_t row)
{
    if (!slot->absurd) {
        slot->absurd = tg_zalloc(ctx, (call->rows.n + 7) / 8, 1);
        if (!slot->absurd)
            return TAGMA_E_MEMORY;
    }
    slot->absurd[row / 8] |= (uint8_t)(1U << (row % 8));
    return TAGMA_OK;
}

tagma_status tg_slot_count(tagma_ctx *ctx, tg_call *call, uint32_t s)
{
    tg_slot *slot = &call->slots[s];
    const tagma_column *column = tagma_schema_column(call->fetcher->tree->schema, slot->column);
    uint64_t n_rows = call->rows.n, total = 0, bytes;
    uint32_t *ends;

    if (!tg_mul(n_rows + 1, sizeof *ends, &bytes))
        return tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " entries in one batch", n_rows);
    TG_TRY(note_unknown(ctx, call, slot, s));
    TG_TRY(tg_buffer_new(ctx, bytes, &slot->ends));
    ends = tg_buffer_fill(slot->ends);
    ends[0] = 0;
    for (uint64_t row = 0; row < n_rows; row++) {
        uint64_t n = tg_count_at(slot->code->type, slot->place, row);

        if (n > INT32_MAX) {
            TG_TRY(note_absurd(ctx, call, slot, row));
            n = 0;
        }
        total += n;
        ends[row + 1] = (uint32_t)total;
    }
    slot->counts = (tg_counts){.ends = ends,
                               .n_items = total,
                               .unknown = slot->unknown,
                               .absurd = slot->absurd,
                               .name = column->name};
    slot->has_counts = true;
    return TAGMA_OK;
}
