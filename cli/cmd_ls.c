/* SPDX-License-Identifier: Apache-2.0
 * tagma ls: trees of files, and with -l their branches. */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/globs.h"
#include "cli/json.h"
#include "cli/outfile.h"
#include "cli/say.h"
#include "cli/table.h"
#include "cli/trees.h"
#include "cli/width.h"

enum { LEAST_TITLE = 12, LONGEST_TYPE = 512 };

typedef struct listing {
    cli_session *session;
    const cli_inputs *inputs;
    cli_globs globs; /* names and globs among the arguments, and of -c */
    cli_out out;
    cli_json json;
    cli_text row, tail;
    size_t width; /* of the terminal; 0 for none */
} listing;

static void put_text(listing *ls, const cli_text *text)
{
    if (!text->is_short)
        cli_out_put(&ls->out, text->bytes, text->n);
}

static void row_of(listing *ls, const tagma_events *events, uint32_t i, const tagma_column *column)
{
    const tagma_schema *schema = tagma_events_schema(events);
    tagma_storage storage = {.struct_bytes = sizeof storage};
    char type[LONGEST_TYPE];

    ls->row.n = 0;
    tagma_schema_spell(schema, i, type, sizeof type);
    cli_cell_words(&ls->row, column->name);
    cli_cell_words(&ls->row, column->reason != NULL ? "unsupported" : type);
    if (tagma_events_storage(events, i, &storage) != TAGMA_OK)
        storage.codec = "";
    cli_cell_u64(&ls->row, storage.n_baskets);
    cli_cell_u64(&ls->row, storage.packed_bytes);
    cli_cell_u64(&ls->row, storage.bytes);
    if (storage.packed_bytes > 0)
        cli_cell_format(&ls->row, "%.2f", (double)storage.bytes / (double)storage.packed_bytes);
    else
        cli_cell_words(&ls->row, "-");
    cli_cell_words(&ls->row, storage.codec);
    if (column->reason != NULL)
        cli_cell_words(&ls->row, column->reason);
    else
        cli_cell_words(&ls->row, column->title);
}

/* The title is cut, so that a line of the terminal holds a branch. */
static void fit_title(const listing *ls, cli_table *table)
{
    size_t taken = 0;
    cli_table_column *title = &table->columns[table->n_columns - 1];

    for (size_t i = 0; i + 1 < table->n_columns; i++)
        taken += table->columns[i].width + 2;
    title->most = ls->width > taken + LEAST_TITLE ? ls->width - taken : LEAST_TITLE;
}

static void list_columns(listing *ls, const tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t n = tagma_schema_n_columns(schema);
    cli_table table = {0};

    cli_globs_begin_tree(&ls->globs, schema);
    cli_table_add_column(&table, "branch", false);
    cli_table_add_column(&table, "type", false);
    cli_table_add_column(&table, "baskets", true);
    cli_table_add_column(&table, "on disk", true);
    cli_table_add_column(&table, "unpacked", true);
    cli_table_add_column(&table, "ratio", true);
    cli_table_add_column(&table, "codec", false);
    cli_table_add_column(&table, "title", false);
    for (uint32_t i = 0; i < n; i++) {
        const tagma_column *column = tagma_schema_column(schema, i);
        if (!cli_globs_pick(&ls->globs, i, column))
            continue;
        row_of(ls, events, i, column);
        cli_table_add_row(&table, ls->row.bytes, ls->row.n);
    }
    if (ls->width > 0)
        fit_title(ls, &table);
    if (table.n_rows > 0)
        cli_table_print(&table, &ls->out);
    cli_table_free(&table);
}

/* Into ls->tail: they stand below the table. */
static void list_friends(listing *ls, const tagma_events *events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    tagma_events_get_info(events, &info);
    for (uint32_t i = 0; i < info.n_friends; i++) {
        const char *name;
        const char *file;
        if (tagma_events_friend(events, i, &name, &file) != TAGMA_OK)
            continue;
        file = *file != '\0' ? file : info.file;
        cli_text_words(&ls->tail, "friend of ");
        cli_text_visible(&ls->tail, info.tree, strlen(info.tree));
        cli_text_words(&ls->tail, ": ");
        cli_text_visible(&ls->tail, name, strlen(name));
        cli_text_words(&ls->tail, " in ");
        cli_text_visible(&ls->tail, file, strlen(file));
        cli_text_char(&ls->tail, '\n');
    }
}

static void end_tail(listing *ls)
{
    put_text(ls, &ls->tail);
    ls->tail.n = 0;
}

