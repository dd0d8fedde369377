/* SPDX-License-Identifier: Apache-2.0
 * tagma info --html: files and what their branches cost, as one page that needs nothing else. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/trees.h"

/* Begins a page about n files. */
void cli_page_begin(cli_text *text, const char *title);
/* Head of a file. */
void cli_page_file(cli_text *text, const cli_trees *trees);
/* A tree of it. @return 0, or 2 with words. */
int cli_page_tree(cli_text *text, cli_session *session, const tagma_tree_info *tree,
                  const tagma_events *events);
void cli_page_end(cli_text *text);

#endif
