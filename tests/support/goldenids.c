/* SPDX-License-Identifier: Apache-2.0
 * The ids in the golden sidecars. tests/index/test_format.py has the same arithmetic. */
#include "support/goldenids.h"

/* Leading axes with gaps, a negative run, sparse events, repeats; the ends of all integers in one axis after another; and
 * ids that count the entries. */
const test_golden_tree test_golden_trees[TEST_GOLDEN_TREES] = {
    {"dir/Events", 3, {"run", "luminosityBlock", "event"}, {true, false, false}},
    {"wide", 2, {"a", "b"}, {false, true}},
    {"counted", 1, {"id"}, {false}},
};

void test_golden_id(uint32_t tree, uint64_t entry, uint64_t axes[TAGMA_MAX_ID_AXES])
{
    static const uint64_t runs[] = {273158, 273302, UINT64_MAX - 4};
    static const uint64_t ends[] = {
        0, 1, UINT64_MAX, (uint64_t)1 << 63, ((uint64_t)1 << 63) - 1, (uint64_t)1 << 53};
    uint64_t i = tree == 0 && entry % 10 == 9 ? entry - 9 : entry;

    switch (tree) {
    case 0:
        axes[0] = runs[i * 7 % 3];
        axes[1] = 1 + i * 37 % 41 * (i % 2 + 1);
        axes[2] = i * 2654435761U % ((uint64_t)1 << 33);
        break;
    case 1:
        axes[0] = ends[i % 6];
        axes[1] = ends[i / 6 % 6] + i / 36;
        break;
    default:
        axes[0] = 1000 + i;
    }
}
