/* SPDX-License-Identifier: Apache-2.0
 * Calls: from columns to slots, from slots to places, counters first. */
#include "root/fetch.h"

#include "base/pool.h"

tagma_status tg_fetcher_init(tagma_ctx *ctx, tg_fetcher *fetcher, const tg_tree *tree, const tg_code *codes,
                             tagma_source *source, tagma_pool *pool, uint64_t cache_bytes)
{
    uint32_t n_columns = tagma_schema_n_columns(tree->schema);

    *fetcher = (tg_fetcher){.tree = tree, .codes = codes, .source = source, .pool = pool};
    fetcher->kept.bytes_max = cache_bytes;
    fetcher->n_workers = tg_pool_width(pool);
    fetcher->workers = tg_zalloc(ctx, fetcher->n_workers, sizeof *fetcher->workers);
    fetcher->slot_of = tg_alloc(ctx, n_columns, sizeof *fetcher->slot_of);
    fetcher->group_of = tg_alloc(ctx, tree->n_branches, sizeof *fetcher->group_of);
    fetcher->seen = tg_zalloc(ctx, tree->n_baskets / 8 + 1, 1);
    if (!fetcher->workers || !fetcher->slot_of || !fetcher->group_of || !fetcher->seen) {
        tg_fetcher_free(ctx, fetcher);
        return TAGMA_E_MEMORY;
    }
    memset(fetcher->slot_of, 0xff, n_columns * sizeof *fetcher->slot_of);
    memset(fetcher->group_of, 0xff, tree->n_branches * sizeof *fetcher->group_of);
    return TAGMA_OK;
}

static void free_worker(tagma_ctx *ctx, tg_worker *worker)
{
    tg_lane_free(worker->lane);
    tg_codec_state_free(ctx, &worker->codec);
    tg_buf_free(ctx, &worker->unpacked);
    tg_buf_free(ctx, &worker->made);
    tg_buf_free(ctx, &worker->scratch);
    for (uint64_t k = 0; k < worker->n_sinks; k++)
        tg_sink_free(ctx, &worker->sinks[k]);
    tg_free(ctx, worker->sinks);
    tg_free(ctx, worker->targets);
    tg_free(ctx, worker->marks);
    tg_loss_free(ctx, &worker->loss);
}

void tg_fetcher_free(tagma_ctx *ctx, tg_fetcher *fetcher)
{
    for (uint32_t w = 0; fetcher->workers && w < fetcher->n_workers; w++)
        free_worker(ctx, &fetcher->workers[w]);
    tg_free(ctx, fetcher->workers);
    tg_free(ctx, fetcher->slot_of);
    tg_free(ctx, fetcher->group_of);
    tg_free(ctx, fetcher->seen);
    tg_kept_free(ctx, &fetcher->kept);
    tg_record_free(ctx, &fetcher->record);
    tg_free(ctx, fetcher->record_words);
    *fetcher = (tg_fetcher){0};
}

/* Slots. */

static void add_slot(tg_call *call, uint32_t column)
{
    uint32_t s = call->n_slots++;

    call->slots[s] = (tg_slot){.code = &call->fetcher->codes[column],
                               .column = column,
                               .counter = TAGMA_NONE,
                               .next = TAGMA_NONE,
                               .group = TAGMA_NONE};
    call->fetcher->slot_of[column] = s;
}

/* What counts a column must be read too; so must the counters of all leaves that stand beside it in its entries. */
static void add_counters(tg_call *call, const tg_code *code)
{
    for (uint32_t k = 0; k < code->layout->n_leaves; k++) {
        const tg_code *leaf = &call->fetcher->codes[code->layout->first_column + k];
        uint32_t counter;

        if (!leaf->layout || leaf->n_lists == 0 || leaf->layout->counts[0] != TG_COUNT_SHARED)
            continue;
        counter = leaf->layout->count_column;
        if (call->fetcher->slot_of[counter] == TAGMA_NONE)
            add_slot(call, counter);
        call->slots[call->fetcher->slot_of[counter]].is_counter = true;
    }
}

static uint64_t count_leaves(const tg_fetcher *fetcher, const uint32_t *columns, uint32_t n_columns)
{
    uint64_t n = n_columns;

    for (uint32_t i = 0; i < n_columns; i++)
        n += fetcher->codes[columns[i]].layout->n_leaves;
    return n < 2 * (uint64_t)tagma_schema_n_columns(fetcher->tree->schema)
               ? n
               : 2 * (uint64_t)tagma_schema_n_columns(fetcher->tree->schema);
}

