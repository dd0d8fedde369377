/* SPDX-License-Identifier: Apache-2.0
 * How objects stand in a record's payload: byte counts, versions, slots that hold or refer to an object.
 * Source of facts: docs/ROOT.md, "Objects". */
#ifndef TG_ROOT_OBJECT_H
#define TG_ROOT_OBJECT_H

#include "root/key.h"

/* An object being read. With a byte count the window ends where the object does, until it is left. */
typedef struct tg_object {
    size_t start; /* of its first word */
    size_t end;   /* valid with has_count */
    size_t outer; /* the window's end outside of it */
    int32_t version;
    bool has_count;
    bool is_memberwise;
} tg_object;

/* Byte count, if there is one, and version. A count that leads past the window is remembered as short. */
tg_object tg_object_enter(tg_in *in);
/* Go behind the object. @return false if a read within it, or its own byte count, went past its end; with a byte count the
 * window is sound again. */
bool tg_object_leave(tg_in *in, const tg_object *object);

typedef enum tg_slot_kind {
    TG_SLOT_NULL,
    TG_SLOT_OBJECT,   /* follows: enter it with tg_object_enter() where its class is framed */
    TG_SLOT_REFERENCE /* stands elsewhere */
} tg_slot_kind;

/* A pointer's place. `reference` is what others call the object by. */
typedef struct tg_slot {
    tg_slot_kind kind;
    tg_text class_name; /* borrowed from the payload */
    uint32_t reference;
    size_t end, outer;
    bool has_count;
} tg_slot;

/* References count from the record's first byte: key_bytes in front of the payload. A tag that makes no sense is short. */
tg_slot tg_slot_enter(tg_in *in, uint32_t key_bytes);
bool tg_slot_leave(tg_in *in, const tg_slot *slot);

/* Classes with a layout of their own. */
void tg_in_skip_tobject(tg_in *in);
/* TNamed; name and title may be NULL. */
bool tg_in_named(tg_in *in, tg_text *name, tg_text *title);
/* Head of a TObjArray or TList: number of slots behind it. Enter first, leave when done. */
uint32_t tg_in_objarray(tg_in *in);
uint32_t tg_in_list(tg_in *in);
/* A TObjArray nobody wants. Without a byte count its slots are passed one by one. */
void tg_in_skip_objects(tg_in *in, uint32_t key_bytes);
/* What stands behind each slot of a TList. */
void tg_in_skip_option(tg_in *in);

#endif
