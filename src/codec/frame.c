/* SPDX-License-Identifier: Apache-2.0
 * The nine bytes in front of a compressed payload. */
#include "codec/codec.h"

/* Source: ROOT core/zip/src/RZip.cxx, R__unzip_header: two letters, method, then packed and unpacked size as 3-byte
 * little-endian numbers, in a file that is otherwise big-endian. */
tagma_status tg_frame_parse(tagma_ctx *ctx, tg_in *in, tg_frame *out)
{
    size_t left = tg_in_left(in);

    out->tag = tg_in_be16(in);
    out->method = tg_in_u8(in);
    out->packed_bytes = tg_in_le24(in);
    out->unpacked_bytes = tg_in_le24(in);
    if (tg_in_short(in))
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "compression header needs %d bytes, %zu remain",
                       TG_FRAME_BYTES, left);
    if (out->packed_bytes > tg_in_left(in))
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "payload claims %" PRIu32 " bytes, %zu remain",
                       out->packed_bytes, tg_in_left(in));
    return TAGMA_OK;
}
