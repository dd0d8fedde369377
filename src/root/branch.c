/* SPDX-License-Identifier: Apache-2.0
 * Parse branches and leaves. One that is damaged keeps its fault to itself, as long as its byte count leads behind it. */
#include "root/branch.h"

#include <stdio.h>

/* The branch a member belongs to. */
typedef struct branch_visit {
    tg_tree_reading *r;
    uint32_t branch; /* TAGMA_NONE in a leaf */
    uint32_t depth;
    uint32_t count_reference; /* of a leaf's counter met in the leaf itself */
} branch_visit;

tagma_status tg_branch_fault(tg_tree_reading *r, uint32_t branch, const char *format, ...)
{
    char words[TG_MESSAGE_BYTES];
    va_list args;

    if (r->tree->branches[branch].fault)
        return TAGMA_OK;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    r->tree->branches[branch].fault = tg_arena_text(r->ctx, &r->arena, words, strlen(words));
    return r->tree->branches[branch].fault ? TAGMA_OK : TAGMA_E_MEMORY;
}

static uint32_t leaf_among(const tg_leaf *leaves, uint64_t n, uint32_t reference)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (leaves[middle].reference < reference)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && leaves[low].reference == reference ? (uint32_t)low : TAGMA_NONE;
}

uint32_t tg_leaf_by_reference(const tg_tree_reading *r, uint32_t reference)
{
    uint32_t i = leaf_among(r->leaves, r->n_leaves, reference);

    if (i != TAGMA_NONE)
        return i;
    i = leaf_among(r->strays, r->n_strays, reference);
    return i == TAGMA_NONE ? TAGMA_NONE : r->strays[i].twin;
}

uint32_t tg_branch_by_reference(const tg_tree_reading *r, uint32_t reference)
{
    uint64_t low = 0, high = r->tree->n_branches;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (r->raw[middle].reference < reference)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->tree->n_branches && r->raw[low].reference == reference ? (uint32_t)low : TAGMA_NONE;
}

tagma_status tg_tree_streamers(tg_tree_reading *r, const tg_streamers **out)
{
    if (!r->has_streamers) {
        tagma_status st = tg_streamers_read(r->ctx, r->lane, &r->file->header, &r->streamers);

        r->has_streamers = true;
        if (st == TAGMA_E_MEMORY || st == TAGMA_E_IO)
            return st;
        if (st < 0)
            tg_note(r->ctx, "%s; classes it describes are not read", tagma_ctx_message(r->ctx));
    }
    *out = r->streamers;
    return TAGMA_OK;
}

tagma_status tg_tree_members(tg_tree_reading *r, const char *class_name, int32_t version,
                             const tg_members **out)
{
    const tg_streamers *streamers = NULL;
    tagma_status st;

    for (uint64_t i = 0; i < r->n_members; i++)
        if (r->members[i].version == version && strcmp(r->members[i].class_name, class_name) == 0) {
            *out = &r->members[i];
            return TAGMA_OK;
        }
    if (!tg_members_are_known(class_name, version))
        TG_TRY(tg_tree_streamers(r, &streamers));
    /* Steps are borrowed while more are made, so they must not move: few classes, each in few versions. */
    if (!r->members)
        r->members = tg_alloc(r->ctx, TG_MEMBERS_MAX, sizeof *r->members);
    if (!r->members)
        return TAGMA_E_MEMORY;
    if (r->n_members == TG_MEMBERS_MAX)
        return tg_fail(r->ctx, TAGMA_E_LIMIT, "more than %d versions of classes", TG_MEMBERS_MAX);
    st = tg_members_make(r->ctx, class_name, version, streamers, &r->members[r->n_members]);
    if (st < 0)
        return st;
    *out = &r->members[r->n_members++];
    return TAGMA_OK;
}

