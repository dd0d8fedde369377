/* SPDX-License-Identifier: Apache-2.0
 * Packs a file in blocks, some at a time, by as many threads as there are. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/num.h"
#include "base/pool.h"
#include "source/blocks.h"

enum { BLOCKS_A_THREAD = 16 };

/* Some blocks on their way: unpacked and packed ones side by side. */
typedef struct packing {
    const tg_blocks_options *options;
    tg_codec_state *states; /* [threads of the pool] */
    uint8_t *from, *to;     /* [n_most * block_bytes] */
    uint64_t *sizes;        /* [n_most] of the packed */
    uint64_t n_most;
    uint64_t first, bytes; /* number of the first; unpacked bytes of those at hand */
} packing;

tagma_status tg_blocks_check_options(tagma_ctx *ctx, const tg_blocks_options *options)
{
    uint32_t n = options->block_bytes;

    if (n == 0)
        return TAGMA_OK;
    if (n < TG_BLOCKS_LEAST || n > TG_BLOCKS_MOST || (n & (n - 1)) != 0)
        return tg_fail(ctx, TAGMA_E_ARG,
                       "blocks of %" PRIu32 " bytes: a power of 2 from 8K to 256K is possible", n);
    if (options->codec != TG_BLOCK_ZSTD && options->codec != TG_BLOCK_LZ4)
        return tg_fail(ctx, TAGMA_E_ARG, "blocks of codec %d: zstd and lz4 are possible",
                       (int)options->codec);
    return TAGMA_OK;
}