tagma_status tg_call_new(tagma_ctx *ctx, tg_fetcher *fetcher, const tg_rows *rows, const uint32_t *columns,
                         uint32_t n_columns, bool is_check, tg_call *call)
{
    *call = (tg_call){.fetcher = fetcher, .rows = *rows, .is_check = is_check, .n_wanted = n_columns};
    call->slots = tg_alloc(ctx, count_leaves(fetcher, columns, n_columns), sizeof *call->slots);
    if (!call->slots)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < n_columns; i++)
        add_slot(call, columns[i]);
    for (uint32_t s = 0; s < call->n_slots; s++) /* a counter's own branch may have more counted leaves */
        add_counters(call, call->slots[s].code);
    for (uint32_t s = 0; s < call->n_slots; s++) {
        const tg_code *code = call->slots[s].code;

        if (code->n_lists > 0 && code->layout->counts[0] == TG_COUNT_SHARED)
            call->slots[s].counter = fetcher->slot_of[code->layout->count_column];
    }
    return TAGMA_OK;
}

static void free_slot(tagma_ctx *ctx, tg_slot *slot)
{
    tagma_buffer_release(slot->values);
    tagma_buffer_release(slot->ends);
    tagma_buffer_release(slot->validity);
    tagma_buffer_release(slot->damaged);
    tg_free(ctx, slot->unknown);
    tg_free(ctx, slot->absurd);
}

void tg_call_leave(const tg_call *call)
{
    for (uint32_t s = 0; s < call->n_slots; s++)
        call->fetcher->slot_of[call->slots[s].column] = TAGMA_NONE;
}

void tg_call_free(tagma_ctx *ctx, tg_call *call)
{
    for (uint32_t s = 0; s < call->n_slots; s++)
        free_slot(ctx, &call->slots[s]);
    for (uint64_t i = 0; i < call->n_segments; i++)
        tg_free(ctx, call->segments[i]);
    tg_free(ctx, call->slots);
    tg_free(ctx, call->groups);
    tg_free(ctx, call->jobs);
    tg_free(ctx, call->segments);
    tg_loss_free(ctx, &call->loss);
}

/* Groups of a phase. */

static tagma_status add_group(tagma_ctx *ctx, tg_call *call, uint32_t branch)
{
    void *block = call->groups;

    TG_TRY(
        tg_reserve(ctx, &block, &call->groups_capacity, (uint64_t)call->n_groups + 1, sizeof *call->groups));
    call->groups = block;
    call->groups[call->n_groups++] = (tg_group){.branch = branch, .first_slot = TAGMA_NONE};
    return TAGMA_OK;
}

tagma_status tg_call_add_branch(tagma_ctx *ctx, tg_call *call, uint32_t branch)
{
    return add_group(ctx, call, branch);
}

/* Slots of the phase by branch, in the order of slots. */
static tagma_status group_slots(tagma_ctx *ctx, tg_call *call, bool counters)
{
    uint32_t *group_of = call->fetcher->group_of;
    tagma_status st = TAGMA_OK;

    for (uint32_t s = 0; s < call->n_slots && st == TAGMA_OK; s++) {
        tg_slot *slot = &call->slots[s];
        tg_group *group;
        uint32_t branch = slot->code->layout->branch;

        if (slot->is_counter != counters)
            continue;
        if (group_of[branch] == TAGMA_NONE) {
            st = add_group(ctx, call, branch);
            if (st < 0)
                break;
            group_of[branch] = call->n_groups - 1;
        }
        slot->group = group_of[branch];
        group = &call->groups[slot->group];
        if (group->first_slot == TAGMA_NONE)
            group->first_slot = s;
        else
            call->slots[group->last_slot].next = s;
        group->last_slot = s;
    }
    for (uint32_t s = 0; counters && s < call->n_slots && st == TAGMA_OK; s++) {
        uint32_t g = group_of[call->slots[s].code->layout->branch];

        if (!call->slots[s].is_counter && g != TAGMA_NONE)
            call->groups[g].is_split = true;
    }
    for (uint32_t g = 0; g < call->n_groups; g++)
        group_of[call->groups[g].branch] = TAGMA_NONE;
    return st;
}

/* Places. */

