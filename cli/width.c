/* SPDX-License-Identifier: Apache-2.0
 * How wide text stands on a terminal, and how wide the terminal is. The locale is never asked. */
#include "cli/width.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct range {
    uint32_t first, last;
} range;

/* Source: Unicode 14, EastAsianWidth.txt (W, F), neighbours joined where only unassigned points lie between. */
static const range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x2705, 0x2705},
    {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2e80, 0x303e},   {0x3041, 0x33ff},
    {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18d08},
    {0x1aff0, 0x1b2fb}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
    {0x1f3a0, 0x1f3ca}, {0x1f3e0, 0x1f3f0}, {0x1f400, 0x1f43e}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
    {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1faf6},
    {0x20000, 0x3fffd}};

/* Source: Unicode 14, general categories Mn, Me and Cf in the scripts that mathematics and European names use. */
static const range empty[] = {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a},
                              {0x064b, 0x065f}, {0x1ab0, 0x1ace}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
                              {0x202a, 0x202e}, {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0x302a, 0x302d},
                              {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};

static bool among(const range *ranges, size_t n, uint32_t point)
{
    for (size_t i = 0; i < n && ranges[i].first <= point; i++) {
        if (point <= ranges[i].last)
            return true;
    }
    return false;
}

static size_t point_width(uint32_t point)
{
    if (point < 0x300)
        return 1;
    if (among(empty, sizeof empty / sizeof *empty, point))
        return 0;
    return among(wide, sizeof wide / sizeof *wide, point) ? 2 : 1;
}

size_t cli_utf8(const char *text, size_t n, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    size_t length;

    if (p[0] < 0x80) {
        *point = p[0];
        return 1;
    }
    length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n < length)
        return 0;
    *point = p[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (p[i] & 0x3f);
    }
    if (*point < least[length] || *point > 0x10ffff || (*point >= 0xd800 && *point <= 0xdfff))
        return 0;
    return length;
}

/* Those that turn the direction of writing steer a terminal, too. */
static bool steers(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x202a && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

size_t cli_visible(const char *text, size_t n, char dst[16], size_t *used, size_t *columns)
{
    static const char hex[] = "0123456789abcdef";
    uint32_t point = 0;
    size_t length = cli_utf8(text, n, &point);

    *used = length == 0 ? 1 : length;
    if (length == 0 || steers(point)) {
        for (size_t i = 0; i < *used; i++) {
            dst[4 * i] = '\\';
            dst[4 * i + 1] = 'x';
            dst[4 * i + 2] = hex[(unsigned char)text[i] >> 4];
            dst[4 * i + 3] = hex[(unsigned char)text[i] & 15];
        }
        *columns = 4 * *used;
        return 4 * *used;
    }
    for (size_t i = 0; i < length; i++)
        dst[i] = text[i];
    *columns = point_width(point);
    return length;
}

size_t cli_width(const char *text, size_t n)
{
    size_t taken;

    cli_width_cut(text, n, SIZE_MAX, &taken);
    return taken;
}

size_t cli_width_cut(const char *text, size_t n, size_t columns, size_t *taken)
{
    size_t at = 0;
    char shown[16];

    *taken = 0;
    while (at < n) {
        size_t used;
        size_t more;
        cli_visible(text + at, n - at, shown, &used, &more);
        if (more > columns - *taken)
            break;
        *taken += more;
        at += used;
    }
    return at;
}

void cli_put_visible(FILE *to, const char *text, size_t n)
{
    char shown[16];
    size_t at = 0;

    while (at < n) {
        size_t used;
        size_t columns;
        size_t length = cli_visible(text + at, n - at, shown, &used, &columns);
        if (text[at] == '\n')
            fputc('\n', to);
        else
            fwrite(shown, 1, length, to);
        at += used;
    }
}

size_t cli_terminal_width(int fd)
{
    struct winsize size;

    if (isatty(fd) == 0 || ioctl(fd, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}
