/* SPDX-License-Identifier: Apache-2.0
 * A source over a caller's function. */
#include <inttypes.h>

#include "source/source.h"

typedef struct custom {
    tagma_source_functions functions;
    void *user;
} custom;

static tagma_status custom_start(tagma_ctx *ctx, const tagma_source *source, void *state,
                                 tg_request *requests, uint32_t n)
{
    const custom *own = source->own;

    (void)state;
    for (uint32_t i = 0; i < n; i++) {
        tg_request *request = &requests[i];
        int code = own->functions.read(own->user, request->offset, request->dst, request->n);

        if (code != 0)
            return tg_fail(ctx, TAGMA_E_IO,
                           "%s: reading %" PRIu64 " bytes at byte %" PRIu64 " failed (code %d)", source->name,
                           request->n, request->offset, code);
        request->done = request->n;
    }
    return TAGMA_OK;
}

static void custom_close(tagma_source *source)
{
    const custom *own = source->own;

    if (own->functions.close)
        own->functions.close(own->user);
}

/* What stands behind the function is unknown, and often far away. */
static const tg_source_kind custom_kind = {
    .name = "custom",
    .gap_bytes = 64 << 10,
    .extent_bytes = 8 << 20,
    .start = custom_start,
    .close = custom_close,
};

tagma_status tagma_source_custom(tagma_ctx *ctx, const tagma_source_functions *functions, void *user,
                                 uint64_t size, const char *name, tagma_source **out)
{
    custom *own;

    *out = NULL;
    if (functions->struct_bytes != sizeof *functions || !functions->read)
        return tg_fail(ctx, TAGMA_E_ARG, "%s: functions of %zu bytes, %zu expected, or no read among them",
                       name, functions->struct_bytes, sizeof *functions);
    TG_TRY(tg_source_new(ctx, &custom_kind, name, size, sizeof *own, out));
    own = (*out)->own;
    own->functions = *functions;
    own->user = user;
    return TAGMA_OK;
}
