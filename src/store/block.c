/* SPDX-License-Identifier: Apache-2.0
 * A run of tiles in memory at once, and columns out of them. */
#include "store/block.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "store/texts.h"

/* Tiles whose lists will be measured are asked for so many ahead: their beginning, where the ends stand. */
enum { AHEAD_LISTS = 16 };

void tg_block_free(tagma_ctx *ctx, tg_block *block)
{
    tg_free(ctx, block->plan_block);
    tg_free(ctx, block->bytes);
    block->plan_block = NULL;
    block->bytes = NULL;
    block->capacity = 0;
}

void tg_store_tell(tagma_ctx *ctx, const tg_store *store, tagma_status status, uint64_t offset,
                   uint64_t first, uint64_t n)
{
    const tagma_events_info *info = &store->events.info;
    char tree[256];
    tagma_fault fault = {.struct_bytes = sizeof fault,
                         .status = status,
                         .file = info->file,
                         .tree = tree,
                         .basket = -1,
                         .offset = offset,
                         .first_entry = first,
                         .n_entries = n,
                         .message = tagma_ctx_message(ctx)};

    snprintf(tree, sizeof tree, "%s;%" PRIu32, info->tree, info->cycle);
    tg_fault(ctx, &fault);
}

void tg_store_fault(tagma_ctx *ctx, tg_store_reader *reader, tagma_status status, uint64_t offset,
                    uint64_t first, uint64_t n)
{
    reader->n_faults++;
    tg_store_tell(ctx, reader->store, status, offset, first, n);
}

static const tg_slot *slot_of(const tg_block *block, uint32_t i)
{
    return &block->table->slots[block->outs->columns[i].field];
}

/* Which lists and sparse fields the wanted columns need. */
static void find_needs(tg_block *block)
{
    const tg_fields *fields = block->table->fields;
    const tg_outs *outs = block->outs;

    memset(block->needs_lists, 0, outs->n_lists);
    memset(block->of_sparse, 0xff, block->table->n_sparse * sizeof *block->of_sparse);
    block->n_measured = block->n_sparse = block->n_sparse_wanted = 0;
    for (uint32_t i = 0; i < outs->n_columns; i++) {
        const tg_slot *slot = slot_of(block, i);

        block->validity[i] = TAGMA_NONE;
        for (uint32_t v = 0; v < block->table->n_nullable; v++)
            if (block->table->nullable[v] == outs->columns[i].column)
                block->validity[i] = fields->n_columns + v;
        if (!block->is_wanted[i])
            continue;
        for (uint32_t l = outs->columns[i].lists; l != TAGMA_NONE; l = fields->lists[l].parent) {
            block->needs_lists[outs->of_lists[l]] = 1;
            block->n_measured = block->n_measured > l + 1 ? block->n_measured : l + 1;
        }
        if (!slot->is_sparse)
            continue;
        block->of_sparse[slot->at] = block->n_sparse_wanted++;
        block->n_sparse = block->n_sparse > slot->at + 1 ? block->n_sparse : slot->at + 1;
        block->n_measured = fields->n_lists;
    }
}

