/* SPDX-License-Identifier: Apache-2.0
 * Tagma reading columns, or all of them, from the first entry to the last. */
#include "measure.h"

static const char usage[] =
    "FILE [--columns GLOBS] [--threads N] [--batch ENTRIES] [--mode batches|check] [--io pread|mmap] "
    "[--max-memory BYTES]\n"
    "Without --columns: every supported one. A sum of the columns' values is told only when they are named.";

static double sum_of(const tagma_batch_column *c)
{
    double sum = 0;
    for (uint64_t i = 0; i < c->n_values; i++) {
        switch (c->type) {
        case TAGMA_F32:
            sum += (double)((const float *)c->values)[i];
            break;
        case TAGMA_F64:
            sum += ((const double *)c->values)[i];
            break;
        case TAGMA_U32:
            sum += (double)((const uint32_t *)c->values)[i];
            break;
        case TAGMA_I32:
            sum += (double)((const int32_t *)c->values)[i];
            break;
        default:
            die("tagma_scan", "a sum is for f32, f64, u32 and i32");
        }
    }
    return sum;
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
    double start = now_seconds(), sum = 0;

    if (checks) {
        uint64_t n_baskets, n_faults;
        must(o.ctx, tagma_events_check(o.ctx, o.reader, columns, (uint32_t)n_columns, &n_baskets, &n_faults),
             "tagma_events_check");
        if (n_faults > 0)
            die(argv[1], "faults");
    } else {
        sum = read_batches(&o, columns, n_columns, number_option(argc, argv, "--batch", 10000));
    }
    printf("{\"peer\": \"Tagma %s\", \"file\": \"%s\", \"events\": %llu, \"seconds\": %.9g, \"sum\": %.9g",
           checks ? "check" : "read_columns", argv[1], (unsigned long long)tagma_events_n_entries(o.events),
           now_seconds() - start, sum);
    print_tail(&o);
    free(columns);
    close_events(&o);
    return 0;
}
