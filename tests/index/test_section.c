/* SPDX-License-Identifier: Apache-2.0
 * The bytes of an index section: cut, flipped, foreign, newer, and hostile with a checksum that fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/ctx.h"
#include "index/section.h"
#include "support/idmodel.h"

enum { N_SHAPES = 6 };

/* Sections of all forms: dense, grid, own bases, own widths, wide, with own shifts and ranked entries. */
static const struct {
    uint32_t n_axes;
    test_axis_kind kinds[3];
    uint64_t n;
} shapes[N_SHAPES] = {
    {3, {TEST_FEW, TEST_DENSE, TEST_SPARSE}, 120},
    {3, {TEST_CONSTANT, TEST_COUNTING, TEST_SPARSE}, 90},
    {2, {TEST_BLOCKS, TEST_COUNTING}, 100},
    {2, {TEST_FEW, TEST_EXTREMES}, 60},
    {1, {TEST_OUTLIER}, 150},
    {1, {TEST_WIDE}, 40},
};

static int open_ctx(void **state)
{
    return tagma_ctx_new(NULL, (tagma_ctx **)state) == TAGMA_OK ? 0 : -1;
}

static int close_ctx(void **state)
{
    tagma_ctx_free(*state);
    return 0;
}

static test_model model_of(int shape)
{
    return test_model_make(shapes[shape].n_axes, shapes[shape].kinds, 0, shapes[shape].n, shape & 1,
                           (uint64_t)shape);
}

/* A copy of the section in a block of its exact size, so that a read past its end is seen. */
static uint8_t *section_of(tagma_ctx *ctx, const test_model *model, uint64_t *n)
{
    tagma_index *index;
    const uint8_t *bytes;
    uint8_t *copy;

    assert_int_equal(tagma_index_new(ctx, &model->input, &index), TAGMA_OK);
    tg_index_bytes(index, &bytes, n);
    copy = malloc(*n);
    memcpy(copy, bytes, *n);
    tagma_index_release(index);
    return copy;
}

static void seal(uint8_t *bytes, uint64_t n)
{
    tg_put_le64(bytes + 24, tg_index_checksum(bytes, n));
}

/* Whatever it says, it says it without harm and within its bounds. */
static void use(const tagma_index *index, const test_model *model)
{
    uint64_t axes[TAGMA_MAX_ID_AXES], entries[8], first;
    tagma_index_info info = {.struct_bytes = sizeof info};
    uint32_t count;
    size_t n;

    tagma_index_get_info(index, &info);
    for (uint64_t i = 0; i < model->input.n_entries; i += 3) {
        if (info.n_axes == model->input.n_axes) {
            tagma_status st = tagma_index_find(index, model->rows[i].axes, entries, 8, &n);
            assert_true((st == TAGMA_OK) == (n > 0));
            assert_true(n <= info.n_entries);
            for (size_t k = 0; k < n && k < 8; k++)
                assert_true(entries[k] < info.n_entries);
            tagma_index_find_many(index, model->rows[i].axes, 1, &first, &count);
            assert_int_equal(count, n);
            assert_true(first + count <= info.n_entries);
        }
        if (i < info.n_entries) {
            assert_int_equal(tagma_index_coordinate(index, i, axes), TAGMA_OK);
            tagma_index_entries(index, i, 1, entries);
            assert_true(entries[0] < info.n_entries);
        }
    }
}

/* A section loads from borrowed bytes at any alignment, and answers as the index that made it. */
static void loads_where_it_lies(void **state)
{
    for (int shape = 0; shape < N_SHAPES; shape++) {
        test_model model = model_of(shape);
        uint64_t n, kept;
        uint8_t *bytes = section_of(*state, &model, &n), *odd = malloc(n + 3);
        const uint8_t *same;
        tagma_index *index;

        memcpy(odd + 3, bytes, n);
        assert_int_equal(tg_index_load(*state, odd + 3, n, "x.tgx", 4096, NULL, NULL, &index), TAGMA_OK);
        for (uint64_t i = 0; i < model.input.n_entries; i++) {
            uint64_t axes[TAGMA_MAX_ID_AXES], entry;
            assert_int_equal(tagma_index_coordinate(index, i, axes), TAGMA_OK);
            assert_memory_equal(axes, model.rows[i].axes, model.input.n_axes * sizeof *axes);
            tagma_index_entries(index, i, 1, &entry);
            assert_int_equal(entry, model.rows[i].entry);
        }
        tg_index_bytes(index, &same, &kept);
        assert_ptr_equal(same, odd + 3);
        assert_int_equal(kept, n);
        tagma_index_release(index);
        free(odd);
        free(bytes);
        test_model_free(&model);
    }
}

/* The same ids give the same bytes. */
static void bytes_depend_on_the_ids_only(void **state)
{
    test_model model = model_of(0);
    uint64_t n[2];
    uint8_t *bytes[2] = {section_of(*state, &model, &n[0]), section_of(*state, &model, &n[1])};

    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
    test_model_free(&model);
}

/* Cut at every byte: refused, naming file and byte. */
static void refuses_every_cut(void **state)
{
    for (int shape = 0; shape < N_SHAPES; shape++) {
        test_model model = model_of(shape);
        uint64_t n;
        uint8_t *bytes = section_of(*state, &model, &n);

        for (uint64_t cut = 0; cut < n; cut++) {
            uint8_t *part = malloc(cut + 1);
            tagma_index *index;

            memcpy(part, bytes, cut);
            assert_int_equal(tg_index_load(*state, part, cut, "x.tgx", 4096, NULL, NULL, &index),
                             TAGMA_E_TRUNCATED);
            assert_null(index);
            assert_non_null(strstr(tagma_ctx_message(*state), "x.tgx: index section at byte 4096"));
            free(part);
        }
        free(bytes);
        test_model_free(&model);
    }
}

