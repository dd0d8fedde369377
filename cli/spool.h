/* SPDX-License-Identifier: Apache-2.0
 * Rows that wait until it is their turn: in memory, and beyond that in a file that has no name. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include "cli/text.h"

typedef struct cli_spool {
    cli_text memory; /* what stands behind file_bytes */
    size_t max_memory;
    int fd; /* in TMPDIR, unlinked; -1 until memory is full */
    uint64_t file_bytes;
} cli_spool;

void cli_spool_new(cli_spool *spool, size_t max_memory);
void cli_spool_free(cli_spool *spool);
/* *at is what cli_spool_get() wants. @return 0, or 2 with words. */
int cli_spool_put(cli_spool *spool, const char *bytes, size_t n, uint64_t *at);
/* Bytes kept before, as the whole content of *out. @return 0, or 2 with words. */
int cli_spool_get(const cli_spool *spool, uint64_t at, size_t n, cli_text *out);

#endif
