/* SPDX-License-Identifier: Apache-2.0
 * Keys: the head that stands in front of every record of a ROOT file, and the strings ROOT counts.
 * Source of facts: docs/ROOT.md, "Records". */
#ifndef TG_ROOT_KEY_H
#define TG_ROOT_KEY_H

#include "base/arena.h"
#include "base/in.h"

/* Bytes of a name as they stand in a record; borrowed from it. May hold any byte, 0 too. */
typedef struct tg_text {
    const char *bytes;
    uint32_t n;
} tg_text;

/* u8 n, or 255 and i32 n; then n bytes. */
tg_text tg_in_text(tg_in *in);
/* Bytes up to a 0, which is passed over. Short where there is none within max_bytes. */
tg_text tg_in_zero_text(tg_in *in, uint32_t max_bytes);
bool tg_text_is(tg_text text, const char *word);
bool tg_text_begins(tg_text text, const char *word);
/* A C string of its own; NULL with words after a failure. */
const char *tg_text_keep(tagma_ctx *ctx, tg_arena *arena, tg_text text);
tg_text tg_text_of(const char *word);
/* Both with a character between them; `back` alone where `front` is empty. */
const char *tg_text_join(tagma_ctx *ctx, tg_arena *arena, tg_text front, char between, tg_text back);

typedef struct tg_key {
    uint32_t bytes;          /* fNbytes: the whole record, this key included */
    uint32_t key_bytes;      /* fKeylen: where the payload begins; more than was parsed in a basket's key */
    uint32_t unpacked_bytes; /* fObjlen */
    int16_t version;         /* above 1000: offsets are 8 bytes wide */
    uint32_t cycle;          /* positive: its sign only says "keep" */
    uint64_t offset;         /* fSeekKey: where the record itself says it stands */
    uint64_t directory;      /* fSeekPdir */
    tg_text class_name, name, title;
} tg_key;

enum { TG_KEY_BYTES_MIN = 29, TG_WIDE_KEY = 1000 };

/* Parse a key at in->at, which is byte `offset` of the file. What it claims of itself is checked (lengths positive, key
 * inside of its record), not where it stands. */
tagma_status tg_key_parse(tagma_ctx *ctx, tg_in *in, uint64_t offset, tg_key *out);
/* The payload is packed when, and only when, it unpacks to more than is stored. */
static inline bool tg_key_is_packed(const tg_key *key)
{
    return key->unpacked_bytes > key->bytes - key->key_bytes;
}

#endif
