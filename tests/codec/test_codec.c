/* SPDX-License-Identifier: Apache-2.0
 * Objects of frames: what unpacks, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lzma.h>
#include <zstd.h>

#include "codec/codec.h"
#include "support/failing.h"
#include "support/frames.h"

/* What most tests need: a context, kept decoders, room to unpack into. */
typedef struct bench {
    tagma_ctx *ctx;
    tg_codec_state decoders;
    uint8_t out[1 << 17];
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);

    *state = b;
    return b && tagma_ctx_new(NULL, &b->ctx) == TAGMA_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    bench *b = *state;

    tg_codec_state_free(b->ctx, &b->decoders);
    assert_int_equal(tagma_ctx_memory(b->ctx), 0);
    tagma_ctx_free(b->ctx);
    free(b);
    return 0;
}

static tagma_status unpack(bench *b, const test_bytes *packed, size_t unpacked_bytes)
{
    assert_true(unpacked_bytes <= sizeof b->out);
    memset(b->out, 0xa5, sizeof b->out);
    return tg_codec_unpack(b->ctx, &b->decoders, packed->bytes, packed->n, b->out, unpacked_bytes);
}

static void assert_words(const bench *b, const char *words)
{
    if (!strstr(tagma_ctx_message(b->ctx), words))
        fail_msg("\"%s\" lacks \"%s\"", tagma_ctx_message(b->ctx), words);
}

static void unpacks_what_each_library_packs(void **state)
{
    static const size_t sizes[] = {1, 2, 7, 255, 4096, 65537, 100000};
    bench *b = *state;

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            test_bytes sample = test_sample(sizes[i], (uint32_t)i), packed = {0};

            test_append_packed(&packed, codec, sample.bytes, sample.n);
            assert_int_equal(unpack(b, &packed, sample.n), TAGMA_OK);
            assert_memory_equal(b->out, sample.bytes, sample.n);
            assert_int_equal(b->out[sample.n], 0xa5);
            assert_int_equal(tg_codec_check(b->ctx, packed.bytes, packed.n, sample.n), TAGMA_OK);
            free(sample.bytes);
            free(packed.bytes);
        }
}

/* A hot path of thousands of small frames: nothing may grow, whatever order the sizes come in. */
static void keeps_its_decoders_without_growing(void **state)
{
    bench *b = *state;
    uint64_t settled = 0;

    for (unsigned round = 0; round < 30; round++) {
        for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
            test_bytes sample = test_sample(1000 + round % 3 * 5000, round), packed = {0};

            test_append_packed(&packed, codec, sample.bytes, sample.n);
            assert_int_equal(unpack(b, &packed, sample.n), TAGMA_OK);
            free(sample.bytes);
            free(packed.bytes);
        }
        if (round == 2)
            settled = tagma_ctx_memory(b->ctx);
    }
    assert_int_equal(tagma_ctx_memory(b->ctx), settled);
}

/* ROOT packs all frames of an object alike; nothing in the format forbids the rest. */
static void unpacks_frames_of_several_codecs_in_a_row(void **state)
{
    bench *b = *state;
    test_bytes sample = test_sample(5 * 1000, 1), packed = {0};

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++)
        test_append_packed(&packed, codec, sample.bytes + 1000 * codec, 1000);
    assert_int_equal(unpack(b, &packed, sample.n), TAGMA_OK);
    assert_memory_equal(b->out, sample.bytes, sample.n);
    free(sample.bytes);
    free(packed.bytes);
}

/* A frame's sizes have 24 bits: an object over 16 MiB is several frames, all but the last full. */
static void unpacks_objects_over_16_mib(void **state)
{
    enum { OBJECT_BYTES = 20000000, FRAME_BYTES = 0xffffff };
    bench *b = *state;
    test_bytes sample = test_sample(OBJECT_BYTES, 3);
    uint8_t *out = malloc(OBJECT_BYTES);

    assert_non_null(out);
    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes packed = {0};

        test_append_packed(&packed, codec, sample.bytes, FRAME_BYTES);
        test_append_packed(&packed, codec, sample.bytes + FRAME_BYTES, OBJECT_BYTES - FRAME_BYTES);
        memset(out, 0, OBJECT_BYTES);
        assert_int_equal(tg_codec_unpack(b->ctx, &b->decoders, packed.bytes, packed.n, out, OBJECT_BYTES),
                         TAGMA_OK);
        assert_memory_equal(out, sample.bytes, OBJECT_BYTES);
        free(packed.bytes);
    }
    free(out);
    free(sample.bytes);
}

