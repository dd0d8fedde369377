/* SPDX-License-Identifier: Apache-2.0
 * The index alone: bytes an event, time to build, time to look up; two threads on one index beside two threads on two.
 * index_bench [EVENTS [RUNS [EVENT_BITS [LUMI_MIN LUMI_MAX [SPAN]]]]]: seeded, prints minimum and median of the repetitions.
 * LUMI_MIN to LUMI_MAX events a luminosity block; with SPAN their numbers lie in a window of the block's own, else anywhere.
 * Links with the static library alone. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tagma/index.h>

enum { REPEATS = 7 };

typedef struct sample {
    uint64_t n, runs, bits, lumi_min, lumi_max, span;
    uint64_t *axes[3];
    uint64_t *queries; /* [n][3] in random order */
} sample;

static uint64_t state = 1;
static uint64_t next_random(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *take(size_t n)
{
    void *block = malloc(n);

    if (!block) {
        fprintf(stderr, "index_bench: no memory\n");
        exit(2);
    }
    return block;
}

static uint64_t event_of(const sample *s, uint64_t lumi)
{
    if (s->span > 0)
        return (lumi - 1) * s->span + 1 + next_random() % s->span;
    return 1 + (next_random() >> (64 - s->bits));
}

/* Runs with gaps, luminosity blocks with holes, sparse event numbers, one id in a hundred repeated, all shuffled. */
static void make_sample(sample *s)
{
    uint64_t i = 0, run = 273000, n_lumis = 0;

    for (int a = 0; a < 3; a++)
        s->axes[a] = take(s->n * sizeof(uint64_t));
    for (uint64_t r = 0; r < s->runs; r++) {
        uint64_t end = s->n * (r + 1) / s->runs, lumi = 0;

        run += 1 + next_random() % 500;
        while (i < end) {
            uint64_t size = s->lumi_min + next_random() % (s->lumi_max - s->lumi_min + 1);

            lumi += 1 + next_random() % 3;
            n_lumis++;
            for (uint64_t k = 0; k < size && i < end; k++, i++) {
                s->axes[0][i] = run;
                s->axes[1][i] = lumi;
                s->axes[2][i] = event_of(s, lumi);
                if (k > 0 && next_random() % 100 == 0)
                    s->axes[2][i] = s->axes[2][i - 1];
            }
        }
    }
    for (i = s->n; i > 1; i--) {
        uint64_t j = next_random() % i;
        for (int a = 0; a < 3; a++) {
            uint64_t t = s->axes[a][i - 1];
            s->axes[a][i - 1] = s->axes[a][j];
            s->axes[a][j] = t;
        }
    }
    s->queries = take(s->n * 3 * sizeof(uint64_t));
    for (i = 0; i < s->n; i++) {
        uint64_t j = next_random() % s->n;
        for (int a = 0; a < 3; a++)
            s->queries[3 * i + (uint64_t)a] = s->axes[a][j];
    }
    printf("%llu events, %llu runs, %llu luminosity blocks, event numbers of %llu bits, shuffled\n",
           (unsigned long long)s->n, (unsigned long long)s->runs, (unsigned long long)n_lumis,
           (unsigned long long)s->bits);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *what, double *times, double scale, const char *unit)
{
    qsort(times, REPEATS, sizeof *times, by_value);
    printf("%-42s %8.2f (median %.2f) %s\n", what, times[0] * scale, times[REPEATS / 2] * scale, unit);
}

typedef struct looking {
    const tagma_index *index;
    const sample *sample;
    uint64_t found;
} looking;

static void *look_up(void *arg)
{
    looking *l = arg;
    uint64_t entries[4], sum = 0;
    size_t n;

    for (uint64_t i = 0; i < l->sample->n; i++)
        if (tagma_index_find(l->index, l->sample->queries + 3 * i, entries, 4, &n) == TAGMA_OK)
            sum += n;
    l->found = sum;
    return NULL;
}

static double two_threads(const tagma_index *a, const tagma_index *b, const sample *s)
{
    looking l[2] = {{a, s, 0}, {b, s, 0}};
    pthread_t thread;
    double begin = now();

    if (pthread_create(&thread, NULL, look_up, &l[1]) != 0)
        exit(2);
    look_up(&l[0]);
    pthread_join(thread, NULL);
    return now() - begin;
}

static void must(tagma_ctx *ctx, tagma_status st)
{
    if (st < 0) {
        fprintf(stderr, "index_bench: %s\n", tagma_ctx_message(ctx));
        exit(2);
    }
}

static void measure_look_up(const sample *s, tagma_index *const index[2])
{
    uint64_t *first = take(s->n * sizeof *first);
    uint32_t *count = take(s->n * sizeof *count);
    double one[REPEATS], many[REPEATS], shared[REPEATS], apart[REPEATS];
    looking l = {index[0], s, 0};

    for (int i = 0; i < REPEATS; i++) {
        double begin = now();

        look_up(&l);
        one[i] = now() - begin;
        begin = now();
        tagma_index_find_many(index[0], s->queries, s->n, first, count);
        many[i] = now() - begin;
        shared[i] = two_threads(index[0], index[0], s);
        apart[i] = two_threads(index[0], index[1], s);
    }
    printf("%llu entries found for %llu ids\n", (unsigned long long)l.found, (unsigned long long)s->n);
    tell("look-up, one by one, random order", one, 1e9 / (double)s->n, "ns/id");
    tell("look-up, many at once, random order", many, 1e9 / (double)s->n, "ns/id");
    tell("two threads, one index", shared, 1e9 / (double)s->n, "ns/id of each");
    tell("two threads, an index each", apart, 1e9 / (double)s->n, "ns/id of each");
    free(first);
    free(count);
}

/* 100,000 ids that give run and event, and as many that give the event alone: one walk over the index. */
static void measure_match(tagma_ctx *ctx, const sample *s, const tagma_index *index)
{
    static const uint8_t kinds[] = {5, 4};
    size_t n = s->n < 100000 ? (size_t)s->n : 100000;
    uint8_t *given = take(n);

    for (int kind = 0; kind < 2; kind++) {
        double times[REPEATS];

        memset(given, kinds[kind], n);
        for (int i = 0; i < REPEATS; i++) {
            tagma_matches matches;
            double begin = now();

            must(ctx, tagma_index_match(ctx, index, s->queries, given, n, &matches));
            times[i] = now() - begin;
            tagma_matches_free(ctx, &matches);
        }
        tell(kind == 0 ? "100,000 ids of run and event" : "100,000 ids of event alone", times, 1e3, "ms");
    }
    free(given);
}

int main(int argc, char **argv)
{
    sample s = {2300000, 38, 33, 20, 2000, 0, {NULL}, NULL};
    uint64_t *const options[] = {&s.n, &s.runs, &s.bits, &s.lumi_min, &s.lumi_max, &s.span};
    tagma_index_input input = {.n_axes = 3, .names = {"run", "luminosityBlock", "event"}};
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_index *index[2] = {NULL, NULL};
    double build[REPEATS];
    tagma_ctx *ctx;

    for (int i = 1; i < argc && i <= 6; i++)
        *options[i - 1] = strtoull(argv[i], NULL, 10);
    if (tagma_ctx_new(NULL, &ctx) < 0)
        return 2;
    make_sample(&s);
    input.n_entries = s.n;
    for (int a = 0; a < 3; a++)
        input.values[a] = s.axes[a];
    for (int i = 0; i < REPEATS; i++) {
        double begin = now();

        tagma_index_release(index[i % 2]);
        must(ctx, tagma_index_new(ctx, &input, &index[i % 2]));
        build[i] = now() - begin;
    }
    tagma_index_get_info(index[0], &info);
    printf("%-42s %8.2f B/event\n", "section", (double)info.bytes / (double)s.n);
    printf("%-42s %8.2f B/event\n", "peak memory of building, two indexes alive",
           (double)tagma_ctx_peak_memory(ctx) / (double)s.n);
    tell("build", build, 1e3, "ms");
    measure_look_up(&s, index);
    measure_match(ctx, &s, index[0]);
    tagma_index_release(index[0]);
    tagma_index_release(index[1]);
    for (int a = 0; a < 3; a++)
        free(s.axes[a]);
    free(s.queries);
    tagma_ctx_free(ctx);
    return 0;
}
