/* SPDX-License-Identifier: Apache-2.0
 * Columns by name and glob, and the near names for a mistyped one. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "event/schema.h"

/* One element of a glob against one character; *next is the element behind it. */
static bool match_one(const char *glob, char c, const char **next)
{
    const char *close;
    bool is_negated, hit = false;

    if (*glob != '[' || !(close = strchr(glob + 2 - (glob[1] == 0), ']'))) {
        *next = glob + 1;
        return *glob == '?' || *glob == c;
    }
    *next = close + 1;
    is_negated = glob[1] == '!' || glob[1] == '^';
    for (const char *p = glob + 1 + is_negated; p < close; p++) {
        if (p + 2 < close && p[1] == '-') {
            hit |= (unsigned char)p[0] <= (unsigned char)c && (unsigned char)c <= (unsigned char)p[2];
            p += 2;
        } else {
            hit |= *p == c;
        }
    }
    return hit != is_negated;
}

bool tagma_glob_match(const char *glob, const char *text)
{
    const char *star = NULL, *retry = NULL, *next;

    while (*text) {
        if (*glob == '*') {
            star = ++glob;
            retry = text;
        } else if (*glob && match_one(glob, *text, &next)) {
            glob = next;
            text++;
        } else if (star) {
            glob = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        glob++;
    return *glob == 0;
}

/* Edit distance without regard to case, given up beyond 64 characters. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    unsigned row[LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);

    if (na > LONGEST || nb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned same = strncasecmp(&a[i - 1], &b[j - 1], 1) == 0 ? 0 : 1;
            unsigned best = diagonal + same;
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

/* How near: 0 the same but for case, small numbers a slip of the fingers, or one name inside the other. */
static unsigned nearness(const char *wanted, const char *name)
{
    unsigned d = distance(wanted, name);

    if (strlen(wanted) >= 3 && strcasestr(name, wanted) && d > 2)
        return 2;
    return d;
}

typedef struct near_name {
    const char *name;
    unsigned nearness;
} near_name;

/* Two cycles of a tree have one name. */
static bool is_among(const near_name *names, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(names[i].name, name) == 0)
            return true;
    return false;
}

void tg_near_names(const char *wanted, const char *(*name_of)(const void *user, uint64_t i), const void *user,
                   uint64_t n, char *dst, size_t dst_bytes)
{
    enum { BEST = 3 };
    near_name best[BEST];
    unsigned limit = strlen(wanted) < 6 ? 2 : (unsigned)strlen(wanted) / 3;
    uint32_t n_best = 0;
    size_t used = 0;

    if (dst_bytes > 0)
        dst[0] = 0;
    for (uint64_t i = 0; i < n; i++) {
        const char *name = name_of(user, i);
        unsigned near = nearness(wanted, name);
        uint32_t at = n_best;

        if (near > limit || is_among(best, n_best, name))
            continue;
        while (at > 0 && near < best[at - 1].nearness)
            at--;
        if (at >= BEST)
            continue;
        if (n_best < BEST)
            n_best++;
        memmove(&best[at + 1], &best[at], (n_best - at - 1) * sizeof best[0]);
        best[at].name = name;
        best[at].nearness = near;
    }
    for (uint32_t i = 0; i < n_best && used < dst_bytes; i++)
        used += (size_t)snprintf(dst + used, dst_bytes - used, "%s%s%s", i == 0 ? " (near: " : ", ",
                                 best[i].name, i + 1 == n_best ? ")" : "");
}

static const char *name_at(const void *user, uint64_t i)
{
    return ((const char *const *)user)[i];
}

void tagma_near_names(const char *wanted, const char *const *names, size_t n, char *dst, size_t dst_bytes)
{
    tg_near_names(wanted, name_at, names, n, dst, dst_bytes);
}

static const char *column_name(const void *user, uint64_t i)
{
    return tagma_schema_column(user, (uint32_t)i)->name;
}

/* One name or glob, marked in `picked`. */
static tagma_status pick(tagma_ctx *ctx, const tagma_schema *schema, const char *glob, bool takes_unsupported,
                         bool *picked)
{
    uint32_t n = tagma_schema_n_columns(schema), exact = tagma_schema_find(schema, glob);
    bool any = false;

    if (exact != TAGMA_NONE) {
        const tagma_column *column = tagma_schema_column(schema, exact);
        if (column->reason && !takes_unsupported)
            return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "branch %s cannot be read: %s", column->name,
                           column->reason);
        picked[exact] = true;
        return TAGMA_OK;
    }
    if (strpbrk(glob, "*?[")) {
        for (uint32_t c = 0; c < n; c++) {
            const tagma_column *column = tagma_schema_column(schema, c);
            if ((!column->reason || takes_unsupported) &&
                (tagma_glob_match(glob, column->name) || tagma_glob_match(glob, column->path)))
                any = picked[c] = true;
        }
        if (!any)
            return tg_fail(ctx, TAGMA_E_NAME, "no branch that can be read matches \"%s\"", glob);
    } else {
        char near[256];
        tg_near_names(glob, column_name, schema, n, near, sizeof near);
        return tg_fail(ctx, TAGMA_E_NAME, "no branch named \"%s\"%s", glob, near);
    }
    return TAGMA_OK;
}

