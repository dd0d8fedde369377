/* SPDX-License-Identifier: Apache-2.0
 * Words, callbacks, memory under a limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/ctx.h"
#include "support/failing.h"
#include <tagma/version.h>

static int make_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) < 0;
}

static int free_ctx(void **state)
{
    tagma_ctx *ctx = *state;
    uint64_t left = tagma_ctx_memory(ctx);

    tagma_ctx_free(ctx);
    return left != 0; /* a test that leaves memory behind fails */
}

static void every_status_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(tagma_status_name(TAGMA_OK), "TAGMA_OK");
    assert_string_equal(tagma_status_name(TAGMA_ABSENT), "TAGMA_ABSENT");
    for (int status = TAGMA_E_NAME; status < 0; status++)
        assert_memory_equal(tagma_status_name((tagma_status)status), "TAGMA_E_", 8);
    assert_string_equal(tagma_status_name((tagma_status)-1000), "?");
    assert_string_equal(tagma_version(), TAGMA_VERSION);
}

/* A caller compiled against another version of the struct is told, not misread. */
static void refuses_options_of_another_size(void **state)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_ctx *ctx = (tagma_ctx *)1;

    (void)state;
    options.struct_bytes--;
    assert_int_equal(tagma_ctx_new(&options, &ctx), TAGMA_E_ARG);
    assert_null(ctx);
    tagma_ctx_free(NULL);
}

static void *refuse_nth(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    int *left = user;

    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(block, new_bytes) : NULL;
}

static void making_a_context_fails_without_leaking(void **state)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_ctx *ctx;
    int n;

    (void)state;
    options.alloc = refuse_nth;
    options.alloc_user = &n;
    for (int fails = 0; fails < 2; fails++) {
        n = fails;
        assert_int_equal(tagma_ctx_new(&options, &ctx), TAGMA_E_MEMORY);
        assert_null(ctx);
    }
    n = 2;
    assert_int_equal(tagma_ctx_new(&options, &ctx), TAGMA_OK);
    assert_null(tg_alloc(ctx, 1, 1));
    assert_string_equal(tagma_ctx_message(ctx), "the allocator refused 129 bytes");
    assert_true(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
}

static void a_failure_carries_its_words_and_place(void **state)
{
    tagma_ctx *ctx = *state;

    assert_string_equal(tagma_ctx_message(ctx), "");
    assert_int_equal(tg_fail(ctx, TAGMA_E_CORRUPT, "found %d, expected %d", 3, 4), TAGMA_E_CORRUPT);
    assert_int_equal(tg_within(ctx, TAGMA_E_CORRUPT, "x.root: basket %d", 7), TAGMA_E_CORRUPT);
    assert_string_equal(tagma_ctx_message(ctx), "x.root: basket 7: found 3, expected 4");
}

/* Words never grow past their buffer, whatever names a file claims to have. */
static void long_words_are_cut(void **state)
{
    tagma_ctx *ctx = *state;
    char name[3 * TG_MESSAGE_BYTES];

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    (void)tg_fail(ctx, TAGMA_E_NAME, "%s", name);
    assert_int_equal(strlen(tagma_ctx_message(ctx)), TG_MESSAGE_BYTES - 1);
    (void)tg_within(ctx, TAGMA_E_NAME, "place");
    assert_memory_equal(tagma_ctx_message(ctx), "place: nnn", 10);
    (void)tg_within(ctx, TAGMA_E_NAME, "%s", name);
    assert_int_equal(strlen(tagma_ctx_message(ctx)), TG_MESSAGE_BYTES - 1);
}

static void words_are_taken_over_from_a_worker(void **state)
{
    tagma_ctx *ctx = *state;
    tagma_ctx *lent;

    assert_int_equal(tg_ctx_lend(ctx, &lent), TAGMA_OK);
    (void)tg_fail(lent, TAGMA_E_IO, "the disk is gone");
    assert_int_equal(tg_adopt(ctx, TAGMA_E_IO, lent), TAGMA_E_IO);
    tagma_ctx_free(lent);
    assert_string_equal(tagma_ctx_message(ctx), "the disk is gone");
    assert_int_equal(tg_adopt(ctx, TAGMA_E_IO, ctx), TAGMA_E_IO);
    assert_string_equal(tagma_ctx_message(ctx), "the disk is gone");
}

typedef struct heard {
    char note[64];
    uint64_t offset;
    uint64_t done;
    int n_progress, answer;
} heard;

static void hear_note(void *user, const char *text)
{
    snprintf(((heard *)user)->note, sizeof((heard *)user)->note, "%s", text);
}

static void hear_fault(void *user, const tagma_fault *fault)
{
    ((heard *)user)->offset = fault->offset;
}

