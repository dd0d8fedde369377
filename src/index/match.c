/* SPDX-License-Identifier: Apache-2.0
 * Entries of many ids of any depth. Ids with all axes, or the leading ones, are looked up. The others ("event", "run:event") are
 * put into a table of what is asked, and one walk over the index asks it about every coordinate. */
#include <stdlib.h>
#include <tagma/index.h>

#include "index/idwalk.h"

enum { N_MASKS = 1 << TAGMA_MAX_ID_AXES };
#define NO_CLASS UINT32_MAX

/* What one id matches: ranks first to first + count - 1; or, for an id that was walked for, places in `walked`. */
typedef struct match {
    uint64_t first, count;
    uint32_t class; /* equal ids that are walked for share one; NO_CLASS for one that is looked up */
    bool is_whole;  /* one coordinate: its entries ascend already */
} match;

/* An entry found by the walk, and for whom. */
typedef struct found {
    uint64_t entry;
    uint32_t class;
} found;

/* The ids that give one set of axes: an open table of their classes. */
typedef struct asked {
    uint64_t n_ids;
    uint32_t *slots; /* [mask + 1]: class, or NO_CLASS */
    uint64_t mask;
} asked;

typedef struct matching {
    tagma_ctx *ctx;
    const tagma_index *index;
    const uint64_t *axes; /* [n][n_axes] */
    const uint8_t *given;
    size_t n;
    match *matches;    /* [n] */
    uint64_t *example; /* [n_classes] an id of each class */
    uint64_t *counts;  /* [n_classes + 1] entries of each class, then where they begin in `walked` */
    uint32_t n_classes;
    asked tables[N_MASKS];
    uint32_t walked_for[N_MASKS]; /* [n_walked_for] masks that have a table */
    uint32_t n_walked_for;
    found *found;
    uint64_t n_found, found_capacity;
    uint64_t *walked; /* [n_found] entries by class, ascending in each */
} matching;

static uint8_t given_of(const matching *m, size_t i)
{
    return m->given[i] & (uint8_t)((1U << m->index->n_axes) - 1);
}

/* Axes 0 to depth - 1 are given and no other? */
static bool is_prefix(uint8_t given, uint32_t *depth)
{
    *depth = (uint32_t)__builtin_ctz(~(uint32_t)given);
    return given >> *depth == 0;
}

static const uint64_t *id_at(const matching *m, uint64_t i)
{
    return m->axes + i * m->index->n_axes;
}

/* Ranks of all coordinates that begin with the first `depth` axes of an id. */
static void match_prefix(const tagma_index *index, const uint64_t *axes, uint32_t depth, match *out)
{
    uint64_t node = 0, first, end;

    out->count = 0;
    for (uint32_t axis = 0; axis < depth; axis++)
        if (tg_level_find(&index->levels[axis], node, axes[axis], &node) == 0)
            return;
    first = node;
    end = node + 1;
    for (uint32_t axis = depth; axis < index->n_axes; axis++) {
        if (index->levels[axis].n_nodes == 0)
            return;
        first = tg_level_node_start(&index->levels[axis], first);
        end = tg_level_node_start(&index->levels[axis], end);
    }
    out->first = first;
    out->count = end - first;
}

/* A run of ids that give all axes. */
static void match_whole(matching *m, size_t begin, size_t end)
{
    enum { PIECE = 256 };
    uint64_t first[PIECE];
    uint32_t count[PIECE];

    for (size_t at = begin; at < end; at += PIECE) {
        size_t n = end - at < PIECE ? end - at : PIECE;

        tagma_index_find_many(m->index, id_at(m, at), n, first, count);
        for (size_t i = 0; i < n; i++)
            m->matches[at + i] = (match){first[i], count[i], NO_CLASS, true};
    }
}

