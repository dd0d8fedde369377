/* SPDX-License-Identifier: Apache-2.0
 * Lumi masks: {"run": [[first, last], ...], ...} as boxes. The grammar is so small that it is read here, byte by byte: a JSON
 * library keeps no places, takes the later of two equal runs in silence, and allocates behind the context's back. */
#include <string.h>
#include <tagma/index.h>

#include "coord/idname.h"
#include "index/section.h"

typedef struct mask_text {
    tagma_ctx *ctx;
    const char *text;
    size_t n, at;
} mask_text;

typedef struct mask_boxes {
    const tagma_index *index;
    uint32_t run, lumi; /* axes */
    tagma_id_range *ranges;
    uint64_t n, capacity;
} mask_boxes;

static tagma_status expected(const mask_text *m, size_t at, const char *what)
{
    uint64_t line = 1, column = 1;

    for (size_t i = 0; i < at; i++) {
        column = m->text[i] == '\n' ? 1 : column + 1;
        line += m->text[i] == '\n';
    }
    return tg_fail(m->ctx, TAGMA_E_CORRUPT, "lumi mask: line %" PRIu64 ", column %" PRIu64 ": expected %s",
                   line, column, what);
}

/* The next character that is no blank; 0 at the end. */
static char peek(mask_text *m)
{
    while (m->at < m->n && strchr(" \t\r\n", m->text[m->at]) && m->text[m->at] != 0)
        m->at++;
    return m->at < m->n ? m->text[m->at] : 0;
}

static bool take(mask_text *m, char c)
{
    bool is_there = peek(m) == c && m->at < m->n;

    m->at += is_there;
    return is_there;
}

/* A number below 2^63, so that an axis of any sign can hold it. */
static tagma_status take_number(mask_text *m, const char *what, uint64_t *out)
{
    size_t begin = m->at;
    uint64_t v = 0;
    bool fits = true;

    for (; m->at < m->n && m->text[m->at] >= '0' && m->text[m->at] <= '9'; m->at++)
        fits = fits && tg_mul(v, 10, &v) && tg_add(v, (uint64_t)(m->text[m->at] - '0'), &v);
    if (m->at == begin)
        return expected(m, begin, what);
    if (!fits || v > INT64_MAX)
        return expected(m, begin, "a number below 2^63");
    *out = v;
    return TAGMA_OK;
}

static tagma_status add_box(mask_text *m, mask_boxes *boxes, uint64_t run, uint64_t first, uint64_t last)
{
    void *block = boxes->ranges;
    tagma_status st = tg_reserve(m->ctx, &block, &boxes->capacity, boxes->n + 1, sizeof *boxes->ranges);
    tagma_id_range *range;

    boxes->ranges = block;
    TG_TRY(st);
    range = &boxes->ranges[boxes->n++];
    tagma_index_whole_range(boxes->index, range);
    range->lo[boxes->run] = range->hi[boxes->run] = run;
    range->lo[boxes->lumi] = first;
    range->hi[boxes->lumi] = last;
    return TAGMA_OK;
}

/* [first, last] */
static tagma_status parse_range(mask_text *m, mask_boxes *boxes, uint64_t run)
{
    uint64_t first = 0, last = 0;
    size_t begin = m->at;

    if (!take(m, '['))
        return expected(m, m->at, "[first, last]");
    (void)peek(m);
    TG_TRY(take_number(m, "the number of a luminosity block", &first));
    if (!take(m, ','))
        return expected(m, m->at, "a comma and the last luminosity block");
    (void)peek(m);
    TG_TRY(take_number(m, "the number of a luminosity block", &last));
    if (!take(m, ']'))
        return expected(m, m->at, "]: a range has a first and a last luminosity block");
    if (last < first)
        return expected(m, begin, "[first, last] with first <= last");
    return add_box(m, boxes, run, first, last);
}

/* "run": [[first, last], ...] */
static tagma_status parse_run(mask_text *m, mask_boxes *boxes)
{
    uint64_t run = 0;

    if (!take(m, '"'))
        return expected(m, m->at, "a run in quotes");
    TG_TRY(take_number(m, "the number of a run", &run));
    if (m->at >= m->n || m->text[m->at] != '"')
        return expected(m, m->at, "the closing quote of a run");
    m->at++;
    if (!take(m, ':'))
        return expected(m, m->at, "a colon");
    if (!take(m, '['))
        return expected(m, m->at, "[[first, last], ...]");
    if (take(m, ']'))
        return TAGMA_OK;
    do {
        (void)peek(m);
        TG_TRY(parse_range(m, boxes, run));
    } while (take(m, ','));
    return take(m, ']') ? TAGMA_OK : expected(m, m->at, "a comma or ]");
}

static tagma_status parse_mask(mask_text *m, mask_boxes *boxes)
{
    if (m->n >= 3 && memcmp(m->text, "\xef\xbb\xbf", 3) == 0)
        m->at = 3;
    if (!take(m, '{'))
        return expected(m, m->at, "{\"run\": [[first, last], ...]}");
    if (!take(m, '}')) {
        do {
            TG_TRY(parse_run(m, boxes));
        } while (take(m, ','));
        if (!take(m, '}'))
            return expected(m, m->at, "a comma or }");
    }
    (void)peek(m);
    return m->at == m->n ? TAGMA_OK : expected(m, m->at, "nothing after the last }");
}

/* The axes of run and luminosity block, by their names; where none has a name of the field, the first two of three. */
static bool find_axes(mask_boxes *boxes)
{
    uint32_t axes[TG_ROLE_NONE], n_known = 0;

    for (int role = 0; role < TG_ROLE_NONE; role++)
        axes[role] = UINT32_MAX;
    for (uint32_t axis = 0; axis < boxes->index->n_axes; axis++) {
        const char *name = boxes->index->names[axis];
        tg_id_role role = tg_id_role_of(name, strlen(name));

        if (role != TG_ROLE_NONE) {
            axes[role] = axis;
            n_known++;
        }
    }
    boxes->run = n_known > 0 ? axes[TG_ROLE_RUN] : 0;
    boxes->lumi = n_known > 0 ? axes[TG_ROLE_LUMI] : 1;
    return boxes->run != UINT32_MAX && boxes->lumi != UINT32_MAX &&
           (n_known > 0 || boxes->index->n_axes == 3);
}

tagma_status tagma_lumi_mask_parse(tagma_ctx *ctx, const tagma_index *index, const char *json, size_t n_bytes,
                                   tagma_id_range **ranges, size_t *n_ranges)
{
    mask_text m = {ctx, json, n_bytes, 0};
    mask_boxes boxes = {.index = index};
    tagma_status st;

    *ranges = NULL;
    *n_ranges = 0;
    if (!find_axes(&boxes))
        return tg_fail(ctx, TAGMA_E_ARG,
                       "a lumi mask needs a run and a luminosity block; the index has no such axes");
    st = parse_mask(&m, &boxes);
    if (st < 0) {
        tg_free(ctx, boxes.ranges);
        return st;
    }
    *ranges = boxes.ranges;
    *n_ranges = (size_t)boxes.n;
    return TAGMA_OK;
}

void tagma_lumi_mask_free(tagma_ctx *ctx, tagma_id_range *ranges)
{
    tg_free(ctx, ranges);
}
