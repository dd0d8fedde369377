/* SPDX-License-Identifier: Apache-2.0
 * Parse the streamer info record, and find classes in it. */
#include "root/streamer.h"

#include <stdlib.h>

#include "root/object.h"
#include "root/rootrecord.h"

struct tg_streamers {
    tg_record record;     /* what the texts point into */
    tg_class_info *infos; /* sorted by name, then version */
    uint64_t n_infos, infos_capacity;
    tg_element *elements;
    uint64_t n_elements, elements_capacity;
};

typedef struct reading {
    tagma_ctx *ctx;
    tg_streamers *streamers;
    uint32_t key_bytes;
    tg_in in;
} reading;

/* Source: docs/ROOT.md, "Streamer info". Version 1 counts its dimensions; 3 stores the range, which the title has too. */
static void parse_dims(tg_in *in, int32_t version, tg_element *element)
{
    int32_t length = (int32_t)tg_in_be32(in);
    int32_t n_dims = (int32_t)tg_in_be32(in);
    uint32_t n_stored = version == 1 ? tg_in_be32(in) : TG_DIMS_MAX;

    element->n_items = length > 0 ? (uint32_t)length : 1;
    element->n_dims = n_dims < 0 || n_dims > TG_DIMS_MAX ? 0 : (uint32_t)n_dims;
    if (n_stored > tg_in_left(in) / 4) {
        in->is_short = true;
        return;
    }
    for (uint32_t i = 0; i < n_stored; i++) {
        uint32_t dim = tg_in_be32(in);
        if (i < TG_DIMS_MAX)
            element->dims[i] = dim;
    }
}

/* The part all elements share. */
static bool parse_common(tg_in *in, tg_element *element)
{
    enum { HAS_RANGE = 0x40 };
    tg_object object = tg_object_enter(in), named = tg_object_enter(in);

    tg_in_skip(in, 6); /* version and fUniqueID of a TObject, which is never referenced here */
    element->has_range = tg_in_be32(in) & HAS_RANGE;
    element->name = tg_in_text(in);
    element->title = tg_in_text(in);
    if (!tg_object_leave(in, &named))
        return false;
    element->code = (int32_t)tg_in_be32(in);
    tg_in_skip(in, 4); /* fSize: the writer's, in memory */
    parse_dims(in, object.version, element);
    element->type_name = tg_in_text(in);
    return tg_object_leave(in, &object);
}

static tagma_status parse_element(reading *r, const tg_slot *slot)
{
    tg_streamers *s = r->streamers;
    void *block = s->elements;
    tg_element element = {.is_base = tg_text_begins(slot->class_name, "TStreamerBase"),
                          .is_stl = tg_text_begins(slot->class_name, "TStreamerSTL"),
                          .count_name = {"", 0}};
    bool is_counted = tg_text_is(slot->class_name, "TStreamerBasicPointer") ||
                      tg_text_is(slot->class_name, "TStreamerLoop");
    tg_object object = tg_object_enter(&r->in), inner = {.has_count = false};
    bool is_wrapped = tg_text_is(slot->class_name, "TStreamerSTLstring");
    tagma_status st;
    bool is_good;

    if (is_wrapped)
        inner = tg_object_enter(&r->in);
    is_good = parse_common(&r->in, &element);
    if (is_good && is_counted) {
        tg_in_skip(&r->in, 4); /* fCountVersion */
        element.count_name = tg_in_text(&r->in);
    }
    if (is_good && element.is_stl) {
        tg_in_skip(&r->in, 4); /* fSTLtype: its codes differ from file to file, the type's name does not */
        element.item_code = (int32_t)tg_in_be32(&r->in);
    }
    if (is_wrapped)
        is_good = tg_object_leave(&r->in, &inner) && is_good;
    is_good = tg_object_leave(&r->in, &object) && is_good;
    if (!is_good)
        return tg_fail(r->ctx, TAGMA_E_CORRUPT, "a %.*s is cut", (int)slot->class_name.n,
                       slot->class_name.bytes);
    st = tg_reserve(r->ctx, &block, &s->elements_capacity, s->n_elements + 1, sizeof *s->elements);
    s->elements = block;
    TG_TRY(st);
    s->elements[s->n_elements++] = element;
    return TAGMA_OK;
}

