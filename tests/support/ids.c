/* SPDX-License-Identifier: Apache-2.0
 * Lists of event ids in tests. */
#include "support/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const tagma_id_axes test_axes_events = {
    3, {"run", "luminosityBlock", "event"}, {"run", "lumi", "event"}, {false, false, false}, "Events"};
const tagma_id_axes test_axes_ntuple = {
    2, {"runNumber", "eventNumber"}, {"run", "event"}, {false, false}, "ntuple"};
const tagma_id_axes test_axes_hits = {1, {"evt"}, {"event"}, {true}, "hits"};
const tagma_id_axes test_axes_grid = {
    4, {"a", "b", "c", "d"}, {"", "", "", ""}, {true, true, true, true}, "grid"};
const tagma_id_axes test_axes_none = {0, {NULL}, {NULL}, {false}, "plain"};

/* A copy that ends where the text ends, so that reading past it is seen. */
static char *exact_copy(const char *text, size_t n)
{
    char *copy = malloc(n ? n : 1);

    assert_non_null(copy);
    memcpy(copy, text, n);
    return copy;
}

static tagma_status read_list(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, size_t n,
                              tagma_idlist *list)
{
    char *copy = exact_copy(text, n);
    tagma_status st = tagma_idlist_parse(ctx, axes, copy, n, "list.txt", list);

    free(copy);
    return st;
}

void test_ids_of_bytes_are(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, size_t n,
                           const char *ids)
{
    tagma_idlist list;
    tagma_status st = read_list(ctx, axes, text, n, &list);
    char *spelled;
    size_t at = 0;

    if (st != TAGMA_OK)
        fail_msg("\"%s\" gives %s: %s", text, tagma_status_name(st), tagma_ctx_message(ctx));
    spelled = malloc(list.n * TAGMA_ID_TEXT_BYTES + 1);
    assert_non_null(spelled);
    for (size_t i = 0; i < list.n; i++) {
        if (i > 0)
            spelled[at++] = ' ';
        at += tagma_id_spell(axes, &list.ids[i], spelled + at, TAGMA_ID_TEXT_BYTES);
    }
    assert_string_equal(spelled, ids);
    free(spelled);
    tagma_idlist_free(ctx, &list);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
}

void test_ids_are(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, const char *ids)
{
    test_ids_of_bytes_are(ctx, axes, text, strlen(text), ids);
}

static void gives(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, tagma_status expected,
                  const char *words)
{
    tagma_idlist list;
    tagma_status st = read_list(ctx, axes, text, strlen(text), &list);

    if (st != expected)
        fail_msg("\"%s\" gives %s instead of %s", text, tagma_status_name(st), tagma_status_name(expected));
    assert_string_equal(tagma_ctx_message(ctx), words);
    assert_null(list.ids);
    assert_int_equal(list.n, 0);
    assert_int_equal(tagma_ctx_memory(ctx), 0);
}

void test_ids_refused(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text, const char *words)
{
    gives(ctx, axes, text, TAGMA_E_ARG, words);
}

void test_ids_empty(tagma_ctx *ctx, const tagma_id_axes *axes, const char *text)
{
    gives(ctx, axes, text, TAGMA_ABSENT, "list.txt holds no event ids");
}

int test_open_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

int test_close_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}
