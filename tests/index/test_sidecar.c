/* SPDX-License-Identifier: Apache-2.0
 * Sidecars: what is kept comes back, and whatever is wrong with one is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <ftw.h>

#include "base/ctx.h"
#include "index/section.h"
#include "index/sidecar.h"
#include "support/failing.h"
#include "support/idmodel.h"
#include "support/scratch.h"

static const char *const names[] = {"run", "luminosityBlock", "event"};

/* A test's own folder, its file and that file's sidecar. */
typedef struct desk {
    tagma_ctx *ctx;
    test_scratch scratch;
    char file[512], sidecar[520], cache[520];
    test_model model;
    tagma_index *index;
} desk;

static int make_desk(void **state)
{
    static const test_axis_kind kinds[] = {TEST_FEW, TEST_DENSE, TEST_SPARSE};
    desk *d = calloc(1, sizeof *d);

    if (!d || tagma_ctx_new(NULL, &d->ctx) != TAGMA_OK)
        return -1;
    test_scratch_make(&d->scratch);
    snprintf(d->file, sizeof d->file, "%s", test_scratch_path(&d->scratch, "x.root"));
    snprintf(d->sidecar, sizeof d->sidecar, "%s.tgx", d->file);
    snprintf(d->cache, sizeof d->cache, "%s/cache/tagma", d->scratch.dir);
    d->model = test_model_make(3, kinds, 0, 20, true, 1);
    *state = d;
    return tagma_index_new(d->ctx, &d->model.input, &d->index);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static int clear_desk(void **state)
{
    desk *d = *state;

    tagma_index_release(d->index);
    assert_int_equal(tagma_ctx_memory(d->ctx), 0);
    tagma_ctx_free(d->ctx);
    test_model_free(&d->model);
    if (nftw(d->scratch.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
        return -1;
    free(d);
    return 0;
}

static tg_identity identity_of(const desk *d)
{
    return (tg_identity){.file_bytes = 81234567,
                         .uuid = {1, 2, 3, 0xab},
                         .tree = "Events",
                         .cycle = 1,
                         .record_checksum = 0x1234,
                         .n_entries = d->model.input.n_entries};
}

static void save(desk *d, const tg_identity *identity, const char *branches)
{
    tg_sidecar_content content = {d->index, (const uint8_t *)branches, branches ? strlen(branches) : 0};
    tagma_status st = tg_sidecar_save(d->ctx, NULL, d->file, identity, &content);

    if (st != TAGMA_OK)
        fail_msg("%s", tagma_ctx_message(d->ctx));
}

static tagma_status find(desk *d, const tg_identity *identity, tg_sidecar **out)
{
    const tg_sidecar_search search = {d->file, NULL, d->cache};

    return tg_sidecar_find(d->ctx, &search, identity, out);
}

/* The index of a tree is in the sidecar and is the one that was saved, byte for byte. */
static void check_index(desk *d, tg_sidecar *sidecar, const tg_identity *identity)
{
    const uint8_t *bytes[2];
    uint64_t n[2];
    tagma_index *index;

    assert_int_equal(tg_sidecar_index(d->ctx, sidecar, identity, names, 3, &index), TAGMA_OK);
    tg_index_bytes(d->index, &bytes[0], &n[0]);
    tg_index_bytes(index, &bytes[1], &n[1]);
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    tagma_index_release(index);
}

static void check_branches(desk *d, tg_sidecar *sidecar, const tg_identity *identity, const char *expected)
{
    uint8_t *bytes;
    uint64_t n;

    assert_int_equal(tg_sidecar_branches(d->ctx, sidecar, identity, &bytes, &n),
                     expected ? TAGMA_OK : TAGMA_ABSENT);
    if (!expected) {
        assert_null(bytes);
        return;
    }
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(bytes, expected, n);
    tg_free(d->ctx, bytes);
}

/* What was saved is found beside the file. */
static void gives_back_what_was_saved(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar *sidecar;

    assert_int_equal(find(d, &identity, &sidecar), TAGMA_ABSENT);
    assert_null(sidecar);
    save(d, &identity, "a table");
    assert_int_equal(find(d, &identity, &sidecar), TAGMA_OK);
    check_index(d, sidecar, &identity);
    check_branches(d, sidecar, &identity, "a table");
    tg_sidecar_free(d->ctx, sidecar);
}

/* The state is told by the checksum of the tree's record: the count of entries need not be known. */
static void entries_need_not_be_known(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar *sidecar;

    save(d, &identity, NULL);
    identity.n_entries = TG_ENTRIES_UNKNOWN;
    assert_int_equal(find(d, &identity, &sidecar), TAGMA_OK);
    check_index(d, sidecar, &identity);
    tg_sidecar_free(d->ctx, sidecar);
}

/* Other trees, other cycles and other id columns are sections of their own, kept when one is replaced. */
static void keeps_the_sections_of_others(void **state)
{
    desk *d = *state;
    tg_identity events = identity_of(d), runs = identity_of(d), cycle = identity_of(d);
    test_axis_kind kind = TEST_COUNTING;
    test_model model = test_model_make(1, &kind, 0, events.n_entries, false, 1);
    tg_sidecar_content by_run = {NULL, NULL, 0};
    tagma_index *index, *found;
    tg_sidecar *sidecar;

    runs.tree = "dir/Runs";
    runs.record_checksum = 99;
    cycle.cycle = 2;
    save(d, &events, "events' table");
    save(d, &runs, "runs' table");
    save(d, &cycle, NULL);
    assert_int_equal(tagma_index_new(d->ctx, &model.input, &index), TAGMA_OK);
    by_run.index = index;
    assert_int_equal(tg_sidecar_save(d->ctx, NULL, d->file, &events, &by_run), TAGMA_OK);
    save(d, &events, "events' new table");
    assert_int_equal(find(d, &events, &sidecar), TAGMA_OK);
    check_index(d, sidecar, &events);
    check_index(d, sidecar, &runs);
    check_index(d, sidecar, &cycle);
    check_branches(d, sidecar, &events, "events' new table");
    check_branches(d, sidecar, &runs, "runs' table");
    check_branches(d, sidecar, &cycle, NULL);
    assert_int_equal(tg_sidecar_index(d->ctx, sidecar, &events, names, 1, &found), TAGMA_OK);
    tagma_index_release(found);
    assert_int_equal(tg_sidecar_index(d->ctx, sidecar, &events, names, 2, &found), TAGMA_ABSENT);
    assert_int_equal(tg_sidecar_index(d->ctx, sidecar, &runs, names, 1, &found), TAGMA_ABSENT);
    assert_null(found);
    tg_sidecar_free(d->ctx, sidecar);
    tagma_index_release(index);
    test_model_free(&model);
}

static void check_stale(desk *d, const tg_identity *identity, const char *then_and_now)
{
    char expected[2000];
    tg_sidecar *sidecar;
    uint8_t *bytes = NULL;
    uint64_t n;
    tagma_status st = find(d, identity, &sidecar);

    if (st == TAGMA_OK)
        st = tg_sidecar_branches(d->ctx, sidecar, identity, &bytes, &n);
    assert_int_equal(st, TAGMA_E_STALE);
    assert_null(bytes);
    snprintf(
        expected, sizeof expected,
        "%s.tgx was made for another state of %s (%s). Rebuild: tagma index %s, or ignore it: --no-sidecar",
        d->file, d->file, then_and_now, d->file);
    assert_string_equal(tagma_ctx_message(d->ctx), expected);
    tg_sidecar_free(d->ctx, sidecar);
}

/* A sidecar of another state of its file: told by what differs, entries first. */
static void tells_a_stale_sidecar(void **state)
{
    desk *d = *state;
    tg_sidecar_content content = {NULL, (const uint8_t *)"a table", 7};
    tg_identity then = identity_of(d), now;

    then.n_entries = 81230;
    assert_int_equal(tg_sidecar_save(d->ctx, NULL, d->file, &then, &content), TAGMA_OK);
    now = then;
    now.n_entries = 90112;
    now.file_bytes++;
    check_stale(d, &now, "then 81,230 entries, now 90,112");
    now.cycle = 2;
    check_stale(d, &now, "then 81,230 entries, now 90,112");
    now.n_entries = TG_ENTRIES_UNKNOWN;
    check_stale(d, &now, "then 81,234,567 bytes, now 81,234,568");
    now = then;
    now.uuid[15] = 0xff;
    check_stale(d, &now, "then UUID 010203ab000000000000000000000000, now 010203ab0000000000000000000000ff");
    now = then;
    now.record_checksum++;
    check_stale(d, &now, "the record of tree Events differs");
    now.n_entries = 7;
    check_stale(d, &now, "then 81,230 entries, now 7");
}

/* A tree that is not in it is no error, while the file is the same. */
static void a_tree_may_be_absent(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tagma_index *index;
    tg_sidecar *sidecar;

    save(d, &identity, NULL);
    identity.tree = "Other";
    assert_int_equal(find(d, &identity, &sidecar), TAGMA_OK);
    assert_int_equal(tg_sidecar_index(d->ctx, sidecar, &identity, names, 3, &index), TAGMA_ABSENT);
    check_branches(d, sidecar, &identity, NULL);
    tg_sidecar_free(d->ctx, sidecar);
}

/* Saving for a new state of the file drops what was of the old one. */
static void a_new_state_drops_the_old(void **state)
{
    desk *d = *state;
    tg_identity then = identity_of(d), now = identity_of(d), runs = identity_of(d);
    tg_sidecar *sidecar;

    runs.tree = "Runs";
    save(d, &runs, "old");
    save(d, &then, "old");
    now.record_checksum++;
    save(d, &now, NULL);
    assert_int_equal(find(d, &now, &sidecar), TAGMA_OK);
    check_branches(d, sidecar, &now, NULL);
    check_branches(d, sidecar, &runs, "old");
    tg_sidecar_free(d->ctx, sidecar);
    now.file_bytes++;
    runs.file_bytes++;
    save(d, &now, NULL);
    assert_int_equal(find(d, &now, &sidecar), TAGMA_OK);
    check_index(d, sidecar, &now);
    check_branches(d, sidecar, &runs, NULL);
    tg_sidecar_free(d->ctx, sidecar);
}

static uint8_t *read_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);

    assert_non_null(file);
    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* A sidecar in memory, in a block of its exact size. */
static tagma_status open_bytes(desk *d, const uint8_t *bytes, size_t n, tg_sidecar **out)
{
    tagma_source *source;
    tagma_status st;

    assert_int_equal(tagma_source_memory(d->ctx, bytes, n, "x.root.tgx", &source), TAGMA_OK);
    st = tg_sidecar_open(d->ctx, source, "x.root", out);
    tagma_source_release(source);
    return st;
}

/* Cut at every byte: told, with the byte that is missing. */
static void refuses_every_cut(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    uint8_t *bytes;
    size_t n;

    save(d, &identity, "a table");
    bytes = read_file(d->sidecar, &n);
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *part = malloc(cut + 1);
        tg_sidecar *sidecar;

        memcpy(part, bytes, cut);
        assert_int_equal(open_bytes(d, part, cut, &sidecar), TAGMA_E_TRUNCATED);
        assert_null(sidecar);
        assert_non_null(strstr(tagma_ctx_message(d->ctx), "x.root.tgx is cut: it has "));
        free(part);
    }
    free(bytes);
}

/* Every byte flipped: told, or in the padding between sections, which nothing reads. */
static void notices_every_flip(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    size_t n, n_unread = 0;
    uint8_t *bytes;

    save(d, &identity, "a table");
    bytes = read_file(d->sidecar, &n);
    for (size_t i = 0; i < n; i++) {
        tagma_index *index = NULL;
        tg_sidecar *sidecar;
        uint8_t *table = NULL;
        uint64_t n_table;
        tagma_status st;

        bytes[i] ^= (uint8_t)(1 << i % 8);
        st = open_bytes(d, bytes, n, &sidecar);
        if (st == TAGMA_OK)
            st = tg_sidecar_index(d->ctx, sidecar, &identity, names, 3, &index);
        if (st == TAGMA_OK)
            st = tg_sidecar_branches(d->ctx, sidecar, &identity, &table, &n_table);
        n_unread += st == TAGMA_OK;
        if (st != TAGMA_OK)
            assert_non_null(strstr(tagma_ctx_message(d->ctx), "x.root.tgx"));
        tagma_index_release(index);
        tg_free(d->ctx, table);
        tg_sidecar_free(d->ctx, sidecar);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    assert_true(n_unread < 64);
    free(bytes);
}

/* Foreign and newer ones, each in its own words. */
static void tells_foreign_and_newer_ones(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar *sidecar;
    uint8_t *bytes;
    size_t n;

    assert_int_equal(open_bytes(d, (const uint8_t *)"root file", 9, &sidecar), TAGMA_E_CORRUPT);
    assert_string_equal(
        tagma_ctx_message(d->ctx),
        "x.root.tgx is no sidecar: byte 0: it does not begin with \"TAGMATGX\". Take it away, or "
        "ignore it: --no-sidecar");
    save(d, &identity, NULL);
    bytes = read_file(d->sidecar, &n);
    bytes[8] = 2;
    assert_int_equal(open_bytes(d, bytes, n, &sidecar), TAGMA_E_UNSUPPORTED);
    assert_string_equal(
        tagma_ctx_message(d->ctx),
        "x.root.tgx: byte 8: a sidecar of version 2.0, this program reads version 1. Rebuild: tagma "
        "index x.root, or ignore it: --no-sidecar");
    free(bytes);
}

/* Something else under the sidecar's name is never written over; a damaged sidecar is. */
static void leaves_foreign_files_alone(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar_content content = {d->index, NULL, 0};
    tg_sidecar *sidecar;
    uint8_t *bytes;
    size_t n;

    test_scratch_write(&d->scratch, "x.root.tgx", "my own notes", 12);
    assert_int_equal(tg_sidecar_save(d->ctx, NULL, d->file, &identity, &content), TAGMA_E_CORRUPT);
    bytes = read_file(d->sidecar, &n);
    assert_int_equal(n, 12);
    assert_memory_equal(bytes, "my own notes", 12);
    free(bytes);
    test_scratch_write(&d->scratch, "x.root.tgx", "TAGMATGX and then nothing that makes sense", 42);
    save(d, &identity, NULL);
    assert_int_equal(find(d, &identity, &sidecar), TAGMA_OK);
    check_index(d, sidecar, &identity);
    tg_sidecar_free(d->ctx, sidecar);
    test_scratch_write(&d->scratch, "x.root.tgx", "", 0);
    save(d, &identity, NULL);
}

/* Behind the file's own sidecar comes the cache; what it holds for another file is none. */
static void looks_in_the_cache(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d), other = identity_of(d);
    tg_sidecar_content content = {d->index, NULL, 0};
    tg_sidecar *sidecar;
    char *path, *other_path;

    assert_int_equal(tg_sidecar_save_cached(d->ctx, d->cache, d->file, &identity, &content), TAGMA_OK);
    assert_int_equal(find(d, &identity, &sidecar), TAGMA_OK);
    check_index(d, sidecar, &identity);
    tg_sidecar_free(d->ctx, sidecar);
    other.file_bytes++;
    assert_int_equal(find(d, &other, &sidecar), TAGMA_ABSENT);
    path = tg_sidecar_cache_path(d->ctx, d->cache, &identity);
    other_path = tg_sidecar_cache_path(d->ctx, d->cache, &other);
    assert_string_not_equal(path, other_path);
    assert_int_equal(link(path, other_path), 0);
    assert_int_equal(find(d, &other, &sidecar), TAGMA_ABSENT);
    assert_null(sidecar);
    tg_free(d->ctx, path);
    tg_free(d->ctx, other_path);
}

/* A path of its own is the only place, and must be there. */
static void a_named_sidecar_must_be_there(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar_search search = {d->file, "/nowhere/at/all.tgx", NULL};
    tg_sidecar *sidecar;

    save(d, &identity, NULL);
    assert_int_equal(tg_sidecar_find(d->ctx, &search, &identity, &sidecar), TAGMA_E_IO);
    assert_string_equal(tagma_ctx_message(d->ctx), "/nowhere/at/all.tgx: no such sidecar");
    search.path = d->sidecar;
    assert_int_equal(tg_sidecar_find(d->ctx, &search, &identity, &sidecar), TAGMA_OK);
    tg_sidecar_free(d->ctx, sidecar);
}

/* An index of another number of entries is not the tree's. */
static void refuses_an_index_of_another_tree(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar_content content = {d->index, NULL, 0};

    identity.n_entries++;
    assert_int_equal(tg_sidecar_save(d->ctx, NULL, d->file, &identity, &content), TAGMA_E_ARG);
    assert_string_equal(tagma_ctx_message(d->ctx), "an index of 20 entries for tree Events, which has 21");
}

/* Where nothing can be written: told, and nothing is left behind. */
static void tells_where_it_cannot_write(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d);
    tg_sidecar_content content = {d->index, NULL, 0};

    assert_int_equal(tg_sidecar_save(d->ctx, "/proc/none/x.tgx", d->file, &identity, &content), TAGMA_E_IO);
    assert_non_null(strstr(tagma_ctx_message(d->ctx), "/proc/none/x.tgx cannot be written: "));
    assert_int_equal(tg_sidecar_save_cached(d->ctx, "/proc/none", d->file, &identity, &content), TAGMA_E_IO);
}

