/* SPDX-License-Identifier: Apache-2.0
 * The one value code of a store: value = head[c >> m] + ((c & (2^m - 1)) << tz), modulo the type's width, for a word c of w bits.
 * It is the constant (w 0), the offset integer (one head), sign and magnitude (two heads), the dictionary (m 0), the float as
 * {sign and exponent} head plus the mantissa bits in use, and the plain value. Always bit for bit.
 * Source: docs/FORMAT.md, "Value code". */
#ifndef TG_STORE_CODE_H
#define TG_STORE_CODE_H

#include <tagma/schema.h>

#include "base/ctx.h"
#include "store/bits.h"

enum {
    TG_HEADS_MAX = 1024, /* heads of a column in a cluster */
    TG_HEAD_BITS_MAX = 10,
    TG_TEXTS_MAX = 65536 /* distinct strings of a column in a cluster */
};

/* How the code was come by; told by info, and never inferred from w, m and tz. */
typedef enum tg_code_kind {
    TG_CODE_CONSTANT = 0,
    TG_CODE_OFFSET = 1,
    TG_CODE_SIGNED = 2,
    TG_CODE_PREFIX = 3,
    TG_CODE_DICTIONARY = 4,
    TG_CODE_PLAIN = 5,
    TG_CODE_COUNT = 6,   /* no words, no heads: the value is how many items the column's lists have */
    TG_CODE_DECIMAL = 7, /* of floats: what the words give is a number k, and the value is k / 10^tz */
    TG_CODE_ALIAS = 8,   /* no words, no heads: those of another field */
    TG_CODE_TEXTS = 9,   /* of strings: a word a string, its number among the distinct ones */
    TG_N_CODE_KINDS = 10
} tg_code_kind;

/* "constant", "offset" ...; kind < TG_N_CODE_KINDS. */
const char *tg_code_name(uint32_t kind);

typedef struct tg_code {
    uint8_t kind;   /* tg_code_kind */
    uint8_t w;      /* bits of a word, 0 to 64 */
    uint8_t m;      /* of them, bits below the head's number, 0 to 63 */
    uint8_t tz;     /* zeros cut off at the right, 0 to 63; digits of a decimal */
    uint8_t bytes;  /* of a value: 1, 2, 4 or 8 */
    bool is_sparse; /* a bit an item says whether it is not `common`; the words hold those only */
    uint16_t n_heads;
    uint64_t common;              /* of an alias: the other field */
    uint32_t n_texts, text_bytes; /* of texts: how many, and how long they are together */
} tg_code;

static inline uint64_t tg_code_value(const tg_code *code, const uint64_t *heads, uint64_t c)
{
    return heads[c >> code->m] + ((c & ((UINT64_C(1) << code->m) - 1)) << code->tz);
}

/* A column of a cluster, encoded: its words end to end, and where sparse, its presence bits. */
typedef struct tg_coded {
    tg_code code;
    uint64_t n, n_words;
    uint64_t *heads;   /* [code.n_heads] */
    uint8_t *words;    /* n_words * w bits, slack behind them */
    uint8_t *presence; /* n bits, slack behind them; NULL unless sparse */
    /* Of texts: words are those of strings, n counts their bytes. */
    uint32_t *text_ends; /* [code.n_texts] of each in the texts */
    uint8_t *texts;      /* [code.text_bytes] end to end */
} tg_coded;
void tg_coded_free(tagma_ctx *ctx, tg_coded *coded);

/* What choosing and encoding need beside the values; belongs to one thread; zero it to begin. */
typedef struct tg_coder {
    uint64_t *heads;   /* [TG_HEADS_MAX] in the order of their numbers */
    uint64_t *keys;    /* hash table of distinct prefixes; direct table where they are short */
    uint16_t *numbers; /* of the head, from 1; 0 none */
    tg_buf rest;       /* values without the common one */
} tg_coder;
void tg_coder_free(tagma_ctx *ctx, tg_coder *coder);

/* Choose the smallest code for n values of one column and encode them.
 * @param values  [n] of the type, in host order. @param may_be_sparse  list columns that are not hot.
 * Codes depend on the values alone, so that equal input gives equal bytes. Free *out after a failure, too. */
tagma_status tg_code_encode(tagma_ctx *ctx, tg_coder *coder, tagma_type type, const void *values, uint64_t n,
                            bool may_be_sparse, tg_coded *out);

/* The same without a choice: every value as it is, in words of its own width. */
tagma_status tg_code_plain(tagma_ctx *ctx, tg_coder *coder, tagma_type type, const void *values, uint64_t n,
                           tg_coded *out);

/* Bits that n values take with a code: words, presence bits, heads. */
uint64_t tg_code_cost(const tg_code *code, uint64_t n, uint64_t n_words);

#endif
