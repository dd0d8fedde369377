/* SPDX-License-Identifier: Apache-2.0
 * A schema: built column by column, sealed, then looked up by name. */
#include "event/schema.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/num.h"

struct tagma_schema {
    tg_account *account;
    tg_arena arena;
    tagma_column *columns;
    uint64_t n_columns, columns_capacity;
    tagma_collection *collections;
    uint64_t n_collections, collections_capacity;
    uint32_t *slots;  /* open addressing: column + 1, 0 empty; names and paths both */
    uint64_t n_slots; /* a power of two; 0 until sealed */
    tg_shape *own_shapes;
    const tg_shape *shapes; /* NULL until sealed */
    /* Of an adopted schema, instead of arena and slots: the blocks that hold all, the order of names, and who spells words. */
    void *block, *room;
    const uint32_t *by_name;
    bool (*fill)(void *user);
    void *user;
    atomic_uint filling; /* filling_state */
    bool is_sound;
};

typedef enum filling_state { NOT_FILLED, BEING_FILLED, FILLED } filling_state;

/* The first who asks for words has them spelled out; another who asks meanwhile waits those few microseconds. */
static void wait_or_fill(tagma_schema *schema)
{
    unsigned state = NOT_FILLED;

    if (atomic_compare_exchange_strong(&schema->filling, &state, BEING_FILLED)) {
        schema->is_sound = schema->fill(schema->user);
        atomic_store_explicit(&schema->filling, FILLED, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&schema->filling, memory_order_acquire) != FILLED)
        (void)sched_yield();
}

/* What is lazy is not seen from outside. */
static inline void need_words(const tagma_schema *schema)
{
    if (schema->fill && atomic_load_explicit(&schema->filling, memory_order_acquire) != FILLED)
        wait_or_fill((tagma_schema *)schema);
}

tagma_status tg_schema_new(tagma_ctx *ctx, tagma_schema **out)
{
    *out = tg_zalloc(ctx, 1, sizeof **out);
    if (!*out)
        return TAGMA_E_MEMORY;
    (*out)->account = tg_account_acquire(ctx->account);
    (*out)->is_sound = true;
    return TAGMA_OK;
}

tagma_status tg_schema_adopt(tagma_ctx *ctx, const tg_schema_parts *parts, tagma_schema **out)
{
    TG_TRY(tg_schema_new(ctx, out));
    (*out)->columns = parts->columns;
    (*out)->n_columns = parts->n_columns;
    (*out)->collections = parts->collections;
    (*out)->n_collections = parts->n_collections;
    (*out)->shapes = parts->shapes;
    (*out)->by_name = parts->by_name;
    (*out)->fill = parts->fill;
    (*out)->user = parts->user;
    (*out)->block = parts->block;
    (*out)->room = parts->room;
    return TAGMA_OK;
}

void tg_schema_free(tagma_schema *schema)
{
    tg_account *account;

    if (!schema)
        return;
    account = schema->account;
    tg_arena_free(account, &schema->arena);
    if (!schema->fill) {
        tg_account_free(account, schema->columns);
        tg_account_free(account, schema->collections);
    }
    tg_account_free(account, schema->own_shapes);
    tg_account_free(account, schema->block);
    tg_account_free(account, schema->room);
    tg_account_free(account, schema->slots);
    tg_account_free(account, schema);
    tg_account_release(account);
}

static const char *keep(tagma_ctx *ctx, tagma_schema *schema, const char *text)
{
    return text ? tg_arena_text(ctx, &schema->arena, text, strlen(text)) : NULL;
}

tagma_status tg_schema_add_column(tagma_ctx *ctx, tagma_schema *schema, const tagma_column *column,
                                  uint32_t *number)
{
    void *block = schema->columns;
    uint32_t *dims = NULL;
    tagma_column own = *column;
    tagma_status st;

    if (schema->n_columns >= ctx->limits.max_columns)
        return tg_fail(ctx, TAGMA_E_LIMIT, "more than %" PRIu32 " columns (limit max_columns)",
                       ctx->limits.max_columns);
    st = tg_reserve(ctx, &block, &schema->columns_capacity, schema->n_columns + 1, sizeof *schema->columns);
    schema->columns = block;
    TG_TRY(st);
    own.name = keep(ctx, schema, column->name);
    own.path = column->path ? keep(ctx, schema, column->path) : own.name;
    own.title = keep(ctx, schema, column->title ? column->title : "");
    own.reason = keep(ctx, schema, column->reason);
    if (column->n_dims > 0) {
        dims = tg_arena_take(ctx, &schema->arena, column->n_dims * sizeof *dims);
        if (dims)
            memcpy(dims, column->dims, column->n_dims * sizeof *dims);
    }
    own.dims = dims;
    if (!own.name || !own.path || !own.title || (column->reason && !own.reason) ||
        (column->n_dims > 0 && !dims))
        return TAGMA_E_MEMORY;
    *number = (uint32_t)schema->n_columns;
    schema->columns[schema->n_columns++] = own;
    return TAGMA_OK;
}

