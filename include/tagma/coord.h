/* SPDX-License-Identifier: Apache-2.0
 * The coordinate engine: a closed form from coordinates to addresses, and back. Pure arithmetic. */
#ifndef TAGMA_COORD_H
#define TAGMA_COORD_H

#include <stddef.h>
#include <stdint.h>
#include <tagma/ctx.h>

TAGMA_BEGIN_DECLS

enum { TAGMA_MAX_AXES = 8 };

/**
 * N axes in mixed radix: address n = ((a0*N1 + a1)*N2 + a2)..., byte offset n*record_bytes.
 * Fill it with tagma_layout_init(); after that nothing computed from it can overflow, and both ways are bijections
 * between coordinates within the bounds and [0, count).
 */
typedef struct tagma_layout {
    uint32_t n_axes;
    uint64_t bounds[TAGMA_MAX_AXES]; /**< exclusive: 0 <= a[i] < bounds[i] */
    uint64_t record_bytes;
    uint64_t count;        /**< product of the bounds */
    uint64_t extent_bytes; /**< count * record_bytes */
} tagma_layout;

/**
 * @param bounds  [n_axes] exclusive bounds, 1 <= n_axes <= TAGMA_MAX_AXES.
 * @return TAGMA_OK; TAGMA_E_ARG for no axis or too many, a zero bound or a zero record; TAGMA_E_LIMIT where the
 *         count or the extent does not fit 64 bits. The words name axis and number. *layout is all zero after a failure.
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_layout_init(tagma_ctx *ctx, tagma_layout *layout,
                                                       const uint64_t *bounds, uint32_t n_axes,
                                                       uint64_t record_bytes);

/**
 * Coordinate to address.
 * @param axes  [layout->n_axes].
 * @return TAGMA_OK; TAGMA_E_RANGE for a coordinate out of bounds (*address is then untouched; no words).
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_layout_address(const tagma_layout *layout, const uint64_t *axes,
                                                          uint64_t *address);

/**
 * Coordinate to byte offset: the address times record_bytes.
 * @return as tagma_layout_address().
 */
TAGMA_API TAGMA_CHECKED tagma_status tagma_layout_offset(const tagma_layout *layout, const uint64_t *axes,
                                                         uint64_t *offset_bytes);

/** Address to coordinate; the inverse of tagma_layout_address(). TAGMA_E_RANGE for address >= count (axes untouched). */
TAGMA_API TAGMA_CHECKED tagma_status tagma_layout_axes(const tagma_layout *layout, uint64_t address,
                                                       uint64_t *axes);

/** The canonical lattice of 19 x 21 x 28 = 11,172 states: U+AC00 + 588 i + 28 m + f (the Hangul syllables). */
enum {
    TAGMA_LATTICE_I = 19,
    TAGMA_LATTICE_M = 21,
    TAGMA_LATTICE_F = 28,
    TAGMA_LATTICE_FIRST = 0xAC00,
    TAGMA_LATTICE_LAST = 0xD7A3,
    TAGMA_LATTICE_COUNT = 11172
};

/** @return TAGMA_OK; TAGMA_E_RANGE unless i < 19, m < 21 and f < 28. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_lattice_code(uint32_t i, uint32_t m, uint32_t f, uint32_t *code);
/** @return TAGMA_OK; TAGMA_E_RANGE unless TAGMA_LATTICE_FIRST <= code <= TAGMA_LATTICE_LAST. */
TAGMA_API TAGMA_CHECKED tagma_status tagma_lattice_axes(uint32_t code, uint32_t *i, uint32_t *m, uint32_t *f);

TAGMA_END_DECLS

#endif
