/* SPDX-License-Identifier: Apache-2.0
 * Damaged copies of real files, opened and read whole in process, their values held against those of the sound file. */
#ifndef TESTS_SUPPORT_HOSTILE_H
#define TESTS_SUPPORT_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_victim test_victim;

/* Call `each` with every file of the collection (TAGMA_SHARED, or ../shared) and of demo/ that has at most max_bytes.
 * Returns how many there were. */
size_t test_victims(size_t max_bytes, void (*each)(test_victim *victim, void *user), void *user);

const char *test_victim_name(const test_victim *victim);
/* The file's bytes, which may be changed; [*n]. */
uint8_t *test_victim_bytes(test_victim *victim, size_t *n);

/* What reading a damaged copy came to. Crashes and hangs are the sanitizers' and the timeout's to tell. */
typedef enum test_outcome {
    TEST_REFUSED, /* some call failed, with words, or some fault was told */
    TEST_SAME,    /* no word was said, and every value is the sound file's */
    TEST_SILENT   /* no word was said, and some value is not */
} test_outcome;

/* Open and read the first n bytes as they are now. Fails the test where a failure has no words. */
test_outcome test_victim_read(test_victim *victim, size_t n);

/* Does byte `at` belong to the packed data of a frame whose codec carries a checksum (ZLIB, LZMA, LZ4), or to the name, version
 * or lengths of that frame? A change there must never go unsaid. */
bool test_victim_is_checked(const test_victim *victim, size_t at);

/* How much to do: all of it with TAGMA_HOSTILE=all, else a twentieth, at least one. */
unsigned test_hostile_share(unsigned whole);

#endif
