/* SPDX-License-Identifier: Apache-2.0
 * What the titles of leaves and members tell: dimensions, and how floats are packed.
 * Source of facts: docs/ROOT.md, "Titles". */
#ifndef TG_ROOT_TITLE_H
#define TG_ROOT_TITLE_H

#include "root/key.h"

enum { TG_TITLE_DIMS_MAX = 16, TG_BITS_TRUNCATED_MAX = 14 };

/* "a[n][3][2]", "d[10]/d[-1,1,16]". */
typedef struct tg_title {
    uint32_t dims[TG_TITLE_DIMS_MAX]; /* the numbers in brackets, outermost first */
    uint32_t n_dims;
    uint64_t n_items;  /* their product; 0 where there are more than fit */
    bool has_variable; /* a name in brackets: a counter */
    bool has_range;    /* a pair or triple in brackets */
    double xmin, xmax;
    uint32_t nbits; /* 32 where it is not told */
} tg_title;

tg_title tg_title_parse(tg_text text);

typedef enum tg_packing {
    TG_PACKING_NONE, /* Double32_t: a float */
    TG_PACKING_SCALED,
    TG_PACKING_TRUNCATED,
    TG_PACKING_UNKNOWN /* a number of bits that no writer can have used */
} tg_packing;

/* How a Double32_t or Float16_t of this title stands on disk. */
tg_packing tg_title_packing(const tg_title *title, bool is_float16, double *factor, double *xmin,
                            uint8_t *nbits);

#endif
