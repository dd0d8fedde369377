/* SPDX-License-Identifier: Apache-2.0
 * Strings that stand as numbers of the distinct texts of their column: a writer finds those, a reader looks them up.
 * Source: docs/FORMAT.md, "Texts". */
#ifndef TG_STORE_TEXTS_H
#define TG_STORE_TEXTS_H

#include "store/tile.h"

/* What finding texts needs; belongs to one thread; zero it to begin. */
typedef struct tg_text_coder {
    tg_buf numbers; /* u16 [strings] */
    tg_buf slots;   /* u32 [a power of 2] number of a text, from 1; 0 none */
    tg_buf hashes;  /* u64 [texts] */
    tg_buf ends;    /* u32 [texts] */
    tg_buf bytes;   /* of texts, end to end */
} tg_text_coder;
void tg_text_coder_free(tagma_ctx *ctx, tg_text_coder *coder);

/* Encode n strings as texts, if that takes less than a number of bits.
 * @param offsets  [n + 1] of the strings in bytes.
 * @param is_less  where it does not, nothing is made. Depends on the strings alone, so that equal input gives equal bytes. Free *out
 *                 after a failure, too. */
tagma_status tg_texts_encode(tagma_ctx *ctx, tg_text_coder *coder, const uint8_t *bytes,
                             const uint32_t *offsets, uint64_t n, uint64_t bits, tg_coded *out,
                             bool *is_less);

/* Strings of one tile. */
typedef struct tg_tile_texts {
    const tg_table *table;
    const tg_tile *tile;
    uint32_t lists;   /* those of the strings' bytes, which are texts */
    uint64_t ends_at; /* bit where the numbers begin */
} tg_tile_texts;

/* Bytes of strings first to first + n - 1. TAGMA_E_CORRUPT, with words that name no place, for a number that is none of a text, or
 * more bytes than the cluster's strings have. */
tagma_status tg_texts_measure(tagma_ctx *ctx, const tg_tile_texts *at, uint64_t first, uint64_t n,
                              uint64_t *bytes);
/* What was measured: where each string ends, counted on from `end`, as u32 of any alignment; and the bytes themselves. */
void tg_texts_ends(const tg_tile_texts *at, uint64_t first, uint64_t n, uint32_t end, uint8_t *to);
void tg_texts_copy(const tg_tile_texts *at, uint64_t first, uint64_t n, uint8_t *to);

#endif
