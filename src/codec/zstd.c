/* SPDX-License-Identifier: Apache-2.0
 * ZSTD frames: one Zstandard frame each, with the decoder kept from frame to frame. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_createDCtx_advanced: its memory is counted as all other */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/num.h"
#include "codec/decoder.h"

/* The decoder outlives the call that made it, the context may differ from call to call. */
typedef struct zstd_keep {
    tagma_ctx *ctx;
    ZSTD_DCtx *dctx;
} zstd_keep;

/* The same of the encoder. */
typedef struct zstd_pack {
    zstd_keep keep; /* its ctx */
    ZSTD_CCtx *cctx;
} zstd_pack;

enum { PACK_LEVEL = 5 }; /* what ROOT takes */

static void *keep_alloc(void *opaque, size_t bytes)
{
    return tg_alloc(((zstd_keep *)opaque)->ctx, bytes, 1);
}

static void keep_free(void *opaque, void *block)
{
    tg_free(((zstd_keep *)opaque)->ctx, block);
}

static ZSTD_DCtx *dctx_of(tagma_ctx *ctx, tg_codec_state *state)
{
    zstd_keep *keep = state->zstd;

    if (!keep) {
        keep = tg_zalloc(ctx, 1, sizeof *keep);
        if (!keep)
            return NULL;
        keep->ctx = ctx;
        keep->dctx = ZSTD_createDCtx_advanced((ZSTD_customMem){keep_alloc, keep_free, keep});
        if (!keep->dctx) {
            tg_free(ctx, keep);
            return NULL;
        }
        state->zstd = keep;
    }
    keep->ctx = ctx;
    return keep->dctx;
}

/* The library would also read skippable frames, several frames in a row and the formats before 1.0: none of them is what ROOT
 * writes, and the old decoders allocate past our account. */
static tagma_status check_frame(tagma_ctx *ctx, const uint8_t *packed, size_t packed_bytes,
                                size_t unpacked_bytes)
{
    unsigned long long content;
    size_t used;

    if (packed_bytes < 4)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "ZSTD payload of %zu bytes is too short for a magic number",
                       packed_bytes);
    if (tg_le32(packed) != ZSTD_MAGICNUMBER)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "ZSTD magic number is %08" PRIx32 ", %08x expected",
                       tg_le32(packed), ZSTD_MAGICNUMBER);
    content = ZSTD_getFrameContentSize(packed, packed_bytes);
    used = ZSTD_findFrameCompressedSize(packed, packed_bytes);
    if (content == ZSTD_CONTENTSIZE_ERROR || ZSTD_isError(used))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "ZSTD blocks do not fit into the %zu bytes of the payload",
                       packed_bytes);
    if (content != ZSTD_CONTENTSIZE_UNKNOWN && content != unpacked_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "ZSTD header says %llu bytes, %zu expected", content,
                       unpacked_bytes);
    if (used != packed_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "ZSTD data end after %zu bytes, %zu expected", used,
                       packed_bytes);
    return TAGMA_OK;
}

/* The whole output is the window, so the claimed window size costs no memory. */
tagma_status tg_zstd_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                            uint8_t *unpacked, size_t unpacked_bytes)
{
    ZSTD_DCtx *dctx;
    size_t got;

    TG_TRY(check_frame(ctx, packed, packed_bytes, unpacked_bytes));
    dctx = dctx_of(ctx, state);
    if (!dctx)
        return TAGMA_E_MEMORY;
    got = ZSTD_decompressDCtx(dctx, unpacked, unpacked_bytes, packed, packed_bytes);
    if (ZSTD_isError(got))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "ZSTD data are damaged: %s", ZSTD_getErrorName(got));
    if (got != unpacked_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to %zu bytes, %zu expected", got, unpacked_bytes);
    return TAGMA_OK;
}

static zstd_pack *packer_of(tagma_ctx *ctx, tg_codec_state *state)
{
    zstd_pack *pack = state->packer;

    if (!pack) {
        pack = tg_zalloc(ctx, 1, sizeof *pack);
        if (!pack)
            return NULL;
        pack->keep.ctx = ctx;
        pack->cctx = ZSTD_createCCtx_advanced((ZSTD_customMem){keep_alloc, keep_free, &pack->keep});
        if (!pack->cctx) {
            tg_free(ctx, pack);
            return NULL;
        }
        state->packer = pack;
    }
    pack->keep.ctx = ctx;
    return pack;
}

tagma_status tg_zstd_encode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *bytes, size_t n,
                            uint8_t *packed, size_t capacity, uint64_t *packed_bytes)
{
    zstd_pack *pack = packer_of(ctx, state);
    size_t got;

    *packed_bytes = 0;
    if (!pack)
        return TAGMA_E_MEMORY;
    got = ZSTD_compressCCtx(pack->cctx, packed, capacity, bytes, n, PACK_LEVEL);
    if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return TAGMA_E_MEMORY; /* the words are tg_alloc's */
    if (!ZSTD_isError(got))
        *packed_bytes = got;
    return TAGMA_OK;
}

void tg_zstd_state_free(tagma_ctx *ctx, tg_codec_state *state)
{
    zstd_keep *keep = state->zstd;
    zstd_pack *pack = state->packer;

    if (keep) {
        keep->ctx = ctx;
        ZSTD_freeDCtx(keep->dctx);
        tg_free(ctx, keep);
    }
    if (pack) {
        pack->keep.ctx = ctx;
        ZSTD_freeCCtx(pack->cctx);
        tg_free(ctx, pack);
    }
    state->zstd = state->packer = NULL;
}
