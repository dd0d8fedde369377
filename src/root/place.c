/* SPDX-License-Identifier: Apache-2.0
 * Do one job: open its basket and put what its rows hold where it belongs. */
#include "root/fetch.h"

tagma_status tg_job_lose(tagma_ctx *ctx, const tg_call *call, tg_loss *loss, const tg_job *job,
                         tagma_status st)
{
    const tg_group *group = &call->groups[job->group];
    uint64_t first = call->fetcher->tree->baskets[job->basket].first_entry;
    uint64_t n = call->fetcher->tree->baskets[job->basket].n_entries;

    TG_TRY(tg_loss_find(ctx, loss, st, group->branch, job->basket, first, n));
    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next)
        TG_TRY(tg_loss_mark(ctx, loss, s, job->row, job->n_rows, true));
    return TAGMA_OK;
}

/* One row of a job is lost, for the columns of its group from `slot` on. Words are ctx's. */
static tagma_status lose_row(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                             tagma_status st, uint64_t row)
{
    const tg_group *group = &call->groups[job->group];
    uint64_t entry = tg_row_entry(&call->rows, row);

    tg_within(ctx, st, "entry %" PRIu64, entry);
    TG_TRY(tg_loss_find(ctx, &worker->loss, st, group->branch, job->basket, entry, 1));
    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next)
        TG_TRY(tg_loss_mark(ctx, &worker->loss, s, row, 1, true));
    return TAGMA_OK;
}

static tg_runs runs_of(const tg_call *call, const tg_job *job)
{
    return (tg_runs){.rows = &call->rows,
                     .first_entry = call->fetcher->tree->baskets[job->basket].first_entry,
                     .row = job->row,
                     .end_row = job->row + job->n_rows};
}

/* Where values go: to their place, or in a check to the scratch, which the next ones overwrite. */
static uint8_t *target(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_slot *slot,
                       uint64_t first_item, uint64_t n_items)
{
    uint64_t bytes = (uint64_t)slot->code->n_items * slot->code->value_bytes;

    if (!call->is_check || slot->is_counter)
        return slot->place + first_item * bytes;
    return tg_buf_reserve(ctx, &worker->scratch, n_items * bytes + 1) < 0 ? NULL : worker->scratch.bytes;
}

static tagma_status bad_range(tagma_ctx *ctx, const tg_entries *entries, uint32_t i, uint32_t expected)
{
    uint32_t begin, end;

    if (!tg_entry_range(entries, i, &begin, &end))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "its offsets %" PRId32 " and %" PRId32 " are no range of %" PRIu32 " to %" PRIu32,
                       (int32_t)begin, (int32_t)end, entries->key_bytes,
                       entries->key_bytes + entries->data_bytes);
    return tg_fail(ctx, TAGMA_E_CORRUPT, "%" PRIu32 " bytes, %" PRIu32 " expected", end - begin, expected);
}

static bool is_range(const tg_entries *entries, uint32_t i, uint64_t bytes, const uint8_t **data)
{
    uint32_t begin, end;

    if (!tg_entry_range(entries, i, &begin, &end) || end - begin != bytes)
        return false;
    *data = entries->data + begin;
    return true;
}

/* Runs of entries of one length. Where a run as a whole does not fit, each entry is looked at. */
static tagma_status place_fixed(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                                const tg_slot *slot, const tg_entries *entries)
{
    const tg_code *code = slot->code;
    tg_runs runs = runs_of(call, job);
    const uint8_t *data;
    tg_run run;

    while (tg_runs_next(&runs, &run)) {
        bool is_whole = tg_run_is_fixed(entries, &run, code->entry_bytes, &data);
        uint32_t step = is_whole ? run.n : 1;

        for (uint32_t i = 0; i < run.n; i += step) {
            uint8_t *to;

            if (!is_whole && !is_range(entries, run.entry + i, code->entry_bytes, &data)) {
                TG_TRY(lose_row(ctx, call, worker, job,
                                bad_range(ctx, entries, run.entry + i, code->entry_bytes), run.row + i));
                continue;
            }
            to = target(ctx, call, worker, slot, run.row + i, step);
            if (!to)
                return TAGMA_E_MEMORY;
            tg_decode_fixed(code, to, data, step);
        }
    }
    return TAGMA_OK;
}

