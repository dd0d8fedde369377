/* SPDX-License-Identifier: Apache-2.0
 * Tagma delivering whole events one by one, all columns at their natural width: by a list, or all of them in order;
 * by entry, or by event id; by one thread, or by two on the same events. */
#include "digest.h"
#include "measure.h"

#include <pthread.h>

static const char usage[] =
    "FILE [--list ENTRIES.txt] [--limit N] [--repeat N] [--order asked|sorted] [--ids 1] [--threads 1|2] "
    "[--passes N] [--check N] [--io pread|mmap]\n"
    "Without --list: every entry in order. --repeat: the list N times, end to end. --ids: event ids are "
    "looked up.\n"
    "seconds: the best pass; first_seconds: the first, which reads the tables, too; mean_seconds: of all "
    "passes.\n"
    "--check: a digest of the first N events of the list, not timed.";

enum { RECORD_BYTES = 1 << 22 };

typedef struct work {
    tagma_events *events;
    const tagma_index *index;                 /* NULL: by entry */
    const uint64_t (*ids)[TAGMA_MAX_ID_AXES]; /* [n] */
    const uint64_t *entries;                  /* [n] */
    uint64_t n, n_passes;
    double best, first, total, cpu;
    uint64_t record_bytes;
    tagma_reader_stats stats;
    pthread_barrier_t *barrier; /* NULL for one thread */
} work;

static int compare_entries(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void *must_alloc(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block)
        die("tagma_event", "no memory");
    return block;
}

static uint64_t *read_entries(const char *path, uint64_t *n)
{
    uint64_t *entries = NULL, capacity = 0;
    unsigned long long entry;
    FILE *file = fopen(path, "r");

    if (!file)
        die("tagma_event: cannot read", path);
    for (*n = 0; fscanf(file, "%llu", &entry) == 1; entries[(*n)++] = entry) {
        if (*n < capacity)
            continue;
        capacity = capacity ? 2 * capacity : 4096;
        entries = realloc(entries, capacity * sizeof *entries);
        if (!entries)
            die("tagma_event", "no memory");
    }
    fclose(file);
    return entries;
}

/** What the options ask for, in the order of delivery. */
static uint64_t *asked_entries(int argc, char **argv, uint64_t n_all, uint64_t *n)
{
    const char *path = option(argc, argv, "--list", NULL);
    uint64_t *entries, repeat = number_option(argc, argv, "--repeat", 1);

    *n = n_all;
    entries = path ? read_entries(path, n) : must_alloc(n_all * sizeof *entries);
    for (uint64_t i = 0; !path && i < n_all; i++)
        entries[i] = i;
    if (number_option(argc, argv, "--limit", *n) < *n)
        *n = number_option(argc, argv, "--limit", *n);
    if (repeat > 1) {
        entries = realloc(entries, repeat * *n * sizeof *entries);
        if (!entries)
            die("tagma_event", "no memory");
        for (uint64_t r = 1; r < repeat; r++)
            memcpy(entries + r * *n, entries, *n * sizeof *entries);
        *n *= repeat;
    }
    if (strcmp(option(argc, argv, "--order", "asked"), "sorted") == 0)
        qsort(entries, *n, sizeof *entries, compare_entries);
    return entries;
}

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** One pass: each event as a record, one after the other in the same memory. */
static uint64_t deliver(tagma_ctx *ctx, tagma_reader *reader, const tagma_record_plan *plan, const work *w,
                        void *record)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < w->n; i++) {
        uint64_t entry = w->index ? 0 : w->entries[i];
        size_t found, needed;

        if (w->index && (tagma_index_find(w->index, w->ids[i], &entry, 1, &found) != TAGMA_OK || found != 1 ||
                         entry != w->entries[i]))
            die("tagma_event", "an id did not lead to its entry");
        must(ctx, tagma_read_event(ctx, reader, plan, entry, record, RECORD_BYTES, &needed),
             "tagma_read_event");
        bytes += needed;
    }
    return bytes;
}

static void *run(void *user)
{
    work *w = user;
    void *record = must_alloc(RECORD_BYTES);
    tagma_record_plan *plan;
    tagma_reader *reader;
    tagma_ctx *ctx;
    double cpu_start = thread_seconds();

    if (tagma_ctx_new(NULL, &ctx) < 0)
        die("tagma_ctx_new", "no memory");
    must(ctx, tagma_reader_new(ctx, w->events, NULL, &reader), "tagma_reader_new");
    must(ctx, tagma_record_plan_new(ctx, tagma_events_schema(w->events), NULL, 0, &plan),
         "tagma_record_plan_new");
    if (w->barrier)
        pthread_barrier_wait(w->barrier);
    for (uint64_t pass = 0; pass < w->n_passes; pass++) {
        double start = now_seconds(), seconds;

        w->record_bytes = deliver(ctx, reader, plan, w, record);
        seconds = now_seconds() - start;
        w->first = pass == 0 ? seconds : w->first;
        w->best = pass == 0 || seconds < w->best ? seconds : w->best;
        w->total += seconds;
    }
    w->cpu = thread_seconds() - cpu_start;
    w->stats.struct_bytes = sizeof w->stats;
    tagma_reader_get_stats(reader, &w->stats);
    tagma_record_plan_free(plan);
    tagma_reader_free(reader);
    tagma_ctx_free(ctx);
    free(record);
    return NULL;
}

