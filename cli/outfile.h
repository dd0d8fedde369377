/* SPDX-License-Identifier: Apache-2.0
 * Where data goes: stdout, or a file that is written aside and renamed. Every write, flush and close is checked. */
#ifndef CLI_OUTFILE_H
#define CLI_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_OUT_BYTES = 1 << 16 };

/* Not open: fd is -1. */
typedef struct cli_out {
    const char *path; /* NULL: stdout */
    char *aside;      /* what is renamed to path in the end; NULL where path is no plain file */
    int fd;
    size_t n;       /* bytes in the buffer */
    bool is_closed; /* the reader of the pipe has gone: all that follows is dropped in silence */
    bool has_failed;
    char buffer[CLI_OUT_BYTES];
} cli_out;

/* Never opened: cli_out_discard() does no harm to it. */
void cli_out_init(cli_out *out);
/* @param path  NULL for stdout. @return 0, or 2 with words. */
int cli_out_open(cli_out *out, const char *path);
void cli_out_put(cli_out *out, const char *bytes, size_t n);
void cli_out_flush(cli_out *out);
/* Nothing more can be delivered: stop working. */
bool cli_out_is_over(const cli_out *out);
/* Flush, sync, close, rename. @return status, or 2 with words. */
int cli_out_finish(cli_out *out, int status);
/* Close, and leave no file behind. Harmless after cli_out_finish(). */
void cli_out_discard(cli_out *out);

/* A whole small file at once; a path of NULL is stdout. @return 0, or 2 with words. */
int cli_out_write(const char *path, const char *bytes, size_t n);

#endif