static tagma_status absurd(tagma_ctx *ctx, const tg_counts *counts)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "its count %s is negative or over %d", counts->name, INT32_MAX);
}

/* Entries of a counted column one by one, where a run as a whole does not fit. */
static tagma_status place_counted_entries(tagma_ctx *ctx, const tg_call *call, tg_worker *worker,
                                          const tg_job *job, const tg_slot *slot, const tg_entries *entries,
                                          const tg_run *run)
{
    const tg_code *code = slot->code;
    const tg_counts *counts = &call->slots[slot->counter].counts;

    for (uint32_t i = 0; i < run->n; i++) {
        uint64_t row = run->row + i, n = counts->ends[row + 1] - counts->ends[row],
                 bytes = n * code->item_bytes;
        const uint8_t *data;

        if (tg_bit(counts->unknown, row))
            continue; /* the counter's own fault says so */
        if (tg_bit(counts->absurd, row)) {
            TG_TRY(lose_row(ctx, call, worker, job, absurd(ctx, counts), row));
        } else if (is_range(entries, run->entry + i, bytes, &data)) {
            uint8_t *to = target(ctx, call, worker, slot, counts->ends[row], n);

            if (!to)
                return TAGMA_E_MEMORY;
            tg_decode_numbers(code, to, data, n * code->n_items);
        } else {
            uint32_t expected = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;

            TG_TRY(lose_row(ctx, call, worker, job, bad_range(ctx, entries, run->entry + i, expected), row));
        }
    }
    return TAGMA_OK;
}

static tagma_status place_counted(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                                  const tg_slot *slot, const tg_entries *entries)
{
    const tg_code *code = slot->code;
    const tg_counts *counts = &call->slots[slot->counter].counts;
    tg_runs runs = runs_of(call, job);
    tg_run run;

    while (tg_runs_next(&runs, &run)) {
        const uint32_t *ends = counts->ends + run.row;
        uint64_t n = ends[run.n] - ends[0];
        const uint8_t *data;
        uint8_t *to;

        if (counts->unknown || counts->absurd ||
            !tg_run_is_counted(entries, &run, ends, code->item_bytes, &data)) {
            TG_TRY(place_counted_entries(ctx, call, worker, job, slot, entries, &run));
            continue;
        }
        to = target(ctx, call, worker, slot, ends[0], n);
        if (!to)
            return TAGMA_E_MEMORY;
        tg_decode_numbers(code, to, data, n * code->n_items);
    }
    return TAGMA_OK;
}

/* Sinks and targets for every leaf of a branch. */
static tagma_status prepare_leaves(tagma_ctx *ctx, const tg_call *call, tg_worker *worker,
                                   const tg_group *group)
{
    const tg_layout *layout = call->slots[group->first_slot].code->layout;
    uint32_t n = layout->n_leaves;

    if (n > worker->n_sinks) {
        tg_sink *sinks = tg_zalloc(ctx, n, sizeof *sinks);
        tg_target *targets = tg_zalloc(ctx, n, sizeof *targets);
        tg_sink_mark *marks = tg_zalloc(ctx, n, sizeof *marks);

        if (!sinks || !targets || !marks) {
            tg_free(ctx, sinks);
            tg_free(ctx, targets);
            tg_free(ctx, marks);
            return TAGMA_E_MEMORY;
        }
        if (worker->n_sinks > 0)
            memcpy(sinks, worker->sinks, worker->n_sinks * sizeof *sinks);
        tg_free(ctx, worker->sinks);
        tg_free(ctx, worker->targets);
        tg_free(ctx, worker->marks);
        worker->sinks = sinks;
        worker->targets = targets;
        worker->marks = marks;
        worker->n_sinks = n;
    }
    for (uint32_t k = 0; k < n; k++) {
        const tg_code *code = &call->fetcher->codes[layout->first_column + k];
        uint32_t counter = code->layout ? code->layout->count_column : TAGMA_NONE;
        bool is_shared = code->layout && code->n_lists > 0 && code->layout->counts[0] == TG_COUNT_SHARED;

        if (!code->layout)
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "leaf %" PRIu32 " of its branch is not readable", k);
        tg_sink_clear(&worker->sinks[k]);
        worker->targets[k] = (tg_target){.code = code, .sink = &worker->sinks[k]};
        if (is_shared) /* counters of all leaves of a branch are columns of the call */
            worker->targets[k].counts = &call->slots[call->fetcher->slot_of[counter]].counts;
    }
    return TAGMA_OK;
}

