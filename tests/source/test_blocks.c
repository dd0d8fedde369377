/* SPDX-License-Identifier: Apache-2.0
 * What is packed in blocks is read as it was, by unpacking what is touched; damage is told by block and byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/num.h"
#include "source/blocks.h"
#include "support/failing.h"
#include "support/realfiles.h"
#include "support/scratch.h"

enum { N_BYTES = 300000, BLOCK = 8192 };

static tagma_ctx *ctx;
static test_scratch scratch;
static uint8_t plain[N_BYTES];

/* Some of it packs well, some not at all. */
static void make_plain(void)
{
    uint64_t x = 88172645463325252U;

    for (uint32_t i = 0; i < N_BYTES; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        plain[i] = i / 30000 % 3 == 1 ? (uint8_t)x : i / 30000 % 3 == 0 ? 0 : (uint8_t)(i % 251);
    }
}

static int set_up(void **state)
{
    (void)state;
    make_plain();
    test_scratch_make(&scratch);
    return tagma_ctx_new(NULL, &ctx) == TAGMA_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    test_scratch_remove(&scratch);
    return 0;
}

static void must(tagma_status st)
{
    if (st != TAGMA_OK)
        fail_msg("%s: %s", tagma_status_name(st), tagma_ctx_message(ctx));
}

static const char *pack(uint64_t n, uint32_t block_bytes, tg_block_codec codec, tagma_pool *pool)
{
    tg_blocks_options options = {block_bytes, codec, pool};
    const char *path = test_scratch_path(&scratch, "x.packed");
    uint64_t file_bytes;
    test_bytes bytes;
    tg_aside aside;

    must(tg_aside_open(ctx, path, &aside));
    must(tg_aside_write(ctx, &aside, plain, n));
    must(tg_blocks_commit(ctx, &aside, n, &options, &file_bytes));
    bytes = test_read_file(path);
    assert_int_equal(bytes.n, file_bytes);
    free(bytes.bytes);
    return path;
}

static tagma_source *open_blocks(const char *path, tagma_io io)
{
    tagma_source *packed, *source;

    must(tagma_source_open(ctx, path, io, &packed));
    must(tg_blocks_open(ctx, packed, &source));
    tagma_source_release(packed);
    return source;
}

static void check_reads(tagma_source *source, uint64_t size)
{
    static uint8_t found[N_BYTES];
    tg_lane *lane;

    assert_int_equal(tagma_source_size(source), size);
    must(tg_lane_new(ctx, source, &lane));
    must(tg_lane_read(ctx, lane, 0, size, found));
    assert_memory_equal(found, plain, size);
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t at = i * 7919 * 31 % size, n = i * i % 40000;

        n = n < size - at ? n : size - at;
        must(tg_lane_read(ctx, lane, at, n, found));
        assert_memory_equal(found, plain + at, n);
    }
    assert_int_equal(tg_lane_read(ctx, lane, size, 1, found), TAGMA_E_TRUNCATED);
    tg_lane_free(lane);
}

static void what_was_packed_is_read(void **state)
{
    static const uint64_t sizes[] = {1, BLOCK - 1, BLOCK, BLOCK + 1, N_BYTES};
    static const uint32_t blocks[] = {8 << 10, 64 << 10, 256 << 10};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++)
            for (int c = TG_BLOCK_ZSTD; c <= TG_BLOCK_LZ4; c++)
                for (int io = TAGMA_IO_PREAD; io <= TAGMA_IO_MMAP; io++) {
                    tagma_source *source =
                        open_blocks(pack(sizes[s], blocks[b], (tg_block_codec)c, NULL), (tagma_io)io);
                    tg_blocks_info info;

                    check_reads(source, sizes[s]);
                    assert_true(tg_blocks_get_info(source, &info));
                    assert_int_equal(info.block_bytes, blocks[b]);
                    assert_int_equal(info.codec, c);
                    assert_true(sizes[s] < N_BYTES || info.file_bytes < sizes[s]);
                    assert_int_equal(tg_source_stored_bytes(source), info.file_bytes);
                    tagma_source_release(source);
                }
}

static void nothing_is_packed_to_nothing(void **state)
{
    tagma_source *source = open_blocks(pack(0, BLOCK, TG_BLOCK_LZ4, NULL), TAGMA_IO_PREAD);

    (void)state;
    assert_int_equal(tagma_source_size(source), 0);
    tagma_source_release(source);
}

