/* SPDX-License-Identifier: Apache-2.0
 * The events of a cluster as they came, in batches, and what a cluster needs of them: lists, values, validity, end to end. */
#ifndef TG_STORE_STAGED_H
#define TG_STORE_STAGED_H

#include <tagma/batch.h>

#include "store/fields.h"

/* Entries first to first + n - 1 of a batch whose columns are those of the schema, in its order. */
typedef struct tg_segment {
    const tagma_batch *batch;
    uint64_t first, n;
} tg_segment;

typedef struct tg_staged {
    const tg_fields *fields;
    const tg_segment *segments;
    uint32_t n_segments;
    uint64_t first_entry, n_events; /* first_entry in the store, for messages */
} tg_staged;

/* Where the items of each list begin and end: of list i, offsets[i] to offsets[i + 1]. */
typedef struct tg_offsets {
    uint32_t *offsets; /* [n + 1] */
    uint64_t n;        /* lists; of events or items of the parent */
} tg_offsets;

/* Raw bytes of entries first to first + n - 1 of a batch, one by one: what a cluster is bounded by. */
void tg_gather_sizes(const tg_fields *fields, const tagma_batch *batch, uint64_t first, uint64_t n,
                     uint64_t *bytes);

/* Offsets of every lists, [n_lists of the fields], from columns that are not null. TAGMA_E_LIMIT past INT32_MAX items. */
tagma_status tg_gather_lists(tagma_ctx *ctx, const tg_staged *staged, tg_offsets *lists);
/* Values of a column, end to end, in host order; bools as bytes. Null ones are zeros, as many as its lists have items.
 * TAGMA_E_CORRUPT where the column's lists are not those that its collection has. */
tagma_status tg_gather_values(tagma_ctx *ctx, const tg_staged *staged, const tg_offsets *lists,
                              uint32_t column, tg_buf *values, uint64_t *n);
/* A byte an event: is the column's value there? *any false: none is null, and `bytes` is not filled. */
tagma_status tg_gather_validity(tagma_ctx *ctx, const tg_staged *staged, uint32_t column, tg_buf *bytes,
                                bool *any);
/* Does the column tell how many items `lists` have in each event? `values` as gathered. */
bool tg_gather_is_count(const tg_staged *staged, const tg_offsets *lists, uint32_t column,
                        const uint8_t *values);

#endif
