/* SPDX-License-Identifier: Apache-2.0
 * tagma info: what a file is, and what its trees hold and cost. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/idaxes.h"
#include "cli/json.h"
#include "cli/outfile.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "cli/trees.h"

enum { GROUPS_SHOWN = 20, BAR = 30 };

typedef struct information {
    cli_session *session;
    cli_out out;
    cli_text text;
    cli_json json;
} information;

/* "  name       value" */
static void line(information *in, const char *name, const char *format, ...) TAGMA_PRINTF(3, 4);
static void line(information *in, const char *name, const char *format, ...)
{
    char words[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    cli_text_format(&in->text, "  %-10s ", name);
    cli_text_visible(&in->text, words, strlen(words));
    cli_text_char(&in->text, '\n');
}

static void put_text(information *in)
{
    if (in->text.n > 0 && !in->text.is_short)
        cli_out_put(&in->out, in->text.bytes, in->text.n);
    in->text.n = 0;
}

static void put_table(information *in, cli_table *table)
{
    put_text(in);
    cli_table_print(table, &in->out);
    cli_table_free(table);
}

static void put_file(information *in, const cli_trees *trees)
{
    const tagma_file_info *info = &trees->info;
    char number[CLI_NUMBER_BYTES];
    char bytes[CLI_NUMBER_BYTES];
    size_t before;

    cli_text_visible(&in->text, trees->input->path, strlen(trees->input->path));
    cli_text_char(&in->text, '\n');
    line(in, "kind", "%s file, format %" PRId32, info->kind, info->version);
    line(in, "written by", "%s %s", info->kind, info->producer);
    line(in, "size", "%s (%s bytes)", cli_bytes(info->bytes, bytes), cli_grouped(info->bytes, number));
    line(in, "codec", "%s", info->codec);
    line(in, "condition", "%s", cli_condition_words(info->condition));
    if (*info->uuid != '\0')
        line(in, "uuid", "%s", info->uuid);
    cli_text_words(&in->text, "  ");
    before = in->text.n;
    cli_trees_others(trees, &in->text);
    if (in->text.n == before)
        in->text.n -= 2;
    else
        cli_text_char(&in->text, '\n');
}

static void put_sizes(information *in, const cli_summary *s)
{
    cli_table table = {.no_titles = true, .indent = 4};
    cli_text row = {0};
    uint64_t most = 1;
    char low[CLI_NUMBER_BYTES];
    char bar[BAR + 1];

    for (size_t k = 0; k < CLI_SIZES; k++)
        most = s->sizes[k] > most ? s->sizes[k] : most;
    cli_table_add_column(&table, "from", false);
    cli_table_add_column(&table, "n", true);
    cli_table_add_column(&table, "bar", false);
    for (size_t k = 0; k < CLI_SIZES; k++) {
        size_t length = (size_t)((double)s->sizes[k] / (double)most * BAR);
        if (s->sizes[k] == 0)
            continue;
        memset(bar, '#', sizeof bar);
        bar[length == 0 ? 1 : length] = '\0';
        row.n = 0;
        cli_cell_format(&row, "from %s", cli_bytes(cli_sizes[k], low));
        cli_cell_u64(&row, s->sizes[k]);
        cli_cell_words(&row, bar);
        cli_table_add_row(&table, row.bytes, row.n);
    }
    put_table(in, &table);
    cli_text_free(&row);
}

static void put_groups(information *in, const cli_summary *s)
{
    cli_table table = {.indent = 4};
    cli_text row = {0};
    uint64_t all = 0;
    char bytes[CLI_NUMBER_BYTES];

    for (size_t g = 0; g < s->n_groups; g++)
        all += s->groups[g].packed_bytes;
    cli_table_add_column(&table, "collection", false);
    cli_table_add_column(&table, "branches", true);
    cli_table_add_column(&table, "on disk", true);
    cli_table_add_column(&table, "share", true);
    cli_table_add_column(&table, "unpacked", true);
    for (size_t g = 0; g < s->n_groups && g < GROUPS_SHOWN; g++) {
        const cli_group_bytes *group = &s->groups[g];
        row.n = 0;
        cli_cell_words(&row, group->name);
        cli_cell_u64(&row, group->n_columns);
        cli_cell_words(&row, cli_bytes(group->packed_bytes, bytes));
        cli_cell_format(&row, "%.1f %%", all > 0 ? 100.0 * (double)group->packed_bytes / (double)all : 0.0);
        cli_cell_words(&row, cli_bytes(group->bytes, bytes));
        cli_table_add_row(&table, row.bytes, row.n);
    }
    put_table(in, &table);
    cli_text_free(&row);
    if (s->n_groups > GROUPS_SHOWN)
        cli_text_format(&in->text, "    ... %s more (--json)\n",
                        cli_grouped(s->n_groups - GROUPS_SHOWN, bytes));
}

/* "38 runs (273158-284044), 5,123 luminosity blocks, 81,230 events" */
static void put_index(information *in, const cli_axes *axes, const tagma_index *index)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    cli_text words = {0};
    char number[CLI_NUMBER_BYTES];

    tagma_index_get_info(index, &info);
    for (uint32_t a = 0; a < info.n_axes && a < axes->n; a++) {
        const char *role = cli_axes_role(axes, a);
        uint64_t n = info.n_distinct[a];
        cli_text_format(&words, "%s%s %s%s", a > 0 ? ", " : "", cli_grouped(n, number),
                        strcmp(role, "lumi") == 0 ? "luminosity block" : role, cli_s(n));
        if (a > 0 || info.n_entries == 0)
            continue;
        cli_text_words(&words, " (");
        cli_put_axis(&words, axes, a, info.min[a]);
        if (info.min[a] != info.max[a]) {
            cli_text_char(&words, '-');
            cli_put_axis(&words, axes, a, info.max[a]);
        }
        cli_text_char(&words, ')');
    }
    cli_text_char(&words, '\0');
    if (!words.is_short)
        line(in, "indexed", "%s", words.bytes);
    if (info.n_repeated_ids > 0)
        line(in, "duplicates", "%s id%s several entries", cli_grouped(info.n_repeated_ids, number),
             info.n_repeated_ids == 1 ? " has" : "s have");
    cli_text_free(&words);
}

