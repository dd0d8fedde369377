/* SPDX-License-Identifier: Apache-2.0
 * XXH3 for processors with AVX2: compiled with it, called only where the processor says that it has it. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t tg_hash_wide(const void *bytes, uint64_t n)
{
    return XXH3_64bits(bytes, n);
}