static const struct {
    const char *class_name;
    tg_leaf_kind kind;
} leaf_kinds[] = {
    {"TLeafF", TG_LEAF_F32},
    {"TLeafI", TG_LEAF_32},
    {"TLeafO", TG_LEAF_BOOL},
    {"TLeafB", TG_LEAF_8},
    {"TLeafElement", TG_LEAF_ELEMENT},
    {"TLeafD", TG_LEAF_F64},
    {"TLeafL", TG_LEAF_64},
    {"TLeafG", TG_LEAF_64},
    {"TLeafS", TG_LEAF_16},
    {"TLeafC", TG_LEAF_STRING},
    {"TLeafF16", TG_LEAF_FLOAT16},
    {"TLeafD32", TG_LEAF_DOUBLE32},
    {"TLeafObject", TG_LEAF_OBJECT},
};

static tg_leaf_kind leaf_kind_of(tg_text class_name)
{
    for (size_t i = 0; i < sizeof leaf_kinds / sizeof leaf_kinds[0]; i++)
        if (tg_text_is(class_name, leaf_kinds[i].class_name))
            return leaf_kinds[i].kind;
    return TG_LEAF_UNKNOWN;
}

static tagma_status parse_leaf(tg_tree_reading *r, tg_in *in, const tg_slot *slot, uint32_t depth,
                               tg_leaf *leaf);

/* A counter that comes later in the tree stands whole in the first leaf it counts. */
static tagma_status visit_leaf(void *user, tg_field field, tg_in *in)
{
    branch_visit *visit = user;
    tg_tree_reading *r = visit->r;
    tg_slot slot = tg_slot_enter(in, r->key_bytes);
    void *block = r->strays;
    tg_leaf leaf;
    tagma_status st;

    (void)field;
    TG_TRY(parse_leaf(r, in, &slot, visit->depth + 1, &leaf));
    (void)tg_slot_leave(in, &slot);
    leaf.branch = TAGMA_NONE;
    st = tg_reserve(r->ctx, &block, &r->strays_capacity, r->n_strays + 1, sizeof *r->strays);
    r->strays = block;
    TG_TRY(st);
    r->strays[r->n_strays++] = leaf;
    visit->count_reference = leaf.reference;
    return TAGMA_OK;
}

/* TLeafX around its TLeaf; the range of values behind it tells nothing we need. */
static tagma_status parse_leaf(tg_tree_reading *r, tg_in *in, const tg_slot *slot, uint32_t depth,
                               tg_leaf *leaf)
{
    enum { DEPTH_MAX = 64 };
    tg_object outer = tg_object_enter(in), base = tg_object_enter(in);
    branch_visit visit = {r, TAGMA_NONE, depth, 0};
    const tg_members *members = NULL;
    tg_values values;
    tagma_status st;

    memset(&values, 0, sizeof values);
    values.name = values.title = (tg_text){"", 0};
    if (depth > DEPTH_MAX)
        return tg_fail(r->ctx, TAGMA_E_LIMIT, "counters of counters more than %d deep", DEPTH_MAX);
    st = tg_tree_members(r, "TLeaf", base.version, &members);
    if (st == TAGMA_OK)
        st = tg_members_run(r->ctx, members, in, r->key_bytes, visit_leaf, &visit, &values);
    if (!tg_object_leave(in, &base) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "it is cut");
    if (!tg_object_leave(in, &outer) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "it is cut");
    *leaf = (tg_leaf){.name = values.name,
                      .title = values.title,
                      .class_name = slot->class_name,
                      .kind = (uint8_t)leaf_kind_of(slot->class_name),
                      .is_unsigned = values.numbers[TG_FIELD_IS_UNSIGNED] != 0,
                      .length = values.numbers[TG_FIELD_LEN],
                      .reference = slot->reference,
                      .count_reference = values.references[TG_FIELD_LEAF_COUNT],
                      .branch = TAGMA_NONE,
                      .twin = TAGMA_NONE};
    if (visit.count_reference != 0)
        leaf->count_reference = visit.count_reference;
    return st;
}

