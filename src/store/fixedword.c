/* SPDX-License-Identifier: Apache-2.0
 * Values of every type in doubles, bit for bit; what a double cannot hold is said so. */
#include <string.h>

#include "base/num.h"
#include "store/fixed.h"

static const uint64_t EXPONENT = UINT64_C(0x7ff) << 52, ONE = UINT64_C(0x3ff) << 52;
static const double TWO_63 = 9223372036854775808.0, TWO_64 = 18446744073709551616.0;

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* By arithmetic on the bits: a conversion by the machine makes signalling NaNs quiet. */
static uint64_t widen(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 31) << 63, mantissa = bits & 0x7fffff;
    uint32_t exponent = bits >> 23 & 0xff, top;

    if (exponent == 0xff)
        return sign | EXPONENT | mantissa << 29;
    if (exponent > 0)
        return sign | (uint64_t)(exponent - 127 + 1023) << 52 | mantissa << 29;
    if (mantissa == 0)
        return sign;
    top = 63 - (uint32_t)__builtin_clzll(mantissa); /* mantissa * 2^-149 */
    return sign | (uint64_t)(top + 1023 - 149) << 52 | (mantissa ^ UINT64_C(1) << top) << (52 - top);
}

bool tg_word_of(tagma_type type, const void *value, uint64_t *word)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
    } v = {.u64 = 0};

    memcpy(&v, value, tagma_type_bytes(type));
    switch (type) {
    case TAGMA_BOOL:
    case TAGMA_U8:
        *word = bits_of(v.u8);
        return true;
    case TAGMA_I8:
        *word = bits_of(v.i8);
        return true;
    case TAGMA_U16:
        *word = bits_of(v.u16);
        return true;
    case TAGMA_I16:
        *word = bits_of(v.i16);
        return true;
    case TAGMA_U32:
        *word = bits_of(v.u32);
        return true;
    case TAGMA_I32:
        *word = bits_of(v.i32);
        return true;
    case TAGMA_U64:
        *word = bits_of((double)v.u64);
        return (double)v.u64 < TWO_64 && (uint64_t)(double)v.u64 == v.u64;
    case TAGMA_I64:
        *word = bits_of((double)v.i64);
        return (double)v.i64 < TWO_63 && (int64_t)(double)v.i64 == v.i64;
    case TAGMA_F32:
        *word = widen(v.u32);
        return true;
    case TAGMA_F64:
        *word = v.u64;
        return true;
    default:
        return false;
    }
}

static inline bool take_f32(uint64_t word, uint8_t *value)
{
    uint32_t bits;
    float f;

    if ((word & EXPONENT) == EXPONENT) {
        bits = (uint32_t)(word >> 63) << 31 | 0x7f800000 | (uint32_t)(word >> 29 & 0x7fffff);
        memcpy(value, &bits, sizeof bits);
        return (word & 0x1fffffff) == 0;
    }
    f = (float)double_of(word);
    memcpy(value, &f, sizeof f);
    return bits_of((double)f) == word;
}

/* What is wrong with a word of a type that no null is. */
static inline uint8_t flaw_of(uint64_t word)
{
    return word == TG_NULL_WORD ? TG_WORD_NULL : TG_WORD_BAD;
}

/* An integer within what its type holds; both bounds and all between are doubles. */
static inline bool take_int(uint64_t word, double least, double most, int64_t *v)
{
    double d = double_of(word);

    if (!(d >= least && d <= most)) /* NaN is neither */
        return false;
    *v = (int64_t)d;
    return (double)*v == d;
}

static inline bool take_u64(uint64_t word, uint8_t *value)
{
    double d = double_of(word);
    uint64_t v;

    if (!(d >= 0 && d < TWO_64))
        return false;
    v = (uint64_t)d;
    memcpy(value, &v, sizeof v);
    return (double)v == d;
}

static inline bool take_i64(uint64_t word, uint8_t *value)
{
    double d = double_of(word);
    int64_t v;

    if (!(d >= -TWO_63 && d < TWO_63))
        return false;
    v = (int64_t)d;
    memcpy(value, &v, sizeof v);
    return (double)v == d;
}

