/* SPDX-License-Identifier: Apache-2.0
 * The head of a store and its table of sections; the directory of clusters. Source: docs/FORMAT.md, "Header". */
#ifndef TG_STORE_STOREHEAD_H
#define TG_STORE_STOREHEAD_H

#include "store/codetable.h"
#include "store/format.h"

typedef struct tg_section {
    uint32_t id, flags;
    uint64_t offset, bytes, checksum; /* XXH3-64 of the bytes */
} tg_section;

typedef struct tg_header {
    uint16_t major, minor;
    uint64_t file_bytes, n_events, schema_hash;
    uint32_t n_clusters, tile_events, n_columns, cycle, n_collections, n_chunks, n_sections, layout;
    tg_section sections[TG_STORE_SECTIONS_MAX];
} tg_header;

void tg_header_write(const tg_header *header, uint8_t *bytes);
/* @param bytes  [n] the first TG_HEADER_BYTES of the file, or all if it is shorter. @param size  of the file.
 * @return TAGMA_OK; TAGMA_E_CORRUPT (no store, damaged), _TRUNCATED, _UNSUPPORTED (newer). */
tagma_status tg_header_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, uint64_t size, const char *file,
                            tg_header *out);
/* NULL where it has none. */
const tg_section *tg_header_section(const tg_header *header, uint32_t id);
/* Do the bytes of a section give its checksum? Else TAGMA_E_CORRUPT. */
tagma_status tg_section_verify(tagma_ctx *ctx, const tg_section *section, const uint8_t *bytes,
                               const char *file);
const char *tg_section_name(uint32_t id);

/* The checksum that a tile or chunk begins with: of n bytes, which belong to entry (or chunk) `number`. */
uint32_t tg_checksum(const uint8_t *bytes, uint64_t n, uint64_t number);

/* Number of a chunk, for its checksum. */
static inline uint64_t tg_chunk_number(uint64_t first_entry, uint32_t which)
{
    return first_entry + which * UINT64_C(0x9e3779b1);
}

void tg_directory_put(const tg_cluster *cluster, uint8_t *bytes);
/* All clusters of the directory: they follow each other from entry 0 to n_events, and lie in the file. */
tagma_status tg_directory_load(tagma_ctx *ctx, const tg_header *header, const uint8_t *bytes, uint64_t n,
                               const char *file, tg_cluster *out);

#endif
