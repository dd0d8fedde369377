/* SPDX-License-Identifier: Apache-2.0
 * An index over the bytes of its section: every claim is checked once, then the bytes are used where they lie. */
#include "index/section.h"

#include "base/hash.h"
#include "base/in.h"

/* What is being loaded, and where it stands for messages. */
typedef struct loading {
    tagma_ctx *ctx;
    const char *name;
    uint64_t offset;
    const uint8_t *bytes;
    uint64_t n;
} loading;

/* The numbers of a level's descriptor that must not pass a bound. */
typedef struct bound {
    const char *what;
    uint64_t found, most;
} bound;

static tagma_status wrong(const loading *at, uint64_t byte, const char *what, uint64_t found,
                          uint64_t expected)
{
    return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                   "%s: index section, byte %" PRIu64 ": %s is %" PRIu64 ", expected %" PRIu64, at->name,
                   at->offset + byte, what, found, expected);
}

static tagma_status too_much(const loading *at, uint64_t byte, const bound *b)
{
    return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                   "%s: index section, byte %" PRIu64 ": %s is %" PRIu64 ", at most %" PRIu64 " is possible",
                   at->name, at->offset + byte, b->what, b->found, b->most);
}

uint64_t tg_index_checksum(const uint8_t *bytes, uint64_t n)
{
    return tg_hash(bytes + TG_INDEX_CHECKED_FROM, n - TG_INDEX_CHECKED_FROM);
}

void tg_index_bytes(const tagma_index *index, const uint8_t **bytes, uint64_t *n)
{
    *bytes = index->bytes;
    *n = index->n_bytes;
}

static uint64_t put_array(uint64_t *at, uint64_t n_bytes)
{
    uint64_t begin = *at;

    *at = (begin + n_bytes + TG_INDEX_ALIGN - 1) / TG_INDEX_ALIGN * TG_INDEX_ALIGN;
    return begin;
}

tg_level_extent tg_level_measure(const tg_level *level, uint64_t begin)
{
    uint64_t n_bits = level->n_keys + level->n_buckets, at = begin;
    uint64_t has_bits = level->is_dense ? 0 : 1;
    tg_level_extent extent;

    extent.nodes = put_array(&at, tg_packed_bytes(level->n_nodes + 1, level->node_bits));
    extent.bits = put_array(&at, has_bits * 8 * (n_bits / 64 + 1));
    extent.directory = put_array(
        &at, has_bits * tg_packed_bytes((level->n_buckets >> level->step_bits) + 1, level->directory_bits));
    extent.blocks = put_array(&at, has_bits * 8 * (n_bits / TG_BLOCK_BITS + 1));
    extent.slots = put_array(&at, tg_packed_bytes(level->n_keys, level->slot_bits));
    extent.end = at;
    return extent;
}

/* The header, and whether these bytes are an index section of this version, whole and unharmed. */
static tagma_status load_header(const loading *at, tagma_index *index, uint32_t *names_bytes)
{
    tg_in in = tg_in_of(at->bytes, at->n);
    const uint8_t *magic = tg_in_take(&in, 8);
    uint32_t version = tg_in_le32(&in), zero = tg_in_le32(&in);
    uint64_t bytes = tg_in_le64(&in), checksum = tg_in_le64(&in);

    index->n_entries = tg_in_le64(&in);
    index->n_ids = tg_in_le64(&in);
    index->n_repeated_ids = tg_in_le64(&in);
    index->n_axes = tg_in_le32(&in);
    *names_bytes = tg_in_le32(&in);
    if (tg_in_short(&in))
        return tg_fail(at->ctx, TAGMA_E_TRUNCATED,
                       "%s: index section at byte %" PRIu64 " has %" PRIu64
                       " bytes, its header alone needs %d",
                       at->name, at->offset, at->n, TG_INDEX_HEADER_BYTES);
    if (memcmp(magic, TG_INDEX_MAGIC, 8) != 0)
        return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                       "%s: byte %" PRIu64 ": no index section begins here, expected \"" TG_INDEX_MAGIC "\"",
                       at->name, at->offset);
    if (version != TG_INDEX_VERSION || zero != 0)
        return tg_fail(at->ctx, TAGMA_E_UNSUPPORTED,
                       "%s: byte %" PRIu64 ": index section of version %" PRIu32 ".%" PRIu32
                       ", this program reads version %d",
                       at->name, at->offset + 8, version, zero, TG_INDEX_VERSION);
    if (bytes > at->n)
        return tg_fail(at->ctx, TAGMA_E_TRUNCATED,
                       "%s: index section at byte %" PRIu64 " claims %" PRIu64 " bytes, %" PRIu64
                       " are there",
                       at->name, at->offset, bytes, at->n);
    if (bytes != at->n)
        return wrong(at, 16, "its length", bytes, at->n);
    if (tg_index_checksum(at->bytes, at->n) != checksum)
        return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                       "%s: index section, byte %" PRIu64 ": checksum is %016" PRIx64
                       ", its bytes give %016" PRIx64,
                       at->name, at->offset + 24, checksum, tg_index_checksum(at->bytes, at->n));
    return TAGMA_OK;
}

