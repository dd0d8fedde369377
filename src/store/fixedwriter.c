/* SPDX-License-Identifier: Apache-2.0
 * Records of doubles to where the ranks of their ids say; then what a reader needs to find them. */
#include "store/fixedwriter.h"

#include <stdio.h>
#include <stdlib.h>

#include "event/schema.h"
#include "index/section.h"
#include "store/fixedsource.h"
#include "store/places.h"
#include "store/sections.h"
#include "store/sink.h"

enum { BLOCK_BYTES = 4 << 20 }; /* of records that are made at once */

struct tg_fixed_writer {
    const tagma_schema *source; /* of what comes */
    const tagma_index *index;
    tagma_schema *schema; /* of what is written */
    tg_fixed_options options;
    tg_records records;
    uint32_t *first_word; /* of records */
    uint8_t *n_lists;     /* of records */
    uint64_t n_entries, n_done;
    tg_places places;
    uint8_t *bits, *checksums;
    tg_buf block;      /* records */
    tg_buf exceptions; /* u64 each, in any order until the end */
    tg_sections sections;
    bool has_failed;
};

/* What is read back: the same columns without lists. */
static tagma_status make_schema(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint32_t n = tagma_schema_n_columns(writer->source), number;
    uint64_t n_words = 0;

    writer->first_word = tg_alloc(ctx, (uint64_t)n + 1, sizeof *writer->first_word);
    writer->n_lists = tg_alloc(ctx, n, 1);
    if (!writer->first_word || !writer->n_lists)
        return TAGMA_E_MEMORY;
    TG_TRY(tg_schema_new(ctx, &writer->schema));
    for (uint32_t c = 0; c < n; c++) {
        tagma_column column = *tagma_schema_column(writer->source, c);

        writer->first_word[c] = (uint32_t)n_words;
        writer->n_lists[c] = (uint8_t)column.n_lists;
        n_words += column.n_items;
        if (n_words > UINT32_MAX / TG_WORD_BYTES)
            return tg_fail(ctx, TAGMA_E_LIMIT, "branch %s: over %u values in a record", column.name,
                           UINT32_MAX / TG_WORD_BYTES);
        column.n_lists = 0;
        column.collection = TAGMA_NONE;
        TG_TRY(tg_schema_add_column(ctx, writer->schema, &column, &number));
    }
    writer->first_word[n] = (uint32_t)n_words;
    writer->records = (tg_records){.n_words = (uint32_t)n_words,
                                   .first_word = writer->first_word,
                                   .n_lists = writer->n_lists,
                                   .records_at = TG_HEADER_BYTES};
    return tg_schema_seal(ctx, writer->schema);
}

static void spell_bounds(const tagma_layout *layout, char *to, size_t n)
{
    size_t used = 0;

    for (uint32_t a = 0; a < layout->n_axes && used < n; a++)
        used += (size_t)snprintf(to + used, n - used, "%s%" PRIu64, a > 0 ? " x " : "", layout->bounds[a]);
}

/* The lattice of ranks, and whether it fits. */
static tagma_status lay_out(tagma_ctx *ctx, const char *path, tg_fixed_writer *writer)
{
    uint64_t exact = (uint64_t)writer->records.n_words * TG_WORD_BYTES, bounds[TG_FIXED_AXES_MAX],
             record_bytes = writer->options.record_bytes;
    tagma_layout *layout = &writer->records.layout;
    char words[100];

    if (record_bytes == 0)
        record_bytes = exact;
    if (record_bytes < exact)
        return tg_fail(ctx, TAGMA_E_ARG,
                       "%s: records of %" PRIu64 " bytes are too short: %" PRIu32 " doubles take %" PRIu64
                       "; --record-bytes takes that or more",
                       path, record_bytes, writer->records.n_words, exact);
    bounds[0] = writer->n_entries > 0 ? writer->n_entries : 1;
    if (writer->index && writer->n_entries > 0)
        tg_places_measure(writer->index, bounds);
    TG_TRY(tagma_layout_init(ctx, layout, bounds,
                             writer->index && writer->n_entries > 0 ? writer->index->n_axes : 1,
                             record_bytes));
    if (layout->extent_bytes <= writer->options.max_output)
        return TAGMA_OK;
    spell_bounds(layout, words, sizeof words);
    return tg_fail(ctx, TAGMA_E_LIMIT,
                   "%s: %s slots of %" PRIu64 " bytes take %" PRIu64 " bytes for %" PRIu64
                   " events, over the limit of %" PRIu64 "; --max-output SIZE allows more",
                   path, words, record_bytes, layout->extent_bytes, writer->n_entries,
                   writer->options.max_output);
}

