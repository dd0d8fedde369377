/* SPDX-License-Identifier: Apache-2.0
 * Records of doubles to where the ranks of their ids say; then what a reader needs to find them. */
#include "store/fixedwriter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/pool.h"
#include "event/schema.h"
#include "index/idwalk.h"
#include "store/fixedsource.h"
#include "store/schemasec.h"
#include "store/sink.h"

enum { BLOCK_BYTES = 4 << 20 }; /* of records that are made at once */

struct tg_fixed_writer {
    const tagma_schema *source; /* of what comes */
    const tg_provenance *provenance;
    const tagma_index *index;
    tagma_schema *schema; /* of what is written */
    tg_fixed_options options;
    tg_records records;
    uint32_t *first_word; /* of records */
    uint8_t *n_lists;     /* of records */
    uint64_t n_entries, n_done;
    uint64_t *rows;  /* [n_entries] of each entry; NULL: its own number */
    uint64_t *slots; /* [n_entries] of each row; NULL, too */
    uint8_t *bits, *checksums;
    tg_buf block;      /* records */
    tg_buf exceptions; /* u64 each, in any order until the end */
    tg_aside file;
    tg_header header;
    uint64_t at; /* of the file: where the next section may begin */
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

/* The axis on which a place of the walk begins anew: the first whose value is another one. */
static uint32_t changed_axis(const tg_walk *walk, const uint64_t *before)
{
    uint32_t last = walk->index->n_axes - 1, axis = 0;

    while (axis < last && walk->axes[axis] == before[axis])
        axis++;
    return axis; /* equal ids have ranks of their own on the last */
}

/* Ranks of the next event in coordinate order. */
static void step(const tg_walk *walk, uint64_t *before, uint64_t *ranks)
{
    uint32_t axis = changed_axis(walk, before);

    if (walk->rank > 0)
        ranks[axis]++;
    for (uint32_t a = walk->rank > 0 ? axis + 1 : 0; a < walk->index->n_axes; a++)
        ranks[a] = 0;
    memcpy(before, walk->axes, walk->index->n_axes * sizeof *before);
}

/* The bounds are the largest ranks seen. */
static void measure_bounds(const tagma_index *index, uint64_t *bounds)
{
    uint64_t before[TG_FIXED_AXES_MAX] = {0}, ranks[TG_FIXED_AXES_MAX] = {0};
    tg_walk walk;

    tg_walk_begin(&walk, index);
    for (uint32_t a = 0; a < TG_FIXED_AXES_MAX; a++)
        bounds[a] = 1;
    while (tg_walk_next(&walk)) {
        step(&walk, before, ranks);
        for (uint32_t a = 0; a < index->n_axes; a++)
            bounds[a] = ranks[a] + 1 > bounds[a] ? ranks[a] + 1 : bounds[a];
    }
}

static tagma_status place_entries(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint64_t before[TG_FIXED_AXES_MAX] = {0}, ranks[TG_FIXED_AXES_MAX] = {0};
    tg_walk walk;

    writer->rows = tg_alloc(ctx, writer->n_entries, sizeof *writer->rows);
    writer->slots = tg_alloc(ctx, writer->n_entries, sizeof *writer->slots);
    if (!writer->rows || !writer->slots)
        return TAGMA_E_MEMORY;
    tg_walk_begin(&walk, writer->index);
    while (tg_walk_next(&walk)) {
        step(&walk, before, ranks);
        writer->rows[tg_walk_entry(&walk)] = walk.rank;
        TG_TRY(tagma_layout_address(&writer->records.layout, ranks, &writer->slots[walk.rank]));
    }
    return TAGMA_OK;
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
                       "records of %" PRIu64 " bytes are too short: %" PRIu32 " doubles take %" PRIu64,
                       record_bytes, writer->records.n_words, exact);
    bounds[0] = writer->n_entries > 0 ? writer->n_entries : 1;
    if (writer->index && writer->n_entries > 0)
        measure_bounds(writer->index, bounds);
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
    return writer->index && writer->n_entries > 0 ? place_entries(ctx, writer) : TAGMA_OK;
}

