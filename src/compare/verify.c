/* SPDX-License-Identifier: Apache-2.0
 * A store against the files it was made of. */
#include <inttypes.h>
#include <string.h>

#include "compare/comparison.h"
#include "compare/sourceset.h"
#include "event/events.h"
#include "index/idnames.h"
#include "store/store.h"

enum { WINDOW_BYTES = 16 << 20 };

typedef struct verifying {
    tagma_comparison *to;
    tagma_events *store;
    tagma_reader *reader;
    tg_provenance provenance;
    void *provenance_block;
    tagma_origins *origins;
    tg_source_set sources;
    const char **names;                /* [n_pairs] */
    uint32_t *hot_pairs, *hot_columns; /* those with a copy in the columns section */
    uint32_t n_hot;
    const tagma_index *index;
    tagma_ids ids;
    /* Of a window. */
    uint64_t capacity;
    uint32_t *source_of, *at_a;
    uint64_t *entry_of, *of_b;
    uint64_t *axes, *found;
    uint32_t *counts;
} verifying;

/* What the store says of a column that it does not hold; NULL: nothing. */
static const tg_provenance_absent *find_absent(const verifying *v, const char *name)
{
    for (uint32_t i = 0; i < v->provenance.n_absents; i++) {
        const tg_provenance_absent *it = &v->provenance.absents[i];

        if ((it->kind == TAGMA_ABSENT_COLUMN || it->kind == TAGMA_ABSENT_UNSUPPORTED) &&
            strcmp(it->name, name) == 0)
            return it;
    }
    return NULL;
}

static tagma_status add_store_column(tagma_ctx *ctx, verifying *v, const tagma_schema *source, uint32_t c)
{
    const tagma_column *own = tagma_schema_column(v->store->schema, c);
    uint32_t other = tagma_schema_find(source, own->name);
    const tagma_column *its = other == TAGMA_NONE ? NULL : tagma_schema_column(source, other);
    tg_compared *column;

    TG_TRY(tg_comparison_add(ctx, v->to, v->store->schema, c, source, other, &column));
    if (tg_store_of(v->store)->header.layout == TG_LAYOUT_FIXED && its && !its->reason && its->n_lists > 0 &&
        own->n_lists == 0 && its->type == own->type && its->n_items == own->n_items) {
        column->is_leading = true;
        column->told.relation = TAGMA_COMPARED;
    }
    return TAGMA_OK;
}

static tagma_status add_columns(tagma_ctx *ctx, verifying *v, const tagma_schema *source)
{
    const tagma_schema *own = v->store->schema;
    tg_compared *column;

    for (uint32_t c = 0; c < tagma_schema_n_columns(own); c++)
        TG_TRY(add_store_column(ctx, v, source, c));
    for (uint32_t c = 0; c < tagma_schema_n_columns(source); c++) {
        const char *name = tagma_schema_column(source, c)->name;
        const tg_provenance_absent *absent;

        if (tagma_schema_find(own, name) != TAGMA_NONE)
            continue;
        TG_TRY(tg_comparison_add(ctx, v->to, own, TAGMA_NONE, source, c, &column));
        absent = find_absent(v, name);
        column->told.relation = absent ? TAGMA_LEFT_OUT : TAGMA_ONLY_B;
        if (absent)
            column->told.words = absent->kind == TAGMA_ABSENT_COLUMN ? "as asked" : "cannot be read";
    }
    return tg_comparison_seal(ctx, v->to);
}

static tagma_status choose_columns(tagma_ctx *ctx, verifying *v)
{
    const tg_source_file *first;

    TG_TRY(tg_source_set_open(ctx, &v->sources, 0, &first));
    TG_TRY(add_columns(ctx, v, first->events->schema));
    v->names = tg_alloc(ctx, v->to->n_pairs, sizeof *v->names);
    v->hot_pairs = tg_alloc(ctx, v->to->n_pairs, sizeof *v->hot_pairs);
    v->hot_columns = tg_alloc(ctx, v->to->n_pairs, sizeof *v->hot_columns);
    if (!v->names || !v->hot_pairs || !v->hot_columns)
        return TAGMA_E_MEMORY;
    for (uint32_t p = 0; p < v->to->n_pairs; p++) {
        bool is_hot;

        v->names[p] = v->to->columns[v->to->pairs[p]].told.name;
        TG_TRY(tg_store_is_hot(ctx, v->reader, v->to->of_side[0][p], &is_hot));
        v->hot_pairs[v->n_hot] = p;
        v->hot_columns[v->n_hot] = v->to->of_side[0][p];
        v->n_hot += is_hot;
    }
    return tg_source_set_columns(ctx, &v->sources, v->names, v->to->n_pairs);
}

