/* SPDX-License-Identifier: Apache-2.0
 * The table of codecs, and objects of one or more frames. */
#include "codec/codec.h"

#include "base/num.h"
#include "codec/decoder.h"

enum {
    ZL = 'Z' << 8 | 'L',
    XZ = 'X' << 8 | 'Z',
    L4 = 'L' << 8 | '4',
    ZS = 'Z' << 8 | 'S',
    CS = 'C' << 8 | 'S'
};

typedef struct codec {
    uint16_t tag;
    uint8_t method;
    int8_t algorithm; /* ROOT's number, the hundreds of a compression setting */
    const char *name;
    /* No payload of the format can unpack to more than so many bytes a byte:
     * deflate: 258 bytes by two codes of one bit each; LZ4: 255 by a length byte; ZSTD: a run of 128 KiB by a block of 4 bytes;
     * LZMA: 273 by 14 bits of probability 2017/2048 at most, 0.31 bits in all. */
    uint32_t ratio_max;
    tg_decode_fn decode;
} codec;

/* Source: ROOT core/zip/src/RZip.cxx, is_valid_header_*; core/zip/inc/Compression.h, EAlgorithm. */
static const codec codecs[] = {
    {ZL, 8, 1, "ZLIB", 1032, tg_zlib_decode},
    {XZ, 0, 2, "LZMA", 7200, tg_lzma_decode},
    {L4, 1, 4, "LZ4", 255, tg_lz4_decode},
    {ZS, 1, 5, "ZSTD", 32768, tg_zstd_decode},
    {CS, 8, 3, "old ZLIB", 1032, tg_old_zlib_decode},
};
enum { N_CODECS = sizeof codecs / sizeof codecs[0] };

static const codec *codec_of(uint16_t tag)
{
    for (size_t i = 0; i < N_CODECS; i++)
        if (codecs[i].tag == tag)
            return &codecs[i];
    return NULL;
}

const char *tg_codec_name(uint16_t tag)
{
    const codec *found = codec_of(tag);

    return found ? found->name : NULL;
}

const char *tg_codec_setting_name(int32_t compress)
{
    int32_t algorithm = compress / 100;

    if (compress < 0)
        return NULL;
    if (compress % 100 == 0)
        return "none";
    if (algorithm == 0) /* files from before there was a choice hold the level alone */
        algorithm = 1;
    for (size_t i = 0; i < N_CODECS; i++)
        if (codecs[i].algorithm == algorithm)
            return codecs[i].name;
    return NULL;
}

/* Parse the next frame and hold its claims against what is there and what its format can do. */
static tagma_status next_frame(tagma_ctx *ctx, tg_in *in, uint64_t unpacked_left, tg_frame *frame,
                               const codec **found)
{
    TG_TRY(tg_frame_parse(ctx, in, frame));
    *found = codec_of(frame->tag);
    if (!*found || (*found)->method != frame->method)
        return tg_fail(ctx, *found ? TAGMA_E_UNSUPPORTED : TAGMA_E_CORRUPT,
                       "no codec has tag %02x %02x and method %u", frame->tag >> 8, frame->tag & 0xff,
                       frame->method);
    if (frame->unpacked_bytes == 0 || frame->unpacked_bytes > unpacked_left)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s payload claims to unpack to %" PRIu32 " bytes, %" PRIu64 " expected",
                       (*found)->name, frame->unpacked_bytes, unpacked_left);
    if (frame->unpacked_bytes / (*found)->ratio_max > frame->packed_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s payload of %" PRIu32 " bytes cannot unpack to the %" PRIu32 " it claims",
                       (*found)->name, frame->packed_bytes, frame->unpacked_bytes);
    return TAGMA_OK;
}

static tagma_status walk(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, uint64_t packed_bytes,
                         uint8_t *unpacked, uint64_t unpacked_bytes)
{
    tg_in in = tg_in_of(packed, packed_bytes);
    uint64_t done = 0;
    uint32_t n_frames = 0;

    if (unpacked_bytes > ctx->limits.max_object_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT, "object of %" PRIu64 " bytes is over the limit of %" PRIu64,
                       unpacked_bytes, ctx->limits.max_object_bytes);
    for (; done < unpacked_bytes; n_frames++) {
        size_t at = in.at;
        const codec *found;
        const uint8_t *payload;
        tg_frame frame;
        tagma_status st = next_frame(ctx, &in, unpacked_bytes - done, &frame, &found);

        if (st < 0)
            return tg_within(ctx, st, "frame %" PRIu32 " at byte %zu", n_frames, at);
        payload = tg_in_take(&in, frame.packed_bytes);
        if (unpacked)
            st =
                found->decode(ctx, state, payload, frame.packed_bytes, unpacked + done, frame.unpacked_bytes);
        if (st < 0)
            return tg_within(ctx, st, "%s frame %" PRIu32 " at byte %zu", found->name, n_frames, at);
        done += frame.unpacked_bytes;
    }
    return TAGMA_OK;
}

tagma_status tg_codec_check(tagma_ctx *ctx, const uint8_t *packed, uint64_t packed_bytes,
                            uint64_t unpacked_bytes)
{
    return walk(ctx, NULL, packed, packed_bytes, NULL, unpacked_bytes);
}

tagma_status tg_codec_unpack(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed,
                             uint64_t packed_bytes, uint8_t *unpacked, uint64_t unpacked_bytes)
{
    return walk(ctx, state, packed, packed_bytes, unpacked, unpacked_bytes);
}

const char *tg_block_codec_name(tg_block_codec which)
{
    switch (which) {
    case TG_BLOCK_ZSTD:
        return "zstd";
    case TG_BLOCK_LZ4:
        return "lz4";
    }
    return NULL;
}

tagma_status tg_codec_block_pack(tagma_ctx *ctx, tg_codec_state *state, tg_block_codec which,
                                 const uint8_t *bytes, uint64_t n, uint8_t *packed, uint64_t capacity,
                                 uint64_t *packed_bytes)
{
    if (which == TG_BLOCK_ZSTD)
        return tg_zstd_encode(ctx, state, bytes, n, packed, capacity, packed_bytes);
    return tg_lz4_block_encode(ctx, bytes, n, packed, capacity, packed_bytes);
}

tagma_status tg_codec_block_unpack(tagma_ctx *ctx, tg_codec_state *state, tg_block_codec which,
                                   const uint8_t *packed, uint64_t packed_bytes, uint8_t *unpacked,
                                   uint64_t unpacked_bytes)
{
    if (which == TG_BLOCK_ZSTD)
        return tg_zstd_decode(ctx, state, packed, packed_bytes, unpacked, unpacked_bytes);
    return tg_lz4_block_decode(ctx, packed, packed_bytes, unpacked, unpacked_bytes);
}

void tg_codec_state_free(tagma_ctx *ctx, tg_codec_state *state)
{
    tg_zlib_state_free(state);
    tg_zstd_state_free(ctx, state);
    tg_lzma_state_free(ctx, state);
}
