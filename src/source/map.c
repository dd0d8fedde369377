/* SPDX-License-Identifier: Apache-2.0
 * A local file mapped: views cost no copy. Reads into a caller's buffer still go by pread, which cannot be killed by a file
 * that shrinks. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "source/file.h"

typedef struct map {
    tg_file file;
    const uint8_t *bytes; /* NULL for an empty file */
} map;

static tagma_status map_view(tagma_ctx *ctx, const tagma_source *source, uint64_t offset, uint64_t n,
                             const uint8_t **bytes)
{
    const map *own = source->own;

    (void)n;
    TG_TRY(tg_file_check_size(ctx, source));
    *bytes = own->bytes + offset;
    return TAGMA_OK;
}

static void map_close(tagma_source *source)
{
    map *own = source->own;

    if (own->bytes)
        munmap((void *)own->bytes, source->size);
    tg_file_close(source);
}

/* A gap costs nothing where nothing is copied. */
static const tg_source_kind map_kind = {
    .name = "map",
    .gap_bytes = 0,
    .extent_bytes = 1 << 20,
    .start = tg_file_start,
    .view = map_view,
    .owns_bytes = true,
    .check = tg_file_check,
    .close = map_close,
};

tagma_status tg_map_open(tagma_ctx *ctx, const char *path, tagma_source **out)
{
    tagma_source *source;
    void *bytes;
    char words[128];
    int code;

    *out = NULL;
    TG_TRY(tg_file_new(ctx, path, &map_kind, sizeof(map), &source));
    if (source->size > 0) {
        bytes = mmap(NULL, source->size, PROT_READ, MAP_SHARED, ((map *)source->own)->file.fd, 0);
        if (bytes == MAP_FAILED) {
            code = errno;
            tagma_source_release(source);
            return tg_fail(ctx, TAGMA_E_IO, "%s: cannot be mapped: %s", path,
                           strerror_r(code, words, sizeof words));
        }
        ((map *)source->own)->bytes = bytes;
    }
    *out = source;
    return TAGMA_OK;
}
