/* SPDX-License-Identifier: Apache-2.0
 * XXH3 for processors with AVX2. */
#ifndef TG_STORE_WIDE_H
#define TG_STORE_WIDE_H

#include <stdint.h>

uint64_t tg_wide_xxh3(const uint8_t *bytes, uint64_t n);

#endif
