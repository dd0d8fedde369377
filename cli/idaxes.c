/* SPDX-License-Identifier: Apache-2.0
 * The id columns of a tree, kept beyond the tree; and ids as text. */
#include "cli/idaxes.h"

#include <stdlib.h>

#include "cli/number.h"
#include "cli/say.h"

int cli_axes_new(cli_axes *axes, const tagma_schema *schema, const tagma_ids *ids)
{
    memset(axes, 0, sizeof *axes);
    axes->n = ids->n_axes;
    for (uint32_t i = 0; i < ids->n_axes; i++) {
        axes->is_signed[i] = ids->is_signed[i];
        axes->roles[i] = ids->roles[i];
        axes->names[i] = strdup(tagma_schema_column(schema, ids->columns[i])->name);
        if (axes->names[i] == NULL)
            return cli_no_memory();
    }
    return 0;
}

void cli_axes_free(cli_axes *axes)
{
    for (uint32_t i = 0; i < axes->n; i++)
        free(axes->names[i]);
    memset(axes, 0, sizeof *axes);
}

bool cli_axes_equal(const cli_axes *a, const cli_axes *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        if (strcmp(a->roles[i], b->roles[i]) != 0 || a->is_signed[i] != b->is_signed[i])
            return false;
    }
    return true;
}

const char *cli_axes_role(const cli_axes *axes, uint32_t axis)
{
    return *axes->roles[axis] != '\0' ? axes->roles[axis] : axes->names[axis];
}

void cli_axes_words(cli_text *text, const cli_axes *axes)
{
    for (uint32_t i = 0; i < axes->n; i++) {
        if (i > 0)
            cli_text_char(text, ' ');
        if (*axes->roles[i] != '\0')
            cli_text_format(text, "%s=", axes->roles[i]);
        cli_text_words(text, axes->names[i]);
    }
    cli_text_char(text, '\0');
}

void cli_put_axis(cli_text *text, const cli_axes *axes, uint32_t axis, uint64_t value)
{
    char *to = cli_text_room(text, CLI_RUN_BYTES);
    char *end;

    if (to == NULL)
        return;
    end = axes->is_signed[axis] ? cli_put_i64(to, (int64_t)value) : cli_put_u64(to, value);
    text->n += (size_t)(end - to);
}

tagma_id_axes cli_axes_view(const cli_axes *axes, const char *tree)
{
    tagma_id_axes view = {.n_axes = axes->n, .tree = tree};

    for (uint32_t i = 0; i < axes->n; i++) {
        view.names[i] = axes->names[i];
        view.roles[i] = axes->roles[i];
        view.is_signed[i] = axes->is_signed[i];
    }
    return view;
}

void cli_put_id(cli_text *text, const cli_axes *axes, const tagma_id *id)
{
    tagma_id_axes view = cli_axes_view(axes, "");
    char *to = cli_text_room(text, TAGMA_ID_TEXT_BYTES);

    if (to != NULL)
        text->n += tagma_id_spell(&view, id, to, TAGMA_ID_TEXT_BYTES);
}

bool cli_id_is_whole(const tagma_id *id, uint32_t n_axes)
{
    return !id->is_entry && id->given == (1U << n_axes) - 1;
}

int cli_id_compare(const tagma_id *a, const tagma_id *b)
{
    if (a->is_entry != b->is_entry)
        return a->is_entry ? 1 : -1;
    if (a->given != b->given)
        return a->given < b->given ? -1 : 1;
    for (uint32_t i = 0; i < TAGMA_MAX_ID_AXES; i++) {
        if (a->axes[i] != b->axes[i])
            return a->axes[i] < b->axes[i] ? -1 : 1;
    }
    return 0;
}

void cli_put_id_cells(cli_text *text, const cli_cell *cells, uint32_t n_axes, uint64_t i, uint64_t entry)
{
    size_t begin = text->n;
    bool whole = n_axes > 0;

    for (uint32_t a = 0; a < n_axes && whole; a++) {
        if (a > 0)
            cli_text_char(text, ':');
        whole = cli_value_whole(text, &cells[a], i);
    }
    if (whole)
        return;
    text->n = begin;
    cli_text_char(text, '@');
    cli_text_u64(text, entry);
}
