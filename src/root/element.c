/* SPDX-License-Identifier: Apache-2.0
 * Plan the column of a TBranchElement: a member of a split object or collection, or an object whole.
 * Source of facts: docs/ROOT.md, "TBranchElement". */
#include <xxhash.h>

#include "root/colplan.h"
#include "root/cxxtype.h"

enum { TYPE_BASE = 1, TYPE_OBJECT = 2, TYPE_CLONES = 3, TYPE_STL = 4, TYPE_IN_CLONES = 31, TYPE_IN_STL = 41 };

/* The first ROOT that stored the bits of a bitset. */
enum { RELEASE_WITH_BITSETS = 60806 };

bool tg_element_is_node(const tg_tree_reading *r, uint32_t branch)
{
    const tg_raw_branch *raw = &r->raw[branch];

    if (raw->type == TYPE_CLONES || raw->type == TYPE_STL)
        return false;
    if (raw->n_children > 0)
        return true;
    return (raw->type == TYPE_BASE || raw->type == TYPE_OBJECT) && !r->tree->branches[branch].fault &&
           r->tree->branches[branch].n_baskets == 0;
}

static bool is_in_collection(const tg_raw_branch *raw)
{
    return raw->type == TYPE_IN_CLONES || raw->type == TYPE_IN_STL;
}

/* Whose members a branch is among: nodes of base classes do not count. */
static uint32_t owner_of(const tg_tree_reading *r, uint32_t branch)
{
    uint32_t owner = r->tree->branches[branch].parent;

    while (owner != TAGMA_NONE && r->raw[owner].kind == TG_BRANCH_ELEMENT && r->raw[owner].type == TYPE_BASE)
        owner = r->tree->branches[owner].parent;
    return owner;
}

/* Up to the last point, and what is behind it. */
static void split_name(tg_text text, tg_text *stem, tg_text *name)
{
    uint32_t n = text.n;

    while (n > 0 && text.bytes[n - 1] != '.')
        n--;
    *stem = (tg_text){text.bytes, n};
    *name = (tg_text){text.bytes + n, text.n - n};
}

static bool is_text(tg_text a, tg_text b)
{
    return a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0;
}

/* The slot of a branch by owner, stem and last part of its name: where it stands, or would. */
static uint32_t *find_slot(const tg_planning *p, uint32_t owner, tg_text stem, tg_text name)
{
    const tg_tree_reading *r = p->r;
    uint64_t hash = XXH3_64bits_withSeed(stem.bytes, stem.n, owner);
    uint64_t at = XXH3_64bits_withSeed(name.bytes, name.n, hash) & (p->n_slots - 1);

    for (; p->siblings[at] != 0; at = (at + 1) & (p->n_slots - 1)) {
        uint32_t b = p->siblings[at] - 1;
        tg_text its_stem, its_name;

        split_name(r->raw[b].name, &its_stem, &its_name);
        if (is_text(its_name, name) && is_text(its_stem, stem) && owner_of(r, b) == owner)
            break;
    }
    return &p->siblings[at];
}

/* A table of all branches, made once: counters are found in it. Of equal ones the first counts. */
static tagma_status index_siblings(tg_planning *p)
{
    tg_tree_reading *r = p->r;

    for (p->n_slots = 16; p->n_slots < 2 * (uint64_t)r->tree->n_branches;)
        p->n_slots *= 2;
    p->siblings = tg_zalloc(r->ctx, p->n_slots, sizeof *p->siblings);
    if (!p->siblings)
        return TAGMA_E_MEMORY;
    for (uint32_t b = 0; b < r->tree->n_branches; b++) {
        tg_text stem, name;
        uint32_t *slot;

        split_name(r->raw[b].name, &stem, &name);
        slot = find_slot(p, owner_of(r, b), stem, name);
        if (*slot == 0)
            *slot = b + 1;
    }
    return TAGMA_OK;
}

/* The column that counts a member: the sibling whose name differs in its last part. What the branch itself refers to may be
 * the counter of another object of the same class. */
