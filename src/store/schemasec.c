/* SPDX-License-Identifier: Apache-2.0
 * The schema section, written and loaded. */
#include "store/schemasec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/in.h"
#include "event/schema.h"
#include "store/format.h"
#include "store/words.h"

/* What a section has, as its head says. */
typedef struct section_shape {
    uint32_t n_columns, n_collections, n_dims;
    uint32_t text_bytes; /* of the columns' words, spelled out */
    uint32_t n_names, n_packed,
        title; /* plain names; packed words; where among the names the tree's title is */
    uint64_t columns, collections, by_name, dims, names, packed, end; /* where they begin */
} section_shape;

static void lay_out(section_shape *shape)
{
    shape->columns = TG_SCHEMASEC_HEAD;
    shape->collections = shape->columns + (uint64_t)shape->n_columns * TG_COLUMN_BYTES;
    shape->by_name = shape->collections + (uint64_t)shape->n_collections * TG_COLLECTION_BYTES;
    shape->dims = shape->by_name + 4 * (uint64_t)shape->n_columns;
    shape->names = shape->dims + 4 * (uint64_t)shape->n_dims;
    shape->packed = shape->names + shape->n_names;
    shape->end = shape->packed + shape->n_packed;
}

/* While a section is written. */
typedef struct making {
    tagma_ctx *ctx;
    const tagma_schema *schema;
    tg_buf *out;
    section_shape shape;
} making;

/* Names of tree and collections, which stand behind all that has a fixed place. */
static tagma_status put_name(making *make, const char *text, uint32_t *at)
{
    *at = (uint32_t)(make->out->n - make->shape.names);
    TG_TRY(tg_buf_put(make->ctx, make->out, text, strlen(text) + 1));
    if (make->out->n > INT32_MAX)
        return tg_fail(make->ctx, TAGMA_E_LIMIT, "over %d bytes of names and titles", INT32_MAX);
    return TAGMA_OK;
}

static tagma_status put_column(making *make, uint32_t c, uint32_t *n_dims)
{
    const tagma_column *column = tagma_schema_column(make->schema, c);
    uint8_t *to = make->out->bytes + make->shape.columns + (uint64_t)c * TG_COLUMN_BYTES;

    if (column->reason)
        return tg_fail(make->ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s", column->name,
                       column->reason);
    if (column->n_dims > UINT8_MAX || column->n_items == 0)
        return tg_fail(make->ctx, TAGMA_E_UNSUPPORTED, "branch %s: %u dimensions, %u items cannot be stored",
                       column->name, column->n_dims, column->n_items);
    tg_put_le32(to, column->n_items);
    tg_put_le32(to + 4, column->n_lists == 0 ? TAGMA_NONE : column->collection);
    to[8] = (uint8_t)column->type;
    to[9] = (uint8_t)column->n_lists;
    to[10] = (uint8_t)column->n_dims;
    for (uint32_t d = 0; d < column->n_dims; d++)
        tg_put_le32(make->out->bytes + make->shape.dims + 4 * (uint64_t)(*n_dims)++, column->dims[d]);
    return TAGMA_OK;
}

static tagma_status put_words(making *make)
{
    const tagma_column *before = NULL;
    uint64_t text_bytes = 0;

    make->shape.packed = make->out->n;
    for (uint32_t c = 0; c < make->shape.n_columns; c++) {
        const tagma_column *column = tagma_schema_column(make->schema, c);

        TG_TRY(tg_words_put(make->ctx, column, before, make->out, &text_bytes));
        before = column;
        if (make->out->n > INT32_MAX || text_bytes > INT32_MAX)
            return tg_fail(make->ctx, TAGMA_E_LIMIT, "over %d bytes of names and titles", INT32_MAX);
    }
    make->shape.n_packed = (uint32_t)(make->out->n - make->shape.packed);
    make->shape.text_bytes = (uint32_t)text_bytes;
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

static tagma_status put_order(making *make)
{
    named *names = tg_alloc(make->ctx, make->shape.n_columns, sizeof *names);

    if (!names)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < make->shape.n_columns; c++)
        names[c] = (named){tagma_schema_column(make->schema, c)->name, c};
    qsort(names, make->shape.n_columns, sizeof *names, compare_names);
    for (uint32_t c = 0; c < make->shape.n_columns; c++)
        tg_put_le32(make->out->bytes + make->shape.by_name + 4 * (uint64_t)c, names[c].column);
    tg_free(make->ctx, names);
    return TAGMA_OK;
}

