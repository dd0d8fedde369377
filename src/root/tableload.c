/* SPDX-License-Identifier: Apache-2.0
 * Load a tree's flat tables. A reader trusts them as it trusts those made from a tree's record, so everything it relies on is
 * checked here. */
#include "base/arena.h"
#include "base/in.h"
#include "root/colplan.h"
#include "root/tablefile.h"

typedef struct loading {
    tagma_ctx *ctx;
    tg_tree *tree;
    tg_in in;
    const char *texts; /* in the tree's arena */
    uint64_t n_texts;
    uint32_t n_columns, n_collections, n_dims;
    uint32_t own[3];      /* places of the tree's own texts: name, title, class */
    uint32_t *entries_of; /* of each branch: whose list of entries its baskets share */
} loading;

static double in_f64(tg_in *in)
{
    uint64_t bits = tg_in_le64(in);
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static tagma_status corrupt(loading *l, const char *what, uint64_t found)
{
    return tg_fail(l->ctx, TAGMA_E_CORRUPT, "branch table: byte %zu: %s %" PRIu64, l->in.at, what, found);
}

/* A text; NULL where it may be left out and is. What lies outside is remembered as short. */
static const char *in_text(loading *l, bool may_be_none)
{
    uint32_t at = tg_in_le32(&l->in);

    if (at == TAGMA_NONE && may_be_none)
        return NULL;
    if (at >= l->n_texts) {
        l->in.is_short = true;
        return "";
    }
    return l->texts + at;
}

static tagma_status load_head(loading *l)
{
    tg_tree *tree = l->tree;
    uint32_t version = tg_in_le32(&l->in);

    tree->cycle = tg_in_le32(&l->in);
    l->own[0] = tg_in_le32(&l->in);
    l->own[1] = tg_in_le32(&l->in);
    l->own[2] = tg_in_le32(&l->in);
    tree->n_branches = tg_in_le32(&l->in);
    l->n_columns = tg_in_le32(&l->in);
    l->n_collections = tg_in_le32(&l->in);
    tree->n_friends = tg_in_le32(&l->in);
    l->n_dims = tg_in_le32(&l->in);
    tree->n_entries = tg_in_le64(&l->in);
    tree->n_clusters = tg_in_le64(&l->in);
    tree->n_baskets = tg_in_le64(&l->in);
    tree->record_offset = tg_in_le64(&l->in);
    tree->record_bytes = tg_in_le32(&l->in);
    tree->record_key_bytes = tg_in_le32(&l->in);
    tree->record_unpacked = tg_in_le64(&l->in);
    tree->record_hash = tg_in_le64(&l->in);
    l->n_texts = tg_in_le64(&l->in);
    if (tg_in_short(&l->in))
        return tg_fail(l->ctx, TAGMA_E_TRUNCATED, "branch table: %zu bytes, its head has %d", l->in.n,
                       TG_TABLE_HEAD_BYTES);
    if (version != TG_TABLE_VERSION)
        return corrupt(l, "version", version);
    if (tree->n_entries > INT64_MAX)
        return corrupt(l, "number of entries", tree->n_entries);
    for (size_t i = 0; i < 3; i++)
        if (l->own[i] >= l->n_texts)
            return corrupt(l, "bytes of texts", l->n_texts);
    return TAGMA_OK;
}

/* Bytes of all parts, as the head says, must be what is there: no part is looked at before. Entries of shared baskets stand
 * once, so that for these only the most can be told. */
static tagma_status check_sizes(loading *l)
{
    const tg_tree *tree = l->tree;
    const struct {
        uint64_t n, width;
    } parts[] = {{tree->n_branches, TG_TABLE_BRANCH_BYTES},
                 {l->n_columns, TG_TABLE_COLUMN_BYTES},
                 {l->n_dims, sizeof(uint32_t)},
                 {l->n_collections, TG_TABLE_COLLECTION_BYTES},
                 {tree->n_friends, TG_TABLE_FRIEND_BYTES},
                 {tree->n_clusters, sizeof(uint64_t)},
                 {1, sizeof(uint64_t)},
                 {tree->n_baskets, sizeof(uint64_t) + sizeof(uint32_t)},
                 {l->n_texts, 1}};
    uint64_t left = tg_in_left(&l->in), bytes;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!tg_mul(parts[i].n, parts[i].width, &bytes) || bytes > left)
            return tg_fail(l->ctx, TAGMA_E_CORRUPT,
                           "branch table: part %zu has %" PRIu64 " rows, %" PRIu64 " bytes are left for it",
                           i, parts[i].n, left);
        left -= bytes;
    }
    return TAGMA_OK;
}

