/* SPDX-License-Identifier: Apache-2.0
 * Directories: their fields, their key lists, and those below. */
#include "root/rootfile.h"

/* Fields of a directory up to fSeekKeys, in the wide form. */
enum { FIELDS_BYTES = 42, NAME_BYTES_MIN = 10, NAME_BYTES_MAX = 10000 };
/* Each directory holds a copy of its path, so that a path without bounds would grow memory beyond the file's size. */
enum { PATH_BYTES_MAX = 1024 };

/* Directories already entered, by the byte of their fields: key lists may form cycles. */
typedef struct offset_set {
    uint64_t *slots; /* offset + 1; 0 empty */
    uint64_t n, n_slots;
} offset_set;

typedef struct walk {
    tagma_ctx *ctx;
    tg_root_file *file;
    tg_lane *lane;
    offset_set seen;
    uint64_t keys_bytes; /* of all lists so far: they do not overlap, so the file is never shorter */
} walk;

static uint64_t *slot_of(const offset_set *set, uint64_t offset)
{
    uint64_t at = offset * 0x9e3779b97f4a7c15U >> 20 & (set->n_slots - 1);

    while (set->slots[at] != 0 && set->slots[at] != offset + 1)
        at = (at + 1) & (set->n_slots - 1);
    return &set->slots[at];
}

/* TAGMA_OK the first time, TAGMA_ABSENT where it has been entered before. */
static tagma_status enter_once(tagma_ctx *ctx, offset_set *set, uint64_t offset)
{
    uint64_t *slot;

    if (2 * set->n >= set->n_slots) {
        offset_set grown = {NULL, set->n, set->n_slots == 0 ? 64 : 2 * set->n_slots};

        grown.slots = tg_zalloc(ctx, grown.n_slots, sizeof *grown.slots);
        if (!grown.slots)
            return TAGMA_E_MEMORY;
        for (uint64_t i = 0; i < set->n_slots; i++)
            if (set->slots[i] != 0)
                *slot_of(&grown, set->slots[i] - 1) = set->slots[i];
        tg_free(ctx, set->slots);
        *set = grown;
    }
    slot = slot_of(set, offset);
    if (*slot != 0)
        return TAGMA_ABSENT;
    *slot = offset + 1;
    set->n++;
    return TAGMA_OK;
}

bool tg_is_directory_class(tg_text class_name)
{
    return tg_text_is(class_name, "TDirectory") || tg_text_is(class_name, "TDirectoryFile");
}

tagma_status tg_directory_add(tagma_ctx *ctx, tg_root_file *file, const char *parent, tg_text name,
                              uint64_t offset, uint64_t fields)
{
    void *block = file->directories;
    tg_directory directory = {.offset = offset, .fields = fields};
    tagma_status st = tg_reserve(ctx, &block, &file->directories_capacity, file->n_directories + 1,
                                 sizeof *file->directories);

    file->directories = block;
    TG_TRY(st);
    if (strlen(parent) + name.n > PATH_BYTES_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "%s: directory at byte %" PRIu64 ": a path of more than %d bytes",
                       tg_root_file_name(file), offset, PATH_BYTES_MAX);
    directory.path = tg_text_join(ctx, &file->arena, tg_text_of(parent), '/', name);
    if (!directory.path)
        return TAGMA_E_MEMORY;
    file->directories[file->n_directories++] = directory;
    return TAGMA_OK;
}

/* Neighbours often are of one class. */
static const char *keep_class(tagma_ctx *ctx, tg_root_file *file, tg_text class_name)
{
    const char *before = file->n_entries > 0 ? file->entries[file->n_entries - 1].class_name : NULL;

    return before && tg_text_is(class_name, before) ? before : tg_text_keep(ctx, &file->arena, class_name);
}

tagma_status tg_entry_add(tagma_ctx *ctx, tg_root_file *file, const tg_key *key, uint32_t directory)
{
    void *block = file->entries;
    tg_entry entry = {.directory = directory,
                      .cycle = key->cycle,
                      .offset = key->offset,
                      .bytes = key->bytes,
                      .key_bytes = key->key_bytes,
                      .unpacked_bytes = key->unpacked_bytes};
    tagma_status st =
        tg_reserve(ctx, &block, &file->entries_capacity, file->n_entries + 1, sizeof *file->entries);

    file->entries = block;
    TG_TRY(st);
    if (file->n_entries >= UINT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "more than %" PRIu32 " keys", UINT32_MAX);
    entry.class_name = keep_class(ctx, file, key->class_name);
    entry.name = tg_text_keep(ctx, &file->arena, key->name);
    entry.title = tg_text_keep(ctx, &file->arena, key->title);
    if (!entry.class_name || !entry.name || !entry.title)
        return TAGMA_E_MEMORY;
    file->entries[file->n_entries++] = entry;
    return TAGMA_OK;
}

