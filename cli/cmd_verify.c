/* SPDX-License-Identifier: Apache-2.0
 * tagma verify: a store against the files it was made of. */
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/differ.h"
#include "cli/say.h"

static void verify(cli_session *session, const cli_input *store, const cli_inputs *inputs)
{
    tagma_convert_input *sources = calloc(inputs->n + 1, sizeof *sources);
    tagma_verify_options options = TAGMA_VERIFY_OPTIONS_INIT;
    tagma_comparison *comparison = NULL;
    tagma_events *events = NULL;
    int status = 0;

    options.io = cli_io(session->opts);
    options.ids = session->opts->ids;
    options.pool = session->pool;
    if (sources == NULL)
        status = cli_raise(session, cli_no_memory());
    for (size_t i = 0; sources != NULL && i < inputs->n; i++)
        sources[i] = (tagma_convert_input){inputs->at[i].path, inputs->at[i].tree};
    if (status == 0 && cli_open(session, store, TAGMA_SIDECAR_NONE, &events) < 0)
        status = cli_failed(session);
    cli_enter(session, CLI_PHASE_READ);
    if (status == 0 &&
        tagma_verify(session->ctx, events, sources, (uint32_t)inputs->n, &options, &comparison) < 0)
        status = cli_failed(session);
    if (status == 0) {
        cli_side a = {.name = store->path, .events = events};
        cli_side b = {.name = inputs->n == 1 ? inputs->at[0].path : "its sources", .inputs = inputs->at};

        cli_tell_comparison(session, comparison, &a, &b);
    }
    tagma_comparison_free(comparison);
    tagma_events_release(events);
    free(sources);
}

/* The store is the first name; --against and all that follows are its sources. */
static int take_names(const cli_opts *opts, cli_inputs *store, cli_inputs *sources)
{
    size_t n = opts->n_names;
    const char **names;
    cli_opts alone = *opts;
    int status;

    if (n == 0 || (opts->against == NULL && n == 1 && opts->files == NULL))
        return cli_wrong(
            "verify: a store and the files it was made of: tagma verify STORE --against FILE...");
    names = calloc(n + 1, sizeof *names);
    if (names == NULL)
        return cli_no_memory();
    alone.files = NULL;
    status = cli_inputs_new(&alone, opts->names, 1, store);
    n = 0;
    if (opts->against != NULL)
        names[n++] = opts->against;
    for (size_t i = 1; i < opts->n_names; i++)
        names[n++] = opts->names[i];
    if (status == 0)
        status = cli_inputs_new(opts, names, n, sources);
    free(names);
    return status;
}

int cli_verify(const cli_opts *opts)
{
    cli_session session;
    cli_inputs store = {0}, sources = {0};
    int status = cli_inputs_refuse_ids(opts, "verify");

    if (status == 0)
        status = take_names(opts, &store, &sources);
    if (status == 0)
        status = cli_inputs_check_outputs(&store, opts);
    if (status == 0)
        status = cli_inputs_check_outputs(&sources, opts);
    if (status == 0 && store.at != NULL) {
        if (cli_begin(&session, opts) == 0)
            verify(&session, &store.at[0], &sources);
        status = cli_end(&session);
    }
    cli_inputs_free(&store);
    cli_inputs_free(&sources);
    return status;
}
