/* SPDX-License-Identifier: Apache-2.0
 * LZ4 frames: the XXH64 of a raw LZ4 block, big-endian, then the block. */
#include <lz4.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/num.h"
#include "codec/decoder.h"

enum { HASH_BYTES = 8 };

tagma_status tg_lz4_block_decode(tagma_ctx *ctx, const uint8_t *packed, size_t packed_bytes,
                                 uint8_t *unpacked, size_t unpacked_bytes)
{
    int got =
        LZ4_decompress_safe((const char *)packed, (char *)unpacked, (int)packed_bytes, (int)unpacked_bytes);

    if (got < 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZ4 data do not unpack into the %zu bytes they claim",
                       unpacked_bytes);
    if ((size_t)got != unpacked_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to %d bytes, %zu expected", got, unpacked_bytes);
    return TAGMA_OK;
}

tagma_status tg_lz4_block_encode(tagma_ctx *ctx, const uint8_t *bytes, size_t n, uint8_t *packed,
                                 size_t capacity, uint64_t *packed_bytes)
{
    void *state = tg_alloc(ctx, (uint64_t)LZ4_sizeofState(), 1);

    *packed_bytes = 0;
    if (!state)
        return TAGMA_E_MEMORY;
    *packed_bytes = (uint64_t)LZ4_compress_fast_extState(state, (const char *)bytes, (char *)packed, (int)n,
                                                         (int)capacity, 1);
    tg_free(ctx, state);
    return TAGMA_OK;
}

/* Source: ROOT core/lz4/src/ZipLZ4.cxx, R__unzipLZ4: XXH64 with seed 0 in its canonical form. */
tagma_status tg_lz4_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                           uint8_t *unpacked, size_t unpacked_bytes)
{
    uint64_t claimed, found;

    (void)state;
    if (packed_bytes < HASH_BYTES)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZ4 payload of %zu bytes has no room for its %d-byte hash",
                       packed_bytes, HASH_BYTES);
    claimed = tg_be64(packed);
    packed += HASH_BYTES;
    packed_bytes -= HASH_BYTES;
    found = XXH64(packed, packed_bytes, 0);
    if (found != claimed)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZ4 data hash to %016" PRIx64 ", %016" PRIx64 " expected",
                       found, claimed);
    return tg_lz4_block_decode(ctx, packed, packed_bytes, unpacked, unpacked_bytes);
}
