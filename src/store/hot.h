/* SPDX-License-Identifier: Apache-2.0
 * Which columns get a second copy each to itself, so that a cut reads nothing else. */
#ifndef TG_STORE_HOT_H
#define TG_STORE_HOT_H

#include "store/code.h"
#include "store/fields.h"

enum { TG_HOT_PERCENT = 15 }; /* of a file, where the choice is ours */

typedef struct tg_hot {
    uint8_t *is_hot;   /* [n_columns] */
    uint8_t *is_dense; /* [n_columns] never sparse: hot, or proposed and too much */
    bool is_bounded;   /* what is hot may still be too much: tg_hot_bound() */
    uint32_t n_hot;
} tg_hot;

/* @param columns  as in tg_store_options. TAGMA_E_NAME for a name that is no column. */
tagma_status tg_hot_choose(tagma_ctx *ctx, const tg_fields *fields, const char *columns, tg_hot *out);
/* Of what tg_hot_choose() proposed, keep what stays within TG_HOT_PERCENT by the first cluster, in this order and the
 * cheapest first: integers and bools of events; pt, and eta, phi, mass, charge and ids of events; other scalars; eta, phi, mass
 * and charge of items; their ids. @param chunk_bytes  [n_columns] what a copy takes. */
tagma_status tg_hot_bound(tagma_ctx *ctx, const tg_fields *fields, const uint64_t *chunk_bytes,
                          uint64_t tile_bytes, tg_hot *hot);
void tg_hot_free(tagma_ctx *ctx, tg_hot *hot);

#endif
