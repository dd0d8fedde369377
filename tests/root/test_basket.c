/* SPDX-License-Identifier: Apache-2.0
 * Baskets: every form in which they tell their entries apart, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "root/basket.h"
#include "support/baskets.h"

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

/* A basket opened the way the reader does. */
typedef struct opened {
    test_bytes file;
    tg_basket table;
    tg_basket_head head;
    uint8_t *unpacked;
    tg_buf made;
    tg_entries entries;
    tagma_status st;
} opened;

/* What follows a change of the record's bytes, which may be none. */
static void reopen(tagma_ctx *ctx, opened *o)
{
    const uint8_t *record = o->file.bytes + o->table.offset, *payload;
    tg_codec_state codec = {0};

    free(o->unpacked);
    o->unpacked = NULL;
    o->st = tg_basket_parse(ctx, record, &o->table, false, &o->head);
    if (o->st == TAGMA_OK) {
        o->unpacked = malloc(o->head.unpacked_bytes + 1);
        o->st = tg_basket_unpack(ctx, &codec, &o->head, record, o->unpacked, &payload);
    }
    if (o->st == TAGMA_OK)
        o->st = tg_basket_entries(ctx, &o->head, payload, &o->made, &o->entries);
    tg_codec_state_free(ctx, &codec);
}

static void open_basket(tagma_ctx *ctx, const test_basket *basket, opened *o)
{
    memset(o, 0, sizeof *o);
    test_append(&o->file, "padding", 7);
    o->table.offset = test_append_basket(&o->file, basket, &o->table.bytes);
    o->table.first_entry = 40;
    o->table.n_entries = basket->n_entries;
    reopen(ctx, o);
}

static void close_basket(tagma_ctx *ctx, opened *o)
{
    free(o->file.bytes);
    free(o->unpacked);
    tg_buf_free(ctx, &o->made);
}

static void assert_range(const tg_entries *entries, uint32_t i, uint32_t begin, uint32_t end)
{
    uint32_t found_begin, found_end;

    assert_true(tg_entry_range(entries, i, &found_begin, &found_end));
    assert_int_equal(found_begin, begin);
    assert_int_equal(found_end, end);
}

static const uint8_t seven[] = {1, 2, 3, 4, 5, 6, 7};
static const uint32_t begin_of_seven[] = {0, 3, 3, 5}; /* entries of 3, 0, 2, 2 bytes */

static void assert_four_entries(const opened *o)
{
    assert_int_equal(o->st, TAGMA_OK);
    assert_int_equal(o->entries.n, 4);
    assert_int_equal(o->entries.data_bytes, 7);
    assert_memory_equal(o->entries.data, seven, 7);
    assert_range(&o->entries, 0, 0, 3);
    assert_range(&o->entries, 1, 3, 3);
    assert_range(&o->entries, 2, 3, 5);
    assert_range(&o->entries, 3, 5, 7); /* the last ends with the data, not where the extra element says */
}

/* Entries of equal length need no tail. */
static void reads_entries_of_equal_length(void **state)
{
    test_basket basket = {.data = seven, .data_bytes = 6, .n_entries = 3, .stride = 2, .codec = TEST_RAW};
    opened o;

    open_basket(*state, &basket, &o);
    assert_int_equal(o.st, TAGMA_OK);
    assert_int_equal(o.head.tail, TG_TAIL_STRIDE);
    assert_range(&o.entries, 0, 0, 2);
    assert_range(&o.entries, 2, 4, 6);
    close_basket(*state, &o);
}

/* Offsets count from the key's first byte, wide or narrow; the displacement behind them changes nothing. */
static void reads_offsets_of_every_key(void **state)
{
    test_basket basket = {.data = seven,
                          .data_bytes = 7,
                          .n_entries = 4,
                          .stride = 1000,
                          .begin = begin_of_seven,
                          .codec = TEST_RAW};

    for (int form = 0; form < 4; form++) {
        opened o;

        basket.is_narrow = form & 1;
        basket.has_displacement = form & 2;
        open_basket(*state, &basket, &o);
        assert_int_equal(o.head.tail, TG_TAIL_OFFSETS);
        assert_four_entries(&o);
        close_basket(*state, &o);
    }
}

