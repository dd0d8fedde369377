/* SPDX-License-Identifier: Apache-2.0
 * A store alone: writing it from any events, whole events by chance and in order, narrow and whole scans, opening.
 *   store_bench write IN OUT [--tile K] [--no-sparse 1] [--columns GLOBS] [--threads N] [--step ENTRIES]
 *   store_bench event|scan|whole|columns|open|check|find STORE [--io mmap] [--n N] [--columns GLOBS] [--order list|sorted]
 * Prints minimum and median of the repetitions, of wall time or (--cpu 1) the processor's; seeded. Time decides nothing. */
#include "measure.h"

#include "event/schema.h"
#include "store/store.h"
#include "store/storewriter.h"

enum { REPEATS = 7 };

static uint64_t state = 1;
static uint64_t next_random(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *what, double *seconds, int n, double events)
{
    qsort(seconds, (size_t)n, sizeof *seconds, compare_doubles);
    printf("%-28s min %10.3f  median %10.3f ns/event\n", what, seconds[0] / events * 1e9,
           seconds[n / 2] / events * 1e9);
}

/* Where others work on the machine as well, the processor's time says more than the wall's. */
static bool counts_cpu;

static double seconds_now(void)
{
    struct timespec t;

    if (!counts_cpu)
        return now_seconds();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tagma_io io_of(int argc, char **argv)
{
    return io_option(argc, argv);
}

static tagma_events *open_store(tagma_ctx *ctx, const char *path, tagma_io io)
{
    tagma_source *source;
    tagma_events *events;

    must(ctx, tagma_source_open(ctx, path, io, &source), path);
    must(ctx, tg_store_open(ctx, source, NULL, &events), path);
    tagma_source_release(source);
    return events;
}

static uint32_t readable_columns(const tagma_schema *schema, uint32_t *columns)
{
    uint32_t n = 0;

    for (uint32_t c = 0; c < tagma_schema_n_columns(schema); c++)
        if (!tagma_schema_column(schema, c)->reason)
            columns[n++] = c;
    return n;
}

static void write_store(int argc, char **argv)
{
    opened in =
        open_events(argv[2], number_option(argc, argv, "--threads", 1), (uint64_t)4 << 30, TAGMA_IO_PREAD);
    uint64_t n = tagma_events_n_entries(in.events), step = number_option(argc, argv, "--step", 1000);
    uint32_t *columns = malloc(tagma_schema_n_columns(tagma_events_schema(in.events)) * sizeof *columns);
    uint32_t n_columns = readable_columns(tagma_events_schema(in.events), columns);
    tagma_schema *schema;
    tg_store_options options = TG_STORE_OPTIONS_INIT;
    tg_provenance_source source = {argv[2], "", "Events", 1, 0, n};
    tg_provenance provenance = {.tree = "Events",
                                .title = "",
                                .cycle = 1,
                                .producer = "bench",
                                .options = "",
                                .sources = &source,
                                .n_sources = 1};
    tg_store_writer *writer;
    tg_store_summary s;
    tagma_index *index = NULL;
    double start = seconds_now(), reading = 0;

    options.tile_events = (uint32_t)number_option(argc, argv, "--tile", 0);
    options.is_plain_only = number_option(argc, argv, "--no-sparse", 0);
    options.columns = option(argc, argv, "--columns", NULL);
    options.pool = in.pool;
    n = number_option(argc, argv, "--events", n);
    must(in.ctx, tg_schema_subset(in.ctx, tagma_events_schema(in.events), columns, n_columns, &schema),
         "schema");
    must(in.ctx, tg_store_writer_new(in.ctx, argv[3], schema, &provenance, &options, &writer), "new");
    for (uint64_t at = 0; at < n; at += step) {
        double t = seconds_now();
        tagma_batch *batch;

        must(in.ctx,
             tagma_read_columns(in.ctx, in.reader, at, n - at < step ? n - at : step, columns, n_columns,
                                &batch),
             "read");
        reading += seconds_now() - t;
        must(in.ctx, tg_store_writer_append(in.ctx, writer, batch, at, NULL), "append");
    }
    if (n == tagma_events_n_entries(in.events) && number_option(argc, argv, "--index", 1))
        must(in.ctx, tagma_events_build_index(in.ctx, in.reader, &index), "index");
    must(in.ctx, tg_store_writer_finish(in.ctx, writer, index, &s), "finish");
    printf("%llu events, %llu clusters, %.1f raw B/event; file %.1f B/event: tiles %.1f, chunks %.1f (%u), "
           "tables %.1f, index %.1f\n",
           (unsigned long long)s.n_events, (unsigned long long)s.n_clusters, (double)s.raw_bytes / (double)n,
           (double)s.file_bytes / (double)n, (double)s.tile_bytes / (double)n,
           (double)s.chunk_bytes / (double)n, s.n_hot, (double)s.table_bytes / (double)n,
           (double)s.index_bytes / (double)n);
    printf("%.3f s, of it reading %.3f s; %.2f us/event written; peak %.0f MB, rss %.0f MB\n",
           seconds_now() - start, reading, (seconds_now() - start - reading) / (double)n * 1e6,
           (double)tagma_ctx_peak_memory(in.ctx) / 1e6, (double)peak_rss_bytes() / 1e6);
    tg_store_writer_free(in.ctx, writer);
    tagma_index_release(index);
    tg_schema_free(schema);
    free(columns);
    close_events(&in);
}

static void bench_events(tagma_ctx *ctx, tagma_events *events, int argc, char **argv, bool in_order)
{
    uint64_t n = tagma_events_n_entries(events),
             asked = number_option(argc, argv, "--n", in_order ? n : 100000);
    uint64_t *entries = malloc(asked * sizeof *entries);
    uint8_t *record = malloc(1 << 24);
    tagma_record_plan *plan;
    tagma_reader *reader;
    tagma_reader_stats stats = {.struct_bytes = sizeof stats};
    double seconds[REPEATS];
    uint64_t bytes = 0;
    size_t needed;

    for (uint64_t i = 0; i < asked; i++)
        entries[i] = in_order ? i % n : next_random() % n;
    must(ctx, tagma_reader_new(ctx, events, NULL, &reader), "reader");
    must(ctx, tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), "plan");
    for (int r = 0; r < REPEATS; r++) {
        double start = seconds_now();

        for (uint64_t i = 0; i < asked; i++) {
            must(ctx, tagma_read_event(ctx, reader, plan, entries[i], record, 1 << 24, &needed), "event");
            bytes += needed;
        }
        seconds[r] = seconds_now() - start;
    }
    tagma_reader_get_stats(reader, &stats);
    print_times(in_order ? "whole file, event by event" : "random events", seconds, REPEATS, (double)asked);
    printf("  %.1f record bytes, %.3f requests, %.1f bytes read an event\n",
           (double)bytes / REPEATS / (double)asked, (double)stats.io.requests / REPEATS / (double)asked,
           (double)stats.io.bytes_read / REPEATS / (double)asked);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    free(record);
    free(entries);
}