static tagma_status add_leaf(tg_tree_reading *r, uint32_t branch, const tg_leaf *leaf)
{
    void *block = r->leaves;
    tagma_status st = tg_reserve(r->ctx, &block, &r->leaves_capacity, r->n_leaves + 1, sizeof *r->leaves);

    r->leaves = block;
    TG_TRY(st);
    if (r->n_leaves >= r->ctx->limits.max_columns)
        return tg_fail(r->ctx, TAGMA_E_LIMIT, "more than %" PRIu32 " leaves (limit max_columns)",
                       r->ctx->limits.max_columns);
    r->leaves[r->n_leaves] = *leaf;
    r->leaves[r->n_leaves].branch = branch;
    r->n_leaves++;
    r->raw[branch].n_leaves++;
    return TAGMA_OK;
}

/* A slot of fLeaves that refers to a leaf met as a counter before. `start` makes a reference that nobody else has. */
static tagma_status add_twin(tg_tree_reading *r, uint32_t branch, const tg_slot *slot, size_t start)
{
    uint32_t stray = leaf_among(r->strays, r->n_strays, slot->reference);
    tg_leaf leaf;

    if (stray == TAGMA_NONE)
        return tg_branch_fault(r, branch, "its leaf is not in the tree's record");
    leaf = r->strays[stray];
    r->strays[stray].twin = (uint32_t)r->n_leaves;
    leaf.reference = (uint32_t)start + r->key_bytes + 2;
    return add_leaf(r, branch, &leaf);
}

static tagma_status parse_leaves(tg_tree_reading *r, tg_in *in, uint32_t branch, uint32_t depth)
{
    tg_object list = tg_object_enter(in);
    uint32_t n = tg_in_objarray(in);
    tagma_status st = TAGMA_OK;

    r->raw[branch].first_leaf = (uint32_t)r->n_leaves;
    for (uint32_t i = 0; i < n && st == TAGMA_OK && !tg_in_short(in); i++) {
        size_t start = in->at;
        tg_slot slot = tg_slot_enter(in, r->key_bytes);
        tg_leaf leaf;

        if (slot.kind == TG_SLOT_OBJECT) {
            st = parse_leaf(r, in, &slot, depth, &leaf);
            if (st == TAGMA_OK)
                st = add_leaf(r, branch, &leaf);
        } else if (slot.kind == TG_SLOT_REFERENCE) {
            st = add_twin(r, branch, &slot, start);
        }
        if (!tg_slot_leave(in, &slot) && st == TAGMA_OK)
            st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "it is cut");
        if (st < 0)
            tg_within(r->ctx, st, "leaf %" PRIu32, i);
    }
    if (!tg_object_leave(in, &list) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "its list of leaves is cut");
    return st;
}

/* The last byte of a basket's header says what follows: nothing, or the data. */
static bool has_data(tg_in in)
{
    enum { AT_KEY_BYTES = 14, NO_OFFSETS = 80 };
    const uint8_t *key = in.bytes + in.at;
    uint32_t key_bytes;
    uint8_t flag;

    if (tg_in_left(&in) < TG_KEY_BYTES_MIN)
        return false;
    key_bytes = tg_be16(key + AT_KEY_BYTES);
    if (key_bytes < TG_KEY_BYTES_MIN || key_bytes > tg_in_left(&in))
        return false;
    flag = key[key_bytes - 1];
    return flag != 0 && flag != NO_OFFSETS;
}

static tagma_status add_embedded(tg_tree_reading *r, uint32_t slot, const tg_in *in)
{
    void *block = r->embedded;
    tagma_status st =
        tg_reserve(r->ctx, &block, &r->embedded_capacity, r->n_embedded + 1, sizeof *r->embedded);

    r->embedded = block;
    TG_TRY(st);
    r->embedded[r->n_embedded++] = (tg_embedded){slot, in->at, (uint32_t)tg_in_left(in)};
    return TAGMA_OK;
}

