/* SPDX-License-Identifier: Apache-2.0
 * What a tree costs: bytes by collection, and how large its baskets are. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <tagma/events.h>

#include "cli/text.h"

/* Baskets by size on disk: place k holds those from cli_sizes[k] bytes on, below cli_sizes[k + 1]. */
enum { CLI_SIZES = 14 };
extern const uint64_t cli_sizes[CLI_SIZES];

typedef struct cli_group_bytes {
    char *name;
    uint64_t n_columns, bytes, packed_bytes;
    uint64_t hot_bytes; /* of packed_bytes: in the columns section of a store */
} cli_group_bytes;

typedef struct cli_summary {
    cli_group_bytes *groups; /* largest on disk first */
    size_t n_groups;
    uint64_t n_columns, n_unsupported, n_baskets;
    uint64_t n_embedded; /* baskets inside the tree's own record: in no size */
    uint64_t sizes[CLI_SIZES];
} cli_summary;

/* @return 0, or 2 with words. */
int cli_summary_new(cli_summary *summary, tagma_ctx *ctx, const tagma_events *events);
void cli_summary_free(cli_summary *summary);

#endif
