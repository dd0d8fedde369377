/* SPDX-License-Identifier: Apache-2.0
 * Files that a test makes for itself, in a directory of its own. */
#include "support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void test_scratch_make(test_scratch *scratch)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(scratch->dir, sizeof scratch->dir, "%s/tagma-test-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch->dir))
        abort();
}

void test_scratch_remove(test_scratch *scratch)
{
    DIR *dir = opendir(scratch->dir);

    if (!dir)
        abort();
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(test_scratch_path(scratch, entry->d_name));
    closedir(dir);
    rmdir(scratch->dir);
}

const char *test_scratch_path(test_scratch *scratch, const char *name)
{
    snprintf(scratch->path, sizeof scratch->path, "%s/%s", scratch->dir, name);
    return scratch->path;
}

const char *test_scratch_write(test_scratch *scratch, const char *name, const void *bytes, size_t n)
{
    FILE *file = fopen(test_scratch_path(scratch, name), "wb");

    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        abort();
    return scratch->path;
}
