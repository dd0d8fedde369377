/* SPDX-License-Identifier: Apache-2.0
 * Baskets without offsets of which a call wants a part: where an entry begins follows from the counts of all entries
 * before it, so those are read first, in a call of their own. */
#include <stdlib.h>

#include "root/fetch.h"

/* Entries [first, end) of a waiting basket. */
typedef struct range {
    uint64_t first, end;
} range;

static int compare_ranges(const void *a, const void *b)
{
    const range *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static uint32_t counter_of(const tg_call *call, const tg_job *job)
{
    return job->is_deferred ? call->slots[call->groups[job->group].first_slot].counter : TAGMA_NONE;
}

/* Entries of the baskets that wait for one counter, each once, ascending. */
static tagma_status list_entries(tagma_ctx *ctx, const tg_call *call, uint32_t counter, tg_rows *rows)
{
    uint64_t n = 0, n_entries = 0, at = 0, *entries = NULL;
    range *ranges = tg_alloc(ctx, call->n_jobs, sizeof *ranges);

    for (uint32_t j = 0; ranges && j < call->n_jobs; j++) {
        const tg_basket *basket = &call->fetcher->tree->baskets[call->jobs[j].basket];

        if (counter_of(call, &call->jobs[j]) != counter)
            continue;
        ranges[n++] = (range){basket->first_entry, basket->first_entry + basket->n_entries};
        n_entries += basket->n_entries; /* below 2^31 each: held against the basket's own header */
    }
    if (ranges) {
        qsort(ranges, n, sizeof *ranges, compare_ranges);
        entries = tg_alloc(ctx, n_entries, sizeof *entries);
    }
    for (uint64_t i = 0; entries && i < n; i++) {
        uint64_t entry = ranges[i].first;

        if (at > 0 && entry <= entries[at - 1])
            entry = entries[at - 1] + 1;
        for (; entry < ranges[i].end; entry++)
            entries[at++] = entry;
    }
    tg_free(ctx, ranges);
    *rows = (tg_rows){.n = at, .entries = entries};
    return entries ? TAGMA_OK : TAGMA_E_MEMORY;
}

static uint64_t find_row(const tg_rows *rows, uint64_t entry)
{
    uint64_t lo = 0, hi = rows->n;

    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;

        if (rows->entries[middle] < entry)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The slot numbers of a call: an inner call uses the same room. */
static void note_slots(const tg_call *call, bool is_back)
{
    for (uint32_t s = 0; s < call->n_slots; s++)
        call->fetcher->slot_of[call->slots[s].column] = is_back ? s : TAGMA_NONE;
}

static tagma_status run_counter(tagma_ctx *ctx, tg_call *call, uint32_t counter, const tg_rows *rows,
                                const char *phase)
{
    tg_call inner = {0};
    tagma_status st = tg_call_new(ctx, call->fetcher, rows, &call->slots[counter].column, 1, false, &inner);

    if (st == TAGMA_OK) {
        inner.slots[0].is_counter = true;
        inner.is_inner = true;
        st = tg_call_run(ctx, &inner, phase);
        inner.loss.n_marks = 0; /* they are of the inner call's rows */
    }
    if (st == TAGMA_OK)
        st = tg_loss_move(ctx, &call->loss, &inner.loss);
    for (uint32_t j = 0; j < call->n_jobs && st == TAGMA_OK; j++) {
        tg_job *job = &call->jobs[j];

        if (counter_of(call, job) != counter)
            continue;
        job->all_counts = &inner.slots[0].counts;
        job->all_row = find_row(rows, call->fetcher->tree->baskets[job->basket].first_entry);
    }
    tg_call_leave(&inner);
    note_slots(call, true);
    if (st == TAGMA_OK)
        st = tg_call_rerun_jobs(ctx, call, phase);
    tg_call_free(ctx, &inner);
    return st;
}

tagma_status tg_call_run_waiting(tagma_ctx *ctx, tg_call *call, const char *phase)
{
    tagma_status st = TAGMA_OK;

    for (uint32_t j = 0; j < call->n_jobs && st == TAGMA_OK; j++) {
        uint32_t counter = counter_of(call, &call->jobs[j]);
        tg_rows rows = {0};

        if (counter == TAGMA_NONE)
            continue;
        st = list_entries(ctx, call, counter, &rows);
        note_slots(call, false);
        if (st == TAGMA_OK)
            st = run_counter(ctx, call, counter, &rows, phase);
        note_slots(call, true);
        tg_free(ctx, (void *)(uintptr_t)rows.entries);
    }
    return st;
}
