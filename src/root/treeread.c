/* SPDX-License-Identifier: Apache-2.0
 * Read a tree's record into its flat tables. */
#include "root/treeread.h"

#include <stdio.h>

#include "base/hash.h"
#include "root/branch.h"
#include "root/clusters.h"
#include "root/columns.h"
#include "root/rootrecord.h"

/* A name that holds another's path as well would grow without bounds. */
enum { PATH_BYTES_MAX = 1024, BASES_MAX = 8 };

void tg_tree_free(tg_tree *tree)
{
    tg_account *account;
    tg_arena strings;

    if (!tree)
        return;
    account = tree->account;
    strings = (tg_arena){.newest = tree->strings};
    tg_arena_free(account, &strings);
    tg_schema_free(tree->schema);
    tg_account_free(account, tree->layouts);
    tg_account_free(account, tree->branches);
    tg_account_free(account, tree->baskets);
    tg_account_free(account, tree->clusters);
    tg_account_free(account, tree->friends);
    tg_account_free(account, tree);
    tg_account_release(account);
}

/* What is not the tree's. */
static void end_reading(tg_tree_reading *r)
{
    tg_streamers_free(r->ctx, r->streamers);
    tg_free(r->ctx, r->raw);
    tg_free(r->ctx, r->leaves);
    tg_free(r->ctx, r->strays);
    tg_free(r->ctx, r->embedded);
    tg_free(r->ctx, r->members);
    tg_lane_free(r->lane);
}

/* How many classes stand around the TTree: it is the first base of each. */
static tagma_status count_bases(tg_tree_reading *r, const char *class_name, uint32_t *n)
{
    static const char *const direct[] = {"TNtuple", "TNtupleD", "TChain"};
    tg_text name = tg_text_of(class_name);
    const tg_streamers *streamers;

    *n = 0;
    if (strcmp(class_name, "TTree") == 0)
        return TAGMA_OK;
    *n = 1;
    for (size_t i = 0; i < sizeof direct / sizeof direct[0]; i++)
        if (strcmp(class_name, direct[i]) == 0)
            return TAGMA_OK;
    TG_TRY(tg_tree_streamers(r, &streamers));
    for (*n = 1; *n < BASES_MAX; (*n)++) {
        const tg_class_info *info = tg_streamers_find(streamers, name, -1, 0);
        const tg_element *first =
            info && info->n_elements > 0 ? tg_streamers_element(streamers, info, 0) : NULL;

        if (!first || !first->is_base)
            break;
        if (tg_text_is(first->name, "TTree"))
            return TAGMA_OK;
        name = first->name;
    }
    return tg_fail(r->ctx, TAGMA_E_UNSUPPORTED, "class %s: its TTree is not its first base", class_name);
}

/* Friends are a TList of TFriendElement. A damaged one is left out. */
static tagma_status parse_friends(tg_tree_reading *r, tg_in *in)
{
    tg_tree *tree = r->tree;
    uint64_t capacity = 0;
    tg_object list = tg_object_enter(in);
    uint32_t n = tg_in_list(in);

    for (uint32_t i = 0; i < n && !tg_in_short(in); i++) {
        tg_slot slot = tg_slot_enter(in, r->key_bytes);
        tg_object object = tg_object_enter(in);
        tg_text alias = {"", 0}, file = {"", 0}, name;
        void *block = tree->friends;
        tagma_status st;

        (void)tg_in_named(in, &alias, &file);
        name = tg_in_text(in);
        if (slot.kind == TG_SLOT_OBJECT && tg_text_is(slot.class_name, "TFriendElement") &&
            !tg_in_short(in)) {
            st = tg_reserve(r->ctx, &block, &capacity, tree->n_friends + 1U, sizeof *tree->friends);
            tree->friends = block;
            TG_TRY(st);
            tree->friends[tree->n_friends] =
                (tg_friend){tg_text_keep(r->ctx, &r->arena, name.n > 0 ? name : alias),
                            tg_text_keep(r->ctx, &r->arena, file)};
            if (!tree->friends[tree->n_friends].name || !tree->friends[tree->n_friends].file)
                return TAGMA_E_MEMORY;
            tree->n_friends++;
        }
        (void)tg_object_leave(in, &object);
        (void)tg_slot_leave(in, &slot);
        tg_in_skip_option(in);
    }
    (void)tg_object_leave(in, &list);
    return TAGMA_OK;
}

typedef struct tree_visit {
    tg_tree_reading *r;
    bool has_branches;
} tree_visit;

static tagma_status visit_tree(void *user, tg_field field, tg_in *in)
{
    tree_visit *visit = user;

    if (field == TG_FIELD_BRANCHES) {
        visit->has_branches = true;
        return tg_branches_parse(visit->r, in, TAGMA_NONE, 0);
    }
    if (field == TG_FIELD_FRIENDS) {
        tg_slot slot = tg_slot_enter(in, visit->r->key_bytes);
        tagma_status st = parse_friends(visit->r, in);
        (void)tg_slot_leave(in, &slot);
        return st;
    }
    /* fLeaves: references to the branches' own. */
    tg_in_skip_objects(in, visit->r->key_bytes);
    return TAGMA_OK;
}

