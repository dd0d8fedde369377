/* SPDX-License-Identifier: Apache-2.0
 * From coordinates (run, luminosity block, event number) to entries. */
#ifndef TAGMA_INDEX_H
#define TAGMA_INDEX_H

#include <stdbool.h>
#include <tagma/source.h>

TAGMA_BEGIN_DECLS

enum { TAGMA_MAX_ID_AXES = 4 };

/**
 * Immutable; may be shared by threads. Axes are 1 to 4 integers, the last the fine one; every axis is 64 bits wide, and
 * each says whether it is signed: a signed axis is given as the two's complement of its value.
 */
typedef struct tagma_index tagma_index;

/** The values of the id columns, one array an axis; borrowed until the call returns. */
typedef struct tagma_index_input {
    uint32_t n_axes;
    bool is_signed[TAGMA_MAX_ID_AXES];
    const char *names[TAGMA_MAX_ID_AXES];      /**< column names, kept in the index */
    const uint64_t *values[TAGMA_MAX_ID_AXES]; /**< [n_entries] */
    uint64_t n_entries;
} tagma_index_input;

/** @return TAGMA_OK; TAGMA_E_ARG for axes out of 1..4; TAGMA_E_MEMORY; TAGMA_E_CANCELLED; TAGMA_E_LIMIT over 2^40 entries. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_index_new(tagma_ctx *ctx, const tagma_index_input *input,
                                                     tagma_index **out);
TAGMA_API tagma_index *tagma_index_acquire(tagma_index *index);
TAGMA_API void tagma_index_release(tagma_index *index);

typedef struct tagma_index_info {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    uint32_t n_axes;
    bool is_signed[TAGMA_MAX_ID_AXES];
    const char *names[TAGMA_MAX_ID_AXES]; /**< borrowed from the index */
    uint64_t n_entries;
    uint64_t n_ids;                         /**< distinct coordinates */
    uint64_t n_repeated_ids;                /**< coordinates that several entries share */
    uint64_t n_cells;                       /**< distinct leading values */
    uint64_t n_distinct[TAGMA_MAX_ID_AXES]; /**< distinct prefixes up to and with that axis */
    uint64_t min[TAGMA_MAX_ID_AXES], max[TAGMA_MAX_ID_AXES];
    uint64_t bytes; /**< of its section on disk */
} tagma_index_info;
TAGMA_API void tagma_index_get_info(const tagma_index *index, tagma_index_info *info);

/**
 * Entries of one coordinate, ascending.
 * @param axes     [n_axes of the index].
 * @param entries  [capacity]; the first *n of them are set, fewer if capacity is short.
 * @param n        how many entries have this coordinate, whatever the capacity.
 * @return TAGMA_OK with *n >= 1; TAGMA_ABSENT with *n == 0: proven not there. Makes no words, allocates nothing.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_index_find(const tagma_index *index, const uint64_t *axes,
                                                      uint64_t *entries, size_t capacity, size_t *n);

/**
 * Many at once, faster than one by one.
 * @param axes   [n][n_axes].
 * @param first  [n] out: rank of the first of its entries in coordinate order, for tagma_index_entries().
 * @param count  [n] out: how many; 0 absent.
 */
TAGMA_API void tagma_index_find_many(const tagma_index *index, const uint64_t *axes, size_t n,
                                     uint64_t *first, uint32_t *count);
/** Entries of ranks first to first + n - 1 in coordinate order. The caller keeps within n_entries. */
TAGMA_API void tagma_index_entries(const tagma_index *index, uint64_t first, size_t n, uint64_t *entries);
/** Coordinate of rank `rank` in coordinate order; axes is [n_axes]. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_index_coordinate(const tagma_index *index, uint64_t rank,
                                                            uint64_t *axes);

/** Entries of many ids: id i has entries[offsets[i]] to entries[offsets[i + 1] - 1], ascending. */
typedef struct tagma_matches {
    uint64_t *offsets; /**< [n + 1] */
    uint64_t *entries; /**< [offsets[n]] */
    size_t n;
} tagma_matches;

/**
 * Entries of ids of any depth: an axis that is not given matches every value ("run:event", "event"). Cost is linear in the
 * ids plus, where some leave an axis free, one pass over the index.
 * @param axes   [n][n_axes].
 * @param given  [n] bit a set: axis a is given.
 * @return TAGMA_OK; TAGMA_E_MEMORY; TAGMA_E_CANCELLED. Give *out back to tagma_matches_free().
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_index_match(tagma_ctx *ctx, const tagma_index *index,
                                                       const uint64_t *axes, const uint8_t *given, size_t n,
                                                       tagma_matches *out);
TAGMA_API void tagma_matches_free(tagma_ctx *ctx, tagma_matches *matches);

/** Ranks in coordinate order, first to first + n - 1. */
typedef struct tagma_interval {
    uint64_t first, n;
} tagma_interval;

/** A box: on each axis lo <= value <= hi (by the axis' own sign); an axis left free has the widest bounds. */
typedef struct tagma_id_range {
    uint64_t lo[TAGMA_MAX_ID_AXES], hi[TAGMA_MAX_ID_AXES];
} tagma_id_range;
/** Every axis free. */
TAGMA_API void tagma_index_whole_range(const tagma_index *index, tagma_id_range *range);

/**
 * Intervals of ranks whose coordinates lie in any of the boxes, ascending and disjoint. A prefix (run; run and lumi) and a
 * lumi mask are boxes.
 * @param intervals  [capacity]; *n is how many there are.
 * @return TAGMA_OK; TAGMA_E_LIMIT if capacity is short, with *n the capacity needed.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_index_intervals(tagma_ctx *ctx, const tagma_index *index,
                                                           const tagma_id_range *ranges, size_t n_ranges,
                                                           tagma_interval *intervals, size_t capacity,
                                                           size_t *n);

/**
 * A lumi mask (golden JSON, {"run": [[first, last], ...]}) as boxes.
 * @param ranges  allocated through ctx; give it back to tagma_lumi_mask_free().
 * @return TAGMA_OK; TAGMA_E_CORRUPT naming line and column for text that is no mask; TAGMA_E_ARG for an index without
 *         run and lumi axes.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_lumi_mask_parse(tagma_ctx *ctx, const tagma_index *index,
                                                           const char *json, size_t n_bytes,
                                                           tagma_id_range **ranges, size_t *n_ranges);
TAGMA_API void tagma_lumi_mask_free(tagma_ctx *ctx, tagma_id_range *ranges);

TAGMA_END_DECLS

#endif
