/* SPDX-License-Identifier: Apache-2.0
 * Files written aside: under their name there is the old one, then the new one, never half of it. */
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
#include <dirent.h>

#include "base/aside.h"
#include "support/failing.h"
#include "support/scratch.h"

typedef struct desk {
    tagma_ctx *ctx;
    test_scratch scratch;
} desk;

static int make_desk(void **state)
{
    desk *d = calloc(1, sizeof *d);

    test_scratch_make(&d->scratch);
    *state = d;
    return tagma_ctx_new(NULL, &d->ctx);
}

static int clear_desk(void **state)
{
    desk *d = *state;

    assert_int_equal(tagma_ctx_memory(d->ctx), 0);
    tagma_ctx_free(d->ctx);
    test_scratch_remove(&d->scratch);
    free(d);
    return 0;
}

static int n_files(const desk *d)
{
    DIR *dir = opendir(d->scratch.dir);
    int n = 0;

    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void check_file(const char *path, const char *expected)
{
    char found[100] = "";
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    assert_string_equal(found, expected);
}

/* The old file stays until the new one is whole; the new one takes its place and its mode, and nothing else is left. */
static void takes_its_place(desk *d, tagma_status (*open)(tagma_ctx *, const char *, tg_aside *))
{
    const char *path = test_scratch_write(&d->scratch, "out", "old", 3);
    struct stat info;
    tg_aside aside;

    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(open(d->ctx, path, &aside), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &aside, "new ", 4), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &aside, "bytes", 5), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &aside, NULL, 0), TAGMA_OK);
    assert_int_equal(aside.n, 9);
    check_file(path, "old");
    assert_int_equal(tg_aside_commit(d->ctx, &aside), TAGMA_OK);
    check_file(path, "new bytes");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(n_files(d), 1);
}

static void takes_the_place_of_a_file_when_whole(void **state)
{
    takes_its_place(*state, tg_aside_open);
}

/* Where the file system knows no files without a name. */
static void takes_it_from_a_hidden_name_as_well(void **state)
{
    takes_its_place(*state, tg_aside_open_named);
}

/* A name that stands for another keeps standing for it. */
static void follows_a_symbolic_link(void **state)
{
    desk *d = *state;
    char target[512];
    struct stat info;
    tg_aside aside;

    snprintf(target, sizeof target, "%s", test_scratch_write(&d->scratch, "out", "old", 3));
    assert_int_equal(symlink("out", test_scratch_path(&d->scratch, "link")), 0);
    assert_int_equal(tg_aside_open(d->ctx, test_scratch_path(&d->scratch, "link"), &aside), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &aside, "new", 3), TAGMA_OK);
    assert_int_equal(tg_aside_commit(d->ctx, &aside), TAGMA_OK);
    check_file(target, "new");
    assert_int_equal(lstat(test_scratch_path(&d->scratch, "link"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(n_files(d), 2);
}

/* Abandoned: the old file is what it was. One that was never opened may be abandoned, too. */
static void leaves_nothing_when_abandoned(void **state)
{
    desk *d = *state;
    const char *path = test_scratch_write(&d->scratch, "out", "old", 3);
    tg_aside aside = {0};

    tg_aside_abandon(d->ctx, &aside);
    assert_int_equal(tg_aside_open(d->ctx, path, &aside), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &aside, "new", 3), TAGMA_OK);
    tg_aside_abandon(d->ctx, &aside);
    assert_int_equal(tg_aside_open_named(d->ctx, path, &aside), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &aside, "new", 3), TAGMA_OK);
    assert_int_equal(n_files(d), 2);
    tg_aside_abandon(d->ctx, &aside);
    check_file(path, "old");
    assert_int_equal(n_files(d), 1);
}

/* Two writers of one file do not meet: the last to commit wins whole. */
static void two_writers_do_not_meet(void **state)
{
    desk *d = *state;
    const char *path = test_scratch_path(&d->scratch, "out");
    tg_aside one, other;

    assert_int_equal(tg_aside_open(d->ctx, path, &one), TAGMA_OK);
    assert_int_equal(tg_aside_open(d->ctx, path, &other), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &one, "one", 3), TAGMA_OK);
    assert_int_equal(tg_aside_write(d->ctx, &other, "other", 5), TAGMA_OK);
    assert_int_equal(tg_aside_commit(d->ctx, &other), TAGMA_OK);
    assert_int_equal(tg_aside_commit(d->ctx, &one), TAGMA_OK);
    check_file(path, "one");
    assert_int_equal(n_files(d), 1);
}

/* No folder, a folder in the way, a full disk: told with the path, and nothing is left. */
static void tells_what_cannot_be_written(void **state)
{
    desk *d = *state;
    char folder[512];
    tg_aside aside;

    assert_int_equal(tg_aside_open(d->ctx, "/proc/none/out", &aside), TAGMA_E_IO);
    assert_non_null(strstr(tagma_ctx_message(d->ctx), "/proc/none/out cannot be written: "));
    snprintf(folder, sizeof folder, "%s", test_scratch_path(&d->scratch, "folder"));
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(tg_aside_open(d->ctx, folder, &aside), TAGMA_OK);
    assert_int_equal(tg_aside_commit(d->ctx, &aside), TAGMA_E_IO);
    assert_non_null(strstr(tagma_ctx_message(d->ctx), "folder cannot be replaced: "));
    assert_int_equal(n_files(d), 1);
}

static void survives_each_allocation_that_fails(void **state)
{
    desk *d = *state;
    const char *path = test_scratch_path(&d->scratch, "out");
    test_failing failing = {0, 1};
    tagma_status st = TAGMA_E_MEMORY;

    for (; st == TAGMA_E_MEMORY && failing.fails < 10; failing.fails++) {
        tagma_ctx *ctx = test_failing_ctx(&failing, NULL);
        tg_aside aside;

        st = tg_aside_open_named(ctx, path, &aside);
        tg_aside_abandon(ctx, &aside);
        assert_int_equal(tagma_ctx_memory(ctx), 0);
        tagma_ctx_free(ctx);
    }
    assert_int_equal(st, TAGMA_OK);
    assert_int_equal(failing.fails, 5);
    assert_int_equal(n_files(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_the_place_of_a_file_when_whole, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(takes_it_from_a_hidden_name_as_well, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(follows_a_symbolic_link, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(leaves_nothing_when_abandoned, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(two_writers_do_not_meet, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(tells_what_cannot_be_written, make_desk, clear_desk),
        cmocka_unit_test_setup_teardown(survives_each_allocation_that_fails, make_desk, clear_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
