/* SPDX-License-Identifier: Apache-2.0
 * One event for the eye: scalars, bools by name, each collection as a small table. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli/outfile.h"
#include "cli/value.h"

/**
 * Print entry i of the cells, all of one schema.
 * @param width  columns of the terminal; what passes them is cut or turned. 0: no terminal, nothing is cut.
 * @return 0, or 2 with words.
 */
int cli_view_event(cli_out *out, const tagma_schema *schema, const cli_cell *cells, uint32_t n_cells,
                   uint64_t i, size_t width);

#endif
