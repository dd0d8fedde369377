/* SPDX-License-Identifier: Apache-2.0
 * Names, paths and titles of columns as they stand in a schema section: each with what it shares with those before it left
 * out. Source: docs/FORMAT.md, "Schema section". */
#ifndef TG_STORE_WORDS_H
#define TG_STORE_WORDS_H

#include <tagma/schema.h>

#include "base/ctx.h"

/* Words of the column behind `before` (NULL: of the first). *text_bytes grows by what they take when they are spelled out. */
tagma_status tg_words_put(tagma_ctx *ctx, const tagma_column *column, const tagma_column *before, tg_buf *out,
                          uint64_t *text_bytes);

/* Spell out the words of n_columns columns into texts; their name, path and title then lead there. It leads nowhere else, whatever
 * the packed bytes are: false where they are not the words of so many columns in so many bytes; the rest is then "". */
bool tg_words_spell(const uint8_t *packed, uint64_t n_packed, char *texts, uint64_t n_texts,
                    tagma_column *columns, uint32_t n_columns);

#endif
