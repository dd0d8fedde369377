/* SPDX-License-Identifier: Apache-2.0
 * Plan columns: what each leaf is as a column of the schema, and how it stands in its branch's entries.
 * Source of facts: docs/ROOT.md, "Columns". */
#ifndef TG_ROOT_COLUMNS_H
#define TG_ROOT_COLUMNS_H

#include "root/branch.h"

/* Make the tree's schema and layouts of its branches and leaves, whose names are kept already. */
tagma_status tg_columns_plan(tg_tree_reading *r);

#endif