/* Threads leave no trace. */
static void bytes_depend_on_the_bytes_alone(void **state)
{
    test_bytes one, many;
    tagma_pool *pool;

    (void)state;
    must(tagma_pool_new(ctx, 3, &pool));
    one = test_read_file(pack(N_BYTES, BLOCK, TG_BLOCK_ZSTD, NULL));
    many = test_read_file(pack(N_BYTES, BLOCK, TG_BLOCK_ZSTD, pool));
    assert_int_equal(one.n, many.n);
    assert_memory_equal(one.bytes, many.bytes, one.n);
    free(one.bytes);
    free(many.bytes);
    tagma_pool_free(pool);
}

/* A few bytes cost one request of one packed block; the same again, and its neighbours, none. */
static void only_what_is_touched_is_read(void **state)
{
    tagma_source *source = open_blocks(pack(N_BYTES, BLOCK, TG_BLOCK_ZSTD, NULL), TAGMA_IO_PREAD);
    uint8_t found[100];
    tg_lane *lane;

    (void)state;
    must(tg_lane_new(ctx, source, &lane));
    must(tg_lane_read(ctx, lane, 65000, 100, found));
    assert_int_equal(tg_lane_stats(lane)->requests, 1);
    assert_true(tg_lane_stats(lane)->bytes_read < BLOCK / 2);
    must(tg_lane_read(ctx, lane, 60000, 100, found));
    must(tg_lane_read(ctx, lane, 65000, 100, found));
    assert_int_equal(tg_lane_stats(lane)->requests, 1);
    must(tg_lane_read(ctx, lane, 8 * BLOCK - 50, 100, found)); /* the end of this block, and the next */
    assert_int_equal(tg_lane_stats(lane)->requests, 2);
    tg_lane_free(lane);
    tagma_source_release(source);
}

static void a_damaged_block_is_named(void **state)
{
    const char *path = pack(N_BYTES, BLOCK, TG_BLOCK_ZSTD, NULL);
    test_bytes bytes = test_read_file(path);
    uint64_t table_at = bytes.n - (N_BYTES / BLOCK + 1) * TG_BLOCKS_ROW,
             at = tg_le64(bytes.bytes + table_at + 7 * TG_BLOCKS_ROW);
    tagma_source *packed, *source;
    uint8_t found[64];
    char words[200];
    tg_lane *lane;

    (void)state;
    bytes.bytes[at + 3] ^= 0x10;
    must(tagma_source_memory(ctx, bytes.bytes, bytes.n, "x.tagma", &packed));
    must(tg_blocks_open(ctx, packed, &source));
    must(tg_lane_new(ctx, source, &lane));
    must(tg_lane_read(ctx, lane, 6 * BLOCK, 64, found));
    assert_int_equal(tg_lane_read(ctx, lane, 7 * BLOCK + 5, 64, found), TAGMA_E_CORRUPT);
    snprintf(words, sizeof words, "x.tagma: block 7, byte %llu: its checksum is ", (unsigned long long)at);
    assert_ptr_equal(strstr(tagma_ctx_message(ctx), words), tagma_ctx_message(ctx));
    must(tg_lane_read(ctx, lane, 8 * BLOCK, 64, found));
    assert_memory_equal(found, plain + 8 * BLOCK, 64);
    tg_lane_free(lane);
    tagma_source_release(source);
    tagma_source_release(packed);
    free(bytes.bytes);
}

static tagma_status open_bytes(const uint8_t *bytes, uint64_t n, tagma_source **source)
{
    tagma_source *packed;
    tagma_status st;

    must(tagma_source_memory(ctx, bytes, n, "x", &packed));
    st = tg_blocks_open(ctx, packed, source);
    tagma_source_release(packed);
    return st;
}

