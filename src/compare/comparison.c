/* SPDX-License-Identifier: Apache-2.0
 * Inside of a comparison: columns that belong together, what was found of them, and the step that both kinds of comparing share. */
#include "compare/comparison.h"

#include <string.h>

#include "base/num.h"
#include "event/events.h"

tagma_status tg_comparison_new(tagma_ctx *ctx, tagma_comparison **out)
{
    *out = tg_zalloc(ctx, 1, sizeof **out);
    if (!*out)
        return TAGMA_E_MEMORY;
    (*out)->account = tg_account_acquire(ctx->account);
    return TAGMA_OK;
}

void tagma_comparison_free(tagma_comparison *comparison)
{
    tg_account *account;

    if (!comparison)
        return;
    account = comparison->account;
    tg_arena_free(account, &comparison->words);
    tg_account_free(account, comparison->columns);
    tg_account_free(account, comparison->pairs);
    tg_account_free(account, comparison->of_side[0]);
    tg_account_free(account, comparison->of_side[1]);
    tg_account_free(account, comparison->is_different);
    tg_account_free(account, comparison);
    tg_account_release(account);
}

static tagma_status spell(tagma_ctx *ctx, tagma_comparison *to, const tagma_schema *schema, uint32_t column,
                          const char **out)
{
    char text[300];

    *out = "";
    if (column == TAGMA_NONE)
        return TAGMA_OK;
    tagma_schema_spell(schema, column, text, sizeof text);
    *out = tg_arena_text(ctx, &to->words, text, strlen(text));
    return *out ? TAGMA_OK : TAGMA_E_MEMORY;
}

static bool same_shape(const tagma_column *a, const tagma_column *b)
{
    if (a->type != b->type || a->n_lists != b->n_lists || a->n_dims != b->n_dims)
        return false;
    return a->n_dims == 0 || memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0;
}

static tagma_relation relate(const tagma_column *a, const tagma_column *b)
{
    if ((a && a->reason) || (b && b->reason))
        return TAGMA_UNREADABLE;
    if (!b)
        return TAGMA_ONLY_A;
    if (!a)
        return TAGMA_ONLY_B;
    return same_shape(a, b) ? TAGMA_COMPARED : TAGMA_OTHER_TYPE;
}

tagma_status tg_comparison_add(tagma_ctx *ctx, tagma_comparison *to, const tagma_schema *schema_a,
                               uint32_t column_a, const tagma_schema *schema_b, uint32_t column_b,
                               tg_compared **out)
{
    const tagma_column *a = column_a == TAGMA_NONE ? NULL : tagma_schema_column(schema_a, column_a);
    const tagma_column *b = column_b == TAGMA_NONE ? NULL : tagma_schema_column(schema_b, column_b);
    const char *name = "", *words = "";
    void *block = to->columns;
    tagma_compared_column *told;
    tagma_status st = tg_reserve(ctx, &block, &to->capacity, to->n_columns + 1, sizeof *to->columns);

    to->columns = block;
    TG_TRY(st);
    *out = &to->columns[to->n_columns];
    **out = (tg_compared){.told = {.struct_bytes = sizeof *told, .column_a = column_a, .column_b = column_b}};
    told = &(*out)->told;
    told->relation = relate(a, b);
    if (a)
        name = a->name;
    else if (b)
        name = b->name;
    if (a && a->reason)
        words = a->reason;
    else if (b && b->reason)
        words = b->reason;
    TG_TRY(spell(ctx, to, schema_a, column_a, &told->type_a));
    TG_TRY(spell(ctx, to, schema_b, column_b, &told->type_b));
    told->name = tg_arena_text(ctx, &to->words, name, strlen(name));
    told->words = tg_arena_text(ctx, &to->words, words, strlen(words));
    if (!told->name || !told->words)
        return TAGMA_E_MEMORY;
    to->n_columns++;
    return TAGMA_OK;
}

