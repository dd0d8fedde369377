/* SPDX-License-Identifier: Apache-2.0
 * The plan of one column, while columns are made. */
#ifndef TG_ROOT_COLPLAN_H
#define TG_ROOT_COLPLAN_H

#include "root/branch.h"
#include "root/title.h"

typedef struct tg_column_plan {
    const char *name, *path;
    const char *reason; /* NULL while it can be read */
    tagma_type type;
    uint32_t n_lists;
    uint32_t n_dims, dims[TG_TITLE_DIMS_MAX];
    uint32_t n_items;
    tg_layout layout;
} tg_column_plan;

/* A plan of nothing yet, of a branch. */
tg_column_plan tg_column_plan_of(uint32_t branch);
/* Why it cannot be read: the first reason stays. */
tagma_status tg_plan_refuse(tg_tree_reading *r, tg_column_plan *plan, const char *format, ...)
    TAGMA_PRINTF(3, 4);
/* Its values are numbers of a type code (TG_CODE_...), packed floats as a title says. false for what is no number. */
bool tg_plan_number(tg_column_plan *plan, int32_t code, const tg_title *title);
/* Fixed dimensions whose product is n_items; one of that length where they do not agree. */
void tg_plan_dims(tg_column_plan *plan, const uint32_t *dims, uint32_t n_dims, uint64_t n_items);
/* Another level of lists, inside of those it has. false where it has as many as there can be. */
bool tg_plan_list(tg_column_plan *plan, tg_count_kind count);
/* Bytes on disk of one of its numbers; 1 for a string. */
uint32_t tg_plan_width(const tg_column_plan *plan);

/* Do numbers on disk as a layout has them give values of a type? */
bool tg_wire_gives(const tg_layout *layout, tagma_type type);

/* What the planners of branches share. */
typedef struct tg_planning {
    tg_tree_reading *r;
    tg_column_plan *plans; /* [n]: one a column */
    uint32_t n;
    uint32_t *first_column; /* [n_branches + 1] columns of branches in order */
    uint32_t *siblings;     /* branches by owner and name, made when first asked; see element.c */
    uint64_t n_slots;
} tg_planning;

/* The column of a TBranchElement that holds data. */
tagma_status tg_element_plan(tg_planning *p, uint32_t branch, tg_column_plan *plan);
/* Is it but a node of the tree of branches, without data of its own? */
bool tg_element_is_node(const tg_tree_reading *r, uint32_t branch);

#endif