static int compare_places(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Bytes of a tile where the words of wanted scalars, and the ends that make counts, begin; one for those of a line. */
static void find_lines(tg_block *block)
{
    enum { LINE_BYTES = 64 };
    const tg_table *table = block->table;
    uint32_t n = 0, n_kept = 0;

    for (uint32_t i = 0; i < block->outs->n_columns; i++) {
        const tg_outcol *column = &block->outs->columns[i];
        const tg_slot *slot = slot_of(block, i);

        if (!block->is_wanted[i] || column->lists != TAGMA_NONE)
            continue;
        if (slot->kind == TG_CODE_COUNT)
            block->lines[n++] = table->lists[table->fields->column_count[column->column]].ends_at / 8;
        else if (slot->w > 0)
            block->lines[n++] = slot->at / 8;
    }
    if (n > 0)
        qsort(block->lines, n, sizeof *block->lines, compare_places);
    for (uint32_t i = 0; i < n; i++)
        if (n_kept == 0 || block->lines[i] - block->lines[n_kept - 1] >= LINE_BYTES - 8)
            block->lines[n_kept++] = block->lines[i];
    block->n_lines = n_kept;
}

static uint64_t aligned(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

tagma_status tg_block_begin(tagma_ctx *ctx, tg_block *block, const tg_table *table)
{
    const tg_outs *outs = block->outs;
    uint64_t n_sparse = 0, sizes[9], total = 0;
    uint8_t *room;

    block->table = table;
    for (uint32_t i = 0; i < outs->n_columns; i++)
        n_sparse += slot_of(block, i)->is_sparse;
    sizes[0] = outs->n_lists * (uint64_t)TG_BLOCK_SPANS * sizeof *block->lists;
    sizes[1] = n_sparse * TG_BLOCK_SPANS * sizeof *block->sparse;
    sizes[2] = table->fields->n_lists * sizeof *block->measured;
    sizes[3] = sizes[4] = ((uint64_t)table->n_sparse + 1) * sizeof *block->presence;
    sizes[5] = aligned(table->n_sparse * sizeof *block->of_sparse);
    sizes[6] = aligned(outs->n_columns * sizeof *block->validity);
    sizes[7] = aligned(outs->n_columns * sizeof *block->lines);
    sizes[8] = aligned(outs->n_lists);
    for (uint32_t i = 0; i < 9; i++)
        total += sizes[i];
    tg_free(ctx, block->plan_block);
    room = block->plan_block = tg_alloc(ctx, total, 1);
    if (!room)
        return TAGMA_E_MEMORY;
    block->lists = (tg_span_lists *)(void *)room;
    block->sparse = (tg_span_sparse *)(void *)(room += sizes[0]);
    block->measured = (tg_tile_lists *)(void *)(room += sizes[1]);
    block->presence = (uint64_t *)(void *)(room += sizes[2]);
    block->rests = (uint64_t *)(void *)(room += sizes[3]);
    block->of_sparse = (uint32_t *)(void *)(room += sizes[4]);
    block->validity = (uint32_t *)(void *)(room += sizes[5]);
    block->lines = (uint32_t *)(void *)(room += sizes[6]);
    block->needs_lists = room + sizes[7];
    find_needs(block);
    find_lines(block);
    return TAGMA_OK;
}

static void mark_bad(tagma_ctx *ctx, tg_block *block, tg_tile_span *span, tagma_status status)
{
    const tg_table *table = block->table;
    uint64_t entry = table->first_entry + (uint64_t)span->tile.number * table->tile_events;

    span->is_bad = true;
    tg_store_fault(ctx, block->reader, status,
                   table->tiles_at + tg_le32(table->tiles + 4 * (size_t)span->tile.number), entry + span->k0,
                   span->k1 - span->k0);
}

/* Where each tile is; those that the table puts nowhere are bad. */
static tagma_status locate(tagma_ctx *ctx, tg_block *block)
{
    for (uint32_t s = 0; s < block->n_spans; s++) {
        tg_tile_span *span = &block->spans[s];
        uint64_t offset, n = TG_TILE_HEAD;
        tagma_status st = tg_reader_tile_at(ctx, block->reader, block->table, span->tile.number, &offset, &n);

        span->is_bad = false;
        span->tile.n_bits = (n - TG_TILE_HEAD) * 8;
        if (st == TAGMA_E_CORRUPT)
            mark_bad(ctx, block, span, st);
        else
            TG_TRY(st);
    }
    return TAGMA_OK;
}

static uint64_t begin_of(const tg_block *block, const tg_tile_span *span)
{
    return tg_le32(block->table->tiles + 4 * (size_t)span->tile.number);
}

/* Mapped or in memory: all tiles of the cluster at once. */
static tagma_status view_tiles(tagma_ctx *ctx, tg_block *block)
{
    const uint8_t *bytes;

    TG_TRY(tg_lane_view(ctx, block->reader->lane, block->table->tiles_at,
                        block->table->tiles_bytes + TG_BITS_SLACK, &bytes));
    for (uint32_t s = 0; s < block->n_spans; s++)
        block->spans[s].tile.words =
            bytes + (block->spans[s].is_bad ? 0 : begin_of(block, &block->spans[s]) + TG_TILE_HEAD);
    return TAGMA_OK;
}

/* A file packed in blocks cannot give all of them: those that it can. */
static tagma_status read_one_by_one(tagma_ctx *ctx, tg_block *block)
{
    for (uint32_t s = 0; s < block->n_spans; s++) {
        tg_tile_span *span = &block->spans[s];
        uint64_t at = (uint64_t)(span->tile.words - TG_TILE_HEAD - block->bytes);
        tagma_status st = TAGMA_OK;

        if (!span->is_bad)
            st = tg_lane_read(ctx, block->reader->lane, block->table->tiles_at + begin_of(block, span),
                              TG_TILE_HEAD + span->tile.n_bits / 8, block->bytes + at);
        if (st == TAGMA_E_CORRUPT)
            mark_bad(ctx, block, span, st);
        else
            TG_TRY(st);
    }
    return TAGMA_OK;
}

/* Tiles that follow each other are one piece; the planner of lanes sees to the rest. */
static tagma_status read_tiles(tagma_ctx *ctx, tg_block *block)
{
    tg_span pieces[TG_BLOCK_SPANS];
    uint32_t n_pieces = 0;
    uint64_t total = 0, at = 0;
    tagma_status st;

    for (uint32_t s = 0; s < block->n_spans; s++)
        total += block->spans[s].is_bad ? 0 : TG_TILE_HEAD + block->spans[s].tile.n_bits / 8;
    if (total + TG_BITS_SLACK > block->capacity) {
        tg_free(ctx, block->bytes);
        block->capacity = 0;
        block->bytes = tg_alloc(ctx, total + total / 8 + TG_BITS_SLACK, 1);
        if (!block->bytes)
            return TAGMA_E_MEMORY;
        block->capacity = total + total / 8 + TG_BITS_SLACK;
    }
    for (uint32_t s = 0; s < block->n_spans; s++) {
        tg_tile_span *span = &block->spans[s];
        uint64_t n = TG_TILE_HEAD + span->tile.n_bits / 8,
                 offset = block->table->tiles_at + begin_of(block, span);

        span->tile.words = block->bytes + at;
        if (span->is_bad)
            continue;
        span->tile.words += TG_TILE_HEAD;
        if (n_pieces > 0 && pieces[n_pieces - 1].offset + pieces[n_pieces - 1].n == offset)
            pieces[n_pieces - 1].n += n;
        else
            pieces[n_pieces++] = (tg_span){.offset = offset, .n = n, .dst = block->bytes + at, .tag = s};
        at += n;
    }
    memset(block->bytes + at, 0, TG_BITS_SLACK);
    st = n_pieces == 0 ? TAGMA_OK : tg_lane_read_spans(ctx, block->reader->lane, pieces, n_pieces);
    return st == TAGMA_E_CORRUPT ? read_one_by_one(ctx, block) : st;
}

static tg_tile_texts texts_at(const tg_block *block, uint32_t s, uint32_t l, uint64_t ends_at)
{
    return (tg_tile_texts){block->table, &block->spans[s].tile, l, ends_at};
}

static tagma_status fail_lists(tagma_ctx *ctx)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT, "its lists do not fit into it");
}