static void ignores_bytes_after_the_last_frame_needed(void **state)
{
    bench *b = *state;
    test_bytes sample = test_sample(500, 1), packed = {0};

    test_append_packed(&packed, TEST_ZSTD, sample.bytes, sample.n);
    test_append(&packed, "slack", 5);
    assert_int_equal(unpack(b, &packed, sample.n), TAGMA_OK);
    assert_int_equal(unpack(b, &packed, 0), TAGMA_OK); /* nothing needs no frame */
    free(sample.bytes);
    free(packed.bytes);
}

/* Cut at every byte, as a file that stops short would be. */
static void refuses_every_object_cut_anywhere(void **state)
{
    bench *b = *state;

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes sample = test_sample(700, codec), packed = {0};

        test_append_packed(&packed, codec, sample.bytes, 400);
        test_append_packed(&packed, codec, sample.bytes + 400, 300);
        for (size_t n = 0; n < packed.n; n++) {
            test_bytes cut = {0};

            test_append(&cut, packed.bytes, n); /* its own block, so that a read past its end is seen */
            assert_int_equal(unpack(b, &cut, sample.n), TAGMA_E_TRUNCATED);
            assert_words(b, "frame ");
            free(cut.bytes);
        }
        free(sample.bytes);
        free(packed.bytes);
    }
}

/* The same cut with a header that owns up to it: now the decoder itself must notice. */
static void refuses_every_payload_cut_anywhere(void **state)
{
    bench *b = *state;

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes sample = test_sample(600, codec), payload = test_pack(codec, sample.bytes, sample.n);

        for (size_t n = 0; n < payload.n; n++) {
            test_bytes cut = {0};

            test_append_frame(&cut, codec, payload.bytes, n, sample.n);
            assert_int_equal(unpack(b, &cut, sample.n), TAGMA_E_CORRUPT);
            assert_words(b, test_codec_names[codec]);
            free(cut.bytes);
        }
        free(sample.bytes);
        free(payload.bytes);
    }
}

static void refuses_payload_with_bytes_left_over(void **state)
{
    bench *b = *state;

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes sample = test_sample(600, codec), payload = test_pack(codec, sample.bytes, sample.n);
        test_bytes longer = {0};

        test_append(&payload, "\0\0\0\0", 4);
        test_append_frame(&longer, codec, payload.bytes, payload.n, sample.n);
        assert_int_equal(unpack(b, &longer, sample.n), TAGMA_E_CORRUPT);
        free(sample.bytes);
        free(payload.bytes);
        free(longer.bytes);
    }
}

/* With a checksum, no flipped bit may change a value in silence. A few flips change none: the unused end of deflate's last
 * byte, or a match that finds the same bytes elsewhere. */
static void notices_every_flipped_bit_under_a_checksum(void **state)
{
    static const test_codec checked[] = {TEST_ZLIB, TEST_LZMA, TEST_LZ4};
    bench *b = *state;

    for (size_t i = 0; i < sizeof checked / sizeof checked[0]; i++) {
        test_bytes sample = test_sample(1500, 9), packed = {0};
        unsigned n_passed = 0;

        test_append_packed(&packed, checked[i], sample.bytes, sample.n);
        for (size_t bit = 0; bit < 8 * packed.n; bit++) {
            packed.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            if (unpack(b, &packed, sample.n) == TAGMA_OK) {
                assert_memory_equal(b->out, sample.bytes, sample.n);
                n_passed++;
            } else {
                assert_words(b, "frame 0 at byte 0: ");
            }
            packed.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        assert_true(n_passed < packed.n);
        free(sample.bytes);
        free(packed.bytes);
    }
}

/* An .xz container of two blocks. */
static test_bytes pack_two_blocks(const test_bytes *sample, lzma_check check)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    test_bytes payload = {0};
    uint8_t packed[4096];

    assert_int_equal(lzma_easy_encoder(&stream, 6, check), LZMA_OK);
    stream.next_out = packed;
    stream.avail_out = sizeof packed;
    stream.next_in = sample->bytes;
    stream.avail_in = sample->n / 2;
    assert_int_equal(lzma_code(&stream, LZMA_FULL_FLUSH), LZMA_STREAM_END);
    stream.avail_in = sample->n - sample->n / 2;
    assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    test_append(&payload, packed, sizeof packed - stream.avail_out);
    lzma_end(&stream);
    return payload;
}

