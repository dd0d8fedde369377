/* SPDX-License-Identifier: Apache-2.0
 * The table of a cluster: the code of each field, where tiles begin; written, and loaded into what reading needs.
 * Source: docs/FORMAT.md, "Cluster tables" and "Tiles". */
#ifndef TG_STORE_CODETABLE_H
#define TG_STORE_CODETABLE_H

#include "store/code.h"
#include "store/decimal.h"
#include "store/fields.h"
#include "store/format.h"

/* How the words of a field are found and read in a tile. */
typedef struct tg_slot {
    /* Scalars: bit of the tile where its words begin. Items: bits that an item has before it; if sparse, the field's number
     * among the sparse ones. Texts: the first of their ends, among heads of 4 bytes. */
    uint32_t at;
    uint32_t
        head; /* its first, among heads of its width; the common value of a sparse field stands before it */
    uint32_t n_words; /* an event or item has */
    uint8_t w, m, tz;
    uint8_t kind : 4, width : 2, is_sparse : 1; /* width: log2 of a value's bytes */
} tg_slot;

/* Heads by width, where they lie. 2^(w - m) of them may be read for a slot, of which those past its own are anything. */
typedef struct tg_heads {
    const uint64_t *eight;
    const uint32_t *four;
    const uint16_t *two;
    const uint8_t *one;
} tg_heads;

typedef struct tg_table_lists {
    uint64_t n_items;       /* in the cluster */
    uint32_t ends_at;       /* bit of the tile where ends begin; of those without parent */
    uint8_t end_bits;       /* of an end, or of a text's number */
    bool are_texts;         /* strings: numbers of texts stand where else ends do */
    uint16_t last_text;     /* the greatest of those numbers */
    uint32_t item_bits;     /* of the fields that are not sparse */
    uint32_t presence_bits; /* of an item */
} tg_table_lists;

typedef struct tg_table {
    const tg_fields *fields;
    uint64_t first_entry, tiles_at; /* of the file, as the directory says */
    uint64_t tiles_bytes;
    uint32_t n_events, tile_events, n_tiles;
    uint32_t n_nullable, n_sparse, n_inner; /* n_inner: lists that have a parent */
    uint32_t n_text_columns;                /* columns whose strings are numbers of texts */
    uint64_t fixed_bits;                    /* of a tile: ends without parent, scalars, validity */
    const uint8_t *tiles;                   /* u32 [n_tiles + 1], bytes from tiles_at */
    const uint8_t *start, *codes;           /* the table's own bytes; TG_CODE_BYTES each, unchecked */
    uint64_t heads_bytes;
    /* Made by tg_table_finish(). */
    uint32_t *nullable;     /* [n_nullable] columns; their validity is slot n_columns + i */
    tg_slot *slots;         /* [n_columns + n_nullable] */
    tg_table_lists *lists;  /* [n_lists] */
    uint32_t *sparse;       /* [n_sparse] fields, in the order of their presence bits */
    uint32_t *sparse_lists; /* [n_sparse] and whose items they are */
    tg_heads heads;
    uint8_t *bytes; /* that hold heads and tiles; NULL where they are borrowed */
    void *block;    /* that holds the rest */
} tg_table;

/* The distinct strings of a column in a cluster, end to end. */
typedef struct tg_texts {
    const uint32_t *ends; /* [n] ascending */
    const uint8_t *bytes;
    uint32_t n;
} tg_texts;

/* Texts of lists that are strings as numbers of them. */
static inline tg_texts tg_table_texts(const tg_table *table, uint32_t lists)
{
    const tg_slot *slot = &table->slots[table->fields->lists[lists].first_field];

    return (tg_texts){table->heads.four + slot->at, table->heads.one + slot->head,
                      table->lists[lists].last_text + 1U};
}

/* What the directory says of a cluster. */
typedef struct tg_cluster {
    uint64_t first_entry;
    uint32_t n_events, table_bytes;
    uint64_t tiles_at, tiles_bytes, table_at, table_checksum, chunks_at;
} tg_cluster;

/* Events of a tile in a cluster of n events. */
uint32_t tg_tile_events(uint32_t wanted, uint64_t n_events);

/* What is written of a cluster. */
typedef struct tg_table_input {
    const tg_fields *fields;
    uint32_t n_events, tile_events, n_tiles, n_nullable;
    const tg_coded *coded;    /* [n_columns + n_nullable] */
    const uint32_t *nullable; /* [n_nullable] columns, ascending */
    const uint64_t *n_items;  /* [n_lists] */
    const uint8_t *end_bits;  /* [n_lists] */
    const uint32_t *tiles;    /* [n_tiles + 1] */
} tg_table_input;
tagma_status tg_table_write(tagma_ctx *ctx, const tg_table_input *input, tg_buf *out);

/* The head of a table: where its tiles are is known, its codes are not (slots NULL) before tg_table_finish().
 * @param bytes  [cluster->table_bytes] at a multiple of 8; their checksum is verified. Borrowed as long as the table, or, if
 *               out->bytes is set to them, the table's own from then on, also after a failure.
 * @param file   name for messages. */
