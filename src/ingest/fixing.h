/* SPDX-License-Identifier: Apache-2.0
 * A conversion into the fixed layout, whose addresses are known when all ids are: inputs pass twice. */
#ifndef TG_INGEST_FIXING_H
#define TG_INGEST_FIXING_H

#include "ingest/convertin.h"
#include "store/fixedwriter.h"

typedef struct tg_fixing {
    tagma_index *index; /* of the entries of the inputs; NULL */
    tg_store_summary wrote;
    tg_fixed_summary fixed;
    uint32_t first_items; /* lists of which the first item is kept */
} tg_fixing;

/* Why a column cannot stand in a record of doubles; NULL where it can. */
const char *tg_fixing_reason(const tagma_column *column);
/* Read what decides where records lie, and integers that may not fit, and refuse what must be; then write. *summary gets the
 * time by phase. Release out->index, also after a failure. */
tagma_status tg_fixing_run(tagma_ctx *ctx, const tg_inputs *inputs, const tg_provenance *provenance,
                           const char *path, tagma_convert_summary *summary, tg_fixing *out);

#endif
