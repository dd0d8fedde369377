/* SPDX-License-Identifier: Apache-2.0
 * The values of a batch that go into records of doubles. */
#ifndef TG_STORE_FIXEDSOURCE_H
#define TG_STORE_FIXEDSOURCE_H

#include <tagma/batch.h>

#include "store/fixed.h"

/* Where the first item of an entry stands among the values; false where it is null, or has none. */
bool tg_fixed_first(const tagma_batch_column *column, uint64_t entry, uint64_t *at);
/* TAGMA_E_UNSUPPORTED: a double does not hold this integer of 8 bytes. */
tagma_status tg_fixed_inexact(tagma_ctx *ctx, const tagma_column *shape, const void *value, uint64_t entry);

#endif
