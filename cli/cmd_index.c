/* SPDX-License-Identifier: Apache-2.0
 * tagma index: keep the index of event ids, and the branch table, in a sidecar. */
#include "cli/commands.h"
#include "cli/idaxes.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/outfile.h"
#include "cli/say.h"

typedef struct indexing {
    cli_session *session;
    cli_text text;
} indexing;

static void tell_ids(const cli_axes *axes)
{
    cli_text words = {0};

    cli_axes_words(&words, axes);
    if (!words.is_short)
        cli_word("ids: %s", words.bytes);
    cli_text_free(&words);
}

/* "x.root Events;1: 1,000 entries, 998 ids, 5.9 bytes an entry, in 0.1 s" */
static void tell_index(indexing *in, const tagma_events *events, const tagma_index *index, double seconds)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    tagma_index_info ix = {.struct_bytes = sizeof ix};
    char n[3][CLI_NUMBER_BYTES];

    tagma_events_get_info(events, &info);
    tagma_index_get_info(index, &ix);
    cli_text_visible(&in->text, info.file, strlen(info.file));
    cli_text_char(&in->text, ' ');
    cli_text_visible(&in->text, info.tree, strlen(info.tree));
    cli_text_format(&in->text, ";%u: %s entr%s, %s id%s", info.cycle, cli_grouped(info.n_entries, n[0]),
                    info.n_entries == 1 ? "y" : "ies", cli_grouped(ix.n_ids, n[1]), cli_s(ix.n_ids));
    if (ix.n_repeated_ids > 0)
        cli_text_format(&in->text, ", %s with several entries", cli_grouped(ix.n_repeated_ids, n[2]));
    cli_text_format(&in->text, ", %.1f bytes an entry, in %.1f s\n",
                    info.n_entries > 0 ? (double)ix.bytes / (double)info.n_entries : 0.0, seconds);
}

static void json_index(indexing *in, const tagma_events *events, const cli_axes *axes,
                       const tagma_index *index)
{
    cli_json json = CLI_JSON_INIT;
    tagma_events_info info = {.struct_bytes = sizeof info};
    tagma_index_info ix = {.struct_bytes = sizeof ix};

    tagma_events_get_info(events, &info);
    tagma_index_get_info(index, &ix);
    cli_json_open(&json, '{');
    cli_json_member_string(&json, "file", info.file);
    cli_json_member_string(&json, "tree", info.tree);
    cli_json_member_u64(&json, "cycle", info.cycle);
    cli_json_member_u64(&json, "entries", info.n_entries);
    cli_json_key(&json, "ids");
    cli_json_open(&json, '{');
    for (uint32_t a = 0; a < axes->n; a++)
        cli_json_member_string(&json, cli_axes_role(axes, a), axes->names[a]);
    cli_json_close(&json, '}');
    cli_json_member_u64(&json, "distinct", ix.n_ids);
    cli_json_member_u64(&json, "repeated", ix.n_repeated_ids);
    cli_json_member_u64(&json, "bytes", ix.bytes);
    cli_json_close(&json, '}');
    cli_text_put(&in->text, json.text.bytes, json.text.n);
    cli_text_char(&in->text, '\n');
    in->text.is_short = in->text.is_short || json.text.is_short;
    cli_text_free(&json.text);
}

/* A store has its index in itself. */
static bool has_own_index(const tagma_events *events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    tagma_events_get_info(events, &info);
    return strcmp(info.kind, "ROOT") != 0;
}

static int tell_own_index(indexing *in, const tagma_events *events, const cli_axes *axes)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    const tagma_index *index;

    tagma_events_get_info(events, &info);
    switch (tagma_events_index(in->session->ctx, events, &index)) {
    case TAGMA_OK:
        break;
    case TAGMA_ABSENT:
        return cli_wrong("%s is a store, and has no index of these ids; convert its source again with --ids",
                         info.file);
    default:
        return cli_failed(in->session);
    }
    cli_word("%s is a store: it has its index in itself", info.file);
    if (in->session->opts->json)
        json_index(in, events, axes, index);
    else
        tell_index(in, events, index, 0);
    return 0;
}

static int build_and_keep(indexing *in, tagma_events *events, const cli_axes *axes)
{
    const cli_opts *opts = in->session->opts;
    tagma_ctx *ctx = in->session->ctx;
    tagma_reader *reader = NULL;
    tagma_index *index = NULL;
    double began = cli_now();
    int status = cli_reader(in->session, events, &reader);

    cli_enter(in->session, CLI_PHASE_INDEX);
    if (status == 0 && tagma_events_build_index(ctx, reader, &index) < 0)
        status = cli_failed(in->session);
    cli_reader_done(in->session, reader);
    cli_enter(in->session, CLI_PHASE_WRITE);
    if (status == 0 && tagma_events_unchanged(ctx, events) < 0)
        status = cli_failed(in->session);
    if (status == 0 && tagma_events_save_sidecar(ctx, events, index, opts->sidecar_out, opts->force) < 0)
        status = cli_failed(in->session);
    if (status == 0 && opts->json)
        json_index(in, events, axes, index);
    else if (status == 0)
        tell_index(in, events, index, cli_now() - began);
    tagma_index_release(index);
    return status;
}

static int index_file(indexing *in, const cli_input *input)
{
    tagma_events *events;
    tagma_ids ids;
    cli_axes axes;
    int status;

    cli_enter(in->session, CLI_PHASE_OPEN);
    if (cli_open(in->session, input, TAGMA_SIDECAR_NONE, &events) < 0)
        return cli_failed(in->session);
    if (tagma_events_ids(in->session->ctx, events, &ids) != TAGMA_OK) {
        tagma_events_release(events);
        return cli_failed(in->session);
    }
    status = cli_axes_new(&axes, tagma_events_schema(events), &ids);
    if (status == 0) {
        tell_ids(&axes);
        status =
            has_own_index(events) ? tell_own_index(in, events, &axes) : build_and_keep(in, events, &axes);
    }
    cli_axes_free(&axes);
    tagma_events_release(events);
    return status;
}

static void index_files(indexing *in, const cli_inputs *inputs)
{
    cli_out out;
    int status = cli_out_open(&out, NULL);

    for (size_t f = 0; f < inputs->n && status == 0 && !cli_out_is_over(&out); f++) {
        cli_raise(in->session, index_file(in, &inputs->at[f]));
        if (in->text.is_short)
            status = cli_no_memory();
        else
            cli_out_put(&out, in->text.bytes, in->text.n);
        in->text.n = 0;
    }
    if (status == 0)
        status = cli_out_finish(&out, 0);
    cli_raise(in->session, status);
    cli_out_discard(&out);
    cli_text_free(&in->text);
}

int cli_index(const cli_opts *opts)
{
    cli_session session;
    cli_inputs inputs = {0};
    indexing in = {.session = &session};
    int status = cli_inputs_refuse_ids(opts, "index");

    if (status == 0)
        status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);
    if (status == 0 && opts->sidecar_out != NULL && inputs.n > 1)
        status = cli_wrong("-o is the sidecar of one file, and %zu are named", inputs.n);
    if (status == 0) {
        if (cli_begin(&session, opts) == 0)
            index_files(&in, &inputs);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    return status;
}
