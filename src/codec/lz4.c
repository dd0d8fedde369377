/* SPDX-License-Identifier: Apache-2.0
 * LZ4 frames: the XXH64 of a raw LZ4 block, big-endian, then the block. */
#include <lz4.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/num.h"
#include "codec/decoder.h"

enum { HASH_BYTES = 8 };

/* Source: ROOT core/lz4/src/ZipLZ4.cxx, R__unzipLZ4: XXH64 with seed 0 in its canonical form. */
tagma_status tg_lz4_decode(tagma_ctx *ctx, tg_codec_state *state, const uint8_t *packed, size_t packed_bytes,
                           uint8_t *unpacked, size_t unpacked_bytes)
{
    uint64_t claimed, found;
    int got;

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
    got = LZ4_decompress_safe((const char *)packed, (char *)unpacked, (int)packed_bytes, (int)unpacked_bytes);
    if (got < 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "LZ4 data do not unpack into the %zu bytes they claim",
                       unpacked_bytes);
    if ((size_t)got != unpacked_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "unpacks to %d bytes, %zu expected", got, unpacked_bytes);
    return TAGMA_OK;
}
