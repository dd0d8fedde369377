/* SPDX-License-Identifier: Apache-2.0
 * Batches: rows cut by cluster, columns from their chunks where that is less to read, from tiles else. */
#include "base/num.h"
#include "base/pool.h"
#include "store/block.h"
#include "store/chunk.h"

/* Events first to first + n - 1 of a cluster. */
typedef struct run {
    uint32_t first, n;
} run;

/* A batch on its way. */
typedef struct job {
    tg_store_reader *reader;
    tg_outs outs;
    uint32_t *column_chunk; /* [n_columns] number; TAGMA_NONE */
    uint32_t *lists_chunk;  /* [outs.n_lists] */
    uint8_t *from_tiles;    /* [n_columns] in the piece at hand */
    uint8_t *lists_done;    /* [outs.n_lists] their offsets come from a chunk */
    tg_block *block;
    /* The piece at hand. */
    uint32_t cluster;
    run *runs;
    uint64_t n_runs, runs_capacity;
    uint64_t first_row, n_rows;
} job;

static const uint32_t LISTS = (uint32_t)TG_CHUNK_LISTS;

static void job_free(tagma_ctx *ctx, job *it)
{
    if (it->block)
        tg_block_free(ctx, it->block);
    tg_free(ctx, it->block);
    tg_free(ctx, it->column_chunk);
    tg_free(ctx, it->from_tiles);
    tg_free(ctx, it->runs);
    tg_outs_free(ctx, &it->outs);
}

/* Which of the columns have chunks. Without a sound chunks section there is none: tiles have everything. */
static tagma_status find_chunks(tagma_ctx *ctx, job *it)
{
    const tg_fields *fields = it->outs.fields;
    tagma_status st = TAGMA_OK;
    uint32_t ignored;

    memset(it->column_chunk, 0xff, (it->outs.n_columns + (uint64_t)it->outs.n_lists) * sizeof(uint32_t));
    if (it->reader->store->header.n_chunks == 0)
        return TAGMA_OK;
    st = tg_chunk_find(ctx, it->reader, 0, &ignored);
    if (st == TAGMA_E_CORRUPT) {
        tg_store_fault(ctx, it->reader, st,
                       tg_header_section(&it->reader->store->header, TG_STORE_SECTION_CHUNKS)->offset, 0, 0);
        return TAGMA_OK;
    }
    for (uint32_t i = 0; st == TAGMA_OK && i < it->outs.n_columns; i++)
        st = tg_chunk_find(ctx, it->reader, it->outs.columns[i].column, &it->column_chunk[i]);
    for (uint32_t l = 0; st == TAGMA_OK && l < it->outs.n_lists; l++)
        st = tg_chunk_find(ctx, it->reader, it->outs.lists[l].lists | LISTS, &it->lists_chunk[l]);
    for (uint32_t i = 0; st == TAGMA_OK && i < it->outs.n_columns; i++)
        for (uint32_t l = it->outs.columns[i].lists; l != TAGMA_NONE; l = fields->lists[l].parent)
            if (it->lists_chunk[it->outs.of_lists[l]] == TAGMA_NONE)
                it->column_chunk[i] = TAGMA_NONE;
    return st;
}

static tagma_status job_new(tagma_ctx *ctx, tg_store_reader *reader, const uint32_t *columns,
                            uint32_t n_columns, uint64_t n_rows, job *out)
{
    uint64_t n;

    *out = (job){.reader = reader};
    TG_TRY(tg_outs_new(ctx, &reader->store->fields, columns, n_columns, n_rows, &out->outs));
    n = (uint64_t)n_columns + out->outs.n_lists;
    out->column_chunk = tg_alloc(ctx, n, sizeof *out->column_chunk);
    out->from_tiles = tg_alloc(ctx, n, 1);
    if (!out->column_chunk || !out->from_tiles)
        return TAGMA_E_MEMORY;
    out->lists_chunk = out->column_chunk + n_columns;
    out->lists_done = out->from_tiles + n_columns;
    return find_chunks(ctx, out);
}

