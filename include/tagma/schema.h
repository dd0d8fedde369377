/* SPDX-License-Identifier: Apache-2.0
 * What columns events have: names, types, shapes, and the collections that share one count. */
#ifndef TAGMA_SCHEMA_H
#define TAGMA_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tagma/ctx.h>

TAGMA_BEGIN_DECLS

typedef enum tagma_type {
    TAGMA_BOOL = 0,
    TAGMA_I8,
    TAGMA_U8,
    TAGMA_I16,
    TAGMA_U16,
    TAGMA_I32,
    TAGMA_U32,
    TAGMA_I64,
    TAGMA_U64,
    TAGMA_F32,
    TAGMA_F64,
    TAGMA_STRING, /**< bytes, any; a list of u8 */
    TAGMA_UNKNOWN /**< of an unsupported column whose type cannot be told; spelled "?" */
} tagma_type;

#define TAGMA_NONE UINT32_MAX

enum { TAGMA_MAX_LISTS = 2 };

/** Immutable; owned by the events that hold it, and borrowed as long as they are open. */
typedef struct tagma_schema tagma_schema;

/** All pointers are borrowed from the schema. */
typedef struct tagma_column {
    const char *name;  /**< unique in the schema */
    const char *path;  /**< names from the top branch down joined by dots; equals name where that is unique */
    const char *title; /**< the file's words; "" where none */
    const char *reason;   /**< why it cannot be read; NULL where it can */
    const uint32_t *dims; /**< [n_dims] fixed inner dimensions, outermost first */
    uint32_t n_dims;
    uint32_t n_items; /**< product of dims; 1 without */
    tagma_type type;
    uint32_t n_lists;    /**< 0 scalar or fixed array, 1 list, 2 list of lists */
    uint32_t collection; /**< the innermost collection it is an item of; TAGMA_NONE for n_lists == 0 */
} tagma_column;

/** Columns that share one count an event (or, for an inner one, a count an item of its parent). */
typedef struct tagma_collection {
    const char *name;      /**< the count column's name, or the only member's own */
    uint32_t parent;       /**< collection whose items hold these lists; TAGMA_NONE at the top */
    uint32_t count_column; /**< the column that counts it; TAGMA_NONE where each list carries its own count */
} tagma_collection;

TAGMA_API uint32_t tagma_schema_n_columns(const tagma_schema *schema);
TAGMA_API uint32_t tagma_schema_n_collections(const tagma_schema *schema);
/** column < n_columns; the unsupported ones, whose reason is set, are counted too. NULL past the end. */
TAGMA_API const tagma_column *tagma_schema_column(const tagma_schema *schema, uint32_t column);
TAGMA_API const tagma_collection *tagma_schema_collection(const tagma_schema *schema, uint32_t collection);

/** By name or path, exactly. @return the column, or TAGMA_NONE. */
TAGMA_API uint32_t tagma_schema_find(const tagma_schema *schema, const char *name);

/**
 * Columns a list of names and globs picks ("Muon_*,MET_pt"), each once, in schema order. An exact name wins over a glob;
 * a glob passes over unsupported columns.
 * @param columns  [capacity]; *n is set to how many there are.
 * @return TAGMA_OK; TAGMA_E_LIMIT if capacity is short, with *n the capacity needed; TAGMA_E_NAME for a name that is no
 *         column (the near names are offered) or a glob that matches none; TAGMA_E_UNSUPPORTED for an unsupported
 *         column named exactly.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_schema_select(tagma_ctx *ctx, const tagma_schema *schema,
                                                         const char *globs, uint32_t *columns,
                                                         size_t capacity, size_t *n);

/** Does a glob ('*', '?', '[a-z]') match the whole text? Never exponential. */
TAGMA_API bool tagma_glob_match(const char *glob, const char *text);
/**
 * Up to three names near to a mistyped one, for messages: " (near: Muon_pt, Muon_eta)", or "".
 * @param names  [n].
 * @param dst    [dst_bytes], always closed by a 0.
 */
TAGMA_API void tagma_near_names(const char *wanted, const char *const *names, size_t n, char *dst,
                                size_t dst_bytes);

/** "f32", "string" ...: the type's spelling. Static storage; "?" for a value that is none. */
TAGMA_API const char *tagma_type_name(tagma_type type);
/** Bytes a value takes in a batch or record; 1 for bool and string. */
TAGMA_API uint32_t tagma_type_bytes(tagma_type type);
/**
 * The column's type with its dimensions from the outside in: "f32[nMuon][2]", "f64[][]", "i32[3]".
 * @return the characters it takes without the final 0, as snprintf does.
 */
TAGMA_API size_t tagma_schema_spell(const tagma_schema *schema, uint32_t column, char *dst, size_t dst_bytes);

TAGMA_END_DECLS

#endif
