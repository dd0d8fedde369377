/* SPDX-License-Identifier: Apache-2.0
 * How one event lies in memory: the plan that a schema's columns give, for whoever writes records. */
#ifndef TG_EVENT_RECORD_H
#define TG_EVENT_RECORD_H

#include "event/batch.h"

/* Every record begins so. */
typedef struct tg_record_head {
    uint32_t tag;         /* of the plan that made it */
    uint32_t total_bytes; /* with the tail */
} tg_record_head;

typedef enum tg_place_kind {
    TG_PLACE_FIXED, /* values at `at` in the fixed part */
    TG_PLACE_LIST, /* one list level of numbers: values at start of group + items * width_before, both from its group */
    TG_PLACE_TAIL /* strings and lists of lists: `at` holds a tg_tail */
} tg_place_kind;

/* Where a TG_PLACE_TAIL column lies: the offsets of each level end to end, then the values. */
typedef struct tg_tail {
    uint32_t start;    /* byte of the record; a multiple of 8 */
    uint32_t values;   /* byte of its values */
    uint32_t n_values; /* items counted one by one, or bytes */
    uint32_t n_lists0;
} tg_tail;

typedef struct tg_place {
    uint32_t column; /* of the schema */
    uint32_t n_items;
    union {
        uint32_t at;           /* TG_PLACE_FIXED, TG_PLACE_TAIL: byte of the fixed part */
        uint32_t width_before; /* TG_PLACE_LIST: bytes an item takes in the group's columns before it */
    };
    uint32_t group; /* TG_PLACE_LIST */
    uint8_t kind, type, n_lists;
    uint8_t bytes; /* of a value */
} tg_place;

/* With the level of a string's bytes. */
static inline uint32_t tg_place_levels(const tg_place *place)
{
    return place->type == TAGMA_STRING ? place->n_lists + 1U : place->n_lists;
}

/* Columns of one list level that share a count: count and start stand in the fixed part, the values end to end in the tail,
 * widest first. */
typedef struct tg_group {
    uint32_t collection;
    uint32_t count_at, start_at; /* u32 each */
    uint32_t item_bytes;         /* of all its columns */
} tg_group;

struct tagma_record_plan {
    tg_account *account;
    uint32_t tag;
    uint32_t fixed_bytes; /* a multiple of 8 */
    uint32_t status_at;   /* a tagma_column_status a column, one byte each */
    uint32_t n_columns, n_groups;
    tg_place *places; /* [n_columns], as asked */
    tg_group *groups;
    void *block; /* that holds both */
};

/* TAGMA_E_LIMIT where an event of n bytes is more than a record can hold, or the caller's does. */
tagma_status tg_record_check_bytes(tagma_ctx *ctx, uint64_t n, size_t record_bytes);

#endif
