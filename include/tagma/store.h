/* SPDX-License-Identifier: Apache-2.0
 * Stores: made of any events, and which entry of which source each of their entries is. */
#ifndef TAGMA_STORE_H
#define TAGMA_STORE_H

#include <tagma/events.h>

TAGMA_BEGIN_DECLS

/** One file that is converted. */
typedef struct tagma_convert_input {
    const char *path; /**< "FILE" */
    const char *tree; /**< "NAME" or "NAME;CYCLE"; NULL: the rule of tagma_open() */
} tagma_convert_input;

/** How events lie in a store. */
typedef enum tagma_store_layout {
    TAGMA_STORE_TILES = 0,
    TAGMA_STORE_FIXED = 1,     /**< a record of doubles an event: scalars, and the first item of each list */
    TAGMA_STORE_COLLECTION = 2 /**< an event by itself, nothing coded */
} tagma_store_layout;

typedef enum tagma_block_codec { TAGMA_BLOCKS_ZSTD = 1, TAGMA_BLOCKS_LZ4 = 2 } tagma_block_codec;

typedef struct tagma_convert_options {
    size_t struct_bytes;
    tagma_io io;
    const char *ids;      /**< "A,B,C": the id columns; NULL: found by name */
    const char *columns;  /**< names and globs of columns to take, the id columns besides; NULL: all */
    const char *drop;     /**< names and globs of columns to leave out; NULL: none */
    uint32_t tile_events; /**< a power of 2, 1 to 65,536; 0: 8, or more where 8 events are under 1 KiB */
    bool no_sparse;
    /** What gets a second copy, each column to itself: "all", "none", names and globs; NULL: what events are cut on. */
    const char *hot;
    bool sort;             /**< by event id; entries of equal ids stay in their order */
    bool skip_unsupported; /**< leave out what cannot be read; else that is TAGMA_E_UNSUPPORTED */
    bool strict_objects;   /**< other trees and objects in the inputs are TAGMA_E_UNSUPPORTED */
    const char *sort_dir; /**< where what is sorted waits, in a file without a name; NULL: beside the store */
    tagma_pool *pool;     /**< NULL: the caller's thread alone */
    tagma_store_layout layout;
    uint64_t
        record_bytes; /**< of the fixed layout; 0: 8 a value. Too few are TAGMA_E_ARG naming how many it takes */
    uint64_t max_output;  /**< what the records of the fixed layout may take, else TAGMA_E_LIMIT; 0: 20 GiB */
    uint32_t block_bytes; /**< pack the file in blocks, of a power of 2 from 8 to 256 KiB; 0: do not */
    tagma_block_codec block_codec;
} tagma_convert_options;
/* clang-format off */
#define TAGMA_CONVERT_OPTIONS_INIT { sizeof(tagma_convert_options), TAGMA_IO_PREAD, NULL, NULL, NULL, 0, false, NULL, false, false, false, NULL, NULL, TAGMA_STORE_TILES, 0, 0, 0, TAGMA_BLOCKS_ZSTD }
/* clang-format on */

typedef enum tagma_absent_kind {
    TAGMA_ABSENT_OBJECTS = 0, /**< of one class */
    TAGMA_ABSENT_TREE = 1,
    TAGMA_ABSENT_WEIGHTS = 2,    /**< a tree that holds sums of weights */
    TAGMA_ABSENT_COLUMN = 3,     /**< left out on request */
    TAGMA_ABSENT_UNSUPPORTED = 4 /**< a column that cannot be read */
} tagma_absent_kind;

/** Something of a source that is not in the store. */
typedef struct tagma_absent {
    uint32_t source; /**< number of the input */
    tagma_absent_kind kind;
    const char *name;  /**< of a tree or column; class of objects */
    const char *words; /**< type of a column, or why it cannot be read; class of a tree */
    uint64_t n;        /**< entries of a tree, number of objects */
} tagma_absent;

typedef struct tagma_convert_summary {
    /** Set by the caller; TAGMA_E_ARG where it is shorter, since `block` must be in it. */
    size_t struct_bytes;
    uint64_t n_events, n_clusters;
    uint64_t bytes_in;  /**< of the files */
    uint64_t raw_bytes; /**< of the values, at their natural width */
    uint64_t bytes_out;
    uint64_t tile_bytes, hot_bytes, index_bytes; /**< of bytes_out */
    uint32_t n_columns, n_hot;
    uint32_t n_axes; /**< id columns; 0 where there is no index */
    const char *id_names[TAGMA_MAX_ID_AXES], *id_roles[TAGMA_MAX_ID_AXES]; /**< as of tagma_ids */
    uint64_t n_ids, n_repeated_ids; /**< different ids; those that several entries have */
    double seconds_reading, seconds_encoding, seconds_sorting, seconds_index, seconds_syncing, seconds;
    /** Of the fixed layout: ranks of each axis, slots, bytes of a record, of slots without an event, of records behind their values;
     * columns that are lists, of which the first item was kept. */
    uint64_t bounds[TAGMA_MAX_ID_AXES], n_slots, record_bytes, empty_bytes, padding_bytes;
    uint32_t n_bounds, n_first_items;
    const tagma_absent *absents; /**< [n_absents] */
    uint32_t n_absents;
    void *block; /**< what the above points into */
} tagma_convert_summary;

