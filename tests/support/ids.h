/* SPDX-License-Identifier: Apache-2.0
 * Lists of event ids in tests: trees of some shapes, what a text gives, and what is said where it gives nothing. */
#ifndef TESTS_SUPPORT_IDS_H
#define TESTS_SUPPORT_IDS_H

#include <stddef.h>
#include <tagma/idlist.h>

/* run, luminosityBlock, event of a tree Events, unsigned. */
extern const tagma_id_axes test_axes_events;
/* runNumber, eventNumber of a tree ntuple, unsigned. */
extern const tagma_id_axes test_axes_ntuple;
/* evt of a tree hits, signed. */
extern const tagma_id_axes test_axes_hits;
/* a, b, c, d of a tree grid, named by hand, signed. */
extern const tagma_id_axes test_axes_grid;
/* A tree plain without ids. */
extern const tagma_id_axes test_axes_none;

/* The list list.txt with this text gives these ids, "1:2:3 5 @7", and leaves no memory behind. */
void test_ids_are(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, const char *ids);
void test_ids_of_bytes_are(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, size_t n,
                           const char *ids);
/* It is refused with these words. */
void test_ids_refused(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, const char *words);
/* It is empty, with words. */
void test_ids_empty(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text);

/* cmocka's set-up and tear-down of a context as *state. */
int test_open_ctx(void **state);
int test_close_ctx(void **state);

#endif
