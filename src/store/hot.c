/* SPDX-License-Identifier: Apache-2.0
 * Which columns get a second copy each to itself. */
#include "store/hot.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What events are cut on, by the last part of a name: Muon_pt, lep.Eta, B_PT, Jet_jetId. */
typedef enum cut_part { PART_OTHER, PART_PT, PART_SHAPE, PART_ID } cut_part;

static cut_part part_of(const char *name)
{
    static const struct {
        const char *text;
        cut_part part;
    } parts[] = {{"pt", PART_PT},        {"eta", PART_SHAPE}, {"phi", PART_SHAPE}, {"mass", PART_SHAPE},
                 {"charge", PART_SHAPE}, {"id", PART_ID},     {"pdgid", PART_ID}};
    const char *last = name + strlen(name), *end = last;

    while (last > name && last[-1] != '_' && last[-1] != '.')
        last--;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcasecmp(last, parts[i].text) == 0)
            return parts[i].part;
    return end - last > 2 && (strcmp(end - 2, "Id") == 0 || strcmp(end - 2, "ID") == 0) ? PART_ID
                                                                                        : PART_OTHER;
}

static void propose(const tg_fields *fields, tg_hot *hot)
{
    for (uint32_t c = 0; c < fields->n_columns; c++) {
        const tagma_column *column = tagma_schema_column(fields->schema, c);

        hot->is_hot[c] =
            column->type != TAGMA_STRING &&
            (column->n_lists == 0 || (column->n_lists == 1 && part_of(column->name) != PART_OTHER));
    }
    hot->is_bounded = true;
}

static void count(const tg_fields *fields, tg_hot *hot)
{
    hot->n_hot = 0;
    for (uint32_t c = 0; c < fields->n_columns; c++)
        hot->n_hot += hot->is_hot[c];
}

tagma_status tg_hot_choose(tagma_ctx *ctx, const tg_fields *fields, const char *columns, tg_hot *out)
{
    uint32_t *chosen;
    size_t n = 0;
    tagma_status st = TAGMA_OK;

    *out = (tg_hot){.is_hot = tg_zalloc(ctx, fields->n_columns, 1),
                    .is_dense = tg_alloc(ctx, fields->n_columns, 1)};
    chosen = tg_alloc(ctx, fields->n_columns, sizeof *chosen);
    if (!out->is_hot || !out->is_dense || !chosen) {
        tg_free(ctx, chosen);
        return TAGMA_E_MEMORY;
    }
    if (!columns)
        propose(fields, out);
    else if (strcmp(columns, "all") == 0)
        memset(out->is_hot, 1, fields->n_columns);
    else if (strcmp(columns, "none") != 0)
        st = tagma_schema_select(ctx, fields->schema, columns, chosen, fields->n_columns, &n);
    for (size_t i = 0; st == TAGMA_OK && i < n; i++)
        out->is_hot[chosen[i]] = 1;
    tg_free(ctx, chosen);
    memcpy(out->is_dense, out->is_hot, fields->n_columns);
    count(fields, out);
    return st;
}

/* A column that may stay hot. */
typedef struct candidate {
    uint32_t order, column;
    uint64_t bytes;
} candidate;

static int compare(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Counts, bools and integers take little; then what most cuts are on. */
static uint32_t order_of(const tg_fields *fields, uint32_t c)
{
    const tagma_column *column = tagma_schema_column(fields->schema, c);
    cut_part part = part_of(column->name);

    if (column->n_lists == 0 && column->type < TAGMA_F32)
        return 0;
    if (part == PART_PT || (part != PART_OTHER && column->n_lists == 0))
        return 1;
    if (column->n_lists == 0)
        return 2;
    return part == PART_SHAPE ? 3 : 4;
}

tagma_status tg_hot_bound(tagma_ctx *ctx, const tg_fields *fields, const uint64_t *chunk_bytes,
                          uint64_t tile_bytes, tg_hot *hot)
{
    uint64_t left = tile_bytes * TG_HOT_PERCENT / (100 - TG_HOT_PERCENT);
    candidate *candidates = tg_alloc(ctx, fields->n_columns, sizeof *candidates);
    uint32_t n = 0;

    if (!candidates)
        return TAGMA_E_MEMORY;
    for (uint32_t c = 0; c < fields->n_columns; c++)
        if (hot->is_hot[c])
            candidates[n++] = (candidate){order_of(fields, c), c, chunk_bytes[c]};
    qsort(candidates, n, sizeof *candidates, compare);
    for (uint32_t i = 0; i < n; i++) {
        if (candidates[i].bytes <= left)
            left -= candidates[i].bytes;
        else
            hot->is_hot[candidates[i].column] = 0;
    }
    tg_free(ctx, candidates);
    count(fields, hot);
    return TAGMA_OK;
}

void tg_hot_free(tagma_ctx *ctx, tg_hot *hot)
{
    tg_free(ctx, hot->is_hot);
    tg_free(ctx, hot->is_dense);
    *hot = (tg_hot){0};
}
