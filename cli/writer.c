/* SPDX-License-Identifier: Apache-2.0
 * Events on their way out: as a table, CSV, JSON lines, ids, or entry numbers. */
#include "cli/writer.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/say.h"
#include "cli/width.h"

enum { TABLE_ROWS = 1000, SCREEN_CELL = 32 };

/* In the order of cli_format. */
static const char *const names[] = {"table", "csv", "jsonl", "ids", "entries"};

static int format_of_suffix(const char *path, cli_format *format)
{
    static const struct {
        const char *suffix;
        cli_format format;
    } known[] = {{".csv", CLI_CSV},   {".jsonl", CLI_JSONL}, {".ndjson", CLI_JSONL},   {".json", CLI_JSONL},
                 {".txt", CLI_TABLE}, {".ids", CLI_IDS},     {".entries", CLI_ENTRIES}};
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    struct stat seen;

    for (size_t i = 0; dot != NULL && i < sizeof known / sizeof *known; i++) {
        if (strcmp(dot, known[i].suffix) == 0) {
            *format = known[i].format;
            return 0;
        }
    }
    *format = CLI_CSV;
    if (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode))
        return 0;
    return cli_wrong("-o %s: its suffix tells no format (.csv .jsonl .txt .ids .entries do); say it with -f",
                     path);
}

static int choose_format(const cli_opts *opts, cli_format *format)
{
    for (size_t i = 0; opts->format != NULL && i < sizeof names / sizeof *names; i++) {
        if (strcmp(opts->format, names[i]) == 0)
            *format = (cli_format)i;
    }
    if (opts->format != NULL && opts->json && *format != CLI_JSONL)
        return cli_wrong("--json and -f %s are two formats", opts->format);
    if (opts->json)
        *format = CLI_JSONL;
    if (opts->format != NULL || opts->json)
        return 0;
    if (opts->out != NULL)
        return format_of_suffix(opts->out, format);
    *format = isatty(STDOUT_FILENO) ? CLI_TABLE : CLI_CSV;
    return 0;
}

int cli_writer_open(cli_writer *writer, const cli_opts *opts, bool has_front)
{
    memset(writer, 0, sizeof *writer);
    writer->out.fd = -1;
    writer->has_front = has_front;
    if (choose_format(opts, &writer->format) != 0)
        return 2;
    if (writer->format == CLI_TABLE && opts->out == NULL)
        writer->width = cli_terminal_width(STDOUT_FILENO);
    writer->is_screen = writer->width > 0;
    writer->is_fitted = writer->is_screen && opts->columns == NULL;
    writer->table.max_cell = writer->is_screen ? SCREEN_CELL : 0;
    return cli_out_open(&writer->out, opts->out);
}

bool cli_writer_wants_columns(const cli_writer *writer)
{
    return writer->format == CLI_TABLE || writer->format == CLI_CSV || writer->format == CLI_JSONL;
}

uint32_t cli_writer_fitting(const cli_writer *writer, const tagma_schema *schema, const uint32_t *columns,
                            uint32_t n)
{
    size_t taken = 0;
    uint32_t i = 0;

    if (!writer->is_fitted)
        return n;
    while (i < n) {
        const char *name = tagma_schema_column(schema, columns[i])->name;
        taken += cli_width(name, strlen(name)) + 2;
        if (i > 0 && taken > writer->width)
            break;
        i++;
    }
    return i;
}

static void begin_table(cli_writer *writer)
{
    if (writer->has_front) {
        cli_table_add_column(&writer->table, "@file", false);
        cli_table_add_column(&writer->table, "@entry", true);
        cli_table_add_column(&writer->table, "@id", false);
    } else {
        cli_table_add_column(&writer->table, "@entry", true);
    }
    for (uint32_t i = 0; i < writer->n_cells; i++) {
        const tagma_column *c = writer->cells[i].column;
        bool is_number = c->n_lists == 0 && c->n_dims == 0 && c->type != TAGMA_STRING;
        cli_table_add_column(&writer->table, c->name, is_number);
    }
}

static void begin_entries(cli_writer *writer)
{
    static const char line[] = "file,entry\n";

    cli_out_put(&writer->out, line, sizeof line - 1);
}

