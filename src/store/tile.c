/* SPDX-License-Identifier: Apache-2.0
 * Geometry of a tile, and words into values. */
#include "store/tile.h"

#include "store/decimal.h"
#include "store/eights.h"

/* Lists whose ends stand behind those of their parents. */
static bool measure_inner(const tg_table *table, const tg_tile *tile, tg_tile_lists *lists, uint64_t *at)
{
    const tg_fields *fields = table->fields;

    for (uint32_t l = 0; l < fields->n_lists; l++) {
        uint32_t parent = fields->lists[l].parent, bits = table->lists[l].end_bits;
        uint64_t n;

        if (parent == TAGMA_NONE)
            continue;
        n = (uint64_t)lists[parent].n_items * fields->lists[l].per_parent;
        if (n > UINT32_MAX)
            return false;
        lists[l].ends_at = *at;
        *at += n * bits;
        if (*at > tile->n_bits)
            return false;
        lists[l].n_lists = (uint32_t)n;
        lists[l].n_items = tg_tile_end(tile, &table->lists[l], lists[l].ends_at, n);
    }
    return true;
}

bool tg_tile_measure(const tg_table *table, const tg_tile *tile, uint32_t n_wanted, tg_tile_lists *lists,
                     uint64_t *presence_at)
{
    const tg_fields *fields = table->fields;
    uint64_t at = table->fixed_bits;

    if (at > tile->n_bits)
        return false;
    if (table->n_inner > 0)
        n_wanted = fields->n_lists;
    for (uint32_t l = 0; l < n_wanted; l++) {
        uint64_t n;

        if (fields->lists[l].parent != TAGMA_NONE)
            continue;
        n = (uint64_t)table->tile_events * fields->lists[l].per_parent;
        lists[l].ends_at = table->lists[l].ends_at;
        lists[l].n_lists = (uint32_t)n;
        lists[l].n_items = tg_tile_end(tile, &table->lists[l], lists[l].ends_at, n);
    }
    if (table->n_inner > 0 && !measure_inner(table, tile, lists, &at))
        return false;
    for (uint32_t l = 0; l < n_wanted; l++) {
        lists[l].items_at = at;
        at += (uint64_t)lists[l].n_items * table->lists[l].item_bits;
        if (at > tile->n_bits)
            return false;
    }
    *presence_at = at;
    return true;
}

bool tg_tile_measure_sparse(const tg_table *table, const tg_tile *tile, const tg_tile_lists *lists,
                            uint64_t presence_at, uint32_t n_wanted, uint64_t *presence, uint64_t *rests)
{
    const tg_fields *fields = table->fields;
    uint64_t at = presence_at;

    for (uint32_t l = 0; l < fields->n_lists; l++) {
        uint64_t bits;

        if (!tg_mul(lists[l].n_items, table->lists[l].presence_bits, &bits) || bits > tile->n_bits - at)
            return false;
        at += bits;
    }
    for (uint32_t s = 0; s < n_wanted; s++) {
        const tg_slot *slot = &table->slots[table->sparse[s]];
        uint64_t n = (uint64_t)lists[table->sparse_lists[s]].n_items * slot->n_words;

        presence[s] = presence_at;
        rests[s] = at;
        at += tg_bits_count(tile->words, presence_at, n) * slot->w;
        presence_at += n;
        if (at > tile->n_bits)
            return false;
    }
    rests[n_wanted] = at;
    return true;
}

bool tg_tile_is_full(const tg_tile *tile, uint64_t end)
{
    return (end + 7) / 8 * 8 == tile->n_bits;
}

void tg_fill(uint8_t *to, uint64_t value, uint32_t width_log2, uint64_t n)
{
    uint64_t bytes = n << width_log2;

    if (width_log2 == 0 || value == 0) {
        if (n > 0)
            memset(to, (int)(value & 0xff), bytes);
        return;
    }
    for (uint64_t i = 0; i < bytes; i += UINT64_C(1) << width_log2) {
        if (width_log2 == 1) {
            uint16_t v = (uint16_t)value;
            memcpy(to + i, &v, sizeof v);
        } else if (width_log2 == 2) {
            uint32_t v = (uint32_t)value;
            memcpy(to + i, &v, sizeof v);
        } else {
            memcpy(to + i, &value, sizeof value);
        }
    }
}

