/* SPDX-License-Identifier: Apache-2.0
 * Parse a key. */
#include "root/key.h"

tg_text tg_in_text(tg_in *in)
{
    uint64_t n = tg_in_u8(in);
    const uint8_t *bytes;

    if (n == 255) {
        /* A negative i32 is more than any window holds. */
        n = tg_in_be32(in);
    }
    bytes = tg_in_take(in, n);
    return (tg_text){bytes ? (const char *)bytes : "", bytes ? (uint32_t)n : 0};
}

tg_text tg_in_zero_text(tg_in *in, uint32_t max_bytes)
{
    const uint8_t *start = in->bytes + in->at;
    size_t n = tg_in_left(in) < max_bytes ? tg_in_left(in) : max_bytes;
    const uint8_t *end = n > 0 ? memchr(start, 0, n) : NULL;

    if (!end) {
        in->is_short = true;
        in->at = in->n;
        return (tg_text){"", 0};
    }
    in->at += (size_t)(end - start) + 1;
    return (tg_text){(const char *)start, (uint32_t)(end - start)};
}

bool tg_text_is(tg_text text, const char *word)
{
    return strlen(word) == text.n && memcmp(text.bytes, word, text.n) == 0;
}

bool tg_text_begins(tg_text text, const char *word)
{
    size_t n = strlen(word);

    return text.n >= n && memcmp(text.bytes, word, n) == 0;
}

const char *tg_text_keep(tagma_ctx *ctx, tg_arena *arena, tg_text text)
{
    return tg_arena_text(ctx, arena, text.bytes, text.n);
}

tg_text tg_text_of(const char *word)
{
    return (tg_text){word, (uint32_t)strlen(word)};
}

const char *tg_text_join(tagma_ctx *ctx, tg_arena *arena, tg_text front, char between, tg_text back)
{
    char *joined;

    if (front.n == 0)
        return tg_text_keep(ctx, arena, back);
    joined = tg_arena_take(ctx, arena, (size_t)front.n + back.n + 2);
    if (!joined)
        return NULL;
    memcpy(joined, front.bytes, front.n);
    joined[front.n] = between;
    memcpy(joined + front.n + 1, back.bytes, back.n);
    joined[front.n + 1 + back.n] = 0;
    return joined;
}

static tagma_status check_lengths(tagma_ctx *ctx, uint64_t offset, int32_t bytes, int32_t unpacked,
                                  int16_t key_bytes)
{
    if (bytes <= 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "key at byte %" PRIu64 ": record length %" PRId32, offset,
                       bytes);
    if (key_bytes <= 0 || key_bytes > bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "key at byte %" PRIu64 ": key length %d, its record has %" PRId32 " bytes", offset,
                       key_bytes, bytes);
    if (unpacked < 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "key at byte %" PRIu64 ": object length %" PRId32, offset,
                       unpacked);
    return TAGMA_OK;
}

/* Source: docs/ROOT.md, "Records". The process id in the upper 16 bits of a wide directory offset is masked. */
tagma_status tg_key_parse(tagma_ctx *ctx, tg_in *in, uint64_t offset, tg_key *out)
{
    const uint64_t offset_bits = ((uint64_t)1 << 48) - 1;
    int32_t bytes = (int32_t)tg_in_be32(in);
    int16_t version = (int16_t)tg_in_be16(in);
    int32_t unpacked = (int32_t)tg_in_be32(in);
    int16_t key_bytes, cycle;

    tg_in_skip(in, 4); /* fDatime */
    key_bytes = (int16_t)tg_in_be16(in);
    cycle = (int16_t)tg_in_be16(in);
    out->version = version;
    if (version > TG_WIDE_KEY) {
        out->offset = tg_in_be64(in);
        out->directory = tg_in_be64(in) & offset_bits;
    } else {
        out->offset = tg_in_be32(in);
        out->directory = tg_in_be32(in);
    }
    out->class_name = tg_in_text(in);
    out->name = tg_in_text(in);
    out->title = tg_in_text(in);
    if (tg_in_short(in))
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "key at byte %" PRIu64 " is cut after %zu bytes", offset,
                       in->n);
    TG_TRY(check_lengths(ctx, offset, bytes, unpacked, key_bytes));
    out->bytes = (uint32_t)bytes;
    out->key_bytes = (uint32_t)key_bytes;
    out->unpacked_bytes = (uint32_t)unpacked;
    out->cycle = (uint32_t)(cycle < 0 ? -(int32_t)cycle : cycle);
    return TAGMA_OK;
}
