/* SPDX-License-Identifier: Apache-2.0
 * Find the clusters of a tree. Linear in its baskets whatever their shape.
 * Source of facts: docs/ROOT.md, "Clusters". */
#include "root/clusters.h"

/* Without recorded clusters, common boundaries that hold more than this are cut where the largest branch's baskets begin. */
static const uint64_t cluster_bytes_max = (uint64_t)64 << 20;

/* Ranges of one cluster size each; the last is open. */
typedef struct ranges {
    const uint8_t *ends, *sizes;
    uint32_t n;
    int64_t last_size;
} ranges;

static void range_at(const ranges *r, uint32_t i, uint64_t n_entries, uint64_t *end, int64_t *size)
{
    int64_t last;

    if (i == r->n) {
        *end = n_entries;
        *size = r->last_size;
        return;
    }
    last = (int64_t)tg_be64(r->ends + (size_t)8 * i);
    *size = (int64_t)tg_be64(r->sizes + (size_t)8 * i);
    *end = last < 0 ? 0 : (uint64_t)last + 1;
    if (*end > n_entries)
        *end = n_entries;
}

/* Number of clusters the ranges make, or their first entries into `clusters`. */
static uint64_t walk_ranges(const ranges *r, uint64_t n_entries, uint64_t *clusters)
{
    uint64_t n = 0, start = 0, end;
    int64_t size;

    for (uint32_t i = 0; i <= r->n; i++) {
        uint64_t in_range;

        range_at(r, i, n_entries, &end, &size);
        if (end <= start)
            continue;
        in_range = size <= 0 ? 1 : (end - start - 1) / (uint64_t)size + 1;
        for (uint64_t c = 0; clusters && c < in_range; c++)
            clusters[n + c] = start + c * (uint64_t)size;
        if (!tg_add(n, in_range, &n))
            return UINT64_MAX;
        start = end;
    }
    return n;
}

static uint64_t most_baskets(const tg_tree *tree)
{
    uint64_t most = 0;

    for (uint32_t b = 0; b < tree->n_branches; b++)
        if (tree->branches[b].n_baskets > most)
            most = tree->branches[b].n_baskets;
    return most;
}

static tagma_status from_ranges(tagma_ctx *ctx, tg_tree *tree, const ranges *r, bool *is_done)
{
    /* A cluster has a basket of each branch, but for the last ones: more clusters than that are a claim, not a fact. */
    uint64_t most = 2 * most_baskets(tree) + r->n + 16;
    uint64_t n = walk_ranges(r, tree->n_entries, NULL);

    *is_done = n <= most;
    if (!*is_done)
        return TAGMA_OK;
    tree->clusters = tg_alloc(ctx, n + 1, sizeof *tree->clusters);
    if (!tree->clusters)
        return TAGMA_E_MEMORY;
    tree->n_clusters = walk_ranges(r, tree->n_entries, tree->clusters);
    tree->clusters[n] = tree->n_entries;
    return TAGMA_OK;
}

static bool is_of_use(const tg_branch *branch)
{
    return branch->n_baskets > 0 && !branch->fault;
}

/* Where a branch's baskets begin, from entry 0 on. */
static tagma_status from_branch(tagma_ctx *ctx, tg_tree *tree, const tg_branch *branch)
{
    uint64_t n = 0;

    tg_free(ctx, tree->clusters);
    tree->clusters = tg_alloc(ctx, branch->n_baskets + 2, sizeof *tree->clusters);
    if (!tree->clusters)
        return TAGMA_E_MEMORY;
    tree->clusters[n++] = 0;
    for (uint64_t i = 0; i < branch->n_baskets; i++) {
        uint64_t first = tree->baskets[branch->first_basket + i].first_entry;
        if (first > tree->clusters[n - 1] && first < tree->n_entries)
            tree->clusters[n++] = first;
    }
    tree->n_clusters = n;
    tree->clusters[n] = tree->n_entries;
    return TAGMA_OK;
}

/* Drop the boundaries that would cut a basket of this branch. Both ascend. */
static void keep_common(tg_tree *tree, const tg_branch *branch)
{
    uint64_t kept = 0, i = 0;

    for (uint64_t c = 0; c < tree->n_clusters; c++) {
        uint64_t boundary = tree->clusters[c];
        bool is_cut;

        while (i < branch->n_baskets && tree->baskets[branch->first_basket + i].first_entry < boundary)
            i++;
        is_cut = boundary > branch->first_entry && boundary < branch->end_entry &&
                 (i == branch->n_baskets || tree->baskets[branch->first_basket + i].first_entry != boundary);
        if (!is_cut)
            tree->clusters[kept++] = boundary;
    }
    tree->n_clusters = kept;
    tree->clusters[kept] = tree->n_entries;
}

static tagma_status from_baskets(tagma_ctx *ctx, tg_tree *tree)
{
    const tg_branch *fewest = NULL, *largest = NULL;
    uint64_t bytes = 0;

    for (uint32_t b = 0; b < tree->n_branches; b++) {
        const tg_branch *branch = &tree->branches[b];

        if (!is_of_use(branch))
            continue;
        if (!fewest || branch->n_baskets < fewest->n_baskets)
            fewest = branch;
        if (!largest || branch->bytes > largest->bytes)
            largest = branch;
        if (!tg_add(bytes, branch->bytes, &bytes))
            bytes = UINT64_MAX;
    }
    if (!fewest)
        return from_branch(ctx, tree, &(tg_branch){.n_baskets = 0});
    TG_TRY(from_branch(ctx, tree, fewest));
    /* Never longer than the shortest table, so that this is linear in all of them. */
    for (uint32_t b = 0; b < tree->n_branches; b++)
        if (is_of_use(&tree->branches[b]))
            keep_common(tree, &tree->branches[b]);
    /* Entry 0 is never dropped. */
    if (tree->n_clusters > 0 && bytes / tree->n_clusters > cluster_bytes_max)
        return from_branch(ctx, tree, largest);
    return TAGMA_OK;
}

tagma_status tg_clusters_find(tagma_ctx *ctx, tg_tree *tree, const tg_values *values, const uint8_t *payload)
{
    const tg_member_array *ends = &values->arrays[TG_FIELD_CLUSTER_RANGE_END];
    const tg_member_array *sizes = &values->arrays[TG_FIELD_CLUSTER_SIZE];
    ranges r = {.last_size = values->numbers[TG_FIELD_AUTO_FLUSH]};
    bool is_done = false;

    if (tree->n_entries == 0) {
        tree->clusters = tg_zalloc(ctx, 1, sizeof *tree->clusters);
        return tree->clusters ? TAGMA_OK : TAGMA_E_MEMORY;
    }
    if (ends->n > 0 && ends->n == sizes->n && ends->width == 8 && sizes->width == 8)
        r = (ranges){payload + ends->at, payload + sizes->at, ends->n, r.last_size};
    if (r.n > 0 || r.last_size > 0)
        TG_TRY(from_ranges(ctx, tree, &r, &is_done));
    return is_done ? TAGMA_OK : from_baskets(ctx, tree);
}
