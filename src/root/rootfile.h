/* SPDX-License-Identifier: Apache-2.0
 * A ROOT file seen from its directories: header, keys, and what of them are trees. Immutable once open; may be shared.
 * Source of facts: docs/ROOT.md, "Files". */
#ifndef TG_ROOT_ROOTFILE_H
#define TG_ROOT_ROOTFILE_H

#include <tagma/events.h>

#include "root/key.h"
#include "source/source.h"

/* Source: docs/ROOT.md, "Header". Offsets and lengths as they stand there. */
typedef struct tg_root_header {
    int32_t version; /* 1,000,000 and more: wide offsets; negative: written by an old updater, narrow */
    int32_t begin;
    uint64_t end;
    uint64_t free_offset;
    int32_t free_bytes;
    int32_t name_bytes; /* from begin to the root directory's fields */
    int32_t compress;
    uint64_t streamers_offset;
    int32_t streamers_bytes;
    uint8_t uuid[16];
    bool has_uuid;
} tg_root_header;

enum { TG_WIDE_HEADER = 1000000 };

/* "root" and the fields behind it; checks nothing but that they are there. */
tagma_status tg_root_header_parse(tagma_ctx *ctx, const char *file, tg_in in, tg_root_header *out);
/* 61800 for 6.18/00, whichever way the header writes it. */
int32_t tg_root_header_release(const tg_root_header *header);

/* A directory. The first is the file's own. */
typedef struct tg_directory {
    const char *path; /* "" for the file's own */
    uint64_t offset;  /* of its record: what its keys name as their directory */
    uint64_t fields;  /* byte where its fields stand */
    uint64_t keys_offset;
    uint32_t keys_bytes;
} tg_directory;

/* A key of a directory. */
typedef struct tg_entry {
    const char *name, *class_name, *title;
    uint32_t directory;
    uint32_t cycle;
    uint64_t offset;
    uint32_t bytes, key_bytes, unpacked_bytes;
} tg_entry;

/* Among the keys, one of a class that is or derives from TTree. */
typedef struct tg_tree_entry {
    uint32_t entry;
    const char *path; /* slash separated */
    bool is_newest;
} tg_tree_entry;

typedef struct tg_class_count {
    const char *name;
    uint64_t n;
} tg_class_count;

/* Something wrong that was passed over while opening; tg_root_file_check() tells it. */
typedef struct tg_damage {
    tagma_status status;
    uint64_t offset;
    const char *words;
} tg_damage;

typedef struct tg_root_file {
    tg_account *account;
    tagma_source *source;
    tg_arena arena;
    tg_root_header header;
    tagma_condition condition;
    tg_directory *directories;
    uint64_t n_directories, directories_capacity;
    tg_entry *entries; /* of all directories, in the order found */
    uint64_t n_entries, entries_capacity;
    tg_tree_entry *trees;
    uint64_t n_trees, trees_capacity;
    tg_class_count *classes; /* of what is no tree and no directory, sorted by name */
    uint64_t n_classes, classes_capacity;
    uint32_t *ntuples; /* RNTuples among the entries */
    uint64_t n_ntuples, ntuples_capacity;
    tg_damage *damages;
    uint64_t n_damages, damages_capacity;
    tagma_io_stats io; /* what opening took */
} tg_root_file;

/* Read header and directories; walk the records where they are lost. The source is acquired.
 * TAGMA_E_CORRUPT for what is no ROOT file; TAGMA_E_TRUNCATED for an unclosed or cut file in which no tree was found. */
tagma_status tg_root_file_open(tagma_ctx *ctx, tagma_source *source, tg_root_file **out);
void tg_root_file_free(tg_root_file *file);
const char *tg_root_file_name(const tg_root_file *file);

/* For tagma_file_get_info(): all but struct_bytes. Borrowed from the file. */
void tg_root_file_info(const tg_root_file *file, tagma_file_info *info);
/* For tagma_file_tree(): reads the tree's record, each time. i < n_trees. */
tagma_status tg_root_file_tree(tagma_ctx *ctx, const tg_root_file *file, uint32_t i, tagma_tree_info *info);
/* Path of the i-th RNTuple; "" past n_ntuples. */
const char *tg_root_file_ntuple(const tg_root_file *file, uint32_t i);
/* For tagma_file_check(). */
tagma_status tg_root_file_check(tagma_ctx *ctx, const tg_root_file *file, uint64_t *n_records,
                                uint64_t *n_faults);

/* Inside of opening: directory.c, recover.c, catalog.c. */

/* Keep the words of ctx's last failure as a damage of the file, and go on. Only TAGMA_E_MEMORY comes back. */
tagma_status tg_root_file_damage(tagma_ctx *ctx, tg_root_file *file, tagma_status status, uint64_t offset);
/* Read the fields of the root directory, its keys, and those of all directories below. */
tagma_status tg_directories_read(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane);
tagma_status tg_directory_add(tagma_ctx *ctx, tg_root_file *file, const char *parent, tg_text name,
                              uint64_t offset, uint64_t fields);
tagma_status tg_entry_add(tagma_ctx *ctx, tg_root_file *file, const tg_key *key, uint32_t directory);
bool tg_is_directory_class(tg_text class_name);
/* Find keys by walking the records from the header's end on. */
tagma_status tg_recover(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane);
/* Sort the entries into trees, RNTuples and classes. */
tagma_status tg_catalog(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane);

#endif
