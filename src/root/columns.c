/* SPDX-License-Identifier: Apache-2.0
 * Plan the columns of plain branches, settle counters, and make the schema. */
#include "root/columns.h"

#include <assert.h>

#include "root/colplan.h"

enum { NAME_BYTES_MAX = 1024 };

/* Columns a branch has: none for a node of the tree of branches. */
static uint32_t columns_of(const tg_tree_reading *r, uint32_t branch)
{
    const tg_raw_branch *raw = &r->raw[branch];

    if (raw->is_stray)
        return 0;
    if (raw->kind == TG_BRANCH_ELEMENT)
        return tg_element_is_node(r, branch) ? 0 : 1;
    if (raw->kind == TG_BRANCH_PLAIN && raw->n_leaves > 0)
        return raw->n_leaves;
    /* What is damaged or not known is listed; a parent without data is not. */
    return raw->n_children > 0 && !r->tree->branches[branch].fault && !raw->reason ? 0 : 1;
}

static tagma_status number_columns(tg_planning *p)
{
    uint32_t n_branches = p->r->tree->n_branches;
    uint64_t n = 0;

    p->first_column = tg_alloc(p->r->ctx, n_branches + 1U, sizeof *p->first_column);
    if (!p->first_column)
        return TAGMA_E_MEMORY;
    for (uint32_t b = 0; b < n_branches; b++) {
        p->first_column[b] = (uint32_t)n;
        n += columns_of(p->r, b);
        if (n > p->r->ctx->limits.max_columns)
            return tg_fail(p->r->ctx, TAGMA_E_LIMIT, "more than %" PRIu32 " columns (limit max_columns)",
                           p->r->ctx->limits.max_columns);
    }
    p->first_column[n_branches] = (uint32_t)n;
    p->n = (uint32_t)n;
    p->plans = tg_zalloc(p->r->ctx, n, sizeof *p->plans);
    return p->plans ? TAGMA_OK : TAGMA_E_MEMORY;
}

/* Type code of a leaf's values; 0 for what is no number. */
static int32_t code_of(const tg_leaf *leaf)
{
    switch (leaf->kind) {
    case TG_LEAF_BOOL:
        return TG_CODE_BOOL;
    case TG_LEAF_8:
        return leaf->is_unsigned ? TG_CODE_U8 : TG_CODE_I8;
    case TG_LEAF_16:
        return leaf->is_unsigned ? TG_CODE_U16 : TG_CODE_I16;
    case TG_LEAF_32:
        return leaf->is_unsigned ? TG_CODE_U32 : TG_CODE_I32;
    case TG_LEAF_64:
        return leaf->is_unsigned ? TG_CODE_U64 : TG_CODE_I64;
    case TG_LEAF_F32:
        return TG_CODE_F32;
    case TG_LEAF_F64:
        return TG_CODE_F64;
    case TG_LEAF_FLOAT16:
        return TG_CODE_FLOAT16;
    case TG_LEAF_DOUBLE32:
        return TG_CODE_DOUBLE32;
    default:
        return 0;
    }
}

/* Take the part of a branch's title that describes its next leaf: "x[3]/F" of "x[3]/F:y". */
static tg_text next_part(tg_text *title)
{
    const char *stop = title->n > 0 ? memchr(title->bytes, ':', title->n) : NULL;
    tg_text part = {title->bytes, stop ? (uint32_t)(stop - title->bytes) : title->n};
    uint32_t taken = part.n + (stop != NULL);

    *title = (tg_text){title->bytes + taken, title->n - taken};
    return part;
}

/* Without the type letter and what packs it. */
static tg_text without_type(tg_text part)
{
    const char *slash = part.n > 0 ? memchr(part.bytes, '/', part.n) : NULL;

    return (tg_text){part.bytes, slash ? (uint32_t)(slash - part.bytes) : part.n};
}

/* The column of a leaf. A TBranchElement has but one, a node of the tree of branches none. */
static uint32_t column_of(const tg_planning *p, uint32_t leaf)
{
    uint32_t branch = leaf == TAGMA_NONE ? TAGMA_NONE : p->r->leaves[leaf].branch, position;

    if (branch == TAGMA_NONE || p->first_column[branch] == p->first_column[branch + 1])
        return TAGMA_NONE;
    position = p->r->raw[branch].kind == TG_BRANCH_PLAIN ? leaf - p->r->raw[branch].first_leaf : 0;
    return p->first_column[branch] + position;
}