/* Every cut is told when it is opened, and every flipped bit at the latest when it is read. */
static void cuts_and_flips_are_told(void **state)
{
    static uint8_t found[N_BYTES];
    test_bytes bytes = test_read_file(pack(40000, BLOCK, TG_BLOCK_LZ4, NULL));
    tagma_source *source;

    (void)state;
    for (uint64_t n = 0; n < bytes.n; n += n < 200 ? 1 : 97) {
        assert_true(open_bytes(bytes.bytes, n, &source) < 0);
        assert_null(source);
        assert_true(*tagma_ctx_message(ctx) != 0);
    }
    for (uint64_t i = 0; i < bytes.n; i += i < 100 || i + 200 > bytes.n ? 1 : 131) {
        tagma_status st;

        bytes.bytes[i] ^= 4;
        st = open_bytes(bytes.bytes, bytes.n, &source);
        if (st == TAGMA_OK) {
            tg_lane *lane;

            must(tg_lane_new(ctx, source, &lane));
            st = tg_lane_read(ctx, lane, 0, 40000, found);
            tg_lane_free(lane);
            tagma_source_release(source);
        }
        if (st >= 0)
            fail_msg("byte %llu", (unsigned long long)i);
        bytes.bytes[i] ^= 4;
    }
    free(bytes.bytes);
}

/* A head and table that agree with each other, but not with what is possible. */
static void claims_are_held_against_what_is_there(void **state)
{
    static const struct claim {
        tg_blocks_info info;
        const char *words;
    } claims[] = {
        {{UINT64_C(1) << 40, 64, 0, BLOCK, TG_BLOCK_ZSTD}, "byte 40"},
        {{UINT64_MAX, 64, UINT64_MAX / BLOCK + 1, BLOCK, TG_BLOCK_ZSTD}, "byte 40"},
        {{0, 64, 0, 12288, TG_BLOCK_ZSTD}, "byte 32"},
        {{0, 64, 0, 4096, TG_BLOCK_ZSTD}, "byte 32"},
        {{0, 64, 0, BLOCK, (tg_block_codec)3}, "byte 36"},
        {{0, 65, 0, BLOCK, TG_BLOCK_ZSTD}, "ends at byte 64"},
    };
    uint8_t bytes[TG_BLOCKS_HEADER];
    tagma_source *source;

    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        tg_blocks_put_header(&claims[i].info, XXH3_64bits(bytes, 0), bytes);
        assert_true(open_bytes(bytes, sizeof bytes, &source) < 0);
        assert_non_null(strstr(tagma_ctx_message(ctx), claims[i].words));
    }
}

/* Without memory it fails with words, or makes do with fewer blocks kept; nothing is lost. */
static void survives_every_failing_allocation(void **state)
{
    const char *path = pack(100000, BLOCK, TG_BLOCK_ZSTD, NULL);
    tagma_status st = TAGMA_E_MEMORY;

    (void)state;
    for (uint64_t fails = 1; st == TAGMA_E_MEMORY; fails++) {
        test_failing failing = {0, fails};
        tagma_ctx *poor = test_failing_ctx(&failing, NULL);
        tagma_source *packed = NULL, *source = NULL;
        tg_lane *lane = NULL;
        uint8_t found[64];

        st = tagma_source_open(poor, path, TAGMA_IO_PREAD, &packed);
        if (st == TAGMA_OK)
            st = tg_blocks_open(poor, packed, &source);
        if (st == TAGMA_OK)
            st = tg_lane_new(poor, source, &lane);
        for (uint64_t i = 0; st == TAGMA_OK && i < 12; i++) {
            st = tg_lane_read(poor, lane, i * BLOCK + 100, 64, found);
            if (st == TAGMA_OK)
                assert_memory_equal(found, plain + i * BLOCK + 100, 64);
        }
        assert_true(st == TAGMA_OK || *tagma_ctx_message(poor));
        tg_lane_free(lane);
        tagma_source_release(source);
        tagma_source_release(packed);
        assert_int_equal(tagma_ctx_memory(poor), 0);
        tagma_ctx_free(poor);
        st = st == TAGMA_OK && failing.n >= fails ? TAGMA_E_MEMORY : st;
    }
    assert_int_equal(st, TAGMA_OK);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    static const uint32_t wrong[] = {1, 4096, 12288, 512 << 10};
    tg_blocks_options options = {0, TG_BLOCK_ZSTD, NULL};

    (void)state;
    must(tg_blocks_check_options(ctx, &options));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        options.block_bytes = wrong[i];
        assert_int_equal(tg_blocks_check_options(ctx, &options), TAGMA_E_ARG);
    }
    assert_string_equal(tagma_ctx_message(ctx),
                        "blocks of 524288 bytes: a power of 2 from 8K to 256K is possible");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_packed_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_packed_to_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_depend_on_the_bytes_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_what_is_touched_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_block_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_and_flips_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(claims_are_held_against_what_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_every_failing_allocation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_that_cannot_be_are_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
