/* SPDX-License-Identifier: Apache-2.0
 * A tree of every shape of column, whose values are known by formula, for tests that read it. */
#ifndef TESTS_SUPPORT_SHAPES_H
#define TESTS_SUPPORT_SHAPES_H

#include "support/baskets.h"

enum { SHAPES_ENTRIES = 120, SHAPES_TEXT_BYTES = 512, SHAPES_BRANCHES = 14 };

/* The columns of the tree, in its order. */
enum {
    COL_N,     /* u32 that counts x and y */
    COL_X,     /* f32[n] with offsets */
    COL_Y,     /* u8[n] without offsets */
    COL_S,     /* i16 */
    COL_A,     /* i32[3] with offsets, as split objects have them */
    COL_V,     /* vector of u16 */
    COL_VV,    /* vector of vectors of u8 */
    COL_TEXT,  /* string */
    COL_WORDS, /* vector of strings */
    COL_M,     /* leaf list m/i:w[m]/s */
    COL_W,
    COL_P, /* leaf list p/D:q/O */
    COL_Q,
    COL_P2,    /* counted pointer f32[n], null at every seventh entry */
    COL_SHORT, /* u8 of the entries 12 to 79 only */
    COL_LAST,  /* i32, its last basket embedded in the tree's record */
    N_COLUMNS
};

/* Text of one entry: numbers, lists in brackets, strings in quotes. */
typedef struct shapes_text {
    char chars[SHAPES_TEXT_BYTES];
    size_t n;
} shapes_text;

/* How a branch's baskets look. */
typedef struct shapes_branch {
    uint32_t column, per_basket;
    bool has_offsets, no_offsets;
    uint32_t first, end;
} shapes_branch;

typedef struct shapes_fixture {
    tagma_ctx *ctx;
    test_tree tree;
    tagma_events *events;
    uint64_t n_baskets;
    uint32_t n_faults;
    tagma_fault fault; /* the last */
    char words[1024], tree_name[64], column_name[64];
} shapes_fixture;

extern const shapes_branch shapes_branches[SHAPES_BRANCHES];

/* For cmocka: *state becomes a shapes_fixture, its baskets packed by a test_codec; shapes_set_up takes LZ4. */
int shapes_set_up_codec(void **state, int codec);
int shapes_set_up(void **state);
int shapes_tear_down(void **state);

tagma_reader *shapes_reader(shapes_fixture *f, tagma_pool *pool);
tagma_reader_stats shapes_stats(const tagma_reader *reader);

/* What an entry holds by the formula, made once; and what a row of a batch holds, in the same form. */
const char *shapes_expected(uint32_t column, uint64_t entry);
void shapes_render(shapes_text *t, const tagma_batch_column *c, uint64_t row);
/* Every column of a batch against the formula. entries == NULL: the rows are first, first + 1 ... */
void shapes_assert_batch(const tagma_batch *batch, uint64_t first, const uint64_t *entries);

#endif
