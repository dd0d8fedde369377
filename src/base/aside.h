/* SPDX-License-Identifier: Apache-2.0
 * A file that is written aside and gets its name when it is whole, so that half of it is never found under it. */
#ifndef TG_BASE_ASIDE_H
#define TG_BASE_ASIDE_H

#include "base/ctx.h"

/* Between open and commit or abandon. */
typedef struct tg_aside {
    char *path;   /* as it was asked for */
    char *target; /* what that stands for: a symbolic link is followed */
    char *
        temporary; /* NULL where the file has no name, so that nothing is left of it if the program is killed */
    uint64_t n;    /* bytes written */
    int file;      /* may be read, too */
} tg_aside;

/* Begin a file in the folder of `path`: without a name where the file system allows that, else under a hidden one that no other
 * has. TAGMA_E_IO where that cannot be. */
tagma_status tg_aside_open(tagma_ctx *ctx, const char *path, tg_aside *out);
/* The same with a name, always. */
tagma_status tg_aside_open_named(tagma_ctx *ctx, const char *path, tg_aside *out);
/* A file in a folder that never gets a name, for what waits there; to be abandoned. */
tagma_status tg_aside_open_unnamed(tagma_ctx *ctx, const char *folder, tg_aside *out);
/* Its descriptor is the caller's from now on; the rest is put away. */
int tg_aside_take(tagma_ctx *ctx, tg_aside *aside);
tagma_status tg_aside_write(tagma_ctx *ctx, tg_aside *aside, const void *bytes, uint64_t n);
/* Sync, take the place of `path`, sync the folder. After a failure `path` is what it was. Ends the aside either way. */
tagma_status tg_aside_commit(tagma_ctx *ctx, tg_aside *aside);
/* Take it away; an aside that was never opened, if zeroed, is none. */
void tg_aside_abandon(tagma_ctx *ctx, tg_aside *aside);

#endif
