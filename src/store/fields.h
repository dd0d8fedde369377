/* SPDX-License-Identifier: Apache-2.0
 * Lists and fields of a schema in the order of a tile. Derived from the schema alone, the same for every cluster.
 * Source: docs/FORMAT.md, "Schema section" and "Tiles". */
#ifndef TG_STORE_FIELDS_H
#define TG_STORE_FIELDS_H

#include "event/schema.h"

/* Lists whose ends are stored: a collection of the schema, or the bytes of a string column. Parents stand before children. */
typedef struct tg_lists {
    uint32_t parent;                /* lists whose items hold these; TAGMA_NONE for the event itself */
    uint32_t per_parent;            /* lists an item of the parent has: n_items of a string column, else 1 */
    uint32_t collection;            /* of the schema; TAGMA_NONE for the bytes of strings */
    uint32_t column;                /* the string column; TAGMA_NONE else */
    uint32_t model;                 /* a column that has these lists among its levels */
    uint32_t level;                 /* of the model: which of its offsets tell them */
    uint32_t count_column;          /* a scalar that counts them; TAGMA_NONE where none */
    uint32_t first_field, n_fields; /* whose values are its items */
} tg_lists;

/* A field is the run of words that the values of a column take in a tile. Every column has one: scalars and fixed arrays
 * first, widest first, bools last; then those of each lists in turn, in the order of the schema. */
typedef struct tg_fields {
    const tagma_schema *schema;
    const tg_shape *shapes; /* [n_columns] of the schema */
    uint32_t n_columns, n_lists;
    uint32_t n_scalars;           /* fields without lists */
    const tg_lists *lists;        /* [n_lists] */
    const uint32_t *columns;      /* [n_columns] column of each field */
    const uint32_t *fields;       /* [n_columns] field of each column */
    const uint32_t *column_lists; /* [n_columns] innermost lists of a column; TAGMA_NONE for scalars */
    const uint32_t *column_count; /* [n_columns] lists that a column counts; TAGMA_NONE else */
    void *block;                  /* that holds these arrays, if they are its own */
} tg_fields;

/* Every column is supported. */
tagma_status tg_fields_new(tagma_ctx *ctx, const tagma_schema *schema, tg_fields *out);
void tg_fields_free(tagma_ctx *ctx, tg_fields *fields);

/* Type of the words of a column, and how many an event or item has. */
static inline tagma_type tg_word_type(const tagma_column *column)
{
    return column->type == TAGMA_STRING ? TAGMA_U8 : column->type;
}

static inline uint32_t tg_word_count(const tagma_column *column)
{
    return column->type == TAGMA_STRING ? 1 : column->n_items;
}

static inline uint32_t tg_shape_words(const tg_shape *shape)
{
    return shape->type == TAGMA_STRING ? 1 : shape->n_items;
}

#endif
