/* SPDX-License-Identifier: Apache-2.0
 * From a path to events: which kind of file, which tree, with or without a sidecar. */
#include <string.h>

#include "base/num.h"
#include "event/events.h"
#include "open/attach.h"
#include "open/openfile.h"
#include "open/path.h"
#include "root/reader.h"

static tagma_status check_options(tagma_ctx *ctx, const tagma_open_options *options)
{
    if (options->struct_bytes != sizeof *options)
        return tg_fail(ctx, TAGMA_E_ARG, "open options of %zu bytes, this version knows %zu",
                       options->struct_bytes, sizeof *options);
    if (options->sidecar == TAGMA_SIDECAR_PATH && !options->sidecar_path)
        return tg_fail(ctx, TAGMA_E_ARG, "a sidecar is asked for by path, and no path is given");
    return TAGMA_OK;
}

tagma_status tg_file_open_events(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                                 const tagma_open_options *options, tagma_events **out)
{
    const tg_header *header = &file->root->header;
    tg_root_facts facts = {.condition = file->root->condition,
                           .release = tg_header_release(header),
                           .compress = header->compress,
                           .ids = options->ids,
                           .cache_dir = options->cache_dir};
    tagma_index *index;
    tg_tree *tree;
    tagma_status st;

    *out = NULL;
    TG_TRY(check_options(ctx, options));
    if (header->has_uuid)
        memcpy(facts.uuid, header->uuid, sizeof facts.uuid);
    st = tg_attach_sidecar(ctx, file, i, options, &tree, &index);
    TG_TRY(st);
    facts.from_sidecar = st == TAGMA_OK;
    if (st == TAGMA_ABSENT)
        TG_TRY(tg_file_take_tree(ctx, file, i, &tree));
    st = tg_root_events_new(ctx, file->source, tree, &facts, out);
    if (st == TAGMA_OK)
        (*out)->index = index;
    else
        tagma_index_release(index);
    return st;
}

static tagma_status open_file(tagma_ctx *ctx, tagma_file *file, const char *tree,
                              const tagma_open_options *options, tagma_events **out)
{
    uint32_t i;

    TG_TRY(tg_file_choose_tree(ctx, file, tree ? tree : options->tree, &i));
    return tg_file_open_events(ctx, file, i, options, out);
}

tagma_status tagma_open_source(tagma_ctx *ctx, tagma_source *source, const tagma_open_options *options,
                               tagma_events **out)
{
    tagma_open_options own = TAGMA_OPEN_OPTIONS_INIT;
    tagma_file *file;
    tagma_status st;

    *out = NULL;
    if (options)
        own = *options;
    TG_TRY(check_options(ctx, &own));
    if (own.sidecar == TAGMA_SIDECAR_AUTO)
        own.sidecar = TAGMA_SIDECAR_NONE;
    TG_TRY(tagma_file_open_source(ctx, source, &file));
    st = open_file(ctx, file, NULL, &own, out);
    tagma_file_release(file);
    return st;
}

tagma_status tagma_open(tagma_ctx *ctx, const char *path, const tagma_open_options *options,
                        tagma_events **out)
{
    static const tagma_open_options defaults = TAGMA_OPEN_OPTIONS_INIT;
    const char *tree = tagma_path_tree(path);
    tagma_file *file;
    char *own;
    tagma_status st;

    *out = NULL;
    if (!options)
        options = &defaults;
    TG_TRY(check_options(ctx, options));
    own = tg_strdup(ctx, path);
    if (!own)
        return TAGMA_E_MEMORY;
    if (tree)
        own[tree - path - 1] = 0;
    st = tagma_file_open(ctx, own, options->io, &file);
    if (st == TAGMA_OK) {
        st = open_file(ctx, file, tree, options, out);
        tagma_file_release(file);
    }
    tg_free(ctx, own);
    return st;
}
