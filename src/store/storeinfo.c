/* SPDX-License-Identifier: Apache-2.0
 * What a store tells of itself: sections, sources, what each column takes. */
#include <stdio.h>
#include <string.h>
#include <tagma/store.h>

#include "base/num.h"
#include "source/blocks.h"
#include "store/totals.h"

static uint64_t section_bytes(const tg_store *store, uint32_t id)
{
    const tg_section *section = tg_header_section(&store->header, id);

    return section ? section->bytes : 0;
}

static const char *layout_name(uint32_t layout)
{
    switch (layout) {
    case TG_LAYOUT_FIXED:
        return "fixed";
    case TG_LAYOUT_COLLECTION:
        return "collection";
    default:
        return "tiles";
    }
}

/* "tiles of 8", "collection, zstd 64K". */
static void spell_layout(const tg_store *store, char *to, size_t n)
{
    char layout[24], blocks[24] = "";
    tg_blocks_info info;

    snprintf(layout, sizeof layout, "%s", layout_name(store->header.layout));
    if (store->header.layout == TG_LAYOUT_TILES)
        snprintf(layout, sizeof layout, "tiles of %" PRIu32, store->header.tile_events);
    if (tg_blocks_get_info(store->source, &info))
        snprintf(blocks, sizeof blocks, ", %s %" PRIu32 "K", tg_block_codec_name(info.codec),
                 info.block_bytes >> 10);
    snprintf(to, n, "%s%s", layout, blocks);
}

void tg_store_file_info(const tagma_events *events, tagma_file_info *info)
{
    const tg_store *store = tg_store_of(events);
    tagma_ctx ctx = {.limits = TAGMA_LIMITS_INIT, .account = events->account};
    tg_provenance provenance;
    void *block;

    memset(info, 0, sizeof *info);
    info->path = tagma_source_name(store->source);
    info->kind = "Tagma store";
    info->bytes = tg_source_stored_bytes(store->source);
    info->version = store->header.major;
    if (tg_store_provenance(&ctx, events, &provenance, &block) == TAGMA_OK)
        snprintf(info->producer, sizeof info->producer, "%s", provenance.producer);
    tg_free(&ctx, block);
    spell_layout(store, info->codec, sizeof info->codec);
    info->condition = TAGMA_CLOSED;
    info->n_trees = 1;
}

static tagma_status tell_store(tagma_ctx *ctx, const tg_store *store, tagma_store_info *out)
{
    tg_provenance provenance;
    uint64_t known;
    void *block;

    TG_TRY(tg_totals_hot(ctx, store, &out->n_hot, &out->hot_bytes));
    TG_TRY(tg_store_provenance(ctx, &store->events, &provenance, &block));
    tg_free(ctx, block); /* the texts are the section's */
    out->major = store->header.major;
    out->minor = store->header.minor;
    out->tile_events = store->header.tile_events;
    out->layout = layout_name(store->header.layout);
    out->producer = provenance.producer;
    out->options = provenance.options;
    out->n_sources = provenance.n_sources;
    out->n_absents = provenance.n_absents;
    out->bytes = store->header.file_bytes;
    out->stored_bytes = tg_source_stored_bytes(store->source);
    for (uint32_t i = 0; i < store->header.n_clusters; i++)
        out->tile_bytes += store->clusters[i].tiles_bytes;
    if (store->header.layout == TG_LAYOUT_FIXED)
        out->tile_bytes = store->records.layout.extent_bytes;
    out->hot_bytes += section_bytes(store, TG_STORE_SECTION_CHUNKS);
    out->index_bytes = section_bytes(store, TG_STORE_SECTION_INDEX);
    known = out->tile_bytes + out->hot_bytes + out->index_bytes;
    out->other_bytes = out->bytes > known ? out->bytes - known : 0;
    return TAGMA_OK;
}

tagma_status tagma_store_get_info(tagma_ctx *ctx, const tagma_events *events, tagma_store_info *out)
{
    tagma_store_info full = {.struct_bytes = sizeof full};
    tagma_status st = TAGMA_ABSENT;

    if (tg_events_are_store(events))
        st = tell_store(ctx, tg_store_of(events), &full);
    tg_give(out, &full, sizeof full);
    return st;
}

