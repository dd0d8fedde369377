/* SPDX-License-Identifier: Apache-2.0
 * A cut over two columns and a histogram of one, as an analysis writes it with tagma_read_columns. */
#include "cut.h"
#include "measure.h"

static const char usage[] =
    "FILE [--passes N] [--batch ENTRIES] [--io pread|mmap]\n"
    "MET_pt > 100 && nMuon >= 1. seconds: the best pass; bins: underflow, bins, overflow.";

typedef struct result {
    uint64_t passed, bins[CUT_BINS + 2];
} result;

static int bin_of(double x)
{
    if (x < CUT_LOW)
        return 0;
    return x >= CUT_HIGH ? CUT_BINS + 1 : 1 + (int)(CUT_BINS * (x - CUT_LOW) / (CUT_HIGH - CUT_LOW));
}

static void cut(opened *o, const uint32_t columns[2], uint64_t per_batch, result *r)
{
    uint64_t n_entries = tagma_events_n_entries(o->events);

    memset(r, 0, sizeof *r);
    for (uint64_t first = 0; first < n_entries; first += per_batch) {
        uint64_t n = n_entries - first < per_batch ? n_entries - first : per_batch;
        tagma_batch *batch = NULL;
        const float *met;
        const uint32_t *n_muons;

        must(o->ctx, tagma_read_columns(o->ctx, o->reader, first, n, columns, 2, &batch),
             "tagma_read_columns");
        met = tagma_batch_column_at(batch, 0)->values;
        n_muons = tagma_batch_column_at(batch, 1)->values;
        for (uint64_t i = 0; i < n; i++) {
            if (!passes_cut(met[i], n_muons[i]))
                continue;
            r->passed++;
            r->bins[bin_of((double)met[i])]++;
        }
        tagma_batch_free(batch);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: tagma_cut", usage);
    opened o = open_events(argv[1], 1, memory_option(argc, argv), io_option(argc, argv));
    const tagma_schema *schema = tagma_events_schema(o.events);
    uint32_t columns[2] = {tagma_schema_find(schema, "MET_pt"), tagma_schema_find(schema, "nMuon")};
    double best = 0, first = 0;
    result r;

    if (columns[0] == TAGMA_NONE || columns[1] == TAGMA_NONE ||
        tagma_schema_column(schema, columns[0])->type != TAGMA_F32 ||
        tagma_schema_column(schema, columns[1])->type != TAGMA_U32)
        die(argv[1], "must have MET_pt as f32 and nMuon as u32");
    o.n_passes = number_option(argc, argv, "--passes", 1);
    for (uint64_t pass = 0; pass < o.n_passes; pass++) {
        double start = now_seconds(), seconds;

        cut(&o, columns, number_option(argc, argv, "--batch", 8192), &r);
        seconds = now_seconds() - start;
        first = pass == 0 ? seconds : first;
        best = pass == 0 || seconds < best ? seconds : best;
    }
    printf("{\"peer\": \"Tagma cut\", \"file\": \"%s\", \"seconds\": %.9g, \"first_seconds\": %.9g, "
           "\"passed\": %llu, "
           "\"bins\": \"",
           argv[1], best, first, (unsigned long long)r.passed);
    for (int i = 0; i < CUT_BINS + 2; i++)
        printf("%s%llu", i ? "," : "", (unsigned long long)r.bins[i]);
    printf("\"");
    print_tail(&o);
    close_events(&o);
    return 0;
}
