/* SPDX-License-Identifier: Apache-2.0
 * Unpacked baskets that outlive a call because entries of them are still to come. */
#ifndef TG_ROOT_KEPT_H
#define TG_ROOT_KEPT_H

#include "root/basket.h"

typedef struct tg_kept_basket {
    uint64_t basket; /* in tree->baskets */
    uint64_t call;   /* that used it last */
    uint64_t bytes;  /* of the block */
    tg_basket_head head;
    uint8_t payload[];
} tg_kept_basket;

/* Belongs to the calling thread; workers only make new blocks and read old ones. Zero it to begin. */
typedef struct tg_kept {
    tg_kept_basket **slots; /* open addressing, by basket */
    uint64_t n_slots, n;    /* n_slots is a power of two or 0 */
    uint64_t bytes, bytes_max;
    uint64_t call;
} tg_kept;

/* A block for a payload of head->unpacked_bytes. */
tg_kept_basket *tg_kept_new(tagma_ctx *ctx, uint64_t basket, const tg_basket_head *head);
/* A basket kept before; NULL. It is now used by this call. */
tg_kept_basket *tg_kept_find(tg_kept *kept, uint64_t basket);
/* Take a block over; it is freed instead where there is no room or it is there already. */
void tg_kept_add(tagma_ctx *ctx, tg_kept *kept, tg_kept_basket *block);
void tg_kept_drop(tagma_ctx *ctx, tg_kept *kept, uint64_t basket);
/* A call begins. */
void tg_kept_begin(tg_kept *kept);
/* What it uses of earlier calls has been found: of the rest the oldest goes until half of the room is free. */
void tg_kept_make_room(tagma_ctx *ctx, tg_kept *kept);
void tg_kept_free(tagma_ctx *ctx, tg_kept *kept);

#endif
