/* SPDX-License-Identifier: Apache-2.0
 * Branches and leaves as the tree's record has them, before columns are made of them. Lives while a tree is read.
 * Source of facts: docs/ROOT.md, "TBranch", "TLeaf". */
#ifndef TG_ROOT_BRANCH_H
#define TG_ROOT_BRANCH_H

#include "root/members.h"
#include "root/tree.h"

typedef enum tg_leaf_kind {
    TG_LEAF_UNKNOWN,
    TG_LEAF_BOOL,
    TG_LEAF_8,
    TG_LEAF_16,
    TG_LEAF_32,
    TG_LEAF_64,
    TG_LEAF_F32,
    TG_LEAF_F64,
    TG_LEAF_FLOAT16,
    TG_LEAF_DOUBLE32,
    TG_LEAF_STRING,
    TG_LEAF_OBJECT,
    TG_LEAF_ELEMENT
} tg_leaf_kind;

/* Texts of all below are borrowed from the record's payload. */
typedef struct tg_leaf {
    tg_text name, title, class_name;
    uint8_t kind; /* tg_leaf_kind */
    bool is_unsigned;
    int64_t length;           /* fLen */
    uint32_t reference;       /* what others call it by */
    uint32_t count_reference; /* of the leaf that counts it; 0 */
    uint32_t branch;          /* TAGMA_NONE while only met as somebody's counter */
    uint32_t twin; /* leaf number of the same leaf in its branch, where it was met as a counter first */
} tg_leaf;

typedef enum tg_branch_kind {
    TG_BRANCH_PLAIN,
    TG_BRANCH_ELEMENT,
    TG_BRANCH_OBJECT,
    TG_BRANCH_STL,
    TG_BRANCH_CLONES,
    TG_BRANCH_UNKNOWN
} tg_branch_kind;

typedef struct tg_raw_branch {
    tg_text name, title, branch_class; /* branch_class: "TBranch" ... */
    tg_text class_name, clones_name, file_name;
    uint8_t kind;       /* tg_branch_kind */
    bool is_stray;      /* only met as somebody's counter */
    const char *reason; /* why it cannot be read though nothing is wrong with it; NULL */
    uint32_t reference;
    uint32_t count_reference; /* fBranchCount; 0 */
    uint32_t first_leaf, n_leaves;
    uint32_t n_children;
    uint32_t checksum;
    int32_t class_version, id, type, streamer_type;
} tg_raw_branch;

/* A basket in a slot of fBaskets. */
typedef struct tg_embedded {
    uint32_t slot;
    uint64_t at;
    uint32_t bytes;
} tg_embedded;

/* Versions of classes in one tree, each made once. */
enum { TG_MEMBERS_MAX = 64 };

typedef struct tg_tree_reading {
    tagma_ctx *ctx;
    const tg_root_file *file;
    tg_lane *lane;
    tg_tree *tree;
    tg_arena arena; /* becomes the tree's strings */
    uint32_t key_bytes;
    const uint8_t *payload;
    uint64_t payload_bytes;
    tg_streamers *streamers;
    bool has_streamers; /* asked for already */
    tg_raw_branch *raw; /* parallel to tree->branches */
    uint64_t raw_capacity, branches_capacity, baskets_capacity;
    tg_leaf *leaves; /* of branches, each branch's in a row; references ascend */
    uint64_t n_leaves, leaves_capacity;
    tg_leaf *strays; /* met as counters first; references ascend */
    uint64_t n_strays, strays_capacity;
    tg_embedded *embedded; /* of the branch being read */
    uint64_t n_embedded, embedded_capacity;
    tg_members *members; /* made so far, by class and version */
    uint64_t n_members;
} tg_tree_reading;

/* The streamer info, read at the first call. A file without, or with a damaged one, gives NULL. */
tagma_status tg_tree_streamers(tg_tree_reading *r, const tg_streamers **out);
/* Steps of a class; borrowed until the reading ends. */
tagma_status tg_tree_members(tg_tree_reading *r, const char *class_name, int32_t version,
                             const tg_members **out);
/* The list of branches at in->at; they become children of parent (TAGMA_NONE for the tree). */
tagma_status tg_branches_parse(tg_tree_reading *r, tg_in *in, uint32_t parent, uint32_t depth);
/* The baskets of a branch from what its record said. A fault stays with the branch. */
tagma_status tg_baskets_list(tg_tree_reading *r, uint32_t number, const tg_values *values);
/* The reason of all columns of a branch: the first fault stays. */
tagma_status tg_branch_fault(tg_tree_reading *r, uint32_t branch, const char *format, ...) TAGMA_PRINTF(3, 4);
/* By reference; TAGMA_NONE. A leaf that stands in a branch. */
uint32_t tg_leaf_by_reference(const tg_tree_reading *r, uint32_t reference);
uint32_t tg_branch_by_reference(const tg_tree_reading *r, uint32_t reference);

#endif
