/* SPDX-License-Identifier: Apache-2.0
 * Running a copy plan: one event of a tile into a record. */
#include "base/num.h"
#include "store/copyplan.h"
#include "store/texts.h"

static uint64_t aligned(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

/* One event on its way into a record. */
typedef struct running {
    tg_copyplan *plan;
    const tg_table *table;
    const tagma_record_plan *record;
    const tg_tile *tile;
    uint32_t k;
    uint8_t *bytes;
    uint64_t at; /* end of the tail so far */
} running;

static tagma_status fail_tile(tagma_ctx *ctx)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "its lists do not fit into it");
}

static tg_tile_texts texts_at(const running *run, uint32_t l)
{
    return (tg_tile_texts){run->table, run->tile, l, run->plan->lists[l].ends_at};
}

/* Items of this event in each lists. Lists of lists: those of all its items. Of strings that are numbers of texts `first` is the first
 * string, and `count` their bytes. */
static inline __attribute__((always_inline)) tagma_status find_items_of(tagma_ctx *ctx, const running *run,
                                                                        bool any_texts)
{
    const tg_fields *fields = run->table->fields;
    tg_copyplan *plan = run->plan;

    for (uint32_t l = 0; l < fields->n_lists; l++) {
        const tg_lists *lists = &fields->lists[l];
        const tg_tile_lists *here = &plan->lists[l];
        uint64_t lo = run->k, hi = (uint64_t)run->k + 1;
        uint32_t first, end;

        if (lists->parent != TAGMA_NONE) {
            lo = plan->first[lists->parent];
            hi = lo + plan->count[lists->parent];
        }
        if (any_texts && run->table->lists[l].are_texts) {
            const tg_tile_texts texts = texts_at(run, l);
            uint64_t bytes = 0;

            lo *= lists->per_parent;
            TG_TRY(tg_texts_measure(ctx, &texts, lo, hi * lists->per_parent - lo, &bytes));
            plan->first[l] = (uint32_t)lo;
            plan->count[l] = (uint32_t)bytes;
            continue;
        }
        first = tg_tile_end(run->tile, &run->table->lists[l], here->ends_at, lo * lists->per_parent);
        end = tg_tile_end(run->tile, &run->table->lists[l], here->ends_at, hi * lists->per_parent);
        if (first > end || end > here->n_items)
            return fail_tile(ctx);
        plan->first[l] = first;
        plan->count[l] = end - first;
    }
    return TAGMA_OK;
}

/* Most stores have no texts, and ask for none list by list. */
static tagma_status find_items(tagma_ctx *ctx, const running *run)
{
    return run->table->n_text_columns > 0 ? find_items_of(ctx, run, true) : find_items_of(ctx, run, false);
}

static bool is_null(const running *run, const tg_copy_place *null)
{
    uint8_t value;
    const tg_slot *slot = &run->table->slots[null->slot];

    tg_decode(&run->table->heads, slot, run->tile->words, slot->at + (uint64_t)run->k * slot->w, 1, &value);
    return !(value & 1);
}

/* How many items each group tells: of the event's lists, but none where all its columns are null. */
static void count_groups(running *run)
{
    tg_copyplan *plan = run->plan;

    for (uint32_t g = 0; g < plan->n_groups; g++)
        plan->filled[g] = plan->count[plan->groups[g].lists];
    for (uint32_t g = 0; plan->n_nulls > 0 && g < plan->n_groups; g++) {
        uint32_t n_places = 0, n_null = 0;

        for (uint32_t i = 0; i < run->record->n_columns; i++)
            n_places += run->record->places[i].kind == TG_PLACE_LIST && run->record->places[i].group == g;
        for (uint32_t i = 0; i < plan->n_nulls; i++) {
            const tg_place *place = &run->record->places[plan->nulls[i].place];
            n_null += place->kind == TG_PLACE_LIST && place->group == g && is_null(run, &plan->nulls[i]);
        }
        if (n_null == n_places)
            plan->filled[g] = 0;
    }
    for (uint32_t g = 0; g < plan->n_groups; g++) {
        plan->starts[g] = (uint32_t)run->at;
        run->at = aligned(run->at + (uint64_t)plan->filled[g] * plan->groups[g].item_bytes);
    }
}