static tagma_status begin(tagma_ctx *ctx, const char *path, tg_fixed_writer *writer)
{
    static const uint8_t head[TG_HEADER_BYTES];
    tg_buf probe = TG_BUF_INIT;
    uint32_t n_first;
    tagma_status st;

    TG_TRY(tg_blocks_check_options(ctx, &writer->options.blocks));
    TG_TRY(tg_fixed_check_schema(ctx, writer->source, &n_first));
    TG_TRY(make_schema(ctx, writer));
    st = tg_schemasec_write(ctx, writer->schema, writer->provenance->tree, writer->provenance->title, &probe);
    tg_buf_free(ctx, &probe);
    TG_TRY(st);
    TG_TRY(lay_out(ctx, path, writer));
    TG_TRY(make_rooms(ctx, writer));
    TG_TRY(tg_aside_open(ctx, path, &writer->file));
    return tg_sink_write(ctx, &writer->file, 0, head, sizeof head);
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
    writer->file.file = -1;
    writer->source = schema;
    writer->provenance = provenance;
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
    tg_free(ctx, writer->rows);
    tg_free(ctx, writer->slots);
    tg_free(ctx, writer->bits);
    tg_free(ctx, writer->checksums);
    tg_buf_free(ctx, &writer->block);
    tg_buf_free(ctx, &writer->exceptions);
    tg_aside_abandon(ctx, &writer->file);
    tg_free(ctx, writer);
}

static uint64_t row_of(const tg_fixed_writer *writer, uint64_t entry)
{
    return writer->rows ? writer->rows[entry] : entry;
}

static uint64_t slot_of(const tg_fixed_writer *writer, uint64_t row)
{
    return writer->slots ? writer->slots[row] : row;
}

