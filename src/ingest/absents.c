/* SPDX-License-Identifier: Apache-2.0
 * What of the inputs is not in the store: listed, so that nobody takes the store for all there was. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "event/events.h"
#include "ingest/fixing.h"
#include "store/store.h"

static tagma_status add(tagma_ctx *ctx, tg_inputs *inputs, tg_provenance_absent absent)
{
    void *block = inputs->absents;

    absent.name = tg_arena_text(ctx, &inputs->words, absent.name, strlen(absent.name));
    absent.words = tg_arena_text(ctx, &inputs->words, absent.words, strlen(absent.words));
    if (!absent.name || !absent.words)
        return TAGMA_E_MEMORY;
    TG_TRY(
        tg_reserve(ctx, &block, &inputs->absents_capacity, inputs->n_absents + 1, sizeof *inputs->absents));
    inputs->absents = block;
    if (inputs->n_absents == UINT32_MAX)
        return tg_fail(ctx, TAGMA_E_LIMIT, "over %u things are not in the store", UINT32_MAX);
    inputs->absents[inputs->n_absents++] = absent;
    return TAGMA_OK;
}

/* Columns that the inputs share are told of the first: what it has of that name is not taken either, since all take the same. */
static bool is_told(const tg_inputs *inputs, uint32_t source, const tagma_column *column)
{
    const tagma_column *first;

    if (source == 0)
        return false;
    first =
        tagma_schema_column(inputs->first->schema, tagma_schema_find(inputs->first->schema, column->name));
    return first && !first->reason == !column->reason;
}

tagma_status tg_absent_column(tagma_ctx *ctx, tg_inputs *inputs, uint32_t source, const tagma_schema *schema,
                              uint32_t column)
{
    const tagma_column *it = tagma_schema_column(schema, column);
    const char *why = inputs->options->layout == TAGMA_STORE_FIXED ? tg_fixing_reason(it) : it->reason;
    tagma_absent_kind kind = why ? TAGMA_ABSENT_UNSUPPORTED : TAGMA_ABSENT_COLUMN;
    char type[256];

    if (is_told(inputs, source, it))
        return TAGMA_OK;
    tagma_schema_spell(schema, column, type, sizeof type);
    return add(ctx, inputs, (tg_provenance_absent){source, kind, it->name, why ? why : type, 0});
}

/* "Runs", "LuminosityBlocks", "sumWeights_loose", "SumOfWeights": by the last name of the path. */
static bool has_weights(const char *path)
{
    static const char *const whole[] = {"runs", "luminosityblocks"}, *const parts[] = {"sumweight",
                                                                                       "sumofweight"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char lower[64];
    size_t n = 0;

    for (; *name && n + 1 < sizeof lower; name++)
        if (*name != '_')
            lower[n++] = (char)tolower((unsigned char)*name);
    lower[n] = 0;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(lower, whole[i]) == 0 || strstr(lower, parts[i]))
            return true;
    return false;
}

static tagma_status add_trees(tagma_ctx *ctx, tg_inputs *inputs, uint32_t source, tagma_file *file,
                              const tagma_events *events)
{
    tagma_file_info info = {.struct_bytes = sizeof info};
    tagma_tree_info tree = {.struct_bytes = sizeof tree};
    char name[1024];

    tagma_file_get_info(file, &info);
    for (uint32_t i = 0; i < info.n_trees; i++) {
        TG_TRY(tagma_file_tree(ctx, file, i, &tree));
        if (strcmp(tree.name, events->info.tree) == 0 && tree.cycle == events->info.cycle)
            continue;
        snprintf(name, sizeof name, tree.is_newest ? "%s" : "%s;%" PRIu32, tree.name, tree.cycle);
        TG_TRY(add(ctx, inputs,
                   (tg_provenance_absent){source,
                                          has_weights(tree.name) ? TAGMA_ABSENT_WEIGHTS : TAGMA_ABSENT_TREE,
                                          name, tree.class_name, tree.n_entries}));
    }
    return TAGMA_OK;
}

/* A store says what was absent from it: that is absent from what is made of it as well. */
static tagma_status add_inherited(tagma_ctx *ctx, tg_inputs *inputs, uint32_t source,
                                  const tagma_events *events)
{
    tg_provenance provenance;
    void *block = NULL;
    tagma_status st = tg_store_provenance(ctx, events, &provenance, &block);

    for (uint32_t i = 0; st == TAGMA_OK && i < provenance.n_absents; i++) {
        tg_provenance_absent absent = provenance.absents[i];

        absent.source = source;
        st = add(ctx, inputs, absent);
    }
    tg_free(ctx, block);
    return st;
}

tagma_status tg_absent_others(tagma_ctx *ctx, tg_inputs *inputs, uint32_t source, tagma_file *file,
                              const tagma_events *events)
{
    tagma_file_info info = {.struct_bytes = sizeof info};
    const char *name, *other;
    char words[1024];
    uint64_t n;

    if (tg_events_are_store(events))
        return add_inherited(ctx, inputs, source, events);
    TG_TRY(add_trees(ctx, inputs, source, file, events));
    tagma_file_get_info(file, &info);
    for (uint32_t i = 0; i < info.n_classes; i++)
        if (tagma_file_class(file, i, &name, &n) == TAGMA_OK)
            TG_TRY(add(ctx, inputs, (tg_provenance_absent){source, TAGMA_ABSENT_OBJECTS, name, "", n}));
    for (uint32_t i = 0; i < events->info.n_friends; i++) {
        if (tagma_events_friend(events, i, &name, &other) != TAGMA_OK)
            continue;
        other = *other ? other : events->info.file;
        tg_note(ctx, "friend %s in %s is not converted", name, other);
        snprintf(words, sizeof words, "friend in %s", other);
        TG_TRY(add(ctx, inputs, (tg_provenance_absent){source, TAGMA_ABSENT_TREE, name, words, 0}));
    }
    return TAGMA_OK;
}

tagma_status tg_absent_refuse(tagma_ctx *ctx, const tg_inputs *inputs)
{
    enum { SHOWN = 10 };
    char words[600] = "";
    size_t used = 0;
    uint64_t n = 0;

    for (uint64_t i = 0; i < inputs->n_absents; i++) {
        const tg_provenance_absent *it = &inputs->absents[i];

        if (it->kind != TAGMA_ABSENT_OBJECTS && it->kind != TAGMA_ABSENT_TREE &&
            it->kind != TAGMA_ABSENT_WEIGHTS)
            continue;
        if (n < SHOWN && used < sizeof words)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", n > 0 ? ", " : "", it->name);
        n++;
    }
    if (n == 0)
        return TAGMA_OK;
    if (n > SHOWN && used < sizeof words)
        snprintf(words + used, sizeof words - used, " and %" PRIu64 " more", n - SHOWN);
    return tg_fail(ctx, TAGMA_E_UNSUPPORTED, "a store holds one tree; these would not be in it: %s", words);
}
