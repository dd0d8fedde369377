/* SPDX-License-Identifier: Apache-2.0
 * One event straight from the bytes of a cluster's table. */
#include "store/direct.h"

#include "base/num.h"

enum { LISTS_MAX = 64, SPARSE_MAX = 128 };

/* Lists as far as this event needs them. */
typedef struct lists {
    uint32_t n_tile, first, n; /* items in the tile; of this event */
    uint32_t start;            /* byte of the record where they go */
} lists;

/* A sparse field, whose words stand behind all others. */
typedef struct waiting {
    tg_slot slot;
    uint32_t list;
    uint32_t out; /* byte of the record */
} waiting;

/* One event on its way into a record. */
typedef struct direct {
    const tg_table *table;
    const tg_fields *fields;
    const tagma_record_plan *record;
    const tg_tile *tile;
    uint32_t k;
    uint8_t *bytes;
    tg_heads heads;
    uint64_t n_heads[4]; /* of each width, that may be read */
    uint32_t head[4];    /* the next of each width */
    uint64_t at;         /* bit of the tile: scalars and items before are done */
    uint64_t item_bits;  /* of the fields of the lists at hand */
    lists lists[LISTS_MAX];
    waiting waiting[SPARSE_MAX];
    uint32_t n_waiting;
} direct;

