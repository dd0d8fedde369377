/* SPDX-License-Identifier: Apache-2.0
 * What holds for every kind of source: the same bytes, the same refusals, users counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "source/source.h"
#include "support/failing.h"
#include "support/scratch.h"

enum { MEMORY, CUSTOM, PREAD, MMAP, N_KINDS, SIZE = 100003 };

typedef struct bench {
    tagma_ctx *ctx;
    test_scratch scratch;
    char path[512];
    uint8_t bytes[SIZE];
    tagma_source *source;
    tg_lane *lane;
    int n_closed, fails;
} bench;

static int custom_read(void *user, uint64_t offset, void *dst, size_t n)
{
    bench *b = user;

    if (b->fails)
        return b->fails;
    if (n == 0 || offset > SIZE || n > SIZE - offset)
        return 99; /* promised never to happen */
    memcpy(dst, b->bytes + offset, n);
    return 0;
}

static void custom_close(void *user)
{
    ((bench *)user)->n_closed++;
}

static const tagma_source_functions functions = {sizeof functions, custom_read, custom_close};

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);

    *state = b;
    if (!b || tagma_ctx_new(NULL, &b->ctx) != TAGMA_OK)
        return -1;
    for (size_t i = 0; i < SIZE; i++)
        b->bytes[i] = (uint8_t)(i * 2654435761U >> 13);
    test_scratch_make(&b->scratch);
    strcpy(b->path, test_scratch_write(&b->scratch, "bytes", b->bytes, SIZE));
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;

    assert_int_equal(tagma_ctx_memory(b->ctx), 0);
    tagma_ctx_free(b->ctx);
    test_scratch_remove(&b->scratch);
    free(b);
    return 0;
}

static tagma_status open_kind(tagma_ctx *ctx, bench *b, int kind, tagma_source **out)
{
    switch (kind) {
    case MEMORY:
        return tagma_source_memory(ctx, b->bytes, SIZE, "bytes", out);
    case CUSTOM:
        return tagma_source_custom(ctx, &functions, b, SIZE, "function", out);
    default:
        return tagma_source_open(ctx, b->path, kind == PREAD ? TAGMA_IO_PREAD : TAGMA_IO_MMAP, out);
    }
}

static void begin(bench *b, int kind)
{
    assert_int_equal(open_kind(b->ctx, b, kind, &b->source), TAGMA_OK);
    assert_int_equal(tg_lane_new(b->ctx, b->source, &b->lane), TAGMA_OK);
    assert_ptr_equal(tg_lane_source(b->lane), b->source);
    assert_int_equal(tagma_source_size(b->source), SIZE);
}

static void end(bench *b)
{
    tg_lane_free(b->lane);
    tagma_source_release(b->source);
}

