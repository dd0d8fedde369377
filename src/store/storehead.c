/* SPDX-License-Identifier: Apache-2.0
 * The head of a store, its table of sections, the directory of clusters. */
#include "store/storehead.h"

#include "base/hash.h"
#include "base/in.h"

enum { CHECKSUM_AT = TG_HEADER_BYTES - 8, MAGIC_BYTES = 8 };

void tg_header_write(const tg_header *header, uint8_t *bytes)
{
    memset(bytes, 0, TG_HEADER_BYTES);
    memcpy(bytes, TG_STORE_MAGIC, MAGIC_BYTES);
    tg_put_le32(bytes + 8, header->major | (uint32_t)header->minor << 16);
    tg_put_le32(bytes + 12, TG_HEADER_BYTES);
    tg_put_le64(bytes + 16, header->file_bytes);
    tg_put_le64(bytes + 24, header->n_events);
    tg_put_le64(bytes + 32, header->schema_hash);
    tg_put_le32(bytes + 40, header->n_clusters);
    tg_put_le32(bytes + 44, header->tile_events);
    tg_put_le32(bytes + 48, header->n_columns);
    tg_put_le32(bytes + 52, header->n_collections);
    tg_put_le32(bytes + 56, header->n_chunks);
    tg_put_le32(bytes + 60, header->cycle);
    tg_put_le32(bytes + 64, header->n_sections);
    tg_put_le32(bytes + 68, header->layout);
    for (uint32_t i = 0; i < header->n_sections; i++) {
        const tg_section *section = &header->sections[i];
        uint8_t *to = bytes + TG_HEADER_FIXED + (size_t)i * TG_STORE_SECTION_BYTES;

        tg_put_le32(to, section->id);
        tg_put_le32(to + 4, section->flags);
        tg_put_le64(to + 8, section->offset);
        tg_put_le64(to + 16, section->bytes);
        tg_put_le64(to + 24, section->checksum);
    }
    tg_put_le64(bytes + CHECKSUM_AT, tg_hash(bytes, CHECKSUM_AT));
}

const char *tg_section_name(uint32_t id)
{
    static const char *const names[] = {"unknown", "schema",     "clusters", "totals", "chunks",    "index",
                                        "origin",  "provenance", "records",  "slots",  "checksums", "texts"};

    return id < sizeof names / sizeof names[0] ? names[id] : names[0];
}

/* Is this a store, and one that this version reads? */
static tagma_status check_kind(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, const char *file)
{
    static const char text_mode[] = "\x89TGM\n\x1a\n", seven_bits[] = "\x09TGM";

    if (n >= MAGIC_BYTES && (memcmp(bytes, text_mode, 7) == 0 || memcmp(bytes, seven_bits, 4) == 0))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte 0: a store that was copied as text, and is lost",
                       file);
    if (n < 4 || memcmp(bytes, TG_STORE_MAGIC, n < MAGIC_BYTES ? (size_t)n : MAGIC_BYTES) != 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte 0: no store of Tagma begins here", file);
    if (n < TG_HEADER_BYTES)
        return tg_fail(ctx, TAGMA_E_TRUNCATED,
                       "%s: the file ends at byte %" PRIu64 ", the head of a store has %d", file, n,
                       TG_HEADER_BYTES);
    if (tg_le16(bytes + 8) != TG_STORE_MAJOR)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "%s: byte 8: store of format %u.%u, this program reads %d",
                       file, tg_le16(bytes + 8), tg_le16(bytes + 10), TG_STORE_MAJOR);
    if (tg_hash(bytes, CHECKSUM_AT) != tg_le64(bytes + CHECKSUM_AT))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: byte %d: the head's checksum is %016" PRIx64 ", its bytes give %016" PRIx64, file,
                       CHECKSUM_AT, tg_le64(bytes + CHECKSUM_AT), (uint64_t)tg_hash(bytes, CHECKSUM_AT));
    return TAGMA_OK;
}

static tagma_status load_section(tagma_ctx *ctx, tg_in *in, const char *file, tg_header *header, uint32_t i)
{
    tg_section *section = &header->sections[i];

    section->id = tg_in_le32(in);
    section->flags = tg_in_le32(in);
    section->offset = tg_in_le64(in);
    section->bytes = tg_in_le64(in);
    section->checksum = tg_in_le64(in);
    if (section->offset < TG_HEADER_BYTES || !tg_inside(section->offset, section->bytes, header->file_bytes))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: byte %u: section %s of %" PRIu64 " bytes at byte %" PRIu64
                       " does not lie in %" PRIu64 " bytes",
                       file, TG_HEADER_FIXED + i * TG_STORE_SECTION_BYTES, tg_section_name(section->id),
                       section->bytes, section->offset, header->file_bytes);
    for (uint32_t k = 0; k < i; k++)
        if (header->sections[k].id == section->id)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte %u: section %s a second time", file,
                           TG_HEADER_FIXED + i * TG_STORE_SECTION_BYTES, tg_section_name(section->id));
    if (section->id > TG_STORE_SECTION_TEXTS && (section->flags & TG_STORE_SECTION_REQUIRED))
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s: byte %u: section %" PRIu32 " is needed, and this program does not know it", file,
                       TG_HEADER_FIXED + i * TG_STORE_SECTION_BYTES, section->id);
    return TAGMA_OK;
}