/* Bytes of the tiles that the piece touches, on average. */
static uint64_t touched_bytes(const job *it)
{
    const tg_cluster *cluster = &it->reader->store->clusters[it->cluster];
    uint32_t k = tg_tile_events(it->reader->store->header.tile_events, cluster->n_events);
    uint64_t n_tiles = (cluster->n_events - 1) / (k == 0 ? 1 : k) + 1, touched = 0;

    for (uint64_t r = 0; r < it->n_runs && k > 0; r++)
        touched += (it->runs[r].first + it->runs[r].n - 1) / k - it->runs[r].first / k + 1;
    return cluster->tiles_bytes / n_tiles * touched;
}

/* Columns with chunks come from them where those are less than the tiles. */
static void choose_sources(job *it)
{
    uint64_t bytes = 0;
    bool pays;

    memset(it->lists_done, 0, it->outs.n_lists);
    for (uint32_t i = 0; i < it->outs.n_columns; i++) {
        if (it->column_chunk[i] != TAGMA_NONE)
            bytes += tg_chunk_bytes(it->reader, it->cluster, it->column_chunk[i]);
        for (uint32_t l = it->outs.columns[i].lists; it->column_chunk[i] != TAGMA_NONE && l != TAGMA_NONE;
             l = it->outs.fields->lists[l].parent) {
            uint32_t number = it->outs.of_lists[l];

            if (!it->lists_done[number])
                bytes += tg_chunk_bytes(it->reader, it->cluster, it->lists_chunk[number]);
            it->lists_done[number] = 1;
        }
    }
    pays = it->reader->from == TG_FROM_EITHER ? bytes > 0 && bytes <= touched_bytes(it)
                                              : it->reader->from == TG_FROM_CHUNKS;
    memset(it->lists_done, 0, it->outs.n_lists);
    for (uint32_t i = 0; i < it->outs.n_columns; i++)
        it->from_tiles[i] = !pays || it->column_chunk[i] == TAGMA_NONE;
}

/* A chunk that is damaged is told, and its column read from the tiles. */
static tagma_status pass_over(tagma_ctx *ctx, job *it, tagma_status st, bool *passed)
{
    *passed = st == TAGMA_E_CORRUPT;
    if (*passed)
        tg_store_fault(ctx, it->reader, st, it->reader->store->clusters[it->cluster].chunks_at, 0, 0);
    return *passed ? TAGMA_OK : st;
}

/* Offsets of lists in the whole cluster, from its chunk and those of its parents. *n is how many lists there are. */
static tagma_status load_lists(tagma_ctx *ctx, job *it, uint32_t l, uint64_t *n, const tg_chunk **out)
{
    const tg_lists *lists = &it->outs.fields->lists[l];
    const tg_chunk *parent;
    uint64_t n_parents = it->reader->store->clusters[it->cluster].n_events, n_outer;
    uint32_t number;

    if (lists->parent != TAGMA_NONE) {
        TG_TRY(load_lists(ctx, it, lists->parent, &n_outer, &parent));
        n_parents = parent->offsets[n_outer];
    }
    *n = n_parents * lists->per_parent;
    TG_TRY(tg_chunk_find(ctx, it->reader, l | LISTS, &number));
    if (number == TAGMA_NONE)
        return tg_fail(ctx, TAGMA_E_CORRUPT, "%s: no chunk of lists %" PRIu32,
                       tagma_source_name(it->reader->store->source), l);
    return tg_chunk_lists(ctx, it->reader, it->cluster, number, *n, out);
}