/* Whichever allocation fails, of writing and of reading. */
static void survives_each_allocation_that_fails(void **state)
{
    desk *d = *state;
    tg_identity identity = identity_of(d), runs = identity_of(d);
    test_failing failing = {0, 1};
    tagma_status st = TAGMA_E_MEMORY;

    runs.tree = "Runs";
    save(d, &runs, "runs");
    for (; st == TAGMA_E_MEMORY && failing.fails < 200; failing.fails++) {
        tg_sidecar_content content = {d->index, (const uint8_t *)"abc", 3};
        const tg_sidecar_search search = {d->file, NULL, d->cache};
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tagma_index *index = NULL;
        tg_sidecar *sidecar = NULL;
        uint8_t *bytes = NULL;
        uint64_t n;

        st = tg_sidecar_save(ctx, NULL, d->file, &identity, &content);
        if (st == TAGMA_OK)
            st = tg_sidecar_find(ctx, &search, &identity, &sidecar);
        if (st == TAGMA_OK)
            st = tg_sidecar_index(ctx, sidecar, &identity, names, 3, &index);
        if (st == TAGMA_OK)
            st = tg_sidecar_branches(ctx, sidecar, &runs, &bytes, &n);
        if (st < 0)
            assert_true(*tagma_ctx_message(ctx));
        tg_free(ctx, bytes);
        tagma_index_release(index);
        tg_sidecar_free(ctx, sidecar);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_true(failing.fails > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gives_back_what_was_saved, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(entries_need_not_be_known, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(keeps_the_sections_of_others, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(tells_a_stale_sidecar, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(a_tree_may_be_absent, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(a_new_state_drops_the_old, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(refuses_every_cut, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(notices_every_flip, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(tells_foreign_and_newer_ones, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(leaves_foreign_files_alone, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(looks_in_the_cache, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(a_named_sidecar_must_be_there, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(refuses_an_index_of_another_tree, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(tells_where_it_cannot_write, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, make_desk, clear_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
