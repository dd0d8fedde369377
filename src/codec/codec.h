/* SPDX-License-Identifier: Apache-2.0
 * Compressed objects: frames of ZLIB, old ZLIB, LZMA, LZ4 and ZSTD behind one table. */
#ifndef TG_CODEC_CODEC_H
#define TG_CODEC_CODEC_H

#include "base/ctx.h"
#include "base/in.h"

/* Decoder states that are worth keeping between frames. Belongs to one thread. Zero it to begin. */
typedef struct tg_codec_state {
    void *deflate; /* libdeflate_decompressor */
    void *zstd;    /* ZSTD_DCtx */
    void *lzma;    /* lzma_stream with its dictionary */
    void *packer;  /* ZSTD_CCtx */
} tg_codec_state;
void tg_codec_state_free(tagma_ctx *ctx, tg_codec_state *state);

enum { TG_FRAME_BYTES = 9 };

/* Source: ROOT core/zip/src/RZip.cxx, R__unzip_header. */
typedef struct tg_frame {
    uint16_t tag; /* two letters: "ZL", "XZ", "L4", "ZS", "CS" */
    uint8_t method;
    uint32_t packed_bytes, unpacked_bytes;
} tg_frame;
/* The next frame's header; TAGMA_E_TRUNCATED if it, or the payload it claims, is not there whole. The payload is left to take. */
tagma_status tg_frame_parse(tagma_ctx *ctx, tg_in *in, tg_frame *out);

/* Name of the codec a frame's tag means: "ZLIB", "LZMA", "LZ4", "ZSTD", "old ZLIB"; NULL for none. */
const char *tg_codec_name(uint16_t tag);
/* The same for ROOT's algorithm number 100 * algorithm + level: "ZLIB", ...; "none" for level 0. */
const char *tg_codec_setting_name(int32_t compress);

/* Hold the claims of all frames of an object against what is there and what their formats can do, without unpacking. Call it
 * before unpacked_bytes are allocated: a small record then cannot ask for a large block. */
tagma_status tg_codec_check(tagma_ctx *ctx, const uint8_t *packed, uint64_t packed_bytes,
                            uint64_t unpacked_bytes);

/* Unpack one object of one or more frames: exactly unpacked_bytes come out or it fails. What a frame claims is compared with
 * what is there before any decoder runs; checksums of LZ4, LZMA and ZLIB are verified. Bytes after the last frame needed are
 * ignored. The words of a failure name the frame, its byte within `packed`, found and expected; the caller puts file and
 * object in front. */
tagma_status tg_codec_unpack(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed,
                             uint64_t packed_bytes, uint8_t *unpacked, uint64_t unpacked_bytes);

/* Blocks by themselves, without a frame: what stands around them tells both sizes and has a checksum. */
typedef enum tg_block_codec {
    TG_BLOCK_ZSTD = 1, /* one Zstandard frame */
    TG_BLOCK_LZ4 = 2   /* one raw LZ4 block */
} tg_block_codec;
/* "zstd", "lz4"; NULL for none. */
const char *tg_block_codec_name(tg_block_codec which);
/* Both sizes are below 2^24. *packed_bytes is 0 where they would not fit into `capacity`. */
tagma_status tg_codec_block_pack(tagma_ctx *ctx, tg_codec_state *state, tg_block_codec which,
                                 const uint8_t *bytes, uint64_t n, uint8_t *packed, uint64_t capacity,
                                 uint64_t *packed_bytes);
/* Exactly unpacked_bytes come of exactly packed_bytes, or TAGMA_E_CORRUPT with words that name no place. */
tagma_status tg_codec_block_unpack(tagma_ctx *ctx, tg_codec_state *state, tg_block_codec which,
                                   const uint8_t *packed, uint64_t packed_bytes, uint8_t *unpacked,
                                   uint64_t unpacked_bytes);

#endif
