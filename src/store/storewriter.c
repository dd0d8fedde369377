/* SPDX-License-Identifier: Apache-2.0
 * Writes a store: cuts what comes into clusters, then sections and head. */
#include "store/storewriter.h"

#include "source/source.h"
#include "store/cluster.h"
#include "store/sections.h"

/* A batch that is not wholly written. */
typedef struct waiting {
    tagma_batch *batch;
    uint64_t used; /* entries of it that are written */
} waiting;

struct tg_store_writer {
    tg_fields fields;
    tg_cluster_writer clusters;
    tg_sections sections;
    waiting *waiting;
    uint64_t n_waiting, waiting_capacity;
    uint64_t *sizes; /* [TG_CLUSTER_EVENTS] of the first events that wait */
    uint64_t n_sized, n_events_waiting;
    tg_buf directory, chunk_starts;
    tg_origins origins;
    uint64_t raw_bytes;
    tg_blocks_options blocks;
    bool damaged_is_null, has_failed;
};

static tagma_status check_options(tagma_ctx *ctx, const tg_store_options *options)
{
    if (options->tile_events > TG_TILE_EVENTS_MAX || (options->tile_events & (options->tile_events - 1)))
        return tg_fail(ctx, TAGMA_E_ARG, "tiles of %u events: a power of 2 from 1 to %d is possible",
                       options->tile_events, TG_TILE_EVENTS_MAX);
    TG_TRY(tg_blocks_check_options(ctx, &options->blocks));
    if (options->layout == TG_LAYOUT_TILES)
        return TAGMA_OK;
    if (options->layout != TG_LAYOUT_COLLECTION)
        return tg_fail(ctx, TAGMA_E_ARG, "layout %u is not written in tiles", options->layout);
    if (options->tile_events > 1)
        return tg_fail(ctx, TAGMA_E_ARG, "layout collection has one event a tile, not %u",
                       options->tile_events);
    if (options->columns && strcmp(options->columns, "none") != 0)
        return tg_fail(ctx, TAGMA_E_ARG, "layout collection has no columns by themselves");
    return TAGMA_OK;
}

tagma_status tg_store_writer_new(tagma_ctx *ctx, const char *path, const tagma_schema *schema,
                                 const tg_provenance *provenance, const tg_store_options *options,
                                 tg_store_writer **out)
{
    tg_store_writer *writer;
    tagma_status st;

    *out = NULL;
    TG_TRY(check_options(ctx, options));
    writer = tg_zalloc(ctx, 1, sizeof *writer);
    if (!writer)
        return TAGMA_E_MEMORY;
    tg_sections_init(&writer->sections, schema, provenance);
    writer->damaged_is_null = options->damaged_is_null;
    writer->clusters.fields = &writer->fields;
    writer->clusters.file = &writer->sections.file;
    writer->clusters.pool = options->pool;
    writer->clusters.tile_events = options->tile_events;
    writer->clusters.is_plain_only = options->is_plain_only;
    writer->sections.header.layout = options->layout;
    writer->blocks = options->blocks;
    writer->blocks.pool = options->pool;
    if (options->layout == TG_LAYOUT_COLLECTION) {
        writer->clusters.is_raw = true;
        writer->clusters.tile_events = 1;
    }
    /* What cannot be stored is refused before anything is written. */
    st = tg_sections_check_schema(ctx, &writer->sections);
    if (st == TAGMA_OK)
        st = tg_fields_new(ctx, schema, &writer->fields);
    if (st == TAGMA_OK)
        st = tg_hot_choose(ctx, &writer->fields, writer->clusters.is_raw ? "none" : options->columns,
                           &writer->clusters.hot);
    if (st == TAGMA_OK)
        st = tg_cluster_writer_new(ctx, &writer->clusters);
    if (st == TAGMA_OK) {
        writer->sizes = tg_alloc(ctx, TG_CLUSTER_EVENTS, sizeof *writer->sizes);
        st = writer->sizes ? tg_sections_open(ctx, &writer->sections, path, options->is_passing)
                           : TAGMA_E_MEMORY;
    }
    if (st < 0) {
        tg_store_writer_free(ctx, writer);
        return st;
    }
    *out = writer;
    return TAGMA_OK;
}

