/* SPDX-License-Identifier: Apache-2.0
 * A source over a file that is packed in blocks: what is read is unpacked, and only that. */
#include "source/blocks.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"

enum {
    RUN_BYTES = 1 << 20,   /* of packed blocks that are fetched at once, or one block */
    CACHE_BYTES = 1 << 20, /* of unpacked blocks that a lane keeps, if it may */
    CACHE_LEAST = 4,
    CACHE_MOST = 16
};

typedef struct blocks {
    tagma_source *packed;
    tg_blocks_info info;
    uint8_t *table; /* [info.n_blocks] rows of TG_BLOCKS_ROW */
    uint64_t table_at;
} blocks;

typedef struct kept {
    uint64_t number; /* of the block; UINT64_MAX none */
    uint64_t used;   /* counts up */
    uint8_t *bytes;  /* [block_bytes] */
} kept;

typedef struct lane {
    tg_account *account;
    void *packed_lane; /* of the kind below */
    tg_codec_state codec;
    uint8_t *packed; /* a run of blocks as they are in the file */
    uint64_t capacity;
    kept kept[CACHE_MOST];
    uint32_t n_kept, n_most;
    uint64_t clock;
    uint64_t requests, bytes_read; /* of the file */
} lane;

/* Blocks first to first + n - 1 where they lie packed. */
typedef struct run {
    uint64_t first, n, offset, bytes;
} run;

bool tg_blocks_is(const uint8_t *bytes, size_t n)
{
    return n >= 4 && memcmp(bytes, TG_BLOCKS_MAGIC, 4) == 0;
}

uint64_t tg_blocks_checksum(const uint8_t *packed, uint64_t n, uint64_t number)
{
    return tg_hash(packed, n) + number;
}

static uint64_t begin_of(const blocks *own, uint64_t i)
{
    return i < own->info.n_blocks ? tg_le64(own->table + i * TG_BLOCKS_ROW) : own->table_at;
}

static uint64_t unpacked_bytes(const blocks *own, uint64_t i)
{
    uint64_t left = own->info.bytes - i * own->info.block_bytes;

    return left < own->info.block_bytes ? left : own->info.block_bytes;
}

/* Read the packed file itself, outside of any lane of ours. */
static tagma_status fetch(tagma_ctx *ctx, const tagma_source *from, lane *to, tg_request *request)
{
    tagma_status st = from->kind->start(ctx, from, to->packed_lane, request, 1);

    while (st >= 0 && request->done < request->n)
        st = from->kind->pump(ctx, from, to->packed_lane);
    if (st < 0 && from->kind->cancel)
        from->kind->cancel(from, to->packed_lane);
    to->requests++;
    to->bytes_read += request->n;
    return st;
}

/* The packed bytes of a run: where they lie, if they lie in memory. */
static tagma_status fetch_run(tagma_ctx *ctx, const blocks *own, lane *to, const run *it,
                              const uint8_t **bytes)
{
    tg_request request;

    if (own->packed->kind->view) {
        to->requests++;
        to->bytes_read += it->bytes;
        return own->packed->kind->view(ctx, own->packed, it->offset, it->bytes, bytes);
    }
    if (it->bytes > to->capacity) {
        tg_free(ctx, to->packed);
        to->capacity = 0;
        to->packed = tg_alloc(ctx, it->bytes, 1);
        if (!to->packed)
            return TAGMA_E_MEMORY;
        to->capacity = it->bytes;
    }
    *bytes = to->packed;
    request = (tg_request){it->offset, it->bytes, to->packed, 0};
    return fetch(ctx, own->packed, to, &request);
}

static tagma_status unpack(tagma_ctx *ctx, const tagma_source *source, lane *to, uint64_t number,
                           const uint8_t *packed, uint8_t *dst)
{
    const blocks *own = source->own;
    uint64_t offset = begin_of(own, number), n = begin_of(own, number + 1) - offset,
             wanted = unpacked_bytes(own, number), found = tg_blocks_checksum(packed, n, number),
             claimed = tg_le64(own->table + number * TG_BLOCKS_ROW + 8);
    tagma_status st;

    if (found != claimed)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: block %" PRIu64 ", byte %" PRIu64 ": its checksum is %016" PRIx64 ", its %" PRIu64
                       " bytes give %016" PRIx64,
                       source->name, number, offset, claimed, n, found);
    if (n == wanted) { /* did not get shorter */
        memcpy(dst, packed, n);
        return TAGMA_OK;
    }
    st = tg_codec_block_unpack(ctx, &to->codec, own->info.codec, packed, n, dst, wanted);
    return st < 0 ? tg_within(ctx, st, "%s: block %" PRIu64 ", byte %" PRIu64, source->name, number, offset)
                  : TAGMA_OK;
}