static void begin_csv(cli_writer *writer)
{
    cli_text line = {0};

    if (writer->has_front)
        cli_text_words(&line, "@file,@entry,@id");
    for (uint32_t i = 0; i < writer->n_cells; i++) {
        const char *name = writer->cells[i].column->name;
        if (i > 0 || writer->has_front)
            cli_text_char(&line, ',');
        cli_text_csv(&line, name, strlen(name));
    }
    cli_text_char(&line, '\n');
    cli_out_put(&writer->out, line.bytes, line.n);
    cli_text_free(&line);
}

/* Two files under one header, when every column has the same name and type in both. */
static int check_header(cli_writer *writer, const char *file, const tagma_schema *schema,
                        const uint32_t *columns)
{
    cli_text header = {0};
    int status = 0;
    char type[512];

    for (uint32_t i = 0; i < writer->n_cells; i++) {
        tagma_schema_spell(schema, columns[i], type, sizeof type);
        cli_text_format(&header, "%s %s\n", writer->cells[i].column->name, type);
    }
    if (!writer->is_begun)
        writer->header = header;
    else if (header.n != writer->header.n ||
             (header.n > 0 && memcmp(header.bytes, writer->header.bytes, header.n) != 0))
        status = cli_wrong(
            "%s has other columns than the first file; choose common ones with -c, or -f jsonl", file);
    if (writer->is_begun)
        cli_text_free(&header);
    return status;
}

static void make_keys(cli_writer *writer)
{
    writer->keys.n = 0;
    for (uint32_t i = 0; i < writer->n_cells; i++) {
        const char *name = writer->cells[i].column->name;
        cli_text_char(&writer->keys, ',');
        cli_text_json(&writer->keys, name, strlen(name));
        cli_text_char(&writer->keys, ':');
        writer->key_ends[i] = writer->keys.n;
    }
}

int cli_writer_columns(cli_writer *writer, const char *file, const tagma_schema *schema,
                       const uint32_t *columns, uint32_t n)
{
    /* In the order of cli_format. */
    static void (*const begin_of[])(cli_writer *) = {begin_table, begin_csv, NULL, NULL, begin_entries};

    free(writer->cells);
    free(writer->key_ends);
    writer->n_cells = n;
    writer->cells = calloc((size_t)n + 1, sizeof *writer->cells);
    writer->key_ends = calloc((size_t)n + 1, sizeof *writer->key_ends);
    if (writer->cells == NULL || writer->key_ends == NULL)
        return cli_no_memory();
    for (uint32_t i = 0; i < n; i++)
        writer->cells[i].column = tagma_schema_column(schema, columns[i]);
    make_keys(writer);
    if (writer->keys.is_short)
        return cli_no_memory();
    if ((writer->format == CLI_CSV || writer->format == CLI_TABLE) &&
        check_header(writer, file, schema, columns) != 0)
        return 2;
    if (!writer->is_begun && begin_of[writer->format] != NULL)
        begin_of[writer->format](writer);
    writer->is_begun = true;
    return 0;
}

int cli_writer_batch(cli_writer *writer, cli_session *session, tagma_batch *batch)
{
    for (uint32_t i = 0; i < writer->n_cells; i++) {
        if (writer->cells[i].column->type == TAGMA_BOOL &&
            tagma_batch_bools(session->ctx, batch, i, false) < 0)
            return cli_failed(session);
        writer->cells[i].values = tagma_batch_column_at(batch, i);
    }
    return 0;
}

static size_t jsonl_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i)
{
    size_t begin;
    size_t key = 0;

    cli_text_char(text, '{');
    if (writer->has_front) {
        cli_text_words(text, "\"@file\":");
        cli_text_json(text, origin->file, strlen(origin->file));
        cli_text_words(text, ",\"@entry\":");
        cli_text_u64(text, origin->entry);
        cli_text_words(text, ",\"@id\":");
        cli_text_json(text, origin->id, strlen(origin->id));
    }
    begin = text->n;
    for (uint32_t c = 0; c < writer->n_cells; c++) {
        /* Without a front the first key has no comma before it. */
        size_t skip = c == 0 && !writer->has_front ? 1 : 0;
        cli_text_put(text, writer->keys.bytes + key + skip, writer->key_ends[c] - key - skip);
        cli_value_json(text, &writer->cells[c], i);
        key = writer->key_ends[c];
    }
    cli_text_words(text, "}\n");
    return begin;
}

