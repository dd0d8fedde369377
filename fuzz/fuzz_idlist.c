/* SPDX-License-Identifier: Apache-2.0
 * Lists of event ids. Input: a byte for the shape of the tree (axes in its low bits, a sign each above), then the list. */
#include "axes.h"
#include "fuzz.h"

#include <string.h>

#include <tagma/idlist.h>

enum { HEAD_BYTES = 1, MEMORY_PER_BYTE = 100, MEMORY_ALWAYS = 16384 };

/* Ids in the order of lines, each of which spells and reads back as itself. @return them as a list of plain lines. */
static char *spell_all(tagma_ctx *ctx, const tagma_id_axes *axes, const tagma_idlist *list, size_t *n)
{
    char *text = malloc(list->n * (TAGMA_ID_TEXT_BYTES + 1));
    uint32_t line = 1;
    size_t at = 0, begin;

    for (size_t i = 0; i < list->n; i++) {
        tagma_id id = list->ids[i], back;
        FUZZ_CHECK(id.line >= line);
        line = id.line;
        id.line = 0;
        begin = at;
        at += tagma_id_spell(axes, &id, text + begin, TAGMA_ID_TEXT_BYTES);
        FUZZ_CHECK(tagma_id_parse(ctx, axes, text + begin, NULL, &back) == TAGMA_OK);
        FUZZ_CHECK(memcmp(&id, &back, sizeof id) == 0);
        text[at++] = '\n';
    }
    *n = at;
    return text;
}

static void check_same(const tagma_idlist *a, const tagma_idlist *b)
{
    FUZZ_CHECK(a->n == b->n);
    for (size_t i = 0; i < a->n; i++) {
        tagma_id x = a->ids[i], y = b->ids[i];
        x.line = y.line = 0;
        FUZZ_CHECK(memcmp(&x, &y, sizeof x) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_id_axes axes;
    tagma_ctx *ctx;
    tagma_idlist list, again;
    char *text;
    size_t n;
    tagma_status st;

    if (size < HEAD_BYTES)
        return 0;
    axes = fuzz_axes(data[0]);
    FUZZ_CHECK(tagma_ctx_new(NULL, &ctx) == TAGMA_OK);
    n = size - HEAD_BYTES;
    text = malloc(n ? n : 1);
    memcpy(text, data + HEAD_BYTES, n);
    st = tagma_idlist_parse(ctx, &axes, text, n, "list", &list);
    free(text);
    FUZZ_CHECK(st == TAGMA_OK || st == TAGMA_ABSENT || st == TAGMA_E_ARG);
    FUZZ_CHECK(tagma_ctx_peak_memory(ctx) <= MEMORY_PER_BYTE * n + MEMORY_ALWAYS);
    if (st != TAGMA_OK) {
        FUZZ_CHECK(!list.ids && list.n == 0 && *tagma_ctx_message(ctx));
        FUZZ_CHECK(strncmp(tagma_ctx_message(ctx), "list ", 5) == 0);
    } else {
        FUZZ_CHECK(list.n > 0);
        text = spell_all(ctx, &axes, &list, &n);
        FUZZ_CHECK(tagma_idlist_parse(ctx, &axes, text, n, "list", &again) == TAGMA_OK);
        check_same(&list, &again);
        tagma_idlist_free(ctx, &again);
        free(text);
    }
    tagma_idlist_free(ctx, &list);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    return 0;
}
