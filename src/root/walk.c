/* SPDX-License-Identifier: Apache-2.0
 * Walk one entry. Source of facts: docs/ROOT.md, "Entries". */
#include "root/walk.h"

/* Source: ROOT io/io/src/TBufferFile.cxx, ReadVersion: bits of the byte count's and the version's word. */
enum { BYTE_COUNT_BIT = 0x40000000, MEMBER_WISE_BIT = 0x4000, FLAGGED_ITEM_BIT = 0x10 };

void tg_sink_clear(tg_sink *sink)
{
    sink->values.n = 0;
    for (int k = 0; k < 3; k++) {
        sink->ends[k].n = 0;
        sink->items[k] = 0;
    }
}

void tg_sink_free(tagma_ctx *ctx, tg_sink *sink)
{
    tg_buf_free(ctx, &sink->values);
    for (int k = 0; k < 3; k++)
        tg_buf_free(ctx, &sink->ends[k]);
}

tg_sink_mark tg_sink_tell(const tg_sink *sink)
{
    return (tg_sink_mark){sink->values.n,
                          {sink->ends[0].n, sink->ends[1].n, sink->ends[2].n},
                          {sink->items[0], sink->items[1], sink->items[2]}};
}

void tg_sink_put_back(tg_sink *sink, const tg_sink_mark *mark)
{
    sink->values.n = mark->values;
    for (int k = 0; k < 3; k++) {
        sink->ends[k].n = mark->ends[k];
        sink->items[k] = mark->items[k];
    }
}

/* n more items of level k: a list of it ends. */
static tagma_status end_list(tagma_ctx *ctx, tg_sink *sink, uint32_t k, uint32_t n)
{
    tg_buf *ends = &sink->ends[k];

    TG_TRY(tg_buf_reserve(ctx, ends, ends->n + sizeof n));
    sink->items[k] += n; /* no more than the basket has bytes */
    memcpy(ends->bytes + ends->n, &sink->items[k], sizeof n);
    ends->n += sizeof n;
    return TAGMA_OK;
}

tagma_status tg_sink_put_empty(tagma_ctx *ctx, const tg_code *code, tg_sink *sink)
{
    if (code->n_lists > 0)
        return end_list(ctx, sink, 0, 0);
    for (uint32_t i = 0; code->is_string && i < code->n_items; i++)
        TG_TRY(end_list(ctx, sink, 0, 0));
    return TAGMA_OK;
}

/* Room for n bytes of values: at the known place, which moves on, or in the sink. */
static uint8_t *room(tagma_ctx *ctx, uint8_t **place, tg_sink *sink, uint64_t n)
{
    uint8_t *at;

    if (*place) {
        at = *place;
        *place += n;
        return at;
    }
    if (tg_buf_reserve(ctx, &sink->values, sink->values.n + n + 1) < 0) /* one more: never NULL when it did */
        return NULL;
    at = sink->values.bytes + sink->values.n;
    sink->values.n += n;
    return at;
}

tagma_status tg_sink_put_vector(tagma_ctx *ctx, const tg_code *code, tg_sink *sink, const uint8_t *entry,
                                uint32_t n)
{
    uint64_t n_numbers = (uint64_t)n * code->n_items;
    uint8_t *no_place = NULL, *to = room(ctx, &no_place, sink, n_numbers * code->value_bytes);

    if (!to)
        return TAGMA_E_MEMORY;
    tg_decode_numbers(code, to, entry + TG_VECTOR_HEAD_BYTES, n_numbers);
    return end_list(ctx, sink, 0, n);
}

static tagma_status too_short(tagma_ctx *ctx, const tg_in *in, uint64_t n, uint32_t bytes)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%" PRIu64 " items of %" PRIu32 " bytes or more at byte %zu of an entry of %zu bytes", n,
                   bytes, in->at, in->n);
}