/* Items of the span's events in lists number i of outs, from what was measured. */
static tagma_status find_items(tagma_ctx *ctx, const tg_block *block, uint32_t s, uint32_t i)
{
    const tg_fields *fields = block->table->fields;
    const tg_tile_span *span = &block->spans[s];
    uint32_t l = block->outs->lists[i].lists, parent = fields->lists[l].parent;
    const tg_tile_lists *from = &block->measured[l];
    tg_span_lists *to = &block->lists[(uint64_t)i * TG_BLOCK_SPANS + s];
    uint64_t lo = span->k0, hi = span->k1;

    if (parent != TAGMA_NONE) {
        const tg_span_lists *outer =
            &block->lists[(uint64_t)block->outs->of_lists[parent] * TG_BLOCK_SPANS + s];
        lo = outer->first;
        hi = outer->end;
    }
    to->ends_at = from->ends_at;
    to->items_at = from->items_at;
    to->n_items = from->n_items;
    to->first_list = (uint32_t)(lo * fields->lists[l].per_parent);
    to->end_list = (uint32_t)(hi * fields->lists[l].per_parent);
    if (block->table->lists[l].are_texts) {
        const tg_tile_texts texts = texts_at(block, s, l, from->ends_at);
        uint64_t bytes = 0;
        tagma_status st =
            tg_texts_measure(ctx, &texts, to->first_list, to->end_list - to->first_list, &bytes);

        to->first = 0;
        to->end = (uint32_t)bytes;
        return st;
    }
    to->first = tg_tile_end(&span->tile, &block->table->lists[l], from->ends_at, to->first_list);
    to->end = tg_tile_end(&span->tile, &block->table->lists[l], from->ends_at, to->end_list);
    return to->first <= to->end && to->end <= to->n_items ? TAGMA_OK : fail_lists(ctx);
}