/* "Events;1: 1,000 entries, 1,601 branches" */
static void list_long(listing *ls, const tagma_tree_info *tree, const tagma_events *events)
{
    char number[2][CLI_NUMBER_BYTES];
    uint32_t n = tagma_schema_n_columns(tagma_events_schema(events));

    ls->row.n = 0;
    cli_text_visible(&ls->row, tree->name, strlen(tree->name));
    cli_text_format(&ls->row, ";%" PRIu32 ": %s entr%s, %s branch%s\n", tree->cycle,
                    cli_grouped(tree->n_entries, number[0]), tree->n_entries == 1 ? "y" : "ies",
                    cli_grouped(n, number[1]), n == 1 ? "" : "es");
    put_text(ls, &ls->row);
    list_columns(ls, events);
    list_friends(ls, events);
    end_tail(ls);
}

static void list_short(listing *ls, cli_table *table, const tagma_tree_info *tree, const tagma_events *events)
{
    ls->row.n = 0;
    cli_cell_words(&ls->row, tree->name);
    cli_cell_u64(&ls->row, tree->cycle);
    if (events != NULL) {
        cli_cell_u64(&ls->row, tree->n_entries);
        cli_cell_u64(&ls->row, tagma_schema_n_columns(tagma_events_schema(events)));
    } else {
        cli_cell_words(&ls->row, "damaged");
        cli_cell_words(&ls->row, "");
    }
    cli_cell_words(&ls->row, tree->title != NULL ? tree->title : "");
    cli_table_add_row(table, ls->row.bytes, ls->row.n);
}

static void begin_short(cli_table *table)
{
    cli_table_add_column(table, "tree", false);
    cli_table_add_column(table, "cycle", true);
    cli_table_add_column(table, "entries", true);
    cli_table_add_column(table, "branches", true);
    cli_table_add_column(table, "title", false);
}

static void list_trees(listing *ls, cli_trees *trees)
{
    bool is_long = ls->session->opts->is_long;
    cli_table table = {0};
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    tagma_events *events;

    begin_short(&table);
    while (cli_trees_next(trees, &tree, &events)) {
        if (!is_long)
            list_short(ls, &table, &tree, events);
        if (!is_long && events != NULL)
            list_friends(ls, events);
        if (is_long && events != NULL)
            list_long(ls, &tree, events);
        tagma_events_release(events);
    }
    if (ls->width > 0)
        fit_title(ls, &table);
    if (table.n_rows > 0)
        cli_table_print(&table, &ls->out);
    cli_table_free(&table);
    end_tail(ls);
    cli_trees_others(trees, &ls->tail);
    if (ls->tail.n > 0)
        cli_text_char(&ls->tail, '\n');
    end_tail(ls);
}

static void json_column(listing *ls, const tagma_events *events, uint32_t i, const tagma_column *column)
{
    tagma_storage storage = {.struct_bytes = sizeof storage};
    char type[LONGEST_TYPE];

    if (tagma_events_storage(events, i, &storage) != TAGMA_OK)
        storage.codec = NULL;
    tagma_schema_spell(tagma_events_schema(events), i, type, sizeof type);
    cli_json_open(&ls->json, '{');
    cli_json_member_string(&ls->json, "name", column->name);
    cli_json_member_string(&ls->json, "type", column->reason != NULL ? NULL : type);
    cli_json_member_string(&ls->json, "title", column->title);
    cli_json_member_bool(&ls->json, "supported", column->reason == NULL);
    cli_json_member_string(&ls->json, "reason", column->reason);
    cli_json_member_u64(&ls->json, "baskets", storage.n_baskets);
    cli_json_member_u64(&ls->json, "bytes", storage.bytes);
    cli_json_member_u64(&ls->json, "packed_bytes", storage.packed_bytes);
    cli_json_member_string(&ls->json, "codec", storage.codec);
    cli_json_close(&ls->json, '}');
}

static void json_columns(listing *ls, const tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t n = tagma_schema_n_columns(schema);

    cli_globs_begin_tree(&ls->globs, schema);
    cli_json_key(&ls->json, "columns");
    cli_json_open(&ls->json, '[');
    for (uint32_t i = 0; i < n; i++) {
        const tagma_column *column = tagma_schema_column(schema, i);
        if (cli_globs_pick(&ls->globs, i, column))
            json_column(ls, events, i, column);
    }
    cli_json_close(&ls->json, ']');
}

