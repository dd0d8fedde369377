/* SPDX-License-Identifier: Apache-2.0
 * The file that a store is written to: aside, at any place of it, by several threads. */
#ifndef TG_STORE_SINK_H
#define TG_STORE_SINK_H

#include "base/aside.h"

/* n bytes at a place of an aside; not counted in its n. */
tagma_status tg_sink_write(tagma_ctx *ctx, const tg_aside *aside, uint64_t offset, const void *bytes,
                           uint64_t n);

#endif
