/* SPDX-License-Identifier: Apache-2.0
 * What a tree costs: bytes by collection, and how large its baskets are. */
#include "cli/summary.h"

#include <ctype.h>
#include <stdlib.h>
#include <tagma/store.h>

#include "cli/say.h"

const uint64_t cli_sizes[CLI_SIZES] = {0,      100,    300,     1000,    3000,     10000,    30000,
                                       100000, 300000, 1000000, 3000000, 10000000, 30000000, 100000000};

/* A column on its way into a group. */
typedef struct member {
    char *group;
    uint64_t bytes, packed_bytes, hot_bytes;
    bool is_column; /* else where lists of a store end */
} member;

/* The outermost collection's name, which is what its counter counts ("nMuon" counts Muon), else the column's own; of either the
 * front: "nJet_pt" counts what belongs to Jet as "Jet_pt" does. */
static char *group_named(const tagma_schema *schema, const char *name, uint32_t at)
{
    const char *end;

    while (at != TAGMA_NONE && tagma_schema_collection(schema, at)->parent != TAGMA_NONE)
        at = tagma_schema_collection(schema, at)->parent;
    if (at != TAGMA_NONE && tagma_schema_collection(schema, at)->count_column != TAGMA_NONE)
        name = tagma_schema_collection(schema, at)->name;
    if (name[0] == 'n' && isupper((unsigned char)name[1]))
        name++;
    end = strpbrk(name, "_.");
    return end != NULL && end != name ? strndup(name, (size_t)(end - name)) : strdup(name);
}

static char *group_of(const tagma_schema *schema, uint32_t column)
{
    const tagma_column *c = tagma_schema_column(schema, column);

    return group_named(schema, c->name, c->collection);
}

static int by_group(const void *a, const void *b)
{
    return strcmp(((const member *)a)->group, ((const member *)b)->group);
}

static int by_bytes(const void *a, const void *b)
{
    const cli_group_bytes *x = a;
    const cli_group_bytes *y = b;

    if (x->packed_bytes != y->packed_bytes)
        return x->packed_bytes > y->packed_bytes ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Sorted members to groups; names that stand alone are put together as "(others)". */
static int make_groups(cli_summary *s, member *members, size_t n)
{
    cli_group_bytes others = {.name = NULL};

    s->groups = calloc(n + 1, sizeof *s->groups);
    if (s->groups == NULL)
        return cli_no_memory();
    for (size_t i = 0; i < n;) {
        size_t end = i;
        cli_group_bytes group = {.name = members[i].group};
        while (end < n && strcmp(members[end].group, members[i].group) == 0) {
            group.bytes += members[end].bytes;
            group.packed_bytes += members[end].packed_bytes;
            group.hot_bytes += members[end].hot_bytes;
            group.n_columns += members[end].is_column;
            end++;
        }
        if (group.n_columns <= 1) {
            others.n_columns += group.n_columns;
            others.bytes += group.bytes;
            others.packed_bytes += group.packed_bytes;
            others.hot_bytes += group.hot_bytes;
        } else {
            members[i].group = NULL;
            s->groups[s->n_groups++] = group;
        }
        i = end;
    }
    if (others.n_columns > 0 || others.packed_bytes > 0) {
        others.name = strdup("(others)");
        if (others.name == NULL)
            return cli_no_memory();
        s->groups[s->n_groups++] = others;
    }
    qsort(s->groups, s->n_groups, sizeof *s->groups, by_bytes);
    return 0;
}

static void count_baskets(cli_summary *s, const tagma_events *events, uint32_t column, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        tagma_basket_info basket = {.struct_bytes = sizeof basket};
        unsigned size = 0;
        if (tagma_events_basket(events, column, i, &basket) != TAGMA_OK)
            continue;
        while (size + 1 < CLI_SIZES && basket.packed_bytes >= cli_sizes[size + 1])
            size++;
        s->n_baskets++;
        if (basket.packed_bytes == 0)
            s->n_embedded++;
        else
            s->sizes[size]++;
    }
}

