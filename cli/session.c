/* SPDX-License-Identifier: Apache-2.0
 * What lasts as long as a command: context, threads, exit code, faults told, time by phase, progress. */
#include "cli/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/say.h"
#include "cli/text.h"

enum { MAX_DEFAULT_JOBS = 4 };

double cli_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int cli_raise(cli_session *session, int status)
{
    if (status > session->status)
        session->status = status;
    return session->status;
}

/* "; --max-memory allows more" behind the words of a failure that it helps against. */
static const char *memory_words(const cli_session *session)
{
    tagma_status st = tagma_ctx_status(session->ctx);
    /* cli_begin() bounds an unpacked object by the memory: the words name that limit. */
    bool is_large =
        st == TAGMA_E_LIMIT && strstr(tagma_ctx_message(session->ctx), "max_object_bytes") != NULL;

    return st == TAGMA_E_MEMORY || is_large ? "; --max-memory allows more" : "";
}

int cli_failed(cli_session *session)
{
    if (!session->is_silent)
        cli_wrong("%s%s", tagma_ctx_message(session->ctx), memory_words(session));
    return cli_raise(session, 2);
}

static uint64_t hash_of(uint64_t hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 1099511628211U;
    return hash;
}

/* Open addressing; 0 is an empty place. */
static bool add_hash(uint64_t *places, size_t capacity, uint64_t hash)
{
    size_t i = (size_t)hash & (capacity - 1);

    while (places[i] != 0) {
        if (places[i] == hash)
            return false;
        i = (i + 1) & (capacity - 1);
    }
    places[i] = hash;
    return true;
}

static bool grow_told(cli_session *session)
{
    size_t capacity = session->told_capacity == 0 ? 256 : 2 * session->told_capacity;
    uint64_t *places = calloc(capacity, sizeof *places);

    if (places == NULL)
        return false;
    for (size_t i = 0; i < session->told_capacity; i++) {
        if (session->told[i] != 0)
            add_hash(places, capacity, session->told[i]);
    }
    free(session->told);
    session->told = places;
    session->told_capacity = capacity;
    return true;
}

/* A basket whose entries are read in several calls is told once. */
static bool is_told(cli_session *session, const tagma_fault *fault)
{
    uint64_t hash = 14695981039346656037U;

    hash = hash_of(hash, fault->message, strlen(fault->message));
    hash = hash_of(hash, &fault->basket, sizeof fault->basket);
    hash = hash_of(hash, &fault->offset, sizeof fault->offset) | 1;
    if (session->n_told >= session->told_capacity / 2 && !grow_told(session))
        return false;
    if (!add_hash(session->told, session->told_capacity, hash))
        return true;
    session->n_told++;
    return false;
}

static void on_fault(void *user, const tagma_fault *fault)
{
    cli_session *session = user;

    cli_raise(session, 2);
    if (is_told(session, fault))
        return;
    session->n_faults++;
    if (session->fault_fn != NULL)
        session->fault_fn(session->fault_user, fault);
    else
        cli_wrong("%s", fault->message);
}

static void on_note(void *user, const char *text)
{
    (void)user;
    cli_word("%s", text);
}

/* "check [######------]  50 % 141,300 of 282,600 baskets, 7,283/s, 19 s left"; what is not known yet is left out. */
static void draw_bar(const cli_session *session, const tagma_progress *p, double now)
{
    enum { LENGTH = 20 };
    cli_text bar = {0};
    char number[CLI_NUMBER_BYTES];
    double seconds = now - session->bar_began;
    double speed = seconds > 0 ? (double)(p->done - session->bar_first) / seconds : 0;
    double share = p->total > 0 ? (double)p->done / (double)p->total : 0;

    cli_text_format(&bar, "%s ", p->phase);
    if (p->total > 0) {
        cli_text_char(&bar, '[');
        for (int i = 0; i < LENGTH; i++)
            cli_text_char(&bar, i < (int)(share * LENGTH) ? '#' : '-');
        cli_text_format(&bar, "] %3.0f %% ", 100 * share);
    }
    cli_text_words(&bar, cli_grouped(p->done, number));
    if (p->total > 0)
        cli_text_format(&bar, " of %s", cli_grouped(p->total, number));
    cli_text_format(&bar, " %s", p->unit);
    if (speed > 0)
        cli_text_format(&bar, ", %s/s", cli_grouped((uint64_t)speed, number));
    if (speed > 0 && p->total > p->done)
        cli_text_format(&bar, ", %.0f s left", (double)(p->total - p->done) / speed);
    cli_text_char(&bar, '\0');
    if (!bar.is_short)
        cli_say_bar(bar.bytes);
    cli_text_free(&bar);
}

