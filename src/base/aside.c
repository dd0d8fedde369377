/* SPDX-License-Identifier: Apache-2.0
 * A file that is written aside and renamed when it is whole. */
#include "base/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"

static tagma_status fail_errno(tagma_ctx *ctx, const char *path, const char *what, int code)
{
    char words[128];

    return tg_fail(ctx, TAGMA_E_IO, "%s %s: %s", path, what, strerror_r(code, words, sizeof words));
}

tagma_status tg_aside_open(tagma_ctx *ctx, const char *path, tg_aside *out)
{
    enum { TRIES = 100 };
    struct stat old;
    int code = 0;

    *out = (tg_aside){.file = -1};
    out->path = tg_strdup(ctx, path);
    if (!out->path)
        return TAGMA_E_MEMORY;
    for (uint64_t n = 0; out->file < 0 && n < TRIES; n++) {
        tg_free(ctx, out->temporary);
        out->temporary = tg_printf(ctx, "%s.%ld-%" PRIx64 ".part", path, (long)getpid(), tg_now_ns() + n);
        if (!out->temporary) {
            tg_aside_abandon(ctx, out);
            return TAGMA_E_MEMORY;
        }
        out->file = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        code = errno;
        if (out->file < 0 && code != EEXIST)
            break;
    }
    if (out->file < 0) {
        tagma_status st = fail_errno(ctx, path, "cannot be written", code);
        tg_aside_abandon(ctx, out);
        return st;
    }
    /* What takes the place of a file is as readable as that was; that a file system has no modes is no failure. */
    if (stat(path, &old) == 0)
        (void)fchmod(out->file, old.st_mode & 0777);
    return TAGMA_OK;
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

tagma_status tg_aside_commit(tagma_ctx *ctx, tg_aside *aside)
{
    int file = aside->file;
    tagma_status st = TAGMA_OK;

    aside->file = -1;
    if (fsync(file) < 0)
        st = fail_errno(ctx, aside->path, "cannot be written", errno);
    if (close(file) < 0 && st == TAGMA_OK)
        st = fail_errno(ctx, aside->path, "cannot be written", errno);
    if (st == TAGMA_OK && rename(aside->temporary, aside->path) < 0)
        st = fail_errno(ctx, aside->path, "cannot be replaced", errno);
    if (st == TAGMA_OK) {
        sync_folder(aside->path);
        tg_free(ctx, aside->temporary);
        aside->temporary = NULL;
    }
    tg_aside_abandon(ctx, aside);
    return st;
}

void tg_aside_abandon(tagma_ctx *ctx, tg_aside *aside)
{
    if (aside->temporary) {
        if (aside->file >= 0)
            close(aside->file);
        (void)unlink(aside->temporary);
    }
    tg_free(ctx, aside->temporary);
    tg_free(ctx, aside->path);
    *aside = (tg_aside){.file = -1};
}
