/* SPDX-License-Identifier: Apache-2.0
 * The table that TTree::Scan prints. ROOT cuts header and numbers to the width of a column, prints numbers through double,
 * and writes a line for each instance of a list. */
#include <inttypes.h>
#include <string.h>

#include "coord/idread.h"

/* The columns of the table as its last header said. */
typedef struct scan_table {
    tg_idread *rd;
    bool has_header;
    uint32_t n_cells;
    uint32_t row_cell, instance_cell; /* TG_ID_ANY: not there */
    size_t width[TAGMA_MAX_ID_AXES];  /* of the cells that are read, in the order of header.field */
    const char *row;                  /* [n_row] of the last line kept, where there are instances */
    size_t n_row;
    uint64_t n_full, n_large; /* numbers that fill their cell; that pass 2^53 */
} scan_table;

/* What ROOT says around a table. */
static const char *const chatter[] = {
    "==> ",        "root [",  "Processing ",     "(long long) ",
    "(Long64_t) ", "(long) ", "Attaching file ", "Type <CR> to continue or q to quit ==>"};
enum { PROMPT = sizeof chatter / sizeof chatter[0] - 1 };

static bool begins_with(const tg_idread *rd, const char *p, const char *words)
{
    size_t n = strlen(words);

    return (size_t)(rd->end - p) >= n && memcmp(p, words, n) == 0;
}

