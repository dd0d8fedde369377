/* SPDX-License-Identifier: Apache-2.0
 * Real files cut short: nothing crashes, and a file that lost bytes never reads as a whole one with other values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/hostile.h"

enum { CUTS = 200, MAX_BYTES = 500000 };

static void cut(test_victim *victim, void *user)
{
    unsigned n_cuts = test_hostile_share(CUTS);
    size_t n;

    (void)user;
    (void)test_victim_bytes(victim, &n);
    for (unsigned i = 0; i < n_cuts; i++) {
        size_t at = (size_t)((uint64_t)n * i / n_cuts) + i % 7;

        if (at < n && test_victim_read(victim, at) == TEST_SILENT)
            fail_msg("%s cut at byte %zu of %zu reads without a word and with other values",
                     test_victim_name(victim), at, n);
    }
}

static void cut_files_are_refused_or_told(void **state)
{
    (void)state;
    assert_true(test_victims(MAX_BYTES, cut, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_files_are_refused_or_told)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