static uint64_t stored_bytes(const tg_call *call, const tg_group *group)
{
    uint64_t bytes = 0;

    for (uint32_t j = group->first_job; j < group->first_job + group->n_jobs; j++)
        bytes += call->fetcher->tree->baskets[call->jobs[j].basket].bytes;
    return bytes;
}

/* A damaged count may ask for a place that no basket fills: what looks too large for its baskets is decoded into
 * segments first, as long as what is there. */
static bool is_plausible(const tg_call *call, const tg_slot *slot, uint64_t bytes)
{
    enum { SMALL = 256 << 10, RATIO = 32 };

    return bytes <= SMALL || bytes / RATIO <= stored_bytes(call, &call->groups[slot->group]);
}

static tagma_status make_place(tagma_ctx *ctx, tg_call *call, tg_slot *slot)
{
    const tg_code *code = slot->code;
    uint64_t n = call->rows.n, bytes;

    if (code->n_lists > 0)
        n = call->slots[slot->counter].counts.n_items;
    if (!tg_mul(n, code->n_items, &slot->n_values) || !tg_mul(slot->n_values, code->value_bytes, &bytes))
        return tg_fail(ctx, TAGMA_E_LIMIT, "%" PRIu64 " x %" PRIu32 " values in one batch", n, code->n_items);
    if (code->n_lists > 0 && (n > INT32_MAX || !is_plausible(call, slot, bytes))) {
        slot->in_segments = true;
        return TAGMA_OK;
    }
    if (call->is_check && !slot->is_counter)
        return TAGMA_OK;
    TG_TRY(tg_buffer_new(ctx, bytes, &slot->values));
    slot->place = tg_buffer_fill(slot->values);
    return TAGMA_OK;
}

static tagma_status make_places(tagma_ctx *ctx, tg_call *call)
{
    uint64_t n_segments = 0;
    void *block;

    for (uint32_t g = 0; g < call->n_groups; g++)
        for (uint32_t s = call->groups[g].first_slot; s != TAGMA_NONE; s = call->slots[s].next) {
            tg_slot *slot = &call->slots[s];

            slot->in_segments = !slot->code->has_places;
            if (!slot->in_segments)
                TG_TRY(make_place(ctx, call, slot));
            slot->first_segment = n_segments;
            if (slot->in_segments && !call->is_check)
                n_segments += call->groups[g].n_jobs;
        }
    if (n_segments == 0)
        return TAGMA_OK;
    block = tg_zalloc(ctx, n_segments, sizeof(void *));
    if (!block)
        return TAGMA_E_MEMORY;
    call->segments = block;
    call->n_segments = n_segments;
    return TAGMA_OK;
}

/* One phase: counters, or what they count and all else. */
static tagma_status run_phase(tagma_ctx *ctx, tg_call *call, bool counters, const char *phase)
{
    call->is_counting = counters;
    TG_TRY(group_slots(ctx, call, counters));
    TG_TRY(tg_call_list_jobs(ctx, call));
    TG_TRY(make_places(ctx, call));
    if (call->n_jobs > 0)
        TG_TRY(tg_call_run_jobs(ctx, call, phase));
    return tg_call_run_waiting(ctx, call, phase);
}

static tagma_status count_task(tagma_ctx *ctx, void *user, uint32_t w, uint64_t task)
{
    tg_call *call = user;

    (void)w;
    return call->slots[task].is_counter ? tg_slot_count(ctx, call, (uint32_t)task) : TAGMA_OK;
}

tagma_status tg_call_run(tagma_ctx *ctx, tg_call *call, const char *phase)
{
    bool has_counters = call->n_groups > 0; /* branches without columns are done with them */

    tg_kept_begin(&call->fetcher->kept);
    for (uint32_t s = 0; s < call->n_slots; s++)
        has_counters |= call->slots[s].is_counter;
    if (has_counters) {
        TG_TRY(run_phase(ctx, call, true, NULL));
        TG_TRY(tg_pool_run(ctx, call->fetcher->pool, call->n_slots, count_task, call, NULL, NULL));
    }
    call->n_groups = 0;
    TG_TRY(run_phase(ctx, call, false, phase));
    if (has_counters && call->n_jobs > 0 && call->fetcher->offsets == TG_OFFSETS_UNKNOWN)
        call->fetcher->offsets = TG_OFFSETS_STORED;
    return TAGMA_OK;
}
