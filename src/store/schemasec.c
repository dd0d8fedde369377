/* SPDX-License-Identifier: Apache-2.0
 * The schema section, written and loaded. */
#include "store/schemasec.h"

#include <stdlib.h>
#include <string.h>

#include "base/in.h"
#include "event/schema.h"
#include "store/format.h"

/* What a section has, as its head says. */
typedef struct section_shape {
    uint32_t n_columns, n_collections, n_dims, n_texts, tree, title;
    uint64_t columns, collections, by_name, dims, texts, end; /* where they begin */
} section_shape;

static void lay_out(section_shape *shape)
{
    shape->columns = TG_SCHEMASEC_HEAD;
    shape->collections = shape->columns + (uint64_t)shape->n_columns * TG_COLUMN_BYTES;
    shape->by_name = shape->collections + (uint64_t)shape->n_collections * TG_COLLECTION_BYTES;
    shape->dims = shape->by_name + 4 * (uint64_t)shape->n_columns;
    shape->texts = shape->dims + 4 * (uint64_t)shape->n_dims;
    shape->end = shape->texts + shape->n_texts;
}

/* While a section is written. */
typedef struct making {
    tagma_ctx *ctx;
    tg_buf *out;
    section_shape shape;
    uint32_t dims_at; /* of those written */
    const char *last_title;
    uint32_t last_title_at;
    tagma_status status;
} making;

static uint32_t put_text(making *make, const char *text)
{
    uint64_t at = make->out->n - make->shape.texts;

    if (make->status == TAGMA_OK)
        make->status = tg_buf_put(make->ctx, make->out, text, strlen(text) + 1);
    if (make->status == TAGMA_OK && make->out->n > INT32_MAX)
        make->status = tg_fail(make->ctx, TAGMA_E_LIMIT, "over %d bytes of names and titles", INT32_MAX);
    return (uint32_t)at;
}

/* Neighbours often share their title, as triggers do. */
static uint32_t put_title(making *make, const char *title)
{
    if (!make->last_title || strcmp(make->last_title, title) != 0)
        make->last_title_at = put_text(make, title);
    make->last_title = title;
    return make->last_title_at;
}

static tagma_status put_column(making *make, const tagma_column *column, uint64_t at)
{
    uint32_t name = put_text(make, column->name);
    uint32_t path = strcmp(column->path, column->name) == 0 ? name : put_text(make, column->path);
    uint32_t title = put_title(make, column->title);
    uint8_t *to;

    TG_TRY(make->status);
    if (column->reason)
        return tg_fail(make->ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s", column->name,
                       column->reason);
    if (column->n_dims > UINT8_MAX || column->n_items == 0)
        return tg_fail(make->ctx, TAGMA_E_UNSUPPORTED, "branch %s: %u dimensions, %u items cannot be stored",
                       column->name, column->n_dims, column->n_items);
    to = make->out->bytes + at;
    tg_put_le32(to, name);
    tg_put_le32(to + 4, path);
    tg_put_le32(to + 8, title);
    tg_put_le32(to + 12, make->dims_at);
    tg_put_le32(to + 16, column->n_items);
    tg_put_le32(to + 20, column->n_lists == 0 ? TAGMA_NONE : column->collection);
    to[24] = (uint8_t)column->type;
    to[25] = (uint8_t)column->n_lists;
    to[26] = (uint8_t)column->n_dims;
    for (uint32_t d = 0; d < column->n_dims; d++)
        tg_put_le32(make->out->bytes + make->shape.dims + 4 * (uint64_t)make->dims_at++, column->dims[d]);
    return TAGMA_OK;
}

/* A column's number with its name, for sorting. */
typedef struct named {
    const char *name;
    uint32_t column;
} named;

static int compare_names(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order != 0 ? order : (x->column > y->column) - (x->column < y->column);
}

static tagma_status put_order(making *make, const tagma_schema *schema)
{
    named *names = tg_alloc(make->ctx, make->shape.n_columns, sizeof *names);

    if (!names)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < make->shape.n_columns; c++)
        names[c] = (named){tagma_schema_column(schema, c)->name, c};
    qsort(names, make->shape.n_columns, sizeof *names, compare_names);
    for (uint32_t c = 0; c < make->shape.n_columns; c++)
        tg_put_le32(make->out->bytes + make->shape.by_name + 4 * (uint64_t)c, names[c].column);
    tg_free(make->ctx, names);
    return TAGMA_OK;
}

