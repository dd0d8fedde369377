/* SPDX-License-Identifier: Apache-2.0
 * Real files with one byte changed: nothing crashes, and where a checksum covers the byte no value changes without a word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/hostile.h"

enum { FLIPS = 2000, MAX_BYTES = 500000 };

static uint64_t draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void flip(test_victim *victim, void *user)
{
    unsigned n_flips = test_hostile_share(FLIPS);
    uint64_t seed = 0x5eed;
    size_t n;
    uint8_t *bytes = test_victim_bytes(victim, &n);

    (void)user;
    for (unsigned i = 0; i < n_flips; i++) {
        size_t at = draw(&seed) % n;
        uint8_t sound = bytes[at];
        /* A bit, a byte of ones, zero, or anything: lengths and counts break in different ways. */
        uint8_t kinds[4] = {(uint8_t)(sound ^ 1U << draw(&seed) % 8), 0xff, 0, (uint8_t)draw(&seed)};

        bytes[at] = kinds[draw(&seed) % 4];
        if (bytes[at] != sound && test_victim_read(victim, n) == TEST_SILENT &&
            test_victim_is_checked(victim, at))
            fail_msg("%s: byte %zu changed from %u to %u reads without a word and with other values",
                     test_victim_name(victim), at, sound, bytes[at]);
        bytes[at] = sound;
    }
}

static void flipped_files_are_refused_or_told(void **state)
{
    (void)state;
    assert_true(test_victims(MAX_BYTES, flip, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flipped_files_are_refused_or_told)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
