/* SPDX-License-Identifier: Apache-2.0
 * Check a file: every record that is no basket is read, unpacked and walked. */
#include <stdio.h>

#include "root/object.h"
#include "root/rootfile.h"
#include "root/rootrecord.h"
#include "root/streamer.h"
#include "root/treeread.h"

typedef struct checking {
    tagma_ctx *ctx;
    const tg_root_file *file;
    tg_lane *lane;
    tg_codec_state codec;
    uint64_t n_records, n_faults;
} checking;

/* Tell a fault. What no file can be blamed for comes back. */
static tagma_status tell(checking *c, tagma_status st, const char *words, uint64_t offset, const char *tree)
{
    tagma_fault fault = {.struct_bytes = sizeof fault,
                         .status = st,
                         .file = tg_root_file_name(c->file),
                         .tree = tree,
                         .basket = -1,
                         .offset = offset,
                         .message = words};

    if (st >= 0)
        return TAGMA_OK;
    if (st == TAGMA_E_MEMORY || st == TAGMA_E_CANCELLED || st == TAGMA_E_CHANGED)
        return st;
    c->n_faults++;
    tg_fault(c->ctx, &fault);
    return TAGMA_OK;
}

static tagma_status tell_failure(checking *c, tagma_status st, uint64_t offset, const char *tree)
{
    return tell(c, st, tagma_ctx_message(c->ctx), offset, tree);
}

static tagma_status check_condition(checking *c)
{
    const tg_root_file *file = c->file;
    uint64_t size = tagma_source_size(file->source);

    if (file->condition == TAGMA_UNCLOSED)
        TG_TRY(tell_failure(c,
                            tg_fail(c->ctx, TAGMA_E_TRUNCATED,
                                    "%s: byte 12: was never closed (its header has no free list)",
                                    tg_root_file_name(file)),
                            12, NULL));
    if (file->header.end > size)
        TG_TRY(tell_failure(c,
                            tg_fail(c->ctx, TAGMA_E_TRUNCATED,
                                    "%s: byte 12: is cut: its header says %" PRIu64 " bytes, it has %" PRIu64,
                                    tg_root_file_name(file), file->header.end, size),
                            12, NULL));
    for (uint64_t i = 0; i < file->n_damages; i++)
        TG_TRY(tell(c, file->damages[i].status, file->damages[i].words, file->damages[i].offset, NULL));
    return TAGMA_OK;
}

/* Source: docs/ROOT.md, "Records". Each entry is as wide as its own version says. */
static tagma_status walk_free_list(checking *c, const tg_record *record)
{
    tg_in in = tg_in_of(record->payload, record->payload_bytes);

    while (tg_in_left(&in) > 0) {
        int16_t version = (int16_t)tg_in_be16(&in);
        uint64_t first = version > TG_WIDE_KEY ? tg_in_be64(&in) : tg_in_be32(&in);
        uint64_t last = version > TG_WIDE_KEY ? tg_in_be64(&in) : tg_in_be32(&in);

        if (tg_in_short(&in))
            return tg_fail(c->ctx, TAGMA_E_CORRUPT, "the list of free bytes is cut");
        if (last < first)
            return tg_fail(c->ctx, TAGMA_E_CORRUPT, "free bytes %" PRIu64 " to %" PRIu64, first, last);
    }
    return TAGMA_OK;
}

static tagma_status check_free_list(checking *c)
{
    const tg_root_header *header = &c->file->header;
    tg_record record = TG_RECORD_INIT;
    tagma_status st;

    if (header->free_offset == 0 || header->end > tagma_source_size(c->file->source))
        return TAGMA_OK;
    c->n_records++;
    st = tg_record_read(c->ctx, c->lane, &c->codec, header->free_offset, (uint32_t)header->free_bytes, false,
                        &record);
    if (st == TAGMA_OK)
        st = walk_free_list(c, &record);
    if (st < 0)
        tg_within(c->ctx, st, "%s: free list at byte %" PRIu64, tg_root_file_name(c->file),
                  header->free_offset);
    tg_record_free(c->ctx, &record);
    return tell_failure(c, st, header->free_offset, NULL);
}

static tagma_status check_streamers(checking *c)
{
    tg_streamers *streamers = NULL;
    tagma_status st = tg_streamers_read(c->ctx, c->lane, &c->file->header, &streamers);

    c->n_records += streamers || st < 0;
    tg_streamers_free(c->ctx, streamers);
    return tell_failure(c, st, c->file->header.streamers_offset, NULL);
}

/* Classes whose bytes begin with their content. */
static bool is_unframed(tg_text class_name)
{
    static const char *const beginnings[] = {"string", "std::string", "basic_string<", "TString", "TArray"};

    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (tg_text_begins(class_name, beginnings[i]))
            return true;
    return false;
}

