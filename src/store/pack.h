/* SPDX-License-Identifier: Apache-2.0
 * The encoded columns of a cluster into its tiles. Source: docs/FORMAT.md, "Tiles". */
#ifndef TG_STORE_PACK_H
#define TG_STORE_PACK_H

#include "store/code.h"
#include "store/staged.h"

typedef struct tg_packing {
    const tg_fields *fields;
    const tg_coded *coded;   /* [n_columns + n_nullable] */
    const tg_offsets *lists; /* [n_lists] */
    uint64_t first_entry;
    uint32_t n_events, n_nullable, tile_events, n_tiles;
    bool has_wide_ends; /* ends take 16 bits, or 31 where those are too few */
    /* Made by tg_pack_lists. */
    uint32_t *items;   /* [n_lists][n_tiles + 1] items before each tile */
    uint32_t *parents; /* [n_lists][n_tiles + 1] lists before each tile */
    uint8_t *end_bits; /* [n_lists] of an end, or of a text's number */
    /* Made by tg_pack_measure. */
    uint32_t *sparse; /* [n_sparse] fields */
    uint32_t *rests;  /* [n_sparse][n_tiles + 1] words before each tile */
    uint32_t n_sparse;
    uint32_t *tiles;     /* [n_tiles + 1] where each tile begins, in bytes */
    uint64_t most_bytes; /* of a tile */
} tg_packing;

/* What is known of lists before anything is coded: items and parents before each tile, and the bits of an end. */
tagma_status tg_pack_lists(tagma_ctx *ctx, tg_packing *pack);
/* Sizes of all tiles. TAGMA_E_LIMIT where a tile would pass TG_TILE_BYTES_MAX, or all of them 4 GiB. */
tagma_status tg_pack_measure(tagma_ctx *ctx, tg_packing *pack);
/* Tile t, with its checksum. bytes has the tile's own, and slack behind them that may be written. */
void tg_pack_tile(const tg_packing *pack, uint32_t t, uint8_t *bytes);
void tg_packing_free(tagma_ctx *ctx, tg_packing *pack);

#endif
