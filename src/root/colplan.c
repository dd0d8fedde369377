/* SPDX-License-Identifier: Apache-2.0
 * Build the plan of one column. */
#include "root/colplan.h"

#include <stdio.h>

tg_column_plan tg_column_plan_of(uint32_t branch)
{
    return (tg_column_plan){.name = "",
                            .path = "",
                            .type = TAGMA_UNKNOWN,
                            .n_items = 1,
                            .layout = {.branch = branch,
                                       .count_column = TAGMA_NONE,
                                       .frame = TG_ENTRY_BARE,
                                       .string = TG_STRING_NONE,
                                       .n_leaves = 1}};
}

tagma_status tg_plan_refuse(tg_tree_reading *r, tg_column_plan *plan, const char *format, ...)
{
    char words[TG_MESSAGE_BYTES];
    va_list args;

    if (plan->reason)
        return TAGMA_OK;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    plan->reason = tg_arena_text(r->ctx, &r->arena, words, strlen(words));
    return plan->reason ? TAGMA_OK : TAGMA_E_MEMORY;
}

static const struct {
    tagma_type type;
    tg_wire wire;
    uint8_t width;
} numbers[] = {
    [TG_CODE_I8] = {TAGMA_I8, TG_WIRE_I8, 1},
    [TG_CODE_I16] = {TAGMA_I16, TG_WIRE_I16, 2},
    [TG_CODE_I32] = {TAGMA_I32, TG_WIRE_I32, 4},
    [TG_CODE_LONG] = {TAGMA_I64, TG_WIRE_I64, 8},
    [TG_CODE_F32] = {TAGMA_F32, TG_WIRE_F32, 4},
    [TG_CODE_COUNTER] = {TAGMA_I32, TG_WIRE_I32, 4},
    [TG_CODE_F64] = {TAGMA_F64, TG_WIRE_F64, 8},
    [TG_CODE_DOUBLE32] = {TAGMA_F64, TG_WIRE_F32_AS_F64, 4},
    [TG_CODE_LEGACY_CHAR] = {TAGMA_I8, TG_WIRE_I8, 1},
    [TG_CODE_U8] = {TAGMA_U8, TG_WIRE_U8, 1},
    [TG_CODE_U16] = {TAGMA_U16, TG_WIRE_U16, 2},
    [TG_CODE_U32] = {TAGMA_U32, TG_WIRE_U32, 4},
    [TG_CODE_ULONG] = {TAGMA_U64, TG_WIRE_U64, 8},
    [TG_CODE_BITS] = {TAGMA_U32, TG_WIRE_BITS, 4},
    [TG_CODE_I64] = {TAGMA_I64, TG_WIRE_I64, 8},
    [TG_CODE_U64] = {TAGMA_U64, TG_WIRE_U64, 8},
    [TG_CODE_BOOL] = {TAGMA_BOOL, TG_WIRE_BOOL, 1},
    [TG_CODE_FLOAT16] = {TAGMA_F32, TG_WIRE_TRUNCATED, 3},
};

bool tg_plan_number(tg_column_plan *plan, int32_t code, const tg_title *title)
{
    tg_layout *layout = &plan->layout;

    if (code < 0 || (size_t)code >= sizeof numbers / sizeof numbers[0] || numbers[code].width == 0)
        return false;
    plan->type = numbers[code].type;
    layout->wire = (uint8_t)numbers[code].wire;
    if (code != TG_CODE_DOUBLE32 && code != TG_CODE_FLOAT16)
        return true;
    switch (
        tg_title_packing(title, code == TG_CODE_FLOAT16, &layout->factor, &layout->xmin, &layout->nbits)) {
    case TG_PACKING_NONE:
        return true;
    case TG_PACKING_SCALED:
        layout->wire = TG_WIRE_SCALED;
        return true;
    case TG_PACKING_TRUNCATED:
        layout->wire = TG_WIRE_TRUNCATED;
        return true;
    default:
        return false;
    }
}

void tg_plan_dims(tg_column_plan *plan, const uint32_t *dims, uint32_t n_dims, uint64_t n_items)
{
    uint64_t product = 1;

    plan->n_items = (uint32_t)n_items;
    plan->n_dims = 0;
    for (uint32_t d = 0; d < n_dims && d < TG_TITLE_DIMS_MAX; d++) {
        plan->dims[d] = dims[d];
        product = product > INT32_MAX ? product : product * dims[d];
    }
    if (n_dims <= TG_TITLE_DIMS_MAX && product == n_items) {
        plan->n_dims = n_dims;
    } else if (n_items != 1) {
        plan->n_dims = 1;
        plan->dims[0] = plan->n_items;
    }
}

bool tg_plan_list(tg_column_plan *plan, tg_count_kind count)
{
    if (plan->n_lists == TAGMA_MAX_LISTS)
        return false;
    plan->layout.counts[plan->n_lists++] = (uint8_t)count;
    return true;
}

uint32_t tg_plan_width(const tg_column_plan *plan)
{
    static const uint8_t widths[] = {
        [TG_WIRE_BOOL] = 1,      [TG_WIRE_I8] = 1,         [TG_WIRE_U8] = 1,  [TG_WIRE_I16] = 2,
        [TG_WIRE_U16] = 2,       [TG_WIRE_I32] = 4,        [TG_WIRE_U32] = 4, [TG_WIRE_I64] = 8,
        [TG_WIRE_U64] = 8,       [TG_WIRE_F32] = 4,        [TG_WIRE_F64] = 8, [TG_WIRE_SCALED] = 4,
        [TG_WIRE_TRUNCATED] = 3, [TG_WIRE_F32_AS_F64] = 4, [TG_WIRE_BITS] = 4};

    return plan->layout.string != TG_STRING_NONE ? 1 : widths[plan->layout.wire];
}

bool tg_wire_gives(const tg_layout *layout, tagma_type type)
{
    switch (layout->wire) {
    case TG_WIRE_SCALED:
        return type == TAGMA_F32 || type == TAGMA_F64;
    case TG_WIRE_TRUNCATED:
        return (type == TAGMA_F32 || type == TAGMA_F64) && layout->nbits >= 1 &&
               layout->nbits <= TG_BITS_TRUNCATED_MAX;
    default:
        for (size_t code = 0; code < sizeof numbers / sizeof numbers[0]; code++)
            if (numbers[code].width > 0 && numbers[code].wire == layout->wire && numbers[code].type == type)
                return true;
        return false;
    }
}
