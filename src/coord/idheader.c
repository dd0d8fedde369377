/* SPDX-License-Identifier: Apache-2.0
 * Headers of lists: names against axes, and which fields of a line are to be read. */
#include "coord/idheader.h"

#include <string.h>

#include "coord/idread.h"

/* How well a name fits; in rising order. */
enum { RANK_NONE = 0, RANK_CUT, RANK_SPELLING, RANK_NORMAL, RANK_EXACT };

/* A name longer than what normal form keeps would be compared by its end only. */
static bool is_comparable(size_t n)
{
    return n < TG_ID_NAME_BYTES;
}

void tg_id_names_init(tg_id_names *names, const tagma_id_axes *axes)
{
    memset(names, 0, sizeof *names);
    names->axes = axes;
    for (uint32_t a = 0; a < axes->n_axes; a++) {
        size_t n = strlen(axes->names[a]);
        names->roles[a] = tg_id_role_named(axes->roles[a]);
        if (names->roles[a] == TG_ROLE_NONE)
            names->roles[a] = tg_id_role_of(axes->names[a], n);
        if (is_comparable(n))
            tg_id_name_normal(axes->names[a], n, names->normal[a]);
    }
}

/* Is the text the first part of a longer word of a list "a, b, c"? */
static bool begins_word_of(const char *list, const char *text, size_t n)
{
    while (*list) {
        size_t m = strcspn(list, ",");
        if (n < m && memcmp(list, text, n) == 0)
            return true;
        list += m;
        list += strspn(list, ", ");
    }
    return false;
}

static bool is_begin_of_axis(const tg_id_names *names, uint32_t a, const char *text, size_t n)
{
    const char *name = names->axes->names[a];
    size_t length = strlen(name);
    char normal[TG_ID_NAME_BYTES];
    size_t m;

    /* "run.ru": branch and leaf, the leaf cut; "luminosit": the branch cut. */
    if (n <= length ? memcmp(name, text, n) == 0 : memcmp(name, text, length) == 0 && text[length] == '.')
        return true;
    m = tg_id_name_normal(text, n, normal);
    return is_comparable(n) && m > 3 && begins_word_of(tg_id_role_spellings(names->roles[a]), normal, m);
}

/* "event.event", branch and leaf of the same name, says no more than "event". */
static size_t without_leaf(const char *text, size_t n)
{
    size_t half = n / 2;

    return n % 2 == 1 && half > 0 && text[half] == '.' && memcmp(text, text + half + 1, half) == 0 ? half : n;
}

static bool is_same(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && memcmp(name, text, n) == 0;
}

void tg_id_rank_name(const tg_id_names *names, const char *text, size_t n, bool is_cut, tg_id_rank *rank)
{
    size_t n_branch = without_leaf(text, n);
    char normal[TG_ID_NAME_BYTES];
    tg_id_role role = tg_id_role_of(text, n_branch);

    *rank = (tg_id_rank){.is_id = is_same("@id", text, n)};
    tg_id_name_normal(text, n_branch, normal);
    rank->is_known = rank->is_id || role != TG_ROLE_NONE;
    for (uint32_t a = 0; a < names->axes->n_axes; a++) {
        const char *name = names->axes->names[a];

        if (is_same(name, text, n) || is_same(name, text, n_branch))
            rank->of[a] = RANK_EXACT;
        else if (is_comparable(n_branch) && normal[0] && strcmp(normal, names->normal[a]) == 0)
            rank->of[a] = RANK_NORMAL;
        else if (role != TG_ROLE_NONE && role == names->roles[a])
            rank->of[a] = RANK_SPELLING;
        else if (is_cut && is_begin_of_axis(names, a, text, n))
            rank->of[a] = RANK_CUT;
        rank->is_known = rank->is_known || rank->of[a] != RANK_NONE;
    }
}

