/* SPDX-License-Identifier: Apache-2.0
 * Batches into what a cluster needs: lists, values, validity, end to end. */
#include "store/staged.h"

#include "base/num.h"

/* At every level the items of a run of entries are one run. */
typedef struct span {
    uint64_t lo, hi;
} span;

static bool has_nulls(const tagma_batch_column *column)
{
    return column->validity || column->damaged;
}

static bool is_null(const tagma_batch_column *column, uint64_t entry)
{
    return (column->validity && !(column->validity[entry / 8] >> (entry % 8) & 1)) ||
           (column->damaged && (column->damaged[entry / 8] >> (entry % 8) & 1));
}

/* Lists that offsets[level] tell, of a run of entries: which of them. Those of strings stand n_items to a parent. */
static span lists_at(const tagma_batch_column *column, uint32_t level, span entries)
{
    span at = entries;

    for (uint32_t k = 0;; k++) {
        if (column->type == TAGMA_STRING && k + 1 == column->n_levels) {
            at.lo *= column->n_items;
            at.hi *= column->n_items;
        }
        if (k == level)
            return at;
        at = (span){column->offsets[k][at.lo], column->offsets[k][at.hi]};
    }
}

/* Values of a run of entries. */
static span values_at(const tagma_batch_column *column, span entries)
{
    span at = entries;

    if (column->n_levels > 0) {
        at = lists_at(column, column->n_levels - 1, entries);
        at = (span){column->offsets[column->n_levels - 1][at.lo],
                    column->offsets[column->n_levels - 1][at.hi]};
    }
    if (column->type != TAGMA_STRING) {
        at.lo *= column->n_items;
        at.hi *= column->n_items;
    }
    return at;
}

void tg_gather_sizes(const tg_fields *fields, const tagma_batch *batch, uint64_t first, uint64_t n,
                     uint64_t *bytes)
{
    uint64_t fixed = 0;

    for (uint32_t f = 0; f < fields->n_scalars; f++) {
        const tagma_column *column = tagma_schema_column(fields->schema, fields->columns[f]);
        fixed += (uint64_t)tagma_type_bytes(column->type) * column->n_items;
    }
    for (uint64_t i = 0; i < n; i++)
        bytes[i] = fixed;
    for (uint32_t l = 0; l < fields->n_lists; l++) {
        const tg_lists *lists = &fields->lists[l];
        const tagma_batch_column *model = tagma_batch_column_at(batch, lists->model);
        const uint32_t *offsets = model->offsets[lists->level];
        uint64_t width = 0;

        for (uint32_t f = lists->first_field; f < lists->first_field + lists->n_fields; f++) {
            const tagma_column *column = tagma_schema_column(fields->schema, fields->columns[f]);
            width += (uint64_t)tagma_type_bytes(column->type) * tg_word_count(column);
        }
        for (uint64_t i = 0; i < n; i++) {
            span at = lists_at(model, lists->level, (span){first + i, first + i + 1});
            bytes[i] += width * (offsets[at.hi] - offsets[at.lo]) + 4 * (at.hi - at.lo);
        }
    }
}

/* Is `lists` among the levels of a column? */
static bool is_member(const tg_fields *fields, uint32_t column, uint32_t lists)
{
    uint32_t l = fields->column_lists[column];

    while (l != TAGMA_NONE && l != lists)
        l = fields->lists[l].parent;
    return l == lists;
}

/* Lists l of a run of entries: those of the parent times how many an item of it has. */
static uint64_t expected_lists(const tg_staged *staged, const tg_offsets *lists, uint32_t l, span entries)
{
    uint32_t parent = staged->fields->lists[l].parent, chain[TAGMA_MAX_LISTS + 1], depth = 0;
    uint64_t per_parent = staged->fields->lists[l].per_parent;
    span at = entries;

    for (; parent != TAGMA_NONE; parent = staged->fields->lists[parent].parent)
        chain[depth++] = parent;
    while (depth-- > 0)
        at = (span){lists[chain[depth]].offsets[at.lo], lists[chain[depth]].offsets[at.hi]};
    return (at.hi - at.lo) * per_parent;
}