tagma_status tg_schemasec_write(tagma_ctx *ctx, const tagma_schema *schema, const char *tree,
                                const char *title, tg_buf *out)
{
    making make = {.ctx = ctx, .out = out};
    section_shape *shape = &make.shape;

    shape->n_columns = tagma_schema_n_columns(schema);
    shape->n_collections = tagma_schema_n_collections(schema);
    for (uint32_t c = 0; c < shape->n_columns; c++)
        shape->n_dims += tagma_schema_column(schema, c)->n_dims;
    lay_out(shape);
    out->n = 0;
    TG_TRY(tg_buf_reserve(ctx, out, shape->texts));
    memset(out->bytes, 0, shape->texts);
    out->n = shape->texts;
    shape->tree = put_text(&make, tree);
    shape->title = put_text(&make, title);
    for (uint32_t c = 0; c < shape->n_columns; c++)
        TG_TRY(put_column(&make, tagma_schema_column(schema, c),
                          shape->columns + (uint64_t)c * TG_COLUMN_BYTES));
    for (uint32_t i = 0; i < shape->n_collections; i++) {
        const tagma_collection *collection = tagma_schema_collection(schema, i);
        uint64_t at = shape->collections + (uint64_t)i * TG_COLLECTION_BYTES;
        uint32_t name = put_text(&make, collection->name);

        TG_TRY(make.status);
        tg_put_le32(out->bytes + at, name);
        tg_put_le32(out->bytes + at + 4, collection->parent);
        tg_put_le32(out->bytes + at + 8, collection->count_column);
    }
    TG_TRY(make.status);
    tg_put_le32(out->bytes, shape->n_columns);
    tg_put_le32(out->bytes + 4, shape->n_collections);
    tg_put_le32(out->bytes + 8, shape->n_dims);
    tg_put_le32(out->bytes + 12, (uint32_t)(out->n - shape->texts));
    tg_put_le32(out->bytes + 16, shape->tree);
    tg_put_le32(out->bytes + 20, shape->title);
    return put_order(&make, schema);
}

static section_shape read_shape(const uint8_t *head)
{
    tg_in in = tg_in_of(head, TG_SCHEMASEC_HEAD);
    section_shape shape = {0};

    shape.n_columns = tg_in_le32(&in);
    shape.n_collections = tg_in_le32(&in);
    shape.n_dims = tg_in_le32(&in);
    shape.n_texts = tg_in_le32(&in);
    shape.tree = tg_in_le32(&in);
    shape.title = tg_in_le32(&in);
    lay_out(&shape);
    return shape;
}

static uint64_t aligned(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

uint64_t tg_schemasec_room(uint64_t n, uint64_t n_columns, uint64_t n_collections)
{
    return aligned(n) - n + n_columns * sizeof(tagma_column) + n_collections * sizeof(tagma_collection);
}

/* While a section is loaded. */
typedef struct loading {
    tagma_ctx *ctx;
    const char *file;
    uint64_t offset;
    section_shape shape;
    uint8_t *bytes;
    tagma_column *columns;
    tagma_collection *collections;
} loading;

static tagma_status wrong(const loading *at, const char *what, uint64_t i, uint64_t found)
{
    return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                   "%s: schema section, byte %" PRIu64 ": %s %" PRIu64 " has %" PRIu64, at->file, at->offset,
                   what, i, found);
}

static const char *text_at(const loading *at, uint32_t offset)
{
    return (const char *)at->bytes + at->shape.texts + offset;
}

static tagma_status load_collections(const loading *at)
{
    const uint8_t *from = at->bytes + at->shape.collections;

    for (uint32_t i = 0; i < at->shape.n_collections; i++, from += TG_COLLECTION_BYTES) {
        tagma_collection *collection = &at->collections[i];
        uint32_t name = tg_le32(from);

        collection->parent = tg_le32(from + 4);
        collection->count_column = tg_le32(from + 8);
        if (name >= at->shape.n_texts)
            return wrong(at, "collection", i, name);
        if (collection->parent != TAGMA_NONE && collection->parent >= at->shape.n_collections)
            return wrong(at, "collection", i, collection->parent);
        if (collection->count_column != TAGMA_NONE && collection->count_column >= at->shape.n_columns)
            return wrong(at, "collection", i, collection->count_column);
        collection->name = text_at(at, name);
    }
    return TAGMA_OK;
}

