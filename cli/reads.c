/* SPDX-License-Identifier: Apache-2.0
 * Reading many entries in windows that fit the memory allowed. */
#include "cli/reads.h"

#include <stdlib.h>

#include "cli/say.h"

static uint64_t entry_at(const cli_reads *reads, uint64_t i)
{
    return reads->entries != NULL ? reads->entries[i] : reads->first + i;
}

/* Unpacked bytes of an average entry, for a first guess. */
static uint64_t entry_bytes(const cli_reads *reads, const tagma_events *events)
{
    uint64_t n = tagma_events_n_entries(events);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < reads->n_columns; i++) {
        tagma_storage storage = {.struct_bytes = sizeof storage};
        if (tagma_events_storage(events, reads->columns[i], &storage) == TAGMA_OK &&
            __builtin_add_overflow(sum, storage.bytes, &sum))
            return UINT64_MAX;
    }
    return n > 0 ? sum / n + 1 : 1;
}

/* First entry of the cluster that holds an entry. */
static uint64_t cluster_begin(const tagma_events *events, uint64_t n_clusters, uint64_t entry)
{
    uint64_t low = 0;
    uint64_t high = n_clusters;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (tagma_events_cluster(events, middle) <= entry)
            low = middle;
        else
            high = middle;
    }
    return n_clusters > 0 ? tagma_events_cluster(events, low) : 0;
}

/* The first of the entries asked for, from `begin` on, that is at or past `entry`. */
static uint64_t lower_bound(const cli_reads *reads, uint64_t begin, uint64_t end, uint64_t entry)
{
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (entry_at(reads, middle) < entry)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static uint64_t window_end(const cli_reads *reads, const tagma_events *events, uint64_t n_clusters,
                           uint64_t begin, uint64_t window)
{
    uint64_t end;

    if (reads->n - begin <= window)
        return reads->n;
    end = lower_bound(reads, begin, begin + window,
                      cluster_begin(events, n_clusters, entry_at(reads, begin + window)));
    return end > begin ? end : begin + window;
}

static tagma_status read_window(const cli_reads *reads, uint64_t begin, uint64_t n, tagma_batch **batch)
{
    tagma_ctx *ctx = reads->session->ctx;

    if (reads->entries == NULL)
        return tagma_read_columns(ctx, reads->reader, reads->first + begin, n, reads->columns,
                                  reads->n_columns, batch);
    return tagma_read_rows(ctx, reads->reader, reads->entries + begin, (size_t)n, reads->columns,
                           reads->n_columns, batch);
}

tagma_status cli_read(const cli_reads *reads)
{
    const tagma_events *events = tagma_reader_events(reads->reader);
    tagma_events_info info = {.struct_bytes = sizeof info};
    uint64_t window = reads->window_bytes / entry_bytes(reads, events) + 1;
    uint64_t begin = 0;

    tagma_events_get_info(events, &info);
    while (begin < reads->n) {
        uint64_t end = window_end(reads, events, info.n_clusters, begin, window);
        tagma_batch *batch = NULL;
        tagma_status st;
        int ended;

        cli_enter(reads->session, CLI_PHASE_READ);
        st = read_window(reads, begin, end - begin, &batch);
        if ((st == TAGMA_E_MEMORY || st == TAGMA_E_LIMIT) && end - begin > 1) {
            window = (end - begin) / 2;
            continue;
        }
        if (st < 0)
            return st;
        cli_enter(reads->session, CLI_PHASE_WRITE);
        ended = reads->batch(reads->user, batch, begin);
        tagma_batch_free(batch);
        if (ended != 0)
            return TAGMA_END;
        begin = end;
    }
    return TAGMA_OK;
}

int cli_select(cli_session *session, const tagma_events *events, cli_selection *out)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t capacity = tagma_schema_n_columns(schema);
    size_t picked = 0;

    memset(out, 0, sizeof *out);
    out->columns = calloc((size_t)capacity + TAGMA_MAX_ID_AXES, sizeof *out->columns);
    if (out->columns == NULL)
        return cli_raise(session, cli_no_memory());
    if (session->opts->columns != NULL) {
        if (tagma_schema_select(session->ctx, schema, session->opts->columns, out->columns, capacity,
                                &picked) < 0)
            return cli_failed(session);
        out->n = (uint32_t)picked;
    } else {
        for (uint32_t i = 0; i < capacity; i++) {
            if (tagma_schema_column(schema, i)->reason == NULL)
                out->columns[out->n++] = i;
        }
        out->n_left_out = capacity - out->n;
    }
    out->n_read = out->n;
    return 0;
}

int cli_select_ids(cli_session *session, const tagma_events *events, cli_selection *s)
{
    tagma_ids ids;
    tagma_status st;

    if (s->columns == NULL)
        s->columns = calloc(TAGMA_MAX_ID_AXES, sizeof *s->columns);
    if (s->columns == NULL)
        return cli_raise(session, cli_no_memory());
    st = tagma_events_ids(session->ctx, events, &ids);
    if (st < 0)
        return cli_failed(session);
    for (uint32_t a = 0; st == TAGMA_OK && a < ids.n_axes; a++) {
        uint32_t at = 0;
        while (at < s->n_read && s->columns[at] != ids.columns[a])
            at++;
        s->columns[at] = ids.columns[a];
        s->n_read += at == s->n_read;
        s->ids[s->n_axes++] = at;
    }
    return 0;
}

void cli_selection_free(cli_selection *selection)
{
    free(selection->columns);
    memset(selection, 0, sizeof *selection);
}

void cli_selection_cells(const cli_selection *s, const tagma_events *events, const tagma_batch *batch,
                         cli_cell *cells)
{
    for (uint32_t a = 0; a < s->n_axes; a++) {
        cells[a].values = tagma_batch_column_at(batch, s->ids[a]);
        cells[a].column = tagma_schema_column(tagma_events_schema(events), cells[a].values->column);
    }
}

void cli_tell_left_out(uint64_t n_left_out)
{
    char number[CLI_NUMBER_BYTES];

    if (n_left_out > 0)
        cli_word("%s unsupported column%s left out; tagma ls -l tells why", cli_grouped(n_left_out, number),
                 n_left_out == 1 ? " is" : "s are");
}
