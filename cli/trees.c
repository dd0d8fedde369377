/* SPDX-License-Identifier: Apache-2.0
 * The trees of a file, one after the other, for commands that take all of them. */
#include "cli/trees.h"

#include "cli/say.h"

const char *cli_condition_name(tagma_condition condition)
{
    static const char *const names[] = {"closed", "recovered", "unclosed"};

    return names[condition];
}

const char *cli_condition_words(tagma_condition condition)
{
    static const char *const words[] = {"closed",
                                        "recovered: its directory was lost, and its records were walked",
                                        "never closed: what was saved last is read"};

    return words[condition];
}

int cli_trees_open(cli_trees *trees, cli_session *session, const cli_input *input, tagma_sidecar sidecar,
                   bool all_cycles)
{
    tagma_ctx *ctx = session->ctx;

    memset(trees, 0, sizeof *trees);
    trees->session = session;
    trees->input = input;
    trees->sidecar = sidecar;
    trees->all_cycles = all_cycles;
    trees->info.struct_bytes = sizeof trees->info;
    if (tagma_file_open(ctx, input->path, cli_io(session->opts), &trees->file) < 0)
        return cli_failed(session);
    tagma_file_get_info(trees->file, &trees->info);
    /* A file without any tree may hold what the library has a word for: RNTuple. */
    if (input->tree == NULL && trees->info.n_trees > 0)
        return 0;
    switch (cli_open(session, input, sidecar, &trees->only)) {
    case TAGMA_OK:
        return 0;
    case TAGMA_E_NAME:
        if (input->tree != NULL)
            return cli_failed(session);
        cli_word("%s", tagma_ctx_message(session->ctx));
        return 0;
    default:
        return cli_failed(session);
    }
}

void cli_trees_close(cli_trees *trees)
{
    tagma_events_release(trees->only);
    tagma_file_release(trees->file);
    memset(trees, 0, sizeof *trees);
}

static bool next_only(cli_trees *trees, tagma_tree_info *tree, tagma_events **events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    if (trees->only == NULL || trees->at++ > 0)
        return false;
    tagma_events_get_info(trees->only, &info);
    tree->name = info.tree;
    tree->title = info.title;
    tree->class_name = "TTree";
    tree->cycle = info.cycle;
    tree->is_newest = true;
    tree->n_entries = info.n_entries;
    *events = tagma_events_acquire(trees->only);
    return true;
}

bool cli_trees_next(cli_trees *trees, tagma_tree_info *tree, tagma_events **events)
{
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;
    tagma_ctx *ctx = trees->session->ctx;

    memset(tree, 0, sizeof *tree);
    tree->struct_bytes = sizeof *tree;
    *events = NULL;
    if (trees->input->tree != NULL || trees->info.n_trees == 0)
        return next_only(trees, tree, events);
    options.io = cli_io(trees->session->opts);
    options.sidecar = trees->sidecar;
    options.sidecar_path = trees->sidecar == TAGMA_SIDECAR_PATH ? trees->session->opts->index : NULL;
    options.cache_dir = cli_cache_dir();
    options.ids = trees->session->opts->ids;
    while (trees->at < trees->info.n_trees) {
        uint32_t i = trees->at++;
        if (tagma_file_tree(ctx, trees->file, i, tree) < 0) {
            cli_failed(trees->session);
            continue;
        }
        if (!tree->is_newest && !trees->all_cycles) {
            trees->n_hidden++;
            continue;
        }
        if (tagma_file_events(ctx, trees->file, i, &options, events) < 0)
            cli_failed(trees->session);
        return true;
    }
    return false;
}

/* Cycles of trees that are not shown. Once all trees were gone through they are counted; before, each is looked at. */
static uint64_t hidden_cycles(const cli_trees *trees)
{
    uint64_t n = 0;

    if (trees->at == trees->info.n_trees)
        return trees->n_hidden;
    for (uint32_t i = 0; i < trees->info.n_trees && !trees->all_cycles && trees->input->tree == NULL; i++) {
        tagma_tree_info tree = {.struct_bytes = sizeof tree};
        n += tagma_file_tree(trees->session->ctx, trees->file, i, &tree) == TAGMA_OK && !tree.is_newest;
    }
    return n;
}

void cli_trees_others(const cli_trees *trees, cli_text *text)
{
    char number[CLI_NUMBER_BYTES];
    const char *before = "also ";
    uint64_t cycles = hidden_cycles(trees);

    for (uint32_t i = 0; i < trees->info.n_classes; i++) {
        const char *name;
        uint64_t n;
        if (tagma_file_class(trees->file, i, &name, &n) != TAGMA_OK)
            continue;
        cli_text_format(text, "%s%s ", before, cli_grouped(n, number));
        cli_text_visible(text, name, strlen(name));
        before = ", ";
    }
    if (cycles > 0)
        cli_text_format(text, "%s%s TTree cycle%s", before, cli_grouped(cycles, number), cli_s(cycles));
}
