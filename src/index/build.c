/* SPDX-License-Identifier: Apache-2.0
 * Make an index: sort the entries, then write its section level by level. */
#include "index/section.h"
#include "index/survey.h"

/* A section being written. */
typedef struct building {
    tagma_ctx *ctx;
    const tagma_index_input *input;
    tg_sorted *items;
    uint8_t *differs;
    uint8_t *bytes; /* [n_bytes] zeroed beyond what is written */
    uint64_t n_bytes;
    uint64_t n_ids, n_repeated_ids;
} building;

static tagma_status extend(building *b, uint64_t n_bytes)
{
    uint8_t *bytes = tg_realloc(b->ctx, b->bytes, n_bytes, 1);

    if (!bytes)
        return TAGMA_E_MEMORY;
    memset(bytes + b->n_bytes, 0, n_bytes - b->n_bytes);
    b->bytes = bytes;
    b->n_bytes = n_bytes;
    return TAGMA_OK;
}

/* The axis' values beside the entries, and where they differ from the ones before while nothing earlier does. */
static void take_axis(building *b, uint32_t axis)
{
    for (uint64_t i = 0; i < b->input->n_entries; i++)
        b->items[i].key = tg_ordered(b->input, axis, b->items[i].entry);
    for (uint64_t i = 1; i < b->input->n_entries; i++)
        if (b->differs[i] > axis && b->items[i].key != b->items[i - 1].key)
            b->differs[i] = (uint8_t)axis;
}

static void count_ids(building *b)
{
    uint8_t n_axes = (uint8_t)b->input->n_axes;

    for (uint64_t i = 0; i < b->input->n_entries; i++) {
        bool is_new = i == 0 || b->differs[i] < n_axes;
        bool is_repeat = i > 0 && b->differs[i] == n_axes;

        b->n_ids += is_new;
        b->n_repeated_ids += is_repeat && (i == 1 || b->differs[i - 1] < n_axes);
    }
}

/* Where the arrays of a level are written. */
typedef struct arrays {
    uint8_t *nodes, *bits, *directory, *blocks, *slots;
    uint64_t next; /* directory entry to be written next */
} arrays;

static void write_node(const tg_level *level, const arrays *to, uint64_t node, uint64_t base, uint64_t first,
                       uint64_t shift)
{
    uint64_t at = node * level->node_bits;

    if (level->base_bits > 0)
        tg_packed_put(to->nodes, at, level->base_bits, base - level->base);
    at += level->base_bits;
    if (level->first_bits > 0)
        tg_packed_put(to->nodes, at, level->first_bits, first - node * level->stride + level->correction);
    at += level->first_bits;
    if (level->shift_bits > 0)
        tg_packed_put(to->nodes, at, level->shift_bits, shift - level->shift);
}

static void write_directory(const tg_level *level, arrays *to, uint64_t bucket, uint64_t rank)
{
    for (; to->next << level->step_bits <= bucket; to->next++)
        tg_packed_put(to->directory, to->next * level->directory_bits, level->directory_bits, rank);
}

static void write_key(const tg_level *level, arrays *to, uint64_t rank, uint64_t bucket, uint64_t low,
                      uint64_t delta)
{
    if (!level->is_dense) {
        uint64_t at = rank + bucket;

        write_directory(level, to, bucket, rank);
        to->bits[at / 8] = (uint8_t)(to->bits[at / 8] | 1U << at % 8);
    }
    if (level->low_bits > 0)
        tg_packed_put(to->slots, rank * level->slot_bits, level->low_bits, low);
    if (level->delta_bits > 0)
        tg_packed_put(to->slots, rank * level->slot_bits + level->low_bits, level->delta_bits, delta);
}

static void write_blocks(const tg_level *level, const arrays *to)
{
    uint64_t n_bits = level->n_keys + level->n_buckets, ones = 0;

    for (uint64_t i = 0; i <= n_bits / 64; i++) {
        if (i * 64 % TG_BLOCK_BITS == 0)
            tg_put_le64(to->blocks + 8 * (i * 64 / TG_BLOCK_BITS), i * 64 - ones);
        ones += tg_ones_of(tg_word_at(to->bits, i));
    }
}

