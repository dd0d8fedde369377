/* SPDX-License-Identifier: Apache-2.0
 * The check of a tree's baskets: each once, those of unreadable branches too, and entries that no basket holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/baskets.h"

enum { N_ENTRIES = 100, PER_BASKET = 10 };

typedef struct fixture {
    tagma_ctx *ctx;
    test_tree tree;
    tagma_events *events;
    tagma_reader *reader;
    uint32_t n_told, n_progress;
    char words[1024];
} fixture;

static void note_fault(void *user, const tagma_fault *fault)
{
    fixture *f = user;

    f->n_told++;
    snprintf(f->words, sizeof f->words, "%s", fault->message);
}

static int cancel(void *user, const tagma_progress *progress)
{
    fixture *f = user;

    assert_string_equal(progress->phase, "check");
    assert_string_equal(progress->unit, "baskets");
    f->n_progress++;
    return 1;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    if (!f || tagma_ctx_new(NULL, &f->ctx) < 0)
        return -1;
    tagma_ctx_on_fault(f->ctx, note_fault, f);
    test_tree_begin(f->ctx, &f->tree, N_ENTRIES);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;

    tagma_reader_free(f->reader);
    tagma_events_release(f->events);
    test_tree_free(&f->tree);
    assert_int_equal(tagma_ctx_memory(f->ctx), 0);
    tagma_ctx_free(f->ctx);
    free(f);
    return 0;
}

/* A branch of bytes: entry e is e. The basket that begins at `hole` is left out. */
static void add_branch(fixture *f, const char *name, const char *reason, uint64_t hole)
{
    static const tg_layout layout = {.wire = TG_WIRE_U8};
    uint8_t data[N_ENTRIES];

    for (uint32_t e = 0; e < N_ENTRIES; e++)
        data[e] = (uint8_t)e;
    (void)test_tree_branch(&f->tree, name, 0, N_ENTRIES);
    for (uint64_t first = 0; first < N_ENTRIES; first += PER_BASKET) {
        test_basket basket = {.data = data + first,
                              .data_bytes = PER_BASKET,
                              .n_entries = PER_BASKET,
                              .stride = 1,
                              .codec = TEST_RAW};

        if (first != hole)
            test_tree_basket(&f->tree, first, &basket);
    }
    if (reason)
        test_tree_refused(&f->tree, name, reason);
    else
        (void)test_tree_column(&f->tree, name, TAGMA_U8, 0, 1, &layout);
}

static void open_tree(fixture *f)
{
    f->events = test_tree_events(&f->tree);
    assert_int_equal(tagma_reader_new(f->ctx, f->events, NULL, &f->reader), TAGMA_OK);
}

static void assert_check(fixture *f, const uint32_t *columns, uint32_t n_columns, uint64_t baskets,
                         uint64_t faults)
{
    uint64_t n_baskets, n_faults;

    f->n_told = 0;
    assert_int_equal(tagma_events_check(f->ctx, f->reader, columns, n_columns, &n_baskets, &n_faults),
                     TAGMA_OK);
    assert_int_equal(n_baskets, baskets);
    assert_int_equal(n_faults, faults);
    assert_int_equal(f->n_told, faults);
}

/* Branches that cannot be read are unpacked all the same. */
static void checks_unreadable_branches_too(void **state)
{
    fixture *f = *state;
    tagma_basket_info info = {.struct_bytes = sizeof info};

    add_branch(f, "a", NULL, N_ENTRIES);
    add_branch(f, "b", "no reason", N_ENTRIES);
    open_tree(f);
    assert_check(f, NULL, 0, 20, 0);
    assert_check(f, (const uint32_t[]){0}, 1, 10, 0);
    assert_check(f, (const uint32_t[]){1, 1}, 2, 10, 0);
    assert_int_equal(tagma_events_basket(f->events, 1, 3, &info), TAGMA_OK);
    f->tree.file.bytes[info.offset + 35] = 'X'; /* the class name */
    assert_check(f, NULL, 0, 20, 1);
    assert_non_null(strstr(f->words, "branch b, basket 3 at byte"));
    assert_non_null(strstr(f->words, "(entries 30 to 39): record is a \"XBasket\", a TBasket expected"));
    assert_check(f, (const uint32_t[]){0}, 1, 10, 0);
}

/* Entries without a basket are told once by a check, and are damaged when they are read. */
static void tells_entries_without_a_basket(void **state)
{
    fixture *f = *state;
    const tagma_batch_column *a;
    tagma_batch *batch;

    add_branch(f, "a", NULL, 40);
    add_branch(f, "b", NULL, 90);
    open_tree(f);
    assert_check(f, (const uint32_t[]){0}, 1, 9, 1);
    assert_non_null(
        strstr(f->words, "x.root: tree t;1, branch a, entries 40 to 49: no basket holds these entries"));
    assert_check(f, NULL, 0, 18, 2);
    assert_non_null(strstr(f->words, "branch b, entries 90 to 99: no basket"));
    assert_int_equal(tagma_read_columns(f->ctx, f->reader, 35, 20, NULL, 0, &batch), TAGMA_OK);
    a = tagma_batch_column_at(batch, 0);
    assert_int_equal(a->status, TAGMA_COLUMN_CORRUPT);
    assert_memory_equal(a->damaged, ((const uint8_t[]){0xe0, 0x7f, 0}), 3);
    assert_memory_equal(a->values, ((const uint8_t[]){35, 36, 37, 38, 39, 0, 0}), 7);
    assert_int_equal(tagma_batch_column_at(batch, 1)->status, TAGMA_COLUMN_GOOD);
    tagma_batch_free(batch);
}

/* Baskets that lie past the end of the file, or have no room for a key, cost their own entries only. */
static void tells_baskets_past_the_end(void **state)
{
    fixture *f = *state;

    add_branch(f, "a", NULL, N_ENTRIES);
    f->tree.baskets[2].offset = (uint64_t)1 << 62;
    f->tree.baskets[5].bytes = 0;
    f->tree.baskets[7].bytes += 1 << 20;
    open_tree(f);
    assert_check(f, NULL, 0, 10, 3);
    assert_non_null(strstr(f->words, "basket 7"));
    assert_non_null(strstr(f->words, "the file ends at byte"));
}

/* A progress callback may stop it. */
static void can_be_cancelled(void **state)
{
    fixture *f = *state;
    uint64_t n_baskets, n_faults;

    add_branch(f, "a", NULL, N_ENTRIES);
    open_tree(f);
    tagma_ctx_on_progress(f->ctx, cancel, f);
    assert_int_equal(tagma_events_check(f->ctx, f->reader, NULL, 0, &n_baskets, &n_faults),
                     TAGMA_E_CANCELLED);
    assert_int_equal(f->n_progress, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(checks_unreadable_branches_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_entries_without_a_basket, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_baskets_past_the_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(can_be_cancelled, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("root/check", tests, NULL, NULL);
}
