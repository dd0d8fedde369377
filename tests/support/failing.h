/* SPDX-License-Identifier: Apache-2.0
 * A context whose n-th allocation fails. */
#ifndef TESTS_SUPPORT_FAILING_H
#define TESTS_SUPPORT_FAILING_H

#include <stdint.h>
#include <tagma/ctx.h>

/* Counts allocations from 1; the one with number `fails` is refused, none if that is 0. */
typedef struct test_failing {
    uint64_t n, fails;
} test_failing;

/* A context of its own that draws on `failing`; the context itself is made before counting begins. */
tagma_ctx *test_failing_ctx(test_failing *failing, const tagma_limits *limits);

#endif
