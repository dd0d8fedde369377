/* SPDX-License-Identifier: Apache-2.0
 * LZMA frames: a complete .xz container each, with the decoder and its dictionary kept from frame to frame. */
#include <libdeflate.h>
#include <lzma.h>

#include "base/num.h"
#include "codec/decoder.h"

/* ROOT cuts the dictionary to the frame's size, 16 MiB at most; other writers use up to 64 MiB (preset 9). */
enum { DECODER_BYTES_MAX = 128 << 20 };

/* The decoder outlives the call that made it, the context may differ from call to call. */
typedef struct lzma_keep {
    tagma_ctx *ctx;
    lzma_allocator allocator;
    lzma_stream stream;
} lzma_keep;

static void *keep_alloc(void *opaque, size_t n, size_t width)
{
    return tg_alloc(((lzma_keep *)opaque)->ctx, n, width);
}

static void keep_free(void *opaque, void *block)
{
    tg_free(((lzma_keep *)opaque)->ctx, block);
}

static lzma_keep *keep_of(tagma_ctx *ctx, tg_codec_state *state)
{
    lzma_keep *keep = state->lzma;

    if (!keep) {
        keep = tg_zalloc(ctx, 1, sizeof *keep);
        if (!keep)
            return NULL;
        keep->allocator = (lzma_allocator){keep_alloc, keep_free, keep};
        keep->stream = (lzma_stream)LZMA_STREAM_INIT;
        keep->stream.allocator = &keep->allocator;
        state->lzma = keep;
    }
    keep->ctx = ctx;
    return keep;
}

static tagma_status fail(tagma_ctx *ctx, const lzma_stream *stream, lzma_ret ret, size_t unpacked_bytes)
{
    switch (ret) {
    case LZMA_MEM_ERROR:
        return TAGMA_E_MEMORY; /* words are tg_alloc's */
    case LZMA_MEMLIMIT_ERROR:
        return tg_fail(ctx, TAGMA_E_LIMIT, "LZMA dictionary needs %" PRIu64 " bytes, %d are allowed",
                       lzma_memusage(stream), DECODER_BYTES_MAX);
    case LZMA_BUF_ERROR:
        if (stream->avail_out == 0)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to more than the %zu bytes it claims",
                           unpacked_bytes);
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZMA data stop after %zu of %zu bytes",
                       unpacked_bytes - stream->avail_out, unpacked_bytes);
    case LZMA_FORMAT_ERROR:
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZMA payload is no .xz container");
    case LZMA_OPTIONS_ERROR:
    case LZMA_UNSUPPORTED_CHECK:
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED, ".xz container has options this version does not know");
    default:
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZMA data or their checksum are damaged near byte %" PRIu64,
                       stream->total_in);
    }
}

/* The checksum of a container that holds one block under CRC32, as all of ROOT's do: it is verified here, four times as fast as
 * liblzma does it. NULL: liblzma shall verify. The checksum stands in front of the index, whose place, size and
 * number of blocks liblzma holds against what it has decoded, so these are facts once it has ended well.
 * Source: The .xz File Format 1.1.0, sections 2.1.2 and 4. */
static const uint8_t *find_checksum(const uint8_t *packed, size_t packed_bytes)
{
    lzma_stream_flags header, footer;
    const uint8_t *index;
    size_t behind;

    if (packed_bytes < 2 * LZMA_STREAM_HEADER_SIZE + 4 ||
        lzma_stream_header_decode(&header, packed) != LZMA_OK || header.check != LZMA_CHECK_CRC32 ||
        lzma_stream_footer_decode(&footer, packed + packed_bytes - LZMA_STREAM_HEADER_SIZE) != LZMA_OK)
        return NULL;
    if (footer.backward_size > packed_bytes - 2 * LZMA_STREAM_HEADER_SIZE - 4)
        return NULL;
    behind = (size_t)footer.backward_size + LZMA_STREAM_HEADER_SIZE;
    index = packed + packed_bytes - behind;
    return index[0] == 0 && index[1] == 1 ? index - 4 : NULL;
}

tagma_status tg_lzma_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                            uint8_t *unpacked, size_t unpacked_bytes)
{
    lzma_keep *keep = keep_of(ctx, state);
    const uint8_t *checksum = find_checksum(packed, packed_bytes);
    lzma_stream *stream;
    lzma_ret ret;

    if (!keep)
        return TAGMA_E_MEMORY;
    stream = &keep->stream;
    stream->next_in = packed;
    stream->avail_in = packed_bytes;
    stream->next_out = unpacked;
    stream->avail_out = unpacked_bytes;
    ret = lzma_stream_decoder(stream, DECODER_BYTES_MAX,
                              checksum ? LZMA_IGNORE_CHECK : LZMA_TELL_UNSUPPORTED_CHECK);
    while (ret == LZMA_OK) /* ends: twice without progress is LZMA_BUF_ERROR */
        ret = lzma_code(stream, LZMA_FINISH);
    if (ret != LZMA_STREAM_END)
        return fail(ctx, stream, ret, unpacked_bytes);
    if (stream->avail_out > 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to %zu bytes, %zu expected",
                       unpacked_bytes - stream->avail_out, unpacked_bytes);
    if (stream->avail_in > 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, ".xz container ends after %zu bytes, %zu expected",
                       packed_bytes - stream->avail_in, packed_bytes);
    if (checksum && libdeflate_crc32(0, unpacked, unpacked_bytes) != tg_le32(checksum))
        return fail(ctx, stream, LZMA_DATA_ERROR, unpacked_bytes);
    return TAGMA_OK;
}

void tg_lzma_state_free(tagma_ctx *ctx, tg_codec_state *state)
{
    lzma_keep *keep = state->lzma;

    if (!keep)
        return;
    keep->ctx = ctx;
    lzma_end(&keep->stream);
    tg_free(ctx, keep);
    state->lzma = NULL;
}
