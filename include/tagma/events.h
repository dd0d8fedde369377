/* SPDX-License-Identifier: Apache-2.0
 * The one thing users hold: events of any kind, their schema, and three ways to read them. */
#ifndef TAGMA_EVENTS_H
#define TAGMA_EVENTS_H

#include <tagma/batch.h>
#include <tagma/index.h>
#include <tagma/source.h>

TAGMA_BEGIN_DECLS

/** A file, seen as what it holds; for listing. Immutable; may be shared by threads. */
typedef struct tagma_file tagma_file;
/** Events of one tree. Immutable once open; may be shared by threads. Keeps its file alive. */
typedef struct tagma_events tagma_events;
/** Reads events. Belongs to one thread at a time; cheap enough to pool. Must be freed before its events. */
typedef struct tagma_reader tagma_reader;

typedef enum tagma_condition {
    TAGMA_CLOSED = 0,    /**< written to the end */
    TAGMA_RECOVERED = 1, /**< its directory was lost, objects were found by walking the records */
    TAGMA_UNCLOSED = 2   /**< never closed; what an autosave left is read */
} tagma_condition;

/** A sidecar that holds the branch table and the index. */
typedef enum tagma_sidecar {
    TAGMA_SIDECAR_AUTO = 0, /**< FILE.tgx, then cache_dir, where one is */
    TAGMA_SIDECAR_NONE = 1,
    TAGMA_SIDECAR_PATH = 2 /**< sidecar_path and no other; it must be there */
} tagma_sidecar;

typedef struct tagma_open_options {
    size_t struct_bytes;
    tagma_io io;
    const char *tree; /**< "NAME" or "NAME;CYCLE"; NULL: the rule of tagma_open() */
    tagma_sidecar sidecar;
    const char *sidecar_path;
    const char *cache_dir; /**< where sidecars of read-only folders are kept; NULL: none */
    const char *ids;       /**< "A,B,C": the id columns; NULL: found by name */
} tagma_open_options;

/* clang-format off */
#define TAGMA_OPEN_OPTIONS_INIT { sizeof(tagma_open_options), TAGMA_IO_PREAD, NULL, TAGMA_SIDECAR_AUTO, NULL, NULL, NULL }
/* clang-format on */

/**
 * Open the events of one tree. Without options->tree: the only tree; else the only one named Events, events or
 * CollectionTree; else the only one with a full set of id columns; else TAGMA_E_NAME listing them.
 * @param path     "FILE", or "FILE:TREE".
 * @param options  NULL for the defaults.
 * @return TAGMA_OK; TAGMA_E_NAME (no such tree: near names are offered); TAGMA_E_UNSUPPORTED (no tree but an RNTuple);
 *         TAGMA_E_STALE (a sidecar of another state); TAGMA_E_IO, _CORRUPT, _TRUNCATED, _LIMIT, _MEMORY.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_open(tagma_ctx *ctx, const char *path,
                                                const tagma_open_options *options, tagma_events **out);
/**
 * Where the tree of "FILE:TREE" begins in `path`; NULL where the whole of it is a file's name. A file that is there wins over
 * one whose name ends in ".root".
 */
TAGMA_API const char *tagma_path_tree(const char *path);
/** The same over a source, which stays the caller's to release. No sidecar is looked for but options->sidecar_path. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_open_source(tagma_ctx *ctx, tagma_source *source,
                                                       const tagma_open_options *options, tagma_events **out);
TAGMA_API tagma_events *tagma_events_acquire(tagma_events *events);
TAGMA_API void tagma_events_release(tagma_events *events);

/* What a file holds. */

TAGMA_API TAGMA_CHECKED tagma_status tagma_file_open(tagma_ctx *ctx, const char *path, tagma_io io,
                                                     tagma_file **out);
TAGMA_API TAGMA_CHECKED tagma_status tagma_file_open_source(tagma_ctx *ctx, tagma_source *source,
                                                            tagma_file **out);
TAGMA_API void tagma_file_release(tagma_file *file);

typedef struct tagma_file_info {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    const char *path;
    const char *kind; /**< "ROOT", "Tagma store" */
    uint64_t bytes;
    int32_t version;   /**< the header's number, as it stands there */
    char producer[24]; /**< "6.18/00", "tagma 0.1.0" */
    char codec[32];    /**< the header's default: "ZLIB 1", "tiles of 8", "collection, zstd 64K" */
    char uuid[37];     /**< "" where the file has none */
    tagma_condition condition;
    uint32_t n_trees;   /**< cycles counted one by one */
    uint32_t n_classes; /**< kinds of objects that are no tree, for tagma_file_class() */
} tagma_file_info;
TAGMA_API void tagma_file_get_info(const tagma_file *file, tagma_file_info *info);

