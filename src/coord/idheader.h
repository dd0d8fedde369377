/* SPDX-License-Identifier: Apache-2.0
 * Which columns of a list are the axes of a tree, by their names. */
#ifndef TG_COORD_IDHEADER_H
#define TG_COORD_IDHEADER_H

#include "coord/idname.h"
#include "coord/idtext.h"

/* The names of the axes in the forms in which they are compared. */
typedef struct tg_id_names {
    const tagma_id_axes *axes;
    char normal[TAGMA_MAX_ID_AXES][TG_ID_NAME_BYTES];
    tg_id_role roles[TAGMA_MAX_ID_AXES];
} tg_id_names;

void tg_id_names_init(tg_id_names *names, const tagma_id_axes *axes);

/* How well a name fits each axis: 0 not at all; the best wins, and two best ones are a fault. */
typedef struct tg_id_rank {
    uint8_t of[TAGMA_MAX_ID_AXES];
    bool is_id;    /* "@id" */
    bool is_known; /* "@id", an axis, or a spelling of run, lumi or event */
} tg_id_rank;

/* is_cut: the name fills its cell and may go on, as in the header of a Scan table. */
void tg_id_rank_name(const tg_id_names *names, const char *text, size_t n, bool is_cut, tg_id_rank *rank);

/* The columns found so far. */
typedef struct tg_id_columns {
    uint32_t field[TAGMA_MAX_ID_AXES]; /* where rank is not 0 */
    uint8_t rank[TAGMA_MAX_ID_AXES];
    const char *text[TAGMA_MAX_ID_AXES],
        *other[TAGMA_MAX_ID_AXES]; /* other: a second one of the same rank; or NULL */
    size_t n[TAGMA_MAX_ID_AXES], n_other[TAGMA_MAX_ID_AXES];
    bool has_id;
    uint32_t id_field;
} tg_id_columns;

/* Take a column into account. @return mask of the axes for which it is now the best. */
uint32_t tg_id_columns_add(tg_id_columns *columns, const tg_id_rank *rank, uint32_t field, const char *text,
                           size_t n);
/* Are the columns an id: "@id", or all axes, or the first and the last, or the last? @return false with *fault set. */
bool tg_id_columns_check(const tg_id_columns *columns, const tagma_id_axes *axes, tg_id_fault *fault);

/* A header: how the fields of each line stand for axes. */
typedef struct tg_id_header {
    const char *text; /* [n] the line itself */
    size_t n;
    char separator;
    bool is_strict;    /* lines are fields; else plain numbers in the order of the header */
    uint32_t n_fields; /* of a strict one */
    uint32_t n_wanted; /* fields that are numbers of the id: field[0] < field[1] < ... */
    uint32_t field[TAGMA_MAX_ID_AXES];
    bool has_id; /* field[0] is an id of its own */
    tg_id_form form;
} tg_id_header;

/* Which fields to read, from columns that passed tg_id_columns_check(). */
void tg_id_header_set(tg_id_header *header, const tg_id_columns *columns, uint32_t n_axes);

#endif
