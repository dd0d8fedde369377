/* SPDX-License-Identifier: Apache-2.0
 * The check of all records that are no baskets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/rootfile.h"
#include "support/baretree.h"
#include "support/realfiles.h"
#include "support/rootbuild.h"

/* Faults told, and the words of the last. */
typedef struct told {
    uint32_t n;
    tagma_status status;
    uint64_t offset;
    char words[512], tree[64], column[64];
} told;

static void keep_fault(void *user, const tagma_fault *fault)
{
    told *t = user;

    t->n++;
    t->status = fault->status;
    t->offset = fault->offset;
    snprintf(t->words, sizeof t->words, "%s", fault->message);
    snprintf(t->tree, sizeof t->tree, "%s", fault->tree ? fault->tree : "");
    snprintf(t->column, sizeof t->column, "%s", fault->column ? fault->column : "");
    assert_int_equal(fault->basket, -1);
    assert_non_null(fault->file);
}

/* Open and check; the number of records. */
static uint64_t check_bytes(const test_bytes *bytes, told *t)
{
    tagma_source *source;
    tg_root_file *file;
    tagma_ctx *ctx;
    uint64_t n_records, n_faults;

    memset(t, 0, sizeof *t);
    assert_int_equal(tagma_ctx_new(NULL, &ctx), TAGMA_OK);
    tagma_ctx_on_fault(ctx, keep_fault, t);
    assert_int_equal(tagma_source_memory(ctx, bytes->bytes, bytes->n, "x.root", &source), TAGMA_OK);
    if (tg_root_file_open(ctx, source, &file) < 0)
        fail_msg("%s", tagma_ctx_message(ctx));
    assert_int_equal(tg_root_file_check(ctx, file, &n_records, &n_faults), TAGMA_OK);
    assert_int_equal(n_faults, t->n);
    tg_root_file_free(file);
    tagma_source_release(source);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
    tagma_ctx_free(ctx);
    return n_records;
}

/* Every closed file of the collection is sound but where it says otherwise itself. */
static void finds_no_fault_in_sound_files(void **state)
{
    char **paths = test_root_files();
    uint32_t n = 0;

    (void)state;
    for (size_t i = 0; paths[i]; i++) {
        test_bytes bytes;
        told t;

        if (strstr(paths[i], "/bad/") || strstr(paths[i], "killed"))
            continue;
        bytes = test_read_file(paths[i]);
        assert_true(check_bytes(&bytes, &t) >= 3);
        if (t.n > 0)
            fail_msg("%s: %s", paths[i], t.words);
        free(bytes.bytes);
        n++;
    }
    test_paths_free(paths);
    assert_true(n >= 5);
}

static void tells_an_unclosed_file(void **state)
{
    test_bytes bytes = test_read_file("tests/data/edge/killed-saveself.root");
    told t;

    (void)state;
    check_bytes(&bytes, &t);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.status, TAGMA_E_TRUNCATED);
    assert_string_equal(t.words, "x.root: byte 12: was never closed (its header has no free list)");
    free(bytes.bytes);
}

static void tells_a_cut_file(void **state)
{
    test_bytes bytes = test_read_file("tests/data/edge/cycles.root");
    told t;

    (void)state;
    bytes.n -= 40; /* of the free list */
    check_bytes(&bytes, &t);
    assert_true(t.n >= 1);
    assert_int_equal(t.status, TAGMA_E_TRUNCATED);
    assert_non_null(strstr(t.words, "is cut"));
    free(bytes.bytes);
}

/* A record whose key does not agree with its directory's, one whose object passes its end, one that leaves the file. */
static void tells_records_that_are_not_what_their_keys_say(void **state)
{
    test_bytes bytes = test_begin_root();
    test_key keys[3] = {
        {"TObjString", "a", 0, 8, 1}, {"TObjString", "b", 0, 8, 1}, {"TObjString", "c", 0x7fffff00, 8, 1}};
    told t;

    (void)state;
    keys[0].offset = (uint32_t)bytes.n;
    test_put_key(&bytes, &(test_key){"TObjString", "z", keys[0].offset, 8, 1}, TEST_BEGIN);
    test_put_be(&bytes, 0x4000000400010000, 8);
    keys[1].offset = (uint32_t)bytes.n;
    test_put_key(&bytes, &keys[1], TEST_BEGIN);
    test_put_be(&bytes, 0x40000ff400010000, 8);
    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, keys, 2);
    test_patch_be32(&bytes, 16, 0x7fffff00); /* the free list is nowhere */
    check_bytes(&bytes, &t);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.offset, keys[1].offset);
    assert_non_null(strstr(t.words, "passes the end of its 8 bytes"));
    test_put_keys(&bytes, test_root_fields(), TEST_BEGIN, keys, 3);
    check_bytes(&bytes, &t);
    assert_int_equal(t.n, 4);
    assert_int_equal(t.status, TAGMA_E_TRUNCATED);
    free(bytes.bytes);
}

/* Bytes flipped in the streamer info's and a tree's packed records are found by their codecs' checksums. */
static void tells_flipped_bytes_in_packed_records(void **state)
{
    test_bytes bytes = test_read_file("tests/data/edge/cycles.root");
    size_t info = tg_be32(bytes.bytes + 37), info_bytes = tg_be32(bytes.bytes + 41);
    told t;

    (void)state;
    bytes.bytes[info + info_bytes / 2] ^= 4;
    check_bytes(&bytes, &t);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.offset, info);
    assert_non_null(strstr(t.words, "streamer info"));
    free(bytes.bytes);
}

/* A branch whose table of baskets is damaged is told with its tree and its name, and the others are not. */
static void tells_a_branch_that_is_damaged(void **state)
{
    static const uint8_t run[] = {3, 'r', 'u', 'n', 5, 'r', 'u', 'n', '/', 'i'};
    /* Behind the name: a framed TAttFill, then fCompress, fBasketSize, fEntryOffsetLen and fWriteBasket. */
    enum { TO_WRITE_BASKET = sizeof run + 10 + 12 };
    test_bared bared = test_bare_tree("tests/data/edge/killed-saveself.root");
    size_t at = bared.payload + test_find(&bared, run, sizeof run) + TO_WRITE_BASKET;
    told t;

    (void)state;
    test_patch_be32(&bared.bytes, at, UINT32_MAX);
    check_bytes(&bared.bytes, &t);
    assert_int_equal(t.n, 2); /* it was never closed, too */
    assert_string_equal(t.tree, "Events;1");
    assert_string_equal(t.column, "run");
    assert_non_null(strstr(t.words, "its last basket is number -1 of a table of 10"));
    free(bared.bytes.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_no_fault_in_sound_files),
        cmocka_unit_test(tells_an_unclosed_file),
        cmocka_unit_test(tells_a_cut_file),
        cmocka_unit_test(tells_records_that_are_not_what_their_keys_say),
        cmocka_unit_test(tells_flipped_bytes_in_packed_records),
        cmocka_unit_test(tells_a_branch_that_is_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
