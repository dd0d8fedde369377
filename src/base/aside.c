/* SPDX-License-Identifier: Apache-2.0
 * A file that is written aside and gets its name when it is whole. */
#include "base/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"

enum { TRIES = 100 };

static tagma_status fail_errno(tagma_ctx *ctx, const char *path, const char *what, int code)
{
    char words[128];

    return tg_fail(ctx, TAGMA_E_IO, "%s %s: %s", path, what, strerror_r(code, words, sizeof words));
}

static tagma_status name_target(tagma_ctx *ctx, const char *path, tg_aside *out)
{
    char real[PATH_MAX];

    *out = (tg_aside){.file = -1};
    out->path = tg_strdup(ctx, path);
    out->target = tg_strdup(ctx, realpath(path, real) ? real : path);
    if (out->path && out->target)
        return TAGMA_OK;
    tg_aside_abandon(ctx, out);
    return TAGMA_E_MEMORY;
}

/* ".NAME.PID-TIME.part" in the folder of the target. */
static tagma_status make_temporary(tagma_ctx *ctx, tg_aside *aside, uint64_t n)
{
    const char *slash = strrchr(aside->target, '/');
    int folder = slash ? (int)(slash - aside->target) + 1 : 0;

    tg_free(ctx, aside->temporary);
    aside->temporary = tg_printf(ctx, "%.*s.%s.%ld-%" PRIx64 ".part", folder, aside->target,
                                 aside->target + folder, (long)getpid(), tg_now_ns() + n);
    return aside->temporary ? TAGMA_OK : TAGMA_E_MEMORY;
}

/* What takes the place of a file is as readable as that was; that a file system has no modes is no failure. */
static void take_mode(const tg_aside *aside)
{
    struct stat old;

    if (stat(aside->target, &old) == 0)
        (void)fchmod(aside->file, old.st_mode & 0777);
}