static tagma_status make_rooms(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint64_t n_blocks = (writer->records.layout.count - 1) / TG_SLOTS_BLOCK + 1;

    if (writer->records.layout.count != writer->n_entries) {
        writer->bits = tg_zalloc(ctx, n_blocks, TG_SLOTS_BLOCK / 8);
        if (!writer->bits)
            return TAGMA_E_MEMORY;
    }
    writer->checksums = tg_zalloc(ctx, writer->n_entries, 4);
    if (!writer->checksums)
        return TAGMA_E_MEMORY;
    if (!writer->index || writer->n_entries == 0)
        return TAGMA_OK;
    return tg_places_new(ctx, writer->index, &writer->records.layout, &writer->places);
}

static tagma_status begin(tagma_ctx *ctx, const char *path, tg_fixed_writer *writer)
{
    uint32_t n_first;

    TG_TRY(tg_blocks_check_options(ctx, &writer->options.blocks));
    TG_TRY(tg_fixed_check_schema(ctx, writer->source, &n_first));
    TG_TRY(make_schema(ctx, writer));
    writer->sections.schema = writer->schema;
    TG_TRY(tg_sections_check_schema(ctx, &writer->sections));
    TG_TRY(lay_out(ctx, path, writer));
    TG_TRY(make_rooms(ctx, writer));
    return tg_sections_open(ctx, &writer->sections, path, false);
}

tagma_status tg_fixed_writer_new(tagma_ctx *ctx, const char *path, const tagma_schema *schema,
                                 const tg_provenance *provenance, const tagma_index *index,
                                 uint64_t n_entries, const tg_fixed_options *options, tg_fixed_writer **out)
{
    tg_fixed_writer *writer;
    tagma_status st;

    *out = NULL;
    if (index && index->n_entries != n_entries)
        return tg_fail(ctx, TAGMA_E_ARG, "an index of %" PRIu64 " entries for %" PRIu64, index->n_entries,
                       n_entries);
    writer = tg_zalloc(ctx, 1, sizeof *writer);
    if (!writer)
        return TAGMA_E_MEMORY;
    tg_sections_init(&writer->sections, NULL, provenance);
    writer->source = schema;
    writer->index = index;
    writer->n_entries = n_entries;
    writer->options = *options;
    writer->options.blocks.pool = options->pool;
    st = begin(ctx, path, writer);
    if (st < 0) {
        tg_fixed_writer_free(ctx, writer);
        return st;
    }
    *out = writer;
    return TAGMA_OK;
}

void tg_fixed_writer_free(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    if (!writer)
        return;
    tg_schema_free(writer->schema);
    tg_free(ctx, writer->first_word);
    tg_free(ctx, writer->n_lists);
    tg_places_free(ctx, &writer->places);
    tg_free(ctx, writer->bits);
    tg_free(ctx, writer->checksums);
    tg_buf_free(ctx, &writer->block);
    tg_buf_free(ctx, &writer->exceptions);
    tg_sections_free(ctx, &writer->sections);
    tg_free(ctx, writer);
}

/* An f64 that has the bits of a null is noted, so that it comes back. */
static tagma_status note_exception(tagma_ctx *ctx, tg_fixed_writer *writer, uint64_t entry, uint32_t word)
{
    uint8_t key[TG_WORD_BYTES];

    tg_put_le64(key, tg_places_row(&writer->places, entry) * writer->records.n_words + word);
    return tg_buf_put(ctx, &writer->exceptions, key, sizeof key);
}

