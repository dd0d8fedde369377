/* SPDX-License-Identifier: Apache-2.0
 * tagma check: unpack and decode every record and basket, a line a fault. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/globs.h"
#include "cli/json.h"
#include "cli/outfile.h"
#include "cli/reads.h"
#include "cli/say.h"
#include "cli/trees.h"

enum { UNSUPPORTED_NAMED = 10 };

typedef struct checking {
    cli_session *session;
    cli_out out;
    cli_text line;
    cli_json json;   /* of the file that is checked now */
    cli_json faults; /* of the same file */
    uint64_t n_file_faults;
    bool is_partial; /* something was not checked, for no fault of the file */
    cli_globs globs; /* -c */
    uint64_t n_trees, n_branches, n_unsupported, n_baskets, n_records;
    cli_text unsupported; /* names, the first few */
} checking;

static void put_line(checking *c)
{
    if (!c->session->opts->json && !c->line.is_short)
        cli_out_put(&c->out, c->line.bytes, c->line.n);
    c->line.n = 0;
}

/* The words hold file, tree, branch, basket and byte. */
static void put_fault(checking *c, const char *words)
{
    c->n_file_faults++;
    cli_raise(c->session, 2);
    cli_text_visible(&c->line, words, strlen(words));
    cli_text_char(&c->line, '\n');
    put_line(c);
}

static void on_fault(void *user, const tagma_fault *fault)
{
    checking *c = user;
    cli_json *json = &c->faults;

    cli_json_fault(json, fault);
    put_fault(c, fault->message);
}

/* A tree whose record is damaged is met twice: with all records, and when it is opened. */
static bool is_told(const checking *c, const char *words)
{
    cli_text quoted = {0};
    bool found;

    cli_text_json(&quoted, words, strlen(words));
    found = !quoted.is_short && c->faults.text.n > 0 &&
            memmem(c->faults.text.bytes, c->faults.text.n, quoted.bytes, quoted.n) != NULL;
    cli_text_free(&quoted);
    return found;
}

/* Trouble that ended a part of the work: what could not even be begun. */
static void put_failure(checking *c, const char *words)
{
    if (is_told(c, words))
        return;
    if (tagma_ctx_status(c->session->ctx) == TAGMA_E_MEMORY) {
        bool was_silent = c->session->is_silent;
        c->session->is_silent = false;
        c->is_partial = true;
        cli_failed(c->session);
        c->session->is_silent = was_silent;
        return;
    }
    cli_json_open(&c->faults, '{');
    cli_json_member_string(&c->faults, "message", words);
    cli_json_close(&c->faults, '}');
    put_fault(c, words);
}

/* The branches that are checked. */
static void count_branches(checking *c, const tagma_schema *schema, const uint32_t *columns, uint32_t n)
{
    c->n_branches += n;
    for (uint32_t i = 0; i < n; i++) {
        const tagma_column *column = tagma_schema_column(schema, columns[i]);
        if (column->reason == NULL)
            continue;
        if (c->n_unsupported < UNSUPPORTED_NAMED) {
            cli_text_words(&c->unsupported, c->n_unsupported > 0 ? ", " : " (");
            cli_text_visible(&c->unsupported, column->name, strlen(column->name));
        } else if (c->n_unsupported == UNSUPPORTED_NAMED) {
            cli_text_words(&c->unsupported, ", ...");
        }
        c->n_unsupported++;
    }
}

