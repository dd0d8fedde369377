/* SPDX-License-Identifier: Apache-2.0
 * Compressed frames for tests, packed by the codecs' own libraries. */
#include "support/frames.h"

#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum { LEVEL_ZLIB = 6, LEVEL_LZMA = 1, LEVEL_ZSTD = 3, LZ4_HASH_BYTES = 8 };

const char *const test_codec_names[TEST_N_CODECS] = {"ZLIB", "old ZLIB", "LZMA", "LZ4", "ZSTD"};

static const struct {
    char tag[3];
    uint8_t method;
} heads[TEST_N_CODECS] = {{"ZL", 8}, {"CS", 8}, {"XZ", 0}, {"L4", 1}, {"ZS", 1}};

static void *must(void *block)
{
    if (!block)
        abort();
    return block;
}

void test_append(test_bytes *to, const void *bytes, size_t n)
{
    to->bytes = must(realloc(to->bytes, to->n + n + 1));
    if (n > 0)
        memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
}

static void put_le24(uint8_t *p, size_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
}

void test_append_frame(test_bytes *to, test_codec codec, const void *payload, size_t packed_bytes,
                       size_t unpacked_bytes)
{
    uint8_t head[9] = {(uint8_t)heads[codec].tag[0], (uint8_t)heads[codec].tag[1], heads[codec].method};

    put_le24(head + 3, packed_bytes);
    put_le24(head + 6, unpacked_bytes);
    test_append(to, head, sizeof head);
    test_append(to, payload, packed_bytes);
}

static size_t pack_deflate(test_codec codec, const void *bytes, size_t n, uint8_t *packed, size_t room)
{
    struct libdeflate_compressor *compressor = must(libdeflate_alloc_compressor(LEVEL_ZLIB));
    size_t got = codec == TEST_ZLIB ? libdeflate_zlib_compress(compressor, bytes, n, packed, room)
                                    : libdeflate_deflate_compress(compressor, bytes, n, packed, room);

    libdeflate_free_compressor(compressor);
    return got;
}

/* As ROOT writes it: the dictionary cut to the frame, CRC32. */
static size_t pack_lzma(const void *bytes, size_t n, uint8_t *packed, size_t room)
{
    lzma_options_lzma options;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t got = 0;

    if (lzma_lzma_preset(&options, LEVEL_LZMA))
        abort();
    options.dict_size = n < LZMA_DICT_SIZE_MIN ? LZMA_DICT_SIZE_MIN : (uint32_t)n;
    if (lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC32, NULL, bytes, n, packed, &got, room) != LZMA_OK)
        abort();
    return got;
}

static size_t pack_lz4(const void *bytes, size_t n, uint8_t *packed, size_t room)
{
    int got =
        LZ4_compress_default(bytes, (char *)packed + LZ4_HASH_BYTES, (int)n, (int)(room - LZ4_HASH_BYTES));
    XXH64_canonical_t hash;

    XXH64_canonicalFromHash(&hash, XXH64(packed + LZ4_HASH_BYTES, (size_t)got, 0));
    memcpy(packed, &hash, LZ4_HASH_BYTES);
    return (size_t)got + LZ4_HASH_BYTES;
}

test_bytes test_pack(test_codec codec, const void *bytes, size_t n)
{
    size_t room = n + n / 16 + 1024;
    test_bytes packed = {must(malloc(room)), 0};

    switch (codec) {
    case TEST_LZMA:
        packed.n = pack_lzma(bytes, n, packed.bytes, room);
        break;
    case TEST_LZ4:
        packed.n = pack_lz4(bytes, n, packed.bytes, room);
        break;
    case TEST_ZSTD:
        packed.n = ZSTD_compress(packed.bytes, room, bytes, n, LEVEL_ZSTD);
        break;
    default:
        packed.n = pack_deflate(codec, bytes, n, packed.bytes, room);
    }
    return packed;
}

void test_append_packed(test_bytes *to, test_codec codec, const void *bytes, size_t n)
{
    test_bytes packed = test_pack(codec, bytes, n);

    test_append_frame(to, codec, packed.bytes, packed.n, n);
    free(packed.bytes);
}

/* Big-endian words, a counter by turns with one of a few values, as columns of small numbers look. */
test_bytes test_sample(size_t n, uint32_t seed)
{
    test_bytes sample = {must(malloc(n + 1)), n};
    uint32_t noise = seed * 2654435761U + 1, word = 0;

    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) {
            noise = noise * 1664525U + 1013904223U;
            word = noise >> 31 ? (uint32_t)i >> 4 : (noise >> 27) * 0x01010203U;
        }
        sample.bytes[i] = (uint8_t)(word >> (24 - 8 * (i % 4)));
    }
    return sample;
}