/* Source: docs/ROOT.md, "TLeaf". The leaf's length rules; titles tell how it falls into dimensions. */
static tagma_status plan_shape(tg_planning *p, const tg_leaf *leaf, tg_text part, tg_column_plan *plan)
{
    uint64_t n_items = leaf->length > 0 ? (uint64_t)leaf->length : 1;
    tg_title title = tg_title_parse(leaf->title);
    bool has_variable = title.has_variable;

    if (title.n_items != n_items)
        title = tg_title_parse(without_type(part));
    tg_plan_dims(plan, title.dims, title.n_dims, n_items);
    if (leaf->count_reference != 0) {
        (void)tg_plan_list(plan, TG_COUNT_SHARED);
        plan->layout.count_column = column_of(p, tg_leaf_by_reference(p->r, leaf->count_reference));
        if (plan->layout.count_column == TAGMA_NONE)
            return tg_plan_refuse(p->r, plan, "its counter is not in the tree's record");
    } else if (has_variable) {
        return tg_plan_refuse(p->r, plan, "its title \"%.*s\" names a counter, its record none",
                              (int)leaf->title.n, leaf->title.bytes);
    }
    return TAGMA_OK;
}

static tagma_status plan_leaf(tg_planning *p, uint32_t branch, uint32_t i, tg_text part, tg_column_plan *plan)
{
    const tg_raw_branch *raw = &p->r->raw[branch];
    const tg_leaf *leaf = &p->r->leaves[raw->first_leaf + i];
    tg_title title = tg_title_parse(leaf->title);

    if (leaf->kind == TG_LEAF_STRING) {
        plan->type = TAGMA_STRING;
        plan->layout.string = TG_STRING_LEAF;
        if (i + 1 < raw->n_leaves)
            return tg_plan_refuse(p->r, plan, "a string in front of other leaves is not read");
        return TAGMA_OK;
    }
    if (leaf->kind == TG_LEAF_OBJECT)
        return tg_plan_refuse(p->r, plan, "object of class %.*s is not read", (int)raw->class_name.n,
                              raw->class_name.bytes);
    if (!tg_plan_number(plan, code_of(leaf), &title))
        return tg_plan_refuse(p->r, plan, "leaf of class %.*s \"%.*s\" is not read", (int)leaf->class_name.n,
                              leaf->class_name.bytes, (int)leaf->title.n, leaf->title.bytes);
    return plan_shape(p, leaf, part, plan);
}

/* Each leaf has a copy of the branch's name: one of any length would make many of few bytes. */
static tagma_status name_leaf(tg_tree_reading *r, uint32_t branch, const tg_leaf *leaf, tg_column_plan *plan)
{
    tg_text name = tg_text_of(r->tree->branches[branch].name);
    tg_text path = tg_text_of(r->tree->branches[branch].path);

    name.n = name.n < NAME_BYTES_MAX ? name.n : NAME_BYTES_MAX;
    path.n = path.n < NAME_BYTES_MAX ? path.n : NAME_BYTES_MAX;
    plan->name = tg_text_join(r->ctx, &r->arena, name, '.', leaf->name);
    plan->path = tg_text_join(r->ctx, &r->arena, path, '.', leaf->name);
    return plan->name && plan->path ? TAGMA_OK : TAGMA_E_MEMORY;
}

/* Leaves of one branch stand one behind the other in each entry: where one cannot be read, none behind it can. */
static tagma_status spread_reason(tg_planning *p, uint32_t branch)
{
    const tg_column_plan *bad = NULL;

    for (uint32_t c = p->first_column[branch]; c < p->first_column[branch + 1] && !bad; c++)
        if (p->plans[c].reason)
            bad = &p->plans[c];
    for (uint32_t c = p->first_column[branch]; bad && c < p->first_column[branch + 1]; c++)
        TG_TRY(tg_plan_refuse(p->r, &p->plans[c], "leaf %s of the same entries: %s", bad->name, bad->reason));
    return TAGMA_OK;
}

static tagma_status plan_plain(tg_planning *p, uint32_t branch)
{
    tg_tree_reading *r = p->r;
    const tg_raw_branch *raw = &r->raw[branch];
    uint32_t first = p->first_column[branch];
    tg_text rest = raw->title;

    for (uint32_t i = 0; i < raw->n_leaves; i++) {
        tg_column_plan *plan = &p->plans[first + i];

        plan->layout.leaf = i;
        plan->layout.n_leaves = raw->n_leaves;
        plan->layout.first_column = first;
        if (raw->n_leaves > 1)
            TG_TRY(name_leaf(r, branch, &r->leaves[raw->first_leaf + i], plan));
        TG_TRY(plan_leaf(p, branch, i, next_part(&rest), plan));
    }
    return TAGMA_OK;
}

