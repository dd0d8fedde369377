/* SPDX-License-Identifier: Apache-2.0
 * A list of ids: which form it has, what came of it. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "coord/idread.h"

bool tg_idread_put(tg_idread *rd, tagma_id *id, uint32_t line)
{
    void *block = rd->ids;

    /* Ids of a list that has bad lines are not wanted any more. */
    if (rd->n_bad > 0)
        return true;
    if (rd->n == rd->capacity) {
        rd->status = tg_reserve(rd->ctx, &block, &rd->capacity, rd->n + 1, sizeof *rd->ids);
        rd->ids = block;
        if (rd->status < 0)
            return false;
    }
    id->line = line;
    rd->ids[rd->n++] = *id;
    return true;
}

void tg_idread_bad(tg_idread *rd, uint32_t line, const tg_id_fault *fault)
{
    uint64_t kept = rd->n_bad < TG_ID_BAD_LINES ? rd->n_bad : TG_ID_BAD_LINES;

    if (rd->last_bad_line == line)
        return;
    rd->last_bad_line = line;
    if (rd->n_bad == 0) {
        char place[300];
        size_t n;

        snprintf(place, sizeof place, "%s line %" PRIu32, rd->name, line);
        tg_id_words(rd->words, sizeof rd->words, place, rd->axes, fault);
        n = strlen(rd->words);
        if (rd->is_scan && fault->kind == TG_ID_ROUNDED)
            snprintf(rd->words + n, sizeof rd->words - n, ", tree->Scan(\"...\", \"\", \"colsize=20\")");
    }
    if (kept < TG_ID_BAD_LINES) {
        rd->bad_lines[kept] = line;
        rd->bad_kinds[kept] = fault->kind;
    }
    rd->n_bad++;
}

bool tg_idread_numbers(tg_idread *rd, const tg_id_form *form, const tg_id_numbers *numbers, uint32_t line)
{
    tagma_id id;
    tg_id_fault fault;

    if (tg_id_place(rd->axes, form, numbers, &id, &fault))
        return tg_idread_put(rd, &id, line);
    tg_idread_bad(rd, line, &fault);
    return true;
}

bool tg_idread_id(tg_idread *rd, const char *text, size_t n, uint32_t line)
{
    tagma_id id;
    tg_id_fault fault;

    if (tg_id_read(rd->axes, &rd->bare, text, n, &id, &fault))
        return tg_idread_put(rd, &id, line);
    tg_idread_bad(rd, line, &fault);
    return true;
}

const char *tg_idread_next_line(tg_idread *rd, const char *p)
{
    enum { LINES_A_LOOK = 4096 };

    if (p == rd->end)
        return p;
    if (*p == '\r' && p + 1 < rd->end && p[1] == '\n')
        p++;
    if (rd->line < UINT32_MAX)
        rd->line++;
    if (rd->line % LINES_A_LOOK == 0 && rd->status >= 0)
        rd->status =
            tg_progress(rd->ctx, "list", "bytes", (uint64_t)(p - rd->begin), (uint64_t)(rd->end - rd->begin));
    return p + 1;
}

const char *tg_idread_line_end(const tg_idread *rd, const char *p)
{
    while (!tg_idread_at_line_end(rd, p))
        p++;
    return p;
}

/* Blank lines and comments before the list. A comment that names the id columns is a header. */
static const char *skip_preface(tg_idread *rd, const char *p)
{
    tg_id_fault fault;

    while (tg_idread_goes_on(rd, p)) {
        if (*p == ' ' || *p == '\t') {
            p++;
        } else if (*p == '#') {
            tg_idheader_read(rd, p, true, &fault);
            p = tg_idread_line_end(rd, p);
        } else if (*p == '\n' || *p == '\r') {
            p = tg_idread_next_line(rd, p);
        } else {
            break;
        }
    }
    return p;
}

/* A line that was meant as a header; any other fault is for the reader of plain lines to tell. */
static bool is_header_fault(tg_id_kind kind)
{
    return kind == TG_ID_NO_AXES || kind == TG_ID_NO_COLUMN || kind == TG_ID_TWO;
}

/* A list of lines: its first line may be a header. */
static void read_lines(tg_idread *rd, const char *p)
{
    tg_id_fault fault = {.kind = TG_ID_GOOD};

    if (rd->header.n == 0 && tg_idheader_read(rd, p, false, &fault)) {
        p = tg_idread_next_line(rd, tg_idread_line_end(rd, p));
    } else if (rd->header.n == 0 && is_header_fault(fault.kind)) {
        tg_idread_bad(rd, rd->line, &fault);
        p = tg_idread_next_line(rd, tg_idread_line_end(rd, p));
        /* Where it names the event it is a header, and without it the rest cannot be read. */
        rd->is_over = fault.kind != TG_ID_NO_COLUMN || fault.axis + 1 != rd->axes->n_axes;
    }
    if (rd->header.n > 0 && rd->header.is_strict)
        tg_idcsv_read(rd, p);
    else
        tg_idplain_read(rd, p);
}