static void bench_columns(tagma_ctx *ctx, tagma_events *events, int argc, char **argv)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint64_t n = tagma_events_n_entries(events), step = number_option(argc, argv, "--step", n);
    const char *globs = option(argc, argv, "--columns", NULL);
    uint32_t n_all = tagma_schema_n_columns(schema), *columns = malloc(n_all * sizeof *columns);
    size_t n_columns = 0;
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;
    tagma_pool *pool = NULL;
    tagma_reader *reader;
    double seconds[REPEATS];

    if (globs)
        must(ctx, tagma_schema_select(ctx, schema, globs, columns, n_all, &n_columns), "columns");
    if (number_option(argc, argv, "--threads", 1) > 1)
        must(ctx, tagma_pool_new(ctx, (uint32_t)number_option(argc, argv, "--threads", 1), &pool), "pool");
    options.pool = pool;
    must(ctx, tagma_reader_new(ctx, events, &options, &reader), "reader");
    for (int r = 0; r < REPEATS; r++) {
        double start = seconds_now();

        for (uint64_t at = 0; at < n; at += step) {
            tagma_batch *batch;

            must(ctx,
                 tagma_read_columns(ctx, reader, at, n - at < step ? n - at : step, globs ? columns : NULL,
                                    (uint32_t)n_columns, &batch),
                 "read");
            tagma_batch_free(batch);
        }
        seconds[r] = seconds_now() - start;
    }
    print_times(globs ? globs : "all columns", seconds, REPEATS, (double)n);
    tagma_reader_free(reader);
    tagma_pool_free(pool);
    free(columns);
}

