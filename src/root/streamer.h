/* SPDX-License-Identifier: Apache-2.0
 * Streamer info: what members the classes of a file have. Belongs to one thread.
 * Source of facts: docs/ROOT.md, "Streamer info". */
#ifndef TG_ROOT_STREAMER_H
#define TG_ROOT_STREAMER_H

#include "root/rootfile.h"

/* Codes of what a member is; a fixed array adds 20, a counted pointer 40. */
enum {
    TG_CODE_BASE = 0,
    TG_CODE_I8 = 1,
    TG_CODE_I16 = 2,
    TG_CODE_I32 = 3,
    TG_CODE_LONG = 4,
    TG_CODE_F32 = 5,
    TG_CODE_COUNTER = 6,
    TG_CODE_CHAR_STAR = 7,
    TG_CODE_F64 = 8,
    TG_CODE_DOUBLE32 = 9,
    TG_CODE_LEGACY_CHAR = 10,
    TG_CODE_U8 = 11,
    TG_CODE_U16 = 12,
    TG_CODE_U32 = 13,
    TG_CODE_ULONG = 14,
    TG_CODE_BITS = 15,
    TG_CODE_I64 = 16,
    TG_CODE_U64 = 17,
    TG_CODE_BOOL = 18,
    TG_CODE_FLOAT16 = 19,
    TG_CODE_ARRAY = 20,
    TG_CODE_COUNTED = 40,
    TG_CODE_OBJECT = 61,
    TG_CODE_ANY = 62,
    TG_CODE_OBJECT_DIRECT = 63,
    TG_CODE_OBJECT_POINTER = 64,
    TG_CODE_TSTRING = 65,
    TG_CODE_TOBJECT = 66,
    TG_CODE_TNAMED = 67,
    TG_CODE_ANY_DIRECT = 68,
    TG_CODE_ANY_POINTER = 69,
    TG_CODE_STL_POINTER = 71,
    TG_CODE_STL = 300,
    TG_CODE_STL_STRING = 365,
    TG_CODE_STREAMER = 500,
    TG_CODE_LOOP = 501
};

enum { TG_DIMS_MAX = 5 };

/* One member. Texts are borrowed from the info. */
typedef struct tg_element {
    tg_text name, title, type_name, count_name;
    int32_t code;
    uint32_t n_items; /* fArrayLength of a fixed array; 1 */
    uint32_t n_dims, dims[TG_DIMS_MAX];
    bool is_base, is_stl;
    bool has_range;    /* its title annotates a packed float */
    int32_t item_code; /* of a collection: what it holds, where that is a number or an enumeration */
} tg_element;

typedef struct tg_class_info {
    tg_text name;
    uint32_t checksum;
    int32_t version;
    uint32_t first_element, n_elements;
    bool is_asked, is_tree; /* by tg_streamers_is_tree() */
} tg_class_info;

typedef struct tg_streamers tg_streamers;

/* Read and parse the record the header names. *out is NULL, and TAGMA_OK the answer, where a file has none. */
tagma_status tg_streamers_read(tagma_ctx *ctx, tg_lane *lane, const tg_root_header *header,
                               tg_streamers **out);
void tg_streamers_free(tagma_ctx *ctx, tg_streamers *streamers);

/* By version; where version is 0 or unknown by checksum; else the only one of the name. NULL for none. streamers may be NULL. */
const tg_class_info *tg_streamers_find(const tg_streamers *streamers, tg_text name, int32_t version,
                                       uint32_t checksum);
/* Element i of a class, i < n_elements. */
const tg_element *tg_streamers_element(const tg_streamers *streamers, const tg_class_info *info, uint32_t i);
/* Does a class derive from TTree, at whatever depth? */
bool tg_streamers_is_tree(tg_streamers *streamers, const char *class_name);

#endif
