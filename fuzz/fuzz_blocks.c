/* SPDX-License-Identifier: Apache-2.0
 * Files packed in blocks. Input: a byte (bit 0 mends all checksums so that what they guard is reached, bit 1 hides that the bytes lie
 * in memory), then the file. */
#include "fuzz.h"

#include <string.h>
#include <xxhash.h>

#include "base/num.h"
#include "source/blocks.h"

enum { MEMORY_BYTES_MAX = 32 << 20, READ_BYTES = 600 << 10 };

/* As far as head and table can be believed. */
static void mend(uint8_t *bytes, size_t n)
{
    uint64_t n_blocks, table_at, table_bytes;

    if (n < TG_BLOCKS_HEADER)
        return;
    tg_put_le64(bytes + 16, n);
    n_blocks = tg_le64(bytes + 40);
    if (n_blocks <= (n - TG_BLOCKS_HEADER) / TG_BLOCKS_ROW) {
        table_bytes = n_blocks * TG_BLOCKS_ROW;
        table_at = n - table_bytes;
        for (uint64_t i = 0; i < n_blocks; i++) {
            uint8_t *row = bytes + table_at + i * TG_BLOCKS_ROW;
            uint64_t begin = tg_le64(row), end = i + 1 < n_blocks ? tg_le64(row + TG_BLOCKS_ROW) : table_at;

            if (begin <= end && end <= table_at)
                tg_put_le64(row + 8, tg_blocks_checksum(bytes + begin, end - begin, i));
        }
        tg_put_le64(bytes + 48, XXH3_64bits(bytes + table_at, table_bytes));
    }
    tg_put_le64(bytes + 56, XXH3_64bits(bytes, 56));
}

/* A failure has words, and is about the file. */
static bool has_words(tagma_ctx *ctx, tagma_status st)
{
    return st >= 0 || (st != TAGMA_E_ARG && st != TAGMA_E_RANGE && *tagma_ctx_message(ctx));
}

/* A run of bytes is the same at once, in pieces, and again. */
static void read_run(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t n, uint8_t *a, uint8_t *b)
{
    tagma_status st = tg_lane_read(ctx, lane, offset, n, a), again = TAGMA_OK;

    FUZZ_CHECK(has_words(ctx, st));
    for (uint64_t at = 0, step = 1; at < n && again == TAGMA_OK; at += step, step = step * 5 % 9973 + 1) {
        uint64_t here = n - at < step ? n - at : step;

        again = tg_lane_read(ctx, lane, offset + at, here, b + at);
        FUZZ_CHECK(has_words(ctx, again));
    }
    if (st == TAGMA_OK && again == TAGMA_OK)
        FUZZ_CHECK(memcmp(a, b, n) == 0);
    FUZZ_CHECK(st == again || st == TAGMA_E_MEMORY || again == TAGMA_E_MEMORY);
}

static void use(tagma_ctx *ctx, tagma_source *source)
{
    uint64_t size = tagma_source_size(source), n = size < READ_BYTES ? size : READ_BYTES;
    uint8_t *a = malloc(READ_BYTES), *b = malloc(READ_BYTES);
    tg_blocks_info info;
    tg_lane *lane;

    FUZZ_CHECK(tg_blocks_get_info(source, &info));
    FUZZ_CHECK(info.bytes == size);
    FUZZ_CHECK(has_words(ctx, tg_lane_new(ctx, source, &lane)));
    if (lane) {
        read_run(ctx, lane, 0, n, a, b);
        read_run(ctx, lane, size - n, n, a, b);
        if (size > 10)
            read_run(ctx, lane, size / 2, 10 < size - size / 2 ? 10 : size - size / 2, a, b);
        FUZZ_CHECK(tg_lane_read(ctx, lane, size, 1, a) == TAGMA_E_TRUNCATED);
    }
    tg_lane_free(lane);
    free(a);
    free(b);
}

static int read_bytes(void *user, uint64_t offset, void *dst, size_t n)
{
    memcpy(dst, (const uint8_t *)user + offset, n);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tagma_source_functions functions = {sizeof functions, read_bytes, NULL};
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_source *packed, *source;
    tagma_ctx *ctx;
    uint8_t *bytes;
    size_t n;
    tagma_status st;

    if (size < 1)
        return 0;
    n = size - 1;
    bytes = malloc(n + 1);
    memcpy(bytes, data + 1, n);
    if (data[0] & 1)
        mend(bytes, n);
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    st = data[0] & 2 ? tagma_source_custom(ctx, &functions, bytes, n, "x.tagma", &packed)
                     : tagma_source_memory(ctx, bytes, n, "x.tagma", &packed);
    FUZZ_CHECK(st == TAGMA_OK);
    st = tg_blocks_open(ctx, packed, &source);
    FUZZ_CHECK(st < 0 ? source == NULL && has_words(ctx, st) : source != NULL);
    if (source)
        use(ctx, source);
    tagma_source_release(source);
    tagma_source_release(packed);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(bytes);
    return 0;
}
