/* SPDX-License-Identifier: Apache-2.0
 * Ids to entries, over all files, before anything is read. */
#include "cli/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/find_parts.h"
#include "cli/reads.h"
#include "cli/say.h"

/* Trouble of one file that leaves the others their worth. */
static bool is_of_the_file(tagma_status st)
{
    return st == TAGMA_E_IO || st == TAGMA_E_CORRUPT || st == TAGMA_E_TRUNCATED ||
           st == TAGMA_E_UNSUPPORTED || st == TAGMA_E_LIMIT;
}

/* @return 0 where the other files go on, 2 where nothing does. */
static int unsearched(cli_find *find, tagma_status st)
{
    const char *words = tagma_ctx_message(find->session->ctx);

    find->n_unsearched++;
    cli_text_put(&find->causes, words, strlen(words) + 1);
    cli_failed(find->session);
    /* Ids that no number can be made of are no question of this file or that, where there is one only. */
    if (st == TAGMA_E_UNSUPPORTED && find->inputs->n == 1)
        return 2;
    return is_of_the_file(st) ? 0 : 2;
}

static void look_at(cli_find *find, size_t f)
{
    struct stat seen;

    if (stat(find->inputs->at[f].path, &seen) != 0)
        return;
    find->files[f].bytes = (uint64_t)seen.st_size;
    find->files[f].changed_s = seen.st_mtim.tv_sec;
    find->files[f].changed_ns = seen.st_mtim.tv_nsec;
}

static bool has_told(const cli_text *told, const char *words)
{
    for (size_t at = 0; at < told->n; at += strlen(told->bytes + at) + 1)
        if (strcmp(told->bytes + at, words) == 0)
            return true;
    return false;
}

/* Files of one dataset often share a friend: it is told once. */
static void tell_friends(cli_find *find, const tagma_events *events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    tagma_events_get_info(events, &info);
    for (uint32_t i = 0; i < info.n_friends; i++) {
        const char *name;
        const char *file;
        cli_text words = {0};
        if (tagma_events_friend(events, i, &name, &file) != TAGMA_OK)
            continue;
        cli_text_words(&words, "friend ");
        cli_text_words(&words, name);
        cli_text_words(&words, " in ");
        cli_text_words(&words, *file != '\0' ? file : info.file);
        cli_text_words(&words, " not read");
        cli_text_put(&words, "", 1);
        if (!words.is_short && !has_told(&find->friends, words.bytes)) {
            cli_word("%s", words.bytes);
            cli_text_put(&find->friends, words.bytes, words.n);
        }
        cli_text_free(&words);
    }
}

/* What the first file that opens decides: axes, and how the ids are read. */
static int begin_with(cli_find *find, const tagma_events *events, const tagma_ids *ids, bool has_ids,
                      const char *no_ids)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    cli_text words = {0};
    int status;

    tagma_events_get_info(events, &info);
    if (has_ids && cli_axes_new(&find->axes, tagma_events_schema(events), ids) != 0)
        return 2;
    find->has_axes = true;
    if (has_ids) {
        cli_axes_words(&words, &find->axes);
        if (!words.is_short)
            cli_word("ids: %s", words.bytes);
        cli_text_free(&words);
    }
    status = cli_find_read_ids(find, info.tree, no_ids);
    if (status != 0)
        return status;
    find->depths = calloc(find->n + 1, sizeof *find->depths);
    find->begins = calloc(find->n + 2, sizeof *find->begins);
    return find->depths != NULL && find->begins != NULL ? 0 : cli_no_memory();
}

/* A mistyped column is told before an index is built for nothing. */
static int check_columns(cli_find *find, const tagma_events *events)
{
    cli_selection selection = {0};
    int status = find->session->opts->columns != NULL ? cli_select(find->session, events, &selection) : 0;

    cli_selection_free(&selection);
    return status;
}

/* Every file must have the same axes. */
static int check_axes(cli_find *find, const tagma_events *events, const char *path)
{
    tagma_ids ids;
    cli_axes axes = {0};
    cli_text a = {0};
    cli_text b = {0};
    int status = 0;
    tagma_status st = tagma_events_ids(find->session->ctx, events, &ids);
    bool has_ids = st == TAGMA_OK;

    if (st < 0)
        return cli_failed(find->session);
    tell_friends(find, events);
    if (!find->has_axes) {
        char *no_ids = strdup(has_ids ? "" : tagma_ctx_message(find->session->ctx));
        status = no_ids != NULL ? begin_with(find, events, &ids, has_ids, no_ids) : cli_no_memory();
        free(no_ids);
        return status;
    }
    if (has_ids && cli_axes_new(&axes, tagma_events_schema(events), &ids) != 0)
        return 2;
    if (!cli_axes_equal(&axes, &find->axes)) {
        cli_axes_words(&a, &axes);
        cli_axes_words(&b, &find->axes);
        status =
            cli_wrong("%s has other ids (%s) than the first file (%s); name the columns with --ids A,B,C",
                      path, axes.n > 0 ? a.bytes : "none", find->axes.n > 0 ? b.bytes : "none");
    }
    cli_text_free(&a);
    cli_text_free(&b);
    cli_axes_free(&axes);
    return status;
}

static void keep_index(cli_find *find, const tagma_events *events, const tagma_index *index)
{
    if (!find->session->opts->keep_index)
        return;
    if (tagma_events_save_sidecar(find->session->ctx, events, index, NULL, false) < 0)
        cli_word("%s", tagma_ctx_message(find->session->ctx));
    else
        find->n_kept++;
}

