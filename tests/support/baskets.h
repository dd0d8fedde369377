/* SPDX-License-Identifier: Apache-2.0
 * Baskets as bytes, and trees over them as flat tables, for tests. */
#ifndef TESTS_SUPPORT_BASKETS_H
#define TESTS_SUPPORT_BASKETS_H

#include "root/reader.h"
#include "support/frames.h"

enum { TEST_RAW = TEST_N_CODECS, TEST_BASKET_NAME_BYTES = 2 };

/* What a basket holds and says. Zero means: raw, wide key, no tail. */
typedef struct test_basket {
    const void *data;
    uint32_t data_bytes;
    uint32_t n_entries;
    int32_t stride;        /* fNevBufSize */
    const uint32_t *begin; /* [n_entries] of each entry in the data: a tail with offsets; NULL: none */
    bool is_sizes;         /* the tail holds sizes instead, and fIOBits say so */
    bool has_displacement; /* the tail twice */
    bool is_narrow;        /* a key of version 4 */
    bool no_offsets;       /* flag 80 and fIOBits */
    int codec;             /* test_codec, or TEST_RAW; what does not get smaller stands raw */
} test_basket;

/* Append the record at the end of a file. *bytes is its length. Returns its offset. */
uint64_t test_append_basket(test_bytes *file, const test_basket *basket, uint32_t *bytes);
/* Length of the key of the records above: where a raw payload begins. */
uint32_t test_basket_key_bytes(const test_basket *basket);
/* The embedded form, appended to a tree record's payload. `embedded_flag` as in the format: 11 offsets and data, 12 data ... */
uint64_t test_append_embedded(test_bytes *payload, const test_basket *basket, uint8_t embedded_flag,
                              uint32_t *bytes);
/* A record of class TTree that holds a payload. Returns its offset. */
uint64_t test_append_record(test_bytes *file, const char *class_name, const void *payload, size_t n,
                            uint32_t *bytes);

/* What a tree notes of its record. */
uint64_t test_hash(const void *bytes, size_t n);

void test_put_be16(test_bytes *to, uint16_t v);
void test_put_be32(test_bytes *to, uint32_t v);
void test_put_be64(test_bytes *to, uint64_t v);

/* A tree being made. */
typedef struct test_tree {
    tagma_ctx *ctx;
    test_bytes file; /* what its baskets stand in */
    tagma_schema *schema;
    tg_layout *layouts;
    uint32_t n_columns;
    tg_branch *branches;
    uint32_t n_branches;
    tg_basket *baskets;
    uint64_t n_baskets;
    uint64_t n_entries;
    uint64_t record_offset, record_hash;
    uint32_t record_bytes;
} test_tree;

void test_tree_begin(tagma_ctx *ctx, test_tree *tree, uint64_t n_entries);
/* A branch of the entries [first, end). Its baskets follow it. */
uint32_t test_tree_branch(test_tree *tree, const char *name, uint64_t first_entry, uint64_t end_entry);
/* The next basket of the branch begun last. */
void test_tree_basket(test_tree *tree, uint64_t first_entry, const test_basket *basket);
void test_tree_place(test_tree *tree, uint64_t first_entry, uint64_t n_entries, uint64_t offset,
                     uint32_t bytes);
/* A column of the branch begun last; layout->branch is filled in. n_leaves 0 means 1. */
uint32_t test_tree_column(test_tree *tree, const char *name, tagma_type type, uint32_t n_lists,
                          uint32_t n_items, const tg_layout *layout);
/* A column of the branch begun last that cannot be read. */
void test_tree_refused(test_tree *tree, const char *name, const char *reason);
/* The events; everything of the tree is handed over but the file's bytes, which must outlive them. */
tagma_events *test_tree_events(test_tree *made);
void test_tree_free(test_tree *tree);

#endif
