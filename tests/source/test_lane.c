/* SPDX-License-Identifier: Apache-2.0
 * Lanes over a kind that finishes in pump, as remote ones will. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "source/source.h"

/* A far-away source: start only remembers the request, each pump brings three bytes. */
typedef struct far {
    int n_open, n_cancelled, pumps_to_failure;
    tg_request *running;
} far;

typedef struct far_own {
    far *there;
} far_own;

static far *far_of(const tagma_source *source)
{
    return ((const far_own *)source->own)->there;
}

static tagma_status far_lane_open(tagma_ctx *ctx, const tagma_source *source, void **state)
{
    (void)ctx;
    far_of(source)->n_open++;
    *state = far_of(source);
    return TAGMA_OK;
}

static tagma_status far_lane_refuse(tagma_ctx *ctx, const tagma_source *source, void **state)
{
    (void)state;
    return tg_fail(ctx, TAGMA_E_IO, "%s: no lane", source->name);
}

static void far_lane_close(const tagma_source *source, void *state)
{
    assert_ptr_equal(state, far_of(source));
    far_of(source)->n_open--;
}

static tagma_status far_start(tagma_ctx *ctx, const tagma_source *source, void *state, tg_request *requests,
                              uint32_t n)
{
    (void)ctx;
    (void)source;
    assert_int_equal(n, 1);
    ((far *)state)->running = requests;
    return TAGMA_OK;
}

static tagma_status far_pump(tagma_ctx *ctx, const tagma_source *source, void *state)
{
    far *f = state;

    if (f->pumps_to_failure > 0 && --f->pumps_to_failure == 0)
        return tg_fail(ctx, TAGMA_E_IO, "%s: the line is cut", source->name);
    for (int i = 0; i < 3 && f->running->done < f->running->n; i++, f->running->done++)
        f->running->dst[f->running->done] = (uint8_t)(f->running->offset + f->running->done);
    return TAGMA_OK;
}

static void far_cancel(const tagma_source *source, void *state)
{
    (void)source;
    ((far *)state)->n_cancelled++;
}

static void far_close(tagma_source *source)
{
    (void)source;
}

static tagma_source *far_source(tagma_ctx *ctx, const tg_source_kind *kind, far *f)
{
    tagma_source *source;

    assert_int_equal(tg_source_new(ctx, kind, "far", 256, sizeof(far_own), &source), TAGMA_OK);
    ((far_own *)source->own)->there = f;
    return source;
}

static const tg_source_kind far_kind = {
    .name = "far",
    .extent_bytes = 100,
    .lane_open = far_lane_open,
    .lane_close = far_lane_close,
    .start = far_start,
    .pump = far_pump,
    .cancel = far_cancel,
    .close = far_close,
};

static void pumps_until_all_bytes_have_come(void **state)
{
    far f = {0};
    tagma_ctx *ctx;
    tagma_source *source;
    tg_lane *lane;
    uint8_t dst[100];

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    source = far_source(ctx, &far_kind, &f);
    assert_int_equal(tg_lane_new(ctx, source, &lane), TAGMA_OK);
    assert_int_equal(f.n_open, 1);
    assert_int_equal(tg_lane_read(ctx, lane, 50, sizeof dst, dst), TAGMA_OK);
    for (size_t i = 0; i < sizeof dst; i++)
        assert_int_equal(dst[i], 50 + i);
    assert_int_equal(f.n_cancelled, 0);
    assert_int_equal(tg_source_check(ctx, source), TAGMA_OK); /* a kind that cannot tell */
    tg_lane_free(lane);
    assert_int_equal(f.n_open, 0);
    tagma_source_release(source);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
}

/* What is in flight must not write into memory that the caller takes back. */
static void cancels_what_is_in_flight_after_a_failure(void **state)
{
    far f = {.pumps_to_failure = 4};
    tagma_ctx *ctx;
    tagma_source *source;
    tg_lane *lane;
    uint8_t dst[100];

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    source = far_source(ctx, &far_kind, &f);
    assert_int_equal(tg_lane_new(ctx, source, &lane), TAGMA_OK);
    assert_int_equal(tg_lane_read(ctx, lane, 0, sizeof dst, dst), TAGMA_E_IO);
    assert_string_equal(tagma_ctx_message(ctx), "far: the line is cut");
    assert_int_equal(f.n_cancelled, 1);
    tg_lane_free(lane);
    tagma_source_release(source);
    tagma_ctx_free(ctx);
}

static void gives_no_lane_that_its_kind_refuses(void **state)
{
    tg_source_kind kind = far_kind;
    far f = {0};
    tagma_ctx *ctx;
    tagma_source *source;
    tg_lane *lane;

    (void)state;
    kind.lane_open = far_lane_refuse;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    source = far_source(ctx, &kind, &f);
    assert_int_equal(tg_lane_new(ctx, source, &lane), TAGMA_E_IO);
    assert_null(lane);
    assert_string_equal(tagma_ctx_message(ctx), "far: no lane");
    tagma_source_release(source);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pumps_until_all_bytes_have_come),
        cmocka_unit_test(cancels_what_is_in_flight_after_a_failure),
        cmocka_unit_test(gives_no_lane_that_its_kind_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
