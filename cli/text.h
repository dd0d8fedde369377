/* SPDX-License-Identifier: Apache-2.0
 * A text that grows: bytes, numbers, JSON strings, CSV fields are appended to it. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tagma/version.h>

/* Where memory ends, is_short stays set, nothing more is appended, and who delivers the text looks. */
typedef struct cli_text {
    char *bytes;
    size_t n, capacity;
    bool is_short;
} cli_text;

void cli_text_free(cli_text *text);
/* Room for `more` bytes at text->bytes + text->n; NULL where memory ends. */
char *cli_text_grow(cli_text *text, size_t more);

static inline char *cli_text_room(cli_text *text, size_t more)
{
    if (text->capacity - text->n >= more && text->bytes != NULL)
        return text->bytes + text->n;
    return cli_text_grow(text, more);
}

static inline void cli_text_put(cli_text *text, const char *bytes, size_t n)
{
    char *to = cli_text_room(text, n);

    if (to == NULL || n == 0)
        return;
    memcpy(to, bytes, n);
    text->n += n;
}

static inline void cli_text_char(cli_text *text, char c)
{
    char *to = cli_text_room(text, 1);

    if (to == NULL)
        return;
    *to = c;
    text->n++;
}

void cli_text_words(cli_text *text, const char *words);
void cli_text_format(cli_text *text, const char *format, ...) TAGMA_PRINTF(2, 3);
void cli_text_u64(cli_text *text, uint64_t value);
/* Without control characters and what else would steer a terminal: those are \\xHH. */
void cli_text_visible(cli_text *text, const char *bytes, size_t n);
/* A JSON string with its quotes: UTF-8 as it is, any other byte as \u00XX. */
void cli_text_json(cli_text *text, const char *bytes, size_t n);
/* A CSV field after RFC 4180: quoted where it has to be, and where it is empty, so that it is told from null. */
void cli_text_csv(cli_text *text, const char *bytes, size_t n);
/* Quote what was appended since `begin`. */
void cli_text_csv_quote(cli_text *text, size_t begin);

#endif
