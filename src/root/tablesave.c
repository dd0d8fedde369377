/* SPDX-License-Identifier: Apache-2.0
 * Save a tree's flat tables. */
#include "root/tablefile.h"

#include "base/hash.h"

typedef struct saving {
    tagma_ctx *ctx;
    const tg_tree *tree;
    tg_buf *out;
    tg_buf texts;
    uint32_t *slots; /* open addressing by content: place + 1 of a text; 0 empty */
    uint64_t n_texts, n_slots;
    uint64_t n_dims;
} saving;

static tagma_status put_u8(saving *s, uint32_t v)
{
    uint8_t byte = (uint8_t)v;

    return tg_buf_put(s->ctx, s->out, &byte, 1);
}

static tagma_status put_u32(saving *s, uint32_t v)
{
    uint8_t bytes[4];

    tg_put_le32(bytes, v);
    return tg_buf_put(s->ctx, s->out, bytes, sizeof bytes);
}

static tagma_status put_u64(saving *s, uint64_t v)
{
    uint8_t bytes[8];

    tg_put_le64(bytes, v);
    return tg_buf_put(s->ctx, s->out, bytes, sizeof bytes);
}

static tagma_status put_f64(saving *s, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return put_u64(s, bits);
}

static uint32_t *slot_of(const saving *s, const char *text)
{
    const char *texts = (const char *)s->texts.bytes;
    uint64_t at = tg_hash(text, strlen(text)) & (s->n_slots - 1);

    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a slot in use has put its text there. */
    while (s->slots[at] != 0 && strcmp(texts + (s->slots[at] - 1), text) != 0)
        at = (at + 1) & (s->n_slots - 1);
    return &s->slots[at];
}

static tagma_status grow_slots(saving *s)
{
    uint32_t *before = s->slots;
    uint64_t n_before = s->n_slots;

    s->n_slots = n_before == 0 ? 1024 : 2 * n_before;
    s->slots = tg_zalloc(s->ctx, s->n_slots, sizeof *s->slots);
    for (uint64_t i = 0; s->slots && i < n_before; i++)
        if (before[i] != 0)
            *slot_of(s, (const char *)s->texts.bytes + before[i] - 1) = before[i];
    tg_free(s->ctx, before);
    return s->slots ? TAGMA_OK : TAGMA_E_MEMORY;
}

/* Where a text stands among the texts, each once; TAGMA_NONE for none. */
static tagma_status put_text(saving *s, const char *text)
{
    uint32_t *slot;

    if (!text)
        return put_u32(s, TAGMA_NONE);
    if (2 * s->n_texts >= s->n_slots)
        TG_TRY(grow_slots(s));
    slot = slot_of(s, text);
    if (*slot == 0) {
        if (s->texts.n > UINT32_MAX / 2)
            return tg_fail(s->ctx, TAGMA_E_LIMIT, "branch table: names and titles of more than 2 GiB");
        *slot = (uint32_t)s->texts.n + 1;
        s->n_texts++;
        TG_TRY(tg_buf_put(s->ctx, &s->texts, text, strlen(text) + 1));
    }
    return put_u32(s, *slot - 1);
}

/* Those of branches: the table may hold more, of a branch whose baskets are in another file. */
static uint64_t count_baskets(const tg_tree *tree)
{
    uint64_t n = 0;

    for (uint32_t b = 0; b < tree->n_branches; b++)
        n += tree->branches[b].n_baskets;
    return n;
}

static tagma_status put_head(saving *s)
{
    const tg_tree *tree = s->tree;
    uint32_t n_columns = tagma_schema_n_columns(tree->schema);

    for (uint32_t c = 0; c < n_columns; c++)
        s->n_dims += tagma_schema_column(tree->schema, c)->n_dims;
    TG_TRY(put_u32(s, TG_TABLE_VERSION));
    TG_TRY(put_u32(s, tree->cycle));
    TG_TRY(put_text(s, tree->name));
    TG_TRY(put_text(s, tree->title));
    TG_TRY(put_text(s, tree->class_name));
    TG_TRY(put_u32(s, tree->n_branches));
    TG_TRY(put_u32(s, n_columns));
    TG_TRY(put_u32(s, tagma_schema_n_collections(tree->schema)));
    TG_TRY(put_u32(s, tree->n_friends));
    TG_TRY(put_u32(s, (uint32_t)s->n_dims));
    TG_TRY(put_u64(s, tree->n_entries));
    TG_TRY(put_u64(s, tree->n_clusters));
    TG_TRY(put_u64(s, count_baskets(tree)));
    TG_TRY(put_u64(s, tree->record_offset));
    TG_TRY(put_u32(s, tree->record_bytes));
    TG_TRY(put_u32(s, tree->record_key_bytes));
    TG_TRY(put_u64(s, tree->record_unpacked));
    TG_TRY(put_u64(s, tree->record_hash));
    return put_u64(s, 0); /* bytes of the texts, set at the end */
}

/* Do two branches have baskets of the same entries? */
static bool have_same_entries(const tg_tree *tree, const tg_branch *a, const tg_branch *b)
{
    if (a->n_baskets != b->n_baskets || a->first_entry != b->first_entry || a->end_entry != b->end_entry)
        return false;
    for (uint64_t i = 0; i < a->n_baskets; i++)
        if (tree->baskets[a->first_basket + i].n_entries != tree->baskets[b->first_basket + i].n_entries)
            return false;
    return true;
}