/* The one checksum of a container with one block is verified apart from liblzma; two of them, or another kind, must not be
 * forgotten over that. */
static void verifies_checksums_of_other_containers(void **state)
{
    static const lzma_check checks[] = {LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
    bench *b = *state;

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        test_bytes sample = test_sample(1000, 9), payload = pack_two_blocks(&sample, checks[i]), frame = {0};

        test_append_frame(&frame, TEST_LZMA, payload.bytes, payload.n, sample.n);
        assert_int_equal(unpack(b, &frame, sample.n), TAGMA_OK);
        assert_memory_equal(b->out, sample.bytes, sample.n);
        for (size_t bit = 0; bit < 8 * frame.n; bit++) {
            frame.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            if (unpack(b, &frame, sample.n) == TAGMA_OK)
                assert_memory_equal(b->out, sample.bytes, sample.n);
            frame.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        free(sample.bytes);
        free(payload.bytes);
        free(frame.bytes);
    }
}

/* Without one, a flip may pass, but never past the ends of the buffers. */
static void survives_every_flipped_bit_without_a_checksum(void **state)
{
    static const test_codec unchecked[] = {TEST_OLD_ZLIB, TEST_ZSTD};
    bench *b = *state;

    for (size_t i = 0; i < sizeof unchecked / sizeof unchecked[0]; i++) {
        test_bytes sample = test_sample(1500, 9), packed = {0};

        test_append_packed(&packed, unchecked[i], sample.bytes, sample.n);
        for (size_t bit = 0; bit < 8 * packed.n; bit++) {
            packed.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
            if (unpack(b, &packed, sample.n) < 0)
                assert_words(b, "frame 0 at byte 0: ");
            assert_int_equal(b->out[sample.n], 0xa5);
            packed.bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        free(sample.bytes);
        free(packed.bytes);
    }
}

/* A bomb: the payload would go on for ever, the room is what the frame claims. */
static void refuses_payloads_that_unpack_to_more_than_they_claim(void **state)
{
    enum { REAL_BYTES = 10 << 20 };
    bench *b = *state;
    uint8_t *zeros = calloc(REAL_BYTES, 1);

    assert_non_null(zeros);
    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes payload = test_pack(codec, zeros, REAL_BYTES), bomb = {0};

        test_append_frame(&bomb, codec, payload.bytes, payload.n, 1000);
        assert_int_equal(unpack(b, &bomb, 1000), TAGMA_E_CORRUPT);
        assert_words(b, "1000");
        assert_int_equal(b->out[1000], 0xa5);
        free(payload.bytes);
        free(bomb.bytes);
    }
    free(zeros);
}

static void refuses_payloads_that_unpack_to_less_than_they_claim(void **state)
{
    bench *b = *state;
    test_bytes sample = test_sample(1000, 0);

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes payload = test_pack(codec, sample.bytes, sample.n), frame = {0};

        test_append_frame(&frame, codec, payload.bytes, payload.n, 1001);
        assert_int_equal(unpack(b, &frame, 1001), TAGMA_E_CORRUPT);
        assert_words(b, "1001");
        free(payload.bytes);
        free(frame.bytes);
    }
    free(sample.bytes);
}

/* Each format has a most that a byte of it can stand for. A claim beyond that is refused while the decoder does not yet
 * exist, and by tg_codec_check before anyone makes room. */
