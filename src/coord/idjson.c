/* SPDX-License-Identifier: Apache-2.0
 * Lists in JSON: a value a line or values in arrays; objects, arrays of numbers, strings. What stands beside the ids is
 * passed over, not checked. A reader of its own, since the numbers must be seen as they are written. */
#include <string.h>

#include "coord/idread.h"

/* A key seen at this place of the object before, and what it is: objects of a list mostly have the same keys. */
typedef struct known_key {
    const char *text;
    size_t n;
    tg_id_rank rank;
} known_key;

typedef struct json {
    tg_idread *rd;
    const char *p;
    uint32_t depth; /* arrays open around the ids */
    known_key *keys;
    uint64_t n_keys, capacity;
} json;

enum { MAX_ARRAYS = 8, MAX_NESTED = 64 };

/* What a character is to JSON. Python prints tuples in parentheses and strings in single quotes. */
enum {
    QUOTE = 1,
    OPENS_ARRAY = 2,
    OPENS_OBJECT = 4,
    CLOSES_ARRAY = 8,
    CLOSES_OBJECT = 16,
    LINE = 32,
    OTHER_END = 64
};

/* clang-format off */
static const uint8_t class_of[256] = {
    ['"'] = QUOTE, ['\''] = QUOTE, ['['] = OPENS_ARRAY, ['('] = OPENS_ARRAY, ['{'] = OPENS_OBJECT,
    [']'] = CLOSES_ARRAY, [')'] = CLOSES_ARRAY, ['}'] = CLOSES_OBJECT, ['\n'] = LINE, ['\r'] = LINE,
    [','] = OTHER_END, [':'] = OTHER_END, ['#'] = OTHER_END, [' '] = OTHER_END, ['\t'] = OTHER_END,
};
/* clang-format on */

static bool is(char c, unsigned classes)
{
    return (class_of[(unsigned char)c] & classes) != 0;
}

static bool is_quote(char c)
{
    return is(c, QUOTE);
}

static bool opens_array(char c)
{
    return is(c, OPENS_ARRAY);
}

static bool closes_array(char c)
{
    return is(c, CLOSES_ARRAY);
}

static char here(const json *js)
{
    return js->p < js->rd->end ? *js->p : 0;
}

static void skip_space(json *js)
{
    tg_idread *rd = js->rd;

    while (tg_idread_goes_on(rd, js->p)) {
        if (*js->p == ' ' || *js->p == '\t')
            js->p++;
        else if (*js->p == '\n' || *js->p == '\r')
            js->p = tg_idread_next_line(rd, js->p);
        else if (*js->p == '#')
            js->p = tg_idread_line_end(rd, js->p);
        else
            return;
    }
}

/* A string at its quote; the text is what stands between, escapes as they are. It ends on its line. */
static bool take_string(json *js, const char **text, size_t *n)
{
    const char *end = js->rd->end;
    const char quote = *js->p;
    const char *p = js->p + 1;

    *text = p;
    for (; p < end && *p != quote && !is(*p, LINE); p++)
        if (*p == '\\' && p + 1 < end && !is(p[1], LINE))
            p++;
    if (p == end || *p != quote)
        return false;
    *n = (size_t)(p - *text);
    js->p = p + 1;
    return true;
}

/* A number or word. */
static bool take_scalar(json *js, const char **text, size_t *n)
{
    *text = js->p;
    while (js->p < js->rd->end && !class_of[(unsigned char)*js->p])
        js->p++;
    *n = (size_t)(js->p - *text);
    return *n > 0;
}