/* A column of entries of a batch into their records, which stand end to end in the block. */
static tagma_status put_column(tagma_ctx *ctx, tg_fixed_writer *writer, const tagma_batch *batch, uint32_t c,
                               uint64_t from, uint64_t n, uint64_t entry)
{
    const tagma_column *shape = tagma_schema_column(writer->source, c);
    const tagma_batch_column *column = tagma_batch_column_at(batch, c);
    uint64_t record_bytes = writer->records.layout.record_bytes, width = tagma_type_bytes(shape->type), at;
    uint32_t first = writer->first_word[c];

    for (uint64_t e = 0; e < n; e++) {
        uint8_t *to = writer->block.bytes + e * record_bytes + (uint64_t)first * TG_WORD_BYTES;
        bool is_there = tg_fixed_first(column, from + e, &at);

        for (uint32_t i = 0; i < shape->n_items; i++, to += TG_WORD_BYTES) {
            const uint8_t *value =
                column->is_bits ? NULL : (const uint8_t *)column->values + (at + i) * width;
            uint64_t word = TG_NULL_WORD;
            uint8_t bit;

            if (is_there && column->is_bits) {
                bit = ((const uint8_t *)column->values)[(at + i) / 8] >> ((at + i) % 8) & 1;
                value = &bit;
            }
            if (is_there && !tg_word_of(shape->type, value, &word))
                return tg_fixed_inexact(ctx, shape, value, entry + e);
            tg_put_le64(to, word);
            if (is_there && i == 0 && word == TG_NULL_WORD)
                TG_TRY(note_exception(ctx, writer, entry + e, first));
        }
    }
    return TAGMA_OK;
}

/* The records of the block to their slots: those of neighbours by one call. */
static tagma_status write_block(tagma_ctx *ctx, tg_fixed_writer *writer, uint64_t n, uint64_t entry)
{
    const tg_places *places = &writer->places;
    uint64_t bytes = writer->records.layout.record_bytes, done = 0;

    for (uint64_t e = 0; e < n; e++) {
        uint64_t row = tg_places_row(places, entry + e), slot = tg_places_slot(places, row), first;

        tg_put_le32(writer->checksums + 4 * row, tg_checksum(writer->block.bytes + e * bytes, bytes, row));
        if (writer->bits)
            writer->bits[slot / 8] |= (uint8_t)(1U << (slot % 8));
        if (e + 1 < n && tg_places_slot(places, tg_places_row(places, entry + e + 1)) == slot + 1)
            continue;
        first = slot - (e - done);
        TG_TRY(tg_sink_write(ctx, &writer->sections.file, TG_HEADER_BYTES + first * bytes,
                             writer->block.bytes + done * bytes, (e + 1 - done) * bytes));
        done = e + 1;
    }
    return TAGMA_OK;
}

static tagma_status put_entries(tagma_ctx *ctx, tg_fixed_writer *writer, const tagma_batch *batch,
                                uint64_t first)
{
    uint64_t n = tagma_batch_n_entries(batch), bytes = writer->records.layout.record_bytes, step_most;

    step_most = BLOCK_BYTES / bytes + 1;
    for (uint64_t from = 0; from < n; from += step_most) {
        uint64_t here = n - from < step_most ? n - from : step_most;

        TG_TRY(tg_buf_reserve(ctx, &writer->block, here * bytes));
        memset(writer->block.bytes, 0, here * bytes);
        for (uint32_t c = 0; c < tagma_schema_n_columns(writer->source); c++)
            TG_TRY(put_column(ctx, writer, batch, c, from, here, first + from));
        TG_TRY(write_block(ctx, writer, here, first + from));
    }
    writer->n_done += n;
    return TAGMA_OK;
}

static tagma_status check_batch(tagma_ctx *ctx, const tg_fixed_writer *writer, const tagma_batch *batch,
                                uint64_t first)
{
    if (!tg_inside(first, tagma_batch_n_entries(batch), writer->n_entries))
        return tg_fail(ctx, TAGMA_E_ARG, "a batch of entries %" PRIu64 " + %" PRIu64 " of %" PRIu64, first,
                       tagma_batch_n_entries(batch), writer->n_entries);
    return tg_sections_check_batch(ctx, writer->source, batch, writer->options.damaged_is_null);
}

tagma_status tg_fixed_writer_append(tagma_ctx *ctx, tg_fixed_writer *writer, tagma_batch *batch,
                                    uint64_t first)
{
    tagma_status st = check_batch(ctx, writer, batch, first);

    if (st == TAGMA_OK)
        st = put_entries(ctx, writer, batch, first);
    writer->has_failed |= st < 0;
    tagma_batch_free(batch);
    return st;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = tg_le64(a), y = tg_le64(b);

    return (x > y) - (x < y);
}

