/* SPDX-License-Identifier: Apache-2.0
 * The planner against what it promises, over many seeded inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "source/source.h"

enum { SPANS_MAX = 400 };

typedef struct plan {
    tg_span given[SPANS_MAX], spans[SPANS_MAX];
    tg_extent extents[SPANS_MAX];
    uint32_t n_spans, n_extents;
    uint64_t gap_bytes, extent_bytes;
} plan;

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void run(plan *p)
{
    for (uint32_t i = 0; i < p->n_spans; i++)
        p->spans[i] = p->given[i];
    p->n_extents = tg_plan(p->spans, p->n_spans, p->gap_bytes, p->extent_bytes, p->extents);
}

static int by_tag(const void *a, const void *b)
{
    uint32_t x = ((const tg_span *)a)->tag, y = ((const tg_span *)b)->tag;

    return (x > y) - (x < y);
}

static uint64_t end_of(const tg_span *span)
{
    return span->offset + span->n;
}

/* The same spans as before, each with all that belongs to it. Tags are 0 to n - 1 in the given order. */
static void assert_same_spans(const plan *p)
{
    tg_span back[SPANS_MAX];

    for (uint32_t i = 0; i < p->n_spans; i++)
        back[i] = p->spans[i];
    qsort(back, p->n_spans, sizeof back[0], by_tag);
    for (uint32_t i = 0; i < p->n_spans; i++) {
        assert_int_equal(back[i].offset, p->given[i].offset);
        assert_int_equal(back[i].n, p->given[i].n);
        assert_ptr_equal(back[i].dst, p->given[i].dst);
        assert_int_equal(back[i].tag, i);
    }
}

/* Extents take the spans in order, without one left over, and are exactly as long as their spans need. */
static void assert_extents_cover(const plan *p)
{
    uint32_t at = 0;

    for (uint32_t e = 0; e < p->n_extents; e++) {
        const tg_extent *extent = &p->extents[e];
        uint64_t end = 0, longest = 0;

        assert_int_equal(extent->first, at);
        assert_true(extent->n_spans > 0);
        assert_int_equal(extent->offset, p->spans[at].offset);
        for (uint32_t i = 0; i < extent->n_spans; i++, at++) {
            assert_true(at == 0 || p->spans[at].offset >= p->spans[at - 1].offset);
            if (i > 0) /* what is read and thrown away is never more than a gap */
                assert_true(p->spans[at].offset <= end + p->gap_bytes || end_of(&p->spans[at]) <= end);
            end = end_of(&p->spans[at]) > end ? end_of(&p->spans[at]) : end;
            longest = p->spans[at].n > longest ? p->spans[at].n : longest;
        }
        assert_int_equal(extent->offset + extent->n, end);
        assert_true(extent->n <= p->extent_bytes || extent->n == longest);
    }
    assert_int_equal(at, p->n_spans);
}

/* Two neighbours that could have been one request are one. */
static void assert_nothing_left_to_merge(const plan *p)
{
    for (uint32_t e = 1; e < p->n_extents; e++) {
        const tg_extent *before = &p->extents[e - 1];
        const tg_span *span = &p->spans[p->extents[e].first];
        uint64_t end = before->offset + before->n;

        assert_true(span->offset > end + p->gap_bytes || end_of(span) - before->offset > p->extent_bytes);
        assert_true(end_of(span) > end);
    }
}

static void keeps_its_promises_for_any_spans(void **state)
{
    plan *p = malloc(sizeof *p);
    uint32_t seed = 1;

    (void)state;
    assert_non_null(p);
    for (int round = 0; round < 3000; round++) {
        uint32_t spread = 1U << next(&seed) % 16, longest = 1U << next(&seed) % 12;

        p->n_spans = next(&seed) % (round % 10 == 0 ? SPANS_MAX : 12);
        p->gap_bytes = next(&seed) % 3 == 0 ? 0 : next(&seed) % 300;
        p->extent_bytes = next(&seed) % 4 == 0 ? UINT64_MAX : 1 + next(&seed) % 3000;
        for (uint32_t i = 0; i < p->n_spans; i++) {
            bool is_double = i > 0 && next(&seed) % 5 == 0;
            uint64_t offset = is_double ? p->given[i - 1].offset : next(&seed) % spread;
            uint64_t n = is_double ? p->given[i - 1].n : next(&seed) % longest;

            p->given[i] = (tg_span){offset, n, (uint8_t *)p + i, i};
        }
        run(p);
        assert_same_spans(p);
        assert_extents_cover(p);
        assert_nothing_left_to_merge(p);
    }
    free(p);
}