static tagma_status check_header(const loading *at, const tagma_index *index, uint32_t names_bytes)
{
    const bound bounds[] = {
        {"the number of axes", index->n_axes, TAGMA_MAX_ID_AXES},
        {"the number of entries", index->n_entries, TG_INDEX_MAX_ENTRIES},
        {"the number of ids", index->n_ids, index->n_entries},
        {"the number of repeated ids", index->n_repeated_ids, index->n_ids},
        {"the length of the names", names_bytes, TG_INDEX_NAMES_BYTES},
    };

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (bounds[i].found > bounds[i].most)
            return too_much(at, TG_INDEX_CHECKED_FROM, &bounds[i]);
    if (index->n_axes == 0)
        return wrong(at, 56, "the number of axes", 0, 1);
    return TAGMA_OK;
}

/* A level's descriptor into the level. Its counts and widths are then small enough for all sums that follow. */
static tagma_status load_level(const loading *at, tagma_index *index, uint32_t axis)
{
    uint64_t byte = TG_INDEX_HEADER_BYTES + (uint64_t)axis * TG_INDEX_LEVEL_BYTES;
    tg_in in = tg_in_of(at->bytes + byte, TG_INDEX_LEVEL_BYTES);
    tg_level *level = &index->levels[axis];
    uint32_t flags;

    level->n_nodes = tg_in_le64(&in);
    level->n_keys = tg_in_le64(&in);
    level->n_buckets = tg_in_le64(&in);
    level->base = tg_in_le64(&in);
    index->max[axis] = tg_in_le64(&in);
    level->stride = tg_in_le64(&in);
    level->correction = tg_in_le64(&in);
    level->shift = tg_in_le64(&in);
    flags = tg_in_u8(&in);
    level->low_bits = tg_in_u8(&in);
    level->base_bits = tg_in_u8(&in);
    level->first_bits = tg_in_u8(&in);
    level->shift_bits = tg_in_u8(&in);
    level->delta_bits = tg_in_u8(&in);
    level->directory_bits = tg_in_u8(&in);
    level->step_bits = tg_in_u8(&in);
    {
        const bound bounds[] = {
            {"the number of keys", level->n_keys, index->n_entries},
            {"the number of buckets", level->n_buckets, (uint64_t)1 << TG_INDEX_COUNT_BITS},
            {"flags", flags, TG_LEVEL_SIGNED | TG_LEVEL_DENSE | TG_LEVEL_RANKED},
            {"the width of low bits", level->low_bits, 63},
            {"the width of bases", level->base_bits, 64},
            {"the width of first buckets", level->first_bits, TG_INDEX_COUNT_BITS + 1},
            {"the width of shifts", level->shift_bits, 42},
            {"the width of deltas", level->delta_bits, 41},
            {"the width of the directory", level->directory_bits, 41},
            {"the step of the directory", level->step_bits, TG_MAX_STEP_BITS},
        };
        for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
            if (bounds[i].found > bounds[i].most)
                return too_much(at, byte, &bounds[i]);
    }
    level->sign = flags & TG_LEVEL_SIGNED ? (uint64_t)1 << 63 : 0;
    level->is_dense = flags & TG_LEVEL_DENSE;
    level->is_ranked = flags & TG_LEVEL_RANKED;
    level->low_mask = tg_mask_of(level->low_bits);
    level->slot_bits = level->low_bits + level->delta_bits;
    level->node_bits = level->base_bits + level->first_bits + level->shift_bits;
    index->max[axis] ^= level->sign;
    return TAGMA_OK;
}

