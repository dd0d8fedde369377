/* SPDX-License-Identifier: Apache-2.0
 * What all kinds of source share: counting users, name, size. */
#include "source/source.h"

tagma_status tg_source_new(tagma_ctx *ctx, const tg_source_kind *kind, const char *name, uint64_t size,
                           size_t own_bytes, tagma_source **out)
{
    tagma_source *source = tg_zalloc(ctx, 1, sizeof *source);

    *out = NULL;
    if (!source)
        return TAGMA_E_MEMORY;
    source->name = tg_strdup(ctx, name);
    source->own = tg_zalloc(ctx, own_bytes, 1);
    if (!source->name || !source->own) {
        tg_free(ctx, source->name);
        tg_free(ctx, source->own);
        tg_free(ctx, source);
        return TAGMA_E_MEMORY;
    }
    source->kind = kind;
    source->size = size;
    source->account = tg_account_acquire(ctx->account);
    atomic_init(&source->users, 1);
    *out = source;
    return TAGMA_OK;
}

tagma_status tagma_source_open(tagma_ctx *ctx, const char *path, tagma_io io, tagma_source **out)
{
    *out = NULL;
    switch (io) {
    case TAGMA_IO_PREAD:
        return tg_file_open(ctx, path, out);
    case TAGMA_IO_MMAP:
        return tg_map_open(ctx, path, out);
    }
    return tg_fail(ctx, TAGMA_E_ARG, "%s: no way of reading has number %d", path, (int)io);
}

tagma_source *tagma_source_acquire(tagma_source *source)
{
    atomic_fetch_add_explicit(&source->users, 1, memory_order_relaxed);
    return source;
}

void tagma_source_release(tagma_source *source)
{
    tg_account *account;

    if (!source || atomic_fetch_sub_explicit(&source->users, 1, memory_order_acq_rel) > 1)
        return;
    account = source->account;
    source->kind->close(source);
    tg_account_free(account, source->own);
    tg_account_free(account, source->name);
    tg_account_free(account, source);
    tg_account_release(account);
}

uint64_t tagma_source_size(const tagma_source *source)
{
    return source->size;
}

const char *tagma_source_name(const tagma_source *source)
{
    return source->name;
}

bool tg_source_has_view(const tagma_source *source)
{
    return source->kind->view != NULL;
}

bool tg_source_owns_bytes(const tagma_source *source)
{
    return source->kind->owns_bytes;
}

uint64_t tg_source_gap_bytes(const tagma_source *source)
{
    return source->kind->gap_bytes;
}

uint64_t tg_source_extent_bytes(const tagma_source *source)
{
    return source->kind->extent_bytes;
}

uint64_t tg_source_stored_bytes(const tagma_source *source)
{
    return source->stored > 0 ? source->stored : source->size;
}

uint64_t tg_source_mtime_ns(const tagma_source *source)
{
    return source->mtime_ns;
}

tagma_status tg_source_check(tagma_ctx *ctx, const tagma_source *source)
{
    return source->kind->check ? source->kind->check(ctx, source) : TAGMA_OK;
}