/* Offsets of one level of a tail column, begun anew at 0. */
static void put_offsets(const running *run, uint32_t l, uint64_t lo, uint64_t hi)
{
    const tg_table_lists *lists = &run->table->lists[l];
    uint64_t ends_at = run->plan->lists[l].ends_at;
    uint32_t first, last = 0;
    uint8_t *to = run->bytes + run->at;

    if (lists->are_texts) {
        const tg_tile_texts texts = texts_at(run, l);

        memcpy(to, &last, sizeof last);
        tg_texts_ends(&texts, lo, hi - lo, 0, to + sizeof last);
        return;
    }
    first = tg_tile_end(run->tile, lists, ends_at, lo);
    for (uint64_t i = lo; i <= hi; i++, to += sizeof last) {
        uint32_t v = tg_tile_end(run->tile, lists, ends_at, i) - first;

        last = v > last && v <= run->plan->count[l] ? v : last; /* ends that fall are no ends */
        memcpy(to, &last, sizeof last);
    }
}

/* n values of a tail column from item `first` of lists l on; of texts from string `first` on, of so many strings. */
static void put_values(const running *run, const tg_slot *slot, uint32_t l, uint64_t first, uint64_t n,
                       uint64_t n_strings)
{
    const tg_heads *heads = &run->table->heads;
    const tg_tile_lists *here = &run->plan->lists[l];
    const tg_tile_texts texts = texts_at(run, l);
    uint8_t *to = run->bytes + run->at;

    if (slot->kind == TG_CODE_TEXTS)
        tg_texts_copy(&texts, first, n_strings, to);
    else if (slot->is_sparse)
        tg_decode_sparse(heads, slot, run->tile->words, run->plan->presence[slot->at],
                         run->plan->rests[slot->at], first * slot->n_words, n, to);
    else
        tg_decode(heads, slot, run->tile->words,
                  here->items_at + (uint64_t)here->n_items * slot->at + first * slot->n_words * slot->w, n,
                  to);
}

/* Strings, lists of lists: their levels from the outside in, then the values. bytes NULL: only measured. */
static void put_tail(running *run, const tg_copy_place *it, bool has_value)
{
    const tg_place *place = &run->record->places[it->place];
    const tg_fields *fields = run->table->fields;
    const tg_slot *slot = &run->table->slots[it->slot];
    uint32_t chain[TAGMA_MAX_LISTS + 1] = {0}, depth = 0, l = TAGMA_NONE;
    uint64_t lo = run->k, n = 1, n_strings = 0;
    tg_tail tail = {.start = (uint32_t)run->at};

    for (l = fields->column_lists[place->column]; l != TAGMA_NONE; l = fields->lists[l].parent)
        chain[depth++] = l;
    for (uint32_t level = 0; level < tg_place_levels(place); level++) {
        l = chain[depth - 1 - level];
        lo *= fields->lists[l].per_parent;
        n *= fields->lists[l].per_parent;
        n_strings = n;
        if (level > 0 || place->n_lists == 0) {
            if (run->bytes && has_value)
                put_offsets(run, l, lo, lo + n);
            else if (run->bytes)
                memset(run->bytes + run->at, 0, (n + 1) * sizeof(uint32_t));
            run->at += (n + 1) * sizeof(uint32_t);
        }
        lo = run->plan->first[l];
        n = has_value ? run->plan->count[l] : 0;
        if (level == 0 && place->n_lists > 0)
            tail.n_lists0 = (uint32_t)n;
    }
    n *= slot->n_words;
    run->at = aligned(run->at);
    tail.values = (uint32_t)run->at;
    tail.n_values = (uint32_t)n;
    if (run->bytes) {
        if (n > 0)
            put_values(run, slot, l, lo, n, n_strings);
        memcpy(run->bytes + place->at, &tail, sizeof tail);
    }
    run->at = aligned(run->at + n * place->bytes);
}