static void assert_words(const bench *b, const char *words)
{
    if (!strstr(tagma_ctx_message(b->ctx), words))
        fail_msg("\"%s\" lacks \"%s\"", tagma_ctx_message(b->ctx), words);
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void every_kind_reads_and_views_the_same_bytes(void **state)
{
    bench *b = *state;
    uint8_t *dst = malloc(SIZE);

    assert_non_null(dst);
    for (int kind = 0; kind < N_KINDS; kind++) {
        uint32_t seed = 1;

        begin(b, kind);
        for (int i = 0; i < 300; i++) {
            uint64_t offset = next(&seed) % (SIZE + 1), n = next(&seed) % (SIZE - offset + 1);
            const uint8_t *view;

            assert_int_equal(tg_lane_read(b->ctx, b->lane, offset, n, dst), TAGMA_OK);
            assert_memory_equal(dst, b->bytes + offset, n);
            assert_int_equal(tg_lane_view(b->ctx, b->lane, offset, n, &view), TAGMA_OK);
            assert_non_null(view);
            assert_memory_equal(view, b->bytes + offset, n);
        }
        assert_int_equal(tg_source_check(b->ctx, b->source), TAGMA_OK);
        end(b);
    }
    free(dst);
}

static void every_kind_scatters_spans_to_their_places(void **state)
{
    enum { N = 200, LONGEST = 700 };
    bench *b = *state;
    uint8_t(*dst)[LONGEST] = malloc(N * LONGEST);
    tg_span spans[N];

    assert_non_null(dst);
    for (int kind = 0; kind < N_KINDS; kind++) {
        uint32_t seed = 5;
        uint64_t wanted = 0;

        begin(b, kind);
        memset(dst, 0, N * LONGEST);
        for (uint32_t i = 0; i < N; i++) {
            uint64_t n = next(&seed) % LONGEST;
            spans[i] = (tg_span){next(&seed) % (SIZE - n), n, dst[i], i};
            wanted += n;
        }
        assert_int_equal(tg_lane_read_spans(b->ctx, b->lane, spans, N), TAGMA_OK);
        for (uint32_t i = 0; i < N; i++)
            assert_memory_equal(dst[spans[i].tag], b->bytes + spans[i].offset, spans[i].n);
        assert_true(tg_lane_stats(b->lane)->requests < N);
        assert_true(tg_lane_stats(b->lane)->bytes_read <= wanted + N * tg_source_gap_bytes(b->source));
        end(b);
    }
    free(dst);
}

/* Requests and bytes are what one pays for on a remote disk, gaps included. */
static void counts_requests_and_bytes(void **state)
{
    bench *b = *state;
    uint8_t dst[64];
    const uint8_t *view;

    for (int kind = 0; kind < N_KINDS; kind++) {
        begin(b, kind);
        uint64_t gap = tg_source_gap_bytes(b->source);
        tg_span near[] = {{0, 10, dst, 0}, {10, 10, dst + 10, 1}, {20 + gap, 10, dst + 20, 2}};
        const tagma_io_stats *stats = tg_lane_stats(b->lane);

        assert_int_equal(tg_lane_read(b->ctx, b->lane, 5, 20, dst), TAGMA_OK);
        assert_int_equal(tg_lane_read(b->ctx, b->lane, 5, 0, dst), TAGMA_OK); /* costs nothing */
        assert_int_equal(stats->requests, 1);
        assert_int_equal(stats->bytes_read, 20);
        assert_int_equal(tg_lane_view(b->ctx, b->lane, 5, 7, &view), TAGMA_OK);
        assert_int_equal(stats->requests, 2);
        assert_int_equal(stats->bytes_read, 27);
        assert_int_equal(tg_lane_read_spans(b->ctx, b->lane, near, 3), TAGMA_OK);
        assert_int_equal(stats->requests, 3);
        assert_int_equal(stats->bytes_read, 57 + gap);
        assert_int_equal(stats->bytes_used, 0);
        tg_lane_count_used(b->lane, 50);
        assert_int_equal(stats->bytes_used, 50);
        end(b);
    }
}

/* A program tells what all of it cost, also what was read before there was a reader to ask. */
static void a_context_sums_what_its_lanes_have_read(void **state)
{
    bench *b = *state;
    uint8_t dst[64];
    tagma_io_stats io;
    tg_lane *lane;

    begin(b, 0);
    tagma_ctx_get_io(b->ctx, &io);
    assert_int_equal(io.requests, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tg_lane_new(b->ctx, b->source, &lane), TAGMA_OK);
        assert_int_equal(tg_lane_read(b->ctx, lane, 5, 20, dst), TAGMA_OK);
        tg_lane_count_used(lane, 15);
        tg_lane_free(lane);
    }
    tagma_ctx_get_io(b->ctx, &io);
    assert_int_equal(io.requests, 2);
    assert_int_equal(io.bytes_read, 40);
    assert_int_equal(io.bytes_used, 30);
    end(b);
}

/* Offsets and lengths are claims: refused before a byte is read or made room for. */
static void every_kind_refuses_bytes_past_its_end(void **state)
{
    static const struct {
        uint64_t offset, n;
    } past[] = {{SIZE, 1},       {SIZE + 1, 0},   {0, SIZE + 1},
                {UINT64_MAX, 2}, {2, UINT64_MAX}, {SIZE - 1, 1ULL << 62}};
    bench *b = *state;
    uint8_t dst[1];
    const uint8_t *view;

    for (int kind = 0; kind < N_KINDS; kind++) {
        begin(b, kind);
        for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
            tg_span spans[] = {{0, 1, dst, 0}, {past[i].offset, past[i].n, dst, 1}};

            assert_int_equal(tg_lane_read(b->ctx, b->lane, past[i].offset, past[i].n, dst),
                             TAGMA_E_TRUNCATED);
            assert_int_equal(tg_lane_view(b->ctx, b->lane, past[i].offset, past[i].n, &view),
                             TAGMA_E_TRUNCATED);
            assert_null(view);
            assert_int_equal(tg_lane_read_spans(b->ctx, b->lane, spans, 2), TAGMA_E_TRUNCATED);
        }
        assert_int_equal(tg_lane_stats(b->lane)->requests, 0);
        end(b);
    }
    begin(b, MEMORY);
    assert_int_equal(tg_lane_read(b->ctx, b->lane, 100000, 10, dst), TAGMA_E_TRUNCATED);
    assert_string_equal(tagma_ctx_message(b->ctx),
                        "bytes: 10 bytes wanted at byte 100000, the file ends at byte 100003");
    end(b);
}