/* With fIOBits a stored array holds sizes, which add up to the same offsets. */
static void adds_up_sizes(void **state)
{
    test_basket basket = {.data = seven,
                          .data_bytes = 7,
                          .n_entries = 4,
                          .stride = 1000,
                          .begin = begin_of_seven,
                          .is_sizes = true,
                          .codec = TEST_RAW};
    opened o;
    uint8_t *size;

    open_basket(*state, &basket, &o);
    assert_int_equal(o.head.tail, TG_TAIL_SIZES);
    assert_four_entries(&o);
    size = o.file.bytes + o.table.offset + o.head.key_bytes + 7 + 4 + 4;
    size[3] = 9; /* more than the data */
    reopen(*state, &o);
    assert_int_equal(o.st, TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(*state), "sizes up to entry 1 add up"));
    close_basket(*state, &o);
}

/* Without any array the counts of the entries give the offsets, and must fill the basket. */
static void makes_offsets_from_counts(void **state)
{
    static const uint32_t ends[] = {10, 11, 11, 13}, too_few[] = {0, 1, 1, 2}, too_many[] = {0, 9, 9, 9};
    test_basket basket = {.data = seven,
                          .data_bytes = 6,
                          .n_entries = 3,
                          .stride = 1000,
                          .no_offsets = true,
                          .codec = TEST_RAW};
    opened o;

    open_basket(*state, &basket, &o);
    assert_int_equal(o.st, TAGMA_OK);
    assert_true(o.entries.needs_counts);
    assert_int_equal(tg_entries_count(*state, too_few, 2, 0, &o.made, &o.entries), TAGMA_E_CORRUPT);
    assert_int_equal(tg_entries_count(*state, too_many, 2, 0, &o.made, &o.entries), TAGMA_E_CORRUPT);
    assert_int_equal(tg_entries_count(*state, ends, 2, 0, &o.made, &o.entries), TAGMA_OK);
    assert_range(&o.entries, 0, 0, 2);
    assert_range(&o.entries, 1, 2, 2);
    assert_range(&o.entries, 2, 2, 6);
    close_basket(*state, &o);
    /* A flag byte in front of each: 1 + 0, 1 + 1, 1 + 2 bytes. */
    open_basket(*state, &basket, &o);
    assert_int_equal(tg_entries_count(*state, (const uint32_t[]){0, 0, 1, 3}, 1, 1, &o.made, &o.entries),
                     TAGMA_OK);
    assert_range(&o.entries, 2, 3, 6);
    close_basket(*state, &o);
}

/* Each codec, with offsets behind the data. */
static void unpacks_every_codec(void **state)
{
    test_bytes sample = test_sample(40000, 1);
    uint32_t *begin = malloc(1000 * sizeof *begin);

    for (uint32_t i = 0; i < 1000; i++)
        begin[i] = 40 * i;
    for (int codec = 0; codec < TEST_N_CODECS; codec++) {
        test_basket basket = {.data = sample.bytes,
                              .data_bytes = 40000,
                              .n_entries = 1000,
                              .stride = 1000,
                              .begin = begin,
                              .codec = codec};
        opened o;

        open_basket(*state, &basket, &o);
        assert_int_equal(o.st, TAGMA_OK);
        assert_true(o.head.is_packed);
        assert_int_equal(o.entries.data_bytes, 40000);
        assert_memory_equal(o.entries.data, sample.bytes, 40000);
        assert_range(&o.entries, 999, 39960, 40000);
        close_basket(*state, &o);
    }
    free(begin);
    free(sample.bytes);
}

/* An entry's offsets are claims: each is looked at when it is used, and only those of damaged entries are no range. */
static void tells_damaged_offsets_entry_by_entry(void **state)
{
    test_basket basket = {.data = seven,
                          .data_bytes = 7,
                          .n_entries = 4,
                          .stride = 1000,
                          .begin = begin_of_seven,
                          .codec = TEST_RAW};
    uint32_t begin, end;
    opened o;

    open_basket(*state, &basket, &o);
    o.file.bytes[o.table.offset + o.head.key_bytes + 7 + 4 + 4 * 2] = 0x40; /* entry 2 begins far behind */
    reopen(*state, &o);
    assert_int_equal(o.st, TAGMA_OK);
    assert_range(&o.entries, 0, 0, 3);
    assert_false(tg_entry_range(&o.entries, 1, &begin, &end));
    assert_false(tg_entry_range(&o.entries, 2, &begin, &end));
    assert_range(&o.entries, 3, 5, 7);
    close_basket(*state, &o);
}