tagma_status tg_comparison_seal(tagma_ctx *ctx, tagma_comparison *to)
{
    to->pairs = tg_alloc(ctx, to->n_columns, sizeof *to->pairs);
    to->of_side[0] = tg_alloc(ctx, to->n_columns, sizeof *to->of_side[0]);
    to->of_side[1] = tg_alloc(ctx, to->n_columns, sizeof *to->of_side[1]);
    if (!to->pairs || !to->of_side[0] || !to->of_side[1])
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < to->n_columns; i++) {
        const tg_compared *it = &to->columns[i];

        if (it->told.relation != TAGMA_COMPARED)
            continue;
        to->of_side[0][to->n_pairs] = it->told.column_a;
        to->of_side[1][to->n_pairs] = it->told.column_b;
        to->pairs[to->n_pairs++] = i;
    }
    return TAGMA_OK;
}

static uint64_t entry_of_a(const tg_step *step, uint64_t i)
{
    uint64_t at = step->at_a ? step->at_a[i] : i;

    return step->of_a ? step->of_a[at] : step->first_a + at;
}

static void note_first(tg_compared *column, const tg_step *step, uint64_t i, int64_t item, bool is_copy)
{
    tagma_compared_column *told = &column->told;
    uint64_t entry = entry_of_a(step, i);

    if (told->n_different > 0 && told->entry_a <= entry)
        return;
    told->entry_a = entry;
    told->entry_b = step->of_b ? step->of_b[i] : step->first_b + i;
    told->source = step->source;
    told->item = item;
    told->is_in_columns_section = is_copy;
}

static bool differs(tagma_comparison *to, const tg_step *step, const tg_compared *column,
                    const tagma_batch_column *a, const tagma_batch_column *b, uint64_t i, int64_t *item)
{
    uint64_t at_a = step->at_a ? step->at_a[i] : i;
    tg_verdict verdict = column->is_leading ? tg_values_compare_leading(a, at_a, b, i, item)
                                            : tg_values_compare(a, at_a, b, i, &to->tolerance, item);

    to->info.n_damaged += verdict == TG_DAMAGED;
    return verdict != TG_SAME && verdict != TG_DAMAGED;
}

/* @param copy  of the columns section, or NULL */
static void compare_column(tagma_comparison *to, const tg_step *step, tg_compared *column,
                           const tagma_batch_column *a, const tagma_batch_column *copy,
                           const tagma_batch_column *b)
{
    if (!column->is_leading && !step->at_a && tagma_batch_n_entries(step->a) == step->n &&
        tg_values_are_equal(a, b, step->n) && (!copy || tg_values_are_equal(copy, b, step->n)))
        return;
    for (uint64_t i = 0; i < step->n; i++) {
        int64_t item, item_of_copy;
        bool is_different = differs(to, step, column, a, b, i, &item);
        bool is_copy_different = copy && differs(to, step, column, copy, b, i, &item_of_copy);

        if (!is_different && !is_copy_different)
            continue;
        note_first(column, step, i, is_different ? item : item_of_copy, !is_different);
        column->told.n_different++;
        to->is_different[i] = 1;
    }
}

/* Bools as bytes in all batches. */
static tagma_status widen_bools(tagma_ctx *ctx, const tagma_comparison *to, const tg_step *step)
{
    for (uint32_t p = 0; p < to->n_pairs; p++) {
        if (tagma_batch_column_at(step->a, p)->type != TAGMA_BOOL)
            continue;
        TG_TRY(tagma_batch_bools(ctx, step->a, p, false));
        TG_TRY(tagma_batch_bools(ctx, step->b, p, false));
    }
    for (uint32_t c = 0; step->copies && c < step->n_copies; c++)
        if (tagma_batch_column_at(step->copies, c)->type == TAGMA_BOOL)
            TG_TRY(tagma_batch_bools(ctx, step->copies, c, false));
    return TAGMA_OK;
}

