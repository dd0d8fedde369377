/* SPDX-License-Identifier: Apache-2.0
 * What a store tells of itself: what it was made of, and what its branches cost, code by code. */
#include "cli/storefacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/say.h"

double cli_cost_bytes(const tagma_store_column *stored)
{
    return stored->tile_bytes + (double)stored->hot_bytes;
}

static int by_cost(const void *a, const void *b)
{
    const cli_cost *x = a, *y = b;
    double bytes_x = cli_cost_bytes(&x->stored), bytes_y = cli_cost_bytes(&y->stored);

    if (bytes_x != bytes_y)
        return bytes_x > bytes_y ? -1 : 1;
    return x->column < y->column ? -1 : 1;
}

int cli_costs_new(tagma_ctx *ctx, const tagma_events *events, cli_cost **costs, size_t *n)
{
    uint32_t n_columns = tagma_schema_n_columns(tagma_events_schema(events));

    *n = 0;
    *costs = calloc((size_t)n_columns + 1, sizeof **costs);
    if (*costs == NULL)
        return cli_no_memory();
    for (uint32_t c = 0; c < n_columns; c++) {
        (*costs)[*n].column = c;
        (*costs)[*n].stored.struct_bytes = sizeof(tagma_store_column);
        *n += tagma_store_get_column(ctx, events, c, &(*costs)[*n].stored) == TAGMA_OK;
    }
    qsort(*costs, *n, sizeof **costs, by_cost);
    return 0;
}

static void add_code(cli_code_bytes *codes, size_t *n, const tagma_store_column *stored, bool is_column)
{
    size_t i = 0;

    while (i < *n && strcmp(codes[i].code, stored->code) != 0)
        i++;
    if (i == *n) {
        snprintf(codes[i].code, sizeof codes[i].code, "%s", stored->code);
        ++*n;
    }
    codes[i].n_columns += is_column;
    codes[i].raw_bytes += stored->raw_bytes;
    codes[i].tile_bytes += stored->tile_bytes;
    codes[i].hot_bytes += stored->hot_bytes;
}

static int by_code_bytes(const void *a, const void *b)
{
    const cli_code_bytes *x = a, *y = b;
    double bytes_x = x->tile_bytes + (double)x->hot_bytes, bytes_y = y->tile_bytes + (double)y->hot_bytes;

    if (bytes_x != bytes_y)
        return bytes_x > bytes_y ? -1 : 1;
    return strcmp(x->code, y->code);
}

int cli_codes_new(tagma_ctx *ctx, const tagma_events *events, const cli_cost *costs, size_t n_costs,
                  cli_code_bytes **codes, size_t *n)
{
    uint32_t n_collections = tagma_schema_n_collections(tagma_events_schema(events));
    tagma_store_column ends = {.struct_bytes = sizeof ends};

    *n = 0;
    *codes = calloc(n_costs + n_collections + 1, sizeof **codes);
    if (*codes == NULL)
        return cli_no_memory();
    for (size_t i = 0; i < n_costs; i++)
        add_code(*codes, n, &costs[i].stored, true);
    for (uint32_t i = 0; i < n_collections; i++)
        if (tagma_store_get_collection(ctx, events, i, &ends) == TAGMA_OK)
            add_code(*codes, n, &ends, false);
    qsort(*codes, *n, sizeof **codes, by_code_bytes);
    return 0;
}

bool cli_put_source(cli_text *text, tagma_ctx *ctx, const tagma_events *events, uint32_t i)
{
    tagma_store_source source = {.struct_bytes = sizeof source};
    char number[CLI_NUMBER_BYTES];

    if (tagma_store_get_source(ctx, events, i, &source) != TAGMA_OK)
        return false;
    cli_text_visible(text, source.file, strlen(source.file));
    cli_text_words(text, ", tree ");
    cli_text_visible(text, source.tree, strlen(source.tree));
    cli_text_format(text, ";%" PRIu32 ", %s entr%s, ", source.cycle, cli_grouped(source.n_entries, number),
                    source.n_entries == 1 ? "y" : "ies");
    cli_text_words(text, cli_bytes(source.file_bytes, number));
    if (*source.uuid != '\0') {
        cli_text_words(text, ", uuid ");
        cli_text_visible(text, source.uuid, strlen(source.uuid));
    }
    return true;
}