/* Every field of key and header that contradicts the table or the others, by its place in a wide key. */
static void refuses_contradictions(void **state)
{
    static const struct {
        uint32_t at, value, width;
        const char *words;
    } patches[] = {
        {0, 0x7fffffff, 4, "record has 2147483647 bytes, 96 expected"},
        {0, 0xffffffff, 4, "record length -1"},
        {6, 0x7fffffff, 4, "the limit max_object_bytes"},
        {6, 0xffffffff, 4, "object length -1"},
        {14, 5, 2, "key has 5 bytes"},
        {14, 0xffff, 2, "key length -1"},
        {24, 0x777, 2, "record says it stands at byte 1911"},
        {35, 'X', 1, "record is a \"XBasket\", a TBasket expected"},
        {34, 250, 1, "is cut"},
        {46 + 10, 5, 4, "holds 5 entries, 4 expected"},
        {46 + 10, 0xffffffff, 4, "fNevBuf -1"},
        {46 + 14, 3, 4, "data end at 3, 65 + 31 bytes are there"},
        {46 + 14, 0x7fffffff, 4, "data end at 2147483647"},
        {46 + 14, 65 + 6, 4, "25 bytes behind the data, 0 or 24 expected for 4 entries"},
        {46 + 18, 1, 1, "flag is 1, 0 or 80 expected"},
        {46 + 6, 0x80000000, 4, "fIOBits are 0x00"},
        {65 + 7, 3, 4, "offset array has 3 elements, 4 + 1 expected"},
    };
    test_basket basket = {.data = seven,
                          .data_bytes = 7,
                          .n_entries = 4,
                          .stride = 1000,
                          .begin = begin_of_seven,
                          .codec = TEST_RAW};

    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
        opened o;

        open_basket(*state, &basket, &o);
        assert_int_equal(o.head.key_bytes, 65);
        for (uint32_t k = 0; k < patches[i].width; k++)
            o.file.bytes[o.table.offset + patches[i].at + k] =
                (uint8_t)(patches[i].value >> (8 * (patches[i].width - 1 - k)));
        reopen(*state, &o);
        assert_true(o.st < 0);
        if (!strstr(tagma_ctx_message(*state), patches[i].words))
            fail_msg("patch %zu: \"%s\" is not in \"%s\"", i, patches[i].words, tagma_ctx_message(*state));
        close_basket(*state, &o);
    }
}

/* Entries of equal length must fill the data exactly. */
static void refuses_a_stride_that_does_not_fill(void **state)
{
    test_basket basket = {.data = seven, .data_bytes = 7, .n_entries = 3, .stride = 2, .codec = TEST_RAW};
    opened o;

    open_basket(*state, &basket, &o);
    assert_int_equal(o.st, TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(*state), "7 bytes of data, 3 entries of 2 bytes expected"));
    close_basket(*state, &o);
}

/* A basket cut anywhere is refused, never read past its end. */
static void survives_any_cut(void **state)
{
    test_basket basket = {.data = seven,
                          .data_bytes = 7,
                          .n_entries = 4,
                          .stride = 1000,
                          .begin = begin_of_seven,
                          .codec = TEST_RAW};
    opened o;
    uint32_t whole;

    open_basket(*state, &basket, &o);
    whole = o.table.bytes;
    for (uint32_t n = 29; n < whole; n++) {
        uint8_t *copy = malloc(n);

        memcpy(copy, o.file.bytes + o.table.offset, n);
        o.table.bytes = n;
        assert_true(tg_basket_parse(*state, copy, &o.table, false, &o.head) < 0);
        free(copy);
    }
    close_basket(*state, &o);
}

