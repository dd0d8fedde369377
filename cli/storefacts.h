/* SPDX-License-Identifier: Apache-2.0
 * What a store tells of itself: what it was made of, and what its branches cost, code by code. */
#ifndef CLI_STOREFACTS_H
#define CLI_STOREFACTS_H

#include <tagma/store.h>

#include "cli/json.h"
#include "cli/table.h"

/* A branch and what it takes. */
typedef struct cli_cost {
    uint32_t column;
    tagma_store_column stored;
} cli_cost;

/* Branches of a store, the largest first: [*n], free() them. @return 0, or 2 with words. */
int cli_costs_new(tagma_ctx *ctx, const tagma_events *events, cli_cost **costs, size_t *n);
/* In tiles and in the columns section. */
double cli_cost_bytes(const tagma_store_column *stored);

/* Branches that share a code, or what makes lists end. */
typedef struct cli_code_bytes {
    char code[sizeof((tagma_store_column *)0)->code];
    uint64_t n_columns, raw_bytes, hot_bytes;
    double tile_bytes;
} cli_code_bytes;
/* By code, the largest first: [*n], free() them. @return 0, or 2 with words. */
int cli_codes_new(tagma_ctx *ctx, const tagma_events *events, const cli_cost *costs, size_t n_costs,
                  cli_code_bytes **codes, size_t *n);

/* "events.root, tree Events;2, 40 entries", the i-th source. Appends nothing past the last. */
bool cli_put_source(cli_text *text, tagma_ctx *ctx, const tagma_events *events, uint32_t i);
/* "1,200 TH1D", "Runs (12 entries)", "Jet_x (why)": what is not in a store, but not of which kind. */
void cli_put_absent(cli_text *text, const tagma_absent *it);
/* What of the sources is not in the store, in words; the first ten of each kind. Appends nothing where there is none. */
void cli_put_absents(cli_text *text, tagma_ctx *ctx, const tagma_events *events);

/* Tables for the eye. */
void cli_codes_table(cli_table *table, const cli_code_bytes *codes, size_t n);
void cli_costs_table(cli_table *table, const tagma_events *events, const cli_cost *costs, size_t n);

/* Members of an object that is open. */
void cli_json_absent(cli_json *json, const tagma_absent *it);
/* The member "store" of a tree; nothing for other events. */
void cli_json_store(cli_json *json, tagma_ctx *ctx, const tagma_events *events);

#endif
