/* SPDX-License-Identifier: Apache-2.0
 * Numbers of the file format. Source: docs/FORMAT.md, "Store". */
#ifndef TG_STORE_FORMAT_H
#define TG_STORE_FORMAT_H

#include <stdint.h>

/* A byte above 127, CR LF, the end of a text file, LF: damage by text modes and 7-bit lines shows at once. */
#define TG_STORE_MAGIC "\x89TGM\r\n\x1a\n"

enum {
    TG_STORE_MAJOR = 1,
    TG_STORE_MINOR = 0,
    TG_STORE_MINOR_TEXTS = 1, /* of a store that has the section texts */
    TG_HEADER_BYTES = 4096,
    TG_HEADER_FIXED = 128, /* its sections stand behind */
    TG_STORE_SECTION_BYTES = 32,
    TG_STORE_SECTIONS_MAX = 64,
    TG_ALIGN = 64, /* every section, cluster table and run of tiles or chunks begins at a multiple */

    TG_CLUSTER_EVENTS = 65536,
    TG_CLUSTER_BYTES = 64 << 20, /* of raw values, where an event is not longer */
    TG_TILE_EVENTS_MAX = 65536,
    TG_TILE_EVENTS = 8,
    TG_TILE_EVENTS_AUTO =
        1024, /* where it is ours to choose: at most; and so many bytes of values at least */
    TG_TILE_BYTES_AUTO = 4 << 10,
    TG_TILE_PAD = 64, /* a tile longer than its cluster has a multiple of so many events */
    TG_TILE_HEAD = 4, /* its checksum */
    TG_TILE_BYTES_MAX = 1 << 29,

    TG_COLUMN_BYTES = 12,
    TG_COLLECTION_BYTES = 16,

    TG_DIRECTORY_BYTES = 64, /* a cluster */
    TG_TABLE_HEAD = 32,
    TG_TABLE_LISTS = 16,
    TG_CODE_BYTES = 8,
    TG_CODE_SPARSE = 1,  /* flag of a code */
    TG_SPARSE_KIND = 15, /* bit of the kinds in totals: sparse somewhere */

    TG_CHUNK_HEAD = 16,
    TG_CHUNK_VALIDITY = 2,   /* flag of a chunk's code: a bit an event stands before the heads */
    TG_CHUNK_LISTS = 1 << 31 /* which chunk: how many items these lists have, not the values of a column */
};

/* How events lie in the file. */
enum {
    TG_LAYOUT_TILES = 0,
    TG_LAYOUT_FIXED = 1,     /* a record of doubles an event */
    TG_LAYOUT_COLLECTION = 2 /* tiles of one event, every value plain */
};

typedef enum tg_section_id {
    TG_STORE_SECTION_SCHEMA = 1,
    TG_STORE_SECTION_CLUSTERS = 2, /* the directory of clusters */
    TG_STORE_SECTION_TOTALS = 3,   /* what each column takes */
    TG_STORE_SECTION_CHUNKS = 4,   /* the directory of chunks */
    TG_STORE_SECTION_INDEX = 5,
    TG_STORE_SECTION_ORIGIN = 6,
    TG_STORE_SECTION_PROVENANCE = 7,
    TG_STORE_SECTION_RECORDS = 8,    /* where the records of the fixed layout lie */
    TG_STORE_SECTION_SLOTS = 9,      /* which of its slots have an event */
    TG_STORE_SECTION_CHECKSUMS = 10, /* of its records */
    TG_STORE_SECTION_TEXTS = 11      /* empty: says that some column is coded as texts */
} tg_section_id;

enum { TG_STORE_SECTION_REQUIRED = 1 }; /* a reader that does not know the section must refuse the file */

#endif