/* Items of events in lists l: their chunk is loaded. */
static void items_of(const job *it, uint32_t l, uint64_t *lo, uint64_t *hi)
{
    const tg_lists *lists = &it->outs.fields->lists[l];
    const tg_chunk *chunk;
    uint64_t n;

    if (lists->parent != TAGMA_NONE)
        items_of(it, lists->parent, lo, hi);
    chunk = tg_chunk_loaded(it->reader, it->lists_chunk[it->outs.of_lists[l]]);
    n = lists->per_parent;
    *lo = chunk->offsets[*lo * n];
    *hi = chunk->offsets[*hi * n];
}

static tagma_status append_lists(tagma_ctx *ctx, job *it, uint32_t number)
{
    tg_outlists *to = &it->outs.lists[number];
    const tg_lists *lists = &it->outs.fields->lists[to->lists];
    const tg_chunk *chunk = tg_chunk_loaded(it->reader, it->lists_chunk[number]);

    for (uint64_t r = 0; r < it->n_runs; r++) {
        uint64_t lo = it->runs[r].first, hi = lo + it->runs[r].n;
        uint32_t *offsets;

        if (lists->parent != TAGMA_NONE)
            items_of(it, lists->parent, &lo, &hi);
        lo *= lists->per_parent;
        hi *= lists->per_parent;
        TG_TRY(tg_outlists_reserve(ctx, to, hi - lo));
        if (to->total + (chunk->offsets[hi] - chunk->offsets[lo]) > INT32_MAX)
            return tg_fail(ctx, TAGMA_E_LIMIT, "over %d items in a column of a batch", INT32_MAX);
        offsets = to->offsets + to->n + 1;
        for (uint64_t i = lo; i < hi; i++)
            *offsets++ = (uint32_t)to->total + (chunk->offsets[i + 1] - chunk->offsets[lo]);
        to->n += hi - lo;
        to->total += chunk->offsets[hi] - chunk->offsets[lo];
    }
    return TAGMA_OK;
}

/* Load the chunks of lists that columns from chunks need; columns whose lists are damaged go to the tiles. */
static tagma_status take_lists(tagma_ctx *ctx, job *it)
{
    for (uint32_t i = 0; i < it->outs.n_columns; i++) {
        const tg_chunk *chunk;
        uint64_t n;
        bool passed = false;

        if (it->from_tiles[i] || it->outs.columns[i].lists == TAGMA_NONE)
            continue;
        TG_TRY(pass_over(ctx, it, load_lists(ctx, it, it->outs.columns[i].lists, &n, &chunk), &passed));
        it->from_tiles[i] = passed;
    }
    for (uint32_t i = 0; i < it->outs.n_columns; i++)
        for (uint32_t l = it->outs.columns[i].lists; !it->from_tiles[i] && l != TAGMA_NONE;
             l = it->outs.fields->lists[l].parent)
            it->lists_done[it->outs.of_lists[l]] = 1;
    for (uint32_t l = 0; l < it->outs.n_lists; l++)
        if (it->lists_done[l])
            TG_TRY(append_lists(ctx, it, l));
    return TAGMA_OK;
}

/* How many items its lists have in each event: from the chunk of the lists. */
static tagma_status take_count(tagma_ctx *ctx, job *it, uint32_t i)
{
    tg_outcol *column = &it->outs.columns[i];
    const tg_chunk *chunk;
    uint64_t n;

    TG_TRY(load_lists(ctx, it, it->outs.fields->column_count[column->column], &n, &chunk));
    TG_TRY(tg_outcol_reserve(ctx, column, it->n_rows));
    for (uint64_t r = 0; r < it->n_runs; r++)
        tg_outcol_counts(column, chunk->offsets + it->runs[r].first, it->runs[r].n);
    return TAGMA_OK;
}

static tagma_status mark_nulls(tagma_ctx *ctx, job *it, tg_outcol *column, const uint8_t *validity)
{
    uint64_t row = it->first_row;

    TG_TRY(tg_outcol_mark(ctx, &column->valid, it->outs.n_rows, true));
    for (uint64_t r = 0; r < it->n_runs; r++)
        for (uint64_t k = it->runs[r].first; k < (uint64_t)it->runs[r].first + it->runs[r].n; k++, row++)
            if (!(validity[k / 8] >> (k % 8) & 1))
                column->valid[row / 8] &= (uint8_t) ~(1U << (row % 8));
    return TAGMA_OK;
}

