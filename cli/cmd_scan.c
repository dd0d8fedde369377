/* SPDX-License-Identifier: Apache-2.0
 * tagma scan: values of columns for a run of entries, of one file or of several end to end. */
#include "cli/commands.h"
#include "cli/idaxes.h"
#include "cli/inputs.h"
#include "cli/origins.h"
#include "cli/reads.h"
#include "cli/say.h"
#include "cli/writer.h"

enum { SCREEN_ENTRIES = 20, WINDOW_BYTES = 16 << 20 };

typedef struct scanning {
    cli_session *session;
    cli_writer writer;
    cli_text text, id_text;
    uint64_t skip, left; /* entries still to pass over, and to print */
    uint64_t n_more, n_more_columns;
    bool is_over;
    /* Of the file that is read now. */
    const char *path;
    const tagma_events *events;
    cli_origins origins;
    uint64_t first;
    cli_selection selection;
} scanning;

static int on_batch(void *user, tagma_batch *batch, uint64_t at)
{
    scanning *s = user;
    cli_cell ids[TAGMA_MAX_ID_AXES];
    uint64_t n = tagma_batch_n_entries(batch);

    if (cli_writer_batch(&s->writer, s->session, batch) != 0)
        return 2;
    cli_selection_cells(&s->selection, s->events, batch, ids);
    for (uint64_t i = 0; i < n && !cli_out_is_over(&s->writer.out); i++) {
        cli_origin origin = {s->path, s->first + at + i, ""};
        if (s->writer.format == CLI_IDS) {
            s->id_text.n = 0;
            cli_put_id_cells(&s->id_text, ids, s->selection.n_axes, i, origin.entry);
            cli_text_char(&s->id_text, '\0');
            origin.id = s->id_text.is_short ? "" : s->id_text.bytes;
        }
        s->text.n = 0;
        cli_writer_row(&s->writer, &s->text, &origin, i);
        if (s->text.is_short || s->id_text.is_short)
            return cli_raise(s->session, cli_no_memory());
        cli_writer_put(&s->writer, s->text.bytes, s->text.n);
    }
    return cli_out_is_over(&s->writer.out);
}

/* -f ids and -f entries read the id columns only, or nothing. */
static int choose_columns(scanning *s)
{
    cli_selection *selection = &s->selection;
    bool is_first = !s->writer.is_begun;
    uint32_t fitting;

    if (s->writer.format == CLI_IDS) {
        if (cli_select_ids(s->session, s->events, selection) != 0)
            return 2;
        return selection->n_axes > 0 ? 0 : cli_failed(s->session);
    }
    if (!cli_writer_wants_columns(&s->writer))
        return 0;
    if (cli_select(s->session, s->events, selection) != 0)
        return 2;
    if (is_first)
        cli_tell_left_out(selection->n_left_out);
    fitting =
        cli_writer_fitting(&s->writer, tagma_events_schema(s->events), selection->columns, selection->n);
    s->n_more_columns = selection->n - fitting;
    selection->n = selection->n_read = fitting;
    return 0;
}

static int print_entries(scanning *s, uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n && !cli_out_is_over(&s->writer.out); i++) {
        cli_origin origin = {s->path, i, ""};
        if (cli_origins_at(&s->origins, i, &origin) != 0)
            return cli_raise(s->session, 2);
        s->text.n = 0;
        cli_writer_row(&s->writer, &s->text, &origin, 0);
        if (s->text.is_short)
            return cli_raise(s->session, cli_no_memory());
        cli_writer_put(&s->writer, s->text.bytes, s->text.n);
    }
    return 0;
}