tagma_status tg_schema_add_collection(tagma_ctx *ctx, tagma_schema *schema,
                                      const tagma_collection *collection, uint32_t *number)
{
    void *block = schema->collections;
    tagma_collection own = *collection;
    tagma_status st = tg_reserve(ctx, &block, &schema->collections_capacity, schema->n_collections + 1,
                                 sizeof *schema->collections);

    schema->collections = block;
    TG_TRY(st);
    own.name = keep(ctx, schema, collection->name);
    if (!own.name)
        return TAGMA_E_MEMORY;
    *number = (uint32_t)schema->n_collections;
    schema->collections[schema->n_collections++] = own;
    return TAGMA_OK;
}

void tg_schema_set_count_column(tagma_schema *schema, uint32_t collection, uint32_t column)
{
    schema->collections[collection].count_column = column;
}

static uint64_t slot_of(const tagma_schema *schema, const char *text)
{
    return tg_hash(text, strlen(text)) & (schema->n_slots - 1);
}

/* The column whose name (or, by_path, name or path) is text; TAGMA_NONE. *slot is where it is or would be. */
static uint32_t look_up(const tagma_schema *schema, const char *text, uint64_t *slot)
{
    uint64_t at = slot_of(schema, text);

    for (; schema->slots[at] != 0; at = (at + 1) & (schema->n_slots - 1)) {
        const tagma_column *column = &schema->columns[schema->slots[at] - 1];
        if (strcmp(column->name, text) == 0 || strcmp(column->path, text) == 0)
            break;
    }
    *slot = at;
    return schema->slots[at] - 1U;
}

/* Number of names that a name table has met, to find the shared ones: counts are kept in the column's slot. */
static tagma_status make_names_unique(tagma_ctx *ctx, tagma_schema *schema)
{
    bool *is_shared = tg_zalloc(ctx, schema->n_columns, sizeof *is_shared);
    uint64_t slot;

    if (!is_shared)
        return TAGMA_E_MEMORY;
    memset(schema->slots, 0, schema->n_slots * sizeof *schema->slots);
    for (uint32_t c = 0; c < schema->n_columns; c++) {
        uint64_t at = slot_of(schema, schema->columns[c].name);
        while (schema->slots[at] != 0 &&
               strcmp(schema->columns[schema->slots[at] - 1].name, schema->columns[c].name) != 0)
            at = (at + 1) & (schema->n_slots - 1);
        slot = at;
        if (schema->slots[slot] == 0)
            schema->slots[slot] = c + 1;
        else
            is_shared[c] = is_shared[schema->slots[slot] - 1] = true;
    }
    for (uint32_t c = 0; c < schema->n_columns; c++)
        if (is_shared[c])
            schema->columns[c].name = schema->columns[c].path;
    tg_free(ctx, is_shared);
    return TAGMA_OK;
}

/* Enter a name; one that is taken gets ";2", ";3" ... */
static tagma_status enter_name(tagma_ctx *ctx, tagma_schema *schema, uint32_t c, uint32_t *repeats)
{
    const char *plain = schema->columns[c].name;
    uint64_t slot;
    uint32_t taken = look_up(schema, plain, &slot);

    while (taken != TAGMA_NONE) {
        uint32_t repeat = repeats[taken] == 0 ? 2 : repeats[taken] + 1;
        char *numbered = tg_printf(ctx, "%s;%" PRIu32, plain, repeat);

        if (!numbered)
            return TAGMA_E_MEMORY;
        repeats[taken] = repeat;
        schema->columns[c].name = keep(ctx, schema, numbered);
        tg_free(ctx, numbered);
        if (!schema->columns[c].name)
            return TAGMA_E_MEMORY;
        if (look_up(schema, schema->columns[c].name, &slot) == TAGMA_NONE)
            break;
    }
    schema->slots[slot] = c + 1;
    return TAGMA_OK;
}

