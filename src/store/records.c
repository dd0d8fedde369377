/* SPDX-License-Identifier: Apache-2.0
 * The records section of the fixed layout, and which slots have an event. Source: docs/FORMAT.md, "Fixed layout". */
#include "store/records.h"

#include <string.h>

#include "base/num.h"

static uint64_t padded(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

tagma_status tg_records_write(tagma_ctx *ctx, const tg_records *records, uint32_t n_columns, tg_buf *out)
{
    uint64_t n = TG_RECORDS_HEAD + padded(n_columns);

    out->n = 0;
    TG_TRY(tg_buf_reserve(ctx, out, n));
    out->n = n;
    memset(out->bytes, 0, n);
    tg_put_le32(out->bytes, records->layout.n_axes);
    tg_put_le32(out->bytes + 4, records->n_words);
    tg_put_le64(out->bytes + 8, records->layout.record_bytes);
    tg_put_le64(out->bytes + 16, records->records_at);
    tg_put_le64(out->bytes + 24, records->n_exceptions);
    for (uint32_t a = 0; a < records->layout.n_axes; a++)
        tg_put_le64(out->bytes + 32 + 8 * (size_t)a, records->layout.bounds[a]);
    memcpy(out->bytes + TG_RECORDS_HEAD, records->n_lists, n_columns);
    return tg_buf_put(ctx, out, records->exceptions, records->n_exceptions * TG_WORD_BYTES);
}

static tagma_status fail(tagma_ctx *ctx, const char *file, const tg_section *section, uint32_t at,
                         const char *what, uint64_t n)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: section records, byte %" PRIu64 ": %s %" PRIu64, file,
                   section->offset + at, what, n);
}

/* The lattice, and that all of its records lie in the file. */
static tagma_status load_layout(tagma_ctx *ctx, const tg_header *header, const tg_section *section,
                                const uint8_t *bytes, const char *file, tg_records *out)
{
    uint32_t n_axes = tg_le32(bytes);
    uint64_t bounds[TG_FIXED_AXES_MAX];
    tagma_status st;

    if (n_axes < 1 || n_axes > TG_FIXED_AXES_MAX)
        return fail(ctx, file, section, 0, "axes of records:", n_axes);
    for (uint32_t a = 0; a < n_axes; a++)
        bounds[a] = tg_le64(bytes + 32 + 8 * (size_t)a);
    st = tagma_layout_init(ctx, &out->layout, bounds, n_axes, tg_le64(bytes + 8));
    if (st < 0)
        return tg_within(ctx, TAGMA_E_CORRUPT, "%s: section records, byte %" PRIu64, file,
                         section->offset + 32);
    out->n_words = tg_le32(bytes + 4);
    out->records_at = tg_le64(bytes + 16);
    if (!tg_inside(out->records_at, out->layout.extent_bytes, header->file_bytes))
        return fail(ctx, file, section, 16, "records that do not lie in the file, from byte",
                    out->records_at);
    if (out->layout.record_bytes / TG_WORD_BYTES < out->n_words)
        return fail(ctx, file, section, 8, "records too short for their words:", out->layout.record_bytes);
    if (header->n_events > out->layout.count)
        return fail(ctx, file, section, 32, "fewer slots than events:", out->layout.count);
    return TAGMA_OK;
}

/* Words are those that the columns need. */
static tagma_status load_words(tagma_ctx *ctx, const tagma_schema *schema, const tg_section *section,
                               const char *file, uint32_t *first_word, tg_records *out)
{
    uint64_t n_words = 0;

    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++) {
        const tagma_column *column = tagma_schema_column(schema, c);

        first_word[c] = (uint32_t)n_words;
        n_words += column->n_items;
        if (column->n_lists > 0 || column->type == TAGMA_STRING || n_words > UINT32_MAX / TG_WORD_BYTES)
            return fail(ctx, file, section, 4, "a record cannot hold column", c);
        if (out->n_lists[c] > TAGMA_MAX_LISTS)
            return fail(ctx, file, section, TG_RECORDS_HEAD + c, "lists of a column:", out->n_lists[c]);
    }
    if (n_words != out->n_words)
        return fail(ctx, file, section, 4, "words of a record:", out->n_words);
    first_word[tagma_schema_n_columns(schema)] = out->n_words;
    out->first_word = first_word;
    return TAGMA_OK;
}

