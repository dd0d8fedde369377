/* SPDX-License-Identifier: Apache-2.0
 * What is said about an id that cannot be read. docs/IDLISTS.md quotes these words. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "coord/idname.h"
#include "coord/idtext.h"

/* Words that grow at the end of a buffer and are cut at its end. */
typedef struct words {
    char *dst;
    size_t n_bytes, n;
} words;

static void say(words *w, const char *format, ...) TAGMA_PRINTF(2, 3);
static void say(words *w, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(w->dst + w->n, w->n_bytes - w->n, format, args);
    va_end(args);
    if (n > 0)
        w->n = (size_t)n < w->n_bytes - w->n ? w->n + (size_t)n : w->n_bytes - 1;
}

/* What stands in the list, in quotes; cut where it is long, and without anything that could steer a terminal. */
static void say_quoted(words *w, const char *text, size_t n)
{
    enum { MOST = 40 };
    char clean[MOST + 1];
    size_t m = n;

    if (m > MOST)
        for (m = MOST; m > 0 && ((unsigned char)text[m] & 0xC0) == 0x80;)
            m--;
    for (size_t i = 0; i < m; i++)
        clean[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    clean[m] = 0;
    say(w, m < n ? "\"%s...\"" : "\"%s\"", clean);
}

static const char *axis_word(const tagma_id_axes *axes, uint32_t axis)
{
    return axes->roles[axis][0] ? axes->roles[axis] : axes->names[axis];
}

/* 'event "1.5"', or the number alone where it is not known which axis it is. */
static void say_number(words *w, const tagma_id_axes *axes, const tg_id_fault *fault)
{
    if (fault->axis != TG_ID_ANY)
        say(w, "%s ", axis_word(axes, fault->axis));
    say_quoted(w, fault->text, fault->n);
}

/* "run=runNumber, event=eventNumber" */
static void say_axes(words *w, const tagma_id_axes *axes)
{
    for (uint32_t a = 0; a < axes->n_axes; a++)
        say(w, "%s%s%s%s", a > 0 ? ", " : "", axes->roles[a], axes->roles[a][0] ? "=" : "", axes->names[a]);
}

/* What may be done about n numbers where the tree has other depths. */
static void say_remedy(words *w, uint32_t n_axes, uint64_t n)
{
    static const char *const letters[] = {"", "A", "A,B", "A,B,C", "A,B,C,D"};

    if (n > TAGMA_MAX_ID_AXES)
        say(w, "Write one id a line, or join the numbers of each with colons: 1:2:3 1:2:4");
    else if (n < n_axes)
        say(w, "Give all %" PRIu32 ", the first and the last, or the last alone", n_axes);
    else if (n_axes == 1)
        say(w, "Keep the last one, or name the columns with --ids %s", letters[n]);
    else if (n_axes == 2)
        say(w, "%s, or name the columns with --ids %s",
            n == 3 ? "Remove the middle one" : "Keep the first and the last", letters[n]);
    else
        say(w, "Remove one, or name the columns with --ids %s", letters[n]);
}

static void say_depth(words *w, const tagma_id_axes *axes, const tg_id_fault *fault)
{
    say(w, " has %" PRIu64 " number%s, tree %s has %" PRIu32 " (", fault->a, fault->a == 1 ? "" : "s",
        axes->tree, axes->n_axes);
    say_axes(w, axes);
    say(w, "). ");
    say_remedy(w, axes->n_axes, fault->a);
}

/* The column that an axis has in the tree, and the spellings that a list may have for it. */
static void say_names(words *w, const tagma_id_axes *axes, uint32_t axis)
{
    const char *spellings = tg_id_role_spellings(tg_id_role_named(axes->roles[axis]));

    say(w, "%s%s%s", axes->names[axis], spellings[0] ? "; or " : "", spellings);
}

static const char integers[] =
    "it cannot name an event. Write the ids as integers: df.astype(\"int64\"), np.savetxt(fmt=\"%d\")";

static void say_number_fault(words *w, const tagma_id_axes *axes, const tg_id_fault *fault)
{
    if (fault->n == 0) {
        say(w, "%s is empty", fault->axis == TG_ID_ANY ? "a number" : axis_word(axes, fault->axis));
        return;
    }
    say_number(w, axes, fault);
    switch (fault->kind) {
    case TG_ID_ROUNDED:
        say(w, " has been rounded (%" PRIu64 " digit%s written, %" PRIu64 " needed); %s", fault->a,
            fault->a == 1 ? "" : "s", fault->b, integers);
        break;
    case TG_ID_FRACTION:
        say(w, " is not a whole number");
        break;
    case TG_ID_INEXACT:
        say(w, " has a point or exponent and is not below 2^53; %s", integers);
        break;
    case TG_ID_OVERFLOW:
        say(w, fault->axis != TG_ID_ANY && axes->is_signed[fault->axis]
                   ? " does not fit a signed 64-bit number"
                   : " does not fit 64 bits");
        break;
    case TG_ID_NEGATIVE:
        say(w, " is negative, and %s of tree %s is unsigned", axes->names[fault->axis], axes->tree);
        break;
    case TG_ID_ENTRY:
        say(w, " is not an entry; @N is entry N, from 0");
        break;
    default:
        say(w, " is not a number");
    }
}

/* Faults of a line, a header or a JSON value. */
static void say_line_fault(words *w, const tagma_id_axes *axes, const tg_id_fault *fault)
{
    switch (fault->kind) {
    case TG_ID_NO_AXES:
        say(w, "tree %s has no id columns to find ", axes->tree);
        say_quoted(w, fault->text, fault->n);
        say(w, " by. @N is entry N; or name the columns with --ids A,B,C");
        break;
    case TG_ID_MIXED:
        say(w, "single numbers beside ids. Join the numbers of each id with colons: 1:2:3 1:2:4");
        break;
    case TG_ID_GAP:
        say(w, "a number is missing beside a separator");
        break;
    case TG_ID_QUOTE:
        say(w, "a quote without its other end");
        break;
    case TG_ID_NO_HEADER:
        say(w, "a row of a TTree::Scan table without the table's header");
        break;
    case TG_ID_CHATTER:
        say_quoted(w, fault->text, fault->n);
        say(w, " is no row of a TTree::Scan table");
        break;
    case TG_ID_NO_COLUMN:
        if (fault->n > 0) {
            say_quoted(w, fault->text, fault->n);
            say(w, " is no id, and no header either: ");
        }
        say(w, "no column named %s (", axis_word(axes, fault->axis));
        say_names(w, axes, fault->axis);
        say(w, ")");
        break;
    case TG_ID_TWO:
        say(w, "two columns for %s: ", axis_word(axes, fault->axis));
        say_quoted(w, fault->text, fault->n);
        say(w, " and ");
        say_quoted(w, fault->other, fault->n_other);
        break;
    case TG_ID_DEEP:
        say(w, "JSON nested too deep");
        break;
    default:
        say(w, fault->n > 0 ? "no JSON of ids at " : "the list ends inside of a JSON value");
        if (fault->n > 0)
            say_quoted(w, fault->text, fault->n);
    }
}

void tg_id_words(char *dst, size_t dst_bytes, const char *place, const tagma_id_axes *axes,
                 const tg_id_fault *fault)
{
    words w = {.n_bytes = dst_bytes};

    w.dst = dst;
    say(&w, "%s", place);
    if (fault->kind == TG_ID_DEPTH) {
        say_depth(&w, axes, fault);
    } else if (fault->kind == TG_ID_FIELDS || fault->kind == TG_ID_NUMBERS) {
        const char *what = fault->kind == TG_ID_FIELDS ? "field" : "number";
        say(&w, " has %" PRIu64 " %s%s, the header names %" PRIu64, fault->a, what, fault->a == 1 ? "" : "s",
            fault->b);
    } else {
        say(&w, ": ");
        (fault->kind <= TG_ID_ENTRY ? say_number_fault : say_line_fault)(&w, axes, fault);
    }
}

const char *tg_id_short_words(tg_id_kind kind)
{
    static const char *const short_words[] = {
        [TG_ID_GOOD] = "",
        [TG_ID_WORD] = "not a number",
        [TG_ID_ROUNDED] = "rounded",
        [TG_ID_FRACTION] = "not whole",
        [TG_ID_INEXACT] = "not below 2^53",
        [TG_ID_OVERFLOW] = "too large",
        [TG_ID_NEGATIVE] = "negative",
        [TG_ID_ENTRY] = "not an entry",
        [TG_ID_DEPTH] = "wrong depth",
        [TG_ID_NO_AXES] = "no id columns",
        [TG_ID_MIXED] = "single numbers beside ids",
        [TG_ID_GAP] = "a number missing",
        [TG_ID_QUOTE] = "quote not closed",
        [TG_ID_FIELDS] = "wrong number of fields",
        [TG_ID_NUMBERS] = "wrong depth",
        [TG_ID_NO_HEADER] = "no header",
        [TG_ID_CHATTER] = "no row",
        [TG_ID_NO_COLUMN] = "no column",
        [TG_ID_TWO] = "two columns",
        [TG_ID_JSON] = "not an id",
        [TG_ID_DEEP] = "nested too deep",
    };

    return short_words[kind];
}
