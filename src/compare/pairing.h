/* SPDX-License-Identifier: Apache-2.0
 * Which entry of b belongs to which of a. */
#ifndef TG_COMPARE_PAIRING_H
#define TG_COMPARE_PAIRING_H

#include <tagma/events.h>

#include "base/ctx.h"

typedef struct tg_pairing {
    uint64_t
        *of_a; /* [n_a] entries of b, TG_UNPAIRED for none; NULL: entry i with entry i, as far as both go */
    uint8_t *is_in_b;  /* bits of b's entries: it has one of a; NULL with of_a */
    bool is_scattered; /* what follows in a does not follow in b */
} tg_pairing;

#define TG_UNPAIRED UINT64_MAX

/* By event id, the k-th with the k-th of equal ones. *is_by_id is false, and nothing is paired by id, where one of them has no id
 * columns. @return TAGMA_E_UNSUPPORTED where both have, and cannot be compared. */
tagma_status tg_pairing_by_id(tagma_ctx *ctx, tagma_reader *a, tagma_reader *b, tg_pairing *out,
                              bool *is_by_id);
void tg_pairing_free(tagma_ctx *ctx, tg_pairing *pairing);

#endif
