/* SPDX-License-Identifier: Apache-2.0
 * A local file read by pread: no position is shared, so threads need no lock. */
#include "source/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES_MAX = 1 << 30 }; /* Linux gives at most 2 GiB - 4 KiB a call */

static const tg_file *file_of(const tagma_source *source)
{
    return source->own;
}

static uint64_t mtime_of(const struct stat *info)
{
    return (uint64_t)info->st_mtim.tv_sec * 1000000000U + (uint64_t)info->st_mtim.tv_nsec;
}

static tagma_status fail_errno(tagma_ctx *ctx, const char *path, const char *what, int code)
{
    char words[128];

    return tg_fail(ctx, TAGMA_E_IO, "%s: %s: %s", path, what, strerror_r(code, words, sizeof words));
}

static tagma_status fail_changed(tagma_ctx *ctx, const tagma_source *source)
{
    return tg_fail(ctx, TAGMA_E_CHANGED, "%s changed while it was read; results discarded", source->name);
}

/* Bytes must be addressable and the size known before the first read. */
static tagma_status check_regular(tagma_ctx *ctx, const char *path, mode_t mode)
{
    const char *what = "a device";

    if (S_ISREG(mode))
        return TAGMA_OK;
    if (S_ISDIR(mode))
        what = "a directory";
    else if (S_ISFIFO(mode))
        what = "a pipe";
    else if (S_ISSOCK(mode))
        what = "a socket";
    return tg_fail(ctx, TAGMA_E_IO, "%s is %s; a regular file is needed", path, what);
}

tagma_status tg_file_new(tagma_ctx *ctx, const char *path, const tg_source_kind *kind, size_t own_bytes,
                         tagma_source **out)
{
    /* Not blocking: a pipe without a writer would hold open() for ever. Regular files do not care. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat info;
    tg_file *file;
    tagma_status st;

    *out = NULL;
    if (fd < 0)
        return fail_errno(ctx, path, "cannot be opened", errno);
    if (fstat(fd, &info) != 0)
        st = fail_errno(ctx, path, "cannot be examined", errno);
    else
        st = check_regular(ctx, path, info.st_mode);
    if (st == TAGMA_OK)
        st = tg_source_new(ctx, kind, path, (uint64_t)info.st_size, own_bytes, out);
    if (st != TAGMA_OK) {
        close(fd);
        return st;
    }
    (*out)->mtime_ns = mtime_of(&info);
    file = (*out)->own;
    file->fd = fd;
    file->device = info.st_dev;
    file->inode = info.st_ino;
    return TAGMA_OK;
}

static tagma_status read_whole(tagma_ctx *ctx, const tagma_source *source, tg_request *request)
{
    char words[128];

    while (request->done < request->n) {
        uint64_t left = request->n - request->done;
        size_t n = left < READ_BYTES_MAX ? (size_t)left : READ_BYTES_MAX;
        ssize_t got = pread(file_of(source)->fd, request->dst + request->done, n,
                            (off_t)(request->offset + request->done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tg_fail(ctx, TAGMA_E_IO, "%s: %" PRIu64 " bytes at byte %" PRIu64 " cannot be read: %s",
                           source->name, request->n, request->offset, strerror_r(errno, words, sizeof words));
        if (got == 0) /* the request lies inside the size it had when opened */
            return fail_changed(ctx, source);
        request->done += (uint64_t)got;
    }
    return TAGMA_OK;
}

tagma_status tg_file_start(tagma_ctx *ctx, const tagma_source *source, void *state, tg_request *requests,
                           uint32_t n)
{
    (void)state;
    for (uint32_t i = 0; i < n; i++)
        TG_TRY(read_whole(ctx, source, &requests[i]));
    return TAGMA_OK;
}

/* The descriptor tells of writes into the file, the path of another file in its place. A path that leads nowhere any more is
 * a change only if the file has lost its last name: the process may have moved to another directory. */
tagma_status tg_file_check(tagma_ctx *ctx, const tagma_source *source)
{
    const tg_file *file = file_of(source);
    struct stat now, there;

    if (fstat(file->fd, &now) != 0)
        return fail_errno(ctx, source->name, "cannot be examined", errno);
    if ((uint64_t)now.st_size != source->size || mtime_of(&now) != source->mtime_ns)
        return fail_changed(ctx, source);
    if (stat(source->name, &there) == 0) {
        if (there.st_dev != file->device || there.st_ino != file->inode)
            return fail_changed(ctx, source);
    } else if (now.st_nlink == 0) {
        return fail_changed(ctx, source);
    }
    return TAGMA_OK;
}

tagma_status tg_file_check_size(tagma_ctx *ctx, const tagma_source *source)
{
    struct stat now;

    if (fstat(file_of(source)->fd, &now) != 0)
        return fail_errno(ctx, source->name, "cannot be examined", errno);
    return (uint64_t)now.st_size < source->size ? fail_changed(ctx, source) : TAGMA_OK;
}

void tg_file_close(tagma_source *source)
{
    close(file_of(source)->fd);
}

/* A system call costs about what copying 16 KiB costs, a seek on a disk far more. Extents stay in a second-level cache. */
static const tg_source_kind file_kind = {
    .name = "file",
    .gap_bytes = 16 << 10,
    .extent_bytes = 1 << 20,
    .start = tg_file_start,
    .check = tg_file_check,
    .close = tg_file_close,
};

tagma_status tg_file_open(tagma_ctx *ctx, const char *path, tagma_source **out)
{
    return tg_file_new(ctx, path, &file_kind, sizeof(tg_file), out);
}

/* Nobody else has it, so nobody changes it. */
static const tg_source_kind adopted_kind = {
    .name = "file",
    .gap_bytes = 16 << 10,
    .extent_bytes = 1 << 20,
    .start = tg_file_start,
    .close = tg_file_close,
};

tagma_status tg_file_adopt(tagma_ctx *ctx, int fd, const char *name, tagma_source **out)
{
    struct stat info;
    tagma_source *source = NULL;
    tagma_status st;

    *out = NULL;
    if (fstat(fd, &info) != 0)
        st = fail_errno(ctx, name, "cannot be examined", errno);
    else
        st = tg_source_new(ctx, &adopted_kind, name, (uint64_t)info.st_size, sizeof(tg_file), &source);
    if (!source) {
        close(fd);
        return st;
    }
    ((tg_file *)source->own)->fd = fd;
    *out = source;
    return TAGMA_OK;
}
