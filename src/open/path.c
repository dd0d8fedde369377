/* SPDX-License-Identifier: Apache-2.0
 * "FILE:TREE" and "NAME;CYCLE": the words a user writes, taken apart. */
#include "open/path.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"

tagma_status tg_path_split(tagma_ctx *ctx, const char *path, char **file, const char **tree)
{
    struct stat info;
    char *colon;

    *tree = NULL;
    *file = tg_strdup(ctx, path);
    if (!*file)
        return TAGMA_E_MEMORY;
    if (stat(path, &info) == 0)
        return TAGMA_OK;
    /* A colon may stand in a file's own name, so the longest prefix that is a file wins. */
    for (colon = strrchr(*file, ':'); colon; colon = strrchr(*file, ':')) {
        *colon = 0;
        if (stat(*file, &info) == 0) {
            *tree = path + (colon - *file) + 1;
            return TAGMA_OK;
        }
    }
    strcpy(*file, path);
    return TAGMA_OK;
}

bool tg_tree_name_split(const char *text, size_t *name_length, uint32_t *cycle)
{
    const char *semicolon = strrchr(text, ';');
    uint64_t number = 0;

    *name_length = strlen(text);
    *cycle = 0;
    if (!semicolon || !semicolon[1])
        return false;
    for (const char *p = semicolon + 1; *p; p++) {
        if (!isdigit((unsigned char)*p))
            return false;
        number = number * 10 + (uint64_t)(*p - '0');
        if (number > UINT32_MAX)
            return false;
    }
    *name_length = (size_t)(semicolon - text);
    *cycle = (uint32_t)number;
    return true;
}

bool tg_tree_name_matches(const char *full, const char *wanted, size_t wanted_length)
{
    size_t length = strlen(full);
    const char *tail;

    if (length < wanted_length)
        return false;
    tail = full + (length - wanted_length);
    return memcmp(tail, wanted, wanted_length) == 0 && (tail == full || tail[-1] == '/');
}
