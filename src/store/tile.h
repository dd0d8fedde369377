/* SPDX-License-Identifier: Apache-2.0
 * A tile as it is read: where its lists and words stand, and words into values. Nothing a tile says leads outside of it.
 * Source: docs/FORMAT.md, "Tiles". */
#ifndef TG_STORE_TILE_H
#define TG_STORE_TILE_H

#include "store/codetable.h"

/* Words of a tile, TG_BITS_SLACK readable bytes behind them. */
typedef struct tg_tile {
    const uint8_t *words;
    uint64_t n_bits;
    uint32_t number; /* in its cluster */
} tg_tile;

/* Lists in one tile. */
typedef struct tg_tile_lists {
    uint64_t ends_at;  /* bit where their ends begin */
    uint64_t items_at; /* bit where the words of their items begin */
    uint32_t n_lists, n_items;
} tg_tile_lists;

/* End of list i - 1, which is where list i begins; 0 <= i <= n_lists. */
static inline uint32_t tg_tile_end(const tg_tile *tile, const tg_table_lists *lists, uint64_t ends_at,
                                   uint64_t i)
{
    return i == 0 ? 0
                  : (uint32_t)tg_bits_near(tile->words, ends_at + (i - 1) * lists->end_bits, lists->end_bits);
}

/* Geometry of lists 0 to n_wanted - 1 of a tile, at least; *presence_at is where presence bits begin, if all were wanted.
 * False: they do not fit in the tile. */
bool tg_tile_measure(const tg_table *table, const tg_tile *tile, uint32_t n_wanted, tg_tile_lists *lists,
                     uint64_t *presence_at);
/* Where the words of sparse fields 0 to n_wanted - 1 begin. False: they do not fit. */
bool tg_tile_measure_sparse(const tg_table *table, const tg_tile *tile, const tg_tile_lists *lists,
                            uint64_t presence_at, uint32_t n_wanted, uint64_t *presence, uint64_t *rests);
/* The end of everything in the tile is the end of the tile, as it must be if all is told. */
bool tg_tile_is_full(const tg_tile *tile, uint64_t end);

/* n values of a field whose words stand from bit `at` on; not sparse. to has the field's width each, of any alignment. */
void tg_decode(const tg_heads *heads, const tg_slot *slot, const uint8_t *words, uint64_t at, uint64_t n,
               uint8_t *to);
/* Words from a bit on, one of several runs of a field. */
typedef struct tg_run {
    const uint8_t *words;
    uint64_t at, n;
} tg_run;
/* The values of many runs end to end; what is far ahead is asked for in good time. */
void tg_decode_runs(const tg_heads *heads, const tg_slot *slot, const tg_run *runs, uint32_t n_runs,
                    uint8_t *to);
/* Values first to first + n - 1 of a sparse field, whose presence bits and words begin at those bits. */
void tg_decode_sparse(const tg_heads *heads, const tg_slot *slot, const uint8_t *words, uint64_t presence,
                      uint64_t rests, uint64_t first, uint64_t n, uint8_t *to);
/* The same value n times. */
void tg_fill(uint8_t *to, uint64_t value, uint32_t width_log2, uint64_t n);

#endif
