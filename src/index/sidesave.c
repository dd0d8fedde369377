/* SPDX-License-Identifier: Apache-2.0
 * Write a sidecar: what it had of the same state of the file is kept, what is given is added or replaced. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/aside.h"
#include "base/hash.h"
#include "index/section.h"
#include "index/sidehead.h"

/* A sidecar being written: sections kept from the old one, then new ones. */
typedef struct saving {
    tagma_ctx *ctx;
    const tg_identity *identity;
    const tg_sidecar_content *content;
    tg_sidecar *old; /* NULL where there is none to be kept */
    char *names;     /* of the new index' id columns */
    uint32_t names_bytes;
    tg_section *sections;
    uint64_t *old_offsets; /* where a kept section lies in the old sidecar */
    uint32_t n, n_kept;
} saving;

/* What lies at the path already. Damaged, cut, newer: it will be replaced. Something else altogether: hands off. */
static tagma_status open_old(saving *s, const char *path, const char *file)
{
    bool is_foreign = false;
    tagma_source *source;
    tagma_status st;

    if (access(path, F_OK) != 0)
        return TAGMA_OK;
    TG_TRY(tagma_source_open(s->ctx, path, TAGMA_IO_PREAD, &source));
    st = tg_sidecar_open_any(s->ctx, source, file, &s->old, &is_foreign);
    tagma_source_release(source);
    if (st == TAGMA_E_MEMORY || st == TAGMA_E_IO || is_foreign)
        return st;
    if (st == TAGMA_OK && (s->old->file_bytes != s->identity->file_bytes ||
                           memcmp(s->old->uuid, s->identity->uuid, sizeof s->old->uuid) != 0)) {
        tg_sidecar_free(s->ctx, s->old);
        s->old = NULL;
    }
    return TAGMA_OK;
}

/* Is a section of the old sidecar neither replaced nor of another state of its tree? */
static bool is_kept(const saving *s, const tg_section *section)
{
    if (!tg_section_is_of(section, s->identity))
        return true;
    if (section->record_checksum != s->identity->record_checksum)
        return false;
    if (section->kind == TG_SECTION_BRANCHES)
        return !s->content->branches;
    if (section->kind == TG_SECTION_INDEX)
        return !s->content->index || section->names_bytes != s->names_bytes ||
               memcmp(section->names, s->names, s->names_bytes) != 0;
    return true;
}

static tg_section *add_section(saving *s, tg_section_kind kind, uint64_t bytes)
{
    tg_section *section = &s->sections[s->n++];

    *section = (tg_section){.kind = kind,
                            .bytes = bytes,
                            .n_entries = s->identity->n_entries,
                            .record_checksum = s->identity->record_checksum,
                            .cycle = s->identity->cycle,
                            .tree = s->identity->tree};
    return section;
}

static tagma_status list_sections(saving *s)
{
    uint32_t n_old = s->old ? s->old->n_sections : 0;
    const tagma_index *index = s->content->index;

    if (index) {
        s->names = tg_section_names(s->ctx, index->names, index->n_axes, &s->names_bytes);
        if (!s->names)
            return TAGMA_E_MEMORY;
    }
    s->sections = tg_zalloc(s->ctx, (uint64_t)n_old + 2, sizeof *s->sections);
    s->old_offsets = tg_zalloc(s->ctx, (uint64_t)n_old + 2, sizeof *s->old_offsets);
    if (!s->sections || !s->old_offsets)
        return TAGMA_E_MEMORY;
    for (uint32_t i = 0; i < n_old; i++)
        if (is_kept(s, &s->old->sections[i])) {
            s->old_offsets[s->n] = s->old->sections[i].offset;
            s->sections[s->n++] = s->old->sections[i];
        }
    s->n_kept = s->n;
    if (index) {
        tg_section *section = add_section(s, TG_SECTION_INDEX, index->n_bytes);
        section->checksum = tg_le64(index->bytes + 24);
        section->names = s->names;
        section->names_bytes = s->names_bytes;
        section->n_axes = index->n_axes;
    }
    if (s->content->branches)
        add_section(s, TG_SECTION_BRANCHES, s->content->n_branches)->checksum =
            tg_hash(s->content->branches, s->content->n_branches);
    return TAGMA_OK;
}

