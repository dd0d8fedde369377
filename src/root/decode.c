/* SPDX-License-Identifier: Apache-2.0
 * Codes of columns, and numbers in bulk. */
#include "root/decode.h"

static const uint8_t wire_bytes[] = {
    [TG_WIRE_BOOL] = 1,      [TG_WIRE_I8] = 1,         [TG_WIRE_U8] = 1,   [TG_WIRE_I16] = 2,
    [TG_WIRE_U16] = 2,       [TG_WIRE_I32] = 4,        [TG_WIRE_U32] = 4,  [TG_WIRE_I64] = 8,
    [TG_WIRE_U64] = 8,       [TG_WIRE_F32] = 4,        [TG_WIRE_F64] = 8,  [TG_WIRE_SCALED] = 4,
    [TG_WIRE_TRUNCATED] = 3, [TG_WIRE_F32_AS_F64] = 4, [TG_WIRE_BITS] = 0,
};
enum { N_WIRES = sizeof wire_bytes, NBITS_MAX = 14 }; /* a mantissa and its sign take 16 bits */

/* Does a wire give values of this type? */
static bool wire_fits(uint8_t wire, tagma_type type)
{
    switch (wire) {
    case TG_WIRE_BOOL:
        return type == TAGMA_BOOL;
    case TG_WIRE_SCALED:
    case TG_WIRE_TRUNCATED:
        return type == TAGMA_F32 || type == TAGMA_F64;
    case TG_WIRE_F32_AS_F64:
        return type == TAGMA_F64;
    case TG_WIRE_BITS:
        return type == TAGMA_U32;
    default:
        return tagma_type_bytes(type) == wire_bytes[wire] && type != TAGMA_STRING && type != TAGMA_BOOL;
    }
}

static tagma_status bad_table(tagma_ctx *ctx, const tg_tree *tree, uint32_t column, const char *what)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "tree %s, column %s: its %s does not fit the tree's tables",
                   tree->name, tagma_schema_column(tree->schema, column)->name, what);
}

static bool is_counter(const tg_tree *tree, uint32_t c)
{
    const tagma_column *column = tagma_schema_column(tree->schema, c);

    return column && !column->reason && column->n_lists == 0 && column->n_items == 1 &&
           column->type >= TAGMA_BOOL && column->type <= TAGMA_U64;
}

static tagma_status check_layout(tagma_ctx *ctx, const tg_tree *tree, uint32_t c)
{
    const tagma_column *column = tagma_schema_column(tree->schema, c);
    const tg_layout *layout = &tree->layouts[c];
    bool is_string = column->type == TAGMA_STRING;
    uint64_t bytes;

    if (layout->branch >= tree->n_branches)
        return bad_table(ctx, tree, c, "branch");
    if (layout->n_leaves == 0 || layout->leaf >= layout->n_leaves ||
        layout->first_column + layout->leaf != c ||
        layout->n_leaves > tagma_schema_n_columns(tree->schema) - layout->first_column)
        return bad_table(ctx, tree, c, "leaf");
    if (is_string != (layout->string != TG_STRING_NONE) || layout->string > TG_STRING_LONG ||
        (!is_string && (layout->wire >= N_WIRES || !wire_fits(layout->wire, column->type))) ||
        (layout->wire == TG_WIRE_TRUNCATED && (layout->nbits < 1 || layout->nbits > NBITS_MAX)))
        return bad_table(ctx, tree, c, "type");
    if (column->n_lists > TAGMA_MAX_LISTS || (column->n_lists > 1 && layout->counts[1] == TG_COUNT_SHARED) ||
        (column->n_lists > 0 && layout->counts[0] == TG_COUNT_SHARED &&
         !is_counter(tree, layout->count_column)))
        return bad_table(ctx, tree, c, "count");
    if (column->n_items == 0 || !tg_mul(column->n_items, 8, &bytes) || bytes > INT32_MAX)
        return bad_table(ctx, tree, c, "dimensions");
    return TAGMA_OK;
}

static tagma_status check_branches(tagma_ctx *ctx, const tg_tree *tree)
{
    for (uint32_t b = 0; b < tree->n_branches; b++)
        if (!tg_inside(tree->branches[b].first_basket, tree->branches[b].n_baskets, tree->n_baskets))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "tree %s, branch %s: its baskets are not in the tree's tables", tree->name,
                           tree->branches[b].name);
    return TAGMA_OK;
}

static bool is_plain_number(const tg_code *code)
{
    return !code->is_string && code->wire_bytes > 0 && code->layout->frame == TG_ENTRY_BARE;
}

