/* SPDX-License-Identifier: Apache-2.0
 * From hits to rows: which entries are read, and in which order they are delivered. */
#include <stdlib.h>

#include "cli/pick.h"
#include "cli/say.h"

enum { SCREEN_ENTRIES = 20, MAX_NAMED = 10 };

/* A delivery before it is known which row it is. */
typedef struct delivery {
    uint64_t entry;
    uint32_t file, id;
} delivery;

static int by_place(const void *a, const void *b)
{
    const delivery *x = a;
    const delivery *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_same_row(const delivery *a, const delivery *b)
{
    return a->file == b->file && a->entry == b->entry;
}

/* All that is to be delivered, as listed. */
static delivery *list_deliveries(const cli_picking *p, size_t *n)
{
    const cli_find *find = &p->find;
    bool once = p->session->opts->once;
    delivery *all;
    size_t hits;

    *n = 0;
    for (size_t i = 0; i < find->n; i++) {
        cli_find_hits(find, i, &hits);
        *n += once && find->twins[i] != i ? 0 : hits;
    }
    all = malloc((*n + 1) * sizeof *all);
    *n = 0;
    for (size_t i = 0; i < find->n && all != NULL; i++) {
        const cli_hit *hit = cli_find_hits(find, i, &hits);
        for (size_t h = 0; h < hits && !(once && find->twins[i] != i); h++)
            all[(*n)++] = (delivery){hit[h].entry, hit[h].file, find->twins[i]};
    }
    return all;
}

static uint64_t most_entries(const cli_picking *p)
{
    if (p->session->opts->has_count)
        return p->session->opts->count;
    return p->writer.is_screen ? SCREEN_ENTRIES : UINT64_MAX;
}

static int make_rows(cli_picking *p, const delivery *all, size_t n)
{
    delivery *sorted = malloc((n + 1) * sizeof *sorted);

    p->rows = calloc(n + 1, sizeof *p->rows);
    if (sorted == NULL || p->rows == NULL) {
        free(sorted);
        return cli_no_memory();
    }
    memcpy(sorted, all, n * sizeof *all);
    qsort(sorted, n, sizeof *sorted, by_place);
    for (size_t i = 0; i < n; i++) {
        cli_row *row;
        if (i == 0 || !is_same_row(&sorted[i - 1], &sorted[i]))
            p->n_rows++;
        row = &p->rows[p->n_rows - 1];
        row->file = sorted[i].file;
        row->entry = sorted[i].entry;
        if (row->n_times == 0 || cli_id_is_whole(&p->find.ids[sorted[i].id], p->find.axes.n))
            row->id = sorted[i].id;
        row->n_times++;
    }
    free(sorted);
    return 0;
}

size_t cli_pick_row(const cli_picking *p, uint32_t file, uint64_t entry)
{
    size_t low = 0;
    size_t high = p->n_rows;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        const cli_row *row = &p->rows[middle];
        if (row->file < file || (row->file == file && row->entry <= entry))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* With --once an entry that two ids name is delivered for the first of them. */
static int make_sequence(cli_picking *p, const delivery *all, size_t n)
{
    bool by_file = p->session->opts->order != NULL && strcmp(p->session->opts->order, "file") == 0;
    bool once = p->session->opts->once;
    bool *is_done = calloc(p->n_rows + 1, sizeof *is_done);

    p->sequence = calloc(n + 1, sizeof *p->sequence);
    if (p->sequence == NULL || is_done == NULL) {
        free(is_done);
        return cli_no_memory();
    }
    for (size_t i = 0; i < n && !by_file; i++) {
        uint32_t row = (uint32_t)cli_pick_row(p, all[i].file, all[i].entry);
        if (!(once && is_done[row]))
            p->sequence[p->n_sequence++] = row;
        is_done[row] = true;
    }
    for (uint32_t row = 0; row < p->n_rows && by_file; row++) {
        for (uint32_t k = 0; k < (once ? 1 : p->rows[row].n_times); k++)
            p->sequence[p->n_sequence++] = row;
    }
    free(is_done);
    return 0;
}

/* Keep the first rows of the sequence, and count anew how often each is delivered. */
static void limit(cli_picking *p)
{
    uint64_t most = most_entries(p);

    if (p->n_sequence > most) {
        p->n_more = p->n_sequence - most;
        p->n_sequence = (size_t)most;
    }
    for (size_t r = 0; r < p->n_rows; r++)
        p->rows[r].n_times = 0;
    p->is_straight = true;
    for (size_t i = 0; i < p->n_sequence; i++) {
        p->rows[p->sequence[i]].n_times++;
        if (i > 0 && p->sequence[i] < p->sequence[i - 1])
            p->is_straight = false;
    }
}

static int refuse_groups(const cli_picking *p)
{
    cli_text text = {0};
    char number[CLI_NUMBER_BYTES];
    char rest[CLI_NUMBER_BYTES];

    for (size_t g = 0; g < p->n_groups && g < MAX_NAMED; g++) {
        cli_text_char(&text, ' ');
        cli_put_id(&text, &p->find.axes, &p->find.ids[p->groups[g].id]);
    }
    if (p->n_groups > MAX_NAMED)
        cli_text_format(&text, " and %s more", cli_grouped(p->n_groups - MAX_NAMED, rest));
    cli_text_char(&text, '\0');
    cli_wrong("%s id%s several entries, and --unique error allows none:%s", cli_grouped(p->n_groups, number),
              p->n_groups == 1 ? " has" : "s have", text.is_short ? "" : text.bytes);
    cli_text_free(&text);
    return 2;
}

static int make_groups(cli_picking *p)
{
    const cli_find *find = &p->find;

    p->groups = calloc(find->n + 1, sizeof *p->groups);
    if (p->groups == NULL)
        return cli_no_memory();
    for (size_t i = 0; i < find->n; i++) {
        size_t n;
        const cli_hit *hits = cli_find_hits(find, i, &n);
        if (n < 2 || find->twins[i] != i || find->ids[i].is_entry)
            continue;
        p->groups[p->n_groups++] = (cli_group){(uint32_t)i, CLI_NOT_COMPARED};
        for (size_t h = 0; h < n; h++) {
            cli_row *row = &p->rows[cli_pick_row(p, hits[h].file, hits[h].entry)];
            row->is_grouped = true;
        }
    }
    if (p->n_groups > 0 && p->session->opts->unique != NULL && strcmp(p->session->opts->unique, "error") == 0)
        return refuse_groups(p);
    return 0;
}

int cli_pick_plan(cli_picking *p)
{
    size_t n;
    delivery *all = list_deliveries(p, &n);
    int status;

    if (all == NULL)
        return cli_no_memory();
    status = n <= UINT32_MAX ? make_rows(p, all, n) : cli_wrong("more than %u entries are found", UINT32_MAX);
    if (status == 0)
        status = make_sequence(p, all, n);
    free(all);
    if (status == 0)
        limit(p);
    return status == 0 ? make_groups(p) : status;
}
