/* SPDX-License-Identifier: Apache-2.0
 * Find a sidecar, see whether it is for this state of the file, and read its sections. */
#include "index/sidecar.h"

#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/hash.h"
#include "index/section.h"
#include "index/sidehead.h"

char *tg_sidecar_path(tagma_ctx *ctx, const char *file)
{
    return tg_printf(ctx, "%s.tgx", file);
}

char *tg_sidecar_cache_path(tagma_ctx *ctx, const char *cache_dir, const tg_identity *identity)
{
    uint8_t key[24];
    XXH128_hash_t hash;

    tg_put_le64(key, identity->file_bytes);
    memcpy(key + 8, identity->uuid, sizeof identity->uuid);
    hash = XXH3_128bits(key, sizeof key);
    return tg_printf(ctx, "%s/%016" PRIx64 "%016" PRIx64 ".tgx", cache_dir, (uint64_t)hash.high64,
                     (uint64_t)hash.low64);
}

void tg_sidecar_free(tagma_ctx *ctx, tg_sidecar *sidecar)
{
    if (!sidecar)
        return;
    tg_lane_free(sidecar->lane);
    tagma_source_release(sidecar->source);
    tg_free(ctx, sidecar->sections);
    tg_free(ctx, sidecar->head);
    tg_free(ctx, sidecar->file);
    tg_free(ctx, sidecar);
}

tagma_status tg_sidecar_open_any(tagma_ctx *ctx, tagma_source *source, const char *file, tg_sidecar **out,
                                 bool *is_foreign)
{
    tg_sidecar *sidecar = tg_zalloc(ctx, 1, sizeof *sidecar);
    tagma_status st;

    *out = NULL;
    *is_foreign = false;
    if (!sidecar)
        return TAGMA_E_MEMORY;
    sidecar->source = tagma_source_acquire(source);
    sidecar->file = tg_strdup(ctx, file);
    st = sidecar->file ? tg_lane_new(ctx, source, &sidecar->lane) : TAGMA_E_MEMORY;
    if (st >= 0)
        st = tg_sidehead_read(ctx, sidecar, is_foreign);
    if (st < 0) {
        tg_sidecar_free(ctx, sidecar);
        return st;
    }
    *out = sidecar;
    return TAGMA_OK;
}

tagma_status tg_sidecar_open(tagma_ctx *ctx, tagma_source *source, const char *file, tg_sidecar **out)
{
    bool is_foreign;

    return tg_sidecar_open_any(ctx, source, file, out, &is_foreign);
}

