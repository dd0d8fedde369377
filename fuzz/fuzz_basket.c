/* SPDX-License-Identifier: Apache-2.0
 * One basket of one column. Input: which shape the column has, how many entries the basket is said to have, then its record.
 * The record's own length is mended, so that what lies behind the first check is reached. */
#include "fuzz.h"

#include <string.h>

#include "event/batch.h"
#include "root/reader.h"

enum { HEAD_BYTES = 2, AT = 100, MEMORY_BYTES_MAX = 64 << 20, COUNT_KEY_BYTES = 64, MANY = 256 };

/* The shapes that a branch's entries can have. */
typedef struct shape {
    tagma_type type;
    uint32_t n_lists, n_items;
    tg_layout layout;
} shape;

static const shape shapes[] = {
    {TAGMA_F32, 0, 1, {.wire = TG_WIRE_F32}},
    {TAGMA_I16, 0, 3, {.wire = TG_WIRE_I16}},
    {TAGMA_BOOL, 0, 1, {.wire = TG_WIRE_BOOL}},
    {TAGMA_F64, 0, 2, {.wire = TG_WIRE_SCALED, .factor = 100, .xmin = -1}},
    {TAGMA_F32, 0, 1, {.wire = TG_WIRE_TRUNCATED, .nbits = 12}},
    {TAGMA_U32, 0, 1, {.wire = TG_WIRE_BITS}},
    {TAGMA_F32, 1, 1, {.wire = TG_WIRE_F32, .counts = {TG_COUNT_SHARED}}},
    {TAGMA_U8, 1, 4, {.wire = TG_WIRE_U8, .counts = {TG_COUNT_SHARED}}},
    {TAGMA_I64, 1, 1, {.wire = TG_WIRE_I64, .counts = {TG_COUNT_SHARED}, .frame = TG_ENTRY_FLAGGED}},
    {TAGMA_U32, 1, 1, {.wire = TG_WIRE_BITS, .counts = {TG_COUNT_SHARED}}},
    {TAGMA_F32, 1, 1, {.wire = TG_WIRE_F32, .counts = {TG_COUNT_INLINE}, .frame = TG_ENTRY_FRAMED}},
    {TAGMA_I32,
     2,
     1,
     {.wire = TG_WIRE_I32, .counts = {TG_COUNT_INLINE, TG_COUNT_INLINE}, .frame = TG_ENTRY_FRAMED}},
    {TAGMA_F32,
     2,
     1,
     {.wire = TG_WIRE_F32, .counts = {TG_COUNT_SHARED, TG_COUNT_INLINE}, .frame = TG_ENTRY_FRAMED}},
    {TAGMA_STRING, 0, 1, {.string = TG_STRING_COUNTED}},
    {TAGMA_STRING, 0, 1, {.string = TG_STRING_LEAF}},
    {TAGMA_STRING, 0, 1, {.string = TG_STRING_LONG}},
    {TAGMA_STRING, 0, 1, {.string = TG_STRING_COUNTED, .frame = TG_ENTRY_FRAMED}},
    {TAGMA_STRING,
     1,
     1,
     {.string = TG_STRING_COUNTED, .counts = {TG_COUNT_INLINE}, .frame = TG_ENTRY_FRAMED}},
    {TAGMA_STRING,
     1,
     1,
     {.string = TG_STRING_COUNTED, .counts = {TG_COUNT_SHARED}, .frame = TG_ENTRY_FRAMED}},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static void put_be(uint8_t *to, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
}

/* A sound basket of u8 counts e % 5 behind the one under test, and how long it is. */
static uint32_t put_counts(uint8_t *to, uint64_t offset, uint32_t n_entries)
{
    static const uint8_t names[] = "\x07TBasket\x01n\x01t";
    uint32_t key_bytes = 34 + sizeof names - 1 + 19;

    memset(to, 0, key_bytes);
    put_be(to, key_bytes + n_entries, 4);
    put_be(to + 4, 1004, 2);
    put_be(to + 6, n_entries, 4);
    put_be(to + 14, key_bytes, 2);
    put_be(to + 16, 1, 2);
    put_be(to + 18, offset, 8);
    memcpy(to + 34, names, sizeof names - 1);
    put_be(to + 34 + sizeof names - 1, 3, 2);
    put_be(to + 40 + sizeof names - 1, 1, 4);
    put_be(to + 44 + sizeof names - 1, n_entries, 4);
    put_be(to + 48 + sizeof names - 1, key_bytes + n_entries, 4);
    for (uint32_t e = 0; e < n_entries; e++)
        to[key_bytes + e] = (uint8_t)(e % 5);
    return key_bytes + n_entries;
}

/* Columns: 0 the counts, 1 the one under test. */
static tagma_schema *make_schema(tagma_ctx *ctx, const shape *made)
{
    tagma_collection outer = {"n", TAGMA_NONE, TAGMA_NONE}, inner = {"x", 0, TAGMA_NONE};
    tagma_column counts = {.name = "n", .type = TAGMA_U8, .n_items = 1, .collection = TAGMA_NONE};
    tagma_column column = {
        .name = "x", .type = made->type, .n_items = made->n_items, .n_lists = made->n_lists};
    uint32_t dims = made->n_items, number;
    tagma_schema *schema;

    column.dims = &dims;
    column.n_dims = dims > 1;
    column.collection = made->n_lists == 0 ? TAGMA_NONE : made->n_lists - 1;
    FUZZ_CHECK(tg_schema_new(ctx, &schema) == TAGMA_OK);
    FUZZ_CHECK(tg_schema_add_collection(ctx, schema, &outer, &number) == TAGMA_OK);
    FUZZ_CHECK(tg_schema_add_collection(ctx, schema, &inner, &number) == TAGMA_OK);
    FUZZ_CHECK(tg_schema_add_column(ctx, schema, &counts, &number) == TAGMA_OK);
    FUZZ_CHECK(tg_schema_add_column(ctx, schema, &column, &number) == TAGMA_OK);
    if (made->layout.counts[0] == TG_COUNT_SHARED)
        tg_schema_set_count_column(schema, 0, 0);
    FUZZ_CHECK(tg_schema_seal(ctx, schema) == TAGMA_OK);
    return schema;
}

static tg_tree *make_tree(tagma_ctx *ctx, const shape *made, uint32_t n_entries, uint32_t bytes,
                          uint32_t count_bytes)
{
    tg_tree *tree = tg_zalloc(ctx, 1, sizeof *tree);

    FUZZ_CHECK(tree);
    tree->account = tg_account_acquire(ctx->account);
    tree->name = tree->title = "t";
    tree->class_name = "TTree";
    tree->cycle = 1;
    tree->n_entries = n_entries;
    tree->schema = make_schema(ctx, made);
    tree->n_branches = 2;
    tree->n_baskets = 2;
    tree->n_clusters = 1;
    tree->layouts = tg_zalloc(ctx, 2, sizeof *tree->layouts);
    tree->branches = tg_zalloc(ctx, 2, sizeof *tree->branches);
    tree->baskets = tg_zalloc(ctx, 2, sizeof *tree->baskets);
    tree->clusters = tg_zalloc(ctx, 2, sizeof *tree->clusters);
    FUZZ_CHECK(tree->layouts && tree->branches && tree->baskets && tree->clusters);
    tree->clusters[1] = n_entries;
    for (uint32_t b = 0; b < 2; b++) {
        tree->branches[b] = (tg_branch){.name = b == 0 ? "n" : "x",
                                        .path = b == 0 ? "n" : "x",
                                        .title = "",
                                        .parent = TAGMA_NONE,
                                        .first_basket = b,
                                        .n_baskets = 1,
                                        .end_entry = n_entries};
        tree->baskets[b] = (tg_basket){0, n_entries, b == 0 ? AT + bytes : AT, b == 0 ? count_bytes : bytes};
        tree->layouts[b] = b == 0 ? (tg_layout){.wire = TG_WIRE_U8} : made->layout;
        tree->layouts[b].branch = tree->layouts[b].first_column = b;
        tree->layouts[b].n_leaves = 1;
        tree->layouts[b].count_column =
            b == 1 && made->n_lists > 0 && made->layout.counts[0] == TG_COUNT_SHARED ? 0 : TAGMA_NONE;
    }
    return tree;
}

/* What any batch keeps to, whatever its basket held. */
static void check_column(const tagma_batch_column *column, uint64_t n_entries)
{
    uint64_t n = n_entries;

    for (uint32_t k = 0; k < column->n_levels; k++) {
        bool is_string = column->type == TAGMA_STRING && k + 1 == column->n_levels;

        n *= is_string ? column->n_items : 1;
        FUZZ_CHECK(column->offsets[k][0] == 0);
        for (uint64_t i = 0; i < n; i++)
            FUZZ_CHECK(column->offsets[k][i] <= column->offsets[k][i + 1]);
        n = column->offsets[k][n];
    }
    FUZZ_CHECK(column->n_values == n * (column->type == TAGMA_STRING ? 1 : column->n_items));
    FUZZ_CHECK((column->status == TAGMA_COLUMN_CORRUPT) == (column->damaged != NULL));
    if (column->type == TAGMA_BOOL)
        for (uint64_t i = 0; i < column->n_values; i++)
            FUZZ_CHECK(((const uint8_t *)column->values)[i] <= 1);
}

static void on_fault(void *user, const tagma_fault *fault)
{
    FUZZ_CHECK(fault->message && *fault->message && fault->column);
    ++*(int *)user;
}

static void read_it(tagma_ctx *ctx, tagma_source *source, tg_tree *tree, const int *n_faults)
{
    tg_root_facts facts = {.release = 62400};
    tagma_events *events;
    tagma_reader *reader;
    tagma_batch *batch;
    uint64_t n_entries = tree->n_entries, some[2] = {0, n_entries - 1};
    tagma_status st = tg_root_events_new(ctx, source, tree, &facts, &events);

    FUZZ_CHECK(st == TAGMA_OK);
    FUZZ_CHECK(tagma_reader_new(ctx, events, NULL, &reader) == TAGMA_OK);
    st = tagma_read_columns(ctx, reader, 0, n_entries, NULL, 0, &batch);
    FUZZ_CHECK(st <= TAGMA_OK && (st == TAGMA_OK) == (batch != NULL));
    if (st == TAGMA_OK) {
        check_column(tagma_batch_column_at(batch, 0), n_entries);
        check_column(tagma_batch_column_at(batch, 1), n_entries);
        FUZZ_CHECK((tagma_batch_column_at(batch, 1)->status == TAGMA_COLUMN_CORRUPT) == (*n_faults > 0));
        tagma_batch_free(batch);
    }
    st = tagma_read_rows(ctx, reader, some, n_entries > 1 ? 2 : 1, NULL, 0, &batch);
    if (st == TAGMA_OK)
        check_column(tagma_batch_column_at(batch, 1), n_entries > 1 ? 2 : 1);
    tagma_batch_free(batch);
    tagma_reader_free(reader);
    tagma_events_release(events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    uint32_t n_entries, bytes, count_bytes;
    const shape *made;
    tagma_source *source;
    tagma_ctx *ctx;
    uint8_t *file;
    int n_faults = 0;

    if (size < HEAD_BYTES + 4)
        return 0;
    made = &shapes[data[0] % N_SHAPES];
    n_entries = data[1] + 1U;
    bytes = (uint32_t)(size - HEAD_BYTES);
    file = calloc(1, AT + bytes + COUNT_KEY_BYTES + MANY + n_entries);
    FUZZ_CHECK(file);
    memcpy(file + AT, data + HEAD_BYTES, bytes);
    put_be(file + AT, bytes, 4);
    if (bytes >= 26)
        put_be(file + AT + 18, AT, (file[AT + 4] << 8 | file[AT + 5]) > 1000 ? 8 : 4);
    count_bytes = put_counts(file + AT + bytes, AT + bytes, n_entries);
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    tagma_ctx_on_fault(ctx, on_fault, &n_faults);
    FUZZ_CHECK(tagma_source_memory(ctx, file, AT + bytes + count_bytes, "fuzz", &source) == TAGMA_OK);
    read_it(ctx, source, make_tree(ctx, made, n_entries, bytes, count_bytes), &n_faults);
    tagma_source_release(source);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(file);
    return 0;
}