static void json_tree(listing *ls, const tagma_tree_info *tree, const tagma_events *events)
{
    cli_json_open(&ls->json, '{');
    cli_json_member_string(&ls->json, "name", tree->name);
    cli_json_member_u64(&ls->json, "cycle", tree->cycle);
    if (events == NULL) {
        cli_json_member_string(&ls->json, "error", tree->error != NULL ? tree->error : "it cannot be read");
    } else {
        cli_json_member_u64(&ls->json, "entries", tree->n_entries);
        if (ls->session->opts->is_long)
            json_columns(ls, events);
        else
            cli_json_member_u64(&ls->json, "branches", tagma_schema_n_columns(tagma_events_schema(events)));
    }
    cli_json_close(&ls->json, '}');
}

static void json_trees(listing *ls, cli_trees *trees)
{
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    tagma_events *events;

    cli_json_open(&ls->json, '{');
    cli_json_member_string(&ls->json, "file", trees->input->path);
    cli_json_key(&ls->json, "trees");
    cli_json_open(&ls->json, '[');
    while (cli_trees_next(trees, &tree, &events)) {
        json_tree(ls, &tree, events);
        tagma_events_release(events);
    }
    cli_json_close(&ls->json, ']');
    cli_json_close(&ls->json, '}');
    cli_text_char(&ls->json.text, '\n');
    put_text(ls, &ls->json.text);
    ls->json.text.n = 0;
    ls->json.is_fresh = true;
}

static int list_file(listing *ls, const cli_input *input)
{
    cli_trees trees;
    int status = cli_trees_open(&trees, ls->session, input, TAGMA_SIDECAR_NONE, false);

    cli_globs_begin_file(&ls->globs);
    if (status == 0 && ls->inputs->n > 1 && !ls->session->opts->json) {
        ls->row.n = 0;
        cli_text_visible(&ls->row, input->path, strlen(input->path));
        cli_text_words(&ls->row, ":\n");
        put_text(ls, &ls->row);
    }
    if (status == 0 && ls->session->opts->json)
        json_trees(ls, &trees);
    else if (status == 0)
        list_trees(ls, &trees);
    if (status == 0)
        cli_globs_end_file(&ls->globs, &trees);
    cli_trees_close(&trees);
    return status;
}

static void list_files(listing *ls)
{
    const cli_opts *opts = ls->session->opts;
    int status = cli_out_open(&ls->out, opts->out);

    if (status == 0 && opts->out == NULL)
        ls->width = cli_terminal_width(STDOUT_FILENO);
    for (size_t f = 0; f < ls->inputs->n && !cli_out_is_over(&ls->out) && ls->out.fd >= 0; f++)
        list_file(ls, &ls->inputs->at[f]);
    if (ls->row.is_short || ls->tail.is_short || ls->json.text.is_short)
        status = cli_no_memory();
    if (status == 0)
        status = cli_out_finish(&ls->out, 0);
    cli_raise(ls->session, status);
    cli_out_discard(&ls->out);
    cli_text_free(&ls->row);
    cli_text_free(&ls->tail);
    cli_text_free(&ls->json.text);
}

/* The first argument is a file; others are, where there is one of that name or it looks like one. */
static bool is_file(const char *word)
{
    struct stat seen;

    return stat(word, &seen) == 0 || strstr(word, ".root") != NULL;
}

/* Names of files to the front of `names`, globs behind them. @return how many are files. */
static size_t part_names(const cli_opts *opts, const char **names)
{
    size_t n_files = 0;
    size_t n_globs = 0;

    for (size_t i = 0; i < opts->n_names; i++) {
        if ((i == 0 && opts->files == NULL) || is_file(opts->names[i]))
            names[n_files++] = opts->names[i];
    }
    for (size_t i = 0; i < opts->n_names; i++) {
        if (!((i == 0 && opts->files == NULL) || is_file(opts->names[i])))
            names[n_files + n_globs++] = opts->names[i];
    }
    return n_files;
}

int cli_ls(const cli_opts *opts)
{
    static const cli_json json = CLI_JSON_INIT;
    cli_session session;
    cli_inputs inputs = {0};
    listing ls = {.session = &session, .inputs = &inputs, .json = json};
    const char **names = calloc(opts->n_names + 1, sizeof *names);
    cli_opts mine = *opts;
    int status = names != NULL ? 0 : cli_no_memory();
    size_t n_files = status == 0 ? part_names(opts, names) : 0;

    if (status == 0)
        status = cli_inputs_refuse_ids(opts, "ls");
    if (status == 0)
        status = cli_inputs_new(opts, names, n_files, &inputs);
    if (status == 0)
        status = cli_globs_new(names + n_files, opts->n_names - n_files, opts->columns, &ls.globs);
    if (status == 0) {
        mine.is_long = opts->is_long || (ls.globs.n > 0 && !opts->json);
        if (cli_begin(&session, &mine) == 0)
            list_files(&ls);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    cli_globs_free(&ls.globs);
    free(names);
    return status;
}
