/* SPDX-License-Identifier: Apache-2.0
 * The entries of one input in windows, which the pool's workers read ahead while the caller does something else. */
#ifndef TG_INGEST_AHEAD_H
#define TG_INGEST_AHEAD_H

#include "ingest/convertin.h"

typedef struct tg_ahead tg_ahead;

/* @param columns  [n_columns] borrowed, as are the events.
 * @param most     entries that a window may have; it ends where a cluster does.
 * @return TAGMA_OK; TAGMA_ABSENT where there is nothing to be gained: a single thread, few windows, clusters longer than one. */
tagma_status tg_ahead_new(tagma_ctx *ctx, tagma_pool *pool, tagma_events *events, const uint32_t *columns,
                          uint32_t n_columns, uint64_t most, tg_ahead **out);
/* Waits for what is being read. */
void tg_ahead_free(tagma_ctx *ctx, tg_ahead *ahead);
/* The next window, which the caller reads itself if nobody has begun to.
 * @param first  its first entry, also after a failure.
 * @param damage  the words of the first damage in it; "" where all is sound. Borrowed until the next call.
 * @return TAGMA_OK; TAGMA_END; what reading it gave. */
tagma_status tg_ahead_next(tagma_ctx *ctx, tg_ahead *ahead, tagma_batch **out, uint64_t *first,
                           const char **damage);

#endif