static void read_list(tg_idread *rd)
{
    const char *p = skip_preface(rd, rd->begin);

    if (!tg_idread_goes_on(rd, p))
        return;
    if (tg_idscan_is_line(rd, p))
        tg_idscan_read(rd, p);
    else if (*p == '{' || *p == '[' || *p == '(')
        tg_idjson_read(rd, p);
    else
        read_lines(rd, p);
}

/* What is no text of ids at all, by its first bytes. */
static const char *other_kind(const char *text, size_t n)
{
    static const struct {
        const char *magic;
        size_t n;
        const char *words;
    } kinds[] = {
        {"root", 4, "is a ROOT file, not a list of event ids"},
        {"\x1f\x8b", 2, "is packed by gzip; unpack it first"},
        {"\xff\xfe", 2, "is UTF-16 text; save it as UTF-8"},
        {"\xfe\xff", 2, "is UTF-16 text; save it as UTF-8"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (n > kinds[i].n && memcmp(text, kinds[i].magic, kinds[i].n) == 0 &&
            (i > 0 || text[kinds[i].n] == 0))
            return kinds[i].words;
    return NULL;
}

/* "1,234,567": digits in groups of three. */
static void spell_count(char dst[32], uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
    int m = 0;

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            dst[m++] = ',';
        dst[m++] = digits[i];
    }
    dst[m] = 0;
}

/* The words of a list with bad lines: the first in full; where there are more, how many and the first ten. */
static tagma_status refuse(tg_idread *rd)
{
    char lines[400], count[32];
    size_t n = 0;

    if (rd->n_bad == 1)
        return tg_fail(rd->ctx, TAGMA_E_ARG, "%s", rd->words);
    for (uint64_t i = 0; i < rd->n_bad && i < TG_ID_BAD_LINES; i++) {
        bool is_like_first = rd->bad_kinds[i] == rd->bad_kinds[0];

        n +=
            (size_t)snprintf(lines + n, sizeof lines - n, is_like_first ? "%s%" PRIu32 : "%s%" PRIu32 " (%s)",
                             i > 0 ? ", " : "", rd->bad_lines[i], tg_id_short_words(rd->bad_kinds[i]));
    }
    spell_count(count, rd->n_bad);
    return tg_fail(rd->ctx, TAGMA_E_ARG, "%.*s\n%s bad lines%s: %s; nothing was read",
                   TG_MESSAGE_BYTES - (int)sizeof lines - 64, rd->words, count,
                   rd->n_bad > TG_ID_BAD_LINES ? ", the first 10" : "", lines);
}

static tagma_status verdict(tg_idread *rd, tagma_idlist *out)
{
    tagma_status st = rd->status;

    if (st >= 0 && rd->n_bad > 0)
        st = refuse(rd);
    else if (st >= 0 && rd->n == 0)
        st = tg_fail(rd->ctx, TAGMA_ABSENT, "%s holds no event ids", rd->name);
    if (st != TAGMA_OK) {
        tg_free(rd->ctx, rd->ids);
        return st;
    }
    out->ids = rd->ids;
    out->n = rd->n;
    return TAGMA_OK;
}

tagma_status tagma_idlist_parse(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, size_t n_bytes,
                                const char *name, tagma_idlist *out)
{
    static const char mark[] = "\xef\xbb\xbf";
    tg_idread rd = {.ctx = ctx, .axes = axes, .name = name, .line = 1};
    const char *words;

    *out = (tagma_idlist){NULL, 0};
    if (n_bytes == 0)
        return tg_fail(ctx, TAGMA_ABSENT, "%s holds no event ids", name);
    words = other_kind(text, n_bytes);
    if (words)
        return tg_fail(ctx, TAGMA_E_ARG, "%s %s", name, words);
    rd.begin = text;
    rd.end = text + n_bytes;
    if (n_bytes >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0)
        rd.begin += sizeof mark - 1;
    tg_id_names_init(&rd.names, axes);
    tg_id_form_init(&rd.bare, axes->n_axes);
    read_list(&rd);
    return verdict(&rd, out);
}

void tagma_idlist_free(tagma_ctx *ctx, tagma_idlist *list)
{
    tg_free(ctx, list->ids);
    *list = (tagma_idlist){NULL, 0};
}
