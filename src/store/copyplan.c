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
    uint32_t *place_of; /* [n_columns of the schema] place; TAGMA_NONE */
    uint32_t *sorted;   /* [n_columns of the record] places by class */
    uint32_t *ends;     /* [n_classes] of sorted */
} compiler;

/* Classes of places: fixed ones by width, the widest first; lists group by group in the same way; tails. */
enum { N_WIDTHS = 4 };

static uint32_t class_of(const compiler *make, const tg_place *place)
{
    uint32_t width = 3 - (uint32_t)__builtin_ctz(place->bytes);

    if (place->kind == TG_PLACE_FIXED)
        return width;
    if (place->kind == TG_PLACE_LIST)
        return N_WIDTHS * (place->group + 1) + width;
    return N_WIDTHS * (make->record->n_groups + 1);
}

/* Places by class, in the order of the record. */
static void sort_places(compiler *make)
{
    const tagma_record_plan *record = make->record;
    uint32_t n_classes = N_WIDTHS * (record->n_groups + 1) + 1, at = 0;

    memset(make->ends, 0, n_classes * sizeof *make->ends);
    memset(make->place_of, 0xff, make->table->fields->n_columns * sizeof *make->place_of);
    for (uint32_t i = 0; i < record->n_columns; i++) {
        make->place_of[record->places[i].column] = i;
        make->ends[class_of(make, &record->places[i])]++;
    }
    for (uint32_t k = 0; k < n_classes; k++) {
        uint32_t n = make->ends[k];
        make->ends[k] = at;
        at += n;
    }
    for (uint32_t i = 0; i < record->n_columns; i++)
        make->sorted[make->ends[class_of(make, &record->places[i])]++] = i;
}

/* Where a class begins in sorted. */
static uint32_t begin_of(const compiler *make, uint32_t class)
{
    return class == 0 ? 0 : make->ends[class - 1];
}

