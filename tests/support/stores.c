/* SPDX-License-Identifier: Apache-2.0
 * Stores of made-up events. */
#include "support/stores.h"

#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "open/openfile.h"

/* Ids whose event numbers are out of order and now and then the same. */
static tagma_status make_index(tagma_ctx *ctx, uint64_t n, tagma_index **out)
{
    uint64_t *values = malloc(2 * (n + 1) * sizeof *values);
    tagma_index_input input = {2, {false, false}, {"run", "event"}, {values, values + n + 1}, n};
    tagma_status st;

    if (!values)
        abort();
    for (uint64_t i = 0; i < n; i++) {
        values[i] = 273158 + i % 3;
        values[n + 1 + i] = i * 7919 % 1000;
    }
    st = tagma_index_new(ctx, &input, out);
    free(values);
    return st;
}

static tagma_status write_all(const test_synth *synth, tg_store_writer *writer, uint64_t n, uint64_t step,
                              bool has_index, tg_store_summary *summary)
{
    tagma_index *index = NULL;
    tagma_status st;

    for (uint64_t at = 0; at < n; at += step) {
        tagma_batch *batch = test_synth_batch(synth, at, NULL, n - at < step ? n - at : step, NULL, 0);

        st = tg_store_writer_append(synth->ctx, writer, batch, at, NULL);
        if (st < 0)
            return st;
    }
    if (has_index) {
        st = make_index(synth->ctx, n, &index);
        if (st < 0)
            return st;
    }
    st = tg_store_writer_finish(synth->ctx, writer, index, summary);
    tagma_index_release(index);
    return st;
}

tagma_status test_store_write(const test_synth *synth, const char *path, uint64_t n, uint64_t step,
                              bool has_index, const tg_store_options *options, tg_store_summary *summary)
{
    static const tg_provenance_source sources[] = {{"x.root", "6ad1-77", "dir/Events", 3, 1000, 100000},
                                                   {"y.root", "", "dir/Events", 1, 2000, 5}};
    static const tg_provenance_absent absents[] = {{0, TAGMA_ABSENT_TREE, "Runs", "TTree", 12},
                                                   {1, TAGMA_ABSENT_UNSUPPORTED, "cov", "a matrix", 0}};
    static const tg_provenance provenance = {.tree = "dir/Events",
                                             .title = "made up",
                                             .cycle = 3,
                                             .producer = "test",
                                             .options = "--tile 8",
                                             .sources = sources,
                                             .absents = absents,
                                             .n_sources = 2,
                                             .n_absents = 2};
    tg_store_writer *writer;
    tagma_status st = tg_store_writer_new(synth->ctx, path, synth->schema, &provenance, options, &writer);

    if (st == TAGMA_OK)
        st = write_all(synth, writer, n, step, has_index, summary);
    tg_store_writer_free(synth->ctx, writer);
    return st;
}

tagma_status test_store_open(tagma_ctx *ctx, const char *path, tagma_io io, tagma_events **out)
{
    tagma_source *source, *inner;
    tagma_status st = tagma_source_open(ctx, path, io, &source);
    bool is_store;

    *out = NULL;
    if (st < 0)
        return st;
    st = tg_source_look(ctx, source, &inner, &is_store);
    if (st == TAGMA_OK)
        st = tg_store_open(ctx, inner, NULL, out);
    tagma_source_release(inner);
    tagma_source_release(source);
    return st;
}
