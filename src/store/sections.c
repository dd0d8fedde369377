/* SPDX-License-Identifier: Apache-2.0
 * Sections one after the other, then the head that names them. */
#include "store/sections.h"

#include "base/hash.h"
#include "index/section.h"
#include "store/schemasec.h"
#include "store/sink.h"

void tg_sections_init(tg_sections *sections, const tagma_schema *schema, const tg_provenance *provenance)
{
    *sections = (tg_sections){.file = {.file = -1}, .schema = schema, .provenance = provenance};
}

static tagma_status write_schema(tagma_ctx *ctx, const tg_sections *sections, tg_buf *out)
{
    return tg_schemasec_write(ctx, sections->schema, sections->provenance->tree, sections->provenance->title,
                              out);
}

tagma_status tg_sections_check_schema(tagma_ctx *ctx, const tg_sections *sections)
{
    tg_buf probe = TG_BUF_INIT;
    tagma_status st = write_schema(ctx, sections, &probe);

    tg_buf_free(ctx, &probe);
    return st;
}

tagma_status tg_sections_open(tagma_ctx *ctx, tg_sections *sections, const char *path, bool is_passing)
{
    static const uint8_t head[TG_HEADER_BYTES];

    if (is_passing)
        TG_TRY(tg_aside_open_unnamed(ctx, path, &sections->file));
    else
        TG_TRY(tg_aside_open(ctx, path, &sections->file));
    sections->at = sizeof head;
    return tg_sink_write(ctx, &sections->file, 0, head, sizeof head);
}

tagma_status tg_sections_put(tagma_ctx *ctx, tg_sections *sections, uint32_t id, uint32_t flags,
                             const void *bytes, uint64_t n)
{
    tg_section *section = &sections->header.sections[sections->header.n_sections++];

    *section = (tg_section){
        .id = id, .flags = flags, .offset = sections->at, .bytes = n, .checksum = tg_hash(bytes, n)};
    sections->at = (sections->at + n + TG_ALIGN - 1) / TG_ALIGN * TG_ALIGN;
    return tg_sink_write(ctx, &sections->file, section->offset, bytes, n);
}

tagma_status tg_sections_put_index(tagma_ctx *ctx, tg_sections *sections, const tagma_index *index)
{
    const uint8_t *bytes;
    uint64_t n;

    if (!index)
        return TAGMA_OK;
    tg_index_bytes(index, &bytes, &n);
    return tg_sections_put(ctx, sections, TG_STORE_SECTION_INDEX, 0, bytes, n);
}

tagma_status tg_sections_put_origins(tagma_ctx *ctx, tg_sections *sections, const tg_origins *origins)
{
    tg_buf buf = TG_BUF_INIT;
    tagma_status st = tg_origins_write(ctx, origins, &buf);

    if (st == TAGMA_OK && buf.n > 0)
        st = tg_sections_put(ctx, sections, TG_STORE_SECTION_ORIGIN, 0, buf.bytes, buf.n);
    tg_buf_free(ctx, &buf);
    return st;
}

static tagma_status put_totals(tagma_ctx *ctx, tg_sections *sections, const uint64_t *totals, uint64_t n)
{
    uint8_t *bytes = tg_alloc(ctx, n, 8);
    tagma_status st;

    if (!bytes)
        return TAGMA_E_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        tg_put_le64(bytes + 8 * i, totals[i]);
    st = tg_sections_put(ctx, sections, TG_STORE_SECTION_TOTALS, 0, bytes, 8 * n);
    tg_free(ctx, bytes);
    return st;
}

tagma_status tg_sections_put_common(tagma_ctx *ctx, tg_sections *sections, const uint64_t *totals, uint64_t n)
{
    tg_buf buf = TG_BUF_INIT;
    tagma_status st = tg_provenance_write(ctx, sections->provenance, &buf);

    if (st == TAGMA_OK)
        st = tg_sections_put(ctx, sections, TG_STORE_SECTION_PROVENANCE, 0, buf.bytes, buf.n);
    if (st == TAGMA_OK)
        st = put_totals(ctx, sections, totals, n);
    if (st == TAGMA_OK)
        st = write_schema(ctx, sections, &buf);
    if (st == TAGMA_OK)
        st = tg_sections_put(ctx, sections, TG_STORE_SECTION_SCHEMA, 0, buf.bytes, buf.n);
    tg_buf_free(ctx, &buf);
    return st;
}

/* The file ends with bytes that nobody reads, so that a word at the end of what is mapped may be loaded whole. */
tagma_status tg_sections_put_head(tagma_ctx *ctx, tg_sections *sections)
{
    static const uint8_t slack[TG_ALIGN];
    tg_header *header = &sections->header;
    uint8_t bytes[TG_HEADER_BYTES];

    TG_TRY(tg_sink_write(ctx, &sections->file, sections->at, slack, sizeof slack));
    header->major = TG_STORE_MAJOR;
    header->minor = tg_header_section(header, TG_STORE_SECTION_TEXTS) ? TG_STORE_MINOR_TEXTS : TG_STORE_MINOR;
    header->file_bytes = sections->at + sizeof slack;
    header->schema_hash = tg_header_section(header, TG_STORE_SECTION_SCHEMA)->checksum;
    header->n_columns = tagma_schema_n_columns(sections->schema);
    header->n_collections = tagma_schema_n_collections(sections->schema);
    header->cycle = sections->provenance->cycle;
    tg_header_write(header, bytes);
    return tg_sink_write(ctx, &sections->file, 0, bytes, sizeof bytes);
}

tagma_status tg_sections_commit(tagma_ctx *ctx, tg_sections *sections, const tg_blocks_options *blocks,
                                uint64_t *file_bytes)
{
    return tg_blocks_commit(ctx, &sections->file, sections->header.file_bytes, blocks, file_bytes);
}

void tg_sections_free(tagma_ctx *ctx, tg_sections *sections)
{
    tg_aside_abandon(ctx, &sections->file);
}

tagma_status tg_sections_check_batch(tagma_ctx *ctx, const tagma_schema *schema, const tagma_batch *batch,
                                     bool damaged_is_null)
{
    if (tagma_batch_n_columns(batch) != tagma_schema_n_columns(schema))
        return tg_fail(ctx, TAGMA_E_ARG, "a batch of %" PRIu32 " columns for a store of %" PRIu32,
                       tagma_batch_n_columns(batch), tagma_schema_n_columns(schema));
    for (uint32_t c = 0; c < tagma_batch_n_columns(batch); c++) {
        const tagma_batch_column *column = tagma_batch_column_at(batch, c);
        const tagma_column *expected = tagma_schema_column(schema, c);

        if (column->type != expected->type || column->n_items != expected->n_items ||
            column->n_levels != expected->n_lists + (expected->type == TAGMA_STRING))
            return tg_fail(ctx, TAGMA_E_ARG, "branch %s: the batch has another type or shape",
                           expected->name);
        if (column->damaged && !damaged_is_null)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "branch %s has damaged entries", expected->name);
    }
    return TAGMA_OK;
}
