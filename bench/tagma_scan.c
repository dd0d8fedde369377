/* SPDX-License-Identifier: Apache-2.0
 * Tagma reading columns, or all of them, from the first entry to the last. */
#include "measure.h"

static const char usage[] =
    "FILE [--columns GLOBS] [--threads N] [--batch ENTRIES] [--passes N] [--mode batches|check] [--io "
    "pread|mmap] [--max-memory BYTES]\n"
    "Without --columns: every supported one. A sum of the columns' values is told only when they are named.\n"
    "seconds: the best pass; first_seconds: the first.";

static double sum_of_bools(const tagma_batch_column *c)
{
    const uint8_t *values = c->values;
    uint64_t n = 0, bits;

    if (!c->is_bits) {
        for (uint64_t i = 0; i < c->n_values; i++)
            n += values[i];
        return (double)n;
    }
    for (uint64_t i = 0; i < c->n_values; i += 64) {
        uint64_t left = c->n_values - i;
        bits = 0;
        memcpy(&bits, values + i / 8, left < 64 ? (left + 7) / 8 : 8);
        n += (uint64_t)__builtin_popcountll(left < 64 ? bits & ((UINT64_C(1) << left) - 1) : bits);
    }
    return (double)n;
}

/* Several sums beside each other: one alone waits for each addition, and would be all that is measured. */
static double sum_of_f32(const float *values, uint64_t n)
{
    double sums[8] = {0};
    uint64_t i = 0;

    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += (double)values[i + (uint64_t)k];
    for (; i < n; i++)
        sums[0] += (double)values[i];
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

static double sum_of_f64(const double *values, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static double sum_of_u32(const uint32_t *values, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += values[i];
    return (double)sum;
}

static double sum_of_i32(const int32_t *values, uint64_t n)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += values[i];
    return (double)sum;
}

static double sum_of(const tagma_batch_column *c)
{
    switch (c->type) {
    case TAGMA_BOOL:
        return sum_of_bools(c);
    case TAGMA_F32:
        return sum_of_f32(c->values, c->n_values);
    case TAGMA_F64:
        return sum_of_f64(c->values, c->n_values);
    case TAGMA_U32:
        return sum_of_u32(c->values, c->n_values);
    case TAGMA_I32:
        return sum_of_i32(c->values, c->n_values);
    default:
        die("tagma_scan", "a sum is for bool, f32, f64, u32 and i32");
    }
    return 0;
}

/** Columns by name; NULL with n = 0 for all. */
static uint32_t *select_columns(opened *o, const char *globs, size_t *n)
{
    const tagma_schema *schema = tagma_events_schema(o->events);
    size_t capacity = tagma_schema_n_columns(schema);
    uint32_t *columns = malloc(capacity * sizeof *columns);

    *n = 0;
    if (!globs || !columns) {
        free(columns);
        return NULL;
    }
    must(o->ctx, tagma_schema_select(o->ctx, schema, globs, columns, capacity, n), globs);
    return columns;
}

/** @return the sum of all values where columns are named. */
static double read_batches(opened *o, const uint32_t *columns, size_t n_columns, uint64_t per_batch)
{
    uint64_t n_entries = tagma_events_n_entries(o->events);
    double sum = 0;

    for (uint64_t first = 0; first < n_entries; first += per_batch) {
        uint64_t n = n_entries - first < per_batch ? n_entries - first : per_batch;
        tagma_batch *batch = NULL;

        must(o->ctx, tagma_read_columns(o->ctx, o->reader, first, n, columns, (uint32_t)n_columns, &batch),
             "tagma_read_columns");
        for (uint32_t i = 0; columns && i < tagma_batch_n_columns(batch); i++)
            sum += sum_of(tagma_batch_column_at(batch, i));
        tagma_batch_free(batch);
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: tagma_scan", usage);
    opened o = open_events(argv[1], number_option(argc, argv, "--threads", 1), memory_option(argc, argv),
                           io_option(argc, argv));
    size_t n_columns;
    uint32_t *columns = select_columns(&o, option(argc, argv, "--columns", NULL), &n_columns);
    int checks = strcmp(option(argc, argv, "--mode", "batches"), "check") == 0;
    double start = now_seconds(), first = 0, best = 0, sum = 0;

    if (checks) {
        uint64_t n_baskets, n_faults;
        must(o.ctx, tagma_events_check(o.ctx, o.reader, columns, (uint32_t)n_columns, &n_baskets, &n_faults),
             "tagma_events_check");
        if (n_faults > 0)
            die(argv[1], "faults");
        first = best = now_seconds() - start;
    }
    o.n_passes = checks ? 1 : number_option(argc, argv, "--passes", 1);
    for (uint64_t pass = 0; !checks && pass < o.n_passes; pass++) {
        start = now_seconds();
        sum = read_batches(&o, columns, n_columns, number_option(argc, argv, "--batch", 10000));
        double seconds = now_seconds() - start;
        first = pass == 0 ? seconds : first;
        best = pass == 0 || seconds < best ? seconds : best;
    }
    printf("{\"peer\": \"Tagma %s\", \"file\": \"%s\", \"events\": %llu, \"seconds\": %.9g, "
           "\"first_seconds\": %.9g, \"sum\": %.15g",
           checks ? "check" : "read_columns", argv[1], (unsigned long long)tagma_events_n_entries(o.events),
           best, first, sum);
    print_tail(&o);
    free(columns);
    close_events(&o);
    return 0;
}
