/* SPDX-License-Identifier: Apache-2.0
 * Objects and slots, from bytes in sight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "root/object.h"

enum { KEY_BYTES = 0x40 };

static void enters_an_object_with_a_byte_count(void **state)
{
    static const uint8_t bytes[] = {0x40, 0, 0, 4, 0, 3, 7, 8, 9};
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_object object = tg_object_enter(&in);

    (void)state;
    assert_int_equal(object.version, 3);
    assert_true(object.has_count);
    assert_false(object.is_memberwise);
    assert_int_equal(tg_in_left(&in), 2);
    assert_int_equal(tg_in_u8(&in), 7);
    assert_true(tg_object_leave(&in, &object));
    assert_int_equal(tg_in_u8(&in), 9);
}

/* Old writers leave the byte count out: the version stands first. */
static void enters_an_object_without_a_byte_count(void **state)
{
    static const uint8_t bytes[] = {0, 3, 7, 8};
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_object object = tg_object_enter(&in);

    (void)state;
    assert_int_equal(object.version, 3);
    assert_false(object.has_count);
    assert_int_equal(tg_in_u8(&in), 7);
    assert_true(tg_object_leave(&in, &object));
    assert_int_equal(in.at, 3);
}

static void tells_memberwise_streaming(void **state)
{
    static const uint8_t bytes[] = {0x40, 0, 0, 2, 0x40, 9};
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_object object = tg_object_enter(&in);

    (void)state;
    assert_true(object.is_memberwise);
    assert_int_equal(object.version, 9);
}

/* A read past the end of the object is found when it is left, and does not spoil what stands behind it. */
static void keeps_a_short_read_within_the_object(void **state)
{
    static const uint8_t bytes[] = {0x40, 0, 0, 3, 0, 1, 5, 6};
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_object object = tg_object_enter(&in);

    (void)state;
    assert_int_equal(tg_in_be32(&in), 0);
    assert_false(tg_object_leave(&in, &object));
    assert_false(tg_in_short(&in));
    assert_int_equal(tg_in_u8(&in), 6);
}

static void refuses_a_byte_count_past_the_end(void **state)
{
    static const uint8_t bytes[] = {0x7f, 0xff, 0xff, 0xff, 0, 1};
    tg_in in = tg_in_of(bytes, sizeof bytes);
    tg_object object = tg_object_enter(&in);

    (void)state;
    assert_true(tg_in_short(&in));
    assert_false(tg_object_leave(&in, &object));
}

/* The second slot names the class by the place of its tag: byte 4 of the payload, KEY_BYTES and 2 further. */
static const uint8_t slots[] = {
    0x40, 0, 0, 10,   0xff, 0xff, 0xff, 0xff, 'T', 'L', 'e', 'a', 'f', 0, /* new class TLeaf */
    0x40, 0, 0, 5,    0x80, 0,    0,    0x46, 1, /* class at 4 + 0x40 + 2, one byte */
    0,    0, 0, 0x42,                            /* object at 0 + 0x40 + 2 */
    0x40, 0, 0, 4,    0,    0,    0,    0x42,    /* the same with a byte count */
    0,    0, 0, 0,                               /* null */
};

static void tells_what_a_slot_holds(void **state)
{
    tg_in in = tg_in_of(slots, sizeof slots);
    tg_slot slot = tg_slot_enter(&in, KEY_BYTES);

    (void)state;
    assert_int_equal(slot.kind, TG_SLOT_OBJECT);
    assert_true(tg_text_is(slot.class_name, "TLeaf"));
    assert_int_equal(slot.reference, KEY_BYTES + 2);
    assert_true(tg_slot_leave(&in, &slot));

    slot = tg_slot_enter(&in, KEY_BYTES);
    assert_int_equal(slot.kind, TG_SLOT_OBJECT);
    assert_true(tg_text_is(slot.class_name, "TLeaf"));
    assert_int_equal(slot.reference, 14 + KEY_BYTES + 2);
    assert_int_equal(tg_in_u8(&in), 1);
    assert_true(tg_slot_leave(&in, &slot));

    for (int i = 0; i < 2; i++) {
        slot = tg_slot_enter(&in, KEY_BYTES);
        assert_int_equal(slot.kind, TG_SLOT_REFERENCE);
        assert_int_equal(slot.reference, 0x42);
        assert_true(tg_slot_leave(&in, &slot));
    }
    slot = tg_slot_enter(&in, KEY_BYTES);
    assert_int_equal(slot.kind, TG_SLOT_NULL);
    assert_true(tg_slot_leave(&in, &slot));
    assert_int_equal(tg_in_left(&in), 0);
}