/* An f64 that has the bits of a null is noted, so that it comes back. */
static tagma_status note_exception(tagma_ctx *ctx, tg_fixed_writer *writer, uint64_t entry, uint32_t word)
{
    uint8_t key[TG_WORD_BYTES];

    tg_put_le64(key, row_of(writer, entry) * writer->records.n_words + word);
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
    uint64_t bytes = writer->records.layout.record_bytes, done = 0;

    for (uint64_t e = 0; e < n; e++) {
        uint64_t row = row_of(writer, entry + e), slot = slot_of(writer, row), first;

        tg_put_le32(writer->checksums + 4 * row, tg_checksum(writer->block.bytes + e * bytes, bytes, row));
        if (writer->bits)
            writer->bits[slot / 8] |= (uint8_t)(1U << (slot % 8));
        if (e + 1 < n && slot_of(writer, row_of(writer, entry + e + 1)) == slot + 1)
            continue;
        first = slot - (e - done);
        TG_TRY(tg_sink_write(ctx, &writer->file, TG_HEADER_BYTES + first * bytes,
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

/* Do the columns of a batch look like those of the schema, and is none damaged? */
static tagma_status check_batch(tagma_ctx *ctx, const tg_fixed_writer *writer, const tagma_batch *batch,
                                uint64_t first)
{
    if (tagma_batch_n_columns(batch) != tagma_schema_n_columns(writer->source) ||
        !tg_inside(first, tagma_batch_n_entries(batch), writer->n_entries))
        return tg_fail(ctx, TAGMA_E_ARG,
                       "a batch of %" PRIu32 " columns, entries %" PRIu64 " + %" PRIu64 " of %" PRIu64,
                       tagma_batch_n_columns(batch), first, tagma_batch_n_entries(batch), writer->n_entries);
    for (uint32_t c = 0; c < tagma_batch_n_columns(batch); c++) {
        const tagma_batch_column *column = tagma_batch_column_at(batch, c);
        const tagma_column *expected = tagma_schema_column(writer->source, c);

        if (column->type != expected->type || column->n_items != expected->n_items ||
            column->n_levels != expected->n_lists)
            return tg_fail(ctx, TAGMA_E_ARG, "branch %s: the batch has another type or shape",
                           expected->name);
        if (column->damaged && !writer->options.damaged_is_null)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "branch %s has damaged entries", expected->name);
    }
    return TAGMA_OK;
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

static tagma_status put_section(tagma_ctx *ctx, tg_fixed_writer *writer, uint32_t id, uint32_t flags,
                                const void *bytes, uint64_t n)
{
    tg_section *section = &writer->header.sections[writer->header.n_sections++];

    *section = (tg_section){
        .id = id, .flags = flags, .offset = writer->at, .bytes = n, .checksum = tg_hash(bytes, n)};
    writer->at = (writer->at + n + TG_ALIGN - 1) / TG_ALIGN * TG_ALIGN;
    return tg_sink_write(ctx, &writer->file, section->offset, bytes, n);
}

/* The index again, of rows instead of entries: they lie in the order of its ranks. */
static tagma_status make_index(tagma_ctx *ctx, const tg_fixed_writer *writer, tagma_index **out)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_index_input input = {.n_axes = writer->index->n_axes, .n_entries = writer->n_entries};
    uint64_t *values = tg_alloc(ctx, writer->n_entries, sizeof *values * input.n_axes);
    tagma_status st;
    tg_walk walk;

    *out = NULL;
    if (!values)
        return TAGMA_E_MEMORY;
    tagma_index_get_info(writer->index, &info);
    for (uint32_t a = 0; a < input.n_axes; a++) {
        input.names[a] = info.names[a];
        input.is_signed[a] = info.is_signed[a];
        input.values[a] = values + a * writer->n_entries;
    }
    tg_walk_begin(&walk, writer->index);
    while (tg_walk_next(&walk))
        for (uint32_t a = 0; a < input.n_axes; a++)
            values[a * writer->n_entries + walk.rank] = walk.axes[a];
    st = tagma_index_new(ctx, &input, out);
    tg_free(ctx, values);
    return st;
}

static tagma_status put_index(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    tagma_index *index;
    const uint8_t *bytes;
    uint64_t n;
    tagma_status st;

    if (!writer->index)
        return TAGMA_OK;
    TG_TRY(make_index(ctx, writer, &index));
    tg_index_bytes(index, &bytes, &n);
    st = put_section(ctx, writer, TG_STORE_SECTION_INDEX, 0, bytes, n);
    tagma_index_release(index);
    return st;
}

static tagma_status put_origins(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    tg_origins origins = {0};
    tg_buf buf = TG_BUF_INIT;
    tagma_status st = TAGMA_OK;
    tg_walk walk;

    if (!writer->rows)
        return TAGMA_OK;
    tg_walk_begin(&walk, writer->index);
    while (st == TAGMA_OK && tg_walk_next(&walk))
        st = tg_origins_add(ctx, &origins, tg_walk_entry(&walk), 1);
    if (st == TAGMA_OK)
        st = tg_origins_write(ctx, &origins, &buf);
    if (st == TAGMA_OK && buf.n > 0)
        st = put_section(ctx, writer, TG_STORE_SECTION_ORIGIN, 0, buf.bytes, buf.n);
    tg_origins_free(ctx, &origins);
    tg_buf_free(ctx, &buf);
    return st;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = tg_le64(a), y = tg_le64(b);

    return (x > y) - (x < y);
}

static tagma_status put_records(tagma_ctx *ctx, tg_fixed_writer *writer, tg_buf *buf)
{
    uint64_t n_blocks = (writer->records.layout.count - 1) / TG_SLOTS_BLOCK + 1;

    writer->records.exceptions = writer->exceptions.bytes;
    writer->records.n_exceptions = writer->exceptions.n / TG_WORD_BYTES;
    if (writer->records.n_exceptions > 0)
        qsort(writer->exceptions.bytes, writer->records.n_exceptions, TG_WORD_BYTES, compare_keys);
    TG_TRY(tg_records_write(ctx, &writer->records, tagma_schema_n_columns(writer->schema), buf));
    TG_TRY(put_section(ctx, writer, TG_STORE_SECTION_RECORDS, TG_STORE_SECTION_REQUIRED, buf->bytes, buf->n));
    if (writer->bits)
        TG_TRY(put_section(ctx, writer, TG_STORE_SECTION_SLOTS, TG_STORE_SECTION_REQUIRED, writer->bits,
                           n_blocks * (TG_SLOTS_BLOCK / 8)));
    return put_section(ctx, writer, TG_STORE_SECTION_CHECKSUMS, 0, writer->checksums, 4 * writer->n_entries);
}

/* What each column takes: nothing is coded. */
static tagma_status put_totals(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    uint64_t n = tagma_schema_n_columns(writer->schema);
    uint8_t *bytes = tg_zalloc(ctx, 3 * n, 8);
    tagma_status st;

    if (!bytes)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < n; c++) {
        tg_put_le64(bytes + 8 * (uint64_t)c,
                    64 * writer->n_entries * tagma_schema_column(writer->schema, c)->n_items);
        tg_put_le64(bytes + 8 * (2 * n + c), UINT64_C(1) << TG_CODE_PLAIN);
    }
    st = put_section(ctx, writer, TG_STORE_SECTION_TOTALS, 0, bytes, 24 * n);
    tg_free(ctx, bytes);
    return st;
}

static tagma_status put_sections(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    tg_buf buf = TG_BUF_INIT;
    tagma_status st;

    writer->at = (TG_HEADER_BYTES + writer->records.layout.extent_bytes + TG_ALIGN - 1) / TG_ALIGN * TG_ALIGN;
    st = put_index(ctx, writer);
    if (st == TAGMA_OK)
        st = put_origins(ctx, writer);
    if (st == TAGMA_OK)
        st = put_records(ctx, writer, &buf);
    if (st == TAGMA_OK)
        st = tg_provenance_write(ctx, writer->provenance, &buf);
    if (st == TAGMA_OK)
        st = put_section(ctx, writer, TG_STORE_SECTION_PROVENANCE, 0, buf.bytes, buf.n);
    if (st == TAGMA_OK)
        st = put_totals(ctx, writer);
    if (st == TAGMA_OK)
        st = tg_schemasec_write(ctx, writer->schema, writer->provenance->tree, writer->provenance->title,
                                &buf);
    if (st == TAGMA_OK)
        st = put_section(ctx, writer, TG_STORE_SECTION_SCHEMA, 0, buf.bytes, buf.n);
    tg_buf_free(ctx, &buf);
    return st;
}

static tagma_status put_head(tagma_ctx *ctx, tg_fixed_writer *writer)
{
    static const uint8_t slack[TG_ALIGN];
    tg_header *header = &writer->header;
    uint8_t bytes[TG_HEADER_BYTES];

    TG_TRY(tg_sink_write(ctx, &writer->file, writer->at, slack, sizeof slack));
    header->major = TG_STORE_MAJOR;
    header->minor = TG_STORE_MINOR;
    header->file_bytes = writer->at + sizeof slack;
    header->n_events = writer->n_entries;
    header->schema_hash = tg_header_section(header, TG_STORE_SECTION_SCHEMA)->checksum;
    header->n_columns = tagma_schema_n_columns(writer->schema);
    header->cycle = writer->provenance->cycle;
    header->layout = TG_LAYOUT_FIXED;
    tg_header_write(header, bytes);
    return tg_sink_write(ctx, &writer->file, 0, bytes, sizeof bytes);
}

/* What there is to tell. */
static void sum_up(const tg_fixed_writer *writer, uint64_t file_bytes, tg_store_summary *summary,
                   tg_fixed_summary *fixed)
{
    const tagma_layout *layout = &writer->records.layout;
    const tg_section *section = tg_header_section(&writer->header, TG_STORE_SECTION_INDEX);
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
    TG_TRY(put_head(ctx, writer));
    TG_TRY(tg_blocks_commit(ctx, &writer->file, writer->header.file_bytes, &writer->options.blocks,
                            &file_bytes));
    sum_up(writer, file_bytes, summary, fixed);
    return TAGMA_OK;
}
