/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text: the shortest that reads back to the same bits. One C++ file holds them, for std::to_chars. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room that one number of a run takes at most, the comma counted. */
enum { CLI_RUN_BYTES = 32 };

/* Each writes at most CLI_RUN_BYTES and returns the end. */
char *cli_put_u64(char *dst, uint64_t value);
char *cli_put_i64(char *dst, int64_t value);

/**
 * Values with commas between, as JSON: booleans true and false; NaN and infinities "NaN", "Infinity", "-Infinity" between
 * quotes where `quoted`.
 * @param type    a tagma_type but TAGMA_STRING; bool values are bytes.
 * @param values  the first value of an array; values begin to end - 1 are written.
 * @param dst     room for (end - begin) * CLI_RUN_BYTES.
 */
char *cli_put_run(char *dst, int type, const void *values, uint64_t begin, uint64_t end, int quoted);

#ifdef __cplusplus
}
#endif

#endif
