/* SPDX-License-Identifier: Apache-2.0
 * Compiling a copy plan. */
#include "store/copyplan.h"

#include "base/num.h"
#include "event/schema.h"

static uint64_t aligned(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

/* What compiling needs beside the plan. */
typedef struct compiler {
    const tg_table *table;
    const tagma_record_plan *record;
    tg_copyplan *plan;
    uint32_t *
        place_of; /* [n_columns of the schema] place; TAGMA_NONE. NULL where each column has the place of its number */
} compiler;

enum { N_WIDTHS = 4 };

/* The place of a field; NULL where nobody asked for it. */
static const tg_place *place_of(const compiler *make, uint32_t field)
{
    uint32_t c = make->table->fields->columns[field], i = make->place_of ? make->place_of[c] : c;

    return i == TAGMA_NONE ? NULL : &make->record->places[i];
}

static uint32_t number_of(const compiler *make, const tg_place *place)
{
    return (uint32_t)(place - make->record->places);
}

/* In a tile of 8 events a bool is a byte, bit k of it event k's. */
static bool is_bit(const compiler *make, const tg_slot *slot)
{
    return make->table->tile_events == 8 && slot->width == 0 && slot->w == 1 && slot->m == 1 &&
           slot->tz == 0 && make->table->heads.one[slot->head] == 0;
}

static bool is_plain(const tg_slot *slot)
{
    return slot->n_words == 1 && slot->w <= TG_BITS_NEAR && slot->kind != TG_CODE_DECIMAL;
}

static tg_copy copy_of(const compiler *make, const tg_slot *slot, uint32_t out)
{
    const tg_heads *heads = &make->table->heads;
    const void *first[] = {heads->one + slot->head, heads->two + slot->head, heads->four + slot->head,
                           heads->eight + slot->head};

    return (tg_copy){.heads = first[slot->width],
                     .at = slot->at,
                     .out = out,
                     .low = (uint32_t)tg_bits_mask(slot->m),
                     .top = (uint16_t)tg_bits_mask((uint32_t)slot->w - slot->m),
                     .w = slot->w,
                     .m = slot->m,
                     .tz = slot->tz};
}

/* Bools side by side in the tile make a run. */
static void add_bit(tg_copyplan *plan, const tg_slot *slot, uint32_t out)
{
    tg_copy_bools *last = &plan->bools[plan->n_bools];

    if (plan->n_bools == 0 || last[-1].at + last[-1].n != slot->at / 8) {
        *last = (tg_copy_bools){slot->at / 8, plan->n_bool_outs, 0};
        plan->n_bools++;
        last++;
    }
    last[-1].n++;
    plan->bool_outs[plan->n_bool_outs++] = out;
}

static void add_scalar(const compiler *make, uint32_t field)
{
    const tg_place *place = place_of(make, field);
    const tg_slot *slot = &make->table->slots[field];
    tg_copyplan *plan = make->plan;

    if (!place)
        return;
    if (slot->kind == TG_CODE_COUNT)
        plan->counts[plan->n_counts++] = (tg_copy_place){number_of(make, place), field};
    else if (slot->w == 0)
        tg_fill(plan->image + place->at, tg_slot_head(&make->table->heads, slot, 0), slot->width,
                place->n_items);
    else if (!is_plain(slot))
        plan->arrays[plan->n_arrays++] = (tg_copy_place){number_of(make, place), field};
    else if (is_bit(make, slot))
        add_bit(plan, slot, place->at);
    else
        plan->copies[plan->n_copies++] = copy_of(make, slot, place->at);
}

/* Fields of scalars stand by width, the widest first, as the fixed part of a record does. */
static void add_scalars(const compiler *make)
{
    const tg_table *table = make->table;
    uint32_t field = 0;

    for (uint32_t w = 0; w < N_WIDTHS; w++) {
        for (; field < table->fields->n_scalars && N_WIDTHS - 1U - table->slots[field].width == w; field++)
            add_scalar(make, field);
        make->plan->copy_ends[w] = make->plan->n_copies;
    }
}

static void add_item(const compiler *make, uint32_t field, const tg_place *place)
{
    const tg_slot *slot = &make->table->slots[field];
    tg_copyplan *plan = make->plan;

    if (slot->is_sparse)
        return;
    if (slot->w == 0 && slot->n_words == 1)
        plan->fills[plan->n_fills++] =
            (tg_copy_fill){tg_slot_head(&make->table->heads, slot, 0), place->width_before, slot->width};
    else if (is_plain(slot))
        plan->copies[plan->n_copies++] = copy_of(make, slot, place->width_before);
    else
        plan->others[plan->n_others++] = (tg_copy_place){number_of(make, place), field};
}

/* Fields of a lists whose places are items of a group. */
static void add_lists(const compiler *make, uint32_t l)
{
    const tg_lists *lists = &make->table->fields->lists[l];
    uint32_t end = lists->first_field + lists->n_fields;
    tg_copyplan *plan = make->plan;
    tg_copy_group group = {
        .lists = l, .first_copy = plan->n_copies, .first_fill = plan->n_fills, .first_other = plan->n_others};
    const tg_place *member = NULL;

    for (uint32_t w = 0; w < N_WIDTHS; w++) {
        for (uint32_t field = lists->first_field; field < end; field++) {
            const tg_place *place = place_of(make, field);

            if (!place || place->kind != TG_PLACE_LIST || place->bytes << w != 1U << (N_WIDTHS - 1))
                continue;
            add_item(make, field, place);
            member = place;
        }
        group.copy_ends[w] = plan->n_copies;
    }
    group.end_fill = plan->n_fills;
    group.end_other = plan->n_others;
    if (!member)
        return;
    group.count_at = make->record->groups[member->group].count_at;
    group.start_at = make->record->groups[member->group].start_at;
    group.item_bytes = make->record->groups[member->group].item_bytes;
    plan->groups[member->group] = group;
}

/* Runs of sparse fields share lists, width and kind. */
static void add_to_run(compiler *make, uint32_t s, uint32_t width, uint32_t group)
{
    tg_copyplan *plan = make->plan;
    tg_copy_sparse_run run = {make->table->sparse_lists[s], group, s, s + 1, width, plan->sparse[s].is_odd};

    if (plan->n_sparse_runs > 0) {
        tg_copy_sparse_run *last = &plan->sparse_runs[plan->n_sparse_runs - 1];

        if (last->lists == run.lists && last->width == run.width && last->are_odd == run.are_odd) {
            last->end = run.end;
            last->group = group == TAGMA_NONE ? last->group : group;
            return;
        }
    }
    plan->sparse_runs[plan->n_sparse_runs++] = run;
}

/* Sparse fields in the order of their presence bits, up to the last that anybody wants. */
static void add_sparse(compiler *make)
{
    const tg_table *table = make->table;
    tg_copyplan *plan = make->plan;

    for (uint32_t s = 0; s < table->n_sparse; s++)
        if (place_of(make, table->sparse[s]))
            plan->n_sparse = s + 1;
    for (uint32_t s = 0; s < plan->n_sparse; s++) {
        const tg_slot *slot = &table->slots[table->sparse[s]];
        const tg_place *place = place_of(make, table->sparse[s]);
        bool is_item = place && place->kind == TG_PLACE_LIST, is_kept = place && !is_item;

        plan->sparse[s] =
            (tg_copy_sparse){.word = copy_of(make, slot, is_item ? place->width_before : TAGMA_NONE),
                             .common = tg_slot_common(&table->heads, slot),
                             .slot = table->sparse[s],
                             .n_words = slot->n_words,
                             .is_odd = !is_plain(slot) || is_kept,
                             .is_kept = is_kept};
        add_to_run(make, s, slot->width, is_item ? place->group : TAGMA_NONE);
    }
}

static void add_tails(const compiler *make)
{
    const tagma_record_plan *record = make->record;
    tg_copyplan *plan = make->plan;

    for (uint32_t i = 0; i < record->n_columns; i++)
        if (record->places[i].kind == TG_PLACE_TAIL)
            plan->tails[plan->n_tails++] =
                (tg_copy_place){i, make->table->fields->fields[record->places[i].column]};
}

static void add_nulls(const compiler *make)
{
    const tg_table *table = make->table;
    tg_copyplan *plan = make->plan;

    for (uint32_t v = 0; v < table->n_nullable; v++) {
        const tg_place *place = place_of(make, table->fields->fields[table->nullable[v]]);

        if (place)
            plan->nulls[plan->n_nulls++] =
                (tg_copy_place){number_of(make, place), table->fields->n_columns + v};
    }
}

/* What the record has, by kind; and how each field of it is read. */
typedef struct tally {
    uint64_t n_tails, n_bits, n_counts, n_arrays, n_copies, n_fills, n_others;
} tally;

static void compile(compiler *make, const tally *n)
{
    tg_copyplan *plan = make->plan;
    tg_record_head head = {.tag = make->record->tag};

    memset(plan->image, 0, plan->fixed_bytes);
    memcpy(plan->image, &head, sizeof head);
    add_scalars(make);
    plan->n_groups = make->record->n_groups;
    for (uint32_t l = 0; l < make->table->fields->n_lists; l++)
        add_lists(make, l);
    if (n->n_tails > 0)
        add_tails(make);
    add_sparse(make);
    add_nulls(make);
}

/* The plan's arrays stand one behind the other in a block; measured from 0 on before there is one. */
static void *take(uintptr_t *at, uint64_t n, uint64_t width)
{
    uintptr_t here = *at;

    *at += aligned(n * width);
    return (void *)here;
}

/* As long as what is in them, so that a first event touches no more memory than it needs. */
static uint64_t lay_out(tg_copyplan *plan, const tg_table *table, const tagma_record_plan *record,
                        const tally *n, uintptr_t block)
{
    uint64_t n_lists = table->fields->n_lists;
    uintptr_t room = block;

    plan->image = take(&room, plan->fixed_bytes, 1);
    plan->copies = take(&room, n->n_copies, sizeof *plan->copies);
    plan->bool_outs = take(&room, n->n_bits, sizeof *plan->bool_outs);
    plan->counts = take(&room, n->n_counts, sizeof *plan->counts);
    plan->arrays = take(&room, n->n_arrays, sizeof *plan->arrays);
    plan->tails = take(&room, n->n_tails, sizeof *plan->tails);
    plan->nulls = take(&room, table->n_nullable, sizeof *plan->nulls);
    plan->groups = take(&room, record->n_groups, sizeof *plan->groups);
    plan->fills = take(&room, n->n_fills, sizeof *plan->fills);
    plan->others = take(&room, n->n_others, sizeof *plan->others);
    plan->sparse = take(&room, table->n_sparse, sizeof *plan->sparse);
    plan->sparse_runs = take(&room, table->n_sparse, sizeof *plan->sparse_runs);
    plan->lists = take(&room, n_lists, sizeof *plan->lists);
    plan->first = take(&room, n_lists, sizeof *plan->first);
    plan->count = take(&room, n_lists, sizeof *plan->count);
    plan->starts = take(&room, record->n_groups, sizeof *plan->starts);
    plan->filled = take(&room, record->n_groups, sizeof *plan->filled);
    plan->presence = take(&room, (uint64_t)table->n_sparse + 1, sizeof *plan->presence);
    plan->rests = take(&room, (uint64_t)table->n_sparse + 1, sizeof *plan->rests);
    plan->bools =
        take(&room, n->n_bits, sizeof *plan->bools); /* mostly few runs: what is left is not touched */
    return room - block;
}

/* How many of the table's fields are read in which way, whoever asks for them. */
static void count_fields(const compiler *make, tally *n)
{
    const tg_table *table = make->table;

    for (uint32_t f = 0; f < table->fields->n_columns; f++) {
        const tg_slot *slot = &table->slots[f];

        if (slot->is_sparse)
            continue;
        if (f < table->fields->n_scalars) {
            n->n_counts += slot->kind == TG_CODE_COUNT;
            n->n_arrays += slot->w > 0 && !is_plain(slot);
            n->n_bits += is_plain(slot) && is_bit(make, slot);
        } else {
            n->n_fills += slot->w == 0 && slot->n_words == 1;
            n->n_others += !is_plain(slot);
        }
        n->n_copies += slot->w > 0 && is_plain(slot);
    }
    n->n_copies -= n->n_bits;
}

/* Was the record planned for columns like these? *is_whole: for all of them, in their order. */
static bool is_of(const tagma_record_plan *record, const tg_fields *fields, bool *is_whole, uint64_t *n_tails)
{
    *is_whole = record->n_columns == fields->n_columns;
    for (uint32_t i = 0; i < record->n_columns; i++) {
        const tg_place *place = &record->places[i];
        const tg_shape *shape;

        if (place->column >= fields->n_columns)
            return false;
        shape = &fields->shapes[place->column];
        if (shape->type != place->type || shape->n_items != place->n_items ||
            shape->n_lists != place->n_lists ||
            (place->kind == TG_PLACE_LIST && record->groups[place->group].collection != shape->collection))
            return false;
        *is_whole &= place->column == i;
        *n_tails += place->kind == TG_PLACE_TAIL;
    }
    return true;
}

static tagma_status find_places(tagma_ctx *ctx, compiler *make)
{
    uint64_t n = make->table->fields->n_columns;

    make->place_of = tg_alloc(ctx, n, sizeof *make->place_of);
    if (!make->place_of)
        return TAGMA_E_MEMORY;
    memset(make->place_of, 0xff, n * sizeof *make->place_of); /* TAGMA_NONE */
    for (uint32_t i = 0; i < make->record->n_columns; i++)
        make->place_of[make->record->places[i].column] = i;
    return TAGMA_OK;
}

tagma_status tg_copyplan_compile(tagma_ctx *ctx, const tg_table *table, const tagma_record_plan *record,
                                 tg_copyplan *out)
{
    compiler make = {.table = table, .record = record, .plan = out};
    tally n = {0};
    bool is_whole;

    memset(out, 0, sizeof *out);
    if (!is_of(record, table->fields, &is_whole, &n.n_tails))
        return tg_fail(ctx, TAGMA_E_ARG, "a record planned for other events");
    if (!is_whole)
        TG_TRY(find_places(ctx, &make));
    count_fields(&make, &n);
    out->table = table;
    out->fixed_bytes = record->fixed_bytes;
    out->block = tg_alloc(ctx, 1, lay_out(out, table, record, &n, 0));
    if (!out->block) {
        tg_free(ctx, make.place_of);
        tg_copyplan_free(ctx->account, out);
        return TAGMA_E_MEMORY;
    }
    (void)lay_out(out, table, record, &n, (uintptr_t)out->block);
    compile(&make, &n);
    tg_free(ctx, make.place_of);
    out->tag = record->tag;
    return TAGMA_OK;
}

void tg_copyplan_free(tg_account *account, tg_copyplan *plan)
{
    tg_account_free(account, plan->block);
    memset(plan, 0, sizeof *plan);
}
