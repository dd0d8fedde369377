/* SPDX-License-Identifier: Apache-2.0
 * Facts of files and trees. */
#include "cli/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/infojson.h"
#include "cli/say.h"
#include "cli/storefacts.h"

static void put(const cli_facts *facts, const char *name, const char *format, ...) TAGMA_PRINTF(3, 4);
static void put(const cli_facts *facts, const char *name, const char *format, ...)
{
    char words[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    facts->put(facts->user, name, words);
}

/* Words of any length, from one of their bytes on; nothing where there are none. */
static void put_text_from(const cli_facts *facts, const char *name, cli_text *words, size_t first)
{
    bool has_words = words->n > first;

    cli_text_char(words, '\0');
    if (has_words && !words->is_short)
        facts->put(facts->user, name, words->bytes + first);
    words->n = 0;
}

static void put_text(const cli_facts *facts, const char *name, cli_text *words)
{
    put_text_from(facts, name, words, 0);
}

void cli_facts_file(const cli_facts *facts, const cli_trees *trees)
{
    const tagma_file_info *info = &trees->info;
    bool is_root = strcmp(info->kind, "ROOT") == 0;
    char number[CLI_NUMBER_BYTES], bytes[CLI_NUMBER_BYTES];
    cli_text words = {0};

    put(facts, "kind", "%s%s, format %" PRId32, info->kind, is_root ? " file" : "", info->version);
    put(facts, "written by", "%s%s", is_root ? "ROOT " : "", info->producer);
    put(facts, "size", "%s (%s bytes)", cli_bytes(info->bytes, bytes), cli_grouped(info->bytes, number));
    put(facts, is_root ? "codec" : "layout", "%s", info->codec);
    put(facts, "condition", "%s", cli_condition_words(info->condition));
    if (*info->uuid != '\0')
        put(facts, "uuid", "%s", info->uuid);
    cli_trees_others(trees, &words);
    put_text_from(facts, "also", &words, strlen("also "));
    cli_text_free(&words);
}

/* "38 runs (273158-284044), 5,123 luminosity blocks, 81,230 events" */
static void put_index(const cli_facts *facts, const cli_axes *axes, const tagma_index *index)
{
    tagma_index_info info = {.struct_bytes = sizeof info};
    cli_text words = {0};
    char number[CLI_NUMBER_BYTES];

    tagma_index_get_info(index, &info);
    for (uint32_t a = 0; a < info.n_axes && a < axes->n; a++) {
        const char *role = cli_axes_role(axes, a);
        uint64_t n = info.n_distinct[a];

        cli_text_format(&words, "%s%s %s%s", a > 0 ? ", " : "", cli_grouped(n, number),
                        strcmp(role, "lumi") == 0 ? "luminosity block" : role, cli_s(n));
        if (a > 0 || info.n_entries == 0)
            continue;
        cli_text_words(&words, " (");
        cli_put_axis(&words, axes, a, info.min[a]);
        if (info.min[a] != info.max[a]) {
            cli_text_char(&words, '-');
            cli_put_axis(&words, axes, a, info.max[a]);
        }
        cli_text_char(&words, ')');
    }
    put_text(facts, "indexed", &words);
    cli_text_free(&words);
    if (info.n_repeated_ids > 0)
        put(facts, "duplicates", "%s id%s several entries", cli_grouped(info.n_repeated_ids, number),
            info.n_repeated_ids == 1 ? " has" : "s have");
}

static int put_ids(const cli_facts *facts, const tagma_events *events)
{
    const tagma_index *index = NULL;
    const char *why;
    cli_axes axes;
    cli_text words = {0};

    if (cli_info_axes(facts->session, events, &axes, &why) != 0)
        return 2;
    if (tagma_events_index(facts->session->ctx, events, &index) < 0)
        cli_failed(facts->session);
    if (axes.n > 0)
        cli_axes_words(&words, &axes);
    else
        cli_text_words(&words, why);
    put_text(facts, "ids", &words);
    cli_text_free(&words);
    if (axes.n > 0 && index != NULL)
        put_index(facts, &axes, index);
    else if (axes.n > 0)
        put(facts, "indexed", "no; tagma index keeps an index of its ids");
    cli_axes_free(&axes);
    return 0;
}

/* What lies in the tree's own record has no size on disk of its own. */
static void put_bytes(const cli_facts *facts, const cli_summary *summary, const tagma_events_info *info)
{
    char n[2][CLI_NUMBER_BYTES];

    if (summary->n_embedded == 0 && info->packed_bytes > 0)
        put(facts, "bytes", "%s on disk, %s unpacked, ratio %.2f", cli_bytes(info->packed_bytes, n[0]),
            cli_bytes(info->bytes, n[1]), (double)info->bytes / (double)info->packed_bytes);
    else
        put(facts, "bytes", "%s on disk, %s unpacked", cli_bytes(info->packed_bytes, n[0]),
            cli_bytes(info->bytes, n[1]));
}

/* What the store was made of, and what stands beside it. */
static void put_origin(const cli_facts *facts, const tagma_events *events, const tagma_store_info *stored)
{
    tagma_ctx *ctx = facts->session->ctx;
    char number[CLI_NUMBER_BYTES];
    cli_text words = {0};

    for (uint32_t i = 0; i < stored->n_sources && i < facts->n_sources; i++) {
        cli_put_source(&words, ctx, events, i);
        put_text(facts, i == 0 ? "made of" : "", &words);
    }
    if (stored->n_sources > facts->n_sources)
        put(facts, "", "and %s more (--json)", cli_grouped(stored->n_sources - facts->n_sources, number));
    cli_text_words(&words, stored->options);
    put_text(facts, "options", &words);
    cli_put_absents(&words, ctx, events);
    put_text(facts, "not in it", &words);
    cli_text_free(&words);
}

static void put_store(const cli_facts *facts, const tagma_events *events, const tagma_store_info *stored)
{
    uint64_t n_events = tagma_events_n_entries(events);
    char n[5][CLI_NUMBER_BYTES];

    put_origin(facts, events, stored);
    put(facts, "bytes", "%s: tiles %s, columns section %s, index %s, the rest %s",
        cli_bytes(stored->bytes, n[0]), cli_bytes(stored->tile_bytes, n[1]),
        cli_bytes(stored->hot_bytes, n[2]), cli_bytes(stored->index_bytes, n[3]),
        cli_bytes(stored->other_bytes, n[4]));
    if (n_events > 0)
        put(facts, "an event", "%.1f B; %.1f in tiles, %.1f in the columns section (%s branch%s)",
            (double)stored->bytes / (double)n_events, (double)stored->tile_bytes / (double)n_events,
            (double)stored->hot_bytes / (double)n_events, cli_grouped(stored->n_hot, n[0]),
            stored->n_hot == 1 ? "" : "es");
}

static void put_friends(const cli_facts *facts, const tagma_events *events, const tagma_events_info *info)
{
    const char *name, *file;

    for (uint32_t i = 0; i < info->n_friends; i++)
        if (tagma_events_friend(events, i, &name, &file) == TAGMA_OK)
            put(facts, "friend", "%s in %s", name, *file != '\0' ? file : info->file);
}

int cli_facts_tree(const cli_facts *facts, const tagma_tree_info *tree, const tagma_events *events,
                   const cli_summary *summary, const tagma_store_info *stored)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    char n[2][CLI_NUMBER_BYTES];
    int status;

    tagma_events_get_info(events, &info);
    if (tree->title != NULL && *tree->title != '\0' && strcmp(tree->title, tree->name) != 0)
        put(facts, "title", "%s", tree->title);
    put(facts, "entries", "%s in %s cluster%s", cli_grouped(info.n_entries, n[0]),
        cli_grouped(info.n_clusters, n[1]), cli_s(info.n_clusters));
    if (summary->n_unsupported > 0)
        put(facts, "branches", "%s, of them %s unsupported (tagma ls -l tells why)",
            cli_grouped(summary->n_columns, n[0]), cli_grouped(summary->n_unsupported, n[1]));
    else
        put(facts, "branches", "%s", cli_grouped(summary->n_columns, n[0]));
    if (stored == NULL)
        put_bytes(facts, summary, &info);
    put_friends(facts, events, &info);
    status = put_ids(facts, events);
    if (stored != NULL)
        put_store(facts, events, stored);
    return status;
}