static tagma_status write_kept(saving *s, tg_aside *aside, uint32_t i)
{
    enum { PIECE = 1 << 20 };
    uint64_t n = s->sections[i].bytes;
    uint8_t *piece = tg_alloc(s->ctx, n < PIECE ? n : PIECE, 1);
    tagma_status st = piece ? TAGMA_OK : TAGMA_E_MEMORY;

    for (uint64_t at = 0; st == TAGMA_OK && at < n; at += PIECE) {
        uint64_t m = n - at < PIECE ? n - at : PIECE;
        st = tg_lane_read(s->ctx, s->old->lane, s->old_offsets[i] + at, m, piece);
        if (st == TAGMA_OK)
            st = tg_aside_write(s->ctx, aside, piece, m);
    }
    tg_free(s->ctx, piece);
    return st;
}

static tagma_status write_sections(saving *s, tg_aside *aside)
{
    static const uint8_t zeros[TG_SIDECAR_ALIGN];
    uint64_t head_bytes, end;
    uint8_t *head;
    tagma_status st;

    TG_TRY(tg_sidehead_make(s->ctx, s->identity, s->sections, s->n, &head, &head_bytes, &end));
    st = tg_aside_write(s->ctx, aside, head, head_bytes);
    tg_free(s->ctx, head);
    for (uint32_t i = 0; st == TAGMA_OK && i < s->n; i++) {
        const tg_section *section = &s->sections[i];

        st = tg_aside_write(s->ctx, aside, zeros, section->offset - aside->n);
        if (st < 0)
            return st;
        if (i < s->n_kept)
            st = write_kept(s, aside, i);
        else
            st = tg_aside_write(
                s->ctx, aside,
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the kind says there is one */
                section->kind == TG_SECTION_INDEX ? s->content->index->bytes : s->content->branches,
                section->bytes);
    }
    return st;
}

static tagma_status save(saving *s, const char *path, const char *file)
{
    tg_aside aside;
    tagma_status st;

    if (s->content->index && s->content->index->n_entries != s->identity->n_entries)
        return tg_fail(s->ctx, TAGMA_E_ARG, "an index of %" PRIu64 " entries for tree %s, which has %" PRIu64,
                       s->content->index->n_entries, s->identity->tree, s->identity->n_entries);
    TG_TRY(open_old(s, path, file));
    TG_TRY(list_sections(s));
    TG_TRY(tg_aside_open(s->ctx, path, &aside));
    st = write_sections(s, &aside);
    if (st < 0) {
        tg_aside_abandon(s->ctx, &aside);
        return st;
    }
    return tg_aside_commit(s->ctx, &aside);
}

tagma_status tg_sidecar_save(tagma_ctx *ctx, const char *path, const char *file, const tg_identity *identity,
                             const tg_sidecar_content *content)
{
    saving s = {.ctx = ctx, .identity = identity, .content = content};
    char *own = path ? tg_strdup(ctx, path) : tg_sidecar_path(ctx, file);
    tagma_status st = own ? save(&s, own, file) : TAGMA_E_MEMORY;

    tg_sidecar_free(ctx, s.old);
    tg_free(ctx, s.names);
    tg_free(ctx, s.sections);
    tg_free(ctx, s.old_offsets);
    tg_free(ctx, own);
    return st;
}

/* The folders of a path, those that are not there yet. */
static tagma_status make_folders(tagma_ctx *ctx, char *path)
{
    char words[128];

    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        int code = 0;

        *slash = 0;
        if (mkdir(path, 0777) < 0 && errno != EEXIST)
            code = errno;
        if (code != 0 && access(path, F_OK) != 0)
            return tg_fail(ctx, TAGMA_E_IO, "%s cannot be made: %s", path,
                           strerror_r(code, words, sizeof words));
        *slash = '/';
    }
    return TAGMA_OK;
}

tagma_status tg_sidecar_save_cached(tagma_ctx *ctx, const char *cache_dir, const char *file,
                                    const tg_identity *identity, const tg_sidecar_content *content)
{
    char *path = tg_sidecar_cache_path(ctx, cache_dir, identity);
    tagma_status st = path ? make_folders(ctx, path) : TAGMA_E_MEMORY;

    if (st == TAGMA_OK)
        st = tg_sidecar_save(ctx, path, file, identity, content);
    tg_free(ctx, path);
    return st;
}
