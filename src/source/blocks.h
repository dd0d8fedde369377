/* SPDX-License-Identifier: Apache-2.0
 * A file packed in blocks of one size, each by itself, and seen as the bytes that were packed: addresses stay what they were.
 * Source: docs/FORMAT.md, "Blocks". */
#ifndef TG_SOURCE_BLOCKS_H
#define TG_SOURCE_BLOCKS_H

#include "base/aside.h"
#include "codec/codec.h"
#include "source/source.h"

enum {
    TG_BLOCKS_LEAST = 8 << 10, /* bytes of a block: a power of 2 */
    TG_BLOCKS_MOST = 256 << 10,
    TG_BLOCKS_HEADER = 64,
    TG_BLOCKS_ROW = 16, /* of the table, a block */
    TG_BLOCKS_MAJOR = 1
};
#define TG_BLOCKS_MAGIC "\x89TGB\r\n\x1a\n"

typedef struct tg_blocks_info {
    uint64_t bytes, file_bytes; /* unpacked; of the file */
    uint64_t n_blocks;
    uint32_t block_bytes;
    tg_block_codec codec;
} tg_blocks_info;

/* Do these first bytes of a file begin a packed one? n may be small. */
bool tg_blocks_is(const uint8_t *bytes, size_t n);
/* The bytes that `packed` holds, as a source of the same name. `packed` is acquired. */
tagma_status tg_blocks_open(tagma_ctx *ctx, tagma_source *packed, tagma_source **out);
/* False for a source of another kind. */
bool tg_blocks_get_info(const tagma_source *source, tg_blocks_info *out);

/* The checksum of block `number`, of its packed bytes. */
uint64_t tg_blocks_checksum(const uint8_t *packed, uint64_t n, uint64_t number);
void tg_blocks_put_header(const tg_blocks_info *info, uint64_t table_checksum, uint8_t *bytes);

typedef struct tg_blocks_options {
    uint32_t block_bytes; /* 0: nothing is packed */
    tg_block_codec codec;
    tagma_pool *pool;
} tg_blocks_options;
/* TAGMA_E_ARG for a size or codec that cannot be. */
tagma_status tg_blocks_check_options(tagma_ctx *ctx, const tg_blocks_options *options);
/* Commit a file of n bytes that was written aside; packed, if options->block_bytes is not 0: then in a second file aside, some
 * blocks at a time. Ends the aside either way. *file_bytes is what stands under its name. */
tagma_status tg_blocks_commit(tagma_ctx *ctx, tg_aside *plain, uint64_t n, const tg_blocks_options *options,
                              uint64_t *file_bytes);

#endif
