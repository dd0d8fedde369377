/* SPDX-License-Identifier: Apache-2.0
 * Read a record and unpack it. */
#include "root/rootrecord.h"

#include "base/hash.h"

static const char *file_of(const tg_lane *lane)
{
    return tagma_source_name(tg_lane_source(lane));
}

tagma_status tg_record_fetch(tagma_ctx *ctx, tg_lane *lane, uint64_t offset, uint64_t bytes, tg_record *out)
{
    uint64_t size = tagma_source_size(tg_lane_source(lane));
    tagma_status st;
    tg_in in;

    *out = (tg_record)TG_RECORD_INIT;
    if (!tg_inside(offset, bytes, size))
        return tg_fail(ctx, TAGMA_E_TRUNCATED,
                       "%s: a record of %" PRIu64 " bytes at byte %" PRIu64
                       ", the file ends at byte %" PRIu64,
                       file_of(lane), bytes, offset, size);
    if (bytes < TG_KEY_BYTES_MIN)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: a record of %" PRIu64 " bytes at byte %" PRIu64 " has no room for a key",
                       file_of(lane), bytes, offset);
    out->stored = tg_alloc(ctx, bytes, 1);
    if (!out->stored)
        return TAGMA_E_MEMORY;
    st = tg_lane_read(ctx, lane, offset, bytes, out->stored);
    if (st < 0)
        goto fail;
    in = tg_in_of(out->stored, bytes);
    st = tg_key_parse(ctx, &in, offset, &out->key);
    if (st == TAGMA_OK && out->key.bytes != bytes)
        st =
            tg_fail(ctx, TAGMA_E_CORRUPT, "record at byte %" PRIu64 ": length %" PRIu32 ", expected %" PRIu64,
                    offset, out->key.bytes, bytes);
    if (st == TAGMA_OK && out->key.key_bytes < in.at)
        st = tg_fail(ctx, TAGMA_E_CORRUPT,
                     "record at byte %" PRIu64 ": key length %" PRIu32 ", its strings end at %zu", offset,
                     out->key.key_bytes, in.at);
    if (st == TAGMA_OK) {
        tg_lane_count_used(lane, bytes);
        return TAGMA_OK;
    }
    tg_within(ctx, st, "%s", file_of(lane));
fail:
    tg_record_free(ctx, out);
    return st;
}

tagma_status tg_record_unpack(tagma_ctx *ctx, const char *file, tg_codec_state *codec, uint64_t offset,
                              tg_record *record)
{
    const tg_key *key = &record->key;
    const uint8_t *packed = record->stored + key->key_bytes;
    uint64_t packed_bytes = key->bytes - key->key_bytes;
    tagma_status st;

    record->payload_bytes = key->unpacked_bytes;
    if (!tg_key_is_packed(key)) {
        record->payload = packed;
        return TAGMA_OK;
    }
    if (key->unpacked_bytes > ctx->limits.max_object_bytes)
        return tg_fail(ctx, TAGMA_E_LIMIT,
                       "%s: record at byte %" PRIu64 " would unpack to %" PRIu32
                       " bytes (limit max_object_bytes %" PRIu64 ")",
                       file, offset, key->unpacked_bytes, ctx->limits.max_object_bytes);
    st = tg_codec_check(ctx, packed, packed_bytes, key->unpacked_bytes);
    if (st == TAGMA_OK) {
        record->unpacked = tg_alloc(ctx, key->unpacked_bytes, 1);
        if (!record->unpacked)
            return TAGMA_E_MEMORY;
        record->payload = record->unpacked;
        st = tg_codec_unpack(ctx, codec, packed, packed_bytes, record->unpacked, key->unpacked_bytes);
    }
    if (st < 0)
        tg_within(ctx, st, "%s: record at byte %" PRIu64 " (%.*s \"%.*s\")", file, offset,
                  (int)key->class_name.n, key->class_name.bytes, (int)key->name.n, key->name.bytes);
    return st;
}

tagma_status tg_record_read(tagma_ctx *ctx, tg_lane *lane, tg_codec_state *codec, uint64_t offset,
                            uint64_t bytes, bool with_hash, tg_record *out)
{
    tagma_status st = tg_record_fetch(ctx, lane, offset, bytes, out);

    if (st == TAGMA_OK)
        st = tg_record_unpack(ctx, file_of(lane), codec, offset, out);
    if (st < 0)
        tg_record_free(ctx, out);
    else if (with_hash)
        out->hash = tg_hash(out->stored, bytes);
    return st;
}

void tg_record_free(tagma_ctx *ctx, tg_record *record)
{
    tg_free(ctx, record->stored);
    tg_free(ctx, record->unpacked);
    *record = (tg_record)TG_RECORD_INIT;
}
