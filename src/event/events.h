/* SPDX-License-Identifier: Apache-2.0
 * The table of functions that everything holding events implements, and what is the same for all kinds. */
#ifndef TG_EVENT_EVENTS_H
#define TG_EVENT_EVENTS_H

#include <stdatomic.h>
#include <tagma/events.h>

#include "base/ctx.h"

/* Which entries: a run of them, or a list. */
typedef struct tg_rows {
    uint64_t first, n;
    const uint64_t
        *entries; /* [n] ascending, each once, all below n_entries; NULL for first to first + n - 1 */
} tg_rows;

typedef struct tg_events_kind {
    const char *name;
    void (*close)(tagma_events *events); /* free what is the kind's own, then the block itself */
    tagma_status (*storage)(const tagma_events *events, uint32_t column, tagma_storage *out);
    tagma_status (*basket)(const tagma_events *events, uint32_t column, uint64_t i, tagma_basket_info *out);
    uint64_t (*cluster)(const tagma_events *events, uint64_t i);
    tagma_status (*friend_at)(const tagma_events *events, uint32_t i, const char **name, const char **file);
    /* The index that such events bring with them; NULL: events->index. */
    tagma_status (*index)(tagma_ctx *ctx, const tagma_events *events, const tagma_index **out);
    tagma_status (*unchanged)(tagma_ctx *ctx, const tagma_events *events);
    /* Save the branch table and an index (may be NULL) in a sidecar. */
    tagma_status (*save_sidecar)(tagma_ctx *ctx, const tagma_events *events, const tagma_index *index,
                                 const char *path, bool force);
    tagma_status (*reader_new)(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                               tagma_reader **out);
    void (*reader_free)(tagma_reader *reader);
    void (*reader_stats)(const tagma_reader *reader, tagma_reader_stats *out);
    /* Columns are checked: in range, supported, none twice. */
    tagma_status (*read)(tagma_ctx *ctx, tagma_reader *reader, const tg_rows *rows, const uint32_t *columns,
                         uint32_t n_columns, tagma_batch **out);
    /* NULL: by way of read. */
    tagma_status (*read_event)(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                               uint64_t entry, void *record, size_t record_bytes, size_t *needed);
    tagma_status (*check)(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                          uint64_t *n_baskets, uint64_t *n_faults);
} tg_events_kind;

/* The beginning of every kind's own struct. */
struct tagma_events {
    const tg_events_kind *kind;
    atomic_uint_fast64_t users;
    tg_account *account;
    tagma_schema *schema;
    tagma_events_info info;
    tagma_index *index; /* from a sidecar; NULL */
    char *ids;          /* options->ids, copied; NULL */
};

/* Unpacked bytes of an average entry of some columns, at least 1: a guess, by which windows are chosen. */
uint64_t tg_events_entry_bytes(const tagma_events *events, const uint32_t *columns, uint32_t n_columns);

/* The beginning of every kind's own reader. */
struct tagma_reader {
    tagma_events *events;
    tagma_ctx *ctx; /* it was made with */
    tagma_pool *pool;
    bool keeps_all; /* what is read now will be asked for again: keep it as far as there is room */
};

#endif
