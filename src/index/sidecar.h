/* SPDX-License-Identifier: Apache-2.0
 * The sidecar FILE.tgx (docs/FORMAT.md, "Sidecar"): indexes and branch tables of the trees of one file, and what state of the
 * file they were made for. */
#ifndef TG_INDEX_SIDECAR_H
#define TG_INDEX_SIDECAR_H

#include <tagma/index.h>

#include "base/ctx.h"

#define TG_ENTRIES_UNKNOWN UINT64_MAX

/* A tree in one state of one file. The checksum decides whether it is the same state; n_entries, which may be
 * TG_ENTRIES_UNKNOWN before the record is parsed, makes the words better, and an index must have as many. */
typedef struct tg_identity {
    uint64_t file_bytes;
    uint8_t uuid[16]; /* of the file; zeros where it has none */
    const char *tree; /* path, without cycle */
    uint32_t cycle;   /* of the tree */
    uint64_t
        record_checksum; /* XXH3-64 of the tree's record (key and packed object) as it lies in the file */
    uint64_t n_entries;
} tg_identity;

/* A sidecar that was found, with a sound head. Its sections are read when asked for. */
typedef struct tg_sidecar tg_sidecar;

/* Where to look: a path of its own and nowhere else, or `file`.tgx, then cache_dir (may be NULL). */
typedef struct tg_sidecar_search {
    const char *file;      /* the file it belongs to, as the user named it */
    const char *path;      /* --index; NULL: search */
    const char *cache_dir; /* NULL: none */
} tg_sidecar_search;

/* Find a sidecar for the state of the file that `identity` tells.
 * @return TAGMA_OK; TAGMA_ABSENT where none is; TAGMA_E_STALE for one of another state (what lies in cache_dir for another is
 *         none); TAGMA_E_CORRUPT, _TRUNCATED, _UNSUPPORTED for one that is damaged, cut, foreign or newer; TAGMA_E_IO where
 *         search->path is not there. *out is NULL unless TAGMA_OK. */
tagma_status tg_sidecar_find(tagma_ctx *ctx, const tg_sidecar_search *search, const tg_identity *identity,
                             tg_sidecar **out);
/* One over a source. @param file  the file it belongs to, for messages. */
tagma_status tg_sidecar_open(tagma_ctx *ctx, tagma_source *source, const char *file, tg_sidecar **out);
void tg_sidecar_free(tagma_ctx *ctx, tg_sidecar *sidecar);

/* The index of a tree. @param names  [n_axes] id columns. @return as tg_sidecar_branches. Belongs to the caller. */
tagma_status tg_sidecar_index(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_identity *identity,
                              const char *const *names, uint32_t n_axes, tagma_index **out);
/* The branch and basket table of a tree, as it was given to tg_sidecar_save: its checksum is verified, its inside is the
 * root room's. Give *bytes back to tg_free.
 * @return TAGMA_OK; TAGMA_ABSENT where the sidecar has none of this tree; TAGMA_E_STALE where it has one of another state;
 *         TAGMA_E_CORRUPT, _TRUNCATED; TAGMA_E_MEMORY. */
tagma_status tg_sidecar_branches(tagma_ctx *ctx, tg_sidecar *sidecar, const tg_identity *identity,
                                 uint8_t **bytes, uint64_t *n);

/* What is kept of a tree. */
typedef struct tg_sidecar_content {
    const tagma_index *index; /* NULL: none, what is there stays */
    const uint8_t *branches;  /* [n_branches] opaque; NULL: none, what is there stays */
    uint64_t n_branches;
} tg_sidecar_content;

/* Add to the sidecar at `path`, or replace in it. Sections of other trees and other id columns are kept, those of another state
 * of the file are dropped. Written aside, synced, renamed. identity->n_entries must be known.
 * @param path  NULL: `file`.tgx.
 * @return TAGMA_OK; TAGMA_E_IO; TAGMA_E_CORRUPT where something lies at `path` that is no sidecar: it is left alone. */
tagma_status tg_sidecar_save(tagma_ctx *ctx, const char *path, const char *file, const tg_identity *identity,
                             const tg_sidecar_content *content);
/* The same in cache_dir, which is made where it is not there. */
tagma_status tg_sidecar_save_cached(tagma_ctx *ctx, const char *cache_dir, const char *file,
                                    const tg_identity *identity, const tg_sidecar_content *content);
/* `file`.tgx; of tg_alloc. */
char *tg_sidecar_path(tagma_ctx *ctx, const char *file);
/* cache_dir/ and 32 hexadecimal digits that the file's size and UUID give, .tgx; of tg_alloc. */
char *tg_sidecar_cache_path(tagma_ctx *ctx, const char *cache_dir, const tg_identity *identity);

#endif