static kept *find_kept(lane *to, uint64_t number)
{
    for (uint32_t i = 0; i < to->n_kept; i++)
        if (to->kept[i].number == number) {
            to->kept[i].used = ++to->clock;
            return &to->kept[i];
        }
    return NULL;
}

/* Room for one more block: new as long as there may be more, else that of the block not used for longest. */
static tagma_status take_room(tagma_ctx *ctx, const blocks *own, lane *to, kept **out)
{
    kept *oldest = to->kept;

    if (to->n_kept < to->n_most) {
        uint8_t *bytes = tg_alloc(ctx, own->info.block_bytes, 1);

        if (bytes) {
            *out = &to->kept[to->n_kept++];
            **out = (kept){.number = UINT64_MAX, .bytes = bytes};
            return TAGMA_OK;
        }
        if (to->n_kept == 0)
            return TAGMA_E_MEMORY;
        to->n_most = to->n_kept; /* memory is short: make do with these */
    }
    for (uint32_t i = 1; i < to->n_kept; i++)
        if (to->kept[i].used < oldest->used)
            oldest = &to->kept[i];
    oldest->number = UINT64_MAX;
    *out = oldest;
    return TAGMA_OK;
}

/* The part of a block that a request wants: from..to are bytes of all. */
static tagma_status deliver(tagma_ctx *ctx, const tagma_source *source, lane *to, uint64_t number,
                            const uint8_t *packed, const tg_request *request)
{
    const blocks *own = source->own;
    uint64_t begin = number * own->info.block_bytes, end = begin + unpacked_bytes(own, number),
             lo = request->offset > begin ? request->offset : begin,
             hi = request->offset + request->n < end ? request->offset + request->n : end;
    kept *block = packed ? NULL : find_kept(to, number);

    if (packed && lo == begin && hi == end)
        return unpack(ctx, source, to, number, packed, request->dst + (lo - request->offset));
    if (packed) {
        TG_TRY(take_room(ctx, own, to, &block));
        TG_TRY(unpack(ctx, source, to, number, packed, block->bytes));
        block->number = number;
        block->used = ++to->clock;
    }
    memcpy(request->dst + (lo - request->offset), block->bytes + (lo - begin), hi - lo);
    return TAGMA_OK;
}

/* Blocks from `first` on that are not kept, up to `last`, as many as are fetched at once. */
static run next_run(const blocks *own, lane *to, uint64_t first, uint64_t last)
{
    run it = {.first = first, .n = 1, .offset = begin_of(own, first)};

    it.bytes = begin_of(own, first + 1) - it.offset;
    while (first + it.n <= last && begin_of(own, first + it.n + 1) - it.offset <= RUN_BYTES &&
           !find_kept(to, first + it.n)) {
        it.n++;
        it.bytes = begin_of(own, first + it.n) - it.offset;
    }
    return it;
}

static tagma_status read_one(tagma_ctx *ctx, const tagma_source *source, lane *to, tg_request *request)
{
    const blocks *own = source->own;
    uint64_t number = request->offset / own->info.block_bytes,
             last = (request->offset + request->n - 1) / own->info.block_bytes;

    while (number <= last) {
        const uint8_t *packed = NULL;
        run it = {.first = number, .n = 1};

        if (!find_kept(to, number)) {
            it = next_run(own, to, number, last);
            TG_TRY(fetch_run(ctx, own, to, &it, &packed));
        }
        for (uint64_t k = 0; k < it.n; k++)
            TG_TRY(deliver(ctx, source, to, number + k,
                           packed ? packed + (begin_of(own, number + k) - it.offset) : NULL, request));
        number += it.n;
    }
    request->done = request->n;
    return TAGMA_OK;
}

static tagma_status blocks_start(tagma_ctx *ctx, const tagma_source *source, void *state,
                                 tg_request *requests, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TG_TRY(read_one(ctx, source, state, &requests[i]));
    return TAGMA_OK;
}

static tagma_status blocks_lane_open(tagma_ctx *ctx, const tagma_source *source, void **state)
{
    const blocks *own = source->own;
    lane *to = tg_zalloc(ctx, 1, sizeof *to);
    uint32_t n = CACHE_BYTES / own->info.block_bytes;

    *state = NULL;
    if (!to)
        return TAGMA_E_MEMORY;
    if (own->packed->kind->lane_open) {
        tagma_status st = own->packed->kind->lane_open(ctx, own->packed, &to->packed_lane);
        if (st < 0) {
            tg_free(ctx, to);
            return st;
        }
    }
    to->n_most = n < CACHE_LEAST ? CACHE_LEAST : n > CACHE_MOST ? CACHE_MOST : n;
    to->account = tg_account_acquire(ctx->account);
    *state = to;
    return TAGMA_OK;
}

