/* SPDX-License-Identifier: Apache-2.0
 * The table row of a codec: what a decoder is to codec.c. A new codec is one file and one row. */
#ifndef TG_CODEC_DECODER_H
#define TG_CODEC_DECODER_H

#include "codec/codec.h"

/* Decode one frame's payload. Exactly unpacked_bytes must come of exactly packed_bytes, otherwise the words say what was
 * wrong with the payload; frame and byte are put in front by the caller. Both sizes fit 24 bits. */
typedef tagma_status (*tg_decode_fn)(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed,
                                     size_t packed_bytes, uint8_t *unpacked, size_t unpacked_bytes);

tagma_status tg_zlib_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                            uint8_t *unpacked, size_t unpacked_bytes);
tagma_status tg_old_zlib_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed,
                                size_t packed_bytes, uint8_t *unpacked, size_t unpacked_bytes);
void tg_zlib_state_free(tg_codec_state *state);

tagma_status tg_lzma_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                            uint8_t *unpacked, size_t unpacked_bytes);
void tg_lzma_state_free(tagma_ctx *ctx, tg_codec_state *state);

tagma_status tg_lz4_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                           uint8_t *unpacked, size_t unpacked_bytes);

/* The block behind the hash. */
tagma_status tg_lz4_block_decode(tagma_ctx *ctx, const uint8_t *packed, size_t packed_bytes,
                                 uint8_t *unpacked, size_t unpacked_bytes);
/* *packed_bytes is 0 where they would not fit into `capacity`. */
tagma_status tg_lz4_block_encode(tagma_ctx *ctx, const uint8_t *bytes, size_t n, uint8_t *packed,
                                 size_t capacity, uint64_t *packed_bytes);
tagma_status tg_zstd_encode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *bytes, size_t n,
                            uint8_t *packed, size_t capacity, uint64_t *packed_bytes);

tagma_status tg_zstd_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                            uint8_t *unpacked, size_t unpacked_bytes);
void tg_zstd_state_free(tagma_ctx *ctx, tg_codec_state *state);

#endif
