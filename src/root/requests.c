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

/* Jobs that read become spans; those past the end of the file are lost at once; the others follow behind. */
static tagma_status sort_jobs(tagma_ctx *ctx, tg_call *call, bool waiting, uint32_t *n_reading,
                              uint32_t *n_resting)
{
    const tg_fetcher *fetcher = call->fetcher;
    uint64_t size = tagma_source_size(fetcher->source);
    uint32_t resting = (uint32_t)call->n_jobs;

    *n_reading = 0;
    for (uint32_t j = 0; j < call->n_jobs; j++) {
        tg_job *job = &call->jobs[j];
        const tg_basket *basket = &fetcher->tree->baskets[job->basket];

        if (waiting && !(job->is_deferred && job->all_counts))
            continue;
        job->is_deferred = false;
        job->kept = tg_kept_find(&call->fetcher->kept, job->basket);
        if (job->kept) {
            call->spans[--resting].tag = j;
        } else if (basket->offset & TG_BASKET_EMBEDDED) {
            TG_TRY(open_tree_record(ctx, call->fetcher));
            call->spans[--resting].tag = j;
        } else if (basket->bytes < TG_KEY_BYTES_MIN) {
            tg_fail(ctx, TAGMA_E_CORRUPT, "a record of %" PRIu32 " bytes has no room for a key",
                    basket->bytes);
            TG_TRY(tg_job_lose(ctx, call, &call->loss, job, TAGMA_E_CORRUPT));
        } else if (!tg_inside(basket->offset, basket->bytes, size)) {
            tg_fail(ctx, TAGMA_E_TRUNCATED, "%" PRIu32 " bytes, the file ends at byte %" PRIu64,
                    basket->bytes, size);
            TG_TRY(tg_job_lose(ctx, call, &call->loss, job, TAGMA_E_TRUNCATED));
        } else {
            call->spans[(*n_reading)++] = (tg_span){.offset = basket->offset, .n = basket->bytes, .tag = j};
        }
    }
    *n_resting = (uint32_t)call->n_jobs - resting;
    memmove(call->spans + *n_reading, call->spans + resting, *n_resting * sizeof *call->spans);
    return TAGMA_OK;
}

static uint32_t plan_tasks(tg_call *call, uint32_t n_reading, uint32_t n_resting)
{
    const tagma_source *source = call->fetcher->source;
    uint64_t bytes = tg_source_extent_bytes(source);
    uint32_t n = tg_plan(call->spans, n_reading, tg_source_gap_bytes(source),
                         bytes < TASK_BYTES ? bytes : TASK_BYTES, call->extents);

    for (uint32_t at = 0; at < n_resting; at += TASK_JOBS)
        call->extents[n++] = (tg_extent){.first = n_reading + at,
                                         .n_spans = n_resting - at < TASK_JOBS ? n_resting - at : TASK_JOBS};
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
    }
    for (uint32_t j = 0; j < call->n_jobs; j++)
        settle_job(ctx, call, &call->jobs[j]);
    return st;
}

static tagma_status run_jobs(tagma_ctx *ctx, tg_call *call, bool waiting, const char *phase)
{
    tg_fetcher *fetcher = call->fetcher;
    uint32_t n_reading, n_resting;
    tagma_status st = TAGMA_E_MEMORY;

    call->spans = tg_alloc(ctx, call->n_jobs, sizeof *call->spans);
    call->extents = tg_alloc(ctx, call->n_jobs + 1, sizeof *call->extents);
    if (call->spans && call->extents)
        st = sort_jobs(ctx, call, waiting, &n_reading, &n_resting);
    if (st == TAGMA_OK) {
        tg_kept_make_room(ctx, &fetcher->kept);
        call->keep_room = fetcher->kept.bytes_max - fetcher->kept.bytes;
        atomic_store(&call->keeping, 0);
        st = tg_pool_run(ctx, fetcher->pool, plan_tasks(call, n_reading, n_resting), run_task, call, phase,
                         "requests");
    }
    st = settle(ctx, call, st);
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