static void drop_window(tagma_ctx *ctx, verifying *v)
{
    tg_free(ctx, v->source_of);
    tg_free(ctx, v->at_a);
    tg_free(ctx, v->entry_of);
    tg_free(ctx, v->of_b);
    tg_free(ctx, v->axes);
    tg_free(ctx, v->found);
    tg_free(ctx, v->counts);
    v->source_of = v->at_a = v->counts = NULL;
    v->entry_of = v->of_b = v->axes = v->found = NULL;
    v->capacity = 0;
}

static tagma_status make_room(tagma_ctx *ctx, verifying *v, uint64_t n)
{
    if (n <= v->capacity)
        return TAGMA_OK;
    drop_window(ctx, v);
    v->source_of = tg_alloc(ctx, n, sizeof *v->source_of);
    v->at_a = tg_alloc(ctx, n, sizeof *v->at_a);
    v->entry_of = tg_alloc(ctx, n, sizeof *v->entry_of);
    v->of_b = tg_alloc(ctx, n, sizeof *v->of_b);
    v->axes = tg_alloc(ctx, n, 2 * TAGMA_MAX_ID_AXES * sizeof *v->axes);
    v->found = tg_alloc(ctx, n, sizeof *v->found);
    v->counts = tg_alloc(ctx, n, sizeof *v->counts);
    if (!v->source_of || !v->at_a || !v->entry_of || !v->of_b || !v->axes || !v->found || !v->counts)
        return TAGMA_E_MEMORY;
    v->capacity = n;
    return TAGMA_OK;
}

/* Where row `row` comes from; *source is TAGMA_NONE where the sources have no such entry. */
static tagma_status trace_row(tagma_ctx *ctx, const verifying *v, uint64_t row, uint32_t *source,
                              uint64_t *entry)
{
    tagma_status st = tagma_origins_at(v->origins, row, source, entry);

    if (st < 0)
        return tg_fail(ctx, st, "%s: entry %" PRIu64 " has no origin", v->store->info.file, row);
    if (*source >= v->sources.n || *entry >= v->sources.at[*source].n_entries)
        *source = TAGMA_NONE;
    return TAGMA_OK;
}

/* Each entry of the sources is one row of the store: no fewer, no more. */
static tagma_status match_rows(tagma_ctx *ctx, verifying *v)
{
    uint8_t *is_seen = tg_zalloc(ctx, v->sources.n_entries / 8 + 1, 1);
    tagma_status st = is_seen ? TAGMA_OK : TAGMA_E_MEMORY;

    for (uint64_t row = 0; st == TAGMA_OK && row < v->store->info.n_entries; row++) {
        uint32_t source;
        uint64_t entry;

        st = trace_row(ctx, v, row, &source, &entry);
        if (st == TAGMA_OK && source != TAGMA_NONE) {
            uint64_t at = v->sources.at[source].first + entry;
            bool is_again = (is_seen[at / 8] >> (at % 8) & 1) != 0;

            is_seen[at / 8] |= (uint8_t)(1U << (at % 8));
            if (!is_again)
                continue;
        }
        tg_comparison_only_one(v->to, 0, row, 0);
    }
    for (uint32_t s = 0; st == TAGMA_OK && s < v->sources.n; s++)
        for (uint64_t i = 0, at = v->sources.at[s].first; i < v->sources.at[s].n_entries; i++, at++)
            if ((is_seen[at / 8] >> (at % 8) & 1) == 0)
                tg_comparison_only_one(v->to, 1, i, s);
    tg_free(ctx, is_seen);
    return st;
}

