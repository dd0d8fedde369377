/* SPDX-License-Identifier: Apache-2.0
 * Which file and entry an entry is told as. */
#include "cli/origins.h"

#include "cli/say.h"

int cli_origins_new(cli_session *session, const tagma_events *events, const char *path, cli_origins *out)
{
    tagma_events_info info = {.struct_bytes = sizeof info};

    out->path = path;
    out->of = NULL;
    tagma_events_get_info(events, &info);
    if (strcmp(info.kind, "ROOT") == 0)
        return 0;
    return tagma_origins_new(session->ctx, events, &out->of) < 0 ? cli_failed(session) : 0;
}

void cli_origins_free(cli_origins *origins)
{
    tagma_origins_free(origins->of);
    origins->of = NULL;
}

int cli_origins_at(const cli_origins *origins, uint64_t entry, cli_origin *out)
{
    uint32_t source;

    out->file = origins->path;
    out->entry = entry;
    if (origins->of == NULL)
        return 0;
    if (tagma_origins_at(origins->of, entry, &source, &out->entry) != TAGMA_OK)
        return cli_wrong("%s: its provenance does not tell which entry of which file entry %llu is",
                         origins->path, (unsigned long long)entry);
    out->file = tagma_origins_file(origins->of, source);
    return 0;
}
