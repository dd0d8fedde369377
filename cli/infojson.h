/* SPDX-License-Identifier: Apache-2.0
 * tagma info --json. */
#ifndef CLI_INFOJSON_H
#define CLI_INFOJSON_H

#include "cli/idaxes.h"
#include "cli/json.h"
#include "cli/trees.h"

/* Axes of a tree; none where it has none or they are not plain: then *words tells why. @return 0, or 2 with words. */
int cli_info_axes(cli_session *session, const tagma_events *events, cli_axes *axes, const char **words);

void cli_json_info_file(cli_json *json, const cli_trees *trees);
/* @return 0, or 2 with words. */
int cli_json_info_tree(cli_json *json, cli_session *session, const tagma_tree_info *tree,
                       const tagma_events *events);

#endif