/* Source: ROOT io/io/src/TStreamerInfoReadBuffer.cxx, kBits. */
static tagma_status walk_bits(tagma_ctx *ctx, tg_in *in, uint8_t *to, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t bits = tg_in_be32(in);

        if (bits & FLAGGED_ITEM_BIT)
            tg_in_skip(in, 2);
        memcpy(to + i * sizeof bits, &bits, sizeof bits);
    }
    return tg_in_short(in) ? too_short(ctx, in, n, 4) : TAGMA_OK;
}

static tagma_status walk_numbers(tagma_ctx *ctx, tg_in *in, const tg_code *code, uint8_t **place,
                                 tg_sink *sink, uint64_t n_items)
{
    uint64_t n = n_items * code->n_items;
    uint32_t bytes = code->wire_bytes ? code->wire_bytes : 4;
    uint8_t *to;

    if (n > tg_in_left(in) / bytes)
        return too_short(ctx, in, n, bytes);
    to = room(ctx, place, sink, n * code->value_bytes);
    if (!to)
        return TAGMA_E_MEMORY;
    if (code->wire == TG_WIRE_BITS)
        return walk_bits(ctx, in, to, n);
    tg_decode_numbers(code, to, tg_in_take(in, n * bytes), n);
    return TAGMA_OK;
}

static uint64_t string_bytes(tg_in *in, uint8_t kind)
{
    uint64_t n;

    if (kind == TG_STRING_LONG)
        return tg_in_be32(in);
    if (kind == TG_STRING_LEAF && tg_in_left(in) == 0)
        return 0;
    n = tg_in_u8(in);
    return n == 255 ? tg_in_be32(in) : n; /* a negative length is more than any entry has */
}

static tagma_status walk_strings(tagma_ctx *ctx, tg_in *in, const tg_code *code, tg_sink *sink,
                                 uint64_t n_items)
{
    uint64_t n = n_items * code->n_items;
    uint8_t *no_place = NULL;

    for (uint64_t i = 0; i < n; i++) {
        size_t at = in->at;
        uint64_t bytes = string_bytes(in, code->layout->string);
        const uint8_t *from = tg_in_take(in, bytes);
        uint8_t *to;

        if (tg_in_short(in))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "a string of %" PRIu64 " bytes at byte %zu of an entry of %zu bytes", bytes, at,
                           in->n);
        to = room(ctx, &no_place, sink, bytes);
        if (!to)
            return TAGMA_E_MEMORY;
        if (bytes > 0)
            memcpy(to, from, bytes);
        TG_TRY(end_list(ctx, sink, code->n_lists, (uint32_t)bytes));
    }
    return TAGMA_OK;
}

static tagma_status walk_items(tagma_ctx *ctx, tg_in *in, const tg_code *code, uint8_t **place, tg_sink *sink,
                               uint64_t n_items)
{
    if (code->is_string)
        return walk_strings(ctx, in, code, sink, n_items);
    return walk_numbers(ctx, in, code, place, sink, n_items);
}

/* Bytes that an item takes at least: nothing may be claimed that is not there. */
static uint32_t least_bytes(const tg_code *code, uint32_t level)
{
    if (level + 1 < code->n_lists)
        return 4;
    if (code->is_string)
        return code->layout->string == TG_STRING_LONG ? 4 : 1;
    return code->wire_bytes ? code->item_bytes : 4 * code->n_items;
}

static tagma_status take_count(tagma_ctx *ctx, tg_in *in, const tg_code *code, uint32_t level, uint32_t *n)
{
    size_t at = in->at;

    *n = tg_in_be32(in);
    if (tg_in_short(in))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "a count at byte %zu of an entry of %zu bytes", at, in->n);
    if (*n > tg_in_left(in) / least_bytes(code, level))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%" PRId32 " items at byte %zu of an entry of %zu bytes",
                       (int32_t)*n, at, in->n);
    return TAGMA_OK;
}