static const tg_slot *slot_of(const compiler *make, const tg_place *place)
{
    return &make->table->slots[make->table->fields->fields[place->column]];
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

static void add_fixed(compiler *make, uint32_t i)
{
    const tg_place *place = &make->record->places[i];
    const tg_slot *slot = slot_of(make, place);
    uint32_t number = (uint32_t)(slot - make->table->slots);
    tg_copyplan *plan = make->plan;

    if (slot->kind == TG_CODE_COUNT)
        plan->counts[plan->n_counts++] = (tg_copy_place){i, number};
    else if (slot->w == 0)
        tg_fill(plan->image + place->at, tg_slot_head(&make->table->heads, slot, 0), slot->width,
                place->n_items);
    else if (!is_plain(slot))
        plan->arrays[plan->n_arrays++] = (tg_copy_place){i, number};
    else if (!is_bit(make, slot))
        plan->copies[plan->n_copies++] = copy_of(make, slot, place->at);
}

/* Bools in the order of the tile, whatever that of the record is. */
static void add_bools(compiler *make)
{
    const tg_fields *fields = make->table->fields;
    tg_copyplan *plan = make->plan;

    for (uint32_t f = 0; make->table->tile_events == 8 && f < fields->n_scalars; f++) {
        const tg_slot *slot = &make->table->slots[f];
        uint32_t place;

        if (!is_bit(make, slot) || !is_plain(slot))
            continue;
        place = make->place_of[fields->columns[f]];
        if (place == TAGMA_NONE)
            continue;
        if (plan->n_bools == 0 ||
            plan->bools[plan->n_bools - 1].at + plan->bools[plan->n_bools - 1].n != slot->at / 8)
            plan->bools[plan->n_bools++] = (tg_copy_bools){slot->at / 8, plan->n_bool_outs, 0};
        plan->bools[plan->n_bools - 1].n++;
        plan->bool_outs[plan->n_bool_outs++] = make->record->places[place].at;
    }
}

/* Scalars of the record, widest first as its fixed part is. */
static void add_scalars(compiler *make)
{
    for (uint32_t w = 0; w < N_WIDTHS; w++) {
        for (uint32_t at = begin_of(make, w); at < make->ends[w]; at++)
            add_fixed(make, make->sorted[at]);
        make->plan->copy_ends[w] = make->plan->n_copies;
    }
}

static void add_item(compiler *make, uint32_t i)
{
    const tg_place *place = &make->record->places[i];
    const tg_slot *slot = slot_of(make, place);
    tg_copyplan *plan = make->plan;

    if (slot->is_sparse)
        return;
    if (slot->w == 0 && slot->n_words == 1)
        plan->fills[plan->n_fills++] =
            (tg_copy_fill){tg_slot_head(&make->table->heads, slot, 0), place->width_before, slot->width};
    else if (is_plain(slot))
        plan->copies[plan->n_copies++] = copy_of(make, slot, place->width_before);
    else
        plan->others[plan->n_others++] = (tg_copy_place){i, (uint32_t)(slot - make->table->slots)};
}

static void add_group(compiler *make, uint32_t g)
{
    tg_copyplan *plan = make->plan;
    tg_copy_group *group = &plan->groups[g];

    *group = (tg_copy_group){.count_at = make->record->groups[g].count_at,
                             .start_at = make->record->groups[g].start_at,
                             .item_bytes = make->record->groups[g].item_bytes,
                             .first_copy = plan->n_copies,
                             .first_fill = plan->n_fills,
                             .first_other = plan->n_others};
    for (uint32_t w = 0; w < N_WIDTHS; w++) {
        uint32_t class = N_WIDTHS * (g + 1) + w;

        for (uint32_t at = begin_of(make, class); at < make->ends[class]; at++) {
            group->lists = make->table->fields->column_lists[make->record->places[make->sorted[at]].column];
            add_item(make, make->sorted[at]);
        }
        group->copy_ends[w] = plan->n_copies;
    }
    group->end_fill = plan->n_fills;
    group->end_other = plan->n_others;
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
        if (make->place_of[table->fields->columns[table->sparse[s]]] != TAGMA_NONE)
            plan->n_sparse = s + 1;
    for (uint32_t s = 0; s < plan->n_sparse; s++) {
        const tg_slot *slot = &table->slots[table->sparse[s]];
        uint32_t i = make->place_of[table->fields->columns[table->sparse[s]]];
        const tg_place *place = i == TAGMA_NONE ? NULL : &make->record->places[i];
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

static void add_nulls(compiler *make)
{
    const tg_table *table = make->table;
    tg_copyplan *plan = make->plan;

    for (uint32_t v = 0; v < table->n_nullable; v++)
        if (make->place_of[table->nullable[v]] != TAGMA_NONE)
            plan->nulls[plan->n_nulls++] =
                (tg_copy_place){make->place_of[table->nullable[v]], table->fields->n_columns + v};
}

static void compile(compiler *make)
{
    const tagma_record_plan *record = make->record;
    tg_copyplan *plan = make->plan;
    tg_record_head head = {.tag = record->tag};
    uint32_t tails = N_WIDTHS * (record->n_groups + 1);

    memset(plan->image, 0, plan->fixed_bytes);
    memcpy(plan->image, &head, sizeof head);
    sort_places(make);
    add_scalars(make);
    add_bools(make);
    plan->n_groups = record->n_groups;
    for (uint32_t g = 0; g < record->n_groups; g++)
        add_group(make, g);
    for (uint32_t at = begin_of(make, tails); at < make->ends[tails]; at++)
        plan->tails[plan->n_tails++] = (tg_copy_place){
            make->sorted[at], make->table->fields->fields[record->places[make->sorted[at]].column]};
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

static uint64_t lay_out(tg_copyplan *plan, const tg_table *table, const tagma_record_plan *record,
                        uintptr_t block)
{
    uint64_t n_lists = table->fields->n_lists, n_kind[3] = {0};
    uintptr_t room = block;

    for (uint32_t i = 0; i < record->n_columns; i++)
        n_kind[record->places[i].kind]++;
    plan->image = take(&room, plan->fixed_bytes, 1);
    plan->copies = take(&room, n_kind[TG_PLACE_FIXED] + n_kind[TG_PLACE_LIST], sizeof *plan->copies);
    plan->bools = take(&room, n_kind[TG_PLACE_FIXED], sizeof *plan->bools);
    plan->bool_outs = take(&room, n_kind[TG_PLACE_FIXED], sizeof *plan->bool_outs);
    plan->counts = take(&room, n_kind[TG_PLACE_FIXED], sizeof *plan->counts);
    plan->arrays = take(&room, n_kind[TG_PLACE_FIXED], sizeof *plan->arrays);
    plan->tails = take(&room, n_kind[TG_PLACE_TAIL], sizeof *plan->tails);
    plan->nulls = take(&room, table->n_nullable, sizeof *plan->nulls);
    plan->groups = take(&room, record->n_groups, sizeof *plan->groups);
    plan->fills = take(&room, n_kind[TG_PLACE_LIST], sizeof *plan->fills);
    plan->others = take(&room, n_kind[TG_PLACE_LIST], sizeof *plan->others);
    plan->sparse = take(&room, table->n_sparse, sizeof *plan->sparse);
    plan->sparse_runs = take(&room, table->n_sparse, sizeof *plan->sparse_runs);
    plan->lists = take(&room, n_lists, sizeof *plan->lists);
    plan->first = take(&room, n_lists, sizeof *plan->first);
    plan->count = take(&room, n_lists, sizeof *plan->count);
    plan->starts = take(&room, record->n_groups, sizeof *plan->starts);
    plan->filled = take(&room, record->n_groups, sizeof *plan->filled);
    plan->presence = take(&room, (uint64_t)table->n_sparse + 1, sizeof *plan->presence);
    plan->rests = take(&room, (uint64_t)table->n_sparse + 1, sizeof *plan->rests);
    return room - block;
}

/* Was the record planned for columns like these? */
static bool is_of(const tagma_record_plan *record, const tg_fields *fields)
{
    const tagma_column *columns = tg_schema_columns(fields->schema);

    for (uint32_t i = 0; i < record->n_columns; i++) {
        const tg_place *place = &record->places[i];
        const tagma_column *column = &columns[place->column];

        if (place->column >= fields->n_columns || (uint32_t)column->type != place->type ||
            column->n_items != place->n_items || column->n_lists != place->n_lists ||
            (place->kind == TG_PLACE_LIST && record->groups[place->group].collection != column->collection))
            return false;
    }
    return true;
}

tagma_status tg_copyplan_compile(tagma_ctx *ctx, const tg_table *table, const tagma_record_plan *record,
                                 tg_copyplan *out)
{
    compiler make = {.table = table, .record = record, .plan = out};

    memset(out, 0, sizeof *out);
    if (!is_of(record, table->fields))
        return tg_fail(ctx, TAGMA_E_ARG, "a record planned for other events");
    out->table = table;
    out->fixed_bytes = record->fixed_bytes;
    out->block = tg_alloc(ctx, 1, lay_out(out, table, record, 0));
    make.place_of = tg_alloc(ctx,
                             (uint64_t)table->fields->n_columns + record->n_columns +
                                 N_WIDTHS * ((uint64_t)record->n_groups + 1) + 1,
                             sizeof *make.place_of);
    if (!out->block || !make.place_of) {
        tg_free(ctx, make.place_of);
        tg_copyplan_free(ctx->account, out);
        return TAGMA_E_MEMORY;
    }
    make.sorted = make.place_of + table->fields->n_columns;
    make.ends = make.sorted + record->n_columns;
    (void)lay_out(out, table, record, (uintptr_t)out->block);
    compile(&make);
    tg_free(ctx, make.place_of);
    out->tag = record->tag;
    return TAGMA_OK;
}

void tg_copyplan_free(tg_account *account, tg_copyplan *plan)
{
    tg_account_free(account, plan->block);
    memset(plan, 0, sizeof *plan);
}
