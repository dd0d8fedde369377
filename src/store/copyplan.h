/* SPDX-License-Identifier: Apache-2.0
 * How an event of a cluster becomes a record: compiled once for a cluster table and the plan of a record, then run for each
 * event: the image of what is constant, flat lists of operations by width, lists. Belongs to one thread. */
#ifndef TG_STORE_COPYPLAN_H
#define TG_STORE_COPYPLAN_H

#include "event/record.h"
#include "store/tile.h"

/* A word into the record. Scalars: `at` is the bit of the tile where the first event's word stands, `out` a byte of the fixed
 * part. Items: `at` counts the bits an item has before it, `out` the bytes of the record an item takes before it. */
typedef struct tg_copy {
    const void *heads; /* the table's, of its width, from its first on */
    uint32_t at, out;
    uint32_t low; /* the m bits below the head's number; values of 8 bytes: not used */
    uint16_t top; /* its w - m bits, shifted down */
    uint8_t w, m, tz;
} tg_copy;

/* The same value in every item. */
typedef struct tg_copy_fill {
    uint64_t value;
    uint32_t out;
    uint32_t width; /* log2 */
} tg_copy_fill;

/* A place of the record with the field that fills it, where neither is plain. */
typedef struct tg_copy_place {
    uint32_t place, slot;
} tg_copy_place;

/* Bools side by side in a tile of 8 events, a byte each of which bit k is event k's; scattered in the record. */
typedef struct tg_copy_bools {
    uint32_t at;       /* byte of the tile */
    uint32_t first, n; /* of bool_outs */
} tg_copy_bools;

/* A group of the record, and the lists it is of. */
typedef struct tg_copy_group {
    uint32_t lists;
    uint32_t count_at, start_at, item_bytes;
    uint32_t first_copy, copy_ends[4]; /* of 8, 4, 2, 1 bytes */
    uint32_t first_fill, end_fill;
    uint32_t first_other, end_other; /* several words an item, or words too wide for one load */
} tg_copy_group;

/* A sparse field. */
typedef struct tg_copy_sparse {
    tg_copy word; /* `out` TAGMA_NONE: nobody asked for it */
    uint64_t common;
    uint32_t slot, n_words;
    bool is_kept; /* a tail wants to know where it stands */
    bool is_odd;  /* that, or several words an item, or words too wide for one load */
} tg_copy_sparse;

/* Sparse fields of one lists and width, one behind the other; those that nobody asked for are passed over, but not skipped. */
typedef struct tg_copy_sparse_run {
    uint32_t lists, group; /* TAGMA_NONE: of no group */
    uint32_t first, end;   /* of sparse */
    uint32_t width;        /* log2 */
    bool are_odd;
} tg_copy_sparse_run;

typedef struct tg_copyplan {
    const tg_table *table;
    uint32_t tag; /* of the record plan; 0 where nothing is compiled */
    uint32_t fixed_bytes;
    uint8_t *image;                  /* [fixed_bytes] */
    tg_copy *copies;                 /* scalars, then groups */
    uint32_t copy_ends[4], n_copies; /* copy_ends: of scalars of 8, 4, 2, 1 bytes */
    tg_copy_bools *bools;
    uint32_t *bool_outs; /* bytes of the fixed part */
    uint32_t n_bools, n_bool_outs;
    tg_copy_place *counts, *arrays, *tails, *nulls, *others;
    uint32_t n_counts, n_arrays, n_tails, n_nulls, n_others;
    tg_copy_group *groups;
    uint32_t n_groups;
    tg_copy_fill *fills;
    uint32_t n_fills;
    tg_copy_sparse *sparse; /* all of the table, up to the last that is wanted */
    tg_copy_sparse_run *sparse_runs;
    uint32_t n_sparse, n_sparse_runs;
    /* Of the event in work. */
    tg_tile_lists *lists;       /* [n_lists] */
    uint32_t *first, *count;    /* [n_lists] items of this event */
    uint32_t *starts, *filled;  /* [n_groups] byte of the record; items the record tells */
    uint64_t *presence, *rests; /* [n_sparse] of those that are kept */
    void *block;
} tg_copyplan;

tagma_status tg_copyplan_compile(tagma_ctx *ctx, const tg_table *table, const tagma_record_plan *record,
                                 tg_copyplan *out);
void tg_copyplan_free(tg_account *account, tg_copyplan *plan);

/* Event k of a tile as a record. *needed is set always, except where the tile is wrong.
 * @return TAGMA_OK; TAGMA_E_LIMIT for a short buffer; TAGMA_E_CORRUPT, with words that name no place. */
tagma_status tg_copyplan_run(tagma_ctx *ctx, tg_copyplan *plan, const tagma_record_plan *record,
                             const tg_tile *tile, uint32_t k, uint8_t *bytes, size_t record_bytes,
                             size_t *needed);

#endif
