/* SPDX-License-Identifier: Apache-2.0
 * Files that tests read: those of tests/data, and the collection of real ones where TAGMA_SHARED has it. */
#ifndef TESTS_SUPPORT_REALFILES_H
#define TESTS_SUPPORT_REALFILES_H

#include "support/frames.h"

/* The collection's folder; NULL where it is not there. Static storage. */
const char *test_collection(void);
/* Paths of all ROOT files of tests/data and the collection, sorted, NULL at the end; free with test_paths_free(). */
char **test_root_files(void);
void test_paths_free(char **paths);
/* A whole file; free() the bytes. One that cannot be read ends the test program. */
test_bytes test_read_file(const char *path);
/* The name behind the last slash. */
const char *test_base_name(const char *path);

#endif