static void put_tails(running *run)
{
    const tg_copyplan *plan = run->plan;

    for (uint32_t i = 0; i < plan->n_tails; i++) {
        bool has_value = true;

        for (uint32_t v = 0; v < plan->n_nulls; v++)
            if (plan->nulls[v].place == plan->tails[i].place && is_null(run, &plan->nulls[v]))
                has_value = false;
        put_tail(run, &plan->tails[i], has_value);
    }
}

/* The value of the word that begins at a bit, to anywhere. The width (log2 of its bytes) is known where this is used. */
static inline __attribute__((always_inline)) uint64_t value_of(const tg_copy *op, const uint8_t *words,
                                                               uint64_t at, uint32_t width)
{
    uint64_t c = tg_le64(words + at / 8) >> (at % 8), head = c >> op->m & op->top;

    if (width == 3)
        return ((const uint64_t *)op->heads)[head] + ((c & ((UINT64_C(1) << op->m) - 1)) << op->tz);
    if (width == 2)
        return ((const uint32_t *)op->heads)[head] + (((uint32_t)c & op->low) << op->tz);
    if (width == 1)
        return ((const uint16_t *)op->heads)[head] + (((uint32_t)c & op->low) << op->tz);
    return ((const uint8_t *)op->heads)[head] + (((uint32_t)c & op->low) << op->tz);
}

static inline __attribute__((always_inline)) void put_value(uint8_t *to, uint64_t value, uint32_t width)
{
    if (width == 3) {
        memcpy(to, &value, sizeof value);
    } else if (width == 2) {
        uint32_t v = (uint32_t)value;
        memcpy(to, &v, sizeof v);
    } else if (width == 1) {
        uint16_t v = (uint16_t)value;
        memcpy(to, &v, sizeof v);
    } else {
        *to = (uint8_t)value;
    }
}

/* One word of event k for each operation. What is used again is copied: a byte written may be anything to the compiler. */
static inline __attribute__((always_inline)) void put_scalars_of(const running *run, const tg_copy *op,
                                                                 const tg_copy *end, uint32_t width)
{
    const uint8_t *words = run->tile->words;
    uint8_t *bytes = run->bytes;
    uint64_t k = run->k;

    for (; op < end; op++)
        put_value(bytes + op->out, value_of(op, words, op->at + k * op->w, width), width);
}

static void put_bools(const running *run)
{
    const tg_copyplan *plan = run->plan;

    for (uint32_t r = 0; r < plan->n_bools; r++) {
        const uint8_t *from = run->tile->words + plan->bools[r].at;
        const uint32_t *outs = plan->bool_outs + plan->bools[r].first;
        uint32_t n = plan->bools[r].n, i = 0;

        for (; i + 8 <= n; i += 8) {
            uint64_t eight = tg_le64(from + i) >> run->k & UINT64_C(0x0101010101010101);

            for (uint32_t b = 0; b < 8; b++)
                run->bytes[outs[i + b]] = (uint8_t)(eight >> 8 * b);
        }
        for (; i < n; i++)
            run->bytes[outs[i]] = from[i] >> run->k & 1;
    }
}

static void put_scalars(const running *run)
{
    const tg_copyplan *plan = run->plan;
    const tg_copy *copies = plan->copies;

    put_scalars_of(run, copies, copies + plan->copy_ends[0], 3);
    put_scalars_of(run, copies + plan->copy_ends[0], copies + plan->copy_ends[1], 2);
    put_scalars_of(run, copies + plan->copy_ends[1], copies + plan->copy_ends[2], 1);
    put_scalars_of(run, copies + plan->copy_ends[2], copies + plan->copy_ends[3], 0);
    put_bools(run);
    for (uint32_t i = 0; i < plan->n_arrays; i++) {
        const tg_slot *slot = &run->table->slots[plan->arrays[i].slot];
        tg_decode(&run->table->heads, slot, run->tile->words,
                  slot->at + (uint64_t)run->k * slot->n_words * slot->w, slot->n_words,
                  run->bytes + run->record->places[plan->arrays[i].place].at);
    }
    for (uint32_t i = 0; i < plan->n_counts; i++) {
        const tg_place *place = &run->record->places[plan->counts[i].place];

        uint32_t count = plan->count[run->table->fields->column_count[place->column]];

        if (place->bytes == sizeof count)
            memcpy(run->bytes + place->at, &count, sizeof count);
        else
            tg_fill(run->bytes + place->at, count, run->table->slots[plan->counts[i].slot].width, 1);
    }
}

