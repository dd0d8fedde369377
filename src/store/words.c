/* SPDX-License-Identifier: Apache-2.0
 * Names, paths and titles of columns, packed and spelled out. */
#include "store/words.h"

#include <string.h>

enum { SHARED_MAX = 255, OTHER_PATH = 1 };

static size_t shared_head(const char *a, const char *b)
{
    size_t n = 0;

    while (n < SHARED_MAX && a[n] != 0 && a[n] == b[n])
        n++;
    return n;
}

/* Bytes at the end of a that stand at the end of b, too, outside of a's first `taken`. */
static size_t shared_tail(const char *a, size_t taken, const char *b)
{
    size_t n_a = strlen(a), n_b = strlen(b), n = 0;

    while (n < SHARED_MAX && n < n_a - taken && n < n_b && a[n_a - 1 - n] == b[n_b - 1 - n])
        n++;
    return n;
}

/* Numbers, then what no neighbour gives. */
static tagma_status put(tagma_ctx *ctx, tg_buf *out, const uint8_t *numbers, size_t n_numbers,
                        const char *rest, size_t n_rest)
{
    static const uint8_t end;

    TG_TRY(tg_buf_put(ctx, out, numbers, n_numbers));
    TG_TRY(tg_buf_put(ctx, out, rest, n_rest));
    return tg_buf_put(ctx, out, &end, 1);
}

tagma_status tg_words_put(tagma_ctx *ctx, const tagma_column *column, const tagma_column *before, tg_buf *out,
                          uint64_t *text_bytes)
{
    const char *name = column->name, *title = column->title, *path = column->path;
    const char *name_before = before ? before->name : "", *title_before = before ? before->title : "";
    size_t head = shared_head(name, name_before), title_head = shared_head(title, name), tail;
    uint8_t numbers[2] = {(uint8_t)head, strcmp(path, name) == 0 ? 0 : OTHER_PATH};

    TG_TRY(put(ctx, out, numbers, 2, name + head, strlen(name) - head));
    *text_bytes += strlen(name) + 1;
    if (numbers[1] == OTHER_PATH) {
        TG_TRY(put(ctx, out, NULL, 0, path, strlen(path)));
        *text_bytes += strlen(path) + 1;
    }
    if (strcmp(title, title_before) == 0 && strlen(title) <= SHARED_MAX) {
        numbers[0] = 0;
        numbers[1] = (uint8_t)strlen(title);
        return put(ctx, out, numbers, 2, "", 0);
    }
    tail = shared_tail(title, title_head, title_before);
    numbers[0] = (uint8_t)title_head;
    numbers[1] = (uint8_t)tail;
    *text_bytes += strlen(title) + 1;
    return put(ctx, out, numbers, 2, title + title_head, strlen(title) - title_head - tail);
}

/* Words on their way out. */
typedef struct spelling {
    const uint8_t *at, *end; /* packed */
    char *to, *to_end;
    bool is_sound;
} spelling;

static uint32_t number(spelling *it)
{
    if (it->at < it->end)
        return *it->at++;
    it->is_sound = false;
    return 0;
}

/* The first n_head bytes of head, what stands here, the last n_tail bytes of tail. */
static const char *spell(spelling *it, const char *head, size_t n_head, const char *tail, size_t n_tail)
{
    size_t left = (size_t)(it->end - it->at), tail_bytes = strlen(tail), n;
    const uint8_t *zero = left > 0 ? memchr(it->at, 0, left) : NULL;
    char *text = it->to;

    if (!zero || n_head > strlen(head) || n_tail > tail_bytes)
        it->is_sound = false;
    if (!it->is_sound)
        return "";
    n = (size_t)(zero - it->at);
    if (n_head + n + n_tail >= (size_t)(it->to_end - it->to)) {
        it->is_sound = false;
        return "";
    }
    memcpy(text, head, n_head);
    memcpy(text + n_head, it->at, n);
    memcpy(text + n_head + n, tail + tail_bytes - n_tail, n_tail);
    text[n_head + n + n_tail] = 0;
    it->at = zero + 1;
    it->to = text + n_head + n + n_tail + 1;
    return text;
}

static const char *spell_title(spelling *it, const char *name, const char *before)
{
    uint32_t head = number(it), tail = number(it);

    if (head == 0 && it->at < it->end && *it->at == 0 && tail == strlen(before)) {
        it->at++;
        return before;
    }
    return spell(it, name, head, before, tail);
}

bool tg_words_spell(const uint8_t *packed, uint64_t n_packed, char *texts, uint64_t n_texts,
                    tagma_column *columns, uint32_t n_columns)
{
    spelling it = {.at = packed, .end = packed + n_packed, .is_sound = true};
    const char *name = "", *title = "";

    it.to = texts;
    it.to_end = texts + n_texts;
    for (uint32_t c = 0; c < n_columns; c++) {
        uint32_t head = number(&it), kind = number(&it);

        name = spell(&it, name, head, "", 0);
        columns[c].name = name;
        columns[c].path = kind == OTHER_PATH ? spell(&it, "", 0, "", 0) : name;
        title = spell_title(&it, name, title);
        columns[c].title = title;
    }
    return it.is_sound && it.at == it.end && it.to == it.to_end;
}
