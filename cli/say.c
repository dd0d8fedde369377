/* SPDX-License-Identifier: Apache-2.0
 * Words for people, on stderr; and numbers as people read them. */
#include "cli/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/width.h"

/* The one thing the whole program shares: what stands on stderr. */
static bool quiet;
static bool bar_stands;

static void wipe(void)
{
    if (bar_stands)
        fputs("\r\033[K", stderr);
    bar_stands = false;
}

/* Names and words out of files reach a terminal without control characters. */
static void say(const char *front, const char *format, va_list args)
{
    char text[4096];
    int n = vsnprintf(text, sizeof text, format, args);

    if (n < 0)
        return;
    wipe();
    fputs(front, stderr);
    cli_put_visible(stderr, text, strlen(text));
    if ((size_t)n >= sizeof text)
        fputs("...", stderr);
    fputc('\n', stderr);
}

int cli_wrong(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say("tagma: ", format, args);
    va_end(args);
    return 2;
}

int cli_no(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say("tagma: ", format, args);
    va_end(args);
    return 1;
}

void cli_word(const char *format, ...)
{
    va_list args;

    if (quiet)
        return;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void cli_say_quietly(void)
{
    quiet = true;
}

bool cli_is_quiet(void)
{
    return quiet;
}

void cli_say_bar(const char *bar)
{
    size_t width = *bar != '\0' ? cli_terminal_width(STDERR_FILENO) : 0;
    size_t taken;
    size_t n;

    wipe();
    if (*bar == '\0')
        return;
    /* A line that wraps could not be wiped. */
    n = cli_width_cut(bar, strlen(bar), width > 1 ? width - 1 : SIZE_MAX, &taken);
    fwrite(bar, 1, n, stderr);
    fflush(stderr);
    bar_stands = true;
}

const char *cli_grouped(uint64_t n, char dst[CLI_NUMBER_BYTES])
{
    char digits[CLI_NUMBER_BYTES];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *p = dst;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return dst;
}

const char *cli_bytes(uint64_t n, char dst[CLI_NUMBER_BYTES])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)n;
    size_t unit = 0;

    while (value >= 999.5 && unit < 6) {
        value /= 1000;
        unit++;
    }
    snprintf(dst, CLI_NUMBER_BYTES,
             unit > 0 && value < 9.995   ? "%.2f %s"
             : unit > 0 && value < 99.95 ? "%.1f %s"
                                         : "%.0f %s",
             value, units[unit]);
    return dst;
}

const char *cli_s(uint64_t n)
{
    return n == 1 ? "" : "s";
}
