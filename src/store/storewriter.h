/* SPDX-License-Identifier: Apache-2.0
 * Writes a store: batches in, clusters out, in bounded memory; under its name only when it is whole. */
#ifndef TG_STORE_STOREWRITER_H
#define TG_STORE_STOREWRITER_H

#include <tagma/batch.h>
#include <tagma/index.h>
#include <tagma/source.h>

#include "source/blocks.h"
#include "store/format.h"
#include "store/provenance.h"

typedef struct tg_store_options {
    uint32_t layout;      /* TG_LAYOUT_TILES; TG_LAYOUT_COLLECTION: tiles of 1, without copies of columns */
    uint32_t tile_events; /* a power of 2, 1 to 65,536; 0: 8, or more where 8 events are under 1 KiB */
    bool is_plain_only;   /* --no-sparse */
    /* Which columns get a second copy each to itself: "all", "none", names and globs; NULL: counts, scalars, and of the items
     * what events are cut on, within HOT_PERCENT of the file. */
    const char *columns;
    bool damaged_is_null; /* values marked as damaged are stored as null; else they are refused */
    tagma_pool *pool;
    bool is_passing;          /* for tg_store_writer_hand_over(): the path is that of a folder */
    tg_blocks_options blocks; /* how the file is packed, if it is; their pool is not used */
} tg_store_options;
/* clang-format off */
#define TG_STORE_OPTIONS_INIT { TG_LAYOUT_TILES, 0, false, NULL, false, NULL, false, { 0, TG_BLOCK_ZSTD, NULL } }
/* clang-format on */

typedef struct tg_store_writer tg_store_writer;

/* What was written, for a summary. */
typedef struct tg_store_summary {
    uint64_t n_events, n_clusters;
    uint64_t raw_bytes; /* of values, at their natural width */
    uint64_t file_bytes, tile_bytes, chunk_bytes, table_bytes, index_bytes;
    uint32_t n_hot; /* columns with a copy to themselves */
} tg_store_summary;

/* @param schema  of columns that can all be read; borrowed until the writer is freed, as are provenance and options->columns.
 * @param path    nothing is seen there before tg_store_writer_finish(). */
tagma_status tg_store_writer_new(tagma_ctx *ctx, const char *path, const tagma_schema *schema,
                                 const tg_provenance *provenance, const tg_store_options *options,
                                 tg_store_writer **out);

/* Add the entries of a batch whose columns are those of the schema, in its order. The batch is taken over, also after a failure.
 * @param origins  [n_entries] which entries of the sources these are, counted over all sources in turn; NULL: first_origin on.
 * What is written depends on the entries, not on how batches cut them. */
tagma_status tg_store_writer_append(tagma_ctx *ctx, tg_store_writer *writer, tagma_batch *batch,
                                    uint64_t first_origin, const uint64_t *origins);
/* Write the events that wait: no more may come. */
tagma_status tg_store_writer_flush(tagma_ctx *ctx, tg_store_writer *writer);
/* Write what is left, the index (may be NULL) and the head; sync; give the file its name. *summary may be NULL. */
tagma_status tg_store_writer_finish(tagma_ctx *ctx, tg_store_writer *writer, const tagma_index *index,
                                    tg_store_summary *summary);
/* Finish a passing store, and give it as a source: it never has a name, nor need it be on disk. */
tagma_status tg_store_writer_hand_over(tagma_ctx *ctx, tg_store_writer *writer, tagma_source **out);
/* NULL is accepted. A store that is not finished leaves no trace. */
void tg_store_writer_free(tagma_ctx *ctx, tg_store_writer *writer);

#endif
