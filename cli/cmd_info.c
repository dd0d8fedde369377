/* SPDX-License-Identifier: Apache-2.0
 * tagma info: what a file is, and what its trees hold and cost. */
#include "cli/commands.h"
#include "cli/infojson.h"
#include "cli/infotext.h"
#include "cli/outfile.h"
#include "cli/page.h"
#include "cli/say.h"
#include "cli/trees.h"

typedef struct information {
    cli_session *session;
    cli_out out;
    cli_infotext words;
    cli_json json;
    cli_text page; /* --html */
} information;

static int show_trees(information *in, cli_trees *trees)
{
    bool is_json = in->session->opts->json;
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    tagma_events *events;
    int status = 0;

    while (status == 0 && cli_trees_next(trees, &tree, &events)) {
        if (events != NULL && in->session->opts->html != NULL)
            status = cli_page_tree(&in->page, in->session, &tree, events);
        if (events != NULL && status == 0)
            status = is_json ? cli_json_info_tree(&in->json, in->session, &tree, events)
                             : cli_infotext_tree(&in->words, &tree, events);
        tagma_events_release(events);
    }
    return status;
}

static int show_file(information *in, const cli_input *input)
{
    cli_trees trees;
    int status = cli_trees_open(&trees, in->session, input, cli_sidecar(in->session->opts), false);

    if (status == 0 && in->session->opts->html != NULL)
        cli_page_file(&in->page, &trees);
    if (status == 0 && in->session->opts->json) {
        cli_json_open(&in->json, '{');
        cli_json_info_file(&in->json, &trees);
        cli_json_key(&in->json, "trees");
        cli_json_open(&in->json, '[');
        status = show_trees(in, &trees);
        cli_json_close(&in->json, ']');
        cli_json_close(&in->json, '}');
        cli_text_char(&in->json.text, '\n');
        if (!in->json.text.is_short)
            cli_out_put(&in->out, in->json.text.bytes, in->json.text.n);
        in->json.text.n = 0;
        in->json.is_fresh = true;
    } else if (status == 0) {
        cli_infotext_file(&in->words, &trees);
        status = show_trees(in, &trees);
        cli_infotext_flush(&in->words);
    }
    cli_trees_close(&trees);
    return status;
}

static void inform(information *in, const cli_inputs *inputs)
{
    const char *html = in->session->opts->html;
    int status = cli_out_open(&in->out, in->session->opts->out);

    if (html != NULL)
        cli_page_begin(&in->page, inputs->n == 1 ? inputs->at[0].path : "tagma info");
    for (size_t f = 0; f < inputs->n && in->out.fd >= 0 && !cli_out_is_over(&in->out); f++) {
        if (f > 0 && !in->session->opts->json)
            cli_out_put(&in->out, "\n", 1);
        show_file(in, &inputs->at[f]);
    }
    if (html != NULL)
        cli_page_end(&in->page);
    if (in->words.text.is_short || in->json.text.is_short || in->page.is_short)
        status = cli_no_memory();
    if (status == 0 && html != NULL && in->session->status == 0)
        status = cli_out_write(html, in->page.bytes, in->page.n);
    if (status == 0)
        status = cli_out_finish(&in->out, 0);
    cli_raise(in->session, status);
    cli_out_discard(&in->out);
    cli_text_free(&in->words.text);
    cli_text_free(&in->json.text);
    cli_text_free(&in->page);
}

int cli_info(const cli_opts *opts)
{
    static const cli_json json = CLI_JSON_INIT;
    cli_session session;
    cli_inputs inputs = {0};
    information in = {.session = &session, .words = {.session = &session, .out = &in.out}, .json = json};
    int status = cli_inputs_refuse_ids(opts, "info");

    if (status == 0)
        status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);
    if (status == 0) {
        if (cli_begin(&session, opts) == 0)
            inform(&in, &inputs);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    return status;
}