/* Lists that chunks have told already must have as many items here. */
static bool agrees(const tg_block *block, uint32_t s, uint32_t i, uint64_t row)
{
    const tg_span_lists *here = &block->lists[(uint64_t)i * TG_BLOCK_SPANS + s];
    const tg_tile_span *span = &block->spans[s];

    return !block->lists_done[i] || tg_outs_items(block->outs, block->outs->lists[i].lists, row,
                                                  span->k1 - span->k0) == here->end - here->first;
}

/* Where everything is in a tile. TAGMA_E_CORRUPT, with words that name no place. */
static tagma_status measure(tagma_ctx *ctx, const tg_block *block, uint32_t s, uint64_t row)
{
    const tg_tile *tile = &block->spans[s].tile;
    uint64_t presence_at;

    if (!tg_tile_measure(block->table, tile, block->n_measured, block->measured, &presence_at))
        return fail_lists(ctx);
    for (uint32_t i = 0; i < block->outs->n_lists; i++) {
        if (!block->needs_lists[i])
            continue;
        TG_TRY(find_items(ctx, block, s, i));
        if (!agrees(block, s, i, row))
            return fail_lists(ctx);
    }
    if (block->n_sparse == 0)
        return TAGMA_OK;
    if (!tg_tile_measure_sparse(block->table, tile, block->measured, presence_at, block->n_sparse,
                                block->presence, block->rests))
        return fail_lists(ctx);
    for (uint32_t f = 0; f < block->n_sparse; f++)
        if (block->of_sparse[f] != TAGMA_NONE)
            block->sparse[(uint64_t)block->of_sparse[f] * TG_BLOCK_SPANS + s] =
                (tg_span_sparse){block->presence[f], block->rests[f]};
    return TAGMA_OK;
}

static tagma_status measure_span(tagma_ctx *ctx, const tg_block *block, uint32_t s, uint64_t row)
{
    const tg_tile_span *span = &block->spans[s];
    tagma_status st = measure(ctx, block, s, row);

    if (st == TAGMA_OK)
        return st;
    return tg_within(ctx, st, "%s: tile of entry %" PRIu64 ", byte %" PRIu64,
                     tagma_source_name(block->reader->store->source),
                     block->table->first_entry + (uint64_t)span->tile.number * block->table->tile_events,
                     block->table->tiles_at + begin_of(block, span));
}

/* A span whose tile is bad has no items. */
static void measure_bad(const tg_block *block, uint32_t s)
{
    for (uint32_t i = 0; i < block->outs->n_lists; i++)
        block->lists[(uint64_t)i * TG_BLOCK_SPANS + s] = (tg_span_lists){0};
}

/* Ask for what scalars need of mapped tiles, tile by tile: column by column each page would be come to once for each of them. */
static void ask_for_lines(const tg_block *block)
{
    for (uint32_t s = 0; s < block->n_spans; s++)
        for (uint32_t i = 0; i < block->n_lines; i++)
            __builtin_prefetch(block->spans[s].tile.words + block->lines[i]);
}

tagma_status tg_block_fetch(tagma_ctx *ctx, tg_block *block)
{
    uint64_t row = block->first_row;

    TG_TRY(locate(ctx, block));
    TG_TRY(block->reader->is_mapped ? view_tiles(ctx, block) : read_tiles(ctx, block));
    if (block->reader->is_mapped && !block->verifies)
        ask_for_lines(block);
    for (uint32_t s = 0; s < block->n_spans; s++) {
        tg_tile_span *span = &block->spans[s];
        uint64_t n = TG_TILE_HEAD + span->tile.n_bits / 8;
        tagma_status st = TAGMA_OK;

        if (block->reader->is_mapped && block->n_measured > 0 && s + AHEAD_LISTS < block->n_spans)
            __builtin_prefetch(block->spans[s + AHEAD_LISTS].tile.words);
        if (!span->is_bad && block->verifies)
            st = tg_reader_verify_tile(ctx, block->reader, block->table, span->tile.number,
                                       span->tile.words - TG_TILE_HEAD, n);
        if (st == TAGMA_OK && !span->is_bad)
            st = measure_span(ctx, block, s, row);
        if (st < 0)
            mark_bad(ctx, block, span, st);
        if (span->is_bad)
            measure_bad(block, s);
        block->reader->n_tiles++;
        row += span->k1 - span->k0;
    }
    return TAGMA_OK;
}