static void refuses_claims_that_no_payload_can_keep(void **state)
{
    static const uint8_t payload[64] = {0};
    bench *b = *state;

    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        size_t n = codec == TEST_ZSTD ? 11 : 64,
               claim = codec == TEST_LZMA || codec == TEST_ZSTD ? 1 << 20 : 1 << 17;
        test_bytes frame = {0};

        test_append_frame(&frame, codec, payload, n, claim);
        assert_int_equal(tg_codec_check(b->ctx, frame.bytes, frame.n, claim), TAGMA_E_CORRUPT);
        assert_words(b, "cannot unpack to");
        free(frame.bytes);
    }
    assert_null(b->decoders.deflate);
    assert_null(b->decoders.lzma);
    assert_null(b->decoders.zstd);
}

/* The other side of the same line: the longest runs that the libraries make must pass. */
static void unpacks_the_longest_runs(void **state)
{
    enum { RUN_BYTES = 0xffffff };
    bench *b = *state;
    uint8_t *zeros = calloc(RUN_BYTES, 1), *out = malloc(RUN_BYTES);

    assert_non_null(zeros);
    assert_non_null(out);
    for (test_codec codec = 0; codec < TEST_N_CODECS; codec++) {
        test_bytes packed = {0};

        test_append_packed(&packed, codec, zeros, RUN_BYTES);
        assert_int_equal(tg_codec_unpack(b->ctx, &b->decoders, packed.bytes, packed.n, out, RUN_BYTES),
                         TAGMA_OK);
        assert_memory_equal(out, zeros, RUN_BYTES);
        free(packed.bytes);
    }
    free(zeros);
    free(out);
}

static void refuses_frames_that_claim_nothing_or_too_much(void **state)
{
    bench *b = *state;
    test_bytes empty = {0}, large = {0};

    test_append_frame(&empty, TEST_ZLIB, "12345678", 8, 0); /* would let a walk stand still */
    assert_int_equal(unpack(b, &empty, 10), TAGMA_E_CORRUPT);
    test_append_frame(&large, TEST_ZLIB, "12345678", 8, 11);
    assert_int_equal(unpack(b, &large, 10), TAGMA_E_CORRUPT);
    assert_words(b, "frame 0 at byte 0: ZLIB payload claims to unpack to 11 bytes, 10 expected");
    free(empty.bytes);
    free(large.bytes);
}

static void names_the_frame_and_byte_of_a_fault(void **state)
{
    bench *b = *state;
    test_bytes sample = test_sample(64, 0), packed = {0};

    test_append_packed(&packed, TEST_LZ4, sample.bytes, sample.n);
    size_t second = packed.n;
    char words[100];
    test_append_packed(&packed, TEST_LZ4, sample.bytes, sample.n);
    packed.bytes[packed.n - 1] ^= 1;
    assert_int_equal(unpack(b, &packed, 2 * sample.n), TAGMA_E_CORRUPT);
    snprintf(words, sizeof words, "LZ4 frame 1 at byte %zu: LZ4 data hash to ", second);
    assert_words(b, words);
    free(sample.bytes);
    free(packed.bytes);
}

static void refuses_unknown_tags_and_methods(void **state)
{
    bench *b = *state;
    test_bytes tag = {0}, method = {0};

    test_append_frame(&tag, TEST_ZSTD, "12345678", 8, 8);
    tag.bytes[0] = tag.bytes[1] = 'Q';
    assert_int_equal(unpack(b, &tag, 8), TAGMA_E_CORRUPT);
    assert_words(b, "no codec has tag 51 51 and method 1");
    test_append_frame(&method, TEST_LZ4, "12345678", 8, 8);
    method.bytes[2] = 2;
    assert_int_equal(unpack(b, &method, 8), TAGMA_E_UNSUPPORTED);
    assert_words(b, "no codec has tag 4c 34 and method 2");
    free(tag.bytes);
    free(method.bytes);
}

static void refuses_objects_over_the_limit(void **state)
{
    bench *b = *state;

    b->ctx->limits.max_object_bytes = 100;
    assert_int_equal(tg_codec_check(b->ctx, (const uint8_t *)"", 0, 101), TAGMA_E_LIMIT);
    assert_words(b, "object of 101 bytes is over the limit of 100");
}

/* "0123456789" as .xz with CRC32: stream header of 12 bytes, block header of 12, LZMA2, padding, index, footer. */
static const uint8_t xz_digits[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21, 0x01,
    0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0x01, 0x00, 0x09, 0x30, 0x31, 0x32, 0x33, 0x34,
    0x35, 0x36, 0x37, 0x38, 0x39, 0x00, 0x00, 0x00, 0xc6, 0xc7, 0x84, 0xa6, 0x00, 0x01, 0x1e, 0x0a,
    0xea, 0x63, 0x12, 0x14, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a};

