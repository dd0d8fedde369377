/* SPDX-License-Identifier: Apache-2.0
 * From process start to the first event, beside a process that does nothing; and many stores opened by one process. */
#include "measure.h"

#include <spawn.h>
#include <sys/wait.h>

static const char usage[] =
    "FILE --spawn N | FILE [FILE ...]\n"
    "--spawn: N processes that open FILE and read its first event, each beside one that does\n"
    "nothing; seconds: the difference of the medians. Else every FILE in one process;\n"
    "seconds: of one FILE, the mean.";

enum { RECORD_BYTES = 1 << 20 };
static uint64_t record[RECORD_BYTES / sizeof(uint64_t)];

/** Open, read the first event. The events stay open. */
static void first_event(tagma_ctx *ctx, const char *path, tagma_io io)
{
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;
    tagma_record_plan *plan;
    tagma_events *events;
    tagma_reader *reader;
    size_t needed = 0;

    options.io = io;
    options.sidecar = TAGMA_SIDECAR_NONE;
    must(ctx, tagma_open(ctx, path, &options, &events), path);
    must(ctx, tagma_reader_new(ctx, events, NULL, &reader), "tagma_reader_new");
    must(ctx, tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan),
         "tagma_record_plan_new");
    must(ctx, tagma_read_event(ctx, reader, plan, 0, record, sizeof record, &needed), "tagma_read_event");
    if (needed < tagma_record_plan_fixed_bytes(plan))
        die(path, "its first event is short");
}

static tagma_ctx *new_context(void)
{
    tagma_ctx *ctx;
    if (tagma_ctx_new(NULL, &ctx) < 0)
        die("tagma_ctx_new", "no memory");
    return ctx;
}

/** Seconds from before the process is there until it is gone. */
static double spawn(char **argv)
{
    extern char **environ;
    double start = now_seconds();
    int status;
    pid_t pid;

    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid || status != 0)
        die("tagma_first", "a process failed");
    return now_seconds() - start;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void spawn_many(char **argv, const char *io, uint64_t n)
{
    double *working = malloc(n * sizeof *working), *idle = malloc(n * sizeof *idle);
    char *with[] = {argv[0], argv[1], "--once", "1", "--io", (char *)io, NULL};
    char *without[] = {argv[0], argv[1], "--nothing", "1", NULL};

    if (!working || !idle)
        die("tagma_first", "no memory");
    for (uint64_t i = 0; i < n; i++) {
        idle[i] = spawn(without);
        working[i] = spawn(with);
    }
    qsort(working, n, sizeof *working, compare_doubles);
    qsort(idle, n, sizeof *idle, compare_doubles);
    printf("{\"peer\": \"Tagma first event\", \"file\": \"%s\", \"seconds\": %.9g, \"of_the_least_seconds\": "
           "%.9g, "
           "\"process\": %.9g, \"idle_process\": %.9g, \"cpu_seconds\": 0, \"peak_rss_bytes\": %llu}\n",
           argv[1], working[n / 2] - idle[n / 2], working[0] - idle[0], working[n / 2], idle[n / 2],
           (unsigned long long)peak_rss_bytes());
    free(working);
    free(idle);
}

int main(int argc, char **argv)
{
    const char *io = option(argc, argv, "--io", "pread");
    uint64_t n = number_option(argc, argv, "--spawn", 0);
    tagma_ctx *ctx;
    double start;
    int n_files = 0;

    if (argc < 2)
        die("usage: tagma_first", usage);
    if (number_option(argc, argv, "--nothing", 0))
        return 0;
    if (n > 0) {
        spawn_many(argv, io, n);
        return 0;
    }
    start = now_seconds();
    ctx = new_context();
    for (int i = 1; i < argc && strncmp(argv[i], "--", 2) != 0; i++, n_files++)
        first_event(ctx, argv[i], io_option(argc, argv));
    if (number_option(argc, argv, "--once", 0))
        return 0;
    double seconds = now_seconds() - start;
    printf("{\"peer\": \"Tagma, stores opened\", \"stores\": %d, \"seconds\": %.9g, \"cpu_seconds\": %.9g, "
           "\"ctx_peak_bytes\": %llu, \"peak_rss_bytes\": %llu}\n",
           n_files, seconds / n_files, cpu_seconds() / n_files,
           (unsigned long long)tagma_ctx_peak_memory(ctx), (unsigned long long)peak_rss_bytes());
    return 0;
}