static void look_up(matching *m)
{
    for (size_t i = 0, end; i < m->n; i = end) {
        uint32_t depth;

        end = i + 1;
        m->matches[i] = (match){0, 0, NO_CLASS, false};
        if (!is_prefix(given_of(m, i), &depth)) {
            m->tables[given_of(m, i)].n_ids++;
        } else if (depth < m->index->n_axes) {
            match_prefix(m->index, id_at(m, i), depth, &m->matches[i]);
        } else {
            while (end < m->n && given_of(m, end) == given_of(m, i))
                end++;
            match_whole(m, i, end);
        }
    }
}

static uint64_t hash_of(const uint64_t *axes, uint32_t given)
{
    uint64_t h = given;

    for (uint32_t axis = 0; given >> axis > 0; axis++)
        if (given >> axis & 1) {
            h = (h ^ axes[axis]) * UINT64_C(0x9E3779B97F4A7C15);
            h ^= h >> 32;
        }
    return h;
}

static bool is_equal(const uint64_t *a, const uint64_t *b, uint32_t given)
{
    for (uint32_t axis = 0; given >> axis > 0; axis++)
        if (given >> axis & 1 && a[axis] != b[axis])
            return false;
    return true;
}

/* Where the class of an id stands in its table, or would. */
static uint32_t *slot_of(const matching *m, uint32_t given, const uint64_t *axes)
{
    const asked *table = &m->tables[given];
    uint64_t at = hash_of(axes, given) & table->mask;

    while (table->slots[at] != NO_CLASS && !is_equal(id_at(m, m->example[table->slots[at]]), axes, given))
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

/* Tables at most half full of what the walk will be asked. */
static tagma_status make_tables(matching *m)
{
    uint64_t n = 0;

    for (uint32_t given = 0; given < N_MASKS; given++) {
        asked *table = &m->tables[given];

        if (table->n_ids == 0)
            continue;
        n += table->n_ids;
        m->walked_for[m->n_walked_for++] = given;
        table->mask = ((uint64_t)2 << tg_width_of(table->n_ids)) - 1;
        table->slots = tg_alloc(m->ctx, table->mask + 1, sizeof *table->slots);
        if (!table->slots)
            return TAGMA_E_MEMORY;
        memset(table->slots, 0xff, (table->mask + 1) * sizeof *table->slots);
    }
    if (n == 0)
        return TAGMA_OK;
    if (n >= NO_CLASS)
        return tg_fail(m->ctx, TAGMA_E_LIMIT,
                       "%" PRIu64 " ids that do not name a run: fewer than 2^32 are possible", n);
    m->example = tg_alloc(m->ctx, n, sizeof *m->example);
    m->counts = tg_zalloc(m->ctx, n + 1, sizeof *m->counts);
    if (!m->example || !m->counts)
        return TAGMA_E_MEMORY;
    for (size_t i = 0; i < m->n; i++) {
        uint32_t *slot;

        if (!m->tables[given_of(m, i)].slots)
            continue;
        slot = slot_of(m, given_of(m, i), id_at(m, i));
        if (*slot == NO_CLASS) {
            m->example[m->n_classes] = i;
            *slot = m->n_classes++;
        }
        m->matches[i].class = *slot;
    }
    return TAGMA_OK;
}

static tagma_status keep(matching *m, uint32_t class, uint64_t entry)
{
    void *block = m->found;
    tagma_status st = tg_reserve(m->ctx, &block, &m->found_capacity, m->n_found + 1, sizeof *m->found);

    m->found = block;
    TG_TRY(st);
    m->found[m->n_found++] = (found){entry, class};
    m->counts[class]++;
    return TAGMA_OK;
}

static tagma_status walk_index(matching *m)
{
    enum { TELL_RANKS = 1 << 16 };
    tg_walk walk;

    tg_walk_begin(&walk, m->index);
    while (tg_walk_next(&walk)) {
        for (uint32_t i = 0; i < m->n_walked_for; i++) {
            uint32_t class = *slot_of(m, m->walked_for[i], walk.axes);

            if (class != NO_CLASS)
                TG_TRY(keep(m, class, tg_walk_entry(&walk)));
        }
        if (walk.rank % TELL_RANKS == 0)
            TG_TRY(tg_progress(m->ctx, "index", "events", walk.rank, m->index->n_entries));
    }
    return TAGMA_OK;
}

static int by_entry(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sort_entries(uint64_t *entries, uint64_t n)
{
    if (n > 1)
        qsort(entries, n, sizeof *entries, by_entry);
}

/* What the walk found, by class. */
static tagma_status gather(matching *m)
{
    uint64_t sum = 0;

    m->walked = tg_alloc(m->ctx, m->n_found, sizeof *m->walked);
    if (!m->walked)
        return TAGMA_E_MEMORY;
    for (uint32_t class = 0; class <= m->n_classes; class ++) {
        uint64_t n = m->counts[class];
        m->counts[class] = sum;
        sum += n;
    }
    for (uint64_t i = 0; i < m->n_found; i++)
        m->walked[m->counts[m->found[i].class]++] = m->found[i].entry;
    /* Each begin has moved to its end, which is the next one's begin. */
    for (uint32_t class = m->n_classes; class > 0; class --)
        m->counts[class] = m->counts[class - 1];
    m->counts[0] = 0;
    for (uint32_t class = 0; class < m->n_classes; class ++)
        sort_entries(m->walked + m->counts[class], m->counts[class + 1] - m->counts[class]);
    for (size_t i = 0; i < m->n; i++) {
        uint32_t class = m->matches[i].class;

        if (class != NO_CLASS) {
            m->matches[i].first = m->counts[class];
            m->matches[i].count = m->counts[class + 1] - m->counts[class];
        }
    }
    return TAGMA_OK;
}

static tagma_status deliver(const matching *m, tagma_matches *out)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        out->offsets[i] = n;
        if (!tg_add(n, m->matches[i].count, &n))
            return tg_fail(m->ctx, TAGMA_E_LIMIT, "more than 2^64 entries match");
    }
    out->offsets[m->n] = n;
    out->n = m->n;
    out->entries = tg_alloc(m->ctx, n, sizeof *out->entries);
    if (!out->entries)
        return TAGMA_E_MEMORY;
    for (size_t i = 0; i < m->n; i++) {
        const match *one = &m->matches[i];
        uint64_t *entries = out->entries + out->offsets[i];

        if (one->class != NO_CLASS) {
            if (one->count > 0)
                memcpy(entries, m->walked + one->first, one->count * sizeof *entries);
            continue;
        }
        tagma_index_entries(m->index, one->first, (size_t)one->count, entries);
        if (!one->is_whole)
            sort_entries(entries, one->count);
    }
    return TAGMA_OK;
}

