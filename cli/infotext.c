/* SPDX-License-Identifier: Apache-2.0
 * tagma info in words and tables. */
#include "cli/infotext.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/infojson.h"
#include "cli/say.h"
#include "cli/storefacts.h"
#include "cli/summary.h"
#include "cli/table.h"

enum { GROUPS_SHOWN = 20, BAR = 30 };

/* "  name       value" */
static void line(cli_infotext *in, const char *name, const char *format, ...) TAGMA_PRINTF(3, 4);
static void line(cli_infotext *in, const char *name, const char *format, ...)
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

void cli_infotext_flush(cli_infotext *in)
{
    if (in->text.n > 0 && !in->text.is_short)
        cli_out_put(in->out, in->text.bytes, in->text.n);
    in->text.n = 0;
}

static void put_table(cli_infotext *in, cli_table *table)
{
    cli_infotext_flush(in);
    cli_table_print(table, in->out);
    cli_table_free(table);
}

void cli_infotext_file(cli_infotext *in, const cli_trees *trees)
{
    const tagma_file_info *info = &trees->info;
    char number[CLI_NUMBER_BYTES];
    char bytes[CLI_NUMBER_BYTES];
    size_t before;

    cli_text_visible(&in->text, trees->input->path, strlen(trees->input->path));
    cli_text_char(&in->text, '\n');
    line(in, "kind", "%s%s, format %" PRId32, info->kind, strcmp(info->kind, "ROOT") == 0 ? " file" : "",
         info->version);
    line(in, "written by", "%s%s", strcmp(info->kind, "ROOT") == 0 ? "ROOT " : "", info->producer);
    line(in, "size", "%s (%s bytes)", cli_bytes(info->bytes, bytes), cli_grouped(info->bytes, number));
    line(in, strcmp(info->kind, "ROOT") == 0 ? "codec" : "layout", "%s", info->codec);
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

static void put_sizes(cli_infotext *in, const cli_summary *s)
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

static void put_groups(cli_infotext *in, const cli_summary *s)
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
static void put_index(cli_infotext *in, const cli_axes *axes, const tagma_index *index)
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

static int put_ids(cli_infotext *in, const tagma_events *events)
{
    const tagma_index *index = NULL;
    const char *why;
    cli_axes axes;
    cli_text words = {0};

    if (cli_info_axes(in->session, events, &axes, &why) != 0)
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

/* What lies in the tree's own record has no size on disk of its own. */
static void put_bytes(cli_infotext *in, const cli_summary *summary, const tagma_events_info *info)
{
    char n[2][CLI_NUMBER_BYTES];

    if (summary->n_embedded == 0 && info->packed_bytes > 0)
        line(in, "bytes", "%s on disk, %s unpacked, ratio %.2f", cli_bytes(info->packed_bytes, n[0]),
             cli_bytes(info->bytes, n[1]), (double)info->bytes / (double)info->packed_bytes);
    else
        line(in, "bytes", "%s on disk, %s unpacked", cli_bytes(info->packed_bytes, n[0]),
             cli_bytes(info->bytes, n[1]));
}

static void put_baskets(cli_infotext *in, const cli_summary *summary)
{
    char n[2][CLI_NUMBER_BYTES];

    if (summary->n_embedded > 0)
        line(in, "baskets", "%s, of them %s inside the tree's own record; the others by bytes on disk:",
             cli_grouped(summary->n_baskets, n[0]), cli_grouped(summary->n_embedded, n[1]));
    else
        line(in, "baskets", "%s, by bytes on disk:", cli_grouped(summary->n_baskets, n[0]));
    put_sizes(in, summary);
}

/* What the store was made of, and what stands beside it. */
static void put_origin(cli_infotext *in, const tagma_events *events, const tagma_store_info *stored)
{
    enum { SHOWN = 5 };
    tagma_ctx *ctx = in->session->ctx;
    char number[CLI_NUMBER_BYTES];
    cli_text words = {0};

    for (uint32_t i = 0; i < stored->n_sources && i < SHOWN; i++) {
        words.n = 0;
        if (cli_put_source(&words, ctx, events, i))
            line(in, i == 0 ? "made of" : "", "%.*s", (int)words.n, words.bytes);
    }
    if (stored->n_sources > SHOWN)
        line(in, "", "and %s more (--json)", cli_grouped(stored->n_sources - SHOWN, number));
    if (*stored->options != '\0')
        line(in, "options", "%s", stored->options);
    words.n = 0;
    cli_put_absents(&words, ctx, events);
    if (words.n > 0 && !words.is_short)
        line(in, "not in it", "%.*s", (int)words.n, words.bytes);
    cli_text_free(&words);
}

static void put_store(cli_infotext *in, const tagma_events *events, const tagma_store_info *stored)
{
    tagma_ctx *ctx = in->session->ctx;
    cli_table codes_table = {.indent = 4}, costs_table = {.indent = 4};
    uint64_t n_events = tagma_events_n_entries(events);
    cli_cost *costs = NULL;
    cli_code_bytes *codes = NULL;
    size_t n_costs, n_codes, n_shown;
    char n[5][CLI_NUMBER_BYTES];

    put_origin(in, events, stored);
    line(in, "bytes", "%s: tiles %s, columns section %s, index %s, the rest %s",
         cli_bytes(stored->bytes, n[0]), cli_bytes(stored->tile_bytes, n[1]),
         cli_bytes(stored->hot_bytes, n[2]), cli_bytes(stored->index_bytes, n[3]),
         cli_bytes(stored->other_bytes, n[4]));
    if (n_events > 0)
        line(in, "an event", "%.1f B; %.1f in tiles, %.1f in the columns section (%s branch%s)",
             (double)stored->bytes / (double)n_events, (double)stored->tile_bytes / (double)n_events,
             (double)stored->hot_bytes / (double)n_events, cli_grouped(stored->n_hot, n[0]),
             stored->n_hot == 1 ? "" : "es");
    if (cli_costs_new(ctx, events, &costs, &n_costs) == 0 &&
        cli_codes_new(ctx, events, costs, n_costs, &codes, &n_codes) == 0) {
        n_shown = in->session->opts->is_long || n_costs < GROUPS_SHOWN ? n_costs : GROUPS_SHOWN;
        cli_codes_table(&codes_table, codes, n_codes);
        cli_costs_table(&costs_table, events, costs, n_shown);
        put_table(in, &codes_table);
        cli_text_char(&in->text, '\n');
        put_table(in, &costs_table);
        if (n_shown < n_costs)
            cli_text_format(&in->text, "    ... %s more branches (-l)\n",
                            cli_grouped(n_costs - n_shown, n[0]));
        cli_text_char(&in->text, '\n');
    }
    free(costs);
    free(codes);
}

int cli_infotext_tree(cli_infotext *in, const tagma_tree_info *tree, const tagma_events *events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    cli_summary summary;
    tagma_store_info stored = {.struct_bytes = sizeof stored};
    char n[2][CLI_NUMBER_BYTES];
    int status = cli_summary_new(&summary, in->session->ctx, events);
    bool is_store = tagma_store_get_info(in->session->ctx, events, &stored) == TAGMA_OK;

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
    if (!is_store)
        put_bytes(in, &summary, &info);
    for (uint32_t i = 0; i < info.n_friends; i++) {
        const char *name;
        const char *file;
        if (tagma_events_friend(events, i, &name, &file) == TAGMA_OK)
            line(in, "friend", "%s in %s", name, *file != '\0' ? file : info.file);
    }
    if (status == 0)
        status = put_ids(in, events);
    if (is_store)
        put_store(in, events, &stored);
    else
        put_baskets(in, &summary);
    put_groups(in, &summary);
    cli_summary_free(&summary);
    return status;
}