/** Digest and bytes of all values of the first n_check events. */
static uint64_t digest(opened *o, const work *w, uint64_t n_check, uint64_t *value_bytes)
{
    const tagma_schema *schema = tagma_events_schema(o->events);
    void *record = must_alloc(RECORD_BYTES);
    tagma_record_plan *plan;
    uint64_t sum = 0;

    must(o->ctx, tagma_record_plan_new(o->ctx, schema, NULL, 0, &plan), "tagma_record_plan_new");
    for (uint64_t i = 0; i < n_check && i < w->n; i++) {
        must(o->ctx, tagma_read_event(o->ctx, o->reader, plan, w->entries[i], record, RECORD_BYTES, NULL),
             "tagma_read_event");
        for (uint32_t c = 0; c < tagma_record_plan_n_columns(plan); c++) {
            size_t width = tagma_type_bytes(tagma_schema_column(schema, c)->type);
            tagma_record_value value;

            must(o->ctx, tagma_record_column(plan, record, c, &value), "tagma_record_column");
            if (value.status != TAGMA_COLUMN_GOOD)
                die("tagma_event", "a column is not good");
            sum += digest_of_values(value.values, value.n_values, width);
            *value_bytes += value.n_values * width;
        }
    }
    tagma_record_plan_free(plan);
    free(record);
    return sum;
}

/** The index of a store, or one that is built; and the ids that lead to the entries. */
static tagma_index *look_up_ids(opened *o, work *w)
{
    uint64_t n_all = tagma_events_n_entries(o->events), *ranks = must_alloc(n_all * sizeof *ranks);
    uint64_t(*ids)[TAGMA_MAX_ID_AXES] = must_alloc(w->n * sizeof *ids);
    tagma_index *built = NULL;

    must(o->ctx, tagma_events_index(o->ctx, o->events, &w->index), "tagma_events_index");
    if (!w->index) {
        must(o->ctx, tagma_events_build_index(o->ctx, o->reader, &built), "tagma_events_build_index");
        w->index = built;
    }
    for (uint64_t rank = 0; rank < n_all; rank++) {
        uint64_t entry;
        tagma_index_entries(w->index, rank, 1, &entry);
        ranks[entry] = rank;
    }
    for (uint64_t i = 0; i < w->n; i++)
        must(o->ctx, tagma_index_coordinate(w->index, ranks[w->entries[i]], ids[i]),
             "tagma_index_coordinate");
    free(ranks);
    w->ids = (const uint64_t(*)[TAGMA_MAX_ID_AXES])ids;
    return built;
}

/** Two at most. The second thread's list begins in the middle of the first's. */
static void run_threads(work *w, uint64_t n_threads, uint64_t *shifted)
{
    pthread_barrier_t barrier;
    pthread_t thread;
    work other;

    if (n_threads < 2) {
        run(w);
        return;
    }
    memcpy(shifted, w->entries + w->n / 2, (w->n - w->n / 2) * sizeof *shifted);
    memcpy(shifted + (w->n - w->n / 2), w->entries, w->n / 2 * sizeof *shifted);
    pthread_barrier_init(&barrier, NULL, 2);
    w->barrier = &barrier;
    other = *w;
    if (!w->index)
        other.entries = shifted;
    if (pthread_create(&thread, NULL, run, &other) != 0)
        die("tagma_event", "no thread");
    run(w);
    pthread_join(thread, NULL);
    w->total = other.total > w->total ? other.total : w->total;
    w->best = other.best > w->best ? other.best : w->best;
    w->cpu += other.cpu;
    pthread_barrier_destroy(&barrier);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: tagma_event", usage);
    opened o = open_events(argv[1], 1, memory_option(argc, argv), io_option(argc, argv));
    uint64_t threads = number_option(argc, argv, "--threads", 1), value_bytes = 0, sum;
    work w = {.events = o.events, .n_passes = number_option(argc, argv, "--passes", 3)};
    uint64_t *entries = asked_entries(argc, argv, tagma_events_n_entries(o.events), &w.n);
    uint64_t *shifted = must_alloc((w.n + 1) * sizeof *shifted);
    tagma_index *built = NULL;

    w.entries = entries;
    sum = digest(&o, &w, number_option(argc, argv, "--check", 0), &value_bytes);
    if (number_option(argc, argv, "--ids", 0))
        built = look_up_ids(&o, &w);
    run_threads(&w, threads, shifted);
    printf("{\"peer\": \"Tagma read_event\", \"file\": \"%s\", \"events\": %llu, \"threads\": %llu, "
           "\"seconds\": %.9g, "
           "\"first_seconds\": %.9g, \"mean_seconds\": %.9g, \"record_bytes\": %llu, \"requests\": %.9g, "
           "\"bytes\": %.9g, \"digest\": \"%s\", \"check_value_bytes\": %llu, \"cpu_seconds\": %.9g, "
           "\"open_seconds\": %.9g, \"ctx_peak_bytes\": %llu, \"peak_rss_bytes\": %llu}\n",
           argv[1], (unsigned long long)w.n, (unsigned long long)threads, w.best, w.first,
           w.total / (double)w.n_passes, (unsigned long long)w.record_bytes,
           (double)w.stats.io.requests / (double)w.n_passes,
           (double)w.stats.io.bytes_read / (double)w.n_passes, digest_text(sum),
           (unsigned long long)value_bytes, w.cpu / (double)w.n_passes, o.seconds,
           (unsigned long long)tagma_ctx_peak_memory(o.ctx), (unsigned long long)peak_rss_bytes());
    tagma_index_release(built);
    free((void *)w.ids);
    free(shifted);
    free(entries);
    close_events(&o);
    return 0;
}