static tagma_status take_chunk(tagma_ctx *ctx, job *it, uint32_t i)
{
    tg_outcol *column = &it->outs.columns[i];
    uint64_t n = it->reader->store->clusters[it->cluster].n_events, wanted = 0;
    const tg_chunk *chunk;

    if (column->lists != TAGMA_NONE) {
        TG_TRY(load_lists(ctx, it, column->lists, &n, &chunk));
        n = tg_chunk_loaded(it->reader, it->lists_chunk[it->outs.of_lists[column->lists]])->offsets[n];
    }
    TG_TRY(tg_chunk_load(ctx, it->reader, it->cluster, it->column_chunk[i], n * column->n_words, &chunk));
    if (chunk->validity)
        TG_TRY(mark_nulls(ctx, it, column, chunk->validity));
    if (chunk->slot.kind == TG_CODE_COUNT)
        return take_count(ctx, it, i);
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t r = 0; r < it->n_runs; r++) {
            uint64_t lo = it->runs[r].first, hi = lo + it->runs[r].n;

            if (column->lists != TAGMA_NONE)
                items_of(it, column->lists, &lo, &hi);
            wanted += pass == 0 ? (hi - lo) * column->n_words : 0;
            if (pass == 1)
                tg_outcol_decode(column, &chunk->heads, &chunk->slot, chunk->words,
                                 lo * column->n_words * chunk->slot.w, (hi - lo) * column->n_words);
        }
        if (pass == 0)
            TG_TRY(tg_outcol_reserve(ctx, column, wanted));
    }
    return TAGMA_OK;
}

static tagma_status read_chunks(tagma_ctx *ctx, job *it)
{
    TG_TRY(take_lists(ctx, it));
    for (uint32_t i = 0; i < it->outs.n_columns; i++) {
        bool passed = false;

        if (it->from_tiles[i])
            continue;
        TG_TRY(pass_over(ctx, it, take_chunk(ctx, it, i), &passed));
        it->from_tiles[i] = passed;
    }
    return TAGMA_OK;
}

/* Task i: a column out of the block. */
static tagma_status decode_column(tagma_ctx *ctx, void *user, uint32_t worker, uint64_t task)
{
    const job *it = user;

    (void)worker;
    return it->from_tiles[task] ? tg_block_column(ctx, it->block, (uint32_t)task) : TAGMA_OK;
}

static tagma_status decode_block(tagma_ctx *ctx, job *it)
{
    enum { WORTH_THREADS = 8192 }; /* words or so */
    tg_block *block = it->block;
    bool is_big = (uint64_t)block->n_spans * it->outs.n_columns >= WORTH_THREADS;
    uint64_t n_rows = 0;

    if (block->n_spans == 0)
        return TAGMA_OK;
    TG_TRY(tg_block_fetch(ctx, block));
    for (uint32_t l = 0; l < it->outs.n_lists; l++)
        if (block->needs_lists[l] && !it->lists_done[l])
            TG_TRY(tg_block_offsets(ctx, block, l));
    if (is_big && it->reader->reader.pool)
        TG_TRY(tg_pool_run(ctx, it->reader->reader.pool, it->outs.n_columns, decode_column, it, NULL, NULL));
    else
        for (uint32_t i = 0; i < it->outs.n_columns; i++)
            TG_TRY(decode_column(ctx, it, 0, i));
    for (uint32_t s = 0; s < block->n_spans; s++)
        n_rows += block->spans[s].k1 - block->spans[s].k0;
    block->first_row += n_rows;
    block->n_spans = 0;
    return TAGMA_OK;
}

