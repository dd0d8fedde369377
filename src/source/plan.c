/* SPDX-License-Identifier: Apache-2.0
 * The planner: pieces that somebody wants into requests that are worth making. */
#include "base/num.h"
#include "source/source.h"

/* Claims may run past 2^64; such a span ends there, and reading it is refused by the source's size. */
static uint64_t end_of(uint64_t offset, uint64_t n)
{
    uint64_t end;

    return tg_add(offset, n, &end) ? end : UINT64_MAX;
}

/* A total order, so that the plan does not depend on how the spans came. */
static bool is_before(const tg_span *a, const tg_span *b)
{
    if (a->offset != b->offset)
        return a->offset < b->offset;
    if (a->n != b->n)
        return a->n < b->n;
    return a->tag < b->tag;
}

static void insert(tg_span *spans, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        tg_span moved = spans[i];
        size_t at = i;

        for (; at > 0 && is_before(&moved, &spans[at - 1]); at--)
            spans[at] = spans[at - 1];
        spans[at] = moved;
    }
}

/* Two sorted runs, left and right of `middle`, become one. Scratch holds the left one, as bytes: it has another type. */
static void merge(tg_span *spans, size_t middle, size_t n, uint8_t *scratch)
{
    size_t left = 0, n_left, right = middle, at;

    while (left < middle && !is_before(&spans[middle], &spans[left]))
        left++; /* stays where it is */
    n_left = middle - left;
    memcpy(scratch, spans + left, n_left * sizeof *spans);
    at = left;
    for (size_t taken = 0; taken < n_left;) {
        tg_span next;

        memcpy(&next, scratch + taken * sizeof next, sizeof next);
        if (right < n && is_before(&spans[right], &next)) {
            spans[at++] = spans[right++];
        } else {
            spans[at++] = next;
            taken++;
        }
    }
}

/* Merge sort that leaves alone what is in order already, as most of a file's baskets are: then it costs one look at each.
 * qsort() may allocate, or be quadratic. scratch has room for n / 2 spans. */
static void sort(tg_span *spans, size_t n, uint8_t *scratch)
{
    enum { SHORT = 16 };
    size_t middle = n / 2;

    if (n <= SHORT) {
        insert(spans, n);
        return;
    }
    sort(spans, middle, scratch);
    sort(spans + middle, n - middle, scratch);
    if (is_before(&spans[middle], &spans[middle - 1]))
        merge(spans, middle, n, scratch);
}

/* May a span join the extent that ends at `end`? One that lies inside always may: it makes the request no longer. */
static bool fits(const tg_extent *extent, uint64_t end, uint64_t offset, uint64_t span_end,
                 uint64_t gap_bytes, uint64_t extent_bytes)
{
    if (span_end <= end)
        return true;
    return offset <= end_of(end, gap_bytes) && span_end - extent->offset <= extent_bytes;
}

uint32_t tg_plan(tg_span *spans, uint32_t n_spans, uint64_t gap_bytes, uint64_t extent_bytes,
                 tg_extent *extents)
{
    uint32_t n_extents = 0;
    uint64_t end = 0;

    /* Room for n extents is room for n / 2 spans, and not used before the spans are sorted. */
    _Static_assert(2 * sizeof *extents >= sizeof *spans, "a span takes more than two extents");
    sort(spans, n_spans, (uint8_t *)extents);
    for (uint32_t i = 0; i < n_spans; i++) {
        const tg_span *span = &spans[i];
        uint64_t span_end = end_of(span->offset, span->n);

        if (n_extents > 0 &&
            fits(&extents[n_extents - 1], end, span->offset, span_end, gap_bytes, extent_bytes)) {
            tg_extent *last = &extents[n_extents - 1];
            last->n_spans++;
            end = span_end > end ? span_end : end;
            last->n = end - last->offset;
        } else {
            extents[n_extents++] = (tg_extent){span->offset, span->n, i, 1};
            end = span_end;
        }
    }
    return n_extents;
}