static const char *skip_blanks(const tg_idread *rd, const char *p)
{
    while (p < rd->end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

static bool is_chatter(const tg_idread *rd, const char *p)
{
    for (size_t i = 0; i < sizeof chatter / sizeof chatter[0]; i++)
        if (begins_with(rd, p, chatter[i]))
            return true;
    return false;
}

bool tg_idscan_is_line(const tg_idread *rd, const char *p)
{
    return (p < rd->end && *p == '*') || is_chatter(rd, p);
}

/* The text between two stars. @return false where the line has no further star. */
static bool take_cell(const char **p, const char *end, const char **text, size_t *n, size_t *width)
{
    const char *star = memchr(*p, '*', (size_t)(end - *p));

    if (!star)
        return false;
    *text = *p;
    *n = (size_t)(star - *p);
    *width = *n > 2 ? *n - 2 : 0; /* one blank at each side belongs to the frame */
    *p = star + 1;
    while (*n > 0 && **text == ' ') {
        ++*text;
        --*n;
    }
    while (*n > 0 && (*text)[*n - 1] == ' ')
        --*n;
    return true;
}

static bool is_text(const char *text, size_t n, const char *words)
{
    return n == strlen(words) && memcmp(text, words, n) == 0;
}

static bool is_frame(const char *p, const char *end)
{
    while (p < end && (*p == '*' || *p == ' '))
        p++;
    return p == end;
}

/* The line that names the columns: its first cell is "Row". */
static void read_header(scan_table *table, const char *p, const char *end)
{
    tg_idread *rd = table->rd;
    tg_id_columns columns = {.has_id = false};
    size_t widths[TAGMA_MAX_ID_AXES] = {0};
    const char *text;
    size_t n, width;
    tg_id_fault fault;
    uint32_t i = 0;

    table->row_cell = table->instance_cell = TG_ID_ANY;
    for (; take_cell(&p, end, &text, &n, &width); i++) {
        tg_id_rank rank;
        uint32_t best;

        if (is_text(text, n, "Row") && table->row_cell == TG_ID_ANY) {
            table->row_cell = i;
            continue;
        }
        if (is_text(text, n, "Instance") && table->instance_cell == TG_ID_ANY) {
            table->instance_cell = i;
            continue;
        }
        tg_id_rank_name(&rd->names, text, n, n == width, &rank);
        rank.is_id = false; /* no column of a tree */
        best = tg_id_columns_add(&columns, &rank, i, text, n);
        for (uint32_t a = 0; a < TAGMA_MAX_ID_AXES; a++)
            if (best & 1U << a)
                widths[a] = width;
    }
    table->has_header = true;
    table->n_cells = i;
    table->n_row = 0;
    if (!tg_id_columns_check(&columns, rd->axes, &fault)) {
        tg_idread_bad(rd, rd->line, &fault);
        rd->is_over = true;
        return;
    }
    tg_id_header_set(&rd->header, &columns, rd->axes->n_axes);
    for (uint32_t k = 0; k < rd->header.n_wanted; k++)
        table->width[k] = widths[rd->header.form.axis[rd->header.n_wanted][k]];
}

/* A number that fills its cell may have been cut, one past 2^53 may have been rounded, and the text does not show it. */
static void suspect(scan_table *table, const tg_id_numbers *numbers)
{
    bool is_full = false, is_large = false;

    for (uint32_t i = 0; i < numbers->n && i < TAGMA_MAX_ID_AXES; i++) {
        is_full = is_full || numbers->text_bytes[i] >= table->width[i];
        is_large = is_large || numbers->magnitude[i] >= UINT64_C(1) << 53;
    }
    table->n_full += is_full;
    table->n_large += is_large;
}

/* Another instance of the row before: lists are printed item by item, and the ids stand again or not at all. */
static bool is_further_instance(scan_table *table, const char *row, size_t n)
{
    bool is_same = table->n_row == n && n > 0 && memcmp(table->row, row, n) == 0;

    table->row = row;
    table->n_row = n;
    return is_same;
}

static void read_row(scan_table *table, const char *p, const char *end)
{
    tg_idread *rd = table->rd;
    const tg_id_header *header = &rd->header;
    const char *text, *row = p;
    size_t n, width, n_row = 0;
    uint32_t i = 0, wanted = 0;
    tg_id_numbers numbers;
    tg_id_fault fault = {.kind = TG_ID_NO_HEADER};

    tg_id_numbers_clear(&numbers);
    for (; take_cell(&p, end, &text, &n, &width); i++) {
        if (i == table->row_cell) {
            row = text;
            n_row = n;
        }
        if (wanted < header->n_wanted && header->field[wanted] == i) {
            tg_id_numbers_add(&numbers, text, n);
            wanted++;
        }
    }
    if (!table->has_header) {
        tg_idread_bad(rd, rd->line, &fault);
    } else if (i != table->n_cells) {
        fault = (tg_id_fault){.kind = TG_ID_FIELDS, .a = i, .b = table->n_cells};
        tg_idread_bad(rd, rd->line, &fault);
    } else if (table->instance_cell == TG_ID_ANY || !is_further_instance(table, row, n_row)) {
        suspect(table, &numbers);
        tg_idread_numbers(rd, &header->form, &numbers, rd->line);
    }
}

static void read_line(scan_table *table, const char *p, const char *end)
{
    tg_idread *rd = table->rd;
    tg_id_fault fault = {.kind = TG_ID_CHATTER, .text = p, .n = (size_t)(end - p)};
    const char *cell, *at;
    size_t n, width;

    while (begins_with(rd, p, chatter[PROMPT]))
        p = skip_blanks(rd, p + strlen(chatter[PROMPT]));
    if (p >= end || *p == '#' || is_chatter(rd, p))
        return;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (*p != '*' || end[-1] != '*') {
        tg_idread_bad(rd, rd->line, &fault);
        return;
    }
    if (is_frame(p, end))
        return;
    at = ++p;
    if (take_cell(&at, end, &cell, &n, &width) && is_text(cell, n, "Row"))
        read_header(table, p, end);
    else
        read_row(table, p, end);
}

void tg_idscan_read(tg_idread *rd, const char *p)
{
    scan_table table = {.rd = rd};

    rd->is_scan = true;
    while (tg_idread_goes_on(rd, p)) {
        const char *begin = skip_blanks(rd, p);

        p = tg_idread_line_end(rd, p);
        read_line(&table, begin, p);
        p = tg_idread_next_line(rd, p);
    }
    if (rd->status < 0 || rd->n_bad > 0)
        return;
    if (table.n_full > 0)
        tg_note(rd->ctx,
                "%s: in %" PRIu64 " of %" PRIu64
                " rows a number is as wide as its column; TTree::Scan cuts longer "
                "ones without a word. To be sure: tree->Scan(\"...\", \"\", \"colsize=20\")",
                rd->name, table.n_full, rd->n);
    if (table.n_large > 0)
        tg_note(rd->ctx,
                "%s: in %" PRIu64 " of %" PRIu64
                " rows a number is 2^53 or above; TTree::Scan prints through double, "
                "which rounds those",
                rd->name, table.n_large, rd->n);
}