/* Old writers packed to exactly the object's length now and then; only the frame can tell. */
static void tells_old_packing_by_its_frame(void **state)
{
    test_bytes sample = test_sample(300, 3), payload = {0};
    test_basket basket = {.n_entries = 1, .codec = TEST_RAW};
    tg_codec_state codec = {0};
    opened o;
    const uint8_t *out;
    uint8_t unpacked[300];

    test_append_packed(&payload, TEST_ZLIB, sample.bytes, sample.n);
    assert_true(payload.n < 300);
    while (payload.n < 300) /* as long as what it unpacks to */
        test_append(&payload, "\0", 1);
    basket.data = payload.bytes;
    basket.data_bytes = 300;
    basket.stride = 300;
    open_basket(*state, &basket, &o);
    assert_int_equal(o.st, TAGMA_OK);
    assert_false(o.head.is_packed);
    assert_int_equal(tg_basket_parse(*state, o.file.bytes + o.table.offset, &o.table, true, &o.head),
                     TAGMA_OK);
    assert_true(o.head.is_packed);
    assert_int_equal(tg_basket_unpack(*state, &codec, &o.head, o.file.bytes + o.table.offset, unpacked, &out),
                     TAGMA_OK);
    assert_memory_equal(out, sample.bytes, 300);
    close_basket(*state, &o);

    basket.data = sample.bytes; /* no frame: as it stands */
    open_basket(*state, &basket, &o);
    assert_int_equal(tg_basket_parse(*state, o.file.bytes + o.table.offset, &o.table, true, &o.head),
                     TAGMA_OK);
    assert_false(o.head.is_packed);
    close_basket(*state, &o);
    tg_codec_state_free(*state, &codec);
    free(payload.bytes);
    free(sample.bytes);
}

/* Each flag of a basket embedded in the tree's record. */
static void reads_embedded_forms(void **state)
{
    static const struct {
        uint8_t flag;
        bool has_offsets;
    } forms[] = {{11, true}, {1, true}, {31, true}, {51, true}, {12, false}};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        test_basket basket = {.data = seven,
                              .data_bytes = 7,
                              .n_entries = 4,
                              .stride = 1000,
                              .begin = begin_of_seven,
                              .codec = TEST_RAW,
                              .is_narrow = i % 2 == 1};
        test_bytes payload = {0};
        opened o = {0};
        uint32_t bytes;

        if (!forms[i].has_offsets) {
            basket.begin = NULL;
            basket.data_bytes = 4;
            basket.stride = 1;
        }
        (void)test_append_embedded(&payload, &basket, forms[i].flag, &bytes);
        o.st = tg_basket_embedded(*state, payload.bytes, bytes, 4, &o.made, &o.entries);
        if (forms[i].has_offsets)
            assert_four_entries(&o);
        else
            assert_range(&o.entries, 3, 3, 4);
        for (uint32_t n = 0; n < bytes; n++) { /* cut anywhere */
            uint8_t *copy = malloc(n + 1);
            tg_entries entries;

            memcpy(copy, payload.bytes, n);
            assert_true(tg_basket_embedded(*state, copy, n, 4, &o.made, &entries) < 0);
            free(copy);
        }
        assert_int_equal(tg_basket_embedded(*state, payload.bytes, bytes, 5, &o.made, &o.entries),
                         TAGMA_E_CORRUPT);
        close_basket(*state, &o);
        free(payload.bytes);
    }
}

/* An empty one has flag 11 and yet no offsets; one whose offsets were left out needs counts; a bare header has no data. */
static void reads_embedded_rarities(void **state)
{
    test_basket empty = {.data = seven, .data_bytes = 0, .n_entries = 0, .stride = 1000, .codec = TEST_RAW};
    test_basket counted = {.data = seven,
                           .data_bytes = 6,
                           .n_entries = 3,
                           .stride = 1000,
                           .no_offsets = true,
                           .codec = TEST_RAW};
    test_bytes payload = {0};
    opened o = {0};
    uint32_t bytes;

    (void)test_append_embedded(&payload, &empty, 11, &bytes);
    assert_int_equal(tg_basket_embedded(*state, payload.bytes, bytes, 0, &o.made, &o.entries), TAGMA_OK);
    assert_int_equal(o.entries.n, 0);
    payload.n = 0;
    (void)test_append_embedded(&payload, &counted, 92, &bytes);
    assert_int_equal(tg_basket_embedded(*state, payload.bytes, bytes, 3, &o.made, &o.entries), TAGMA_OK);
    assert_true(o.entries.needs_counts);
    payload.n = 0;
    (void)test_append_embedded(&payload, &counted, 0, &bytes);
    assert_int_equal(tg_basket_embedded(*state, payload.bytes, bytes, 3, &o.made, &o.entries),
                     TAGMA_E_CORRUPT);
    close_basket(*state, &o);
    free(payload.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_entries_of_equal_length, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_offsets_of_every_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(adds_up_sizes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(makes_offsets_from_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unpacks_every_codec, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_damaged_offsets_entry_by_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_contradictions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_stride_that_does_not_fill, set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_any_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_old_packing_by_its_frame, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_embedded_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_embedded_rarities, set_up, tear_down),
    };

    return cmocka_run_group_tests_name("root/basket", tests, NULL, NULL);
}
