/* SPDX-License-Identifier: Apache-2.0
 * Open a ROOT file, and what its header tells. */
#include "root/rootfile.h"

#include <stdio.h>

#include "codec/codec.h"

/* Enough for the header and, almost always, the root directory's fields behind it. */
enum { HEAD_BYTES = 1024, HEADER_BYTES_MIN = 45, BEGIN_MIN = 64 };

const char *tg_root_file_name(const tg_root_file *file)
{
    return tagma_source_name(file->source);
}

tagma_status tg_root_file_damage(tagma_ctx *ctx, tg_root_file *file, tagma_status status, uint64_t offset)
{
    void *block = file->damages;
    tagma_status st;
    const char *words;

    if (status == TAGMA_E_MEMORY || status == TAGMA_E_IO)
        return status;
    words = tg_arena_text(ctx, &file->arena, tagma_ctx_message(ctx), strlen(tagma_ctx_message(ctx)));
    if (!words)
        return TAGMA_E_MEMORY;
    st = tg_reserve(ctx, &block, &file->damages_capacity, file->n_damages + 1, sizeof *file->damages);
    file->damages = block;
    TG_TRY(st);
    file->damages[file->n_damages++] = (tg_damage){status, offset, words};
    return TAGMA_OK;
}

static tagma_status read_header(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane)
{
    uint64_t size = tagma_source_size(file->source);
    uint64_t n = size < HEAD_BYTES ? size : HEAD_BYTES;
    const tg_root_header *header = &file->header;
    const uint8_t *bytes;

    TG_TRY(tg_lane_view(ctx, lane, 0, n, &bytes));
    TG_TRY(tg_root_header_parse(ctx, tg_root_file_name(file), tg_in_of(bytes, n), &file->header));
    tg_lane_count_used(lane, HEADER_BYTES_MIN);
    if (header->begin < HEADER_BYTES_MIN || (uint64_t)header->begin > size)
        return tg_fail(ctx, header->begin < HEADER_BYTES_MIN ? TAGMA_E_CORRUPT : TAGMA_E_TRUNCATED,
                       "%s: header: first record at byte %" PRId32 " of %" PRIu64, tg_root_file_name(file),
                       header->begin, size);
    return TAGMA_OK;
}

/* A file that was never closed has no free list yet; one that was cut ends before its header says. */
static tagma_condition judge(const tg_root_file *file)
{
    const tg_root_header *header = &file->header;

    if (header->free_offset == 0)
        return TAGMA_UNCLOSED;
    return header->end > tagma_source_size(file->source) ? TAGMA_RECOVERED : TAGMA_CLOSED;
}

static const char *judged(const tg_root_file *file, uint64_t size, char *words, size_t words_bytes)
{
    if (file->condition == TAGMA_UNCLOSED)
        snprintf(words, words_bytes, "was never closed");
    else if (file->header.end > size)
        snprintf(words, words_bytes, "is cut: it has %" PRIu64 " of %" PRIu64 " bytes", size,
                 file->header.end);
    else
        snprintf(words, words_bytes, "has lost its directory");
    return words;
}

/* The directories, or what walking the records gives where they are lost. */
static tagma_status find_objects(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane)
{
    uint64_t size = tagma_source_size(file->source);
    char words[96];
    tagma_status st = tg_directories_read(ctx, file, lane);
    bool is_walked = st < 0 || (file->n_entries == 0 && file->condition != TAGMA_CLOSED);

    if (st == TAGMA_E_MEMORY || st == TAGMA_E_IO)
        return st;
    if (st < 0) {
        TG_TRY(tg_root_file_damage(ctx, file, st, (uint64_t)file->header.begin));
        if (file->condition == TAGMA_CLOSED)
            file->condition = TAGMA_RECOVERED;
    }
    if (is_walked)
        TG_TRY(tg_recover(ctx, file, lane));
    TG_TRY(tg_catalog(ctx, file, lane));
    judged(file, size, words, sizeof words);
    if (is_walked && file->n_trees == 0)
        return tg_fail(ctx, TAGMA_E_TRUNCATED, "%s %s, and no tree was found by walking its records",
                       tg_root_file_name(file), words);
    if (file->condition != TAGMA_CLOSED)
        tg_note(ctx, "%s %s; %s %" PRIu64 " object%s", tg_root_file_name(file), words,
                is_walked ? "walking its records gave" : "its last saved directory lists", file->n_entries,
                file->n_entries == 1 ? "" : "s");
    return TAGMA_OK;
}

