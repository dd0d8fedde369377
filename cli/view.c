/* SPDX-License-Identifier: Apache-2.0
 * One event for the eye: scalars, bools by name, each collection as a small table. */
#include "cli/view.h"

#include <stdlib.h>

#include "cli/say.h"
#include "cli/table.h"
#include "cli/width.h"

enum { PAGE = 100, MAX_CELL = 24, INDENT = 2 };

typedef struct view {
    cli_out *out;
    const tagma_schema *schema;
    const cli_cell *cells;
    uint32_t n_cells;
    uint64_t entry;
    size_t width;
    bool is_screen;
    cli_text value; /* one value at a time */
} view;

/* The outermost collection a column is an item of. */
static uint32_t collection_of(const view *v, const tagma_column *c)
{
    uint32_t at = c->collection;

    while (at != TAGMA_NONE && tagma_schema_collection(v->schema, at)->parent != TAGMA_NONE)
        at = tagma_schema_collection(v->schema, at)->parent;
    return at;
}

static bool is_bool(const tagma_column *c)
{
    return c->type == TAGMA_BOOL && c->n_lists == 0 && c->n_dims == 0;
}

static void put(view *v, const char *words)
{
    cli_out_put(v->out, words, strlen(words));
}

/* A name out of the file, without control characters. */
static void put_name(view *v, const char *name, size_t n)
{
    cli_text visible = {0};

    cli_text_visible(&visible, name, n);
    if (!visible.is_short)
        cli_out_put(v->out, visible.bytes, visible.n);
    cli_text_free(&visible);
}

/* How many of the cells share a collection. */
static uint32_t members(const view *v, uint32_t collection)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < v->n_cells; k++)
        n += v->cells[k].column->n_lists > 0 && collection_of(v, v->cells[k].column) == collection;
    return n;
}

/* A counter is told with what it counts. */
static bool is_counter(const view *v, uint32_t cell)
{
    for (uint32_t k = 0; k < v->n_cells; k++) {
        const tagma_column *c = v->cells[k].column;
        uint32_t at = c->n_lists > 0 ? collection_of(v, c) : TAGMA_NONE;
        if (at != TAGMA_NONE &&
            tagma_schema_collection(v->schema, at)->count_column == v->cells[cell].values->column)
            return true;
    }
    return false;
}

static void begin_table(const view *v, cli_table *table, bool titles)
{
    memset(table, 0, sizeof *table);
    table->no_titles = !titles;
    table->max_cell = v->is_screen ? MAX_CELL : 0;
    table->indent = INDENT;
}

static int end_table(view *v, cli_table *table)
{
    cli_table_print(table, v->out);
    cli_table_free(table);
    return v->out->has_failed ? 2 : 0;
}

static bool is_in_list(const view *v, uint32_t k)
{
    const tagma_column *c = v->cells[k].column;

    if (c->n_lists == 0)
        return !is_bool(c) && !is_counter(v, k);
    return members(v, collection_of(v, c)) == 1;
}

/* Scalars, arrays, and lists that stand alone: a name and a value each. */
static int show_values(view *v)
{
    cli_table table;
    cli_text row = {0};

    begin_table(v, &table, false);
    table.max_cell = v->is_screen && v->width > 20 ? v->width - 20 : 0;
    cli_table_add_column(&table, "name", false);
    cli_table_add_column(&table, "value", false);
    for (uint32_t k = 0; k < v->n_cells; k++) {
        if (!is_in_list(v, k))
            continue;
        row.n = 0;
        v->value.n = 0;
        cli_cell_words(&row, v->cells[k].column->name);
        if (v->cells[k].column->n_lists > 0)
            cli_text_format(&v->value,
                            "%llu: ", (unsigned long long)cli_value_length(&v->cells[k], v->entry));
        cli_value_eye(&v->value, &v->cells[k], v->entry);
        cli_cell_put(&row, v->value.bytes, v->value.n);
        cli_table_add_row(&table, row.bytes, row.n);
    }
    cli_text_free(&row);
    return end_table(v, &table);
}

