/* SPDX-License-Identifier: Apache-2.0
 * Streamer info of real files: members with their codes, shapes and counters; which class derives from TTree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "root/members.h"
#include "root/streamer.h"
#include "support/realfiles.h"

typedef struct opened {
    tagma_ctx *ctx;
    tg_root_file *file;
    tg_lane *lane;
    tg_streamers *streamers;
} opened;

static opened open_streamers(const char *path)
{
    opened o;
    tagma_source *source;

    assert_int_equal(tagma_ctx_new(NULL, &o.ctx), TAGMA_OK);
    assert_int_equal(tagma_source_open(o.ctx, path, TAGMA_IO_PREAD, &source), TAGMA_OK);
    assert_int_equal(tg_root_file_open(o.ctx, source, &o.file), TAGMA_OK);
    assert_int_equal(tg_lane_new(o.ctx, source, &o.lane), TAGMA_OK);
    assert_int_equal(tg_streamers_read(o.ctx, o.lane, &o.file->header, &o.streamers), TAGMA_OK);
    tagma_source_release(source);
    return o;
}

static void close_streamers(opened *o)
{
    tg_streamers_free(o->ctx, o->streamers);
    tg_lane_free(o->lane);
    tg_root_file_free(o->file);
    assert_int_equal(tagma_ctx_memory(o->ctx), 0);
    tagma_ctx_free(o->ctx);
}

static tg_text text(const char *word)
{
    return (tg_text){word, (uint32_t)strlen(word)};
}

static const tg_element *member(const opened *o, const char *class_name, const char *name)
{
    const tg_class_info *info = tg_streamers_find(o->streamers, text(class_name), 1, 0);

    assert_non_null(info);
    for (uint32_t i = 0; i < info->n_elements; i++)
        if (tg_text_is(tg_streamers_element(o->streamers, info, i)->name, name))
            return tg_streamers_element(o->streamers, info, i);
    fail_msg("no member %s", name);
    return NULL;
}

static void tells_members_as_the_class_declares_them(void **state)
{
    opened o = open_streamers("tests/data/edge/edge-zstd.root");
    const tg_element *element = member(&o, "edge::Leaf", "fMatrix");

    (void)state;
    assert_int_equal(element->code, TG_CODE_ARRAY + TG_CODE_I32);
    assert_int_equal(element->n_dims, 2);
    assert_int_equal(element->dims[0], 2);
    assert_int_equal(element->dims[1], 3);
    assert_int_equal(element->n_items, 6);
    element = member(&o, "edge::Leaf", "fCounted");
    assert_int_equal(element->code, TG_CODE_COUNTED + TG_CODE_F32);
    assert_true(tg_text_is(element->count_name, "fN"));
    element = member(&o, "edge::Leaf", "fD32Range");
    assert_int_equal(element->code, TG_CODE_DOUBLE32);
    assert_true(element->has_range);
    assert_true(tg_text_is(element->title, "[0,10,16]"));
    element = member(&o, "edge::Leaf", "fStrings");
    assert_true(element->is_stl);
    assert_true(tg_text_is(element->type_name, "vector<string>"));
    element = member(&o, "edge::Leaf", "edge::Middle");
    assert_true(element->is_base);
    close_streamers(&o);
}

static void finds_a_class_by_version_checksum_or_as_the_only_one(void **state)
{
    opened o = open_streamers("tests/data/edge/edge-zstd.root");
    const tg_class_info *info = tg_streamers_find(o.streamers, text("edge::Leaf"), 1, 0);

    (void)state;
    assert_ptr_equal(tg_streamers_find(o.streamers, text("edge::Leaf"), 0, info->checksum), info);
    assert_ptr_equal(tg_streamers_find(o.streamers, text("edge::Leaf"), 77, 0), info);
    assert_null(tg_streamers_find(o.streamers, text("edge::Lea"), 1, 0));
    assert_null(tg_streamers_find(o.streamers, text("edge::Leaff"), 1, 0));
    assert_null(tg_streamers_find(NULL, text("edge::Leaf"), 1, 0));
    close_streamers(&o);
}

static void tells_which_class_is_a_tree(void **state)
{
    opened o = open_streamers("tests/data/edge/edge-zstd.root");

    (void)state;
    assert_true(tg_streamers_is_tree(o.streamers, "TTree"));
    assert_false(tg_streamers_is_tree(o.streamers, "TBranch"));
    assert_false(tg_streamers_is_tree(o.streamers, "edge::Leaf"));
    assert_false(tg_streamers_is_tree(o.streamers, "NoSuchClass"));
    assert_false(tg_streamers_is_tree(NULL, "TBranch"));
    close_streamers(&o);
}

/* A version that is not built in is read by the file's own words; one that nobody describes is refused. */
static void makes_steps_from_what_the_file_says(void **state)
{
    opened o = open_streamers("tests/data/edge/edge-zstd.root");
    tg_members built_in, described;

    (void)state;
    assert_true(tg_members_are_known("TTree", 20));
    assert_false(tg_members_are_known("TTree", 21));
    assert_false(tg_members_are_known("edge::Root", 1));
    assert_int_equal(tg_members_make(o.ctx, "TTree", 20, NULL, &built_in), TAGMA_OK);
    assert_int_equal(tg_members_make(o.ctx, "edge::Root", 1, o.streamers, &described), TAGMA_OK);
    assert_int_equal(described.n, 2);
    assert_int_equal(tg_members_make(o.ctx, "TTree", 21, o.streamers, &described), TAGMA_E_UNSUPPORTED);
    assert_non_null(strstr(tagma_ctx_message(o.ctx), "TTree version 21"));
    /* Strings and collections of C++ are nothing that a tree's own classes have. */
    assert_int_equal(tg_members_make(o.ctx, "edge::Leaf", 1, o.streamers, &described), TAGMA_E_UNSUPPORTED);
    assert_non_null(strstr(tagma_ctx_message(o.ctx), "edge::Leaf version 1: member fStr"));
    close_streamers(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_members_as_the_class_declares_them),
        cmocka_unit_test(finds_a_class_by_version_checksum_or_as_the_only_one),
        cmocka_unit_test(tells_which_class_is_a_tree),
        cmocka_unit_test(makes_steps_from_what_the_file_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
