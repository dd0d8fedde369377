/* SPDX-License-Identifier: Apache-2.0
 * Columns and lists while they are read, and then as a batch. */
#include "store/outcol.h"

#include "store/tile.h"

enum { ROOM_BYTES = TG_BITS_SLACK }; /* behind values: bits are written 8 bytes at a time */

/* Lists of a column and those around them, each once, parents first. */
static void need_lists(tg_outs *outs, uint32_t l)
{
    if (l == TAGMA_NONE || outs->of_lists[l] != TAGMA_NONE)
        return;
    need_lists(outs, outs->fields->lists[l].parent);
    outs->of_lists[l] = outs->n_lists;
    outs->lists[outs->n_lists++] = (tg_outlists){.lists = l};
}

tagma_status tg_outs_new(tagma_ctx *ctx, const tg_fields *fields, const uint32_t *columns, uint32_t n_columns,
                         uint64_t n_rows, tg_outs *out)
{
    tagma_status st = TAGMA_OK;

    *out = (tg_outs){.fields = fields, .n_columns = n_columns, .n_rows = n_rows};
    out->columns = tg_zalloc(ctx, n_columns, sizeof *out->columns);
    out->lists = tg_zalloc(ctx, fields->n_lists, sizeof *out->lists);
    out->of_lists = tg_alloc(ctx, fields->n_lists, sizeof *out->of_lists);
    if (!out->columns || !out->lists || !out->of_lists) {
        tg_outs_free(ctx, out);
        return TAGMA_E_MEMORY;
    }
    memset(out->of_lists, 0xff, fields->n_lists * sizeof *out->of_lists);
    for (uint32_t i = 0; i < n_columns; i++) {
        const tagma_column *column = tagma_schema_column(fields->schema, columns[i]);

        out->columns[i] = (tg_outcol){.column = columns[i],
                                      .field = fields->fields[columns[i]],
                                      .lists = fields->column_lists[columns[i]],
                                      .n_words = tg_word_count(column),
                                      .width = (uint32_t)__builtin_ctz(tagma_type_bytes(column->type))};
        out->columns[i].is_bits = column->type == TAGMA_BOOL && out->columns[i].lists == TAGMA_NONE;
        need_lists(out, out->columns[i].lists);
    }
    for (uint32_t i = 0; st == TAGMA_OK && i < n_columns; i++)
        if (out->columns[i].lists == TAGMA_NONE)
            st = tg_outcol_reserve(ctx, &out->columns[i], n_rows * out->columns[i].n_words);
    for (uint32_t l = 0; st == TAGMA_OK && l < out->n_lists; l++)
        st = tg_outlists_reserve(ctx, &out->lists[l], 0);
    if (st < 0)
        tg_outs_free(ctx, out);
    return st;
}

void tg_outs_free(tagma_ctx *ctx, tg_outs *outs)
{
    for (uint32_t i = 0; outs->columns && i < outs->n_columns; i++) {
        tg_free(ctx, outs->columns[i].values);
        tg_free(ctx, outs->columns[i].valid);
        tg_free(ctx, outs->columns[i].damaged);
    }
    for (uint32_t l = 0; outs->lists && l < outs->n_lists; l++) {
        tg_free(ctx, outs->lists[l].offsets);
        tagma_buffer_release(outs->lists[l].buffer);
    }
    tg_free(ctx, outs->columns);
    tg_free(ctx, outs->lists);
    tg_free(ctx, outs->of_lists);
    *outs = (tg_outs){0};
}

static uint64_t bytes_of(const tg_outcol *column, uint64_t n)
{
    return column->is_bits ? (n + 7) / 8 : n << column->width;
}

tagma_status tg_outcol_reserve(tagma_ctx *ctx, tg_outcol *column, uint64_t n)
{
    uint64_t wanted, old = bytes_of(column, column->n);
    uint8_t *grown;

    if (!tg_add(column->n, n, &wanted) || wanted > UINT64_MAX / 16)
        return tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " values in a column", n);
    if (column->values && wanted <= column->capacity)
        return TAGMA_OK;
    if (column->values && wanted < 2 * column->capacity)
        wanted = 2 * column->capacity;
    grown = tg_alloc(ctx, bytes_of(column, wanted) + ROOM_BYTES, 1);
    if (!grown)
        return TAGMA_E_MEMORY;
    if (column->values)
        memcpy(grown, column->values, old);
    if (column->is_bits)
        memset(grown + old, 0, bytes_of(column, wanted) + ROOM_BYTES - old);
    tg_free(ctx, column->values);
    column->values = grown;
    column->capacity = wanted;
    return TAGMA_OK;
}

