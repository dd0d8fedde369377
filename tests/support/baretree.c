/* SPDX-License-Identifier: Apache-2.0
 * Lay a tree's record bare. */
#include "support/baretree.h"

#include <stdlib.h>
#include <string.h>

#include "root/rootfile.h"
#include "root/rootrecord.h"
#include "support/realfiles.h"
#include "support/rootbuild.h"

static void must(bool is_so)
{
    if (!is_so)
        abort();
}

/* The key image of a record in the list of keys. */
static size_t find_key(const test_bytes *bytes, size_t from, const tg_entry *entry)
{
    enum { AT_OFFSET = 18 };

    for (; from + AT_OFFSET + 4 <= bytes->n; from++)
        if (tg_be32(bytes->bytes + from) == entry->bytes &&
            tg_be32(bytes->bytes + from + AT_OFFSET) == entry->offset)
            return from;
    abort();
}

test_bared test_bare_tree(const char *path)
{
    test_bared out = {.bytes = test_read_file(path)};
    tg_codec_state codec = {0};
    tagma_source *source;
    tg_root_file *file;
    tg_record record;
    tagma_ctx *ctx;
    tg_lane *lane = NULL;
    tg_entry entry;
    size_t at = out.bytes.n, key;

    must(tagma_ctx_new(NULL, &ctx) == TAGMA_OK);
    must(tagma_source_open(ctx, path, TAGMA_IO_PREAD, &source) == TAGMA_OK);
    must(tg_root_file_open(ctx, source, &file) == TAGMA_OK && tg_lane_new(ctx, source, &lane) == TAGMA_OK);
    entry = file->entries[file->trees[0].entry];
    must(tg_record_read(ctx, lane, &codec, entry.offset, entry.bytes, false, &record) == TAGMA_OK);
    key = find_key(&out.bytes, file->directories[0].keys_offset, &entry);
    test_append(&out.bytes, record.stored, entry.key_bytes);
    test_append(&out.bytes, record.payload, record.payload_bytes);
    test_patch_be32(&out.bytes, at, entry.key_bytes + record.payload_bytes);
    test_patch_be32(&out.bytes, at + 18, (uint32_t)at);
    test_patch_be32(&out.bytes, key, entry.key_bytes + record.payload_bytes);
    test_patch_be32(&out.bytes, key + 18, (uint32_t)at);
    out.payload = at + entry.key_bytes;
    out.n = record.payload_bytes;
    tg_record_free(ctx, &record);
    tg_codec_state_free(ctx, &codec);
    tg_lane_free(lane);
    tg_root_file_free(file);
    tagma_source_release(source);
    tagma_ctx_free(ctx);
    return out;
}

size_t test_find(const test_bared *bared, const void *bytes, size_t n)
{
    for (size_t at = 0; at + n <= bared->n; at++)
        if (memcmp(bared->bytes.bytes + bared->payload + at, bytes, n) == 0)
            return at;
    abort();
}