/* Leaves of one branch tell the same baskets: they are counted with the first. */
static bool shares_baskets(const tagma_events *events, uint32_t column)
{
    tagma_basket_info here = {.struct_bytes = sizeof here};
    tagma_basket_info before = {.struct_bytes = sizeof before};

    return column > 0 && tagma_events_basket(events, column, 0, &here) == TAGMA_OK &&
           tagma_events_basket(events, column - 1, 0, &before) == TAGMA_OK && here.offset == before.offset &&
           here.packed_bytes != 0;
}

/* A column of a ROOT file, with its baskets. */
static void weigh_branch(cli_summary *s, const tagma_events *events, uint32_t column, member *to)
{
    tagma_storage storage = {.struct_bytes = sizeof storage};

    if (tagma_events_storage(events, column, &storage) != TAGMA_OK || shares_baskets(events, column))
        return;
    to->bytes = storage.bytes;
    to->packed_bytes = storage.packed_bytes;
    count_baskets(s, events, column, storage.n_baskets);
}

static void weigh_stored(const tagma_store_column *stored, member *to)
{
    to->bytes = stored->raw_bytes;
    to->hot_bytes = stored->hot_bytes;
    to->packed_bytes = (uint64_t)(stored->tile_bytes + 0.5) + stored->hot_bytes;
}

static int weigh(cli_summary *s, tagma_ctx *ctx, const tagma_events *events, member *members, uint32_t n,
                 uint32_t n_collections)
{
    const tagma_schema *schema = tagma_events_schema(events);
    tagma_store_column stored = {.struct_bytes = sizeof stored};

    for (uint32_t i = 0; i < n; i++) {
        s->n_unsupported += tagma_schema_column(schema, i)->reason != NULL;
        members[i].is_column = true;
        members[i].group = group_of(schema, i);
        if (members[i].group == NULL)
            return cli_no_memory();
        if (tagma_store_get_column(ctx, events, i, &stored) == TAGMA_OK)
            weigh_stored(&stored, &members[i]);
        else
            weigh_branch(s, events, i, &members[i]);
    }
    for (uint32_t i = 0; i < n_collections; i++) {
        member *to = &members[n + i];

        to->group = group_named(schema, tagma_schema_collection(schema, i)->name, i);
        if (to->group == NULL)
            return cli_no_memory();
        if (tagma_store_get_collection(ctx, events, i, &stored) == TAGMA_OK)
            weigh_stored(&stored, to);
    }
    return 0;
}

int cli_summary_new(cli_summary *s, tagma_ctx *ctx, const tagma_events *events)
{
    const tagma_schema *schema = tagma_events_schema(events);
    uint32_t n = tagma_schema_n_columns(schema);
    uint32_t n_collections = tagma_schema_n_collections(schema);
    tagma_store_info info = {.struct_bytes = sizeof info};
    member *members = calloc((size_t)n + n_collections + 1, sizeof *members);
    int status = members != NULL ? 0 : cli_no_memory();

    memset(s, 0, sizeof *s);
    s->n_columns = n;
    if (tagma_store_get_info(ctx, events, &info) != TAGMA_OK)
        n_collections = 0; /* lists end in baskets, which are counted */
    if (status == 0)
        status = weigh(s, ctx, events, members, n, n_collections);
    if (status == 0) {
        qsort(members, n + n_collections, sizeof *members, by_group);
        status = make_groups(s, members, n + n_collections);
    }
    for (uint32_t i = 0; i < n + n_collections && members != NULL; i++)
        free(members[i].group);
    free(members);
    return status;
}

void cli_summary_free(cli_summary *s)
{
    for (size_t i = 0; i < s->n_groups; i++)
        free(s->groups[i].name);
    free(s->groups);
    memset(s, 0, sizeof *s);
}