/* An array or object whose values do not matter: to its end, brackets and strings balanced. */
static tg_id_kind skip_nested(json *js)
{
    uint64_t is_object = 0; /* a bit a level, the innermost lowest */
    uint32_t depth = 0;
    const char *text;
    size_t n;

    while (tg_idread_goes_on(js->rd, js->p)) {
        char c = *js->p;

        if (!is(c, ~(unsigned)OTHER_END)) {
            js->p++;
        } else if (is_quote(c)) {
            if (!take_string(js, &text, &n))
                return TG_ID_JSON;
        } else if (is(c, LINE)) {
            js->p = tg_idread_next_line(js->rd, js->p);
        } else if (is(c, OPENS_ARRAY | OPENS_OBJECT)) {
            if (depth++ == MAX_NESTED)
                return TG_ID_DEEP;
            is_object = is_object << 1 | (c == '{');
            js->p++;
        } else {
            if ((is_object & 1) != (c == '}'))
                return TG_ID_JSON;
            is_object >>= 1;
            js->p++;
            if (--depth == 0)
                return TG_ID_GOOD;
        }
    }
    return TG_ID_JSON;
}

/* Any value. Of an array or object the text is its first character: not a number, whoever asks. */
static tg_id_kind take_value(json *js, const char **text, size_t *n)
{
    char c = here(js);

    if (is_quote(c))
        return take_string(js, text, n) ? TG_ID_GOOD : TG_ID_JSON;
    if (opens_array(c) || c == '{') {
        *text = js->p;
        *n = 1;
        return skip_nested(js);
    }
    return take_scalar(js, text, n) ? TG_ID_GOOD : TG_ID_JSON;
}

/* Note the line as bad and go on behind it. */
static void bad_value(json *js, uint32_t line, tg_id_kind kind)
{
    const char *end = tg_idread_line_end(js->rd, js->p);
    tg_id_fault fault = {.kind = kind, .axis = TG_ID_ANY, .text = js->p, .n = (size_t)(end - js->p)};

    tg_idread_bad(js->rd, line, &fault);
    js->p = end;
}

/* What the i-th key of an object is. */
static const tg_id_rank *rank_of_key(json *js, uint64_t i, const char *text, size_t n)
{
    tg_idread *rd = js->rd;
    known_key *key;

    if (i >= js->n_keys) {
        void *block = js->keys;
        tagma_status st = tg_reserve(rd->ctx, &block, &js->capacity, i + 1, sizeof *js->keys);

        js->keys = block;
        if (st < 0) {
            rd->status = st;
            return NULL;
        }
        js->n_keys = i + 1;
        js->keys[i] = (known_key){.text = NULL};
    }
    key = &js->keys[i];
    if (!key->text || key->n != n || memcmp(key->text, text, n) != 0) {
        key->text = text;
        key->n = n;
        tg_id_rank_name(&rd->names, text, n, false, &key->rank);
    }
    return &key->rank;
}

/* An object's own: the columns found and their values. */
typedef struct members {
    tg_id_columns columns;
    const char *value[TAGMA_MAX_ID_AXES];
    size_t n[TAGMA_MAX_ID_AXES];
    const char *id;
    size_t n_id;
} members;

/* "key": value. */
static tg_id_kind take_member(json *js, uint64_t i, members *object)
{
    const char *key, *value;
    size_t n_key, n_value;
    const tg_id_rank *rank = NULL;
    tg_id_kind kind;
    uint32_t best;

    skip_space(js);
    if (!is_quote(here(js)) || !take_string(js, &key, &n_key))
        return TG_ID_JSON;
    skip_space(js);
    if (here(js) != ':')
        return TG_ID_JSON;
    js->p++;
    skip_space(js);
    kind = take_value(js, &value, &n_value);
    if (kind != TG_ID_GOOD || object->columns.has_id)
        return kind;
    rank = rank_of_key(js, i, key, n_key);
    if (!rank || !rank->is_known)
        return TG_ID_GOOD;
    best = tg_id_columns_add(&object->columns, rank, 0, key, n_key);
    for (uint32_t a = 0; a < TAGMA_MAX_ID_AXES; a++)
        if (best & 1U << a) {
            object->value[a] = value;
            object->n[a] = n_value;
        }
    if (rank->is_id) {
        object->id = value;
        object->n_id = n_value;
    }
    return TG_ID_GOOD;
}