/* Items of a group in one event. */
typedef struct items {
    uint64_t at;     /* bit where the words of the lists' items begin */
    uint64_t n_tile; /* items of the tile */
    uint64_t first;
    uint32_t n; /* not 0 */
    uint8_t *to;
} items;

/* Few items: one after the other, all operations for each, so that no short loop stands in a long one. */
static inline __attribute__((always_inline)) void
put_few_of(const running *run, const items *all, const tg_copy *first, const tg_copy *end, uint32_t width)
{
    const uint8_t *words = run->tile->words;
    const items it = *all;

    for (uint32_t i = 0; i < it.n; i++) {
        uint64_t item = it.first + i;
        uint8_t *to = it.to + ((uint64_t)i << width);

        for (const tg_copy *op = first; op < end; op++)
            put_value(to + (uint64_t)it.n * op->out,
                      value_of(op, words, it.at + it.n_tile * op->at + item * op->w, width), width);
    }
}

static inline __attribute__((always_inline)) void
put_many_of(const running *run, const items *all, const tg_copy *from, const tg_copy *end, uint32_t width)
{
    const uint8_t *words = run->tile->words;
    const items it = *all;

    for (; from < end; from++) {
        const tg_copy op = *from;
        uint64_t at = it.at + it.n_tile * op.at + it.first * op.w;
        uint8_t *to = it.to + (uint64_t)it.n * op.out, *behind = to + ((uint64_t)it.n << width);

        for (; to < behind; to += 1U << width, at += op.w)
            put_value(to, value_of(&op, words, at, width), width);
    }
}

static inline __attribute__((always_inline)) void
put_items_of(const running *run, const items *it, const tg_copy *op, const tg_copy *end, uint32_t width)
{
    enum { FEW = 6 };

    if (it->n <= FEW)
        put_few_of(run, it, op, end, width);
    else
        put_many_of(run, it, op, end, width);
}

/* The same value n times; few as a rule. */
static inline void put_common(uint8_t *to, uint64_t value, uint32_t width, uint64_t n)
{
    if (width == 2) {
        uint32_t v = (uint32_t)value;
        for (uint64_t i = 0; i < n; i++)
            memcpy(to + 4 * i, &v, sizeof v);
    } else if (width == 0) {
        for (uint64_t i = 0; i < n; i++)
            to[i] = (uint8_t)value;
    } else {
        tg_fill(to, value, width, n);
    }
}

static void put_group(const running *run, const tg_copy_group *group, const items *it)
{
    const tg_copyplan *plan = run->plan;
    const tg_copy *copies = plan->copies;
    const tg_table *table = run->table;

    put_items_of(run, it, copies + group->first_copy, copies + group->copy_ends[0], 3);
    put_items_of(run, it, copies + group->copy_ends[0], copies + group->copy_ends[1], 2);
    put_items_of(run, it, copies + group->copy_ends[1], copies + group->copy_ends[2], 1);
    put_items_of(run, it, copies + group->copy_ends[2], copies + group->copy_ends[3], 0);
    for (uint32_t i = group->first_fill; i < group->end_fill; i++)
        put_common(it->to + (uint64_t)it->n * plan->fills[i].out, plan->fills[i].value, plan->fills[i].width,
                   it->n);
    for (uint32_t i = group->first_other; i < group->end_other; i++) {
        const tg_slot *slot = &table->slots[plan->others[i].slot];

        tg_decode(&table->heads, slot, run->tile->words,
                  it->at + it->n_tile * slot->at + it->first * slot->n_words * slot->w,
                  (uint64_t)it->n * slot->n_words,
                  it->to + (uint64_t)it->n * run->record->places[plan->others[i].place].width_before);
    }
}