static void aim(const tg_call *call, tg_worker *worker, const tg_group *group, uint64_t row)
{
    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next) {
        const tg_slot *slot = &call->slots[s];
        tg_target *to = &worker->targets[slot->code->layout->leaf];

        if (slot->place)
            to->place = slot->place + (to->counts ? to->counts->ends[row] : row) *
                                          (uint64_t)slot->code->n_items * slot->code->value_bytes;
    }
}

/* Put back all sinks to where the entry began, and give each an entry without values. */
static tagma_status empty_entry(tagma_ctx *ctx, tg_worker *worker, uint32_t n_leaves)
{
    for (uint32_t k = 0; k < n_leaves; k++) {
        tg_target *to = &worker->targets[k];

        tg_sink_put_back(to->sink, &worker->marks[k]);
        if (!to->place)
            TG_TRY(tg_sink_put_empty(ctx, to->code, to->sink));
    }
    return TAGMA_OK;
}

/* A leaf whose pointer was null when written has no values at this row, whatever its count says. */
static tagma_status miss(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_group *group,
                         uint32_t leaf, uint64_t row)
{
    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next)
        if (call->slots[s].code->layout->leaf == leaf)
            TG_TRY(tg_loss_mark(ctx, &worker->loss, s, row, 1, false));
    return worker->targets[leaf].place
               ? TAGMA_OK
               : tg_sink_put_empty(ctx, worker->targets[leaf].code, worker->targets[leaf].sink);
}

/* The count of a leaf at a row, from the call's counters or, while those are being read, from the leaf before it.
 * *is_last: it is not known yet, and no leaf from here on is wanted. */
static tagma_status leaf_count(tagma_ctx *ctx, const tg_call *call, const tg_worker *worker,
                               const tg_group *group, uint32_t k, uint64_t row, uint32_t *n, bool *is_last)
{
    const tg_layout *layout = worker->targets[k].code->layout;
    const tg_counts *counts = worker->targets[k].counts;
    uint32_t leaf = layout->count_column - layout->first_column;

    *n = 0;
    if (counts && counts->ends) {
        *n = counts->ends[row + 1] - counts->ends[row];
    } else if (counts && leaf < k && worker->targets[leaf].place) {
        uint64_t value = tg_count_at(worker->targets[leaf].code->type, worker->targets[leaf].place, 0);

        if (value > INT32_MAX)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "the count in front of leaf %" PRIu32 " is negative or over %d", k, INT32_MAX);
        *n = (uint32_t)value;
    } else if (counts) {
        *is_last = true;
        for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next)
            if (call->slots[s].code->layout->leaf >= k)
                return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                               "a counter behind leaf %" PRIu32 ", which another branch counts", k);
    }
    return TAGMA_OK;
}

/* All leaves of one entry. *is_unknown: a count that is null leaves the rest of the entry without a place. */
static tagma_status walk_entry(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_group *group,
                               tg_in *in, uint64_t row, bool *is_unknown)
{
    uint32_t n_leaves = call->slots[group->first_slot].code->layout->n_leaves;

    for (uint32_t k = 0; k < n_leaves; k++) {
        const tg_target *to = &worker->targets[k];
        const tg_counts *counts = to->counts;
        bool is_missing, is_last = false;
        uint32_t n;

        if (counts && tg_bit(counts->unknown, row)) {
            *is_unknown = true;
            return TAGMA_OK;
        }
        if (counts && tg_bit(counts->absurd, row))
            return absurd(ctx, counts);
        TG_TRY(leaf_count(ctx, call, worker, group, k, row, &n, &is_last));
        if (is_last)
            return TAGMA_OK;
        TG_TRY(tg_walk_leaf(ctx, in, to, n, &is_missing));
        if (is_missing)
            TG_TRY(miss(ctx, call, worker, group, k, row));
    }
    if (tg_in_left(in) > 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%zu bytes, its values take %zu", in->n, in->at);
    return TAGMA_OK;
}

/* Rows of all columns of a group are null because a count of theirs is, whose own fault says why. */
static tagma_status mark_unknown(tagma_ctx *ctx, const tg_call *call, tg_worker *worker,
                                 const tg_group *group, uint64_t row)
{
    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next)
        TG_TRY(tg_loss_mark(ctx, &worker->loss, s, row, 1, true));
    return TAGMA_OK;
}

