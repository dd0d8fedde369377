/* SPDX-License-Identifier: Apache-2.0
 * The cut and the histogram that Tagma and RDataFrame are compared with, bin by bin. C and C++. */
#ifndef BENCH_CUT_H
#define BENCH_CUT_H

#include <stdbool.h>

enum { CUT_BINS = 80 };
#define CUT_LOW  100.0
#define CUT_HIGH 180.0

static inline bool passes_cut(float met, unsigned n_muons)
{
    return met > 100 && n_muons >= 1;
}

#endif
