/* SPDX-License-Identifier: Apache-2.0
 * A context whose n-th allocation fails. */
#include "support/failing.h"

#include <stdlib.h>

static void *failing_alloc(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    test_failing *failing = user;

    (void)old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    if (++failing->n == failing->fails)
        return NULL;
    return realloc(block, new_bytes);
}

tagma_ctx *test_failing_ctx(test_failing *failing, const tagma_limits *limits)
{
    tagma_ctx_options options = TAGMA_CTX_OPTIONS_INIT;
    tagma_ctx *ctx;
    uint64_t fails = failing->fails;

    if (limits)
        options.limits = *limits;
    options.alloc = failing_alloc;
    options.alloc_user = failing;
    failing->fails = 0;
    if (tagma_ctx_new(&options, &ctx) != TAGMA_OK)
        abort();
    *failing = (test_failing){0, fails};
    return ctx;
}
