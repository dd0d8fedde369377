/* SPDX-License-Identifier: Apache-2.0
 * Clusters: runs of entries that are worth reading at once. */
#ifndef TG_ROOT_CLUSTERS_H
#define TG_ROOT_CLUSTERS_H

#include "root/members.h"
#include "root/tree.h"

/* Fill the tree's clusters from what its record says of them, else from where its baskets begin. `values` are those of the
 * TTree, whose arrays stand in the payload. */
tagma_status tg_clusters_find(tagma_ctx *ctx, tg_tree *tree, const tg_values *values, const uint8_t *payload);

#endif
