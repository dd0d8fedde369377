/* SPDX-License-Identifier: Apache-2.0
 * The table of functions of a tree's events: getters, readers, reading. */
#include "root/reader.h"

#include "base/pool.h"
#include "root/rootevents.h"

static tg_root_reader *own(tagma_reader *reader)
{
    return (tg_root_reader *)reader;
}

static void close_events(tagma_events *events)
{
    tg_root_events *root = (tg_root_events *)events;
    tg_account *account = events->account;

    tagma_index_release(events->index);
    tg_tree_free(root->tree);
    tagma_source_release(root->source);
    tg_account_free(account, root->codes);
    tg_account_free(account, root->column_of);
    tg_account_free(account, events->ids);
    tg_account_free(account, root->cache_dir);
    tg_account_free(account, root);
    tg_account_release(account);
}

/* The branch's own setting; where that says "none" but its baskets are packed, the file's: some writers leave the branch's 0. */
static const char *codec_of(const tg_root_events *root, const tg_branch *branch)
{
    const char *name = tg_codec_setting_name(branch->compress);

    if (branch->compress % 100 == 0 && branch->packed_bytes < branch->bytes)
        name = tg_codec_setting_name(root->facts.compress);
    if (!name || (branch->packed_bytes < branch->bytes && strcmp(name, "none") == 0))
        return "mixed";
    return name;
}

static const tg_branch *branch_of(const tg_root_events *root, uint32_t column)
{
    uint32_t branch = root->tree->layouts[column].branch;

    return branch < root->tree->n_branches ? &root->tree->branches[branch] : NULL;
}

/* As ROOT counted them when it wrote baskets out; where it wrote none, those embedded in the tree's record count. */
static uint64_t unpacked_bytes(const tg_tree *tree, const tg_branch *branch)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < branch->n_baskets && branch->bytes == 0; i++) {
        const tg_basket *basket = &tree->baskets[branch->first_basket + i];
        bytes += basket->offset & TG_BASKET_EMBEDDED ? basket->bytes : 0;
    }
    return branch->bytes + bytes;
}

static tagma_status storage(const tagma_events *events, uint32_t column, tagma_storage *out)
{
    const tg_root_events *root = tg_root_events_of(events);
    const tg_branch *branch = branch_of(root, column);

    *out = (tagma_storage){.struct_bytes = sizeof *out, .codec = "none"};
    if (branch)
        *out = (tagma_storage){sizeof *out, branch->n_baskets, unpacked_bytes(root->tree, branch),
                               branch->packed_bytes, codec_of(root, branch)};
    return TAGMA_OK;
}

static tagma_status basket(const tagma_events *events, uint32_t column, uint64_t i, tagma_basket_info *out)
{
    const tg_root_events *root = tg_root_events_of(events);
    const tg_branch *branch = branch_of(root, column);
    const tg_basket *from;

    if (!branch || i >= branch->n_baskets)
        return TAGMA_E_RANGE;
    from = &root->tree->baskets[branch->first_basket + i];
    *out = (tagma_basket_info){sizeof *out, from->first_entry, from->n_entries, from->offset, from->bytes};
    if (from->offset & TG_BASKET_EMBEDDED) {
        out->offset = root->tree->record_offset;
        out->packed_bytes = 0;
    }
    return TAGMA_OK;
}

static uint64_t cluster(const tagma_events *events, uint64_t i)
{
    return tg_root_events_of(events)->tree->clusters[i];
}

static tagma_status friend_at(const tagma_events *events, uint32_t i, const char **name, const char **file)
{
    *name = tg_root_events_of(events)->tree->friends[i].name;
    *file = tg_root_events_of(events)->tree->friends[i].file;
    return TAGMA_OK;
}

static tagma_status unchanged(tagma_ctx *ctx, const tagma_events *events)
{
    return tg_source_check(ctx, tg_root_events_of(events)->source);
}

static void reader_free(tagma_reader *reader)
{
    tg_root_reader *root = own(reader);
    tagma_ctx *ctx = reader->ctx;

    tg_fetcher_free(ctx, &root->fetcher);
    tg_free(ctx, root->told);
    tagma_events_release(reader->events);
    tg_free(ctx, root);
}

static tagma_status reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                               tagma_reader **out)
{
    enum { OLD_PACKING_RELEASE = 30401 };
    const tg_root_events *root = tg_root_events_of(events);
    tg_root_reader *reader = tg_zalloc(ctx, 1, sizeof *reader);
    tagma_status st;

    if (!reader)
        return TAGMA_E_MEMORY;
    st = tg_fetcher_init(ctx, &reader->fetcher, root->tree, root->codes, root->source, options->pool,
                         options->cache_bytes);
    if (st < 0) {
        tg_free(ctx, reader);
        return st;
    }
    reader->fetcher.is_old_packing = root->facts.release <= OLD_PACKING_RELEASE;
    reader->base.events = tagma_events_acquire(events);
    reader->base.ctx = ctx;
    reader->base.pool = options->pool;
    *out = &reader->base;
    return TAGMA_OK;
}

