/* SPDX-License-Identifier: Apache-2.0
 * Columns side by side, as wide as what stands in them. */
#include "cli/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/say.h"
#include "cli/width.h"

enum { GAP = 2 };

void cli_table_free(cli_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        free(table->columns[i].title);
    free(table->columns);
    cli_text_free(&table->rows);
    memset(table, 0, sizeof *table);
}

void cli_table_add_column(cli_table *table, const char *title, bool is_right)
{
    cli_text visible = {0};

    if (table->n_columns == table->capacity) {
        size_t capacity = 2 * table->capacity + 16;
        cli_table_column *more = realloc(table->columns, capacity * sizeof *more);
        if (more == NULL) {
            table->is_short = true;
            return;
        }
        table->columns = more;
        table->capacity = capacity;
    }
    cli_cell_words(&visible, title);
    if (visible.is_short) {
        table->is_short = true;
        return;
    }
    visible.bytes[visible.n - 1] = '\0';
    table->columns[table->n_columns].title = visible.bytes;
    table->columns[table->n_columns].width = table->no_titles ? 0 : cli_width(visible.bytes, visible.n - 1);
    table->columns[table->n_columns].is_right = is_right;
    table->columns[table->n_columns].most = table->max_cell;
    table->n_columns++;
    table->n_shown = table->n_columns;
}

void cli_cell_put(cli_text *row, const char *bytes, size_t n)
{
    cli_text_visible(row, bytes, n);
    cli_text_char(row, CLI_CELL_END);
}

void cli_cell_words(cli_text *row, const char *words)
{
    cli_cell_put(row, words, strlen(words));
}

void cli_cell_u64(cli_text *row, uint64_t value)
{
    char number[CLI_NUMBER_BYTES];

    cli_cell_words(row, cli_grouped(value, number));
}

void cli_cell_format(cli_text *row, const char *format, ...)
{
    char words[256];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    cli_cell_words(row, words);
}

/* Columns a cell takes, cut to the most that its column allows. */
static size_t cell_width(const cli_table *table, size_t column, const char *cell, size_t n)
{
    size_t width = cli_width(cell, n);
    size_t most = table->columns[column].most;

    return most != 0 && width > most ? most : width;
}

void cli_table_add_row(cli_table *table, const char *cells, size_t n)
{
    const char *end = cells + n;
    const char *cell = cells;

    cli_text_put(&table->rows, cells, n);
    cli_text_char(&table->rows, '\n');
    table->n_rows++;
    for (size_t i = 0; i < table->n_columns && cell < end && !table->is_begun; i++) {
        const char *stop = memchr(cell, CLI_CELL_END, (size_t)(end - cell));
        size_t width;
        if (stop == NULL)
            break;
        width = cell_width(table, i, cell, (size_t)(stop - cell));
        if (width > table->columns[i].width)
            table->columns[i].width = width;
        cell = stop + 1;
    }
}

void cli_table_fit(cli_table *table, size_t width)
{
    size_t taken = table->indent;
    size_t n = 0;

    while (n < table->n_columns) {
        size_t more = table->columns[n].width + (n > 0 ? GAP : 0);
        if (n > 0 && taken + more > width)
            break;
        taken += more;
        n++;
    }
    table->n_shown = n;
}

static void put_blanks(cli_text *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cli_text_char(line, ' ');
}

/* A title is never cut. */
static void put_cell(const cli_table *table, cli_text *line, size_t column, const char *cell, size_t n,
                     size_t most)
{
    const cli_table_column *c = &table->columns[column];
    bool is_cut = most != 0 && cli_width(cell, n) > most;
    size_t width;
    size_t length = cli_width_cut(cell, n, is_cut ? most - 3 : SIZE_MAX, &width);
    size_t pad;

    width += is_cut ? 3 : 0;
    pad = width < c->width ? c->width - width : 0;
    put_blanks(line, column > 0 ? GAP : table->indent);
    if (c->is_right)
        put_blanks(line, pad);
    cli_text_put(line, cell, length);
    if (is_cut)
        cli_text_words(line, "...");
    if (!c->is_right)
        put_blanks(line, pad);
}

static void end_line(cli_text *line, cli_out *out)
{
    while (line->n > 0 && line->bytes[line->n - 1] == ' ')
        line->n--;
    cli_text_char(line, '\n');
    if (!line->is_short)
        cli_out_put(out, line->bytes, line->n);
    line->n = 0;
}

static void put_row(const cli_table *table, cli_text *line, const char *cells, size_t n)
{
    const char *end = cells + n;

    for (size_t i = 0; i < table->n_shown && cells < end; i++) {
        const char *stop = memchr(cells, CLI_CELL_END, (size_t)(end - cells));
        if (stop == NULL)
            break;
        put_cell(table, line, i, cells, (size_t)(stop - cells), table->columns[i].most);
        cells = stop + 1;
    }
}

void cli_table_print(cli_table *table, cli_out *out)
{
    cli_text line = {0};
    size_t begin = 0;

    if (!table->is_begun && !table->no_titles) {
        for (size_t i = 0; i < table->n_shown; i++)
            put_cell(table, &line, i, table->columns[i].title, strlen(table->columns[i].title), 0);
        end_line(&line, out);
    }
    table->is_begun = true;
    while (begin < table->rows.n) {
        const char *newline = memchr(table->rows.bytes + begin, '\n', table->rows.n - begin);
        size_t end = newline != NULL ? (size_t)(newline - table->rows.bytes) : table->rows.n;
        put_row(table, &line, table->rows.bytes + begin, end - begin);
        end_line(&line, out);
        begin = end + 1;
    }
    if (table->rows.is_short || line.is_short || table->is_short) {
        cli_no_memory();
        out->has_failed = true;
    }
    table->rows.n = 0;
    table->n_rows = 0;
    cli_text_free(&line);
}
