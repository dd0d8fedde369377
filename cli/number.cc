/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text: the shortest that reads back to the same bits. One C++ file holds them, for std::to_chars. */
#include "cli/number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <tagma/schema.h>

namespace
{

char *put_words(char *dst, const char *words, bool quoted)
{
    const size_t n = std::strlen(words);

    if (quoted)
        *dst++ = '"';
    std::memcpy(dst, words, n);
    dst += n;
    if (quoted)
        *dst++ = '"';
    return dst;
}

template <typename number> char *put(char *dst, number value, bool)
{
    return std::to_chars(dst, dst + CLI_RUN_BYTES, value).ptr;
}

template <typename number> char *put_floating(char *dst, number value, bool quoted)
{
    /* Some readers of JSON take "-0" for an integer, which has no sign. */
    if (value == 0 && std::signbit(value))
        return put_words(dst, "-0.0", false);
    if (std::isfinite(value))
        return std::to_chars(dst, dst + CLI_RUN_BYTES, value).ptr;
    return put_words(dst, std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity", quoted);
}

template <> char *put(char *dst, float value, bool quoted)
{
    return put_floating(dst, value, quoted);
}

template <> char *put(char *dst, double value, bool quoted)
{
    return put_floating(dst, value, quoted);
}

/* A byte on purpose: a bool read from any other byte than 0 and 1 would be undefined. */
struct truth {
    unsigned char byte;
};

template <> char *put(char *dst, truth value, bool)
{
    return put_words(dst, value.byte != 0 ? "true" : "false", false);
}

template <typename number>
char *put_run(char *dst, const void *values, uint64_t begin, uint64_t end, bool quoted)
{
    const number *v = static_cast<const number *>(values);

    for (uint64_t i = begin; i < end; i++) {
        if (i != begin)
            *dst++ = ',';
        dst = put(dst, v[i], quoted);
    }
    return dst;
}

} // namespace

char *cli_put_u64(char *dst, uint64_t value)
{
    return put(dst, value, false);
}

char *cli_put_i64(char *dst, int64_t value)
{
    return put(dst, value, false);
}

char *cli_put_run(char *dst, int type, const void *values, uint64_t begin, uint64_t end, int quoted)
{
    switch (type) {
    case TAGMA_BOOL:
        return put_run<truth>(dst, values, begin, end, false);
    case TAGMA_I8:
        return put_run<int8_t>(dst, values, begin, end, false);
    case TAGMA_U8:
        return put_run<uint8_t>(dst, values, begin, end, false);
    case TAGMA_I16:
        return put_run<int16_t>(dst, values, begin, end, false);
    case TAGMA_U16:
        return put_run<uint16_t>(dst, values, begin, end, false);
    case TAGMA_I32:
        return put_run<int32_t>(dst, values, begin, end, false);
    case TAGMA_U32:
        return put_run<uint32_t>(dst, values, begin, end, false);
    case TAGMA_I64:
        return put_run<int64_t>(dst, values, begin, end, false);
    case TAGMA_U64:
        return put_run<uint64_t>(dst, values, begin, end, false);
    case TAGMA_F32:
        return put_run<float>(dst, values, begin, end, quoted != 0);
    case TAGMA_F64:
        return put_run<double>(dst, values, begin, end, quoted != 0);
    default:
        return dst;
    }
}
