/* SPDX-License-Identifier: Apache-2.0
 * One function a command, each in its cmd_NAME.c. They return the exit code. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/opts.h"

int cli_ls(const cli_opts *opts);
int cli_info(const cli_opts *opts);
int cli_check(const cli_opts *opts);
int cli_index(const cli_opts *opts);
int cli_pick(const cli_opts *opts);
int cli_show(const cli_opts *opts);
int cli_scan(const cli_opts *opts);
int cli_convert(const cli_opts *opts);
int cli_verify(const cli_opts *opts);
int cli_diff(const cli_opts *opts);

#endif
