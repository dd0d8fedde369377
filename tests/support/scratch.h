/* SPDX-License-Identifier: Apache-2.0
 * Files that a test makes for itself, in a directory of its own. */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include <stddef.h>

/* A directory that test_scratch_remove takes away with the files in it. Trouble ends the test program. */
typedef struct test_scratch {
    char dir[256];
    char path[512]; /* of the last file named */
} test_scratch;

void test_scratch_make(test_scratch *scratch);
void test_scratch_remove(test_scratch *scratch);
/* dir/name; borrowed until the next call. */
const char *test_scratch_path(test_scratch *scratch, const char *name);
/* The same, and write bytes[0..n) there. */
const char *test_scratch_write(test_scratch *scratch, const char *name, const void *bytes, size_t n);

#endif