tagma_status tg_outlists_reserve(tagma_ctx *ctx, tg_outlists *lists, uint64_t n)
{
    void *block = lists->offsets;
    bool is_new = !block;
    tagma_status st = tg_reserve(ctx, &block, &lists->capacity, lists->n + n + 1, sizeof *lists->offsets);

    lists->offsets = block;
    if (st == TAGMA_OK && is_new)
        lists->offsets[0] = 0;
    return st;
}

void tg_outcol_fill(tg_outcol *column, uint64_t value, uint64_t n)
{
    static const uint8_t ones[8 + TG_BITS_SLACK] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint64_t at = column->n;

    column->n += n;
    if (!column->is_bits) {
        tg_fill(column->values + (at << column->width), value, column->width, n);
        return;
    }
    for (uint64_t left = value & 1 ? n : 0; left > 0;) { /* zero before */
        uint64_t here = left < 56 ? left : 56;

        tg_bits_copy(column->values, at, ones, 0, here);
        at += here;
        left -= here;
    }
}

void tg_outcol_counts(tg_outcol *column, const uint32_t *offsets, uint64_t n)
{
    uint8_t *to = tg_outcol_end(column);

    column->n += n;
    if (column->width == 2) {
        for (uint64_t i = 0; i < n; i++) {
            uint32_t count = offsets[i + 1] - offsets[i];
            memcpy(to + 4 * i, &count, sizeof count);
        }
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        tg_fill(to + (i << column->width), offsets[i + 1] - offsets[i], column->width, 1);
}

void tg_outcol_decode(tg_outcol *column, const tg_heads *heads, const tg_slot *slot, const uint8_t *words,
                      uint64_t at, uint64_t n)
{
    if (!column->is_bits) {
        tg_decode(heads, slot, words, at, n, tg_outcol_end(column));
        column->n += n;
    } else if (slot->w == 0) {
        tg_outcol_fill(column, tg_slot_head(heads, slot, 0), n);
    } else {
        tg_bits_copy(column->values, column->n, words, at, n); /* a bool's word is the bit */
        column->n += n;
    }
}

/* Rows lo to hi - 1 as items of lists l. */
static void to_items(const tg_outs *outs, uint32_t l, uint64_t *lo, uint64_t *hi)
{
    const tg_lists *lists = &outs->fields->lists[l];
    const uint32_t *offsets = outs->lists[outs->of_lists[l]].offsets;

    if (lists->parent != TAGMA_NONE)
        to_items(outs, lists->parent, lo, hi);
    *lo = offsets[*lo * lists->per_parent];
    *hi = offsets[*hi * lists->per_parent];
}

uint64_t tg_outs_items(const tg_outs *outs, uint32_t l, uint64_t first_row, uint64_t n)
{
    uint64_t lo = first_row, hi = first_row + n;

    to_items(outs, l, &lo, &hi);
    return hi - lo;
}

uint64_t tg_outs_lists(const tg_outs *outs, uint32_t l, uint64_t first_row, uint64_t n)
{
    const tg_lists *lists = &outs->fields->lists[l];

    return lists->per_parent *
           (lists->parent == TAGMA_NONE ? n : tg_outs_items(outs, lists->parent, first_row, n));
}

tagma_status tg_outcol_mark(tagma_ctx *ctx, uint8_t **bits, uint64_t n_rows, bool initially)
{
    if (*bits)
        return TAGMA_OK;
    *bits = tg_alloc(ctx, n_rows / 8 + 1 + TG_BITS_SLACK, 1);
    if (!*bits)
        return TAGMA_E_MEMORY;
    memset(*bits, initially ? 0xff : 0, n_rows / 8 + 1 + TG_BITS_SLACK);
    return TAGMA_OK;
}

static bool is_gone(const tg_outcol *column, uint64_t row)
{
    return (column->valid && !(column->valid[row / 8] >> (row % 8) & 1)) ||
           (column->damaged && (column->damaged[row / 8] >> (row % 8) & 1));
}

/* The chain of lists of a column, outermost first. */
static uint32_t chain_of(const tg_fields *fields, uint32_t l, uint32_t chain[TAGMA_MAX_LISTS + 1])
{
    uint32_t depth = 0;

    for (uint32_t at = l; at != TAGMA_NONE; at = fields->lists[at].parent)
        depth++;
    for (uint32_t k = depth; k > 0; k--, l = fields->lists[l].parent)
        chain[k - 1] = l;
    return depth;
}

/* Offsets and values of a column of lists without those of null rows, as offsets of its own. */
static tagma_status drop_gone(tagma_ctx *ctx, const tg_outs *outs, tg_outcol *column, uint32_t *own[3],
                              uint64_t n_own[3])
{
    uint32_t chain[TAGMA_MAX_LISTS + 1], depth = chain_of(outs->fields, column->lists, chain);
    uint64_t n_values = 0;

    for (uint32_t k = 0; k < depth; k++) {
        own[k] = tg_alloc(ctx, outs->lists[outs->of_lists[chain[k]]].n + 1, sizeof *own[k]);
        if (!own[k])
            return TAGMA_E_MEMORY;
        own[k][0] = 0;
        n_own[k] = 0;
    }
    for (uint64_t row = 0; row < outs->n_rows; row++) {
        bool gone = is_gone(column, row);
        uint64_t lo = row, hi = row + 1, n_kept = 1;

        for (uint32_t k = 0; k < depth; k++) {
            const uint32_t *offsets = outs->lists[outs->of_lists[chain[k]]].offsets;
            uint64_t per_parent = outs->fields->lists[chain[k]].per_parent;

            lo *= per_parent;
            hi *= per_parent;
            for (uint64_t i = 0; i < n_kept * per_parent; i++, n_own[k]++)
                own[k][n_own[k] + 1] = own[k][n_own[k]] + (gone ? 0 : offsets[lo + i + 1] - offsets[lo + i]);
            lo = offsets[lo];
            hi = offsets[hi];
            n_kept = gone ? 0 : hi - lo;
        }
        lo *= column->n_words;
        hi *= column->n_words;
        if (!gone && hi > lo)
            memmove(column->values + (n_values << column->width), column->values + (lo << column->width),
                    (hi - lo) << column->width);
        n_values += gone ? 0 : hi - lo;
    }
    column->n = n_values;
    return TAGMA_OK;
}

static tagma_status adopt(tagma_ctx *ctx, void **block, uint64_t n, tagma_buffer **buffer, const void **bytes)
{
    void *taken = *block;

    *block = NULL;
    TG_TRY(tg_buffer_adopt(ctx, taken, n, buffer));
    *bytes = tagma_buffer_bytes(*buffer);
    return TAGMA_OK;
}

/* Offsets of a column: its own where it has null rows, else those of its lists. */
static tagma_status finish_offsets(tagma_ctx *ctx, tg_outs *outs, tg_outcol *column, tagma_batch_column *to)
{
    uint32_t chain[TAGMA_MAX_LISTS + 1], depth = chain_of(outs->fields, column->lists, chain);
    uint32_t *own[3] = {NULL, NULL, NULL};
    uint64_t n_own[3] = {0, 0, 0};
    bool has_gone = column->valid || column->damaged;
    const void *bytes;
    tagma_status st = has_gone ? drop_gone(ctx, outs, column, own, n_own) : TAGMA_OK;

    for (uint32_t k = 0; st == TAGMA_OK && k < depth; k++) {
        tg_outlists *lists = &outs->lists[outs->of_lists[chain[k]]];
        void *block = lists->offsets;

        if (has_gone) {
            block = own[k];
            own[k] = NULL;
            st = adopt(ctx, &block, (n_own[k] + 1) * sizeof **own, &to->offsets_buffers[k], &bytes);
        } else {
            if (!lists->buffer) {
                lists->offsets = NULL;
                st = adopt(ctx, &block, (lists->n + 1) * sizeof **own, &lists->buffer, &bytes);
            }
            if (st == TAGMA_OK)
                to->offsets_buffers[k] = tagma_buffer_acquire(lists->buffer);
        }
        if (st == TAGMA_OK)
            to->offsets[k] = tagma_buffer_bytes(to->offsets_buffers[k]);
    }
    for (uint32_t k = 0; k < 3; k++)
        tg_free(ctx, own[k]);
    return st;
}

static tagma_status finish_bits(tagma_ctx *ctx, uint8_t **bits, uint64_t n_rows, tagma_buffer **buffer,
                                const uint8_t **to)
{
    void *block = *bits;
    const void *bytes = NULL;
    tagma_status st;

    if (!block)
        return TAGMA_OK;
    *bits = NULL;
    if (n_rows % 8 != 0)
        ((uint8_t *)block)[n_rows / 8] &= (uint8_t)tg_bits_mask(n_rows % 8);
    st = adopt(ctx, &block, (n_rows + 7) / 8, buffer, &bytes);
    *to = bytes;
    return st;
}

static tagma_status finish_column(tagma_ctx *ctx, tg_outs *outs, uint32_t i, tagma_batch_column *to)
{
    tg_outcol *column = &outs->columns[i];
    void *block;

    if (column->lists != TAGMA_NONE)
        TG_TRY(finish_offsets(ctx, outs, column, to));
    if (!column->values)
        TG_TRY(tg_outcol_reserve(ctx, column, 0));
    to->n_values = column->n;
    to->is_bits = column->is_bits;
    block = column->values;
    column->values = NULL;
    TG_TRY(adopt(ctx, &block, bytes_of(column, column->n), &to->values_buffer, &to->values));
    to->status = column->damaged ? TAGMA_COLUMN_CORRUPT
                 : column->valid ? TAGMA_COLUMN_NULL
                                 : TAGMA_COLUMN_GOOD;
    TG_TRY(finish_bits(ctx, &column->valid, outs->n_rows, &to->validity_buffer, &to->validity));
    return finish_bits(ctx, &column->damaged, outs->n_rows, &to->damaged_buffer, &to->damaged);
}

/* Columns with null rows first: they look at offsets that the others then take. */
static tagma_status finish_columns(tagma_ctx *ctx, tg_outs *outs, tagma_batch *batch, bool gone_ones)
{
    for (uint32_t i = 0; i < outs->n_columns; i++) {
        bool has_gone = outs->columns[i].valid || outs->columns[i].damaged;
        tagma_batch_column *to = tg_batch_column(batch, i);

        if (has_gone == gone_ones && !to->values_buffer)
            TG_TRY(finish_column(ctx, outs, i, to));
    }
    return TAGMA_OK;
}

/* A column none of whose rows is null is good, whatever was looked at. */
static void forget_full(tagma_ctx *ctx, const tg_outs *outs)
{
    for (uint32_t i = 0; i < outs->n_columns; i++) {
        tg_outcol *column = &outs->columns[i];

        if (column->valid && tg_bits_count(column->valid, 0, outs->n_rows) == outs->n_rows) {
            tg_free(ctx, column->valid);
            column->valid = NULL;
        }
    }
}

tagma_status tg_outs_finish(tagma_ctx *ctx, tg_outs *outs, tagma_batch **out)
{
    uint32_t *columns = tg_alloc(ctx, outs->n_columns, sizeof *columns);
    tagma_status st = TAGMA_E_MEMORY;

    *out = NULL;
    if (columns) {
        for (uint32_t i = 0; i < outs->n_columns; i++)
            columns[i] = outs->columns[i].column;
        st = tg_batch_new(ctx, outs->fields->schema, outs->n_rows, columns, outs->n_columns, out);
    }
    tg_free(ctx, columns);
    TG_TRY(st);
    forget_full(ctx, outs);
    st = finish_columns(ctx, outs, *out, true);
    if (st == TAGMA_OK)
        st = finish_columns(ctx, outs, *out, false);
    if (st < 0) {
        tagma_batch_free(*out);
        *out = NULL;
    }
    return st;
}