static size_t csv_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i)
{
    size_t begin;

    if (writer->has_front) {
        cli_text_csv(text, origin->file, strlen(origin->file));
        cli_text_char(text, ',');
        cli_text_u64(text, origin->entry);
        cli_text_char(text, ',');
        cli_text_csv(text, origin->id, strlen(origin->id));
    }
    begin = text->n;
    for (uint32_t c = 0; c < writer->n_cells; c++) {
        if (c > 0 || writer->has_front)
            cli_text_char(text, ',');
        cli_value_csv(text, &writer->cells[c], i);
    }
    cli_text_char(text, '\n');
    return begin;
}

static size_t table_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i)
{
    cli_text value = {0};
    size_t begin;

    if (writer->has_front)
        cli_cell_words(text, origin->file);
    cli_text_u64(text, origin->entry);
    cli_text_char(text, CLI_CELL_END);
    if (writer->has_front)
        cli_cell_words(text, origin->id);
    begin = text->n;
    for (uint32_t c = 0; c < writer->n_cells; c++) {
        value.n = 0;
        cli_value_eye(&value, &writer->cells[c], i);
        cli_cell_put(text, value.bytes, value.n);
    }
    text->is_short = text->is_short || value.is_short;
    cli_text_free(&value);
    return begin;
}

static size_t ids_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i)
{
    (void)writer;
    (void)i;
    cli_text_words(text, origin->id);
    cli_text_char(text, '\n');
    return text->n;
}

static size_t entries_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i)
{
    (void)writer;
    (void)i;
    cli_text_csv(text, origin->file, strlen(origin->file));
    cli_text_char(text, ',');
    cli_text_u64(text, origin->entry);
    cli_text_char(text, '\n');
    return text->n;
}

size_t cli_writer_row(cli_writer *writer, cli_text *text, const cli_origin *origin, uint64_t i)
{
    /* In the order of cli_format. */
    static size_t (*const row_of[])(cli_writer *, cli_text *, const cli_origin *,
                                    uint64_t) = {table_row, csv_row, jsonl_row, ids_row, entries_row};

    return row_of[writer->format](writer, text, origin, i);
}

void cli_writer_put(cli_writer *writer, const char *row, size_t n)
{
    if (writer->format != CLI_TABLE) {
        cli_out_put(&writer->out, row, n);
        return;
    }
    cli_table_add_row(&writer->table, row, n);
    if (writer->table.n_rows < TABLE_ROWS)
        return;
    if (writer->is_fitted && !writer->table.is_begun)
        cli_table_fit(&writer->table, writer->width);
    cli_table_print(&writer->table, &writer->out);
}

void cli_more_words(cli_text *text, uint64_t more_entries, uint64_t more_columns)
{
    char number[CLI_NUMBER_BYTES];

    if (more_entries == 0 && more_columns == 0)
        return;
    cli_text_words(text, "... ");
    if (more_entries > 0)
        cli_text_format(text, "%s more %s", cli_grouped(more_entries, number),
                        more_entries == 1 ? "entry" : "entries");
    if (more_columns > 0)
        cli_text_format(text, "%s%s more column%s", more_entries > 0 ? ", " : "",
                        cli_grouped(more_columns, number), cli_s(more_columns));
    cli_text_format(text, " (%s%s%s)\n", more_entries > 0 ? "--count" : "",
                    more_entries > 0 && more_columns > 0 ? ", " : "", more_columns > 0 ? "-c" : "");
}

int cli_writer_finish(cli_writer *writer, uint64_t more_entries, uint64_t more_columns, int status)
{
    cli_text words = {0};

    if (writer->format == CLI_TABLE) {
        size_t n = writer->table.n_columns;
        if (writer->is_fitted && !writer->table.is_begun)
            cli_table_fit(&writer->table, writer->width);
        cli_table_print(&writer->table, &writer->out);
        cli_more_words(&words, more_entries, more_columns + (n - writer->table.n_shown));
        cli_out_put(&writer->out, words.bytes, words.n);
        cli_text_free(&words);
    }
    return cli_out_finish(&writer->out, status);
}

void cli_writer_free(cli_writer *writer)
{
    cli_out_discard(&writer->out);
    cli_table_free(&writer->table);
    free(writer->cells);
    free(writer->key_ends);
    cli_text_free(&writer->keys);
    cli_text_free(&writer->header);
    memset(writer, 0, sizeof *writer);
    writer->out.fd = -1;
}