static uint64_t aligned(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

static uint64_t code_of(const direct *it, uint32_t field)
{
    return tg_le64(it->table->codes + (size_t)field * TG_CODE_BYTES);
}

static bool has_no_heads(uint64_t code)
{
    return (code & 0xff) == TG_CODE_ALIAS || (code & 0xff) == TG_CODE_COUNT;
}

/* Where the heads of each width begin, and how many there may be. */
static bool find_heads(direct *it)
{
    const tg_table *table = it->table;
    uint64_t before =
        (uint64_t)(table->tiles - table->start) + sizeof(uint32_t) * ((uint64_t)table->n_tiles + 1);
    const uint8_t *heads = table->start + aligned(before);
    uint64_t n[4] = {0}, starts[4], end = 0;

    for (uint32_t f = 0; f < it->fields->n_columns; f++) {
        uint64_t code = code_of(it, f);

        if (!has_no_heads(code))
            n[tg_type_width(it->fields->shapes[it->fields->columns[f]].type)] +=
                (code >> 48) + (code >> 32 & TG_CODE_SPARSE);
    }
    for (uint32_t w = 4; w > 0; w--) {
        starts[w - 1] = end;
        end += n[w - 1] << (w - 1);
        if (end > table->heads_bytes)
            return false;
        it->n_heads[w - 1] = (table->heads_bytes - starts[w - 1]) >> (w - 1);
    }
    it->heads.eight = tg_heads_at(heads + starts[3]).eight;
    it->heads.four = tg_heads_at(heads + starts[2]).four;
    it->heads.two = tg_heads_at(heads + starts[1]).two;
    it->heads.one = heads + starts[0];
    return true;
}

/* Items of each lists, and how long the record is. Groups of the record are the lists in their order. */
static bool find_lists(direct *it, uint64_t *total)
{
    const uint8_t *from = it->table->start + TG_TABLE_HEAD;
    uint64_t k_events = it->table->tile_events, end = it->record->fixed_bytes;

    if (it->fields->n_lists > LISTS_MAX || it->record->n_groups != it->fields->n_lists)
        return false;
    for (uint32_t l = 0; l < it->fields->n_lists; l++, from += TG_TABLE_LISTS) {
        tg_table_lists as_table = {.end_bits = from[8]};
        const tg_group *group = &it->record->groups[l];
        lists *here = &it->lists[l];
        uint32_t begin;

        if (tg_le64(from) > INT32_MAX || tg_le64(from + 8) > 31 ||
            it->fields->lists[l].parent != TAGMA_NONE ||
            it->fields->lists[l].collection != group->collection ||
            it->at + k_events * as_table.end_bits > it->tile->n_bits)
            return false;
        here->n_tile = tg_tile_end(it->tile, &as_table, it->at, k_events);
        begin = tg_tile_end(it->tile, &as_table, it->at, it->k);
        here->n = tg_tile_end(it->tile, &as_table, it->at, (uint64_t)it->k + 1) - begin;
        here->first = begin;
        if (here->n > INT32_MAX || begin > here->n_tile || here->n > here->n_tile - begin || end > UINT32_MAX)
            return false;
        here->start = (uint32_t)end;
        end = aligned(end + (uint64_t)here->n * group->item_bytes);
        it->at += k_events * as_table.end_bits;
    }
    *total = end;
    return true;
}

/* A field's place, if it is the one that a record of all columns has for it. */
static const tg_place *place_of(const direct *it, uint32_t field, tg_place_kind kind)
{
    uint32_t c = it->fields->columns[field];
    const tg_place *place = &it->record->places[c];
    const tg_shape *shape = &it->fields->shapes[c];

    return place->column == c && place->kind == kind && place->type == shape->type &&
                   place->n_items == shape->n_items
               ? place
               : NULL;
}

/* The field that another is an alias of: an earlier one like it, which is none and no count. NULL where it is not. */
static const tg_place *alias_of(const direct *it, uint32_t field, uint64_t code, const tg_place *place)
{
    uint32_t other = (uint32_t)(code >> 32);
    const tg_place *from;
    uint64_t its;

    if (other >= field || (code >> 8 & 0xffffff) != 0)
        return NULL;
    its = code_of(it, other);
    from = place_of(it, other, (tg_place_kind)place->kind);
    return !has_no_heads(its) && !(its >> 32 & TG_CODE_SPARSE) && from && from->type == place->type &&
                   from->n_items == place->n_items
               ? from
               : NULL;
}

/* The slot of a field's code, but for where its words are. */
static bool slot_of(direct *it, uint64_t code, const tg_place *place, tg_slot *slot)
{
    uint32_t n_heads;

    if (!tg_code_unpack(code, (tagma_type)place->type, slot, &n_heads))
        return false;
    slot->n_words = place->n_items;
    slot->head = it->head[slot->width] + slot->is_sparse;
    it->head[slot->width] += n_heads;
    return slot->head + tg_slot_reach(slot) <= it->n_heads[slot->width];
}

/* One value by the formula. */
static void put_one(const direct *it, const tg_slot *slot, uint64_t at, uint8_t *to)
{
    uint64_t value = tg_slot_value(&it->heads, slot, tg_bits_near(it->tile->words, at, slot->w));

    if (slot->width == 3)
        memcpy(to, &value, 8);
    else if (slot->width == 2)
        memcpy(to, &value, 4);
    else if (slot->width == 1)
        memcpy(to, &value, 2);
    else
        *to = (uint8_t)value;
}

static void put(const direct *it, const tg_slot *slot, uint64_t at, uint64_t n, uint8_t *to)
{
    if (n == 1 && slot->w <= TG_BITS_NEAR && slot->kind != TG_CODE_DECIMAL)
        put_one(it, slot, at, to);
    else if (slot->w == 0)
        tg_fill(to, tg_slot_head(&it->heads, slot, 0), slot->width, n);
    else
        tg_decode(&it->heads, slot, it->tile->words, at, n, to);
}

/* How many items the lists that a column counts have. */
static bool put_count(const direct *it, uint32_t field, const tg_place *place)
{
    uint32_t l = it->fields->column_count[it->fields->columns[field]];

    if (l == TAGMA_NONE)
        return false;
    tg_fill(it->bytes + place->at, it->lists[l].n, tg_type_width(place->type), 1);
    return true;
}

static bool put_scalar(direct *it, uint32_t field)
{
    const tg_place *place = place_of(it, field, TG_PLACE_FIXED), *from;
    uint64_t code = code_of(it, field), step;
    tg_slot slot;

    if (!place)
        return false;
    if ((code & 0xff) == TG_CODE_ALIAS) {
        from = alias_of(it, field, code, place);
        if (from)
            memcpy(it->bytes + place->at, it->bytes + from->at, (size_t)place->n_items * place->bytes);
        return from;
    }
    if (!slot_of(it, code, place, &slot) || slot.is_sparse)
        return false;
    if (slot.kind == TG_CODE_COUNT)
        return put_count(it, field, place);
    step = (uint64_t)slot.n_words * slot.w;
    if (step * it->table->tile_events > it->tile->n_bits - it->at) /* below 2^54 */
        return false;
    put(it, &slot, it->at + it->k * step, slot.n_words, it->bytes + place->at);
    it->at += it->table->tile_events * step;
    return true;
}

static bool put_item(direct *it, uint32_t l, uint32_t field)
{
    const tg_place *place = place_of(it, field, TG_PLACE_LIST), *from;
    const lists *here = &it->lists[l];
    uint64_t code = code_of(it, field), step, out;
    tg_slot slot;

    if (!place || place->group != l)
        return false;
    out = here->start + (uint64_t)here->n * place->width_before;
    if ((code & 0xff) == TG_CODE_ALIAS) {
        from = alias_of(it, field, code, place);
        if (!from || from->group != l)
            return false;
        memcpy(it->bytes + out, it->bytes + here->start + (uint64_t)here->n * from->width_before,
               (size_t)here->n * place->n_items * place->bytes);
        return true;
    }
    if (!slot_of(it, code, place, &slot) || slot.kind == TG_CODE_COUNT)
        return false;
    if (slot.is_sparse) {
        if (it->n_waiting == SPARSE_MAX)
            return false;
        it->waiting[it->n_waiting++] = (waiting){slot, l, (uint32_t)out};
        return true;
    }
    step = (uint64_t)slot.n_words * slot.w;
    it->item_bits += step;
    if (it->item_bits > UINT32_MAX)
        return false;
    if (here->n_tile > 0 && (step > it->tile->n_bits || step * here->n_tile > it->tile->n_bits - it->at))
        return false;
    if (here->n > 0)
        put(it, &slot, it->at + here->first * step, (uint64_t)here->n * slot.n_words, it->bytes + out);
    it->at += here->n_tile * step;
    return true;
}

/* Presence bits, then words, of all sparse fields in turn. */
static bool put_sparse(const direct *it)
{
    uint64_t presence = it->at, rests = it->at;

    for (uint32_t s = 0; s < it->n_waiting; s++) {
        const waiting *one = &it->waiting[s];

        rests += (uint64_t)it->lists[one->list].n_tile * one->slot.n_words;
        if (rests > it->tile->n_bits)
            return false;
    }
    for (uint32_t s = 0; s < it->n_waiting; s++) {
        const waiting *one = &it->waiting[s];
        const lists *here = &it->lists[one->list];
        uint64_t n_words = one->slot.n_words, n = here->n_tile * n_words,
                 end = rests + tg_bits_count(it->tile->words, presence, n) * one->slot.w;

        if (end > it->tile->n_bits)
            return false;
        if (here->n > 0)
            tg_decode_sparse(&it->heads, &one->slot, it->tile->words, presence, rests, here->first * n_words,
                             here->n * n_words, it->bytes + one->out);
        presence += n;
        rests = end;
    }
    return true;
}

static void put_head(const direct *it, uint64_t total)
{
    tg_record_head head = {it->record->tag, (uint32_t)total};

    memset(it->bytes, 0, it->record->fixed_bytes);
    memcpy(it->bytes, &head, sizeof head);
    for (uint32_t g = 0; g < it->record->n_groups; g++) {
        memcpy(it->bytes + it->record->groups[g].count_at, &it->lists[g].n, sizeof it->lists[g].n);
        memcpy(it->bytes + it->record->groups[g].start_at, &it->lists[g].start, sizeof it->lists[g].start);
    }
}

bool tg_direct_event(const tg_table *table, const tagma_record_plan *record, const tg_tile *tile, uint32_t k,
                     uint8_t *bytes, size_t record_bytes, size_t *needed)
{
    const tg_fields *fields = table->fields;
    direct it; /* its arrays are filled as far as they are needed */
    uint64_t total = 0;

    it.table = table;
    it.fields = fields;
    it.record = record;
    it.tile = tile;
    it.k = k;
    it.bytes = bytes;
    it.at = 0;
    it.n_waiting = 0;
    it.item_bits = 0;
    memset(it.head, 0, sizeof it.head);
    if (!tg_is_little_endian() || record->n_columns != fields->n_columns || table->n_nullable > 0 ||
        !find_heads(&it) || !find_lists(&it, &total) || total > record_bytes || total > UINT32_MAX)
        return false;
    put_head(&it, total);
    for (uint32_t f = 0; f < fields->n_scalars; f++)
        if (!put_scalar(&it, f))
            return false;
    for (uint32_t l = 0; l < fields->n_lists; l++, it.item_bits = 0)
        for (uint32_t f = fields->lists[l].first_field;
             f < fields->lists[l].first_field + fields->lists[l].n_fields; f++)
            if (!put_item(&it, l, f))
                return false;
    if (!put_sparse(&it))
        return false;
    *needed = total;
    return true;
}
