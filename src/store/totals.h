/* SPDX-License-Identifier: Apache-2.0
 * What columns and lists take in the whole store. Source: docs/FORMAT.md, "Totals section". */
#ifndef TG_STORE_TOTALS_H
#define TG_STORE_TOTALS_H

#include "store/store.h"

/* What a column takes, or what lists do: how many items each has. */
typedef struct tg_taken {
    uint64_t raw_bytes; /* of values, at their natural width; 0 for lists */
    uint64_t tile_bits, chunk_bytes;
    uint64_t kinds; /* bit k: coded as kind k somewhere; bit TG_SPARSE_KIND: sparse somewhere */
} tg_taken;

/* Is the section as long as it must be, and do its numbers have sums? For tg_store_section. */
tagma_status tg_totals_check(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                             const uint8_t *bytes);

/* Of a column of the schema; of lists of the fields. TAGMA_E_CORRUPT where there is no such section, or it is wrong. */
tagma_status tg_totals_column(tagma_ctx *ctx, const tg_store *store, uint32_t column, tg_taken *out);
tagma_status tg_totals_lists(tagma_ctx *ctx, const tg_store *store, uint32_t lists, tg_taken *out);
/* Bytes of all chunks, and how many columns have some. */
tagma_status tg_totals_hot(tagma_ctx *ctx, const tg_store *store, uint32_t *n_hot, uint64_t *bytes);

/* For the table of functions of a store in tiles. */
tagma_status tg_totals_storage(const tagma_events *events, uint32_t column, tagma_storage *out);

#endif
