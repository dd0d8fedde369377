/* SPDX-License-Identifier: Apache-2.0
 * "FILE:TREE" and "NAME;CYCLE": the words a user writes, taken apart. */
#ifndef TG_OPEN_PATH_H
#define TG_OPEN_PATH_H

#include "base/ctx.h"

/* "FILE:TREE" where FILE is there; else all of it is the file. *file is to be freed; *tree points into path, or is NULL. */
tagma_status tg_path_split(tagma_ctx *ctx, const char *path, char **file, const char **tree);

/* "NAME;CYCLE": is there a cycle? *name_length is that of NAME. */
bool tg_tree_name_split(const char *text, size_t *name_length, uint32_t *cycle);

/* Is `wanted` the tree's whole path, or its last names ("DecayTree" of "Tuple/DecayTree")? */
bool tg_tree_name_matches(const char *full, const char *wanted, size_t wanted_length);

#endif
