/* SPDX-License-Identifier: Apache-2.0
 * From jobs to requests, from requests to workers, and what comes back. */
#include "base/pool.h"
#include "root/fetch.h"

enum {
    TASK_BYTES = 512 << 10, /* small enough to share out evenly and to stay in a second-level cache */
    TASK_JOBS = 256         /* of a task that reads nothing */
};

static tagma_status open_lane(tagma_ctx *ctx, const tg_fetcher *fetcher, tg_worker *worker)
{
    return worker->lane ? TAGMA_OK : tg_lane_new(ctx, fetcher->source, &worker->lane);
}

/* The tree's record, when the first embedded basket is wanted. That it cannot be had is a fault of those baskets only. */
static tagma_status open_tree_record(tagma_ctx *ctx, tg_fetcher *fetcher)
{
    const tg_tree *tree = fetcher->tree;
    tg_worker *worker = &fetcher->workers[0];
    tagma_status st;

    if (fetcher->record.payload || fetcher->record_status < 0)
        return TAGMA_OK;
    TG_TRY(open_lane(ctx, fetcher, worker));
    st = tg_record_read(ctx, worker->lane, &worker->codec, tree->record_offset, tree->record_bytes, true,
                        &fetcher->record);
    if (st == TAGMA_OK && fetcher->record.hash != tree->record_hash) {
        tg_record_free(ctx, &fetcher->record);
        st = tg_fail(ctx, TAGMA_E_CORRUPT,
                     "the tree's record at byte %" PRIu64 " is not the one its branches were read from",
                     tree->record_offset);
    }
    if (st == TAGMA_OK || !tg_is_loss(st))
        return st;
    fetcher->record_words = tg_strdup(ctx, ctx->message);
    if (!fetcher->record_words)
        return TAGMA_E_MEMORY;
    fetcher->record_status = st;
    return TAGMA_OK;
}

/* Where the jobs of a phase stand among the call's spans: those that read in front, those that need no reading from the
 * back. */
typedef struct sorting {
    uint64_t size; /* of the file */
    uint32_t n_reading, first_resting;
} sorting;

/* A job that reads becomes a span; one that lies past the end of the file is lost at once. */
static tagma_status sort_job(tagma_ctx *ctx, tg_call *call, uint32_t j, sorting *to)
{
    tg_job *job = &call->jobs[j];
    const tg_basket *basket = &call->fetcher->tree->baskets[job->basket];

    job->is_deferred = false;
    job->kept = tg_kept_find(&call->fetcher->kept, job->basket);
    if (job->kept || basket->offset & TG_BASKET_EMBEDDED) {
        call->spans[--to->first_resting].tag = j;
        return job->kept ? TAGMA_OK : open_tree_record(ctx, call->fetcher);
    }
    if (basket->bytes < TG_KEY_BYTES_MIN) {
        tg_fail(ctx, TAGMA_E_CORRUPT, "a record of %" PRIu32 " bytes has no room for a key", basket->bytes);
        return tg_job_lose(ctx, call, &call->loss, job, TAGMA_E_CORRUPT);
    }
    if (!tg_inside(basket->offset, basket->bytes, to->size)) {
        tg_fail(ctx, TAGMA_E_TRUNCATED, "%" PRIu32 " bytes, the file ends at byte %" PRIu64, basket->bytes,
                to->size);
        return tg_job_lose(ctx, call, &call->loss, job, TAGMA_E_TRUNCATED);
    }
    call->spans[to->n_reading++] = (tg_span){.offset = basket->offset, .n = basket->bytes, .tag = j};
    return TAGMA_OK;
}

/* The first baskets of all branches, then the second ones, and so on: where branches were written cluster by cluster that is
 * the order of the file already. `groups` holds those that are not done. */
static tagma_status sort_jobs(tagma_ctx *ctx, tg_call *call, bool waiting, uint32_t *groups, sorting *to)
{
    uint32_t n_left = call->n_groups;

    *to =
        (sorting){.size = tagma_source_size(call->fetcher->source), .first_resting = (uint32_t)call->n_jobs};
    for (uint32_t g = 0; g < call->n_groups; g++)
        groups[g] = g;
    for (uint32_t k = 0; n_left > 0; k++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < n_left; i++) {
            const tg_group *group = &call->groups[groups[i]];
            uint32_t j = group->first_job + k;

            if (k >= group->n_jobs)
                continue;
            groups[n++] = groups[i];
            if (!waiting || (call->jobs[j].is_deferred && call->jobs[j].all_counts))
                TG_TRY(sort_job(ctx, call, j, to));
        }
        n_left = n;
    }
    return TAGMA_OK;
}

