/* SPDX-License-Identifier: Apache-2.0
 * The ids asked for: arguments and list, read against the first tree, equal ones found. */
#include "cli/find_parts.h"

#include <stdlib.h>

#include "cli/say.h"

/* The ids of the arguments, then those of the list. */
static int join_ids(cli_find *find, const tagma_id *ids, size_t n)
{
    tagma_id *more = realloc(find->ids, (find->n + n + 1) * sizeof *more);

    if (more == NULL)
        return cli_no_memory();
    find->ids = more;
    if (n > 0)
        memcpy(more + find->n, ids, n * sizeof *ids);
    find->n += n;
    return find->n <= UINT32_MAX ? 0 : cli_wrong("more than %u ids are listed", UINT32_MAX);
}

static int read_arguments(cli_find *find, const tagma_id_axes *axes)
{
    const cli_opts *opts = find->session->opts;

    for (size_t i = 0; i < opts->n_ids; i++) {
        tagma_id id;

        if (tagma_id_parse(find->session->ctx, axes, opts->id_args[i], NULL, &id) != TAGMA_OK)
            return cli_failed(find->session);
        if (join_ids(find, &id, 1) != 0)
            return 2;
    }
    return 0;
}

static int read_list(cli_find *find, const tagma_id_axes *axes)
{
    const cli_opts *opts = find->session->opts;
    tagma_ctx *ctx = find->session->ctx;
    tagma_idlist list = {0};
    const char *name = strcmp(opts->list, "-") == 0 ? "stdin" : opts->list;
    char *text;
    size_t n;
    tagma_status st;
    int status = cli_read_text(opts->list, &text, &n);

    if (status != 0)
        return status;
    st = tagma_idlist_parse(ctx, axes, text, n, name, &list);
    free(text);
    if (st < 0)
        return cli_failed(find->session);
    if (st == TAGMA_ABSENT && opts->n_ids == 0)
        return cli_no("%s", tagma_ctx_message(ctx));
    status = join_ids(find, list.ids, list.n);
    tagma_idlist_free(ctx, &list);
    return status;
}

static int by_id(const void *a, const void *b, void *ids)
{
    uint32_t i = *(const uint32_t *)a;
    uint32_t k = *(const uint32_t *)b;
    int order = cli_id_compare((const tagma_id *)ids + i, (const tagma_id *)ids + k);

    return order != 0 ? order : i < k ? -1 : i > k;
}

static int find_twins(cli_find *find)
{
    uint32_t *order = malloc((find->n + 1) * sizeof *order);
    uint32_t first = 0;

    find->twins = malloc((find->n + 1) * sizeof *find->twins);
    if (order == NULL || find->twins == NULL) {
        free(order);
        return cli_no_memory();
    }
    for (size_t i = 0; i < find->n; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, find->n, sizeof *order, by_id, find->ids);
    for (size_t i = 0; i < find->n; i++) {
        if (i == 0 || cli_id_compare(&find->ids[order[i - 1]], &find->ids[order[i]]) != 0)
            first = order[i];
        find->twins[order[i]] = first;
        find->n_repeated += first != order[i];
    }
    free(order);
    return 0;
}

/* The words about a tree without ids, unless nothing but @N is asked for. */
static int refuse(cli_find *find, const char *no_ids)
{
    for (size_t i = 0; i < find->session->opts->n_ids; i++) {
        if (find->session->opts->id_args[i][0] != '@')
            return cli_raise(find->session, cli_wrong("%s", no_ids));
    }
    return 0;
}

int cli_find_read_ids(cli_find *find, const char *tree, const char *no_ids)
{
    const cli_opts *opts = find->session->opts;
    tagma_id_axes axes = cli_axes_view(&find->axes, tree);
    int status = find->axes.n == 0 ? refuse(find, no_ids) : 0;

    if (status == 0)
        status = read_arguments(find, &axes);
    if (status == 0 && opts->list != NULL) {
        status = read_list(find, &axes);
        if (status == 2 && find->axes.n == 0)
            cli_wrong("%s", no_ids);
    }
    if (status == 0)
        status = find_twins(find);
    return status;
}