static tagma_status make_shapes(tagma_ctx *ctx, tagma_schema *schema)
{
    schema->own_shapes = tg_alloc(ctx, schema->n_columns, sizeof *schema->own_shapes);
    if (!schema->own_shapes)
        return TAGMA_E_MEMORY;
    for (uint64_t c = 0; c < schema->n_columns; c++) {
        const tagma_column *column = &schema->columns[c];

        schema->own_shapes[c] =
            (tg_shape){.n_items = column->n_items,
                       .collection = column->collection,
                       .type = (uint8_t)column->type,
                       .n_lists = (uint8_t)column->n_lists,
                       .n_dims = (uint8_t)(column->n_dims < UINT8_MAX ? column->n_dims : UINT8_MAX),
                       .has_reason = column->reason != NULL};
    }
    schema->shapes = schema->own_shapes;
    return TAGMA_OK;
}

tagma_status tg_schema_seal(tagma_ctx *ctx, tagma_schema *schema)
{
    uint32_t *repeats;
    tagma_status st;

    TG_TRY(make_shapes(ctx, schema));
    schema->n_slots = 16;
    while (schema->n_slots < 4 * schema->n_columns)
        schema->n_slots *= 2;
    schema->slots = tg_zalloc(ctx, schema->n_slots, sizeof *schema->slots);
    repeats = tg_zalloc(ctx, schema->n_columns, sizeof *repeats);
    st = schema->slots && repeats ? make_names_unique(ctx, schema) : TAGMA_E_MEMORY;
    if (st == TAGMA_OK)
        memset(schema->slots, 0, schema->n_slots * sizeof *schema->slots);
    for (uint32_t c = 0; st == TAGMA_OK && c < schema->n_columns; c++)
        st = enter_name(ctx, schema, c, repeats);
    for (uint32_t c = 0; st == TAGMA_OK && c < schema->n_columns; c++) {
        uint64_t slot;
        if (look_up(schema, schema->columns[c].path, &slot) == TAGMA_NONE)
            schema->slots[slot] = c + 1;
    }
    tg_free(ctx, repeats);
    return st;
}

/* A collection of another schema, and those around it, if they are not here yet. */
static tagma_status take_collection(tagma_ctx *ctx, const tagma_schema *from, uint32_t collection,
                                    uint32_t *taken, tagma_schema *to)
{
    tagma_collection own;

    if (collection == TAGMA_NONE || taken[collection] != TAGMA_NONE)
        return TAGMA_OK;
    own = from->collections[collection];
    TG_TRY(take_collection(ctx, from, own.parent, taken, to));
    if (own.parent != TAGMA_NONE)
        own.parent = taken[own.parent];
    own.count_column = TAGMA_NONE;
    return tg_schema_add_collection(ctx, to, &own, &taken[collection]);
}

static tagma_status take_columns(tagma_ctx *ctx, const tagma_schema *from, const uint32_t *columns,
                                 uint32_t n, uint32_t *taken, tagma_schema *to)
{
    uint32_t number;

    for (uint32_t i = 0; i < n; i++) {
        tagma_column own = from->columns[columns[i]];

        TG_TRY(take_collection(ctx, from, own.collection, taken, to));
        if (own.collection != TAGMA_NONE)
            own.collection = taken[own.collection];
        TG_TRY(tg_schema_add_column(ctx, to, &own, &number));
    }
    for (uint32_t k = 0; k < from->n_collections; k++)
        for (uint32_t i = 0; i < n && taken[k] != TAGMA_NONE; i++)
            if (columns[i] == from->collections[k].count_column)
                to->collections[taken[k]].count_column = i;
    return tg_schema_seal(ctx, to);
}

tagma_status tg_schema_subset(tagma_ctx *ctx, const tagma_schema *schema, const uint32_t *columns, uint32_t n,
                              tagma_schema **out)
{
    uint32_t *taken = tg_alloc(ctx, schema->n_collections, sizeof *taken);
    tagma_status st = TAGMA_E_MEMORY;

    *out = NULL;
    need_words(schema);
    if (taken) {
        memset(taken, 0xff, schema->n_collections * sizeof *taken); /* TAGMA_NONE */
        st = tg_schema_new(ctx, out);
    }
    if (st == TAGMA_OK)
        st = take_columns(ctx, schema, columns, n, taken, *out);
    if (st < 0) {
        tg_schema_free(*out);
        *out = NULL;
    }
    tg_free(ctx, taken);
    return st;
}

uint32_t tagma_schema_n_columns(const tagma_schema *schema)
{
    return (uint32_t)schema->n_columns;
}