typedef struct tagma_tree_info {
    size_t struct_bytes;    /**< set by the caller: <tagma/status.h> */
    const char *name;       /**< path in the file, slash separated */
    const char *class_name; /**< "TTree", "TNtuple" ... */
    const char *title;
    uint32_t cycle;
    bool is_newest;     /**< the highest cycle of its name */
    uint64_t n_entries; /**< what its record says; 0 where the record cannot be read */
    const char *error;  /**< why the record cannot be read; NULL where it can */
} tagma_tree_info;
/** i < n_trees. Reads the tree's record at first. TAGMA_E_RANGE past the end; a tree that cannot be read is no failure. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_file_tree(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                                                     tagma_tree_info *info);
/** Objects that are no tree, by class: name and number ("TH1D", 1200). Borrowed. TAGMA_E_RANGE past n_classes. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_file_class(const tagma_file *file, uint32_t i,
                                                      const char **class_name, uint64_t *n);
/** The i-th tree of the file. options->tree is not read. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_file_events(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                                                       const tagma_open_options *options, tagma_events **out);
/**
 * Unpack and walk every record that is no basket: directories, keys, streamer info, free list, other objects.
 * Faults go to the context's fault callback.
 * @param n_records  how many were walked. @param n_faults  how many were told.
 * @return TAGMA_OK however many faults; negative only where it could not go on.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_file_check(tagma_ctx *ctx, tagma_file *file, uint64_t *n_records,
                                                      uint64_t *n_faults);

/* What events are. All pointers are borrowed from the events. */

TAGMA_API const tagma_schema *tagma_events_schema(const tagma_events *events);
TAGMA_API uint64_t tagma_events_n_entries(const tagma_events *events);

typedef struct tagma_events_info {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    const char *file;    /**< path */
    const char *tree;    /**< name */
    const char *title;
    uint32_t cycle;
    uint64_t n_entries;
    uint64_t n_clusters;
    uint64_t bytes, packed_bytes; /**< of all baskets: unpacked and on disk */
    uint32_t n_friends;
    bool from_sidecar; /**< branch table taken from a sidecar */
    tagma_condition condition;
    const char *kind; /**< of file: "ROOT", "Tagma store" */
} tagma_events_info;
TAGMA_API void tagma_events_get_info(const tagma_events *events, tagma_events_info *info);
/** Name and file of the i-th friend tree; file is "" for the same file. TAGMA_E_RANGE past n_friends. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_friend(const tagma_events *events, uint32_t i,
                                                         const char **name, const char **file);
/** First entry of cluster i; n_clusters gives n_entries, so that cluster i ends where i + 1 begins. */
TAGMA_API uint64_t tagma_events_cluster(const tagma_events *events, uint64_t i);

/** What a column costs on disk. A branch of several leaves tells the branch's figures with each. */
typedef struct tagma_storage {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    uint64_t n_baskets;
    uint64_t bytes, packed_bytes;
    const char *codec; /**< "ZLIB", "LZMA", "LZ4", "ZSTD", "none", "mixed": as its baskets or settings say */
} tagma_storage;
/** column < n_columns, unsupported ones too. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_storage(const tagma_events *events, uint32_t column,
                                                          tagma_storage *out);
/** Basket i of a column. packed_bytes is 0 for one embedded in the tree's record, whose offset is then that record's. */
typedef struct tagma_basket_info {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    uint64_t first_entry, n_entries, offset, packed_bytes;
} tagma_basket_info;
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_basket(const tagma_events *events, uint32_t column,
                                                         uint64_t i, tagma_basket_info *out);

/** Id columns: by the names of the field, or as options->ids said; of a store without those, what its index is made of. */
typedef struct tagma_ids {
    uint32_t n_axes;
    uint32_t columns[TAGMA_MAX_ID_AXES];
    const char *roles[TAGMA_MAX_ID_AXES]; /**< "run", "lumi", "event"; "" where named by hand */
    bool is_signed[TAGMA_MAX_ID_AXES];
} tagma_ids;
/**
 * @return TAGMA_OK; TAGMA_ABSENT where there are none, with words that list what was looked for; TAGMA_E_NAME for two
 *         candidates for one axis, both named, or for a name of options->ids that is no column.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_ids(tagma_ctx *ctx, const tagma_events *events,
                                                      tagma_ids *out);

/**
 * The index that a sidecar brought, or that a store holds, where it is read at the first call. Borrowed from the events.
 * @return TAGMA_OK; TAGMA_ABSENT where there is none of these id columns; TAGMA_E_CORRUPT for a damaged one; TAGMA_E_IO,
 *         _LIMIT, _MEMORY.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_index(tagma_ctx *ctx, const tagma_events *events,
                                                        const tagma_index **out);
/**
 * Read the id columns in one pass and index them. A damaged id basket is TAGMA_E_CORRUPT. Floating ids must be whole
 * numbers below 2^24 (f32) or 2^53 (f64), lists must have exactly one element: else TAGMA_E_UNSUPPORTED naming the entry.
 * Release the index with tagma_index_release().
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_build_index(tagma_ctx *ctx, tagma_reader *reader,
                                                              tagma_index **out);
/**
 * Keep the index and the branch table in a sidecar, which is written aside, synced and renamed. Sections of other trees
 * in it are kept.
 * @param path  NULL: the file's own name with .tgx.
 * @return TAGMA_OK; TAGMA_E_IO; TAGMA_E_UNSUPPORTED for an unclosed file without `force`.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_save_sidecar(tagma_ctx *ctx, const tagma_events *events,
                                                               const tagma_index *index, const char *path,
                                                               bool force);

/* Reading. */

