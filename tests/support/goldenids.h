/* SPDX-License-Identifier: Apache-2.0
 * The ids in the golden sidecars: of plain arithmetic, so that readers in any language can make them again. */
#ifndef TESTS_SUPPORT_GOLDENIDS_H
#define TESTS_SUPPORT_GOLDENIDS_H

#include <stdint.h>
#include <tagma/index.h>

enum { TEST_GOLDEN_ENTRIES = 300, TEST_GOLDEN_TREES = 3 };

typedef struct test_golden_tree {
    const char *tree;
    uint32_t n_axes;
    const char *names[TAGMA_MAX_ID_AXES];
    bool is_signed[TAGMA_MAX_ID_AXES];
} test_golden_tree;

extern const test_golden_tree test_golden_trees[TEST_GOLDEN_TREES];

/* The id of an entry of a tree. */
void test_golden_id(uint32_t tree, uint64_t entry, uint64_t axes[TAGMA_MAX_ID_AXES]);

#endif