static tagma_status parse_baskets(tg_tree_reading *r, tg_in *in)
{
    tg_object list = tg_object_enter(in);
    uint32_t n = tg_in_objarray(in);
    tagma_status st = TAGMA_OK;

    for (uint32_t i = 0; i < n && st == TAGMA_OK && !tg_in_short(in); i++) {
        tg_slot slot = tg_slot_enter(in, r->key_bytes);

        if (slot.kind == TG_SLOT_OBJECT && !slot.has_count)
            st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "embedded basket %" PRIu32 " has no byte count", i);
        else if (slot.kind == TG_SLOT_OBJECT && !tg_in_short(in) && has_data(*in))
            st = add_embedded(r, i, in);
        if (!tg_slot_leave(in, &slot) && st == TAGMA_OK)
            st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "embedded basket %" PRIu32 " is cut", i);
    }
    if (!tg_object_leave(in, &list) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "its list of baskets is cut");
    return st;
}

static tagma_status parse_branch(tg_tree_reading *r, tg_in *in, const tg_slot *slot, uint32_t parent,
                                 uint32_t depth);

static tagma_status visit_branch(void *user, tg_field field, tg_in *in)
{
    branch_visit *visit = user;
    tg_tree_reading *r = visit->r;
    tagma_status st;
    tg_slot slot;

    switch (field) {
    case TG_FIELD_BRANCHES:
        st = tg_branches_parse(r, in, visit->branch, visit->depth + 1);
        r->n_embedded = 0;
        return st;
    case TG_FIELD_LEAVES:
        return parse_leaves(r, in, visit->branch, 0);
    case TG_FIELD_BASKETS:
        return parse_baskets(r, in);
    default:
        /* fBranchCount, where the counter comes later in the tree: it stands here, and is referred to there. */
        slot = tg_slot_enter(in, r->key_bytes);
        r->raw[visit->branch].count_reference = slot.reference;
        st = parse_branch(r, in, &slot, TAGMA_NONE, visit->depth + 1);
        (void)tg_slot_leave(in, &slot);
        return st;
    }
}

static const struct {
    const char *class_name;
    tg_branch_kind kind;
} branch_kinds[] = {
    {"TBranch", TG_BRANCH_PLAIN},  {"TBranchElement", TG_BRANCH_ELEMENT}, {"TBranchObject", TG_BRANCH_OBJECT},
    {"TBranchSTL", TG_BRANCH_STL}, {"TBranchClones", TG_BRANCH_CLONES},
};

static tg_branch_kind branch_kind_of(tg_text class_name)
{
    for (size_t i = 0; i < sizeof branch_kinds / sizeof branch_kinds[0]; i++)
        if (tg_text_is(class_name, branch_kinds[i].class_name))
            return branch_kinds[i].kind;
    return TG_BRANCH_UNKNOWN;
}

static tagma_status add_branch(tg_tree_reading *r, const tg_slot *slot, uint32_t parent)
{
    tg_tree *tree = r->tree;
    void *raw = r->raw, *branches = tree->branches;
    tagma_status st;

    if (tree->n_branches >= r->ctx->limits.max_columns)
        return tg_fail(r->ctx, TAGMA_E_LIMIT, "more than %" PRIu32 " branches (limit max_columns)",
                       r->ctx->limits.max_columns);
    st = tg_reserve(r->ctx, &raw, &r->raw_capacity, tree->n_branches + 1, sizeof *r->raw);
    r->raw = raw;
    if (st == TAGMA_OK)
        st = tg_reserve(r->ctx, &branches, &r->branches_capacity, tree->n_branches + 1,
                        sizeof *tree->branches);
    tree->branches = branches;
    TG_TRY(st);
    r->raw[tree->n_branches] = (tg_raw_branch){.name = {"", 0},
                                               .title = {"", 0},
                                               .branch_class = slot->class_name,
                                               .class_name = {"", 0},
                                               .clones_name = {"", 0},
                                               .file_name = {"", 0},
                                               .kind = (uint8_t)branch_kind_of(slot->class_name),
                                               .reference = slot->reference,
                                               .id = -1,
                                               .streamer_type = -1};
    tree->branches[tree->n_branches] = (tg_branch){.parent = parent};
    tree->n_branches++;
    return TAGMA_OK;
}