/* The record must be what its directory's key says, and its object end within it. */
static tagma_status walk_object(checking *c, const tg_entry *entry, const tg_record *record)
{
    tg_in in = tg_in_of(record->payload, record->payload_bytes);
    tg_object object;

    if (!tg_text_is(record->key.class_name, entry->class_name) ||
        !tg_text_is(record->key.name, entry->name) || record->key.unpacked_bytes != entry->unpacked_bytes)
        return tg_fail(c->ctx, TAGMA_E_CORRUPT,
                       "its key says %.*s \"%.*s\" of %" PRIu32
                       " bytes, its directory's %s \"%s\" of %" PRIu32,
                       (int)record->key.class_name.n, record->key.class_name.bytes, (int)record->key.name.n,
                       record->key.name.bytes, record->key.unpacked_bytes, entry->class_name, entry->name,
                       entry->unpacked_bytes);
    if (is_unframed(record->key.class_name))
        return TAGMA_OK;
    object = tg_object_enter(&in);
    if (object.has_count && tg_in_short(&in))
        return tg_fail(c->ctx, TAGMA_E_CORRUPT, "its object passes the end of its %" PRIu32 " bytes",
                       record->payload_bytes);
    return TAGMA_OK;
}

static tagma_status check_entry(checking *c, const tg_entry *entry)
{
    tg_record record = TG_RECORD_INIT;
    tagma_status st = tg_record_read(c->ctx, c->lane, &c->codec, entry->offset, entry->bytes, false, &record);

    c->n_records++;
    if (st == TAGMA_OK) {
        st = walk_object(c, entry, &record);
        if (st < 0)
            tg_within(c->ctx, st, "%s: record at byte %" PRIu64, tg_root_file_name(c->file), entry->offset);
    }
    tg_record_free(c->ctx, &record);
    return tell_failure(c, st, entry->offset, NULL);
}

/* A branch that is damaged in the tree's record. What is wrong with baskets is found by whoever reads them. */
static void tell_branch(checking *c, const tg_tree *tree, const char *name, const tg_branch *branch)
{
    tagma_fault fault = {.struct_bytes = sizeof fault,
                         .status = TAGMA_E_CORRUPT,
                         .file = tg_root_file_name(c->file),
                         .tree = name,
                         .column = branch->name,
                         .basket = -1,
                         .offset = tree->record_offset,
                         .n_entries = tree->n_entries};

    (void)tg_fail(c->ctx, TAGMA_E_CORRUPT, "%s: tree \"%s\", record at byte %" PRIu64 ", branch %s: %s",
                  fault.file, name, tree->record_offset, branch->name, branch->fault);
    fault.message = tagma_ctx_message(c->ctx);
    c->n_faults++;
    tg_fault(c->ctx, &fault);
}

static tagma_status check_tree(checking *c, uint32_t i)
{
    const tg_entry *entry = &c->file->entries[c->file->trees[i].entry];
    char name[256];
    tg_tree *tree = NULL;
    tagma_status st = tg_root_tree_read(c->ctx, c->file, i, &tree);

    snprintf(name, sizeof name, "%s;%" PRIu32, c->file->trees[i].path, entry->cycle);
    for (uint32_t b = 0; tree && b < tree->n_branches; b++)
        if (tree->branches[b].fault)
            tell_branch(c, tree, name, &tree->branches[b]);
    tg_tree_free(tree);
    return tell_failure(c, st, entry->offset, name);
}

static tagma_status check_records(checking *c)
{
    const tg_root_file *file = c->file;
    uint64_t tree = 0;

    /* Each directory was read with its list of keys when the file was opened. */
    c->n_records += 2 * file->n_directories;
    TG_TRY(check_condition(c));
    TG_TRY(check_free_list(c));
    TG_TRY(check_streamers(c));
    for (uint64_t i = 0; i < file->n_entries; i++) {
        uint64_t before = c->n_faults;

        TG_TRY(tg_progress(c->ctx, "check", "records", i, file->n_entries));
        TG_TRY(check_entry(c, &file->entries[i]));
        if (tree < file->n_trees && file->trees[tree].entry == i) {
            if (c->n_faults == before)
                TG_TRY(check_tree(c, (uint32_t)tree));
            tree++;
        }
    }
    return TAGMA_OK;
}

tagma_status tg_root_file_check(tagma_ctx *ctx, const tg_root_file *file, uint64_t *n_records,
                                uint64_t *n_faults)
{
    checking c = {.ctx = ctx, .file = file};
    tagma_status st = tg_lane_new(ctx, file->source, &c.lane);

    if (st == TAGMA_OK)
        st = check_records(&c);
    tg_codec_state_free(ctx, &c.codec);
    tg_lane_free(c.lane);
    *n_records = c.n_records;
    *n_faults = c.n_faults;
    return st;
}
