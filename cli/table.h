/* SPDX-License-Identifier: Apache-2.0
 * Columns side by side, as wide as what stands in them. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/outfile.h"
#include "cli/text.h"

/* Behind each cell of a row, in a text. */
#define CLI_CELL_END '\x1f'

typedef struct cli_table_column {
    char *title;
    size_t width;
    size_t most;   /* longer cells end in "..."; 0, or at least 4 */
    bool is_right; /* numbers stand at the right edge */
} cli_table_column;

/* Rows are kept until they are printed; what was printed first decides how wide the columns are. */
typedef struct cli_table {
    cli_table_column *columns;
    size_t n_columns, capacity;
    size_t n_shown;  /* columns that are printed: all of them until cli_table_fit() */
    size_t max_cell; /* what `most` is at first */
    size_t indent;
    bool is_begun, no_titles;
    cli_text rows;
    size_t n_rows;
    bool is_short;
} cli_table;

void cli_table_free(cli_table *table);
void cli_table_add_column(cli_table *table, const char *title, bool is_right);

/* Append one cell to a row's text: control characters are escaped, so that CLI_CELL_END is free. */
void cli_cell_put(cli_text *row, const char *bytes, size_t n);
void cli_cell_words(cli_text *row, const char *words);
void cli_cell_u64(cli_text *row, uint64_t value); /* 1,234 */
void cli_cell_format(cli_text *row, const char *format, ...) TAGMA_PRINTF(2, 3);

/* A row: all its cells. */
void cli_table_add_row(cli_table *table, const char *cells, size_t n);
/* Show only as many columns as fit. Before anything is printed. */
void cli_table_fit(cli_table *table, size_t width);
/* Print the rows kept and forget them. */
void cli_table_print(cli_table *table, cli_out *out);

#endif