void tg_store_writer_free(tagma_ctx *ctx, tg_store_writer *writer)
{
    if (!writer)
        return;
    for (uint64_t i = 0; i < writer->n_waiting; i++)
        tagma_batch_free(writer->waiting[i].batch);
    tg_free(ctx, writer->waiting);
    tg_free(ctx, writer->sizes);
    tg_buf_free(ctx, &writer->directory);
    tg_buf_free(ctx, &writer->chunk_starts);
    tg_origins_free(ctx, &writer->origins);
    tg_cluster_writer_free(ctx, &writer->clusters);
    tg_fields_free(ctx, &writer->fields);
    tg_sections_free(ctx, &writer->sections);
    tg_free(ctx, writer);
}

/* Raw sizes of the events that wait, as many as a cluster can have. */
static void measure(tg_store_writer *writer)
{
    uint64_t before = 0;

    for (uint64_t i = 0; i < writer->n_waiting && writer->n_sized < TG_CLUSTER_EVENTS; i++) {
        const waiting *it = &writer->waiting[i];
        uint64_t n = tagma_batch_n_entries(it->batch) - it->used, skip = 0;

        if (before + n > writer->n_sized) {
            skip = writer->n_sized > before ? writer->n_sized - before : 0;
            if (n - skip > TG_CLUSTER_EVENTS - writer->n_sized)
                n = skip + TG_CLUSTER_EVENTS - writer->n_sized;
            tg_gather_sizes(&writer->fields, it->batch, it->used + skip, n - skip,
                            writer->sizes + writer->n_sized);
            writer->n_sized += n - skip;
        }
        before += n;
    }
}

/* So many events that a tile has a few KiB of values: less is mostly checksums and starts, more is read for one event. By the
 * events of the first cluster. */
static uint32_t choose_tile_events(uint64_t n_events, uint64_t bytes)
{
    uint32_t k = TG_TILE_EVENTS;

    while (k < TG_TILE_EVENTS_AUTO && n_events > 0 && bytes / n_events * k < TG_TILE_BYTES_AUTO)
        k *= 2;
    return k;
}

/* Events of the next cluster, 0 if more must come first. Where it ends depends on the events alone. */
static uint64_t next_cluster(tg_store_writer *writer, bool is_last)
{
    uint64_t n = 0, bytes = 0, unit;

    measure(writer);
    while (n < writer->n_sized && (n == 0 || bytes + writer->sizes[n] <= TG_CLUSTER_BYTES))
        bytes += writer->sizes[n++];
    if (n == writer->n_events_waiting && n < TG_CLUSTER_EVENTS && !is_last)
        return 0;
    if (writer->clusters.tile_events == 0)
        writer->clusters.tile_events = choose_tile_events(n, bytes);
    unit = writer->clusters.tile_events > TG_TILE_PAD ? writer->clusters.tile_events : TG_TILE_PAD;
    if (n == writer->n_events_waiting && n < TG_CLUSTER_EVENTS)
        return n;
    /* Whole tiles, so that none is padded. */
    if (n >= unit)
        return n / unit * unit;
    return n >= TG_TILE_PAD ? n / TG_TILE_PAD * TG_TILE_PAD : n;
}

/* The first n events that wait, as segments. */
static uint32_t take_segments(const tg_store_writer *writer, uint64_t n, tg_segment *segments)
{
    uint32_t n_segments = 0;

    for (uint64_t i = 0; n > 0; i++) {
        const waiting *it = &writer->waiting[i];
        uint64_t here = tagma_batch_n_entries(it->batch) - it->used;

        here = here < n ? here : n;
        segments[n_segments++] = (tg_segment){it->batch, it->used, here};
        n -= here;
    }
    return n_segments;
}

