/* SPDX-License-Identifier: Apache-2.0
 * A chain of blocks, filled from the newest. */
#include "base/arena.h"

#include <string.h>

#include "base/num.h"

enum { ARENA_BLOCK = 32768, ARENA_ALIGN = 16 };

void *tg_arena_take(tagma_ctx *ctx, tg_arena *arena, size_t n)
{
    size_t start = (arena->at + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

    if (!arena->newest || !tg_inside(start, n, arena->end)) {
        uint64_t bytes = n > ARENA_BLOCK / 2 ? (uint64_t)n + ARENA_ALIGN : ARENA_BLOCK;
        void *block = tg_alloc(ctx, bytes, 1);

        if (!block)
            return NULL;
        memcpy(block, &arena->newest, sizeof arena->newest);
        arena->newest = block;
        arena->end = (size_t)bytes;
        start = ARENA_ALIGN;
    }
    arena->at = start + n;
    return (uint8_t *)arena->newest + start;
}

const char *tg_arena_text(tagma_ctx *ctx, tg_arena *arena, const char *text, size_t n)
{
    char *copy = tg_arena_take(ctx, arena, n + 1);

    if (copy) {
        if (n > 0)
            memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

void tg_arena_free(tg_account *account, tg_arena *arena)
{
    void *block = arena->newest;

    while (block) {
        void *before;

        memcpy(&before, block, sizeof before);
        tg_account_free(account, block);
        block = before;
    }
    *arena = (tg_arena)TG_ARENA_INIT;
}
