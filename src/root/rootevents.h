/* SPDX-License-Identifier: Apache-2.0
 * Inside of a tree's events and readers: what reader.c and check.c share. */
#ifndef TG_ROOT_ROOTEVENTS_H
#define TG_ROOT_ROOTEVENTS_H

#include "root/fetch.h"
#include "root/reader.h"

typedef struct tg_root_events {
    tagma_events base;
    tagma_source *source;
    tg_tree *tree;
    tg_code *codes;      /* [n_columns] */
    uint32_t *column_of; /* [n_branches] a column of the branch; TAGMA_NONE */
    tg_root_facts facts;
    char *cache_dir; /* for a sidecar where the file's own folder cannot be written; NULL */
} tg_root_events;

typedef struct tg_root_reader {
    tagma_reader base;
    tg_fetcher fetcher;
    uint8_t *told; /* bits of baskets whose fault was told; NULL while none */
    uint64_t n_told;
} tg_root_reader;

static inline const tg_root_events *tg_root_events_of(const tagma_events *events)
{
    return (const tg_root_events *)events;
}

/* Tell what a call has lost, unless the file has changed: then that is the answer. Each basket's fault is told once a reader. */
tagma_status tg_root_tell(tagma_ctx *ctx, tg_root_reader *reader, tg_loss *loss);

tagma_status tg_root_save_sidecar(tagma_ctx *ctx, const tagma_events *events, const tagma_index *index,
                                  const char *path, bool force);

tagma_status tg_root_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                           uint64_t *n_baskets, uint64_t *n_faults);

#endif