static void put_head(const making *make)
{
    const section_shape *shape = &make->shape;
    const uint32_t numbers[] = {shape->n_columns, shape->n_collections, shape->n_dims, shape->text_bytes,
                                shape->n_packed,  shape->n_names,       shape->title};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        tg_put_le32(make->out->bytes + 4 * i, numbers[i]);
}

tagma_status tg_schemasec_write(tagma_ctx *ctx, const tagma_schema *schema, const char *tree,
                                const char *title, tg_buf *out)
{
    making make = {.ctx = ctx, .schema = schema, .out = out};
    section_shape *shape = &make.shape;
    uint32_t n_dims = 0, at = 0;

    shape->n_columns = tagma_schema_n_columns(schema);
    shape->n_collections = tagma_schema_n_collections(schema);
    for (uint32_t c = 0; c < shape->n_columns; c++)
        shape->n_dims += tagma_schema_column(schema, c)->n_dims;
    lay_out(shape);
    out->n = 0;
    TG_TRY(tg_buf_reserve(ctx, out, shape->names));
    memset(out->bytes, 0, shape->names);
    out->n = shape->names;
    TG_TRY(put_name(&make, tree, &at));
    TG_TRY(put_name(&make, title, &shape->title));
    for (uint32_t c = 0; c < shape->n_columns; c++)
        TG_TRY(put_column(&make, c, &n_dims));
    for (uint32_t i = 0; i < shape->n_collections; i++) {
        const tagma_collection *collection = tagma_schema_collection(schema, i);
        uint64_t to = shape->collections + (uint64_t)i * TG_COLLECTION_BYTES;

        TG_TRY(put_name(&make, collection->name, &at));
        tg_put_le32(out->bytes + to, at);
        tg_put_le32(out->bytes + to + 4, collection->parent);
        tg_put_le32(out->bytes + to + 8, collection->count_column);
    }
    shape->n_names = (uint32_t)(out->n - shape->names);
    TG_TRY(put_words(&make));
    put_head(&make);
    return put_order(&make);
}

static section_shape read_shape(const uint8_t *head)
{
    tg_in in = tg_in_of(head, TG_SCHEMASEC_HEAD);
    section_shape shape = {0};

    shape.n_columns = tg_in_le32(&in);
    shape.n_collections = tg_in_le32(&in);
    shape.n_dims = tg_in_le32(&in);
    shape.text_bytes = tg_in_le32(&in);
    shape.n_packed = tg_in_le32(&in);
    shape.n_names = tg_in_le32(&in);
    shape.title = tg_in_le32(&in);
    lay_out(&shape);
    return shape;
}

/* What spelling words out needs; stands in front of the columns, in the schema's room. */
typedef struct spelling {
    const tg_shape *shapes;
    const uint32_t *dims;
    const uint8_t *packed;
    tagma_column *columns;
    char *texts;
    uint32_t n_columns, n_packed, text_bytes;
} spelling;

static bool fill_columns(void *user)
{
    const spelling *it = user;
    const uint32_t *dims = it->dims;

    for (uint32_t c = 0; c < it->n_columns; c++) {
        const tg_shape *shape = &it->shapes[c];

        it->columns[c] = (tagma_column){.dims = dims,
                                        .n_dims = shape->n_dims,
                                        .n_items = shape->n_items,
                                        .type = (tagma_type)shape->type,
                                        .n_lists = shape->n_lists,
                                        .collection = shape->collection};
        dims += shape->n_dims;
    }
    return tg_words_spell(it->packed, it->n_packed, it->texts, it->text_bytes, it->columns, it->n_columns);
}