static void fill_code(const tg_tree *tree, uint32_t c, tg_code *code)
{
    const tagma_column *column = tagma_schema_column(tree->schema, c);
    const tg_layout *layout = &tree->layouts[c];

    code->layout = layout;
    code->is_string = column->type == TAGMA_STRING;
    code->type = (uint8_t)column->type;
    code->wire = layout->wire;
    code->wire_bytes = code->is_string ? 0 : wire_bytes[layout->wire];
    code->value_bytes = (uint8_t)tagma_type_bytes(column->type);
    code->n_lists = (uint8_t)column->n_lists;
    code->n_levels = (uint8_t)(column->n_lists + code->is_string);
    code->n_items = column->n_items;
    code->item_bytes = code->n_items * code->wire_bytes;
    code->has_places = !code->is_string &&
                       (code->n_lists == 0 || (code->n_lists == 1 && layout->counts[0] == TG_COUNT_SHARED));
    code->is_vector = layout->n_leaves == 1 && layout->frame == TG_ENTRY_FRAMED && code->n_lists == 1 &&
                      layout->counts[0] == TG_COUNT_INLINE && code->wire_bytes > 0;
    code->kind = TG_CODE_WALK;
    if (is_plain_number(code) && code->has_places && code->n_lists == 1 && layout->n_leaves == 1)
        code->kind = TG_CODE_COUNTED;
}

/* A branch all of whose leaves are plain numbers without a count has entries of one length. */
static void fill_fixed(const tg_tree *tree, uint32_t first, tg_code *codes)
{
    uint32_t n = tree->layouts[first].n_leaves;
    uint64_t entry_bytes = 0;

    for (uint32_t c = first; c < first + n; c++) {
        if (tagma_schema_column(tree->schema, c)->reason || codes[c].n_lists > 0 ||
            !is_plain_number(&codes[c]))
            return;
        entry_bytes += codes[c].item_bytes;
    }
    if (entry_bytes > INT32_MAX)
        return;
    for (uint32_t c = first, at = 0; c < first + n; at += codes[c].item_bytes, c++) {
        codes[c].kind = TG_CODE_FIXED;
        codes[c].leaf_offset = at;
        codes[c].entry_bytes = (uint32_t)entry_bytes;
    }
}

tagma_status tg_codes_new(tagma_ctx *ctx, const tg_tree *tree, tg_code **out)
{
    uint32_t n = tagma_schema_n_columns(tree->schema);
    tagma_status st = check_branches(ctx, tree);
    tg_code *codes;

    *out = NULL;
    if (st < 0)
        return st;
    codes = tg_zalloc(ctx, n, sizeof *codes);
    if (!codes)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < n && st == TAGMA_OK; c++) {
        if (tagma_schema_column(tree->schema, c)->reason)
            continue;
        st = check_layout(ctx, tree, c);
        if (st == TAGMA_OK)
            fill_code(tree, c, &codes[c]);
    }
    for (uint32_t c = 0; c < n && st == TAGMA_OK; c++)
        if (codes[c].layout && codes[c].layout->leaf == 0)
            fill_fixed(tree, c, codes);
    if (st < 0)
        tg_free(ctx, codes);
    else
        *out = codes;
    return st;
}

bool tg_runs_next(tg_runs *runs, tg_run *run)
{
    const uint64_t *entries = runs->rows->entries;
    uint64_t row = runs->row, end = row + 1;

    if (row >= runs->end_row)
        return false;
    if (!entries)
        end = runs->end_row;
    else
        while (end < runs->end_row && entries[end] == entries[end - 1] + 1)
            end++;
    run->row = row;
    run->n = (uint32_t)(end - row);
    run->entry = (uint32_t)((entries ? entries[row] : runs->rows->first + row) - runs->first_entry);
    runs->row = end;
    return true;
}

/* Bytes [begin, end) that lie in front of the tail. */
static bool claim(const tg_entries *entries, uint64_t begin, uint64_t bytes, const uint8_t **data)
{
    if (begin < entries->key_bytes || !tg_inside(begin - entries->key_bytes, bytes, entries->data_bytes))
        return false;
    *data = entries->data + (begin - entries->key_bytes);
    return true;
}

/* Where an entry begins, or the last one ends. */
static uint32_t boundary(const tg_entries *entries, uint32_t i)
{
    return i < entries->n ? tg_be32(entries->offsets + 4 * (size_t)i)
                          : entries->key_bytes + entries->data_bytes;
}

bool tg_run_is_fixed(const tg_entries *entries, const tg_run *run, uint32_t entry_bytes, const uint8_t **data)
{
    uint32_t wrong = 0, begin;

    if (!entries->offsets) {
        *data = entries->data + (size_t)run->entry * entries->stride;
        return entries->stride == entry_bytes;
    }
    begin = boundary(entries, run->entry);
    for (uint32_t i = 1; i < run->n; i++)
        wrong |= tg_be32(entries->offsets + 4 * ((size_t)run->entry + i)) ^ (begin + i * entry_bytes);
    wrong |= boundary(entries, run->entry + run->n) ^ (begin + run->n * entry_bytes);
    return wrong == 0 && claim(entries, begin, (uint64_t)run->n * entry_bytes, data);
}