/* While the offsets of one lists grow. */
typedef struct growing {
    const tg_staged *staged;
    const tg_offsets *lists; /* those made before */
    uint32_t l;
    uint32_t *offsets;
    uint64_t n, total;
} growing;

static tagma_status fail_shape(tagma_ctx *ctx, const tg_staged *staged, uint32_t column, uint64_t entry)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "branch %s: around entry %" PRIu64 " its lists are not those of %s",
                   tagma_schema_column(staged->fields->schema, column)->name, staged->first_entry + entry,
                   "the branches that share its count");
}

static tagma_status append(tagma_ctx *ctx, growing *to, uint32_t column, const uint32_t *offsets, span from,
                           uint64_t expected, uint64_t entry)
{
    if (from.hi - from.lo != expected)
        return fail_shape(ctx, to->staged, column, entry);
    for (uint64_t i = from.lo; i < from.hi; i++) {
        to->total += offsets[i + 1] - offsets[i];
        to->offsets[++to->n] = (uint32_t)to->total;
    }
    if (to->total > INT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "branch %s: over %d items in a cluster of %" PRIu64 " events",
                       tagma_schema_column(to->staged->fields->schema, column)->name, INT32_MAX,
                       to->staged->n_events);
    return TAGMA_OK;
}

/* A column that has these lists and, in entries of a segment, no nulls: of all of them, or (is_whole false) of one. */
static uint32_t find_model(const growing *to, const tagma_batch *batch, bool is_whole, uint64_t entry)
{
    const tg_fields *fields = to->staged->fields;

    for (uint32_t k = 0; k <= fields->n_columns; k++) {
        uint32_t c = k == 0 ? fields->lists[to->l].model : k - 1;
        const tagma_batch_column *column = tagma_batch_column_at(batch, c);

        if (is_member(fields, c, to->l) && (is_whole ? !has_nulls(column) : !is_null(column, entry)))
            return c;
    }
    return TAGMA_NONE;
}

static uint64_t count_at(const tagma_batch_column *column, uint64_t entry)
{
    uint32_t bytes = tagma_type_bytes(column->type);
    uint64_t value = 0;

    memcpy(&value, (const uint8_t *)column->values + entry * bytes, bytes);
    return value;
}

/* One entry where some columns are null: from one that is not, from the count, or empty. */
static tagma_status append_entry(tagma_ctx *ctx, growing *to, const tagma_batch *batch, uint64_t from,
                                 uint64_t entry)
{
    const tg_lists *lists = &to->staged->fields->lists[to->l];
    uint64_t expected = expected_lists(to->staged, to->lists, to->l, (span){entry, entry + 1});
    uint32_t model = find_model(to, batch, false, from), count[2] = {0, 0};
    const tagma_batch_column *column;
    uint64_t value = 0;

    if (model != TAGMA_NONE) {
        column = tagma_batch_column_at(batch, model);
        return append(ctx, to, model, column->offsets[lists->level],
                      lists_at(column, lists->level, (span){from, from + 1}), expected, entry);
    }
    if (lists->count_column != TAGMA_NONE) {
        column = tagma_batch_column_at(batch, lists->count_column);
        if (!is_null(column, from))
            value = count_at(column, from);
        count[1] = value > INT32_MAX ? 0 : (uint32_t)value; /* a count below 0 counts nothing */
        return append(ctx, to, lists->count_column, count, (span){0, 1}, 1, entry);
    }
    for (uint64_t i = 0; i < expected; i++)
        to->offsets[++to->n] = (uint32_t)to->total;
    return TAGMA_OK;
}