uint32_t tg_id_columns_add(tg_id_columns *columns, const tg_id_rank *rank, uint32_t field, const char *text,
                           size_t n)
{
    uint32_t mask = 0;

    if (rank->is_id && !columns->has_id) {
        columns->has_id = true;
        columns->id_field = field;
    }
    for (uint32_t a = 0; a < TAGMA_MAX_ID_AXES; a++) {
        if (rank->of[a] == RANK_NONE || rank->of[a] < columns->rank[a])
            continue;
        if (rank->of[a] == columns->rank[a]) {
            columns->other[a] = text;
            columns->n_other[a] = n;
            continue;
        }
        columns->rank[a] = rank->of[a];
        columns->field[a] = field;
        columns->text[a] = text;
        columns->n[a] = n;
        columns->other[a] = NULL;
        mask |= 1U << a;
    }
    return mask;
}

bool tg_id_columns_check(const tg_id_columns *columns, const tagma_id_axes *axes, tg_id_fault *fault)
{
    uint32_t n = axes->n_axes, n_inner = 0;

    if (columns->has_id)
        return true;
    *fault = (tg_id_fault){.kind = TG_ID_NO_AXES, .axis = TG_ID_ANY, .text = "event", .n = 5};
    if (n == 0)
        return false;
    for (uint32_t a = 0; a < n; a++)
        if (columns->rank[a] != RANK_NONE && columns->other[a]) {
            *fault = (tg_id_fault){
                TG_ID_TWO, a, columns->text[a], columns->n[a], columns->other[a], columns->n_other[a], 0, 0};
            return false;
        }
    for (uint32_t a = 1; a + 1 < n; a++)
        n_inner += columns->rank[a] != RANK_NONE;
    *fault = (tg_id_fault){.kind = TG_ID_NO_COLUMN, .axis = n - 1};
    if (columns->rank[n - 1] == RANK_NONE)
        return false;
    /* Once an inner axis is named, all must be: "lumi, event" would be read as if it were "run, event". */
    for (uint32_t a = 0; a + 1 < n; a++)
        if (columns->rank[a] == RANK_NONE && n_inner > 0) {
            fault->axis = a;
            return false;
        }
    return true;
}

void tg_id_header_set(tg_id_header *header, const tg_id_columns *columns, uint32_t n_axes)
{
    tg_id_form *form = &header->form;
    uint32_t n = 0, mask = 0;
    uint8_t order[TAGMA_MAX_ID_AXES];

    memset(form, 0, sizeof *form);
    header->has_id = columns->has_id;
    if (columns->has_id) {
        header->n_wanted = 1;
        header->field[0] = columns->id_field;
        return;
    }
    for (uint32_t a = 0; a < n_axes; a++) {
        uint32_t at = n;
        if (columns->rank[a] == RANK_NONE)
            continue;
        for (; at > 0 && columns->field[order[at - 1]] > columns->field[a]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)a;
        mask |= 1U << a;
        n++;
    }
    header->n_wanted = n;
    form->n_named = n;
    form->given[n] = (uint8_t)mask;
    for (uint32_t i = 0; i < n; i++) {
        header->field[i] = columns->field[order[i]];
        form->axis[n][i] = order[i];
    }
}

bool tg_idheader_is_again(const tg_idread *rd, const char *p)
{
    const tg_id_header *header = &rd->header;

    return header->n > 0 && (size_t)(rd->end - p) >= header->n && memcmp(p, header->text, header->n) == 0 &&
           tg_idread_at_line_end(rd, p + header->n);
}

/* The first character that tells what a field is: behind quotes and signs. */
static char first_character(const char *text, size_t n)
{
    size_t at = 0;

    while (at < n && strchr("\"'-@", text[at]))
        at++;
    return at < n ? text[at] : 0;
}

static bool is_numeric(const char *text, size_t n)
{
    char c = first_character(text, n);

    return c >= '0' && c <= '9';
}

/* A header all of whose words name ids, in any separators: its lines are plain numbers in that order. Words that name
 * an axis which the tree does not have are passed over. */