/* The lists of level 0 and below, and what they hold. */
static tagma_status walk_lists(tagma_ctx *ctx, tg_in *in, const tg_target *target, uint32_t n)
{
    const tg_code *code = target->code;
    uint8_t *place = target->place;

    if (code->n_lists > 0 && code->layout->counts[0] == TG_COUNT_INLINE)
        TG_TRY(take_count(ctx, in, code, 0, &n));
    else if (code->n_lists > 0 && n > tg_in_left(in) / least_bytes(code, 0))
        return too_short(ctx, in, n, least_bytes(code, 0));
    if (code->n_lists < 2)
        TG_TRY(walk_items(ctx, in, code, &place, target->sink, code->n_lists > 0 ? n : 1));
    for (uint32_t i = 0; code->n_lists == 2 && i < n; i++) {
        uint32_t m;

        TG_TRY(take_count(ctx, in, code, 1, &m));
        TG_TRY(walk_items(ctx, in, code, &place, target->sink, m));
        TG_TRY(end_list(ctx, target->sink, 1, m));
    }
    return code->n_lists > 0 && !place ? end_list(ctx, target->sink, 0, n) : TAGMA_OK;
}

/* Byte count and version in front of the values. *end is where the frame says that it ends, 0 where it does not say. */
static tagma_status take_frame(tagma_ctx *ctx, tg_in *in, size_t *end, bool *is_member_wise)
{
    size_t at = in->at;
    uint32_t word = tg_in_be32(in);
    uint16_t version;

    *end = 0;
    if (word & BYTE_COUNT_BIT && word != UINT32_MAX) {
        uint32_t bytes = word & (BYTE_COUNT_BIT - 1);

        if (bytes < 2 || bytes > tg_in_left(in))
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "a frame of %" PRIu32 " bytes at byte %zu of an entry of %zu bytes", bytes, at,
                           in->n);
        *end = in->at + bytes;
    } else {
        tg_in_seek(in, at);
    }
    version = tg_in_be16(in);
    *is_member_wise = (version & MEMBER_WISE_BIT) && !(version & 0x8000);
    if ((int16_t)version <= 0)
        tg_in_skip(in, 4); /* a checksum tells the class instead */
    if (tg_in_short(in))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "a frame at byte %zu of an entry of %zu bytes", at, in->n);
    return TAGMA_OK;
}

static tagma_status walk_framed(tagma_ctx *ctx, tg_in *in, const tg_target *target, uint32_t n)
{
    bool is_shared = target->code->n_lists > 0 && target->code->layout->counts[0] == TG_COUNT_SHARED;
    bool is_member_wise = false;
    size_t end = 0;

    if (is_shared && n == 0 && tg_in_left(in) == 0) /* as before ROOT 5.32 */
        return walk_lists(ctx, in, target, 0);
    TG_TRY(take_frame(ctx, in, &end, &is_member_wise));
    if (is_shared && n == 0 && end > 0) { /* what else the frame holds belongs to no item */
        tg_in_seek(in, end);
        return walk_lists(ctx, in, target, 0);
    }
    if (is_member_wise)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "an entry is streamed member-wise");
    TG_TRY(walk_lists(ctx, in, target, n));
    if (end > 0 && in->at != end)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "values end at byte %zu of an entry, their frame at %zu", in->at,
                       end);
    return TAGMA_OK;
}

static tagma_status walk_flagged(tagma_ctx *ctx, tg_in *in, const tg_target *target, uint32_t n,
                                 bool *is_missing)
{
    uint8_t flag = tg_in_u8(in);

    if (tg_in_short(in))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "an entry of %zu bytes, its flag is missing", in->n);
    if (flag != 0)
        return walk_lists(ctx, in, target, n);
    *is_missing = n > 0;
    return n > 0 ? TAGMA_OK : walk_lists(ctx, in, target, 0);
}

tagma_status tg_walk_leaf(tagma_ctx *ctx, tg_in *in, const tg_target *target, uint32_t n, bool *is_missing)
{
    *is_missing = false;
    switch (target->code->layout->frame) {
    case TG_ENTRY_FRAMED:
        return walk_framed(ctx, in, target, n);
    case TG_ENTRY_FLAGGED:
        return walk_flagged(ctx, in, target, n, is_missing);
    default:
        return walk_lists(ctx, in, target, n);
    }
}
