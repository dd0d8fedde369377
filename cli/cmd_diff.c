/* SPDX-License-Identifier: Apache-2.0
 * tagma diff: any two files of events against each other. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/differ.h"
#include "cli/say.h"

static int read_options(const cli_opts *opts, tagma_diff_options *options)
{
    char *end;

    options->columns = opts->columns;
    options->by_entry = opts->by != NULL && strcmp(opts->by, "entry") == 0;
    options->ulp = opts->ulp;
    if (opts->relative == NULL)
        return 0;
    options->relative = strtod(opts->relative, &end);
    if (end == opts->relative || *end != '\0' || !(options->relative >= 0 && options->relative <= 1))
        return cli_wrong("diff: --relative takes a number from 0 to 1, such as 1e-6, not \"%s\"",
                         opts->relative);
    return 0;
}

static int check_by_id(cli_session *session, tagma_events *const *events)
{
    tagma_ids ids;

    if (session->opts->by == NULL || strcmp(session->opts->by, "id") != 0)
        return 0;
    for (int side = 0; side < 2; side++)
        if (tagma_events_ids(session->ctx, events[side], &ids) != TAGMA_OK)
            return cli_failed(session);
    return 0;
}

/* The file, and where both are in one, the tree. */
static const char *side_name(const cli_inputs *inputs, int side, const tagma_events *events, char *dst,
                             size_t bytes)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    if (strcmp(inputs->at[0].path, inputs->at[1].path) != 0)
        return inputs->at[side].path;
    tagma_events_get_info(events, &info);
    snprintf(dst, bytes, "%s:%s;%" PRIu32, inputs->at[side].path, info.tree, info.cycle);
    return dst;
}

static void diff(cli_session *session, const cli_inputs *inputs, tagma_diff_options *options)
{
    char names[2][1024];
    tagma_events *events[2] = {NULL, NULL};
    tagma_comparison *comparison = NULL;
    int status = 0;

    options->pool = session->pool;
    for (int side = 0; side < 2 && status == 0; side++)
        if (cli_open(session, &inputs->at[side], cli_sidecar(session->opts), &events[side]) < 0)
            status = cli_failed(session);
    if (status == 0)
        status = check_by_id(session, events);
    cli_enter(session, CLI_PHASE_READ);
    if (status == 0 && tagma_diff(session->ctx, events[0], events[1], options, &comparison) < 0)
        status = cli_failed(session);
    if (status == 0) {
        cli_side a = {side_name(inputs, 0, events[0], names[0], sizeof names[0]), events[0], NULL};
        cli_side b = {side_name(inputs, 1, events[1], names[1], sizeof names[1]), events[1], NULL};

        cli_tell_comparison(session, comparison, &a, &b);
    }
    tagma_comparison_free(comparison);
    tagma_events_release(events[0]);
    tagma_events_release(events[1]);
}

int cli_diff(const cli_opts *opts)
{
    tagma_diff_options options = TAGMA_DIFF_OPTIONS_INIT;
    cli_session session;
    cli_inputs inputs = {0};
    int status = cli_inputs_refuse_ids(opts, "diff");

    if (status == 0)
        status = read_options(opts, &options);
    if (status == 0)
        status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);
    if (status == 0 && inputs.n != 2)
        status = cli_wrong("diff: two files are compared, not %zu", inputs.n);
    if (status == 0)
        status = cli_inputs_check_outputs(&inputs, opts);
    if (status == 0) {
        if (cli_begin(&session, opts) == 0)
            diff(&session, &inputs, &options);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    return status;
}