/* Requests, then runs of jobs that need none; returns their number. */
static uint32_t plan_tasks(tg_call *call, const sorting *from)
{
    const tagma_source *source = call->fetcher->source;
    uint64_t bytes = tg_source_extent_bytes(source);
    uint32_t n = tg_plan(call->spans, from->n_reading, tg_source_gap_bytes(source),
                         bytes < TASK_BYTES ? bytes : TASK_BYTES, call->extents);
    uint32_t end = (uint32_t)call->n_jobs;

    for (uint32_t at = from->first_resting; at < end; at += TASK_JOBS)
        call->extents[n++] = (tg_extent){.first = at, .n_spans = end - at < TASK_JOBS ? end - at : TASK_JOBS};
    return n;
}

static tagma_status run_task(tagma_ctx *ctx, void *user, uint32_t w, uint64_t task)
{
    tg_call *call = user;
    tg_worker *worker = &call->fetcher->workers[w];
    const tg_extent *extent = &call->extents[task];
    const uint8_t *bytes = NULL;

    if (extent->n > 0) {
        TG_TRY(open_lane(ctx, call->fetcher, worker));
        TG_TRY(tg_lane_view(ctx, worker->lane, extent->offset, extent->n, &bytes));
    }
    for (uint32_t i = extent->first; i < extent->first + extent->n_spans; i++) {
        const tg_span *span = &call->spans[i];
        tg_job *job = &call->jobs[span->tag];

        TG_TRY(tg_job_run(ctx, call, worker, job, bytes ? bytes + (span->offset - extent->offset) : NULL));
        if (bytes)
            tg_lane_count_used(worker->lane, span->n);
    }
    return TAGMA_OK;
}

/* Count a basket and keep it or let it go. One that is embedded is read with the tree's record, so it counts once. */
static void settle_job(tagma_ctx *ctx, const tg_call *call, tg_job *job)
{
    tg_fetcher *fetcher = call->fetcher;
    uint8_t bit = (uint8_t)(1U << (job->basket % 8)), *seen = &fetcher->seen[job->basket / 8];
    bool is_new = job->is_read && !(*seen & bit);

    if (is_new || (job->is_read && !(fetcher->tree->baskets[job->basket].offset & TG_BASKET_EMBEDDED)))
        fetcher->n_baskets++;
    if (is_new) {
        fetcher->n_distinct++;
        *seen |= bit;
    }
    if (job->kept && job->is_read)
        tg_kept_add(ctx, &fetcher->kept, job->kept);
    else if (job->kept && !job->keep && !job->is_deferred)
        tg_kept_drop(ctx, &fetcher->kept, job->basket);
    job->is_read = false;
    job->kept = NULL;
}

/* What the workers have counted and lost, and the baskets they kept. */
static tagma_status settle(tagma_ctx *ctx, tg_call *call, tagma_status st)
{
    tg_fetcher *fetcher = call->fetcher;

    for (uint32_t w = 0; w < fetcher->n_workers; w++) {
        tg_worker *worker = &fetcher->workers[w];
        tagma_status moved = tg_loss_move(ctx, &call->loss, &worker->loss);

        st = st < 0 ? st : moved;
        tg_loss_clear(ctx, &worker->loss);
        fetcher->unpacked_bytes += worker->unpacked_bytes;
        worker->unpacked_bytes = 0;
        if (worker->met_counts)
            fetcher->offsets = TG_OFFSETS_MISSING;
    }
    for (uint32_t j = 0; j < call->n_jobs; j++)
        settle_job(ctx, call, &call->jobs[j]);
    return st;
}

static tagma_status run_jobs(tagma_ctx *ctx, tg_call *call, bool waiting, const char *phase)
{
    tg_fetcher *fetcher = call->fetcher;
    uint32_t *groups = tg_alloc(ctx, call->n_groups, sizeof *groups);
    tagma_status st = TAGMA_E_MEMORY;
    sorting sorted;

    call->spans = tg_alloc(ctx, call->n_jobs, sizeof *call->spans);
    call->extents = tg_alloc(ctx, call->n_jobs + 1, sizeof *call->extents);
    if (groups && call->spans && call->extents)
        st = sort_jobs(ctx, call, waiting, groups, &sorted);
    if (st == TAGMA_OK) {
        tg_kept_make_room(ctx, &fetcher->kept);
        call->keep_room = fetcher->kept.bytes_max - fetcher->kept.bytes;
        atomic_store(&call->keeping, 0);
        st = tg_pool_run(ctx, fetcher->pool, plan_tasks(call, &sorted), run_task, call, phase, "requests");
    }
    st = settle(ctx, call, st);
    tg_free(ctx, groups);
    tg_free(ctx, call->spans);
    tg_free(ctx, call->extents);
    call->spans = NULL;
    call->extents = NULL;
    return st;
}

tagma_status tg_call_run_jobs(tagma_ctx *ctx, tg_call *call, const char *phase)
{
    return run_jobs(ctx, call, false, phase);
}

tagma_status tg_call_rerun_jobs(tagma_ctx *ctx, tg_call *call, const char *phase)
{
    return run_jobs(ctx, call, true, phase);
}