/* While a section is loaded. */
typedef struct loading {
    tagma_ctx *ctx;
    const char *file;
    uint64_t offset;
    section_shape shape;
    const uint8_t *bytes;
    tagma_collection *collections;
} loading;

static tagma_status wrong(const loading *at, const char *what, uint64_t i, uint64_t found)
{
    return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                   "%s: schema section, byte %" PRIu64 ": %s %" PRIu64 " has %" PRIu64, at->file, at->offset,
                   what, i, found);
}

static tagma_status load_collections(const loading *at)
{
    const uint8_t *from = at->bytes + at->shape.collections;

    for (uint32_t i = 0; i < at->shape.n_collections; i++, from += TG_COLLECTION_BYTES) {
        tagma_collection *collection = &at->collections[i];
        uint32_t name = tg_le32(from);

        collection->parent = tg_le32(from + 4);
        collection->count_column = tg_le32(from + 8);
        if (name >= at->shape.n_names)
            return wrong(at, "collection", i, name);
        if (collection->parent != TAGMA_NONE && collection->parent >= at->shape.n_collections)
            return wrong(at, "collection", i, collection->parent);
        if (collection->count_column != TAGMA_NONE && collection->count_column >= at->shape.n_columns)
            return wrong(at, "collection", i, collection->count_column);
        collection->name = (const char *)at->bytes + at->shape.names + name;
    }
    return TAGMA_OK;
}

/* As deep in collections as its number of list levels says. */
static bool is_nested(const loading *at, const tg_shape *shape)
{
    uint32_t collection = shape->collection;

    for (uint32_t level = shape->n_lists; level > 0; level--) {
        if (collection >= at->shape.n_collections)
            return false;
        collection = at->collections[collection].parent;
    }
    return collection == TAGMA_NONE;
}

static tagma_status check_columns(const loading *at, const tg_shape *shapes, const uint32_t *dims)
{
    uint64_t n_dims = 0;

    for (uint32_t c = 0; c < at->shape.n_columns; c++) {
        const tg_shape *shape = &shapes[c];
        uint64_t n_items = 1;

        if (shape->type > TAGMA_STRING || shape->n_lists > TAGMA_MAX_LISTS || shape->has_reason != 0 ||
            !is_nested(at, shape))
            return wrong(at, "the type or lists of column", c, shape->type);
        if (shape->n_dims > at->shape.n_dims - n_dims)
            return wrong(at, "the dimensions of column", c, shape->n_dims);
        for (uint32_t d = 0; d < shape->n_dims; d++)
            if (!tg_mul(n_items, dims[n_dims++], &n_items))
                n_items = 0;
        if (shape->n_items == 0 || n_items != shape->n_items)
            return wrong(at, "the number of items of column", c, shape->n_items);
    }
    return n_dims == at->shape.n_dims ? TAGMA_OK : wrong(at, "dimensions: number", n_dims, at->shape.n_dims);
}

static tagma_status check_order(const loading *at, const uint32_t *by_name)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < at->shape.n_columns; c++)
        most = by_name[c] > most ? by_name[c] : most;
    return most < at->shape.n_columns || most == 0 ? TAGMA_OK
                                                   : wrong(at, "the order of names, column", most, most);
}

/* Numbers that are used where they lie, as this machine has them. */
static void fix_numbers(const section_shape *shape, uint8_t *bytes)
{
    for (uint64_t at = shape->columns; at < shape->collections; at += TG_COLUMN_BYTES) {
        uint32_t numbers[2] = {tg_le32(bytes + at), tg_le32(bytes + at + 4)};

        memcpy(bytes + at, numbers, sizeof numbers);
    }
    for (uint64_t at = shape->by_name; at < shape->names; at += 4) {
        uint32_t v = tg_le32(bytes + at);

        memcpy(bytes + at, &v, sizeof v);
    }
}

