/* SPDX-License-Identifier: Apache-2.0
 * "FILE:TREE" and "NAME;CYCLE": the words a user writes, taken apart. */
#include "open/path.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <tagma/events.h>

#include "base/num.h"

static bool is_file(const char *path, size_t n)
{
    char own[PATH_MAX];
    struct stat info;

    if (n >= sizeof own)
        return false;
    memcpy(own, path, n);
    own[n] = 0;
    return stat(own, &info) == 0;
}

const char *tagma_path_tree(const char *path)
{
    const char *root;

    if (is_file(path, strlen(path)))
        return NULL;
    /* A colon may stand in a file's own name, so the longest prefix that is a file wins. */
    for (size_t n = strlen(path); n > 1; n--)
        if (path[n - 1] == ':' && path[n] != 0 && is_file(path, n - 1))
            return path + n;
    root = strstr(path, ".root:");
    return root && root[6] ? root + 6 : NULL;
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
