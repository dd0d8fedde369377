/* SPDX-License-Identifier: Apache-2.0
 * A list of ids while it is read: where we are, what was found, what was wrong. One reader for each form of list. */
#ifndef TG_COORD_IDREAD_H
#define TG_COORD_IDREAD_H

#include "base/ctx.h"
#include "coord/idheader.h"
#include "coord/idtext.h"

enum { TG_ID_BAD_LINES = 10 };

typedef struct tg_idread {
    tagma_ctx *ctx;
    const tagma_id_axes *axes;
    const char *name;
    const char *begin, *end; /* the text, its byte order mark left out */
    uint32_t line;           /* the one being read, from 1; stays at UINT32_MAX */
    tagma_status status;     /* negative: memory ran out or the caller cancelled; readers stop */
    bool is_over;            /* nothing behind can be read; readers stop */
    tg_id_names names;       /* of the axes, as they are compared */
    tg_id_form bare;         /* of an id that stands alone */
    tg_id_header header;     /* how the fields of a line stand for axes */
    tagma_id *ids;
    uint64_t n, capacity;
    uint64_t n_bad; /* lines */
    uint32_t last_bad_line;
    uint32_t bad_lines[TG_ID_BAD_LINES];
    tg_id_kind bad_kinds[TG_ID_BAD_LINES];
    bool is_scan;                 /* words may advise on TTree::Scan */
    char words[TG_MESSAGE_BYTES]; /* of the first bad line */
} tg_idread;

/* Keep an id of a line. @return false: stop. */
bool tg_idread_put(tg_idread *rd, tagma_id *id, uint32_t line);
/* Note a bad line; a second fault of the same line is dropped. */
void tg_idread_bad(tg_idread *rd, uint32_t line, const tg_id_fault *fault);
/* Place the numbers of a line and keep the id, or note the line as bad. @return false: stop. */
bool tg_idread_numbers(tg_idread *rd, const tg_id_form *form, const tg_id_numbers *numbers, uint32_t line);
/* Read one id that stands alone in text[n], likewise. */
bool tg_idread_id(tg_idread *rd, const char *text, size_t n, uint32_t line);
/* Pass over the end of a line at p: "\n", "\r\n" or "\r"; at the end of the text it stays. Tells progress. */
const char *tg_idread_next_line(tg_idread *rd, const char *p);
/* Where the line of p ends: at "\n", "\r" or the end of the text. */
const char *tg_idread_line_end(const tg_idread *rd, const char *p);

static inline bool tg_idread_goes_on(const tg_idread *rd, const char *p)
{
    return p < rd->end && rd->status >= 0 && !rd->is_over;
}

static inline bool tg_idread_at_line_end(const tg_idread *rd, const char *p)
{
    return p == rd->end || *p == '\n' || *p == '\r';
}

/* The readers: each takes the text from p, the begin of a line, to its end. */
void tg_idplain_read(tg_idread *rd, const char *p);
void tg_idcsv_read(tg_idread *rd, const char *p);
void tg_idscan_read(tg_idread *rd, const char *p);
void tg_idjson_read(tg_idread *rd, const char *p);

/* Does a line at p belong to what ROOT prints around or in a Scan table? */
bool tg_idscan_is_line(const tg_idread *rd, const char *p);

/* Take line p as a header. @return TG_ID_GOOD and rd->header is set; else why not, in *fault. A comment is one only where
 * every word of it is an id column. */
bool tg_idheader_read(tg_idread *rd, const char *p, bool is_comment, tg_id_fault *fault);
/* Is the line at p the header once more, as in files that were put together? */
bool tg_idheader_is_again(const tg_idread *rd, const char *p);

/* The next field of a line of separated fields. The line is not blank. */
typedef enum tg_id_field_end {
    TG_FIELD_MORE, /* a separator stands behind it; p is past that */
    TG_FIELD_LAST, /* the line ends behind it */
    TG_FIELD_OPEN  /* a quote without its other end, or more behind it */
} tg_id_field_end;
/* The text is without its quotes and the blanks around it. separator: ',' ';' ':' '\t', ' ' for runs of blanks, 0 none. */
tg_id_field_end tg_id_field(tg_idread *rd, char separator, const char **p, const char **text, size_t *n);

#endif
