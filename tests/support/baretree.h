/* SPDX-License-Identifier: Apache-2.0
 * A tree's record laid bare, to be spoiled byte by byte. */
#ifndef TESTS_SUPPORT_BARETREE_H
#define TESTS_SUPPORT_BARETREE_H

#include "support/frames.h"

/* A copy of a file whose first tree's record stands unpacked at its end. */
typedef struct test_bared {
    test_bytes bytes;
    size_t payload, n; /* where the record's payload begins, and its bytes */
} test_bared;

/* free() bytes.bytes. Trouble ends the test program. */
test_bared test_bare_tree(const char *path);
/* Where `bytes` stand in the payload, from its beginning. */
size_t test_find(const test_bared *bared, const void *bytes, size_t n);

#endif
