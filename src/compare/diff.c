/* SPDX-License-Identifier: Apache-2.0
 * Any events against any others, aligned by event id or by entry. */
#include "compare/comparison.h"
#include "compare/pairing.h"
#include "event/events.h"
#include "event/schema.h"

enum { WINDOW_BYTES = 16 << 20 };

typedef struct diffing {
    tagma_comparison *to;
    tagma_reader *a, *b;
    tg_pairing pairing;
    uint64_t n_a, n_b;
    uint64_t *of_b; /* [window] */
    uint32_t *at_a;
    uint64_t capacity;
} diffing;

/* Name and type of a column, to be picked by; what either cannot read, neither can. */
static tagma_status unite_column(tagma_ctx *ctx, tagma_schema *both, const tagma_column *column,
                                 const tagma_column *other)
{
    tagma_column own = {.name = column->name,
                        .path = column->path,
                        .reason = column->reason,
                        .type = column->type,
                        .n_items = 1,
                        .collection = TAGMA_NONE};
    uint32_t number;

    if (!own.reason && other)
        own.reason = other->reason;
    return tg_schema_add_column(ctx, both, &own, &number);
}

/* The columns of a, then those of b only, as one schema. */
static tagma_status unite(tagma_ctx *ctx, const tagma_schema *a, const tagma_schema *b, tagma_schema *both)
{
    for (uint32_t c = 0; c < tagma_schema_n_columns(a); c++) {
        const tagma_column *it = tagma_schema_column(a, c);
        uint32_t other = tagma_schema_find(b, it->name);

        TG_TRY(unite_column(ctx, both, it, other == TAGMA_NONE ? NULL : tagma_schema_column(b, other)));
    }
    for (uint32_t c = 0; c < tagma_schema_n_columns(b); c++) {
        const tagma_column *it = tagma_schema_column(b, c);

        if (tagma_schema_find(a, it->name) == TAGMA_NONE)
            TG_TRY(unite_column(ctx, both, it, NULL));
    }
    return tg_schema_seal(ctx, both);
}

/* Which columns are compared, in the order of unite(): all, or those that are named. */
static tagma_status pick_columns(tagma_ctx *ctx, const tagma_schema *a, const tagma_schema *b,
                                 const char *globs, bool **out)
{
    tagma_schema *both;
    bool *picked = NULL;
    tagma_status st;

    *out = NULL;
    TG_TRY(tg_schema_new(ctx, &both));
    st = unite(ctx, a, b, both);
    if (st == TAGMA_OK) {
        picked = tg_zalloc(ctx, tagma_schema_n_columns(both), sizeof *picked);
        st = picked ? TAGMA_OK : TAGMA_E_MEMORY;
    }
    if (st == TAGMA_OK && globs)
        st = tg_schema_mark(ctx, both, globs, false, picked);
    for (uint32_t c = 0; st == TAGMA_OK && !globs && c < tagma_schema_n_columns(both); c++)
        picked[c] = true;
    tg_schema_free(both);
    if (st < 0)
        tg_free(ctx, picked);
    else
        *out = picked;
    return st;
}

static tagma_status add_picked(tagma_ctx *ctx, tagma_comparison *to, const tagma_schema *a,
                               const tagma_schema *b, const bool *picked)
{
    tg_compared *column;
    uint32_t at = 0;

    if (!picked)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < tagma_schema_n_columns(a); c++) {
        uint32_t other = tagma_schema_find(b, tagma_schema_column(a, c)->name);

        if (picked[at++])
            TG_TRY(tg_comparison_add(ctx, to, a, c, b, other, &column));
    }
    for (uint32_t c = 0; c < tagma_schema_n_columns(b); c++)
        if (tagma_schema_find(a, tagma_schema_column(b, c)->name) == TAGMA_NONE && picked[at++])
            TG_TRY(tg_comparison_add(ctx, to, a, TAGMA_NONE, b, c, &column));
    return tg_comparison_seal(ctx, to);
}

static tagma_status add_columns(tagma_ctx *ctx, tagma_comparison *to, const tagma_schema *a,
                                const tagma_schema *b, const char *globs)
{
    bool *picked;
    tagma_status st;

    TG_TRY(pick_columns(ctx, a, b, globs, &picked));
    st = add_picked(ctx, to, a, b, picked);
    tg_free(ctx, picked);
    return st;
}

static tagma_status make_room(tagma_ctx *ctx, diffing *d, uint64_t n)
{
    if (d->capacity >= n)
        return TAGMA_OK;
    tg_free(ctx, d->of_b);
    tg_free(ctx, d->at_a);
    d->of_b = tg_alloc(ctx, n, sizeof *d->of_b);
    d->at_a = tg_alloc(ctx, n, sizeof *d->at_a);
    d->capacity = d->of_b && d->at_a ? n : 0;
    return d->capacity ? TAGMA_OK : TAGMA_E_MEMORY;
}

