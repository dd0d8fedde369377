/* SPDX-License-Identifier: Apache-2.0
 * Which entry of the sources each row is: nothing where all are in order, else runs, or a number a row, whichever is less. */
#include "base/in.h"
#include "store/bits.h"
#include "store/provenance.h"

enum { HEAD_BYTES = 32, RUN_BYTES = 16, KIND_RUNS = 1, KIND_PACKED = 2 };

tagma_status tg_origins_add(tagma_ctx *ctx, tg_origins *origins, uint64_t entry, uint64_t n)
{
    tg_origin_run *last = origins->n_runs == 0 ? NULL : &origins->runs[origins->n_runs - 1];
    void *block = origins->runs;
    tagma_status st;

    if (n == 0)
        return TAGMA_OK;
    if (!last || entry != last->entry + (origins->n_rows - last->row)) {
        st = tg_reserve(ctx, &block, &origins->capacity, origins->n_runs + 1, sizeof *origins->runs);
        origins->runs = block;
        TG_TRY(st);
        origins->runs[origins->n_runs++] = (tg_origin_run){origins->n_rows, entry};
    }
    origins->n_rows += n;
    if (entry + n - 1 > origins->most)
        origins->most = entry + n - 1;
    return TAGMA_OK;
}

void tg_origins_free(tagma_ctx *ctx, tg_origins *origins)
{
    tg_free(ctx, origins->runs);
    *origins = (tg_origins){0};
}

static void put_packed(const tg_origins *origins, uint32_t w, tg_buf *out)
{
    tg_bits_writer words = {.at = out->bytes + HEAD_BYTES};

    for (uint64_t i = 0; i < origins->n_runs; i++) {
        uint64_t end = i + 1 < origins->n_runs ? origins->runs[i + 1].row : origins->n_rows;

        for (uint64_t row = origins->runs[i].row; row < end; row++)
            tg_bits_write(&words, origins->runs[i].entry + (row - origins->runs[i].row), w);
    }
    tg_bits_end(&words);
}

tagma_status tg_origins_write(tagma_ctx *ctx, const tg_origins *origins, tg_buf *out)
{
    uint32_t w = tg_bits_of(origins->most);
    uint64_t packed = origins->n_rows * w / 8 + 1 + TG_BITS_SLACK, runs = origins->n_runs * RUN_BYTES;
    bool are_runs = runs <= packed;

    out->n = 0;
    if (origins->n_runs == 0 || (origins->n_runs == 1 && origins->runs[0].entry == 0))
        return TAGMA_OK;
    TG_TRY(tg_buf_reserve(ctx, out, HEAD_BYTES + (are_runs ? runs : packed)));
    out->n = HEAD_BYTES + (are_runs ? runs : packed);
    memset(out->bytes, 0, out->n);
    tg_put_le32(out->bytes, are_runs ? KIND_RUNS : KIND_PACKED);
    tg_put_le32(out->bytes + 4, are_runs ? 0 : w);
    tg_put_le64(out->bytes + 8, are_runs ? origins->n_runs : origins->n_rows);
    if (!are_runs)
        put_packed(origins, w, out);
    for (uint64_t i = 0; are_runs && i < origins->n_runs; i++) {
        tg_put_le64(out->bytes + HEAD_BYTES + i * RUN_BYTES, origins->runs[i].row);
        tg_put_le64(out->bytes + HEAD_BYTES + i * RUN_BYTES + 8, origins->runs[i].entry);
    }
    return TAGMA_OK;
}

tagma_status tg_origins_check(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, uint64_t n_rows,
                              const char *file, uint64_t offset)
{
    tg_in in = tg_in_of(bytes, n);
    uint32_t kind = tg_in_le32(&in), w = tg_in_le32(&in);
    uint64_t count = tg_in_le64(&in), payload = 0;
    bool is_sound = n >= HEAD_BYTES;

    if (is_sound && kind == KIND_RUNS)
        is_sound = count > 0 && tg_mul(count, RUN_BYTES, &payload) && payload == n - HEAD_BYTES;
    else if (is_sound)
        is_sound = kind == KIND_PACKED && count == n_rows && w <= 63 && tg_mul(count, w, &payload) &&
                   payload / 8 + 1 + TG_BITS_SLACK == n - HEAD_BYTES;
    for (uint64_t i = 0; is_sound && kind == KIND_RUNS && i < count; i++) {
        uint64_t row = tg_le64(bytes + HEAD_BYTES + i * RUN_BYTES);
        is_sound =
            row < n_rows && (i == 0 ? row == 0 : row > tg_le64(bytes + HEAD_BYTES + (i - 1) * RUN_BYTES));
    }
    if (is_sound)
        return TAGMA_OK;
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s: origin section, byte %" PRIu64 ": kind %u, %" PRIu64 " numbers for %" PRIu64
                   " entries",
                   file, offset, kind, count, n_rows);
}

uint64_t tg_origins_at(const uint8_t *bytes, uint64_t row)
{
    uint64_t lo = 0, n;
    const uint8_t *runs;

    if (!bytes)
        return row;
    n = tg_le64(bytes + 8);
    runs = bytes + HEAD_BYTES;
    if (tg_le32(bytes) == KIND_PACKED)
        return tg_bits_get(runs, row * tg_le32(bytes + 4), tg_le32(bytes + 4));
    while (n > 1) {
        uint64_t half = n / 2;
        lo += tg_le64(runs + (lo + half) * RUN_BYTES) <= row ? half : 0;
        n -= half;
    }
    return tg_le64(runs + lo * RUN_BYTES + 8) + (row - tg_le64(runs + lo * RUN_BYTES));
}
