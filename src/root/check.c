/* SPDX-License-Identifier: Apache-2.0
 * Check a tree: every basket of every branch is unpacked and decoded, in windows of entries, which are about the order of the
 * file, so that memory is bounded and counts are at hand where they are needed. */
#include "root/rootevents.h"

/* A window holds about so much of the file, so many baskets, so many entries. */
enum { WINDOW_BYTES = 24 << 20, WINDOW_BASKETS = 65536, WINDOW_ENTRIES = 4 << 20 };

typedef struct walk {
    tg_root_reader *reader;
    const uint32_t *columns; /* that can be read */
    uint32_t n_columns;
    const uint32_t *branches; /* of which no column can: unpacked only */
    uint32_t n_branches;
    uint64_t end;       /* behind the last entry of any of them */
    uint64_t n_baskets; /* of all of them */
    uint64_t window;    /* entries */
    uint64_t n_done;
    tg_teller teller;
} walk;

/* Of a branch with columns that can be read, those are; of the others the baskets alone. */
static tagma_status choose(tagma_ctx *ctx, const tg_tree *tree, const uint32_t *columns, uint32_t n_columns,
                           uint32_t *readable, uint32_t *branches, walk *w)
{
    enum { ASKED = 1, READ = 2 };
    uint32_t n_all = tagma_schema_n_columns(tree->schema);
    uint8_t *column_is = tg_zalloc(ctx, n_all, 1), *branch_is = tg_zalloc(ctx, tree->n_branches, 1);
    tagma_status st = column_is && branch_is ? TAGMA_OK : TAGMA_E_MEMORY;

    for (uint32_t i = 0; columns && st == TAGMA_OK && i < n_columns; i++)
        column_is[columns[i]] = ASKED;
    for (uint32_t c = 0; st == TAGMA_OK && c < n_all; c++) {
        uint32_t branch = tree->layouts[c].branch;

        if (branch >= tree->n_branches || (columns && !column_is[c]))
            continue;
        branch_is[branch] |= ASKED;
        if (tagma_schema_column(tree->schema, c)->reason)
            continue;
        branch_is[branch] |= READ;
        readable[w->n_columns++] = c;
    }
    for (uint32_t b = 0; st == TAGMA_OK && b < tree->n_branches; b++)
        if (!(branch_is[b] & READ) && (branch_is[b] & ASKED || !columns) && tree->branches[b].n_baskets > 0)
            branches[w->n_branches++] = b;
    w->columns = readable;
    w->branches = branches;
    tg_free(ctx, column_is);
    tg_free(ctx, branch_is);
    return st;
}

static void measure_branch(const tg_tree *tree, uint32_t b, walk *w, uint64_t *bytes)
{
    const tg_branch *branch = &tree->branches[b];

    for (uint64_t i = 0; i < branch->n_baskets; i++)
        *bytes += tree->baskets[branch->first_basket + i].bytes;
    w->n_baskets += branch->n_baskets;
    w->end = branch->n_baskets > 0 && branch->end_entry > w->end ? branch->end_entry : w->end;
}

/* How many entries make a window. */
static void measure(const tg_tree *tree, walk *w)
{
    uint64_t bytes = 0, parts;
    uint32_t last = TAGMA_NONE;

    for (uint32_t i = 0; i < w->n_columns; i++) {
        uint32_t b = tree->layouts[w->columns[i]].branch;

        if (b != last) /* leaves of one branch stand together */
            measure_branch(tree, b, w, &bytes);
        last = b;
    }
    for (uint32_t i = 0; i < w->n_branches; i++)
        measure_branch(tree, w->branches[i], w, &bytes);
    parts = bytes / WINDOW_BYTES + w->n_baskets / WINDOW_BASKETS + 1;
    w->window = w->end / parts + 1;
    w->window = w->window < WINDOW_ENTRIES ? w->window : WINDOW_ENTRIES;
}