/* Entries of a from `first` on that have one of b. */
static uint64_t match_window(diffing *d, uint64_t first, uint64_t n)
{
    uint64_t n_matched = 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t entry = first + i;
        uint64_t other = d->pairing.of_a ? d->pairing.of_a[entry] : entry < d->n_b ? entry : TG_UNPAIRED;

        if (other == TG_UNPAIRED)
            continue;
        d->at_a[n_matched] = (uint32_t)i;
        d->of_b[n_matched++] = other;
    }
    return n_matched;
}

static tagma_status compare_window(tagma_ctx *ctx, void *user, uint64_t first, uint64_t n, bool *has_counted)
{
    diffing *d = user;
    tagma_comparison *to = d->to;
    tg_step step = {.first_a = first};
    tagma_status st;

    TG_TRY(make_room(ctx, d, n));
    step.n = match_window(d, first, n);
    step.of_b = d->of_b;
    step.at_a = step.n == n ? NULL : d->at_a;
    if (step.n == 0 || to->n_pairs == 0) {
        to->info.n_events += step.n;
        return TAGMA_OK;
    }
    TG_TRY(tagma_read_columns(ctx, d->a, first, n, to->of_side[0], to->n_pairs, &step.a));
    st = tg_read_entries(ctx, d->b, d->of_b, step.n, to->of_side[1], to->n_pairs, &step.b);
    if (st == TAGMA_OK)
        st = tg_comparison_step(ctx, to, &step);
    *has_counted = st == TAGMA_OK; /* a step that fails has counted nothing */
    tagma_batch_free(step.b);
    tagma_batch_free(step.a);
    return st;
}

static void tell_alone(const diffing *d)
{
    for (uint64_t i = 0; i < d->n_a; i++)
        if (d->pairing.of_a ? d->pairing.of_a[i] == TG_UNPAIRED : i >= d->n_b)
            tg_comparison_only_one(d->to, 0, i, 0);
    for (uint64_t i = 0; i < d->n_b; i++)
        if (d->pairing.of_a ? (d->pairing.is_in_b[i / 8] >> (i % 8) & 1) == 0 : i >= d->n_a)
            tg_comparison_only_one(d->to, 1, i, 0);
}

static tagma_status new_reader(tagma_ctx *ctx, tagma_events *events, tagma_pool *pool, tagma_reader **out)
{
    tagma_reader_options options = TAGMA_READER_OPTIONS_INIT;

    options.pool = pool;
    options.cache_bytes = ctx->limits.max_memory / 8;
    return tagma_reader_new(ctx, events, &options, out);
}

static tagma_status diff(tagma_ctx *ctx, diffing *d, tagma_events *a, tagma_events *b,
                         const tagma_diff_options *options)
{
    uint64_t window, most;
    bool is_by_id = false;

    TG_TRY(add_columns(ctx, d->to, a->schema, b->schema, options->columns));
    TG_TRY(new_reader(ctx, a, options->pool, &d->a));
    TG_TRY(new_reader(ctx, b, options->pool, &d->b));
    if (!options->by_entry)
        TG_TRY(tg_pairing_by_id(ctx, d->a, d->b, &d->pairing, &is_by_id));
    d->to->info.alignment = is_by_id ? TAGMA_BY_ID : TAGMA_BY_ENTRY;
    d->n_a = a->info.n_entries;
    d->n_b = b->info.n_entries;
    /* What is scattered in b is read in long windows, so that hardly a basket is unpacked twice. */
    most = ctx->limits.max_memory / 8;
    if (!d->pairing.is_scattered && most > WINDOW_BYTES)
        most = WINDOW_BYTES;
    window = most / tg_events_entry_bytes(a, d->to->of_side[0], d->to->n_pairs) + 1;
    TG_TRY(tg_compare_windows(ctx, "compare", d->n_a, window, compare_window, d));
    TG_TRY(tagma_events_unchanged(ctx, a));
    TG_TRY(tagma_events_unchanged(ctx, b));
    tell_alone(d);
    tg_comparison_end(d->to);
    return TAGMA_OK;
}

tagma_status tagma_diff(tagma_ctx *ctx, tagma_events *a, tagma_events *b, const tagma_diff_options *options,
                        tagma_comparison **out)
{
    static const tagma_diff_options defaults = TAGMA_DIFF_OPTIONS_INIT;
    diffing d = {.to = NULL};
    tagma_status st;

    *out = NULL;
    if (!options)
        options = &defaults;
    if (options->struct_bytes != sizeof *options)
        return tg_fail(ctx, TAGMA_E_ARG, "diff options of %zu bytes, this version knows %zu",
                       options->struct_bytes, sizeof *options);
    if (!(options->relative >= 0))
        return tg_fail(ctx, TAGMA_E_ARG, "a relative tolerance is 0 or more");
    TG_TRY(tg_comparison_new(ctx, &d.to));
    d.to->tolerance = (tg_tolerance){options->ulp, options->relative};
    st = diff(ctx, &d, a, b, options);
    tg_pairing_free(ctx, &d.pairing);
    tagma_reader_free(d.a);
    tagma_reader_free(d.b);
    tg_free(ctx, d.of_b);
    tg_free(ctx, d.at_a);
    if (st < 0)
        tagma_comparison_free(d.to);
    else
        *out = d.to;
    return st;
}
