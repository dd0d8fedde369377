/* SPDX-License-Identifier: Apache-2.0
 * tagma show: one event for the eye. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/find.h"
#include "cli/outfile.h"
#include "cli/reads.h"
#include "cli/say.h"
#include "cli/view.h"
#include "cli/width.h"

typedef struct showing {
    cli_session *session;
    const cli_inputs *inputs;
    cli_find find;
    cli_out out;
    size_t width;
    bool is_second; /* an event stands above */
} showing;

/* "x.root  Events;1  entry 17  1:2:3" */
static void put_head(showing *s, const tagma_events *events, const cli_hit *hit, const char *id)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    cli_text line = {0};
    cli_text visible = {0};

    tagma_events_get_info(events, &info);
    cli_text_format(&line, "%s  %s;%u  entry %llu  %s", s->inputs->at[hit->file].path, info.tree, info.cycle,
                    (unsigned long long)hit->entry, id);
    cli_text_visible(&visible, line.bytes, line.n);
    cli_text_char(&visible, '\n');
    if (!visible.is_short) {
        if (s->is_second)
            cli_out_put(&s->out, "\n", 1);
        cli_out_put(&s->out, visible.bytes, visible.n);
    }
    s->is_second = true;
    cli_text_free(&line);
    cli_text_free(&visible);
}

static int put_batch(showing *s, const tagma_events *events, const cli_hit *hit, tagma_batch *batch,
                     const cli_selection *selection)
{
    const tagma_schema *schema = tagma_events_schema(events);
    cli_cell *cells = calloc((size_t)selection->n + 1, sizeof *cells);
    cli_cell ids[TAGMA_MAX_ID_AXES];
    cli_text id = {0};
    int status = 0;

    if (cells == NULL)
        return cli_raise(s->session, cli_no_memory());
    for (uint32_t i = 0; i < selection->n && status == 0; i++) {
        cells[i].values = tagma_batch_column_at(batch, i);
        cells[i].column = tagma_schema_column(schema, cells[i].values->column);
        if (cells[i].column->type == TAGMA_BOOL && tagma_batch_bools(s->session->ctx, batch, i, false) < 0)
            status = cli_failed(s->session);
    }
    cli_selection_cells(selection, events, batch, ids);
    cli_put_id_cells(&id, ids, selection->n_axes, 0, hit->entry);
    cli_text_char(&id, '\0');
    if (status == 0 && !id.is_short) {
        put_head(s, events, hit, id.bytes);
        status = cli_view_event(&s->out, schema, cells, selection->n, 0, s->width);
    }
    cli_text_free(&id);
    free(cells);
    return cli_raise(s->session, status);
}

static int read_event(showing *s, tagma_reader *reader, const cli_hit *hit, const cli_selection *selection)
{
    tagma_batch *batch;
    int status;

    cli_enter(s->session, CLI_PHASE_READ);
    if (tagma_read_rows(s->session->ctx, reader, &hit->entry, 1, selection->columns, selection->n_read,
                        &batch) < 0)
        return cli_failed(s->session);
    cli_enter(s->session, CLI_PHASE_WRITE);
    status = put_batch(s, tagma_reader_events(reader), hit, batch, selection);
    tagma_batch_free(batch);
    return status == 2 && s->out.has_failed ? 2 : 0;
}

/* The events of one file, `hits` long. */
static int show_hits(showing *s, tagma_events *events, const cli_hit *hits, size_t n)
{
    tagma_reader *reader = s->find.files[hits[0].file].reader;
    cli_selection selection;
    int status = cli_select(s->session, events, &selection);

    if (status == 0 && !s->is_second)
        cli_tell_left_out(selection.n_left_out);
    if (status == 0)
        status = cli_select_ids(s->session, events, &selection);
    if (status == 0 && reader == NULL)
        status = cli_reader(s->session, events, &reader);
    for (size_t h = 0; h < n && status == 0 && !cli_out_is_over(&s->out); h++)
        status = read_event(s, reader, &hits[h], &selection);
    if (reader != s->find.files[hits[0].file].reader)
        cli_reader_done(s->session, reader);
    cli_selection_free(&selection);
    if (status == 0 && tagma_events_unchanged(s->session->ctx, events) < 0)
        status = cli_failed(s->session);
    return status;
}

static int show_id(showing *s, size_t i)
{
    size_t n;
    const cli_hit *hits = cli_find_hits(&s->find, i, &n);
    int status = 0;

    for (size_t h = 0; h < n && status == 0;) {
        size_t end = h;
        tagma_events *events;
        tagma_status st;

        while (end < n && hits[end].file == hits[h].file)
            end++;
        st = cli_find_events(&s->find, hits[h].file, &events);
        if (st < 0)
            return cli_find_failed(&s->find, hits[h].file, st);
        status = show_hits(s, events, hits + h, end - h);
        tagma_events_release(events);
        h = end;
    }
    return status;
}

static void show(showing *s)
{
    int status = cli_find_all(&s->find, s->session, s->inputs);

    if (status == 0)
        status = cli_out_open(&s->out, s->session->opts->out);
    if (status != 0) {
        cli_raise(s->session, status);
        return;
    }
    if (s->session->opts->out == NULL)
        s->width = cli_terminal_width(STDOUT_FILENO);
    for (size_t i = 0; i < s->find.n && status == 0 && !cli_out_is_over(&s->out); i++)
        status = show_id(s, i);
    cli_find_tell(&s->find);
    if (status == 0)
        status = cli_out_finish(&s->out, 0);
    cli_raise(s->session, status);
}

int cli_show(const cli_opts *opts)
{
    cli_session session;
    cli_inputs inputs = {0};
    showing s = {.session = &session, .inputs = &inputs};
    int status;

    if (opts->json)
        return cli_pick(opts);
    cli_out_init(&s.out);
    status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);
    if (status == 0 && opts->n_ids == 0 && opts->list == NULL)
        status = cli_wrong("show: no id is named; an id is run:lumi:event, or @ENTRY for an entry by number");
    if (status == 0) {
        if (cli_begin(&session, opts) == 0)
            show(&s);
        cli_out_discard(&s.out);
        cli_find_free(&s.find);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    return status;
}