/* Where nothing is kept per node, (node, digit) is a layout of two axes, and its address is the bucket. */
static tagma_status check_grid(const loading *at, tg_level *level, uint64_t byte)
{
    const uint64_t bounds[] = {level->n_nodes, level->stride};

    if (level->n_nodes == 0)
        return level->n_buckets == 0 ? TAGMA_OK
                                     : wrong(at, byte + 16, "the number of buckets", level->n_buckets, 0);
    if (tagma_layout_init(at->ctx, &level->grid, bounds, 2, 1) < 0)
        return tg_within(at->ctx, TAGMA_E_CORRUPT, "%s: index section, byte %" PRIu64, at->name,
                         at->offset + byte);
    if (level->grid.count != level->n_buckets)
        return wrong(at, byte + 16, "the number of buckets", level->n_buckets, level->grid.count);
    return level->correction == 0 ? TAGMA_OK : wrong(at, byte + 48, "the correction", level->correction, 0);
}

/* How the levels hang together. */
static tagma_status check_level(const loading *at, tagma_index *index, uint32_t axis)
{
    uint64_t byte = TG_INDEX_HEADER_BYTES + (uint64_t)axis * TG_INDEX_LEVEL_BYTES;
    uint64_t n_nodes = axis == 0 ? 1 : index->levels[axis - 1].n_keys;
    tg_level *level = &index->levels[axis];

    if (level->n_nodes != n_nodes)
        return wrong(at, byte, "the number of nodes", level->n_nodes, n_nodes);
    if (axis == index->n_axes - 1 && level->n_keys != index->n_entries)
        return wrong(at, byte + 8, "the number of keys", level->n_keys, index->n_entries);
    if (axis < index->n_axes - 1 && level->shift_bits + level->delta_bits > 0)
        return wrong(at, byte + 68, "the width of entries in an inner level",
                     level->shift_bits + level->delta_bits, 0);
    if (level->n_keys > 0 && level->n_buckets == 0)
        return wrong(at, byte + 16, "the number of buckets", 0, level->n_keys);
    if (level->is_dense && (level->low_bits > 0 || level->n_keys != level->n_buckets))
        return wrong(at, byte + 16, "the number of buckets in a dense level", level->n_buckets,
                     level->n_keys);
    return level->first_bits > 0 ? TAGMA_OK : check_grid(at, level, byte);
}

/* The nodes' runs of buckets follow each other from 0 to n_buckets. */
static tagma_status check_nodes(const loading *at, const tg_level *level)
{
    uint64_t byte = (uint64_t)(level->nodes - at->bytes);
    uint64_t first = tg_level_first(level, 0);

    if (level->first_bits == 0)
        return TAGMA_OK;
    if (first != 0)
        return wrong(at, byte, "the first bucket of node 0", first, 0);
    for (uint64_t node = 1; node <= level->n_nodes; node++) {
        uint64_t next = tg_level_first(level, node);
        if (next < first || next > level->n_buckets)
            return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                           "%s: index section, byte %" PRIu64 ": node %" PRIu64 " begins at bucket %" PRIu64
                           ", the one before at %" PRIu64 " of %" PRIu64,
                           at->name, at->offset + byte, node, next, first, level->n_buckets);
        first = next;
    }
    if (first != level->n_buckets)
        return wrong(at, byte, "the end of the last node's buckets", first, level->n_buckets);
    return TAGMA_OK;
}