static tagma_status walk_row(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                             const tg_entries *entries, uint32_t i, uint64_t row, uint64_t *bytes_left)
{
    const tg_group *group = &call->groups[job->group];
    uint32_t begin, end, n_leaves = call->slots[group->first_slot].code->layout->n_leaves;
    bool is_unknown = false;
    tagma_status st;

    aim(call, worker, group, row);
    for (uint32_t k = 0; k < n_leaves; k++)
        worker->marks[k] = tg_sink_tell(worker->targets[k].sink);
    if (!tg_entry_range(entries, i, &begin, &end)) {
        st = bad_range(ctx, entries, i, 0);
    } else if (end - begin > *bytes_left) {
        st = tg_fail(ctx, TAGMA_E_CORRUPT,
                     "entries overlap: together they have more than the basket's %" PRIu32 " bytes",
                     entries->data_bytes);
    } else {
        tg_in in = tg_in_of(entries->data + begin, end - begin);

        *bytes_left -= end - begin;
        st = walk_entry(ctx, call, worker, group, &in, row, &is_unknown);
    }
    if (st == TAGMA_OK && !is_unknown)
        return TAGMA_OK;
    if (!tg_is_loss(st) && st < 0)
        return st;
    if (st < 0)
        TG_TRY(lose_row(ctx, call, worker, job, st, row));
    else
        TG_TRY(mark_unknown(ctx, call, worker, group, row));
    return empty_entry(ctx, worker, n_leaves);
}

/* What a sink holds becomes a segment of its own block. */
static tagma_status cut_segment(tagma_ctx *ctx, const tg_code *code, const tg_sink *sink, tg_segment **out)
{
    uint64_t bytes = sizeof(tg_segment) + sink->values.n;
    tg_segment *segment;
    uint8_t *at;

    for (uint32_t k = 0; k < code->n_levels; k++)
        bytes += sink->ends[k].n;
    segment = tg_alloc(ctx, bytes, 1);
    if (!segment)
        return TAGMA_E_MEMORY;
    *segment = (tg_segment){.value_bytes = sink->values.n};
    at = (uint8_t *)(segment + 1);
    for (uint32_t k = 0; k < code->n_levels; k++) {
        segment->n_ends[k] = (uint32_t)(sink->ends[k].n / sizeof(uint32_t));
        segment->ends[k] = (uint32_t *)(void *)at; /* a multiple of 4 behind a block's start */
        if (sink->ends[k].n > 0)
            memcpy(at, sink->ends[k].bytes, sink->ends[k].n);
        at += sink->ends[k].n;
    }
    segment->values = at;
    if (sink->values.n > 0)
        memcpy(at, sink->values.bytes, sink->values.n);
    *out = segment;
    return TAGMA_OK;
}

static tagma_status cut_segments(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job)
{
    const tg_group *group = &call->groups[job->group];
    uint64_t ordinal = (uint64_t)(job - call->jobs) - group->first_job;

    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next) {
        const tg_slot *slot = &call->slots[s];

        if (slot->in_segments && !call->is_check)
            TG_TRY(cut_segment(ctx, slot->code, &worker->sinks[slot->code->layout->leaf],
                               &call->segments[slot->first_segment + ordinal]));
    }
    return TAGMA_OK;
}

