/* SPDX-License-Identifier: Apache-2.0
 * A tree from its sidecar. */
#ifndef TG_OPEN_ATTACH_H
#define TG_OPEN_ATTACH_H

#include "open/openfile.h"

/* The i-th tree's branch table and index from the sidecar that options allow.
 * @param tree   the caller's. @param index  the caller's, NULL where the sidecar has none for these id columns.
 * @return TAGMA_OK; TAGMA_ABSENT where there is no sidecar, or none with this tree; TAGMA_E_STALE and the sidecar's other
 *         failures. */
tagma_status tg_attach_sidecar(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                               const tagma_open_options *options, tg_tree **tree, tagma_index **index);

#endif