tagma_status tg_root_file_open(tagma_ctx *ctx, tagma_source *source, tg_root_file **out)
{
    tg_root_file *file = tg_zalloc(ctx, 1, sizeof *file);
    tg_lane *lane = NULL;
    tagma_status st;

    *out = NULL;
    if (!file)
        return TAGMA_E_MEMORY;
    file->account = tg_account_acquire(ctx->account);
    file->source = tagma_source_acquire(source);
    st = tg_lane_new(ctx, source, &lane);
    if (st == TAGMA_OK)
        st = read_header(ctx, file, lane);
    if (st == TAGMA_OK) {
        file->condition = judge(file);
        st = find_objects(ctx, file, lane);
    }
    if (lane)
        file->io = *tg_lane_stats(lane);
    tg_lane_free(lane);
    if (st < 0) {
        tg_root_file_free(file);
        return st;
    }
    *out = file;
    return TAGMA_OK;
}

void tg_root_file_free(tg_root_file *file)
{
    tg_account *account;

    if (!file)
        return;
    account = file->account;
    tagma_source_release(file->source);
    tg_arena_free(account, &file->arena);
    tg_account_free(account, file->directories);
    tg_account_free(account, file->entries);
    tg_account_free(account, file->trees);
    tg_account_free(account, file->classes);
    tg_account_free(account, file->ntuples);
    tg_account_free(account, file->damages);
    tg_account_free(account, file);
    tg_account_release(account);
}

static void spell_uuid(const tg_root_header *header, char *dst, size_t dst_bytes)
{
    static const uint8_t groups[] = {4, 2, 2, 2, 6};
    size_t at = 0, n = 0;

    dst[0] = 0;
    for (size_t g = 0; header->has_uuid && g < sizeof groups; g++) {
        if (g > 0)
            n += (size_t)snprintf(dst + n, dst_bytes - n, "-");
        for (uint8_t i = 0; i < groups[g]; i++)
            n += (size_t)snprintf(dst + n, dst_bytes - n, "%02x", header->uuid[at++]);
    }
}

void tg_root_file_info(const tg_root_file *file, tagma_file_info *info)
{
    const tg_root_header *header = &file->header;
    int32_t release = tg_root_header_release(header);
    int32_t level = header->compress % 100;

    info->path = tg_root_file_name(file);
    info->kind = "ROOT";
    info->bytes = tagma_source_size(file->source);
    info->version = header->version;
    snprintf(info->producer, sizeof info->producer, "%" PRId32 ".%02" PRId32 "/%02" PRId32, release / 10000,
             release / 100 % 100, release % 100);
    if (header->compress <= 0 || level == 0)
        snprintf(info->codec, sizeof info->codec, "uncompressed");
    else
        snprintf(info->codec, sizeof info->codec, "%s %" PRId32, tg_codec_setting_name(header->compress),
                 level);
    spell_uuid(header, info->uuid, sizeof info->uuid);
    info->condition = file->condition;
    info->n_trees = (uint32_t)file->n_trees;
    info->n_classes = (uint32_t)file->n_classes;
}

const char *tg_root_file_ntuple(const tg_root_file *file, uint32_t i)
{
    return i < file->n_ntuples ? file->entries[file->ntuples[i]].name : "";
}
