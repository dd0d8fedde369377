/* SPDX-License-Identifier: Apache-2.0
 * Where the records of the fixed layout lie, and which of them have an event. Source: docs/FORMAT.md, "Fixed layout". */
#ifndef TG_STORE_RECORDS_H
#define TG_STORE_RECORDS_H

#include <tagma/coord.h>
#include <tagma/schema.h>

#include "store/storehead.h"

enum {
    TG_RECORDS_HEAD = 64,
    TG_FIXED_AXES_MAX = 4,
    TG_WORD_BYTES = 8,
    TG_SLOTS_BLOCK = 512 /* slots that are counted at once */
};

/* A quiet NaN that no integer, bool or f32 gives: the value is null. Where an f64 has these very bits, the section says so. */
#define TG_NULL_WORD UINT64_C(0x7ff8746167616d00)

/* What the records section says. */
typedef struct tg_records {
    tagma_layout layout; /* axes are ranks; its count is that of the slots */
    uint64_t records_at;
    uint32_t n_words;
    const uint32_t *first_word; /* [n_columns + 1] of each column */
    const uint8_t *n_lists;     /* [n_columns] of the source: above 0 the first item is all that is there */
    const uint8_t *exceptions;  /* [n_exceptions] u64, ascending: row * n_words + word */
    uint64_t n_exceptions;
    void *block; /* that holds all of it */
} tg_records;

/* Slots that have an event, and the checksums of their records. Read when first asked for. */
typedef struct tg_slots {
    const uint8_t *bits;   /* of the slots; NULL where each has an event */
    const uint64_t *ranks; /* events before each TG_SLOTS_BLOCK slots */
    uint64_t n_blocks;
    const uint8_t *checksums; /* u32 a row */
} tg_slots;

/* The section, from what a writer knows; n_lists, exceptions and layout are read of *records. */
tagma_status tg_records_write(tagma_ctx *ctx, const tg_records *records, uint32_t n_columns, tg_buf *out);
/* Of a section whose checksum is verified. */
tagma_status tg_records_load(tagma_ctx *ctx, const tagma_schema *schema, const tg_header *header,
                             const uint8_t *bytes, const char *file, tg_records *out);
bool tg_records_is_exception(const tg_records *records, uint64_t row, uint32_t word);

/* Events before a run of slots, [n_blocks + 1]; the last is how many there are. */
void tg_slots_rank(const uint8_t *bits, uint64_t n_blocks, uint64_t *ranks);
/* The slot of a row that is there. */
uint64_t tg_slots_select(const tg_slots *slots, uint64_t row);

#endif