int cli_progress(cli_session *session, const tagma_progress *p)
{
    double now = cli_now();

    if (!isatty(STDERR_FILENO) || cli_is_quiet())
        return 0;

    if (session->bar_phase != p->phase || p->done < session->bar_first) {
        session->bar_phase = p->phase;
        session->bar_began = now;
        session->bar_first = p->done;
    }
    if (now - session->began > 1.0)
        draw_bar(session, p, now);
    return 0;
}

static int on_progress(void *user, const tagma_progress *p)
{
    return cli_progress(user, p);
}

uint64_t cli_spool_bytes(const cli_session *session)
{
    return session->opts->max_memory / 8;
}

uint64_t cli_batch_bytes(const cli_session *session)
{
    return session->opts->max_memory / 8;
}

static uint32_t default_jobs(void)
{
    uint32_t n = cli_processors();

    return n < MAX_DEFAULT_JOBS ? n : MAX_DEFAULT_JOBS;
}

int cli_begin(cli_session *session, const cli_opts *opts)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;

    memset(session, 0, sizeof *session);
    session->opts = opts;
    session->stats.struct_bytes = sizeof session->stats;
    session->began = cli_now();
    session->phase_began = session->began;
    /* The eighth that is left is the command line's own: rows on their way out. */
    options.limits.max_memory = opts->max_memory - cli_spool_bytes(session);
    if (options.limits.max_object_bytes > options.limits.max_memory)
        options.limits.max_object_bytes = options.limits.max_memory;
    if (tagma_ctx_new(&options, &session->ctx) < 0)
        return cli_raise(session, cli_no_memory());
    tagma_ctx_on_fault(session->ctx, on_fault, session);
    tagma_ctx_on_note(session->ctx, on_note, session);
    if (isatty(STDERR_FILENO) && !cli_is_quiet())
        tagma_ctx_on_progress(session->ctx, on_progress, session);
    if (tagma_pool_new(session->ctx, opts->jobs != 0 ? (uint32_t)opts->jobs : default_jobs(),
                       &session->pool) < 0)
        return cli_failed(session);
    return 0;
}

void cli_enter(cli_session *session, cli_phase phase)
{
    double now = cli_now();

    session->seconds[session->phase] += now - session->phase_began;
    session->phase = phase;
    session->phase_began = now;
}

int cli_reader(cli_session *session, tagma_events *events, tagma_reader **out)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;

    options.pool = session->pool;
    options.cache_bytes = session->opts->max_memory / 4;
    options.verifies = session->opts->verify;
    if (tagma_reader_new(session->ctx, events, &options, out) < 0)
        return cli_failed(session);
    return 0;
}

void cli_reader_done(cli_session *session, tagma_reader *reader)
{
    tagma_reader_stats stats = {.struct_bytes = sizeof stats};
    tagma_reader_stats *sum = &session->stats;

    if (reader == NULL)
        return;
    tagma_reader_get_stats(reader, &stats);
    sum->baskets += stats.baskets;
    sum->distinct_baskets += stats.distinct_baskets;
    sum->unpacked_bytes += stats.unpacked_bytes;
    sum->faults += stats.faults;
    tagma_reader_free(reader);
}

/* Words that were asked for are no chatter: -q does not silence them. */
static void tell_stats(const cli_session *session)
{
    static const char *const names[CLI_N_PHASES] = {"open", "index", "read", "write"};
    const tagma_reader_stats *s = &session->stats;
    struct rusage usage;
    tagma_io_stats io;
    double total = 0;

    tagma_ctx_get_io(session->ctx, &io);
    fprintf(stderr, "stats: requests %" PRIu64 ", bytes read %" PRIu64 ", used %" PRIu64 "\n", io.requests,
            io.bytes_read, io.bytes_used);
    fprintf(stderr, "stats: baskets unpacked %" PRIu64 ", distinct %" PRIu64 ", bytes unpacked %" PRIu64 "\n",
            s->baskets, s->distinct_baskets, s->unpacked_bytes);
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "stats: peak memory %ld kB, of it in the library %" PRIu64 " kB; threads %" PRIu32 "\n",
            usage.ru_maxrss, tagma_ctx_peak_memory(session->ctx) / 1024, tagma_pool_threads(session->pool));
    fputs("stats: seconds", stderr);
    for (int i = 0; i < CLI_N_PHASES; i++) {
        total += session->seconds[i];
        fprintf(stderr, " %s %.4f,", names[i], session->seconds[i]);
    }
    fprintf(stderr, " all %.4f\n", total);
}

int cli_end(cli_session *session)
{
    cli_say_bar("");
    cli_enter(session, session->phase);
    if (session->opts->stats && session->pool != NULL)
        tell_stats(session);
    tagma_pool_free(session->pool);
    tagma_ctx_free(session->ctx);
    free(session->told);
    session->pool = NULL;
    session->ctx = NULL;
    session->told = NULL;
    return session->status;
}
