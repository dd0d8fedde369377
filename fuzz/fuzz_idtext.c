/* SPDX-License-Identifier: Apache-2.0
 * One event id as text. Input: a byte for the shape of the tree (axes in its low bits, a sign each above), then the text. */
#include "axes.h"
#include "fuzz.h"

#include <string.h>

#include <tagma/idlist.h>

static void check_id(const tagma_id_axes *axes, const tagma_id *id)
{
    uint32_t last = axes->n_axes ? 1U << (axes->n_axes - 1) : 0;
    uint32_t all = (1U << axes->n_axes) - 1;

    FUZZ_CHECK(id->line == 0);
    FUZZ_CHECK(id->is_entry == (id->given == 0));
    FUZZ_CHECK(id->is_entry || id->given == all || id->given == last || id->given == (last | 1));
    for (uint32_t a = 0; a < TAGMA_MAX_ID_AXES; a++)
        FUZZ_CHECK((id->given >> a & 1) || id->axes[a] == 0 || (id->is_entry && a == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tagma_id zero;
    tagma_id_axes axes;
    tagma_ctx *ctx;
    tagma_id id, back;
    char spelled[TAGMA_ID_TEXT_BYTES];
    char *text;
    tagma_status st;

    if (size < 1)
        return 0;
    axes = fuzz_axes(data[0]);
    text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    FUZZ_CHECK(tagma_ctx_new(NULL, &ctx) == TAGMA_OK);
    st = tagma_id_parse(ctx, &axes, text, size % 2 ? "argument 1" : NULL, &id);
    FUZZ_CHECK(st == TAGMA_OK || st == TAGMA_E_ARG);
    if (st < 0) {
        FUZZ_CHECK(*tagma_ctx_message(ctx) && memcmp(&id, &zero, sizeof id) == 0);
    } else {
        size_t n = tagma_id_spell(&axes, &id, spelled, sizeof spelled);
        check_id(&axes, &id);
        /* What is spelled is an id to the eye, and reads back as itself. */
        FUZZ_CHECK(n == strlen(spelled) && tagma_id_is_text(spelled));
        FUZZ_CHECK(tagma_id_parse(ctx, &axes, spelled, NULL, &back) == TAGMA_OK);
        FUZZ_CHECK(memcmp(&id, &back, sizeof id) == 0);
    }
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(text);
    return 0;
}
