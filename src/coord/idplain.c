/* SPDX-License-Identifier: Apache-2.0
 * Lists of plain lines: one id of single numbers, or any number of ids joined by colons, in any separators. */
#include <string.h>

#include "coord/idread.h"

/* What a character may be to a line; all that is not named is part of a word. */
enum { WORD = 0, DIGIT, BLANK, SEPARATOR, COLON, END, QUOTE, HASH, AT };

/* clang-format off */
static const uint8_t class_of[256] = {
    [' '] = BLANK, ['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK,
    [','] = SEPARATOR, [';'] = SEPARATOR, [':'] = COLON, ['\n'] = END, ['\r'] = END,
    ['"'] = QUOTE, ['\''] = QUOTE, ['#'] = HASH, ['@'] = AT,
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
    ['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
};
/* clang-format on */

/* One line on its way. */
typedef struct plain_line {
    tg_idread *rd;
    const tg_id_form *form;
    const char *end;      /* of the text */
    tg_id_numbers single; /* numbers that are not joined: one id together */
    tg_id_numbers joined; /* of the id that is being read */
    uint32_t n_ids;       /* joined ones and entries */
    char quote;           /* the one that is open; 0 none */
    bool is_gap;          /* nothing yet since the last separator */
    tg_id_fault fault;    /* the first */
} plain_line;

static unsigned class_at(const plain_line *line, const char *p)
{
    return p == line->end ? END : class_of[(unsigned char)*p];
}

static const char *skip_blanks(const plain_line *line, const char *p)
{
    while (class_at(line, p) == BLANK)
        p++;
    return p;
}

static const char *word_end(const plain_line *line, const char *p)
{
    unsigned c;

    while ((c = class_at(line, p)) == WORD || c == DIGIT || c == AT)
        p++;
    return p;
}

static void blame(plain_line *line, tg_id_kind kind)
{
    if (line->fault.kind == TG_ID_GOOD)
        line->fault = (tg_id_fault){.kind = kind, .axis = TG_ID_ANY};
}

/* A number: up to 19 digits, which always fit, here; anything else by the rule of written digits. */
static const char *take_number(const plain_line *line, const char *p, tg_id_numbers *numbers)
{
    enum { ALWAYS_FIT = 19 };
    const char *begin = p;
    uint64_t value = 0;
    uint32_t i = numbers->n;

    for (; class_at(line, p) == DIGIT; p++)
        value = 10 * value + (uint64_t)(*p - '0');
    if (p == begin || p - begin > ALWAYS_FIT || class_at(line, p) == WORD || class_at(line, p) == AT ||
        i >= TAGMA_MAX_ID_AXES) {
        p = word_end(line, p);
        tg_id_numbers_add(numbers, begin, (size_t)(p - begin));
        return p;
    }
    numbers->magnitude[i] = value;
    numbers->is_negative[i] = false;
    numbers->text[i] = begin;
    numbers->text_bytes[i] = (size_t)(p - begin);
    numbers->n++;
    return p;
}

static void take_fault(plain_line *line, const tg_id_fault *fault)
{
    if (line->fault.kind == TG_ID_GOOD)
        line->fault = *fault;
}

/* The first of `joined` stands alone: it belongs to the single numbers of the line. */
static void keep_single(plain_line *line)
{
    const tg_id_numbers *from = &line->joined;
    tg_id_numbers *to = &line->single;
    uint32_t i = to->n++;

    if (from->fault.kind != TG_ID_GOOD && to->fault.kind == TG_ID_GOOD) {
        to->fault = from->fault;
        to->fault.axis = i;
    }
    if (i < TAGMA_MAX_ID_AXES) {
        to->magnitude[i] = from->magnitude[0];
        to->is_negative[i] = from->is_negative[0];
        to->text[i] = from->text[0];
        to->text_bytes[i] = from->text_bytes[0];
    }
}

/* A number and those that colons join to it. One that stands alone is kept for the end of the line. */
static const char *take_id(plain_line *line, const char *p)
{
    tg_id_numbers *numbers = &line->joined;
    const char *end;
    tg_id_fault fault;
    tagma_id id;

    tg_id_numbers_clear(numbers);
    end = take_number(line, p, numbers);
    p = skip_blanks(line, end);
    if (class_at(line, p) != COLON) {
        keep_single(line);
        return end;
    }
    while (class_at(line, p) == COLON) {
        end = take_number(line, skip_blanks(line, p + 1), numbers);
        p = skip_blanks(line, end);
    }
    line->n_ids++;
    if (!tg_id_place(line->rd->axes, line->form, numbers, &id, &fault))
        take_fault(line, &fault);
    else
        tg_idread_put(line->rd, &id, line->rd->line);
    return end;
}

static const char *take_entry(plain_line *line, const char *p)
{
    const char *end = word_end(line, p);
    tg_id_fault fault;
    tagma_id id;

    /* "@5:6" is not the entry 5 and something else. */
    while (class_at(line, end) == COLON)
        end = word_end(line, end + 1);
    line->n_ids++;
    if (!tg_id_read(line->rd->axes, &line->rd->bare, p, (size_t)(end - p), &id, &fault))
        take_fault(line, &fault);
    else
        tg_idread_put(line->rd, &id, line->rd->line);
    return end;
}

/* A quote opens before a word and closes behind one: 12"34 is neither. */
static void take_quote(plain_line *line, const char *p)
{
    unsigned before = p > line->rd->begin ? class_of[(unsigned char)p[-1]] : BLANK;
    unsigned after = class_at(line, p + 1);

    if (line->quote == *p) {
        line->quote = 0;
        if (after == WORD || after == DIGIT || after == AT)
            blame(line, TG_ID_QUOTE);
    } else if (line->quote || before == WORD || before == DIGIT || before == AT) {
        blame(line, TG_ID_QUOTE);
    } else {
        line->quote = *p;
    }
}

/* The line is over: single numbers are one id, and what is left open is a fault. */
static void finish(plain_line *line)
{
    tg_idread *rd = line->rd;
    uint32_t n = line->single.n;
    uint32_t depth = rd->header.n > 0 ? line->form->n_named : rd->axes->n_axes;

    if (line->quote)
        blame(line, TG_ID_QUOTE);
    if (n > 0 && line->n_ids > 0 && line->single.fault.kind == TG_ID_WORD) {
        line->single.fault.axis = TG_ID_ANY;
        take_fault(line, &line->single.fault);
    }
    if (n > 0 && line->n_ids > 0)
        blame(line, TG_ID_MIXED);
    /* "1,2," may lack its third number; behind a whole id a separator says nothing. */
    if (n > 0 && line->is_gap && n < depth)
        blame(line, TG_ID_GAP);
    if (line->fault.kind != TG_ID_GOOD)
        tg_idread_bad(rd, rd->line, &line->fault);
    else if (n > 0)
        tg_idread_numbers(rd, line->form, &line->single, rd->line);
}

static const char *read_line(plain_line *line, const char *p)
{
    line->n_ids = 0;
    line->quote = 0;
    line->is_gap = true;
    line->fault.kind = TG_ID_GOOD;
    tg_id_numbers_clear(&line->single);
    for (;;) {
        switch (class_at(line, p)) {
        case BLANK:
            p++;
            continue;
        case SEPARATOR:
            if (line->is_gap)
                blame(line, TG_ID_GAP);
            line->is_gap = true;
            p++;
            continue;
        case QUOTE:
            take_quote(line, p++);
            continue;
        case HASH:
            p = tg_idread_line_end(line->rd, p);
            continue;
        case END:
            finish(line);
            return p;
        case AT:
            p = take_entry(line, p);
            break;
        default:
            p = take_id(line, p);
        }
        line->is_gap = false;
    }
}

void tg_idplain_read(tg_idread *rd, const char *p)
{
    plain_line line = {.rd = rd, .form = rd->header.n > 0 ? &rd->header.form : &rd->bare, .end = rd->end};

    while (tg_idread_goes_on(rd, p)) {
        p = tg_idheader_is_again(rd, p) ? p + rd->header.n : read_line(&line, p);
        p = tg_idread_next_line(rd, p);
    }
}