static tagma_status parse_elements(reading *r)
{
    tg_slot list = tg_slot_enter(&r->in, r->key_bytes);
    tg_object object;
    tagma_status st = TAGMA_OK;
    uint32_t n;

    if (list.kind != TG_SLOT_OBJECT) {
        (void)tg_slot_leave(&r->in, &list);
        return TAGMA_OK;
    }
    object = tg_object_enter(&r->in);
    n = tg_in_objarray(&r->in);
    for (uint32_t i = 0; i < n && st == TAGMA_OK && !tg_in_short(&r->in); i++) {
        tg_slot slot = tg_slot_enter(&r->in, r->key_bytes);

        if (slot.kind == TG_SLOT_OBJECT)
            st = parse_element(r, &slot);
        if (!tg_slot_leave(&r->in, &slot) && st == TAGMA_OK)
            st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "element %" PRIu32 " is cut", i);
    }
    if (!tg_object_leave(&r->in, &object) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "its list of elements is cut");
    (void)tg_slot_leave(&r->in, &list);
    return st;
}

static tagma_status parse_info(reading *r)
{
    tg_streamers *s = r->streamers;
    void *block = s->infos;
    tg_object object = tg_object_enter(&r->in);
    tg_class_info info = {.first_element = (uint32_t)s->n_elements};
    tagma_status st;

    if (tg_in_named(&r->in, &info.name, NULL)) {
        info.checksum = tg_in_be32(&r->in);
        info.version = (int32_t)tg_in_be32(&r->in);
        st = parse_elements(r);
    } else {
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "its name is cut");
    }
    if (!tg_object_leave(&r->in, &object) && st == TAGMA_OK)
        st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "it is cut");
    if (st < 0)
        return tg_within(r->ctx, st, "streamer info of class %.*s", (int)info.name.n, info.name.bytes);
    info.n_elements = (uint32_t)s->n_elements - info.first_element;
    st = tg_reserve(r->ctx, &block, &s->infos_capacity, s->n_infos + 1, sizeof *s->infos);
    s->infos = block;
    TG_TRY(st);
    s->infos[s->n_infos++] = info;
    return TAGMA_OK;
}

static tagma_status parse_list(reading *r)
{
    tg_object object = tg_object_enter(&r->in);
    uint32_t n = tg_in_list(&r->in);

    for (uint32_t i = 0; i < n; i++) {
        tg_slot slot = tg_slot_enter(&r->in, r->key_bytes);
        tagma_status st = TAGMA_OK;

        if (slot.kind == TG_SLOT_OBJECT && tg_text_is(slot.class_name, "TStreamerInfo"))
            st = parse_info(r);
        /* Rules of schema evolution and whatever else stands here are passed over. */
        if (st == TAGMA_OK && !tg_slot_leave(&r->in, &slot))
            st = tg_fail(r->ctx, TAGMA_E_CORRUPT, "object %" PRIu32 " is cut", i);
        TG_TRY(st);
        tg_in_skip_option(&r->in);
    }
    if (!tg_object_leave(&r->in, &object))
        return tg_fail(r->ctx, TAGMA_E_CORRUPT, "the list is cut");
    return TAGMA_OK;
}

