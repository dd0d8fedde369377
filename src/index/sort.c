/* SPDX-License-Identifier: Apache-2.0
 * Entries in the order of their coordinates: a radix sort in place, by as many axes at once as fit 64 bits. */
#include "index/sort.h"

#include "index/packed.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, SHORT_RUN = 32 };

/* Axes whose values stand side by side in one key: first to first + n - 1. */
typedef struct axis_run {
    uint32_t first, n;
    uint64_t min[TAGMA_MAX_ID_AXES];
    uint32_t bits[TAGMA_MAX_ID_AXES];
} axis_run;

static bool is_before(const tg_sorted *a, const tg_sorted *b)
{
    return a->key < b->key || (a->key == b->key && a->entry < b->entry);
}

static void sort_short(tg_sorted *items, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++) {
        tg_sorted item = items[i];
        uint64_t j = i;

        for (; j > 0 && is_before(&item, &items[j - 1]); j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

static bool is_sorted(const tg_sorted *items, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (is_before(&items[i], &items[i - 1]))
            return false;
    return true;
}

/* A digit of key and entry seen as one number of 128 bits, the key above. */
static uint32_t digit_at(const tg_sorted *item, uint32_t shift)
{
    return (uint32_t)(shift >= 64 ? item->key >> (shift - 64) : item->entry >> shift) & (DIGITS - 1);
}

/* Put each item among those of its digit, in place: take one out, put it where it belongs, take out what stood there.
 * Source: P. McIlroy, K. Bostic, M. D. McIlroy, Engineering radix sort (1993), "American flag sort". */
static void part(tg_sorted *items, uint32_t shift, uint64_t *at, const uint64_t *end)
{
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        while (at[digit] < end[digit]) {
            tg_sorted item = items[at[digit]];
            uint32_t home;

            while ((home = digit_at(&item, shift)) != digit) {
                tg_sorted next = items[at[home]];
                items[at[home]++] = item;
                item = next;
            }
            items[at[digit]++] = item;
        }
    }
}

typedef struct sorting {
    tagma_ctx *ctx;
    const tagma_index_input *input;
    tg_sorted *items;     /* [input->n_entries] */
    uint32_t entry_shift; /* of the highest digit of an entry */
} sorting;

/* The next lower digit that can differ; -1 below the last. */
static int32_t below(const sorting *s, int32_t shift, bool by_entry)
{
    if (shift > 64)
        return shift - DIGIT_BITS;
    if (shift == 64)
        return by_entry ? (int32_t)s->entry_shift : -1;
    return shift - DIGIT_BITS;
}

/* Sort a run whose digits above `shift` are all equal; by key, then by entry if asked to. */
static tagma_status sort_run(const sorting *s, tg_sorted *items, uint64_t n, int32_t shift, bool by_entry)
{
    enum { TELL_ITEMS = 1 << 16 };
    uint64_t at[DIGITS], end[DIGITS], sum = 0;

    for (; shift >= 0 && n > SHORT_RUN; shift = below(s, shift, by_entry)) {
        memset(end, 0, sizeof end);
        for (uint64_t i = 0; i < n; i++)
            end[digit_at(&items[i], (uint32_t)shift)]++;
        if (end[digit_at(items, (uint32_t)shift)] < n)
            break;
    }
    if (shift < 0 || n <= SHORT_RUN) {
        sort_short(items, shift < 0 ? 0 : n);
        return TAGMA_OK;
    }
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        at[digit] = sum;
        sum += end[digit];
        end[digit] = sum;
    }
    part(items, (uint32_t)shift, at, end);
    shift = below(s, shift, by_entry);
    for (uint64_t digit = 0, begin = 0; digit < DIGITS; begin = end[digit++])
        if (end[digit] - begin > 1)
            TG_TRY(sort_run(s, items + begin, end[digit] - begin, shift, by_entry));
    if (n < TELL_ITEMS)
        return TAGMA_OK;
    return tg_progress(s->ctx, "index", "events", (uint64_t)(items + n - s->items), s->input->n_entries);
}

/* Sort a run by some axes: all of those before them are equal in it. */
static tagma_status sort_by(const sorting *s, tg_sorted *items, uint64_t n, const axis_run *axes)
{
    bool is_last = axes->first + axes->n == s->input->n_axes;
    uint32_t bits = 0;

    for (uint64_t i = 0; i < n; i++)
        items[i].key = 0;
    for (uint32_t a = 0; a < axes->n; a++) {
        bits += axes->bits[a];
        for (uint64_t i = 0; i < n; i++)
            items[i].key = (axes->bits[a] < 64 ? items[i].key << axes->bits[a] : 0) |
                           (tg_ordered(s->input, axes->first + a, items[i].entry) - axes->min[a]);
    }
    if (is_sorted(items, n))
        return TAGMA_OK;
    if (bits == 0)
        return sort_run(s, items, n, below(s, 64, is_last), is_last);
    return sort_run(s, items, n, 64 + (int32_t)((bits - 1) / DIGIT_BITS * DIGIT_BITS), is_last);
}

/* As many axes from `first` on as fit one key. */
static axis_run take_axes(const tagma_index_input *input, uint32_t first)
{
    axis_run taken = {.first = first};
    uint32_t bits = 0;

    for (uint32_t axis = first; axis < input->n_axes; axis++) {
        uint64_t min = UINT64_MAX, max = 0;

        for (uint64_t i = 0; i < input->n_entries; i++) {
            uint64_t value = tg_ordered(input, axis, i);
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        bits += tg_width_of(max - min);
        if (bits > 64)
            break;
        taken.min[taken.n] = min;
        taken.bits[taken.n++] = tg_width_of(max - min);
    }
    return taken;
}

/* Where the run of equal values of the first n_axes axes that begins at `begin` ends. */
static uint64_t run_end(const sorting *s, uint64_t begin, uint32_t n_axes)
{
    uint64_t end = begin + 1;

    if (n_axes == 0)
        return s->input->n_entries;
    for (; end < s->input->n_entries; end++)
        for (uint32_t axis = 0; axis < n_axes; axis++)
            if (s->input->values[axis][s->items[begin].entry] != s->input->values[axis][s->items[end].entry])
                return end;
    return end;
}

tagma_status tg_index_sort(tagma_ctx *ctx, const tagma_index_input *input, tg_sorted *sorted)
{
    uint32_t entry_bits = tg_width_of(input->n_entries);
    const sorting s = {ctx, input, sorted, entry_bits == 0 ? 0 : (entry_bits - 1) / DIGIT_BITS * DIGIT_BITS};

    for (uint64_t i = 0; i < input->n_entries; i++)
        sorted[i].entry = i;
    for (uint32_t n_sorted = 0; n_sorted < input->n_axes;) {
        axis_run axes = take_axes(input, n_sorted);

        for (uint64_t begin = 0, end; begin < input->n_entries; begin = end) {
            end = run_end(&s, begin, n_sorted);
            TG_TRY(sort_by(&s, sorted + begin, end - begin, &axes));
        }
        n_sorted += axes.n;
    }
    return TAGMA_OK;
}