/* Rows of one source: those from `from` on that are of its source and not done. */
static tagma_status compare_part(tagma_ctx *ctx, verifying *v, tagma_batch *tiles, tagma_batch *chunks,
                                 uint64_t first, uint64_t n, uint64_t from, bool *has_counted)
{
    tg_step step = {.a = tiles, .copies = chunks, .first_a = first, .of_b = v->of_b};
    const tg_source_file *source;
    tagma_status st;

    step.pairs = v->hot_pairs;
    step.n_copies = v->n_hot;
    step.source = v->source_of[from];
    for (uint64_t i = from; i < n; i++)
        if (v->source_of[i] == step.source) {
            v->at_a[step.n] = (uint32_t)i;
            v->of_b[step.n++] = v->entry_of[i];
            v->source_of[i] = i == from ? step.source : TAGMA_NONE;
        }
    v->source_of[from] = TAGMA_NONE;
    step.at_a = step.n == n ? NULL : v->at_a;
    TG_TRY(tg_source_set_open(ctx, &v->sources, step.source, &source));
    TG_TRY(tg_read_entries(ctx, source->reader, v->of_b, step.n, source->columns, v->to->n_pairs, &step.b));
    *has_counted = true;
    st = tg_comparison_step(ctx, v->to, &step);
    tagma_batch_free(step.b);
    return st;
}

static tagma_status compare_window(tagma_ctx *ctx, verifying *v, uint64_t first, uint64_t n,
                                   bool *has_counted)
{
    tagma_batch *tiles = NULL, *chunks = NULL;
    tagma_status st;

    tg_store_read_from(v->reader, TG_FROM_TILES);
    st = tagma_read_columns(ctx, v->reader, first, n, v->to->of_side[0], v->to->n_pairs, &tiles);
    tg_store_read_from(v->reader, TG_FROM_CHUNKS);
    if (st == TAGMA_OK && v->n_hot > 0)
        st = tagma_read_columns(ctx, v->reader, first, n, v->hot_columns, v->n_hot, &chunks);
    tg_store_read_from(v->reader, TG_FROM_EITHER);
    for (uint64_t i = 0; st == TAGMA_OK && i < n; i++)
        st = trace_row(ctx, v, first + i, &v->source_of[i], &v->entry_of[i]);
    for (uint64_t i = 0; st == TAGMA_OK && i < n; i++)
        if (v->source_of[i] != TAGMA_NONE)
            st = compare_part(ctx, v, tiles, chunks, first, n, i, has_counted);
    tagma_batch_free(chunks);
    tagma_batch_free(tiles);
    return st;
}

/* Among the entries of ranks first to first + n - 1, which ascend? */
static bool holds(const tagma_index *index, uint64_t first, uint64_t n, uint64_t entry)
{
    while (n > 0) {
        uint64_t half = n / 2, at;

        tagma_index_entries(index, first + half, 1, &at);
        if (at == entry)
            return true;
        if (at < entry) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return false;
}

/* Does the index find each row of a window by its id? */
static tagma_status look_up_window(tagma_ctx *ctx, verifying *v, uint64_t first, uint64_t n)
{
    tagma_batch *batch;
    uint64_t *axis = v->axes + TAGMA_MAX_ID_AXES * n;
    tagma_status st;

    if (!v->index)
        return TAGMA_OK;
    TG_TRY(tagma_read_columns(ctx, v->reader, first, n, v->ids.columns, v->ids.n_axes, &batch));
    st = TAGMA_OK;
    for (uint32_t a = 0; st == TAGMA_OK && a < v->ids.n_axes; a++) {
        st = tg_ids_values(ctx, tagma_schema_column(v->store->schema, v->ids.columns[a])->name, batch, a,
                           first, axis);
        for (uint64_t i = 0; i < n; i++)
            v->axes[i * v->ids.n_axes + a] = axis[i];
    }
    tagma_batch_free(batch);
    TG_TRY(st);
    tagma_index_find_many(v->index, v->axes, n, v->found, v->counts);
    for (uint64_t i = 0; i < n; i++)
        if (!holds(v->index, v->found[i], v->counts[i], first + i)) {
            if (v->to->info.n_unfound++ == 0)
                v->to->info.first_unfound = first + i;
        }
    return TAGMA_OK;
}

static tagma_status verify_window(tagma_ctx *ctx, void *user, uint64_t first, uint64_t n, bool *has_counted)
{
    verifying *v = user;

    TG_TRY(make_room(ctx, v, n));
    if (v->to->n_pairs > 0)
        TG_TRY(compare_window(ctx, v, first, n, has_counted));
    *has_counted = true;
    return look_up_window(ctx, v, first, n);
}

/* The index of the store and the columns it is made of, whatever ids the sources are said to have. */
static tagma_status find_index(tagma_ctx *ctx, verifying *v)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_status st = tg_store_index(ctx, v->store, &v->index);

    v->to->info.has_index = st == TAGMA_OK;
    if (st != TAGMA_OK)
        return st;
    tagma_index_get_info(v->index, &info);
    v->ids.n_axes = info.n_axes;
    for (uint32_t a = 0; a < info.n_axes; a++) {
        v->ids.columns[a] = tagma_schema_find(v->store->schema, info.names[a]);
        if (v->ids.columns[a] == TAGMA_NONE)
            return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: its index is made of branch %s, which it has not",
                           v->store->info.file, info.names[a]);
    }
    return TAGMA_OK;
}

