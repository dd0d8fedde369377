/* SPDX-License-Identifier: Apache-2.0
 * The ids of events as they pass, and the index made of them. */
#ifndef TG_INGEST_IDPASS_H
#define TG_INGEST_IDPASS_H

#include "ingest/convertin.h"

typedef struct tg_idpass {
    uint32_t n_axes;                   /* 0: no index is made */
    uint64_t *axes[TAGMA_MAX_ID_AXES]; /* [n] */
    uint64_t n;
} tg_idpass;

tagma_status tg_idpass_new(tagma_ctx *ctx, const tg_inputs *inputs, tg_idpass *out);
void tg_idpass_free(tagma_ctx *ctx, tg_idpass *pass);
/* The ids of a batch of inputs->schema. What cannot be an id ends the index, with a note; the conversion where it sorts. */
tagma_status tg_idpass_add(tagma_ctx *ctx, tg_idpass *pass, const tg_inputs *inputs,
                           const tagma_batch *batch);
/* NULL where none is made. The axes are given up. */
tagma_status tg_idpass_index(tagma_ctx *ctx, tg_idpass *pass, const tg_inputs *inputs, tagma_index **out);

#endif
