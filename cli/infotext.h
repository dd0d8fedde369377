/* SPDX-License-Identifier: Apache-2.0
 * tagma info in words and tables. */
#ifndef CLI_INFOTEXT_H
#define CLI_INFOTEXT_H

#include "cli/outfile.h"
#include "cli/trees.h"

typedef struct cli_infotext {
    cli_session *session;
    cli_out *out;
    cli_text text; /* what is not put out yet */
} cli_infotext;

void cli_infotext_file(cli_infotext *in, const cli_trees *trees);
/* @return 0, or 2 with words. */
int cli_infotext_tree(cli_infotext *in, const tagma_tree_info *tree, const tagma_events *events);
void cli_infotext_flush(cli_infotext *in);

#endif