/* The directory's entries for the zeros of word i, of which `before` lie before it. *entry is the next to be seen. */
static bool agrees(const tg_level *level, uint64_t i, uint64_t zeros, uint64_t before, uint64_t *entry)
{
    uint64_t n = tg_ones_of(zeros);

    for (uint64_t bucket;
         bucket = *entry << level->step_bits, bucket <= before + n && bucket <= level->n_buckets; ++*entry)
        if (tg_level_group_at(level, *entry) !=
            (bucket == 0 ? 0 : i * 64 + tg_select(zeros, (uint32_t)(bucket - before - 1)) + 1))
            return false;
    return true;
}

/* A run of ones for each bucket, n_keys in all, and directory and blocks that tell the truth about them. */
static tagma_status check_bits(const loading *at, const tg_level *level)
{
    uint64_t n_bits = level->n_keys + level->n_buckets, zeros = 0, entry = 0;

    if (level->is_dense)
        return TAGMA_OK;
    for (uint64_t i = 0; i <= n_bits / 64; i++) {
        uint64_t word = tg_word_at(level->bits, i);
        uint64_t used = i < n_bits / 64 ? UINT64_MAX : tg_mask_of((uint32_t)(n_bits % 64));
        uint64_t byte = (uint64_t)(level->bits - at->bytes) + 8 * i;

        if (word & ~used)
            return wrong(at, byte, "what follows the last bucket", word & ~used, 0);
        if (i % (TG_BLOCK_BITS / 64) == 0 && tg_word_at(level->blocks, i / (TG_BLOCK_BITS / 64)) != zeros)
            return wrong(at, (uint64_t)(level->blocks - at->bytes) + i / 8, "the number of buckets before",
                         tg_word_at(level->blocks, i / (TG_BLOCK_BITS / 64)), zeros);
        if (!agrees(level, i, ~word & used, zeros, &entry))
            return wrong(at, byte, "a directory entry", entry, zeros);
        zeros += tg_ones_of(~word & used);
    }
    if (zeros != level->n_buckets)
        return wrong(at, (uint64_t)(level->bits - at->bytes), "the number of buckets told by bits", zeros,
                     level->n_buckets);
    if (n_bits > 0 && tg_word_at(level->bits, (n_bits - 1) / 64) >> (n_bits - 1) % 64 & 1)
        return wrong(at, (uint64_t)(level->bits - at->bytes), "the last bucket's end", 1, 0);
    return TAGMA_OK;
}

/* Ranks first to end - 1 of a node lead to entries that are there. Without deltas they are one entry or follow each other, and
 * the ends tell: a section may name 2^40 entries in no bytes at all, and must not be looked through one by one. */
static tagma_status check_node_entries(const loading *at, const tagma_index *index, uint64_t node,
                                       uint64_t first, uint64_t end)
{
    const tg_level *level = &index->levels[index->n_axes - 1];
    uint64_t step = level->delta_bits > 0 || end - first < 2 ? 1 : end - 1 - first;

    for (uint64_t rank = first; rank < end; rank += step) {
        uint64_t entry = tg_level_entry(level, node, rank);

        if (entry >= index->n_entries)
            return tg_fail(
                at->ctx, TAGMA_E_CORRUPT,
                "%s: index section, byte %" PRIu64 ": rank %" PRIu64 " names entry %" PRIu64 " of %" PRIu64,
                at->name, at->offset + (uint64_t)(level->slots - at->bytes) + rank * level->slot_bits / 8,
                rank, entry, index->n_entries);
    }
    return TAGMA_OK;
}

static tagma_status check_entries(const loading *at, const tagma_index *index)
{
    const tg_level *level = &index->levels[index->n_axes - 1];
    uint64_t first = 0;

    if (level->shift_bits == 0)
        return check_node_entries(at, index, 0, 0, level->n_keys);
    for (uint64_t node = 0; node < level->n_nodes; node++) {
        uint64_t end = tg_level_node_start(level, node + 1);

        TG_TRY(check_node_entries(at, index, node, first, end));
        first = end;
    }
    return TAGMA_OK;
}