/* Where each of a span's n lists ends; the last end, as the tile counts. Reserved. */
static uint32_t put_ends(const tg_block *block, uint32_t s, const tg_outlists *lists,
                         const tg_span_lists *here, uint64_t n)
{
    const tg_table_lists *table_lists = &block->table->lists[lists->lists];
    const tg_tile_span *span = &block->spans[s];
    uint32_t *to = lists->offsets + lists->n + 1, last = here->first, end;

    if (table_lists->are_texts && !span->is_bad) {
        const tg_tile_texts texts = texts_at(block, s, lists->lists, here->ends_at);

        tg_texts_ends(&texts, here->first_list, n, (uint32_t)lists->total, (uint8_t *)to);
        return here->end;
    }
    for (uint64_t j = 0; j < n; j++) {
        end =
            span->is_bad ? 0 : tg_tile_end(&span->tile, table_lists, here->ends_at, here->first_list + j + 1);
        if (end > here->end || end < last) /* only in a tile that was not verified, or lies with care */
            end = last;
        last = end;
        to[j] = (uint32_t)(lists->total + (end - here->first));
    }
    return last;
}

tagma_status tg_block_offsets(tagma_ctx *ctx, tg_block *block, uint32_t i)
{
    tg_outlists *lists = &block->outs->lists[i];
    uint64_t row = block->first_row;

    for (uint32_t s = 0; s < block->n_spans; s++) {
        const tg_tile_span *span = &block->spans[s];
        const tg_span_lists *here = &block->lists[(uint64_t)i * TG_BLOCK_SPANS + s];
        uint64_t n = here->end_list - here->first_list;
        uint32_t last;

        if (span->is_bad)
            n = tg_outs_lists(block->outs, lists->lists, row, span->k1 - span->k0);
        row += span->k1 - span->k0;
        TG_TRY(tg_outlists_reserve(ctx, lists, n));
        last = put_ends(block, s, lists, here, n);
        if (last != here->end)
            return tg_fail(
                ctx, TAGMA_E_CORRUPT, "%s: tile of entry %" PRIu64 ", byte %" PRIu64 ": ends that fall",
                tagma_source_name(block->reader->store->source),
                block->table->first_entry + (uint64_t)span->tile.number * block->table->tile_events,
                block->table->tiles_at + begin_of(block, span));
        lists->n += n;
        lists->total += here->end - here->first;
        if (lists->total > INT32_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT, "over %d items in a column of a batch", INT32_MAX);
    }
    return TAGMA_OK;
}

/* Which rows are null, as the tiles say; and damaged. */
static tagma_status mark_rows(tagma_ctx *ctx, const tg_block *block, tg_outcol *column, uint32_t validity)
{
    uint64_t row = block->first_row, n_rows = block->outs->n_rows;
    const tg_slot *slot = validity == TAGMA_NONE ? NULL : &block->table->slots[validity];
    uint8_t value = 1;

    for (uint32_t s = 0; s < block->n_spans; s++) {
        const tg_tile_span *span = &block->spans[s];

        if (span->is_bad || slot)
            TG_TRY(tg_outcol_mark(ctx, &column->valid, n_rows, true));
        if (span->is_bad)
            TG_TRY(tg_outcol_mark(ctx, &column->damaged, n_rows, false));
        for (uint32_t k = span->k0; k < span->k1; k++, row++) {
            if (slot && !span->is_bad)
                tg_decode(&block->table->heads, slot, span->tile.words, slot->at + (uint64_t)k * slot->w, 1,
                          &value);
            if (span->is_bad)
                column->damaged[row / 8] |= (uint8_t)(1U << (row % 8));
            if (span->is_bad || !(value & 1))
                column->valid[row / 8] &= (uint8_t) ~(1U << (row % 8));
        }
    }
    return TAGMA_OK;
}