static tagma_status find_sibling(tg_planning *p, uint32_t branch, tg_text counter, uint32_t *column)
{
    tg_tree_reading *r = p->r;
    uint32_t reference = r->raw[branch].count_reference, found;
    tg_text stem, name;

    *column = TAGMA_NONE;
    if (!p->siblings)
        TG_TRY(index_siblings(p));
    split_name(r->raw[branch].name, &stem, &name);
    found = *find_slot(p, owner_of(r, branch), stem, counter) - 1U;
    if (found == TAGMA_NONE && reference != 0)
        found = tg_branch_by_reference(r, reference);
    if (found != TAGMA_NONE && p->first_column[found] < p->first_column[found + 1])
        *column = p->first_column[found];
    return TAGMA_OK;
}

/* The column that counts a split collection: the branch referred to, or the collection above. */
static uint32_t find_collection(const tg_planning *p, uint32_t branch)
{
    const tg_tree_reading *r = p->r;
    uint32_t reference = r->raw[branch].count_reference;
    uint32_t b = reference == 0 ? TAGMA_NONE : tg_branch_by_reference(r, reference);

    if (b == TAGMA_NONE || (r->raw[b].type != TYPE_CLONES && r->raw[b].type != TYPE_STL)) {
        b = r->tree->branches[branch].parent;
        while (b != TAGMA_NONE && r->raw[b].type != TYPE_CLONES && r->raw[b].type != TYPE_STL)
            b = r->tree->branches[b].parent;
    }
    return b == TAGMA_NONE || p->first_column[b] == p->first_column[b + 1] ? TAGMA_NONE : p->first_column[b];
}

/* Lists of numbers or strings, each with its count in front, behind `plan`'s own list if it has one. An enumeration is known by
 * what the streamer info says of the items (0: nothing). */
static tagma_status plan_collection(tg_planning *p, tg_column_plan *plan, tg_text type_name,
                                    int32_t item_code)
{
    const tg_title no_title = {.n_items = 1};
    tg_cxx_type type = tg_cxx_type_parse(type_name);

    if (type.kind == TG_CXX_OTHER && type.n_lists == 1 && item_code > 0 && item_code < TG_CODE_ARRAY) {
        type.kind = TG_CXX_NUMBER;
        type.code = item_code;
    }
    if (type.kind == TG_CXX_OTHER)
        return tg_plan_refuse(p->r, plan, "%.*s is not read", (int)type_name.n, type_name.bytes);
    if (plan->n_lists + type.n_lists > TAGMA_MAX_LISTS)
        return tg_plan_refuse(p->r, plan, "%.*s: more than %d levels of lists are not read", (int)type_name.n,
                              type_name.bytes, TAGMA_MAX_LISTS);
    if (type.is_bitset && tg_root_header_release(&p->r->file->header) < RELEASE_WITH_BITSETS)
        return tg_plan_refuse(p->r, plan, "%.*s is not stored by ROOT before 6.08/06", (int)type_name.n,
                              type_name.bytes);
    for (uint32_t i = 0; i < type.n_lists; i++)
        (void)tg_plan_list(plan, TG_COUNT_INLINE);
    plan->layout.frame = TG_ENTRY_FRAMED;
    if (type.kind == TG_CXX_NUMBER) {
        if (!tg_plan_number(plan, type.code, &no_title))
            return tg_plan_refuse(p->r, plan, "%.*s is not read", (int)type_name.n, type_name.bytes);
    } else {
        plan->type = TAGMA_STRING;
        plan->layout.string = TG_STRING_COUNTED;
    }
    return TAGMA_OK;
}

/* An object in one branch. A string of any kind has no frame here. */
static tagma_status plan_whole(tg_planning *p, const tg_raw_branch *raw, tg_column_plan *plan)
{
    tg_text name = raw->class_name;
    tg_cxx_type type = tg_cxx_type_parse(name);

    if (type.n_lists > 0)
        return plan_collection(p, plan, name, 0);
    if (type.kind == TG_CXX_STRING) {
        plan->type = TAGMA_STRING;
        plan->layout.string = TG_STRING_COUNTED;
        return TAGMA_OK;
    }
    if (name.n > 0 && name.bytes[name.n - 1] == '>')
        return tg_plan_refuse(p->r, plan, "%.*s is not read", (int)name.n, name.bytes);
    return tg_plan_refuse(p->r, plan, "object of class %.*s in one branch is not read", (int)name.n,
                          name.bytes);
}

