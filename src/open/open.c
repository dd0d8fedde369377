/* SPDX-License-Identifier: Apache-2.0
 * From a path to events: which kind of file, which tree, with or without a sidecar. */
#include <string.h>

#include "base/num.h"
#include "event/events.h"
#include "open/attach.h"
#include "open/openfile.h"
#include "open/path.h"
#include "root/reader.h"
#include "source/blocks.h"

static tagma_status check_options(tagma_ctx *ctx, const tagma_open_options *options)
{
    if (options->struct_bytes != sizeof *options)
        return tg_fail(ctx, TAGMA_E_ARG, "open options of %zu bytes, this version knows %zu",
                       options->struct_bytes, sizeof *options);
    if (options->sidecar == TAGMA_SIDECAR_PATH && !options->sidecar_path)
        return tg_fail(ctx, TAGMA_E_ARG, "a sidecar is asked for by path, and no path is given");
    return TAGMA_OK;
}

/* The first bytes; *n of them. */
static tagma_status read_begin(tagma_ctx *ctx, tagma_source *source, uint8_t *bytes, size_t capacity,
                               size_t *n)
{
    uint64_t size = tagma_source_size(source);
    tg_lane *lane;
    tagma_status st;

    *n = size < capacity ? (size_t)size : capacity;
    TG_TRY(tg_lane_new(ctx, source, &lane));
    st = tg_lane_read(ctx, lane, 0, *n, bytes);
    tg_lane_free(lane);
    return st;
}

tagma_status tg_source_look(tagma_ctx *ctx, tagma_source *source, tagma_source **out, bool *is_store)
{
    uint8_t bytes[8];
    size_t n;
    tagma_status st;

    *out = NULL;
    *is_store = false;
    TG_TRY(read_begin(ctx, source, bytes, sizeof bytes, &n));
    if (!tg_blocks_is(bytes, n)) {
        *is_store = tg_store_is(bytes, n);
        *out = tagma_source_acquire(source);
        return TAGMA_OK;
    }
    TG_TRY(tg_blocks_open(ctx, source, out));
    st = read_begin(ctx, *out, bytes, sizeof bytes, &n);
    if (st < 0) {
        tagma_source_release(*out);
        *out = NULL;
        return st;
    }
    *is_store = tg_store_is(bytes, n);
    return TAGMA_OK;
}

tagma_status tg_open_store(tagma_ctx *ctx, tagma_source *source, const tagma_open_options *options,
                           tagma_events **out)
{
    *out = NULL;
    TG_TRY(check_options(ctx, options));
    if (options->sidecar == TAGMA_SIDECAR_PATH)
        return tg_fail(ctx, TAGMA_E_ARG, "%s is a store, which holds its own index; %s is not for it",
                       tagma_source_name(source), options->sidecar_path);
    return tg_store_open(ctx, source, options, out);
}

tagma_status tg_file_open_events(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                                 const tagma_open_options *options, tagma_events **out)
{
    const tg_root_header *header = &file->root->header;
    tg_root_facts facts = {.condition = file->root->condition,
                           .release = tg_root_header_release(header),
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

static tagma_status open_root(tagma_ctx *ctx, tagma_source *source, bool is_on_disk,
                              const tagma_open_options *options, tagma_events **out)
{
    tagma_file *file;
    tagma_status st;
    uint32_t i;

    TG_TRY(tagma_file_open_source(ctx, source, &file));
    file->is_on_disk = is_on_disk;
    st = tg_file_choose_tree(ctx, file, options->tree, &i);
    if (st == TAGMA_OK)
        st = tg_file_open_events(ctx, file, i, options, out);
    tagma_file_release(file);
    return st;
}

static tagma_status open_source(tagma_ctx *ctx, tagma_source *source, bool is_on_disk,
                                const tagma_open_options *options, tagma_events **out)
{
    tagma_source *inner;
    bool is_store;
    tagma_status st;

    TG_TRY(tg_source_look(ctx, source, &inner, &is_store));
    st = is_store ? tg_open_store(ctx, inner, options, out) : open_root(ctx, inner, is_on_disk, options, out);
    tagma_source_release(inner);
    return st;
}

tagma_status tagma_open_source(tagma_ctx *ctx, tagma_source *source, const tagma_open_options *options,
                               tagma_events **out)
{
    tagma_open_options own = TAGMA_OPEN_OPTIONS_INIT;

    *out = NULL;
    if (options)
        own = *options;
    TG_TRY(check_options(ctx, &own));
    if (own.sidecar == TAGMA_SIDECAR_AUTO)
        own.sidecar = TAGMA_SIDECAR_NONE;
    return open_source(ctx, source, false, &own, out);
}

tagma_status tagma_open(tagma_ctx *ctx, const char *path, const tagma_open_options *options,
                        tagma_events **out)
{
    tagma_open_options with_tree = TAGMA_OPEN_OPTIONS_INIT;
    const char *tree = tagma_path_tree(path);
    tagma_source *source;
    char *own;
    tagma_status st;

    *out = NULL;
    if (options)
        with_tree = *options;
    TG_TRY(check_options(ctx, &with_tree));
    if (tree)
        with_tree.tree = tree;
    own = tg_strdup(ctx, path);
    if (!own)
        return TAGMA_E_MEMORY;
    if (tree)
        own[tree - path - 1] = 0;
    st = tagma_source_open(ctx, own, with_tree.io, &source);
    if (st == TAGMA_OK) {
        st = open_source(ctx, source, true, &with_tree, out);
        tagma_source_release(source);
    }
    tg_free(ctx, own);
    return st;
}