static int compare_texts(tg_text a, tg_text b)
{
    int order = memcmp(a.bytes, b.bytes, a.n < b.n ? a.n : b.n);

    if (order != 0)
        return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

static int compare_infos(const void *a, const void *b)
{
    const tg_class_info *left = a, *right = b;
    int order = compare_texts(left->name, right->name);

    if (order != 0)
        return order;
    if (left->version != right->version)
        return left->version < right->version ? -1 : 1;
    return left->first_element < right->first_element ? -1 : 1;
}

tagma_status tg_streamers_read(tagma_ctx *ctx, tg_lane *lane, const tg_root_header *header,
                               tg_streamers **out)
{
    const char *file = tagma_source_name(tg_lane_source(lane));
    tg_codec_state codec = {0};
    tg_streamers *s;
    tagma_status st;
    reading r;

    *out = NULL;
    if (header->streamers_offset <= (uint64_t)header->begin || header->streamers_bytes <= 0)
        return TAGMA_OK;
    s = tg_zalloc(ctx, 1, sizeof *s);
    if (!s)
        return TAGMA_E_MEMORY;
    st = tg_record_read(ctx, lane, &codec, header->streamers_offset, (uint64_t)header->streamers_bytes, false,
                        &s->record);
    tg_codec_state_free(ctx, &codec);
    if (st == TAGMA_OK) {
        r = (reading){ctx, s, s->record.key.key_bytes, tg_in_of(s->record.payload, s->record.payload_bytes)};
        st = parse_list(&r);
        if (st < 0)
            tg_within(ctx, st, "%s: record at byte %" PRIu64 " (streamer info)", file,
                      header->streamers_offset);
    }
    if (st < 0) {
        tg_streamers_free(ctx, s);
        return tg_within(ctx, st, "streamer info");
    }
    if (s->n_infos > 0)
        qsort(s->infos, s->n_infos, sizeof *s->infos, compare_infos);
    *out = s;
    return TAGMA_OK;
}

void tg_streamers_free(tagma_ctx *ctx, tg_streamers *streamers)
{
    if (!streamers)
        return;
    tg_record_free(ctx, &streamers->record);
    tg_free(ctx, streamers->infos);
    tg_free(ctx, streamers->elements);
    tg_free(ctx, streamers);
}

/* The first info of a name whose version is not below the given one. */
static uint64_t lower_bound(const tg_streamers *s, tg_text name, int32_t version)
{
    uint64_t low = 0, high = s->n_infos;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = compare_texts(s->infos[middle].name, name);
        if (order < 0 || (order == 0 && s->infos[middle].version < version))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_named(const tg_streamers *s, uint64_t i, tg_text name)
{
    return i < s->n_infos && compare_texts(s->infos[i].name, name) == 0;
}

const tg_class_info *tg_streamers_find(const tg_streamers *s, tg_text name, int32_t version,
                                       uint32_t checksum)
{
    enum { VERSIONS_MAX = 256 };
    uint64_t first, i;

    if (!s)
        return NULL;
    i = lower_bound(s, name, version);
    if (version > 0 && is_named(s, i, name) && s->infos[i].version == version)
        return &s->infos[i];
    first = lower_bound(s, name, INT32_MIN);
    for (i = first; checksum != 0 && i - first < VERSIONS_MAX && is_named(s, i, name); i++)
        if (s->infos[i].checksum == checksum)
            return &s->infos[i];
    return is_named(s, first, name) && !is_named(s, first + 1, name) ? &s->infos[first] : NULL;
}

const tg_element *tg_streamers_element(const tg_streamers *streamers, const tg_class_info *info, uint32_t i)
{
    return &streamers->elements[info->first_element + i];
}

/* No class is looked into twice, by all searches together: cycles and diamonds end, and the whole is linear. */
static bool is_tree(tg_streamers *s, tg_text name, uint32_t depth)
{
    enum { DEPTH_MAX = 64 };

    if (tg_text_is(name, "TTree"))
        return true;
    for (uint64_t i = lower_bound(s, name, INT32_MIN); depth < DEPTH_MAX && is_named(s, i, name); i++) {
        tg_class_info *info = &s->infos[i];
        uint32_t n = info->is_asked ? 0 : info->n_elements;

        info->is_asked = true;
        for (uint32_t e = 0; e < n; e++) {
            const tg_element *element = tg_streamers_element(s, info, e);
            if (element->is_base && is_tree(s, element->name, depth + 1))
                info->is_tree = true;
        }
        if (info->is_tree)
            return true;
    }
    return false;
}

bool tg_streamers_is_tree(tg_streamers *streamers, const char *class_name)
{
    return streamers && is_tree(streamers, tg_text_of(class_name), 0);
}
