/* SPDX-License-Identifier: Apache-2.0
 * One id as text: numbers by the rule of written digits, which axes n numbers are, and the faults with their words. */
#ifndef TG_COORD_IDTEXT_H
#define TG_COORD_IDTEXT_H

#include <tagma/idlist.h>

typedef enum tg_id_kind {
    TG_ID_GOOD = 0,
    /* of a number */
    TG_ID_WORD,     /* it is none */
    TG_ID_ROUNDED,  /* its digits do not reach the units place: a of b digits are written */
    TG_ID_FRACTION, /* not whole */
    TG_ID_INEXACT,  /* with a point or exponent, and not below 2^53 */
    TG_ID_OVERFLOW, /* past 64 bits, or what the axis' sign leaves of them */
    TG_ID_NEGATIVE, /* on an unsigned axis */
    TG_ID_ENTRY,    /* "@" without a number behind it */
    /* of an id */
    TG_ID_DEPTH,   /* a numbers, and the tree's axes are none of that depth */
    TG_ID_NO_AXES, /* the tree has no ids */
    /* of a line */
    TG_ID_MIXED,     /* plain numbers beside joined ones */
    TG_ID_GAP,       /* nothing between two separators */
    TG_ID_QUOTE,     /* not closed */
    TG_ID_FIELDS,    /* a fields, the header has b */
    TG_ID_NUMBERS,   /* a numbers, the header names b */
    TG_ID_NO_HEADER, /* of a Scan table: rows before any header */
    TG_ID_CHATTER,   /* no row of a Scan table */
    /* of a header or an object */
    TG_ID_NO_COLUMN, /* none for the axis */
    TG_ID_TWO,       /* several for the axis: text and other */
    /* of JSON */
    TG_ID_JSON, /* no value where one is needed */
    TG_ID_DEEP  /* nested past what is read */
} tg_id_kind;

typedef struct tg_id_fault {
    tg_id_kind kind;
    uint32_t axis;    /* which it is about; TG_ID_ANY where that is not known */
    const char *text; /* [n] the words at fault, borrowed from the list */
    size_t n;
    const char *other; /* [n_other] */
    size_t n_other;
    uint64_t a, b;
} tg_id_fault;

#define TG_ID_ANY UINT32_MAX

/* Say a fault in full: "PLACE: words" or, where the line itself is what has the fault, "PLACE has ...". */
void tg_id_words(char *dst, size_t dst_bytes, const char *place, const tagma_id_axes *axes,
                 const tg_id_fault *fault);
/* The fault in two or three words, for a list of many. Static storage. */
const char *tg_id_short_words(tg_id_kind kind);

/* The numbers of one id as they are written, before it is known how many there are and so which axes they are. */
typedef struct tg_id_numbers {
    uint32_t n; /* may pass TAGMA_MAX_ID_AXES; only so many are kept */
    uint64_t magnitude[TAGMA_MAX_ID_AXES];
    bool is_negative[TAGMA_MAX_ID_AXES];
    const char *text[TAGMA_MAX_ID_AXES];
    size_t text_bytes[TAGMA_MAX_ID_AXES];
    tg_id_fault fault; /* the first; axis is which number it is, from 0 */
} tg_id_numbers;

static inline void tg_id_numbers_clear(tg_id_numbers *numbers)
{
    numbers->n = 0;
    numbers->fault.kind = TG_ID_GOOD;
}

/* Add a number that stands in text[n]; a fault is kept in numbers. */
void tg_id_numbers_add(tg_id_numbers *numbers, const char *text, size_t n);

/* How n numbers stand for axes. */
enum { TG_ID_PASSED_OVER = 0xff };
typedef struct tg_id_form {
    uint8_t given[TAGMA_MAX_ID_AXES + 1]; /* mask of axes that n numbers give; 0: none of that depth */
    uint8_t axis[TAGMA_MAX_ID_AXES + 1][TAGMA_MAX_ID_AXES]; /* of number i of n; or TG_ID_PASSED_OVER */
    uint32_t n_named;                                       /* numbers that a header names; 0 without one */
} tg_id_form;

/* Without a header: all axes; two are the first and the last; one is the last. */
void tg_id_form_init(tg_id_form *form, uint32_t n_axes);

/* Numbers to an id. @return false with *fault set. */
bool tg_id_place(const tagma_id_axes *axes, const tg_id_form *form, const tg_id_numbers *numbers,
                 tagma_id *id, tg_id_fault *fault);

/* One id in text[n], "@N" or numbers joined by colons. @return false with *fault set. */
bool tg_id_read(const tagma_id_axes *axes, const tg_id_form *form, const char *text, size_t n, tagma_id *id,
                tg_id_fault *fault);

#endif
