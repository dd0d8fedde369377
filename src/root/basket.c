/* SPDX-License-Identifier: Apache-2.0
 * Parse, unpack and lay open one basket. */
#include "root/basket.h"

#include "root/key.h"

/* Bits of fIOBits: only the first has a meaning. Source: ROOT tree/tree/inc/TBasket.h, EIOBits. */
enum { NO_OFFSETS_BIT = 1, FLAG_NO_OFFSETS = 80 };

/* The header that follows the three strings of the key. */
typedef struct header {
    int16_t version;
    int32_t stride;    /* fNevBufSize */
    int32_t n_entries; /* fNevBuf */
    int32_t last;      /* fLast: end of the data, counted from the key's first byte */
    uint8_t flag, io_bits;
} header;

/* Source: ROOT tree/tree/src/TBasket.cxx, Streamer: a negative fNevBufSize says that fIOBits follow. */
static tagma_status parse_header(tagma_ctx *ctx, tg_in *in, header *out)
{
    bool has_bits;

    out->version = (int16_t)tg_in_be16(in);
    tg_in_skip(in, 4); /* fBufferSize, a hint */
    out->stride = (int32_t)tg_in_be32(in);
    has_bits = out->stride < 0;
    if (has_bits) {
        out->stride = (int32_t)(0 - (uint32_t)out->stride);
        out->io_bits = tg_in_u8(in);
    } else {
        out->io_bits = 0;
    }
    out->n_entries = (int32_t)tg_in_be32(in);
    out->last = (int32_t)tg_in_be32(in);
    out->flag = tg_in_u8(in);
    if (tg_in_short(in))
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "basket header is cut");
    if (has_bits && out->io_bits != NO_OFFSETS_BIT)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "fIOBits are 0x%02x, 0x01 expected", out->io_bits);
    if (out->stride < 0 || out->n_entries < 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "fNevBufSize is %" PRId32 ", fNevBuf %" PRId32, out->stride,
                       out->n_entries);
    return TAGMA_OK;
}

static tagma_status check_key(tagma_ctx *ctx, const tg_key *key, const tg_basket *basket)
{
    if (!tg_text_is(key->class_name, "TBasket"))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "record is a \"%.*s\", a TBasket expected",
                       (int)key->class_name.n, key->class_name.bytes);
    if (key->bytes != basket->bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "record has %" PRIu32 " bytes, %" PRIu32 " expected", key->bytes,
                       basket->bytes);
    if (key->offset != basket->offset)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "record says it stands at byte %" PRIu64, key->offset);
    return TAGMA_OK;
}

/* Which tail: decided by its length, which needs no branch. */
static tagma_status tell_tail(tagma_ctx *ctx, const header *h, tg_basket_head *out)
{
    uint64_t tail = out->unpacked_bytes - out->data_bytes;
    uint64_t array = 4 + 4 * ((uint64_t)out->n_entries + 1);

    if (tail == array || tail == 2 * array) {
        /* What follows the offsets of the longer form shifts object references; no column has those. */
        out->tail = h->io_bits & NO_OFFSETS_BIT ? TG_TAIL_SIZES : TG_TAIL_OFFSETS;
        return TAGMA_OK;
    }
    if (tail != 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%" PRIu64 " bytes behind the data, 0 or %" PRIu64 " expected for %" PRIu32 " entries",
                       tail, array, out->n_entries);
    if (h->flag == FLAG_NO_OFFSETS) {
        out->tail = TG_TAIL_COUNTS;
        return TAGMA_OK;
    }
    out->tail = TG_TAIL_STRIDE;
    out->stride = (uint32_t)h->stride;
    if ((uint64_t)out->stride * out->n_entries != out->data_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%" PRIu32 " bytes of data, %" PRIu32 " entries of %" PRIu32 " bytes expected",
                       out->data_bytes, out->n_entries, out->stride);
    return TAGMA_OK;
}

/* The frame of an object that was packed to exactly its own length, or did not pack. */
static bool begins_with_frame(tagma_ctx *ctx, const uint8_t *payload, const tg_basket_head *head)
{
    tg_in in = tg_in_of(payload, head->stored_bytes);
    tg_frame frame;

    return head->stored_bytes > TG_FRAME_BYTES && tg_frame_parse(ctx, &in, &frame) == TAGMA_OK &&
           tg_codec_name(frame.tag) && frame.unpacked_bytes <= head->unpacked_bytes &&
           tg_codec_check(ctx, payload, head->stored_bytes, head->unpacked_bytes) == TAGMA_OK;
}

