/* SPDX-License-Identifier: Apache-2.0
 * ZLIB frames: RFC 1950 with its Adler-32, and the bare deflate of files older than ROOT 2.25. */
#include <libdeflate.h>

#include "base/num.h"
#include "codec/decoder.h"

/* libdeflate's own words are only codes, and it allocates by a process-wide function that a library must not set: these
 * 12 KB a thread are not counted. */
static struct libdeflate_decompressor *decompressor_of(tagma_ctx *ctx, tg_codec_state *state)
{
    if (!state->deflate)
        state->deflate = libdeflate_alloc_decompressor();
    if (!state->deflate)
        tg_fail(ctx, TAGMA_E_MEMORY, "no memory for a deflate decoder");
    return state->deflate;
}

static tagma_status answer(tagma_ctx *ctx, enum libdeflate_result result, size_t used, size_t packed_bytes,
                           size_t got, size_t unpacked_bytes)
{
    switch (result) {
    case LIBDEFLATE_SUCCESS:
        break;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
        return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to more than the %zu bytes it claims", unpacked_bytes);
    default:
        return tg_fail(ctx, TAGMA_E_CORRUPT, "deflate data or their checksum are damaged");
    }
    if (got != unpacked_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to %zu bytes, %zu expected", got, unpacked_bytes);
    if (used != packed_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "deflate data end after %zu bytes, %zu expected", used,
                       packed_bytes);
    return TAGMA_OK;
}

tagma_status tg_zlib_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                            uint8_t *unpacked, size_t unpacked_bytes)
{
    struct libdeflate_decompressor *decompressor = decompressor_of(ctx, state);
    enum libdeflate_result result;
    size_t used = 0, got = 0;

    if (!decompressor)
        return TAGMA_E_MEMORY;
    result = libdeflate_zlib_decompress_ex(decompressor, packed, packed_bytes, unpacked, unpacked_bytes,
                                           &used, &got);
    return answer(ctx, result, used, packed_bytes, got, unpacked_bytes);
}

tagma_status tg_old_zlib_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed,
                                size_t packed_bytes, uint8_t *unpacked, size_t unpacked_bytes)
{
    struct libdeflate_decompressor *decompressor = decompressor_of(ctx, state);
    enum libdeflate_result result;
    size_t used = 0, got = 0;

    if (!decompressor)
        return TAGMA_E_MEMORY;
    result = libdeflate_deflate_decompress_ex(decompressor, packed, packed_bytes, unpacked, unpacked_bytes,
                                              &used, &got);
    return answer(ctx, result, used, packed_bytes, got, unpacked_bytes);
}

void tg_zlib_state_free(tg_codec_state *state)
{
    libdeflate_free_decompressor(state->deflate);
    state->deflate = NULL;
}