static tagma_status append_segment(tagma_ctx *ctx, growing *to, const tg_segment *segment, uint64_t entry)
{
    const tg_lists *lists = &to->staged->fields->lists[to->l];
    uint32_t model = find_model(to, segment->batch, true, 0);

    if (model != TAGMA_NONE) {
        const tagma_batch_column *column = tagma_batch_column_at(segment->batch, model);
        span from = lists_at(column, lists->level, (span){segment->first, segment->first + segment->n});

        return append(ctx, to, model, column->offsets[lists->level], from,
                      expected_lists(to->staged, to->lists, to->l, (span){entry, entry + segment->n}), entry);
    }
    for (uint64_t i = 0; i < segment->n; i++)
        TG_TRY(append_entry(ctx, to, segment->batch, segment->first + i, entry + i));
    return TAGMA_OK;
}

tagma_status tg_gather_lists(tagma_ctx *ctx, const tg_staged *staged, tg_offsets *lists)
{
    for (uint32_t l = 0; l < staged->fields->n_lists; l++) {
        growing to = {.staged = staged, .lists = lists, .l = l};
        uint64_t entry = 0;

        lists[l].n = expected_lists(staged, lists, l, (span){0, staged->n_events});
        if (lists[l].n > INT32_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " lists in a cluster of %" PRIu64 " events",
                           lists[l].n, staged->n_events);
        lists[l].offsets = tg_alloc(ctx, lists[l].n + 1, sizeof *lists[l].offsets);
        if (!lists[l].offsets)
            return TAGMA_E_MEMORY;
        to.offsets = lists[l].offsets;
        to.offsets[0] = 0;
        for (uint32_t s = 0; s < staged->n_segments; s++) {
            TG_TRY(append_segment(ctx, &to, &staged->segments[s], entry));
            entry += staged->segments[s].n;
        }
    }
    return TAGMA_OK;
}

/* Are the lists of a column's levels, over some entries of a segment, those of the cluster? */
static bool is_shaped(const tg_staged *staged, const tg_offsets *lists, uint32_t c,
                      const tagma_batch_column *column, span from, span entries)
{
    const tg_fields *fields = staged->fields;
    uint32_t chain[TAGMA_MAX_LISTS + 1], depth = 0;
    span at = entries;

    for (uint32_t l = fields->column_lists[c]; l != TAGMA_NONE; l = fields->lists[l].parent)
        chain[depth++] = l;
    for (uint32_t k = 0; k < depth; k++) {
        uint32_t l = chain[depth - 1 - k];
        span own = lists_at(column, k, from);
        const uint32_t *a = column->offsets[k] + own.lo, *b;

        at.lo *= fields->lists[l].per_parent;
        at.hi *= fields->lists[l].per_parent;
        b = lists[l].offsets + at.lo;
        if (own.hi - own.lo != at.hi - at.lo)
            return false;
        for (uint64_t i = 0; i <= own.hi - own.lo; i++)
            if (a[i] - a[0] != b[i] - b[0])
                return false;
        at = (span){lists[l].offsets[at.lo], lists[l].offsets[at.hi]};
    }
    return true;
}

/* Values an event's or item's column has between two entries of the cluster. */
static uint64_t expected_values(const tg_staged *staged, const tg_offsets *lists, uint32_t c, span entries)
{
    uint32_t l = staged->fields->column_lists[c];
    const tagma_column *column = tagma_schema_column(staged->fields->schema, c);
    span at = entries;

    if (l != TAGMA_NONE) {
        uint32_t chain[TAGMA_MAX_LISTS + 1], depth = 0;

        for (; l != TAGMA_NONE; l = staged->fields->lists[l].parent)
            chain[depth++] = l;
        while (depth-- > 0) {
            uint64_t per_parent = staged->fields->lists[chain[depth]].per_parent;
            const uint32_t *offsets = lists[chain[depth]].offsets;
            at = (span){offsets[at.lo * per_parent], offsets[at.hi * per_parent]};
        }
    }
    return (at.hi - at.lo) * tg_word_count(column);
}

