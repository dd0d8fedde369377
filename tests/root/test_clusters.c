/* SPDX-License-Identifier: Apache-2.0
 * Clusters from what a tree's record says of them, and from its baskets where it says nothing of use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/clusters.h"

/* Branches of baskets of so many entries each, 0 at the end. */
typedef struct shape {
    tg_branch branches[4];
    tg_basket baskets[512];
    tg_tree tree;
} shape;

static void add_branch(shape *s, uint64_t bytes, const uint64_t *entries)
{
    tg_branch *branch = &s->branches[s->tree.n_branches++];
    uint64_t first = 0;

    *branch = (tg_branch){.first_basket = s->tree.n_baskets, .bytes = bytes};
    for (; *entries; entries++, first += entries[-1]) {
        s->baskets[s->tree.n_baskets++] = (tg_basket){.first_entry = first, .n_entries = *entries};
        branch->n_baskets++;
    }
    branch->end_entry = first;
    s->tree.n_entries = first > s->tree.n_entries ? first : s->tree.n_entries;
    s->tree.branches = s->branches;
    s->tree.baskets = s->baskets;
}

static int make_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int free_ctx(void **state)
{
    assert_int_equal(tagma_ctx_memory(*state), 0);
    tagma_ctx_free(*state);
    return 0;
}

/* First entries, and the end. */
static void assert_clusters(tagma_ctx *ctx, shape *s, const tg_values *values, const uint8_t *payload,
                            const uint64_t *expected, uint64_t n)
{
    assert_int_equal(tg_clusters_find(ctx, &s->tree, values, payload), TAGMA_OK);
    assert_int_equal(s->tree.n_clusters, n);
    assert_memory_equal(s->tree.clusters, expected, (n + 1) * sizeof *expected);
    tg_free(ctx, s->tree.clusters);
    s->tree.clusters = NULL;
}

static const uint64_t tens[] = {10, 10, 10, 0}, twenty_ten[] = {20, 10, 0}, all[] = {30, 0},
                      odd[] = {7, 23, 0};
static const tg_values nothing;

static void cuts_by_the_recorded_size(void **state)
{
    static const uint64_t expected[] = {0, 12, 24, 30};
    shape s = {.tree = {0}};
    tg_values values = {.numbers = {[TG_FIELD_AUTO_FLUSH] = 12}};

    add_branch(&s, 100, tens);
    assert_clusters(*state, &s, &values, NULL, expected, 3);
}

/* Ranges end with their last entry; the open one behind them has the recorded size. */
static void cuts_by_recorded_ranges(void **state)
{
    static const uint64_t expected[] = {0, 3, 6, 8, 20, 30};
    uint8_t payload[32] = {[7] = 7, [15] = 7, [23] = 3, [31] = 100}; /* the second range is empty */
    shape s = {.tree = {0}};
    tg_values values = {.numbers = {[TG_FIELD_AUTO_FLUSH] = 12}};

    values.arrays[TG_FIELD_CLUSTER_RANGE_END] = (tg_member_array){0, 2, 8};
    values.arrays[TG_FIELD_CLUSTER_SIZE] = (tg_member_array){16, 2, 8};
    add_branch(&s, 100, tens);
    assert_clusters(*state, &s, &values, payload, expected, 5);
}

/* A size that would make more clusters than there are baskets is a claim: the baskets tell. */
static void does_not_believe_in_more_clusters_than_baskets(void **state)
{
    static const uint64_t expected[] = {0, 10, 20, (uint64_t)1 << 60};
    shape s = {.tree = {0}};
    tg_values values = {.numbers = {[TG_FIELD_AUTO_FLUSH] = 1}};

    add_branch(&s, 100, tens);
    s.tree.n_entries = (uint64_t)1 << 60;
    assert_clusters(*state, &s, &values, NULL, expected, 3);
}

static void cuts_where_all_branches_have_a_boundary(void **state)
{
    static const uint64_t expected[] = {0, 20, 30};
    shape s = {.tree = {0}};

    add_branch(&s, 100, tens);
    add_branch(&s, 100, twenty_ten);
    assert_clusters(*state, &s, &nothing, NULL, expected, 2);
}

/* A branch that ends early or is damaged cuts nothing. */
static void passes_over_short_and_damaged_branches(void **state)
{
    static const uint64_t expected[] = {0, 10, 20, 30}, five[] = {5, 0};
    shape s = {.tree = {0}};

    add_branch(&s, 100, tens);
    add_branch(&s, 100, tens);
    add_branch(&s, 100, all);
    s.branches[2].fault = "damaged";
    assert_clusters(*state, &s, &nothing, NULL, expected, 3);
    add_branch(&s, 100, five);
    s.tree.n_branches = 3;
    s.branches[2] = s.branches[3];
    assert_int_equal(tg_clusters_find(*state, &s.tree, &nothing, NULL), TAGMA_OK);
    assert_int_equal(s.tree.n_clusters, 1); /* its only boundary is entry 0 */
    tg_free(*state, s.tree.clusters);
    s.tree.clusters = NULL;
}

/* Where no common boundary keeps clusters small, the largest branch's baskets do. */
static void cuts_large_clusters_by_the_largest_branch(void **state)
{
    static const uint64_t whole[] = {0, 30}, cut[] = {0, 10, 20, 30};
    shape s = {.tree = {0}};

    add_branch(&s, 100, tens);
    add_branch(&s, 90, odd);
    assert_clusters(*state, &s, &nothing, NULL, whole, 1);
    s.branches[0].bytes = (uint64_t)1 << 30;
    assert_clusters(*state, &s, &nothing, NULL, cut, 3);
}

static void makes_one_cluster_without_baskets_and_none_without_entries(void **state)
{
    static const uint64_t one[] = {0, 98}, none[] = {0};
    shape s = {.tree = {.n_entries = 98}};

    assert_clusters(*state, &s, &nothing, NULL, one, 1);
    s.tree = (tg_tree){.n_entries = 0};
    assert_clusters(*state, &s, &nothing, NULL, none, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_by_the_recorded_size),
        cmocka_unit_test(cuts_by_recorded_ranges),
        cmocka_unit_test(does_not_believe_in_more_clusters_than_baskets),
        cmocka_unit_test(cuts_where_all_branches_have_a_boundary),
        cmocka_unit_test(passes_over_short_and_damaged_branches),
        cmocka_unit_test(cuts_large_clusters_by_the_largest_branch),
        cmocka_unit_test(makes_one_cluster_without_baskets_and_none_without_entries),
    };

    return cmocka_run_group_tests(tests, make_ctx, free_ctx);
}
