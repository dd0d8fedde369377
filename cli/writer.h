/* SPDX-License-Identifier: Apache-2.0
 * Events on their way out: as a table, CSV, JSON lines, ids, or entry numbers. */
#ifndef CLI_WRITER_H
#define CLI_WRITER_H

#include "cli/outfile.h"
#include "cli/session.h"
#include "cli/table.h"
#include "cli/value.h"

typedef enum cli_format { CLI_TABLE, CLI_CSV, CLI_JSONL, CLI_IDS, CLI_ENTRIES } cli_format;

/* Which event a row is. */
typedef struct cli_origin {
    const char *file;
    uint64_t entry;
    const char *id; /* "1:2:3", or "@17" where the tree has no ids */
} cli_origin;

typedef struct cli_writer {
    cli_format format;
    bool has_front; /* rows begin with @file, @entry, @id */
    bool is_screen; /* a table on a terminal: 20 entries unless more are asked for, long cells cut */
    bool is_fitted; /* and only the columns that fit, unless some are asked for */
    size_t width;   /* of that terminal */
    cli_out out;
    cli_table table;
    cli_cell *cells;
    uint32_t n_cells;
    cli_text keys;    /* JSON: ,"name": of each column */
    size_t *key_ends; /* [n_cells] */
    cli_text header;  /* names and types of the columns first written */
    bool is_begun;
} cli_writer;

/* The format asked for by -f, --json, the suffix of -o, or the terminal. @return 0, or 2 with words. */
int cli_writer_open(cli_writer *writer, const cli_opts *opts, bool has_front);
/* Does it print values of columns, beyond ids? */
bool cli_writer_wants_columns(const cli_writer *writer);
/* On a terminal: of `columns`, how many can fit at all. */
uint32_t cli_writer_fitting(const cli_writer *writer, const tagma_schema *schema, const uint32_t *columns,
                            uint32_t n);
/* The columns of the batches to come. A header stands once: a second file's columns must be the same then. */
int cli_writer_columns(cli_writer *writer, const char *file, const tagma_schema *schema,
                       const uint32_t *columns, uint32_t n);
/* Column i of the writer is column i of the batch. */
int cli_writer_batch(cli_writer *writer, cli_session *session, tagma_batch *batch);
/* Append entry i of the batch to a text. @return where its columns begin, behind what cli_origin tells. */
size_t cli_writer_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i);
/* Deliver the text of one row. */
void cli_writer_put(cli_writer *writer, const char *row, size_t n);
/* "... 9,999,980 more entries, 1,588 more columns (--count, -c)": entries and columns that were left out. @return status,
 * or 2 with words. */
int cli_writer_finish(cli_writer *writer, uint64_t more_entries, uint64_t more_columns, int status);
/* Close without keeping anything. Harmless after cli_writer_finish(). */
void cli_writer_free(cli_writer *writer);

/* The line above, for whatever is shown in part; "" where nothing is left out. */
void cli_more_words(cli_text *text, uint64_t more_entries, uint64_t more_columns);

#endif