tagma_status tg_basket_parse(tagma_ctx *ctx, const uint8_t *record, const tg_basket *basket,
                             bool is_old_packing, tg_basket_head *out)
{
    tg_in in = tg_in_of(record, basket->bytes);
    tg_key key;
    header h;

    TG_TRY(tg_key_parse(ctx, &in, basket->offset, &key));
    TG_TRY(check_key(ctx, &key, basket));
    TG_TRY(parse_header(ctx, &in, &h));
    if (in.at > key.key_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "key has %" PRIu32 " bytes, its header ends at %zu",
                       key.key_bytes, in.at);
    if ((uint32_t)h.n_entries != basket->n_entries)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "holds %" PRId32 " entries, %" PRIu64 " expected", h.n_entries,
                       basket->n_entries);
    if (h.flag != 0 && h.flag != FLAG_NO_OFFSETS)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "flag is %d, 0 or %d expected", h.flag, FLAG_NO_OFFSETS);
    if (h.last < 0 || (uint32_t)h.last < key.key_bytes ||
        (uint32_t)h.last - key.key_bytes > key.unpacked_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "data end at %" PRId32 ", %" PRIu32 " + %" PRIu32 " bytes are there", h.last,
                       key.key_bytes, key.unpacked_bytes);
    *out = (tg_basket_head){.key_bytes = key.key_bytes,
                            .stored_bytes = key.bytes - key.key_bytes,
                            .unpacked_bytes = key.unpacked_bytes,
                            .data_bytes = (uint32_t)h.last - key.key_bytes,
                            .n_entries = (uint32_t)h.n_entries,
                            .is_packed = tg_key_is_packed(&key)};
    if (is_old_packing && out->stored_bytes == out->unpacked_bytes)
        out->is_packed = begins_with_frame(ctx, record + key.key_bytes, out);
    if (out->is_packed && out->unpacked_bytes > ctx->limits.max_object_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT,
                       "would unpack to %" PRIu32 " bytes, the limit max_object_bytes is %" PRIu64,
                       out->unpacked_bytes, ctx->limits.max_object_bytes);
    return tell_tail(ctx, &h, out);
}

tagma_status tg_basket_unpack(tagma_ctx *ctx, tg_codec_state *codec, const tg_basket_head *head,
                              const uint8_t *record, uint8_t *dst, const uint8_t **payload)
{
    const uint8_t *stored = record + head->key_bytes;

    *payload = head->is_packed ? dst : stored;
    if (!head->is_packed)
        return TAGMA_OK;
    return tg_codec_unpack(ctx, codec, stored, head->stored_bytes, dst, head->unpacked_bytes);
}

static uint8_t *make_room(tagma_ctx *ctx, tg_buf *made, uint64_t n_entries)
{
    return tg_buf_reserve(ctx, made, 4 * n_entries + 4) < 0 ? NULL : made->bytes;
}

static void put_be32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 24);
    p[1] = (uint8_t)(v >> 16);
    p[2] = (uint8_t)(v >> 8);
    p[3] = (uint8_t)v;
}

/* Sizes, the first 0, added up to offsets. */
static tagma_status add_up(tagma_ctx *ctx, const uint8_t *sizes, tg_buf *made, tg_entries *entries)
{
    uint8_t *offsets = make_room(ctx, made, entries->n);
    uint64_t at = entries->key_bytes, last = at + entries->data_bytes;

    if (!offsets)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < entries->n; i++) {
        at += tg_be32(sizes + 4 * (size_t)i);
        if (at > last)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "sizes up to entry %" PRIu32 " add up to more than the data",
                           i);
        put_be32(offsets + 4 * (size_t)i, (uint32_t)at);
    }
    entries->offsets = offsets;
    return TAGMA_OK;
}

tagma_status tg_basket_entries(tagma_ctx *ctx, const tg_basket_head *head, const uint8_t *payload,
                               tg_buf *made, tg_entries *out)
{
    const uint8_t *tail = payload + head->data_bytes;

    *out = (tg_entries){.data = payload,
                        .data_bytes = head->data_bytes,
                        .n = head->n_entries,
                        .key_bytes = head->key_bytes,
                        .stride = head->stride,
                        .needs_counts = head->tail == TG_TAIL_COUNTS};
    if (head->tail != TG_TAIL_OFFSETS && head->tail != TG_TAIL_SIZES)
        return TAGMA_OK;
    if (tg_be32(tail) != (uint64_t)head->n_entries + 1)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "offset array has %" PRIu32 " elements, %" PRIu32 " + 1 expected", tg_be32(tail),
                       head->n_entries);
    if (head->tail == TG_TAIL_SIZES)
        return add_up(ctx, tail + 4, made, out);
    out->offsets = tail + 4;
    return TAGMA_OK;
}

/* An embedded basket's flag. Source: ROOT tree/tree/src/TBasket.cxx, Streamer. */
typedef struct embedding {
    bool has_offsets, has_data, has_displacement, needs_counts;
    uint32_t mask; /* what of each offset counts */
} embedding;

static embedding tell_embedding(const header *h)
{
    bool no_offsets = h->flag >= FLAG_NO_OFFSETS;
    uint8_t flag = no_offsets ? h->flag - FLAG_NO_OFFSETS : h->flag;

    return (embedding){.has_offsets = flag != 0 && !no_offsets && flag % 10 != 2 && h->n_entries > 0,
                       .has_data = flag == 1 || flag > 10,
                       .has_displacement = flag > 40,
                       .needs_counts = no_offsets,
                       .mask = flag > 20 && flag < 40 ? 0x00ffffff : UINT32_MAX};
}

