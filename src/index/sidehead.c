/* SPDX-License-Identifier: Apache-2.0
 * The head of a sidecar, from bytes and to bytes. docs/FORMAT.md, "Sidecar", has the tables. */
#include "index/sidehead.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/in.h"

static uint64_t head_checksum(const uint8_t *head, uint64_t n)
{
    return tg_hash(head + TG_SIDECAR_CHECKED_FROM, n - TG_SIDECAR_CHECKED_FROM);
}

static uint64_t aligned(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

bool tg_section_is_of(const tg_section *section, const tg_identity *identity)
{
    return section->cycle == identity->cycle && strcmp(section->tree, identity->tree) == 0;
}

char *tg_section_names(tagma_ctx *ctx, const char *const *names, uint32_t n_axes, uint32_t *names_bytes)
{
    uint64_t n = 0;
    char *all;

    for (uint32_t axis = 0; axis < n_axes; axis++)
        n += strlen(names[axis]) + 1;
    all = tg_alloc(ctx, n, 1);
    if (!all)
        return NULL;
    *names_bytes = (uint32_t)n;
    n = 0;
    for (uint32_t axis = 0; axis < n_axes; axis++) {
        memcpy(all + n, names[axis], strlen(names[axis]) + 1);
        n += strlen(names[axis]) + 1;
    }
    return all;
}

static tagma_status cut(tagma_ctx *ctx, const tg_sidecar *sidecar, uint64_t needed)
{
    return tg_fail(ctx, TAGMA_E_TRUNCATED,
                   "%s is cut: it has %" PRIu64 " bytes, %" PRIu64
                   " are needed. Rebuild: tagma index %s, or ignore it: --no-sidecar",
                   tagma_source_name(sidecar->source), tagma_source_size(sidecar->source), needed,
                   sidecar->file);
}

static tagma_status wrong(tagma_ctx *ctx, const tg_sidecar *sidecar, uint64_t byte, const char *what)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s is damaged: byte %" PRIu64 ": %s. Rebuild: tagma index %s, or ignore it: --no-sidecar",
                   tagma_source_name(sidecar->source), byte, what, sidecar->file);
}

/* A text of n bytes with its 0; "" and a short window where it is none. */
static const char *take_text(tg_in *in, uint32_t n)
{
    const char *text = (const char *)tg_in_take(in, n);

    if (!text || n == 0 || strnlen(text, n) != n - 1) {
        in->is_short = true;
        return "";
    }
    return text;
}

/* One row of the table. A row says how long it is, so that later versions may add to it. */
static tagma_status read_section(tagma_ctx *ctx, const tg_sidecar *sidecar, tg_in *in, tg_section *out)
{
    uint64_t byte = TG_SIDECAR_HEADER_BYTES + in->at, size = tagma_source_size(sidecar->source);
    uint32_t row_bytes = tg_in_le32(in), tree_bytes, n_names = 0;
    const uint8_t *rest = tg_in_take(in, row_bytes < TG_SIDECAR_ROW_BYTES ? UINT64_MAX : row_bytes - 4);
    tg_in row;

    if (!rest)
        return wrong(ctx, sidecar, byte, "a row of its table is too short");
    row = tg_in_of(rest, row_bytes - 4);
    out->kind = tg_in_le32(&row);
    out->offset = tg_in_le64(&row);
    out->bytes = tg_in_le64(&row);
    out->checksum = tg_in_le64(&row);
    out->n_entries = tg_in_le64(&row);
    out->record_checksum = tg_in_le64(&row);
    out->cycle = tg_in_le32(&row);
    tree_bytes = tg_in_le32(&row);
    out->names_bytes = tg_in_le32(&row);
    out->n_axes = tg_in_le32(&row);
    out->tree = take_text(&row, tree_bytes);
    out->names = (const char *)tg_in_take(&row, out->names_bytes);
    if (tg_in_short(&row))
        return wrong(ctx, sidecar, byte, "a row of its table is too short");
    for (uint32_t i = 0; i < out->names_bytes; i++)
        n_names += out->names[i] == 0;
    if (n_names != out->n_axes || (out->names_bytes > 0 && out->names[out->names_bytes - 1] != 0))
        return wrong(ctx, sidecar, byte, "the names of its id columns have no end");
    if (out->offset % TG_SIDECAR_ALIGN != 0 || !tg_inside(out->offset, out->bytes, size))
        return wrong(ctx, sidecar, byte, "a section lies outside of it");
    return TAGMA_OK;
}

