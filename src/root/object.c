/* SPDX-License-Identifier: Apache-2.0
 * Enter and leave objects and slots. */
#include "root/object.h"

enum { CLASS_NAME_BYTES_MAX = 256 };

static const uint32_t byte_count_bit = 0x40000000, new_class_tag = 0xffffffff, class_bit = 0x80000000;
/* Objects and classes are called by the place of their first word, in the record and 2 further. */
static const uint32_t reference_shift = 2;

static bool is_byte_count(uint32_t word)
{
    return (word & byte_count_bit) && word != new_class_tag;
}

/* End the window `count` bytes from here. */
static void narrow(tg_in *in, uint32_t count, size_t *end)
{
    if (count > tg_in_left(in)) {
        in->is_short = true;
        *end = in->n;
        return;
    }
    *end = in->at + count;
    in->n = *end;
}

static bool widen(tg_in *in, size_t outer, size_t end, bool has_count)
{
    bool is_good = !tg_in_short(in);

    in->n = outer;
    if (has_count) {
        in->at = end;
        in->is_short = false;
    }
    return is_good;
}

tg_object tg_object_enter(tg_in *in)
{
    enum { MEMBERWISE = 0x4000 };
    tg_object object = {.start = in->at, .outer = in->n};
    uint32_t word = tg_in_be32(in);
    uint16_t version;

    if (is_byte_count(word) && !tg_in_short(in)) {
        object.has_count = true;
        narrow(in, word & ~byte_count_bit, &object.end);
    } else if (!tg_in_short(in)) {
        in->at -= sizeof word;
    }
    version = tg_in_be16(in);
    object.is_memberwise = (int16_t)version > 0 && (version & MEMBERWISE);
    object.version = object.is_memberwise ? version & ~MEMBERWISE : (int16_t)version;
    return object;
}

bool tg_object_leave(tg_in *in, const tg_object *object)
{
    return widen(in, object->outer, object->end, object->has_count);
}

/* A class met before is called by the place of its tag, behind which its name stands: no table is needed to find it. */
static tg_text class_at(tg_in *in, uint32_t tag, uint32_t key_bytes, size_t before)
{
    uint64_t at = tag & ~class_bit;
    tg_in there = *in;

    if (at < (uint64_t)key_bytes + reference_shift || at - key_bytes - reference_shift >= before) {
        in->is_short = true;
        return (tg_text){"", 0};
    }
    there.n = before;
    tg_in_seek(&there, at - key_bytes - reference_shift);
    if (tg_in_be32(&there) != new_class_tag) {
        in->is_short = true;
        return (tg_text){"", 0};
    }
    return tg_in_zero_text(&there, CLASS_NAME_BYTES_MAX);
}

tg_slot tg_slot_enter(tg_in *in, uint32_t key_bytes)
{
    tg_slot slot = {.kind = TG_SLOT_NULL, .class_name = {"", 0}, .outer = in->n};
    size_t start = in->at;
    uint32_t tag = tg_in_be32(in);

    if (is_byte_count(tag) && !tg_in_short(in)) {
        slot.has_count = true;
        narrow(in, tag & ~byte_count_bit, &slot.end);
        tag = tg_in_be32(in);
    }
    if (tag == 0 || tg_in_short(in))
        return slot;
    if (!(tag & class_bit)) {
        slot.kind = TG_SLOT_REFERENCE;
        slot.reference = tag;
        return slot;
    }
    slot.kind = TG_SLOT_OBJECT;
    slot.reference = (uint32_t)(start + key_bytes + reference_shift);
    if (tag == new_class_tag)
        slot.class_name = tg_in_zero_text(in, CLASS_NAME_BYTES_MAX);
    else
        slot.class_name = class_at(in, tag, key_bytes, start);
    return slot;
}

bool tg_slot_leave(tg_in *in, const tg_slot *slot)
{
    return widen(in, slot->outer, slot->end, slot->has_count);
}

void tg_in_skip_tobject(tg_in *in)
{
    enum { COUNTED = 0x4000, REFERENCED = 0x10 };
    uint32_t bits;

    if (tg_in_be16(in) & COUNTED)
        tg_in_skip(in, 4); /* the rest of a byte count, and the version behind it */
    tg_in_skip(in, 4);     /* fUniqueID */
    bits = tg_in_be32(in);
    if (bits & REFERENCED)
        tg_in_skip(in, 2);
}

bool tg_in_named(tg_in *in, tg_text *name, tg_text *title)
{
    tg_object object = tg_object_enter(in);
    tg_text first, second;

    tg_in_skip_tobject(in);
    first = tg_in_text(in);
    second = tg_in_text(in);
    if (name)
        *name = first;
    if (title)
        *title = second;
    return tg_object_leave(in, &object);
}

/* Each slot takes `slot_bytes` at least. */
static uint32_t count_slots(tg_in *in, uint32_t n, uint32_t slot_bytes)
{
    if (n > tg_in_left(in) / slot_bytes) {
        in->is_short = true;
        return 0;
    }
    return n;
}

uint32_t tg_in_objarray(tg_in *in)
{
    uint32_t n;

    tg_in_skip_tobject(in);
    (void)tg_in_text(in);
    n = tg_in_be32(in);
    tg_in_skip(in, 4); /* lower bound */
    return count_slots(in, n, 4);
}

uint32_t tg_in_list(tg_in *in)
{
    tg_in_skip_tobject(in);
    (void)tg_in_text(in);
    return count_slots(in, tg_in_be32(in), 5);
}

void tg_in_skip_option(tg_in *in)
{
    (void)tg_in_text(in);
}

void tg_in_skip_objects(tg_in *in, uint32_t key_bytes)
{
    tg_object object = tg_object_enter(in);

    if (!object.has_count) {
        uint32_t n = tg_in_objarray(in);
        for (uint32_t i = 0; i < n && !tg_in_short(in); i++) {
            tg_slot slot = tg_slot_enter(in, key_bytes);
            bool is_blind = slot.kind == TG_SLOT_OBJECT && !slot.has_count;
            if (!tg_slot_leave(in, &slot) || is_blind)
                in->is_short = true;
        }
    }
    if (!tg_object_leave(in, &object))
        in->is_short = true;
}
