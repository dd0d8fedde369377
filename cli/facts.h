/* SPDX-License-Identifier: Apache-2.0
 * What a file and its trees are, fact by fact: a name and words, for whoever shows them. */
#ifndef CLI_FACTS_H
#define CLI_FACTS_H

#include <tagma/store.h>

#include "cli/summary.h"
#include "cli/trees.h"

/* Each fact is given to put(user, name, words); a name that is "" goes on with the fact before. */
typedef struct cli_facts {
    cli_session *session;
    void (*put)(void *user, const char *name, const char *words);
    void *user;
    uint32_t n_sources; /* of a store: so many are named */
} cli_facts;

void cli_facts_file(const cli_facts *facts, const cli_trees *trees);
/* stored NULL: no store. @return 0, or 2 with words. */
int cli_facts_tree(const cli_facts *facts, const tagma_tree_info *tree, const tagma_events *events,
                   const cli_summary *summary, const tagma_store_info *stored);

#endif
