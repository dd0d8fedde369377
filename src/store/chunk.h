/* SPDX-License-Identifier: Apache-2.0
 * The columns section: a column of a cluster by itself, read and verified whole. Source: docs/FORMAT.md, "Chunks". */
#ifndef TG_STORE_CHUNK_H
#define TG_STORE_CHUNK_H

#include "store/store.h"

/* Values of a column in a cluster, or how many items lists have. */
typedef struct tg_chunk {
    uint32_t cluster;
    bool is_loaded;
    tg_slot slot;
    tg_heads heads;          /* those of the slot only */
    uint64_t n;              /* words */
    const uint8_t *words;    /* slack behind them */
    const uint8_t *validity; /* a bit an event; NULL where none is null */
    uint32_t *offsets;       /* of lists: [n + 1] */
    uint8_t *bytes;          /* as read */
} tg_chunk;

typedef struct tg_chunk_cache tg_chunk_cache;
void tg_chunk_cache_free(tg_account *account, tg_chunk_cache *cache);

/* Is the chunks section sound? For tg_store_section. */
tagma_status tg_chunks_check(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                             const uint8_t *bytes);

/* Number of the chunk of a column, or of lists (TG_CHUNK_LISTS set); TAGMA_NONE where there is none. */
tagma_status tg_chunk_find(tagma_ctx *ctx, tg_store_reader *reader, uint32_t which, uint32_t *number);
/* Bytes of a chunk in a cluster. */
uint64_t tg_chunk_bytes(const tg_store_reader *reader, uint32_t cluster, uint32_t number);
/* The chunk, verified; kept until the same one of another cluster is asked for. @param n  words it must have.
 * TAGMA_E_CORRUPT names the place. */
tagma_status tg_chunk_load(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, uint32_t number,
                           uint64_t n, const tg_chunk **out);
/* The same of lists, with their offsets. */
tagma_status tg_chunk_lists(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, uint32_t number,
                            uint64_t n, const tg_chunk **out);
/* One that is loaded, as it was given last. */
const tg_chunk *tg_chunk_loaded(const tg_store_reader *reader, uint32_t number);
/* How many chunks the store has a cluster; which one `number` is. */
uint32_t tg_chunk_count(const tg_store_reader *reader);
uint32_t tg_chunk_which(const tg_store_reader *reader, uint32_t number);

#endif
