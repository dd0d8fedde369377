/* SPDX-License-Identifier: Apache-2.0
 * Sidecars, and the indexes in them. Input: a byte of which bit 0 mends all checksums so that what they guard is reached, then
 * the sidecar. */
#include "fuzz.h"

#include <string.h>
#include <xxhash.h>

#include "index/idwalk.h"
#include "index/sidehead.h"

enum { MEMORY_BYTES_MAX = 64 << 20, RANKS_MAX = 2000 };

/* Give the sections whose rows can be followed, and the head, the checksums that their bytes have. */
static void mend(uint8_t *bytes, size_t n)
{
    uint64_t at = TG_SIDECAR_HEADER_BYTES, end;

    if (n < TG_SIDECAR_HEADER_BYTES)
        return;
    end = TG_SIDECAR_HEADER_BYTES + (uint64_t)tg_le32(bytes + 60);
    end = end < n ? end : n;
    while (at + TG_SIDECAR_ROW_BYTES <= end) {
        uint64_t offset = tg_le64(bytes + at + 8), section = tg_le64(bytes + at + 16);

        if (tg_inside(offset, section, n)) {
            if (tg_le32(bytes + at + 4) == TG_SECTION_BRANCHES)
                tg_put_le64(bytes + at + 24, XXH3_64bits(bytes + offset, section));
            else if (section >= TG_INDEX_HEADER_BYTES) {
                tg_put_le64(bytes + offset + 24, tg_index_checksum(bytes + offset, section));
                tg_put_le64(bytes + at + 24, tg_le64(bytes + offset + 24));
            }
        }
        if (tg_le32(bytes + at) < TG_SIDECAR_ROW_BYTES)
            break;
        at += tg_le32(bytes + at);
    }
    tg_put_le64(bytes + 24, XXH3_64bits(bytes + TG_SIDECAR_CHECKED_FROM, end - TG_SIDECAR_CHECKED_FROM));
}

/* An id by look-up alone and with others; its entries. */
static void look_up(const tagma_index *index, const uint64_t *axes, uint64_t n_entries)
{
    uint64_t entries[4], first;
    uint32_t count;
    size_t n;
    tagma_status st = tagma_index_find(index, axes, entries, 4, &n);

    FUZZ_CHECK((st == TAGMA_OK && n > 0) || (st == TAGMA_ABSENT && n == 0));
    FUZZ_CHECK(n <= n_entries);
    for (size_t i = 0; i < n && i < 4; i++)
        FUZZ_CHECK(entries[i] < n_entries);
    tagma_index_find_many(index, axes, 1, &first, &count);
    FUZZ_CHECK(count == n && first + count <= n_entries);
}

/* All questions, whatever the answers. */
static void use(tagma_ctx *ctx, const tagma_index *index, const uint8_t *data, size_t size)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    uint64_t axes[TAGMA_MAX_ID_AXES] = {0}, entry;
    tagma_interval intervals[16];
    tagma_id_range range;
    size_t n;
    tg_walk walk;

    tagma_index_get_info(index, &info);
    tg_walk_begin(&walk, index);
    for (uint64_t i = 0; i < RANKS_MAX && tg_walk_next(&walk); i++) {
        FUZZ_CHECK(tg_walk_entry(&walk) < info.n_entries);
        look_up(index, walk.axes, info.n_entries);
        FUZZ_CHECK(tagma_index_coordinate(index, i, axes) == TAGMA_OK);
        tagma_index_entries(index, i, 1, &entry);
        FUZZ_CHECK(entry < info.n_entries);
    }
    for (size_t at = 0; at + sizeof axes <= size && at < RANKS_MAX; at += 8) {
        memcpy(axes, data + at, sizeof axes);
        look_up(index, axes, info.n_entries);
    }
    if (info.n_entries > RANKS_MAX)
        return;
    tagma_index_whole_range(index, &range);
    memcpy(&range.lo[info.n_axes - 1], data, size < 8 ? size : 8);
    if (tagma_index_intervals(ctx, index, &range, 1, intervals, 16, &n) == TAGMA_OK)
        for (size_t i = 0; i < n; i++)
            FUZZ_CHECK(intervals[i].first + intervals[i].n <= info.n_entries);
}

static void use_section(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_section *section, const uint8_t *data,
                        size_t size)
{
    tg_identity identity = {.file_bytes = sidecar->file_bytes,
                            .tree = section->tree,
                            .cycle = section->cycle,
                            .record_checksum = section->record_checksum,
                            .n_entries = TG_ENTRIES_UNKNOWN};
    const char *names[TAGMA_MAX_ID_AXES] = {""}, *name = section->names;
    uint32_t n_axes = section->n_axes < TAGMA_MAX_ID_AXES ? section->n_axes : TAGMA_MAX_ID_AXES;
    tagma_index *index;
    uint8_t *bytes;
    uint64_t n;
    tagma_status st;

    memcpy(identity.uuid, sidecar->uuid, sizeof identity.uuid);
    st = tg_sidecar_branches(ctx, sidecar, &identity, &bytes, &n);
    FUZZ_CHECK(st == TAGMA_OK ? bytes != NULL : bytes == NULL && n == 0);
    tg_free(ctx, bytes);
    for (uint32_t axis = 0; axis < n_axes; axis++) {
        names[axis] = name;
        name += strlen(name) + 1;
    }
    st = tg_sidecar_index(ctx, sidecar, &identity, names, n_axes, &index);
    FUZZ_CHECK(st == TAGMA_OK ? index != NULL : index == NULL);
    FUZZ_CHECK(st >= 0 || *tagma_ctx_message(ctx));
    if (index)
        use(ctx, index, data, size);
    tagma_index_release(index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tg_sidecar *sidecar;
    tagma_source *source;
    tagma_ctx *ctx;
    uint8_t *bytes;
    tagma_status st;

    if (size < 1)
        return 0;
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    bytes = malloc(size);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1)
        mend(bytes, size - 1);
    FUZZ_CHECK(tagma_source_memory(ctx, bytes, size - 1, "x.root.tgx", &source) == TAGMA_OK);
    st = tg_sidecar_open(ctx, source, "x.root", &sidecar);
    tagma_source_release(source);
    FUZZ_CHECK(st < 0 ? sidecar == NULL && strstr(tagma_ctx_message(ctx), "x.root.tgx") : sidecar != NULL);
    for (uint32_t i = 0; st == TAGMA_OK && i < sidecar->n_sections && i < 8; i++)
        use_section(ctx, sidecar, &sidecar->sections[i], data, size);
    tg_sidecar_free(ctx, sidecar);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(bytes);
    return 0;
}