static int hear_progress(void *user, const tagma_progress *progress)
{
    heard *h = user;

    h->n_progress++;
    h->done = progress->done;
    return h->answer;
}

static void notes_and_faults_reach_who_listens(void **state)
{
    tagma_ctx *ctx = *state;
    heard h = {.offset = 0};
    tagma_fault fault = {.struct_bytes = sizeof fault, .offset = 4711};

    tg_note(ctx, "nobody listens");
    tg_fault(ctx, &fault);
    tagma_ctx_on_note(ctx, hear_note, &h);
    tagma_ctx_on_fault(ctx, hear_fault, &h);
    tg_note(ctx, "recovered %d of %d keys", 2, 3);
    tg_fault(ctx, &fault);
    assert_string_equal(h.note, "recovered 2 of 3 keys");
    assert_int_equal(h.offset, 4711);
}

/* Ten calls a second at most, however often it is told; the first comes through. */
static void progress_is_told_sparingly_and_may_cancel(void **state)
{
    tagma_ctx *ctx = *state;
    heard h = {.n_progress = 0};
    uint64_t began = tg_now_ns();

    assert_int_equal(tg_progress(ctx, "read", "events", 1, 10), TAGMA_OK);
    tagma_ctx_on_progress(ctx, hear_progress, &h);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(tg_progress(ctx, "read", "events", i, 1000), TAGMA_OK);
    assert_in_range(h.n_progress, 1, 1 + (tg_now_ns() - began) / 100000000);
    h.answer = 1;
    ctx->progress_next_ns = 0;
    assert_int_equal(tg_progress(ctx, "read", "events", 1000, 1000), TAGMA_E_CANCELLED);
    assert_int_equal(h.done, 1000);
}

static void blocks_are_aligned_counted_and_given_back(void **state)
{
    tagma_ctx *ctx = *state;
    uint8_t *block = tg_zalloc(ctx, 3, 7);

    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (int i = 0; i < 21; i++)
        assert_int_equal(block[i], 0);
    assert_true(tagma_ctx_memory(ctx) >= 21);
    block[20] = 9;
    block = tg_realloc(ctx, block, 5000, 1);
    assert_int_equal(block[20], 9);
    block = tg_realloc(ctx, block, 21, 1);
    assert_int_equal(block[20], 9);
    tg_free(ctx, block);
    tg_free(ctx, NULL);
    assert_true(tagma_ctx_memory(ctx) == 0);
    assert_true(tagma_ctx_peak_memory(ctx) >= 5021);
    tg_free(ctx, tg_alloc(ctx, 0, 8));
}

/* A claim of 2^60 values is refused before the allocator hears of it. */
static void a_product_that_overflows_is_refused(void **state)
{
    tagma_ctx *ctx = *state;

    assert_null(tg_alloc(ctx, (uint64_t)1 << 60, 16));
    assert_string_equal(tagma_ctx_message(ctx),
                        "a block of 1152921504606846976 x 16 bytes is more than memory can hold");
    assert_null(tg_alloc(ctx, UINT64_MAX - 5, 1));
    assert_null(tg_zalloc(ctx, UINT64_MAX / 2, 1));
}

static void the_limit_holds_for_the_whole_family(void **state)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_ctx *ctx, *lent;
    void *half, *more;

    (void)state;
    options.limits.max_memory = 10000;
    assert_int_equal(tagma_ctx_new(&options, &ctx), TAGMA_OK);
    assert_int_equal(tg_ctx_lend(ctx, &lent), TAGMA_OK);
    half = tg_alloc(ctx, 6000, 1);
    assert_non_null(half);
    assert_null(tg_alloc(lent, 6000, 1));
    assert_string_equal(tagma_ctx_message(lent),
                        "6128 more bytes would pass the memory limit of 10000 bytes");
    assert_int_equal(tagma_ctx_status(lent), TAGMA_E_MEMORY);
    assert_int_equal(tagma_ctx_status(ctx), TAGMA_OK);
    tg_free(ctx, half);
    more = tg_alloc(lent, 6000, 1);
    assert_non_null(more);
    assert_null(tg_realloc(lent, more, 7000, 1)); /* the old block stays alive */
    memset(more, 1, 6000);
    tg_free(lent, more);
    tagma_ctx_free(lent);
    tagma_ctx_free(ctx);
}

/* A batch may outlive the context that made it: the account is counted. */
static void a_block_may_be_freed_after_its_context(void **state)
{
    tagma_ctx *ctx;
    tg_account *account;
    void *block;

    (void)state;
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    account = tg_account_acquire(ctx->account);
    block = tg_alloc(ctx, 100, 1);
    tagma_ctx_free(ctx);
    memset(block, 1, 100);
    tg_account_free(account, block);
    tg_account_release(account);
}