/* The texts stand at the end and are kept as one. */
static tagma_status load_texts(loading *l)
{
    tg_tree *tree = l->tree;
    const char *bytes = (const char *)l->in.bytes + (l->in.n - l->n_texts);
    tg_arena arena = TG_ARENA_INIT;

    if (bytes[l->n_texts - 1] != 0)
        return corrupt(l, "no end of the texts, bytes", l->n_texts);
    l->texts = tg_arena_text(l->ctx, &arena, bytes, l->n_texts - 1);
    tree->strings = arena.newest;
    if (!l->texts)
        return TAGMA_E_MEMORY;
    l->in.n -= l->n_texts;
    tree->name = l->texts + l->own[0];
    tree->title = l->texts + l->own[1];
    tree->class_name = l->texts + l->own[2];
    return TAGMA_OK;
}

static tagma_status load_branch(loading *l, uint32_t number, uint64_t *first_basket)
{
    tg_branch *branch = &l->tree->branches[number];

    branch->path = in_text(l, false);
    branch->name = in_text(l, false);
    branch->title = in_text(l, false);
    branch->fault = in_text(l, true);
    branch->parent = tg_in_le32(&l->in);
    branch->compress = (int32_t)tg_in_le32(&l->in);
    l->entries_of[number] = tg_in_le32(&l->in);
    tg_in_skip(&l->in, 4);
    branch->first_basket = *first_basket;
    branch->n_baskets = tg_in_le64(&l->in);
    branch->first_entry = tg_in_le64(&l->in);
    branch->end_entry = tg_in_le64(&l->in);
    branch->bytes = tg_in_le64(&l->in);
    branch->packed_bytes = tg_in_le64(&l->in);
    if (tg_in_short(&l->in))
        return corrupt(l, "a text outside, of branch", number);
    if (branch->parent != TAGMA_NONE && branch->parent >= number)
        return corrupt(l, "parent", branch->parent);
    if (branch->n_baskets > l->tree->n_baskets - *first_basket)
        return corrupt(l, "number of baskets", branch->n_baskets);
    if (branch->end_entry < branch->first_entry || branch->end_entry > INT64_MAX)
        return corrupt(l, "end of entries", branch->end_entry);
    if (l->entries_of[number] > number ||
        l->tree->branches[l->entries_of[number]].n_baskets != branch->n_baskets ||
        l->entries_of[l->entries_of[number]] != l->entries_of[number])
        return corrupt(l, "branch with the same entries", l->entries_of[number]);
    *first_basket += branch->n_baskets;
    return TAGMA_OK;
}

static tagma_status load_branches(loading *l)
{
    tg_tree *tree = l->tree;
    uint64_t first_basket = 0;

    tree->branches = tg_zalloc(l->ctx, tree->n_branches, sizeof *tree->branches);
    l->entries_of = tg_alloc(l->ctx, tree->n_branches, sizeof *l->entries_of);
    if (!tree->branches || !l->entries_of)
        return TAGMA_E_MEMORY;
    for (uint32_t b = 0; b < tree->n_branches; b++)
        TG_TRY(load_branch(l, b, &first_basket));
    return first_basket == tree->n_baskets ? TAGMA_OK : corrupt(l, "number of baskets", first_basket);
}