static tagma_status plan_counted(tg_planning *p, uint32_t branch, const tg_element *element,
                                 tg_column_plan *plan)
{
    if (plan->n_lists > 0)
        return tg_plan_refuse(p->r, plan,
                              "an array counted by %.*s in each object of a collection is not read",
                              (int)element->count_name.n, element->count_name.bytes);
    (void)tg_plan_list(plan, TG_COUNT_SHARED);
    plan->layout.frame = TG_ENTRY_FLAGGED;
    TG_TRY(find_sibling(p, branch, element->count_name, &plan->layout.count_column));
    if (plan->layout.count_column == TAGMA_NONE)
        return tg_plan_refuse(p->r, plan, "its counter %.*s is not in the tree", (int)element->count_name.n,
                              element->count_name.bytes);
    return TAGMA_OK;
}

/* Numbers: one, a fixed array of them, or as many as a member says. false for what is no number. */
static bool plan_numbers(const tg_element *element, tg_column_plan *plan, bool *is_counted)
{
    const tg_title none = {.n_items = 1};
    tg_title title = element->has_range ? tg_title_parse(element->title) : none;
    int32_t code = element->code;

    *is_counted = code > TG_CODE_COUNTED;
    if (code > TG_CODE_COUNTED)
        code -= TG_CODE_COUNTED;
    else if (code > TG_CODE_ARRAY)
        code -= TG_CODE_ARRAY;
    if (!tg_plan_number(plan, code, &title))
        return false;
    if (element->code > TG_CODE_ARRAY)
        tg_plan_dims(plan, element->dims, element->n_dims, element->n_items);
    return true;
}

static tagma_status plan_string(tg_planning *p, const tg_element *element, tg_column_plan *plan)
{
    plan->type = TAGMA_STRING;
    plan->layout.string = element->code == TG_CODE_CHAR_STAR ? TG_STRING_LONG : TG_STRING_COUNTED;
    if (element->code == TG_CODE_TSTRING)
        return TAGMA_OK;
    if (plan->n_lists > 0)
        return tg_plan_refuse(p->r, plan, "%.*s in each object of a collection is not read",
                              (int)element->type_name.n, element->type_name.bytes);
    if (element->code == TG_CODE_TSTRING + TG_CODE_ARRAY) {
        plan->layout.frame = TG_ENTRY_FRAMED;
        tg_plan_dims(plan, element->dims, element->n_dims, element->n_items);
    }
    return TAGMA_OK;
}

/* A member that is no number and no string. */
static tagma_status plan_other(tg_planning *p, const tg_element *element, tg_column_plan *plan)
{
    tg_text type = element->type_name;

    if (element->is_base)
        return tg_plan_refuse(p->r, plan, "base class %.*s in one branch is not read", (int)element->name.n,
                              element->name.bytes);
    switch (element->code) {
    case TG_CODE_OBJECT_POINTER:
    case TG_CODE_ANY_POINTER:
    case TG_CODE_OBJECT_DIRECT:
    case TG_CODE_ANY_DIRECT:
        return tg_plan_refuse(p->r, plan, "pointer %.*s is not read", (int)type.n, type.bytes);
    case TG_CODE_LOOP:
        return tg_plan_refuse(p->r, plan, "array of objects %.*s is not read", (int)type.n, type.bytes);
    default:
        return tg_plan_refuse(p->r, plan, "object of class %.*s is not read", (int)type.n, type.bytes);
    }
}

static tg_text without_pointer(tg_text type)
{
    while (type.n > 0 && (type.bytes[type.n - 1] == '*' || type.bytes[type.n - 1] == ' '))
        type.n--;
    return type;
}

