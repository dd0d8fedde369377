/* SPDX-License-Identifier: Apache-2.0
 * Where the fixed layout puts each entry: rows in the order of ids, at the slot that their ranks give. */
#ifndef TG_STORE_PLACES_H
#define TG_STORE_PLACES_H

#include "store/records.h"
#include "store/sections.h"

/* Zeroed: every entry is the row of its own number, and that the slot. */
typedef struct tg_places {
    uint64_t *rows;  /* [n_entries] of each entry */
    uint64_t *slots; /* [n_entries] of each row */
} tg_places;

static inline uint64_t tg_places_row(const tg_places *places, uint64_t entry)
{
    return places->rows ? places->rows[entry] : entry;
}

static inline uint64_t tg_places_slot(const tg_places *places, uint64_t row)
{
    return places->slots ? places->slots[row] : row;
}

/* How many ranks each axis has, [TG_FIXED_AXES_MAX]. */
void tg_places_measure(const tagma_index *index, uint64_t *bounds);
/* @param layout  over the bounds that were measured. */
tagma_status tg_places_new(tagma_ctx *ctx, const tagma_index *index, const tagma_layout *layout,
                           tg_places *out);
void tg_places_free(tagma_ctx *ctx, tg_places *places);
/* What finds rows by id, and which entry each was. */
tagma_status tg_places_put(tagma_ctx *ctx, const tagma_index *index, tg_sections *sections);

#endif