static tagma_status read_back(tagma_ctx *ctx, const tg_aside *plain, uint64_t offset, uint8_t *to, uint64_t n)
{
    char words[128];

    while (n > 0) {
        ssize_t got = pread(plain->file, to, n, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return tg_fail(ctx, TAGMA_E_IO, "%s cannot be read back: %s", plain->path,
                           got < 0 ? strerror_r(errno, words, sizeof words) : "it is too short");
        to += got;
        offset += (uint64_t)got;
        n -= (uint64_t)got;
    }
    return TAGMA_OK;
}

static uint64_t bytes_of(const packing *it, uint64_t i)
{
    uint64_t left = it->bytes - i * it->options->block_bytes;

    return left < it->options->block_bytes ? left : it->options->block_bytes;
}

/* Task i: block i of those at hand. One that does not get shorter stays as it is. */
static tagma_status pack_block(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    packing *it = user;
    uint64_t at = task * it->options->block_bytes, n = bytes_of(it, task);

    TG_TRY(tg_codec_block_pack(ctx, &it->states[worker], it->options->codec, it->from + at, n, it->to + at,
                               n - 1, &it->sizes[task]));
    if (it->sizes[task] == 0) {
        memcpy(it->to + at, it->from + at, n);
        it->sizes[task] = n;
    }
    return TAGMA_OK;
}

static tagma_status put_blocks(tagma_ctx *ctx, const packing *it, tg_aside *out, tg_buf *table)
{
    uint8_t row[TG_BLOCKS_ROW];

    for (uint64_t i = 0; i * it->options->block_bytes < it->bytes; i++) {
        const uint8_t *packed = it->to + i * it->options->block_bytes;

        tg_put_le64(row, out->n);
        tg_put_le64(row + 8, tg_blocks_checksum(packed, it->sizes[i], it->first + i));
        TG_TRY(tg_buf_put(ctx, table, row, sizeof row));
        TG_TRY(tg_aside_write(ctx, out, packed, it->sizes[i]));
    }
    return TAGMA_OK;
}

static tagma_status pack_all(tagma_ctx *ctx, packing *it, const tg_aside *plain, uint64_t n, tg_aside *out,
                             tg_buf *table)
{
    uint64_t step = it->n_most * it->options->block_bytes;

    for (uint64_t at = 0; at < n; at += it->bytes) {
        it->first = at / it->options->block_bytes;
        it->bytes = n - at < step ? n - at : step;
        TG_TRY(tg_progress(ctx, "pack", "bytes", at, n));
        TG_TRY(read_back(ctx, plain, at, it->from, it->bytes));
        TG_TRY(tg_pool_run(ctx, it->options->pool, (it->bytes - 1) / it->options->block_bytes + 1, pack_block,
                           it, NULL, NULL));
        TG_TRY(put_blocks(ctx, it, out, table));
    }
    return TAGMA_OK;
}

/* The table, and the head in its place. */
static tagma_status put_ends(tagma_ctx *ctx, const tg_blocks_options *options, uint64_t n, tg_aside *out,
                             const tg_buf *table)
{
    tg_blocks_info info = {.bytes = n,
                           .n_blocks = table->n / TG_BLOCKS_ROW,
                           .block_bytes = options->block_bytes,
                           .codec = options->codec};
    uint8_t head[TG_BLOCKS_HEADER];
    char words[128];

    TG_TRY(tg_aside_write(ctx, out, table->bytes, table->n));
    info.file_bytes = out->n;
    tg_blocks_put_header(&info, tg_hash(table->bytes, table->n), head);
    if (pwrite(out->file, head, sizeof head, 0) != (ssize_t)sizeof head)
        return tg_fail(ctx, TAGMA_E_IO, "%s cannot be written: %s", out->path,
                       strerror_r(errno, words, sizeof words));
    return TAGMA_OK;
}

static tagma_status packing_new(tagma_ctx *ctx, const tg_blocks_options *options, packing *out)
{
    uint32_t width = tg_pool_width(options->pool);

    *out = (packing){.options = options, .n_most = (uint64_t)width * BLOCKS_A_THREAD};
    out->states = tg_zalloc(ctx, width, sizeof *out->states);
    out->from = tg_alloc(ctx, out->n_most, options->block_bytes);
    out->to = tg_alloc(ctx, out->n_most, options->block_bytes);
    out->sizes = tg_alloc(ctx, out->n_most, sizeof *out->sizes);
    return out->states && out->from && out->to && out->sizes ? TAGMA_OK : TAGMA_E_MEMORY;
}

static void packing_free(tagma_ctx *ctx, packing *it)
{
    for (uint32_t i = 0; it->states && i < tg_pool_width(it->options->pool); i++)
        tg_codec_state_free(ctx, &it->states[i]);
    tg_free(ctx, it->states);
    tg_free(ctx, it->from);
    tg_free(ctx, it->to);
    tg_free(ctx, it->sizes);
}

static tagma_status pack_file(tagma_ctx *ctx, const tg_aside *plain, uint64_t n,
                              const tg_blocks_options *options, tg_aside *out)
{
    static const uint8_t head[TG_BLOCKS_HEADER];
    tg_buf table = TG_BUF_INIT;
    packing it;
    tagma_status st = packing_new(ctx, options, &it);

    if (st == TAGMA_OK)
        st = tg_aside_write(ctx, out, head, sizeof head);
    if (st == TAGMA_OK)
        st = pack_all(ctx, &it, plain, n, out, &table);
    if (st == TAGMA_OK)
        st = put_ends(ctx, options, n, out, &table);
    packing_free(ctx, &it);
    tg_buf_free(ctx, &table);
    return st;
}

tagma_status tg_blocks_commit(tagma_ctx *ctx, tg_aside *plain, uint64_t n, const tg_blocks_options *options,
                              uint64_t *file_bytes)
{
    tg_aside packed;
    tagma_status st;

    *file_bytes = n;
    if (options->block_bytes == 0)
        return tg_aside_commit(ctx, plain);
    st = tg_aside_open(ctx, plain->path, &packed);
    if (st == TAGMA_OK)
        st = pack_file(ctx, plain, n, options, &packed);
    tg_aside_abandon(ctx, plain);
    if (st < 0) {
        tg_aside_abandon(ctx, &packed);
        return st;
    }
    *file_bytes = packed.n;
    return tg_aside_commit(ctx, &packed);
}
