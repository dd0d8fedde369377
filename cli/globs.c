/* SPDX-License-Identifier: Apache-2.0
 * Names and globs of branches for commands that look at all trees of a file: each has to pick something in one of them. */
#include "cli/globs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/say.h"

static void split(cli_globs *globs)
{
    for (char *word = globs->text, *next; word != NULL; word = next) {
        char *end = word;
        bool is_inside = false;

        for (; *end != '\0' && (is_inside || *end != ','); end++)
            is_inside = *end == '[' || (is_inside && *end != ']');
        next = *end != '\0' ? end + 1 : NULL;
        while (*word == ' ')
            word++;
        while (end > word && end[-1] == ' ')
            end--;
        *end = '\0';
        if (*word != '\0')
            globs->at[globs->n++] = word;
    }
}

int cli_globs_new(const char *const *words, size_t n_words, const char *columns, cli_globs *out)
{
    size_t most = n_words + 1;

    memset(out, 0, sizeof *out);
    for (const char *p = columns; p != NULL && *p != '\0'; p++)
        most += *p == ',';
    out->text = columns != NULL ? strdup(columns) : NULL;
    out->at = calloc(most, sizeof *out->at);
    out->is_used = calloc(most, sizeof *out->is_used);
    out->named = calloc(most, sizeof *out->named);
    if ((columns != NULL && out->text == NULL) || out->at == NULL || out->is_used == NULL ||
        out->named == NULL)
        return cli_no_memory();
    for (size_t i = 0; i < n_words; i++)
        out->at[out->n++] = words[i];
    split(out);
    if (columns != NULL && out->n == n_words)
        return cli_wrong("no branch is named between the commas of \"%s\"", columns);
    return 0;
}

void cli_globs_free(cli_globs *globs)
{
    free(globs->text);
    free(globs->at);
    free(globs->is_used);
    free(globs->named);
    memset(globs, 0, sizeof *globs);
}

void cli_globs_begin_file(cli_globs *globs)
{
    for (size_t g = 0; g < globs->n; g++)
        globs->is_used[g] = false;
}

void cli_globs_begin_tree(cli_globs *globs, const tagma_schema *schema)
{
    for (size_t g = 0; g < globs->n; g++)
        globs->named[g] = tagma_schema_find(schema, globs->at[g]);
}

bool cli_globs_pick(cli_globs *globs, uint32_t i, const tagma_column *column)
{
    bool picked = globs->n == 0;

    for (size_t g = 0; g < globs->n; g++) {
        bool fits = globs->named[g] != TAGMA_NONE ? globs->named[g] == i
                                                  : tagma_glob_match(globs->at[g], column->name) ||
                                                        tagma_glob_match(globs->at[g], column->path);
        if (fits)
            picked = globs->is_used[g] = true;
    }
    return picked;
}

size_t cli_globs_end_file(cli_globs *globs, cli_trees *trees)
{
    tagma_ctx *ctx = trees->session->ctx;
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    tagma_events *events;
    bool was_silent = trees->session->is_silent;
    size_t n_unused = 0;
    size_t n_told = 0;

    /* A tree that cannot be read was told before. */
    trees->session->is_silent = true;
    for (size_t g = 0; g < globs->n; g++)
        n_unused += !globs->is_used[g];
    trees->at = 0;
    while (n_told < n_unused && cli_trees_next(trees, &tree, &events)) {
        for (size_t g = 0; g < globs->n && events != NULL; g++) {
            size_t n;
            if (globs->is_used[g] ||
                tagma_schema_select(ctx, tagma_events_schema(events), globs->at[g], NULL, 0, &n) == TAGMA_OK)
                continue;
            globs->is_used[g] = true;
            n_told++;
            cli_wrong("%s: %s", trees->input->path, tagma_ctx_message(ctx));
            cli_raise(trees->session, 2);
        }
        tagma_events_release(events);
    }
    trees->session->is_silent = was_silent;
    return n_told;
}