/* A class tag that points forward, at itself, in front of the payload or at what is no class. */
static void refuses_class_tags_that_lead_nowhere(void **state)
{
    static const uint32_t places[] = {
        0, 2, KEY_BYTES + 1, KEY_BYTES + 2, KEY_BYTES + 2 + 14, KEY_BYTES + 2 + 18, 0x7fffffff};

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        uint8_t bytes[sizeof slots];
        tg_in in = tg_in_of(bytes, sizeof bytes);
        tg_slot slot;

        memcpy(bytes, slots, sizeof bytes);
        for (int b = 0; b < 4; b++)
            bytes[18 + b] = (uint8_t)((0x80000000U | places[i]) >> (24 - 8 * b));
        in.at = 14;
        slot = tg_slot_enter(&in, KEY_BYTES);
        if (places[i] == 0x7fffffff) /* the tag of a new class, whose name is not there */
            assert_true(tg_in_short(&in));
        assert_false(tg_slot_leave(&in, &slot));
        assert_false(tg_in_short(&in));
        assert_int_equal(in.at, 23);
    }
}

static void passes_over_a_tobject_of_any_length(void **state)
{
    static const uint8_t plain[] = {0, 1, 0, 0, 0, 0, 3, 0, 0, 0};
    static const uint8_t referenced[] = {0, 1, 0, 0, 0, 0, 3, 0, 0, 0x10, 0, 7};
    static const uint8_t counted[] = {0x40, 0, 0, 10, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0};
    const struct {
        const uint8_t *bytes;
        size_t n;
    } rows[] = {{plain, sizeof plain}, {referenced, sizeof referenced}, {counted, sizeof counted}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg_in in = tg_in_of(rows[i].bytes, rows[i].n);

        tg_in_skip_tobject(&in);
        assert_false(tg_in_short(&in));
        assert_int_equal(in.at, rows[i].n);
    }
}

/* A list that claims more slots than there are bytes for. */
static void refuses_lists_longer_than_their_bytes(void **state)
{
    uint8_t bytes[32] = {0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0 /* no name */, 0, 0, 0, 5 /* slots */, 0, 0, 0, 0};
    tg_in in = tg_in_of(bytes, 35 - 4);

    (void)state;
    in.n = 19 + 12;
    assert_int_equal(tg_in_objarray(&in), 0);
    assert_true(tg_in_short(&in));
    in = tg_in_of(bytes, 19 + 12);
    bytes[14] = 3;
    assert_int_equal(tg_in_objarray(&in), 3);
    assert_false(tg_in_short(&in));
}

static void passes_over_a_list_without_a_byte_count(void **state)
{
    static const uint8_t bytes[] = {0,    3, /* version */
                                    0,    1, 0, 0,    0, 0, 3, 0,    0, 0, 0, 0,
                                    0,    0, 3, 0,    0, 0, 0, 0,    0, 0, 0, /* null */
                                    0,    0, 0, 0x42,                         /* a reference */
                                    0x40, 0, 0, 4,    0, 0, 0, 0x42,          /* another */
                                    0xee};
    tg_in in = tg_in_of(bytes, sizeof bytes);

    (void)state;
    tg_in_skip_objects(&in, KEY_BYTES);
    assert_false(tg_in_short(&in));
    assert_int_equal(tg_in_u8(&in), 0xee);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enters_an_object_with_a_byte_count),
        cmocka_unit_test(enters_an_object_without_a_byte_count),
        cmocka_unit_test(tells_memberwise_streaming),
        cmocka_unit_test(keeps_a_short_read_within_the_object),
        cmocka_unit_test(refuses_a_byte_count_past_the_end),
        cmocka_unit_test(tells_what_a_slot_holds),
        cmocka_unit_test(refuses_class_tags_that_lead_nowhere),
        cmocka_unit_test(passes_over_a_tobject_of_any_length),
        cmocka_unit_test(refuses_lists_longer_than_their_bytes),
        cmocka_unit_test(passes_over_a_list_without_a_byte_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
