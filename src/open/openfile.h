/* SPDX-License-Identifier: Apache-2.0
 * Inside of tagma_file: the ROOT file under it and the tree read last, or the store. */
#ifndef TG_OPEN_OPENFILE_H
#define TG_OPEN_OPENFILE_H

#include <tagma/events.h>

#include "root/rootfile.h"
#include "root/tree.h"
#include "root/treeread.h"
#include "store/store.h"

struct tagma_file {
    tg_account *account;
    tagma_source *source; /* of a packed file what it holds */
    tg_root_file *root;   /* NULL for a store */
    tagma_events *store;  /* NULL for a ROOT file */
    bool is_on_disk;      /* opened by its path, beside which a sidecar may stand */
    tg_tree *tree;        /* read last and not yet handed to events; NULL */
    uint32_t tree_at;     /* which of the file's trees it is */
    tg_arena words;       /* errors of trees that could not be read */
};

/* What kind of file a source is, by its first bytes. *out is the source, acquired; of a packed file what it holds. */
tagma_status tg_source_look(tagma_ctx *ctx, tagma_source *source, tagma_source **out, bool *is_store);
/* Events of a store. A sidecar that was asked for by path is an error: a store holds its own index. */
tagma_status tg_open_store(tagma_ctx *ctx, tagma_source *source, const tagma_open_options *options,
                           tagma_events **out);

/* The i-th tree, read now or kept from before; it is the caller's from then on. */
tagma_status tg_file_take_tree(tagma_ctx *ctx, tagma_file *file, uint32_t i, tg_tree **out);

/* Which tree tagma_open() means: options->tree, or the rule of docs. */
tagma_status tg_file_choose_tree(tagma_ctx *ctx, tagma_file *file, const char *wanted, uint32_t *out);

/* Events of the i-th tree, from a sidecar if there is one and options allow it. */
tagma_status tg_file_open_events(tagma_ctx *ctx, tagma_file *file, uint32_t i,
                                 const tagma_open_options *options, tagma_events **out);

#endif