/* Each element of a comma separated list, trimmed; a comma inside [...] stands for itself. */
static tagma_status pick_all(tagma_ctx *ctx, const tagma_schema *schema, char *globs, bool takes_unsupported,
                             bool *picked)
{
    char *p = globs;
    bool is_empty = true;

    while (*p) {
        char *end = p, *last;
        bool is_inside = false, is_last;

        for (; *end && (is_inside || *end != ','); end++)
            is_inside = *end == '[' || (is_inside && *end != ']');
        is_last = *end == 0;
        *end = 0;
        while (*p == ' ')
            p++;
        last = end;
        while (last > p && last[-1] == ' ')
            *--last = 0;
        if (*p) {
            is_empty = false;
            /* A name may hold a comma or an unclosed bracket of its own; tried whole first by the caller. */
            TG_TRY(pick(ctx, schema, p, takes_unsupported, picked));
        }
        p = is_last ? end : end + 1;
    }
    return is_empty ? tg_fail(ctx, TAGMA_E_NAME, "no branch is named between the commas") : TAGMA_OK;
}

tagma_status tg_schema_mark(tagma_ctx *ctx, const tagma_schema *schema, const char *globs,
                            bool takes_unsupported, bool *is_marked)
{
    char *own;
    tagma_status st;

    if (tagma_schema_find(schema, globs) != TAGMA_NONE)
        return pick(ctx, schema, globs, takes_unsupported, is_marked);
    own = tg_strdup(ctx, globs);
    if (!own)
        return TAGMA_E_MEMORY;
    st = pick_all(ctx, schema, own, takes_unsupported, is_marked);
    tg_free(ctx, own);
    return st;
}

tagma_status tagma_schema_select(tagma_ctx *ctx, const tagma_schema *schema, const char *globs,
                                 uint32_t *columns, size_t capacity, size_t *n)
{
    uint32_t n_columns = tagma_schema_n_columns(schema);
    bool *picked = tg_zalloc(ctx, n_columns, sizeof *picked);
    tagma_status st = picked ? tg_schema_mark(ctx, schema, globs, false, picked) : TAGMA_E_MEMORY;

    *n = 0;
    for (uint32_t c = 0; st == TAGMA_OK && c < n_columns; c++) {
        if (!picked[c])
            continue;
        if (*n < capacity)
            columns[*n] = c;
        (*n)++;
    }
    if (st == TAGMA_OK && *n > capacity)
        st = tg_fail(ctx, TAGMA_E_LIMIT, "%zu columns are picked, there is room for %zu", *n, capacity);
    tg_free(ctx, picked);
    return st;
}