static tagma_status put_branch(saving *s, uint32_t number, uint32_t *entries_of)
{
    const tg_branch *branch = &s->tree->branches[number];

    if (number == 0 || !have_same_entries(s->tree, branch, &s->tree->branches[*entries_of]))
        *entries_of = number;
    TG_TRY(put_text(s, branch->path));
    TG_TRY(put_text(s, branch->name));
    TG_TRY(put_text(s, branch->title));
    TG_TRY(put_text(s, branch->fault));
    TG_TRY(put_u32(s, branch->parent));
    TG_TRY(put_u32(s, (uint32_t)branch->compress));
    TG_TRY(put_u32(s, *entries_of));
    TG_TRY(put_u32(s, 0));
    TG_TRY(put_u64(s, branch->n_baskets));
    TG_TRY(put_u64(s, branch->first_entry));
    TG_TRY(put_u64(s, branch->end_entry));
    TG_TRY(put_u64(s, branch->bytes));
    return put_u64(s, branch->packed_bytes);
}

static tagma_status put_column(saving *s, uint32_t number)
{
    const tagma_column *column = tagma_schema_column(s->tree->schema, number);
    const tg_layout *layout = &s->tree->layouts[number];

    TG_TRY(put_text(s, column->path));
    TG_TRY(put_text(s, column->name));
    TG_TRY(put_text(s, column->title));
    TG_TRY(put_text(s, column->reason));
    TG_TRY(put_u32(s, column->collection));
    TG_TRY(put_u32(s, column->n_items));
    TG_TRY(put_u8(s, (uint32_t)column->type));
    TG_TRY(put_u8(s, column->n_lists));
    TG_TRY(put_u8(s, column->n_dims));
    TG_TRY(put_u8(s, layout->frame));
    TG_TRY(put_u8(s, layout->counts[0]));
    TG_TRY(put_u8(s, layout->counts[1]));
    TG_TRY(put_u8(s, layout->wire));
    TG_TRY(put_u8(s, layout->string));
    TG_TRY(put_u32(s, layout->nbits));
    TG_TRY(put_u32(s, layout->branch));
    TG_TRY(put_u32(s, layout->count_column));
    TG_TRY(put_u32(s, layout->leaf));
    TG_TRY(put_u32(s, layout->n_leaves));
    TG_TRY(put_u32(s, layout->first_column));
    TG_TRY(put_f64(s, layout->factor));
    return put_f64(s, layout->xmin);
}

static tagma_status put_schema(saving *s)
{
    const tagma_schema *schema = s->tree->schema;
    uint32_t n_columns = tagma_schema_n_columns(schema);

    for (uint32_t c = 0; c < n_columns; c++)
        TG_TRY(put_column(s, c));
    for (uint32_t c = 0; c < n_columns; c++) {
        const tagma_column *column = tagma_schema_column(schema, c);
        for (uint32_t d = 0; d < column->n_dims; d++)
            TG_TRY(put_u32(s, column->dims[d]));
    }
    for (uint32_t i = 0; i < tagma_schema_n_collections(schema); i++) {
        const tagma_collection *collection = tagma_schema_collection(schema, i);
        TG_TRY(put_text(s, collection->name));
        TG_TRY(put_u32(s, collection->parent));
        TG_TRY(put_u32(s, collection->count_column));
    }
    return TAGMA_OK;
}

/* Entries of baskets stand once for all branches that share them. */
static tagma_status put_baskets(saving *s)
{
    const tg_tree *tree = s->tree;
    uint32_t entries_of = 0;

    for (uint32_t b = 0; b < tree->n_branches; b++) {
        const tg_branch *branch = &tree->branches[b];
        const tg_basket *baskets = branch->n_baskets > 0 ? tree->baskets + branch->first_basket : NULL;

        if (b == 0 || !have_same_entries(tree, branch, &tree->branches[entries_of])) {
            entries_of = b;
            for (uint64_t i = 0; i < branch->n_baskets; i++)
                TG_TRY(put_u32(s, (uint32_t)baskets[i].n_entries));
        }
        for (uint64_t i = 0; i < branch->n_baskets; i++)
            TG_TRY(put_u64(s, baskets[i].offset));
        for (uint64_t i = 0; i < branch->n_baskets; i++)
            TG_TRY(put_u32(s, baskets[i].bytes));
    }
    return TAGMA_OK;
}

static tagma_status put_tables(saving *s)
{
    const tg_tree *tree = s->tree;
    uint32_t entries_of = 0;

    TG_TRY(put_head(s));
    for (uint32_t b = 0; b < tree->n_branches; b++)
        TG_TRY(put_branch(s, b, &entries_of));
    TG_TRY(put_schema(s));
    for (uint32_t i = 0; i < tree->n_friends; i++) {
        TG_TRY(put_text(s, tree->friends[i].name));
        TG_TRY(put_text(s, tree->friends[i].file));
    }
    for (uint64_t i = 0; i <= tree->n_clusters; i++)
        TG_TRY(put_u64(s, tree->clusters[i]));
    return put_baskets(s);
}

tagma_status tg_tree_save(tagma_ctx *ctx, const tg_tree *tree, tg_buf *out)
{
    saving s = {.ctx = ctx, .tree = tree, .out = out, .texts = TG_BUF_INIT};
    uint64_t start = out->n;
    tagma_status st = put_tables(&s);

    if (st == TAGMA_OK) {
        tg_put_le64(out->bytes + start + TG_TABLE_HEAD_BYTES - 8, s.texts.n);
        st = tg_buf_put(ctx, out, s.texts.bytes, s.texts.n);
    }
    tg_buf_free(ctx, &s.texts);
    tg_free(ctx, s.slots);
    return st;
}
