/* SPDX-License-Identifier: Apache-2.0
 * Stores of made-up events. */
#ifndef TESTS_SUPPORT_STORES_H
#define TESTS_SUPPORT_STORES_H

#include "store/store.h"
#include "store/storewriter.h"
#include "support/synth.h"

/* Entries 0 to n - 1 in batches of `step`, with an index where has_index. Stops at the first failure. */
tagma_status test_store_write(const test_synth *synth, const char *path, uint64_t n, uint64_t step,
                              bool has_index, const tg_store_options *options, tg_store_summary *summary);
tagma_status test_store_open(tagma_ctx *ctx, const char *path, tagma_io io, tagma_events **out);

#endif