/* Bools of whole tiles of 8 events: each a byte of bits. */
static void put_bool_bytes(const tg_block *block, tg_outcol *column, const tg_slot *slot)
{
    uint8_t *to = column->values + column->n / 8;

    for (uint32_t s = 0; s < block->n_spans; s++)
        to[s] = block->spans[s].tile.words[slot->at / 8];
    column->n += 8 * (uint64_t)block->n_spans;
}

/* Words of all spans at once; none is bad. */
static void put_runs(const tg_block *block, tg_outcol *column, const tg_slot *slot, const tg_run *runs)
{
    if (!column->is_bits)
        tg_decode_runs(&block->table->heads, slot, runs, block->n_spans, tg_outcol_end(column));
    for (uint32_t s = 0; s < block->n_spans; s++) {
        if (column->is_bits)
            tg_outcol_decode(column, &block->table->heads, slot, runs[s].words, runs[s].at, runs[s].n);
        else
            column->n += runs[s].n;
    }
}

static tagma_status put_scalars(tagma_ctx *ctx, const tg_block *block, tg_outcol *column, const tg_slot *slot)
{
    uint64_t n_words = column->n_words, n = 0;
    tg_run runs[TG_BLOCK_SPANS];
    bool are_whole = block->table->tile_events == 8 && n_words == 1, any_bad = false;

    for (uint32_t s = 0; s < block->n_spans; s++) {
        const tg_tile_span *span = &block->spans[s];

        runs[s] = (tg_run){span->tile.words, slot->at + span->k0 * n_words * slot->w,
                           (span->k1 - span->k0) * n_words};
        n += runs[s].n;
        any_bad |= span->is_bad;
        are_whole &= span->k1 - span->k0 == 8;
    }
    TG_TRY(tg_outcol_reserve(ctx, column, n));
    if (!any_bad && column->is_bits && are_whole && slot->w == 1 && column->n % 8 == 0)
        put_bool_bytes(block, column, slot);
    else if (!any_bad)
        put_runs(block, column, slot, runs);
    for (uint32_t s = 0; any_bad && s < block->n_spans; s++) {
        if (block->spans[s].is_bad)
            tg_outcol_fill(column, 0, runs[s].n);
        else
            tg_outcol_decode(column, &block->table->heads, slot, runs[s].words, runs[s].at, runs[s].n);
    }
    return TAGMA_OK;
}

/* Ends of whole tiles as the words they are, then of each the one before taken away. */
static void put_whole_counts(const tg_block *block, tg_outcol *column, const tg_table_lists *lists,
                             const tg_run *runs)
{
    static const uint32_t zero;
    const tg_heads heads = {.four = &zero};
    const tg_slot slot = {.w = (uint8_t)lists->end_bits, .m = (uint8_t)lists->end_bits, .width = 2};
    uint32_t *to = (uint32_t *)(void *)tg_outcol_end(column);

    tg_decode_runs(&heads, &slot, runs, block->n_spans, (uint8_t *)to);
    for (uint32_t s = 0; s < block->n_spans; s++, to += block->table->tile_events)
        for (uint32_t k = block->table->tile_events - 1; k > 0; k--)
            to[k] -= to[k - 1];
    column->n += (uint64_t)block->n_spans * block->table->tile_events;
}

/* Of any part of a tile, 64 events at a time. */
static void put_span_counts(tg_outcol *column, const tg_tile_span *span, const tg_table_lists *lists)
{
    enum { AT_ONCE = 64 };
    uint32_t ends[AT_ONCE + 1];

    for (uint32_t k = span->k0; k < span->k1;) {
        uint32_t n = span->k1 - k < AT_ONCE ? span->k1 - k : AT_ONCE;

        for (uint32_t i = 0; i <= n; i++)
            ends[i] = span->is_bad ? 0 : tg_tile_end(&span->tile, lists, lists->ends_at, k + i);
        tg_outcol_counts(column, ends, n);
        k += n;
    }
}