/* Run the steps of the TTree in the payload; only up to fEntries where visit is NULL. */
static tagma_status run_tree(tg_tree_reading *r, const char *class_name, tg_in *in, tree_visit *visit,
                             tg_values *values)
{
    tg_object outer[BASES_MAX], object;
    const tg_members *members;
    tg_members head;
    uint32_t n_bases;

    TG_TRY(count_bases(r, class_name, &n_bases));
    for (uint32_t i = 0; i < n_bases; i++)
        outer[i] = tg_object_enter(in);
    (void)outer;
    object = tg_object_enter(in);
    if (tg_in_short(in))
        return tg_fail(r->ctx, TAGMA_E_CORRUPT, "the object passes the end of its record");
    TG_TRY(tg_tree_members(r, "TTree", object.version, &members));
    if (!visit) {
        head = *members;
        for (head.n = 0; head.n < members->n; head.n++)
            if (members->steps[head.n].field == TG_FIELD_ENTRIES)
                break;
        head.n += head.n < members->n;
        members = &head;
    }
    return tg_members_run(r->ctx, members, in, r->key_bytes, visit ? visit_tree : NULL, visit, values);
}

/* "Jet" and "Jet.PT" are "Jet.PT", "event." and "id" are "event.id". */
static const char *join_path(tg_tree_reading *r, const tg_branch *parent, const char *name)
{
    tg_text path = tg_text_of(parent->path);
    size_t stem = strlen(parent->name);
    const char *rest = name;

    if (strncmp(name, parent->name, stem) == 0 && (name[stem] == '.' || (stem > 0 && name[stem - 1] == '.')))
        rest = name + stem + (name[stem] == '.');
    if (path.n + strlen(name) + 2 > PATH_BYTES_MAX)
        return name;
    if (path.n > 0 && path.bytes[path.n - 1] == '.')
        path.n--;
    return tg_text_join(r->ctx, &r->arena, path, '.', tg_text_of(rest));
}

/* A branch too damaged to have a name is called by its number. */
static tagma_status keep_name(tg_tree_reading *r, uint32_t b)
{
    tg_branch *branch = &r->tree->branches[b];
    const tg_raw_branch *raw = &r->raw[b];
    char number[32];

    snprintf(number, sizeof number, "(branch %" PRIu32 ")", b);
    branch->name = raw->name.n > 0 ? tg_text_keep(r->ctx, &r->arena, raw->name)
                                   : tg_arena_text(r->ctx, &r->arena, number, strlen(number));
    branch->title = tg_text_keep(r->ctx, &r->arena, raw->title);
    return branch->name && branch->title ? TAGMA_OK : TAGMA_E_MEMORY;
}

static tagma_status keep_names(tg_tree_reading *r)
{
    tg_tree *tree = r->tree;

    for (uint32_t b = 0; b < tree->n_branches; b++) {
        tg_branch *branch = &tree->branches[b];
        const tg_raw_branch *raw = &r->raw[b];

        TG_TRY(keep_name(r, b));
        branch->path = branch->name;
        if (branch->parent != TAGMA_NONE)
            branch->path = join_path(r, &tree->branches[branch->parent], branch->name);
        if (!branch->path)
            return TAGMA_E_MEMORY;
        /* Their offsets are not of this file. */
        if (raw->file_name.n > 0)
            branch->n_baskets = 0;
    }
    return TAGMA_OK;
}

/* From the record's payload to the tables. */
static tagma_status fill_tree(tg_tree_reading *r, const tg_record *record)
{
    tg_tree *tree = r->tree;
    tree_visit visit = {r, false};
    tg_in in = tg_in_of(record->payload, record->payload_bytes);
    tg_values values;
    tagma_status st;

    memset(&values, 0, sizeof values);
    values.name = values.title = (tg_text){"", 0};
    st = run_tree(r, tree->class_name, &in, &visit, &values);
    /* What stands behind the branches is not needed to read them. */
    if (st == TAGMA_E_CORRUPT && visit.has_branches && values.numbers[TG_FIELD_ENTRIES] >= 0 &&
        !tg_in_short(&in))
        st = TAGMA_OK;
    TG_TRY(st);
    if (values.numbers[TG_FIELD_ENTRIES] < 0)
        return tg_fail(r->ctx, TAGMA_E_CORRUPT, "it claims %" PRId64 " entries",
                       values.numbers[TG_FIELD_ENTRIES]);
    tree->n_entries = (uint64_t)values.numbers[TG_FIELD_ENTRIES];
    tree->title = tg_text_keep(r->ctx, &r->arena, values.title);
    if (!tree->title)
        return TAGMA_E_MEMORY;
    TG_TRY(keep_names(r));
    TG_TRY(tg_clusters_find(r->ctx, tree, &values, record->payload));
    return tg_columns_plan(r);
}

