/* SPDX-License-Identifier: Apache-2.0
 * Members of the classes a tree is made of, as steps that are run over its record: built in for the versions known, made from
 * streamer info for the others. Source of facts: docs/ROOT.md, "TTree", "TBranch", "TLeaf". */
#ifndef TG_ROOT_MEMBERS_H
#define TG_ROOT_MEMBERS_H

#include "root/object.h"
#include "root/streamer.h"

/* Members somebody wants. */
typedef enum tg_field {
    TG_FIELD_NONE,
    /* TTree */
    TG_FIELD_ENTRIES,
    TG_FIELD_CLUSTER_RANGES,
    TG_FIELD_AUTO_FLUSH,
    TG_FIELD_CLUSTER_RANGE_END,
    TG_FIELD_CLUSTER_SIZE,
    TG_FIELD_FRIENDS,
    /* TBranch */
    TG_FIELD_COMPRESS,
    TG_FIELD_WRITE_BASKET,
    TG_FIELD_ENTRY_NUMBER,
    TG_FIELD_MAX_BASKETS,
    TG_FIELD_FIRST_ENTRY,
    TG_FIELD_TOT_BYTES,
    TG_FIELD_ZIP_BYTES,
    TG_FIELD_BRANCHES,
    TG_FIELD_LEAVES,
    TG_FIELD_BASKETS,
    TG_FIELD_BASKET_BYTES,
    TG_FIELD_BASKET_ENTRY,
    TG_FIELD_BASKET_SEEK,
    TG_FIELD_FILE_NAME,
    /* TBranchElement, TBranchObject */
    TG_FIELD_CLASS_NAME,
    TG_FIELD_CLONES_NAME,
    TG_FIELD_CHECKSUM,
    TG_FIELD_CLASS_VERSION,
    TG_FIELD_ID,
    TG_FIELD_TYPE,
    TG_FIELD_STREAMER_TYPE,
    TG_FIELD_BRANCH_COUNT,
    /* TLeaf */
    TG_FIELD_LEN,
    TG_FIELD_IS_UNSIGNED,
    TG_FIELD_LEAF_COUNT,
    /* TFriendElement */
    TG_FIELD_TREE_NAME,
    TG_FIELD_N
} tg_field;

typedef struct tg_step {
    uint8_t kind;
    uint8_t field, count_field; /* tg_field */
    uint32_t width;             /* of a number; of all of them in a fixed array */
} tg_step;

enum { TG_STEPS_MAX = 64 };

typedef struct tg_members {
    const char *class_name;
    int32_t version;
    uint32_t n;
    tg_step steps[TG_STEPS_MAX];
} tg_members;

/* An array member, where it stands in the payload. */
typedef struct tg_member_array {
    size_t at;
    uint32_t n, width; /* n is 0 where it was left out */
} tg_member_array;

/* What running the steps found. Texts are borrowed from the payload. */
typedef struct tg_values {
    tg_text name, title;
    int64_t numbers[TG_FIELD_N];
    tg_text texts[TG_FIELD_N];
    tg_member_array arrays[TG_FIELD_N];
    uint32_t references[TG_FIELD_N]; /* of pointers to objects elsewhere; 0 */
} tg_values;

/* Called at a member that is an object or list of interest, with in->at on its first word; must go behind it. */
typedef tagma_status (*tg_member_fn)(void *user, tg_field field, tg_in *in);

/* Is the layout of this version built in? Else the file's streamer info is asked first. */
bool tg_members_are_known(const char *class_name, int32_t version);
/* streamers may be NULL. TAGMA_E_UNSUPPORTED with words where neither it nor what is built in tells the layout. */
tagma_status tg_members_make(tagma_ctx *ctx, const char *class_name, int32_t version,
                             const tg_streamers *streamers, tg_members *out);
/* Run the steps. TAGMA_E_CORRUPT with words where the payload does not fit them. */
tagma_status tg_members_run(tagma_ctx *ctx, const tg_members *members, tg_in *in, uint32_t key_bytes,
                            tg_member_fn visit, void *user, tg_values *out);

#endif