/* Axes of a tree; none where it has none or they are not plain: then *words tells why. */
static int axes_of(information *in, const tagma_events *events, cli_axes *axes, const char **words)
{
    tagma_ids ids;

    memset(axes, 0, sizeof *axes);
    *words = "none found";
    switch (tagma_events_ids(in->session->ctx, events, &ids)) {
    case TAGMA_OK:
        return cli_axes_new(axes, tagma_events_schema(events), &ids);
    case TAGMA_ABSENT:
        return 0;
    default:
        *words = tagma_ctx_message(in->session->ctx);
        return 0;
    }
}

static int put_ids(information *in, const tagma_events *events)
{
    const tagma_index *index = NULL;
    const char *why;
    cli_axes axes;
    cli_text words = {0};

    if (axes_of(in, events, &axes, &why) != 0)
        return 2;
    if (tagma_events_index(in->session->ctx, events, &index) < 0)
        cli_failed(in->session);
    if (axes.n > 0) {
        cli_axes_words(&words, &axes);
        line(in, "ids", "%s", words.is_short ? "" : words.bytes);
        cli_text_free(&words);
    } else {
        line(in, "ids", "%s", why);
    }
    if (axes.n > 0 && index != NULL)
        put_index(in, &axes, index);
    else if (axes.n > 0)
        line(in, "indexed", "no; tagma index keeps an index of its ids");
    cli_axes_free(&axes);
    return 0;
}

