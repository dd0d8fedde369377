/* SPDX-License-Identifier: Apache-2.0
 * One basket: from its record, or from where it is embedded in the tree's, to the bytes of each entry.
 * Source of facts: docs/ROOT.md, "Baskets". */
#ifndef TG_ROOT_BASKET_H
#define TG_ROOT_BASKET_H

#include "codec/codec.h"
#include "root/tree.h"

/* How the unpacked payload tells entries apart. */
typedef enum tg_tail {
    TG_TAIL_STRIDE,  /* no tail: entries of equal length */
    TG_TAIL_OFFSETS, /* where each entry begins, counted from the key's first byte */
    TG_TAIL_SIZES,   /* how long each entry before is */
    TG_TAIL_COUNTS   /* no tail: lengths follow from the column that counts the values */
} tg_tail;

/* What key and header of a record say, held against the table and against each other. */
typedef struct tg_basket_head {
    uint32_t key_bytes;
    uint32_t stored_bytes;   /* of the payload, as it stands in the file */
    uint32_t unpacked_bytes; /* of the payload */
    uint32_t data_bytes;     /* the payload's part in front of the tail */
    uint32_t n_entries;
    uint32_t stride; /* of TG_TAIL_STRIDE */
    uint8_t tail;    /* tg_tail */
    bool is_packed;
} tg_basket_head;

/* Entries of an unpacked basket. Offsets are big-endian, unaligned, and not yet trusted: tg_entry_range() tells. */
typedef struct tg_entries {
    const uint8_t *data;
    uint32_t data_bytes;
    uint32_t n;
    uint32_t key_bytes;     /* what offsets count too much */
    uint32_t stride;        /* without offsets */
    const uint8_t *offsets; /* [n]; NULL: entries of equal length, or of counted ones with needs_counts */
    bool needs_counts;      /* offsets are to be made by tg_entries_count() */
} tg_entries;

/* Writers up to this version packed baskets to their very length now and then; then only the frame can tell.
 * Source: ROOT tree/tree/src/TBasket.cxx, "case where ROOT thinks there's more data". */
enum { TG_OLD_PACKING_VERSION = 30401 };

/* Parse key and header of the record that the table says stands at basket->offset. */
tagma_status tg_basket_parse(tagma_ctx *ctx, const uint8_t *record, const tg_basket *basket,
                             bool is_old_packing, tg_basket_head *out);
/* The payload unpacked: into dst [head->unpacked_bytes] where it is packed, else where it stands. */
tagma_status tg_basket_unpack(tagma_ctx *ctx, tg_codec_state *codec, const tg_basket_head *head,
                              const uint8_t *record, uint8_t *dst, const uint8_t **payload);
/* Entries of an unpacked payload. Offsets that must be made first stand in `made` afterwards. */
tagma_status tg_basket_entries(tagma_ctx *ctx, const tg_basket_head *head, const uint8_t *payload,
                               tg_buf *made, tg_entries *out);
/* The same for a basket embedded in the tree's record: bytes[0..n) begin with its key. */
tagma_status tg_basket_embedded(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, uint64_t n_entries,
                                tg_buf *made, tg_entries *out);
/* Make the offsets of entries that need counts: entry i has (ends[i + 1] - ends[i]) * item_bytes bytes, and `extra` more.
 * TAGMA_E_CORRUPT where they do not fill the basket. */
tagma_status tg_entries_count(tagma_ctx *ctx, const uint32_t *ends, uint32_t item_bytes, uint32_t extra,
                              tg_buf *made, tg_entries *entries);

/* Bytes [*begin, *end) of entry i < n in entries->data; false where they are none. */
static inline bool tg_entry_range(const tg_entries *entries, uint32_t i, uint32_t *begin, uint32_t *end)
{
    uint32_t last = entries->key_bytes + entries->data_bytes;

    if (!entries->offsets) {
        *begin = i * entries->stride; /* n * stride is data_bytes: checked when parsed */
        *end = *begin + entries->stride;
        return true;
    }
    *begin = tg_be32(entries->offsets + 4 * (size_t)i);
    *end = i + 1 < entries->n ? tg_be32(entries->offsets + 4 * (size_t)i + 4) : last;
    if (*begin < entries->key_bytes || *begin > *end || *end > last)
        return false;
    *begin -= entries->key_bytes;
    *end -= entries->key_bytes;
    return true;
}

#endif