static tagma_status read_record(tg_tree_reading *r, const tg_entry *entry, bool with_hash, tg_record *record)
{
    tg_codec_state codec = {0};
    tagma_status st = tg_lane_new(r->ctx, r->file->source, &r->lane);

    *record = (tg_record)TG_RECORD_INIT;
    TG_TRY(st);
    st = tg_record_read(r->ctx, r->lane, &codec, entry->offset, entry->bytes, with_hash, record);
    tg_codec_state_free(r->ctx, &codec);
    r->key_bytes = record->key.key_bytes;
    r->payload = record->payload;
    r->payload_bytes = record->payload_bytes;
    return st;
}

static tagma_status begin_tree(tagma_ctx *ctx, const tg_root_file *file, const tg_tree_entry *which,
                               tg_tree_reading *r)
{
    const tg_entry *entry = &file->entries[which->entry];
    tg_tree *tree = tg_zalloc(ctx, 1, sizeof *tree);

    *r = (tg_tree_reading){.ctx = ctx, .file = file, .tree = tree};
    if (!tree)
        return TAGMA_E_MEMORY;
    tree->account = tg_account_acquire(ctx->account);
    tree->cycle = entry->cycle;
    tree->record_offset = entry->offset;
    tree->record_bytes = entry->bytes;
    tree->name = tg_arena_text(ctx, &r->arena, which->path, strlen(which->path));
    tree->class_name = tg_arena_text(ctx, &r->arena, entry->class_name, strlen(entry->class_name));
    return tree->name && tree->class_name ? TAGMA_OK : TAGMA_E_MEMORY;
}

tagma_status tg_root_tree_read(tagma_ctx *ctx, const tg_root_file *file, uint32_t i, tg_tree **out)
{
    const tg_tree_entry *which = &file->trees[i];
    const tg_entry *entry = &file->entries[which->entry];
    tg_record record = TG_RECORD_INIT;
    tg_tree_reading r;
    tagma_status st = begin_tree(ctx, file, which, &r);

    *out = NULL;
    if (st == TAGMA_OK)
        st = read_record(&r, entry, true, &record);
    if (st == TAGMA_OK) {
        r.tree->record_key_bytes = record.key.key_bytes;
        r.tree->record_unpacked = record.payload_bytes;
        r.tree->record_hash = record.hash;
        st = fill_tree(&r, &record);
        if (st < 0)
            tg_within(ctx, st, "%s: tree \"%s;%" PRIu32 "\", record at byte %" PRIu64,
                      tg_root_file_name(file), which->path, entry->cycle, entry->offset);
    }
    if (r.tree)
        r.tree->strings = r.arena.newest;
    tg_record_free(ctx, &record);
    end_reading(&r);
    if (st < 0) {
        tg_tree_free(r.tree);
        return st;
    }
    *out = r.tree;
    return TAGMA_OK;
}

tagma_status tg_root_file_tree(tagma_ctx *ctx, const tg_root_file *file, uint32_t i, tagma_tree_info *info)
{
    const tg_tree_entry *which = &file->trees[i];
    const tg_entry *entry = &file->entries[which->entry];
    tg_tree_reading r = {.ctx = ctx, .file = file};
    tg_record record = TG_RECORD_INIT;
    tg_values values;
    tagma_status st = read_record(&r, entry, false, &record);

    memset(&values, 0, sizeof values);
    info->name = which->path;
    info->class_name = entry->class_name;
    info->title = entry->title;
    info->cycle = entry->cycle;
    info->is_newest = which->is_newest;
    info->n_entries = 0;
    info->error = NULL;
    if (st == TAGMA_OK) {
        tg_in in = tg_in_of(record.payload, record.payload_bytes);
        st = run_tree(&r, entry->class_name, &in, NULL, &values);
        if (st == TAGMA_OK && values.numbers[TG_FIELD_ENTRIES] < 0)
            st = tg_fail(ctx, TAGMA_E_CORRUPT, "it claims %" PRId64 " entries",
                         values.numbers[TG_FIELD_ENTRIES]);
        if (st < 0)
            tg_within(ctx, st, "%s: tree \"%s;%" PRIu32 "\", record at byte %" PRIu64,
                      tg_root_file_name(file), which->path, entry->cycle, entry->offset);
    }
    tg_record_free(ctx, &record);
    end_reading(&r);
    if (st == TAGMA_E_MEMORY || st == TAGMA_E_IO)
        return st;
    if (st < 0)
        info->error = tagma_ctx_message(ctx);
    else
        info->n_entries = (uint64_t)values.numbers[TG_FIELD_ENTRIES];
    return TAGMA_OK;
}

tagma_status tg_root_tree_hash(tagma_ctx *ctx, const tg_root_file *file, uint32_t i, uint64_t *hash)
{
    const tg_entry *entry = &file->entries[file->trees[i].entry];
    const uint8_t *bytes;
    tg_lane *lane;
    tagma_status st;

    TG_TRY(tg_lane_new(ctx, file->source, &lane));
    st = tg_lane_view(ctx, lane, entry->offset, entry->bytes, &bytes);
    if (st == TAGMA_OK)
        *hash = tg_hash(bytes, entry->bytes);
    tg_lane_free(lane);
    return st;
}