static tagma_status match_all(matching *m, tagma_matches *out)
{
    m->matches = tg_alloc(m->ctx, m->n, sizeof *m->matches);
    out->offsets = tg_alloc(m->ctx, (uint64_t)m->n + 1, sizeof *out->offsets);
    if (!m->matches || !out->offsets)
        return TAGMA_E_MEMORY;
    look_up(m);
    TG_TRY(make_tables(m));
    if (m->n_walked_for > 0) {
        TG_TRY(walk_index(m));
        TG_TRY(gather(m));
    }
    return deliver(m, out);
}

tagma_status tagma_index_match(tagma_ctx *ctx, const tagma_index *index, const uint64_t *axes,
                               const uint8_t *given, size_t n, tagma_matches *out)
{
    matching m = {.ctx = ctx, .index = index, .axes = axes, .given = given, .n = n};
    tagma_status st;

    *out = (tagma_matches){NULL, NULL, 0};
    st = match_all(&m, out);
    tg_free(ctx, m.matches);
    tg_free(ctx, m.example);
    tg_free(ctx, m.counts);
    tg_free(ctx, m.found);
    tg_free(ctx, m.walked);
    for (uint32_t mask = 0; mask < N_MASKS; mask++)
        tg_free(ctx, m.tables[mask].slots);
    if (st < 0)
        tagma_matches_free(ctx, out);
    return st;
}

void tagma_matches_free(tagma_ctx *ctx, tagma_matches *matches)
{
    tg_free(ctx, matches->offsets);
    tg_free(ctx, matches->entries);
    *matches = (tagma_matches){NULL, NULL, 0};
}
