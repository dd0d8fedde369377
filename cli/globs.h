/* SPDX-License-Identifier: Apache-2.0
 * Names and globs of branches for commands that look at all trees of a file: each has to pick something in one of them. */
#ifndef CLI_GLOBS_H
#define CLI_GLOBS_H

#include "cli/trees.h"

typedef struct cli_globs {
    char *text;
    const char **at;
    bool *is_used;   /* [n] it picked a branch of this file */
    uint32_t *named; /* [n] the branch of this tree that is called so, or TAGMA_NONE */
    size_t n;
} cli_globs;

/* The words, then those of "GLOB,..." (NULL for none): blanks around a name do not count, and a comma inside [...] stands
 * for itself, as in tagma_schema_select(). @return 0, or 2 with words. Free with cli_globs_free(), also after a failure. */
int cli_globs_new(const char *const *words, size_t n_words, const char *columns, cli_globs *out);
void cli_globs_free(cli_globs *globs);

void cli_globs_begin_file(cli_globs *globs);
/* An exact name wins over a glob: a branch may be called fVtx[3]. */
void cli_globs_begin_tree(cli_globs *globs, const tagma_schema *schema);
/* Does one of them pick this branch, supported or not? All are picked where there are none. */
bool cli_globs_pick(cli_globs *globs, uint32_t i, const tagma_column *column);
/* What picked nothing in any tree of a file is mistyped: told once, with near names of the first tree. @return how many. */
size_t cli_globs_end_file(cli_globs *globs, cli_trees *trees);

#endif