static tagma_status build(cli_find *find, uint32_t f, tagma_events *events, tagma_index **index)
{
    double began = cli_now();
    tagma_reader *reader = NULL;
    tagma_status st;

    cli_enter(find->session, CLI_PHASE_INDEX);
    if (cli_reader(find->session, events, &reader) != 0)
        return TAGMA_E_MEMORY;
    st = tagma_events_build_index(find->session->ctx, reader, index);
    find->files[f].reader = find->inputs->n == 1 ? reader : NULL;
    if (find->inputs->n != 1)
        cli_reader_done(find->session, reader);
    if (st < 0)
        return st;
    find->index_seconds += cli_now() - began;
    find->n_built++;
    keep_index(find, events, *index);
    return st;
}

static bool needs_index(const cli_find *find)
{
    for (size_t i = 0; i < find->n; i++) {
        if (!find->ids[i].is_entry)
            return true;
    }
    return false;
}

static int search(cli_find *find, uint32_t f, tagma_events *events)
{
    const tagma_index *index = NULL;
    tagma_index *built = NULL;
    tagma_index_info info = {.struct_bytes = sizeof info};
    tagma_status st;
    int status;

    find->files[f].n_entries = tagma_events_n_entries(events);
    if (needs_index(find)) {
        st = tagma_events_index(find->session->ctx, events, &index);
        if (st == TAGMA_ABSENT) {
            st = build(find, f, events, &built);
            index = built;
        }
        if (st < 0)
            return unsearched(find, st);
        cli_enter(find->session, CLI_PHASE_INDEX);
        tagma_index_get_info(index, &info);
        if (info.n_entries > 0)
            cli_find_widen(find, 0, info.min[0], info.max[0]);
        status = cli_find_match(find, f, index);
        tagma_index_release(built);
        if (status != 0)
            return status;
    }
    find->files[f].is_searched = true;
    return cli_find_entries(find, f);
}

static int one_file(cli_find *find, uint32_t f)
{
    cli_find_file *file = &find->files[f];
    tagma_events *events = NULL;
    tagma_status st;
    int status;

    cli_enter(find->session, CLI_PHASE_OPEN);
    look_at(find, f);
    st = cli_open(find->session, &find->inputs->at[f], cli_sidecar(find->session->opts), &events);
    if (st < 0)
        return unsearched(find, st);
    status = check_columns(find, events);
    if (status == 0)
        status = check_axes(find, events, find->inputs->at[f].path);
    if (status == 0)
        status = search(find, f, events);
    if (find->inputs->n <= CLI_MAX_OPEN)
        file->events = events;
    else
        tagma_events_release(events);
    return status;
}

static void tell_index(const cli_find *find)
{
    if (find->n_built > find->n_kept)
        cli_word("index built in %.1f s, not kept; tagma index FILE keeps it", find->index_seconds);
    else if (find->n_built > 0)
        cli_word("index built in %.1f s and kept", find->index_seconds);
}

int cli_find_all(cli_find *find, cli_session *session, const cli_inputs *inputs)
{
    int status = 0;

    memset(find, 0, sizeof *find);
    find->session = session;
    find->inputs = inputs;
    find->files = calloc(inputs->n, sizeof *find->files);
    if (find->files == NULL)
        return cli_no_memory();
    for (uint32_t f = 0; f < inputs->n && status == 0; f++)
        status = one_file(find, f);
    if (status == 0 && !find->has_axes)
        status = 2;
    if (status == 0)
        status = cli_find_gather(find);
    if (status == 0)
        tell_index(find);
    return status;
}

void cli_find_free(cli_find *find)
{
    for (size_t f = 0; find->files != NULL && f < find->inputs->n; f++) {
        cli_reader_done(find->session, find->files[f].reader);
        tagma_events_release(find->files[f].events);
    }
    free(find->files);
    cli_text_free(&find->causes);
    cli_text_free(&find->friends);
    cli_axes_free(&find->axes);
    free(find->ids);
    free(find->twins);
    free(find->hits);
    free(find->begins);
    free(find->depths);
    memset(find, 0, sizeof *find);
}

tagma_status cli_find_events(cli_find *find, uint32_t f, tagma_events **out)
{
    cli_find_file before = find->files[f];
    tagma_status st;

    *out = NULL;
    if (before.events != NULL) {
        *out = tagma_events_acquire(before.events);
        return TAGMA_OK;
    }
    look_at(find, f);
    if (before.bytes != find->files[f].bytes || before.changed_s != find->files[f].changed_s ||
        before.changed_ns != find->files[f].changed_ns)
        return TAGMA_E_CHANGED;
    st = cli_open(find->session, &find->inputs->at[f], cli_sidecar(find->session->opts), out);
    if (st == TAGMA_OK && tagma_events_n_entries(*out) != before.n_entries) {
        tagma_events_release(*out);
        *out = NULL;
        return TAGMA_E_CHANGED;
    }
    return st;
}

int cli_find_failed(cli_find *find, uint32_t f, tagma_status st)
{
    if (st == TAGMA_E_CHANGED)
        return cli_raise(find->session, cli_wrong("%s changed while it was read; results discarded",
                                                  find->inputs->at[f].path));
    cli_failed(find->session);
    return is_of_the_file(st) ? 0 : 2;
}
