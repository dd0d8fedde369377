/* SPDX-License-Identifier: Apache-2.0
 * Lists and fields of a schema, in the order of a tile. */
#include "store/fields.h"

#include <string.h>

#include "base/num.h"
#include "event/schema.h"

enum { N_SCALAR_RUNS = 5 }; /* of 8, 4, 2 and 1 bytes; bools */

/* While they are made. */
typedef struct maker {
    const tagma_schema *schema;
    const tg_shape *all; /* of the schema */
    tg_lists *lists;
    uint32_t n_lists;
    uint32_t *columns, *fields, *column_lists, *column_count;
    uint32_t *collection_lists; /* [n_collections] lists made for it; TAGMA_NONE none yet */
} maker;

static uint32_t add_lists(maker *make, tg_lists lists)
{
    make->lists[make->n_lists] = lists;
    return make->n_lists++;
}

/* A column that counts the lists of an event: an integer an event. */
static bool can_count(const tagma_schema *schema, uint32_t c)
{
    const tg_shape *shape;

    if (c >= tagma_schema_n_columns(schema))
        return false;
    shape = &tg_schema_shapes(schema)[c];
    return shape->n_lists == 0 && shape->n_items == 1 && shape->type >= TAGMA_I8 && shape->type <= TAGMA_U64;
}

/* The lists of a collection, its parent's made before it. `column` is a member, `level` the collection's among its levels. */
static uint32_t lists_of(maker *make, uint32_t collection, uint32_t column, uint32_t level)
{
    const tagma_collection *it = tagma_schema_collection(make->schema, collection);
    tg_lists lists = {.parent = TAGMA_NONE, .per_parent = 1, .collection = collection, .column = TAGMA_NONE};

    if (make->collection_lists[collection] != TAGMA_NONE)
        return make->collection_lists[collection];
    lists.model = column;
    lists.level = level;
    lists.count_column = TAGMA_NONE;
    if (level > 0)
        lists.parent = lists_of(make, it->parent, column, level - 1);
    else if (can_count(make->schema, it->count_column))
        lists.count_column = it->count_column;
    make->collection_lists[collection] = add_lists(make, lists);
    if (lists.count_column != TAGMA_NONE && make->column_count[lists.count_column] == TAGMA_NONE)
        make->column_count[lists.count_column] = make->collection_lists[collection];
    return make->collection_lists[collection];
}

static void make_lists(maker *make, uint32_t c)
{
    const tg_shape *column = &make->all[c];
    uint32_t lists = TAGMA_NONE;

    if (column->n_lists > 0)
        lists = lists_of(make, column->collection, c, column->n_lists - 1);
    if (column->type == TAGMA_STRING)
        lists = add_lists(make, (tg_lists){.parent = lists,
                                           .per_parent = column->n_items,
                                           .collection = TAGMA_NONE,
                                           .column = c,
                                           .model = c,
                                           .level = column->n_lists,
                                           .count_column = TAGMA_NONE});
    make->column_lists[c] = lists;
}

/* Which run of fields a column's stands in: scalars by width, bools, then the items of each lists. */
static uint32_t run_of(const maker *make, uint32_t c)
{
    enum { BOOLS = 4 };
    const tg_shape *column = &make->all[c];

    if (make->column_lists[c] != TAGMA_NONE)
        return N_SCALAR_RUNS + make->column_lists[c];
    return column->type == TAGMA_BOOL ? BOOLS : 3 - tg_type_width(column->type);
}

/* Runs one behind the other, and in each the columns in the order of the schema. `ends` is [runs]. */
static void place_fields(maker *make, uint32_t *ends)
{
    uint32_t n = tagma_schema_n_columns(make->schema), n_runs = N_SCALAR_RUNS + make->n_lists, at = 0;

    memset(ends, 0, n_runs * sizeof *ends);
    for (uint32_t c = 0; c < n; c++) {
        make->fields[c] = run_of(make, c); /* for now */
        ends[make->fields[c]]++;
    }
    for (uint32_t r = 0; r < n_runs; r++) {
        uint32_t count = ends[r];

        ends[r] = at;
        if (r >= N_SCALAR_RUNS) {
            make->lists[r - N_SCALAR_RUNS].first_field = at;
            make->lists[r - N_SCALAR_RUNS].n_fields = count;
        }
        at += count;
    }
    for (uint32_t c = 0; c < n; c++) {
        make->fields[c] = ends[make->fields[c]]++;
        make->columns[make->fields[c]] = c;
    }
}

tagma_status tg_fields_new(tagma_ctx *ctx, const tagma_schema *schema, tg_fields *out)
{
    uint64_t n = tagma_schema_n_columns(schema), n_collections = tagma_schema_n_collections(schema);
    uint64_t n_lists = n_collections;
    maker make = {.schema = schema, .all = tg_schema_shapes(schema)};
    uint32_t *words;

    memset(out, 0, sizeof *out);
    /* A collection has one lists, a string column another. */
    for (uint64_t c = 0; c < n; c++)
        n_lists += make.all[c].type == TAGMA_STRING;
    out->block = tg_alloc(ctx, 1,
                          n_lists * (sizeof *make.lists + sizeof *words) +
                              (4 * n + n_collections + N_SCALAR_RUNS) * sizeof *words);
    if (!out->block)
        return TAGMA_E_MEMORY;
    make.lists = out->block;
    words = (uint32_t *)(void *)(make.lists + n_lists);
    make.columns = words;
    make.fields = words + n;
    make.column_lists = words + 2 * n;
    make.column_count = words + 3 * n;
    make.collection_lists = words + 4 * n;
    memset(make.column_count, 0xff, (n + n_collections) * sizeof *words); /* TAGMA_NONE, of both */
    for (uint32_t c = 0; c < n; c++)
        make_lists(&make, c);
    place_fields(&make, words + 4 * n + n_collections);
    out->n_scalars = 0;
    while (out->n_scalars < n && make.column_lists[make.columns[out->n_scalars]] == TAGMA_NONE)
        out->n_scalars++;
    out->schema = schema;
    out->shapes = make.all;
    out->n_columns = (uint32_t)n;
    out->n_lists = make.n_lists;
    out->lists = make.lists;
    out->columns = make.columns;
    out->fields = make.fields;
    out->column_lists = make.column_lists;
    out->column_count = make.column_count;
    return TAGMA_OK;
}

void tg_fields_free(tagma_ctx *ctx, tg_fields *fields)
{
    tg_free(ctx, fields->block);
    memset(fields, 0, sizeof *fields);
}
