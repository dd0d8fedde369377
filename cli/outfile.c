/* SPDX-License-Identifier: Apache-2.0
 * Where data goes: stdout, or a file that is written aside and renamed. Every write, flush and close is checked. */
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/say.h"

enum { MAX_ASIDE = 4 };

/* What a signal has to put away; a handler can reach nothing else. */
static const char *volatile put_away[MAX_ASIDE];

static void on_signal(int number)
{
    for (int i = 0; i < MAX_ASIDE; i++) {
        const char *path = put_away[i];
        if (path != NULL)
            unlink(path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void remember(const char *path)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (int i = 0; i < MAX_ASIDE; i++) {
        if (put_away[i] == NULL) {
            put_away[i] = path;
            break;
        }
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_signal);
}

static void forget(const char *path)
{
    for (int i = 0; i < MAX_ASIDE; i++) {
        if (put_away[i] == path)
            put_away[i] = NULL;
    }
}

static const char *name_of(const cli_out *out)
{
    return out->path != NULL ? out->path : "stdout";
}

static int failed(cli_out *out, const char *what)
{
    out->has_failed = true;
    return cli_wrong("%s: %s: %s", name_of(out), what, strerror(errno));
}

/* Beside what path stands for, so that the rename stays in one file system: a symbolic link is followed. */
static int open_aside(cli_out *out, const char *path)
{
    char real[PATH_MAX];
    struct stat seen;
    mode_t mask = umask(0);
    int n;

    umask(mask);
    if (realpath(path, real) == NULL) {
        if (strlen(path) >= sizeof real)
            return cli_wrong("%s: %s", path, strerror(ENAMETOOLONG));
        snprintf(real, sizeof real, "%s", path);
    }
    n = asprintf(&out->aside, "%s.XXXXXX", real);
    if (n < 0) {
        out->aside = NULL;
        return cli_no_memory();
    }
    out->fd = mkostemp(out->aside, O_CLOEXEC);
    if (out->fd < 0) {
        free(out->aside);
        out->aside = NULL;
        return failed(out, "cannot be written");
    }
    remember(out->aside);
    if (stat(real, &seen) == 0)
        n = fchmod(out->fd, seen.st_mode & 07777);
    else
        n = fchmod(out->fd, 0666 & ~mask);
    return n == 0 ? 0 : failed(out, "cannot be written");
}

void cli_out_init(cli_out *out)
{
    out->path = NULL;
    out->aside = NULL;
    out->fd = -1;
    out->n = 0;
    out->is_closed = false;
    out->has_failed = false;
}

int cli_out_open(cli_out *out, const char *path)
{
    struct stat seen;
    int status = 0;

    cli_out_init(out);
    out->path = path;
    if (path == NULL) {
        out->fd = STDOUT_FILENO;
    } else if (stat(path, &seen) == 0 && !S_ISREG(seen.st_mode)) {
        /* A device or a named pipe: there is nothing to rename. */
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (out->fd < 0)
            status = failed(out, "cannot be written");
    } else {
        status = open_aside(out, path);
    }
    if (status != 0)
        cli_out_discard(out);
    return status;
}

static void write_all(cli_out *out, const char *bytes, size_t n)
{
    while (n > 0 && !cli_out_is_over(out)) {
        ssize_t done = write(out->fd, bytes, n);
        if (done >= 0) {
            bytes += done;
            n -= (size_t)done;
        } else if (errno == EPIPE) {
            out->is_closed = true;
        } else if (errno != EINTR) {
            failed(out, "cannot be written");
        }
    }
}

void cli_out_flush(cli_out *out)
{
    size_t n = out->n;

    out->n = 0;
    if (n > 0 && out->path == NULL)
        cli_say_bar("");
    write_all(out, out->buffer, n);
}

void cli_out_put(cli_out *out, const char *bytes, size_t n)
{
    if (n == 0)
        return;
    if (n > CLI_OUT_BYTES - out->n) {
        cli_out_flush(out);
        if (n >= CLI_OUT_BYTES) {
            write_all(out, bytes, n);
            return;
        }
    }
    memcpy(out->buffer + out->n, bytes, n);
    out->n += n;
}

bool cli_out_is_over(const cli_out *out)
{
    return out->is_closed || out->has_failed;
}

static void let_go(cli_out *out)
{
    if (out->fd >= 0 && out->fd != STDOUT_FILENO)
        close(out->fd);
    out->fd = -1;
    if (out->aside != NULL) {
        unlink(out->aside);
        forget(out->aside);
    }
    free(out->aside);
    out->aside = NULL;
    out->n = 0;
}

int cli_out_finish(cli_out *out, int status)
{
    int fd;

    cli_out_flush(out);
    if (out->aside != NULL && !out->has_failed && fsync(out->fd) != 0)
        failed(out, "cannot be written");
    /* stdout too: some file systems tell only here that they are full. */
    fd = out->fd;
    out->fd = -1;
    if (close(fd) != 0 && !cli_out_is_over(out))
        failed(out, "cannot be written");
    if (out->aside != NULL && !out->has_failed) {
        char real[PATH_MAX];
        const char *target = realpath(out->path, real) != NULL ? real : out->path;
        if (rename(out->aside, target) != 0) {
            failed(out, "cannot be renamed to");
        } else {
            forget(out->aside);
            free(out->aside);
            out->aside = NULL;
        }
    }
    let_go(out);
    return out->has_failed ? 2 : status;
}

void cli_out_discard(cli_out *out)
{
    let_go(out);
}

int cli_out_write(const char *path, const char *bytes, size_t n)
{
    cli_out out;
    int status = cli_out_open(&out, path);

    if (status != 0)
        return status;
    cli_out_put(&out, bytes, n);
    return cli_out_finish(&out, 0);
}
