/* SPDX-License-Identifier: Apache-2.0
 * One value of a batch as text: for JSON, for CSV, for the eye. */
#include "cli/value.h"

#include "cli/number.h"

static bool bit(const uint8_t *bits, uint64_t i)
{
    return (bits[i / 8] >> (i % 8) & 1) != 0;
}

bool cli_value_is_null(const cli_cell *cell, uint64_t i)
{
    return cell->values->validity != NULL && !bit(cell->values->validity, i);
}

bool cli_value_is_damaged(const cli_cell *cell, uint64_t i)
{
    return cell->values->damaged != NULL && bit(cell->values->damaged, i);
}

static void put_run(cli_text *text, const cli_cell *cell, uint64_t begin, uint64_t end, bool quoted)
{
    const tagma_batch_column *v = cell->values;
    char *to;

    if (begin == end)
        return;
    to = cli_text_room(text, (size_t)(end - begin) * CLI_RUN_BYTES);
    if (to != NULL)
        text->n = (size_t)(cli_put_run(to, (int)v->type, v->values, begin, end, quoted) - text->bytes);
}

static const char *string_at(const cli_cell *cell, uint64_t k, size_t *n)
{
    const tagma_batch_column *v = cell->values;
    const uint32_t *ends = v->offsets[cell->column->n_lists];

    *n = ends[k + 1] - ends[k];
    return (const char *)v->values + ends[k];
}

/* Dimension d and those inside of it, of the values that begin at `first`. */
static void put_dims(cli_text *text, const cli_cell *cell, uint32_t d, uint64_t first, uint64_t n)
{
    const tagma_column *c = cell->column;
    uint32_t count;

    if (d == c->n_dims) {
        if (c->type == TAGMA_STRING) {
            size_t bytes;
            const char *string = string_at(cell, first, &bytes);
            cli_text_json(text, string, bytes);
        } else {
            put_run(text, cell, first, first + 1, true);
        }
        return;
    }
    count = c->dims[d];
    cli_text_char(text, '[');
    if (d + 1 == c->n_dims && c->type != TAGMA_STRING) {
        put_run(text, cell, first, first + count, true);
    } else {
        for (uint32_t k = 0; k < count; k++) {
            if (k > 0)
                cli_text_char(text, ',');
            put_dims(text, cell, d + 1, first + k * (n / count), n / count);
        }
    }
    cli_text_char(text, ']');
}

static void put_items(cli_text *text, const cli_cell *cell, uint64_t begin, uint64_t end)
{
    uint64_t n = cell->column->n_items;

    if (cell->column->n_dims == 0 && cell->column->type != TAGMA_STRING) {
        put_run(text, cell, begin, end, true);
        return;
    }
    for (uint64_t i = begin; i < end; i++) {
        if (i != begin)
            cli_text_char(text, ',');
        put_dims(text, cell, 0, i * n, n);
    }
}

/* Lists begin to end - 1 of the innermost level. */
static void put_inner(cli_text *text, const cli_cell *cell, const uint32_t *ends, uint64_t begin,
                      uint64_t end)
{
    for (uint64_t i = begin; i < end; i++) {
        if (i != begin)
            cli_text_char(text, ',');
        cli_text_char(text, '[');
        put_items(text, cell, ends[i], ends[i + 1]);
        cli_text_char(text, ']');
    }
}

/* Item lists begin to end - 1 of the second level, or items where there is one level. */
static void put_list_items(cli_text *text, const cli_cell *cell, uint64_t begin, uint64_t end)
{
    if (cell->column->n_lists == 1)
        put_items(text, cell, begin, end);
    else
        put_inner(text, cell, cell->values->offsets[1], begin, end);
}

static void put_list(cli_text *text, const cli_cell *cell, uint64_t i)
{
    const uint32_t *ends = cell->values->offsets[0];

    cli_text_char(text, '[');
    put_list_items(text, cell, ends[i], ends[i + 1]);
    cli_text_char(text, ']');
}

void cli_value_json(cli_text *text, const cli_cell *cell, uint64_t i)
{
    if (cli_value_is_null(cell, i))
        cli_text_put(text, "null", 4);
    else if (cell->column->n_lists == 0)
        put_items(text, cell, i, i + 1);
    else
        put_list(text, cell, i);
}

static bool is_plain(const tagma_column *c)
{
    return c->n_lists == 0 && c->n_dims == 0;
}

void cli_value_csv(cli_text *text, const cli_cell *cell, uint64_t i)
{
    const tagma_column *c = cell->column;
    size_t begin = text->n;
    size_t n;

    if (cli_value_is_null(cell, i))
        return;
    if (is_plain(c) && c->type == TAGMA_STRING) {
        const char *string = string_at(cell, i, &n);
        cli_text_csv(text, string, n);
        return;
    }
    if (is_plain(c)) {
        put_run(text, cell, i, i + 1, false);
        return;
    }
    cli_value_json(text, cell, i);
    cli_text_csv_quote(text, begin);
}

static void put_eye(cli_text *text, const cli_cell *cell, uint64_t first)
{
    size_t n;

    if (cell->column->n_dims == 0 && cell->column->type == TAGMA_STRING) {
        const char *string = string_at(cell, first, &n);
        cli_text_put(text, string, n);
    } else if (cell->column->n_dims == 0) {
        put_run(text, cell, first, first + 1, false);
    } else {
        put_items(text, cell, first, first + 1);
    }
}

static bool put_null(cli_text *text, const cli_cell *cell, uint64_t i)
{
    if (!cli_value_is_null(cell, i))
        return false;
    cli_text_words(text, cli_value_is_damaged(cell, i) ? "damaged" : "null");
    return true;
}

void cli_value_eye(cli_text *text, const cli_cell *cell, uint64_t i)
{
    if (put_null(text, cell, i))
        return;
    if (cell->column->n_lists == 0)
        put_eye(text, cell, i);
    else
        put_list(text, cell, i);
}

uint64_t cli_value_length(const cli_cell *cell, uint64_t i)
{
    const uint32_t *ends = cell->values->offsets[0];

    if (cell->column->n_lists == 0 || cli_value_is_null(cell, i))
        return 0;
    return ends[i + 1] - ends[i];
}

void cli_value_item(cli_text *text, const cli_cell *cell, uint64_t i, uint64_t k)
{
    if (put_null(text, cell, i))
        return;
    if (cell->column->n_lists == 1)
        put_eye(text, cell, cell->values->offsets[0][i] + k);
    else
        put_list_items(text, cell, cell->values->offsets[0][i] + k, cell->values->offsets[0][i] + k + 1);
}

bool cli_value_whole(cli_text *text, const cli_cell *cell, uint64_t i)
{
    const tagma_batch_column *v = cell->values;
    uint64_t at = i;
    double value;

    if (cell->column->n_items != 1 || v->type == TAGMA_STRING || v->type == TAGMA_BOOL ||
        cli_value_is_null(cell, i))
        return false;
    for (uint32_t level = 0; level < cell->column->n_lists; level++) {
        if (v->offsets[level][at + 1] - v->offsets[level][at] != 1)
            return false;
        at = v->offsets[level][at];
    }
    if (v->type != TAGMA_F32 && v->type != TAGMA_F64) {
        put_run(text, cell, at, at + 1, false);
        return true;
    }
    value = v->type == TAGMA_F32 ? (double)((const float *)v->values)[at] : ((const double *)v->values)[at];
    /* Ids in floating numbers are below 2^53. */
    if (!(value > -9007199254740992.0 && value < 9007199254740992.0))
        return false;
    cli_text_format(text, "%.0f", value + 0.0); /* -0.0 becomes 0 */
    return true;
}