static bool read_plain_header(tg_idread *rd, const char *p, const char *end, uint32_t n_least)
{
    tg_id_columns columns = {.has_id = false};
    tg_id_form form = {.n_named = 0};
    uint32_t n = 0;
    bool is_gap = true;
    tg_id_fault fault;

    for (; p < end && *p != '#'; p++) {
        const char *text = p;
        tg_id_rank rank;

        if (*p == ' ' || *p == '\t' || *p == '"' || *p == '\'')
            continue;
        if (*p == ',' || *p == ';' || *p == ':') {
            if (is_gap)
                return false;
            is_gap = true;
            continue;
        }
        while (p + 1 < end && !strchr(" \t\"',;:", p[1]))
            p++;
        is_gap = false;
        tg_id_rank_name(&rd->names, text, (size_t)(p + 1 - text), false, &rank);
        if (!rank.is_known || rank.is_id || n == TAGMA_MAX_ID_AXES)
            return false;
        tg_id_columns_add(&columns, &rank, n++, text, (size_t)(p + 1 - text));
    }
    if (n < n_least || is_gap || !tg_id_columns_check(&columns, rd->axes, &fault))
        return false;
    memset(form.axis, TG_ID_PASSED_OVER, sizeof form.axis);
    form.n_named = n;
    for (uint32_t a = 0; a < rd->axes->n_axes; a++)
        if (columns.rank[a] != RANK_NONE) {
            form.given[n] |= (uint8_t)(1U << a);
            form.axis[n][columns.field[a]] = (uint8_t)a;
        }
    rd->header.is_strict = false;
    rd->header.form = form;
    return true;
}

/* What separates the fields of a header: the first of these that it has outside of quotes. */
static char separator_of(const char *p, const char *end)
{
    static const char candidates[] = {'\t', ',', ';', ':', ' '};

    for (size_t i = 0; i < sizeof candidates; i++) {
        bool is_quoted = false;
        for (const char *c = p; c < end; c++) {
            is_quoted ^= *c == '"';
            if (!is_quoted && *c == candidates[i])
                return *c;
        }
    }
    return 0;
}

/* A header with other columns than ids as well. */
static bool read_strict_header(tg_idread *rd, const char *p, const char *end, tg_id_fault *fault)
{
    tg_id_columns columns = {.has_id = false};
    char separator = separator_of(p, end);
    const char *begin = p;
    uint32_t n = 0, n_numeric = 0, n_words = 0, n_known = 0;
    tg_id_field_end ending = TG_FIELD_MORE;

    while (ending == TG_FIELD_MORE) {
        const char *text;
        size_t n_bytes;
        tg_id_rank rank;

        ending = tg_id_field(rd, separator, &p, &text, &n_bytes);
        if (ending == TG_FIELD_OPEN) {
            *fault = (tg_id_fault){.kind = TG_ID_QUOTE};
            return false;
        }
        n_numeric += is_numeric(text, n_bytes);
        n_words += n_bytes > 0;
        tg_id_rank_name(&rd->names, text, n_bytes, false, &rank);
        n_known += rank.is_known;
        tg_id_columns_add(&columns, &rank, n++, text, n_bytes);
    }
    if (!tg_id_columns_check(&columns, rd->axes, fault)) {
        /* A line of words is meant as a header; one with numbers is a bad line of its own kind. */
        if (n_numeric > 0 || n_words == 0 || (fault->kind == TG_ID_NO_AXES && n_known == 0))
            fault->kind = TG_ID_WORD;
        if (fault->kind == TG_ID_NO_COLUMN || fault->kind == TG_ID_NO_AXES) {
            fault->text = begin;
            fault->n = (size_t)(end - begin);
        }
        return false;
    }
    if (n_numeric > 0 && separator == ' ') {
        fault->kind = TG_ID_WORD;
        return false;
    }
    tg_id_header_set(&rd->header, &columns, rd->axes->n_axes);
    rd->header.is_strict = true;
    rd->header.separator = separator;
    rd->header.n_fields = n;
    return true;
}

bool tg_idheader_read(tg_idread *rd, const char *p, bool is_comment, tg_id_fault *fault)
{
    const char *end = tg_idread_line_end(rd, p);
    const char *words = p;
    uint32_t line = rd->line;
    bool is_header;

    while (is_comment && words < end && (*words == '#' || *words == ' ' || *words == '\t'))
        words++;
    is_header = read_plain_header(rd, words, end, is_comment ? 2 : 1);
    if (!is_header && !is_comment)
        is_header = read_strict_header(rd, words, end, fault);
    rd->line = line;
    if (is_header) {
        rd->header.text = p;
        rd->header.n = (size_t)(end - p);
    }
    return is_header;
}