static tagma_status load_names(const loading *at, tagma_index *index, uint64_t byte, uint32_t names_bytes)
{
    tg_in in = tg_in_of(at->bytes + byte, names_bytes);

    for (uint32_t axis = 0; axis < index->n_axes; axis++) {
        const uint8_t *name = in.bytes + in.at;
        const uint8_t *end = memchr(name, 0, tg_in_left(&in));

        if (!end)
            return tg_fail(at->ctx, TAGMA_E_CORRUPT,
                           "%s: index section, byte %" PRIu64 ": the name of axis %u has no end", at->name,
                           at->offset + byte + in.at, axis);
        index->names[axis] = (const char *)name;
        tg_in_skip(&in, (uint64_t)(end - name) + 1);
    }
    return tg_in_left(&in) == 0 ? TAGMA_OK : wrong(at, 60, "the length of the names", names_bytes, in.at);
}

/* Levels into the index, and their arrays into the levels. */
static tagma_status load_levels(const loading *at, tagma_index *index, uint32_t names_bytes)
{
    uint64_t names = TG_INDEX_HEADER_BYTES + (uint64_t)index->n_axes * TG_INDEX_LEVEL_BYTES;
    uint64_t begin = names + names_bytes;

    if (begin > at->n)
        return wrong(at, 16, "its length", at->n, begin);
    for (uint32_t axis = 0; axis < index->n_axes; axis++)
        TG_TRY(load_level(at, index, axis));
    for (uint32_t axis = 0; axis < index->n_axes; axis++)
        TG_TRY(check_level(at, index, axis));
    TG_TRY(load_names(at, index, names, names_bytes));
    (void)put_array(&begin, 0);
    for (uint32_t axis = 0; axis < index->n_axes; axis++) {
        tg_level *level = &index->levels[axis];
        tg_level_extent extent = tg_level_measure(level, begin);

        begin = extent.end;
        if (begin > at->n)
            break;
        level->nodes = at->bytes + extent.nodes;
        level->bits = at->bytes + extent.bits;
        level->directory = at->bytes + extent.directory;
        level->blocks = at->bytes + extent.blocks;
        level->slots = at->bytes + extent.slots;
    }
    if (begin + TG_INDEX_ALIGN != at->n)
        return wrong(at, 16, "its length", at->n, begin + TG_INDEX_ALIGN);
    return TAGMA_OK;
}

static tagma_status load(const loading *at, tagma_index *index)
{
    uint32_t names_bytes;

    TG_TRY(load_header(at, index, &names_bytes));
    TG_TRY(check_header(at, index, names_bytes));
    TG_TRY(load_levels(at, index, names_bytes));
    for (uint32_t axis = 0; axis < index->n_axes; axis++) {
        TG_TRY(check_nodes(at, &index->levels[axis]));
        TG_TRY(check_bits(at, &index->levels[axis]));
    }
    return check_entries(at, index);
}

tagma_status tg_index_load(tagma_ctx *ctx, const uint8_t *bytes, uint64_t n, const char *name,
                           uint64_t offset, void *owned, tagma_source *source, tagma_index **out)
{
    const loading at = {ctx, name, offset, bytes, n};
    tagma_index *index = tg_zalloc(ctx, 1, sizeof *index);
    tagma_status st;

    *out = NULL;
    if (!index) {
        tg_free(ctx, owned);
        return TAGMA_E_MEMORY;
    }
    atomic_init(&index->users, 1);
    index->account = tg_account_acquire(ctx->account);
    index->bytes = bytes;
    index->n_bytes = n;
    index->owned = owned;
    if (source)
        index->source = tagma_source_acquire(source);
    st = load(&at, index);
    if (st < 0) {
        tagma_index_release(index);
        return st;
    }
    *out = index;
    return TAGMA_OK;
}
