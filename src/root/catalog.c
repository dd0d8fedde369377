/* SPDX-License-Identifier: Apache-2.0
 * Sort the keys of a file into trees, RNTuples and all the rest. */
#include <stdlib.h>

#include "root/rootfile.h"
#include "root/streamer.h"

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static bool is_tree_class(const char *class_name)
{
    static const char *const names[] = {"TTree", "TNtuple", "TNtupleD", "TChain"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(class_name, names[i]) == 0)
            return true;
    return false;
}

static bool is_ntuple_class(const char *class_name)
{
    return strcmp(class_name, "ROOT::RNTuple") == 0 || strcmp(class_name, "ROOT::Experimental::RNTuple") == 0;
}

/* Common classes that are no tree, so that most files are listed without their streamer info. */
static bool is_plain_class(const char *class_name)
{
    static const char *const beginnings[] = {
        "TH1",     "TH2",        "TH3",         "TProfile",    "TGraph",    "TObjString", "TNamed",
        "TList",   "TObjArray",  "TMap",        "TCanvas",     "TF1",       "TProcessID", "ROOT::RNTuple",
        "string",  "TParameter", "TVector",     "TMatrix",     "THashList", "TDirectory", "THnSparse",
        "vector<", "map<",       "TMultiGraph", "TEfficiency", "TCutG",     "TPave",      "TStyle"};

    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (begins_with(class_name, beginnings[i]))
            return true;
    return false;
}

static tagma_status add_tree(tagma_ctx *ctx, tg_root_file *file, uint32_t entry)
{
    void *block = file->trees;
    const tg_entry *of = &file->entries[entry];
    tg_tree_entry tree = {.entry = entry,
                          .path = tg_text_join(ctx, &file->arena,
                                               tg_text_of(file->directories[of->directory].path), '/',
                                               tg_text_of(of->name))};
    tagma_status st = tg_reserve(ctx, &block, &file->trees_capacity, file->n_trees + 1, sizeof *file->trees);

    file->trees = block;
    TG_TRY(st);
    if (!tree.path)
        return TAGMA_E_MEMORY;
    file->trees[file->n_trees++] = tree;
    return TAGMA_OK;
}

static tagma_status add_ntuple(tagma_ctx *ctx, tg_root_file *file, uint32_t entry)
{
    void *block = file->ntuples;
    tagma_status st =
        tg_reserve(ctx, &block, &file->ntuples_capacity, file->n_ntuples + 1, sizeof *file->ntuples);

    file->ntuples = block;
    TG_TRY(st);
    file->ntuples[file->n_ntuples++] = entry;
    return TAGMA_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `names` is [n], sorted here. */
static tagma_status count_classes(tagma_ctx *ctx, tg_root_file *file, const char **names, uint64_t n)
{
    if (n > 0)
        qsort(names, n, sizeof *names, compare_names);
    for (uint64_t i = 0; i < n; i++) {
        void *block = file->classes;
        tagma_status st;

        if (i > 0 && strcmp(names[i], names[i - 1]) == 0) {
            file->classes[file->n_classes - 1].n++;
            continue;
        }
        st = tg_reserve(ctx, &block, &file->classes_capacity, file->n_classes + 1, sizeof *file->classes);
        file->classes = block;
        TG_TRY(st);
        file->classes[file->n_classes++] = (tg_class_count){names[i], 1};
    }
    return TAGMA_OK;
}

typedef struct tree_order {
    const char *path;
    uint32_t cycle;
    uint32_t tree;
} tree_order;

/* By name, the highest cycle first. */
static int compare_orders(const void *a, const void *b)
{
    const tree_order *left = a, *right = b;
    int order = strcmp(left->path, right->path);

    if (order != 0)
        return order;
    if (left->cycle != right->cycle)
        return left->cycle > right->cycle ? -1 : 1;
    return left->tree < right->tree ? -1 : 1;
}

static tagma_status mark_newest(tagma_ctx *ctx, tg_root_file *file)
{
    tree_order *orders = tg_alloc(ctx, file->n_trees, sizeof *orders);

    if (!orders)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < file->n_trees; i++)
        orders[i] = (tree_order){file->trees[i].path, file->entries[file->trees[i].entry].cycle, i};
    if (file->n_trees > 0)
        qsort(orders, file->n_trees, sizeof *orders, compare_orders);
    for (uint64_t i = 0; i < file->n_trees; i++)
        file->trees[orders[i].tree].is_newest = i == 0 || strcmp(orders[i].path, orders[i - 1].path) != 0;
    tg_free(ctx, orders);
    return TAGMA_OK;
}

typedef struct classifier {
    tg_streamers *streamers; /* NULL until a class asks for them */
    bool is_tried;
    const char *last; /* the class asked last, and the answer */
    bool last_is_tree;
} classifier;

/* A class of the user's may derive from TTree: the streamer info tells. Without one it is no tree. */
static tagma_status derives_from_tree(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane, classifier *c,
                                      const char *class_name, bool *answer)
{
    tagma_status st = TAGMA_OK;

    *answer = false;
    if (is_plain_class(class_name))
        return TAGMA_OK;
    if (c->last == class_name) {
        *answer = c->last_is_tree;
        return TAGMA_OK;
    }
    if (!c->is_tried) {
        c->is_tried = true;
        st = tg_streamers_read(ctx, lane, &file->header, &c->streamers);
        if (st < 0)
            return tg_root_file_damage(ctx, file, st, file->header.streamers_offset);
    }
    c->last = class_name;
    c->last_is_tree = tg_streamers_is_tree(c->streamers, class_name);
    *answer = c->last_is_tree;
    return TAGMA_OK;
}

static tagma_status sort_entries(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane, classifier *c,
                                 const char **others, uint64_t *n_others)
{
    for (uint32_t i = 0; i < file->n_entries; i++) {
        const char *class_name = file->entries[i].class_name;
        bool is_tree = is_tree_class(class_name);

        if (!is_tree)
            TG_TRY(derives_from_tree(ctx, file, lane, c, class_name, &is_tree));
        if (is_tree) {
            TG_TRY(add_tree(ctx, file, i));
            continue;
        }
        if (is_ntuple_class(class_name))
            TG_TRY(add_ntuple(ctx, file, i));
        others[(*n_others)++] = class_name;
    }
    return TAGMA_OK;
}

tagma_status tg_catalog(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane)
{
    const char **others = tg_alloc(ctx, file->n_entries, sizeof *others);
    classifier c = {NULL, false, NULL, false};
    uint64_t n_others = 0;
    tagma_status st;

    if (!others)
        return TAGMA_E_MEMORY;
    st = sort_entries(ctx, file, lane, &c, others, &n_others);
    if (st == TAGMA_OK)
        st = count_classes(ctx, file, others, n_others);
    if (st == TAGMA_OK)
        st = mark_newest(ctx, file);
    tg_streamers_free(ctx, c.streamers);
    tg_free(ctx, others);
    return st;
}