static void keep_object(tg_idread *rd, const members *object, uint32_t line)
{
    tg_id_numbers numbers;
    tg_id_fault fault;

    if (!tg_id_columns_check(&object->columns, rd->axes, &fault)) {
        tg_idread_bad(rd, line, &fault);
        return;
    }
    if (object->columns.has_id) {
        tg_idread_id(rd, object->id, object->n_id, line);
        return;
    }
    tg_id_numbers_clear(&numbers);
    for (uint32_t a = 0; a < rd->axes->n_axes; a++)
        if (object->columns.rank[a] > 0)
            tg_id_numbers_add(&numbers, object->value[a], object->n[a]);
    tg_idread_numbers(rd, &rd->bare, &numbers, line);
}

static void read_object(json *js)
{
    uint32_t line = js->rd->line;
    members object = {.id = NULL};
    tg_id_kind kind = TG_ID_GOOD;
    uint64_t i = 0;

    js->p++;
    skip_space(js);
    while (kind == TG_ID_GOOD && (i > 0 || here(js) != '}')) {
        kind = take_member(js, i++, &object);
        skip_space(js);
        if (kind == TG_ID_GOOD && here(js) != ',' && here(js) != '}')
            kind = TG_ID_JSON;
        if (kind == TG_ID_GOOD && here(js) == '}')
            break;
        js->p += kind == TG_ID_GOOD;
    }
    if (js->rd->status < 0)
        return;
    if (kind != TG_ID_GOOD) {
        bad_value(js, line, kind);
        return;
    }
    js->p++;
    keep_object(js->rd, &object, line);
}

/* [r, l, e]: the array itself is an id, its first element being a number or word or a string of one. */
static bool is_id_array(const json *js)
{
    json look = *js;
    const char *text;
    size_t n;
    char c = here(js);

    if (is_quote(c))
        return take_string(&look, &text, &n) && !memchr(text, ':', n) && !memchr(text, '@', n);
    return c != 0 && !opens_array(c) && !closes_array(c) && c != '{';
}

/* The elements of an id array, from the first to behind its bracket. */
static void read_id_array(json *js, uint32_t line)
{
    tg_id_numbers numbers;
    tg_id_kind kind = TG_ID_GOOD;

    tg_id_numbers_clear(&numbers);
    for (;;) {
        const char *text;
        size_t n;

        kind = take_value(js, &text, &n);
        if (kind != TG_ID_GOOD)
            break;
        tg_id_numbers_add(&numbers, text, n);
        skip_space(js);
        if (closes_array(here(js)))
            break;
        if (here(js) != ',') {
            kind = TG_ID_JSON;
            break;
        }
        js->p++;
        skip_space(js);
    }
    if (kind != TG_ID_GOOD) {
        bad_value(js, line, kind);
        return;
    }
    js->p++;
    tg_idread_numbers(js->rd, &js->rd->bare, &numbers, line);
}

static void read_array(json *js)
{
    uint32_t line = js->rd->line;

    js->p++;
    skip_space(js);
    if (is_id_array(js))
        read_id_array(js, line);
    else if (js->depth == MAX_ARRAYS)
        bad_value(js, line, TG_ID_DEEP);
    else
        js->depth++;
}

/* One step among the values: into an array, out of it, or over a value. */
static void read_value(json *js)
{
    uint32_t line = js->rd->line;
    const char *text;
    size_t n;
    char c = *js->p;

    if (c == '{') {
        read_object(js);
    } else if (opens_array(c)) {
        read_array(js);
    } else if (closes_array(c) && js->depth > 0) {
        js->depth--;
        js->p++;
    } else if (is_quote(c) && take_string(js, &text, &n)) {
        tg_idread_id(js->rd, text, n, line);
    } else {
        bad_value(js, line, TG_ID_JSON);
    }
}

void tg_idjson_read(tg_idread *rd, const char *p)
{
    json js = {.rd = rd, .p = p};

    for (;;) {
        skip_space(&js);
        while (here(&js) == ',') {
            js.p++;
            skip_space(&js);
        }
        if (!tg_idread_goes_on(rd, js.p))
            break;
        read_value(&js);
    }
    if (rd->status >= 0 && js.depth > 0)
        bad_value(&js, rd->line, TG_ID_JSON);
    tg_free(rd->ctx, js.keys);
}
