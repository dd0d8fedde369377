/* SPDX-License-Identifier: Apache-2.0
 * A small hash table of unpacked baskets under a bound of bytes. */
#include "root/kept.h"

#include "base/num.h"

tg_kept_basket *tg_kept_new(tagma_ctx *ctx, uint64_t basket, const tg_basket_head *head)
{
    uint64_t bytes = sizeof(tg_kept_basket) + head->unpacked_bytes;
    tg_kept_basket *block = tg_alloc(ctx, bytes, 1);

    if (block) {
        block->basket = basket;
        block->call = 0;
        block->bytes = bytes;
        block->head = *head;
    }
    return block;
}

static uint64_t slot_of(const tg_kept *kept, uint64_t basket)
{
    uint64_t at = basket * 0x9e3779b97f4a7c15U >> 20;

    for (at &= kept->n_slots - 1; kept->slots[at] && kept->slots[at]->basket != basket;)
        at = (at + 1) & (kept->n_slots - 1);
    return at;
}

tg_kept_basket *tg_kept_find(tg_kept *kept, uint64_t basket)
{
    tg_kept_basket *found = kept->n > 0 ? kept->slots[slot_of(kept, basket)] : NULL;

    if (found)
        found->call = kept->call;
    return found;
}

/* At most half of the slots are taken. */
static tagma_status grow(tagma_ctx *ctx, tg_kept *kept)
{
    tg_kept grown = *kept;

    if (2 * (kept->n + 1) <= kept->n_slots)
        return TAGMA_OK;
    grown.n_slots = kept->n_slots ? 2 * kept->n_slots : 64;
    grown.slots = tg_zalloc(ctx, grown.n_slots, sizeof(void *));
    if (!grown.slots)
        return TAGMA_E_MEMORY;
    for (uint64_t i = 0; i < kept->n_slots; i++)
        if (kept->slots[i])
            grown.slots[slot_of(&grown, kept->slots[i]->basket)] = kept->slots[i];
    tg_free(ctx, kept->slots);
    *kept = grown;
    return TAGMA_OK;
}

void tg_kept_add(tagma_ctx *ctx, tg_kept *kept, tg_kept_basket *block)
{
    uint64_t at;

    if (block->bytes > kept->bytes_max - kept->bytes || grow(ctx, kept) < 0) {
        tg_free(ctx, block);
        return;
    }
    at = slot_of(kept, block->basket);
    if (kept->slots[at]) {
        tg_free(ctx, block);
        return;
    }
    block->call = kept->call;
    kept->slots[at] = block;
    kept->n++;
    kept->bytes += block->bytes;
}

/* Empty a slot and move those behind it that would not be found any more. */
static void empty_slot(tagma_ctx *ctx, tg_kept *kept, uint64_t at)
{
    uint64_t mask = kept->n_slots - 1;

    kept->bytes -= kept->slots[at]->bytes;
    kept->n--;
    tg_free(ctx, kept->slots[at]);
    kept->slots[at] = NULL;
    for (at = (at + 1) & mask; kept->slots[at]; at = (at + 1) & mask) {
        tg_kept_basket *moved = kept->slots[at];

        kept->slots[at] = NULL;
        kept->slots[slot_of(kept, moved->basket)] = moved;
    }
}

void tg_kept_drop(tagma_ctx *ctx, tg_kept *kept, uint64_t basket)
{
    uint64_t at = kept->n > 0 ? slot_of(kept, basket) : 0;

    if (kept->n > 0 && kept->slots[at])
        empty_slot(ctx, kept, at);
}

void tg_kept_begin(tg_kept *kept)
{
    kept->call++;
}

/* Drop all that the oldest call left; false where this one uses everything. */
static bool drop_oldest(tagma_ctx *ctx, tg_kept *kept)
{
    uint64_t oldest = kept->call;

    for (uint64_t i = 0; i < kept->n_slots; i++)
        if (kept->slots[i] && kept->slots[i]->call < oldest)
            oldest = kept->slots[i]->call;
    if (oldest == kept->call)
        return false;
    for (uint64_t i = 0; i < kept->n_slots;) {
        if (kept->slots[i] && kept->slots[i]->call == oldest)
            empty_slot(ctx, kept, i); /* another may have moved here: look again */
        else
            i++;
    }
    return true;
}

void tg_kept_make_room(tagma_ctx *ctx, tg_kept *kept)
{
    while (kept->bytes > kept->bytes_max / 2 && drop_oldest(ctx, kept))
        ;
}

void tg_kept_free(tagma_ctx *ctx, tg_kept *kept)
{
    for (uint64_t i = 0; i < kept->n_slots; i++)
        tg_free(ctx, kept->slots[i]);
    tg_free(ctx, kept->slots);
    *kept = (tg_kept){0};
}