/* Steps of one class over its framed part of a branch. */
static tagma_status run_class(branch_visit *visit, tg_in *in, const char *class_name, tg_values *values)
{
    tg_tree_reading *r = visit->r;
    tg_object object = tg_object_enter(in);
    const tg_members *members = NULL;
    tagma_status st = tg_tree_members(r, class_name, object.version, &members);

    if (st == TAGMA_OK)
        st = tg_members_run(r->ctx, members, in, r->key_bytes, visit_branch, visit, values);
    if (!tg_object_leave(in, &object) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "its record is cut");
    return st;
}

/* The TBranch of a branch, and the baskets it tells of: before another branch can be met behind it. */
static tagma_status run_base(branch_visit *visit, tg_in *in, tg_values *values)
{
    TG_TRY(run_class(visit, in, "TBranch", values));
    return tg_baskets_list(visit->r, visit->branch, values);
}

/* What a class derived from TBranch has behind its TBranch. */
static tagma_status run_derived(branch_visit *visit, tg_in *in, const char *class_name, tg_values *values)
{
    tg_tree_reading *r = visit->r;
    tg_object object = tg_object_enter(in);
    const tg_members *members = NULL;
    tagma_status st = run_base(visit, in, values);

    if (st == TAGMA_OK && class_name) {
        st = tg_tree_members(r, class_name, object.version, &members);
        if (st == TAGMA_OK)
            st = tg_members_run(r->ctx, members, in, r->key_bytes, visit_branch, visit, values);
    }
    if (!tg_object_leave(in, &object) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "its record is cut");
    return st;
}

static tagma_status run_branch(branch_visit *visit, tg_in *in, tg_values *values)
{
    switch (visit->r->raw[visit->branch].kind) {
    case TG_BRANCH_PLAIN:
        return run_base(visit, in, values);
    case TG_BRANCH_ELEMENT:
        return run_derived(visit, in, "TBranchElement", values);
    case TG_BRANCH_OBJECT:
        return run_derived(visit, in, "TBranchObject", values);
    case TG_BRANCH_CLONES: {
        /* It writes no TBranch, but begins with its name. */
        tg_object object = tg_object_enter(in);
        (void)tg_in_named(in, &values->name, &values->title);
        (void)tg_object_leave(in, &object);
        return TAGMA_OK;
    }
    default:
        return run_derived(visit, in, NULL, values);
    }
}

static void take_values(tg_tree_reading *r, uint32_t branch, const tg_values *values)
{
    tg_raw_branch *raw = &r->raw[branch];
    tg_branch *out = &r->tree->branches[branch];

    raw->name = values->name;
    raw->title = values->title;
    raw->class_name = values->texts[TG_FIELD_CLASS_NAME];
    raw->clones_name = values->texts[TG_FIELD_CLONES_NAME];
    raw->file_name = values->texts[TG_FIELD_FILE_NAME];
    if (values->references[TG_FIELD_BRANCH_COUNT] != 0)
        raw->count_reference = values->references[TG_FIELD_BRANCH_COUNT];
    raw->checksum = (uint32_t)values->numbers[TG_FIELD_CHECKSUM];
    raw->class_version = (int32_t)values->numbers[TG_FIELD_CLASS_VERSION];
    if (raw->kind == TG_BRANCH_ELEMENT) {
        raw->id = (int32_t)values->numbers[TG_FIELD_ID];
        raw->type = (int32_t)values->numbers[TG_FIELD_TYPE];
        raw->streamer_type = (int32_t)values->numbers[TG_FIELD_STREAMER_TYPE];
    }
    out->compress = (int32_t)values->numbers[TG_FIELD_COMPRESS];
    out->bytes = values->numbers[TG_FIELD_TOT_BYTES] > 0 ? (uint64_t)values->numbers[TG_FIELD_TOT_BYTES] : 0;
    out->packed_bytes =
        values->numbers[TG_FIELD_ZIP_BYTES] > 0 ? (uint64_t)values->numbers[TG_FIELD_ZIP_BYTES] : 0;
}