/* One column but for its dimensions, which stand behind all columns. */
static void load_column(loading *l, tagma_column *column, tg_layout *layout)
{
    tg_in *in = &l->in;

    column->path = in_text(l, false);
    column->name = in_text(l, false);
    column->title = in_text(l, false);
    column->reason = in_text(l, true);
    column->collection = tg_in_le32(in);
    column->n_items = tg_in_le32(in);
    column->type = (tagma_type)tg_in_u8(in);
    column->n_lists = tg_in_u8(in);
    column->n_dims = tg_in_u8(in);
    layout->frame = tg_in_u8(in);
    layout->counts[0] = tg_in_u8(in);
    layout->counts[1] = tg_in_u8(in);
    layout->wire = tg_in_u8(in);
    layout->string = tg_in_u8(in);
    layout->nbits = (uint8_t)tg_in_le32(in);
    layout->branch = tg_in_le32(in);
    layout->count_column = tg_in_le32(in);
    layout->leaf = tg_in_le32(in);
    layout->n_leaves = tg_in_le32(in);
    layout->first_column = tg_in_le32(in);
    layout->factor = in_f64(in);
    layout->xmin = in_f64(in);
}

/* The dimensions of a column, from their own part. */
static tagma_status load_dims(loading *l, tagma_column *column, tg_in *in, uint32_t *dims)
{
    uint64_t product = 1;

    if (column->n_dims > TG_TITLE_DIMS_MAX)
        return corrupt(l, "number of dimensions", column->n_dims);
    for (uint32_t d = 0; d < column->n_dims; d++) {
        dims[d] = tg_in_le32(in);
        product = product > INT32_MAX ? product : product * dims[d];
    }
    column->dims = dims;
    if (tg_in_short(in) || column->n_items == 0 || column->n_items > INT32_MAX || product != column->n_items)
        return corrupt(l, "number of values of an item", column->n_items);
    return TAGMA_OK;
}

static tagma_status load_columns(loading *l)
{
    tg_tree *tree = l->tree;
    tg_in dims_in = l->in;

    tg_in_skip(&dims_in, (uint64_t)l->n_columns * TG_TABLE_COLUMN_BYTES);
    tree->layouts = tg_zalloc(l->ctx, l->n_columns, sizeof *tree->layouts);
    if (!tree->layouts)
        return TAGMA_E_MEMORY;
    TG_TRY(tg_schema_new(l->ctx, &tree->schema));
    for (uint32_t c = 0; c < l->n_columns; c++) {
        uint32_t dims[TG_TITLE_DIMS_MAX], number;
        tagma_column column;

        load_column(l, &column, &tree->layouts[c]);
        if (tg_in_short(&l->in))
            return corrupt(l, "a text outside, of column", c);
        TG_TRY(load_dims(l, &column, &dims_in, dims));
        TG_TRY(tg_schema_add_column(l->ctx, tree->schema, &column, &number));
    }
    l->in.at = dims_in.at;
    return TAGMA_OK;
}

static tagma_status load_collections(loading *l)
{
    for (uint32_t i = 0; i < l->n_collections; i++) {
        tagma_collection collection;
        uint32_t number;

        collection.name = in_text(l, false);
        collection.parent = tg_in_le32(&l->in);
        collection.count_column = tg_in_le32(&l->in);
        if (tg_in_short(&l->in))
            return corrupt(l, "a text outside, of collection", i);
        if (collection.parent != TAGMA_NONE && collection.parent >= i)
            return corrupt(l, "collection above", collection.parent);
        if (collection.count_column != TAGMA_NONE && collection.count_column >= l->n_columns)
            return corrupt(l, "count column", collection.count_column);
        TG_TRY(tg_schema_add_collection(l->ctx, l->tree->schema, &collection, &number));
    }
    return TAGMA_OK;
}

/* The collections of a column, from the inside out, are as many as its lists, and the outermost is counted by what counts
 * the column. */
static tagma_status check_collections(loading *l, uint32_t c)
{
    const tagma_column *column = tagma_schema_column(l->tree->schema, c);
    const tg_layout *layout = &l->tree->layouts[c];
    uint32_t collection = column->collection, outermost = TAGMA_NONE, n = 0;

    for (; collection != TAGMA_NONE && n <= TAGMA_MAX_LISTS; n++) {
        if (collection >= l->n_collections)
            return corrupt(l, "collection", collection);
        outermost = collection;
        collection = tagma_schema_collection(l->tree->schema, collection)->parent;
    }
    if (n != column->n_lists)
        return corrupt(l, "number of lists", column->n_lists);
    if (n > 0 && tagma_schema_collection(l->tree->schema, outermost)->count_column != layout->count_column)
        return corrupt(l, "count column", layout->count_column);
    return TAGMA_OK;
}

