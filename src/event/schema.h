/* SPDX-License-Identifier: Apache-2.0
 * Inside of a schema: how a kind of events builds one. */
#ifndef TG_EVENT_SCHEMA_H
#define TG_EVENT_SCHEMA_H

#include <stdbool.h>
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
/* Some columns of a schema, [n] ascending, as a schema of their own, with the collections that they need. A collection whose count
 * column is left out has none. Names stay as they are. */
tagma_status tg_schema_subset(tagma_ctx *ctx, const tagma_schema *schema, const uint32_t *columns, uint32_t n,
                              tagma_schema **out);
/* What a column is, but for its words: all that reading needs. As it stands in the schema section of a store. */
typedef struct tg_shape {
    uint32_t n_items;
    uint32_t collection; /* innermost; TAGMA_NONE without lists */
    uint8_t type, n_lists, n_dims;
    uint8_t has_reason; /* it cannot be read */
} tg_shape;
/* log2 of the bytes of a value. */
static inline uint32_t tg_type_width(uint32_t type)
{
    static const uint8_t widths[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 2, 3, 0};

    return widths[type];
}

/* Of all columns, [n_columns]; the schema is sealed. Costs nothing where tagma_schema_column() may have to spell words out. */
const tg_shape *tg_schema_shapes(const tagma_schema *schema);

/* Over arrays that are there already, unique names in them. by_name [n_columns] is their order by bytes of the name. Columns are
 * filled in by fill(user) when somebody first asks for one: it cannot fail, but says whether all words could be told. The schema takes over both blocks, in which all this lies; either may be NULL. */
typedef struct tg_schema_parts {
    const tg_shape *shapes;
    tagma_column *columns;
    tagma_collection *collections;
    const uint32_t *by_name;
    uint32_t n_columns, n_collections;
    bool (*fill)(void *user);
    void *user;
    void *block, *room;
} tg_schema_parts;
tagma_status tg_schema_adopt(tagma_ctx *ctx, const tg_schema_parts *parts, tagma_schema **out);
/* Could the words of an adopted schema be told, all of them? */
bool tg_schema_is_sound(const tagma_schema *schema);
void tg_schema_free(tagma_schema *schema);

/* Mark the columns that names and globs pick; is_marked [n_columns]. As tagma_schema_select(), but what cannot be read is marked as
 * any other where takes_unsupported. */
tagma_status tg_schema_mark(tagma_ctx *ctx, const tagma_schema *schema, const char *globs,
                            bool takes_unsupported, bool *is_marked);

/* Up to three names near to a mistyped one, for messages: " (near: Muon_pt, Muon_eta)" or "". `name_of(user, i)` gives
 * candidate i of n. */
void tg_near_names(const char *wanted, const char *(*name_of)(const void *user, uint64_t i), const void *user,
                   uint64_t n, char *dst, size_t dst_bytes);

#endif
