/* SPDX-License-Identifier: Apache-2.0
 * Events in the order of their ids: they wait in a store without a name, where any event costs the same. */
#ifndef TG_INGEST_SORTING_H
#define TG_INGEST_SORTING_H

#include "ingest/convertin.h"

typedef struct tg_sorting tg_sorting;

/* @param folder  where what is sorted waits. */
tagma_status tg_sorting_new(tagma_ctx *ctx, const tg_inputs *inputs, const char *folder, tg_sorting **out);
void tg_sorting_free(tagma_ctx *ctx, tg_sorting *sorting);
/* Events in the order of the inputs. The batch is taken over, also after a failure. */
tagma_status tg_sorting_put(tagma_ctx *ctx, tg_sorting *sorting, tagma_batch *batch, uint64_t origin);
/* All are there: by this index of theirs they are given back. It is taken over, also after a failure. */
tagma_status tg_sorting_turn(tagma_ctx *ctx, tg_sorting *sorting, tagma_index *index);
/* The next events in the order of ids, those of equal ids as they came.
 * @param origins  out: [entries of the batch] which entries of all inputs they are; borrowed until the next call.
 * @return TAGMA_OK; TAGMA_END. */
tagma_status tg_sorting_next(tagma_ctx *ctx, tg_sorting *sorting, tagma_batch **out,
                             const uint64_t **origins);

#endif
