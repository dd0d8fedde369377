/* SPDX-License-Identifier: Apache-2.0
 * "NAME;CYCLE" and the last names of a path: the words a user writes for a tree. */
#ifndef TG_OPEN_PATH_H
#define TG_OPEN_PATH_H

#include "base/ctx.h"

/* "NAME;CYCLE": is there a cycle? *name_length is that of NAME. */
bool tg_tree_name_split(const char *text, size_t *name_length, uint32_t *cycle);

/* Is `wanted` the tree's whole path, or its last names ("DecayTree" of "Tuple/DecayTree")? */
bool tg_tree_name_matches(const char *full, const char *wanted, size_t wanted_length);

#endif
