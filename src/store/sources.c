/* SPDX-License-Identifier: Apache-2.0
 * Which entry of which source an entry is, for those who ask about many. */
#include <tagma/store.h>

#include "base/num.h"
#include "store/store.h"

struct tagma_origins {
    tg_account *account;
    uint64_t n_entries;
    uint32_t n_sources;
    const char **files;   /* [n_sources] */
    uint64_t *ends;       /* [n_sources] entries of this source and those before */
    const uint8_t *bytes; /* of the section; NULL where every entry is the one of its number */
};

static tagma_status take_sources(tagma_origins *origins, const tg_provenance *provenance)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < provenance->n_sources; i++) {
        if (!tg_add(n, provenance->sources[i].n_entries, &n))
            return TAGMA_E_CORRUPT;
        origins->files[i] = provenance->sources[i].file;
        origins->ends[i] = n;
    }
    return TAGMA_OK;
}

static tagma_status from_store(tagma_ctx *ctx, const tagma_events *events, tagma_origins *origins)
{
    tg_provenance provenance;
    uint64_t n;
    void *block;
    tagma_status st;

    TG_TRY(tg_store_section(ctx, tg_store_of(events), TG_STORE_SECTION_ORIGIN, &origins->bytes, &n));
    TG_TRY(tg_store_provenance(ctx, events, &provenance, &block));
    origins->n_sources = provenance.n_sources;
    origins->files = tg_alloc(ctx, provenance.n_sources, sizeof *origins->files);
    origins->ends = tg_alloc(ctx, provenance.n_sources, sizeof *origins->ends);
    st = origins->files && origins->ends ? take_sources(origins, &provenance) : TAGMA_E_MEMORY;
    tg_free(ctx, block);
    if (st == TAGMA_E_CORRUPT)
        return tg_fail(ctx, st, "%s: provenance section: its sources have more than 2^64 entries",
                       events->info.file);
    return st;
}

static tagma_status from_itself(tagma_ctx *ctx, const tagma_events *events, tagma_origins *origins)
{
    origins->n_sources = 1;
    origins->files = tg_alloc(ctx, 1, sizeof *origins->files);
    origins->ends = tg_alloc(ctx, 1, sizeof *origins->ends);
    if (!origins->files || !origins->ends)
        return TAGMA_E_MEMORY;
    origins->files[0] = events->info.file;
    origins->ends[0] = events->info.n_entries;
    return TAGMA_OK;
}

tagma_status tagma_origins_new(tagma_ctx *ctx, const tagma_events *events, tagma_origins **out)
{
    tagma_origins *origins = tg_zalloc(ctx, 1, sizeof *origins);
    tagma_status st;

    *out = NULL;
    if (!origins)
        return TAGMA_E_MEMORY;
    origins->account = tg_account_acquire(ctx->account);
    origins->n_entries = events->info.n_entries;
    st = tg_events_are_store(events) ? from_store(ctx, events, origins) : from_itself(ctx, events, origins);
    if (st < 0) {
        tagma_origins_free(origins);
        return st;
    }
    *out = origins;
    return TAGMA_OK;
}

void tagma_origins_free(tagma_origins *origins)
{
    tg_account *account;

    if (!origins)
        return;
    account = origins->account;
    tg_account_free(account, origins->files);
    tg_account_free(account, origins->ends);
    tg_account_free(account, origins);
    tg_account_release(account);
}

uint32_t tagma_origins_n_sources(const tagma_origins *origins)
{
    return origins->n_sources;
}

const char *tagma_origins_file(const tagma_origins *origins, uint32_t source)
{
    return source < origins->n_sources ? origins->files[source] : NULL;
}

tagma_status tagma_origins_at(const tagma_origins *origins, uint64_t entry, uint32_t *source,
                              uint64_t *source_entry)
{
    uint64_t at;
    uint32_t lo = 0, hi = origins->n_sources;

    if (entry >= origins->n_entries)
        return TAGMA_E_RANGE;
    at = tg_origins_at(origins->bytes, entry);
    while (lo < hi) { /* the first source that ends behind it */
        uint32_t middle = lo + (hi - lo) / 2;

        if (origins->ends[middle] <= at)
            lo = middle + 1;
        else
            hi = middle;
    }
    if (lo == origins->n_sources)
        return TAGMA_E_CORRUPT;
    *source = lo;
    *source_entry = at - (lo > 0 ? origins->ends[lo - 1] : 0);
    return TAGMA_OK;
}
