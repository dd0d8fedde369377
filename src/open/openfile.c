/* SPDX-License-Identifier: Apache-2.0
 * A file seen as what it holds. */
#include "open/openfile.h"

#include <string.h>

#include "base/num.h"

tagma_status tagma_file_open_source(tagma_ctx *ctx, tagma_source *source, tagma_file **out)
{
    static const tagma_open_options plain = TAGMA_OPEN_OPTIONS_INIT;
    tagma_file *file = tg_zalloc(ctx, 1, sizeof *file);
    bool is_store;
    tagma_status st;

    *out = NULL;
    if (!file)
        return TAGMA_E_MEMORY;
    st = tg_source_look(ctx, source, &file->source, &is_store);
    if (st == TAGMA_OK)
        st = is_store ? tg_open_store(ctx, file->source, &plain, &file->store)
                      : tg_root_file_open(ctx, file->source, &file->root);
    if (st < 0) {
        tagma_source_release(file->source);
        tg_free(ctx, file);
        return st;
    }
    file->account = tg_account_acquire(ctx->account);
    *out = file;
    return TAGMA_OK;
}

tagma_status tagma_file_open(tagma_ctx *ctx, const char *path, tagma_io io, tagma_file **out)
{
    tagma_source *source;
    tagma_status st;

    *out = NULL;
    TG_TRY(tagma_source_open(ctx, path, io, &source));
    st = tagma_file_open_source(ctx, source, out);
    if (st == TAGMA_OK)
        (*out)->is_on_disk = true;
    tagma_source_release(source);
    return st;
}

void tagma_file_release(tagma_file *file)
{
    tg_account *account;

    if (!file)
        return;
    account = file->account;
    tg_tree_free(file->tree);
    tg_root_file_free(file->root);
    tagma_events_release(file->store);
    tagma_source_release(file->source);
    tg_arena_free(account, &file->words);
    tg_account_free(account, file);
    tg_account_release(account);
}

void tagma_file_get_info(const tagma_file *file, tagma_file_info *info)
{
    tagma_file_info full;

    if (file->store)
        tg_store_file_info(file->store, &full);
    else
        tg_root_file_info(file->root, &full);
    tg_give(info, &full, sizeof full);
}

/* The i-th tree, read now or kept from before; still the file's. */
static tagma_status read_tree(tagma_ctx *ctx, tagma_file *file, uint32_t i)
{
    if (file->tree && file->tree_at == i)
        return TAGMA_OK;
    tg_tree_free(file->tree);
    file->tree = NULL;
    file->tree_at = i;
    return tg_root_tree_read(ctx, file->root, i, &file->tree);
}

tagma_status tg_file_take_tree(tagma_ctx *ctx, tagma_file *file, uint32_t i, tg_tree **out)
{
    TG_TRY(read_tree(ctx, file, i));
    *out = file->tree;
    file->tree = NULL;
    return TAGMA_OK;
}

/* Is there an i-th tree? */
static tagma_status check_tree(tagma_ctx *ctx, const tagma_file *file, uint32_t i)
{
    uint64_t n = file->store ? 1 : file->root->n_trees;

    if (i < n)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_RANGE, "%s: tree %" PRIu32 " of %" PRIu64, tagma_source_name(file->source), i,
                   n);
}

static tagma_tree_info store_tree(const tagma_events *store)
{
    return (tagma_tree_info){.name = store->info.tree,
                             .class_name = "TTree",
                             .title = store->info.title,
                             .cycle = store->info.cycle,
                             .is_newest = true,
                             .n_entries = store->info.n_entries};
}

static tagma_status root_tree(tagma_ctx *ctx, tagma_file *file, uint32_t i, tagma_tree_info *info)
{
    const tg_tree_entry *entry = &file->root->trees[i];
    const tg_entry *key = &file->root->entries[entry->entry];
    tagma_status st = read_tree(ctx, file, i);

    *info = (tagma_tree_info){.name = entry->path,
                              .class_name = key->class_name,
                              .title = key->title,
                              .cycle = key->cycle,
                              .is_newest = entry->is_newest};
    if (st == TAGMA_OK) {
        info->n_entries = file->tree->n_entries;
        return TAGMA_OK;
    }
    if (st == TAGMA_E_MEMORY || st == TAGMA_E_IO)
        return st;
    info->error = tg_arena_text(ctx, &file->words, ctx->message, strlen(ctx->message));
    return info->error ? TAGMA_OK : TAGMA_E_MEMORY;
}

tagma_status tagma_file_tree(tagma_ctx *ctx, tagma_file *file, uint32_t i, tagma_tree_info *info)
{
    tagma_tree_info full;
    tagma_status st = TAGMA_OK;

    TG_TRY(check_tree(ctx, file, i));
    if (file->store)
        full = store_tree(file->store);
    else
        st = root_tree(ctx, file, i, &full);
    tg_give(info, &full, sizeof full);
    return st;
}

tagma_status tagma_file_class(const tagma_file *file, uint32_t i, const char **class_name, uint64_t *n)
{
    if (file->store || i >= file->root->n_classes)
        return TAGMA_E_RANGE;
    *class_name = file->root->classes[i].name;
    *n = file->root->classes[i].n;
    return TAGMA_OK;
}

tagma_status tagma_file_events(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                               const tagma_open_options *options, tagma_events **out)
{
    tagma_open_options own = TAGMA_OPEN_OPTIONS_INIT;

    *out = NULL;
    TG_TRY(check_tree(ctx, file, i));
    if (options)
        own = *options;
    own.tree = NULL;
    return file->store ? tg_open_store(ctx, file->source, &own, out)
                       : tg_file_open_events(ctx, file, i, &own, out);
}

tagma_status tagma_file_check(tagma_ctx *ctx, tagma_file *file, uint64_t *n_records, uint64_t *n_faults)
{
    *n_records = *n_faults = 0;
    if (file->store) /* all of it belongs to its one tree: tagma_events_check() */
        return TAGMA_OK;
    return tg_root_file_check(ctx, file->root, n_records, n_faults);
}
