/* SPDX-License-Identifier: Apache-2.0
 * A tree of a ROOT file as events. */
#ifndef TG_ROOT_READER_H
#define TG_ROOT_READER_H

#include "event/events.h"
#include "root/tree.h"

/* What the file says of itself, beside the tree. */
typedef struct tg_root_facts {
    tagma_condition condition;
    bool from_sidecar;
    int32_t release;       /* the header's version without its layout: 61800 for 6.18/00 */
    int32_t compress;      /* the header's default setting */
    uint8_t uuid[16];      /* zeros where the file has none */
    const char *ids;       /* the caller's choice of id columns, copied; NULL */
    const char *cache_dir; /* of sidecars, copied; NULL */
} tg_root_facts;

/**
 * Events over a tree. The source is acquired; the tree is taken over, also after a failure.
 * @return TAGMA_OK; TAGMA_E_MEMORY; TAGMA_E_CORRUPT where the tables contradict each other.
 */
tagma_status tg_root_events_new(tagma_ctx *ctx, tagma_source *source, tg_tree *tree,
                                const tg_root_facts *facts, tagma_events **out);

#endif
