/* SPDX-License-Identifier: Apache-2.0
 * XXH3 for processors with AVX2: compiled with it, called only where the processor says that it has it. */
#include "store/wide.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t tg_wide_xxh3(const uint8_t *bytes, uint64_t n)
{
    return XXH3_64bits(bytes, n);
}
