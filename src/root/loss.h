/* SPDX-License-Identifier: Apache-2.0
 * What a call could not read: which rows of which columns are null, and the fault of each basket in words. */
#ifndef TG_ROOT_LOSS_H
#define TG_ROOT_LOSS_H

#include "root/tree.h"

/* Rows of one column of a call that are null. */
typedef struct tg_mark {
    uint64_t row, n;
    uint32_t slot; /* column of the call */
    bool is_damaged;
} tg_mark;

/* The fault of one basket, or of entries that no basket holds. */
typedef struct tg_finding {
    uint64_t basket; /* in tree->baskets; UINT64_MAX where none */
    uint32_t branch;
    tagma_status status;
    uint64_t first_entry, n_entries; /* what it makes null, from the first such entry to the last */
    uint64_t n_null;                 /* how many of those are null */
    char *words;
} tg_finding;

/* Belongs to one worker while tasks run, then to the calling thread. Zero it to begin. */
typedef struct tg_loss {
    tg_mark *marks;
    uint64_t n_marks, marks_capacity;
    tg_finding *findings;
    uint64_t n_findings, findings_capacity;
} tg_loss;

/* Neighbouring rows of one column become one mark. */
TAGMA_CHECKED tagma_status tg_loss_mark(tagma_ctx *ctx, tg_loss *loss, uint32_t slot, uint64_t row,
                                        uint64_t n, bool is_damaged);
/* The words are those of ctx's last failure. Another finding of the basket found last only widens that one. */
TAGMA_CHECKED tagma_status tg_loss_find(tagma_ctx *ctx, tg_loss *loss, tagma_status status, uint32_t branch,
                                        uint64_t basket, uint64_t first_entry, uint64_t n_entries);
/* Move everything of `from` to the end of `to`. */
TAGMA_CHECKED tagma_status tg_loss_move(tagma_ctx *ctx, tg_loss *to, tg_loss *from);
/* Forget everything, keep the room. */
void tg_loss_clear(tagma_ctx *ctx, tg_loss *loss);
void tg_loss_free(tagma_ctx *ctx, tg_loss *loss);

/* A status that damages a basket and lets the call go on; others end it. */
bool tg_is_loss(tagma_status status);

/* What words about a basket need. */
typedef struct tg_teller {
    const tg_tree *tree;
    const char *file;
    const uint32_t *column_of; /* [n_branches] */
    uint8_t *told;             /* bits of baskets; those told before are passed over */
    uint64_t n_told;           /* counts up */
} tg_teller;

/* Tell findings in the order of branches, then baskets: independent of who found them. */
void tg_loss_tell(tagma_ctx *ctx, tg_loss *loss, tg_teller *teller);

#endif