static void json_tree(checking *c, const tagma_tree_info *tree, const tagma_events *events,
                      uint64_t n_baskets, uint64_t n_faults)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t n = tagma_schema_n_columns(schema);
    cli_json *json = &c->json;

    cli_json_open(json, '{');
    cli_json_member_string(json, "name", tree->name);
    cli_json_member_u64(json, "cycle", tree->cycle);
    cli_json_member_u64(json, "branches", n);
    cli_json_member_u64(json, "baskets", n_baskets);
    cli_json_member_u64(json, "faults", n_faults);
    cli_json_key(json, "unsupported");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < n; i++) {
        const tagma_column *column = tagma_schema_column(schema, i);
        if (column->reason == NULL)
            continue;
        cli_json_open(json, '{');
        cli_json_member_string(json, "name", column->name);
        cli_json_member_string(json, "reason", column->reason);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void check_columns(checking *c, const tagma_tree_info *tree, tagma_events *events,
                          const uint32_t *columns, uint32_t n)
{
    tagma_reader *reader = NULL;
    uint64_t n_baskets = 0;
    uint64_t n_faults = 0;

    c->n_trees++;
    count_branches(c, tagma_events_schema(events), columns, n);
    cli_enter(c->session, CLI_PHASE_READ);
    if (cli_reader(c->session, events, &reader) != 0)
        c->is_partial = true;
    else if (tagma_events_check(c->session->ctx, reader, c->globs.n > 0 ? columns : NULL, n, &n_baskets,
                                &n_faults) < 0)
        put_failure(c, tagma_ctx_message(c->session->ctx));
    cli_reader_done(c->session, reader);
    c->n_baskets += n_baskets;
    json_tree(c, tree, events, n_baskets, n_faults);
    if (tagma_events_unchanged(c->session->ctx, events) < 0)
        put_failure(c, tagma_ctx_message(c->session->ctx));
}

/* With -c a tree that has none of the branches is passed over. */
static void check_tree(checking *c, const tagma_tree_info *tree, tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t n_columns = tagma_schema_n_columns(schema);
    uint32_t *columns = calloc((size_t)n_columns + 1, sizeof *columns);
    uint32_t n = 0;

    if (columns == NULL) {
        c->is_partial = true;
        cli_raise(c->session, cli_no_memory());
        return;
    }
    cli_globs_begin_tree(&c->globs, schema);
    for (uint32_t i = 0; i < n_columns; i++) {
        if (cli_globs_pick(&c->globs, i, tagma_schema_column(schema, i)))
            columns[n++] = i;
    }
    if (n > 0 || c->globs.n == 0)
        check_columns(c, tree, events, columns, n);
    free(columns);
}

/* What cannot be opened is a fault of the file, told as such. */
static bool next_tree(checking *c, cli_trees *trees, tagma_tree_info *tree, tagma_events **events)
{
    bool is_there;

    c->session->is_silent = true;
    is_there = cli_trees_next(trees, tree, events);
    c->session->is_silent = false;
    return is_there;
}

static void put_condition(checking *c, const cli_trees *trees)
{
    cli_text words = {0};

    cli_text_format(&words, "%s: %s", trees->input->path, cli_condition_words(trees->info.condition));
    cli_text_char(&words, '\0');
    if (!words.is_short)
        put_failure(c, words.bytes);
    cli_text_free(&words);
}

static void check_trees(checking *c, cli_trees *trees)
{
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    tagma_events *events;
    uint64_t n_faults;
    bool is_whole = c->session->opts->columns == NULL && trees->input->tree == NULL;

    if (is_whole && tagma_file_check(c->session->ctx, trees->file, &c->n_records, &n_faults) < 0)
        put_failure(c, tagma_ctx_message(c->session->ctx));
    /* The check of all records has told this already. */
    if (!is_whole && trees->info.condition != TAGMA_CLOSED)
        put_condition(c, trees);
    while (next_tree(c, trees, &tree, &events)) {
        if (events != NULL)
            check_tree(c, &tree, events);
        else
            put_failure(c, tagma_ctx_message(c->session->ctx));
        tagma_events_release(events);
    }
    if (cli_globs_end_file(&c->globs, trees) > 0)
        c->is_partial = true;
}

static void put_counted(cli_text *line, const char *before, uint64_t n, const char *what, const char *more)
{
    char number[CLI_NUMBER_BYTES];

    cli_text_format(line, "%s%s %s%s", before, cli_grouped(n, number), what, n == 1 ? "" : more);
}

/* What the values of a tree stand in, one by one checked. */
static void put_pieces(checking *c, const tagma_file_info *info)
{
    char number[CLI_NUMBER_BYTES];

    if (info->kind == NULL ||
        strncmp(info->kind, "Tagma", strlen("Tagma")) != 0) /* NULL: it could not be opened */
        put_counted(&c->line, ", ", c->n_baskets, "basket", "s");
    else if (strncmp(info->codec, "fixed", strlen("fixed")) == 0)
        put_counted(&c->line, ", ", c->n_baskets, "record", "s");
    else
        cli_text_format(&c->line, ", %s tiles and chunks", cli_grouped(c->n_baskets, number));
}

/* "x.root: sound. 1 tree, 1,601 branches, 12,345 baskets, 30 other records checked" */
static void put_summary(checking *c, const char *path, const tagma_file_info *info)
{
    cli_text_visible(&c->line, path, strlen(path));
    if (c->n_file_faults == 0)
        cli_text_words(&c->line, c->is_partial ? ": not all was checked. " : ": sound. ");
    else
        put_counted(&c->line, ": ", c->n_file_faults, "fault", "s. ");
    if (c->n_file_faults == 1)
        cli_text_words(&c->line, ". ");
    put_counted(&c->line, "", c->n_trees, "tree", "s");
    put_counted(&c->line, ", ", c->n_branches, "branch", "es");
    put_pieces(c, info);
    put_counted(&c->line, ", ", c->n_records, "other record", "s");
    cli_text_words(&c->line, " checked");
    if (c->n_unsupported > 0) {
        put_counted(&c->line, "; ", c->n_unsupported, "unsupported branch", "es");
        cli_text_put(&c->line, c->unsupported.bytes, c->unsupported.n);
        cli_text_char(&c->line, ')');
    }
    cli_text_char(&c->line, '\n');
    put_line(c);
}

static void end_json(checking *c)
{
    cli_json *json = &c->json;

    cli_json_close(json, ']');
    cli_json_member_u64(json, "records", c->n_records);
    cli_json_key(json, "faults");
    cli_json_open(json, '[');
    cli_text_put(&json->text, c->faults.text.bytes, c->faults.text.n);
    cli_json_close(json, ']');
    cli_json_member_bool(json, "sound", c->n_file_faults == 0 && !c->is_partial);
    cli_json_close(json, '}');
    cli_text_char(&json->text, '\n');
    if (c->session->opts->json && !json->text.is_short)
        cli_out_put(&c->out, json->text.bytes, json->text.n);
    json->text.n = 0;
    json->is_fresh = true;
    c->faults.text.n = 0;
    c->faults.is_fresh = true;
}

static void check_file(checking *c, const cli_input *input)
{
    cli_trees trees;
    int status;

    c->n_file_faults = 0;
    c->is_partial = false;
    cli_globs_begin_file(&c->globs);
    c->n_trees = c->n_branches = c->n_unsupported = c->n_baskets = c->n_records = 0;
    c->unsupported.n = 0;
    cli_json_open(&c->json, '{');
    cli_json_member_string(&c->json, "file", input->path);
    cli_json_key(&c->json, "trees");
    cli_json_open(&c->json, '[');
    c->session->is_silent = true;
    status = cli_trees_open(&trees, c->session, input, TAGMA_SIDECAR_NONE, true);
    c->session->is_silent = false;
    if (status == 0)
        check_trees(c, &trees);
    else
        put_failure(c, tagma_ctx_message(c->session->ctx));
    end_json(c);
    put_summary(c, input->path, &trees.info);
    cli_out_flush(&c->out);
    cli_trees_close(&trees);
}

static void check_files(checking *c, const cli_inputs *inputs)
{
    int status = cli_out_open(&c->out, c->session->opts->out);

    for (size_t f = 0; f < inputs->n && c->out.fd >= 0 && !cli_out_is_over(&c->out); f++)
        check_file(c, &inputs->at[f]);
    if (c->line.is_short || c->json.text.is_short || c->faults.text.is_short)
        status = cli_no_memory();
    if (status == 0)
        status = cli_out_finish(&c->out, 0);
    cli_raise(c->session, status);
    cli_out_discard(&c->out);
    cli_text_free(&c->line);
    cli_text_free(&c->unsupported);
    cli_text_free(&c->json.text);
    cli_text_free(&c->faults.text);
}

int cli_check(const cli_opts *opts)
{
    static const cli_json json = CLI_JSON_INIT;
    cli_session session;
    cli_inputs inputs = {0};
    checking c = {.session = &session, .json = json, .faults = json};
    int status = cli_inputs_refuse_ids(opts, "check");

    if (status == 0)
        status = cli_inputs_new(opts, opts->names, opts->n_names, &inputs);
    if (status == 0)
        status = cli_globs_new(NULL, 0, opts->columns, &c.globs);
    if (status == 0) {
        status = cli_begin(&session, opts);
        session.fault_fn = on_fault;
        session.fault_user = &c;
        if (status == 0)
            check_files(&c, &inputs);
        status = cli_end(&session);
    }
    cli_inputs_free(&inputs);
    cli_globs_free(&c.globs);
    return status;
}