/* One column of the schema after the other, each alone; the dearest first. */
static void bench_open(int argc, char **argv)
{
    static uint8_t record[1 << 20];
    double start = seconds_now(), t[6];
    tagma_ctx *ctx;
    tagma_record_plan *plan;
    tagma_reader *reader;
    tagma_events *events;
    size_t needed;

    if (tagma_ctx_new(NULL, &ctx) < 0)
        die("ctx", "no memory");
    t[0] = seconds_now();
    events = open_store(ctx, argv[2], io_of(argc, argv));
    t[1] = seconds_now();
    must(ctx, tagma_reader_new(ctx, events, NULL, &reader), "reader");
    t[2] = seconds_now();
    must(ctx, tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), "plan");
    t[3] = seconds_now();
    must(ctx, tagma_read_event(ctx, reader, plan, 0, record, sizeof record, &needed), "event");
    t[4] = seconds_now();
    must(ctx,
         tagma_read_event(ctx, reader, plan, tagma_events_n_entries(events) - 1, record, sizeof record,
                          &needed),
         "event");
    t[5] = seconds_now();
    printf("all %.1f us: ctx %.1f, open %.1f, reader %.1f, plan %.1f, first event %.1f; last event %.1f; "
           "memory %.0f kB\n",
           (t[4] - start) * 1e6, (t[0] - start) * 1e6, (t[1] - t[0]) * 1e6, (t[2] - t[1]) * 1e6,
           (t[3] - t[2]) * 1e6, (t[4] - t[3]) * 1e6, (t[5] - t[4]) * 1e6,
           (double)tagma_ctx_memory(ctx) / 1e3);
}

static void bench_check(tagma_ctx *ctx, tagma_events *events)
{
    tagma_reader *reader;
    uint64_t n_tiles, n_faults;
    double start;

    must(ctx, tagma_reader_new(ctx, events, NULL, &reader), "reader");
    start = seconds_now();
    must(ctx, tagma_events_check(ctx, reader, NULL, 0, &n_tiles, &n_faults), "check");
    printf("check: %llu tiles and chunks, %llu faults, %.1f ns/event\n", (unsigned long long)n_tiles,
           (unsigned long long)n_faults,
           (seconds_now() - start) / (double)tagma_events_n_entries(events) * 1e9);
    tagma_reader_free(reader);
}

/* Event ids to events. */
static void bench_find(tagma_ctx *ctx, tagma_events *events, int argc, char **argv)
{
    uint64_t n = tagma_events_n_entries(events), asked = number_option(argc, argv, "--n", 100000), entry;
    uint64_t(*ids)[TAGMA_MAX_ID_AXES] = malloc(asked * sizeof *ids);
    static uint8_t record[1 << 20];
    const tagma_index *index;
    tagma_record_plan *plan;
    tagma_reader *reader;
    double seconds[REPEATS];
    size_t found, needed;

    must(ctx, tg_store_index(ctx, events, &index), "index");
    for (uint64_t i = 0; i < asked; i++)
        must(ctx, tagma_index_coordinate(index, next_random() % n, ids[i]), "coordinate");
    must(ctx, tagma_reader_new(ctx, events, NULL, &reader), "reader");
    must(ctx, tagma_record_plan_new(ctx, tagma_events_schema(events), NULL, 0, &plan), "plan");
    for (int r = 0; r < REPEATS; r++) {
        double start = seconds_now();

        for (uint64_t i = 0; i < asked; i++) {
            must(ctx, tagma_index_find(index, ids[i], &entry, 1, &found), "find");
            must(ctx, tagma_read_event(ctx, reader, plan, entry, record, sizeof record, &needed), "event");
        }
        seconds[r] = seconds_now() - start;
    }
    print_times("event id to event", seconds, REPEATS, (double)asked);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    free(ids);
}

int main(int argc, char **argv)
{
    tagma_events *events;
    tagma_ctx *ctx;

    counts_cpu = number_option(argc, argv, "--cpu", 0);
    if (argc < 3)
        die("store_bench", "write IN OUT, or event|whole|scan|columns|open|check|find STORE");
    if (strcmp(argv[1], "write") == 0 && argc > 3) {
        write_store(argc, argv);
        return 0;
    }
    if (strcmp(argv[1], "open") == 0) {
        bench_open(argc, argv);
        return 0;
    }
    if (tagma_ctx_new(NULL, &ctx) < 0)
        die("ctx", "no memory");
    events = open_store(ctx, argv[2], io_of(argc, argv));
    if (strcmp(argv[1], "event") == 0)
        bench_events(ctx, events, argc, argv, false);
    else if (strcmp(argv[1], "whole") == 0)
        bench_events(ctx, events, argc, argv, true);
    else if (strcmp(argv[1], "scan") == 0)
        bench_columns(ctx, events, argc, argv);
    else if (strcmp(argv[1], "check") == 0)
        bench_check(ctx, events);
    else if (strcmp(argv[1], "find") == 0)
        bench_find(ctx, events, argc, argv);
    else
        die("store_bench", "no such command");
    tagma_events_release(events);
    tagma_ctx_free(ctx);
    return 0;
}