static tagma_status read_table(tagma_ctx *ctx, tg_sidecar *sidecar, uint32_t table_bytes)
{
    tg_in in = tg_in_of(sidecar->head + TG_SIDECAR_HEADER_BYTES, table_bytes);

    if (sidecar->n_sections > table_bytes / TG_SIDECAR_ROW_BYTES)
        return wrong(ctx, sidecar, 56, "more sections than its table has room for");
    sidecar->sections = tg_zalloc(ctx, sidecar->n_sections, sizeof *sidecar->sections);
    if (!sidecar->sections)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < sidecar->n_sections; i++)
        TG_TRY(read_section(ctx, sidecar, &in, &sidecar->sections[i]));
    return tg_in_left(&in) == 0 ? TAGMA_OK : wrong(ctx, sidecar, 60, "its table is longer than its rows");
}

/* The header's fields that have one right value each, in the order in which they tell the most. */
static tagma_status check_header(tagma_ctx *ctx, const tg_sidecar *sidecar, bool *is_foreign)
{
    const uint8_t *head = sidecar->head;
    uint64_t size = tagma_source_size(sidecar->source);

    *is_foreign = size >= 8 && memcmp(head, TG_SIDECAR_MAGIC, 8) != 0;
    if (*is_foreign)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s is no sidecar: byte 0: it does not begin with \"" TG_SIDECAR_MAGIC
                       "\". Take it away, or ignore it: --no-sidecar",
                       tagma_source_name(sidecar->source));
    if (size < TG_SIDECAR_HEADER_BYTES)
        return cut(ctx, sidecar, TG_SIDECAR_HEADER_BYTES);
    if (tg_le32(head + 8) != TG_SIDECAR_VERSION || tg_le32(head + 12) != 0)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s: byte 8: a sidecar of version %" PRIu32 ".%" PRIu32
                       ", this program reads version %d. Rebuild: tagma index %s, or ignore it: --no-sidecar",
                       tagma_source_name(sidecar->source), tg_le32(head + 8), tg_le32(head + 12),
                       TG_SIDECAR_VERSION, sidecar->file);
    if (tg_le64(head + 16) > size)
        return cut(ctx, sidecar, tg_le64(head + 16));
    if (tg_le64(head + 16) != size)
        return wrong(ctx, sidecar, 16, "it is longer than it says");
    return TAGMA_OK;
}

tagma_status tg_sidehead_read(tagma_ctx *ctx, tg_sidecar *sidecar, bool *is_foreign)
{
    enum { FIRST_READ = 4096 };
    uint64_t size = tagma_source_size(sidecar->source), n = size < FIRST_READ ? size : FIRST_READ, head_bytes;
    uint8_t *whole;

    *is_foreign = false;
    sidecar->head = tg_zalloc(ctx, FIRST_READ, 1);
    if (!sidecar->head)
        return TAGMA_E_MEMORY;
    TG_TRY(tg_lane_read(ctx, sidecar->lane, 0, n, sidecar->head));
    TG_TRY(check_header(ctx, sidecar, is_foreign));
    head_bytes = TG_SIDECAR_HEADER_BYTES + (uint64_t)tg_le32(sidecar->head + 60);
    if (head_bytes > size || head_bytes > TG_SIDECAR_TABLE_BYTES)
        return wrong(ctx, sidecar, 60, "its table is longer than it");
    if (head_bytes > n) {
        whole = tg_realloc(ctx, sidecar->head, head_bytes, 1);
        if (!whole)
            return TAGMA_E_MEMORY;
        sidecar->head = whole;
        TG_TRY(tg_lane_read(ctx, sidecar->lane, n, head_bytes - n, whole + n));
    }
    if (head_checksum(sidecar->head, head_bytes) != tg_le64(sidecar->head + 24))
        return wrong(ctx, sidecar, 24, "the checksum of its head is not what its bytes give");
    sidecar->file_bytes = tg_le64(sidecar->head + 32);
    memcpy(sidecar->uuid, sidecar->head + 40, sizeof sidecar->uuid);
    sidecar->n_sections = tg_le32(sidecar->head + 56);
    return read_table(ctx, sidecar, tg_le32(sidecar->head + 60));
}

