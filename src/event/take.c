/* SPDX-License-Identifier: Apache-2.0
 * Entries of a batch picked into a batch of its own. */
#include <string.h>

#include "base/num.h"
#include "event/batch.h"

/* At every level the items of one entry are one run, so a position carries one range from level to level. */
typedef struct span {
    uint64_t lo, hi;
} span;

/* Offsets that several columns share, taken once. */
typedef struct shared_offsets {
    const uint32_t *from;
    tagma_buffer *to; /* borrowed from the first column that has it */
} shared_offsets;

typedef struct taker {
    const uint64_t *positions;
    uint64_t n;
    span *spans; /* [n] */
    shared_offsets *known;
    uint64_t n_known; /* slots, a power of two */
} taker;

static shared_offsets *known_slot(taker *take, const uint32_t *from)
{
    uint64_t at = ((uintptr_t)from >> 6) * 0x9e3779b97f4a7c15U >> 20;

    while (take->known[at & (take->n_known - 1)].from && take->known[at & (take->n_known - 1)].from != from)
        at++;
    return &take->known[at & (take->n_known - 1)];
}

static tagma_status take_offsets(tagma_ctx *ctx, const taker *take, const uint32_t *from, tagma_buffer **out)
{
    uint64_t n = 0, at = 0, j = 0;
    uint32_t *to;

    for (uint64_t i = 0; i < take->n; i++)
        n += take->spans[i].hi - take->spans[i].lo;
    if (n >= INT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " lists in a batch, a column can have %d", n,
                       INT32_MAX);
    TG_TRY(tg_buffer_new(ctx, (n + 1) * sizeof *to, out));
    to = tg_buffer_fill(*out);
    for (uint64_t i = 0; i < take->n; i++) {
        for (uint64_t u = take->spans[i].lo; u < take->spans[i].hi; u++) {
            to[j++] = (uint32_t)at;
            at += from[u + 1] - from[u];
        }
        if (at > INT32_MAX) {
            tagma_buffer_release(*out);
            *out = NULL;
            return tg_fail(ctx, TAGMA_E_LIMIT, "over %d items in a column of a batch", INT32_MAX);
        }
    }
    to[j] = (uint32_t)at;
    return TAGMA_OK;
}

/* Offsets of level k, and the spans moved on to its items. */
static tagma_status take_level(tagma_ctx *ctx, taker *take, const tagma_batch_column *from, uint32_t k,
                               tagma_batch_column *to)
{
    bool is_string = from->type == TAGMA_STRING && k + 1 == from->n_levels;
    uint64_t width = is_string ? from->n_items : 1;
    const uint32_t *offsets = from->offsets[k];
    shared_offsets *known = k == 0 && !is_string ? known_slot(take, offsets) : NULL;

    for (uint64_t i = 0; i < take->n; i++) {
        take->spans[i].lo *= width;
        take->spans[i].hi *= width;
    }
    if (known && known->from) {
        to->offsets_buffers[k] = tagma_buffer_acquire(known->to);
    } else {
        TG_TRY(take_offsets(ctx, take, offsets, &to->offsets_buffers[k]));
        if (known)
            *known = (shared_offsets){offsets, to->offsets_buffers[k]};
    }
    to->offsets[k] = tagma_buffer_bytes(to->offsets_buffers[k]);
    for (uint64_t i = 0; i < take->n; i++)
        take->spans[i] = (span){offsets[take->spans[i].lo], offsets[take->spans[i].hi]};
    return TAGMA_OK;
}

static void copy_bits(uint8_t *to, uint64_t at, const uint8_t *from, uint64_t lo, uint64_t hi)
{
    for (; lo < hi; lo++, at++)
        to[at / 8] |= (uint8_t)((from[lo / 8] >> (lo % 8) & 1) << (at % 8));
}

