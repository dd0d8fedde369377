/* SPDX-License-Identifier: Apache-2.0
 * A window on bytes that are not trusted. A read past its end gives 0 and is remembered, so that parsing code looks like
 * the format's table and one check of tg_in_short() covers it. */
#ifndef TG_BASE_IN_H
#define TG_BASE_IN_H

#include "base/num.h"

typedef struct tg_in {
    const uint8_t *bytes;
    size_t n;
    size_t at;
    bool is_short;
} tg_in;

static inline tg_in tg_in_of(const void *bytes, size_t n)
{
    return (tg_in){(const uint8_t *)bytes, n, 0, false};
}

static inline bool tg_in_short(const tg_in *in)
{
    return in->is_short;
}

static inline size_t tg_in_left(const tg_in *in)
{
    return in->n - in->at;
}

/* The next n bytes, borrowed from the window; NULL if they are not there. */
static inline const uint8_t *tg_in_take(tg_in *in, uint64_t n)
{
    const uint8_t *p = in->bytes + in->at;

    if (n > tg_in_left(in)) {
        in->is_short = true;
        in->at = in->n;
        return NULL;
    }
    in->at += (size_t)n;
    return p;
}

static inline void tg_in_skip(tg_in *in, uint64_t n)
{
    (void)tg_in_take(in, n);
}

/* Move to a position; one past the end is short. */
static inline void tg_in_seek(tg_in *in, uint64_t at)
{
    if (at > in->n) {
        in->is_short = true;
        at = in->n;
    }
    in->at = (size_t)at;
}

static inline uint8_t tg_in_u8(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 1);
    return p ? *p : 0;
}

static inline uint16_t tg_in_be16(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 2);
    return p ? tg_be16(p) : 0;
}

static inline uint32_t tg_in_be32(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 4);
    return p ? tg_be32(p) : 0;
}

static inline uint64_t tg_in_be64(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 8);
    return p ? tg_be64(p) : 0;
}

static inline uint32_t tg_in_le24(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 3);
    return p ? (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0] : 0;
}

static inline uint32_t tg_in_le32(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 4);
    return p ? tg_le32(p) : 0;
}

static inline uint64_t tg_in_le64(tg_in *in)
{
    const uint8_t *p = tg_in_take(in, 8);
    return p ? tg_le64(p) : 0;
}

#endif
