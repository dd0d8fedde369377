/* SPDX-License-Identifier: Apache-2.0
 * Baskets kept between calls: found again, bounded, the oldest dropped first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "root/kept.h"

enum { PAYLOAD_BYTES = 1000, BLOCK_BYTES = sizeof(tg_kept_basket) + PAYLOAD_BYTES };

static int set_up(void **state)
{
    tagma_ctx *ctx;

    if (tagma_ctx_new(NULL, &ctx) < 0)
        return -1;
    *state = ctx;
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(tagma_ctx_memory(*state), 0);
    tagma_ctx_free(*state);
    return 0;
}

static void add(tagma_ctx *ctx, tg_kept *kept, uint64_t basket)
{
    tg_basket_head head = {.unpacked_bytes = PAYLOAD_BYTES};
    tg_kept_basket *block = tg_kept_new(ctx, basket, &head);

    assert_non_null(block);
    tg_kept_add(ctx, kept, block);
}

/* Many baskets are found, and only those; the ones dropped are not, whatever shared their slots. */
static void finds_what_was_kept(void **state)
{
    enum { N = 1000 };
    tg_kept kept = {.bytes_max = (uint64_t)N * BLOCK_BYTES};

    tg_kept_begin(&kept);
    for (uint64_t i = 0; i < N; i++)
        add(*state, &kept, i * 64);
    assert_int_equal(kept.bytes, kept.bytes_max);
    for (uint64_t i = 0; i < N; i += 3)
        tg_kept_drop(*state, &kept, i * 64);
    tg_kept_drop(*state, &kept, 63); /* never there */
    for (uint64_t i = 0; i < N; i++) {
        tg_kept_basket *found = tg_kept_find(&kept, i * 64);

        assert_true(i % 3 == 0 ? !found : found && found->basket == i * 64);
        assert_null(tg_kept_find(&kept, i * 64 + 1));
    }
    tg_kept_free(*state, &kept);
}

/* What does not fit, or is there already, is given back at once. */
static void keeps_within_its_bound(void **state)
{
    tg_kept kept = {.bytes_max = 2 * BLOCK_BYTES + 10};

    assert_null(tg_kept_find(&kept, 1));
    tg_kept_begin(&kept);
    add(*state, &kept, 1);
    add(*state, &kept, 1);
    assert_int_equal(kept.bytes, BLOCK_BYTES);
    add(*state, &kept, 2);
    add(*state, &kept, 3);
    assert_int_equal(kept.bytes, 2 * BLOCK_BYTES);
    assert_null(tg_kept_find(&kept, 3));
    tg_kept_free(*state, &kept);
}

/* Room is made call by call from the oldest on, but never of what this call uses. */
static void drops_the_oldest_call(void **state)
{
    tg_kept kept = {.bytes_max = 8 * BLOCK_BYTES};

    for (uint64_t call = 0; call < 4; call++) {
        tg_kept_begin(&kept);
        add(*state, &kept, 2 * call);
        add(*state, &kept, 2 * call + 1);
    }
    tg_kept_begin(&kept);
    assert_non_null(tg_kept_find(&kept, 0)); /* old, but used now */
    tg_kept_make_room(*state, &kept);
    assert_int_equal(kept.bytes, 3 * BLOCK_BYTES);
    assert_non_null(tg_kept_find(&kept, 0));
    assert_null(tg_kept_find(&kept, 1));
    assert_null(tg_kept_find(&kept, 3));
    assert_non_null(tg_kept_find(&kept, 7));

    tg_kept_begin(&kept);
    for (uint64_t basket = 10; basket < 15; basket++)
        add(*state, &kept, basket);
    tg_kept_make_room(*state, &kept); /* all five are this call's: they stay */
    assert_int_equal(kept.n, 5);
    tg_kept_free(*state, &kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_what_was_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_within_its_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drops_the_oldest_call, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("root/kept", tests, NULL, NULL);
}