typedef struct tagma_reader_options {
    size_t struct_bytes;
    tagma_pool *pool; /**< threads lent for the length of each call; NULL: the caller's alone */
    uint64_t
        cache_bytes; /**< unpacked baskets kept between calls, so that none is unpacked twice; default 256 MiB */
    /** Checksums of all that a narrow scan of a mapped store touches, too; of what is read whole they are verified
     *  always. Of no effect on other kinds of events. Since 0.1. */
    bool verifies;
} tagma_reader_options;
/* clang-format off */
#define TAGMA_READER_OPTIONS_INIT { sizeof(tagma_reader_options), NULL, (uint64_t)256 << 20, false }
/* clang-format on */

/** @param options  NULL for the defaults. The reader draws on ctx's memory and must be freed before it. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_reader_new(tagma_ctx *ctx, tagma_events *events,
                                                      const tagma_reader_options *options,
                                                      tagma_reader **out);
TAGMA_API void tagma_reader_free(tagma_reader *reader);
TAGMA_API tagma_events *tagma_reader_events(const tagma_reader *reader);

/** Counted since the reader was made. */
typedef struct tagma_reader_stats {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    tagma_io_stats io;
    uint64_t baskets;          /**< read and unpacked */
    uint64_t distinct_baskets; /**< of those, how many different ones */
    uint64_t unpacked_bytes;
    uint64_t faults;
} tagma_reader_stats;
TAGMA_API void tagma_reader_get_stats(const tagma_reader *reader, tagma_reader_stats *out);

/**
 * Entries first to first + n - 1 of some columns.
 * @param columns  [n_columns] in the order wanted; NULL: every supported one in schema order.
 * @return TAGMA_OK, also where some entries are damaged: then a column's status says so and the fault callback told it;
 *         TAGMA_E_RANGE past the last entry; TAGMA_E_UNSUPPORTED for an unsupported column; TAGMA_E_LIMIT where the batch
 *         would pass INT32_MAX items in a column; TAGMA_E_MEMORY where it would pass max_memory; TAGMA_E_CHANGED;
 *         TAGMA_E_CANCELLED. *out is NULL after a failure.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_read_columns(tagma_ctx *ctx, tagma_reader *reader, uint64_t first,
                                                        uint64_t n, const uint32_t *columns,
                                                        uint32_t n_columns, tagma_batch **out);
/**
 * Scattered entries, any order, repeats allowed; delivered in the asked order, read in the order of addresses. Each basket
 * is read and unpacked at most once in a call.
 * @param entries  [n].
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_read_rows(tagma_ctx *ctx, tagma_reader *reader,
                                                     const uint64_t *entries, size_t n,
                                                     const uint32_t *columns, uint32_t n_columns,
                                                     tagma_batch **out);
/**
 * One whole event as a record.
 * @param record  [record_bytes] the caller's, 8-byte aligned. @param needed  bytes the record takes, set also on failure
 *                by TAGMA_E_LIMIT (short buffer); may be NULL.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_read_event(tagma_ctx *ctx, tagma_reader *reader,
                                                      const tagma_record_plan *plan, uint64_t entry,
                                                      void *record, size_t record_bytes, size_t *needed);
/**
 * Entries first to first + n - 1 of one column straight into the caller's memory.
 * @param values   [values_bytes] of any alignment. @param offsets  [3] each [capacity of n entries and more] or NULL where
 *                 the column has no such level; offsets_bytes likewise.
 * @return as tagma_read_columns(); TAGMA_E_LIMIT if a buffer is short, with the bytes needed in *needed_bytes (may be NULL).
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_read_into(tagma_ctx *ctx, tagma_reader *reader, uint64_t first,
                                                     uint64_t n, uint32_t column, void *values,
                                                     size_t values_bytes, uint32_t *const offsets[3],
                                                     const size_t offsets_bytes[3], uint64_t *needed_bytes);
/** The same for scattered entries, in the asked order. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_gather_into(tagma_ctx *ctx, tagma_reader *reader,
                                                       const uint64_t *entries, size_t n, uint32_t column,
                                                       void *values, size_t values_bytes,
                                                       uint32_t *const offsets[3],
                                                       const size_t offsets_bytes[3], uint64_t *needed_bytes);
/**
 * Read, unpack and decode every basket of every branch, unsupported ones unpacked at least. Faults go to the fault callback.
 * @param columns  [n_columns], or NULL for all. @param n_baskets, n_faults  how many were seen.
 * @return TAGMA_OK however many faults; negative only where it could not go on.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_check(tagma_ctx *ctx, tagma_reader *reader,
                                                        const uint32_t *columns, uint32_t n_columns,
                                                        uint64_t *n_baskets, uint64_t *n_faults);
/** Has the file under the events changed since it was opened (size, time, inode)? TAGMA_OK; TAGMA_E_CHANGED with the words. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_events_unchanged(tagma_ctx *ctx, const tagma_events *events);

TAGMA_END_DECLS

#endif
