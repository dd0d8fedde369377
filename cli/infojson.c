/* SPDX-License-Identifier: Apache-2.0
 * tagma info --json. */
#include "cli/infojson.h"

#include <inttypes.h>

#include "cli/storefacts.h"
#include "cli/summary.h"

int cli_info_axes(cli_session *session, const tagma_events *events, cli_axes *axes, const char **words)
{
    tagma_ids ids;

    memset(axes, 0, sizeof *axes);
    *words = "none found";
    switch (tagma_events_ids(session->ctx, events, &ids)) {
    case TAGMA_OK:
        return cli_axes_new(axes, tagma_events_schema(events), &ids);
    case TAGMA_ABSENT:
        return 0;
    default:
        *words = tagma_ctx_message(session->ctx);
        return 0;
    }
}

static void json_summary(cli_json *json, const cli_summary *s)
{
    cli_json_member_u64(json, "branches", s->n_columns);
    cli_json_member_u64(json, "unsupported", s->n_unsupported);
    cli_json_member_u64(json, "baskets", s->n_baskets);
    cli_json_member_u64(json, "embedded_baskets", s->n_embedded);
    cli_json_key(json, "basket_sizes");
    cli_json_open(json, '[');
    for (size_t k = 0; k < CLI_SIZES; k++) {
        if (s->sizes[k] == 0)
            continue;
        cli_json_open(json, '{');
        cli_json_member_u64(json, "from", cli_sizes[k]);
        cli_json_member_u64(json, "baskets", s->sizes[k]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_key(json, "collections");
    cli_json_open(json, '[');
    for (size_t g = 0; g < s->n_groups; g++) {
        cli_json_open(json, '{');
        cli_json_member_string(json, "name", s->groups[g].name);
        cli_json_member_u64(json, "branches", s->groups[g].n_columns);
        cli_json_member_u64(json, "bytes", s->groups[g].bytes);
        cli_json_member_u64(json, "packed_bytes", s->groups[g].packed_bytes);
        cli_json_member_u64(json, "hot_bytes", s->groups[g].hot_bytes);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void json_index(cli_json *json, const cli_axes *axes, const tagma_index *index)
{
    tagma_index_info info = {.struct_bytes = sizeof info};

    tagma_index_get_info(index, &info);
    cli_json_open(json, '{');
    cli_json_member_u64(json, "ids", info.n_ids);
    cli_json_member_u64(json, "repeated", info.n_repeated_ids);
    cli_json_key(json, "distinct");
    cli_json_open(json, '{');
    for (uint32_t a = 0; a < info.n_axes && a < axes->n; a++)
        cli_json_member_u64(json, cli_axes_role(axes, a), info.n_distinct[a]);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

static int json_ids(cli_json *json, cli_session *session, const tagma_events *events)
{
    const tagma_index *index = NULL;
    const char *why;
    cli_axes axes;

    if (cli_info_axes(session, events, &axes, &why) != 0)
        return 2;
    if (tagma_events_index(session->ctx, events, &index) < 0)
        cli_failed(session);
    cli_json_key(json, "ids");
    cli_json_open(json, '{');
    for (uint32_t a = 0; a < axes.n; a++)
        cli_json_member_string(json, cli_axes_role(&axes, a), axes.names[a]);
    cli_json_close(json, '}');
    cli_json_key(json, "index");
    if (axes.n > 0 && index != NULL)
        json_index(json, &axes, index);
    else
        cli_json_null(json);
    cli_axes_free(&axes);
    return 0;
}

static uint64_t unpacked_bytes(const cli_summary *summary)
{
    uint64_t sum = 0;

    for (size_t g = 0; g < summary->n_groups; g++)
        sum += summary->groups[g].bytes;
    return sum;
}

int cli_json_info_tree(cli_json *json, cli_session *session, const tagma_tree_info *tree,
                       const tagma_events *events)
{
    tagma_events_info info = {.struct_bytes = sizeof info};
    cli_summary summary;
    int status = cli_summary_new(&summary, session->ctx, events);

    tagma_events_get_info(events, &info);
    if (info.bytes == 0) /* a store does not sum them up when it is opened */
        info.bytes = unpacked_bytes(&summary);
    cli_json_open(json, '{');
    cli_json_member_string(json, "name", tree->name);
    cli_json_member_u64(json, "cycle", tree->cycle);
    cli_json_member_string(json, "title", tree->title);
    cli_json_member_u64(json, "entries", info.n_entries);
    cli_json_member_u64(json, "clusters", info.n_clusters);
    cli_json_member_u64(json, "bytes", info.bytes);
    cli_json_member_u64(json, "packed_bytes", info.packed_bytes);
    cli_json_key(json, "friends");
    cli_json_open(json, '[');
    for (uint32_t i = 0; i < info.n_friends; i++) {
        const char *name;
        const char *file;
        if (tagma_events_friend(events, i, &name, &file) != TAGMA_OK)
            continue;
        cli_json_open(json, '{');
        cli_json_member_string(json, "name", name);
        cli_json_member_string(json, "file", *file != '\0' ? file : info.file);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (status == 0)
        status = json_ids(json, session, events);
    json_summary(json, &summary);
    cli_json_store(json, session->ctx, events);
    cli_json_close(json, '}');
    cli_summary_free(&summary);
    return status;
}

void cli_json_info_file(cli_json *json, const cli_trees *trees)
{
    const tagma_file_info *info = &trees->info;

    cli_json_member_string(json, "file", trees->input->path);
    cli_json_member_string(json, "kind", info->kind);
    cli_json_member_u64(json, "version", (uint64_t)(info->version > 0 ? info->version : 0));
    cli_json_member_string(json, "producer", info->producer);
    cli_json_member_u64(json, "bytes", info->bytes);
    cli_json_member_string(json, "codec", info->codec);
    cli_json_member_string(json, "condition", cli_condition_name(info->condition));
    cli_json_member_string(json, "uuid", info->uuid);
    cli_json_key(json, "others");
    cli_json_open(json, '{');
    for (uint32_t i = 0; i < info->n_classes; i++) {
        const char *name;
        uint64_t n;
        if (tagma_file_class(trees->file, i, &name, &n) == TAGMA_OK)
            cli_json_member_u64(json, name, n);
    }
    cli_json_close(json, '}');
}