/* What is taken off the entries of a node before they are written. */
static uint64_t node_shift(const tg_axis_view *view, const tg_level *level, uint64_t begin, uint64_t end)
{
    int64_t least = INT64_MAX;

    if (level->shift_bits == 0)
        return level->shift;
    for (uint64_t i = begin; i < end; i++) {
        int64_t at = (int64_t)(view->items[i].entry - (level->is_ranked ? i : 0));
        least = at < least ? at : least;
    }
    return (uint64_t)least;
}

static void write_level(const tg_axis_view *view, const tg_level *level, arrays *to)
{
    uint64_t rank = 0, node = 0, first = 0;

    for (uint64_t begin = 0, end; begin < view->n; begin = end, node++) {
        uint64_t base = level->base, shift;

        end = tg_node_end(view, begin);
        if (level->base_bits > 0)
            base = view->items[begin].key;
        shift = node_shift(view, level, begin, end);
        write_node(level, to, node, base, first, shift);
        for (uint64_t i = begin; i < end; i++) {
            uint64_t off = view->items[i].key - base;

            if (!tg_is_key(view, i))
                continue;
            write_key(level, to, rank, first + (off >> level->low_bits), off & level->low_mask,
                      view->items[i].entry - shift - (level->is_ranked ? rank : 0));
            rank++;
        }
        first += level->first_bits > 0 ? ((view->items[end - 1].key - base) >> level->low_bits) + 1
                                       : level->stride;
    }
    if (level->first_bits > 0)
        write_node(level, to, node, level->base, first, level->shift);
    if (!level->is_dense) {
        write_directory(level, to, level->n_buckets, rank);
        write_blocks(level, to);
    }
}

static void write_descriptor(const building *b, uint32_t axis, const tg_level *level, uint64_t max)
{
    uint8_t *p = b->bytes + TG_INDEX_HEADER_BYTES + (size_t)axis * TG_INDEX_LEVEL_BYTES;
    const uint64_t numbers[] = {level->n_nodes, level->n_keys,     level->n_buckets, level->base, max,
                                level->stride,  level->correction, level->shift};
    const uint32_t widths[] = {(level->sign ? TG_LEVEL_SIGNED : 0U) |
                                   (level->is_dense ? TG_LEVEL_DENSE : 0U) |
                                   (level->is_ranked ? TG_LEVEL_RANKED : 0U),
                               level->low_bits,
                               level->base_bits,
                               level->first_bits,
                               level->shift_bits,
                               level->delta_bits,
                               level->directory_bits,
                               level->step_bits};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++, p += 8)
        tg_put_le64(p, numbers[i]);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        p[i] = (uint8_t)widths[i];
}

static tagma_status build_level(building *b, uint32_t axis)
{
    tg_axis_view view = {b->items, b->differs, b->input->n_entries, 0, axis, axis == b->input->n_axes - 1};
    tg_level level = {.sign = b->input->is_signed[axis] ? (uint64_t)1 << 63 : 0};
    tg_level_extent extent;
    arrays to;
    uint64_t max;

    take_axis(b, axis);
    if (view.is_last)
        count_ids(b);
    view.n_ids = b->n_ids;
    tg_level_plan(&view, &level, &max);
    level.low_mask = tg_mask_of(level.low_bits);
    extent = tg_level_measure(&level, b->n_bytes);
    /* The level's arrays, and the slack that the next level's begin will take over. */
    TG_TRY(extend(b, extent.end + TG_INDEX_ALIGN));
    to = (arrays){b->bytes + extent.nodes,  b->bytes + extent.bits,  b->bytes + extent.directory,
                  b->bytes + extent.blocks, b->bytes + extent.slots, 0};
    write_level(&view, &level, &to);
    b->n_bytes = extent.end;
    write_descriptor(b, axis, &level, max);
    return tg_progress(b->ctx, "index", "levels", axis + 1, b->input->n_axes);
}

