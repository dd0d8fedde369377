/* SPDX-License-Identifier: Apache-2.0
 * The file that a store is written to. */
#include "store/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

tagma_status tg_sink_write(tagma_ctx *ctx, const tg_aside *aside, uint64_t offset, const void *bytes,
                           uint64_t n)
{
    enum { MOST = 1 << 30 };
    const uint8_t *from = bytes;
    char words[128];

    while (n > 0) {
        ssize_t done = pwrite(aside->file, from, n < MOST ? n : MOST, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return tg_fail(ctx, TAGMA_E_IO, "%s cannot be written: %s", aside->path,
                           strerror_r(done < 0 ? errno : ENOSPC, words, sizeof words));
        from += done;
        offset += (uint64_t)done;
        n -= (uint64_t)done;
    }
    return TAGMA_OK;
}