static int put_tree(information *in, const tagma_tree_info *tree, const tagma_events *events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    cli_summary summary;
    char n[3][CLI_NUMBER_BYTES];
    int status = cli_summary_new(&summary, events);

    tagma_events_get_info(events, &info);
    cli_text_char(&in->text, '\n');
    cli_text_visible(&in->text, tree->name, strlen(tree->name));
    cli_text_format(&in->text, ";%" PRIu32 "\n", tree->cycle);
    if (tree->title != NULL && *tree->title != '\0' && strcmp(tree->title, tree->name) != 0)
        line(in, "title", "%s", tree->title);
    line(in, "entries", "%s in %s cluster%s", cli_grouped(info.n_entries, n[0]),
         cli_grouped(info.n_clusters, n[1]), cli_s(info.n_clusters));
    if (summary.n_unsupported > 0)
        line(in, "branches", "%s, of them %s unsupported (tagma ls -l tells why)",
             cli_grouped(summary.n_columns, n[0]), cli_grouped(summary.n_unsupported, n[1]));
    else
        line(in, "branches", "%s", cli_grouped(summary.n_columns, n[0]));
    /* What lies in the tree's own record has no size on disk of its own. */
    if (summary.n_embedded == 0 && info.packed_bytes > 0)
        line(in, "bytes", "%s on disk, %s unpacked, ratio %.2f", cli_bytes(info.packed_bytes, n[0]),
             cli_bytes(info.bytes, n[1]), (double)info.bytes / (double)info.packed_bytes);
    else
        line(in, "bytes", "%s on disk, %s unpacked", cli_bytes(info.packed_bytes, n[0]),
             cli_bytes(info.bytes, n[1]));
    for (uint32_t i = 0; i < info.n_friends; i++) {
        const char *name;
        const char *file;
        if (tagma_events_friend(events, i, &name, &file) == TAGMA_OK)
            line(in, "friend", "%s in %s", name, *file != '\0' ? file : info.file);
    }
    if (status == 0)
        status = put_ids(in, events);
    if (summary.n_embedded > 0)
        line(in, "baskets", "%s, of them %s inside the tree's own record; the others by bytes on disk:",
             cli_grouped(summary.n_baskets, n[0]), cli_grouped(summary.n_embedded, n[1]));
    else
        line(in, "baskets", "%s, by bytes on disk:", cli_grouped(summary.n_baskets, n[0]));
    put_sizes(in, &summary);
    put_groups(in, &summary);
    cli_summary_free(&summary);
    return status;
}