tagma_status tg_records_load(tagma_ctx *ctx, const tagma_schema *schema, const tg_header *header,
                             const uint8_t *bytes, const char *file, tg_records *out)
{
    const tg_section *section = tg_header_section(header, TG_STORE_SECTION_RECORDS);
    uint64_t n_columns = tagma_schema_n_columns(schema), flags = TG_RECORDS_HEAD + padded(n_columns), n;
    uint8_t *block;
    tagma_status st;

    *out = (tg_records){0};
    n = section->bytes < flags ? 0 : tg_le64(bytes + 24);
    if (section->bytes < flags || n > (section->bytes - flags) / TG_WORD_BYTES ||
        section->bytes - flags != n * TG_WORD_BYTES)
        return fail(ctx, file, section, 24, "the section's size does not fit:", section->bytes);
    TG_TRY(load_layout(ctx, header, section, bytes, file, out));
    block = tg_alloc(ctx, section->bytes + (n_columns + 1) * sizeof(uint32_t), 1);
    if (!block)
        return TAGMA_E_MEMORY;
    memcpy(block, bytes, section->bytes);
    out->block = block;
    out->n_lists = block + TG_RECORDS_HEAD;
    out->exceptions = block + flags;
    out->n_exceptions = n;
    st = load_words(ctx, schema, section, file, (uint32_t *)(void *)(block + section->bytes), out);
    if (st < 0) {
        tg_free(ctx, block);
        out->block = NULL;
    }
    return st;
}

bool tg_records_is_exception(const tg_records *records, uint64_t row, uint32_t word)
{
    uint64_t lo = 0, n = records->n_exceptions, wanted;

    if (n == 0 || !tg_mul(row, records->n_words, &wanted) || !tg_add(wanted, word, &wanted))
        return false;
    while (n > 1) {
        uint64_t half = n / 2;

        lo += tg_le64(records->exceptions + (lo + half) * TG_WORD_BYTES) <= wanted ? half : 0;
        n -= half;
    }
    return tg_le64(records->exceptions + lo * TG_WORD_BYTES) == wanted;
}

void tg_slots_rank(const uint8_t *bits, uint64_t n_blocks, uint64_t *ranks)
{
    uint64_t n = 0;

    for (uint64_t b = 0; b < n_blocks; b++) {
        ranks[b] = n;
        for (uint64_t at = b * TG_SLOTS_BLOCK; at < (b + 1) * TG_SLOTS_BLOCK; at += 64)
            n += (uint64_t)__builtin_popcountll(tg_le64(bits + at / 8));
    }
    ranks[n_blocks] = n;
}

uint64_t tg_slots_select(const tg_slots *slots, uint64_t row)
{
    uint64_t lo = 0, n = slots->n_blocks, at, word, left;

    if (!slots->bits)
        return row;
    while (n > 1) { /* the last block that begins at or before the row */
        uint64_t half = n / 2;

        lo += slots->ranks[lo + half] <= row ? half : 0;
        n -= half;
    }
    left = row - slots->ranks[lo];
    for (at = lo * TG_SLOTS_BLOCK;; at += 64) {
        uint64_t here;

        word = tg_le64(slots->bits + at / 8);
        here = (uint64_t)__builtin_popcountll(word);
        if (left < here)
            break;
        left -= here;
    }
    while (left-- > 0)
        word &= word - 1;
    return at + (uint64_t)__builtin_ctzll(word);
}
