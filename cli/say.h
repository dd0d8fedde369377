/* SPDX-License-Identifier: Apache-2.0
 * Words for people, on stderr; and numbers as people read them. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tagma/version.h>

/* "tagma: ..." and 2, the exit code of trouble. */
int cli_wrong(const char *format, ...) TAGMA_PRINTF(1, 2);
/* Inline, so that the analyzer sees what it returns. */
static inline int cli_no_memory(void)
{
    cli_wrong("out of memory");
    return 2;
}
/* "tagma: ..." and 1, the exit code of an honest no. */
int cli_no(const char *format, ...) TAGMA_PRINTF(1, 2);
/* A word without a name in front; none after cli_say_quietly(). */
void cli_word(const char *format, ...) TAGMA_PRINTF(1, 2);
void cli_say_quietly(void);
bool cli_is_quiet(void);

/* A progress bar stands on the last line of the terminal while words come: it is wiped before each. */
void cli_say_bar(const char *bar);

enum { CLI_NUMBER_BYTES = 32 };
/* 9,999,980 */
const char *cli_grouped(uint64_t n, char dst[CLI_NUMBER_BYTES]);
/* 2.1 MB, in steps of 1000 */
const char *cli_bytes(uint64_t n, char dst[CLI_NUMBER_BYTES]);
/* "s" unless n is 1 */
const char *cli_s(uint64_t n);

#endif
