/* SPDX-License-Identifier: Apache-2.0
 * Lanes: one thread's way into a source, with its buffer and counters. */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "source/source.h"

/* A buffer that one long view needed is not kept for the short ones after it. */
enum { KEEP_BYTES = 16 << 20 };

struct tg_lane {
    tagma_source *source;
    tg_account *account;
    void *state; /* the kind's */
    tagma_io_stats stats;
    uint8_t *buffer;
    uint64_t buffer_bytes;
};

tagma_status tg_lane_new(tagma_ctx *ctx, tagma_source *source, tg_lane **out)
{
    tg_lane *lane = tg_zalloc(ctx, 1, sizeof *lane);

    *out = NULL;
    if (!lane)
        return TAGMA_E_MEMORY;
    if (source->kind->lane_open) {
        tagma_status st = source->kind->lane_open(ctx, source, &lane->state);
        if (st < 0) {
            tg_free(ctx, lane);
            return st;
        }
    }
    lane->source = tagma_source_acquire(source);
    lane->account = tg_account_acquire(ctx->account);
    *out = lane;
    return TAGMA_OK;
}

void tg_lane_free(tg_lane *lane)
{
    tg_account *account;

    if (!lane)
        return;
    account = lane->account;
    if (lane->source->kind->lane_close)
        lane->source->kind->lane_close(lane->source, lane->state);
    tagma_source_release(lane->source);
    tg_account_add_io(account, lane->stats.requests, lane->stats.bytes_read, lane->stats.bytes_used);
    tg_account_free(account, lane->buffer);
    tg_account_free(account, lane);
    tg_account_release(account);
}

void tagma_ctx_get_io(const tagma_ctx *ctx, tagma_io_stats *out)
{
    tg_account_io(ctx->account, &out->requests, &out->bytes_read, &out->bytes_used);
}

tagma_source *tg_lane_source(const tg_lane *lane)
{
    return lane->source;
}

const tagma_io_stats *tg_lane_stats(const tg_lane *lane)
{
    return &lane->stats;
}

void tg_lane_count_used(tg_lane *lane, uint64_t bytes)
{
    lane->stats.bytes_used += bytes;
}

static tagma_status check_inside(tagma_ctx *ctx, const tagma_source *source, uint64_t offset, uint64_t n)
{
    if (tg_inside(offset, n, source->size))
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_TRUNCATED,
                   "%s: %" PRIu64 " bytes wanted at byte %" PRIu64 ", the file ends at byte %" PRIu64,
                   source->name, n, offset, source->size);
}

static void count(tg_lane *lane, uint64_t n)
{
    if (lane->source->kind->lane_io) {
        lane->source->kind->lane_io(lane->state, &lane->stats.requests, &lane->stats.bytes_read);
        return;
    }
    lane->stats.requests++;
    lane->stats.bytes_read += n;
}

/* One request from start to end. It lies inside the source, n > 0. */
static tagma_status fetch(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t n, void *dst)
{
    const tg_source_kind *kind = lane->source->kind;
    tg_request request = {offset, n, dst, 0};
    tagma_status st = kind->start(ctx, lane->source, lane->state, &request, 1);

    while (st >= 0 && request.done < n)
        st = kind->pump(ctx, lane->source, lane->state);
    if (st < 0 && kind->cancel)
        kind->cancel(lane->source, lane->state);
    count(lane, n);
    return st;
}

tagma_status tg_lane_read(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t n, void *dst)
{
    TG_TRY(check_inside(ctx, lane->source, offset, n));
    return n > 0 ? fetch(ctx, lane, offset, n, dst) : TAGMA_OK;
}

static tagma_status reserve(tagma_ctx *ctx, tg_lane *lane, uint64_t n)
{
    if (n <= lane->buffer_bytes && (lane->buffer_bytes <= KEEP_BYTES || n > KEEP_BYTES))
        return TAGMA_OK;
    tg_free(ctx, lane->buffer);
    lane->buffer_bytes = 0;
    lane->buffer = tg_alloc(ctx, n, 1);
    if (!lane->buffer)
        return TAGMA_E_MEMORY;
    lane->buffer_bytes = n;
    return TAGMA_OK;
}

tagma_status tg_lane_view(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t n, const uint8_t **bytes)
{
    static const uint8_t nothing[1];
    const tg_source_kind *kind = lane->source->kind;

    *bytes = NULL;
    TG_TRY(check_inside(ctx, lane->source, offset, n));
    if (n == 0) {
        *bytes = nothing;
        return TAGMA_OK;
    }
    if (kind->view) {
        count(lane, n);
        return kind->view(ctx, lane->source, offset, n, bytes);
    }
    TG_TRY(reserve(ctx, lane, n));
    TG_TRY(fetch(ctx, lane, offset, n, lane->buffer));
    *bytes = lane->buffer;
    return TAGMA_OK;
}

static tagma_status read_extent(tagma_ctx *ctx, tg_lane *lane, const tg_extent *extent, const tg_span *spans)
{
    const uint8_t *bytes;

    if (extent->n_spans == 1)
        return tg_lane_read(ctx, lane, extent->offset, extent->n, spans->dst);
    TG_TRY(tg_lane_view(ctx, lane, extent->offset, extent->n, &bytes));
    for (uint32_t i = 0; i < extent->n_spans; i++)
        memcpy(spans[i].dst, bytes + (spans[i].offset - extent->offset), spans[i].n);
    return TAGMA_OK;
}

tagma_status tg_lane_read_spans(tagma_ctx *ctx, tg_lane *lane, tg_span *spans, uint32_t n_spans)
{
    const tg_source_kind *kind = lane->source->kind;
    tg_extent *extents;
    tagma_status st = TAGMA_OK;
    uint32_t n_extents;

    for (uint32_t i = 0; i < n_spans; i++)
        TG_TRY(check_inside(ctx, lane->source, spans[i].offset, spans[i].n));
    extents = tg_alloc(ctx, n_spans, sizeof *extents);
    if (!extents)
        return TAGMA_E_MEMORY;
    n_extents = tg_plan(spans, n_spans, kind->gap_bytes, kind->extent_bytes, extents);
    for (uint32_t i = 0; i < n_extents && st >= 0; i++)
        st = read_extent(ctx, lane, &extents[i], spans + extents[i].first);
    tg_free(ctx, extents);
    return st;
}
