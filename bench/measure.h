/* SPDX-License-Identifier: Apache-2.0
 * What the programs that measure Tagma share: a clock, options, and ending with the library's own words. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tagma/tagma.h>
#include <time.h>

static inline double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Processor time of all threads. On a busy machine it says what the clock on the wall cannot. */
static inline double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** Not getrusage's: that one remembers the process before exec, which is the driver's interpreter. */
static inline uint64_t peak_rss_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    unsigned long long kilobytes = 0;
    char line[256];

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %llu", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return (uint64_t)kilobytes * 1024;
}

static inline void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static inline void must(tagma_ctx *ctx, tagma_status status, const char *what)
{
    if (status < 0)
        die(what, tagma_ctx_message(ctx));
}

/** Value of "--name", which stands before it in argv; `otherwise` where it does not. */
static inline const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return otherwise;
}

static inline uint64_t number_option(int argc, char **argv, const char *name, uint64_t otherwise)
{
    const char *text = option(argc, argv, name, NULL);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/** Open events with a context, a pool (NULL for one thread) and a reader; seconds and cpu say how long it took. */
typedef struct opened {
    tagma_ctx *ctx;
    tagma_pool *pool;
    tagma_events *events;
    tagma_reader *reader;
    double seconds, cpu, cpu_end;
    uint64_t n_passes; /* of the same work, which requests and bytes are divided by; 0 as 1 */
} opened;

static inline opened open_events(const char *path, uint64_t threads, uint64_t max_memory, tagma_io io)
{
    tagma_ctx_options ctx_options = TAGMA_CTX_OPTIONS_INIT;
    tagma_open_options open_options = TAGMA_OPEN_OPTIONS_INIT;
    tagma_reader_options reader_options = TAGMA_READER_OPTIONS_INIT;
    opened o = {NULL, NULL, NULL, NULL, 0, 0, 0, 0};
    double start = now_seconds(), cpu_start = cpu_seconds();

    ctx_options.limits.max_memory = max_memory;
    if (tagma_ctx_new(&ctx_options, &o.ctx) < 0)
        die("tagma_ctx_new", "no memory");
    if (threads > 1)
        must(o.ctx, tagma_pool_new(o.ctx, (uint32_t)threads, &o.pool), "tagma_pool_new");
    open_options.io = io;
    open_options.sidecar = TAGMA_SIDECAR_NONE;
    must(o.ctx, tagma_open(o.ctx, path, &open_options, &o.events), path);
    reader_options.pool = o.pool;
    must(o.ctx, tagma_reader_new(o.ctx, o.events, &reader_options, &o.reader), "tagma_reader_new");
    o.seconds = now_seconds() - start;
    o.cpu_end = cpu_seconds();
    o.cpu = o.cpu_end - cpu_start;
    return o;
}

static inline void close_events(opened *o)
{
    tagma_reader_free(o->reader);
    tagma_events_release(o->events);
    tagma_pool_free(o->pool);
    tagma_ctx_free(o->ctx);
}

/** The fields that every line ends with. */
static inline void print_tail(const opened *o)
{
    tagma_reader_stats stats = {.struct_bytes = sizeof stats};
    double cpu = cpu_seconds() - o->cpu_end, passes = o->n_passes ? (double)o->n_passes : 1;

    tagma_reader_get_stats(o->reader, &stats);
    printf(
        ", \"cpu_seconds\": %.9g, \"open_seconds\": %.9g, \"open_cpu_seconds\": %.9g, \"requests\": %.15g, "
        "\"bytes\": %.15g, \"baskets\": %llu, "
        "\"distinct_baskets\": %llu, \"unpacked_bytes\": %llu, \"ctx_peak_bytes\": %llu, "
        "\"peak_rss_bytes\": %llu}\n",
        cpu / passes, o->seconds, o->cpu, (double)stats.io.requests / passes,
        (double)stats.io.bytes_read / passes, (unsigned long long)stats.baskets,
        (unsigned long long)stats.distinct_baskets, (unsigned long long)stats.unpacked_bytes,
        (unsigned long long)tagma_ctx_peak_memory(o->ctx), (unsigned long long)peak_rss_bytes());
}

static inline uint64_t memory_option(int argc, char **argv)
{
    return number_option(argc, argv, "--max-memory", UINT64_C(1) << 30);
}

static inline tagma_io io_option(int argc, char **argv)
{
    return strcmp(option(argc, argv, "--io", "pread"), "mmap") == 0 ? TAGMA_IO_MMAP : TAGMA_IO_PREAD;
}

#endif
