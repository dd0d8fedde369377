/* SPDX-License-Identifier: Apache-2.0
 * A text that grows: bytes, numbers, JSON strings, CSV fields are appended to it. */
#include "cli/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/number.h"
#include "cli/width.h"

void cli_text_free(cli_text *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

char *cli_text_grow(cli_text *text, size_t more)
{
    size_t wanted;
    char *bytes;

    if (text->is_short)
        return NULL;
    if (__builtin_add_overflow(text->n, more, &wanted) || wanted > SIZE_MAX / 4) {
        text->is_short = true;
        return NULL;
    }
    wanted = wanted + wanted / 2 + 256;
    bytes = realloc(text->bytes, wanted);
    if (bytes == NULL) {
        text->is_short = true;
        return NULL;
    }
    text->bytes = bytes;
    text->capacity = wanted;
    return bytes + text->n;
}

void cli_text_words(cli_text *text, const char *words)
{
    cli_text_put(text, words, strlen(words));
}

void cli_text_format(cli_text *text, const char *format, ...)
{
    va_list args;
    char *to;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    to = n >= 0 ? cli_text_room(text, (size_t)n + 1) : NULL;
    if (to == NULL)
        return;
    va_start(args, format);
    vsnprintf(to, (size_t)n + 1, format, args);
    va_end(args);
    text->n += (size_t)n;
}

void cli_text_u64(cli_text *text, uint64_t value)
{
    char *to = cli_text_room(text, CLI_RUN_BYTES);

    if (to != NULL)
        text->n = (size_t)(cli_put_u64(to, value) - text->bytes);
}

void cli_text_visible(cli_text *text, const char *bytes, size_t n)
{
    size_t at = 0;
    char shown[16];

    while (at < n) {
        size_t used;
        size_t columns;
        size_t length = cli_visible(bytes + at, n - at, shown, &used, &columns);
        cli_text_put(text, shown, length);
        at += used;
    }
}

/* What JSON writes in two letters; 0 for all other characters. */
static char escape_of(unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char *found = c != '\0' ? strchr(from, c) : NULL;

    return found != NULL ? to[found - from] : '\0';
}

static size_t plain_run(const char *bytes, size_t n)
{
    size_t i = 0;

    while (i < n && (unsigned char)bytes[i] >= 0x20 && (unsigned char)bytes[i] < 0x7f && bytes[i] != '"' &&
           bytes[i] != '\\')
        i++;
    return i;
}

void cli_text_json(cli_text *text, const char *bytes, size_t n)
{
    size_t i = 0;

    cli_text_char(text, '"');
    while (i < n) {
        size_t run = plain_run(bytes + i, n - i);
        unsigned char c;
        uint32_t point;
        size_t length;

        cli_text_put(text, bytes + i, run);
        i += run;
        if (i == n)
            break;
        c = (unsigned char)bytes[i];
        length = c >= 0x80 ? cli_utf8(bytes + i, n - i, &point) : 0;
        if (length > 0) {
            cli_text_put(text, bytes + i, length);
            i += length;
            continue;
        }
        if (escape_of(c) != '\0') {
            cli_text_char(text, '\\');
            cli_text_char(text, escape_of(c));
        } else {
            cli_text_format(text, "\\u%04x", c);
        }
        i++;
    }
    cli_text_char(text, '"');
}

void cli_text_csv(cli_text *text, const char *bytes, size_t n)
{
    bool quoted = n == 0 || bytes[0] == ' ' || bytes[n - 1] == ' ';
    size_t begin;

    for (size_t i = 0; i < n && !quoted; i++)
        quoted = bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r';
    begin = text->n;
    cli_text_put(text, bytes, n);
    if (quoted)
        cli_text_csv_quote(text, begin);
}

void cli_text_csv_quote(cli_text *text, size_t begin)
{
    size_t n = text->n - begin;
    size_t more = 2;
    char *to;

    if (text->is_short)
        return;
    for (size_t i = begin; i < text->n; i++)
        more += text->bytes[i] == '"';
    to = cli_text_room(text, more);
    if (to == NULL)
        return;
    /* From the end, so that what is moved is not overwritten. */
    to = text->bytes + text->n + more;
    *--to = '"';
    for (size_t i = n; i > 0; i--) {
        char c = text->bytes[begin + i - 1];
        *--to = c;
        if (c == '"')
            *--to = '"';
    }
    *--to = '"';
    text->n += more;
}
