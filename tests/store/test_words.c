/* SPDX-License-Identifier: Apache-2.0
 * Words of columns: what is packed is spelled out again, and nothing leads out of its room, whatever the bytes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "store/words.h"

enum { N = 6 };

static const tagma_column columns[N] = {
    {.name = "Muon_pt", .path = "Muon_pt", .title = "Muon_pt[nMuon]/F"},
    {.name = "Muon_phi", .path = "muons.Muon_phi", .title = "Muon_phi[nMuon]/F"},
    {.name = "HLT_a", .path = "HLT_a", .title = "Trigger bit"},
    {.name = "HLT_b", .path = "HLT_b", .title = "Trigger bit"},
    {.name = "", .path = "", .title = ""},
    {.name = "x", .path = "x", .title = "x"},
};

static tg_buf pack(tagma_ctx *ctx, uint64_t *text_bytes)
{
    tg_buf packed = TG_BUF_INIT;

    *text_bytes = 0;
    for (int c = 0; c < N; c++)
        assert_int_equal(tg_words_put(ctx, &columns[c], c == 0 ? NULL : &columns[c - 1], &packed, text_bytes),
                         TAGMA_OK);
    return packed;
}

static void words_come_back(void **state)
{
    uint64_t n_texts;
    tg_buf packed = pack(*state, &n_texts);
    char *texts = malloc(n_texts);
    tagma_column found[N];

    assert_true(packed.n < n_texts); /* neighbours share */
    assert_true(tg_words_spell(packed.bytes, packed.n, texts, n_texts, found, N));
    for (int c = 0; c < N; c++) {
        assert_string_equal(found[c].name, columns[c].name);
        assert_string_equal(found[c].path, columns[c].path);
        assert_string_equal(found[c].title, columns[c].title);
    }
    assert_ptr_equal(found[3].title, found[2].title);
    free(texts);
    tg_buf_free(*state, &packed);
}

/* A room that is too small or too large, bytes that end early or are others: false, and every word ends. */
static void what_is_not_words_is_told(void **state)
{
    uint64_t n_texts;
    tg_buf packed = pack(*state, &n_texts);
    tagma_column found[N];

    for (uint64_t room = 0; room <= n_texts + 1; room++) {
        char *texts = malloc(room + 1);
        assert_int_equal(tg_words_spell(packed.bytes, packed.n, texts, room, found, N), room == n_texts);
        free(texts);
    }
    for (uint64_t n = 0; n < packed.n; n++) {
        uint8_t *cut = malloc(n + 1);
        char *texts = malloc(n_texts);

        memcpy(cut, packed.bytes, n);
        assert_false(tg_words_spell(cut, n, texts, n_texts, found, N));
        free(texts);
        free(cut);
    }
    for (uint64_t i = 0; i < packed.n; i++)
        for (uint32_t v = 0; v < 256; v += 51) {
            char *texts = malloc(n_texts);
            uint8_t was = packed.bytes[i];

            packed.bytes[i] = (uint8_t)v;
            (void)tg_words_spell(packed.bytes, packed.n, texts, n_texts, found, N);
            for (int c = 0; c < N; c++)
                assert_true(strlen(found[c].name) + strlen(found[c].path) + strlen(found[c].title) <
                            3 * n_texts);
            packed.bytes[i] = was;
            free(texts);
        }
    tg_buf_free(*state, &packed);
}

static int set_up(void **state)
{
    tagma_ctx *ctx;

    if (tagma_ctx_new(NULL, &ctx) != TAGMA_OK)
        return -1;
    *state = ctx;
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(tagma_ctx_memory(*state), 0);
    tagma_ctx_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_words_is_told, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
