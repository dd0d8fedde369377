/* SPDX-License-Identifier: Apache-2.0
 * Read a file of gen_special whole and compare every value with its formula. Time a cluster is told too. */
#include "closed_form.h"
#include "measure.h"

static const char *const names[] = {"run", "luminosityBlock", "event", "d", "x", "n", "a"};
enum { RUN, LUMI, EVENT, D, X, N, A, N_COLUMNS };

static void compare(int is_equal, const char *name, uint64_t entry)
{
    char words[100];
    if (is_equal)
        return;
    snprintf(words, sizeof words, "%s differs at entry %llu", name, (unsigned long long)entry);
    die("tagma_special", words);
}

/** Entry first + i of the batch against the formulas. */
static void check_entry(const tagma_batch_column *const *c, uint64_t first, uint64_t i)
{
    uint64_t entry = first + i;
    const float *x = (const float *)c[X]->values + 16 * i;
    uint32_t begin = c[A]->offsets[0][i], n = c[A]->offsets[0][i + 1] - begin;

    compare(((const uint32_t *)c[RUN]->values)[i] == closed_form_run(entry), "run", entry);
    compare(((const uint32_t *)c[LUMI]->values)[i] == closed_form_lumi(entry), "luminosityBlock", entry);
    compare(((const uint64_t *)c[EVENT]->values)[i] == closed_form_event(entry), "event", entry);
    compare(((const double *)c[D]->values)[i] == closed_form_d(entry), "d", entry);
    for (uint32_t k = 0; k < 16; k++)
        compare(x[k] == closed_form_x(entry, k), "x", entry);
    compare(((const int32_t *)c[N]->values)[i] == (int32_t)closed_form_n(entry), "n", entry);
    compare(n == closed_form_n(entry), "the length of a", entry);
    for (uint32_t k = 0; k < n; k++)
        compare(((const float *)c[A]->values)[begin + k] == closed_form_a(entry, k), "a", entry);
}

static double read_all(opened *o, uint64_t per_batch, int checks)
{
    const tagma_schema *schema = tagma_events_schema(o->events);
    uint64_t n_entries = tagma_events_n_entries(o->events);
    uint32_t columns[N_COLUMNS];
    double start = now_seconds();

    for (int i = 0; i < N_COLUMNS; i++)
        columns[i] = tagma_schema_find(schema, names[i]);
    for (uint64_t first = 0; first < n_entries; first += per_batch) {
        uint64_t n = n_entries - first < per_batch ? n_entries - first : per_batch;
        const tagma_batch_column *c[N_COLUMNS];
        tagma_batch *batch = NULL;

        must(o->ctx, tagma_read_columns(o->ctx, o->reader, first, n, columns, N_COLUMNS, &batch),
             "tagma_read_columns");
        for (uint32_t i = 0; i < N_COLUMNS; i++) {
            c[i] = tagma_batch_column_at(batch, i);
            compare(c[i]->status == TAGMA_COLUMN_GOOD, names[i], first);
        }
        for (uint64_t i = 0; checks && i < n; i++)
            check_entry(c, first, i);
        tagma_batch_free(batch);
    }
    return now_seconds() - start;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: tagma_special", "FILE [--batch ENTRIES] [--entries EXPECTED] [--io pread|mmap]");
    opened o = open_events(argv[1], 1, memory_option(argc, argv), io_option(argc, argv));
    tagma_events_info info = {.struct_bytes = sizeof info};
    uint64_t per_batch = number_option(argc, argv, "--batch", 10000);
    uint64_t expected = number_option(argc, argv, "--entries", tagma_events_n_entries(o.events));

    tagma_events_get_info(o.events, &info);
    if (info.n_entries != expected)
        die(argv[1], "has another number of entries than expected");
    double seconds = read_all(&o, per_batch, 0);
    read_all(&o, per_batch, 1);
    printf("{\"peer\": \"Tagma\", \"file\": \"%s\", \"events\": %llu, \"clusters\": %llu, \"condition\": %d, "
           "\"seconds\": %.9g, \"nanoseconds_a_cluster\": %.6g",
           argv[1], (unsigned long long)info.n_entries, (unsigned long long)info.n_clusters,
           (int)info.condition, seconds, 1e9 * (seconds + o.seconds) / (double)info.n_clusters);
    print_tail(&o);
    close_events(&o);
    return 0;
}