/* Every offset must equal the first plus what the counts before it take. Sums are compared modulo 2^32, which is exact:
 * they ascend, and the whole, taken in 64 bits, lies within the data. */
bool tg_run_is_counted(const tg_entries *entries, const tg_run *run, const uint32_t *ends,
                       uint32_t item_bytes, const uint8_t **data)
{
    uint64_t bytes = (uint64_t)(ends[run->n] - ends[0]) * item_bytes;
    const uint8_t *offsets;
    uint32_t wrong = 0, begin, base;

    if (!entries->offsets) {
        /* All entries of one length: sound where every count is that long. */
        *data = entries->data + (size_t)run->entry * entries->stride;
        for (uint32_t i = 0; i < run->n; i++)
            wrong |= (uint32_t)((uint64_t)(ends[i + 1] - ends[i]) * item_bytes != entries->stride);
        return wrong == 0;
    }
    offsets = entries->offsets + 4 * (size_t)run->entry;
    begin = boundary(entries, run->entry);
    base = begin - ends[0] * item_bytes;
    for (uint32_t i = 1; i < run->n; i++)
        wrong |= tg_be32(offsets + 4 * (size_t)i) ^ (base + ends[i] * item_bytes);
    wrong |= boundary(entries, run->entry + run->n) ^ (base + ends[run->n] * item_bytes);
    return wrong == 0 && claim(entries, begin, bytes, data);
}

static void decode_bools(uint8_t *restrict dst, const uint8_t *restrict src, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        dst[i] = src[i] != 0;
}

/* Source: ROOT io/io/src/TBufferFile.cxx, ReadWithFactor: the sum is double, a Float16_t cast afterwards. */
static void decode_scaled(const tg_code *code, uint8_t *restrict dst, const uint8_t *restrict src, uint64_t n)
{
    double factor = code->layout->factor, xmin = code->layout->xmin;

    for (uint64_t i = 0; i < n; i++) {
        double wide = tg_be32(src + 4 * i) / factor + xmin;
        float narrow = (float)wide;

        if (code->value_bytes == sizeof wide)
            memcpy(dst + i * sizeof wide, &wide, sizeof wide);
        else
            memcpy(dst + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

/* Source: ROOT io/io/src/TBufferFile.cxx, ReadWithNbits: an exponent, then nbits of mantissa under a sign. */
static float untruncate(const uint8_t *src, uint32_t nbits)
{
    uint32_t mantissa = tg_be16(src + 1), bits = (uint32_t)src[0] << 23;
    float value;

    bits |= (mantissa & ((1U << (nbits + 1)) - 1)) << (23 - nbits);
    memcpy(&value, &bits, sizeof value);
    return mantissa & 1U << (nbits + 1) ? -value : value;
}

static void decode_truncated(const tg_code *code, uint8_t *restrict dst, const uint8_t *restrict src,
                             uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        float narrow = untruncate(src + 3 * i, code->layout->nbits);
        double wide = narrow;

        if (code->value_bytes == sizeof wide)
            memcpy(dst + i * sizeof wide, &wide, sizeof wide);
        else
            memcpy(dst + i * sizeof narrow, &narrow, sizeof narrow);
    }
}

static void widen_floats(uint8_t *restrict dst, const uint8_t *restrict src, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t bits = tg_be32(src + 4 * i);
        float narrow;
        double wide;

        memcpy(&narrow, &bits, sizeof narrow);
        wide = narrow;
        memcpy(dst + i * sizeof wide, &wide, sizeof wide);
    }
}

void tg_decode_numbers(const tg_code *code, void *restrict dst, const uint8_t *restrict src, uint64_t n)
{
    switch (code->wire) {
    case TG_WIRE_BOOL:
        decode_bools(dst, src, n);
        break;
    case TG_WIRE_SCALED:
        decode_scaled(code, dst, src, n);
        break;
    case TG_WIRE_TRUNCATED:
        decode_truncated(code, dst, src, n);
        break;
    case TG_WIRE_F32_AS_F64:
        widen_floats(dst, src, n);
        break;
    default:
        tg_swap_be(dst, src, n, code->wire_bytes);
    }
}

void tg_decode_fixed(const tg_code *code, void *restrict dst, const uint8_t *restrict src, uint64_t n)
{
    uint8_t *to = dst;

    if (code->entry_bytes == code->item_bytes) {
        tg_decode_numbers(code, dst, src, n * code->n_items);
        return;
    }
    src += code->leaf_offset;
    for (uint64_t i = 0; i < n; i++)
        tg_decode_numbers(code, to + i * code->n_items * code->value_bytes, src + i * code->entry_bytes,
                          code->n_items);
}