static tagma_status tell_source(tagma_ctx *ctx, const tagma_events *events, uint32_t i,
                                tagma_store_source *out)
{
    tg_provenance provenance;
    void *block;

    TG_TRY(tg_store_provenance(ctx, events, &provenance, &block));
    if (i < provenance.n_sources) {
        const tg_provenance_source *it = &provenance.sources[i];

        *out = (tagma_store_source){sizeof *out, it->file,       it->uuid,     it->tree,
                                    it->cycle,   it->file_bytes, it->n_entries};
    }
    tg_free(ctx, block);
    return i < provenance.n_sources ? TAGMA_OK : TAGMA_E_RANGE;
}

tagma_status tagma_store_get_source(tagma_ctx *ctx, const tagma_events *events, uint32_t i,
                                    tagma_store_source *out)
{
    tagma_store_source full = {.struct_bytes = sizeof full};
    tagma_status st = TAGMA_ABSENT;

    if (tg_events_are_store(events))
        st = tell_source(ctx, events, i, &full);
    tg_give(out, &full, sizeof full);
    return st;
}

tagma_status tagma_store_get_absent(tagma_ctx *ctx, const tagma_events *events, uint32_t i, tagma_absent *out)
{
    tg_provenance provenance;
    void *block;

    *out = (tagma_absent){.name = NULL};
    if (!tg_events_are_store(events))
        return TAGMA_ABSENT;
    TG_TRY(tg_store_provenance(ctx, events, &provenance, &block));
    if (i < provenance.n_absents) {
        const tg_provenance_absent *it = &provenance.absents[i];

        *out = (tagma_absent){it->source, it->kind, it->name, it->words, it->n};
    }
    tg_free(ctx, block);
    return i < provenance.n_absents ? TAGMA_OK : TAGMA_E_RANGE;
}

/* "offset + dictionary, sparse" */
static void spell_code(uint64_t kinds, char *to, size_t n)
{
    size_t used = 0;

    to[0] = '\0';
    for (uint32_t k = 0; k < TG_N_CODE_KINDS; k++)
        if (kinds >> k & 1 && used < n)
            used += (size_t)snprintf(to + used, n - used, "%s%s", used > 0 ? " + " : "", tg_code_name(k));
    if (kinds >> TG_SPARSE_KIND & 1 && used < n)
        snprintf(to + used, n - used, ", sparse");
}

static tagma_status tell_column(tagma_ctx *ctx, const tagma_events *events, uint32_t column,
                                tagma_store_column *out)
{
    tg_taken taken;

    if (column >= tagma_schema_n_columns(events->schema))
        return TAGMA_E_RANGE;
    TG_TRY(tg_totals_column(ctx, tg_store_of(events), column, &taken));
    out->raw_bytes = taken.raw_bytes;
    out->tile_bytes = (double)taken.tile_bits / 8;
    out->hot_bytes = taken.chunk_bytes;
    spell_code(taken.kinds, out->code, sizeof out->code);
    return TAGMA_OK;
}

tagma_status tagma_store_get_column(tagma_ctx *ctx, const tagma_events *events, uint32_t column,
                                    tagma_store_column *out)
{
    tagma_store_column full = {.struct_bytes = sizeof full};
    tagma_status st = TAGMA_ABSENT;

    if (tg_events_are_store(events))
        st = tell_column(ctx, events, column, &full);
    tg_give(out, &full, sizeof full);
    return st;
}

static tagma_status tell_collection(tagma_ctx *ctx, const tg_store *store, uint32_t collection,
                                    tagma_store_column *out)
{
    tg_taken taken;
    uint32_t l = 0;

    while (l < store->fields.n_lists && store->fields.lists[l].collection != collection)
        l++;
    if (l == store->fields.n_lists)
        return TAGMA_E_RANGE;
    TG_TRY(tg_totals_lists(ctx, store, l, &taken));
    out->tile_bytes = (double)taken.tile_bits / 8;
    out->hot_bytes = taken.chunk_bytes;
    return TAGMA_OK;
}

tagma_status tagma_store_get_collection(tagma_ctx *ctx, const tagma_events *events, uint32_t collection,
                                        tagma_store_column *out)
{
    tagma_store_column full = {.struct_bytes = sizeof full, .code = "ends"};
    tagma_status st = TAGMA_ABSENT;

    if (tg_events_are_store(events))
        st = tell_collection(ctx, tg_store_of(events), collection, &full);
    tg_give(out, &full, sizeof full);
    return st;
}
