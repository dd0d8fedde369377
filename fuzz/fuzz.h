/* SPDX-License-Identifier: Apache-2.0
 * What every fuzz target states about what it just did, in builds of any kind. */
#ifndef TG_FUZZ_FUZZ_H
#define TG_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that holds for any bytes. */
#define FUZZ_CHECK(property)                                                                                 \
    do {                                                                                                     \
        if (!(property)) {                                                                                   \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);                    \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#endif
