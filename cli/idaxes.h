/* SPDX-License-Identifier: Apache-2.0
 * The id columns of a tree, kept beyond the tree; and ids as text. */
#ifndef CLI_IDAXES_H
#define CLI_IDAXES_H

#include <tagma/events.h>
#include <tagma/idlist.h>

#include "cli/text.h"
#include "cli/value.h"

typedef struct cli_axes {
    uint32_t n;
    bool is_signed[TAGMA_MAX_ID_AXES];
    char *names[TAGMA_MAX_ID_AXES];
    const char *roles[TAGMA_MAX_ID_AXES]; /* "run", "lumi", "event", or "" */
} cli_axes;

/* Copy what the library told about a tree. @return 0, or 2 with words. */
int cli_axes_new(cli_axes *axes, const tagma_schema *schema, const tagma_ids *ids);
void cli_axes_free(cli_axes *axes);
bool cli_axes_equal(const cli_axes *a, const cli_axes *b);
/* As the library wants them; borrowed from axes. */
tagma_id_axes cli_axes_view(const cli_axes *axes, const char *tree);
/* "run=run lumi=luminosityBlock event=event" */
void cli_axes_words(cli_text *text, const cli_axes *axes);
/* "run", or the column's own name where it has no role. */
const char *cli_axes_role(const cli_axes *axes, uint32_t axis);

/* One number of an id. */
void cli_put_axis(cli_text *text, const cli_axes *axes, uint32_t axis, uint64_t value);
/* "run:lumi:event", "run:event", "event" or "@N", as given. */
void cli_put_id(cli_text *text, const cli_axes *axes, const tagma_id *id);

/* Does an id give every axis? */
bool cli_id_is_whole(const tagma_id *id, uint32_t n_axes);
/* By kind, depth and numbers; 0 where equal. */
int cli_id_compare(const tagma_id *a, const tagma_id *b);

/* The id of entry i out of its columns: cells[axes]. "@ENTRY" where they do not tell. */
void cli_put_id_cells(cli_text *text, const cli_cell *cells, uint32_t n_axes, uint64_t i, uint64_t entry);

#endif