static tagma_status put_records(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint64_t n_blocks = (writer->records.layout.count - 1) / TG_SLOTS_BLOCK + 1;
    tg_buf buf = TG_BUF_INIT;
    tagma_status st;

    writer->records.exceptions = writer->exceptions.bytes;
    writer->records.n_exceptions = writer->exceptions.n / TG_WORD_BYTES;
    if (writer->records.n_exceptions > 0)
        qsort(writer->exceptions.bytes, writer->records.n_exceptions, TG_WORD_BYTES, compare_keys);
    st = tg_records_write(ctx, &writer->records, tagma_schema_n_columns(writer->schema), &buf);
    if (st == TAGMA_OK)
        st = tg_sections_put(ctx, &writer->sections, TG_STORE_SECTION_RECORDS, TG_STORE_SECTION_REQUIRED,
                             buf.bytes, buf.n);
    tg_buf_free(ctx, &buf);
    TG_TRY(st);
    if (writer->bits)
        TG_TRY(tg_sections_put(ctx, &writer->sections, TG_STORE_SECTION_SLOTS, TG_STORE_SECTION_REQUIRED,
                               writer->bits, n_blocks * (TG_SLOTS_BLOCK / 8)));
    return tg_sections_put(ctx, &writer->sections, TG_STORE_SECTION_CHECKSUMS, 0, writer->checksums,
                           4 * writer->n_entries);
}

/* What each column takes (nothing is coded), and what every layout has. */
static tagma_status put_common(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint64_t n = tagma_schema_n_columns(writer->schema);
    uint64_t *totals = tg_zalloc(ctx, 3 * n, sizeof *totals);
    tagma_status st;

    if (!totals)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < n; c++) {
        totals[c] = 64 * writer->n_entries * tagma_schema_column(writer->schema, c)->n_items;
        totals[2 * n + c] = UINT64_C(1) << TG_CODE_PLAIN;
    }
    st = tg_sections_put_common(ctx, &writer->sections, totals, 3 * n);
    tg_free(ctx, totals);
    return st;
}

static tagma_status put_sections(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint64_t end = TG_HEADER_BYTES + writer->records.layout.extent_bytes;

    writer->sections.at = (end + TG_ALIGN - 1) / TG_ALIGN * TG_ALIGN;
    if (writer->index)
        TG_TRY(tg_places_put(ctx, writer->index, &writer->sections));
    TG_TRY(put_records(ctx, writer));
    TG_TRY(put_common(ctx, writer));
    writer->sections.header.n_events = writer->n_entries;
    writer->sections.header.layout = TG_LAYOUT_FIXED;
    return tg_sections_put_head(ctx, &writer->sections);
}

/* What there is to tell. */
static void sum_up(const tg_fixed_writer *writer, uint64_t file_bytes, tg_store_summary *summary,
                   tg_fixed_summary *fixed)
{
    const tagma_layout *layout = &writer->records.layout;
    const tg_section *section = tg_header_section(&writer->sections.header, TG_STORE_SECTION_INDEX);
    uint64_t raw = 0;

    for (uint32_t c = 0; c < tagma_schema_n_columns(writer->schema); c++) {
        const tagma_column *column = tagma_schema_column(writer->schema, c);
        raw += (uint64_t)column->n_items * tagma_type_bytes(column->type);
    }
    if (summary)
        *summary = (tg_store_summary){.n_events = writer->n_entries,
                                      .raw_bytes = raw * writer->n_entries,
                                      .file_bytes = file_bytes,
                                      .tile_bytes = layout->extent_bytes,
                                      .index_bytes = section ? section->bytes : 0};
    if (!fixed)
        return;
    *fixed = (tg_fixed_summary){
        .n_axes = layout->n_axes,
        .n_slots = layout->count,
        .record_bytes = layout->record_bytes,
        .empty_bytes = (layout->count - writer->n_entries) * layout->record_bytes,
        .padding_bytes =
            (layout->record_bytes - (uint64_t)writer->records.n_words * TG_WORD_BYTES) * writer->n_entries};
    memcpy(fixed->bounds, layout->bounds, sizeof fixed->bounds);
}

tagma_status tg_fixed_writer_finish(tagma_ctx *ctx, tg_fixed_writer *writer, tg_store_summary *summary,
                                    tg_fixed_summary *fixed)
{
    uint64_t file_bytes;

    if (writer->has_failed || writer->n_done != writer->n_entries)
        return tg_fail(ctx, TAGMA_E_ARG,
                       "a store of which %" PRIu64 " of %" PRIu64 " entries came cannot be finished",
                       writer->n_done, writer->n_entries);
    TG_TRY(put_sections(ctx, writer));
    TG_TRY(tg_sections_commit(ctx, &writer->sections, &writer->options.blocks, &file_bytes));
    sum_up(writer, file_bytes, summary, fixed);
    return TAGMA_OK;
}