static void copy_values(uint8_t *to, const tagma_batch_column *column, span from, uint32_t bytes)
{
    const uint8_t *values = column->values;

    if (column->is_bits)
        for (uint64_t i = from.lo; i < from.hi; i++)
            *to++ = values[i / 8] >> (i % 8) & 1;
    else if (column->type == TAGMA_BOOL)
        for (uint64_t i = from.lo; i < from.hi; i++)
            *to++ = values[i] != 0;
    else if (from.hi > from.lo)
        memcpy(to, values + from.lo * bytes, (from.hi - from.lo) * bytes);
}

/* Values of some entries of a segment; null or not all the same. `at` counts values of the cluster. */
static tagma_status copy_entries(tagma_ctx *ctx, const tg_staged *staged, const tg_offsets *lists, uint32_t c,
                                 const tagma_batch_column *column, span from, uint64_t entry, uint8_t *to,
                                 uint64_t *at)
{
    span entries = {entry, entry + (from.hi - from.lo)};
    uint32_t bytes = tagma_type_bytes(column->type);
    uint64_t n = expected_values(staged, lists, c, entries);

    if (has_nulls(column) && is_null(column, from.lo)) {
        memset(to + *at * bytes, 0, n * bytes);
    } else {
        if (!is_shaped(staged, lists, c, column, from, entries))
            return fail_shape(ctx, staged, c, entry);
        copy_values(to + *at * bytes, column, values_at(column, from), bytes);
    }
    *at += n;
    return TAGMA_OK;
}

tagma_status tg_gather_values(tagma_ctx *ctx, const tg_staged *staged, const tg_offsets *lists,
                              uint32_t column, tg_buf *values, uint64_t *n)
{
    uint64_t entry = 0, at = 0;

    *n = expected_values(staged, lists, column, (span){0, staged->n_events});
    TG_TRY(tg_buf_reserve(ctx, values,
                          *n * tagma_type_bytes(tagma_schema_column(staged->fields->schema, column)->type)));
    for (uint32_t s = 0; s < staged->n_segments; s++) {
        const tg_segment *segment = &staged->segments[s];
        const tagma_batch_column *from = tagma_batch_column_at(segment->batch, column);
        uint64_t step = has_nulls(from) ? 1 : segment->n;

        for (uint64_t i = 0; i < segment->n; i += step)
            TG_TRY(copy_entries(ctx, staged, lists, column, from,
                                (span){segment->first + i, segment->first + i + step}, entry + i,
                                values->bytes, &at));
        entry += segment->n;
    }
    return TAGMA_OK;
}

tagma_status tg_gather_validity(tagma_ctx *ctx, const tg_staged *staged, uint32_t column, tg_buf *bytes,
                                bool *any)
{
    uint64_t entry = 0;

    *any = false;
    for (uint32_t s = 0; s < staged->n_segments && !*any; s++) {
        const tg_segment *segment = &staged->segments[s];
        const tagma_batch_column *from = tagma_batch_column_at(segment->batch, column);

        for (uint64_t i = 0; has_nulls(from) && i < segment->n && !*any; i++)
            *any = is_null(from, segment->first + i);
    }
    if (!*any)
        return TAGMA_OK;
    TG_TRY(tg_buf_reserve(ctx, bytes, staged->n_events));
    for (uint32_t s = 0; s < staged->n_segments; s++) {
        const tg_segment *segment = &staged->segments[s];
        const tagma_batch_column *from = tagma_batch_column_at(segment->batch, column);

        for (uint64_t i = 0; i < segment->n; i++)
            bytes->bytes[entry++] = !is_null(from, segment->first + i);
    }
    return TAGMA_OK;
}

bool tg_gather_is_count(const tg_staged *staged, const tg_offsets *lists, uint32_t column,
                        const uint8_t *values)
{
    uint32_t l = staged->fields->column_count[column], bytes;

    if (l == TAGMA_NONE)
        return false;
    bytes = tagma_type_bytes(tagma_schema_column(staged->fields->schema, column)->type);
    for (uint64_t i = 0; i < staged->n_events; i++) {
        uint64_t v = 0;

        memcpy(&v, values + i * bytes, bytes);
        if (v != lists[l].offsets[i + 1] - lists[l].offsets[i])
            return false;
    }
    return true;
}
