/* SPDX-License-Identifier: Apache-2.0
 * Tagma's index: time to build it beyond reading the id columns, its bytes, and look-up by one thread, by two threads on
 * one index and by two on two copies. Every id must be found with all its entries, every absent neighbour absent. */
#include "measure.h"

#include <pthread.h>

enum { N_AXES = 3 };

typedef struct ids {
    uint64_t *axes; /* [n][3], by entry */
    size_t n;
} ids;

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void *must_alloc(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block)
        die("tagma_index", "no memory");
    return block;
}

/** The id columns as the reader gives them, widened. */
static ids read_ids(opened *o, uint64_t *columns_out[N_AXES])
{
    uint64_t n = tagma_events_n_entries(o->events);
    tagma_ids found;
    tagma_batch *batch = NULL;
    ids all = {must_alloc((size_t)n * N_AXES * sizeof(uint64_t)), (size_t)n};

    must(o->ctx, tagma_events_ids(o->ctx, o->events, &found), "tagma_events_ids");
    if (found.n_axes != N_AXES)
        die("tagma_index", "the file must have run, luminosityBlock and event");
    must(o->ctx, tagma_read_columns(o->ctx, o->reader, 0, n, found.columns, N_AXES, &batch),
         "tagma_read_columns");
    for (uint32_t a = 0; a < N_AXES; a++) {
        const tagma_batch_column *c = tagma_batch_column_at(batch, a);
        columns_out[a] = must_alloc((size_t)n * sizeof(uint64_t));
        for (size_t i = 0; i < n; i++) {
            uint64_t value =
                c->type == TAGMA_U64 ? ((const uint64_t *)c->values)[i] : ((const uint32_t *)c->values)[i];
            columns_out[a][i] = value;
            all.axes[N_AXES * i + a] = value;
        }
    }
    tagma_batch_free(batch);
    return all;
}

static void shuffle(ids *all)
{
    uint64_t state = 7;
    for (size_t i = all->n; i > 1; i--) {
        size_t j = (size_t)(next_random(&state) % i);
        uint64_t held[N_AXES];
        memcpy(held, &all->axes[N_AXES * (i - 1)], sizeof held);
        memcpy(&all->axes[N_AXES * (i - 1)], &all->axes[N_AXES * j], sizeof held);
        memcpy(&all->axes[N_AXES * j], held, sizeof held);
    }
}

