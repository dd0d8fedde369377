/* SPDX-License-Identifier: Apache-2.0
 * A cut and a histogram over batches of columns: MET_pt of the events with at least one muon, 20 bins of 10 GeV.
 *   histogram FILE */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tagma/tagma.h>

enum { N_BINS = 20, BIN_WIDTH = 10, BATCH = 50000 };

/* One batch of MET_pt (f32) and nMuon (u32 or i32). */
static void fill(const tagma_batch *batch, uint64_t *bins)
{
    const float *met = tagma_batch_column_at(batch, 0)->values;
    const uint32_t *n_muon = tagma_batch_column_at(batch, 1)->values;

    for (uint64_t i = 0; i < tagma_batch_n_entries(batch); i++)
        if (n_muon[i] >= 1 && met[i] >= 0 && met[i] < N_BINS * BIN_WIDTH)
            bins[(unsigned)met[i] / BIN_WIDTH]++;
}

/* A column's values are read as what they are: its type is looked at before. */
static tagma_status find(const char *path, const tagma_schema *schema, const char *name, const char *types,
                         uint32_t *out)
{
    *out = tagma_schema_find(schema, name);
    if (*out != TAGMA_NONE && tagma_schema_column(schema, *out)->reason == NULL &&
        strstr(types, tagma_type_name(tagma_schema_column(schema, *out)->type)) != NULL)
        return TAGMA_OK;
    fprintf(stderr, "histogram: %s has no branch %s of type %s\n", path, name, types);
    return TAGMA_E_NAME;
}

static tagma_status run(tagma_ctx *ctx, const char *path, uint64_t *bins)
{
    tagma_events *events = NULL;
    tagma_reader *reader = NULL;
    uint32_t columns[2];
    uint64_t n_entries = 0;
    tagma_status st = tagma_open(ctx, path, NULL, &events);

    if (st == TAGMA_OK) {
        const tagma_schema *schema = tagma_events_schema(events);

        st = find(path, schema, "MET_pt", "f32", &columns[0]);
        if (st == TAGMA_OK)
            st = find(path, schema, "nMuon", "u32 i32", &columns[1]);
    }
    if (st == TAGMA_OK) {
        n_entries = tagma_events_n_entries(events);
        st = tagma_reader_new(ctx, events, NULL, &reader);
    }
    for (uint64_t first = 0; st == TAGMA_OK && first < n_entries; first += BATCH) {
        uint64_t n = n_entries - first < BATCH ? n_entries - first : BATCH;
        tagma_batch *batch;

        st = tagma_read_columns(ctx, reader, first, n, columns, 2, &batch);
        if (st == TAGMA_OK)
            fill(batch, bins);
        tagma_batch_free(batch);
    }
    tagma_reader_free(reader);
    tagma_events_release(events);
    return st;
}

int main(int argc, char **argv)
{
    uint64_t bins[N_BINS] = {0};
    tagma_ctx *ctx;
    tagma_status st;

    if (argc != 2) {
        fprintf(stderr, "usage: histogram FILE\n");
        return 2;
    }
    if (tagma_ctx_new(NULL, &ctx) < 0)
        return 2;
    st = run(ctx, argv[1], bins);
    if (st < 0 && *tagma_ctx_message(ctx) != '\0')
        fprintf(stderr, "histogram: %s\n", tagma_ctx_message(ctx));
    for (int i = 0; st == TAGMA_OK && i < N_BINS; i++)
        printf("%3d GeV %8" PRIu64 "\n", i * BIN_WIDTH, bins[i]);
    tagma_ctx_free(ctx);
    return st < 0 ? 2 : 0;
}
