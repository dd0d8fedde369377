/* SPDX-License-Identifier: Apache-2.0
 * Values of many entries by column, in Arrow's shapes; and one whole event as a record. */
#ifndef TAGMA_BATCH_H
#define TAGMA_BATCH_H

#include <stdbool.h>
#include <tagma/schema.h>

TAGMA_BEGIN_DECLS

/** Bytes that columns share; counted atomically, 64-byte aligned. Must not outlive the context it was made with. */
typedef struct tagma_buffer tagma_buffer;

TAGMA_API tagma_buffer *tagma_buffer_acquire(tagma_buffer *buffer);
TAGMA_API void tagma_buffer_release(tagma_buffer *buffer);
TAGMA_API const void *tagma_buffer_bytes(const tagma_buffer *buffer);
TAGMA_API uint64_t tagma_buffer_size(const tagma_buffer *buffer);

typedef enum tagma_column_status {
    TAGMA_COLUMN_GOOD = 0,
    TAGMA_COLUMN_NULL = 1,   /**< some entries are null: the branch is shorter than its tree */
    TAGMA_COLUMN_CORRUPT = 2 /**< some entries are null because their bytes are damaged */
} tagma_column_status;

/**
 * One column of a batch of n_entries. Level 0 counts the lists of each entry, level 1 those of each item of it; a string
 * adds one level of its own, so n_levels = n_lists + (type == TAGMA_STRING), 0 to 3.
 *   level 0: offsets[0][n_entries + 1] (for n_lists == 0 and a string: offsets[0][n_entries * n_items + 1])
 *   level k: offsets[k][m + 1] with m = offsets[k-1]'s last value (times n_items where level k is the string's)
 * Offsets begin at 0, never exceed INT32_MAX, and fit Arrow's int32 lists. Without levels values has
 * n_entries * n_items values; with, the last offset (times n_items unless it is the string's) tells how many.
 * A null entry has empty lists, or zero values.
 */
typedef struct tagma_batch_column {
    uint32_t column; /**< in the schema */
    tagma_column_status status;
    tagma_type type;
    bool is_bits; /**< a bool column whose values are bits, least significant first; else bytes 0 or 1 */
    uint32_t n_items;
    uint32_t n_levels;
    uint64_t n_values; /**< values in `values`, items counted one by one; bytes of a string column */
    const void *values;
    const uint32_t *offsets[3];
    const uint8_t *validity;     /**< bits of n_entries, 1 good; NULL where all are */
    const uint8_t *damaged;      /**< bits of n_entries, 1 damaged; NULL unless status is CORRUPT */
    tagma_buffer *values_buffer; /**< what keeps the above alive; acquire them to keep one column alone */
    tagma_buffer *offsets_buffers[3];
    tagma_buffer *validity_buffer;
    tagma_buffer *damaged_buffer;
} tagma_batch_column;

/** Belongs to one thread at a time; its buffers may be kept beyond it. */
typedef struct tagma_batch tagma_batch;

TAGMA_API void tagma_batch_free(tagma_batch *batch);
TAGMA_API uint64_t tagma_batch_n_entries(const tagma_batch *batch);
TAGMA_API uint32_t tagma_batch_n_columns(const tagma_batch *batch);
/** The i-th column asked for, 0 <= i < n_columns; NULL past the end. Borrowed until the batch is freed. */
TAGMA_API const tagma_batch_column *tagma_batch_column_at(const tagma_batch *batch, uint32_t i);
/** Turn a bool column's values to bytes (false: to bits), once; later calls find them so. TAGMA_E_ARG if not bool. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_batch_bools(tagma_ctx *ctx, tagma_batch *batch, uint32_t i,
                                                       bool bits);

/**
 * How one whole event lies in a caller's memory: a fixed part with each scalar, fixed array and collection count at offsets
 * constant for the schema, widest first, then per list column its values end to end, naturally aligned.
 * Immutable; may be shared by threads.
 */
typedef struct tagma_record_plan tagma_record_plan;

/**
 * @param columns  [n_columns] of the schema, each once; NULL for every supported one in schema order.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_record_plan_new(tagma_ctx *ctx, const tagma_schema *schema,
                                                           const uint32_t *columns, uint32_t n_columns,
                                                           tagma_record_plan **out);
TAGMA_API void tagma_record_plan_free(tagma_record_plan *plan);
TAGMA_API uint32_t tagma_record_plan_n_columns(const tagma_record_plan *plan);
/** Bytes of the fixed part; a record is never shorter. */
TAGMA_API size_t tagma_record_plan_fixed_bytes(const tagma_record_plan *plan);

/** Where a column lies in one record. Borrowed from the record's own memory. */
typedef struct tagma_record_value {
    const void *values; /**< naturally aligned */
    uint64_t n_values;  /**< items counted one by one; bytes of a string column */
    const uint32_t
        *offsets[3]; /**< as in a batch of one entry; offsets[0] is NULL for a list: its count is n_lists0 */
    uint32_t n_lists0;          /**< items of level 0; 0 where n_lists is 0 */
    tagma_column_status status; /**< of this one event: GOOD, NULL or CORRUPT */
} tagma_record_value;

/**
 * The i-th column of the plan in a record that tagma_read_event() filled, in O(1).
 * @return TAGMA_OK; TAGMA_E_RANGE past the plan's columns; TAGMA_E_ARG for a record this plan did not make.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_record_column(const tagma_record_plan *plan, const void *record,
                                                         uint32_t i, tagma_record_value *out);

TAGMA_END_DECLS

#endif