/* Inlined for each type, so that loops over many values have no switch. */
static inline __attribute__((always_inline)) uint8_t take(tagma_type type, uint64_t word, uint8_t *value)
{
    int64_t v = 0;
    bool is_good;

    switch (type) {
    case TAGMA_BOOL:
        *value = word == ONE;
        is_good = word == ONE || word == 0;
        break;
    case TAGMA_I8:
        is_good = take_int(word, INT8_MIN, INT8_MAX, &v);
        *value = (uint8_t)v;
        break;
    case TAGMA_U8:
        is_good = take_int(word, 0, UINT8_MAX, &v);
        *value = (uint8_t)v;
        break;
    case TAGMA_I16:
        is_good = take_int(word, INT16_MIN, INT16_MAX, &v);
        memcpy(value, &(uint16_t){(uint16_t)v}, 2);
        break;
    case TAGMA_U16:
        is_good = take_int(word, 0, UINT16_MAX, &v);
        memcpy(value, &(uint16_t){(uint16_t)v}, 2);
        break;
    case TAGMA_I32:
        is_good = take_int(word, INT32_MIN, INT32_MAX, &v);
        memcpy(value, &(uint32_t){(uint32_t)v}, 4);
        break;
    case TAGMA_U32:
        is_good = take_int(word, 0, UINT32_MAX, &v);
        memcpy(value, &(uint32_t){(uint32_t)v}, 4);
        break;
    case TAGMA_I64:
        is_good = take_i64(word, value);
        break;
    case TAGMA_U64:
        is_good = take_u64(word, value);
        break;
    case TAGMA_F32:
        is_good = take_f32(word, value);
        break;
    default:
        memcpy(value, &word, sizeof word);
        is_good = word != TG_NULL_WORD;
    }
    return is_good ? TG_WORD_GOOD : flaw_of(word);
}

uint8_t tg_word_value(tagma_type type, uint64_t word, uint8_t *value)
{
    return take(type, word, value);
}

/* What a loop over values is given. */
typedef struct taking {
    const uint8_t *const *records;
    uint64_t n, at;
    uint32_t n_items, bytes;
    uint8_t *to, *flaws;
} taking;

static inline __attribute__((always_inline)) void take_all(tagma_type type, const taking *it)
{
    uint8_t *to = it->to;

    for (uint64_t k = 0; k < it->n; k++) {
        uint8_t flaws = TG_WORD_GOOD;

        for (uint32_t i = 0; i < it->n_items; i++, to += it->bytes)
            flaws |= take(type, tg_le64(it->records[k] + it->at + (uint64_t)i * TG_WORD_BYTES), to);
        it->flaws[k] = flaws;
    }
}

void tg_words_take(tagma_type type, const uint8_t *const *records, uint64_t n, uint64_t at, uint32_t n_items,
                   uint8_t *to, uint8_t *flaws)
{
    taking it = {.records = records, .n = n, .at = at, .n_items = n_items, .bytes = tagma_type_bytes(type)};

    it.to = to;
    it.flaws = flaws;
    switch (type) {
    case TAGMA_BOOL:
        take_all(TAGMA_BOOL, &it);
        break;
    case TAGMA_I8:
        take_all(TAGMA_I8, &it);
        break;
    case TAGMA_U8:
        take_all(TAGMA_U8, &it);
        break;
    case TAGMA_I16:
        take_all(TAGMA_I16, &it);
        break;
    case TAGMA_U16:
        take_all(TAGMA_U16, &it);
        break;
    case TAGMA_I32:
        take_all(TAGMA_I32, &it);
        break;
    case TAGMA_U32:
        take_all(TAGMA_U32, &it);
        break;
    case TAGMA_I64:
        take_all(TAGMA_I64, &it);
        break;
    case TAGMA_U64:
        take_all(TAGMA_U64, &it);
        break;
    case TAGMA_F32:
        take_all(TAGMA_F32, &it);
        break;
    default:
        take_all(TAGMA_F64, &it);
    }
}

static inline __attribute__((always_inline)) uint8_t
move_all(tagma_type type, const uint8_t *record, const tg_word_move *moves, uint32_t n, uint8_t *to)
{
    uint8_t flaws = TG_WORD_GOOD;

    for (uint32_t i = 0; i < n; i++)
        flaws |= take(type, tg_le64(record + moves[i].from), to + moves[i].to);
    return flaws;
}

uint8_t tg_words_move(tagma_type type, const uint8_t *record, const tg_word_move *moves, uint32_t n,
                      uint8_t *to)
{
    switch (type) {
    case TAGMA_BOOL:
        return move_all(TAGMA_BOOL, record, moves, n, to);
    case TAGMA_I8:
        return move_all(TAGMA_I8, record, moves, n, to);
    case TAGMA_U8:
        return move_all(TAGMA_U8, record, moves, n, to);
    case TAGMA_I16:
        return move_all(TAGMA_I16, record, moves, n, to);
    case TAGMA_U16:
        return move_all(TAGMA_U16, record, moves, n, to);
    case TAGMA_I32:
        return move_all(TAGMA_I32, record, moves, n, to);
    case TAGMA_U32:
        return move_all(TAGMA_U32, record, moves, n, to);
    case TAGMA_I64:
        return move_all(TAGMA_I64, record, moves, n, to);
    case TAGMA_U64:
        return move_all(TAGMA_U64, record, moves, n, to);
    case TAGMA_F32:
        return move_all(TAGMA_F32, record, moves, n, to);
    default:
        return move_all(TAGMA_F64, record, moves, n, to);
    }
}