tagma_status tg_table_begin(tagma_ctx *ctx, const tg_fields *fields, const tg_cluster *cluster,
                            const uint8_t *bytes, const char *file, tg_table *out);
/* A table is freed by a failure. */
tagma_status tg_table_finish(tagma_ctx *ctx, const tg_cluster *cluster, const char *file, tg_table *table);
void tg_table_free(tg_account *account, tg_table *table);

/* A code as it stands in tables and chunks. */
void tg_code_write(const tg_code *code, uint8_t flags, uint8_t *bytes);
/* What holds for all kinds but counts and decimals, without a branch: tables have thousands of codes. */
static inline bool tg_code_is_sound(uint32_t w, uint32_t m, uint32_t tz, uint32_t n_heads, uint32_t bits)
{
    uint32_t head_bits = w - m, most = n_heads - 1;

    return (w <= bits) & (m <= w) & (m <= 63) & (tz < bits) & (head_bits <= TG_HEAD_BITS_MAX) &
           (most < 1U << (head_bits & 31)) & ((most << 1) >> (head_bits & 31) != 0 || head_bits == 0);
}

/* Kinds that are more than the formula, and bools. */
static inline bool tg_code_is_special(uint32_t kind, uint32_t w, uint32_t m, uint32_t tz, uint32_t n_heads,
                                      tagma_type type)
{
    if (type == TAGMA_BOOL && (w > 1 || n_heads > 1 || tz > 0))
        return false;
    if (kind != TG_CODE_DECIMAL)
        return kind < TG_CODE_COUNT;
    return (type == TAGMA_F32 || type == TAGMA_F64) && tz <= TG_DECIMAL_DIGITS_MAX && w > 0 && m == w &&
           w <= TG_BITS_NEAR;
}

/* A code's 8 bytes as a number into a slot; the rest of the slot is the caller's. False: no sound code. */
static inline bool tg_code_unpack(uint64_t code, tagma_type type, tg_slot *slot, uint32_t *n_heads)
{
    uint32_t width = tg_type_width(type), kind = code & 0xff, w = code >> 8 & 0xff, m = code >> 16 & 0xff,
             tz = code >> 24 & 0xff, flags = code >> 32 & 0xffff, n = (uint32_t)(code >> 48);

    if (kind == TG_CODE_COUNT) {
        if (code != TG_CODE_COUNT)
            return false;
    } else if (!tg_code_is_sound(w, m, tz, n, 8U << width) || flags > TG_CODE_SPARSE) {
        return false;
    }
    if ((type == TAGMA_BOOL || kind > TG_CODE_COUNT) && !tg_code_is_special(kind, w, m, tz, n, type))
        return false;
    slot->w = (uint8_t)w;
    slot->m = (uint8_t)m;
    slot->tz = (uint8_t)tz;
    slot->kind = kind & 15;
    slot->width = width & 3;
    slot->is_sparse = flags & 1;
    *n_heads = n + flags;
    return true;
}
/* A code of values of a type into a slot; the rest of the slot is the caller's. *n_heads counts the common value. An alias is the
 * caller's, too. TAGMA_E_CORRUPT, with words that name no place. */
tagma_status tg_code_load(tagma_ctx *ctx, const uint8_t *bytes, tagma_type type, tg_slot *slot,
                          uint32_t *n_heads);
/* The common value and heads in their natural width; how many bytes they take. */
uint64_t tg_heads_write(const tg_coded *coded, uint8_t *bytes);
uint64_t tg_heads_bytes(const tg_code *code);
/* Heads of one width at these bytes, used where they lie. */
tg_heads tg_heads_at(const uint8_t *bytes);
/* Numbers of a file where they lie in memory that is ours, as this machine has them. */
void tg_heads_fix(uint8_t *bytes, uint64_t n, uint32_t width);

/* Heads that may be read for a slot. */
static inline uint64_t tg_slot_reach(const tg_slot *slot)
{
    return slot->kind == TG_CODE_COUNT ? 0 : UINT64_C(1) << (slot->w - slot->m);
}

static inline uint64_t tg_slot_head(const tg_heads *heads, const tg_slot *slot, uint64_t i)
{
    switch (slot->width) {
    case 0:
        return heads->one[slot->head + i];
    case 1:
        return heads->two[slot->head + i];
    case 2:
        return heads->four[slot->head + i];
    default:
        return heads->eight[slot->head + i];
    }
}

static inline uint64_t tg_slot_value(const tg_heads *heads, const tg_slot *slot, uint64_t c)
{
    return tg_slot_head(heads, slot, c >> slot->m) + ((c & ((UINT64_C(1) << slot->m) - 1)) << slot->tz);
}

static inline uint64_t tg_slot_common(const tg_heads *heads, const tg_slot *slot)
{
    tg_slot before = *slot;

    before.head--;
    return tg_slot_head(heads, &before, 0);
}

#endif