/** Each entry's id leads back to that entry, and to as many entries as the index says have it. */
static void check_all(const tagma_index *index, const ids *by_entry)
{
    uint64_t n_lookups = 0;
    for (size_t i = 0; i < by_entry->n; i++) {
        uint64_t entries[64];
        size_t n, k = 0;
        if (tagma_index_find(index, &by_entry->axes[N_AXES * i], entries, 64, &n) != TAGMA_OK || n > 64)
            die("tagma_index", "an id was not found");
        while (k < n && entries[k] != i)
            k++;
        if (k == n)
            die("tagma_index", "an id did not lead to its entry");
        n_lookups += entries[0] == i ? n : 0; /* counted once a distinct id */
    }
    if (n_lookups != by_entry->n)
        die("tagma_index", "the ids do not lead to all entries");
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    for (int i = 0; i < N_AXES; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/** Event number plus one: absent unless the sorted ids have it. */
static uint64_t check_neighbours(const tagma_index *index, const ids *all)
{
    uint64_t *sorted = must_alloc(all->n * N_AXES * sizeof *sorted), n_absent = 0;
    memcpy(sorted, all->axes, all->n * N_AXES * sizeof *sorted);
    qsort(sorted, all->n, N_AXES * sizeof *sorted, compare_ids);
    for (size_t i = 0; i < all->n; i++) {
        uint64_t id[N_AXES], entry;
        size_t n;
        memcpy(id, &sorted[N_AXES * i], sizeof id);
        id[N_AXES - 1]++;
        int is_there = bsearch(id, sorted, all->n, sizeof id, compare_ids) != NULL;
        tagma_status status = tagma_index_find(index, id, &entry, 1, &n);
        if (status != (is_there ? TAGMA_OK : TAGMA_ABSENT))
            die("tagma_index", "a neighbour that no entry has was found, or one that has was not");
        n_absent += !is_there;
    }
    free(sorted);
    return n_absent;
}

typedef struct lookup {
    const tagma_index *index;
    const ids *all;
    double seconds, cpu;
    uint64_t n_found;
} lookup;

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *look_up(void *user)
{
    lookup *work = user;
    double start = now_seconds(), cpu_start = thread_seconds();
    for (size_t i = 0; i < work->all->n; i++) {
        uint64_t entry;
        size_t n;
        work->n_found +=
            tagma_index_find(work->index, &work->all->axes[N_AXES * i], &entry, 1, &n) == TAGMA_OK;
    }
    work->seconds = now_seconds() - start;
    work->cpu = thread_seconds() - cpu_start;
    return NULL;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

typedef struct best {
    double seconds, cpu;
} best;

static void keep_best(best *least, double seconds, double cpu)
{
    least->seconds = smaller(least->seconds, seconds);
    least->cpu = smaller(least->cpu, cpu);
}

/** Two threads at once, on these indexes; the slower one counts. */
static void look_up_twice(const tagma_index *a, const tagma_index *b, const ids *all, best *least)
{
    lookup work[2] = {{.index = a, .all = all}, {.index = b, .all = all}};
    pthread_t thread;

    if (pthread_create(&thread, NULL, look_up, &work[1]) != 0)
        die("tagma_index", "no thread");
    look_up(&work[0]);
    pthread_join(thread, NULL);
    keep_best(least, larger(work[0].seconds, work[1].seconds), larger(work[0].cpu, work[1].cpu));
}

static void look_up_many(const tagma_index *index, const ids *all, best *least)
{
    uint64_t *first = must_alloc(all->n * sizeof *first);
    uint32_t *count = must_alloc(all->n * sizeof *count);
    double start = now_seconds(), cpu_start = thread_seconds();

    tagma_index_find_many(index, all->axes, all->n, first, count);
    keep_best(least, now_seconds() - start, thread_seconds() - cpu_start);
    for (size_t i = 0; i < all->n; i++)
        if (count[i] == 0)
            die("tagma_index", "an id was not found among many");
    free(first);
    free(count);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: tagma_index", "FILE [--rounds N]");
    opened o = open_events(argv[1], 1, memory_option(argc, argv) * 4, TAGMA_IO_PREAD);
    uint64_t *columns[N_AXES];
    double start = now_seconds();
    ids all = read_ids(&o, columns);
    double read_seconds = now_seconds() - start;
    tagma_index *index = NULL, *one = NULL, *other = NULL;
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_index_input input = {
        .n_axes = N_AXES, .names = {"run", "luminosityBlock", "event"}, .n_entries = all.n};

    start = now_seconds();
    must(o.ctx, tagma_events_build_index(o.ctx, o.reader, &index), "tagma_events_build_index");
    double whole_seconds = now_seconds() - start;
    memcpy(input.values, columns, sizeof columns);
    start = now_seconds();
    must(o.ctx, tagma_index_new(o.ctx, &input, &one), "tagma_index_new");
    double build_seconds = now_seconds() - start;
    must(o.ctx, tagma_index_new(o.ctx, &input, &other), "tagma_index_new");
    tagma_index_get_info(index, &info);
    check_all(index, &all);
    uint64_t n_absent = check_neighbours(index, &all);

    shuffle(&all);
    best alone = {1e9, 1e9}, many = alone, shared = alone, apart = alone;
    for (uint64_t i = 0; i < number_option(argc, argv, "--rounds", 5); i++) {
        lookup work = {.index = index, .all = &all};
        look_up(&work);
        keep_best(&alone, work.seconds, work.cpu);
        look_up_many(index, &all, &many);
        look_up_twice(one, one, &all, &shared);
        look_up_twice(one, other, &all, &apart);
    }
    printf("{\"peer\": \"Tagma index\", \"file\": \"%s\", \"events\": %zu, \"seconds\": %.9g, "
           "\"read_seconds\": %.9g, "
           "\"build_seconds\": %.9g, \"read_and_build_seconds\": %.9g, \"nanoseconds_each\": %.6g, "
           "\"cpu_nanoseconds_each\": %.6g, \"nanoseconds_of_many\": %.6g, \"cpu_shared_over_copies\": %.6g, "
           "\"bytes_an_event\": %.6g, \"ids\": %llu, \"absent\": %llu, \"shared_over_copies\": %.6g, "
           "\"shared_nanoseconds\": %.6g",
           argv[1], all.n, alone.seconds, read_seconds, build_seconds, whole_seconds,
           1e9 * alone.seconds / (double)all.n, 1e9 * alone.cpu / (double)all.n,
           1e9 * many.seconds / (double)all.n, shared.cpu / apart.cpu, (double)info.bytes / (double)all.n,
           (unsigned long long)info.n_ids, (unsigned long long)n_absent, shared.seconds / apart.seconds,
           1e9 * shared.seconds / (double)all.n);
    print_tail(&o);
    tagma_index_release(index);
    tagma_index_release(one);
    tagma_index_release(other);
    for (int a = 0; a < N_AXES; a++)
        free(columns[a]);
    free(all.axes);
    close_events(&o);
    return 0;
}
