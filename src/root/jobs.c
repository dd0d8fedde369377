/* SPDX-License-Identifier: Apache-2.0
 * Which baskets a call needs, and which of its rows each of them serves. */
#include "root/fetch.h"

/* First row from `from` on whose entry is not below `entry`. */
static uint64_t row_at(const tg_rows *rows, uint64_t from, uint64_t entry)
{
    uint64_t step = 1, lo = from, hi;

    if (!rows->entries) {
        uint64_t row = entry <= rows->first ? 0 : entry - rows->first;

        row = row < rows->n ? row : rows->n;
        return row > from ? row : from;
    }
    while (lo + step < rows->n && rows->entries[lo + step - 1] < entry) {
        lo += step;
        step *= 2;
    }
    hi = lo + step < rows->n ? lo + step : rows->n;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (rows->entries[middle] < entry)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static uint64_t end_of(const tg_basket *basket)
{
    uint64_t end;

    return tg_add(basket->first_entry, basket->n_entries, &end) ? end : UINT64_MAX;
}

/* First basket from `from` on that ends behind `entry`; n where none does. */
static uint64_t basket_at(const tg_basket *baskets, uint64_t n, uint64_t from, uint64_t entry)
{
    uint64_t step = 1, lo = from, hi;

    while (lo + step < n && end_of(&baskets[lo + step - 1]) <= entry) {
        lo += step;
        step *= 2;
    }
    hi = lo + step < n ? lo + step : n;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (end_of(&baskets[middle]) <= entry)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static tagma_status mark_rows(tagma_ctx *ctx, tg_call *call, const tg_group *group, uint64_t row,
                              uint64_t end, bool is_damaged)
{
    for (uint32_t s = group->first_slot; s != TAGMA_NONE && row < end; s = call->slots[s].next)
        TG_TRY(tg_loss_mark(ctx, &call->loss, s, row, end - row, is_damaged));
    return TAGMA_OK;
}

/* Entries that the branch should have and no basket holds. A check tells them once a branch, not here. */
static tagma_status lose_hole(tagma_ctx *ctx, tg_call *call, const tg_group *group, uint64_t row,
                              uint64_t end)
{
    uint64_t first = tg_row_entry(&call->rows, row), n = tg_row_entry(&call->rows, end - 1) - first + 1;

    if (call->is_check)
        return TAGMA_OK;
    tg_fail(ctx, TAGMA_E_CORRUPT, "no basket holds these entries");
    TG_TRY(tg_loss_find(ctx, &call->loss, TAGMA_E_CORRUPT, group->branch, UINT64_MAX, first, n));
    return mark_rows(ctx, call, group, row, end, true);
}

/* Will a later call, or a later phase, want more of a basket whose rows end at `end`? */
static bool is_wanted_again(const tg_call *call, const tg_group *group, const tg_basket *basket, uint64_t end)
{
    bool is_whole = !call->rows.entries && call->rows.n >= call->fetcher->tree->n_entries;

    if (group->is_split || call->is_inner || call->fetcher->keeps_all)
        return true;
    /* A basket without offsets of which a part is wanted needs counts from before and behind that part. */
    if (call->is_counting && call->fetcher->offsets != TG_OFFSETS_STORED && !is_whole)
        return true;
    return end == call->rows.n && end_of(basket) > tg_row_entry(&call->rows, end - 1) + 1;
}

static tagma_status add_job(tagma_ctx *ctx, tg_call *call, uint32_t g, uint64_t basket, uint64_t row,
                            uint64_t end)
{
    tg_group *group = &call->groups[g];
    void *block = call->jobs;
    tg_job *job;

    if (call->n_jobs >= UINT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "over %" PRIu32 " baskets in one call", UINT32_MAX);
    TG_TRY(tg_reserve(ctx, &block, &call->jobs_capacity, call->n_jobs + 1, sizeof *call->jobs));
    call->jobs = block;
    job = &call->jobs[call->n_jobs++];
    *job = (tg_job){.basket = basket, .row = row, .n_rows = end - row, .group = g};
    job->kept = tg_kept_find(&call->fetcher->kept, basket);
    job->keep = is_wanted_again(call, group, &call->fetcher->tree->baskets[basket], end);
    group->n_jobs++;
    call->n_begun +=
        !group->is_split && call->fetcher->tree->baskets[basket].first_entry >= tg_row_entry(&call->rows, 0);
    return TAGMA_OK;
}

/* A check without columns takes each basket once: where it begins. */
static bool is_begun_before(const tg_call *call, const tg_group *group, const tg_basket *basket)
{
    return group->first_slot == TAGMA_NONE && basket->first_entry < call->rows.first;
}

static tagma_status list_group(tagma_ctx *ctx, tg_call *call, uint32_t g)
{
    tg_group *group = &call->groups[g];
    const tg_branch *branch = &call->fetcher->tree->branches[group->branch];
    const tg_basket *baskets = call->fetcher->tree->baskets + branch->first_basket;
    const tg_rows *rows = &call->rows;
    uint64_t row = row_at(rows, 0, branch->first_entry), end = row_at(rows, row, branch->end_entry), b = 0;

    group->first_job = (uint32_t)call->n_jobs;
    TG_TRY(mark_rows(ctx, call, group, 0, row, false));
    while (row < end) {
        uint64_t next, entry = tg_row_entry(rows, row);
        bool is_hole;

        b = basket_at(baskets, branch->n_baskets, b, entry);
        is_hole = b == branch->n_baskets || baskets[b].first_entry > entry;
        if (b == branch->n_baskets)
            next = end;
        else
            next = row_at(rows, row, is_hole ? baskets[b].first_entry : end_of(&baskets[b]));
        next = next < end ? next : end; /* a basket may claim more than its branch */
        if (is_hole)
            TG_TRY(lose_hole(ctx, call, group, row, next));
        else if (!is_begun_before(call, group, &baskets[b]))
            TG_TRY(add_job(ctx, call, g, branch->first_basket + b, row, next));
        row = next;
    }
    return mark_rows(ctx, call, group, row, rows->n, false);
}

tagma_status tg_call_list_jobs(tagma_ctx *ctx, tg_call *call)
{
    call->n_jobs = 0;
    for (uint32_t g = 0; g < call->n_groups; g++)
        TG_TRY(list_group(ctx, call, g));
    return TAGMA_OK;
}
