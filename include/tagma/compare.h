/* SPDX-License-Identifier: Apache-2.0
 * Are two events the same? A store against what it was made of; any events against any others. */
#ifndef TAGMA_COMPARE_H
#define TAGMA_COMPARE_H

#include <tagma/store.h>

TAGMA_BEGIN_DECLS

/** What was found; immutable. */
typedef struct tagma_comparison tagma_comparison;

typedef struct tagma_diff_options {
    size_t struct_bytes;
    const char *columns; /**< names and globs of columns to be compared; NULL: all that can be read */
    bool
        by_entry; /**< entry i with entry i; else the k-th with the k-th of equal ids, where both have id columns */
    uint64_t ulp;    /**< floats so many steps apart are equal; 0: the same bits only */
    double relative; /**< floats are equal where |a - b| <= relative * max(|a|, |b|); 0: the same bits only */
    tagma_pool *pool; /**< NULL: the caller's thread alone */
} tagma_diff_options;
/* clang-format off */
#define TAGMA_DIFF_OPTIONS_INIT { sizeof(tagma_diff_options), NULL, false, 0, 0.0, NULL }
/* clang-format on */

/**
 * Compare the events of a with those of b. Values are compared bit for bit unless a tolerance is given, which holds for f32 and
 * f64 only; a NaN equals the NaN of the same bits. Memory stays within the context's limit whatever the order.
 * @param options  NULL for the defaults.
 * @return TAGMA_OK, whatever differs; TAGMA_E_NAME for a column that neither has, for an id column that was asked for and is not there,
 *         and for two candidates for one axis; TAGMA_E_UNSUPPORTED for a column named that one of them cannot read, and where
 *         the ids of both cannot be compared; the failures of reading.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_diff(tagma_ctx *ctx, tagma_events *a, tagma_events *b,
                                                const tagma_diff_options *options, tagma_comparison **out);

typedef struct tagma_verify_options {
    size_t struct_bytes;
    tagma_io io;      /**< of the sources */
    const char *ids;  /**< "A,B,C": the id columns of the sources; NULL: found by name */
    tagma_pool *pool; /**< NULL: the caller's thread alone */
} tagma_verify_options;
/* clang-format off */
#define TAGMA_VERIFY_OPTIONS_INIT { sizeof(tagma_verify_options), TAGMA_IO_PREAD, NULL, NULL }
/* clang-format on */

/**
 * Compare a store (side a) with the files it was made of (side b): each entry with the one it comes from, every value bit for bit,
 * in the tiles and in the columns section; and whether the index finds each entry by its id. All checksums are verified on the way.
 * @param store    TAGMA_E_ARG for events of another kind.
 * @param sources  [n_sources] in the order of the conversion. TAGMA_E_ARG where there are more or fewer than the store names.
 * @return as tagma_diff().
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_verify(tagma_ctx *ctx, tagma_events *store,
                                                  const tagma_convert_input *sources, uint32_t n_sources,
                                                  const tagma_verify_options *options,
                                                  tagma_comparison **out);

/** NULL is accepted. */
TAGMA_API void tagma_comparison_free(tagma_comparison *comparison);

typedef enum tagma_alignment {
    TAGMA_BY_ENTRY = 0,
    TAGMA_BY_ID = 1,    /**< event id */
    TAGMA_BY_ORIGIN = 2 /**< an entry of a store with the one it was made of */
} tagma_alignment;

typedef struct tagma_comparison_info {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    bool is_same;        /**< nothing below differs, and nothing was damaged */
    tagma_alignment alignment;
    uint64_t n_events;           /**< compared */
    uint64_t n_different;        /**< of those, in any column */
    uint64_t n_only_a, n_only_b; /**< events that only one side has */
    uint64_t n_damaged; /**< values left out, since their bytes are damaged; the fault callback told them */
    uint64_t n_unfound; /**< of verify: entries that the store's index does not find by their id */
    uint64_t first_unfound; /**< the first of them */
    bool has_index;         /**< of verify */
    uint32_t n_columns;     /**< for tagma_comparison_column() */
    uint32_t n_compared;    /**< of those, columns that both have in one type */
    uint32_t
        n_different_columns; /**< of those compared; and those that should be there and are not, or of another type */
} tagma_comparison_info;
TAGMA_API void tagma_comparison_get_info(const tagma_comparison *comparison, tagma_comparison_info *info);

typedef enum tagma_relation {
    TAGMA_COMPARED = 0,
    TAGMA_ONLY_A = 1,
    TAGMA_ONLY_B = 2,
    TAGMA_OTHER_TYPE = 3,
    TAGMA_UNREADABLE = 4, /**< in one of them or both; words say why */
    TAGMA_LEFT_OUT = 5    /**< of verify: not in the store, which says so; words say why */
} tagma_relation;

enum { TAGMA_WHOLE_VALUE = -1 };

/** What was found of a column. Pointers are borrowed from the comparison. */
typedef struct tagma_compared_column {
    size_t struct_bytes; /**< set by the caller: <tagma/status.h> */
    const char *name;
    tagma_relation relation;
    const char *type_a, *type_b; /**< as tagma_schema_spell(); "" where a side has it not */
    const char *words;           /**< "" where there is nothing to say */
    uint32_t column_a, column_b; /**< TAGMA_NONE where a side has it not */
    uint64_t n_different;        /**< events */
    /* Of the first of them, in the order of a: */
    uint64_t entry_a, entry_b;
    uint32_t source; /**< of verify: which source entry_b is of */
    int64_t
        item; /**< the value of the event that differs, counted over all its lists; TAGMA_WHOLE_VALUE: another length, or a null */
    bool is_in_columns_section; /**< of verify: it is the copy in the columns section that differs */
} tagma_compared_column;
/** i < n_columns: those of a in order, then those of b only. TAGMA_E_RANGE past the end. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_comparison_column(const tagma_comparison *comparison, uint32_t i,
                                                             tagma_compared_column *out);
/**
 * The first events that only one side has, at most 10, in its own order.
 * @param side     0 a, 1 b. @param source  of verify, side b: which source; may be NULL.
 * @return TAGMA_E_RANGE past the last one that is kept.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_comparison_only(const tagma_comparison *comparison, int side,
                                                           uint32_t i, uint64_t *entry, uint32_t *source);

TAGMA_END_DECLS

#endif