/* Source: docs/ROOT.md, "Directories". The reader needs nothing behind fSeekKeys. */
static tagma_status read_fields(walk *w, tg_directory *directory)
{
    uint64_t size = tagma_source_size(w->file->source);
    uint64_t n = directory->fields < size ? size - directory->fields : 0;
    const uint8_t *bytes;
    bool is_wide;
    tg_in in;

    n = n < FIELDS_BYTES ? n : FIELDS_BYTES;
    TG_TRY(tg_lane_view(w->ctx, w->lane, n > 0 ? directory->fields : 0, n, &bytes));
    in = tg_in_of(bytes, n);
    is_wide = (int16_t)tg_in_be16(&in) > TG_WIDE_KEY;
    tg_in_skip(&in, 8); /* fDatimeC, fDatimeM */
    directory->keys_bytes = tg_in_be32(&in);
    tg_in_skip(&in, 4); /* fNbytesName */
    directory->offset = is_wide ? tg_in_be64(&in) : tg_in_be32(&in);
    tg_in_skip(&in, is_wide ? 8 : 4); /* fSeekParent */
    directory->keys_offset = is_wide ? tg_in_be64(&in) : tg_in_be32(&in);
    if (tg_in_short(&in))
        return tg_fail(w->ctx, TAGMA_E_TRUNCATED,
                       "%s: directory \"%s\" at byte %" PRIu64
                       ": its fields are cut, the file ends at byte %" PRIu64,
                       tg_root_file_name(w->file), directory->path, directory->fields, size);
    tg_lane_count_used(w->lane, in.at);
    return TAGMA_OK;
}

static tagma_status read_directory(walk *w, uint32_t number, uint32_t depth);

static tagma_status read_below(walk *w, const tg_key *key, uint32_t parent, uint32_t depth)
{
    tg_root_file *file = w->file;
    uint64_t fields;
    tagma_status st;

    if (!tg_add(key->offset, key->key_bytes, &fields))
        fields = UINT64_MAX - 1;
    st = enter_once(w->ctx, &w->seen, fields);
    if (st == TAGMA_ABSENT)
        return TAGMA_OK;
    TG_TRY(st);
    if (depth >= w->ctx->limits.max_depth) {
        st = tg_fail(w->ctx, TAGMA_E_LIMIT,
                     "%s: directory \"%.*s\" at byte %" PRIu64 " is more than %" PRIu32
                     " deep (limit max_depth)",
                     tg_root_file_name(file), (int)key->name.n, key->name.bytes, key->offset,
                     w->ctx->limits.max_depth);
    } else {
        st = tg_directory_add(w->ctx, file, file->directories[parent].path, key->name, key->offset, fields);
        if (st == TAGMA_OK)
            st = read_directory(w, (uint32_t)file->n_directories - 1, depth + 1);
    }
    return st < 0 ? tg_root_file_damage(w->ctx, file, st, key->offset) : TAGMA_OK;
}

/* `count` key images one behind the other: what they take is what was parsed, whatever their own length says. */
static tagma_status read_keys(walk *w, uint32_t directory, uint64_t offset, tg_in in, uint32_t depth)
{
    tagma_ctx *ctx = w->ctx;
    tg_root_file *file = w->file;
    uint32_t n = tg_in_be32(&in);
    tagma_status st = TAGMA_OK;
    tg_key key;

    if (n > tg_in_left(&in) / TG_KEY_BYTES_MIN) {
        (void)tg_fail(ctx, TAGMA_E_CORRUPT,
                      "%s: key list of \"%s\" at byte %" PRIu64 " claims %" PRId32
                      " keys, it has room for %zu",
                      tg_root_file_name(file), file->directories[directory].path, offset, (int32_t)n,
                      tg_in_left(&in) / TG_KEY_BYTES_MIN);
        TG_TRY(tg_root_file_damage(ctx, file, TAGMA_E_CORRUPT, offset));
        n = (uint32_t)(tg_in_left(&in) / TG_KEY_BYTES_MIN);
    }
    for (uint32_t i = 0; i < n && st == TAGMA_OK; i++) {
        st = tg_key_parse(ctx, &in, offset + in.at, &key);
        if (st < 0)
            return tg_within(ctx, st, "key %" PRIu32, i);
        if (tg_is_directory_class(key.class_name))
            st = read_below(w, &key, directory, depth);
        else
            st = tg_entry_add(ctx, file, &key, directory);
    }
    return st;
}

