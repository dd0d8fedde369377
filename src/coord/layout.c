/* SPDX-License-Identifier: Apache-2.0
 * Layouts of 1 to 8 axes in mixed radix. Everything that could overflow is refused when a layout is made. */
#include <string.h>
#include <tagma/coord.h>

#include "base/ctx.h"
#include "base/num.h"

tagma_status tagma_layout_init(tagma_ctx *ctx, tagma_layout *layout, const uint64_t *bounds, uint32_t n_axes,
                               uint64_t record_bytes)
{
    uint64_t count = 1, extent_bytes;

    memset(layout, 0, sizeof *layout);
    if (n_axes < 1 || n_axes > TAGMA_MAX_AXES)
        return tg_fail(ctx, TAGMA_E_ARG, "a layout of %" PRIu32 " axes: 1 to %d are possible", n_axes,
                       TAGMA_MAX_AXES);
    if (record_bytes == 0)
        return tg_fail(ctx, TAGMA_E_ARG, "a layout with records of 0 bytes");
    for (uint32_t a = 0; a < n_axes; a++)
        if (bounds[a] == 0)
            return tg_fail(ctx, TAGMA_E_ARG, "axis %" PRIu32 " of a layout has bound 0", a);
    for (uint32_t a = 0; a < n_axes; a++)
        if (!tg_mul(count, bounds[a], &count))
            return tg_fail(ctx, TAGMA_E_LIMIT,
                           "axis %" PRIu32 " with bound %" PRIu64 " takes the count of a layout past 64 bits",
                           a, bounds[a]);
    if (!tg_mul(count, record_bytes, &extent_bytes))
        return tg_fail(ctx, TAGMA_E_LIMIT,
                       "%" PRIu64 " records of %" PRIu64 " bytes take the extent of a layout past 64 bits",
                       count, record_bytes);
    layout->n_axes = n_axes;
    memcpy(layout->bounds, bounds, n_axes * sizeof *bounds);
    layout->record_bytes = record_bytes;
    layout->count = count;
    layout->extent_bytes = extent_bytes;
    return TAGMA_OK;
}

tagma_status tagma_layout_address(const tagma_layout *layout, const uint64_t *axes, uint64_t *address)
{
    uint64_t n = 0;

    for (uint32_t a = 0; a < layout->n_axes; a++) {
        if (axes[a] >= layout->bounds[a])
            return TAGMA_E_RANGE;
        /* Stays below the product of the bounds so far, which fits. */
        n = n * layout->bounds[a] + axes[a];
    }
    *address = n;
    return TAGMA_OK;
}

tagma_status tagma_layout_offset(const tagma_layout *layout, const uint64_t *axes, uint64_t *offset_bytes)
{
    uint64_t address;

    TG_TRY(tagma_layout_address(layout, axes, &address));
    *offset_bytes = address * layout->record_bytes;
    return TAGMA_OK;
}

tagma_status tagma_layout_axes(const tagma_layout *layout, uint64_t address, uint64_t *axes)
{
    if (address >= layout->count)
        return TAGMA_E_RANGE;
    for (uint32_t a = layout->n_axes; a-- > 0;) {
        axes[a] = address % layout->bounds[a];
        address /= layout->bounds[a];
    }
    return TAGMA_OK;
}