/* Where the window that begins at `first` ends: with a cluster, where that is not far. */
static uint64_t window_end(const tg_tree *tree, const walk *w, uint64_t first)
{
    uint64_t wanted = first + w->window, lo = 0, hi = tree->n_clusters;

    if (wanted >= w->end)
        return w->end;
    while (lo < hi) { /* first cluster that begins at `wanted` or later */
        uint64_t middle = lo + (hi - lo) / 2;

        if (tree->clusters[middle] < wanted)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (tree->n_clusters > 0 && tree->clusters[lo] >= wanted &&
        tree->clusters[lo] - wanted <= w->window / 2 && tree->clusters[lo] <= w->end)
        return tree->clusters[lo];
    return wanted;
}

static tagma_status check_window(tagma_ctx *ctx, walk *w, uint64_t first, uint64_t end)
{
    tg_rows rows = {.first = first, .n = end - first};
    tg_call call;
    tagma_status st = tg_call_new(ctx, &w->reader->fetcher, &rows, w->columns, w->n_columns, true, &call);

    for (uint32_t i = 0; i < w->n_branches && st == TAGMA_OK; i++)
        st = tg_call_add_branch(ctx, &call, w->branches[i]);
    if (st == TAGMA_OK)
        st = tg_call_run(ctx, &call, NULL);
    if (st == TAGMA_OK)
        st = tg_source_check(ctx, w->reader->fetcher.source);
    if (st == TAGMA_OK)
        tg_loss_tell(ctx, &call.loss, &w->teller);
    w->n_done += call.n_begun;
    tg_call_leave(&call);
    tg_call_free(ctx, &call);
    return st < 0 ? st : tg_progress(ctx, "check", "baskets", w->n_done, w->n_baskets);
}

/* Entries that a branch should have and no basket holds. */
static tagma_status check_holes(tagma_ctx *ctx, const tg_tree *tree, uint32_t b, tg_loss *loss)
{
    const tg_branch *branch = &tree->branches[b];
    uint64_t at = branch->first_entry;

    tg_fail(ctx, TAGMA_E_CORRUPT, "no basket holds these entries");
    for (uint64_t i = 0; i <= branch->n_baskets; i++) {
        const tg_basket *basket = &tree->baskets[branch->first_basket + i];
        uint64_t next = i < branch->n_baskets ? basket->first_entry : branch->end_entry;

        if (next > at)
            TG_TRY(tg_loss_find(ctx, loss, TAGMA_E_CORRUPT, b, UINT64_MAX, at, next - at));
        if (i < branch->n_baskets)
            at = basket->first_entry + basket->n_entries;
    }
    return TAGMA_OK;
}

static tagma_status check_all_holes(tagma_ctx *ctx, const tg_tree *tree, walk *w)
{
    tg_loss loss = {0};
    tagma_status st = TAGMA_OK;
    uint32_t last = TAGMA_NONE;

    for (uint32_t i = 0; i < w->n_columns && st == TAGMA_OK; i++) {
        uint32_t b = tree->layouts[w->columns[i]].branch;

        if (b != last)
            st = check_holes(ctx, tree, b, &loss);
        last = b;
    }
    for (uint32_t i = 0; i < w->n_branches && st == TAGMA_OK; i++)
        st = check_holes(ctx, tree, w->branches[i], &loss);
    if (st == TAGMA_OK)
        tg_loss_tell(ctx, &loss, &w->teller);
    tg_loss_free(ctx, &loss);
    return st;
}

tagma_status tg_root_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                           uint64_t *n_baskets, uint64_t *n_faults)
{
    const tg_root_events *root = tg_root_events_of(reader->events);
    const tg_tree *tree = root->tree;
    uint32_t *readable = tg_alloc(ctx, tagma_schema_n_columns(tree->schema), sizeof *readable);
    uint32_t *branches = tg_alloc(ctx, tree->n_branches, sizeof *branches);
    walk w = {.reader = (tg_root_reader *)reader};
    tagma_status st = TAGMA_E_MEMORY;

    w.teller = (tg_teller){.tree = tree, .file = root->base.info.file, .column_of = root->column_of};
    w.teller.told = tg_zalloc(ctx, tree->n_baskets / 8 + 1, 1);
    if (readable && branches && w.teller.told)
        st = choose(ctx, tree, columns, n_columns, readable, branches, &w);
    if (st == TAGMA_OK) {
        measure(tree, &w);
        st = check_all_holes(ctx, tree, &w);
    }
    for (uint64_t first = 0, end; st == TAGMA_OK && first < w.end; first = end) {
        end = window_end(tree, &w, first);
        st = check_window(ctx, &w, first, end);
    }
    *n_baskets = w.n_done;
    *n_faults = w.teller.n_told;
    w.reader->n_told += w.teller.n_told;
    tg_free(ctx, readable);
    tg_free(ctx, branches);
    tg_free(ctx, w.teller.told);
    return st;
}