static void put_groups(const running *run)
{
    const tg_copyplan *plan = run->plan;

    for (uint32_t g = 0; g < plan->n_groups; g++) {
        const tg_copy_group *group = &plan->groups[g];
        const tg_tile_lists *lists = &plan->lists[group->lists];
        items it = {.at = lists->items_at,
                    .n_tile = lists->n_items,
                    .first = plan->first[group->lists],
                    .n = plan->filled[g],
                    .to = run->bytes + plan->starts[g]};

        memcpy(run->bytes + group->count_at, &plan->filled[g], sizeof it.n);
        memcpy(run->bytes + group->start_at, &plan->starts[g], sizeof it.n);
        if (it.n > 0)
            put_group(run, group, &it);
    }
}

/* Sparse fields on their way: where the presence bits and words of the next one begin, and the items of its lists. */
typedef struct sparse_walk {
    const running *run;
    uint64_t presence, rests;
    uint64_t n_tile, first, n; /* n: items of this event that the record tells */
    uint8_t *to;               /* the group's begin in the record */
} sparse_walk;

/* Values of a sparse field in one event, whose presence bits are given and whose words begin at a bit. Few: the word that an item
 * would have is looked at even where it has none, since that costs less than to guess. */
static inline __attribute__((always_inline)) void
put_sparse_of(const sparse_walk *walk, const tg_copy_sparse *op, uint64_t bits, uint64_t at, uint32_t width)
{
    enum { FEW = 8 };
    const uint8_t *words = walk->run->tile->words;
    const tg_copy word = op->word;
    uint64_t common = op->common, n = walk->n;
    uint8_t *to = walk->to + n * word.out;

    if (n <= FEW) {
        for (; n > 0; n--, bits >>= 1, to += 1U << width) {
            uint64_t value = value_of(&word, words, at, width);

            put_value(to, bits & 1 ? value : common, width);
            at += bits & 1 ? word.w : 0;
        }
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        put_value(to + (i << width), common, width);
    for (bits &= (UINT64_C(1) << n) - 1; bits != 0; bits &= bits - 1, at += word.w)
        put_value(to + ((uint64_t)__builtin_ctzll(bits) << width), value_of(&word, words, at, width), width);
}

/* Fields with few items in the tile, a word each: one load has all presence bits. */
static inline __attribute__((always_inline)) bool put_run_of(sparse_walk *state, const tg_copy_sparse *op,
                                                             const tg_copy_sparse *end, uint32_t width)
{
    sparse_walk walk = *state;
    const uint8_t *words = walk.run->tile->words;
    uint64_t n_bits = walk.run->tile->n_bits, before = (UINT64_C(1) << walk.first) - 1;

    for (; op < end; op++) {
        uint64_t bits = tg_bits_near(words, walk.presence, (uint32_t)walk.n_tile), at = walk.rests;

        walk.presence += walk.n_tile;
        walk.rests += (uint64_t)__builtin_popcountll(bits) * op->word.w;
        if (walk.rests > n_bits)
            return false;
        if (walk.n > 0 && op->word.out != TAGMA_NONE)
            put_sparse_of(&walk, op, bits >> walk.first,
                          at + (uint64_t)__builtin_popcountll(bits & before) * op->word.w, width);
    }
    *state = walk;
    return true;
}

static bool put_any(sparse_walk *walk, const tg_copy_sparse *op)
{
    const running *run = walk->run;
    uint64_t n = walk->n_tile * op->n_words;
    uint64_t end = walk->rests + tg_bits_count(run->tile->words, walk->presence, n) * op->word.w;

    if (end > run->tile->n_bits)
        return false;
    if (op->is_kept) {
        run->plan->presence[op - run->plan->sparse] = walk->presence;
        run->plan->rests[op - run->plan->sparse] = walk->rests;
    }
    if (walk->n > 0 && op->word.out != TAGMA_NONE)
        tg_decode_sparse(&run->table->heads, &run->table->slots[op->slot], run->tile->words, walk->presence,
                         walk->rests, walk->first * op->n_words, walk->n * op->n_words,
                         walk->to + walk->n * op->word.out);
    walk->rests = end;
    walk->presence += n;
    return true;
}

static bool put_run(sparse_walk *walk, const tg_copy_sparse_run *run)
{
    const tg_copyplan *plan = walk->run->plan;
    const tg_copy_sparse *op = &plan->sparse[run->first], *end = &plan->sparse[run->end];

    if (walk->n_tile == 0)
        return true;
    if (run->are_odd || walk->n_tile > 56) {
        for (; op < end; op++)
            if (!put_any(walk, op))
                return false;
        return true;
    }
    if (run->width == 2)
        return put_run_of(walk, op, end, 2);
    if (run->width == 0)
        return put_run_of(walk, op, end, 0);
    return run->width == 1 ? put_run_of(walk, op, end, 1) : put_run_of(walk, op, end, 3);
}

/* Sparse fields one after the other, since where one stands depends on those before it. False: they do not fit. */
static bool put_sparse(const running *run, uint64_t presence)
{
    const tg_copyplan *plan = run->plan;
    const tg_table *table = run->table;
    sparse_walk walk = {.run = run, .presence = presence, .rests = presence};

    for (uint32_t l = 0; l < table->fields->n_lists; l++) {
        walk.rests += (uint64_t)plan->lists[l].n_items * table->lists[l].presence_bits;
        if (walk.rests > run->tile->n_bits)
            return false;
    }
    for (uint32_t i = 0; i < plan->n_sparse_runs; i++) {
        const tg_copy_sparse_run *it = &plan->sparse_runs[i];

        walk.n_tile = plan->lists[it->lists].n_items;
        walk.first = plan->first[it->lists];
        walk.n = it->group == TAGMA_NONE ? 0 : plan->filled[it->group];
        walk.to = it->group == TAGMA_NONE ? NULL : run->bytes + plan->starts[it->group];
        if (!put_run(&walk, it))
            return false;
    }
    return true;
}

static void put_nulls(const running *run)
{
    for (uint32_t i = 0; i < run->plan->n_nulls; i++)
        if (is_null(run, &run->plan->nulls[i]))
            run->bytes[run->record->status_at + run->plan->nulls[i].place] = TAGMA_COLUMN_NULL;
}

tagma_status tg_copyplan_run(tagma_ctx *ctx, tg_copyplan *plan, const tagma_record_plan *record,
                             const tg_tile *tile, uint32_t k, uint8_t *bytes, size_t record_bytes,
                             size_t *needed)
{
    const tg_table *table = plan->table;
    running run = {
        .plan = plan, .table = table, .record = record, .tile = tile, .k = k, .at = plan->fixed_bytes};
    uint64_t presence_at, tails_at;
    uint32_t total_bytes;

    if (!tg_tile_measure(table, tile, table->fields->n_lists, plan->lists, &presence_at))
        return fail_tile(ctx);
    TG_TRY(find_items(ctx, &run));
    count_groups(&run);
    tails_at = run.at;
    put_tails(&run);
    *needed = run.at;
    TG_TRY(tg_record_check_bytes(ctx, run.at, record_bytes));
    total_bytes = (uint32_t)run.at;
    memcpy(bytes, plan->image, plan->fixed_bytes);
    memcpy(bytes + sizeof(uint32_t), &total_bytes, sizeof total_bytes);
    run.bytes = bytes;
    run.at = tails_at;
    put_scalars(&run);
    put_groups(&run);
    if (plan->n_sparse > 0 && !put_sparse(&run, presence_at))
        return fail_tile(ctx);
    put_tails(&run);
    if (plan->n_nulls > 0)
        put_nulls(&run);
    return TAGMA_OK;
}
