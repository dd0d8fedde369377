/* SPDX-License-Identifier: Apache-2.0
 * A tree's record and the streamer info that explains it, unpacked, in a file made around them. Input: key length of the tree's
 * record, key length of the streamer info's (a byte each; references count from the key), length of the tree's payload (3 bytes,
 * little-endian), that payload, and the streamer info's payload (may be empty). */
#include "fuzz.h"

#include <string.h>

#include "root/treeread.h"
#include "treeprops.h"

enum {
    HEAD_BYTES = 5,
    MEMORY_BYTES_MAX = 256 << 20,
    BEGIN = 100,
    NAME_BYTES = 41, /* key of the directory's record, its name and title */
    FIELDS_BYTES = 60,
    KEY_BYTES_MIN = 48,
    LIST_KEY_BYTES =
        34, /* of the list of keys, and what one key takes in it; padding behind it is nobody's */
    ONE_KEY_BYTES = 35,
    LIST_BYTES_MAX = 300
};

typedef struct file_bytes {
    uint8_t *bytes;
    size_t n;
} file_bytes;

static void put(file_bytes *file, uint64_t value, int width)
{
    for (int i = width - 1; i >= 0; i--)
        file->bytes[file->n++] = (uint8_t)(value >> (8 * i));
}

static void put_text(file_bytes *file, const char *text)
{
    put(file, strlen(text), 1);
    memcpy(file->bytes + file->n, text, strlen(text));
    file->n += strlen(text);
}

/* Padded to key_bytes, as the keys of baskets are. */
static void put_key(file_bytes *file, size_t at, uint32_t key_bytes, size_t payload, const char *class_name,
                    const char *name)
{
    size_t end = file->n + key_bytes;

    put(file, key_bytes + payload, 4);
    put(file, 4, 2);
    put(file, payload, 4);
    put(file, 0, 4);
    put(file, key_bytes, 2);
    put(file, 1, 2);
    put(file, at, 4);
    put(file, BEGIN, 4);
    put_text(file, class_name);
    put_text(file, name);
    put_text(file, "");
    while (file->n < end)
        put(file, 0, 1);
}

static void put_record(file_bytes *file, uint32_t key_bytes, const uint8_t *payload, size_t n,
                       const char *class_name, const char *name)
{
    put_key(file, file->n, key_bytes, n, class_name, name);
    memcpy(file->bytes + file->n, payload, n);
    file->n += n;
}

/* Header, directory, tree, streamer info, keys. */
static file_bytes make_file(const uint8_t *data, size_t size)
{
    uint32_t tree_key = data[0] < KEY_BYTES_MIN ? KEY_BYTES_MIN : data[0];
    uint32_t info_key = data[1] < KEY_BYTES_MIN ? KEY_BYTES_MIN : data[1];
    size_t tree_n = data[2] | (size_t)data[3] << 8 | (size_t)data[4] << 16, left = size - HEAD_BYTES;
    size_t info_n, tree_at = BEGIN + NAME_BYTES + FIELDS_BYTES, info_at, keys_at;
    file_bytes file = {malloc(size + 2048), 0};

    tree_n = tree_n < left ? tree_n : left;
    info_n = left - tree_n;
    info_at = tree_at + tree_key + tree_n;
    keys_at = info_at + info_key + info_n;
    memcpy(file.bytes, "root", 4);
    file.n = 4;
    put(&file, 62400, 4);
    put(&file, BEGIN, 4);
    put(&file, keys_at + LIST_BYTES_MAX, 4);
    put(&file, BEGIN, 4); /* closed */
    put(&file, 0, 4);
    put(&file, 1, 4);
    put(&file, NAME_BYTES, 4);
    put(&file, 4, 1);
    put(&file, 0, 4);
    put(&file, info_n > 0 ? info_at : 0, 4);
    put(&file, info_key + info_n, 4);
    while (file.n < BEGIN + NAME_BYTES)
        put(&file, 0, 1);
    put(&file, 5, 2);
    put(&file, 0, 8);
    put(&file, LIST_KEY_BYTES + 4 + ONE_KEY_BYTES, 4);
    put(&file, NAME_BYTES, 4);
    put(&file, BEGIN, 4);
    put(&file, 0, 4);
    put(&file, keys_at, 4);
    while (file.n < tree_at)
        put(&file, 0, 1);
    put_record(&file, tree_key, data + HEAD_BYTES, tree_n, "TTree", "t");
    put_record(&file, info_key, data + HEAD_BYTES + tree_n, info_n, "TList", "StreamerInfo");
    put_key(&file, keys_at, LIST_KEY_BYTES, 4 + ONE_KEY_BYTES, "TFile", "");
    put(&file, 1, 4);
    put_key(&file, tree_at, tree_key, tree_n, "TTree", "t");
    while (file.n < keys_at + LIST_BYTES_MAX)
        put(&file, 0, 1);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_source *source;
    tg_root_file *file;
    file_bytes bytes;
    tagma_ctx *ctx;
    tg_tree *tree;
    tagma_status st;

    if (size < HEAD_BYTES)
        return 0;
    options.limits.max_memory = MEMORY_BYTES_MAX;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    bytes = make_file(data, size);
    FUZZ_CHECK(tagma_source_memory(ctx, bytes.bytes, bytes.n, "x.root", &source) == TAGMA_OK);
    FUZZ_CHECK(tg_root_file_open(ctx, source, &file) == TAGMA_OK && file->n_trees == 1);
    st = tg_root_tree_read(ctx, file, 0, &tree);
    FUZZ_CHECK(st < 0 ? tree == NULL && strstr(tagma_ctx_message(ctx), "x.root") : tree != NULL);
    /* The tables stay in proportion to the record. */
    FUZZ_CHECK(tagma_ctx_peak_memory(ctx) < (1 << 22) + 200 * (uint64_t)size);
    if (tree)
        fuzz_check_tree(ctx, tree);
    tg_tree_free(tree);
    tg_root_file_free(file);
    tagma_source_release(source);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    free(bytes.bytes);
    return 0;
}