/* Only what would spoil the tree comes back; what is wrong with the branch becomes its fault. */
static tagma_status parse_branch(tg_tree_reading *r, tg_in *in, const tg_slot *slot, uint32_t parent,
                                 uint32_t depth)
{
    branch_visit visit = {r, r->tree->n_branches, depth, 0};
    tg_values values;
    tagma_status st;

    memset(&values, 0, sizeof values);
    values.name = values.title = (tg_text){"", 0};
    for (size_t i = 0; i < TG_FIELD_N; i++)
        values.texts[i] = values.name;
    TG_TRY(add_branch(r, slot, parent));
    r->raw[visit.branch].is_stray = parent == TAGMA_NONE && depth > 0;
    r->n_embedded = 0;
    if (depth >= r->ctx->limits.max_depth)
        return tg_fail(r->ctx, TAGMA_E_LIMIT, "branches more than %" PRIu32 " deep (limit max_depth)",
                       r->ctx->limits.max_depth);
    st = run_branch(&visit, in, &values);
    take_values(r, visit.branch, &values);
    if (st == TAGMA_E_MEMORY || st == TAGMA_E_IO || st == TAGMA_E_LIMIT)
        return st;
    if (st == TAGMA_E_UNSUPPORTED) {
        const char *words = tagma_ctx_message(r->ctx);
        r->raw[visit.branch].reason = tg_arena_text(r->ctx, &r->arena, words, strlen(words));
        return r->raw[visit.branch].reason ? TAGMA_OK : TAGMA_E_MEMORY;
    }
    return st < 0 ? tg_branch_fault(r, visit.branch, "%s", tagma_ctx_message(r->ctx)) : TAGMA_OK;
}

/* A slot of fBranches that refers to a branch met as a counter before. A parent always stands before its children, so that
 * there are no cycles. */
static void adopt(tg_tree_reading *r, uint32_t reference, uint32_t parent)
{
    uint32_t branch = tg_branch_by_reference(r, reference);

    if (branch == TAGMA_NONE || !r->raw[branch].is_stray || (parent != TAGMA_NONE && parent >= branch))
        return;
    r->raw[branch].is_stray = false;
    r->tree->branches[branch].parent = parent;
    if (parent != TAGMA_NONE)
        r->raw[parent].n_children++;
}

/* Where what stands behind a branch cannot be known from the branch. */
static bool is_lost(const tg_tree_reading *r, uint32_t branch)
{
    return r->tree->branches[branch].fault || r->raw[branch].reason;
}

tagma_status tg_branches_parse(tg_tree_reading *r, tg_in *in, uint32_t parent, uint32_t depth)
{
    tg_object list = tg_object_enter(in);
    uint32_t n = tg_in_objarray(in);
    tagma_status st = TAGMA_OK;

    for (uint32_t i = 0; i < n && st == TAGMA_OK && !tg_in_short(in); i++) {
        size_t start = in->at;
        tg_slot slot = tg_slot_enter(in, r->key_bytes);

        uint32_t number = r->tree->n_branches;

        if (slot.kind == TG_SLOT_OBJECT && !tg_in_short(in)) {
            if (parent != TAGMA_NONE)
                r->raw[parent].n_children++;
            st = parse_branch(r, in, &slot, parent, depth);
            if (st == TAGMA_OK && !slot.has_count && is_lost(r, number))
                st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "it is damaged and has no byte count");
        } else if (slot.kind == TG_SLOT_REFERENCE) {
            adopt(r, slot.reference, parent);
        }
        if (!tg_slot_leave(in, &slot) && st == TAGMA_OK && !slot.has_count)
            st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "it is cut");
        if (st < 0)
            return tg_within(r->ctx, st,
                             "branch %" PRIu32 " of its list, at byte %zu of the record's payload", i, start);
    }
    if (!tg_object_leave(in, &list) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "the list of branches is cut");
    return st;
}
