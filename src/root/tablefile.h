/* SPDX-License-Identifier: Apache-2.0
 * A tree's flat tables as bytes, for sidecars. Format: docs/FORMAT.md, "Branch table". */
#ifndef TG_ROOT_TABLEFILE_H
#define TG_ROOT_TABLEFILE_H

#include "base/num.h"
#include "root/tree.h"

/* Append the tables to `out`. */
tagma_status tg_tree_save(tagma_ctx *ctx, const tg_tree *tree, tg_buf *out);
/* The tree that was saved, but for its name, title and class, which the caller knows: these come back too. Nothing in the
 * bytes is trusted: TAGMA_E_CORRUPT names the byte. */
tagma_status tg_tree_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, tg_tree **out);

/* Widths of the parts. */
enum {
    TG_TABLE_VERSION = 1,
    TG_TABLE_HEAD_BYTES = 104,
    TG_TABLE_BRANCH_BYTES = 72,
    TG_TABLE_COLUMN_BYTES = 72,
    TG_TABLE_COLLECTION_BYTES = 12,
    TG_TABLE_FRIEND_BYTES = 8
};

#endif
