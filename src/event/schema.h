/* SPDX-License-Identifier: Apache-2.0
 * Inside of a schema: how a kind of events builds one. */
#ifndef TG_EVENT_SCHEMA_H
#define TG_EVENT_SCHEMA_H

#include <tagma/schema.h>

#include "base/ctx.h"

/* Built column by column, then sealed: names made unique, the look-up table made. Strings and dims are copied. */
tagma_status tg_schema_new(tagma_ctx *ctx, tagma_schema **out);
/* `reason` NULL for a column that can be read; else type and shape are what could be told. *number is the column's. */
tagma_status tg_schema_add_column(tagma_ctx *ctx, tagma_schema *schema, const tagma_column *column,
                                  uint32_t *number);
tagma_status tg_schema_add_collection(tagma_ctx *ctx, tagma_schema *schema,
                                      const tagma_collection *collection, uint32_t *number);
/* Set after the fact, before sealing: a counter may stand behind what it counts. */
void tg_schema_set_count_column(tagma_schema *schema, uint32_t collection, uint32_t column);
/* Columns that share a name take their path as name; what still collides gets ";2", ";3" in order. */
tagma_status tg_schema_seal(tagma_ctx *ctx, tagma_schema *schema);
void tg_schema_free(tagma_schema *schema);

/* Up to three names near to a mistyped one, for messages: " (near: Muon_pt, Muon_eta)" or "". `name_of(user, i)` gives
 * candidate i of n. */
void tg_near_names(const char *wanted, const char *(*name_of)(const void *user, uint64_t i), const void *user,
                   uint64_t n, char *dst, size_t dst_bytes);

#endif
