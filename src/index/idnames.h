/* SPDX-License-Identifier: Apache-2.0
 * The id columns of a tree: found by name, or named by hand; and their values as axes of an index. */
#ifndef TG_INDEX_IDNAMES_H
#define TG_INDEX_IDNAMES_H

#include <tagma/events.h>

#include "base/ctx.h"

/* For tagma_events_ids(). @param tree  for messages. @param named  "A,B,C", or NULL to find them by name. */
tagma_status tg_ids_find(tagma_ctx *ctx, const tagma_schema *schema, const char *tree, const char *named,
                         tagma_ids *out);

/* The values of an id column as one axis: signed integers as the two's complement of 64 bits, floats that are whole numbers,
 * the one element of each list.
 * @param first_entry  of the batch, for messages. @param axis  [n_entries of the batch].
 * @return TAGMA_OK; TAGMA_E_UNSUPPORTED naming the entry whose value cannot be an id; TAGMA_E_CORRUPT where it is damaged. */
tagma_status tg_ids_values(tagma_ctx *ctx, const char *name, const tagma_batch *batch, uint32_t i,
                           uint64_t first_entry, uint64_t *axis);

#endif
