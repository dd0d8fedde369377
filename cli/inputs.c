/* SPDX-License-Identifier: Apache-2.0
 * Which files a command reads, and opening them with the options asked for. */
#include "cli/inputs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/say.h"

static int add(cli_inputs *inputs, size_t *capacity, const cli_opts *opts, const char *word)
{
    const char *tree = tagma_path_tree(word);
    cli_input *input;

    if (*word == '\0')
        return cli_wrong("the name of a file is empty");
    if (strcmp(word, "-") == 0)
        return cli_wrong("- is no file; a list of ids from stdin is -e -");
    if (inputs->n == *capacity) {
        size_t more = 2 * *capacity + 16;
        cli_input *at = realloc(inputs->at, more * sizeof *at);
        if (at == NULL)
            return cli_no_memory();
        inputs->at = at;
        *capacity = more;
    }
    if (tree != NULL && opts->tree != NULL && strcmp(tree, opts->tree) != 0)
        return cli_wrong("%s names a tree, and -t %s another", word, opts->tree);
    input = &inputs->at[inputs->n];
    input->path = tree != NULL ? strndup(word, (size_t)(tree - word) - 1) : strdup(word);
    if (tree == NULL)
        tree = opts->tree;
    input->tree = tree != NULL ? strdup(tree) : NULL;
    inputs->n++;
    if (input->path == NULL || (tree != NULL && input->tree == NULL))
        return cli_no_memory();
    return 0;
}

/* All of a stream. @return 0, or the errno that ended it. */
static int read_all(FILE *file, char **bytes, size_t *n)
{
    size_t capacity = 0;

    do {
        char *more;
        capacity = 2 * capacity + 65536;
        more = realloc(*bytes, capacity);
        if (more == NULL)
            return ENOMEM;
        *bytes = more;
        errno = EIO;
        *n += fread(*bytes + *n, 1, capacity - *n, file);
    } while (*n == capacity);
    return ferror(file) != 0 ? errno : 0;
}

int cli_read_text(const char *path, char **bytes, size_t *n)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    const char *name = is_stdin ? "stdin" : path;
    int fault;

    *bytes = NULL;
    *n = 0;
    if (file == NULL) {
        cli_wrong("%s: %s", name, strerror(errno));
        return 2;
    }
    fault = read_all(file, bytes, n);
    if (!is_stdin)
        fclose(file);
    if (fault == 0)
        return 0;
    free(*bytes);
    *bytes = NULL;
    cli_wrong("%s: %s", name, strerror(fault));
    return 2;
}

/* One name a line; '#' at the beginning or behind a blank begins a comment. */
static int add_listed(cli_inputs *inputs, size_t *capacity, const cli_opts *opts)
{
    char *text;
    size_t n;
    int status = cli_read_text(opts->files, &text, &n);
    size_t begin = 0;

    if (status == 0 && memchr(text, '\0', n) != NULL)
        status = cli_wrong("%s is no list of names: it holds bytes that are no text", opts->files);
    while (status == 0 && begin < n) {
        const char *newline = memchr(text + begin, '\n', n - begin);
        size_t next = newline != NULL ? (size_t)(newline - text) + 1 : n;
        size_t end = newline != NULL ? next - 1 : n;
        char *line;

        for (size_t i = begin; i < end; i++) {
            if (text[i] == '#' && (i == begin || text[i - 1] == ' ' || text[i - 1] == '\t'))
                end = i;
        }
        while (begin < end && strchr(" \t\r", text[begin]) != NULL)
            begin++;
        while (end > begin && strchr(" \t\r", text[end - 1]) != NULL)
            end--;
        line = strndup(text + begin, end - begin);
        if (line == NULL)
            status = cli_no_memory();
        else if (*line != '\0')
            status = add(inputs, capacity, opts, line);
        free(line);
        begin = next;
    }
    free(text);
    return status;
}

int cli_inputs_new(const cli_opts *opts, const char *const *names, size_t n_names, cli_inputs *out)
{
    size_t capacity = 0;
    int status = 0;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n_names && status == 0; i++)
        status = add(out, &capacity, opts, names[i]);
    if (status == 0 && opts->files != NULL)
        status = add_listed(out, &capacity, opts);
    if (status == 0 && out->n == 0)
        status =
            opts->files != NULL ? cli_wrong("%s names no file", opts->files) : cli_wrong("no file is named");
    if (status == 0 && opts->index != NULL && out->n > 1)
        status = cli_wrong("--index is the sidecar of one file, and %zu are named", out->n);
    if (status == 0)
        status = cli_inputs_check_outputs(out, opts);
    return status;
}