/* As deep in collections as its number of list levels says. */
static bool is_nested(const loading *at, const tagma_column *column)
{
    uint32_t collection = column->collection;

    for (uint32_t level = column->n_lists; level > 0; level--) {
        if (collection >= at->shape.n_collections)
            return false;
        collection = at->collections[collection].parent;
    }
    return collection == TAGMA_NONE;
}

static tagma_status load_column(const loading *at, uint32_t c)
{
    const uint8_t *from = at->bytes + at->shape.columns + (uint64_t)c * TG_COLUMN_BYTES;
    uint32_t name = tg_le32(from), path = tg_le32(from + 4), title = tg_le32(from + 8),
             dim = tg_le32(from + 12);
    uint64_t n_items = 1;
    tagma_column *column = &at->columns[c];

    column->n_items = tg_le32(from + 16);
    column->collection = tg_le32(from + 20);
    column->type = (tagma_type)from[24];
    column->n_lists = from[25];
    column->n_dims = from[26];
    column->reason = NULL;
    if (name >= at->shape.n_texts || path >= at->shape.n_texts || title >= at->shape.n_texts)
        return wrong(at, "the text of column", c, name > path ? name > title ? name : title : path);
    column->name = text_at(at, name);
    column->path = text_at(at, path);
    column->title = text_at(at, title);
    if (column->type > TAGMA_STRING || column->n_lists > TAGMA_MAX_LISTS || !is_nested(at, column))
        return wrong(at, "the type or lists of column", c, from[24]);
    if (!tg_inside(dim, column->n_dims, at->shape.n_dims))
        return wrong(at, "the dimensions of column", c, dim);
    column->dims = (const uint32_t *)(const void *)(at->bytes + at->shape.dims) + dim;
    for (uint32_t d = 0; d < column->n_dims; d++)
        if (!tg_mul(n_items, column->dims[d], &n_items))
            n_items = 0;
    if (column->n_items == 0 || n_items != column->n_items)
        return wrong(at, "the number of items of column", c, column->n_items);
    return TAGMA_OK;
}

/* The numbers that are used where they lie, as this machine has them. */
static tagma_status load_numbers(const loading *at)
{
    uint32_t *by_name = (uint32_t *)(void *)(at->bytes + at->shape.by_name);
    uint32_t *dims = (uint32_t *)(void *)(at->bytes + at->shape.dims);

    for (uint32_t c = 0; c < at->shape.n_columns; c++) {
        by_name[c] = tg_le32((const uint8_t *)&by_name[c]);
        if (by_name[c] >= at->shape.n_columns)
            return wrong(at, "the order of names at", c, by_name[c]);
    }
    for (uint32_t d = 0; d < at->shape.n_dims; d++)
        dims[d] = tg_le32((const uint8_t *)&dims[d]);
    return TAGMA_OK;
}

tagma_status tg_schemasec_load(tagma_ctx *ctx, uint8_t *block, const tg_section *section,
                               const tg_header *header, const char *file, tg_schemasec *out)
{
    loading at = {.ctx = ctx, .file = file, .offset = section->offset, .bytes = block};
    tg_schema_parts parts = {.block = block};
    uint64_t n = section->bytes;

    memset(out, 0, sizeof *out);
    at.shape = read_shape(block);
    if (at.shape.end != n || at.shape.n_texts == 0 || block[n - 1] != 0)
        return wrong(&at, "its length", at.shape.end, n);
    if (at.shape.tree >= at.shape.n_texts || at.shape.title >= at.shape.n_texts)
        return wrong(&at, "its tree or title", at.shape.tree, at.shape.n_texts);
    if (at.shape.n_columns != header->n_columns || at.shape.n_collections != header->n_collections)
        return wrong(&at, "the number of columns", header->n_columns, at.shape.n_columns);
    at.columns = (tagma_column *)(void *)(block + aligned(n));
    at.collections = (tagma_collection *)(void *)(at.columns + at.shape.n_columns);
    TG_TRY(load_numbers(&at));
    TG_TRY(load_collections(&at));
    for (uint32_t c = 0; c < at.shape.n_columns; c++)
        TG_TRY(load_column(&at, c));
    out->tree = text_at(&at, at.shape.tree);
    out->title = text_at(&at, at.shape.title);
    parts.columns = at.columns;
    parts.collections = at.collections;
    parts.by_name = (const uint32_t *)(const void *)(block + at.shape.by_name);
    parts.n_columns = at.shape.n_columns;
    parts.n_collections = at.shape.n_collections;
    return tg_schema_adopt(ctx, &parts, &out->schema);
}
