/* SPDX-License-Identifier: Apache-2.0
 * What verify and diff found: a line a column on stdout, or JSON; words on stderr. */
#ifndef CLI_DIFFER_H
#define CLI_DIFFER_H

#include <tagma/compare.h>

#include "cli/inputs.h"

/* A side of the comparison. Side b of verify has several files. */
typedef struct cli_side {
    const char *name;     /* of its file, or files */
    tagma_events *events; /* NULL: opened when a value is told */
    const cli_input *inputs;
} cli_side;

/* Raises the exit code: 1 for a difference, 2 for damage. @return it. */
int cli_tell_comparison(cli_session *session, const tagma_comparison *comparison, const cli_side *a,
                        const cli_side *b);

#endif
