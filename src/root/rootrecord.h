/* SPDX-License-Identifier: Apache-2.0
 * Records: read one with its key and unpack it. */
#ifndef TG_ROOT_ROOTRECORD_H
#define TG_ROOT_ROOTRECORD_H

#include "codec/codec.h"
#include "root/key.h"
#include "source/source.h"

/* One record read whole. `key` points into `stored`. */
typedef struct tg_record {
    tg_key key;
    uint8_t *stored;   /* [key.bytes] as it stands in the file */
    uint8_t *unpacked; /* NULL where the payload is not packed */
    const uint8_t *payload;
    uint32_t payload_bytes; /* key.unpacked_bytes */
    uint64_t hash;          /* XXH3 of `stored`; 0 unless asked for */
} tg_record;
/* clang-format off */
#define TG_RECORD_INIT { .stored = NULL, .unpacked = NULL, .payload = NULL }
/* clang-format on */

/* Read the record of `bytes` bytes at `offset` and unpack it. Its own key must agree on the length. Words name the file. */
tagma_status tg_record_read(tagma_ctx *ctx, tg_lane *lane, tg_codec_state *codec, uint64_t offset,
                            uint64_t bytes, bool with_hash, tg_record *out);
/* Read it without unpacking it, and unpack what was read. */
tagma_status tg_record_fetch(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t bytes, tg_record *out);
tagma_status tg_record_unpack(tagma_ctx *ctx, const char *file, tg_codec_state *codec, uint64_t offset,
                              tg_record *record);
void tg_record_free(tagma_ctx *ctx, tg_record *record);

#endif
