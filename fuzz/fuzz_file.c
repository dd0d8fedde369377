/* SPDX-License-Identifier: Apache-2.0
 * ROOT files: header, directories, recovery, streamer info, trees. Input: the file. */
#include "fuzz.h"

#include <string.h>

#include "root/treeread.h"
#include "treeprops.h"

enum { MEMORY_BYTES_MAX = 256 << 20, TREES_MAX = 16 };

static void count_fault(void *user, const tagma_fault *fault)
{
    FUZZ_CHECK(fault->status < 0 && fault->message && strstr(fault->message, "x.root"));
    ++*(uint64_t *)user;
}

static void use(tagma_ctx *ctx, const tg_root_file *file)
{
    tagma_file_info info = {.struct_bytes = sizeof info};
    uint64_t n_records, n_faults, n_told = 0;

    tg_root_file_info(file, &info);
    FUZZ_CHECK(info.n_trees == file->n_trees && strcmp(info.kind, "ROOT") == 0);
    for (uint32_t i = 0; i < file->n_trees && i < TREES_MAX; i++) {
        tagma_tree_info tree_info = {.struct_bytes = sizeof tree_info};
        tg_tree *tree;
        tagma_status st = tg_root_file_tree(ctx, file, i, &tree_info);

        FUZZ_CHECK(st <= TAGMA_OK && (st < 0 || tree_info.name));
        st = tg_root_tree_read(ctx, file, i, &tree);
        FUZZ_CHECK(st < 0 ? tree == NULL && *tagma_ctx_message(ctx) : tree != NULL);
        if (!tree)
            continue;
        FUZZ_CHECK(!tree_info.error && tree_info.n_entries == tree->n_entries);
        fuzz_check_tree(ctx, tree);
        tg_tree_free(tree);
    }
    tagma_ctx_on_fault(ctx, count_fault, &n_told);
    if (tg_root_file_check(ctx, file, &n_records, &n_faults) == TAGMA_OK)
        FUZZ_CHECK(n_told == n_faults);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_source *source;
    tg_root_file *file;
    tagma_ctx *ctx;
    tagma_status st;

    options.limits.max_memory = MEMORY_BYTES_MAX;
    options.limits.max_object_bytes = 16 << 20;
    FUZZ_CHECK(tagma_ctx_new(&options, &ctx) == TAGMA_OK);
    FUZZ_CHECK(tagma_source_memory(ctx, data, size, "x.root", &source) == TAGMA_OK);
    st = tg_root_file_open(ctx, source, &file);
    FUZZ_CHECK(st < 0 ? file == NULL && strstr(tagma_ctx_message(ctx), "x.root") : file != NULL);
    /* Opening unpacks nothing but streamer info: what it takes follows from the file's size. */
    if (file) {
        use(ctx, file);
        tg_root_file_free(file);
    }
    tagma_source_release(source);
    FUZZ_CHECK(tagma_ctx_memory(ctx) == 0);
    tagma_ctx_free(ctx);
    return 0;
}