/* Offsets behind the header: a count and as many elements. Masked ones are made anew. */
static tagma_status take_offsets(tagma_ctx *ctx, tg_in *in, const embedding *how, tg_buf *made,
                                 tg_entries *out)
{
    uint32_t count = tg_in_be32(in);
    const uint8_t *offsets;
    uint8_t *masked;

    if (count != out->n)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "embedded offset array has %" PRIu32 " elements, %" PRIu32 " expected", count, out->n);
    offsets = tg_in_take(in, 4 * (uint64_t)count);
    if (how->has_displacement)
        tg_in_skip(in, 4 * (uint64_t)tg_in_be32(in));
    if (tg_in_short(in) || !offsets)
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "embedded offset array of %" PRIu32 " elements is cut", count);
    out->offsets = offsets;
    if (how->mask == UINT32_MAX)
        return TAGMA_OK;
    masked = make_room(ctx, made, count);
    if (!masked)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        put_be32(masked + 4 * (size_t)i, tg_be32(offsets + 4 * (size_t)i) & how->mask);
    out->offsets = masked;
    return TAGMA_OK;
}

/* The key of an embedded basket: its lengths and place are stale, only its own length counts. */
static tagma_status embedded_head(tagma_ctx *ctx, tg_in *in, uint32_t *key_bytes, header *h)
{
    enum { AT_VERSION = 4, AT_KEY_BYTES = 14, AT_SEEK = 18 };
    int16_t version, length;

    tg_in_seek(in, AT_VERSION);
    version = (int16_t)tg_in_be16(in);
    tg_in_seek(in, AT_KEY_BYTES);
    length = (int16_t)tg_in_be16(in);
    tg_in_seek(in, AT_SEEK + (version > TG_WIDE_KEY ? 16U : 8U));
    for (int i = 0; i < 3; i++)
        (void)tg_in_text(in);
    TG_TRY(parse_header(ctx, in, h));
    if (length < 0 || in->at != (size_t)length)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "embedded key has %d bytes, its header ends at %zu", length,
                       in->at);
    *key_bytes = (uint32_t)length;
    return TAGMA_OK;
}

tagma_status tg_basket_embedded(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, uint64_t n_entries,
                                tg_buf *made, tg_entries *out)
{
    tg_in in = tg_in_of(bytes, n);
    uint32_t key_bytes = 0;
    embedding how;
    header h;

    TG_TRY(embedded_head(ctx, &in, &key_bytes, &h));
    if ((uint64_t)h.n_entries != n_entries)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "holds %" PRId32 " entries, %" PRIu64 " expected", h.n_entries,
                       n_entries);
    if (h.last < 0 || (uint32_t)h.last < key_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "data end at %" PRId32 ", the key has %" PRIu32 " bytes", h.last,
                       key_bytes);
    how = tell_embedding(&h);
    *out = (tg_entries){.data_bytes = (uint32_t)h.last - key_bytes,
                        .n = (uint32_t)h.n_entries,
                        .key_bytes = key_bytes,
                        .stride = (uint32_t)h.stride,
                        .needs_counts = how.needs_counts};
    if (how.has_offsets)
        TG_TRY(take_offsets(ctx, &in, &how, made, out));
    if (h.version <= 1)
        tg_in_skip(&in, 4);     /* a second count in front of the bytes */
    tg_in_skip(&in, key_bytes); /* the buffer's own key area, stale */
    out->data = tg_in_take(&in, out->data_bytes);
    if (!how.has_data || !out->data)
        return tg_fail(ctx, how.has_data ? TAGMA_E_TRUNCATED : TAGMA_E_CORRUPT,
                       "embedded data of %" PRIu32 " bytes are not there", out->data_bytes);
    if (!out->offsets && !out->needs_counts && (uint64_t)out->stride * out->n != out->data_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%" PRIu32 " bytes of embedded data, %" PRIu32 " entries of %" PRIu32
                       " bytes expected",
                       out->data_bytes, out->n, out->stride);
    return TAGMA_OK;
}

tagma_status tg_entries_count(tagma_ctx *ctx, const uint32_t *ends, uint32_t item_bytes, uint32_t extra,
                              tg_buf *made, tg_entries *entries)
{
    uint8_t *offsets = make_room(ctx, made, entries->n);
    uint64_t at = entries->key_bytes, last = at + entries->data_bytes;

    if (!offsets)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < entries->n && at <= last; i++) {
        put_be32(offsets + 4 * (size_t)i, (uint32_t)at);
        at += (uint64_t)(ends[i + 1] - ends[i]) * item_bytes + extra;
    }
    if (at != last)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%" PRIu32 " bytes of data, the counts of its entries do not give that many",
                       entries->data_bytes);
    entries->offsets = offsets;
    entries->needs_counts = false;
    return TAGMA_OK;
}
