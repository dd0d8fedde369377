/* SPDX-License-Identifier: Apache-2.0
 * Runs a fuzz target over committed inputs, without libFuzzer: replay PATH... of files and folders of files. */
#include "fuzz.h"
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_INPUT_BYTES = 16 << 20, MAX_PATH_BYTES = 4096 };

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(MAX_INPUT_BYTES);
    uint8_t *exact;
    size_t size;

    if (!file || !data) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    size = fread(data, 1, MAX_INPUT_BYTES, file);
    fclose(file);
    /* A block of its own size, so that reading one byte too many is seen. */
    exact = malloc(size ? size : 1);
    if (!exact)
        exit(2);
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

static int run_path(const char *path)
{
    struct stat st;
    struct dirent *entry;
    char name[MAX_PATH_BYTES];
    DIR *folder;
    int n = 0;

    if (stat(path, &st) != 0)
        return 0; /* a door without finds has no folder of them */
    if (!S_ISDIR(st.st_mode))
        return run_file(path);
    folder = opendir(path);
    if (!folder)
        return 0;
    for (entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        if ((size_t)snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < sizeof name)
            n += run_path(name);
    }
    closedir(folder);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;

    for (int i = 1; i < argc; i++)
        n += run_path(argv[i]);
    printf("%d inputs\n", n);
    return n > 0 ? 0 : 1;
}
