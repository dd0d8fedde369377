/* SPDX-License-Identifier: Apache-2.0
 * Make basket records byte by byte, and flat tables over them. */
#include "support/baskets.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/num.h"

enum { FLAG_NO_OFFSETS = 80 };

static void *must(void *block)
{
    if (!block)
        abort();
    return block;
}

static void sure(tagma_status st)
{
    if (st < 0)
        abort();
}

uint64_t test_hash(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

void test_put_be16(test_bytes *to, uint16_t v)
{
    const uint8_t bytes[2] = {(uint8_t)(v >> 8), (uint8_t)v};

    test_append(to, bytes, sizeof bytes);
}

void test_put_be32(test_bytes *to, uint32_t v)
{
    test_put_be16(to, (uint16_t)(v >> 16));
    test_put_be16(to, (uint16_t)v);
}

void test_put_be64(test_bytes *to, uint64_t v)
{
    test_put_be32(to, (uint32_t)(v >> 32));
    test_put_be32(to, (uint32_t)v);
}

static void put_text(test_bytes *to, const char *text)
{
    uint8_t n = (uint8_t)strlen(text);

    test_append(to, &n, 1);
    test_append(to, text, n);
}

static bool has_bits(const test_basket *basket)
{
    return basket->is_sizes || basket->no_offsets;
}

uint32_t test_basket_key_bytes(const test_basket *basket)
{
    uint32_t fixed = basket->is_narrow ? 26 : 34, header = has_bits(basket) ? 20 : 19;

    return fixed + (1 + 7) + (1 + 1) + (1 + 1) + header;
}

static void put_key(test_bytes *to, const char *class_name, bool is_narrow, uint32_t bytes, uint32_t unpacked,
                    uint32_t key_bytes, uint64_t offset)
{
    test_put_be32(to, bytes);
    test_put_be16(to, is_narrow ? 4 : 1004);
    test_put_be32(to, unpacked);
    test_put_be32(to, 0); /* fDatime */
    test_put_be16(to, (uint16_t)key_bytes);
    test_put_be16(to, 1); /* fCycle */
    if (is_narrow) {
        test_put_be32(to, (uint32_t)offset);
        test_put_be32(to, 100);
    } else {
        test_put_be64(to, offset);
        test_put_be64(to, 100);
    }
    put_text(to, class_name);
    put_text(to, "b");
    put_text(to, "t");
}

static void put_header(test_bytes *to, const test_basket *basket, uint32_t key_bytes, uint8_t flag)
{
    const uint8_t io_bits = 1;

    test_put_be16(to, 3);
    test_put_be32(to, 32000);
    test_put_be32(to, (uint32_t)(has_bits(basket) ? -basket->stride : basket->stride));
    if (has_bits(basket))
        test_append(to, &io_bits, 1);
    test_put_be32(to, basket->n_entries);
    test_put_be32(to, key_bytes + basket->data_bytes);
    test_append(to, &flag, 1);
}

static void put_tail(test_bytes *to, const test_basket *basket, uint32_t key_bytes)
{
    test_put_be32(to, basket->n_entries + 1);
    for (uint32_t i = 0; i < basket->n_entries; i++) {
        uint32_t size = i > 0 ? basket->begin[i] - basket->begin[i - 1] : 0;

        test_put_be32(to, basket->is_sizes ? size : key_bytes + basket->begin[i]);
    }
    test_put_be32(to, 0xdeadbeef); /* the extra element is never to be used */
}

static uint64_t append_record(test_bytes *file, const char *class_name, const test_basket *basket,
                              const test_bytes *payload, uint32_t *bytes)
{
    uint64_t offset = file->n;
    test_bytes packed = {0};
    uint32_t key_bytes = test_basket_key_bytes(basket);

    if (basket->codec != TEST_RAW)
        test_append_packed(&packed, (test_codec)basket->codec, payload->bytes, payload->n);
    if (packed.n == 0 || packed.n >= payload->n) {
        packed.n = 0;
        test_append(&packed, payload->bytes, payload->n);
    }
    *bytes = key_bytes + (uint32_t)packed.n;
    put_key(file, class_name, basket->is_narrow, *bytes, (uint32_t)payload->n, key_bytes, offset);
    put_header(file, basket, key_bytes, basket->no_offsets ? FLAG_NO_OFFSETS : 0);
    test_append(file, packed.bytes, packed.n);
    free(packed.bytes);
    return offset;
}

uint64_t test_append_basket(test_bytes *file, const test_basket *basket, uint32_t *bytes)
{
    test_bytes payload = {0};
    uint64_t offset;

    test_append(&payload, basket->data, basket->data_bytes);
    if (basket->begin)
        put_tail(&payload, basket, test_basket_key_bytes(basket));
    if (basket->begin && basket->has_displacement)
        put_tail(&payload, basket, test_basket_key_bytes(basket));
    offset = append_record(file, "TBasket", basket, &payload, bytes);
    free(payload.bytes);
    return offset;
}

uint64_t test_append_record(test_bytes *file, const char *class_name, const void *payload, size_t n,
                            uint32_t *bytes)
{
    uint64_t offset = file->n;
    uint32_t key_bytes = 34 + 1 + (uint32_t)strlen(class_name) + 4;

    *bytes = key_bytes + (uint32_t)n;
    put_key(file, class_name, false, *bytes, (uint32_t)n, key_bytes, offset);
    test_append(file, payload, n);
    return offset;
}

uint64_t test_append_embedded(test_bytes *payload, const test_basket *basket, uint8_t embedded_flag,
                              uint32_t *bytes)
{
    static const uint8_t stale[128];
    uint64_t at = payload->n;
    uint32_t key_bytes = test_basket_key_bytes(basket);
    uint8_t flag = embedded_flag;
    uint32_t plain = flag >= FLAG_NO_OFFSETS ? flag - FLAG_NO_OFFSETS : flag;

    put_key(payload, "TBasket", basket->is_narrow, 0, 0, key_bytes, 0);
    put_header(payload, basket, key_bytes, flag);
    if (basket->begin) {
        test_put_be32(payload, basket->n_entries);
        for (uint32_t i = 0; i < basket->n_entries; i++)
            test_put_be32(payload,
                          (key_bytes + basket->begin[i]) | (plain > 20 && plain < 40 ? 0x5a000000U : 0));
    }
    if (plain > 40) {
        test_put_be32(payload, basket->n_entries);
        for (uint32_t i = 0; i < basket->n_entries; i++)
            test_put_be32(payload, i);
    }
    if (plain == 1 || plain > 10) {
        test_append(payload, stale, key_bytes);
        test_append(payload, basket->data, basket->data_bytes);
    }
    *bytes = (uint32_t)(payload->n - at);
    return at;
}

void test_tree_begin(tagma_ctx *ctx, test_tree *tree, uint64_t n_entries)
{
    static const char magic[] = "root";

    memset(tree, 0, sizeof *tree);
    tree->ctx = ctx;
    tree->n_entries = n_entries;
    test_append(&tree->file, magic, sizeof magic);
    sure(tg_schema_new(ctx, &tree->schema));
}

uint32_t test_tree_branch(test_tree *tree, const char *name, uint64_t first_entry, uint64_t end_entry)
{
    tree->branches = must(realloc(tree->branches, (tree->n_branches + 1) * sizeof *tree->branches));
    tree->branches[tree->n_branches] = (tg_branch){.name = name,
                                                   .path = name,
                                                   .title = name,
                                                   .parent = TAGMA_NONE,
                                                   .first_basket = tree->n_baskets,
                                                   .first_entry = first_entry,
                                                   .end_entry = end_entry};
    return tree->n_branches++;
}

void test_tree_place(test_tree *tree, uint64_t first_entry, uint64_t n_entries, uint64_t offset,
                     uint32_t bytes)
{
    tree->baskets = must(realloc(tree->baskets, (tree->n_baskets + 1) * sizeof *tree->baskets));
    tree->baskets[tree->n_baskets++] = (tg_basket){first_entry, n_entries, offset, bytes};
    tree->branches[tree->n_branches - 1].n_baskets++;
}

void test_tree_basket(test_tree *tree, uint64_t first_entry, const test_basket *basket)
{
    uint32_t bytes;
    uint64_t offset = test_append_basket(&tree->file, basket, &bytes);

    test_tree_place(tree, first_entry, basket->n_entries, offset, bytes);
}

uint32_t test_tree_column(test_tree *tree, const char *name, tagma_type type, uint32_t n_lists,
                          uint32_t n_items, const tg_layout *layout)
{
    uint32_t dims[1] = {n_items}, number;
    tagma_column column = {.name = name,
                           .path = name,
                           .title = "",
                           .dims = dims,
                           .n_dims = n_items > 1,
                           .n_items = n_items,
                           .type = type,
                           .n_lists = n_lists,
                           .collection = TAGMA_NONE};
    tagma_collection collection = {.name = name, .parent = TAGMA_NONE, .count_column = TAGMA_NONE};

    if (n_lists > 0) {
        if (layout->counts[0] == TG_COUNT_SHARED)
            collection.count_column = layout->count_column;
        sure(tg_schema_add_collection(tree->ctx, tree->schema, &collection, &column.collection));
    }
    if (n_lists > 1) {
        collection.parent = column.collection;
        collection.count_column = TAGMA_NONE;
        sure(tg_schema_add_collection(tree->ctx, tree->schema, &collection, &column.collection));
    }
    sure(tg_schema_add_column(tree->ctx, tree->schema, &column, &number));
    tree->layouts = must(realloc(tree->layouts, (number + 1) * sizeof *tree->layouts));
    tree->layouts[number] = *layout;
    tree->layouts[number].branch = tree->n_branches - 1;
    if (layout->n_leaves == 0) {
        tree->layouts[number].n_leaves = 1;
        tree->layouts[number].first_column = number;
    }
    if (n_lists == 0 || layout->counts[0] != TG_COUNT_SHARED)
        tree->layouts[number].count_column = TAGMA_NONE;
    tree->n_columns = number + 1;
    return number;
}

void test_tree_refused(test_tree *tree, const char *name, const char *reason)
{
    tagma_column column = {.name = name, .path = name, .title = "", .reason = reason, .n_items = 1};
    uint32_t number;

    column.collection = TAGMA_NONE;
    sure(tg_schema_add_column(tree->ctx, tree->schema, &column, &number));
    tree->layouts = must(realloc(tree->layouts, (number + 1) * sizeof *tree->layouts));
    tree->layouts[number] = (tg_layout){
        .branch = tree->n_branches - 1, .count_column = TAGMA_NONE, .n_leaves = 1, .first_column = number};
    tree->n_columns = number + 1;
}

static void *hand_over(tagma_ctx *ctx, void *array, uint64_t n, uint64_t width)
{
    void *copy = must(tg_alloc(ctx, n, width));

    if (n > 0)
        memcpy(copy, array, n * width);
    free(array);
    return copy;
}

tagma_events *test_tree_events(test_tree *made)
{
    tagma_ctx *ctx = made->ctx;
    tg_tree *tree = must(tg_zalloc(ctx, 1, sizeof *tree));
    tg_root_facts facts = {.release = 62400};
    tagma_source *source;
    tagma_events *events;
    uint64_t clusters[2] = {0, made->n_entries};

    tree->name = "t";
    tree->title = "";
    tree->class_name = "TTree";
    tree->cycle = 1;
    tree->n_entries = made->n_entries;
    sure(tg_schema_seal(ctx, made->schema));
    tree->schema = made->schema;
    tree->layouts = hand_over(ctx, made->layouts, made->n_columns, sizeof *tree->layouts);
    tree->branches = hand_over(ctx, made->branches, made->n_branches, sizeof *tree->branches);
    tree->n_branches = made->n_branches;
    tree->baskets = hand_over(ctx, made->baskets, made->n_baskets, sizeof *tree->baskets);
    tree->n_baskets = made->n_baskets;
    tree->clusters = must(tg_alloc(ctx, 2, sizeof *tree->clusters));
    memcpy(tree->clusters, clusters, sizeof clusters);
    tree->n_clusters = 1;
    tree->account = tg_account_acquire(ctx->account);
    tree->record_offset = made->record_offset;
    tree->record_bytes = made->record_bytes;
    tree->record_hash = made->record_hash;
    made->schema = NULL;
    made->layouts = NULL;
    made->branches = NULL;
    made->baskets = NULL;
    sure(tagma_source_memory(ctx, made->file.bytes, made->file.n, "x.root", &source));
    sure(tg_root_events_new(ctx, source, tree, &facts, &events));
    tagma_source_release(source);
    return events;
}

void test_tree_free(test_tree *tree)
{
    tg_schema_free(tree->schema);
    free(tree->layouts);
    free(tree->branches);
    free(tree->baskets);
    free(tree->file.bytes);
}