/* Every byte flipped: refused, since each is under the checksum or has one right value. */
static void refuses_every_flip(void **state)
{
    for (int shape = 0; shape < N_SHAPES; shape++) {
        test_model model = model_of(shape);
        uint64_t n;
        uint8_t *bytes = section_of(*state, &model, &n);

        for (uint64_t i = 0; i < n; i++) {
            tagma_index *index;

            bytes[i] ^= (uint8_t)(1 << i % 8);
            assert_true(tg_index_load(*state, bytes, n, "x.tgx", 4096, NULL, NULL, &index) < 0);
            assert_null(index);
            assert_non_null(strstr(tagma_ctx_message(*state), "x.tgx: "));
            bytes[i] ^= (uint8_t)(1 << i % 8);
        }
        free(bytes);
        test_model_free(&model);
    }
}

/* Every byte changed and the checksum made to fit: refused, or used without harm. */
static void no_byte_leads_outside(void **state)
{
    static const uint8_t masks[] = {0x01, 0xff};
    uint64_t n_refused = 0;

    for (int shape = 0; shape < N_SHAPES; shape++) {
        test_model model = model_of(shape);
        uint64_t n;
        uint8_t *bytes = section_of(*state, &model, &n);

        for (uint64_t i = 0; i < n * sizeof masks; i++) {
            uint8_t *at = &bytes[i / sizeof masks], mask = masks[i % sizeof masks];
            tagma_index *index;
            tagma_status st;

            *at ^= mask;
            seal(bytes, n);
            st = tg_index_load(*state, bytes, n, "x.tgx", 0, NULL, NULL, &index);
            assert_true(st < 0 ? index == NULL && *tagma_ctx_message(*state) : index != NULL);
            n_refused += st < 0;
            if (st == TAGMA_OK)
                use(index, &model);
            tagma_index_release(index);
            *at ^= mask;
        }
        free(bytes);
        test_model_free(&model);
    }
    assert_true(n_refused > 500);
}

/* Several bytes at random, most of them in the counts and widths. */
static void no_bytes_at_random_lead_outside(void **state)
{
    enum { ROUNDS = 1000 };
    uint64_t seed = 3;

    for (int shape = 0; shape < N_SHAPES; shape++) {
        test_model model = model_of(shape);
        uint64_t n, head = TG_INDEX_HEADER_BYTES + shapes[shape].n_axes * (uint64_t)TG_INDEX_LEVEL_BYTES;
        uint8_t *sound = section_of(*state, &model, &n), *bytes = malloc(n);

        for (int round = 0; round < ROUNDS; round++) {
            tagma_index *index;

            memcpy(bytes, sound, n);
            for (uint64_t k = 1 + test_random(&seed) % 4; k > 0; k--) {
                bool anywhere = test_random(&seed) % 3 == 0;
                uint64_t at = anywhere ? test_random(&seed) % n : 32 + test_random(&seed) % (head - 32);
                bytes[at] = (uint8_t)(test_random(&seed) % 2 ? test_random(&seed) % 70 : test_random(&seed));
            }
            seal(bytes, n);
            if (tg_index_load(*state, bytes, n, "x.tgx", 0, NULL, NULL, &index) == TAGMA_OK)
                use(index, &model);
            tagma_index_release(index);
        }
        free(sound);
        free(bytes);
        test_model_free(&model);
    }
}

/* What is no section, one of a later version, one with bytes behind it: each in its own words. */
static void tells_what_is_wrong(void **state)
{
    test_model model = model_of(0);
    uint64_t n;
    uint8_t *bytes = section_of(*state, &model, &n);
    tagma_index *index;

    bytes[0] = 'X';
    assert_int_equal(tg_index_load(*state, bytes, n, "x.tgx", 64, NULL, NULL, &index), TAGMA_E_CORRUPT);
    assert_string_equal(tagma_ctx_message(*state),
                        "x.tgx: byte 64: no index section begins here, expected \"TAGMAIDX\"");
    bytes[0] = 'T';
    bytes[8] = 2;
    assert_int_equal(tg_index_load(*state, bytes, n, "x.tgx", 64, NULL, NULL, &index), TAGMA_E_UNSUPPORTED);
    assert_string_equal(tagma_ctx_message(*state),
                        "x.tgx: byte 72: index section of version 2.0, this program reads version 1");
    bytes[8] = 1;
    tg_put_le64(bytes + 16, n - 64);
    assert_int_equal(tg_index_load(*state, bytes, n, "x.tgx", 64, NULL, NULL, &index), TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(*state), "byte 80: its length is"));
    tg_put_le64(bytes + 16, n);
    bytes[n / 2] ^= 1;
    assert_int_equal(tg_index_load(*state, bytes, n, "x.tgx", 64, NULL, NULL, &index), TAGMA_E_CORRUPT);
    assert_non_null(strstr(tagma_ctx_message(*state), "byte 88: checksum is "));
    free(bytes);
    test_model_free(&model);
}

/* A block that is handed over is freed also where it holds no index. */
static void takes_over_its_block(void **state)
{
    uint64_t before = tagma_ctx_memory(*state);
    uint8_t *block = tg_zalloc(*state, 1, 500);
    tagma_index *index;

    assert_int_equal(tg_index_load(*state, block, 500, "x.tgx", 0, block, NULL, &index), TAGMA_E_CORRUPT);
    assert_int_equal(tagma_ctx_memory(*state), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(loads_where_it_lies, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(bytes_depend_on_the_ids_only, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_every_cut, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(refuses_every_flip, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(no_byte_leads_outside, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(no_bytes_at_random_lead_outside, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(tells_what_is_wrong, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(takes_over_its_block, open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
