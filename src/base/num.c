/* SPDX-License-Identifier: Apache-2.0
 * Byte order in bulk: loops plain enough for the compiler to vectorise. And how counts are spelled. */
#include "base/num.h"

const char *tg_grouped(uint64_t n, char text[TG_GROUPED_BYTES])
{
    char *at = text + TG_GROUPED_BYTES - 1;
    int digits = 0;

    *at = 0;
    do {
        if (digits > 0 && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + n % 10);
        n /= 10;
        digits++;
    } while (n > 0);
    memmove(text, at, strlen(at) + 1);
    return text;
}

static void swap16(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t v = tg_be16(src + 2 * i);
        memcpy(dst + 2 * i, &v, sizeof v);
    }
}

static void swap32(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t v;
        memcpy(&v, src + 4 * i, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        v = __builtin_bswap32(v);
#endif
        memcpy(dst + 4 * i, &v, sizeof v);
    }
}

static void swap64(uint8_t *restrict dst, const uint8_t *restrict src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v;
        memcpy(&v, src + 8 * i, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        v = __builtin_bswap64(v);
#endif
        memcpy(dst + 8 * i, &v, sizeof v);
    }
}

void tg_swap_be(void *restrict dst, const uint8_t *restrict src, size_t n, uint32_t width)
{
    switch (width) {
    case 2:
        swap16(dst, src, n);
        break;
    case 4:
        swap32(dst, src, n);
        break;
    case 8:
        swap64(dst, src, n);
        break;
    default:
        if (n > 0)
            memcpy(dst, src, n * width);
    }
}
