/* SPDX-License-Identifier: Apache-2.0
 * A tree as its reader wants it: branches, baskets and columns in flat tables, made once and immutable.
 * Source of facts: docs/ROOT.md. */
#ifndef TG_ROOT_TREE_H
#define TG_ROOT_TREE_H

#include "event/schema.h"
#include "source/source.h"

/* Numbers as they stand in a basket, big-endian. */
typedef enum tg_wire {
    TG_WIRE_BOOL, /* u8, any non-zero is true */
    TG_WIRE_I8,
    TG_WIRE_U8,
    TG_WIRE_I16,
    TG_WIRE_U16,
    TG_WIRE_I32,
    TG_WIRE_U32,
    TG_WIRE_I64,
    TG_WIRE_U64,
    TG_WIRE_F32,
    TG_WIRE_F64,
    TG_WIRE_SCALED,     /* u32: raw / factor + xmin; Double32_t gives f64, Float16_t f32 */
    TG_WIRE_TRUNCATED,  /* u8 exponent, u16 mantissa of nbits: a float; Double32_t gives f64 */
    TG_WIRE_F32_AS_F64, /* Double32_t without a range */
    TG_WIRE_BITS        /* fBits: u32, and a u16 behind it if bit 0x10 is set */
} tg_wire;

/* What stands in front of an entry's values. */
typedef enum tg_entry_frame {
    TG_ENTRY_BARE, /* nothing */
    TG_ENTRY_FRAMED, /* byte count and version, a checksum behind a version <= 0; an entry of a shared count 0 may be empty */
    TG_ENTRY_FLAGGED /* u8: 0 no values and nothing more, else the values follow; for counted pointers */
} tg_entry_frame;

typedef enum tg_string_kind {
    TG_STRING_NONE,
    TG_STRING_COUNTED, /* u8 n, or 255 and i32 n; then n bytes */
    TG_STRING_LEAF,    /* the same, or no byte at all for "" (TLeafC) */
    TG_STRING_LONG     /* i32 n; then n bytes (char *) */
} tg_string_kind;

/* How many items a list has. */
typedef enum tg_count_kind {
    TG_COUNT_SHARED, /* what the count column says: read that first */
    TG_COUNT_INLINE  /* i32 in front of the items */
} tg_count_kind;

/* How the values of one column stand in an entry of its branch: frame, then lists from the outside in, then n_items numbers
 * or strings. Parallel to the schema's columns. */
typedef struct tg_layout {
    uint32_t branch;       /* whose baskets hold it; TAGMA_NONE for an unsupported column without any */
    uint32_t count_column; /* that counts level 0 when counts[0] is TG_COUNT_SHARED; else TAGMA_NONE */
    uint8_t frame;         /* tg_entry_frame */
    uint8_t counts[TAGMA_MAX_LISTS]; /* tg_count_kind of each of the n_lists levels */
    uint8_t wire;                    /* tg_wire */
    uint8_t string;                  /* tg_string_kind */
    uint8_t nbits;                   /* of TG_WIRE_TRUNCATED */
    double factor, xmin;             /* of TG_WIRE_SCALED */
    uint32_t leaf;                   /* position among the leaves of its branch */
    uint32_t n_leaves;               /* of its branch: more than 1 means interleaved, entry by entry */
    uint32_t
        first_column; /* of the branch's first leaf; its leaves are columns first_column to first_column + n_leaves - 1 */
} tg_layout;

/* A basket embedded in the tree's own record has its offset in that record's payload instead of in the file. */
#define TG_BASKET_EMBEDDED ((uint64_t)1 << 63)

typedef struct tg_branch {
    const char *name, *path, *title;
    uint32_t parent;                  /* branch above; TAGMA_NONE at the top */
    uint64_t first_basket, n_baskets; /* in tree->baskets */
    uint64_t first_entry, end_entry;  /* entries it has: [first_entry, end_entry) */
    uint64_t bytes, packed_bytes;     /* fTotBytes, fZipBytes */
    int32_t compress;                 /* fCompress */
    const char *fault; /* what is wrong with the branch as a whole (the reason of its columns); NULL */
} tg_branch;

/* Baskets of a branch are ascending, do not overlap and lie within its entries: checked when the tree is read. */
typedef struct tg_basket {
    uint64_t first_entry, n_entries;
    uint64_t offset; /* byte in the file; with TG_BASKET_EMBEDDED in the payload of the tree's record */
    uint32_t bytes; /* the record with its key; embedded: key, header, offsets and data as they stand there */
} tg_basket;

typedef struct tg_friend {
    const char *name, *file; /* file "" for the same file */
} tg_friend;

typedef struct tg_tree {
    const char *name, *title, *class_name;
    uint32_t cycle;
    uint64_t n_entries;
    tagma_schema *schema;
    tg_layout *layouts; /* [n_columns of the schema] */
    tg_branch *branches;
    uint32_t n_branches;
    tg_basket *baskets;
    uint64_t n_baskets;
    uint64_t *clusters; /* [n_clusters + 1] first entries; the last is n_entries */
    uint64_t n_clusters;
    tg_friend *friends;
    uint32_t n_friends;
    uint64_t record_offset; /* of the tree's record: embedded baskets stand in its payload */
    uint32_t record_bytes, record_key_bytes;
    uint64_t record_unpacked; /* bytes of the payload when unpacked */
    uint64_t record_hash;     /* XXH3 of the record as it stands in the file */
    tg_account *account;
    void *strings; /* what the const char * above point into */
} tg_tree;

void tg_tree_free(tg_tree *tree);

#endif