static tagma_status plan_branch(tg_planning *p, uint32_t branch)
{
    tg_tree_reading *r = p->r;
    const tg_raw_branch *raw = &r->raw[branch];
    const tg_branch *of = &r->tree->branches[branch];
    tg_column_plan *plan = &p->plans[p->first_column[branch]];

    assert(p->plans);
    for (uint32_t c = p->first_column[branch]; c < p->first_column[branch + 1]; c++) {
        p->plans[c] = tg_column_plan_of(branch);
        p->plans[c].name = of->name;
        p->plans[c].path = of->path;
        p->plans[c].layout.first_column = p->first_column[branch];
    }
    if (p->first_column[branch] == p->first_column[branch + 1])
        return TAGMA_OK;
    if (of->fault)
        TG_TRY(tg_plan_refuse(r, plan, "%s", of->fault));
    if (raw->reason)
        TG_TRY(tg_plan_refuse(r, plan, "%s", raw->reason));
    if (raw->file_name.n > 0)
        TG_TRY(tg_plan_refuse(r, plan, "its baskets are in another file, %.*s", (int)raw->file_name.n,
                              raw->file_name.bytes));
    switch (raw->kind) {
    case TG_BRANCH_PLAIN:
        if (raw->n_leaves == 0)
            return tg_plan_refuse(r, plan, "it has no leaf");
        return plan_plain(p, branch);
    case TG_BRANCH_ELEMENT:
        return tg_element_plan(p, branch, plan);
    case TG_BRANCH_OBJECT:
        return tg_plan_refuse(r, plan, "object of class %.*s is not read", (int)raw->class_name.n,
                              raw->class_name.bytes);
    case TG_BRANCH_STL:
        return tg_plan_refuse(r, plan, "a collection of pointers (TBranchSTL) is not read");
    default:
        return tg_plan_refuse(r, plan, "branch of class %.*s is not read", (int)raw->branch_class.n,
                              raw->branch_class.bytes);
    }
}

static bool is_integer(tagma_type type)
{
    return type <= TAGMA_U64;
}

/* A counter has to be one whole number an entry, readable, and to stand before what it counts. */
static tagma_status settle_counter(tg_planning *p, uint32_t column)
{
    tg_tree_reading *r = p->r;
    tg_column_plan *plan = &p->plans[column];
    uint32_t number = plan->layout.count_column;
    const tg_column_plan *counter;

    if (number == TAGMA_NONE)
        return TAGMA_OK;
    counter = &p->plans[number];
    if (counter->reason)
        return tg_plan_refuse(r, plan, "its counter %s: %s", counter->name, counter->reason);
    if (!is_integer(counter->type) || counter->n_lists > 0 || counter->n_items != 1)
        return tg_plan_refuse(r, plan, "its counter %s is no whole number", counter->name);
    /* What is read together with other leaves has its counter before them, so that reasons spread in one go. */
    if (plan->layout.n_leaves > 1 && number >= column)
        return tg_plan_refuse(r, plan, "its counter %s stands behind it", counter->name);
    return TAGMA_OK;
}

/* One entry cannot be larger than all the branch's baskets together. */
static tagma_status settle_size(tg_planning *p, uint32_t column)
{
    const tg_tree *tree = p->r->tree;
    tg_column_plan *plan = &p->plans[column];
    const tg_branch *branch = &tree->branches[plan->layout.branch];
    uint64_t bytes = (uint64_t)plan->n_items * tg_plan_width(plan), there;

    if (plan->reason || plan->n_lists > 0 || plan->n_items == 1 || branch->n_baskets == 0)
        return TAGMA_OK;
    if (!tg_add(branch->bytes, tree->record_unpacked, &there))
        there = UINT64_MAX;
    if (branch->bytes > 0 && bytes > there)
        return tg_plan_refuse(p->r, plan,
                              "it claims %" PRIu32 " values an entry, its baskets hold %" PRIu64 " bytes",
                              plan->n_items, branch->bytes);
    return TAGMA_OK;
}

