/* SPDX-License-Identifier: Apache-2.0
 * What lasts as long as a command: context, threads, exit code, faults told, time by phase, progress. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <tagma/events.h>

#include "cli/opts.h"

typedef enum cli_phase {
    CLI_PHASE_OPEN,
    CLI_PHASE_INDEX,
    CLI_PHASE_READ,
    CLI_PHASE_WRITE,
    CLI_N_PHASES
} cli_phase;

/* Told of each fault once, in place of the word on stderr. */
typedef void (*cli_fault_fn)(void *user, const tagma_fault *fault);

typedef struct cli_session {
    const cli_opts *opts;
    tagma_ctx *ctx;
    tagma_pool *pool;
    int status; /* the exit code so far: it only grows */
    uint64_t n_faults;
    cli_fault_fn fault_fn;
    void *fault_user;
    bool is_silent; /* cli_failed() only raises: someone else says the words */
    uint64_t *told; /* a set of hashes of faults */
    size_t n_told, told_capacity;
    cli_phase phase;
    double began, phase_began, seconds[CLI_N_PHASES];
    tagma_reader_stats stats; /* of all readers that are gone */
    const char *bar_phase;
    double bar_began;
    uint64_t bar_first;
} cli_session;

/* @return 0, or 2 with words. Always end what was begun. */
int cli_begin(cli_session *session, const cli_opts *opts);
/* Tells --stats. @return the exit code. */
int cli_end(cli_session *session);

/* The exit code becomes at least this. @return it. */
int cli_raise(cli_session *session, int status);
/* The words of the context on stderr, and 2. */
int cli_failed(cli_session *session);

/* The bar on a terminal, for those who look at the progress themselves. @return 0. */
int cli_progress(cli_session *session, const tagma_progress *progress);
double cli_now(void); /* seconds */
void cli_enter(cli_session *session, cli_phase phase);

/* Bytes that one batch may take. */
uint64_t cli_batch_bytes(const cli_session *session);
/* Bytes of rows kept in memory before they go through a file. */
uint64_t cli_spool_bytes(const cli_session *session);

int cli_reader(cli_session *session, tagma_events *events, tagma_reader **out);
/* Free a reader and count what it did; NULL is accepted. */
void cli_reader_done(cli_session *session, tagma_reader *reader);

/* Processors that affinity and control group allow. */
uint32_t cli_processors(void);

#endif
