/* SPDX-License-Identifier: Apache-2.0
 * tagma pick: the events of the listed ids. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/pick.h"
#include "cli/say.h"

static void on_fault(void *user, const tagma_fault *fault)
{
    cli_wrong("%s", fault->message);
    cli_pick_note_fault(user, fault);
}

static void free_picking(cli_picking *p)
{
    cli_writer_free(&p->writer);
    cli_find_free(&p->find);
    cli_spool_free(&p->spool);
    cli_text_free(&p->text);
    cli_text_free(&p->id_text);
    cli_text_free(&p->damaged.text);
    free(p->rows);
    free(p->sequence);
    free(p->groups);
    free(p->file_rows);
    for (size_t i = 0; i < p->n_names; i++)
        free(p->names[i]);
    free(p->names);
}

/* Words and reports once everything is delivered. */
static int tell(cli_picking *p)
{
    const cli_opts *opts = p->session->opts;
    int status = cli_pick_compare(p);

    cli_pick_tell_groups(p);
    cli_find_tell(&p->find);
    if (status == 0 && opts->missing != NULL)
        status = cli_find_write_missing(&p->find, opts->missing);
    if (status == 0 && opts->report != NULL)
        status = cli_pick_report(p, opts->report);
    return cli_raise(p->session, status);
}

static int deliver(cli_picking *p)
{
    const cli_opts *opts = p->session->opts;
    int status = cli_writer_open(&p->writer, opts, true);

    if (status == 0)
        status = cli_find_all(&p->find, p->session, p->inputs);
    /* An unsearched file alone: nothing is delivered, and the report says that all is unknown. */
    if (status == 0 && p->find.n_unsearched == p->inputs->n) {
        tell(p);
        return 2;
    }
    if (status == 0)
        status = cli_pick_plan(p);
    if (status == 0)
        status = cli_pick_read(p);
    if (status != 0)
        return cli_raise(p->session, status);
    if (!p->writer.out.is_closed)
        tell(p);
    return cli_raise(p->session, cli_writer_finish(&p->writer, p->n_more, p->n_more_columns, 0));
}

int cli_pick(const cli_opts *opts)
{
    static const cli_json json = CLI_JSON_INIT;
    cli_session session;
    cli_inputs inputs = {0};
    cli_picking picking = {.session = &session, .inputs = &inputs, .damaged = json};
    int status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);

    if (status == 0 && opts->n_ids == 0 && opts->list == NULL)
        status = cli_wrong("pick: no id is named; ids are run:lumi:event or @ENTRY, and -e LIST reads them");
    picking.writer.out.fd = -1;
    picking.spool.fd = -1;
    if (status == 0) {
        status = cli_begin(&session, opts);
        session.fault_fn = on_fault;
        session.fault_user = &picking;
        if (status == 0)
            deliver(&picking);
        free_picking(&picking);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    return status;
}