/* What a branch of several leaves makes unreadable may count others, but what is counted counts nothing: branches of several
 * leaves in order, then all others, settle everything. */
static tagma_status settle(tg_planning *p)
{
    for (uint32_t c = 0; c < p->n; c++)
        TG_TRY(settle_size(p, c));
    for (uint32_t b = 0; b < p->r->tree->n_branches; b++) {
        uint32_t first = p->first_column[b], end = p->first_column[b + 1];

        for (uint32_t c = first; c < end && end - first > 1; c++)
            TG_TRY(settle_counter(p, c));
        TG_TRY(spread_reason(p, b));
    }
    for (uint32_t c = 0; c < p->n; c++)
        if (p->plans[c].layout.n_leaves == 1)
            TG_TRY(settle_counter(p, c));
    return TAGMA_OK;
}

/* The collection a counter counts, made at the first column that asks. */
static tagma_status shared_collection(tg_planning *p, uint32_t counter, uint32_t *collections, uint32_t *out)
{
    if (collections[counter] == 0) {
        tagma_collection collection = {p->plans[counter].name, TAGMA_NONE, TAGMA_NONE};

        TG_TRY(tg_schema_add_collection(p->r->ctx, p->r->tree->schema, &collection, out));
        tg_schema_set_count_column(p->r->tree->schema, *out, counter);
        collections[counter] = *out + 1;
    }
    *out = collections[counter] - 1;
    return TAGMA_OK;
}

/* The branch's, but for a long one that many leaves would have a copy of. */
static const char *title_of(const tg_planning *p, const tg_column_plan *plan)
{
    const tg_raw_branch *raw = &p->r->raw[plan->layout.branch];

    return raw->n_leaves > 1 && raw->title.n > NAME_BYTES_MAX
               ? ""
               : p->r->tree->branches[plan->layout.branch].title;
}

static tagma_status add_column(tg_planning *p, uint32_t column, uint32_t *collections)
{
    tg_tree *tree = p->r->tree;
    const tg_column_plan *plan = &p->plans[column];
    uint32_t collection = TAGMA_NONE, number;
    tagma_column out = {.name = plan->name,
                        .path = plan->path,
                        .title = title_of(p, plan),
                        .reason = plan->reason,
                        .dims = plan->dims,
                        .n_dims = plan->n_dims,
                        .n_items = plan->n_items,
                        .type = plan->type,
                        .n_lists = plan->n_lists};

    for (uint32_t level = 0; level < plan->n_lists; level++) {
        tagma_collection own = {plan->name, collection, TAGMA_NONE};

        if (level == 0 && plan->layout.count_column != TAGMA_NONE)
            TG_TRY(shared_collection(p, plan->layout.count_column, collections, &collection));
        else
            TG_TRY(tg_schema_add_collection(p->r->ctx, tree->schema, &own, &collection));
    }
    out.collection = collection;
    TG_TRY(tg_schema_add_column(p->r->ctx, tree->schema, &out, &number));
    tree->layouts[column] = plan->layout;
    return TAGMA_OK;
}

static tagma_status make_schema(tg_planning *p)
{
    tg_tree *tree = p->r->tree;
    uint32_t *collections = tg_zalloc(p->r->ctx, p->n, sizeof *collections);
    tagma_status st = collections ? TAGMA_OK : TAGMA_E_MEMORY;

    tree->layouts = tg_zalloc(p->r->ctx, p->n, sizeof *tree->layouts);
    if (!tree->layouts)
        st = TAGMA_E_MEMORY;
    if (st == TAGMA_OK)
        st = tg_schema_new(p->r->ctx, &tree->schema);
    for (uint32_t c = 0; c < p->n && st == TAGMA_OK; c++)
        st = add_column(p, c, collections);
    if (st == TAGMA_OK)
        st = tg_schema_seal(p->r->ctx, tree->schema);
    tg_free(p->r->ctx, collections);
    return st;
}

tagma_status tg_columns_plan(tg_tree_reading *r)
{
    tg_planning p = {.r = r};
    tagma_status st = number_columns(&p);

    for (uint32_t b = 0; b < r->tree->n_branches && st == TAGMA_OK; b++)
        st = plan_branch(&p, b);
    if (st == TAGMA_OK)
        st = settle(&p);
    if (st == TAGMA_OK)
        st = make_schema(&p);
    tg_free(r->ctx, p.plans);
    tg_free(r->ctx, p.first_column);
    tg_free(r->ctx, p.siblings);
    return st;
}
