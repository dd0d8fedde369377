/* SPDX-License-Identifier: Apache-2.0
 * How wide text stands on a terminal, and how wide the terminal is. The locale is never asked. */
#ifndef CLI_WIDTH_H
#define CLI_WIDTH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Decode one character of UTF-8. @return its bytes, or 0 where they are not UTF-8. n >= 1. */
size_t cli_utf8(const char *text, size_t n, uint32_t *point);
/* Columns a text takes once cli_put_visible has written it. */
size_t cli_width(const char *text, size_t n);
/* Bytes of the longest beginning that takes at most `columns`; *taken is what it takes. */
size_t cli_width_cut(const char *text, size_t n, size_t columns, size_t *taken);
/* One character as it is shown: itself, or \xHH for each byte that would steer a terminal or is not UTF-8.
 * dst has room for 16. @return bytes written; *used is what was read of text, *columns what it takes. */
size_t cli_visible(const char *text, size_t n, char dst[16], size_t *used, size_t *columns);
void cli_put_visible(FILE *to, const char *text, size_t n);
/* Columns of the terminal behind a descriptor; 0 where it is none or does not tell. */
size_t cli_terminal_width(int fd);

#endif
