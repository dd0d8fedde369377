/* SPDX-License-Identifier: Apache-2.0
 * The trees of a file, one after the other, for commands that take all of them. */
#ifndef CLI_TREES_H
#define CLI_TREES_H

#include "cli/inputs.h"
#include "cli/text.h"

/* A file with those of its trees that are looked at. */
typedef struct cli_trees {
    cli_session *session;
    const cli_input *input;
    tagma_file *file;
    tagma_file_info info;
    tagma_events *only; /* -t: the one tree asked for */
    tagma_sidecar sidecar;
    uint32_t at;
    uint32_t n_hidden; /* cycles passed over so far */
    bool all_cycles;
} cli_trees;

/* @return 0, or 2 with words. */
int cli_trees_open(cli_trees *trees, cli_session *session, const cli_input *input, tagma_sidecar sidecar,
                   bool all_cycles);
void cli_trees_close(cli_trees *trees);
/* The next tree. Its events are NULL where its record cannot be read; release them.
 * @return false after the last one. A tree that cannot be read raises the exit code, with words. */
bool cli_trees_next(cli_trees *trees, tagma_tree_info *tree, tagma_events **events);

/* "also 1,200 TH1D, 2 TTree cycles" without an end; nothing where all is shown. */
void cli_trees_others(const cli_trees *trees, cli_text *text);
/* "closed", "recovered", "unclosed" */
const char *cli_condition_name(tagma_condition condition);
/* "never closed; what was saved last is read" */
const char *cli_condition_words(tagma_condition condition);

#endif
