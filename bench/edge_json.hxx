/* SPDX-License-Identifier: Apache-2.0
 * Values as JSON, numbers in a form that reads back to the same bits. */
#ifndef BENCH_EDGE_JSON_HXX
#define BENCH_EDGE_JSON_HXX

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

namespace edge
{
inline std::string json(const std::string &text)
{
    std::string out = "\"";
    for (unsigned char c : text) {
        char code[8];
        if (c < 0x20 || c >= 0x7F || c == '"' || c == '\\') {
            std::snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else {
            out += static_cast<char>(c);
        }
    }
    return out + '"';
}

inline std::string json_real(double value, int digits)
{
    if (std::isnan(value))
        return "\"NaN\"";
    if (std::isinf(value))
        return value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    return text;
}

template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> std::string json(T value)
{
    if constexpr (std::is_same_v<T, bool>)
        return value ? "true" : "false";
    else if constexpr (std::is_same_v<T, float>)
        return json_real(value, 9);
    else if constexpr (std::is_same_v<T, double>)
        return json_real(value, 17);
    else
        return std::to_string(value);
}

template <typename Get> std::string json_list(std::size_t n, Get get)
{
    std::string out = "[";
    for (std::size_t i = 0; i < n; i++)
        out += (i ? "," : "") + get(i);
    return out + "]";
}

template <typename T> std::string json(const std::vector<T> &list)
{
    if constexpr (std::is_same_v<T, bool>)
        return json_list(list.size(), [&](std::size_t i) { return json(static_cast<bool>(list[i])); });
    else
        return json_list(list.size(), [&](std::size_t i) { return json(list[i]); });
}

template <typename T, std::size_t N> std::string json(const T (&array)[N])
{
    return json_list(N, [&](std::size_t i) { return json(array[i]); });
}

template <typename T> std::string type_name()
{
    if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_same_v<T, float>)
        return "f32";
    else if constexpr (std::is_same_v<T, double>)
        return "f64";
    else if constexpr (std::is_same_v<T, std::string>)
        return "string";
    else
        return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
}
} // namespace edge

#endif