/* Words wider than one load gives. */
static uint8_t *decode_wide(const tg_heads *heads, const tg_slot *slot, const tg_run *run, uint8_t *to)
{
    uint64_t at = run->at;

    for (uint64_t i = 0; i < run->n; i++, at += slot->w, to += 8) {
        uint64_t v = tg_slot_value(heads, slot, tg_bits_get(run->words, at, slot->w));
        memcpy(to, &v, sizeof v);
    }
    return to;
}

/* A value of `width` (log2) bytes, or one that is counted from a single head. Both are known where this is used. */
static inline __attribute__((always_inline)) void put_value(const tg_heads *heads, const tg_slot *slot,
                                                            uint64_t c, uint64_t head, uint8_t *to,
                                                            uint32_t width, bool is_single)
{
    uint64_t at = is_single ? slot->head : slot->head + (c >> slot->m);
    uint64_t rest = (is_single ? c : c & ((UINT64_C(1) << slot->m) - 1)) << slot->tz;

    if (width == 3) {
        uint64_t v = (is_single ? head : heads->eight[at]) + rest;
        memcpy(to, &v, sizeof v);
    } else if (width == 2) {
        uint32_t v = (uint32_t)((is_single ? head : heads->four[at]) + rest);
        memcpy(to, &v, sizeof v);
    } else if (width == 1) {
        uint16_t v = (uint16_t)((is_single ? head : heads->two[at]) + rest);
        memcpy(to, &v, sizeof v);
    } else {
        *to = (uint8_t)((is_single ? head : heads->one[at]) + rest);
    }
}

static inline __attribute__((always_inline)) void decode_as(const tg_heads *all_heads, const tg_slot *in_slot,
                                                            const tg_run *runs, uint32_t n_runs, uint8_t *to,
                                                            uint32_t width, bool is_single)
{
    enum { AHEAD = 12 }; /* runs; about what a line from memory takes to come */
    const tg_heads heads = *all_heads;
    const tg_slot slot = *in_slot;
    uint64_t head = tg_slot_head(&heads, &slot, 0);

    for (uint32_t r = 0; r < n_runs; r++) {
        const uint8_t *words = runs[r].words;
        uint64_t at = runs[r].at, end = at + runs[r].n * slot.w;

        if (r + AHEAD < n_runs)
            __builtin_prefetch(runs[r + AHEAD].words + runs[r + AHEAD].at / 8);
        for (; at < end; at += slot.w, to += 1U << width)
            put_value(&heads, &slot, tg_bits_near(words, at, slot.w), head, to, width, is_single);
    }
}

static uint8_t *decode_decimal(const tg_heads *heads, const tg_slot *slot, const tg_run *run, uint8_t *to)
{
    uint64_t at = run->at, head = tg_slot_head(heads, slot, 0);

    for (uint64_t i = 0; i < run->n; i++, at += slot->w, to += UINT64_C(1) << slot->width) {
        uint64_t v = tg_decimal_value(head + tg_bits_near(run->words, at, slot->w), slot->tz, slot->width);
        uint32_t narrow = (uint32_t)v;

        if (slot->width == 3)
            memcpy(to, &v, sizeof v);
        else
            memcpy(to, &narrow, sizeof narrow);
    }
    return to;
}

/* The loops for each width, with and without a look-up of the head. */
static void decode_near(const tg_heads *heads, const tg_slot *slot, const tg_run *runs, uint32_t n_runs,
                        uint8_t *to)
{
    if (slot->m == slot->w) {
        switch (slot->width) {
        case 0:
            decode_as(heads, slot, runs, n_runs, to, 0, true);
            break;
        case 1:
            decode_as(heads, slot, runs, n_runs, to, 1, true);
            break;
        case 2:
            decode_as(heads, slot, runs, n_runs, to, 2, true);
            break;
        default:
            decode_as(heads, slot, runs, n_runs, to, 3, true);
        }
        return;
    }
    switch (slot->width) {
    case 0:
        decode_as(heads, slot, runs, n_runs, to, 0, false);
        break;
    case 1:
        decode_as(heads, slot, runs, n_runs, to, 1, false);
        break;
    case 2:
        decode_as(heads, slot, runs, n_runs, to, 2, false);
        break;
    default:
        decode_as(heads, slot, runs, n_runs, to, 3, false);
    }
}