/* xz_digits with one byte changed, and the CRC32 behind bytes[first..end) made to agree. */
static tagma_status unpack_changed_digits(bench *b, size_t at, uint8_t byte, size_t first, size_t end)
{
    uint8_t payload[sizeof xz_digits];
    test_bytes frame = {0};
    tagma_status st;

    memcpy(payload, xz_digits, sizeof payload);
    payload[at] = byte;
    tg_put_le32(payload + end, lzma_crc32(payload + first, end - first, 0));
    test_append_frame(&frame, TEST_LZMA, payload, sizeof payload, 10);
    st = unpack(b, &frame, 10);
    free(frame.bytes);
    return st;
}

/* A dictionary is allocated by the payload's word alone, so that word has a limit. */
static void refuses_an_lzma_dictionary_over_the_limit(void **state)
{
    bench *b = *state;

    assert_int_equal(unpack_changed_digits(b, 16, 18, 12, 20), TAGMA_OK); /* 2 MiB */
    assert_memory_equal(b->out, "0123456789", 10);
    assert_int_equal(unpack_changed_digits(b, 16, 37, 12, 20), TAGMA_E_LIMIT); /* 1.5 GiB */
    assert_words(b, "LZMA dictionary needs 16");
    assert_true(tagma_ctx_peak_memory(b->ctx) < 4 << 20);
}

/* ROOT writes CRC32; of a check that is unknown nobody can say whether it holds. */
static void refuses_an_unknown_lzma_check(void **state)
{
    assert_int_equal(unpack_changed_digits(*state, 7, 2, 6, 8), TAGMA_E_UNSUPPORTED);
}

static void refuses_lzma_that_is_no_xz_container(void **state)
{
    assert_int_equal(unpack_changed_digits(*state, 0, 'P', 6, 8), TAGMA_E_CORRUPT);
    assert_words(*state, "LZMA payload is no .xz container");
}

/* The library would take these; ROOT never writes them, and decoders of the formats before 1.0 allocate as they like. */
static void refuses_zstd_that_is_not_one_plain_frame(void **state)
{
    static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0};
    static const uint8_t legacy[] = {0x27, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0x00, 0xc0, 0, 0};
    bench *b = *state;
    test_bytes one = test_pack(TEST_ZSTD, "0123456789", 10), frame = {0}, two = {0}, old = {0};

    test_append(&one, skippable, sizeof skippable);
    test_append_frame(&two, TEST_ZSTD, one.bytes, one.n, 10);
    assert_int_equal(unpack(b, &two, 10), TAGMA_E_CORRUPT);
    test_append_frame(&frame, TEST_ZSTD, skippable, sizeof skippable, 10);
    assert_int_equal(unpack(b, &frame, 10), TAGMA_E_CORRUPT);
    assert_words(b, "ZSTD magic number is 184d2a50, fd2fb528 expected");
    test_append_frame(&old, TEST_ZSTD, legacy, sizeof legacy, 10);
    assert_int_equal(unpack(b, &old, 10), TAGMA_E_CORRUPT);
    free(one.bytes);
    free(frame.bytes);
    free(two.bytes);
    free(old.bytes);
}