static void drop_events(tg_store_writer *writer, uint64_t n)
{
    uint64_t gone = 0;

    writer->n_sized -= n;
    writer->n_events_waiting -= n;
    memmove(writer->sizes, writer->sizes + n, writer->n_sized * sizeof *writer->sizes);
    for (uint64_t i = 0; n > 0; i++) {
        uint64_t here = tagma_batch_n_entries(writer->waiting[i].batch) - writer->waiting[i].used;

        here = here < n ? here : n;
        writer->waiting[i].used += here;
        n -= here;
        if (writer->waiting[i].used == tagma_batch_n_entries(writer->waiting[i].batch)) {
            tagma_batch_free(writer->waiting[i].batch);
            gone++;
        }
    }
    writer->n_waiting -= gone;
    memmove(writer->waiting, writer->waiting + gone, writer->n_waiting * sizeof *writer->waiting);
}

static tagma_status write_cluster(tagma_ctx *ctx, tg_store_writer *writer, uint64_t n)
{
    tg_staged staged = {
        .fields = &writer->fields, .first_entry = writer->sections.header.n_events, .n_events = n};
    tg_segment *segments = tg_alloc(ctx, writer->n_waiting, sizeof *segments);
    uint8_t bytes[TG_DIRECTORY_BYTES];
    tg_cluster cluster;
    tagma_status st = TAGMA_E_MEMORY;

    if (segments) {
        staged.segments = segments;
        staged.n_segments = take_segments(writer, n, segments);
        st = tg_cluster_write(ctx, &writer->clusters, &staged, writer->sections.at, &cluster,
                              &writer->chunk_starts, &writer->sections.at);
    }
    if (st == TAGMA_OK) {
        tg_directory_put(&cluster, bytes);
        st = tg_buf_put(ctx, &writer->directory, bytes, sizeof bytes);
    }
    tg_free(ctx, segments);
    TG_TRY(st);
    for (uint64_t i = 0; i < n; i++)
        writer->raw_bytes += writer->sizes[i];
    writer->sections.header.n_events += n;
    writer->sections.header.n_clusters++;
    drop_events(writer, n);
    return TAGMA_OK;
}

static tagma_status write_clusters(tagma_ctx *ctx, tg_store_writer *writer, bool is_last)
{
    for (uint64_t n = next_cluster(writer, is_last); n > 0; n = next_cluster(writer, is_last))
        TG_TRY(write_cluster(ctx, writer, n));
    return TAGMA_OK;
}

static tagma_status add_origins(tagma_ctx *ctx, tg_store_writer *writer, uint64_t n, uint64_t first,
                                const uint64_t *origins)
{
    if (!origins)
        return tg_origins_add(ctx, &writer->origins, first, n);
    for (uint64_t i = 0; i < n; i++)
        TG_TRY(tg_origins_add(ctx, &writer->origins, origins[i], 1));
    return TAGMA_OK;
}

tagma_status tg_store_writer_append(tagma_ctx *ctx, tg_store_writer *writer, tagma_batch *batch,
                                    uint64_t first_origin, const uint64_t *origins)
{
    uint64_t n = tagma_batch_n_entries(batch);
    void *block = writer->waiting;
    tagma_status st = tg_sections_check_batch(ctx, writer->sections.schema, batch, writer->damaged_is_null);

    if (st == TAGMA_OK)
        st = tg_reserve(ctx, &block, &writer->waiting_capacity, writer->n_waiting + 1,
                        sizeof *writer->waiting);
    writer->waiting = block;
    if (st == TAGMA_OK)
        st = add_origins(ctx, writer, n, first_origin, origins);
    if (st < 0 || n == 0) {
        writer->has_failed |= st < 0;
        tagma_batch_free(batch);
        return st;
    }
    writer->waiting[writer->n_waiting++] = (waiting){batch, 0};
    writer->n_events_waiting += n;
    st = write_clusters(ctx, writer, false);
    writer->has_failed |= st < 0;
    return st;
}

/* Which columns have chunks, then where those of each cluster begin. */
static tagma_status put_chunks(tagma_ctx *ctx, tg_store_writer *writer)
{
    tg_buf buf = TG_BUF_INIT;
    tagma_status st = TAGMA_OK;
    uint8_t word[4];

    for (uint32_t i = 0; st == TAGMA_OK && i < writer->clusters.n_chunks; i++) {
        tg_put_le32(word, writer->clusters.chunks[i]);
        st = tg_buf_put(ctx, &buf, word, sizeof word);
    }
    if (st == TAGMA_OK)
        st = tg_buf_put(ctx, &buf, writer->chunk_starts.bytes, writer->chunk_starts.n);
    if (st == TAGMA_OK)
        st = tg_sections_put(ctx, &writer->sections, TG_STORE_SECTION_CHUNKS, 0, buf.bytes, buf.n);
    tg_buf_free(ctx, &buf);
    return st;
}

