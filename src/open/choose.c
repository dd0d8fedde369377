/* SPDX-License-Identifier: Apache-2.0
 * Which tree of a file is meant. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "index/idnames.h"
#include "open/openfile.h"
#include "open/path.h"

static const char *file_name(const tagma_file *file)
{
    return tagma_source_name(file->source);
}

static const char *tree_path(const void *user, uint64_t i)
{
    const tagma_file *file = user;

    return file->root->trees[i].path;
}

/* The trees' newest cycles in a line: "a, b, c and 12 more". */
static void list_trees(const tagma_file *file, char *dst, size_t dst_bytes)
{
    enum { SHOWN = 20 };
    size_t used = 0;
    uint64_t n = 0;

    dst[0] = 0;
    for (uint64_t i = 0; i < file->root->n_trees; i++) {
        if (!file->root->trees[i].is_newest)
            continue;
        if (n < SHOWN && used < dst_bytes)
            used += (size_t)snprintf(dst + used, dst_bytes - used, "%s%s", n == 0 ? "" : ", ",
                                     file->root->trees[i].path);
        n++;
    }
    if (n > SHOWN && used < dst_bytes)
        snprintf(dst + used, dst_bytes - used, " and %" PRIu64 " more", n - SHOWN);
}

static tagma_status no_tree(tagma_ctx *ctx, const tagma_file *file)
{
    if (file->root->n_ntuples > 0)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s holds RNTuple \"%s\" and no TTree; this version reads TTrees only",
                       file_name(file), tg_root_file_ntuple(file->root, 0));
    return tg_fail(ctx, TAGMA_E_NAME, "%s holds no TTree", file_name(file));
}

/* The tree that a name, or the last names of a path, and maybe a cycle tell. A whole path wins over last names. */
static tagma_status find_named(tagma_ctx *ctx, const tagma_file *file, const char *wanted, uint32_t *out)
{
    uint64_t n_matches = 0, n_whole = 0;
    uint32_t cycle, whole = 0, match = 0;
    size_t length;
    bool has_cycle = tg_tree_name_split(wanted, &length, &cycle);
    char words[512];

    for (uint32_t i = 0; i < file->root->n_trees; i++) {
        const tg_tree_entry *tree = &file->root->trees[i];

        if (has_cycle ? file->root->entries[tree->entry].cycle != cycle : !tree->is_newest)
            continue;
        if (!tg_tree_name_matches(tree->path, wanted, length))
            continue;
        if (strlen(tree->path) == length) {
            whole = i;
            n_whole++;
        }
        match = i;
        n_matches++;
    }
    *out = n_whole == 1 ? whole : match;
    if (n_whole == 1 || n_matches == 1)
        return TAGMA_OK;
    if (n_matches > 1) {
        list_trees(file, words, sizeof words);
        return tg_fail(ctx, TAGMA_E_NAME, "%s: %" PRIu64 " trees are named \"%s\"; name one by its path: %s",
                       file_name(file), n_matches, wanted, words);
    }
    tg_near_names(wanted, tree_path, file, file->root->n_trees, words, sizeof words);
    if (!words[0]) {
        char all[400];
        list_trees(file, all, sizeof all);
        snprintf(words, sizeof words, " (trees: %s)", all);
    }
    return tg_fail(ctx, TAGMA_E_NAME, "%s has no tree \"%s\"%s", file_name(file), wanted, words);
}

static bool is_usual_name(const char *path)
{
    static const char *const names[] = {"Events", "events", "CollectionTree"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Does a tree have an event, a lumi and a run column? A tree that cannot be read has not. */
static bool has_full_ids(tagma_ctx *ctx, tagma_file *file, uint32_t i)
{
    tagma_tree_info info = {.struct_bytes = sizeof info};
    tagma_ids ids;

    if (tagma_file_tree(ctx, file, i, &info) < 0 || info.error)
        return false;
    return tg_ids_find(ctx, file->tree->schema, info.name, NULL, &ids) == TAGMA_OK && ids.n_axes >= 2;
}

tagma_status tg_file_choose_tree(tagma_ctx *ctx, tagma_file *file, const char *wanted, uint32_t *out)
{
    uint32_t n_newest = 0, n_usual = 0, n_full = 0, newest = 0, usual = 0, full = 0;
    char words[700];

    if (file->root->n_trees == 0)
        return no_tree(ctx, file);
    if (wanted)
        return find_named(ctx, file, wanted, out);
    for (uint32_t i = 0; i < file->root->n_trees; i++) {
        if (!file->root->trees[i].is_newest)
            continue;
        newest = i;
        n_newest++;
        if (is_usual_name(file->root->trees[i].path)) {
            usual = i;
            n_usual++;
        }
    }
    *out = n_newest == 1 ? newest : usual;
    if (n_newest == 1 || n_usual == 1)
        return TAGMA_OK;
    for (uint32_t i = 0; i < file->root->n_trees; i++)
        if (file->root->trees[i].is_newest && has_full_ids(ctx, file, i)) {
            full = i;
            n_full++;
        }
    *out = full;
    if (n_full == 1)
        return TAGMA_OK;
    list_trees(file, words, sizeof words);
    return tg_fail(ctx, TAGMA_E_NAME, "%s holds %" PRIu32 " trees; name one with -t: %s", file_name(file),
                   n_newest, words);
}