static void json_summary(information *in, const cli_summary *s)
{
    cli_json *json = &in->json;

    cli_json_member_u64(json, "branches", s->n_columns);
    cli_json_member_u64(json, "unsupported", s->n_unsupported);
    cli_json_member_u64(json, "baskets", s->n_baskets);
    cli_json_member_u64(json, "embedded_baskets", s->n_embedded);
    cli_json_key(json, "basket_sizes");
    cli_json_open(json, '[');
    for (size_t k = 0; k < CLI_SIZES; k++) {
        if (s->sizes[k] == 0)
            continue;
        cli_json_open(json, '{');
        cli_json_member_u64(json, "from", cli_sizes[k]);
        cli_json_member_u64(json, "baskets", s->sizes[k]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_key(json, "collections");
    cli_json_open(json, '[');
    for (size_t g = 0; g < s->n_groups; g++) {
        cli_json_open(json, '{');
        cli_json_member_string(json, "name", s->groups[g].name);
        cli_json_member_u64(json, "branches", s->groups[g].n_columns);
        cli_json_member_u64(json, "bytes", s->groups[g].bytes);
        cli_json_member_u64(json, "packed_bytes", s->groups[g].packed_bytes);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_index(information *in, const cli_axes *axes, const tagma_index *index)
{
    cli_json *json = &in->json;
    tagma_index_info info = {.struct_bytes = sizeof info};

    tagma_index_get_info(index, &info);
    cli_json_open(json, '{');
    cli_json_member_u64(json, "ids", info.n_ids);
    cli_json_member_u64(json, "repeated", info.n_repeated_ids);
    cli_json_key(json, "distinct");
    cli_json_open(json, '{');
    for (uint32_t a = 0; a < info.n_axes && a < axes->n; a++)
        cli_json_member_u64(json, cli_axes_role(axes, a), info.n_distinct[a]);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

static int json_ids(information *in, const tagma_events *events)
{
    cli_json *json = &in->json;
    const tagma_index *index = NULL;
    const char *why;
    cli_axes axes;

    if (axes_of(in, events, &axes, &why) != 0)
        return 2;
    if (tagma_events_index(in->session->ctx, events, &index) < 0)
        cli_failed(in->session);
    cli_json_key(json, "ids");
    cli_json_open(json, '{');
    for (uint32_t a = 0; a < axes.n; a++)
        cli_json_member_string(json, cli_axes_role(&axes, a), axes.names[a]);
    cli_json_close(json, '}');
    cli_json_key(json, "index");
    if (axes.n > 0 && index != NULL)
        json_index(in, &axes, index);
    else
        cli_json_null(json);
    cli_axes_free(&axes);
    return 0;
}

static int json_tree(information *in, const tagma_tree_info *tree, const tagma_events *events)
{
    cli_json *json = &in->json;
    tagma_events_info info = {.struct_bytes = sizeof info};
    cli_summary summary;
    int status = cli_summary_new(&summary, events);

    tagma_events_get_info(events, &info);
    cli_json_open(json, '{');
    cli_json_member_string(json, "name", tree->name);
    cli_json_member_u64(json, "cycle", tree->cycle);
    cli_json_member_string(json, "title", tree->title);
    cli_json_member_u64(json, "entries", info.n_entries);
    cli_json_member_u64(json, "clusters", info.n_clusters);
    cli_json_member_u64(json, "bytes", info.bytes);
    cli_json_member_u64(json, "packed_bytes", info.packed_bytes);
    cli_json_key(json, "friends");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < info.n_friends; i++) {
        const char *name;
        const char *file;
        if (tagma_events_friend(events, i, &name, &file) != TAGMA_OK)
            continue;
        cli_json_open(json, '{');
        cli_json_member_string(json, "name", name);
        cli_json_member_string(json, "file", *file != '\0' ? file : info.file);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (status == 0)
        status = json_ids(in, events);
    json_summary(in, &summary);
    cli_json_close(json, '}');
    cli_summary_free(&summary);
    return status;
}

static void json_file(information *in, const cli_trees *trees)
{
    cli_json *json = &in->json;
    const tagma_file_info *info = &trees->info;

    cli_json_member_string(json, "file", trees->input->path);
    cli_json_member_string(json, "kind", info->kind);
    cli_json_member_u64(json, "version", (uint64_t)(info->version > 0 ? info->version : 0));
    cli_json_member_string(json, "producer", info->producer);
    cli_json_member_u64(json, "bytes", info->bytes);
    cli_json_member_string(json, "codec", info->codec);
    cli_json_member_string(json, "condition", cli_condition_name(info->condition));
    cli_json_member_string(json, "uuid", info->uuid);
    cli_json_key(json, "others");
    cli_json_open(json, '{');
    for (uint32_t i = 0; i < info->n_classes; i++) {
        const char *name;
        uint64_t n;
        if (tagma_file_class(trees->file, i, &name, &n) == TAGMA_OK)
            cli_json_member_u64(json, name, n);
    }
    cli_json_close(json, '}');
}

static int show_trees(information *in, cli_trees *trees)
{
    bool is_json = in->session->opts->json;
    tagma_tree_info tree;
    tagma_events *events;
    int status = 0;

    while (status == 0 && cli_trees_next(trees, &tree, &events)) {
        if (events != NULL)
            status = is_json ? json_tree(in, &tree, events) : put_tree(in, &tree, events);
        tagma_events_release(events);
    }
    return status;
}

static int show_file(information *in, const cli_input *input)
{
    cli_trees trees;
    int status = cli_trees_open(&trees, in->session, input, cli_sidecar(in->session->opts), false);

    if (status == 0 && in->session->opts->json) {
        cli_json_open(&in->json, '{');
        json_file(in, &trees);
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
        put_file(in, &trees);
        status = show_trees(in, &trees);
        put_text(in);
    }
    cli_trees_close(&trees);
    return status;
}

static void inform(information *in, const cli_inputs *inputs)
{
    int status = cli_out_open(&in->out, in->session->opts->out);

    for (size_t f = 0; f < inputs->n && in->out.fd >= 0 && !cli_out_is_over(&in->out); f++) {
        if (f > 0 && !in->session->opts->json)
            cli_out_put(&in->out, "\n", 1);
        show_file(in, &inputs->at[f]);
    }
    if (in->text.is_short || in->json.text.is_short)
        status = cli_no_memory();
    if (status == 0)
        status = cli_out_finish(&in->out, 0);
    cli_raise(in->session, status);
    cli_out_discard(&in->out);
    cli_text_free(&in->text);
    cli_text_free(&in->json.text);
}

int cli_info(const cli_opts *opts)
{
    static const cli_json json = CLI_JSON_INIT;
    cli_session session;
    cli_inputs inputs = {0};
    information in = {.session = &session, .json = json};
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
