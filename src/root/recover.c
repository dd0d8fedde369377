/* SPDX-License-Identifier: Apache-2.0
 * Find the objects of a file whose directory is lost, by walking its records.
 * Source of facts: docs/ROOT.md, "Recovery". */
#include "root/rootfile.h"

/* A head this long holds the key of all but the longest names; those take a second read. */
enum { HEAD_BYTES = 512, HEAD_BYTES_MAX = 65536, CLASS_BYTES_MAX = 100, GAP_BYTES_MIN = 4 };

typedef struct walk {
    tagma_ctx *ctx;
    tg_root_file *file;
    tg_lane *lane;
    uint64_t size;
    uint64_t window, window_bytes; /* what `bytes` holds of the file */
    uint8_t bytes[HEAD_BYTES];
} walk;

/* At least `wanted` bytes at an offset, or as many as the file has. */
static tagma_status look_at(walk *w, uint64_t offset, uint64_t wanted, tg_in *out)
{
    uint64_t n = w->size - offset < HEAD_BYTES ? w->size - offset : HEAD_BYTES;

    if (offset < w->window || !tg_inside(offset - w->window, wanted < n ? wanted : n, w->window_bytes)) {
        TG_TRY(tg_lane_read(w->ctx, w->lane, offset, n, w->bytes));
        w->window = offset;
        w->window_bytes = n;
    }
    *out = tg_in_of(w->bytes + (offset - w->window), w->window_bytes - (offset - w->window));
    return TAGMA_OK;
}

/* A record whose head is longer than the window. `key` points into the lane's buffer then. */
static tagma_status parse_head(walk *w, uint64_t offset, tg_key *key)
{
    uint64_t n = w->size - offset < HEAD_BYTES_MAX ? w->size - offset : HEAD_BYTES_MAX;
    const uint8_t *bytes;
    tagma_status st;
    tg_in in;

    TG_TRY(look_at(w, offset, HEAD_BYTES, &in));
    st = tg_key_parse(w->ctx, &in, offset, key);
    if (st != TAGMA_E_TRUNCATED || n <= HEAD_BYTES)
        return st;
    TG_TRY(tg_lane_view(w->ctx, w->lane, offset, n, &bytes));
    in = tg_in_of(bytes, n);
    return tg_key_parse(w->ctx, &in, offset, key);
}

/* The directory a key names, or the file's own. Directories stand before what they hold, and in ascending order. */
static uint32_t directory_at(const tg_root_file *file, uint64_t offset)
{
    uint64_t low = 1, high = file->n_directories;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (file->directories[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < file->n_directories && file->directories[low].offset == offset ? (uint32_t)low : 0;
}

static tagma_status keep_record(walk *w, uint64_t offset, tg_key *key)
{
    tg_root_file *file = w->file;
    uint32_t directory = directory_at(file, key->directory);

    key->offset = offset;
    if (tg_text_is(key->class_name, "TBasket") || tg_text_is(key->class_name, "TFile"))
        return TAGMA_OK;
    if (tg_text_is(key->name, "StreamerInfo") && tg_text_is(key->class_name, "TList")) {
        file->header.streamers_offset = offset;
        file->header.streamers_bytes = (int32_t)key->bytes;
        return TAGMA_OK;
    }
    if (tg_is_directory_class(key->class_name)) {
        tagma_status st = tg_directory_add(w->ctx, file, file->directories[directory].path, key->name, offset,
                                           offset + key->key_bytes);
        return st < 0 ? tg_root_file_damage(w->ctx, file, st, offset) : TAGMA_OK;
    }
    return tg_entry_add(w->ctx, file, key, directory);
}

/* One step: a record or a gap. *length is 0 where the chain ends. */
static tagma_status step(walk *w, uint64_t offset, uint64_t *length)
{
    int64_t claimed;
    tagma_status st;
    tg_key key;
    tg_in in;

    *length = 0;
    TG_TRY(look_at(w, offset, 4, &in));
    claimed = (int32_t)tg_in_be32(&in);
    if (tg_in_short(&in) || (claimed < TG_KEY_BYTES_MIN && claimed > -GAP_BYTES_MIN))
        return TAGMA_OK;
    if (claimed < 0) {
        *length = (uint64_t)-claimed;
        return TAGMA_OK;
    }
    st = parse_head(w, offset, &key);
    if (st == TAGMA_E_IO || st == TAGMA_E_MEMORY)
        return st;
    if (st < 0 || key.class_name.n < 1 || key.class_name.n > CLASS_BYTES_MAX ||
        !tg_inside(offset, key.bytes, w->size))
        return TAGMA_OK;
    *length = key.bytes;
    return keep_record(w, offset, &key);
}

tagma_status tg_recover(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane)
{
    walk w = {.ctx = ctx, .file = file, .lane = lane, .size = tagma_source_size(file->source)};
    uint64_t offset = (uint64_t)file->header.begin, length;

    file->n_entries = 0;
    file->n_directories = 1;
    file->directories[0].offset = offset;
    while (offset < w.size) {
        TG_TRY(step(&w, offset, &length));
        if (length == 0)
            break;
        offset += length;
    }
    return TAGMA_OK;
}
