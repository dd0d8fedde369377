/* SPDX-License-Identifier: Apache-2.0
 * The header of a ROOT file. */
#include "root/rootfile.h"

/* Source: docs/ROOT.md, "Header". The version alone selects the layout: fUnits is 4 in some wide files. */
tagma_status tg_root_header_parse(tagma_ctx *ctx, const char *file, tg_in in, tg_root_header *out)
{
    const uint8_t *magic = tg_in_take(&in, 4);
    const uint8_t *uuid;
    bool is_wide;

    if (!magic)
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "%s: %zu bytes are neither a ROOT file nor a Tagma store",
                       file, in.n);
    if (memcmp(magic, "root", 4) != 0)
        return tg_fail(
            ctx, TAGMA_E_CORRUPT,
            "%s: neither a ROOT file nor a Tagma store: byte 0 is %02x %02x %02x %02x, expected 72 6f 6f 74 "
            "(root) or 89 54 47 4d",
            file, magic[0], magic[1], magic[2], magic[3]);
    *out = (tg_root_header){.version = (int32_t)tg_in_be32(&in)};
    is_wide = out->version >= TG_WIDE_HEADER;
    out->begin = (int32_t)tg_in_be32(&in);
    out->end = is_wide ? tg_in_be64(&in) : tg_in_be32(&in);
    out->free_offset = is_wide ? tg_in_be64(&in) : tg_in_be32(&in);
    out->free_bytes = (int32_t)tg_in_be32(&in);
    tg_in_skip(&in, 4); /* nfree */
    out->name_bytes = (int32_t)tg_in_be32(&in);
    tg_in_skip(&in, 1); /* fUnits */
    out->compress = (int32_t)tg_in_be32(&in);
    out->streamers_offset = is_wide ? tg_in_be64(&in) : tg_in_be32(&in);
    out->streamers_bytes = (int32_t)tg_in_be32(&in);
    if (tg_in_short(&in))
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "%s: header is cut after %zu bytes", file, in.n);
    /* Old files have no UUID; what stands there then is zero or the first record. */
    out->has_uuid = tg_in_be16(&in) == 1;
    uuid = tg_in_take(&in, sizeof out->uuid);
    out->has_uuid = out->has_uuid && uuid && in.at <= (uint64_t)(out->begin > 0 ? out->begin : 0);
    if (out->has_uuid)
        memcpy(out->uuid, uuid, sizeof out->uuid);
    out->has_uuid = out->has_uuid && memcmp(out->uuid, (const uint8_t[16]){0}, sizeof out->uuid) != 0;
    return TAGMA_OK;
}

int32_t tg_root_header_release(const tg_root_header *header)
{
    /* An updater is known that took 1,000,000 from a narrow version. */
    if (header->version < 0 && header->version > -TG_WIDE_HEADER)
        return header->version + TG_WIDE_HEADER;
    return header->version >= TG_WIDE_HEADER ? header->version - TG_WIDE_HEADER : header->version;
}
