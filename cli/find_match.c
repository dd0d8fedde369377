/* SPDX-License-Identifier: Apache-2.0
 * Ids against the index of one file after the other: hits, and how far the absent ones reach. */
#include <stdlib.h>

#include "cli/find_parts.h"
#include "cli/say.h"

static int add_hit(cli_find *find, uint32_t id, uint32_t file, uint64_t entry)
{
    if (find->n_hits == find->hits_capacity) {
        size_t capacity = 2 * find->hits_capacity + 256;
        cli_hit *more = realloc(find->hits, capacity * sizeof *more);
        if (more == NULL)
            return cli_no_memory();
        find->hits = more;
        find->hits_capacity = capacity;
    }
    find->hits[find->n_hits++] = (cli_hit){id, file, entry};
    return 0;
}

int cli_find_entries(cli_find *find, uint32_t f)
{
    for (size_t i = 0; i < find->n; i++) {
        const tagma_id *id = &find->ids[i];
        if (id->is_entry && find->twins[i] == i && id->axes[0] < find->files[f].n_entries &&
            add_hit(find, (uint32_t)i, f, id->axes[0]) != 0)
            return 2;
    }
    return 0;
}

/* Smaller, by the axis' own sign. */
static bool is_less(const cli_find *find, uint64_t a, uint64_t b)
{
    return find->axes.is_signed[0] ? (int64_t)a < (int64_t)b : a < b;
}

void cli_find_widen(cli_find *find, int which, uint64_t least, uint64_t most)
{
    if (!find->has_range[which] || is_less(find, least, find->least[which]))
        find->least[which] = least;
    if (!find->has_range[which] || is_less(find, find->most[which], most))
        find->most[which] = most;
    find->has_range[which] = true;
}

/* How many leading axes of an absent id this index has. */
static tagma_status depth_of(cli_find *find, const tagma_index *index, const tagma_id *id, uint8_t *depth)
{
    tagma_id_range range;

    *depth = 0;
    tagma_index_whole_range(index, &range);
    for (uint32_t a = 0; a + 1 < find->axes.n && (id->given >> a & 1) != 0; a++) {
        tagma_interval one;
        size_t n = 0;
        tagma_status st;
        range.lo[a] = range.hi[a] = id->axes[a];
        st = tagma_index_intervals(find->session->ctx, index, &range, 1, &one, 1, &n);
        if (st < 0 && st != TAGMA_E_LIMIT)
            return st;
        if (n == 0)
            return TAGMA_OK;
        *depth = (uint8_t)(a + 1);
    }
    /* An axis that is not given is nothing the id could lack. */
    while (*depth + 1 < (int)find->axes.n && (id->given >> *depth & 1) == 0)
        (*depth)++;
    return TAGMA_OK;
}

static int take_matches(cli_find *find, uint32_t f, const tagma_index *index, const uint32_t *which,
                        const tagma_matches *matches)
{
    for (size_t k = 0; k < matches->n; k++) {
        uint32_t i = which[k];
        uint8_t depth;

        for (uint64_t m = matches->offsets[k]; m < matches->offsets[k + 1]; m++) {
            if (add_hit(find, i, f, matches->entries[m]) != 0)
                return 2;
        }
        if (matches->offsets[k] != matches->offsets[k + 1])
            continue;
        if (depth_of(find, index, &find->ids[i], &depth) < 0)
            return cli_failed(find->session);
        if (depth > find->depths[i])
            find->depths[i] = depth;
    }
    return 0;
}

int cli_find_match(cli_find *find, uint32_t f, const tagma_index *index)
{
    uint32_t n_axes = find->axes.n;
    uint64_t *axes = malloc((find->n * n_axes + 1) * sizeof *axes);
    uint8_t *given = malloc(find->n + 1);
    uint32_t *which = calloc(find->n + 1, sizeof *which);
    tagma_matches matches = {0};
    size_t n = 0;
    int status = 0;

    if (axes == NULL || given == NULL || which == NULL)
        status = cli_no_memory();
    for (size_t i = 0; i < find->n && status == 0; i++) {
        if (find->ids[i].is_entry || find->twins[i] != i)
            continue;
        given[n] = find->ids[i].given;
        memcpy(axes + n * n_axes, find->ids[i].axes, n_axes * sizeof *axes);
        which[n++] = (uint32_t)i;
    }
    if (status == 0 && tagma_index_match(find->session->ctx, index, axes, given, n, &matches) < 0)
        status = cli_failed(find->session);
    if (status == 0)
        status = take_matches(find, f, index, which, &matches);
    tagma_matches_free(find->session->ctx, &matches);
    free(axes);
    free(given);
    free(which);
    return status;
}

int cli_find_gather(cli_find *find)
{
    cli_hit *sorted = malloc((find->n_hits + 1) * sizeof *sorted);

    if (sorted == NULL)
        return cli_no_memory();
    for (size_t h = 0; h < find->n_hits; h++)
        find->begins[find->hits[h].id + 2]++;
    for (size_t i = 2; i < find->n + 2; i++)
        find->begins[i] += find->begins[i - 1];
    for (size_t h = 0; h < find->n_hits; h++)
        sorted[find->begins[find->hits[h].id + 1]++] = find->hits[h];
    free(find->hits);
    find->hits = sorted;
    find->hits_capacity = find->n_hits + 1;
    return 0;
}

const cli_hit *cli_find_hits(const cli_find *find, size_t i, size_t *n)
{
    size_t first = find->twins[i];

    *n = find->begins[first + 1] - find->begins[first];
    return find->hits + find->begins[first];
}
