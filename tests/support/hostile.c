/* SPDX-License-Identifier: Apache-2.0
 * Victims: real files in memory, what they hold when sound, and which of their bytes a checksum covers. */
#include "support/hostile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tagma/tagma.h>
#include <xxhash.h>

#include "codec/codec.h"

enum { MAX_FILES = 200, MAX_COLUMNS = 20000, BATCH = 20000, HEADER = 100 };

/* The values of one column of one tree, told by a number. */
typedef struct value_hash {
    uint64_t name, values;
} value_hash;

struct test_victim {
    char name[300];
    uint8_t *bytes;
    size_t n;
    uint8_t *is_checked; /* [n] */
    value_hash *sound;   /* [n_sound] */
    size_t n_sound;
    tagma_ctx *ctx;
    uint64_t n_words; /* faults and notes told by the last reading */
};

static void die(const char *words, const char *what)
{
    fprintf(stderr, "hostile: %s: %s\n", words, what);
    abort();
}

static void on_fault(void *user, const tagma_fault *fault)
{
    test_victim *victim = user;

    if (!fault->message || !*fault->message)
        die(victim->name, "a fault without words");
    victim->n_words++;
}

static void on_note(void *user, const char *text)
{
    (void)text;
    ((test_victim *)user)->n_words++;
}

/* A failure must have words; it counts as one that was told. */
static bool failed(test_victim *victim, tagma_status st)
{
    if (st >= 0)
        return false;
    if (!*tagma_ctx_message(victim->ctx))
        die(victim->name, "a failure without words");
    victim->n_words++;
    return true;
}

static uint64_t hash_column(const tagma_batch *batch, const tagma_batch_column *column, uint64_t seed)
{
    uint64_t n = tagma_batch_n_entries(batch);
    uint64_t hash =
        XXH3_64bits_withSeed(column->values, column->n_values * tagma_type_bytes(column->type), seed);

    for (uint32_t k = 0; k < column->n_levels; k++) {
        uint64_t lists = tagma_buffer_size(column->offsets_buffers[k]);
        hash = XXH3_64bits_withSeed(column->offsets[k], lists, hash);
    }
    return column->validity ? XXH3_64bits_withSeed(column->validity, (n + 7) / 8, hash) : hash;
}

static void read_batches(test_victim *victim, tagma_reader *reader, value_hash *hashes, uint32_t n_columns)
{
    uint64_t n_entries = tagma_events_n_entries(tagma_reader_events(reader));

    for (uint64_t first = 0; first < n_entries; first += BATCH) {
        uint64_t n = n_entries - first < BATCH ? n_entries - first : BATCH;
        tagma_batch *batch;

        if (failed(victim, tagma_read_columns(victim->ctx, reader, first, n, NULL, 0, &batch)))
            return;
        for (uint32_t i = 0; i < tagma_batch_n_columns(batch) && i < n_columns; i++)
            hashes[i].values = hash_column(batch, tagma_batch_column_at(batch, i), hashes[i].values);
        tagma_batch_free(batch);
    }
}

/* All supported columns of one tree, added to hashes[*n]. */
static void read_tree(test_victim *victim, tagma_file *file, uint32_t i, value_hash *hashes, size_t *n)
{
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;
    tagma_tree_info info = {.struct_bytes = sizeof info};
    tagma_events *events;
    tagma_reader *reader;
    size_t start = *n;

    options.sidecar = TAGMA_SIDECAR_NONE;
    if (failed(victim, tagma_file_tree(victim->ctx, file, i, &info)))
        return;
    if (info.error) {
        victim->n_words++;
        return;
    }
    if (failed(victim, tagma_file_events(victim->ctx, file, i, &options, &events)))
        return;
    for (uint32_t c = 0; c < tagma_schema_n_columns(tagma_events_schema(events)); c++) {
        const tagma_column *column = tagma_schema_column(tagma_events_schema(events), c);

        if (column->reason || *n == MAX_COLUMNS)
            continue;
        hashes[*n].name = XXH3_64bits_withSeed(column->name, strlen(column->name),
                                               XXH3_64bits(info.name, strlen(info.name)) + info.cycle);
        hashes[(*n)++].values = 0;
    }
    if (!failed(victim, tagma_reader_new(victim->ctx, events, NULL, &reader))) {
        read_batches(victim, reader, hashes + start, (uint32_t)(*n - start));
        tagma_reader_free(reader);
    }
    tagma_events_release(events);
}

static size_t read_all(test_victim *victim, size_t bytes, value_hash *hashes)
{
    tagma_file_info info = {.struct_bytes = sizeof info};
    tagma_source *source;
    tagma_file *file;
    uint64_t n_records, n_faults;
    size_t n = 0;
    uint8_t *copy = malloc(bytes + (bytes == 0)); /* of its exact size, so that a read past its end is seen */

    victim->n_words = 0;
    if (!copy)
        die(victim->name, "no memory");
    memcpy(copy, victim->bytes, bytes);
    if (tagma_source_memory(victim->ctx, copy, bytes, victim->name, &source) < 0)
        die(victim->name, tagma_ctx_message(victim->ctx));
    if (!failed(victim, tagma_file_open_source(victim->ctx, source, &file))) {
        tagma_file_get_info(file, &info);
        for (uint32_t i = 0; i < info.n_trees; i++)
            read_tree(victim, file, i, hashes, &n);
        failed(victim, tagma_file_check(victim->ctx, file, &n_records, &n_faults));
        tagma_file_release(file);
    }
    tagma_source_release(source);
    free(copy);
    if (tagma_ctx_memory(victim->ctx) != 0)
        die(victim->name, "memory is left after everything was closed");
    return n;
}