tagma_status tg_header_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, uint64_t size, const char *file,
                            tg_header *out)
{
    tg_in in = tg_in_of(bytes, n < TG_HEADER_BYTES ? (size_t)n : TG_HEADER_BYTES);

    TG_TRY(check_kind(ctx, bytes, n, file));
    tg_in_skip(&in, 8);
    out->major = tg_le16(bytes + 8);
    out->minor = tg_le16(bytes + 10);
    tg_in_skip(&in, 8);
    out->file_bytes = tg_in_le64(&in);
    out->n_events = tg_in_le64(&in);
    out->schema_hash = tg_in_le64(&in);
    out->n_clusters = tg_in_le32(&in);
    out->tile_events = tg_in_le32(&in);
    out->n_columns = tg_in_le32(&in);
    out->n_collections = tg_in_le32(&in);
    out->n_chunks = tg_in_le32(&in);
    out->cycle = tg_in_le32(&in);
    out->n_sections = tg_in_le32(&in);
    out->layout = tg_in_le32(&in);
    if (out->layout > TG_LAYOUT_COLLECTION)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s: byte 68: layout %" PRIu32 ", this program does not know it", file, out->layout);
    if (size < out->file_bytes)
        return tg_fail(ctx, TAGMA_E_TRUNCATED,
                       "%s: the file ends at byte %" PRIu64 ", the store has %" PRIu64 " bytes", file, size,
                       out->file_bytes);
    if (size > out->file_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: %" PRIu64 " bytes behind the end of the store at byte %" PRIu64, file,
                       size - out->file_bytes, out->file_bytes);
    if (out->n_sections > TG_STORE_SECTIONS_MAX)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte 64: %" PRIu32 " sections, at most %d are possible",
                       file, out->n_sections, TG_STORE_SECTIONS_MAX);
    tg_in_seek(&in, TG_HEADER_FIXED);
    for (uint32_t i = 0; i < out->n_sections; i++)
        TG_TRY(load_section(ctx, &in, file, out, i));
    return TAGMA_OK;
}

const tg_section *tg_header_section(const tg_header *header, uint32_t id)
{
    for (uint32_t i = 0; i < header->n_sections; i++)
        if (header->sections[i].id == id)
            return &header->sections[i];
    return NULL;
}

tagma_status tg_section_verify(tagma_ctx *ctx, const tg_section *section, const uint8_t *bytes,
                               const char *file)
{
    uint64_t found = tg_hash(bytes, section->bytes);

    if (found == section->checksum)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s: section %s, byte %" PRIu64 ": its checksum is %016" PRIx64
                   ", its bytes give %016" PRIx64,
                   file, tg_section_name(section->id), section->offset, section->checksum, found);
}

uint32_t tg_checksum(const uint8_t *bytes, uint64_t n, uint64_t number)
{
    return (uint32_t)(tg_hash(bytes, n) + number);
}

void tg_directory_put(const tg_cluster *cluster, uint8_t *bytes)
{
    memset(bytes, 0, TG_DIRECTORY_BYTES);
    tg_put_le64(bytes, cluster->first_entry);
    tg_put_le32(bytes + 8, cluster->n_events);
    tg_put_le32(bytes + 12, cluster->table_bytes);
    tg_put_le64(bytes + 16, cluster->tiles_at);
    tg_put_le64(bytes + 24, cluster->tiles_bytes);
    tg_put_le64(bytes + 32, cluster->table_at);
    tg_put_le64(bytes + 40, cluster->table_checksum);
    tg_put_le64(bytes + 48, cluster->chunks_at);
}

tagma_status tg_directory_load(tagma_ctx *ctx, const tg_header *header, const uint8_t *bytes, uint64_t n,
                               const char *file, tg_cluster *out)
{
    uint64_t entry = 0, at = tg_header_section(header, TG_STORE_SECTION_CLUSTERS)->offset;

    if (n != (uint64_t)header->n_clusters * TG_DIRECTORY_BYTES)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: section clusters, byte %" PRIu64 ": %" PRIu64 " bytes for %" PRIu32 " clusters",
                       file, at, n, header->n_clusters);
    for (uint32_t i = 0; i < header->n_clusters; i++, at += TG_DIRECTORY_BYTES, bytes += TG_DIRECTORY_BYTES) {
        tg_cluster *cluster = &out[i];

        cluster->first_entry = tg_le64(bytes);
        cluster->n_events = tg_le32(bytes + 8);
        cluster->table_bytes = tg_le32(bytes + 12);
        cluster->tiles_at = tg_le64(bytes + 16);
        cluster->tiles_bytes = tg_le64(bytes + 24);
        cluster->table_at = tg_le64(bytes + 32);
        cluster->table_checksum = tg_le64(bytes + 40);
        cluster->chunks_at = tg_le64(bytes + 48);
        if (cluster->first_entry != entry || cluster->n_events == 0 || cluster->n_events > TG_CLUSTER_EVENTS)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: section clusters, byte %" PRIu64 ": a cluster of %" PRIu32
                           " events from %" PRIu64 " on, expected from %" PRIu64 " on",
                           file, at, cluster->n_events, cluster->first_entry, entry);
        if (!tg_inside(cluster->tiles_at, cluster->tiles_bytes, header->file_bytes) ||
            !tg_inside(cluster->table_at, cluster->table_bytes, header->file_bytes) ||
            cluster->chunks_at > header->file_bytes)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: section clusters, byte %" PRIu64 ": a cluster that does not lie in %" PRIu64
                           " bytes",
                           file, at, header->file_bytes);
        entry += cluster->n_events;
    }
    if (entry != header->n_events)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: section clusters: %" PRIu64 " events, expected %" PRIu64,
                       file, entry, header->n_events);
    return TAGMA_OK;
}