void cli_put_absent(cli_text *text, const tagma_absent *it)
{
    char number[CLI_NUMBER_BYTES];

    if (it->kind == TAGMA_ABSENT_OBJECTS)
        cli_text_format(text, "%s ", cli_grouped(it->n, number));
    cli_text_visible(text, it->name, strlen(it->name));
    if (it->kind == TAGMA_ABSENT_TREE || it->kind == TAGMA_ABSENT_WEIGHTS)
        cli_text_format(text, " (%s entr%s)", cli_grouped(it->n, number), it->n == 1 ? "y" : "ies");
    if (it->kind == TAGMA_ABSENT_UNSUPPORTED) {
        cli_text_words(text, " (");
        cli_text_visible(text, it->words, strlen(it->words));
        cli_text_char(text, ')');
    }
}

void cli_put_absents(cli_text *text, tagma_ctx *ctx, const tagma_events *events)
{
    static const char *const fronts[] = {
        "objects: ", "trees: ", "sums of weights: ", "left out as asked: ", "that cannot be read: "};
    enum { SHOWN = 10 };
    char number[CLI_NUMBER_BYTES];
    size_t begin = text->n;
    tagma_absent it;

    for (size_t kind = 0; kind < sizeof fronts / sizeof *fronts; kind++) {
        uint64_t n = 0;

        for (uint32_t i = 0; tagma_store_get_absent(ctx, events, i, &it) == TAGMA_OK; i++) {
            if ((size_t)it.kind != kind || n++ >= SHOWN)
                continue;
            if (n == 1)
                cli_text_format(text, "%s%s", text->n > begin ? "; " : "", fronts[kind]);
            else
                cli_text_words(text, ", ");
            cli_put_absent(text, &it);
        }
        if (n > SHOWN)
            cli_text_format(text, " and %s more", cli_grouped(n - SHOWN, number));
    }
}

/* Bytes of a sum of bits. */
static void cell_bytes(cli_text *row, double bytes)
{
    char number[CLI_NUMBER_BYTES];

    cli_cell_words(row, cli_bytes((uint64_t)(bytes + 0.5), number));
}

void cli_codes_table(cli_table *table, const cli_code_bytes *codes, size_t n)
{
    cli_text row = {0};
    double all = 0;

    for (size_t i = 0; i < n; i++)
        all += codes[i].tile_bytes + (double)codes[i].hot_bytes;
    cli_table_add_column(table, "code", false);
    cli_table_add_column(table, "branches", true);
    cli_table_add_column(table, "in tiles", true);
    cli_table_add_column(table, "in columns", true);
    cli_table_add_column(table, "share", true);
    cli_table_add_column(table, "unpacked", true);
    for (size_t i = 0; i < n; i++) {
        double bytes = codes[i].tile_bytes + (double)codes[i].hot_bytes;

        row.n = 0;
        cli_cell_words(&row, codes[i].code);
        cli_cell_u64(&row, codes[i].n_columns);
        cell_bytes(&row, codes[i].tile_bytes);
        cell_bytes(&row, (double)codes[i].hot_bytes);
        cli_cell_format(&row, "%.1f %%", all > 0 ? 100 * bytes / all : 0.0);
        cell_bytes(&row, (double)codes[i].raw_bytes);
        cli_table_add_row(table, row.bytes, row.n);
    }
    cli_text_free(&row);
}