/* Requests are the same in whatever order they are asked for: output never depends on it. */
static void plans_the_same_for_any_order(void **state)
{
    plan *p = malloc(2 * sizeof *p), *q = p + 1;
    uint32_t seed = 7;

    (void)state;
    assert_non_null(p);
    p->n_spans = SPANS_MAX;
    p->gap_bytes = 16;
    p->extent_bytes = 1000;
    for (uint32_t i = 0; i < SPANS_MAX; i++)
        p->given[i] = (tg_span){next(&seed) % 5000, next(&seed) % 50, NULL, i};
    *q = *p;
    for (uint32_t i = SPANS_MAX - 1; i > 0; i--) {
        uint32_t other = next(&seed) % (i + 1);
        tg_span moved = q->given[i];
        q->given[i] = q->given[other];
        q->given[other] = moved;
    }
    run(p);
    run(q);
    assert_int_equal(p->n_extents, q->n_extents);
    for (uint32_t e = 0; e < p->n_extents; e++) {
        assert_int_equal(p->extents[e].offset, q->extents[e].offset);
        assert_int_equal(p->extents[e].n, q->extents[e].n);
    }
    for (uint32_t i = 0; i < SPANS_MAX; i++)
        assert_int_equal(p->spans[i].tag, q->spans[i].tag);
    free(p);
}

/* Sorted, reversed, all equal: none may take more than n log n steps; 300,000 spans would show a square at once. */
static void plans_large_inputs_of_any_shape(void **state)
{
    enum { N = 300000 };
    tg_span *spans = malloc(N * sizeof *spans);
    tg_extent *extents = malloc(N * sizeof *extents);
    uint32_t seed = 3;

    (void)state;
    assert_non_null(spans);
    assert_non_null(extents);
    for (int shape = 0; shape < 5; shape++) {
        for (uint32_t i = 0; i < N; i++) {
            uint64_t offsets[] = {i, N - i, 5, i % 1000 * 1000 + i / 1000, next(&seed) % N};
            spans[i] = (tg_span){offsets[shape] * 1000, 10, NULL, i};
        }
        uint32_t n = tg_plan(spans, N, 0, UINT64_MAX, extents), covered = 0;
        for (uint32_t i = 1; i < N; i++)
            assert_true(spans[i - 1].offset <= spans[i].offset);
        for (uint32_t e = 0; e < n; e++)
            covered += extents[e].n_spans;
        assert_int_equal(covered, N);
    }
    free(spans);
    free(extents);
}

/* Offsets and lengths are claims of a file; their sums may not wrap round to small numbers. */
static void survives_spans_at_the_end_of_the_number_range(void **state)
{
    tg_span spans[] = {{UINT64_MAX - 5, 100, NULL, 0},
                       {UINT64_MAX, UINT64_MAX, NULL, 1},
                       {0, UINT64_MAX, NULL, 2},
                       {3, 4, NULL, 3}};
    tg_extent extents[4];

    (void)state;
    assert_int_equal(tg_plan(spans, 4, UINT64_MAX, 1000, extents), 1); /* all lie inside the first */
    assert_int_equal(extents[0].offset, 0);
    assert_int_equal(extents[0].n, UINT64_MAX);
    assert_int_equal(extents[0].n_spans, 4);
}

static void plans_nothing_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(tg_plan(NULL, 0, 10, 10, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_its_promises_for_any_spans),
        cmocka_unit_test(plans_the_same_for_any_order),
        cmocka_unit_test(plans_large_inputs_of_any_shape),
        cmocka_unit_test(survives_spans_at_the_end_of_the_number_range),
        cmocka_unit_test(plans_nothing_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