int cli_inputs_refuse_ids(const cli_opts *opts, const char *command)
{
    if (opts->n_ids == 0)
        return 0;
    return cli_wrong("%s: %s is an id, and this command takes none; a file of that name is ./%s", command,
                     opts->id_args[0], opts->id_args[0]);
}

void cli_inputs_free(cli_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++) {
        free(inputs->at[i].path);
        free(inputs->at[i].tree);
    }
    free(inputs->at);
    memset(inputs, 0, sizeof *inputs);
}

static bool is_same(const struct stat *a, const char *path)
{
    struct stat b;

    return path != NULL && stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Is it the sidecar that commands find beside an input? */
static bool is_sidecar_of(const struct stat *a, const char *path)
{
    char beside[PATH_MAX];
    int n = snprintf(beside, sizeof beside, "%s.tgx", path);

    return n > 0 && (size_t)n < sizeof beside && is_same(a, beside);
}

int cli_inputs_spare(const cli_inputs *inputs, const cli_opts *opts, const char *path)
{
    struct stat seen;

    if (path == NULL || stat(path, &seen) != 0 || !S_ISREG(seen.st_mode))
        return 0;
    for (size_t i = 0; i < inputs->n; i++) {
        if (is_same(&seen, inputs->at[i].path))
            return cli_wrong("%s is an input (%s); write somewhere else", path, inputs->at[i].path);
        if (path != opts->sidecar_out && is_sidecar_of(&seen, inputs->at[i].path))
            return cli_wrong("%s is the sidecar of an input (%s); write somewhere else", path,
                             inputs->at[i].path);
    }
    if (is_same(&seen, opts->list) || is_same(&seen, opts->files) || is_same(&seen, opts->index))
        return cli_wrong("%s is an input; write somewhere else", path);
    return 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text);
    size_t m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

int cli_inputs_check_outputs(const cli_inputs *inputs, const cli_opts *opts)
{
    const char *outputs[] = {opts->out, opts->sidecar_out, opts->missing, opts->report, opts->html};
    enum { N = sizeof outputs / sizeof *outputs };

    for (size_t i = 0; i < N; i++)
        if (cli_inputs_spare(inputs, opts, outputs[i]) != 0)
            return 2;
    for (size_t i = 0; i < 2; i++) {
        if (outputs[i] != NULL && ends_with(outputs[i], ".root"))
            return cli_wrong(
                "ROOT output is not in this version. -f entries gives the entry numbers; -f jsonl "
                "the values; convert writes stores, OUT.tagma");
    }
    for (size_t i = 0; i < N; i++) {
        if (outputs[i] != NULL && strcmp(outputs[i], "-") == 0)
            return cli_wrong("- is no file to write; /dev/stdout is");
        for (size_t k = i + 1; k < N; k++) {
            if (outputs[i] != NULL && outputs[k] != NULL && strcmp(outputs[i], outputs[k]) == 0)
                return cli_wrong("%s is to be written twice", outputs[i]);
        }
    }
    return 0;
}

tagma_io cli_io(const cli_opts *opts)
{
    return opts->io != NULL && strcmp(opts->io, "mmap") == 0 ? TAGMA_IO_MMAP : TAGMA_IO_PREAD;
}

tagma_sidecar cli_sidecar(const cli_opts *opts)
{
    if (opts->no_sidecar)
        return TAGMA_SIDECAR_NONE;
    return opts->index != NULL ? TAGMA_SIDECAR_PATH : TAGMA_SIDECAR_AUTO;
}

const char *cli_cache_dir(void)
{
    static char path[4096];
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n = -1;

    /* The specification of XDG says that a relative path is to be ignored. */
    if (cache != NULL && *cache == '/')
        n = snprintf(path, sizeof path, "%s/tagma", cache);
    else if (home != NULL && *home == '/')
        n = snprintf(path, sizeof path, "%s/.cache/tagma", home);
    return n > 0 && (size_t)n < sizeof path ? path : NULL;
}

tagma_status cli_open(cli_session *session, const cli_input *input, tagma_sidecar sidecar, tagma_events **out)
{
    const cli_opts *opts = session->opts;
    tagma_open_options options = TAGMA_OPEN_OPTIONS_INIT;

    options.io = cli_io(opts);
    options.tree = input->tree;
    options.sidecar = sidecar;
    options.sidecar_path = sidecar == TAGMA_SIDECAR_PATH ? opts->index : NULL;
    options.cache_dir = cli_cache_dir();
    options.ids = opts->ids;
    return tagma_open(session->ctx, input->path, &options, out);
}