void cli_costs_table(cli_table *table, const tagma_events *events, const cli_cost *costs, size_t n)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint64_t n_events = tagma_events_n_entries(events);
    cli_text row = {0};
    char type[256];

    cli_table_add_column(table, "branch", false);
    cli_table_add_column(table, "type", false);
    cli_table_add_column(table, "code", false);
    cli_table_add_column(table, "in tiles", true);
    cli_table_add_column(table, "in columns", true);
    cli_table_add_column(table, "an event", true);
    cli_table_add_column(table, "ratio", true);
    for (size_t i = 0; i < n; i++) {
        const tagma_store_column *it = &costs[i].stored;
        double bytes = cli_cost_bytes(it);

        row.n = 0;
        tagma_schema_spell(schema, costs[i].column, type, sizeof type);
        cli_cell_words(&row, tagma_schema_column(schema, costs[i].column)->name);
        cli_cell_words(&row, type);
        cli_cell_words(&row, it->code);
        cell_bytes(&row, it->tile_bytes);
        cell_bytes(&row, (double)it->hot_bytes);
        cli_cell_format(&row, "%.2f B", n_events > 0 ? bytes / (double)n_events : 0.0);
        cli_cell_format(&row, "%.2f", bytes > 0 ? (double)it->raw_bytes / bytes : 0.0);
        cli_table_add_row(table, row.bytes, row.n);
    }
    cli_text_free(&row);
}

static void json_sources(cli_json *json, tagma_ctx *ctx, const tagma_events *events)
{
    tagma_store_source source = {.struct_bytes = sizeof source};

    cli_json_key(json, "sources");
    cli_json_open(json, '[');
    for (uint32_t i = 0; tagma_store_get_source(ctx, events, i, &source) == TAGMA_OK; i++) {
        cli_json_open(json, '{');
        cli_json_member_string(json, "file", source.file);
        cli_json_member_string(json, "uuid", source.uuid);
        cli_json_member_string(json, "tree", source.tree);
        cli_json_member_u64(json, "cycle", source.cycle);
        cli_json_member_u64(json, "bytes", source.file_bytes);
        cli_json_member_u64(json, "entries", source.n_entries);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_json_absent(cli_json *json, const tagma_absent *it)
{
    static const char *const kinds[] = {"objects", "tree", "weights", "column", "unsupported"};

    cli_json_member_string(json, "kind", kinds[it->kind]);
    cli_json_member_string(json, "name", it->name);
    cli_json_member_string(json, "words", it->words);
    cli_json_member_u64(json, "n", it->n);
}

static void json_absents(cli_json *json, tagma_ctx *ctx, const tagma_events *events)
{
    tagma_absent it;

    cli_json_key(json, "absent");
    cli_json_open(json, '[');
    for (uint32_t i = 0; tagma_store_get_absent(ctx, events, i, &it) == TAGMA_OK; i++) {
        cli_json_open(json, '{');
        cli_json_member_u64(json, "source", it.source);
        cli_json_absent(json, &it);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_columns(cli_json *json, tagma_ctx *ctx, const tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    tagma_store_column stored = {.struct_bytes = sizeof stored};

    cli_json_key(json, "columns");
    cli_json_open(json, '[');
    for (uint32_t c = 0; tagma_store_get_column(ctx, events, c, &stored) == TAGMA_OK; c++) {
        cli_json_open(json, '{');
        cli_json_member_string(json, "name", tagma_schema_column(schema, c)->name);
        cli_json_member_string(json, "code", stored.code);
        cli_json_member_u64(json, "bytes", stored.raw_bytes);
        cli_json_member_u64(json, "tile_bytes", (uint64_t)(stored.tile_bytes + 0.5));
        cli_json_member_u64(json, "hot_bytes", stored.hot_bytes);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void cli_json_store(cli_json *json, tagma_ctx *ctx, const tagma_events *events)
{
    tagma_store_info info = {.struct_bytes = sizeof info};

    if (tagma_store_get_info(ctx, events, &info) != TAGMA_OK)
        return;
    cli_json_key(json, "store");
    cli_json_open(json, '{');
    cli_json_member_string(json, "layout", info.layout);
    cli_json_member_u64(json, "tile", info.tile_events);
    cli_json_member_string(json, "options", info.options);
    cli_json_member_u64(json, "tile_bytes", info.tile_bytes);
    cli_json_member_u64(json, "hot_bytes", info.hot_bytes);
    cli_json_member_u64(json, "index_bytes", info.index_bytes);
    cli_json_member_u64(json, "other_bytes", info.other_bytes);
    json_sources(json, ctx, events);
    json_absents(json, ctx, events);
    json_columns(json, ctx, events);
    cli_json_close(json, '}');
}
