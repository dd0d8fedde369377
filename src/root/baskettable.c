/* SPDX-License-Identifier: Apache-2.0
 * The baskets of a branch: what its three arrays and its embedded baskets say, checked.
 * Source of facts: docs/ROOT.md, "TBranch". */
#include "root/branch.h"

/* Three numbers of a basket's: none takes fewer bytes of the record. Beyond this many the table grows as it fills. */
enum { TABLE_ROW_BYTES = 20, ROWS_AT_ONCE = 1 << 20 };

typedef struct table {
    const uint8_t *entries, *seeks, *bytes;
    uint32_t entry_width, seek_width;
    uint32_t n; /* baskets to look at */
    uint64_t end;
} table;

static int64_t number_at(const uint8_t *numbers, uint32_t width, uint32_t i)
{
    return width == 4 ? (int32_t)tg_be32(numbers + (size_t)4 * i) : (int64_t)tg_be64(numbers + (size_t)8 * i);
}

/* What the counters claim against what is there. n is 0 for a branch without entries. */
static tagma_status open_table(tg_tree_reading *r, uint32_t branch, const tg_values *values, table *t)
{
    int64_t max = values->numbers[TG_FIELD_MAX_BASKETS], last = values->numbers[TG_FIELD_WRITE_BASKET];
    int64_t end = values->numbers[TG_FIELD_ENTRY_NUMBER];
    const tg_member_array *entries = &values->arrays[TG_FIELD_BASKET_ENTRY];
    const tg_member_array *seeks = &values->arrays[TG_FIELD_BASKET_SEEK];
    const tg_member_array *bytes = &values->arrays[TG_FIELD_BASKET_BYTES];

    t->n = 0;
    if (end < 0)
        return tg_branch_fault(r, branch, "it claims %" PRId64 " entries", end);
    if (end == 0)
        return TAGMA_OK;
    if (last < 0 || last > max)
        return tg_branch_fault(r, branch, "its last basket is number %" PRId64 " of a table of %" PRId64,
                               last, max);
    t->n = (uint32_t)(last < max ? last + 1 : last);
    if (entries->n < t->n || seeks->n < t->n || bytes->n < t->n) {
        t->n = 0;
        return tg_branch_fault(r, branch, "it has %" PRId64 " entries and no table of baskets", end);
    }
    t->entries = r->payload + entries->at;
    t->entry_width = entries->width;
    t->seeks = r->payload + seeks->at;
    t->seek_width = seeks->width;
    t->bytes = r->payload + bytes->at;
    t->end = (uint64_t)end;
    return TAGMA_OK;
}

/* Basket i with entries [first, next), next >= first. */
static tg_basket basket_at(const tg_tree_reading *r, const table *t, uint32_t i, uint64_t first,
                           uint64_t next, uint64_t *embedded)
{
    int64_t seek = number_at(t->seeks, t->seek_width, i), bytes = number_at(t->bytes, 4, i);
    tg_basket basket = {.first_entry = first, .n_entries = next - first};

    while (*embedded < r->n_embedded && r->embedded[*embedded].slot < i)
        (*embedded)++;
    if (*embedded < r->n_embedded && r->embedded[*embedded].slot == i) {
        basket.offset = TG_BASKET_EMBEDDED | r->embedded[*embedded].at;
        basket.bytes = r->embedded[*embedded].bytes;
    } else {
        /* What lies nowhere in a file is found out, and told as this basket's fault, by whoever reads it. */
        basket.offset = seek < 0 ? INT64_MAX : (uint64_t)seek;
        basket.bytes = bytes < 0 ? 0 : (uint32_t)bytes;
    }
    return basket;
}

/* At first for all that the record has room for, so that the table is not copied while it grows. */
static tagma_status reserve_baskets(tg_tree_reading *r, uint32_t n)
{
    tg_tree *tree = r->tree;
    void *block = tree->baskets;
    uint64_t wanted = tree->n_baskets + n, room = r->payload_bytes / TABLE_ROW_BYTES;
    tagma_status st;

    if (!block && wanted < room)
        wanted = room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE;
    st = tg_reserve(r->ctx, &block, &r->baskets_capacity, wanted, sizeof *tree->baskets);
    tree->baskets = block;
    return st;
}

tagma_status tg_baskets_list(tg_tree_reading *r, uint32_t number, const tg_values *values)
{
    tg_tree *tree = r->tree;
    tg_branch *branch = &tree->branches[number];
    uint64_t embedded = 0, first, next;
    table t;

    branch->first_basket = tree->n_baskets;
    TG_TRY(open_table(r, number, values, &t));
    if (t.n == 0)
        return TAGMA_OK;
    TG_TRY(reserve_baskets(r, t.n));
    first = (uint64_t)number_at(t.entries, t.entry_width, 0);
    branch->first_entry = first;
    for (uint32_t i = 0; i < t.n; i++, first = next) {
        next = i + 1 < t.n ? (uint64_t)number_at(t.entries, t.entry_width, i + 1) : t.end;
        /* Negative ones are huge here. A basket counts its entries in an i32. */
        if (next < first || next > t.end || next - first > INT32_MAX) {
            branch->first_entry = 0;
            branch->n_baskets = 0;
            tree->n_baskets = branch->first_basket;
            return tg_branch_fault(
                r, number, "its basket %" PRIu32 " has entries %" PRId64 " to %" PRId64 " of %" PRIu64, i,
                (int64_t)first, (int64_t)next, t.end);
        }
        if (next == first)
            continue;
        tree->baskets[tree->n_baskets++] = basket_at(r, &t, i, first, next, &embedded);
        branch->n_baskets++;
    }
    branch->end_entry = t.end;
    return TAGMA_OK;
}
