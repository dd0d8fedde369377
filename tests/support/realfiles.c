/* SPDX-License-Identifier: Apache-2.0
 * Find and read the files of tests. */
#include "support/realfiles.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *test_collection(void)
{
    static char path[1024];
    const char *shared = getenv("TAGMA_SHARED");

    snprintf(path, sizeof path, "%s/data/root", shared ? shared : "../shared");
    return access(path, R_OK | X_OK) == 0 ? path : NULL;
}

char **test_root_files(void)
{
    const char *folders[] = {"tests/data", test_collection(), NULL};
    char pattern[1200];
    char **paths;
    glob_t found;

    memset(&found, 0, sizeof found);
    for (size_t i = 0; folders[i]; i++) {
        snprintf(pattern, sizeof pattern, "%s/*.root", folders[i]);
        glob(pattern, i > 0 ? GLOB_APPEND : 0, NULL, &found);
        snprintf(pattern, sizeof pattern, "%s/*/*.root", folders[i]);
        glob(pattern, GLOB_APPEND, NULL, &found);
    }
    paths = calloc(found.gl_pathc + 1, sizeof *paths);
    if (!paths)
        abort();
    for (size_t i = 0; i < found.gl_pathc; i++) {
        paths[i] = strdup(found.gl_pathv[i]);
        if (!paths[i])
            abort();
    }
    globfree(&found);
    return paths;
}

void test_paths_free(char **paths)
{
    for (size_t i = 0; paths[i]; i++)
        free(paths[i]);
    free((void *)paths);
}

test_bytes test_read_file(const char *path)
{
    test_bytes file = {NULL, 0};
    FILE *in = fopen(path, "rb");
    uint8_t piece[65536];
    size_t n;

    if (!in) {
        fprintf(stderr, "%s cannot be read\n", path);
        abort();
    }
    while ((n = fread(piece, 1, sizeof piece, in)) > 0)
        test_append(&file, piece, n);
    fclose(in);
    return file;
}

const char *test_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}