/* What the caller's function answers is told as it came; close comes once, with the last user. */
static void custom_source_tells_of_its_function(void **state)
{
    bench *b = *state;
    tagma_source_functions wrong = functions;
    tagma_source *source;
    uint8_t dst[4];

    begin(b, CUSTOM);
    b->fails = 7;
    assert_int_equal(tg_lane_read(b->ctx, b->lane, 40, 4, dst), TAGMA_E_IO);
    assert_words(b, "function: reading 4 bytes at byte 40 failed (code 7)");
    assert_ptr_equal(tagma_source_acquire(b->source), b->source);
    end(b);
    assert_int_equal(b->n_closed, 0);
    tagma_source_release(b->source);
    assert_int_equal(b->n_closed, 1);

    wrong.struct_bytes--;
    assert_int_equal(tagma_source_custom(b->ctx, &wrong, b, 1, "x", &source), TAGMA_E_ARG);
    assert_null(source);
    wrong = functions;
    wrong.read = NULL;
    assert_int_equal(tagma_source_custom(b->ctx, &wrong, b, 1, "x", &source), TAGMA_E_ARG);
    wrong = functions;
    wrong.close = NULL;
    assert_int_equal(tagma_source_custom(b->ctx, &wrong, b, 1, "x", &source), TAGMA_OK);
    tagma_source_release(source);
    assert_int_equal(b->n_closed, 1);
}

static void memory_source_refuses_no_bytes(void **state)
{
    bench *b = *state;
    tagma_source *source;

    assert_int_equal(tagma_source_memory(b->ctx, NULL, 3, "x", &source), TAGMA_E_ARG);
    assert_null(source);
    assert_int_equal(tagma_source_memory(b->ctx, NULL, 0, "x", &source), TAGMA_OK);
    assert_int_equal(tagma_source_size(source), 0);
    assert_int_equal(tg_source_mtime_ns(source), 0);
    tagma_source_release(source);
    tagma_source_release(NULL);
    tg_lane_free(NULL);
}

/* A source and its lanes may go after the context that made them. */
static void outlives_its_context(void **state)
{
    bench *b = *state;

    for (int kind = 0; kind < N_KINDS; kind++) {
        tagma_ctx *ctx;
        tagma_source *source;
        tg_lane *lane;
        const uint8_t *view;

        assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
        assert_int_equal(open_kind(ctx, b, kind, &source), TAGMA_OK);
        assert_int_equal(tg_lane_new(ctx, source, &lane), TAGMA_OK);
        assert_int_equal(tg_lane_view(ctx, lane, 3, 100, &view), TAGMA_OK);
        tagma_source_release(source); /* the lane holds it */
        tagma_ctx_free(ctx);
        assert_string_equal(tagma_source_name(tg_lane_source(lane)), kind == MEMORY   ? "bytes"
                                                                     : kind == CUSTOM ? "function"
                                                                                      : b->path);
        tg_lane_free(lane);
    }
}

static tagma_status use_all(tagma_ctx *ctx, bench *b, int kind)
{
    uint8_t dst[2][10];
    tg_span spans[] = {{100, 10, dst[0], 0}, {120, 10, dst[1], 1}};
    const uint8_t *view;
    tagma_source *source;
    tg_lane *lane;
    tagma_status st;

    TG_TRY(open_kind(ctx, b, kind, &source));
    st = tg_lane_new(ctx, source, &lane);
    if (st == TAGMA_OK)
        st = tg_lane_view(ctx, lane, 0, 1000, &view);
    if (st == TAGMA_OK)
        st = tg_lane_read_spans(ctx, lane, spans, 2);
    tg_lane_free(lane);
    tagma_source_release(source);
    return st;
}