/* Entries of a vector of numbers, as far as each is what writers make of one. Returns how many. */
static tagma_status walk_vectors(tagma_ctx *ctx, tg_worker *worker, const tg_entries *entries,
                                 const tg_run *run, uint64_t *bytes_left, uint32_t *n_done)
{
    const tg_code *code = worker->targets[0].code;
    tg_sink *sink = worker->targets[0].sink;
    uint32_t i = 0;

    for (; i < run->n; i++) {
        uint32_t begin, end, n;

        if (!tg_entry_range(entries, run->entry + i, &begin, &end) || end - begin > *bytes_left ||
            !tg_is_plain_vector(entries->data + begin, end - begin, code->item_bytes, &n))
            break;
        *bytes_left -= end - begin;
        TG_TRY(tg_sink_put_vector(ctx, code, sink, entries->data + begin, n));
    }
    *n_done = i;
    return TAGMA_OK;
}

static tagma_status walk_job(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                             const tg_entries *entries)
{
    const tg_group *group = &call->groups[job->group];
    bool is_vector = call->slots[group->first_slot].code->is_vector;
    uint64_t bytes_left = entries->data_bytes;
    tg_runs runs = runs_of(call, job);
    tagma_status st = prepare_leaves(ctx, call, worker, group);
    tg_run run;

    if (st < 0)
        return tg_is_loss(st) ? tg_job_lose(ctx, call, &worker->loss, job, st) : st;
    while (tg_runs_next(&runs, &run)) {
        uint32_t n = 0;

        if (is_vector)
            TG_TRY(walk_vectors(ctx, worker, entries, &run, &bytes_left, &n));
        for (; n < run.n; n++)
            TG_TRY(walk_row(ctx, call, worker, job, entries, run.entry + n, run.row + n, &bytes_left));
    }
    return cut_segments(ctx, call, worker, job);
}

/* Entries whose lengths follow from counts: those of the whole basket are needed, whichever rows are wanted.
 * Where the call has not all of them the job waits for them. */
static tagma_status count_entries(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, tg_job *job,
                                  tg_entries *entries)
{
    const tg_slot *slot = &call->slots[call->groups[job->group].first_slot];
    const tg_code *code = slot->code;
    const tg_counts *counts = job->all_counts;
    uint64_t row = job->all_row;

    worker->met_counts = true;
    if (code->layout->n_leaves != 1 || !code->has_places || code->n_lists != 1 || code->wire_bytes == 0 ||
        code->layout->frame == TG_ENTRY_FRAMED)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "no offsets are stored, and no counts could give them");
    if (!counts && job->n_rows == entries->n) {
        counts = &call->slots[slot->counter].counts;
        row = job->row;
    }
    if (!counts) {
        job->is_deferred = true;
        return TAGMA_OK;
    }
    return tg_entries_count(ctx, counts->ends + row, code->item_bytes,
                            code->layout->frame == TG_ENTRY_FLAGGED, &worker->made, entries);
}

static tagma_status place_entries(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                                  const tg_entries *entries)
{
    const tg_group *group = &call->groups[job->group];
    const tg_slot *slot = &call->slots[group->first_slot];

    if (slot->code->kind == TG_CODE_WALK || slot->in_segments)
        return walk_job(ctx, call, worker, job, entries);
    if (slot->code->kind == TG_CODE_COUNTED)
        return place_counted(ctx, call, worker, job, slot, entries);
    for (uint32_t s = group->first_slot; s != TAGMA_NONE; s = call->slots[s].next)
        TG_TRY(place_fixed(ctx, call, worker, job, &call->slots[s], entries));
    return TAGMA_OK;
}

/* A block for a basket that is wanted again; NULL where there is no room: it is then read again. */
static tg_kept_basket *keep(tagma_ctx *ctx, tg_call *call, const tg_job *job, const tg_basket_head *head)
{
    uint64_t bytes = sizeof(tg_kept_basket) + head->unpacked_bytes;

    if (atomic_fetch_add_explicit(&call->keeping, bytes, memory_order_relaxed) + bytes > call->keep_room)
        return NULL;
    return tg_kept_new(ctx, job->basket, head);
}