static void blocks_lane_close(const tagma_source *source, void *state)
{
    const blocks *own = source->own;
    lane *to = state;
    tg_account *account = to->account;
    tagma_ctx ctx = {.limits = TAGMA_LIMITS_INIT, .account = account};

    if (own->packed->kind->lane_close)
        own->packed->kind->lane_close(own->packed, to->packed_lane);
    tg_codec_state_free(&ctx, &to->codec);
    for (uint32_t i = 0; i < to->n_kept; i++)
        tg_account_free(account, to->kept[i].bytes);
    tg_account_free(account, to->packed);
    tg_account_free(account, to);
    tg_account_release(account);
}

static void blocks_lane_io(const void *state, uint64_t *requests, uint64_t *bytes_read)
{
    const lane *from = state;

    *requests = from->requests;
    *bytes_read = from->bytes_read;
}

static tagma_status blocks_check(tagma_ctx *ctx, const tagma_source *source)
{
    return tg_source_check(ctx, ((const blocks *)source->own)->packed);
}

static void blocks_close(tagma_source *source)
{
    blocks *own = source->own;

    tg_account_free(source->account, own->table);
    tagma_source_release(own->packed);
}

/* A gap is unpacked with what is around it, if it is in the same block: not worth a request, and none is made for a kept one. */
static const tg_source_kind blocks_kind = {
    .name = "blocks",
    .gap_bytes = 4 << 10,
    .extent_bytes = 1 << 20,
    .lane_open = blocks_lane_open,
    .lane_close = blocks_lane_close,
    .lane_io = blocks_lane_io,
    .start = blocks_start,
    .check = blocks_check,
    .close = blocks_close,
};

bool tg_blocks_get_info(const tagma_source *source, tg_blocks_info *out)
{
    if (source->kind != &blocks_kind)
        return false;
    *out = ((const blocks *)source->own)->info;
    return true;
}

void tg_blocks_put_header(const tg_blocks_info *info, uint64_t table_checksum, uint8_t *bytes)
{
    memset(bytes, 0, TG_BLOCKS_HEADER);
    memcpy(bytes, TG_BLOCKS_MAGIC, 8);
    tg_put_le32(bytes + 8, TG_BLOCKS_MAJOR);
    tg_put_le32(bytes + 12, TG_BLOCKS_HEADER);
    tg_put_le64(bytes + 16, info->file_bytes);
    tg_put_le64(bytes + 24, info->bytes);
    tg_put_le32(bytes + 32, info->block_bytes);
    tg_put_le32(bytes + 36, (uint32_t)info->codec);
    tg_put_le64(bytes + 40, info->n_blocks);
    tg_put_le64(bytes + 48, table_checksum);
    tg_put_le64(bytes + 56, tg_hash(bytes, 56));
}

static bool is_block_size(uint32_t bytes)
{
    return bytes >= TG_BLOCKS_LEAST && bytes <= TG_BLOCKS_MOST && (bytes & (bytes - 1)) == 0;
}

static tagma_status load_header(tagma_ctx *ctx, const tagma_source *packed, const uint8_t *bytes,
                                tg_blocks_info *info)
{
    uint64_t sum = tg_hash(bytes, 56);

    if (memcmp(bytes, TG_BLOCKS_MAGIC, 8) != 0)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: byte 0: a packed file that was copied as text, and is lost",
                       packed->name);
    if (tg_le16(bytes + 8) != TG_BLOCKS_MAJOR)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s: byte 8: packed file of format %u.%u, this program reads %d", packed->name,
                       tg_le16(bytes + 8), tg_le16(bytes + 10), TG_BLOCKS_MAJOR);
    if (sum != tg_le64(bytes + 56))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: byte 56: the head's checksum is %016" PRIx64 ", its bytes give %016" PRIx64,
                       packed->name, tg_le64(bytes + 56), sum);
    *info = (tg_blocks_info){.file_bytes = tg_le64(bytes + 16),
                             .bytes = tg_le64(bytes + 24),
                             .block_bytes = tg_le32(bytes + 32),
                             .codec = (tg_block_codec)tg_le32(bytes + 36),
                             .n_blocks = tg_le64(bytes + 40)};
    if (packed->size < info->file_bytes)
        return tg_fail(ctx, TAGMA_E_TRUNCATED,
                       "%s: the file ends at byte %" PRIu64 ", it says that it has %" PRIu64 " bytes",
                       packed->name, packed->size, info->file_bytes);
    if (packed->size > info->file_bytes)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: %" PRIu64 " bytes behind the end at byte %" PRIu64,
                       packed->name, packed->size - info->file_bytes, info->file_bytes);
    if (tg_le32(bytes + 36) != TG_BLOCK_ZSTD && tg_le32(bytes + 36) != TG_BLOCK_LZ4)
        return tg_fail(ctx, TAGMA_E_UNSUPPORTED,
                       "%s: byte 36: blocks of codec %" PRIu32 ", which is not known", packed->name,
                       tg_le32(bytes + 36));
    if (!is_block_size(info->block_bytes))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: byte 32: blocks of %" PRIu32 " bytes; a power of 2 from %d to %d is possible",
                       packed->name, info->block_bytes, TG_BLOCKS_LEAST, TG_BLOCKS_MOST);
    if (info->n_blocks > (info->file_bytes - TG_BLOCKS_HEADER) / TG_BLOCKS_ROW ||
        info->n_blocks != info->bytes / info->block_bytes + (info->bytes % info->block_bytes != 0))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: byte 40: %" PRIu64 " blocks of %" PRIu32 " bytes for %" PRIu64
                       " bytes in a file of %" PRIu64,
                       packed->name, info->n_blocks, info->block_bytes, info->bytes, info->file_bytes);
    return TAGMA_OK;
}

