/* SPDX-License-Identifier: Apache-2.0
 * What the files of find_*.c share. */
#ifndef CLI_FIND_PARTS_H
#define CLI_FIND_PARTS_H

#include "cli/find.h"

/* Fill find->ids, n, twins. @param no_ids  the library's words where the tree has no id columns.
 * @return 0; 1 for an empty list; 2 with words. */
int cli_find_read_ids(cli_find *find, const char *tree, const char *no_ids);
/* Hits of the ids that name entries by number, in file f. @return 0, or 2 with words. */
int cli_find_entries(cli_find *find, uint32_t f);
/* Hits of the other ids, by the index of file f. @return the same. */
int cli_find_match(cli_find *find, uint32_t f, const tagma_index *index);
/* Hits of one id side by side, once all files are searched: files are in order already, and entries within them. */
int cli_find_gather(cli_find *find);
/* The first axis reaches from least to most in the files (which 0) or in the list (1). */
void cli_find_widen(cli_find *find, int which, uint64_t least, uint64_t most);

#endif