/* Offsets that a chunk told, and items that tiles had, must agree. */
static tagma_status check_agreement(tagma_ctx *ctx, const job *it)
{
    for (uint32_t i = 0; i < it->outs.n_columns; i++) {
        const tg_outcol *column = &it->outs.columns[i];

        if (column->lists != TAGMA_NONE &&
            column->n != it->outs.lists[it->outs.of_lists[column->lists]].total * column->n_words)
            return tg_fail(ctx, TAGMA_E_CORRUPT,
                           "%s: cluster of entry %" PRIu64
                           ": the chunks of lists and the tiles disagree for branch %s",
                           tagma_source_name(it->reader->store->source),
                           it->reader->store->clusters[it->cluster].first_entry,
                           tagma_schema_column(it->outs.fields->schema, column->column)->name);
    }
    return TAGMA_OK;
}

/* Lists that only tiles tell: without items, in all rows of the piece. Parents come first. */
static tagma_status empty_lists(tagma_ctx *ctx, job *it)
{
    for (uint32_t l = 0; l < it->outs.n_lists; l++) {
        tg_outlists *lists = &it->outs.lists[l];
        uint64_t n;

        if (it->lists_done[l])
            continue;
        n = tg_outs_lists(&it->outs, lists->lists, it->first_row, it->n_rows);
        TG_TRY(tg_outlists_reserve(ctx, lists, n));
        for (uint64_t k = 0; k < n; k++)
            lists->offsets[++lists->n] = (uint32_t)lists->total;
    }
    return TAGMA_OK;
}

/* All rows of the piece are damaged, for columns that were to come from tiles. */
static tagma_status damage_piece(tagma_ctx *ctx, job *it)
{
    TG_TRY(empty_lists(ctx, it));
    for (uint32_t i = 0; i < it->outs.n_columns; i++) {
        tg_outcol *column = &it->outs.columns[i];
        uint64_t n = it->n_rows;

        if (!it->from_tiles[i])
            continue;
        if (column->lists != TAGMA_NONE)
            n = tg_outs_items(&it->outs, column->lists, it->first_row, it->n_rows);
        TG_TRY(tg_outcol_reserve(ctx, column, n * column->n_words));
        tg_outcol_fill(column, 0, n * column->n_words);
        TG_TRY(tg_outcol_mark(ctx, &column->valid, it->outs.n_rows, true));
        TG_TRY(tg_outcol_mark(ctx, &column->damaged, it->outs.n_rows, false));
        for (uint64_t row = it->first_row; row < it->first_row + it->n_rows; row++) {
            column->valid[row / 8] &= (uint8_t) ~(1U << (row % 8));
            column->damaged[row / 8] |= (uint8_t)(1U << (row % 8));
        }
    }
    return TAGMA_OK;
}

static bool is_any(const uint8_t *flags, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (flags[i])
            return true;
    return false;
}

static tagma_status read_tiles(tagma_ctx *ctx, job *it)
{
    const tg_cluster *cluster = &it->reader->store->clusters[it->cluster];
    uint64_t bytes = 0;
    tg_kept *kept;
    tagma_status st = tg_reader_table(ctx, it->reader, it->cluster, &kept);

    if (st == TAGMA_E_CORRUPT) {
        tg_store_fault(ctx, it->reader, st, cluster->table_at, cluster->first_entry, cluster->n_events);
        return damage_piece(ctx, it);
    }
    TG_TRY(st);
    if (!it->block) {
        it->block = tg_zalloc(ctx, 1, sizeof *it->block);
        if (!it->block)
            return TAGMA_E_MEMORY;
        it->block->reader = it->reader;
        it->block->outs = &it->outs;
        it->block->is_wanted = it->from_tiles;
        it->block->lists_done = it->lists_done;
    }
    it->block->verifies =
        it->reader->verifies || !it->reader->is_mapped || it->outs.n_columns == it->outs.fields->n_columns;
    it->block->first_row = it->first_row;
    it->block->n_spans = 0;
    TG_TRY(tg_block_begin(ctx, it->block, &kept->table));
    for (uint64_t r = 0; r < it->n_runs; r++) {
        uint32_t k = kept->table.tile_events, end = it->runs[r].first + it->runs[r].n;

        for (uint32_t at = it->runs[r].first; at < end;) {
            uint32_t tile = at / k, until = end - tile * k < k ? end - tile * k : k;
            uint64_t average = cluster->tiles_bytes / kept->table.n_tiles;

            it->block->spans[it->block->n_spans++] =
                (tg_tile_span){{NULL, 0, tile}, at - tile * k, until, false};
            at = tile * k + until;
            bytes += average;
            if (it->block->n_spans == TG_BLOCK_SPANS || (bytes >= TG_BLOCK_BYTES && it->block->verifies)) {
                TG_TRY(decode_block(ctx, it));
                bytes = 0;
            }
        }
    }
    TG_TRY(decode_block(ctx, it));
    return check_agreement(ctx, it);
}

