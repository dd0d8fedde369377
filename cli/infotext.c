/* SPDX-License-Identifier: Apache-2.0
 * tagma info in words and tables. */
#include "cli/infotext.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/facts.h"
#include "cli/say.h"
#include "cli/storefacts.h"
#include "cli/summary.h"
#include "cli/table.h"

enum { GROUPS_SHOWN = 20, BAR = 30 };

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

/* "  name       words" */
static void put_fact(void *user, const char *name, const char *words)
{
    cli_infotext *in = user;

    cli_text_format(&in->text, "  %-10s ", name);
    cli_text_visible(&in->text, words, strlen(words));
    cli_text_char(&in->text, '\n');
}

static cli_facts facts_of(cli_infotext *in)
{
    enum { SOURCES_SHOWN = 5 };

    return (cli_facts){in->session, put_fact, in, SOURCES_SHOWN};
}

void cli_infotext_file(cli_infotext *in, const cli_trees *trees)
{
    const cli_facts facts = facts_of(in);

    cli_text_visible(&in->text, trees->input->path, strlen(trees->input->path));
    cli_text_char(&in->text, '\n');
    cli_facts_file(&facts, trees);
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

static void put_baskets(cli_infotext *in, const cli_summary *summary)
{
    char n[2][CLI_NUMBER_BYTES];

    cli_text_format(&in->text, "  %-10s %s", "baskets", cli_grouped(summary->n_baskets, n[0]));
    if (summary->n_embedded > 0)
        cli_text_format(&in->text, ", of them %s inside the tree's own record; the others",
                        cli_grouped(summary->n_embedded, n[1]));
    else
        cli_text_char(&in->text, ',');
    cli_text_words(&in->text, " by bytes on disk:\n");
    put_sizes(in, summary);
}

static void put_costs(cli_infotext *in, const tagma_events *events)
{
    tagma_ctx *ctx = in->session->ctx;
    cli_table codes_table = {.indent = 4}, costs_table = {.indent = 4};
    cli_cost *costs = NULL;
    cli_code_bytes *codes = NULL;
    size_t n_costs, n_codes, n_shown;
    char number[CLI_NUMBER_BYTES];

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
                            cli_grouped(n_costs - n_shown, number));
        cli_text_char(&in->text, '\n');
    }
    free(costs);
    free(codes);
}

int cli_infotext_tree(cli_infotext *in, const tagma_tree_info *tree, const tagma_events *events)
{
    const cli_facts facts = facts_of(in);
    cli_summary summary;
    tagma_store_info stored = {.struct_bytes = sizeof stored};
    int status = cli_summary_new(&summary, in->session->ctx, events);
    bool is_store = tagma_store_get_info(in->session->ctx, events, &stored) == TAGMA_OK;

    cli_text_char(&in->text, '\n');
    cli_text_visible(&in->text, tree->name, strlen(tree->name));
    cli_text_format(&in->text, ";%" PRIu32 "\n", tree->cycle);
    if (status == 0)
        status = cli_facts_tree(&facts, tree, events, &summary, is_store ? &stored : NULL);
    if (is_store)
        put_costs(in, events);
    else
        put_baskets(in, &summary);
    put_groups(in, &summary);
    cli_summary_free(&summary);
    return status;
}