static bool is_true(const cli_cell *cell, uint64_t i)
{
    return !cli_value_is_null(cell, i) && ((const uint8_t *)cell->values->values)[i] != 0;
}

/* Names after a word, in lines of the page's width. */
static void put_names(view *v, const char *word, const char *const *names, size_t n)
{
    size_t taken = 0;

    if (n == 0)
        return;
    for (size_t k = 0; k < n; k++) {
        size_t more = cli_width(names[k], strlen(names[k])) + 1;
        if (k == 0 || taken + more > v->width) {
            put(v, k == 0 ? "  " : "\n      ");
            put(v, k == 0 ? word : "");
            taken = k == 0 ? INDENT + strlen(word) : 6;
        }
        put(v, " ");
        put_name(v, names[k], strlen(names[k]));
        taken += more;
    }
    put(v, "\n");
}

static void show_bools(view *v, const char **names)
{
    size_t n_true = 0;
    size_t n_null = 0;
    uint64_t n = 0;
    char line[96];
    char number[2][CLI_NUMBER_BYTES];

    for (uint32_t k = 0; k < v->n_cells; k++) {
        if (!is_bool(v->cells[k].column))
            continue;
        n++;
        n_null += cli_value_is_null(&v->cells[k], v->entry);
        if (is_true(&v->cells[k], v->entry))
            names[n_true++] = v->cells[k].column->name;
    }
    put_names(v, "true:", names, n_true);
    if (n == n_true)
        return;
    snprintf(line, sizeof line, "  false: %s", cli_grouped(n - n_true - n_null, number[0]));
    put(v, line);
    if (n_null > 0) {
        snprintf(line, sizeof line, ", null: %s", cli_grouped(n_null, number[1]));
        put(v, line);
    }
    put(v, "\n");
}

/* Bytes that all names of a collection begin with, up to a '_' or '.'. */
static size_t common_front(const view *v, const uint32_t *cells, uint32_t n)
{
    const char *first = v->cells[cells[0]].column->name;
    size_t length = strlen(first);

    for (uint32_t k = 1; k < n; k++) {
        const char *name = v->cells[cells[k]].column->name;
        size_t same = 0;
        while (same < length && name[same] == first[same])
            same++;
        length = same;
    }
    while (length > 0 && first[length - 1] != '_' && first[length - 1] != '.')
        length--;
    for (uint32_t k = 0; k < n; k++) {
        if (v->cells[cells[k]].column->name[length] == '\0')
            return 0;
    }
    return length;
}

static void put_item(view *v, cli_text *row, uint32_t cell, uint64_t item)
{
    v->value.n = 0;
    if (cli_value_is_null(&v->cells[cell], v->entry) || item < cli_value_length(&v->cells[cell], v->entry))
        cli_value_item(&v->value, &v->cells[cell], v->entry, item);
    cli_cell_put(row, v->value.bytes, v->value.n);
}

/* A line an item. */
static size_t build_rows(view *v, cli_table *table, const uint32_t *cells, uint32_t n, size_t front,
                         uint64_t n_items)
{
    cli_text row = {0};
    size_t width = INDENT;

    begin_table(v, table, true);
    cli_table_add_column(table, "#", true);
    for (uint32_t k = 0; k < n; k++)
        cli_table_add_column(table, v->cells[cells[k]].column->name + front, true);
    for (uint64_t item = 0; item < n_items; item++) {
        row.n = 0;
        cli_cell_u64(&row, item);
        for (uint32_t k = 0; k < n; k++)
            put_item(v, &row, cells[k], item);
        cli_table_add_row(table, row.bytes, row.n);
    }
    cli_text_free(&row);
    for (size_t k = 0; k < table->n_columns; k++)
        width += table->columns[k].width + 2;
    return width - 2;
}

