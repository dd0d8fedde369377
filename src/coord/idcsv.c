/* SPDX-License-Identifier: Apache-2.0
 * Lists with a header that names other columns as well: CSV and its kin, fields as RFC 4180 quotes them. */
#include <string.h>

#include "coord/idread.h"

static bool is_blank(const tg_idread *rd, char separator, const char *p)
{
    return p < rd->end && (*p == ' ' || (*p == '\t' && separator != '\t'));
}

static const char *skip_blanks(const tg_idread *rd, char separator, const char *p)
{
    while (is_blank(rd, separator, p))
        p++;
    return p;
}

/* Where a quoted field ends: at its closing quote; at the end of the text where there is none. Lines in it count. */
static const char *quoted_end(tg_idread *rd, const char *p)
{
    for (; p < rd->end; p++) {
        if (*p == '"' && (p + 1 == rd->end || p[1] != '"'))
            return p;
        if (*p == '"')
            p++;
        else if (*p == '\n' || *p == '\r')
            p = tg_idread_next_line(rd, p) - 1;
    }
    return p;
}

/* Behind a field: its separator, or the end of the line, where a comment may stand. */
static tg_id_field_end ending(const tg_idread *rd, char separator, const char **p)
{
    const char *at = skip_blanks(rd, separator, *p);
    bool was_blank = at > *p;

    *p = at;
    if (tg_idread_at_line_end(rd, at))
        return TG_FIELD_LAST;
    if (*at == '#' && was_blank) {
        *p = tg_idread_line_end(rd, at);
        return TG_FIELD_LAST;
    }
    if (separator == ' ')
        return was_blank ? TG_FIELD_MORE : TG_FIELD_OPEN;
    if (separator == 0 || *at != separator)
        return TG_FIELD_OPEN;
    *p = at + 1;
    return TG_FIELD_MORE;
}

/* Where an unquoted field ends: at its separator, the end of the line, or blanks before a comment. */
static const char *bare_end(const tg_idread *rd, char separator, const char *p)
{
    const char *begin = p;

    for (; !tg_idread_at_line_end(rd, p) && *p != separator; p++)
        if ((*p == '#' && p > begin && is_blank(rd, separator, p - 1)) || (separator == ' ' && *p == '\t'))
            break;
    while (p > begin && is_blank(rd, separator, p - 1))
        p--;
    return p;
}

tg_id_field_end tg_id_field(tg_idread *rd, char separator, const char **p, const char **text, size_t *n)
{
    const char *at = skip_blanks(rd, separator, *p);
    const char *end;

    *text = at;
    *n = 0;
    if (at < rd->end && *at == '"') {
        end = quoted_end(rd, at + 1);
        *text = at + 1;
        *n = (size_t)(end - at - 1);
        *p = end < rd->end ? end + 1 : end;
        return end < rd->end ? ending(rd, separator, p) : TG_FIELD_OPEN;
    }
    end = bare_end(rd, separator, at);
    *n = (size_t)(end - at);
    *p = end;
    return ending(rd, separator, p);
}

/* The field that is to be read, as number or as id. */
static void take_field(tg_idread *rd, const char *text, size_t n, uint32_t line, tg_id_numbers *numbers)
{
    while (n > 0 && text[n - 1] == ' ')
        n--;
    while (n > 0 && text[0] == ' ') {
        text++;
        n--;
    }
    if (rd->header.has_id)
        tg_idread_id(rd, text, n, line);
    else
        tg_id_numbers_add(numbers, text, n);
}

static const char *read_row(tg_idread *rd, const char *p)
{
    const tg_id_header *header = &rd->header;
    uint32_t line = rd->line, n = 0, wanted = 0;
    tg_id_field_end end = TG_FIELD_MORE;
    tg_id_numbers numbers;
    tg_id_fault fault = {.kind = TG_ID_FIELDS, .axis = TG_ID_ANY, .b = header->n_fields};

    tg_id_numbers_clear(&numbers);
    while (end == TG_FIELD_MORE) {
        const char *text;
        size_t n_bytes;

        end = tg_id_field(rd, header->separator, &p, &text, &n_bytes);
        if (wanted < header->n_wanted && header->field[wanted] == n && end != TG_FIELD_OPEN) {
            take_field(rd, text, n_bytes, line, &numbers);
            wanted++;
        }
        n++;
    }
    if (end == TG_FIELD_OPEN)
        fault.kind = TG_ID_QUOTE;
    fault.a = n;
    if (end == TG_FIELD_OPEN || n != header->n_fields)
        tg_idread_bad(rd, line, &fault);
    else if (!header->has_id)
        tg_idread_numbers(rd, &header->form, &numbers, line);
    return tg_idread_line_end(rd, p);
}

void tg_idcsv_read(tg_idread *rd, const char *p)
{
    while (tg_idread_goes_on(rd, p)) {
        const char *begin = skip_blanks(rd, rd->header.separator, p);

        if (tg_idheader_is_again(rd, p))
            p += rd->header.n;
        else if (tg_idread_at_line_end(rd, begin) || *begin == '#')
            p = tg_idread_line_end(rd, p);
        else
            p = read_row(rd, p);
        p = tg_idread_next_line(rd, p);
    }
}