/* An array of strings has one frame; one of collections has lists where a column has dimensions. */
static tagma_status plan_stl(tg_planning *p, const tg_element *element, tg_column_plan *plan)
{
    tg_text name = without_pointer(element->type_name);

    if (element->n_dims == 0)
        return plan_collection(p, plan, name, element->item_code);
    if (plan->n_lists > 0 || tg_cxx_type_parse(name).n_lists > 0)
        return tg_plan_refuse(p->r, plan, "an array of %.*s is not read", (int)name.n, name.bytes);
    TG_TRY(plan_collection(p, plan, name, element->item_code));
    tg_plan_dims(plan, element->dims, element->n_dims, element->n_items);
    return TAGMA_OK;
}

static tagma_status plan_member(tg_planning *p, uint32_t branch, const tg_element *element,
                                tg_column_plan *plan)
{
    bool is_counted = false;

    if (element->is_stl)
        return plan_stl(p, element, plan);
    if (element->code == TG_CODE_TSTRING || element->code == TG_CODE_CHAR_STAR ||
        element->code == TG_CODE_TSTRING + TG_CODE_ARRAY)
        return plan_string(p, element, plan);
    if (element->is_base || !plan_numbers(element, plan, &is_counted))
        return plan_other(p, element, plan);
    return is_counted ? plan_counted(p, branch, element, plan) : TAGMA_OK;
}

/* The member a branch holds. Without streamer info a plain number can still be told by its code. */
static tagma_status find_member(tg_planning *p, const tg_raw_branch *raw, tg_column_plan *plan,
                                tg_element *element)
{
    const tg_streamers *streamers;
    const tg_class_info *info;

    TG_TRY(tg_tree_streamers(p->r, &streamers));
    info = tg_streamers_find(streamers, raw->class_name, raw->class_version, raw->checksum);
    if (info && (uint32_t)raw->id < info->n_elements) {
        *element = *tg_streamers_element(streamers, info, (uint32_t)raw->id);
        return TAGMA_OK;
    }
    if (raw->streamer_type > 0 && raw->streamer_type < TG_CODE_ARRAY &&
        raw->streamer_type != TG_CODE_CHAR_STAR && raw->streamer_type != TG_CODE_DOUBLE32 &&
        raw->streamer_type != TG_CODE_FLOAT16) {
        *element = (tg_element){.code = raw->streamer_type, .n_items = 1};
        return TAGMA_OK;
    }
    return tg_plan_refuse(p->r, plan,
                          "the file does not describe member %" PRId32 " of class %.*s version %" PRId32,
                          raw->id, (int)raw->class_name.n, raw->class_name.bytes, raw->class_version);
}

tagma_status tg_element_plan(tg_planning *p, uint32_t branch, tg_column_plan *plan)
{
    const tg_raw_branch *raw = &p->r->raw[branch];
    tg_element element = {.code = 0};

    if (raw->type == TYPE_CLONES || raw->type == TYPE_STL) {
        (void)tg_plan_number(plan, TG_CODE_I32, &(tg_title){.n_items = 1});
        return TAGMA_OK;
    }
    if (raw->id < 0)
        return plan_whole(p, raw, plan);
    /* Seen in files of ROOT 6.40: a count of arrays, and no values. */
    if (is_in_collection(raw) && tg_text_begins(raw->class_name, "array<"))
        return tg_plan_refuse(p->r, plan, "a collection of %.*s is not read", (int)raw->class_name.n,
                              raw->class_name.bytes);
    TG_TRY(find_member(p, raw, plan, &element));
    if (plan->reason)
        return TAGMA_OK;
    if (is_in_collection(raw)) {
        (void)tg_plan_list(plan, TG_COUNT_SHARED);
        plan->layout.count_column = find_collection(p, branch);
        if (plan->layout.count_column == TAGMA_NONE)
            return tg_plan_refuse(p->r, plan, "the collection it belongs to is not in the tree");
    }
    return plan_member(p, branch, &element, plan);
}
