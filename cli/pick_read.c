/* SPDX-License-Identifier: Apache-2.0
 * Read the rows file by file, and deliver them in the order asked for. */
#include <stdlib.h>

#include "cli/pick.h"
#include "cli/say.h"

static bool is_id_known(const cli_picking *p, const cli_row *row)
{
    return cli_id_is_whole(&p->find.ids[row->id], p->find.axes.n);
}

/* The rows of a file that are delivered, and whether their ids have to be read. */
static void choose_rows(cli_picking *p, uint32_t f, size_t *row)
{
    p->n_file_rows = 0;
    p->reads_ids = false;
    for (; *row < p->n_rows && p->rows[*row].file == f; (*row)++) {
        if (p->rows[*row].n_times == 0)
            continue;
        p->file_rows[p->n_file_rows++] = (uint32_t)*row;
        if (p->find.axes.n > 0 && !is_id_known(p, &p->rows[*row]))
            p->reads_ids = true;
    }
    if (p->writer.format == CLI_ENTRIES)
        p->reads_ids = false;
}

/* @return 0, or 2 with words. */
static int select_columns(cli_picking *p)
{
    const tagma_schema *schema = tagma_events_schema(p->events);
    cli_selection *s = &p->selection;
    bool is_first = !p->writer.is_begun;
    uint32_t fitting;

    if (cli_writer_wants_columns(&p->writer)) {
        if (cli_select(p->session, p->events, s) != 0)
            return 2;
        if (is_first)
            cli_tell_left_out(s->n_left_out);
        fitting = cli_writer_fitting(&p->writer, schema, s->columns, s->n);
        p->n_more_columns = s->n - fitting;
        s->n = s->n_read = fitting;
    }
    if (cli_writer_columns(&p->writer, p->path, schema, s->columns, s->n) != 0)
        return cli_raise(p->session, 2);
    return p->reads_ids ? cli_select_ids(p->session, p->events, s) : 0;
}

static void put_row_id(cli_picking *p, const cli_row *row, const cli_cell *cells, uint64_t i)
{
    p->id_text.n = 0;
    if (is_id_known(p, row))
        cli_put_id(&p->id_text, &p->find.axes, &p->find.ids[row->id]);
    else
        cli_put_id_cells(&p->id_text, cells, p->selection.n_axes, i, row->entry);
    cli_text_char(&p->id_text, '\0');
}

static bool is_any_damaged(const cli_writer *writer, uint64_t i)
{
    for (uint32_t c = 0; c < writer->n_cells; c++) {
        if (writer->cells[c].values->status == TAGMA_COLUMN_CORRUPT &&
            cli_value_is_damaged(&writer->cells[c], i))
            return true;
    }
    return false;
}

static int keep(cli_picking *p, cli_row *row)
{
    row->n_bytes = (uint32_t)p->text.n;
    return cli_spool_put(&p->spool, p->text.bytes, p->text.n, &row->at);
}

/* A copy of a file's name that stays; the last ones first, since rows of one source follow each other. NULL where memory ends. */
static const char *kept_name(cli_picking *p, const char *name)
{
    char **names;

    for (size_t i = p->n_names; i-- > 0;) {
        if (strcmp(p->names[i], name) == 0)
            return p->names[i];
    }
    names = realloc(p->names, (p->n_names + 1) * sizeof *names);
    if (names == NULL)
        return NULL;
    p->names = names;
    p->names[p->n_names] = strdup(name);
    return p->names[p->n_names] != NULL ? p->names[p->n_names++] : NULL;
}

/* Which file and entry a row is told as. */
static int tell_origin(cli_picking *p, cli_row *row, cli_origin *origin)
{
    if (cli_origins_at(&p->origins, row->entry, origin) != 0)
        return 2;
    if (!row->is_grouped)
        return 0;
    row->from = kept_name(p, origin->file);
    row->from_entry = origin->entry;
    return row->from != NULL ? 0 : cli_no_memory();
}

/* Write entry i of the batch, or let it wait. @return 0, or 2 with words. */
static int take_row(cli_picking *p, cli_row *row, const cli_cell *id_cells, uint64_t i)
{
    cli_origin origin = {p->path, row->entry, NULL};

    if (tell_origin(p, row, &origin) != 0)
        return 2;
    put_row_id(p, row, id_cells, i);
    if (p->id_text.is_short)
        return cli_no_memory();
    origin.id = p->id_text.bytes;
    p->text.n = 0;
    row->front_bytes = (uint32_t)cli_writer_row(&p->writer, &p->text, &origin, i);
    if (p->text.is_short || p->text.n > UINT32_MAX)
        return cli_wrong("%s: entry %llu: its text is too long", p->path, (unsigned long long)row->entry);
    row->is_read = true;
    row->is_damaged = is_any_damaged(&p->writer, i);
    if ((row->is_grouped || !p->is_straight) && keep(p, row) != 0)
        return 2;
    for (uint32_t k = 0; k < row->n_times && p->is_straight; k++)
        cli_writer_put(&p->writer, p->text.bytes, p->text.n);
    return 0;
}