static void spell_uuid(const uint8_t *uuid, char text[33])
{
    for (int i = 0; i < 16; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
}

static tagma_status stale(tagma_ctx *ctx, const tg_sidecar *sidecar, const char *then_and_now)
{
    return tg_fail(
        ctx, TAGMA_E_STALE,
        "%s was made for another state of %s (%s). Rebuild: tagma index %s, or ignore it: --no-sidecar",
        tagma_source_name(sidecar->source), sidecar->file, then_and_now, sidecar->file);
}

/* The words for what has changed: entries where both counts are known and differ, else the next that tells. */
static tagma_status fail_stale(tagma_ctx *ctx, const tg_sidecar *sidecar, const tg_section *section,
                               const tg_identity *identity)
{
    char then[TG_GROUPED_BYTES], now[TG_GROUPED_BYTES], words[160], uuids[2][33];

    if (section && identity->n_entries != TG_ENTRIES_UNKNOWN && section->n_entries != identity->n_entries)
        snprintf(words, sizeof words, "then %s entries, now %s", tg_grouped(section->n_entries, then),
                 tg_grouped(identity->n_entries, now));
    else if (sidecar->file_bytes != identity->file_bytes)
        snprintf(words, sizeof words, "then %s bytes, now %s", tg_grouped(sidecar->file_bytes, then),
                 tg_grouped(identity->file_bytes, now));
    else if (memcmp(sidecar->uuid, identity->uuid, sizeof sidecar->uuid) != 0) {
        spell_uuid(sidecar->uuid, uuids[0]);
        spell_uuid(identity->uuid, uuids[1]);
        snprintf(words, sizeof words, "then UUID %s, now %s", uuids[0], uuids[1]);
    } else {
        snprintf(words, sizeof words, "the record of tree %.80s differs", identity->tree);
    }
    return stale(ctx, sidecar, words);
}

/* Is the sidecar for this state of the file? */
static tagma_status check_file(tagma_ctx *ctx, const tg_sidecar *sidecar, const tg_identity *identity)
{
    const tg_section *same_tree = NULL;

    if (sidecar->file_bytes == identity->file_bytes &&
        memcmp(sidecar->uuid, identity->uuid, sizeof sidecar->uuid) == 0)
        return TAGMA_OK;
    /* The file's trees may have new cycles: any of this name tells how many entries there were. */
    for (uint32_t i = 0; i < sidecar->n_sections; i++)
        if (strcmp(sidecar->sections[i].tree, identity->tree) == 0 &&
            (!same_tree || sidecar->sections[i].cycle > same_tree->cycle))
            same_tree = &sidecar->sections[i];
    return fail_stale(ctx, sidecar, same_tree, identity);
}

/* A section of the tree, for this state of it. names == NULL: whatever its id columns. */
static tagma_status find_section(tagma_ctx *ctx, const tg_sidecar *sidecar, const tg_identity *identity,
                                 uint32_t kind, const char *names, uint32_t names_bytes,
                                 const tg_section **out)
{
    TG_TRY(check_file(ctx, sidecar, identity));
    for (uint32_t i = 0; i < sidecar->n_sections; i++) {
        const tg_section *section = &sidecar->sections[i];

        if (section->kind != kind || !tg_section_is_of(section, identity))
            continue;
        if (names && (section->names_bytes != names_bytes || memcmp(section->names, names, names_bytes) != 0))
            continue;
        *out = section;
        if (section->record_checksum != identity->record_checksum)
            return fail_stale(ctx, sidecar, section, identity);
        return TAGMA_OK;
    }
    return TAGMA_ABSENT;
}

/* The section's bytes in memory of their own. */
static tagma_status read_section(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_section *section,
                                 uint8_t **out)
{
    uint8_t *bytes = tg_alloc(ctx, section->bytes, 1);
    tagma_status st;

    if (!bytes)
        return TAGMA_E_MEMORY;
    st = tg_lane_read(ctx, sidecar->lane, section->offset, section->bytes, bytes);
    if (st < 0) {
        tg_free(ctx, bytes);
        return st;
    }
    tg_lane_count_used(sidecar->lane, section->bytes);
    *out = bytes;
    return TAGMA_OK;
}

static tagma_status wrong(tagma_ctx *ctx, const tg_sidecar *sidecar, const tg_section *section,
                          const char *what)
{
    return tg_fail(ctx, TAGMA_E_CORRUPT,
                   "%s is damaged: section at byte %" PRIu64
                   ": %s. Rebuild: tagma index %s, or ignore it: --no-sidecar",
                   tagma_source_name(sidecar->source), section->offset, what, sidecar->file);
}

tagma_status tg_sidecar_branches(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_identity *identity,
                                 uint8_t **bytes, uint64_t *n)
{
    const tg_section *section = NULL;
    tagma_status st = find_section(ctx, sidecar, identity, TG_SECTION_BRANCHES, NULL, 0, &section);

    *bytes = NULL;
    *n = 0;
    if (st != TAGMA_OK)
        return st;
    TG_TRY(read_section(ctx, sidecar, section, bytes));
    if (tg_hash(*bytes, section->bytes) != section->checksum) {
        tg_free(ctx, *bytes);
        *bytes = NULL;
        return wrong(ctx, sidecar, section, "its checksum is not what its bytes give");
    }
    *n = section->bytes;
    return TAGMA_OK;
}

/* Does the index belong where it was found? */
static bool is_index_of(const tagma_index *index, const tg_section *section)
{
    const char *name = section->names;

    if (index->n_entries != section->n_entries || index->n_axes != section->n_axes)
        return false;
    for (uint32_t axis = 0; axis < index->n_axes; axis++) {
        if (strcmp(index->names[axis], name) != 0)
            return false;
        name += strlen(name) + 1;
    }
    return true;
}

static tagma_status load_index(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_section *section,
                               tagma_index **out)
{
    char words[TG_MESSAGE_BYTES];
    uint8_t *bytes;
    tagma_status st;

    TG_TRY(read_section(ctx, sidecar, section, &bytes));
    if (section->bytes >= TG_INDEX_HEADER_BYTES && tg_le64(bytes + 24) != section->checksum) {
        tg_free(ctx, bytes);
        return wrong(ctx, sidecar, section, "it is not the index that the head names");
    }
    st = tg_index_load(ctx, bytes, section->bytes, tagma_source_name(sidecar->source), section->offset, bytes,
                       NULL, out);
    if (st < 0 && st != TAGMA_E_MEMORY) {
        snprintf(words, sizeof words, "%s", tagma_ctx_message(ctx));
        return tg_fail(ctx, st, "%s. Rebuild: tagma index %s, or ignore it: --no-sidecar", words,
                       sidecar->file);
    }
    TG_TRY(st);
    if (is_index_of(*out, section))
        return TAGMA_OK;
    tagma_index_release(*out);
    *out = NULL;
    return wrong(ctx, sidecar, section, "its entries or names are not those of the head");
}

tagma_status tg_sidecar_index(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_identity *identity,
                              const char *const *names, uint32_t n_axes, tagma_index **out)
{
    const tg_section *section = NULL;
    uint32_t names_bytes;
    char *all = tg_section_names(ctx, names, n_axes, &names_bytes);
    tagma_status st;

    *out = NULL;
    if (!all)
        return TAGMA_E_MEMORY;
    st = find_section(ctx, sidecar, identity, TG_SECTION_INDEX, all, names_bytes, &section);
    tg_free(ctx, all);
    if (st != TAGMA_OK)
        return st;
    if (identity->n_entries != TG_ENTRIES_UNKNOWN && identity->n_entries != section->n_entries)
        return wrong(ctx, sidecar, section, "its index has not as many entries as the tree");
    return load_index(ctx, sidecar, section, out);
}

/* The sidecar at a path; TAGMA_ABSENT where nothing is there. */
static tagma_status open_path(tagma_ctx *ctx, const char *path, const char *file, tg_sidecar **out)
{
    tagma_source *source;
    tagma_status st;

    if (access(path, F_OK) != 0)
        return TAGMA_ABSENT;
    TG_TRY(tagma_source_open(ctx, path, TAGMA_IO_PREAD, &source));
    st = tg_sidecar_open(ctx, source, file, out);
    tagma_source_release(source);
    return st;
}

/* One place of the search. */
static tagma_status find_at(tagma_ctx *ctx, char *path, const char *file, const tg_identity *identity,
                            tg_sidecar **out)
{
    tagma_status st = path ? open_path(ctx, path, file, out) : TAGMA_E_MEMORY;

    if (st == TAGMA_OK) {
        st = check_file(ctx, *out, identity);
        if (st < 0) {
            tg_sidecar_free(ctx, *out);
            *out = NULL;
        }
    }
    return st;
}

tagma_status tg_sidecar_find(tagma_ctx *ctx, const tg_sidecar_search *search, const tg_identity *identity,
                             tg_sidecar **out)
{
    char *path = search->path ? tg_strdup(ctx, search->path) : tg_sidecar_path(ctx, search->file);
    tagma_status st;

    *out = NULL;
    st = find_at(ctx, path, search->file, identity, out);
    if (st == TAGMA_ABSENT && search->path)
        st = tg_fail(ctx, TAGMA_E_IO, "%s: no such sidecar", search->path);
    if (st == TAGMA_ABSENT && search->cache_dir) {
        tg_free(ctx, path);
        path = tg_sidecar_cache_path(ctx, search->cache_dir, identity);
        st = find_at(ctx, path, search->file, identity, out);
        if (st == TAGMA_E_STALE)
            st = TAGMA_ABSENT;
    }
    tg_free(ctx, path);
    return st;
}