static tagma_status begin(tagma_ctx *ctx, verifying *v, const tagma_convert_input *sources, uint32_t n,
                          const tagma_verify_options *options)
{
    tagma_reader_options reading = TAGMA_READER_OPTIONS_INIT;

    TG_TRY(tg_store_provenance(ctx, v->store, &v->provenance, &v->provenance_block));
    if (n != v->provenance.n_sources)
        return tg_fail(ctx, TAGMA_E_ARG, "%s was made of %u file%s, %u given; name them in the same order",
                       v->store->info.file, v->provenance.n_sources, v->provenance.n_sources == 1 ? "" : "s",
                       n);
    TG_TRY(tagma_origins_new(ctx, v->store, &v->origins));
    reading.pool = options->pool;
    TG_TRY(tagma_reader_new(ctx, v->store, &reading, &v->reader));
    TG_TRY(tg_source_set_new(ctx, sources, n, &v->provenance, options, &v->sources));
    TG_TRY(choose_columns(ctx, v));
    TG_TRY(match_rows(ctx, v));
    return find_index(ctx, v);
}

static tagma_status verify(tagma_ctx *ctx, verifying *v, const tagma_convert_input *sources, uint32_t n,
                           const tagma_verify_options *options)
{
    uint64_t most = ctx->limits.max_memory / 16, window, n_parts, n_faults;

    v->to->info.alignment = TAGMA_BY_ORIGIN;
    TG_TRY(begin(ctx, v, sources, n, options));
    TG_TRY(tagma_events_check(ctx, v->reader, NULL, 0, &n_parts, &n_faults));
    window = (most < WINDOW_BYTES ? most : WINDOW_BYTES) /
                 tg_events_entry_bytes(v->store, v->to->of_side[0], v->to->n_pairs) +
             1;
    TG_TRY(tg_compare_windows(ctx, "verify", v->store->info.n_entries, window, verify_window, v));
    TG_TRY(tg_source_set_unchanged(ctx, &v->sources));
    TG_TRY(tagma_events_unchanged(ctx, v->store));
    v->to->info.n_damaged += n_faults;
    tg_comparison_end(v->to);
    return TAGMA_OK;
}

tagma_status tagma_verify(tagma_ctx *ctx, tagma_events *store, const tagma_convert_input *sources,
                          uint32_t n_sources, const tagma_verify_options *options, tagma_comparison **out)
{
    static const tagma_verify_options defaults = TAGMA_VERIFY_OPTIONS_INIT;
    verifying v = {.store = store};
    tagma_status st;

    *out = NULL;
    if (!options)
        options = &defaults;
    if (options->struct_bytes != sizeof *options)
        return tg_fail(ctx, TAGMA_E_ARG, "verify options of %zu bytes, this version knows %zu",
                       options->struct_bytes, sizeof *options);
    if (!tg_events_are_store(store))
        return tg_fail(ctx, TAGMA_E_ARG, "%s is no store; diff compares any two files", store->info.file);
    TG_TRY(tg_comparison_new(ctx, &v.to));
    st = verify(ctx, &v, sources, n_sources, options);
    drop_window(ctx, &v);
    tg_source_set_free(ctx, &v.sources);
    tagma_reader_free(v.reader);
    tagma_origins_free(v.origins);
    tg_free(ctx, v.provenance_block);
    tg_free(ctx, v.names);
    tg_free(ctx, v.hot_pairs);
    tg_free(ctx, v.hot_columns);
    if (st < 0)
        tagma_comparison_free(v.to);
    else
        *out = v.to;
    return st;
}