/* Unpack a record as it stands in the file. *payload is borrowed from it or from the worker, unless job->kept has it. */
static tagma_status open_record(tagma_ctx *ctx, tg_call *call, tg_worker *worker, tg_job *job,
                                const uint8_t *record, tg_basket_head *head, const uint8_t **payload)
{
    const tg_basket *basket = &call->fetcher->tree->baskets[job->basket];
    uint8_t *dst;

    TG_TRY(tg_basket_parse(ctx, record, basket, call->fetcher->is_old_packing, head));
    if (head->is_packed)
        TG_TRY(tg_codec_check(ctx, record + head->key_bytes, head->stored_bytes, head->unpacked_bytes));
    job->kept = job->keep ? keep(ctx, call, job, head) : NULL;
    if (!job->kept && head->is_packed)
        TG_TRY(tg_buf_reserve(ctx, &worker->unpacked, head->unpacked_bytes));
    dst = job->kept ? job->kept->payload : worker->unpacked.bytes;
    TG_TRY(tg_basket_unpack(ctx, &worker->codec, head, record, dst, payload));
    worker->unpacked_bytes += head->unpacked_bytes;
    if (job->kept && !head->is_packed && head->unpacked_bytes > 0)
        memcpy(job->kept->payload, *payload, head->unpacked_bytes);
    if (job->kept)
        *payload = job->kept->payload;
    return TAGMA_OK;
}

static tagma_status open_embedded(tagma_ctx *ctx, const tg_call *call, tg_worker *worker, const tg_job *job,
                                  tg_entries *entries)
{
    const tg_fetcher *fetcher = call->fetcher;
    const tg_basket *basket = &fetcher->tree->baskets[job->basket];
    uint64_t at = basket->offset & ~TG_BASKET_EMBEDDED;

    if (fetcher->record_status < 0)
        return tg_fail(ctx, fetcher->record_status, "%s", fetcher->record_words);
    if (!tg_inside(at, basket->bytes, fetcher->record.payload_bytes))
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%" PRIu32 " bytes at byte %" PRIu64 " of a record of %" PRIu32,
                       basket->bytes, at, fetcher->record.payload_bytes);
    worker->unpacked_bytes += basket->bytes;
    return tg_basket_embedded(ctx, fetcher->record.payload + at, basket->bytes, basket->n_entries,
                              &worker->made, entries);
}

/* Lay open what the job's basket holds. */
static tagma_status open_job(tagma_ctx *ctx, tg_call *call, tg_worker *worker, tg_job *job,
                             const uint8_t *record, tg_entries *entries)
{
    const tg_group *group = &call->groups[job->group];
    const uint8_t *payload;
    tg_basket_head head;

    if (job->kept) {
        head = job->kept->head;
        payload = job->kept->payload;
    } else {
        job->is_read = true;
        if (!record) {
            TG_TRY(open_embedded(ctx, call, worker, job, entries));
            return entries->needs_counts && group->first_slot != TAGMA_NONE
                       ? count_entries(ctx, call, worker, job, entries)
                       : TAGMA_OK;
        }
        TG_TRY(open_record(ctx, call, worker, job, record, &head, &payload));
    }
    TG_TRY(tg_basket_entries(ctx, &head, payload, &worker->made, entries));
    if (!entries->needs_counts || group->first_slot == TAGMA_NONE)
        return TAGMA_OK;
    TG_TRY(count_entries(ctx, call, worker, job, entries));
    if (job->is_deferred && !job->kept) {
        job->kept = keep(ctx, call, job, &head);
        if (job->kept && head.unpacked_bytes > 0)
            memcpy(job->kept->payload, payload, head.unpacked_bytes);
    }
    return TAGMA_OK;
}

tagma_status tg_job_run(tagma_ctx *ctx, tg_call *call, tg_worker *worker, tg_job *job, const uint8_t *record)
{
    tg_entries entries = {0};
    tagma_status st = open_job(ctx, call, worker, job, record, &entries);

    if (st < 0 && job->kept && job->is_read) {
        tg_free(ctx, job->kept);
        job->kept = NULL;
    }
    if (tg_is_loss(st))
        return tg_job_lose(ctx, call, &worker->loss, job, st);
    if (st < 0 || job->is_deferred || call->groups[job->group].first_slot == TAGMA_NONE)
        return st;
    return place_entries(ctx, call, worker, job, &entries);
}
