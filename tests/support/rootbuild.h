/* SPDX-License-Identifier: Apache-2.0
 * Small ROOT files made by tests: header, directories, key lists. Narrow, as files below 2 GB are. */
#ifndef TESTS_SUPPORT_ROOTBUILD_H
#define TESTS_SUPPORT_ROOTBUILD_H

#include "support/frames.h"

/* What a key says of the record it stands for. */
typedef struct test_key {
    const char *class_name, *name;
    uint32_t offset, payload_bytes;
    int16_t cycle;
} test_key;

enum { TEST_BEGIN = 100, TEST_FIELDS_BYTES = 60 };

void test_put_be(test_bytes *to, uint64_t value, int width);
void test_patch_be32(test_bytes *file, size_t at, uint32_t value);
/* Bytes a key takes. */
uint32_t test_key_bytes(const test_key *key);
void test_put_key(test_bytes *to, const test_key *key, uint32_t directory);
/* Header and root directory of a file that is closed but has no list of keys yet. */
test_bytes test_begin_root(void);
/* Byte of the root directory's fields. */
size_t test_root_fields(void);
/* A directory's record without a list of keys; byte of its fields. *key is the key others have of it. */
size_t test_put_directory(test_bytes *file, const char *name, uint32_t parent, test_key *key);
/* A list of keys, told to the directory whose fields are at `fields`; the file ends behind it. Byte of the list. */
size_t test_put_keys(test_bytes *file, size_t fields, uint32_t directory, const test_key *keys, uint32_t n);

#endif
