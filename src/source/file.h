/* SPDX-License-Identifier: Apache-2.0
 * A local file as file.c and map.c both see it. */
#ifndef TG_SOURCE_FILE_H
#define TG_SOURCE_FILE_H

#include <sys/types.h>

#include "source/source.h"

/* Begins what a kind of local file owns. */
typedef struct tg_file {
    int fd;
    dev_t device;
    ino_t inode;
} tg_file;

/* Open a regular file into a source of `kind`, whose own_bytes begin with a tg_file. */
tagma_status tg_file_new(tagma_ctx *ctx, const char *path, const tg_source_kind *kind, size_t own_bytes,
                         tagma_source **out);
tagma_status tg_file_start(tagma_ctx *ctx, const tagma_source *source, void *state, tg_request *requests,
                           uint32_t n);
tagma_status tg_file_check(tagma_ctx *ctx, const tagma_source *source);
/* At least as long as when it was opened? */
tagma_status tg_file_check_size(tagma_ctx *ctx, const tagma_source *source);
void tg_file_close(tagma_source *source);

#endif
