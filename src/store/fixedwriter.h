/* SPDX-License-Identifier: Apache-2.0
 * Writes a store of the fixed layout: one record of doubles an event, each at the address that its ranks give. */
#ifndef TG_STORE_FIXEDWRITER_H
#define TG_STORE_FIXEDWRITER_H

#include "store/storewriter.h"

#define TG_FIXED_OUTPUT_BYTES (UINT64_C(20) << 30) /* what all slots may take, if nobody says otherwise */

typedef struct tg_fixed_options {
    uint64_t record_bytes; /* 0: 8 for each value */
    uint64_t max_output;   /* bytes of all slots */
    bool damaged_is_null;  /* values marked as damaged are stored as null; else they are refused */
    tagma_pool *pool;
    tg_blocks_options blocks; /* their pool is not used */
} tg_fixed_options;
/* clang-format off */
#define TG_FIXED_OPTIONS_INIT { 0, TG_FIXED_OUTPUT_BYTES, false, NULL, { 0, TG_BLOCK_ZSTD, NULL } }
/* clang-format on */

/* Can a record hold every column? TAGMA_E_UNSUPPORTED names one that it cannot. *first_items is how many are lists, of which the
 * first item is all that is kept. */
tagma_status tg_fixed_check_schema(tagma_ctx *ctx, const tagma_schema *schema, uint32_t *first_items);
/* Does a column have integers that doubles may not hold? */
bool tg_fixed_is_risky(const tagma_column *column);
/* TAGMA_E_UNSUPPORTED where a double does not hold one that would be kept, naming branch, entry and value. */
tagma_status tg_fixed_check_column(tagma_ctx *ctx, const tagma_column *shape,
                                   const tagma_batch_column *column, uint64_t n_entries,
                                   uint64_t first_entry);

typedef struct tg_fixed_writer tg_fixed_writer;

/* What was written, for a summary. */
typedef struct tg_fixed_summary {
    uint32_t n_axes;
    uint64_t bounds[4];
    uint64_t n_slots, record_bytes;
    uint64_t empty_bytes, padding_bytes; /* slots without an event; in records, behind their values */
} tg_fixed_summary;

/* All that can be refused is refused here: a record that is too short, slots that take more than max_output.
 * @param schema   of the events; borrowed until the writer is freed, as is provenance.
 * @param index    of all events that will come, by entry; NULL: they lie in their own order. Borrowed, too. */
tagma_status tg_fixed_writer_new(tagma_ctx *ctx, const char *path, const tagma_schema *schema,
                                 const tg_provenance *provenance, const tagma_index *index,
                                 uint64_t n_entries, const tg_fixed_options *options, tg_fixed_writer **out);
/* Entries first on, each once. The batch is taken over, also after a failure. */
tagma_status tg_fixed_writer_append(tagma_ctx *ctx, tg_fixed_writer *writer, tagma_batch *batch,
                                    uint64_t first);
/* All entries came: write the rest and give the file its name. Summaries may be NULL. */
tagma_status tg_fixed_writer_finish(tagma_ctx *ctx, tg_fixed_writer *writer, tg_store_summary *summary,
                                    tg_fixed_summary *fixed);
/* NULL is accepted. */
void tg_fixed_writer_free(tagma_ctx *ctx, tg_fixed_writer *writer);

#endif
