/* SPDX-License-Identifier: Apache-2.0
 * Plan the column of a TBranchElement. */
#include "root/colplan.h"

/* Source: docs/ROOT.md, "TBranchElement". */
enum { TYPE_BASE = 1, TYPE_OBJECT = 2, TYPE_CLONES = 3, TYPE_STL = 4, TYPE_IN_CLONES = 31, TYPE_IN_STL = 41 };

bool tg_element_is_node(const tg_tree_reading *r, uint32_t branch)
{
    const tg_raw_branch *raw = &r->raw[branch];

    if (raw->type == TYPE_CLONES || raw->type == TYPE_STL)
        return false;
    if (r->tree->branches[branch].fault)
        return false;
    if (raw->n_children > 0)
        return true;
    return (raw->type == TYPE_BASE || raw->type == TYPE_OBJECT) && r->tree->branches[branch].n_baskets == 0;
}

tagma_status tg_element_plan(tg_planning *p, uint32_t branch, tg_column_plan *plan)
{
    (void)branch;
    return tg_plan_refuse(p->r, plan, "object is not read");
}
