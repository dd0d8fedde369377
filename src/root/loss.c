/* SPDX-License-Identifier: Apache-2.0
 * Collect and tell what could not be read. */
#include "root/loss.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

bool tg_is_loss(tagma_status status)
{
    return status == TAGMA_E_CORRUPT || status == TAGMA_E_TRUNCATED || status == TAGMA_E_UNSUPPORTED ||
           status == TAGMA_E_LIMIT;
}

tagma_status tg_loss_mark(tagma_ctx *ctx, tg_loss *loss, uint32_t slot, uint64_t row, uint64_t n,
                          bool is_damaged)
{
    tg_mark *last = loss->n_marks > 0 ? &loss->marks[loss->n_marks - 1] : NULL;
    void *block = loss->marks;

    if (last && last->slot == slot && last->is_damaged == is_damaged && last->row + last->n == row) {
        last->n += n;
        return TAGMA_OK;
    }
    TG_TRY(tg_reserve(ctx, &block, &loss->marks_capacity, loss->n_marks + 1, sizeof *loss->marks));
    loss->marks = block;
    loss->marks[loss->n_marks++] = (tg_mark){row, n, slot, is_damaged};
    return TAGMA_OK;
}

tagma_status tg_loss_find(tagma_ctx *ctx, tg_loss *loss, tagma_status status, uint32_t branch,
                          uint64_t basket, uint64_t first_entry, uint64_t n_entries)
{
    tg_finding *last = loss->n_findings > 0 ? &loss->findings[loss->n_findings - 1] : NULL;
    void *block = loss->findings;
    char *words;

    if (last && basket != UINT64_MAX && last->basket == basket) {
        uint64_t end = last->first_entry + last->n_entries;

        /* Leaves of one branch lose the same entries one after the other. */
        if (first_entry >= end)
            last->n_null += n_entries;
        if (first_entry + n_entries > end)
            last->n_entries = first_entry + n_entries - last->first_entry;
        return TAGMA_OK;
    }
    words = tg_strdup(ctx, ctx->message);
    if (!words)
        return TAGMA_E_MEMORY;
    if (tg_reserve(ctx, &block, &loss->findings_capacity, loss->n_findings + 1, sizeof *loss->findings) < 0) {
        tg_free(ctx, words);
        return TAGMA_E_MEMORY;
    }
    loss->findings = block;
    loss->findings[loss->n_findings++] = (tg_finding){.basket = basket,
                                                      .branch = branch,
                                                      .status = status,
                                                      .first_entry = first_entry,
                                                      .n_entries = n_entries,
                                                      .n_null = n_entries,
                                                      .words = words};
    return TAGMA_OK;
}

tagma_status tg_loss_move(tagma_ctx *ctx, tg_loss *to, tg_loss *from)
{
    void *block = to->marks;
    tagma_status st;

    st = tg_reserve(ctx, &block, &to->marks_capacity, to->n_marks + from->n_marks, sizeof *to->marks);
    to->marks = block;
    if (st < 0)
        return st;
    block = to->findings;
    st = tg_reserve(ctx, &block, &to->findings_capacity, to->n_findings + from->n_findings,
                    sizeof *to->findings);
    to->findings = block;
    if (st < 0)
        return st;
    if (from->n_marks > 0)
        memcpy(to->marks + to->n_marks, from->marks, from->n_marks * sizeof *to->marks);
    if (from->n_findings > 0)
        memcpy(to->findings + to->n_findings, from->findings, from->n_findings * sizeof *to->findings);
    to->n_marks += from->n_marks;
    to->n_findings += from->n_findings;
    from->n_marks = 0;
    from->n_findings = 0;
    return TAGMA_OK;
}

void tg_loss_clear(tagma_ctx *ctx, tg_loss *loss)
{
    for (uint64_t i = 0; i < loss->n_findings; i++)
        tg_free(ctx, loss->findings[i].words);
    loss->n_findings = 0;
    loss->n_marks = 0;
}

void tg_loss_free(tagma_ctx *ctx, tg_loss *loss)
{
    tg_loss_clear(ctx, loss);
    tg_free(ctx, loss->marks);
    tg_free(ctx, loss->findings);
    *loss = (tg_loss){0};
}

static int compare_findings(const void *a, const void *b)
{
    const tg_finding *x = a, *y = b;

    if (x->branch != y->branch)
        return x->branch < y->branch ? -1 : 1;
    if (x->basket != y->basket)
        return x->basket < y->basket ? -1 : 1;
    return (x->first_entry > y->first_entry) - (x->first_entry < y->first_entry);
}

/* A branch is called by its column's name; one of several leaves by its own. */
static const char *name_of(const tg_teller *teller, uint32_t branch)
{
    uint32_t column = teller->column_of[branch];

    if (column == TAGMA_NONE || teller->tree->layouts[column].n_leaves > 1)
        return teller->tree->branches[branch].path;
    return tagma_schema_column(teller->tree->schema, column)->name;
}

static void tell(tagma_ctx *ctx, const tg_teller *teller, const tg_finding *found)
{
    const tg_tree *tree = teller->tree;
    bool has_basket = found->basket != UINT64_MAX;
    uint64_t offset = has_basket ? tree->baskets[found->basket].offset : tree->record_offset;
    bool is_embedded = offset & TG_BASKET_EMBEDDED;
    char words[TG_MESSAGE_BYTES], place[TG_MESSAGE_BYTES / 2], tree_name[TG_MESSAGE_BYTES / 4], part[32] = "";
    tagma_fault fault = {.struct_bytes = sizeof fault,
                         .status = found->status,
                         .file = teller->file,
                         .tree = tree_name,
                         .column = name_of(teller, found->branch),
                         .basket = -1,
                         .offset = is_embedded ? tree->record_offset : offset,
                         .first_entry = found->first_entry,
                         .n_entries = found->n_entries,
                         .message = words};

    snprintf(tree_name, sizeof tree_name, "%s;%" PRIu32, tree->name, tree->cycle);
    snprintf(place, sizeof place, "%s: tree %s, branch %s", fault.file, tree_name, fault.column);
    if (found->n_null < found->n_entries)
        snprintf(part, sizeof part, "%" PRIu64 " of ", found->n_null);
    if (has_basket) {
        fault.basket = (int64_t)(found->basket - tree->branches[found->branch].first_basket);
        snprintf(words, sizeof words,
                 "%s, basket %" PRId64 "%s at byte %" PRIu64 " (%sentries %" PRIu64 " to %" PRIu64 "): %s",
                 place, fault.basket, is_embedded ? ", embedded in the tree's record" : "", fault.offset,
                 part, found->first_entry, found->first_entry + found->n_entries - 1, found->words);
    } else {
        snprintf(words, sizeof words, "%s, entries %" PRIu64 " to %" PRIu64 ": %s", place, found->first_entry,
                 found->first_entry + found->n_entries - 1, found->words);
    }
    tg_fault(ctx, &fault);
}

void tg_loss_tell(tagma_ctx *ctx, tg_loss *loss, tg_teller *teller)
{
    if (loss->n_findings > 1)
        qsort(loss->findings, loss->n_findings, sizeof *loss->findings, compare_findings);
    for (uint64_t i = 0; i < loss->n_findings; i++) {
        const tg_finding *found = &loss->findings[i];

        if (found->basket != UINT64_MAX) {
            uint8_t bit = (uint8_t)(1U << (found->basket % 8));
            if (teller->told[found->basket / 8] & bit)
                continue;
            teller->told[found->basket / 8] |= bit;
        }
        teller->n_told++;
        tell(ctx, teller, found);
    }
}