static tagma_status read_piece(tagma_ctx *ctx, job *it)
{
    choose_sources(it);
    TG_TRY(read_chunks(ctx, it));
    if (is_any(it->from_tiles, it->outs.n_columns))
        TG_TRY(read_tiles(ctx, it));
    it->first_row += it->n_rows;
    return TAGMA_OK;
}

static tagma_status add_run(tagma_ctx *ctx, job *it, uint32_t first, uint32_t n)
{
    void *block = it->runs;
    tagma_status st;

    if (it->n_runs > 0 && it->runs[it->n_runs - 1].first + it->runs[it->n_runs - 1].n == first) {
        it->runs[it->n_runs - 1].n += n;
        return TAGMA_OK;
    }
    st = tg_reserve(ctx, &block, &it->runs_capacity, it->n_runs + 1, sizeof *it->runs);
    it->runs = block;
    TG_TRY(st);
    it->runs[it->n_runs++] = (run){first, n};
    return TAGMA_OK;
}

/* The piece that begins at row `at`: rows of one cluster. */
static tagma_status next_piece(tagma_ctx *ctx, job *it, const tg_rows *rows, uint64_t at)
{
    const tg_store *store = it->reader->store;
    uint64_t entry = rows->entries ? rows->entries[at] : rows->first + at, end;
    const tg_cluster *cluster;

    it->reader->last = it->cluster = tg_store_cluster_of(store, it->reader->last, entry);
    cluster = &store->clusters[it->cluster];
    end = cluster->first_entry + cluster->n_events;
    it->n_runs = it->n_rows = 0;
    if (!rows->entries) {
        it->n_rows = end - entry < rows->n - at ? end - entry : rows->n - at;
        return add_run(ctx, it, (uint32_t)(entry - cluster->first_entry), (uint32_t)it->n_rows);
    }
    for (; at < rows->n && rows->entries[at] < end; at++, it->n_rows++)
        TG_TRY(add_run(ctx, it, (uint32_t)(rows->entries[at] - cluster->first_entry), 1));
    return TAGMA_OK;
}

tagma_status tg_store_read(tagma_ctx *ctx, tagma_reader *reader, const tg_rows *rows, const uint32_t *columns,
                           uint32_t n_columns, tagma_batch **out)
{
    job it;
    tagma_status st = job_new(ctx, (tg_store_reader *)reader, columns, n_columns, rows->n, &it);

    *out = NULL;
    for (uint64_t at = 0; st == TAGMA_OK && n_columns > 0 && at < rows->n; at += it.n_rows) {
        st = next_piece(ctx, &it, rows, at);
        if (st == TAGMA_OK)
            st = tg_progress(ctx, "read", "events", at, rows->n);
        if (st == TAGMA_OK)
            st = read_piece(ctx, &it);
    }
    if (st == TAGMA_OK)
        st = tg_outs_finish(ctx, &it.outs, out);
    job_free(ctx, &it);
    return st;
}