static int on_batch(void *user, tagma_batch *batch, uint64_t at)
{
    cli_picking *p = user;
    cli_cell ids[TAGMA_MAX_ID_AXES];
    uint64_t n = tagma_batch_n_entries(batch);

    if (cli_writer_batch(&p->writer, p->session, batch) != 0)
        return 2;
    cli_selection_cells(&p->selection, p->events, batch, ids);
    for (uint64_t i = 0; i < n && !cli_out_is_over(&p->writer.out); i++) {
        if (take_row(p, &p->rows[p->file_rows[at + i]], ids, i) != 0)
            return cli_raise(p->session, 2);
    }
    return cli_out_is_over(&p->writer.out);
}

/* Nothing of the file is needed but what the index told. */
static int take_unread(cli_picking *p)
{
    for (size_t i = 0; i < p->n_file_rows; i++) {
        if (take_row(p, &p->rows[p->file_rows[i]], NULL, 0) != 0)
            return 2;
    }
    return 0;
}

static tagma_status read_file(cli_picking *p, tagma_reader *reader)
{
    uint64_t *entries = malloc((p->n_file_rows + 1) * sizeof *entries);
    cli_reads reads = {.session = p->session,
                       .reader = reader,
                       .columns = p->selection.columns,
                       .n_columns = p->selection.n_read,
                       .n = p->n_file_rows,
                       .batch = on_batch,
                       .user = p};
    tagma_status st;

    if (entries == NULL) {
        cli_no_memory();
        return TAGMA_END;
    }
    for (size_t i = 0; i < p->n_file_rows; i++)
        entries[i] = p->rows[p->file_rows[i]].entry;
    reads.entries = entries;
    reads.window_bytes = cli_batch_bytes(p->session);
    st = cli_read(&reads);
    free(entries);
    return st;
}

/* @return 0 where the next file may follow, else 2; words are told. */
static int failed(cli_picking *p, tagma_status st)
{
    if (st == TAGMA_END)
        return p->session->status == 2 || p->writer.out.has_failed ? 2 : 0;
    cli_failed(p->session);
    return st == TAGMA_E_IO || st == TAGMA_E_CORRUPT || st == TAGMA_E_TRUNCATED ? 0 : 2;
}

static int with_events(cli_picking *p, uint32_t f, tagma_events *events)
{
    tagma_reader *reader = p->find.files[f].reader;
    tagma_status st = TAGMA_OK;
    int status;

    p->events = events;
    status = cli_origins_new(p->session, events, p->path, &p->origins);
    if (status == 0)
        status = select_columns(p);
    if (status == 0 && p->selection.n_read == 0) {
        status = take_unread(p);
    } else if (status == 0 && p->n_file_rows > 0) {
        if (reader == NULL)
            status = cli_reader(p->session, events, &reader);
        if (status == 0)
            st = read_file(p, reader);
        if (reader != p->find.files[f].reader)
            cli_reader_done(p->session, reader);
    }
    if (status == 0 && st != TAGMA_OK)
        status = failed(p, st);
    if (status == 0 && tagma_events_unchanged(p->session->ctx, events) < 0)
        status = cli_failed(p->session);
    cli_origins_free(&p->origins);
    cli_selection_free(&p->selection);
    return status;
}

static int one_file(cli_picking *p, uint32_t f)
{
    tagma_events *events;
    tagma_status st;
    int status;

    cli_enter(p->session, CLI_PHASE_OPEN);
    st = cli_find_events(&p->find, f, &events);
    if (st < 0)
        return cli_find_failed(&p->find, f, st);
    status = with_events(p, f, events);
    tagma_events_release(events);
    return status;
}

/* Rows that waited, in their turn. */
static int deliver(cli_picking *p)
{
    cli_enter(p->session, CLI_PHASE_WRITE);
    for (size_t i = 0; i < p->n_sequence && !cli_out_is_over(&p->writer.out); i++) {
        const cli_row *row = &p->rows[p->sequence[i]];
        if (!row->is_read)
            continue;
        if (cli_spool_get(&p->spool, row->at, row->n_bytes, &p->text) != 0)
            return cli_raise(p->session, 2);
        cli_writer_put(&p->writer, p->text.bytes, p->text.n);
    }
    return 0;
}

/* A header stands even over nothing. */
static int begin_empty(cli_picking *p)
{
    uint32_t f = 0;

    while (!p->find.files[f].is_searched)
        f++;
    p->path = p->inputs->at[f].path;
    p->n_file_rows = 0;
    p->reads_ids = false;
    return one_file(p, f);
}

int cli_pick_read(cli_picking *p)
{
    size_t row = 0;
    int status = 0;

    cli_spool_new(&p->spool, (size_t)cli_spool_bytes(p->session));
    p->file_rows = malloc((p->n_rows + 1) * sizeof *p->file_rows);
    if (p->file_rows == NULL)
        return cli_no_memory();
    for (uint32_t f = 0; f < p->inputs->n && status == 0 && !cli_out_is_over(&p->writer.out); f++) {
        p->path = p->inputs->at[f].path;
        choose_rows(p, f, &row);
        if (p->n_file_rows > 0)
            status = one_file(p, f);
    }
    if (status == 0 && !p->writer.is_begun)
        status = begin_empty(p);
    return status == 0 && !p->is_straight ? deliver(p) : status;
}