/* What counts a column is a readable whole number an entry, and stands before it where both share entries. */
static tagma_status check_counter(loading *l, uint32_t c)
{
    const tg_layout *layout = &l->tree->layouts[c];
    const tagma_column *column = tagma_schema_column(l->tree->schema, c), *counter;
    bool is_shared = column->n_lists > 0 && layout->counts[0] == TG_COUNT_SHARED;

    if (is_shared != (layout->count_column != TAGMA_NONE))
        return corrupt(l, "count column", layout->count_column);
    if (!is_shared)
        return TAGMA_OK;
    if (layout->count_column >= l->n_columns)
        return corrupt(l, "count column", layout->count_column);
    counter = tagma_schema_column(l->tree->schema, layout->count_column);
    if (counter->reason || counter->n_lists > 0 || counter->n_items != 1 || counter->type > TAGMA_U64 ||
        (l->tree->layouts[layout->count_column].branch == layout->branch && layout->count_column >= c))
        return corrupt(l, "count column", layout->count_column);
    return TAGMA_OK;
}

static bool is_sound_wire(const tagma_column *column, const tg_layout *layout)
{
    if (layout->frame > TG_ENTRY_FLAGGED ||
        (layout->frame == TG_ENTRY_FLAGGED && layout->count_column == TAGMA_NONE) ||
        layout->counts[0] > TG_COUNT_INLINE ||
        layout->counts[1] != (column->n_lists > 1 ? TG_COUNT_INLINE : 0) || layout->string > TG_STRING_LONG)
        return false;
    if (layout->string != TG_STRING_NONE || column->type == TAGMA_STRING)
        return layout->string != TG_STRING_NONE && column->type == TAGMA_STRING;
    return tg_wire_gives(layout, column->type);
}

static tagma_status check_column(loading *l, uint32_t c)
{
    const tg_tree *tree = l->tree;
    const tagma_column *column = tagma_schema_column(tree->schema, c);
    const tg_layout *layout = &tree->layouts[c];

    if (layout->branch >= tree->n_branches)
        return corrupt(l, "branch", layout->branch);
    /* What is not read need only be listed. */
    if (column->n_lists > TAGMA_MAX_LISTS || column->type > TAGMA_UNKNOWN)
        return corrupt(l, "number of lists", column->n_lists);
    if (column->reason)
        return TAGMA_OK;
    if (!is_sound_wire(column, layout))
        return corrupt(l, "layout of column", c);
    if (layout->first_column > c || layout->leaf != c - layout->first_column ||
        layout->leaf >= layout->n_leaves || layout->n_leaves > l->n_columns - layout->first_column)
        return corrupt(l, "leaf of column", c);
    if (layout->leaf > 0 && (tree->layouts[c - 1].branch != layout->branch ||
                             tree->layouts[c - 1].first_column != layout->first_column ||
                             tree->layouts[c - 1].n_leaves != layout->n_leaves ||
                             tagma_schema_column(tree->schema, c - 1)->reason))
        return corrupt(l, "leaves of branch", layout->branch);
    if (layout->leaf + 1 < layout->n_leaves &&
        (tree->layouts[c + 1].branch != layout->branch || tagma_schema_column(tree->schema, c + 1)->reason))
        return corrupt(l, "leaves of branch", layout->branch);
    TG_TRY(check_collections(l, c));
    return check_counter(l, c);
}

static tagma_status load_schema(loading *l)
{
    TG_TRY(load_columns(l));
    TG_TRY(load_collections(l));
    for (uint32_t c = 0; c < l->n_columns; c++)
        TG_TRY(check_column(l, c));
    return tg_schema_seal(l->ctx, l->tree->schema);
}

