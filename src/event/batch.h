/* SPDX-License-Identifier: Apache-2.0
 * Inside of buffers and batches: how a reader fills them, and what every kind of events does with them. */
#ifndef TG_EVENT_BATCH_H
#define TG_EVENT_BATCH_H

#include <tagma/batch.h>

#include "base/ctx.h"

/* n bytes, 64-byte aligned, not zeroed; lives as long as it is acquired, beyond its context. */
tagma_status tg_buffer_new(tagma_ctx *ctx, uint64_t n, tagma_buffer **out);
/* A buffer of the first n bytes of a block of tg_alloc, which it takes over, also after a failure. */
tagma_status tg_buffer_adopt(tagma_ctx *ctx, void *block, uint64_t n, tagma_buffer **out);
/* The bytes, for whoever fills a buffer before it is handed out. */
void *tg_buffer_fill(tagma_buffer *buffer);
/* Shorten what tagma_buffer_size() tells. */
void tg_buffer_trim(tagma_buffer *buffer, uint64_t n);

/* A batch of n_columns columns, each zeroed but for column, type, n_items and n_levels, which come from the schema. */
tagma_status tg_batch_new(tagma_ctx *ctx, const tagma_schema *schema, uint64_t n_entries,
                          const uint32_t *columns, uint32_t n_columns, tagma_batch **out);
/* The same with columns that are zeroed wholly. */
tagma_status tg_batch_new_empty(tagma_ctx *ctx, uint64_t n_entries, uint32_t n_columns, tagma_batch **out);
/* Column i, to be filled. The batch takes over the references put in it. */
tagma_batch_column *tg_batch_column(tagma_batch *batch, uint32_t i);

/* Entries positions[0..n) of a batch (each < its n_entries, any order, repeats allowed) as a batch of its own. Offsets that
 * columns share are computed once. TAGMA_E_LIMIT where a column would pass INT32_MAX items. */
tagma_status tg_batch_take(tagma_ctx *ctx, const tagma_batch *batch, const uint64_t *positions, uint64_t n,
                           tagma_batch **out);

/* Entry i of a batch whose columns are the plan's, as a record. *needed is set always. */
tagma_status tg_record_from_batch(tagma_ctx *ctx, const tagma_record_plan *plan, const tagma_batch *batch,
                                  uint64_t i, void *record, size_t record_bytes, size_t *needed);
/* The columns of a plan, as asked, into [n_columns]. */
void tg_record_plan_columns(const tagma_record_plan *plan, uint32_t *columns);

#endif
