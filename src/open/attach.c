/* SPDX-License-Identifier: Apache-2.0
 * A tree from its sidecar: found by the state of the file, with the branch table and, for the id columns wanted, the index. */
#include "open/attach.h"

#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "index/idnames.h"
#include "index/sidecar.h"
#include "root/tablefile.h"

static bool is_there(tagma_ctx *ctx, char *path, tagma_status *st)
{
    bool found = path && access(path, F_OK) == 0;

    if (!path)
        *st = TAGMA_E_MEMORY;
    tg_free(ctx, path);
    return found;
}

/* Is there anything to look at? Spares reading the tree's record twice where there is no sidecar. */
static tagma_status has_candidate(tagma_ctx *ctx, const tagma_file *file, const tagma_open_options *options,
                                  const tg_identity *identity, bool *found)
{
    tagma_status st = TAGMA_OK;

    *found = true;
    if (options->sidecar == TAGMA_SIDECAR_PATH)
        return TAGMA_OK;
    *found = is_there(ctx, tg_sidecar_path(ctx, tagma_source_name(file->source)), &st);
    if (!*found && st == TAGMA_OK && options->cache_dir)
        *found = is_there(ctx, tg_sidecar_cache_path(ctx, options->cache_dir, identity), &st);
    return st;
}

/* The branch table and the index of a sidecar that fits. */
static tagma_status load(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_identity *identity, const char *ids,
                         tg_tree **tree, tagma_index **index)
{
    const char *names[TAGMA_MAX_ID_AXES];
    tg_identity known = *identity;
    tagma_ids found;
    uint8_t *bytes;
    uint64_t n;
    tagma_status st = tg_sidecar_branches(ctx, sidecar, identity, &bytes, &n);

    if (st != TAGMA_OK)
        return st;
    st = tg_tree_load(ctx, bytes, n, tree);
    tg_free(ctx, bytes);
    TG_TRY(st);
    if (tg_ids_find(ctx, (*tree)->schema, identity->tree, ids, &found) != TAGMA_OK)
        return TAGMA_OK;
    for (uint32_t a = 0; a < found.n_axes; a++)
        names[a] = tagma_schema_column((*tree)->schema, found.columns[a])->name;
    known.n_entries = (*tree)->n_entries;
    st = tg_sidecar_index(ctx, sidecar, &known, names, found.n_axes, index);
    return st < 0 ? st : TAGMA_OK;
}

static tagma_status find_and_load(tagma_ctx *ctx, const tagma_file *file, const tagma_open_options *options,
                                  const tg_identity *identity, tg_tree **tree, tagma_index **index)
{
    tg_sidecar_search search = {.file = tagma_source_name(file->source),
                                .path = options->sidecar == TAGMA_SIDECAR_PATH ? options->sidecar_path : NULL,
                                .cache_dir = options->cache_dir};
    tg_sidecar *sidecar;
    tagma_status st = tg_sidecar_find(ctx, &search, identity, &sidecar);

    if (st != TAGMA_OK)
        return st;
    st = load(ctx, sidecar, identity, options->ids, tree, index);
    tg_sidecar_free(ctx, sidecar);
    if (st < 0) {
        tg_tree_free(*tree);
        *tree = NULL;
    }
    return st;
}

tagma_status tg_attach_sidecar(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                               const tagma_open_options *options, tg_tree **tree, tagma_index **index)
{
    const tg_root_header *header = &file->root->header;
    tg_identity identity = {.file_bytes = tagma_source_size(file->source),
                            .tree = file->root->trees[i].path,
                            .cycle = file->root->entries[file->root->trees[i].entry].cycle,
                            .n_entries = TG_ENTRIES_UNKNOWN};
    tagma_tree_info info = {.struct_bytes = sizeof info};
    tagma_status st;
    bool found;

    *tree = NULL;
    *index = NULL;
    if (options->sidecar == TAGMA_SIDECAR_NONE ||
        (!file->is_on_disk && options->sidecar == TAGMA_SIDECAR_AUTO))
        return TAGMA_ABSENT;
    if (header->has_uuid)
        memcpy(identity.uuid, header->uuid, sizeof identity.uuid);
    TG_TRY(has_candidate(ctx, file, options, &identity, &found));
    if (!found)
        return TAGMA_ABSENT;
    TG_TRY(tg_root_tree_hash(ctx, file->root, i, &identity.record_checksum));
    st = find_and_load(ctx, file, options, &identity, tree, index);
    if (st != TAGMA_E_STALE)
        return st;
    /* The words are better when they can tell how many entries there are now. */
    TG_TRY(tagma_file_tree(ctx, file, i, &info));
    if (!info.error)
        identity.n_entries = info.n_entries;
    return find_and_load(ctx, file, options, &identity, tree, index);
}
