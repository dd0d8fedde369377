/* SPDX-License-Identifier: Apache-2.0
 * Compressed frames for tests, packed by the codecs' own libraries. */
#ifndef TESTS_SUPPORT_FRAMES_H
#define TESTS_SUPPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; free() them. Running out of memory ends the test program. */
typedef struct test_bytes {
    uint8_t *bytes;
    size_t n;
} test_bytes;

typedef enum test_codec {
    TEST_ZLIB,
    TEST_OLD_ZLIB,
    TEST_LZMA,
    TEST_LZ4,
    TEST_ZSTD,
    TEST_N_CODECS
} test_codec;

extern const char *const test_codec_names[TEST_N_CODECS];

void test_append(test_bytes *to, const void *bytes, size_t n);
/* Header and payload of one frame. The payload need not be what the header says. */
void test_append_frame(test_bytes *to, test_codec codec, const void *payload, size_t packed_bytes,
                       size_t unpacked_bytes);
/* One frame that holds bytes[0..n), n < 16 MiB. */
void test_append_packed(test_bytes *to, test_codec codec, const void *bytes, size_t n);
/* The payload alone, without the frame's header. */
test_bytes test_pack(test_codec codec, const void *bytes, size_t n);
/* n bytes that pack well but are not constant, the same for the same seed. */
test_bytes test_sample(size_t n, uint32_t seed);

#endif
