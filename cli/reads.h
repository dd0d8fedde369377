/* SPDX-License-Identifier: Apache-2.0
 * Reading many entries in windows that fit the memory allowed. */
#ifndef CLI_READS_H
#define CLI_READS_H

#include "cli/session.h"
#include "cli/value.h"

/* Entries at to at + n - 1 of those asked for. Non-zero ends the reading. */
typedef int (*cli_batch_fn)(void *user, tagma_batch *batch, uint64_t at);

typedef struct cli_reads {
    cli_session *session;
    tagma_reader *reader;
    const uint32_t *columns;
    uint32_t n_columns;
    const uint64_t *entries; /* [n] ascending; NULL: first to first + n - 1 */
    uint64_t first, n;
    uint64_t window_bytes; /* what a batch should take; it may be less */
    cli_batch_fn batch;
    void *user;
} cli_reads;

/* Windows end where clusters end, so that hardly a basket lies in two.
 * @return the library's status, with its words in the context; TAGMA_END where `batch` ended it. */
tagma_status cli_read(const cli_reads *reads);

/* Columns of a batch: n that are shown, and behind them the id columns that are not among these. */
typedef struct cli_selection {
    uint32_t *columns;
    uint32_t n, n_read;
    uint64_t n_left_out; /* unsupported ones, where -c is not given */
    uint32_t n_axes;     /* id columns in the batch; 0 until cli_select_ids() */
    uint32_t ids[TAGMA_MAX_ID_AXES];
} cli_selection;

/* The columns that -c picks, or every supported one. @return 0, or 2 with words. */
int cli_select(cli_session *session, const tagma_events *events, cli_selection *out);
/* Read the id columns, too, where there are any. @return 0, or 2 with words. */
int cli_select_ids(cli_session *session, const tagma_events *events, cli_selection *selection);
void cli_selection_free(cli_selection *selection);
/* The id columns in a batch of the selection: cells[n_axes]. */
void cli_selection_cells(const cli_selection *selection, const tagma_events *events, const tagma_batch *batch,
                         cli_cell *cells);
/* The word about columns that are left out. */
void cli_tell_left_out(uint64_t n_left_out);

#endif