/* A line a member, and as many items side by side as the page holds; @return how many. */
static uint64_t build_turned(view *v, cli_table *table, const uint32_t *cells, uint32_t n, size_t front,
                             uint64_t first, uint64_t n_items)
{
    cli_text row = {0};
    char title[CLI_NUMBER_BYTES];

    begin_table(v, table, true);
    cli_table_add_column(table, "#", false);
    for (uint64_t item = first; item < n_items && item < first + PAGE / 2; item++)
        cli_table_add_column(table, cli_grouped(item, title), true);
    for (uint32_t k = 0; k < n; k++) {
        row.n = 0;
        cli_cell_words(&row, v->cells[cells[k]].column->name + front);
        for (uint64_t item = first; item < n_items && item < first + PAGE / 2; item++)
            put_item(v, &row, cells[k], item);
        cli_table_add_row(table, row.bytes, row.n);
    }
    cli_text_free(&row);
    cli_table_fit(table, v->width);
    if (table->n_shown < 2)
        table->n_shown = 2;
    return table->n_shown - 1;
}

/* "Muon" of Muon_pt, Muon_eta; else the collection's own name. */
static void put_title(view *v, const char *name, const uint32_t *cells, uint32_t n)
{
    size_t front = common_front(v, cells, n);

    if (front > 1)
        put_name(v, v->cells[cells[0]].column->name, front - 1);
    else
        put_name(v, name, strlen(name));
}

static int show_collection(view *v, const char *name, const uint32_t *cells, uint32_t n, uint64_t n_items)
{
    size_t front = common_front(v, cells, n);
    cli_table table;
    char line[64];

    put(v, "\n");
    put_title(v, name, cells, n);
    snprintf(line, sizeof line, ": %llu\n", (unsigned long long)n_items);
    put(v, line);
    if (build_rows(v, &table, cells, n, front, n_items) <= v->width)
        return end_table(v, &table);
    cli_table_free(&table);
    for (uint64_t first = 0; first < n_items;) {
        first += build_turned(v, &table, cells, n, front, first, n_items);
        if (end_table(v, &table) != 0)
            return 2;
    }
    return 0;
}

/* Cells of one collection; @return how many, and how many items it has in this event. */
static uint32_t gather(const view *v, uint32_t collection, uint32_t *cells, uint64_t *n_items)
{
    uint32_t n = 0;

    *n_items = 0;
    for (uint32_t k = 0; k < v->n_cells; k++) {
        uint64_t length;
        if (v->cells[k].column->n_lists == 0 || collection_of(v, v->cells[k].column) != collection)
            continue;
        cells[n++] = k;
        length = cli_value_length(&v->cells[k], v->entry);
        *n_items = length > *n_items ? length : *n_items;
    }
    return n;
}

/* Those with items as tables; the others are named at the end. */
static int show_collections(view *v, uint32_t *cells)
{
    uint32_t n_collections = tagma_schema_n_collections(v->schema);
    bool is_first = true;
    uint64_t n_items;
    uint32_t n;

    for (uint32_t c = 0; c < n_collections; c++) {
        n = gather(v, c, cells, &n_items);
        if (n > 1 && n_items > 0 &&
            show_collection(v, tagma_schema_collection(v->schema, c)->name, cells, n, n_items) != 0)
            return 2;
    }
    for (uint32_t c = 0; c < n_collections; c++) {
        n = gather(v, c, cells, &n_items);
        if (n < 2 || n_items > 0)
            continue;
        put(v, is_first ? "\nempty: " : ", ");
        put_title(v, tagma_schema_collection(v->schema, c)->name, cells, n);
        is_first = false;
    }
    if (!is_first)
        put(v, "\n");
    return 0;
}

int cli_view_event(cli_out *out, const tagma_schema *schema, const cli_cell *cells, uint32_t n_cells,
                   uint64_t i, size_t width)
{
    view v = {out, schema, cells, n_cells, i, width > 0 ? width : PAGE, width > 0, {0}};
    size_t room = (size_t)n_cells + tagma_schema_n_collections(schema) + 1;
    const char **names = malloc(room * sizeof *names);
    uint32_t *members_of = malloc(room * sizeof *members_of);
    int status = names != NULL && members_of != NULL ? 0 : cli_no_memory();

    if (status == 0)
        status = show_values(&v);
    if (status == 0) {
        show_bools(&v, names);
        status = show_collections(&v, members_of);
    }
    if (v.value.is_short)
        status = cli_no_memory();
    cli_text_free(&v.value);
    free(names);
    free(members_of);
    return status;
}
