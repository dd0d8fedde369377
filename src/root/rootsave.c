/* SPDX-License-Identifier: Apache-2.0
 * What is kept of a tree beside its file: its branch table and an index of its ids, in a sidecar. */
#include <string.h>

#include "index/sidecar.h"
#include "root/rootevents.h"
#include "root/tablefile.h"

static tagma_status save(tagma_ctx *ctx, const tg_root_events *root, const tagma_index *index,
                         const char *path)
{
    const char *file = tagma_source_name(root->source);
    tg_identity identity = {.file_bytes = tagma_source_size(root->source),
                            .tree = root->tree->name,
                            .cycle = root->tree->cycle,
                            .record_checksum = root->tree->record_hash,
                            .n_entries = root->tree->n_entries};
    tg_sidecar_content content = {.index = index};
    tg_buf table = TG_BUF_INIT;
    tagma_status st;

    memcpy(identity.uuid, root->facts.uuid, sizeof identity.uuid);
    st = tg_tree_save(ctx, root->tree, &table);
    content.branches = table.bytes;
    content.n_branches = table.n;
    if (st == TAGMA_OK)
        st = tg_sidecar_save(ctx, path, file, &identity, &content);
    if (st == TAGMA_E_IO && !path && root->cache_dir) {
        st = tg_sidecar_save_cached(ctx, root->cache_dir, file, &identity, &content);
        if (st == TAGMA_OK)
            tg_note(ctx, "%s: its folder cannot be written; the sidecar is kept in %s", file,
                    root->cache_dir);
    }
    tg_buf_free(ctx, &table);
    return st;
}

tagma_status tg_root_save_sidecar(tagma_ctx *ctx, const tagma_events *events, const tagma_index *index,
                                  const char *path, bool force)
{
    const tg_root_events *root = tg_root_events_of(events);

    if (root->facts.condition == TAGMA_UNCLOSED && !force)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s was never closed, and may still grow: no sidecar for it without --force",
                       tagma_source_name(root->source));
    TG_TRY(tagma_events_unchanged(ctx, events));
    return save(ctx, root, index, path);
}
