/* SPDX-License-Identifier: Apache-2.0
 * A whole number as people and programs write it, read by its digits and never through a floating-point number. */
#ifndef TG_COORD_IDNUMBER_H
#define TG_COORD_IDNUMBER_H

#include "coord/idtext.h"

/* Read text[n]: digits with a leading "-" allowed; or with a point or exponent, where the written digits reach the units
 * place, the fraction is zero and the number is below 2^53. @return what is wrong with it; a, b: digits written, needed. */
tg_id_kind tg_id_number(const char *text, size_t n, uint64_t *magnitude, bool *is_negative, uint64_t *a,
                        uint64_t *b);

#endif