static void fails_with_words_at_every_allocation(void **state)
{
    test_bytes sample = test_sample(3000, 4), packed = {0};
    uint8_t out[3000];
    tagma_status st = TAGMA_E_MEMORY;
    uint64_t n = 0;

    (void)state;
    test_append_packed(&packed, TEST_LZMA, sample.bytes, 1500);
    test_append_packed(&packed, TEST_ZSTD, sample.bytes + 1500, 1500);
    while (st == TAGMA_E_MEMORY) {
        test_failing failing = {0, ++n};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tg_codec_state decoders = {0};

        st = tg_codec_unpack(ctx, &decoders, packed.bytes, packed.n, out, sample.n);
        if (st < 0) {
            assert_int_equal(st, TAGMA_E_MEMORY);
            assert_non_null(strstr(tagma_ctx_message(ctx), "the allocator refused"));
            /* The decoders are as good as before. */
            assert_int_equal(tg_codec_unpack(ctx, &decoders, packed.bytes, packed.n, out, sample.n),
                             TAGMA_OK);
        }
        assert_memory_equal(out, sample.bytes, sample.n);
        tg_codec_state_free(ctx, &decoders);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_true(n > 4); /* both decoders count their memory */
    free(sample.bytes);
    free(packed.bytes);
}

/* The decoder outlives the context that made it: a worker's is lent anew for each run of the pool. */
static void keeps_decoders_over_contexts_of_one_family(void **state)
{
    bench *b = *state;
    test_bytes sample = test_sample(3000, 4), packed = {0};

    test_append_packed(&packed, TEST_LZMA, sample.bytes, 1500);
    test_append_packed(&packed, TEST_ZSTD, sample.bytes + 1500, 1500);
    for (int i = 0; i < 3; i++) {
        tagma_ctx *lent;

        assert_int_equal(tg_ctx_lend(b->ctx, &lent), TAGMA_OK);
        assert_int_equal(tg_codec_unpack(lent, &b->decoders, packed.bytes, packed.n, b->out, sample.n),
                         TAGMA_OK);
        tagma_ctx_free(lent);
    }
    free(sample.bytes);
    free(packed.bytes);
}

static void names_codecs_by_tag_and_by_setting(void **state)
{
    (void)state;
    assert_string_equal(tg_codec_name('Z' << 8 | 'L'), "ZLIB");
    assert_string_equal(tg_codec_name('X' << 8 | 'Z'), "LZMA");
    assert_string_equal(tg_codec_name('L' << 8 | '4'), "LZ4");
    assert_string_equal(tg_codec_name('Z' << 8 | 'S'), "ZSTD");
    assert_string_equal(tg_codec_name('C' << 8 | 'S'), "old ZLIB");
    assert_null(tg_codec_name(0));
    assert_string_equal(tg_codec_setting_name(0), "none");
    assert_string_equal(tg_codec_setting_name(200), "none");
    assert_string_equal(tg_codec_setting_name(1), "ZLIB"); /* before there was a choice: the level alone */
    assert_string_equal(tg_codec_setting_name(101), "ZLIB");
    assert_string_equal(tg_codec_setting_name(209), "LZMA");
    assert_string_equal(tg_codec_setting_name(301), "old ZLIB");
    assert_string_equal(tg_codec_setting_name(404), "LZ4");
    assert_string_equal(tg_codec_setting_name(505), "ZSTD");
    assert_null(tg_codec_setting_name(605));
    assert_null(tg_codec_setting_name(-1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(unpacks_what_each_library_packs),
        TEST(keeps_its_decoders_without_growing),
        TEST(unpacks_frames_of_several_codecs_in_a_row),
        TEST(unpacks_objects_over_16_mib),
        TEST(ignores_bytes_after_the_last_frame_needed),
        TEST(refuses_every_object_cut_anywhere),
        TEST(refuses_every_payload_cut_anywhere),
        TEST(refuses_payload_with_bytes_left_over),
        TEST(notices_every_flipped_bit_under_a_checksum),
        TEST(verifies_checksums_of_other_containers),
        TEST(survives_every_flipped_bit_without_a_checksum),
        TEST(refuses_payloads_that_unpack_to_more_than_they_claim),
        TEST(refuses_payloads_that_unpack_to_less_than_they_claim),
        TEST(refuses_claims_that_no_payload_can_keep),
        TEST(unpacks_the_longest_runs),
        TEST(refuses_frames_that_claim_nothing_or_too_much),
        TEST(names_the_frame_and_byte_of_a_fault),
        TEST(refuses_unknown_tags_and_methods),
        TEST(refuses_objects_over_the_limit),
        TEST(refuses_an_lzma_dictionary_over_the_limit),
        TEST(refuses_an_unknown_lzma_check),
        TEST(refuses_lzma_that_is_no_xz_container),
        TEST(refuses_zstd_that_is_not_one_plain_frame),
        TEST(fails_with_words_at_every_allocation),
        TEST(keeps_decoders_over_contexts_of_one_family),
        TEST(names_codecs_by_tag_and_by_setting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