static tagma_status write_names(building *b, uint64_t *names_bytes)
{
    uint64_t at = b->n_bytes;

    *names_bytes = 0;
    for (uint32_t axis = 0; axis < b->input->n_axes; axis++)
        *names_bytes += strlen(b->input->names[axis]) + 1;
    if (*names_bytes > TG_INDEX_NAMES_BYTES)
        return tg_fail(b->ctx, TAGMA_E_LIMIT, "id columns with names of %" PRIu64 " bytes, %d are possible",
                       *names_bytes, TG_INDEX_NAMES_BYTES);
    TG_TRY(extend(b, (at + *names_bytes + TG_INDEX_ALIGN - 1) / TG_INDEX_ALIGN * TG_INDEX_ALIGN));
    for (uint32_t axis = 0; axis < b->input->n_axes; axis++) {
        size_t n = strlen(b->input->names[axis]) + 1;
        memcpy(b->bytes + at, b->input->names[axis], n);
        at += n;
    }
    return TAGMA_OK;
}

static void write_header(const building *b, uint64_t names_bytes)
{
    uint8_t *p = b->bytes;

    memcpy(p, TG_INDEX_MAGIC, 8);
    tg_put_le32(p + 8, TG_INDEX_VERSION);
    tg_put_le64(p + 16, b->n_bytes);
    tg_put_le64(p + 32, b->input->n_entries);
    tg_put_le64(p + 40, b->n_ids);
    tg_put_le64(p + 48, b->n_repeated_ids);
    tg_put_le32(p + 56, b->input->n_axes);
    tg_put_le32(p + 60, (uint32_t)names_bytes);
    tg_put_le64(p + 24, tg_index_checksum(p, b->n_bytes));
}

static tagma_status build(building *b)
{
    uint64_t n = b->input->n_entries, names_bytes;

    b->items = tg_alloc(b->ctx, n, sizeof *b->items);
    b->differs = tg_alloc(b->ctx, n, 1);
    if (!b->items || !b->differs)
        return TAGMA_E_MEMORY;
    TG_TRY(tg_index_sort(b->ctx, b->input, b->items));
    memset(b->differs, (int)b->input->n_axes, n);
    if (n > 0)
        b->differs[0] = 0;
    TG_TRY(extend(b, TG_INDEX_HEADER_BYTES + b->input->n_axes * TG_INDEX_LEVEL_BYTES));
    TG_TRY(write_names(b, &names_bytes));
    for (uint32_t axis = 0; axis < b->input->n_axes; axis++)
        TG_TRY(build_level(b, axis));
    b->n_bytes += TG_INDEX_ALIGN;
    write_header(b, names_bytes);
    return TAGMA_OK;
}

tagma_status tagma_index_new(tagma_ctx *ctx, const tagma_index_input *input, tagma_index **out)
{
    building b = {.ctx = ctx, .input = input};
    tagma_status st;

    *out = NULL;
    if (input->n_axes < 1 || input->n_axes > TAGMA_MAX_ID_AXES)
        return tg_fail(ctx, TAGMA_E_ARG, "an index of %u axes: 1 to %d are possible", input->n_axes,
                       TAGMA_MAX_ID_AXES);
    if (input->n_entries > TG_INDEX_MAX_ENTRIES)
        return tg_fail(ctx, TAGMA_E_LIMIT, "an index of %" PRIu64 " entries, %" PRIu64 " are possible",
                       input->n_entries, TG_INDEX_MAX_ENTRIES);
    st = build(&b);
    tg_free(ctx, b.items);
    tg_free(ctx, b.differs);
    if (st < 0) {
        tg_free(ctx, b.bytes);
        return st;
    }
    return tg_index_load(ctx, b.bytes, b.n_bytes, "the index just built", 0, b.bytes, NULL, out);
}
