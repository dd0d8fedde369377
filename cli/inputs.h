/* SPDX-License-Identifier: Apache-2.0
 * Which files a command reads, and opening them with the options asked for. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <sys/types.h>

#include "cli/session.h"

/* Files that may be open at once. */
enum { CLI_MAX_OPEN = 64 };

typedef struct cli_input {
    char *path;
    char *tree; /* NULL: the rule of tagma_open() */
} cli_input;

typedef struct cli_inputs {
    cli_input *at;
    size_t n;
} cli_inputs;

/* From names ("FILE" or "FILE:TREE") and --files. @return 0, or 2 with words; none at all is refused, too. */
int cli_inputs_new(const cli_opts *opts, const char *const *names, size_t n_names, cli_inputs *out);
/* For commands that take no ids. @return 0, or 2 with words. */
int cli_inputs_refuse_ids(const cli_opts *opts, const char *command);
void cli_inputs_free(cli_inputs *inputs);
/* Is a path one of the inputs, or the list of ids, whatever its name (same inode)? Words and 2 if so. */
int cli_inputs_spare(const cli_inputs *inputs, const cli_opts *opts, const char *path);
/* "-o x.root" and the like, and outputs that are inputs. @return 0, or 2 with words. */
int cli_inputs_check_outputs(const cli_inputs *inputs, const cli_opts *opts);

/* @return the library's status; its words are in the context. */
tagma_status cli_open(cli_session *session, const cli_input *input, tagma_sidecar sidecar,
                      tagma_events **out);
/* What the options say about sidecars. */
tagma_sidecar cli_sidecar(const cli_opts *opts);
/* $XDG_CACHE_HOME/tagma or ~/.cache/tagma; NULL where neither is set. Static storage. */
const char *cli_cache_dir(void);
tagma_io cli_io(const cli_opts *opts);

/* A whole text: a file, or "-" for stdin. Free *bytes with free(). @return 0, or 2 with words. */
int cli_read_text(const char *path, char **bytes, size_t *n);

#endif
