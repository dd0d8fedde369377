/* SPDX-License-Identifier: Apache-2.0
 * Many small blocks that live and die together: names, titles, dimensions. Addresses are stable. */
#ifndef TG_BASE_ARENA_H
#define TG_BASE_ARENA_H

#include "base/ctx.h"

typedef struct tg_arena {
    void *newest;   /* the block being filled; each points to the one before */
    size_t at, end; /* in it */
} tg_arena;
/* clang-format off */
#define TG_ARENA_INIT { NULL, 0, 0 }
/* clang-format on */

/* n bytes aligned for any number; NULL with words after a failure. */
void *tg_arena_take(tagma_ctx *ctx, tg_arena *arena, size_t n);
/* A copy of n bytes with a 0 behind them. */
const char *tg_arena_text(tagma_ctx *ctx, tg_arena *arena, const char *text, size_t n);
/* May be called when the context that filled it is gone. */
void tg_arena_free(tg_account *account, tg_arena *arena);

#endif