/* The key list's own length is not asked: what the directory says of it is known to be right where the two differ. */
static tagma_status parse_key_list(walk *w, uint32_t number, const uint8_t *bytes, uint32_t depth)
{
    const tg_directory *directory = &w->file->directories[number];
    uint64_t offset = directory->keys_offset;
    tg_in in = tg_in_of(bytes, directory->keys_bytes);
    tg_key key;

    TG_TRY(tg_key_parse(w->ctx, &in, offset, &key));
    if (key.key_bytes < in.at || key.key_bytes > directory->keys_bytes)
        return tg_fail(w->ctx, TAGMA_E_CORRUPT,
                       "key at byte %" PRIu64 ": key length %" PRIu32 " in a list of %" PRIu32 " bytes",
                       offset, key.key_bytes, directory->keys_bytes);
    return read_keys(w, number, offset + key.key_bytes,
                     tg_in_of(bytes + key.key_bytes, directory->keys_bytes - key.key_bytes), depth);
}

static tagma_status read_key_list(walk *w, uint32_t number, uint32_t depth)
{
    const tg_directory directory = w->file->directories[number];
    uint64_t size = tagma_source_size(w->file->source);
    uint8_t *bytes;
    tagma_status st;

    if (!tg_inside(directory.keys_offset, directory.keys_bytes, size))
        return tg_fail(w->ctx, TAGMA_E_TRUNCATED,
                       "%" PRIu32 " bytes at byte %" PRIu64 ", the file ends at byte %" PRIu64,
                       directory.keys_bytes, directory.keys_offset, size);
    w->keys_bytes += directory.keys_bytes;
    if (w->keys_bytes > size)
        return tg_fail(w->ctx, TAGMA_E_CORRUPT, "lists of keys of %" PRIu64 " bytes in a file of %" PRIu64,
                       w->keys_bytes, size);
    bytes = tg_alloc(w->ctx, directory.keys_bytes, 1);
    if (!bytes)
        return TAGMA_E_MEMORY;
    st = tg_lane_read(w->ctx, w->lane, directory.keys_offset, directory.keys_bytes, bytes);
    tg_lane_count_used(w->lane, directory.keys_bytes);
    if (st == TAGMA_OK)
        st = parse_key_list(w, number, bytes, depth);
    tg_free(w->ctx, bytes);
    return st;
}

static tagma_status read_directory(walk *w, uint32_t number, uint32_t depth)
{
    tg_directory directory = w->file->directories[number];
    tagma_status st;

    TG_TRY(read_fields(w, &directory));
    w->file->directories[number] = directory;
    if (directory.keys_offset == 0)
        return TAGMA_OK;
    st = read_key_list(w, number, depth);
    return st < 0 ? tg_within(w->ctx, st, "%s: key list of directory \"%s\"", tg_root_file_name(w->file),
                              directory.path)
                  : st;
}

tagma_status tg_directories_read(tagma_ctx *ctx, tg_root_file *file, tg_lane *lane)
{
    const tg_root_header *header = &file->header;
    uint64_t fields = (uint64_t)header->begin + (uint64_t)(uint32_t)header->name_bytes;
    walk w = {.ctx = ctx, .file = file, .lane = lane};
    tagma_status st;

    TG_TRY(tg_directory_add(ctx, file, "", (tg_text){"", 0}, (uint64_t)header->begin, fields));
    if (header->name_bytes < NAME_BYTES_MIN || header->name_bytes > NAME_BYTES_MAX)
        return tg_fail(ctx, TAGMA_E_CORRUPT,
                       "%s: header: the directory's fields are %" PRId32
                       " bytes behind its record, expected %d to %d",
                       tg_root_file_name(file), header->name_bytes, NAME_BYTES_MIN, NAME_BYTES_MAX);
    st = enter_once(ctx, &w.seen, fields);
    if (st == TAGMA_OK)
        st = read_directory(&w, 0, 0);
    if (st == TAGMA_OK && file->directories[0].keys_offset == 0 && file->condition == TAGMA_CLOSED)
        st = tg_fail(ctx, TAGMA_E_CORRUPT, "%s: the directory at byte %" PRIu64 " has no list of keys",
                     tg_root_file_name(file), fields);
    tg_free(ctx, w.seen.slots);
    return st;
}
