/* SPDX-License-Identifier: Apache-2.0
 * A source over bytes that the caller holds in memory. */
#include <string.h>

#include "source/source.h"

typedef struct memory {
    const uint8_t *bytes;
} memory;

static const uint8_t *bytes_of(const tagma_source *source)
{
    return ((const memory *)source->own)->bytes;
}

static tagma_status memory_start(tagma_ctx *ctx, const tagma_source *source, void *state,
                                 tg_request *requests, uint32_t n)
{
    (void)ctx;
    (void)state;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(requests[i].dst, bytes_of(source) + requests[i].offset, requests[i].n);
        requests[i].done = requests[i].n;
    }
    return TAGMA_OK;
}

static tagma_status memory_view(tagma_ctx *ctx, const tagma_source *source, uint64_t offset, uint64_t n,
                                const uint8_t **bytes)
{
    (void)ctx;
    (void)n;
    *bytes = bytes_of(source) + offset;
    return TAGMA_OK;
}

static void memory_close(tagma_source *source)
{
    (void)source; /* the bytes are the caller's */
}

/* Nothing is gained by reading a gap, and nothing lost by a long request. */
static const tg_source_kind memory_kind = {
    .name = "memory",
    .gap_bytes = 0,
    .extent_bytes = UINT64_MAX,
    .start = memory_start,
    .view = memory_view,
    .close = memory_close,
};

tagma_status tagma_source_memory(tagma_ctx *ctx, const void *bytes, size_t n, const char *name,
                                 tagma_source **out)
{
    *out = NULL;
    if (!bytes && n > 0)
        return tg_fail(ctx, TAGMA_E_ARG, "%s: no bytes, but %zu of them", name, n);
    TG_TRY(tg_source_new(ctx, &memory_kind, name, n, sizeof(memory), out));
    ((memory *)(*out)->own)->bytes = bytes;
    return TAGMA_OK;
}
