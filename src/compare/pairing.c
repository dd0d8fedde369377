/* SPDX-License-Identifier: Apache-2.0
 * Which entry of b belongs to which of a. */
#include "compare/pairing.h"

#include <inttypes.h>

#include "event/events.h"

/* A walk over an index in the order of coordinates. */
typedef struct walk {
    const tagma_index *index;
    tagma_index *own; /* NULL where the events hold it */
    tagma_index_info info;
    uint64_t rank;
    uint64_t axes[TAGMA_MAX_ID_AXES]; /* of rank, unless it is past the end */
} walk;

static tagma_status walk_new(tagma_ctx *ctx, tagma_reader *reader, walk *out, bool *has_ids)
{
    tagma_events *events = tagma_reader_events(reader);
    tagma_ids ids;
    tagma_status st = tagma_events_ids(ctx, events, &ids);

    *out = (walk){.info = {.struct_bytes = sizeof out->info}};
    *has_ids = st == TAGMA_OK;
    if (st < 0)
        return tg_within(ctx, st, "%s", events->info.file);
    if (st == TAGMA_ABSENT)
        return TAGMA_OK;
    st = tagma_events_index(ctx, events, &out->index);
    if (st == TAGMA_ABSENT) {
        TG_TRY(tagma_events_build_index(ctx, reader, &out->own));
        out->index = out->own;
    }
    if (st < 0)
        return st;
    tagma_index_get_info(out->index, &out->info);
    return TAGMA_OK;
}

static bool has_high_bit(const tagma_index_info *info, uint32_t axis)
{
    return info->n_entries > 0 && ((info->min[axis] | info->max[axis]) >> 63) != 0;
}

static tagma_status check_alike(tagma_ctx *ctx, const walk *a, const walk *b, const tagma_events *events_a,
                                const tagma_events *events_b)
{
    if (a->info.n_axes != b->info.n_axes)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "event ids of %s have %u numbers, of %s %u; name the columns with --ids A,B,C, or "
                       "compare --by entry",
                       events_a->info.file, a->info.n_axes, events_b->info.file, b->info.n_axes);
    for (uint32_t i = 0; i < a->info.n_axes; i++)
        if (a->info.is_signed[i] != b->info.is_signed[i] &&
            (has_high_bit(&a->info, i) || has_high_bit(&b->info, i)))
            return tg_fail(
                ctx, TAGMA_E_UNSUPPORTED,
                "id column %s has a sign in one file only, and numbers that need it; compare --by entry",
                a->info.names[i]);
    return TAGMA_OK;
}

static tagma_status load(tagma_ctx *ctx, walk *it)
{
    if (it->rank == it->info.n_entries)
        return TAGMA_OK;
    if (tagma_index_coordinate(it->index, it->rank, it->axes) < 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "the index has no coordinate of rank %" PRIu64, it->rank);
    return TAGMA_OK;
}

static tagma_status step(tagma_ctx *ctx, walk *it)
{
    it->rank++;
    return load(ctx, it);
}

static int compare_axes(const walk *a, const walk *b)
{
    if (a->rank == a->info.n_entries || b->rank == b->info.n_entries)
        return a->rank == a->info.n_entries ? 1 : -1;
    for (uint32_t i = 0; i < a->info.n_axes; i++) {
        uint64_t flip = a->info.is_signed[i] && b->info.is_signed[i] ? UINT64_C(1) << 63 : 0;
        uint64_t x = a->axes[i] ^ flip, y = b->axes[i] ^ flip;

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static tagma_status merge(tagma_ctx *ctx, walk *a, walk *b, tg_pairing *out)
{
    uint64_t entry_a, entry_b, done = 0;

    TG_TRY(load(ctx, a));
    TG_TRY(load(ctx, b));
    while (a->rank < a->info.n_entries && b->rank < b->info.n_entries) {
        int order = compare_axes(a, b);

        if (order == 0) {
            tagma_index_entries(a->index, a->rank, 1, &entry_a);
            tagma_index_entries(b->index, b->rank, 1, &entry_b);
            if (entry_a >= a->info.n_entries || entry_b >= b->info.n_entries)
                return tg_fail(ctx, TAGMA_E_CORRUPT, "an index names an entry past the last");
            out->of_a[entry_a] = entry_b;
            out->is_in_b[entry_b / 8] |= (uint8_t)(1U << (entry_b % 8));
        }
        if (order <= 0)
            TG_TRY(step(ctx, a));
        if (order >= 0)
            TG_TRY(step(ctx, b));
        if ((++done & 0xffff) == 0)
            TG_TRY(tg_progress(ctx, "align", "events", a->rank, a->info.n_entries));
    }
    return TAGMA_OK;
}

static bool is_scattered(const tg_pairing *pairing, uint64_t n)
{
    uint64_t last = 0, n_back = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (pairing->of_a[i] == TG_UNPAIRED)
            continue;
        n_back += pairing->of_a[i] < last;
        last = pairing->of_a[i];
    }
    return n_back > n / 64;
}

static tagma_status pair(tagma_ctx *ctx, walk *a, walk *b, tg_pairing *out)
{
    out->of_a = tg_alloc(ctx, a->info.n_entries, sizeof *out->of_a);
    out->is_in_b = tg_zalloc(ctx, b->info.n_entries / 8 + 1, 1);
    if (!out->of_a || !out->is_in_b)
        return TAGMA_E_MEMORY;
    for (uint64_t i = 0; i < a->info.n_entries; i++)
        out->of_a[i] = TG_UNPAIRED;
    TG_TRY(merge(ctx, a, b, out));
    out->is_scattered = is_scattered(out, a->info.n_entries);
    return TAGMA_OK;
}

tagma_status tg_pairing_by_id(tagma_ctx *ctx, tagma_reader *reader_a, tagma_reader *reader_b, tg_pairing *out,
                              bool *is_by_id)
{
    walk a, b = {.own = NULL};
    bool has_a, has_b = false;
    tagma_status st = walk_new(ctx, reader_a, &a, &has_a);

    *out = (tg_pairing){.of_a = NULL};
    if (st == TAGMA_OK && has_a)
        st = walk_new(ctx, reader_b, &b, &has_b);
    *is_by_id = has_a && has_b;
    if (st == TAGMA_OK && *is_by_id)
        st = check_alike(ctx, &a, &b, tagma_reader_events(reader_a), tagma_reader_events(reader_b));
    if (st == TAGMA_OK && *is_by_id)
        st = pair(ctx, &a, &b, out);
    tagma_index_release(a.own);
    tagma_index_release(b.own);
    if (st < 0)
        tg_pairing_free(ctx, out);
    return st;
}

void tg_pairing_free(tagma_ctx *ctx, tg_pairing *pairing)
{
    tg_free(ctx, pairing->of_a);
    tg_free(ctx, pairing->is_in_b);
    *pairing = (tg_pairing){.of_a = NULL};
}