/* Blocks follow each other from the head to the table, none longer than what it holds. */
static tagma_status check_table(tagma_ctx *ctx, const tagma_source *packed, const blocks *own)
{
    uint64_t at = TG_BLOCKS_HEADER;

    for (uint64_t i = 0; i < own->info.n_blocks; i++) {
        uint64_t begin = begin_of(own, i), end = begin_of(own, i + 1);

        if (begin != at || end <= begin || end - begin > unpacked_bytes(own, i) || end > own->table_at)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: byte %" PRIu64 ": block %" PRIu64 " is said to lie at bytes %" PRIu64
                           " to %" PRIu64 ", expected from %" PRIu64 " on",
                           packed->name, own->table_at + i * TG_BLOCKS_ROW, i, begin, end, at);
        at = end;
    }
    if (at != own->table_at)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: the blocks end at byte %" PRIu64 ", their table begins at byte %" PRIu64,
                       packed->name, at, own->table_at);
    return TAGMA_OK;
}

static tagma_status load(tagma_ctx *ctx, tagma_source *packed, tg_lane *from, blocks *own)
{
    uint64_t n = packed->size < TG_BLOCKS_HEADER ? packed->size : TG_BLOCKS_HEADER, bytes, sum;
    uint8_t head[TG_BLOCKS_HEADER] = {0};

    TG_TRY(tg_lane_read(ctx, from, 0, n, head));
    if (n < TG_BLOCKS_HEADER)
        return tg_fail(ctx, TAGMA_E_TRUNCATED,
                       "%s: the file ends at byte %" PRIu64 ", the head of a packed file has %d",
                       packed->name, n, TG_BLOCKS_HEADER);
    TG_TRY(load_header(ctx, packed, head, &own->info));
    bytes = own->info.n_blocks * TG_BLOCKS_ROW;
    own->table_at = own->info.file_bytes - bytes;
    own->table = tg_alloc(ctx, bytes, 1);
    if (!own->table)
        return TAGMA_E_MEMORY;
    TG_TRY(tg_lane_read(ctx, from, own->table_at, bytes, own->table));
    sum = tg_hash(own->table, bytes);
    if (sum != tg_le64(head + 48))
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: table of blocks, byte %" PRIu64 ": its checksum is %016" PRIx64
                       ", its bytes give %016" PRIx64,
                       packed->name, own->table_at, tg_le64(head + 48), sum);
    return check_table(ctx, packed, own);
}

tagma_status tg_blocks_open(tagma_ctx *ctx, tagma_source *packed, tagma_source **out)
{
    blocks *own, loaded = {0};
    tg_lane *from;
    tagma_status st;

    *out = NULL;
    TG_TRY(tg_lane_new(ctx, packed, &from));
    st = load(ctx, packed, from, &loaded);
    tg_lane_free(from);
    if (st == TAGMA_OK)
        st = tg_source_new(ctx, &blocks_kind, packed->name, loaded.info.bytes, sizeof *own, out);
    if (st != TAGMA_OK) {
        tg_free(ctx, loaded.table);
        return st;
    }
    own = (*out)->own;
    *own = loaded;
    own->packed = tagma_source_acquire(packed);
    (*out)->mtime_ns = packed->mtime_ns;
    (*out)->stored = packed->size;
    return TAGMA_OK;
}
