/* SPDX-License-Identifier: Apache-2.0
 * Read a tree's record into its flat tables. */
#ifndef TG_ROOT_TREEREAD_H
#define TG_ROOT_TREEREAD_H

#include "root/rootfile.h"
#include "root/tree.h"

/* Tree i of a file, i < n_trees. A branch that is damaged or cannot be read makes its own columns unsupported, no more. */
tagma_status tg_root_tree_read(tagma_ctx *ctx, const tg_root_file *file, uint32_t i, tg_tree **out);
/* XXH3 of the record of tree i as it stands in the file, without reading more of it: tells a sidecar's state. */
tagma_status tg_root_tree_hash(tagma_ctx *ctx, const tg_root_file *file, uint32_t i, uint64_t *hash);

#endif
