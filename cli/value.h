/* SPDX-License-Identifier: Apache-2.0
 * One value of a batch as text: for JSON, for CSV, for the eye. */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <tagma/batch.h>

#include "cli/text.h"

/* A column of a batch with its shape. */
typedef struct cli_cell {
    const tagma_column *column;
    const tagma_batch_column *values;
} cli_cell;

bool cli_value_is_null(const cli_cell *cell, uint64_t i);
/* Null because its bytes are damaged. */
bool cli_value_is_damaged(const cli_cell *cell, uint64_t i);
/* null, a number, true, a string, or arrays of them: lists first, then fixed dimensions. */
void cli_value_json(cli_text *text, const cli_cell *cell, uint64_t i);
/* Null is empty; a list is JSON in one field. */
void cli_value_csv(cli_text *text, const cli_cell *cell, uint64_t i);
/* `damaged` and `null` are words, strings stand without quotes. */
void cli_value_eye(cli_text *text, const cli_cell *cell, uint64_t i);
/* Items of the outermost list of entry i; 0 where it is no list. */
uint64_t cli_value_length(const cli_cell *cell, uint64_t i);
/* Item k of that list, as in cli_value_eye. */
void cli_value_item(cli_text *text, const cli_cell *cell, uint64_t i, uint64_t k);
/* A whole number: an integer, a floating value without fraction, or the only element of a list of them.
 * Makes no text and returns false for a null and anything else. */
bool cli_value_whole(cli_text *text, const cli_cell *cell, uint64_t i);

#endif
