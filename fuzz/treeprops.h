/* SPDX-License-Identifier: Apache-2.0
 * What holds for any tree that was read, whatever file it came from. */
#ifndef TG_FUZZ_TREEPROPS_H
#define TG_FUZZ_TREEPROPS_H

#include "fuzz.h"

#include "root/tablefile.h"

static inline void fuzz_check_branch(const tg_tree *tree, const tg_branch *branch)
{
    uint64_t next = branch->first_entry;

    FUZZ_CHECK(branch->first_basket + branch->n_baskets <= tree->n_baskets);
    for (uint64_t i = 0; i < branch->n_baskets; i++) {
        const tg_basket *basket = &tree->baskets[branch->first_basket + i];

        FUZZ_CHECK(basket->first_entry == next && basket->n_entries > 0 && basket->n_entries <= INT32_MAX);
        next += basket->n_entries;
        if (basket->offset & TG_BASKET_EMBEDDED)
            FUZZ_CHECK(tg_inside(basket->offset & ~TG_BASKET_EMBEDDED, basket->bytes, tree->record_unpacked));
    }
    FUZZ_CHECK(branch->n_baskets == 0 || next == branch->end_entry);
}

/* Saved and loaded it is the same, so that a sidecar can stand for the file. */
static inline void fuzz_check_saved(tagma_ctx *ctx, const tg_tree *tree)
{
    tg_buf first = TG_BUF_INIT, second = TG_BUF_INIT;
    tg_tree *loaded;

    FUZZ_CHECK(tg_tree_save(ctx, tree, &first) == TAGMA_OK);
    FUZZ_CHECK(tg_tree_load(ctx, first.bytes, first.n, &loaded) == TAGMA_OK);
    FUZZ_CHECK(tg_tree_save(ctx, loaded, &second) == TAGMA_OK);
    FUZZ_CHECK(first.n == second.n && memcmp(first.bytes, second.bytes, first.n) == 0);
    tg_tree_free(loaded);
    tg_buf_free(ctx, &first);
    tg_buf_free(ctx, &second);
}

static inline void fuzz_check_tree(tagma_ctx *ctx, const tg_tree *tree)
{
    for (uint32_t b = 0; b < tree->n_branches; b++) {
        FUZZ_CHECK(tree->branches[b].parent == TAGMA_NONE || tree->branches[b].parent < b);
        fuzz_check_branch(tree, &tree->branches[b]);
    }
    FUZZ_CHECK(tree->clusters[0] == 0 && tree->clusters[tree->n_clusters] == tree->n_entries);
    for (uint64_t i = 0; i < tree->n_clusters; i++)
        FUZZ_CHECK(tree->clusters[i] < tree->clusters[i + 1]);
    for (uint32_t c = 0; c < tagma_schema_n_columns(tree->schema); c++) {
        const tagma_column *column = tagma_schema_column(tree->schema, c);

        FUZZ_CHECK(tree->layouts[c].branch < tree->n_branches);
        FUZZ_CHECK(column->reason ? *column->reason != 0 : column->type < TAGMA_UNKNOWN);
        FUZZ_CHECK(tagma_schema_find(tree->schema, column->name) == c);
    }
    fuzz_check_saved(ctx, tree);
}

#endif