static tagma_status open_named(tagma_ctx *ctx, tg_aside *aside)
{
    int code = 0;
    tagma_status st;

    for (uint64_t n = 0; aside->file < 0 && n < TRIES; n++) {
        st = make_temporary(ctx, aside, n);
        if (st < 0) {
            tg_aside_abandon(ctx, aside);
            return st;
        }
        aside->file = open(aside->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        code = errno;
        if (aside->file < 0 && code != EEXIST)
            break;
    }
    if (aside->file < 0) {
        st = fail_errno(ctx, aside->path, "cannot be written", code);
        tg_aside_abandon(ctx, aside);
        return st;
    }
    take_mode(aside);
    return TAGMA_OK;
}

tagma_status tg_aside_open_named(tagma_ctx *ctx, const char *path, tg_aside *out)
{
    TG_TRY(name_target(ctx, path, out));
    return open_named(ctx, out);
}

/* By which a file without a name is given one. */
static void name_of_file(int file, char *name, size_t n)
{
    snprintf(name, n, "/proc/self/fd/%d", file);
}

/* -1 where the file system knows no files without a name, or there is no way to give it one later. */
static int open_nameless(const char *target)
{
    const char *slash = strrchr(target, '/');
    size_t n = slash ? (size_t)(slash - target) + 1 : 0;
    char folder[PATH_MAX], name[32];
    struct stat seen;
    int file;

    if (n >= sizeof folder)
        return -1;
    memcpy(folder, target, n);
    folder[n] = 0;
    file = open(n > 0 ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0)
        return -1;
    name_of_file(file, name, sizeof name);
    if (stat(name, &seen) == 0)
        return file;
    close(file);
    return -1;
}

tagma_status tg_aside_open(tagma_ctx *ctx, const char *path, tg_aside *out)
{
    TG_TRY(name_target(ctx, path, out));
    out->file = open_nameless(out->target);
    if (out->file < 0)
        return open_named(ctx, out);
    take_mode(out);
    return TAGMA_OK;
}

tagma_status tg_aside_open_unnamed(tagma_ctx *ctx, const char *folder, tg_aside *out)
{
    *out = (tg_aside){.file = -1};
    out->path = tg_strdup(ctx, folder);
    out->target = tg_printf(ctx, "%s/waiting", folder);
    if (!out->path || !out->target) {
        tg_aside_abandon(ctx, out);
        return TAGMA_E_MEMORY;
    }
    out->file = open_nameless(out->target);
    if (out->file >= 0)
        return TAGMA_OK;
    TG_TRY(open_named(ctx, out));
    (void)unlink(out->temporary);
    tg_free(ctx, out->temporary);
    out->temporary = NULL;
    return TAGMA_OK;
}

int tg_aside_take(tagma_ctx *ctx, tg_aside *aside)
{
    int file = aside->file;

    aside->file = -1;
    tg_aside_abandon(ctx, aside);
    return file;
}

tagma_status tg_aside_write(tagma_ctx *ctx, tg_aside *aside, const void *bytes, uint64_t n)
{
    enum { MOST = 1 << 30 };
    const uint8_t *at = bytes;

    while (n > 0) {
        ssize_t done = write(aside->file, at, n < MOST ? n : MOST);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail_errno(ctx, aside->path, "cannot be written", done < 0 ? errno : ENOSPC);
        at += done;
        n -= (uint64_t)done;
        aside->n += (uint64_t)done;
    }
    return TAGMA_OK;
}

/* The name itself must reach the disk, too. Some file systems cannot sync a folder: then nothing better can be done. */
static void sync_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    int file;

    if (n >= sizeof folder)
        return;
    memcpy(folder, path, n);
    folder[n] = 0;
    file = open(n > 0 ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    close(file);
}

/* A name for a file without one: its own at once if that is free, else a temporary one. */
static tagma_status give_name(tagma_ctx *ctx, tg_aside *aside)
{
    char name[32];
    int code = EEXIST;

    name_of_file(aside->file, name, sizeof name);
    if (linkat(AT_FDCWD, name, AT_FDCWD, aside->target, AT_SYMLINK_FOLLOW) == 0)
        return TAGMA_END;
    for (uint64_t n = 0; code == EEXIST && n < TRIES; n++) {
        TG_TRY(make_temporary(ctx, aside, n));
        if (linkat(AT_FDCWD, name, AT_FDCWD, aside->temporary, AT_SYMLINK_FOLLOW) == 0)
            return TAGMA_OK;
        code = errno;
    }
    tg_free(ctx, aside->temporary);
    aside->temporary = NULL;
    return fail_errno(ctx, aside->path, "cannot be written", code);
}

tagma_status tg_aside_commit(tagma_ctx *ctx, tg_aside *aside)
{
    tagma_status st = TAGMA_OK;
    int file = aside->file;

    if (fsync(file) < 0)
        st = fail_errno(ctx, aside->path, "cannot be written", errno);
    if (st == TAGMA_OK && !aside->temporary)
        st = give_name(ctx, aside);
    aside->file = -1;
    if (close(file) < 0 && st >= 0)
        st = fail_errno(ctx, aside->path, "cannot be written", errno);
    if (st == TAGMA_OK && rename(aside->temporary, aside->target) < 0)
        st = fail_errno(ctx, aside->path, "cannot be replaced", errno);
    if (st >= 0) {
        sync_folder(aside->target);
        tg_free(ctx, aside->temporary);
        aside->temporary = NULL;
    }
    tg_aside_abandon(ctx, aside);
    return st < 0 ? st : TAGMA_OK;
}

void tg_aside_abandon(tagma_ctx *ctx, tg_aside *aside)
{
    /* One that is zeroed was never opened, and its file is none. */
    if (aside->path && aside->file >= 0)
        close(aside->file);
    if (aside->temporary)
        (void)unlink(aside->temporary);
    tg_free(ctx, aside->temporary);
    tg_free(ctx, aside->target);
    tg_free(ctx, aside->path);
    *aside = (tg_aside){.file = -1};
}