static tagma_status load_friends_and_clusters(loading *l)
{
    tg_tree *tree = l->tree;

    tree->friends = tg_zalloc(l->ctx, tree->n_friends, sizeof *tree->friends);
    tree->clusters = tg_alloc(l->ctx, tree->n_clusters + 1, sizeof *tree->clusters);
    if (!tree->friends || !tree->clusters)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < tree->n_friends; i++) {
        tree->friends[i].name = in_text(l, false);
        tree->friends[i].file = in_text(l, false);
    }
    for (uint64_t i = 0; i <= tree->n_clusters; i++) {
        tree->clusters[i] = tg_in_le64(&l->in);
        if (i > 0 ? tree->clusters[i] <= tree->clusters[i - 1] : tree->clusters[0] != 0)
            return corrupt(l, "cluster beginning at entry", tree->clusters[i]);
    }
    if (tg_in_short(&l->in) || tree->clusters[tree->n_clusters] != tree->n_entries)
        return corrupt(l, "last cluster ending at entry", tree->clusters[tree->n_clusters]);
    return TAGMA_OK;
}

/* Entries of baskets follow one another from the branch's first to its last. */
static tagma_status load_entries(loading *l, const tg_branch *branch)
{
    tg_basket *baskets = l->tree->baskets + branch->first_basket;
    uint64_t first = branch->first_entry;

    for (uint64_t i = 0; i < branch->n_baskets; i++) {
        uint32_t n = tg_in_le32(&l->in);

        if (n == 0 || n > INT32_MAX || n > branch->end_entry - first)
            return corrupt(l, "entries of a basket", n);
        baskets[i].first_entry = first;
        baskets[i].n_entries = n;
        first += n;
    }
    return branch->n_baskets == 0 || first == branch->end_entry ? TAGMA_OK : corrupt(l, "last entry", first);
}

static tagma_status load_baskets(loading *l)
{
    tg_tree *tree = l->tree;

    tree->baskets = tg_alloc(l->ctx, tree->n_baskets, sizeof *tree->baskets);
    if (!tree->baskets)
        return TAGMA_E_MEMORY;
    for (uint32_t b = 0; b < tree->n_branches; b++) {
        const tg_branch *branch = &tree->branches[b], *same = &tree->branches[l->entries_of[b]];
        tg_basket *baskets = tree->baskets + branch->first_basket;

        if (same == branch)
            TG_TRY(load_entries(l, branch));
        else if (same->first_entry != branch->first_entry || same->end_entry != branch->end_entry)
            return corrupt(l, "branch with the same entries", l->entries_of[b]);
        for (uint64_t i = 0; i < branch->n_baskets; i++) {
            if (same != branch)
                baskets[i] = tree->baskets[same->first_basket + i];
            baskets[i].offset = tg_in_le64(&l->in);
        }
        for (uint64_t i = 0; i < branch->n_baskets; i++)
            baskets[i].bytes = tg_in_le32(&l->in);
        if (tg_in_short(&l->in))
            return corrupt(l, "no room for the baskets of branch", b);
    }
    return tg_in_left(&l->in) == 0 ? TAGMA_OK
                                   : corrupt(l, "bytes behind the last basket", tg_in_left(&l->in));
}

static tagma_status load_tables(loading *l)
{
    TG_TRY(load_head(l));
    TG_TRY(check_sizes(l));
    TG_TRY(load_texts(l));
    TG_TRY(load_branches(l));
    TG_TRY(load_schema(l));
    TG_TRY(load_friends_and_clusters(l));
    return load_baskets(l);
}

tagma_status tg_tree_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, tg_tree **out)
{
    loading l = {.ctx = ctx, .in = tg_in_of(bytes, n)};
    tagma_status st;

    *out = NULL;
    l.tree = tg_zalloc(ctx, 1, sizeof *l.tree);
    if (!l.tree)
        return TAGMA_E_MEMORY;
    l.tree->account = tg_account_acquire(ctx->account);
    st = load_tables(&l);
    tg_free(ctx, l.entries_of);
    if (st < 0) {
        tg_tree_free(l.tree);
        return st;
    }
    *out = l.tree;
    return TAGMA_OK;
}