static void texts_are_copied_and_made(void **state)
{
    tagma_ctx *ctx = *state;
    char *copy = tg_strdup(ctx, "Muon_pt");
    char *made = tg_printf(ctx, "%s[%d]", "Muon_pt", 3);

    assert_string_equal(copy, "Muon_pt");
    assert_string_equal(made, "Muon_pt[3]");
    tg_free(ctx, copy);
    tg_free(ctx, made);
}

static void a_buffer_grows_by_doubling(void **state)
{
    tagma_ctx *ctx = *state;
    tg_buf buf = TG_BUF_INIT;
    uint64_t n_grown = 0, capacity = 0;

    for (int i = 0; i < 10000; i++) {
        assert_int_equal(tg_buf_put(ctx, &buf, "abc", 3), TAGMA_OK);
        n_grown += buf.capacity != capacity;
        capacity = buf.capacity;
    }
    assert_int_equal(buf.n, 30000);
    assert_memory_equal(buf.bytes + 29997, "abc", 3);
    assert_true(n_grown < 16);
    assert_int_equal(tg_buf_put(ctx, &buf, NULL, 0), TAGMA_OK);
    assert_int_equal(tg_buf_put(ctx, &buf, "", UINT64_MAX), TAGMA_E_LIMIT);
    assert_int_equal(tg_buf_reserve(ctx, &buf, UINT64_MAX - 1), TAGMA_E_MEMORY);
    assert_int_equal(buf.n, 30000);
    tg_buf_free(ctx, &buf);
    assert_int_equal(buf.capacity, 0);
}

static void an_arena_keeps_addresses_and_dies_at_once(void **state)
{
    tagma_ctx *ctx = *state;
    tg_arena arena = TG_ARENA_INIT;
    const char *names[2000];
    char name[32];
    uint8_t *large;

    for (int i = 0; i < 2000; i++) {
        int n = snprintf(name, sizeof name, "branch_number_%d", i);
        names[i] = tg_arena_text(ctx, &arena, name, (size_t)n);
    }
    large = tg_arena_take(ctx, &arena, 100000);
    assert_int_equal((uintptr_t)large % 16, 0);
    memset(large, 1, 100000);
    assert_string_equal(tg_arena_text(ctx, &arena, NULL, 0), "");
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "branch_number_%d", i);
        assert_string_equal(names[i], name);
    }
    tg_arena_free(ctx->account, &arena);
    tg_arena_free(ctx->account, &arena);
}

/* Whatever allocation fails, the answer is E_MEMORY with words and nothing leaks. */
static void every_allocation_may_fail(void **state)
{
    uint64_t n_needed;

    (void)state;
    for (uint64_t fails = 1;; fails++) {
        test_failing failing = {0, 0};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tg_arena arena = TG_ARENA_INIT;
        tagma_ctx *lent;
        bool all;
        char *copy, *made;

        failing.fails = fails;
        copy = tg_strdup(ctx, "copy");
        made = tg_printf(ctx, "%d", 1);
        all = tg_ctx_lend(ctx, &lent) == TAGMA_OK;
        all = tg_arena_text(ctx, &arena, "x", 1) != NULL && all;
        all = all && copy && made;
        assert_true(all || *tagma_ctx_message(ctx));
        n_needed = failing.n;
        tg_free(ctx, copy);
        tg_free(ctx, made);
        tagma_ctx_free(lent);
        tg_arena_free(ctx->account, &arena);
        assert_true(tagma_ctx_memory(ctx) == 0);
        tagma_ctx_free(ctx);
        if (all)
            break;
        assert_true(fails <= n_needed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_name),
        cmocka_unit_test(refuses_options_of_another_size),
        cmocka_unit_test(making_a_context_fails_without_leaking),
        cmocka_unit_test_setup_teardown(a_failure_carries_its_words_and_place, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(long_words_are_cut, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(words_are_taken_over_from_a_worker, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(notes_and_faults_reach_who_listens, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(progress_is_told_sparingly_and_may_cancel, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(blocks_are_aligned_counted_and_given_back, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(a_product_that_overflows_is_refused, make_ctx, free_ctx),
        cmocka_unit_test(the_limit_holds_for_the_whole_family),
        cmocka_unit_test(a_block_may_be_freed_after_its_context),
        cmocka_unit_test_setup_teardown(texts_are_copied_and_made, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(a_buffer_grows_by_doubling, make_ctx, free_ctx),
        cmocka_unit_test_setup_teardown(an_arena_keeps_addresses_and_dies_at_once, make_ctx, free_ctx),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
