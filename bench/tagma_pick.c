/* SPDX-License-Identifier: Apache-2.0
 * Tagma delivering whole events by their ids: the index is built, ids are looked up, rows are read. */
#include "measure.h"

static const char usage[] =
    "FILE --list IDS.txt [--threads N] [--columns GLOBS] [--io pread|mmap] [--max-memory BYTES]\n"
    "IDS.txt holds run:lumi:event a line. seconds: index, look-up and reading.";

typedef struct id_list {
    uint64_t *axes; /* [n][3] */
    size_t n;
} id_list;

static id_list read_list(const char *path)
{
    id_list list = {NULL, 0};
    size_t capacity = 0;
    unsigned long long run, lumi, event;
    FILE *file = path ? fopen(path, "r") : NULL;

    if (!file)
        die("tagma_pick: cannot read the list", path ? path : "--list");
    while (fscanf(file, "%llu:%llu:%llu", &run, &lumi, &event) == 3) {
        if (list.n == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            list.axes = realloc(list.axes, capacity * 3 * sizeof *list.axes);
            if (!list.axes)
                die("tagma_pick", "no memory");
        }
        memcpy(&list.axes[3 * list.n++], (uint64_t[]){run, lumi, event}, 3 * sizeof *list.axes);
    }
    fclose(file);
    return list;
}

/** The entry of each id; an id must be there, once at least. */
static uint64_t *find_entries(const tagma_index *index, const id_list *list)
{
    uint64_t *entries = malloc(list->n * sizeof *entries);

    if (!entries)
        die("tagma_pick", "no memory");
    for (size_t i = 0; i < list->n; i++) {
        size_t n;
        if (tagma_index_find(index, &list->axes[3 * i], &entries[i], 1, &n) != TAGMA_OK)
            die("tagma_pick", "an id of the list is not in the file");
    }
    return entries;
}

/** Bytes delivered, from values and offsets of all columns. */
static uint64_t delivered_bytes(const tagma_batch *batch)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < tagma_batch_n_columns(batch); i++) {
        const tagma_batch_column *c = tagma_batch_column_at(batch, i);
        if (c->status != TAGMA_COLUMN_GOOD)
            die("tagma_pick", "a column is not good");
        bytes += c->n_values * tagma_type_bytes(c->type);
    }
    return bytes;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("usage: tagma_pick", usage);
    id_list list = read_list(option(argc, argv, "--list", NULL));
    opened o = open_events(argv[1], number_option(argc, argv, "--threads", 1), memory_option(argc, argv),
                           io_option(argc, argv));
    const char *globs = option(argc, argv, "--columns", NULL);
    const tagma_schema *schema = tagma_events_schema(o.events);
    size_t capacity = tagma_schema_n_columns(schema), n_columns = 0;
    uint32_t *columns = malloc(capacity * sizeof *columns);
    tagma_index *index = NULL;
    tagma_batch *batch = NULL;
    double start = now_seconds(), indexed, found;

    if (!columns)
        die("tagma_pick", "no memory");
    if (globs)
        must(o.ctx, tagma_schema_select(o.ctx, schema, globs, columns, capacity, &n_columns), globs);
    must(o.ctx, tagma_events_build_index(o.ctx, o.reader, &index), "tagma_events_build_index");
    indexed = now_seconds();
    uint64_t *entries = find_entries(index, &list);
    found = now_seconds();
    must(o.ctx,
         tagma_read_rows(o.ctx, o.reader, entries, list.n, globs ? columns : NULL, (uint32_t)n_columns,
                         &batch),
         "tagma_read_rows");
    double seconds = now_seconds() - start;

    printf("{\"peer\": \"Tagma read_rows\", \"file\": \"%s\", \"events\": %zu, \"seconds\": %.9g, "
           "\"index_seconds\": %.9g, \"find_seconds\": %.9g, \"value_bytes\": %llu",
           argv[1], list.n, seconds, indexed - start, found - indexed,
           (unsigned long long)delivered_bytes(batch));
    print_tail(&o);
    tagma_batch_free(batch);
    tagma_index_release(index);
    free(entries);
    free(columns);
    free(list.axes);
    close_events(&o);
    return 0;
}
