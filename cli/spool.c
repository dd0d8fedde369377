/* SPDX-License-Identifier: Apache-2.0
 * Rows that wait until it is their turn: in memory, and beyond that in a file that has no name. */
#include "cli/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/say.h"

void cli_spool_new(cli_spool *spool, size_t max_memory)
{
    memset(spool, 0, sizeof *spool);
    spool->max_memory = max_memory;
    spool->fd = -1;
}

void cli_spool_free(cli_spool *spool)
{
    cli_text_free(&spool->memory);
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");

    return named != NULL && *named != '\0' ? named : "/tmp";
}

static int failed(void)
{
    return cli_wrong(
        "%s (TMPDIR): rows beyond --max-memory cannot be kept there: %s; --order file needs no room",
        folder(), strerror(errno));
}

static int open_file(cli_spool *spool)
{
    char path[4096];

    spool->fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool->fd >= 0)
        return 0;
    /* Not every file system knows files without names. */
    if ((size_t)snprintf(path, sizeof path, "%s/tagma.XXXXXX", folder()) >= sizeof path) {
        errno = ENAMETOOLONG;
        return failed();
    }
    spool->fd = mkostemp(path, O_CLOEXEC);
    if (spool->fd < 0)
        return failed();
    unlink(path);
    return 0;
}

static int write_out(cli_spool *spool)
{
    size_t done = 0;

    if (spool->fd < 0 && open_file(spool) != 0)
        return 2;
    while (done < spool->memory.n) {
        ssize_t n = write(spool->fd, spool->memory.bytes + done, spool->memory.n - done);
        if (n < 0 && errno != EINTR)
            return failed();
        done += n > 0 ? (size_t)n : 0;
    }
    spool->file_bytes += done;
    spool->memory.n = 0;
    return 0;
}

int cli_spool_put(cli_spool *spool, const char *bytes, size_t n, uint64_t *at)
{
    if (spool->memory.n > 0 && n > spool->max_memory - spool->memory.n && write_out(spool) != 0)
        return 2;
    *at = spool->file_bytes + spool->memory.n;
    cli_text_put(&spool->memory, bytes, n);
    if (spool->memory.is_short)
        return cli_no_memory();
    return spool->memory.n > spool->max_memory ? write_out(spool) : 0;
}

int cli_spool_get(const cli_spool *spool, uint64_t at, size_t n, cli_text *out)
{
    char *to;
    size_t done = 0;

    out->n = 0;
    if (n == 0)
        return 0;
    to = cli_text_room(out, n);
    if (to == NULL)
        return cli_no_memory();
    out->n = n;
    if (at >= spool->file_bytes) {
        memcpy(to, spool->memory.bytes + (at - spool->file_bytes), n);
        return 0;
    }
    while (done < n) {
        ssize_t got = pread(spool->fd, to + done, n - done, (off_t)(at + done));
        if (got == 0)
            errno = EIO;
        if (got == 0 || (got < 0 && errno != EINTR))
            return failed();
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}
