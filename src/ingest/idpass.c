/* SPDX-License-Identifier: Apache-2.0
 * The ids of events as they pass, and the index made of them. */
#include "ingest/idpass.h"

#include "base/num.h"
#include "index/idnames.h"

/* What making the index takes at least is known now: better told before the events are read than behind it. */
static tagma_status check_room(tagma_ctx *ctx, const tg_inputs *inputs)
{
    enum { SORTED_BYTES = 17, SECTION_BYTES = 4 }; /* of an entry, while the index is made of it */
    uint64_t bytes;

    if (inputs->ids.n_axes == 0 ||
        (tg_mul(inputs->n_entries, 8 * inputs->ids.n_axes + SORTED_BYTES + SECTION_BYTES, &bytes) &&
         bytes <= ctx->limits.max_memory))
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_MEMORY,
                   "an index of %" PRIu64 " entries is made in %" PRIu64 " MiB of memory, %" PRIu64
                   " are allowed",
                   inputs->n_entries, bytes >> 20, ctx->limits.max_memory >> 20);
}

tagma_status tg_idpass_new(tagma_ctx *ctx, const tg_inputs *inputs, tg_idpass *out)
{
    *out = (tg_idpass){.n_axes = inputs->ids.n_axes};
    TG_TRY(check_room(ctx, inputs));
    for (uint32_t a = 0; a < out->n_axes; a++) {
        out->axes[a] = tg_alloc(ctx, inputs->n_entries, sizeof *out->axes[a]);
        if (!out->axes[a]) {
            tg_idpass_free(ctx, out);
            return TAGMA_E_MEMORY;
        }
    }
    return TAGMA_OK;
}

void tg_idpass_free(tagma_ctx *ctx, tg_idpass *pass)
{
    for (uint32_t a = 0; a < TAGMA_MAX_ID_AXES; a++)
        tg_free(ctx, pass->axes[a]);
    *pass = (tg_idpass){0};
}

static tagma_status take(tagma_ctx *ctx, const tg_idpass *pass, const tg_inputs *inputs,
                         const tagma_batch *batch)
{
    for (uint32_t a = 0; a < pass->n_axes; a++) {
        uint32_t c = inputs->ids.columns[a];

        TG_TRY(tg_ids_values(ctx, tagma_schema_column(inputs->schema, c)->name, batch, c, pass->n,
                             pass->axes[a] + pass->n));
    }
    return TAGMA_OK;
}

tagma_status tg_idpass_add(tagma_ctx *ctx, tg_idpass *pass, const tg_inputs *inputs, const tagma_batch *batch)
{
    tagma_status st = take(ctx, pass, inputs, batch);

    if (st == TAGMA_E_UNSUPPORTED && !inputs->options->sort) {
        tg_note(ctx, "the store has no index: %s", tagma_ctx_message(ctx));
        tg_idpass_free(ctx, pass);
        return TAGMA_OK;
    }
    pass->n += tagma_batch_n_entries(batch);
    return st;
}

tagma_status tg_idpass_index(tagma_ctx *ctx, tg_idpass *pass, const tg_inputs *inputs, tagma_index **out)
{
    tagma_index_input input = {.n_axes = pass->n_axes, .n_entries = pass->n};
    tagma_status st;

    *out = NULL;
    if (pass->n_axes == 0)
        return TAGMA_OK;
    for (uint32_t a = 0; a < pass->n_axes; a++) {
        input.names[a] = tagma_schema_column(inputs->schema, inputs->ids.columns[a])->name;
        input.is_signed[a] = inputs->ids.is_signed[a];
        input.values[a] = pass->axes[a];
    }
    st = tagma_index_new(ctx, &input, out);
    tg_idpass_free(ctx, pass);
    return st;
}
