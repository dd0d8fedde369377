/* SPDX-License-Identifier: Apache-2.0
 * Objects of compressed frames. Input: how many bytes the object claims to unpack to (3 bytes, little-endian; 0: as many as
 * its frames claim), a byte of which bit 0 mends the hashes of LZ4 so that its decoder is reached, then the frames. */
#include "fuzz.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/num.h"
#include "codec/codec.h"

enum { HEAD_BYTES = 4, OBJECT_BYTES_MAX = 1 << 20, MEMORY_BYTES_MAX = 160 << 20, LZ4_HASH_BYTES = 8 };

/* Give every LZ4 frame the hash of what it holds, and sum up what the frames claim. */
static uint64_t walk_frames(tagma_ctx *ctx, uint8_t *packed, size_t n, bool mend)
{
    tg_in in = tg_in_of(packed, n);
    tg_frame frame;
    uint64_t claimed = 0;

    while (tg_in_left(&in) > 0 && tg_frame_parse(ctx, &in, &frame) == TAGMA_OK) {
        uint8_t *payload = packed + in.at;

        claimed += frame.unpacked_bytes;
        if (mend && frame.tag == ('L' << 8 | '4') && frame.packed_bytes >= LZ4_HASH_BYTES) {
            XXH64_hash_t hash = XXH64(payload + LZ4_HASH_BYTES, frame.packed_bytes - LZ4_HASH_BYTES, 0);
            for (int i = 0; i < LZ4_HASH_BYTES; i++)
                payload[i] = (uint8_t)(hash >> (56 - 8 * i));
        }
        tg_in_skip(&in, frame.packed_bytes);
    }
    return claimed;
}

static tagma_status unpack(tagma_ctx *ctx, tg_codec_state *decoders, const uint8_t *packed, size_t n,
                           uint8_t *out, size_t unpacked_bytes)
{
    tagma_status st;

    memset(out, 0, unpacked_bytes);
    st = tg_codec_unpack(ctx, decoders, packed, n, out, unpacked_bytes);
    FUZZ_CHECK(st <= TAGMA_OK);
    FUZZ_CHECK(st == TAGMA_OK || strstr(tagma_ctx_message(ctx), "frame "));
    FUZZ_CHECK(st != TAGMA_E_MEMORY);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tg_codec_state kept = {0}, fresh = {0};
    tagma_ctx *ctx;
    uint8_t *packed, *first, *second;
    uint64_t unpacked_bytes;
    size_t n;
    tagma_status st;

    if (size < HEAD_BYTES)
        return 0;
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    n = size - HEAD_BYTES;
    packed = malloc(n + 1);
    memcpy(packed, data + HEAD_BYTES, n);
    unpacked_bytes = walk_frames(ctx, packed, n, data[3] & 1);
    if (tg_le32(data) % (1 << 24) != 0)
        unpacked_bytes = tg_le32(data) % (1 << 24);
    unpacked_bytes = unpacked_bytes < OBJECT_BYTES_MAX ? unpacked_bytes : OBJECT_BYTES_MAX;
    first = malloc(unpacked_bytes + 1);
    second = malloc(unpacked_bytes + 1);

    st = unpack(ctx, &kept, packed, n, first, unpacked_bytes);
    /* What unpacks has passed the check that comes before making room for it. */
    FUZZ_CHECK(st < 0 || tg_codec_check(ctx, packed, n, unpacked_bytes) == TAGMA_OK);
    /* A decoder that has seen anything, faults too, gives what a new one gives. */
    FUZZ_CHECK(unpack(ctx, &kept, packed, n, second, unpacked_bytes) == st);
    FUZZ_CHECK(st < 0 || memcmp(first, second, unpacked_bytes) == 0);
    FUZZ_CHECK(unpack(ctx, &fresh, packed, n, second, unpacked_bytes) == st);
    FUZZ_CHECK(st < 0 || memcmp(first, second, unpacked_bytes) == 0);

    tg_codec_state_free(ctx, &kept);
    tg_codec_state_free(ctx, &fresh);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(packed);
    free(first);
    free(second);
    return 0;
}
