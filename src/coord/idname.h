/* SPDX-License-Identifier: Apache-2.0
 * Which columns name events: the spellings of run, luminosity block and event number that the field uses. The same names
 * find the id columns of a tree and the columns of a list of ids. */
#ifndef TG_COORD_IDNAME_H
#define TG_COORD_IDNAME_H

#include <stddef.h>

typedef enum tg_id_role { TG_ROLE_RUN = 0, TG_ROLE_LUMI, TG_ROLE_EVENT, TG_ROLE_NONE } tg_id_role;

/* Room for a name in its normal form. */
enum { TG_ID_NAME_BYTES = 64 };

/* The role a column's name gives it; compared without case, "_" and an EventInfo prefix. */
tg_id_role tg_id_role_of(const char *name, size_t n);
/* "run", "lumi", "event"; "" for TG_ROLE_NONE. Static storage. */
const char *tg_id_role_name(tg_id_role role);
/* The role of that name; TG_ROLE_NONE for "" and any other. */
tg_id_role tg_id_role_named(const char *role);
/* The spellings, for messages: "event, eventnumber, ...". Static storage. */
const char *tg_id_role_spellings(tg_id_role role);

/* A name in the form in which names are compared: lower case, without "_", without an EventInfo prefix. A longer one is cut
 * at the front: the last TG_ID_NAME_BYTES - 1 characters are what tells. @return characters without the final 0. */
size_t tg_id_name_normal(const char *name, size_t n, char normal[TG_ID_NAME_BYTES]);

#endif