static void reader_stats(const tagma_reader *reader, tagma_reader_stats *out)
{
    const tg_root_reader *root = (const tg_root_reader *)reader;

    for (uint32_t w = 0; w < root->fetcher.n_workers; w++) {
        const tg_lane *lane = root->fetcher.workers[w].lane;

        if (!lane)
            continue;
        out->io.requests += tg_lane_stats(lane)->requests;
        out->io.bytes_read += tg_lane_stats(lane)->bytes_read;
        out->io.bytes_used += tg_lane_stats(lane)->bytes_used;
    }
    out->baskets = root->fetcher.n_baskets;
    out->distinct_baskets = root->fetcher.n_distinct;
    out->unpacked_bytes = root->fetcher.unpacked_bytes;
    out->faults = root->n_told;
}

tagma_status tg_root_tell(tagma_ctx *ctx, tg_root_reader *reader, tg_loss *loss)
{
    const tg_root_events *root = tg_root_events_of(reader->base.events);
    tg_teller teller = {.tree = root->tree, .file = root->base.info.file, .column_of = root->column_of};

    TG_TRY(tg_source_check(ctx, root->source));
    if (loss->n_findings == 0)
        return TAGMA_OK;
    if (!reader->told) {
        reader->told = tg_zalloc(ctx, root->tree->n_baskets / 8 + 1, 1);
        if (!reader->told)
            return TAGMA_E_MEMORY;
    }
    teller.told = reader->told;
    tg_loss_tell(ctx, loss, &teller);
    reader->n_told += teller.n_told;
    return TAGMA_OK;
}

static tagma_status read(tagma_ctx *ctx, tagma_reader *reader, const tg_rows *rows, const uint32_t *columns,
                         uint32_t n_columns, tagma_batch **out)
{
    tg_root_reader *root = own(reader);
    tg_call call;
    tagma_status st;

    root->fetcher.keeps_all = reader->keeps_all;
    st = tg_call_new(ctx, &root->fetcher, rows, columns, n_columns, false, &call);
    if (st == TAGMA_OK)
        st = tg_call_run(ctx, &call, "read");
    if (st == TAGMA_OK)
        st = tg_call_batch(ctx, &call, out);
    if (st == TAGMA_OK)
        st = tg_root_tell(ctx, root, &call.loss);
    tg_call_leave(&call);
    tg_call_free(ctx, &call);
    if (st < 0) {
        tagma_batch_free(*out);
        *out = NULL;
    }
    return st;
}

static const tg_events_kind root_kind = {
    .name = "ROOT",
    .close = close_events,
    .storage = storage,
    .basket = basket,
    .cluster = cluster,
    .friend_at = friend_at,
    .unchanged = unchanged,
    .save_sidecar = tg_root_save_sidecar,
    .reader_new = reader_new,
    .reader_free = reader_free,
    .reader_stats = reader_stats,
    .read = read,
    .check = tg_root_check,
};

static void fill_info(tg_root_events *root)
{
    const tg_tree *tree = root->tree;
    tagma_events_info *info = &root->base.info;

    *info = (tagma_events_info){.struct_bytes = sizeof *info,
                                .file = tagma_source_name(root->source),
                                .tree = tree->name,
                                .title = tree->title,
                                .cycle = tree->cycle,
                                .n_entries = tree->n_entries,
                                .n_clusters = tree->n_clusters,
                                .n_friends = tree->n_friends,
                                .from_sidecar = root->facts.from_sidecar,
                                .condition = root->facts.condition};
    for (uint32_t b = 0; b < tree->n_branches; b++) {
        info->bytes += unpacked_bytes(tree, &tree->branches[b]);
        info->packed_bytes += tree->branches[b].packed_bytes;
    }
}

static tagma_status fill(tagma_ctx *ctx, tg_root_events *root)
{
    const tg_tree *tree = root->tree;

    TG_TRY(tg_codes_new(ctx, tree, &root->codes));
    root->column_of = tg_alloc(ctx, tree->n_branches, sizeof *root->column_of);
    if (!root->column_of)
        return TAGMA_E_MEMORY;
    memset(root->column_of, 0xff, tree->n_branches * sizeof *root->column_of);
    for (uint32_t c = tagma_schema_n_columns(tree->schema); c > 0; c--)
        if (tree->layouts[c - 1].branch < tree->n_branches)
            root->column_of[tree->layouts[c - 1].branch] = c - 1;
    if (root->facts.ids) {
        root->base.ids = tg_strdup(ctx, root->facts.ids);
        if (!root->base.ids)
            return TAGMA_E_MEMORY;
    }
    if (root->facts.cache_dir) {
        root->cache_dir = tg_strdup(ctx, root->facts.cache_dir);
        if (!root->cache_dir)
            return TAGMA_E_MEMORY;
    }
    return TAGMA_OK;
}

tagma_status tg_root_events_new(tagma_ctx *ctx, tagma_source *source, tg_tree *tree,
                                const tg_root_facts *facts, tagma_events **out)
{
    tg_root_events *root = tg_zalloc(ctx, 1, sizeof *root);
    tagma_status st;

    *out = NULL;
    if (!root) {
        tg_tree_free(tree);
        return TAGMA_E_MEMORY;
    }
    root->base.kind = &root_kind;
    atomic_init(&root->base.users, 1);
    root->base.account = tg_account_acquire(ctx->account);
    root->base.schema = tree->schema;
    root->source = tagma_source_acquire(source);
    root->tree = tree;
    root->facts = *facts;
    fill_info(root);
    st = fill(ctx, root);
    root->facts.ids = NULL;
    root->facts.cache_dir = NULL;
    if (st < 0) {
        close_events(&root->base);
        return st;
    }
    *out = &root->base;
    return TAGMA_OK;
}