static uint64_t row_bytes(const tg_section *section)
{
    return aligned(TG_SIDECAR_ROW_BYTES + strlen(section->tree) + 1 + section->names_bytes, 8);
}

static void write_row(uint8_t *row, const tg_section *section)
{
    size_t tree_bytes = strlen(section->tree) + 1;

    tg_put_le32(row, (uint32_t)row_bytes(section));
    tg_put_le32(row + 4, section->kind);
    tg_put_le64(row + 8, section->offset);
    tg_put_le64(row + 16, section->bytes);
    tg_put_le64(row + 24, section->checksum);
    tg_put_le64(row + 32, section->n_entries);
    tg_put_le64(row + 40, section->record_checksum);
    tg_put_le32(row + 48, section->cycle);
    tg_put_le32(row + 52, (uint32_t)tree_bytes);
    tg_put_le32(row + 56, section->names_bytes);
    tg_put_le32(row + 60, section->n_axes);
    memcpy(row + TG_SIDECAR_ROW_BYTES, section->tree, tree_bytes);
    if (section->names_bytes > 0)
        memcpy(row + TG_SIDECAR_ROW_BYTES + tree_bytes, section->names, section->names_bytes);
}

tagma_status tg_sidehead_make(tagma_ctx *ctx, const tg_identity *identity, tg_section *sections, uint32_t n,
                              uint8_t **head, uint64_t *head_bytes, uint64_t *end)
{
    uint64_t at = TG_SIDECAR_HEADER_BYTES;
    uint8_t *bytes;

    for (uint32_t i = 0; i < n; i++)
        at += row_bytes(&sections[i]);
    *head_bytes = at;
    if (at > TG_SIDECAR_TABLE_BYTES)
        return tg_fail(ctx, TAGMA_E_LIMIT,
                       "a sidecar with a table of %" PRIu64 " bytes: at most %d are possible", at,
                       TG_SIDECAR_TABLE_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        sections[i].offset = aligned(at, TG_SIDECAR_ALIGN);
        if (!tg_add(sections[i].offset, sections[i].bytes, &at) || at > INT64_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT, "a sidecar of more than 2^63 bytes");
    }
    *end = at;
    bytes = tg_zalloc(ctx, *head_bytes, 1);
    if (!bytes)
        return TAGMA_E_MEMORY;
    memcpy(bytes, TG_SIDECAR_MAGIC, 8);
    tg_put_le32(bytes + 8, TG_SIDECAR_VERSION);
    tg_put_le64(bytes + 16, *end);
    tg_put_le64(bytes + 32, identity->file_bytes);
    memcpy(bytes + 40, identity->uuid, sizeof identity->uuid);
    tg_put_le32(bytes + 56, n);
    tg_put_le32(bytes + 60, (uint32_t)(*head_bytes - TG_SIDECAR_HEADER_BYTES));
    at = TG_SIDECAR_HEADER_BYTES;
    for (uint32_t i = 0; i < n; i++) {
        write_row(bytes + at, &sections[i]);
        at += row_bytes(&sections[i]);
    }
    tg_put_le64(bytes + 24, head_checksum(bytes, *head_bytes));
    *head = bytes;
    return TAGMA_OK;
}