tagma_status tg_comparison_step(tagma_ctx *ctx, tagma_comparison *to, const tg_step *step)
{
    void *block = to->is_different;
    tagma_status st = tg_reserve(ctx, &block, &to->step_capacity, step->n, 1);
    uint32_t n_copies = step->copies ? step->n_copies : 0;

    to->is_different = block;
    TG_TRY(st);
    /* All that can fail comes before anything is counted: a step may be repeated. */
    TG_TRY(widen_bools(ctx, to, step));
    if (step->n > 0)
        memset(to->is_different, 0, step->n);
    for (uint32_t p = 0, c = 0; p < to->n_pairs; p++) {
        const tagma_batch_column *copy = NULL;

        if (c < n_copies && step->pairs[c] == p)
            copy = tagma_batch_column_at(step->copies, c++);
        compare_column(to, step, &to->columns[to->pairs[p]], tagma_batch_column_at(step->a, p), copy,
                       tagma_batch_column_at(step->b, p));
    }
    for (uint64_t i = 0; i < step->n; i++)
        to->info.n_different += to->is_different[i];
    to->info.n_events += step->n;
    return TAGMA_OK;
}

tagma_status tg_read_entries(tagma_ctx *ctx, tagma_reader *reader, const uint64_t *entries, uint64_t n,
                             const uint32_t *columns, uint32_t n_columns, tagma_batch **out)
{
    bool is_run = true;

    for (uint64_t i = 1; i < n && is_run; i++)
        is_run = entries[i] == entries[i - 1] + 1;
    if (is_run && n > 0)
        return tagma_read_columns(ctx, reader, entries[0], n, columns, n_columns, out);
    return tagma_read_rows(ctx, reader, entries, (size_t)n, columns, n_columns, out);
}

void tg_comparison_only_one(tagma_comparison *to, int side, uint64_t entry, uint32_t source)
{
    tg_only *only = &to->only[side];

    if (only->n < TG_ONLY_KEPT) {
        only->entries[only->n] = entry;
        only->sources[only->n] = source;
    }
    only->n++;
}

void tg_comparison_end(tagma_comparison *to)
{
    tagma_comparison_info *info = &to->info;

    info->struct_bytes = sizeof *info;
    info->n_columns = (uint32_t)to->n_columns;
    info->n_compared = to->n_pairs;
    info->n_only_a = to->only[0].n;
    info->n_only_b = to->only[1].n;
    for (uint64_t i = 0; i < to->n_columns; i++) {
        const tagma_compared_column *told = &to->columns[i].told;

        info->n_different_columns += told->n_different > 0 || told->relation == TAGMA_ONLY_A ||
                                     told->relation == TAGMA_ONLY_B || told->relation == TAGMA_OTHER_TYPE;
    }
    info->is_same = info->n_different_columns == 0 && info->n_only_a == 0 && info->n_only_b == 0 &&
                    info->n_damaged == 0 && info->n_unfound == 0;
}

tagma_status tg_compare_windows(tagma_ctx *ctx, const char *phase, uint64_t n_entries, uint64_t window,
                                tg_window_fn compare, void *user)
{
    uint64_t first = 0;

    while (first < n_entries) {
        uint64_t n = n_entries - first < window ? n_entries - first : window;
        bool has_counted = false;
        tagma_status st;

        TG_TRY(tg_progress(ctx, phase, "events", first, n_entries));
        st = compare(ctx, user, first, n, &has_counted);
        if (tg_is_too_much(st) && n > 1 && !has_counted) {
            window = n / 2;
            continue;
        }
        TG_TRY(st);
        first += n;
    }
    return TAGMA_OK;
}

void tagma_comparison_get_info(const tagma_comparison *comparison, tagma_comparison_info *info)
{
    tg_give(info, &comparison->info, sizeof comparison->info);
}

tagma_status tagma_comparison_column(const tagma_comparison *comparison, uint32_t i,
                                     tagma_compared_column *out)
{
    if (i >= comparison->n_columns)
        return TAGMA_E_RANGE;
    tg_give(out, &comparison->columns[i].told, sizeof comparison->columns[i].told);
    return TAGMA_OK;
}

tagma_status tagma_comparison_only(const tagma_comparison *comparison, int side, uint32_t i, uint64_t *entry,
                                   uint32_t *source)
{
    const tg_only *only = &comparison->only[side != 0];

    if (i >= only->n || i >= TG_ONLY_KEPT)
        return TAGMA_E_RANGE;
    *entry = only->entries[i];
    if (source)
        *source = only->sources[i];
    return TAGMA_OK;
}