static bool are_eights(const tg_run *runs, uint32_t n_runs)
{
    for (uint32_t r = 0; r < n_runs; r++)
        if (runs[r].at % 8 != 0 || runs[r].n % 8 != 0)
            return false;
    return true;
}

/* Words up to the first that begins at a byte, which is one of the next seven or none; eights from there on; the rest. */
static void decode_split(const tg_heads *heads, const tg_slot *slot, const tg_run *run, uint8_t *to)
{
    tg_run lead = *run, eights = *run, rest = *run;

    lead.n = 0;
    while ((run->at + lead.n * slot->w) % 8 != 0 && lead.n < 8)
        lead.n++;
    eights.at += lead.n * slot->w;
    eights.n = lead.n == 8 || run->n < lead.n ? 0 : (run->n - lead.n) / 8 * 8;
    if (eights.n == 0) {
        decode_near(heads, slot, run, 1, to);
        return;
    }
    rest.at = eights.at + eights.n * slot->w;
    rest.n -= lead.n + eights.n;
    decode_near(heads, slot, &lead, 1, to);
    to += lead.n << slot->width;
    tg_eights_decode(heads, slot, &eights, 1, to);
    decode_near(heads, slot, &rest, 1, to + (eights.n << slot->width));
}

void tg_decode_runs(const tg_heads *heads, const tg_slot *slot, const tg_run *runs, uint32_t n_runs,
                    uint8_t *to)
{
    enum { WORTH_SPLITTING = 64 }; /* words */
    uint64_t n = 0;

    if (slot->w > 0 && slot->w <= TG_BITS_NEAR && slot->kind != TG_CODE_DECIMAL) {
        if (n_runs == 1 && runs->n >= WORTH_SPLITTING && tg_eights_suit(slot))
            decode_split(heads, slot, runs, to);
        else if (n_runs > 1 && are_eights(runs, n_runs) && tg_eights_suit(slot))
            tg_eights_decode(heads, slot, runs, n_runs, to);
        else
            decode_near(heads, slot, runs, n_runs, to);
        return;
    }
    for (uint32_t r = 0; r < n_runs; r++) {
        if (slot->kind == TG_CODE_DECIMAL)
            to = decode_decimal(heads, slot, &runs[r], to);
        else if (slot->w > 0)
            to = decode_wide(heads, slot, &runs[r], to);
        n += runs[r].n;
    }
    if (slot->w == 0 && n > 0)
        tg_fill(to, tg_slot_head(heads, slot, 0), slot->width, n);
}

void tg_decode(const tg_heads *heads, const tg_slot *slot, const uint8_t *words, uint64_t at, uint64_t n,
               uint8_t *to)
{
    const tg_run run = {words, at, n};

    tg_decode_runs(heads, slot, &run, 1, to);
}

void tg_decode_sparse(const tg_heads *heads, const tg_slot *slot, const uint8_t *words, uint64_t presence,
                      uint64_t rests, uint64_t first, uint64_t n, uint8_t *to)
{
    uint64_t common = tg_slot_common(heads, slot);

    rests += tg_bits_count(words, presence, first) * slot->w;
    presence += first;
    tg_fill(to, common, slot->width, n);
    while (n > 0) {
        uint32_t here = n < 56 ? (uint32_t)n : 56;
        uint64_t bits = tg_bits_near(words, presence, here);

        for (; bits != 0; bits &= bits - 1, rests += slot->w)
            tg_decode(heads, slot, words, rests, 1, to + ((uint64_t)__builtin_ctzll(bits) << slot->width));
        to += (uint64_t)here << slot->width;
        presence += here;
        n -= here;
    }
}