static tagma_status take_values(tagma_ctx *ctx, taker *take, const tagma_batch_column *from,
                                tagma_batch_column *to)
{
    uint64_t width = from->type == TAGMA_STRING ? 1 : from->n_items, bytes = tagma_type_bytes(from->type);
    uint64_t n = 0, at = 0, total;
    const uint8_t *values = from->values;
    uint8_t *out;

    for (uint64_t i = 0; i < take->n; i++)
        n += (take->spans[i].hi - take->spans[i].lo) * width;
    total = from->is_bits ? (n + 7) / 8 : n * bytes;
    TG_TRY(tg_buffer_new(ctx, total, &to->values_buffer));
    out = tg_buffer_fill(to->values_buffer);
    if (from->is_bits && total > 0)
        memset(out, 0, total);
    for (uint64_t i = 0; i < take->n; i++) {
        uint64_t lo = take->spans[i].lo * width, length = take->spans[i].hi * width - lo;

        if (from->is_bits)
            copy_bits(out, at, values, lo, lo + length);
        else if (length > 0)
            memcpy(out + at * bytes, values + lo * bytes, length * bytes);
        at += length;
    }
    to->values = out;
    to->n_values = n;
    to->is_bits = from->is_bits;
    return TAGMA_OK;
}

/* Bits at the positions; *any says whether one of them equals `sought`. */
static tagma_status take_bits(tagma_ctx *ctx, const taker *take, const uint8_t *from, unsigned sought,
                              tagma_buffer **out, bool *any)
{
    uint8_t *to;

    *any = false;
    TG_TRY(tg_buffer_new(ctx, (take->n + 7) / 8, out));
    to = tg_buffer_fill(*out);
    if (take->n > 0)
        memset(to, 0, (take->n + 7) / 8);
    for (uint64_t i = 0; i < take->n; i++) {
        uint64_t p = take->positions[i];
        unsigned bit = (unsigned)from[p / 8] >> (p % 8) & 1U;

        to[i / 8] |= (uint8_t)(bit << (i % 8));
        *any |= bit == sought;
    }
    return TAGMA_OK;
}

/* Which entries are null, damaged; a column whose picked entries are all good is good. */
static tagma_status take_status(tagma_ctx *ctx, const taker *take, const tagma_batch_column *from,
                                tagma_batch_column *to)
{
    bool any;

    if (from->validity) {
        TG_TRY(take_bits(ctx, take, from->validity, 0, &to->validity_buffer, &any));
        if (any) {
            to->validity = tagma_buffer_bytes(to->validity_buffer);
            to->status = TAGMA_COLUMN_NULL;
        }
    }
    if (from->damaged) {
        TG_TRY(take_bits(ctx, take, from->damaged, 1, &to->damaged_buffer, &any));
        if (any) {
            to->damaged = tagma_buffer_bytes(to->damaged_buffer);
            to->status = TAGMA_COLUMN_CORRUPT;
        }
    }
    return TAGMA_OK;
}

static tagma_status take_column(tagma_ctx *ctx, taker *take, const tagma_batch_column *from,
                                tagma_batch_column *to)
{
    to->column = from->column;
    to->type = from->type;
    to->n_items = from->n_items;
    to->n_levels = from->n_levels;
    for (uint64_t i = 0; i < take->n; i++)
        take->spans[i] = (span){take->positions[i], take->positions[i] + 1};
    for (uint32_t k = 0; k < from->n_levels; k++)
        TG_TRY(take_level(ctx, take, from, k, to));
    TG_TRY(take_values(ctx, take, from, to));
    return take_status(ctx, take, from, to);
}

tagma_status tg_batch_take(tagma_ctx *ctx, const tagma_batch *batch, const uint64_t *positions, uint64_t n,
                           tagma_batch **out)
{
    uint32_t n_columns = tagma_batch_n_columns(batch);
    taker take = {.positions = positions, .n = n, .n_known = 16};
    tagma_status st = TAGMA_E_MEMORY;

    while (take.n_known < 2 * (uint64_t)n_columns)
        take.n_known *= 2;
    take.spans = tg_alloc(ctx, n, sizeof *take.spans);
    take.known = tg_zalloc(ctx, take.n_known, sizeof *take.known);
    *out = NULL;
    if (take.spans && take.known)
        st = tg_batch_new_empty(ctx, n, n_columns, out);
    for (uint32_t i = 0; st == TAGMA_OK && i < n_columns; i++)
        st = take_column(ctx, &take, tagma_batch_column_at(batch, i), tg_batch_column(*out, i));
    tg_free(ctx, take.known);
    tg_free(ctx, take.spans);
    if (st < 0) {
        tagma_batch_free(*out);
        *out = NULL;
    }
    return st;
}
