/* SPDX-License-Identifier: Apache-2.0
 * XXH3 of 64 bits, the checksum of all that we write, by the fastest way the processor has. */
#ifndef TG_BASE_HASH_H
#define TG_BASE_HASH_H

#include <stdint.h>

uint64_t tg_hash(const void *bytes, uint64_t n);
/* The same; needs AVX2. */
uint64_t tg_hash_wide(const void *bytes, uint64_t n);

#endif