static tagma_status check_shape(const loading *at, const tg_header *header, uint64_t n)
{
    const section_shape *shape = &at->shape;

    if (shape->end != n || shape->n_names == 0 || at->bytes[shape->packed - 1] != 0)
        return wrong(at, "its length", shape->end, n);
    if (shape->title >= shape->n_names)
        return wrong(at, "the title, at", shape->title, shape->n_names);
    if (shape->n_columns != header->n_columns || shape->n_collections != header->n_collections)
        return wrong(at, "the number of columns", header->n_columns, shape->n_columns);
    /* No word is longer than two times what it may share and what it has itself. */
    if (shape->text_bytes > (uint64_t)shape->n_packed * 2 * UINT8_MAX)
        return wrong(at, "the length of words", shape->n_packed, shape->text_bytes);
    return TAGMA_OK;
}

/* Columns and texts are not touched before somebody wants them. */
static tagma_status make_room(loading *at, spelling **out)
{
    const section_shape *shape = &at->shape;
    spelling *it = tg_alloc(at->ctx, 1,
                            sizeof *it + shape->n_collections * sizeof *at->collections +
                                shape->n_columns * sizeof *it->columns + shape->text_bytes);

    *out = it;
    if (!it)
        return TAGMA_E_MEMORY;
    at->collections = (tagma_collection *)(void *)(it + 1);
    *it = (spelling){.shapes = (const tg_shape *)(const void *)(at->bytes + shape->columns),
                     .dims = (const uint32_t *)(const void *)(at->bytes + shape->dims),
                     .packed = at->bytes + shape->packed,
                     .columns = (tagma_column *)(void *)(at->collections + shape->n_collections),
                     .n_columns = shape->n_columns,
                     .n_packed = shape->n_packed,
                     .text_bytes = shape->text_bytes};
    it->texts = (char *)(it->columns + shape->n_columns);
    return TAGMA_OK;
}

static tagma_status adopt(loading *at, const spelling *it, uint8_t *own, tg_schemasec *out)
{
    const section_shape *shape = &at->shape;
    const uint32_t *by_name = (const uint32_t *)(const void *)(at->bytes + shape->by_name);
    tg_schema_parts parts = {.shapes = it->shapes,
                             .columns = it->columns,
                             .collections = at->collections,
                             .by_name = by_name,
                             .n_columns = shape->n_columns,
                             .n_collections = shape->n_collections,
                             .fill = fill_columns,
                             .user = (void *)it,
                             .room = (void *)it};

    parts.block = own;
    TG_TRY(load_collections(at));
    TG_TRY(check_columns(at, it->shapes, it->dims));
    TG_TRY(check_order(at, by_name));
    out->tree = (const char *)at->bytes + shape->names;
    out->title = out->tree + shape->title;
    return tg_schema_adopt(at->ctx, &parts, &out->schema);
}

tagma_status tg_schemasec_load(tagma_ctx *ctx, const uint8_t *bytes, uint8_t *own, const tg_section *section,
                               const tg_header *header, const char *file, tg_schemasec *out)
{
    loading at = {.ctx = ctx, .file = file, .offset = section->offset, .bytes = bytes};
    spelling *it = NULL;
    tagma_status st;

    _Static_assert(sizeof(tg_shape) == TG_COLUMN_BYTES && offsetof(tg_shape, collection) == 4 &&
                       offsetof(tg_shape, type) == 8 && offsetof(tg_shape, n_lists) == 9 &&
                       offsetof(tg_shape, n_dims) == 10 && offsetof(tg_shape, has_reason) == 11,
                   "a shape as it stands in the file");
    memset(out, 0, sizeof *out);
    at.shape = read_shape(bytes);
    TG_TRY(check_shape(&at, header, section->bytes));
    if (!tg_is_little_endian())
        fix_numbers(&at.shape, own);
    TG_TRY(make_room(&at, &it));
    st = adopt(&at, it, own, out);
    if (st < 0)
        tg_free(ctx, it);
    return st;
}
