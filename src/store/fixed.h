/* SPDX-License-Identifier: Apache-2.0
 * The fixed layout: one record of doubles an event, at an address that is computed from ranks. Values in words, and its events.
 * Source: docs/FORMAT.md, "Fixed layout". */
#ifndef TG_STORE_FIXED_H
#define TG_STORE_FIXED_H

#include "event/record.h"
#include "store/store.h"

/* A value as a word; false for an integer that no double holds. */
bool tg_word_of(tagma_type type, const void *value, uint64_t *word);

enum {
    TG_WORD_GOOD = 0,
    TG_WORD_NULL = 1, /* TG_NULL_WORD: of an f64, the value is delivered, and may be meant */
    TG_WORD_BAD = 2   /* no value of the type */
};
/* A word as a value, of any alignment. */
uint8_t tg_word_value(tagma_type type, uint64_t word, uint8_t *value);
/* n_items values each of n records, their words from byte `at` on. flaws[k]: all that is wrong with those of record k. */
void tg_words_take(tagma_type type, const uint8_t *const *records, uint64_t n, uint64_t at, uint32_t n_items,
                   uint8_t *to, uint8_t *flaws);

/* From a word of one record into a byte of another. */
typedef struct tg_word_move {
    uint32_t from, to;
} tg_word_move;
/* What is wrong with any of them. */
uint8_t tg_words_move(tagma_type type, const uint8_t *record, const tg_word_move *moves, uint32_t n,
                      uint8_t *to);

/* The records section of a store that is opened, and its slots, read when first asked for. */
tagma_status tg_fixed_open(tagma_ctx *ctx, tg_store *store, tg_lane *lane);
tagma_status tg_fixed_slots(tagma_ctx *ctx, const tg_store *store, tg_slots *out);
/* Is the slots section sound? For tg_store_section. */
tagma_status tg_fixed_check_slots(tagma_ctx *ctx, const tg_store *store, const tg_section *section,
                                  const uint8_t *bytes);

typedef struct tg_fixed_reader {
    tagma_reader reader;
    const tg_store *store;
    tg_account *account;
    tg_lane *lane;
    tg_slots slots;
    bool has_slots;
    bool is_mapped;
    bool verifies;                /* all that is touched */
    uint64_t n_records, n_faults; /* read and verified; told */
    /* How an event becomes a record of the caller's, by type: compiled for one plan. */
    uint32_t tag;
    tg_word_move *moves;
    uint32_t ends[TAGMA_STRING]; /* of each type */
} tg_fixed_reader;

tagma_status tg_fixed_read(tagma_ctx *ctx, tagma_reader *reader, const tg_rows *rows, const uint32_t *columns,
                           uint32_t n_columns, tagma_batch **out);
tagma_status tg_fixed_check(tagma_ctx *ctx, tagma_reader *reader, const uint32_t *columns, uint32_t n_columns,
                            uint64_t *n_baskets, uint64_t *n_faults);
/* Where the record of a row begins; the slots are there. */
uint64_t tg_fixed_offset(const tg_fixed_reader *reader, uint64_t row);
/* TAGMA_E_CORRUPT where the bytes of a record do not give its checksum. */
tagma_status tg_fixed_verify(tagma_ctx *ctx, const tg_fixed_reader *reader, uint64_t row,
                             const uint8_t *record);
/* The slots, once. */
tagma_status tg_fixed_prepare(tagma_ctx *ctx, tg_fixed_reader *reader);
/* What the flawed value of a column is: TAGMA_COLUMN_GOOD (a value that looks like a null), _NULL, _CORRUPT. */
tagma_column_status tg_fixed_settle(const tg_fixed_reader *reader, uint64_t row, const uint8_t *record,
                                    uint32_t column);
/* Tell a fault of one row; column NULL: of all of it. */
void tg_fixed_fault(tagma_ctx *ctx, tg_fixed_reader *reader, tagma_status st, uint64_t row,
                    const char *column);

/* A store's events, for the table of functions in store.c. */
tagma_status tg_fixed_reader_new(tagma_ctx *ctx, tagma_events *events, const tagma_reader_options *options,
                                 tagma_reader **out);
void tg_fixed_reader_free(tagma_reader *reader);
void tg_fixed_reader_stats(const tagma_reader *reader, tagma_reader_stats *out);
tagma_status tg_fixed_read_event(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan,
                                 uint64_t entry, void *record, size_t record_bytes, size_t *needed);
tagma_status tg_fixed_storage(const tagma_events *events, uint32_t column, tagma_storage *out);
tagma_status tg_fixed_basket(const tagma_events *events, uint32_t column, uint64_t i, tagma_basket_info *out);
uint64_t tg_fixed_n_clusters(uint64_t n_events);
uint64_t tg_fixed_cluster(const tagma_events *events, uint64_t i);

#endif