uint32_t tagma_schema_n_collections(const tagma_schema *schema)
{
    return (uint32_t)schema->n_collections;
}

const tagma_column *tagma_schema_column(const tagma_schema *schema, uint32_t column)
{
    need_words(schema);
    return column < schema->n_columns ? &schema->columns[column] : NULL;
}

const tg_shape *tg_schema_shapes(const tagma_schema *schema)
{
    return schema->shapes;
}

bool tg_schema_is_sound(const tagma_schema *schema)
{
    need_words(schema);
    return schema->is_sound;
}

const tagma_collection *tagma_schema_collection(const tagma_schema *schema, uint32_t collection)
{
    return collection < schema->n_collections ? &schema->collections[collection] : NULL;
}

/* By the order of names; a path that is no name is rare. */
static uint32_t find_in_order(const tagma_schema *schema, const char *text)
{
    uint64_t lo = 0, n = schema->n_columns;

    while (n > 1) {
        uint64_t half = n / 2;
        lo += strcmp(schema->columns[schema->by_name[lo + half]].name, text) <= 0 ? half : 0;
        n -= half;
    }
    if (n > 0 && strcmp(schema->columns[schema->by_name[lo]].name, text) == 0)
        return schema->by_name[lo];
    for (uint32_t c = 0; c < schema->n_columns; c++)
        if (schema->columns[c].path != schema->columns[c].name && strcmp(schema->columns[c].path, text) == 0)
            return c;
    return TAGMA_NONE;
}

uint32_t tagma_schema_find(const tagma_schema *schema, const char *name)
{
    uint64_t slot;

    need_words(schema);
    if (schema->by_name)
        return find_in_order(schema, name);
    return schema->n_slots == 0 ? TAGMA_NONE : look_up(schema, name, &slot);
}

static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {
    [TAGMA_BOOL] = {"bool", 1}, [TAGMA_I8] = {"i8", 1},   [TAGMA_U8] = {"u8", 1},
    [TAGMA_I16] = {"i16", 2},   [TAGMA_U16] = {"u16", 2}, [TAGMA_I32] = {"i32", 4},
    [TAGMA_U32] = {"u32", 4},   [TAGMA_I64] = {"i64", 8}, [TAGMA_U64] = {"u64", 8},
    [TAGMA_F32] = {"f32", 4},   [TAGMA_F64] = {"f64", 8}, [TAGMA_STRING] = {"string", 1},
};

const char *tagma_type_name(tagma_type type)
{
    return (size_t)type < sizeof types / sizeof types[0] ? types[type].name : "?";
}

uint32_t tagma_type_bytes(tagma_type type)
{
    return (size_t)type < sizeof types / sizeof types[0] ? types[type].bytes : 0;
}

/* Append to dst as snprintf does, counting what does not fit. */
static void put(char *dst, size_t dst_bytes, size_t *n, const char *text)
{
    size_t length = strlen(text);

    if (*n < dst_bytes)
        snprintf(dst + *n, dst_bytes - *n, "%s", text);
    *n += length;
}

size_t tagma_schema_spell(const tagma_schema *schema, uint32_t column, char *dst, size_t dst_bytes)
{
    const tagma_column *col = tagma_schema_column(schema, column);
    const tagma_collection *levels[TAGMA_MAX_LISTS] = {NULL, NULL};
    uint32_t collection;
    size_t n = 0;

    if (dst_bytes > 0)
        dst[0] = 0;
    if (!col)
        return 0;
    put(dst, dst_bytes, &n, tagma_type_name(col->type));
    collection = col->collection;
    for (uint32_t level = col->n_lists; level > 0 && collection < schema->n_collections; level--) {
        levels[level - 1] = &schema->collections[collection];
        collection = levels[level - 1]->parent;
    }
    for (uint32_t level = 0; level < col->n_lists && level < TAGMA_MAX_LISTS; level++) {
        uint32_t counter = levels[level] ? levels[level]->count_column : TAGMA_NONE;
        put(dst, dst_bytes, &n, "[");
        if (counter < schema->n_columns)
            put(dst, dst_bytes, &n, schema->columns[counter].name);
        put(dst, dst_bytes, &n, "]");
    }
    for (uint32_t d = 0; d < col->n_dims; d++) {
        char text[16];
        snprintf(text, sizeof text, "[%" PRIu32 "]", col->dims[d]);
        put(dst, dst_bytes, &n, text);
    }
    return n;
}