static value_hash *room(void)
{
    value_hash *hashes = calloc(MAX_COLUMNS, sizeof *hashes);

    if (!hashes)
        die("room", "no memory");
    return hashes;
}

test_outcome test_victim_read(test_victim *victim, size_t n)
{
    value_hash *now = room();
    size_t n_now = read_all(victim, n, now);
    test_outcome outcome = victim->n_words > 0 ? TEST_REFUSED : TEST_SAME;

    if (outcome == TEST_SAME &&
        (n_now != victim->n_sound || memcmp(now, victim->sound, n_now * sizeof *now) != 0))
        outcome = TEST_SILENT;
    free(now);
    return outcome;
}

/* Mark the frames that can be unpacked and whose codec has a checksum. */
static void find_frames(test_victim *victim)
{
    tg_codec_state state = {0};
    uint8_t *unpacked = malloc((size_t)1 << 24);

    if (!unpacked)
        die(victim->name, "no memory");
    for (size_t at = HEADER; at + TG_FRAME_BYTES < victim->n; at++) {
        const uint8_t *p = victim->bytes + at;
        bool is_known =
            memcmp(p, "ZL\x08", 3) == 0 || memcmp(p, "XZ\0", 3) == 0 || memcmp(p, "L4\x01", 3) == 0;
        size_t packed = (size_t)(p[3] | p[4] << 8 | p[5] << 16),
               wanted = (size_t)(p[6] | p[7] << 8 | p[8] << 16);

        if (!is_known || packed > victim->n - at - TG_FRAME_BYTES || wanted == 0)
            continue;
        if (tg_codec_unpack(victim->ctx, &state, p, packed + TG_FRAME_BYTES, unpacked, wanted) != TAGMA_OK)
            continue;
        memset(victim->is_checked + at, 1, packed + TG_FRAME_BYTES);
        at += packed + TG_FRAME_BYTES - 1;
    }
    tg_codec_state_free(victim->ctx, &state);
    free(unpacked);
}

static bool load(test_victim *victim, const char *path, size_t max_bytes)
{
    FILE *file = fopen(path, "rb");
    long n;

    if (!file)
        return false;
    fseek(file, 0, SEEK_END);
    n = ftell(file);
    rewind(file);
    victim->n = n < 0 ? 0 : (size_t)n;
    if (n <= 0 || victim->n > max_bytes) {
        fclose(file);
        return false;
    }
    victim->bytes = malloc(victim->n);
    victim->is_checked = calloc(victim->n, 1);
    if (!victim->bytes || !victim->is_checked || fread(victim->bytes, 1, victim->n, file) != victim->n)
        die(path, "cannot be read");
    fclose(file);
    return true;
}

static size_t attack(const char *dir, const char *name, size_t max_bytes,
                     void (*each)(test_victim *victim, void *user), void *user)
{
    test_victim victim = {.n = 0};
    char path[600];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    snprintf(victim.name, sizeof victim.name, "%s", name);
    if (!load(&victim, path, max_bytes))
        return 0;
    if (tagma_ctx_new(NULL, &victim.ctx) < 0)
        die(name, "no context");
    tagma_ctx_on_fault(victim.ctx, on_fault, &victim);
    tagma_ctx_on_note(victim.ctx, on_note, &victim);
    find_frames(&victim);
    victim.sound = room();
    victim.n_sound = read_all(&victim, victim.n, victim.sound);
    each(&victim, user);
    tagma_ctx_free(victim.ctx);
    free(victim.sound);
    free(victim.is_checked);
    free(victim.bytes);
    return 1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_root_file(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);

    return n > 5 && strcmp(entry->d_name + n - 5, ".root") == 0;
}

static size_t attack_dir(const char *dir, size_t max_bytes, void (*each)(test_victim *victim, void *user),
                         void *user)
{
    struct dirent **entries;
    int n = scandir(dir, &entries, is_root_file, by_name);
    size_t attacked = 0;

    for (int i = 0; i < n; i++) {
        attacked += attack(dir, entries[i]->d_name, max_bytes, each, user);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return attacked;
}

size_t test_victims(size_t max_bytes, void (*each)(test_victim *victim, void *user), void *user)
{
    static const char *const dirs[] = {"data/root", "data/root/edge", "data/root/bad"};
    const char *shared = getenv("TAGMA_SHARED");
    size_t n = attack_dir("demo", max_bytes, each, user);

    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
        char dir[400];

        snprintf(dir, sizeof dir, "%s/%s", shared ? shared : "../shared", dirs[i]);
        n += attack_dir(dir, max_bytes, each, user);
    }
    return n;
}

const char *test_victim_name(const test_victim *victim)
{
    return victim->name;
}

uint8_t *test_victim_bytes(test_victim *victim, size_t *n)
{
    *n = victim->n;
    return victim->bytes;
}

bool test_victim_is_checked(const test_victim *victim, size_t at)
{
    return victim->is_checked[at] != 0;
}

unsigned test_hostile_share(unsigned whole)
{
    const char *asked = getenv("TAGMA_HOSTILE");

    if (asked && strcmp(asked, "all") == 0)
        return whole;
    return whole < 20 ? 1 : whole / 20;
}