static void fails_with_words_at_every_allocation(void **state)
{
    bench *b = *state;

    for (int kind = 0; kind < N_KINDS; kind++) {
        tagma_status st = TAGMA_E_MEMORY;

        for (uint64_t n = 1; st == TAGMA_E_MEMORY; n++) {
            test_failing failing = {0, n};
            tagma_ctx *ctx = test_failing_ctx(&failing, NULL);

            st = use_all(ctx, b, kind);
            assert_true(st == TAGMA_OK || strstr(tagma_ctx_message(ctx), "the allocator refused"));
            assert_int_equal(tagma_ctx_memory(ctx), 0);
            tagma_ctx_free(ctx);
        }
        assert_int_equal(st, TAGMA_OK);
    }
}

/* A lane's buffer follows one long view only as long as long views come. */
static void gives_back_the_room_of_a_long_view(void **state)
{
    enum { LONG_BYTES = 40 << 20 };
    bench *b = *state;
    uint8_t *large = calloc(LONG_BYTES, 1);
    tagma_source *source;
    const uint8_t *view;
    tg_lane *lane;

    assert_non_null(large);
    test_scratch_write(&b->scratch, "large", large, LONG_BYTES);
    assert_int_equal(tagma_source_open(b->ctx, b->scratch.path, TAGMA_IO_PREAD, &source), TAGMA_OK);
    assert_int_equal(tg_lane_new(b->ctx, source, &lane), TAGMA_OK);
    assert_int_equal(tg_lane_view(b->ctx, lane, 0, LONG_BYTES, &view), TAGMA_OK);
    assert_true(tagma_ctx_memory(b->ctx) > LONG_BYTES);
    assert_int_equal(tg_lane_view(b->ctx, lane, 0, 1000, &view), TAGMA_OK);
    assert_true(tagma_ctx_memory(b->ctx) < 10000);
    tg_lane_free(lane);
    tagma_source_release(source);
    free(large);
}

typedef struct reader {
    const bench *b;
    tagma_source *source;
    uint32_t seed;
    bool is_right;
} reader;

static void *read_much(void *user)
{
    reader *r = user;
    uint8_t dst[500];
    tagma_ctx *ctx = NULL;
    tg_lane *lane = NULL;

    r->is_right = tagma_ctx_new(NULL, &ctx) == TAGMA_OK && tg_lane_new(ctx, r->source, &lane) == TAGMA_OK;
    for (int i = 0; i < 2000 && r->is_right; i++) {
        uint64_t offset = next(&r->seed) % (SIZE - sizeof dst);

        r->is_right = tg_lane_read(ctx, lane, offset, sizeof dst, dst) == TAGMA_OK &&
                      memcmp(dst, r->b->bytes + offset, sizeof dst) == 0;
    }
    tg_lane_free(lane);
    tagma_ctx_free(ctx);
    return NULL;
}

/* A source is shared as it is; each thread has a lane. */
static void threads_share_a_source(void **state)
{
    bench *b = *state;

    for (int kind = 0; kind < N_KINDS; kind++) {
        pthread_t threads[4];
        reader readers[4];

        assert_int_equal(open_kind(b->ctx, b, kind, &b->source), TAGMA_OK);
        for (uint32_t i = 0; i < 4; i++) {
            readers[i] = (reader){b, b->source, i, false};
            assert_int_equal(pthread_create(&threads[i], NULL, read_much, &readers[i]), 0);
        }
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            assert_true(readers[i].is_right);
        }
        tagma_source_release(b->source);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_kind_reads_and_views_the_same_bytes),
        TEST(every_kind_scatters_spans_to_their_places),
        TEST(counts_requests_and_bytes),
        TEST(a_context_sums_what_its_lanes_have_read),
        TEST(every_kind_refuses_bytes_past_its_end),
        TEST(custom_source_tells_of_its_function),
        TEST(memory_source_refuses_no_bytes),
        TEST(outlives_its_context),
        TEST(fails_with_words_at_every_allocation),
        TEST(gives_back_the_room_of_a_long_view),
        TEST(threads_share_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