/* A column whose values are how many items lists have. */
static tagma_status put_counts(tagma_ctx *ctx, const tg_block *block, tg_outcol *column)
{
    const tg_table_lists *lists = &block->table->lists[block->table->fields->column_count[column->column]];
    tg_run runs[TG_BLOCK_SPANS];
    bool are_whole = column->width == 2;
    uint64_t n = 0;

    for (uint32_t s = 0; s < block->n_spans; s++) {
        const tg_tile_span *span = &block->spans[s];

        runs[s] = (tg_run){span->tile.words, lists->ends_at, block->table->tile_events};
        n += span->k1 - span->k0;
        are_whole &= !span->is_bad && span->k1 - span->k0 == block->table->tile_events;
    }
    TG_TRY(tg_outcol_reserve(ctx, column, n));
    if (are_whole)
        put_whole_counts(block, column, lists, runs);
    for (uint32_t s = 0; !are_whole && s < block->n_spans; s++)
        put_span_counts(column, &block->spans[s], lists);
    return TAGMA_OK;
}

static void put_sparse(const tg_block *block, tg_outcol *column, const tg_slot *slot, uint32_t s,
                       const tg_span_lists *here)
{
    const tg_span_sparse *sparse = &block->sparse[(uint64_t)block->of_sparse[slot->at] * TG_BLOCK_SPANS + s];
    uint64_t n = (uint64_t)(here->end - here->first) * column->n_words;

    tg_decode_sparse(&block->table->heads, slot, block->spans[s].tile.words, sparse->presence, sparse->rests,
                     (uint64_t)here->first * column->n_words, n, tg_outcol_end(column));
    column->n += n;
}

static void put_texts(const tg_block *block, tg_outcol *column, uint32_t s, const tg_span_lists *here)
{
    const tg_tile_texts texts = texts_at(block, s, column->lists, here->ends_at);

    tg_texts_copy(&texts, here->first_list, here->end_list - here->first_list, tg_outcol_end(column));
    column->n += here->end;
}

static tagma_status put_items(tagma_ctx *ctx, const tg_block *block, tg_outcol *column, const tg_slot *slot)
{
    const tg_span_lists *lists =
        &block->lists[(uint64_t)block->outs->of_lists[column->lists] * TG_BLOCK_SPANS];
    uint64_t n_words = column->n_words, n = 0, row = block->first_row;
    tg_run runs[TG_BLOCK_SPANS];
    bool any_bad = false;

    for (uint32_t s = 0; s < block->n_spans; s++) {
        const tg_span_lists *here = &lists[s];

        runs[s] =
            (tg_run){block->spans[s].tile.words,
                     here->items_at + (uint64_t)here->n_items * slot->at + here->first * n_words * slot->w,
                     (here->end - here->first) * n_words};
        n += runs[s].n;
        any_bad |= block->spans[s].is_bad;
    }
    TG_TRY(tg_outcol_reserve(ctx, column, n));
    if (!any_bad && !slot->is_sparse && slot->kind != TG_CODE_TEXTS) {
        put_runs(block, column, slot, runs);
        return TAGMA_OK;
    }
    for (uint32_t s = 0; s < block->n_spans; s++) {
        uint64_t n_rows = block->spans[s].k1 - block->spans[s].k0;

        n = block->spans[s].is_bad ? tg_outs_items(block->outs, column->lists, row, n_rows) * n_words
                                   : runs[s].n;
        TG_TRY(tg_outcol_reserve(ctx, column, n));
        if (block->spans[s].is_bad) {
            tg_outcol_fill(column, 0, n);
        } else if (slot->kind == TG_CODE_TEXTS) {
            put_texts(block, column, s, &lists[s]);
        } else if (slot->is_sparse) {
            put_sparse(block, column, slot, s, &lists[s]);
        } else {
            tg_outcol_decode(column, &block->table->heads, slot, runs[s].words, runs[s].at, runs[s].n);
        }
        row += n_rows;
    }
    return TAGMA_OK;
}

tagma_status tg_block_column(tagma_ctx *ctx, const tg_block *block, uint32_t i)
{
    tg_outcol *column = &block->outs->columns[i];
    const tg_slot *slot = slot_of(block, i);
    bool any_bad = false;

    for (uint32_t s = 0; s < block->n_spans; s++)
        any_bad |= block->spans[s].is_bad;
    if (any_bad || block->validity[i] != TAGMA_NONE)
        TG_TRY(mark_rows(ctx, block, column, block->validity[i]));
    if (column->lists != TAGMA_NONE)
        return put_items(ctx, block, column, slot);
    return slot->kind == TG_CODE_COUNT ? put_counts(ctx, block, column)
                                       : put_scalars(ctx, block, column, slot);
}