/* Columns that are coded as texts a reader must know: an empty section says so. */
static tagma_status put_texts(tagma_ctx *ctx, tg_store_writer *writer)
{
    const uint64_t *kinds = writer->clusters.totals.kinds;
    uint64_t any = 0;

    for (uint32_t c = 0; c < writer->fields.n_columns; c++)
        any |= kinds[c];
    if (!(any >> TG_CODE_TEXTS & 1))
        return TAGMA_OK;
    return tg_sections_put(ctx, &writer->sections, TG_STORE_SECTION_TEXTS, TG_STORE_SECTION_REQUIRED, "", 0);
}

static tagma_status put_sections(tagma_ctx *ctx, tg_store_writer *writer, const tagma_index *index)
{
    uint64_t n_totals = 3 * ((uint64_t)writer->fields.n_columns + writer->fields.n_lists);
    tg_sections *sections = &writer->sections;

    TG_TRY(tg_sections_put_index(ctx, sections, index));
    if (writer->clusters.n_chunks > 0)
        TG_TRY(put_chunks(ctx, writer));
    TG_TRY(tg_sections_put_origins(ctx, sections, &writer->origins));
    /* The arrays of the totals stand one behind the other. */
    TG_TRY(tg_sections_put_common(ctx, sections, writer->clusters.totals.tile_bits, n_totals));
    TG_TRY(tg_sections_put(ctx, sections, TG_STORE_SECTION_CLUSTERS, 0, writer->directory.bytes,
                           writer->directory.n));
    TG_TRY(put_texts(ctx, writer));
    sections->header.tile_events = writer->clusters.tile_events;
    sections->header.n_chunks = writer->clusters.n_chunks;
    return tg_sections_put_head(ctx, sections);
}

/* All that is still to be written. */
static tagma_status finish(tagma_ctx *ctx, tg_store_writer *writer, const tagma_index *index)
{
    if (writer->has_failed)
        return tg_fail(ctx, TAGMA_E_ARG, "a store that failed cannot be finished");
    TG_TRY(write_clusters(ctx, writer, true));
    return put_sections(ctx, writer, index);
}

tagma_status tg_store_writer_flush(tagma_ctx *ctx, tg_store_writer *writer)
{
    tagma_status st = write_clusters(ctx, writer, true);

    writer->has_failed |= st < 0;
    return st;
}

tagma_status tg_store_writer_finish(tagma_ctx *ctx, tg_store_writer *writer, const tagma_index *index,
                                    tg_store_summary *summary)
{
    uint64_t file_bytes;
    tagma_status st;

    TG_TRY(finish(ctx, writer, index));
    if (summary) {
        const tg_section *section = tg_header_section(&writer->sections.header, TG_STORE_SECTION_INDEX);

        *summary = (tg_store_summary){.n_events = writer->sections.header.n_events,
                                      .n_clusters = writer->sections.header.n_clusters,
                                      .raw_bytes = writer->raw_bytes,
                                      .file_bytes = writer->sections.header.file_bytes,
                                      .tile_bytes = writer->clusters.tile_bytes,
                                      .chunk_bytes = writer->clusters.chunk_bytes,
                                      .table_bytes = writer->clusters.table_bytes,
                                      .index_bytes = section ? section->bytes : 0,
                                      .n_hot = writer->clusters.hot.n_hot};
    }
    st = tg_sections_commit(ctx, &writer->sections, &writer->blocks, &file_bytes);
    if (summary)
        summary->file_bytes = file_bytes;
    return st;
}

tagma_status tg_store_writer_hand_over(tagma_ctx *ctx, tg_store_writer *writer, tagma_source **out)
{
    *out = NULL;
    TG_TRY(finish(ctx, writer, NULL));
    return tg_file_adopt(ctx, tg_aside_take(ctx, &writer->sections.file), "what is sorted", out);
}
