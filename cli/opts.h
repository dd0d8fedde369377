/* SPDX-License-Identifier: Apache-2.0
 * What a command was asked: options and arguments, read by one table that also prints the help. */
#ifndef CLI_OPTS_H
#define CLI_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/text.h"

/* Commands that know an option, as bits. */
enum {
    CLI_LS = 1,
    CLI_INFO = 2,
    CLI_CHECK = 4,
    CLI_INDEX = 8,
    CLI_PICK = 16,
    CLI_SHOW = 32,
    CLI_SCAN = 64,
    CLI_CONVERT = 128,
    CLI_VERIFY = 256,
    CLI_DIFF = 512,
    CLI_ALL = 1023
};

typedef struct cli_opts {
    /* What is read. */
    const char *tree, *columns, *files, *ids, *index, *io;
    bool no_sidecar;
    /* Which events. */
    const char *list, *unique, *order;
    uint64_t start, count;
    bool has_start, has_count, once, verify;
    /* What comes out. */
    const char *format, *out, *missing, *report, *html;
    const char *sidecar_out; /* index: it may be what stands there already */
    bool json, is_long;
    /* What a store is made of, and how. */
    const char *drop, *hot, *layout, *codec;
    uint64_t tile, record_bytes, max_output, blocks;
    bool has_tile, no_sparse, sort, skip_unsupported, strict_objects;
    /* What is compared, and how. */
    const char *against, *by, *relative;
    uint64_t ulp;
    /* How. */
    uint64_t jobs, max_memory;
    bool stats, quiet, keep_index, force;
    bool help, version;
    /* Arguments, told apart: ids are digits, colons, a leading '-' or @N; the rest names files. */
    const char **names;
    size_t n_names;
    const char **id_args;
    size_t n_ids;
} cli_opts;

typedef struct cli_command {
    const char *name;
    unsigned bit;
    const char *usage; /* what stands behind "tagma NAME" */
    const char *what;  /* one line */
    const char *more;  /* paragraphs of its help; "" for none */
    int (*run)(const cli_opts *opts);
} cli_command;

/* Read what stands behind a command's name. @return 0, or 2 with words on stderr. Free *opts with cli_opts_free(). */
int cli_opts_parse(const cli_command *command, int argc, char **argv, cli_opts *opts);
void cli_opts_free(cli_opts *opts);
/* The options a command knows, one or two lines each. */
void cli_opts_help(unsigned command, cli_text *text);

#endif