/**
 * Make a store of the entries of one tree each of some files, in their order. The inputs need one schema: the columns taken must
 * have the same names and types in all. Nothing is seen at `path` before the store is whole, and a file that stands there stays
 * if it fails. What is written depends on inputs and options alone, not on the pool or on memory.
 * @param inputs   [n_inputs].
 * @param path     must be none of the inputs.
 * @param options  NULL for the defaults.
 * @param summary  NULL, or what was done, to be given back to tagma_convert_summary_free(); zeroed after a failure.
 * @return TAGMA_OK; TAGMA_E_UNSUPPORTED (columns that cannot be read, schemas that differ, objects with strict_objects; all told
 *         before anything is written); TAGMA_E_NAME (no such tree, column or id columns); TAGMA_E_CORRUPT naming the first damaged
 *         basket; TAGMA_E_ARG (an input that is the output); TAGMA_E_IO, _CHANGED, _LIMIT, _MEMORY, _CANCELLED.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_convert(tagma_ctx *ctx, const tagma_convert_input *inputs,
                                                   uint32_t n_inputs, const char *path,
                                                   const tagma_convert_options *options,
                                                   tagma_convert_summary *summary);
TAGMA_API void tagma_convert_summary_free(tagma_ctx *ctx, tagma_convert_summary *summary);

/** Which entry of which source each entry of some events is. Borrows from the events; may be shared by threads. */
typedef struct tagma_origins tagma_origins;

/** Of a store, what its provenance says; of other events, they themselves. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_origins_new(tagma_ctx *ctx, const tagma_events *events,
                                                       tagma_origins **out);
/** NULL is accepted. */
TAGMA_API void tagma_origins_free(tagma_origins *origins);
TAGMA_API uint32_t tagma_origins_n_sources(const tagma_origins *origins);
/** As it was named when it was converted. Borrowed from the origins. NULL past the last source. */
TAGMA_API const char *tagma_origins_file(const tagma_origins *origins, uint32_t source);
/**
 * @param entry   of the events.
 * @param source  out: number of its source. @param source_entry  out: its entry there.
 * @return TAGMA_OK; TAGMA_E_RANGE past the last entry; TAGMA_E_CORRUPT where the provenance has no such entry. Makes no words.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_origins_at(const tagma_origins *origins, uint64_t entry,
                                                      uint32_t *source, uint64_t *source_entry);

/* What a store is made of, and what its columns cost. */

typedef struct tagma_store_info {
    size_t struct_bytes;   /**< set by the caller: <tagma/status.h> */
    uint32_t major, minor; /**< of the format */
    uint32_t tile_events;  /**< K as asked for */
    const char *layout;    /**< "tiles", "collection", "fixed" */
    const char *producer;  /**< "tagma 0.1.0"; as all texts, borrowed from the events */
    const char *options;   /**< of the conversion, as one would write them */
    uint64_t bytes;        /**< of the file; with blocks, unpacked */
    uint64_t stored_bytes; /**< of the file, as it lies on disk */
    uint64_t tile_bytes, hot_bytes, index_bytes;
    uint64_t other_bytes; /**< header, tables, schema, provenance, padding */
    uint32_t n_hot;       /**< columns with a copy in the columns section */
    uint32_t n_sources, n_absents;
} tagma_store_info;
/** @return TAGMA_OK; TAGMA_ABSENT for events that are no store; TAGMA_E_CORRUPT, _IO for a section that cannot be read. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_store_get_info(tagma_ctx *ctx, const tagma_events *events,
                                                          tagma_store_info *out);

/** A file that a store was made of. */
typedef struct tagma_store_source {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    const char *file;    /**< as it was named */
    const char *uuid;    /**< "" where it has none */
    const char *tree;
    uint32_t cycle;
    uint64_t file_bytes, n_entries;
} tagma_store_source;
/** i < n_sources. TAGMA_E_RANGE past the last one. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_store_get_source(tagma_ctx *ctx, const tagma_events *events,
                                                            uint32_t i, tagma_store_source *out);
/** What of the sources is not in the store; i < n_absents. TAGMA_E_RANGE past the last one. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_store_get_absent(tagma_ctx *ctx, const tagma_events *events,
                                                            uint32_t i, tagma_absent *out);

/** What a column takes in the whole store. */
typedef struct tagma_store_column {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    char code[96];       /**< "prefix", "offset + dictionary, sparse": the codes of its clusters */
    uint64_t raw_bytes;  /**< of its values at their natural width */
    double
        tile_bytes; /**< its words, heads, texts and codes in tiles and tables: bits are shared, so this has a fraction */
    uint64_t hot_bytes; /**< its copy in the columns section; 0: it has none */
} tagma_store_column;
TAGMA_API TAGMA_CHECKED tagma_status tagma_store_get_column(tagma_ctx *ctx, const tagma_events *events,
                                                            uint32_t column, tagma_store_column *out);
/** The same of what says where a collection's lists end; collection < n_collections. `code` is "ends". */
TAGMA_API TAGMA_CHECKED tagma_status tagma_store_get_collection(tagma_ctx *ctx, const tagma_events *events,
                                                                uint32_t collection, tagma_store_column *out);

TAGMA_END_DECLS

#endif