static int read_entries(scanning *s, tagma_events *events, uint64_t n)
{
    cli_reads reads = {.session = s->session,
                       .columns = s->selection.columns,
                       .n_columns = s->selection.n_read,
                       .first = s->first,
                       .n = n,
                       .batch = on_batch,
                       .user = s};
    tagma_status st;

    if (cli_reader(s->session, events, &reads.reader) != 0)
        return 2;
    reads.window_bytes = cli_batch_bytes(s->session);
    if (reads.window_bytes > WINDOW_BYTES)
        reads.window_bytes = WINDOW_BYTES;
    st = cli_read(&reads);
    cli_reader_done(s->session, reads.reader);
    if (st < 0)
        return cli_failed(s->session);
    return s->session->status == 2 && st == TAGMA_END ? 2 : 0;
}

static int scan_events(scanning *s, tagma_events *events)
{
    uint64_t n = tagma_events_n_entries(events);
    uint64_t first = s->skip < n ? s->skip : n;
    uint64_t take = n - first < s->left ? n - first : s->left;
    int status;

    s->skip -= first;
    s->left -= take;
    s->n_more += n - first - take;
    if (take == 0 && s->writer.is_begun)
        return 0;
    s->first = first;
    s->events = events;
    s->origins = (cli_origins){s->path, NULL};
    status = choose_columns(s);
    if (status == 0 && s->writer.format == CLI_ENTRIES)
        status = cli_origins_new(s->session, events, s->path, &s->origins);
    if (status == 0 && cli_writer_columns(&s->writer, s->path, tagma_events_schema(events),
                                          s->selection.columns, s->selection.n) != 0)
        status = cli_raise(s->session, 2);
    if (status == 0 && take > 0)
        status = s->selection.n_read > 0 ? read_entries(s, events, take) : print_entries(s, first, take);
    if (status == 0 && tagma_events_unchanged(s->session->ctx, events) < 0)
        status = cli_failed(s->session);
    cli_origins_free(&s->origins);
    cli_selection_free(&s->selection);
    return status;
}

static int scan_file(scanning *s, const cli_input *input)
{
    tagma_events *events;
    int status;

    cli_enter(s->session, CLI_PHASE_OPEN);
    s->path = input->path;
    if (cli_open(s->session, input, cli_sidecar(s->session->opts), &events) < 0)
        return cli_failed(s->session);
    status = scan_events(s, events);
    tagma_events_release(events);
    return status;
}

/* "--start 10" alone is often meant as "the first 10". */
static void tell_start(const cli_opts *opts)
{
    if (opts->has_start && !opts->has_count && opts->start > 0)
        cli_word("starting at entry %llu; for the first %llu: --count %llu", (unsigned long long)opts->start,
                 (unsigned long long)opts->start, (unsigned long long)opts->start);
}

static void scan(scanning *s, const cli_inputs *inputs)
{
    const cli_opts *opts = s->session->opts;
    int status = cli_writer_open(&s->writer, opts, false);

    tell_start(opts);
    s->skip = opts->start;
    s->left = opts->has_count ? opts->count : s->writer.is_screen ? SCREEN_ENTRIES : UINT64_MAX;
    for (size_t f = 0; f < inputs->n && status == 0 && !cli_out_is_over(&s->writer.out); f++)
        status = scan_file(s, &inputs->at[f]);
    if (status == 0 && s->skip > 0)
        cli_word("entry %llu is past the last", (unsigned long long)opts->start);
    if (status == 0)
        status = cli_writer_finish(&s->writer, s->n_more, s->n_more_columns, 0);
    else
        cli_out_flush(&s->writer.out); /* whole lines, as far as they came */
    cli_raise(s->session, status);
    cli_writer_free(&s->writer);
    cli_text_free(&s->text);
    cli_text_free(&s->id_text);
}

int cli_scan(const cli_opts *opts)
{
    cli_session session;
    cli_inputs inputs = {0};
    scanning s = {.session = &session};
    int status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);

    if (status == 0)
        status = cli_inputs_refuse_ids(opts, "scan");
    if (status == 0) {
        if (cli_begin(&session, opts) == 0)
            scan(&s, &inputs);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    return status;
}
