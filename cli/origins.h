/* SPDX-License-Identifier: Apache-2.0
 * Which file and entry an entry is told as: its own, or of a store the one it was made of. */
#ifndef CLI_ORIGINS_H
#define CLI_ORIGINS_H

#include <tagma/store.h>

#include "cli/session.h"
#include "cli/writer.h"

typedef struct cli_origins {
    const char *path;
    tagma_origins *of; /* NULL where each entry is its own */
} cli_origins;

/* @param path  as the events' file was named. Borrows from the events. @return 0, or 2 with words. */
int cli_origins_new(cli_session *session, const tagma_events *events, const char *path, cli_origins *out);
void cli_origins_free(cli_origins *origins);
/* Set file and entry of `out`; borrowed from the events. @return 0, or 2 with words. */
int cli_origins_at(const cli_origins *origins, uint64_t entry, cli_origin *out);

#endif
