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

static bool is_sorted(const tg_span *spans, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (is_before(&spans[i], &spans[i - 1]))
            return false;
    return true;
}

static void sift(tg_span *heap, size_t top, size_t n)
{
    tg_span moved = heap[top];

    for (size_t child = 2 * top + 1; child < n; child = 2 * top + 1) {
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&moved, &heap[child]))
            break;
        heap[top] = heap[child];
        top = child;
    }
    heap[top] = moved;
}

/* Heapsort: qsort() may allocate, or be quadratic. */
static void sort(tg_span *spans, uint32_t n)
{
    for (size_t top = n / 2; top > 0; top--)
        sift(spans, top - 1, n);
    for (size_t left = n; left > 1; left--) {
        tg_span largest = spans[0];
        spans[0] = spans[left - 1];
        spans[left - 1] = largest;
        sift(spans, 0, left - 1);
    }
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

    if (!is_sorted(spans, n_spans))
        sort(spans, n_spans);
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
