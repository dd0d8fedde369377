/* SPDX-License-Identifier: Apache-2.0
 * A store as events: what is open, what a reader has, and where its parts are read. */
#ifndef TG_STORE_STORE_H
#define TG_STORE_STORE_H

#include "event/events.h"
#include "source/source.h"
#include "store/copyplan.h"
#include "store/provenance.h"
#include "store/records.h"
#include "store/storehead.h"

/* Do these first bytes of a file begin a store, whatever its state? n may be small. */
bool tg_store_is(const uint8_t *bytes, size_t n);
/* options->tree must name the tree it holds; no sidecar is looked for. The source is acquired. */
tagma_status tg_store_open(tagma_ctx *ctx, tagma_source *source, const tagma_open_options *options,
                           tagma_events **out);

/* What a store tells of itself as a file. */
void tg_store_file_info(const tagma_events *events, tagma_file_info *info);

/* Are events of any kind a store? */
bool tg_events_are_store(const tagma_events *events);

/* A section that is read when it is first asked for; the same block for all threads. */
typedef _Atomic(uint8_t *) tg_lazy;

/* What stores of an equal schema section share. */
typedef struct tg_store_schema {
    tg_shared shared; /* by the section's checksum */
    uint64_t bytes;   /* of the section */
    tagma_schema *schema;
    tg_fields fields;
    const char *tree, *title;
    tagma_source *source; /* in whose mapping all this may lie */
    bool is_lent;         /* it lies in a caller's memory, and is not for stores of other bytes */
} tg_store_schema;

typedef struct tg_store {
    tagma_events events;
    tagma_source *source;
    tg_header header;
    tg_store_schema *schema;
    tg_fields fields;     /* the schema's */
    tg_cluster *clusters; /* [header.n_clusters] */
    tg_lazy totals, chunks, origin, provenance;
    /* Of the fixed layout, which has no fields and clusters. */
    tg_records records;
    tg_lazy slots, checksums;
    _Atomic(uint64_t *) slot_ranks;
    _Atomic(tagma_index *) index;
} tg_store;

static inline const tg_store *tg_store_of(const tagma_events *events)
{
    return (const tg_store *)events;
}

/* A section's bytes into a new block, with room behind them; verified. */
tagma_status tg_store_read_section(tagma_ctx *ctx, const tg_store *store, tg_lane *lane,
                                   const tg_section *section, uint64_t room, uint8_t **out);
/* Verify this store's own schema section, whichever store's was read. */
tagma_status tg_store_verify_schema(tagma_ctx *ctx, const tg_store *store);
/* The bytes of a section, verified, read once; *bytes NULL where the store has none. Borrowed from the store. */
tagma_status tg_store_section(tagma_ctx *ctx, const tg_store *store, uint32_t id, const uint8_t **bytes,
                              uint64_t *n);
/* TAGMA_E_CORRUPT: a section that every store has is not there. */
tagma_status tg_store_fail_missing(tagma_ctx *ctx, const tg_store *store, uint32_t id);
/* TAGMA_ABSENT where the store has none, or one of other id columns than it was opened with. Borrowed from the store. */
tagma_status tg_store_index(tagma_ctx *ctx, const tagma_events *events, const tagma_index **out);
/* Free *block. */
tagma_status tg_store_provenance(tagma_ctx *ctx, const tagma_events *events, tg_provenance *out,
                                 void **block);
/* Entry of the sources (counted over all of them in turn) that a row is. */
tagma_status tg_store_origin(tagma_ctx *ctx, const tagma_events *events, uint64_t row, uint64_t *entry);
/* Words that name a place in the file, in front of a failure. */
tagma_status tg_store_within(tagma_ctx *ctx, tagma_status status, const tg_store *store, const char *what,
                             uint64_t number, uint64_t offset);

enum { TG_TABLES_KEPT = 64 };

/* A cluster table that a reader holds, and the plan compiled last for it. */
typedef struct tg_kept {
    uint32_t cluster;
    uint64_t used;   /* counts up */
    bool was_direct; /* one event was read without slots and plan */
    tg_table table;
    tg_copyplan plan;
} tg_kept;

typedef struct tg_store_reader {
    tagma_reader reader;
    const tg_store *store;
    tg_lane *lane;
    tg_account *account;
    uint8_t *slots; /* [n_clusters] slot + 1 in kept; 0 none */
    tg_kept *kept[TG_TABLES_KEPT];
    uint32_t n_kept, last; /* last: the cluster asked for last */
    uint64_t clock;
    bool verifies;  /* all that is touched */
    uint8_t from;   /* tg_store_from */
    bool is_mapped; /* views cost no copy */
    uint8_t *tile;  /* of the event read last */
    uint64_t tile_capacity;
    uint32_t tile_cluster, tile_number;
    bool has_tile;
    struct tg_chunk_cache *chunks;        /* made at first use */
    uint64_t n_tiles, n_chunks, n_faults; /* read and verified */
} tg_store_reader;

/* Where columns are read from that stand in tiles and by themselves in chunks. */
typedef enum tg_store_from {
    TG_FROM_EITHER = 0, /* whatever is less to read */
    TG_FROM_TILES = 1,
    TG_FROM_CHUNKS = 2 /* if it is there */
} tg_store_from;
void tg_store_read_from(tagma_reader *reader, tg_store_from from);
/* Has a column a copy to itself? */
tagma_status tg_store_is_hot(tagma_ctx *ctx, tagma_reader *reader, uint32_t column, bool *is_hot);

/* The cluster an entry is in; below n_entries. */
uint32_t tg_store_cluster_of(const tg_store *store, uint32_t guess, uint64_t entry);
/* Its table, loaded if need be; valid until the next call. */
tagma_status tg_reader_table(tagma_ctx *ctx, tg_store_reader *reader, uint32_t cluster, tg_kept **out);
/* Where a tile lies, as its table says. TAGMA_E_CORRUPT where it does not. */
tagma_status tg_reader_tile_at(tagma_ctx *ctx, const tg_store_reader *reader, const tg_table *table,
                               uint32_t tile, uint64_t *offset, uint64_t *n);
/* Do the bytes of a tile give its checksum? Else TAGMA_E_CORRUPT. */
tagma_status tg_reader_verify_tile(tagma_ctx *ctx, const tg_store_reader *reader, const tg_table *table,
                                   uint32_t tile, const uint8_t *bytes, uint64_t n);

/* Tell a fault that makes n entries from `first` on null: block.c. */
void tg_store_tell(tagma_ctx *ctx, const tg_store *store, tagma_status status, uint64_t offset,
                   uint64_t first, uint64_t n);
/* Every section but those that opening reads; faults are told and counted: checkstore.c. */
tagma_status tg_store_check_sections(tagma_ctx *ctx, const tg_store *store, uint64_t *n_faults);

/* What a kind of events has of readers: storereader.c. */
tagma_status tg_store_reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                                 tagma_reader **out);
void tg_store_reader_free(tagma_reader *reader);
void tg_store_reader_stats(const tagma_reader *reader, tagma_reader_stats *out);
tagma_status tg_store_read_event(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                                 uint64_t entry, void *record, size_t record_bytes, size_t *needed);
/* The rows of batches: rows.c. */
tagma_status tg_store_read(tagma_ctx *ctx, tagma_reader *reader, const tg_rows *rows, const uint32_t *columns,
                           uint32_t n_columns, tagma_batch **out);
/* checkstore.c */
tagma_status tg_store_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                            uint64_t *n_baskets, uint64_t *n_faults);

#endif
