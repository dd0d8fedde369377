/* SPDX-License-Identifier: Apache-2.0
 * The entries of all inputs, in order, in batches that suit a writer. */
#ifndef TG_INGEST_FEED_H
#define TG_INGEST_FEED_H

#include "ingest/convertin.h"

typedef struct tg_feed tg_feed;

tagma_status tg_feed_new(tagma_ctx *ctx, const tg_inputs *inputs, tg_feed **out);
void tg_feed_free(tagma_ctx *ctx, tg_feed *feed);
/* The next entries, as a batch of inputs->schema.
 * @param origin  entry of the first, counted over all inputs.
 * @return TAGMA_OK; TAGMA_END; TAGMA_E_CORRUPT with the words of the first damaged basket; TAGMA_E_CHANGED. */
tagma_status tg_feed_next(tagma_ctx *ctx, tg_feed *feed, tagma_batch **out, uint64_t *origin);

#endif
