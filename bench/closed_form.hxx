/* SPDX-License-Identifier: Apache-2.0
 * The values of the special files as functions of the entry. Plain C too, so that a Tagma program can check them. */
#ifndef BENCH_CLOSED_FORM_HXX
#define BENCH_CLOSED_FORM_HXX

#include <cstdint>

namespace closed_form
{
constexpr unsigned most_items = 8;

/** splitmix64's finaliser. */
inline std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}
/** 20 of its bits: a float holds them exactly. */
inline float small(std::uint64_t z)
{
    return static_cast<float>(mix(z) >> 44);
}

inline std::uint32_t run(std::uint64_t entry)
{
    return 273158 + static_cast<std::uint32_t>(entry >> 16);
}
inline std::uint32_t lumi(std::uint64_t entry)
{
    return 1 + static_cast<std::uint32_t>((entry >> 6) & 1023);
}
/** A bijection of the entry: every event number is different. */
inline std::uint64_t event(std::uint64_t entry)
{
    return (entry * 0x9E3779B1u) & 0xFFFFFFFFu;
}
inline double d(std::uint64_t entry)
{
    return static_cast<double>(mix(entry) >> 11);
}
inline float x(std::uint64_t entry, unsigned i)
{
    return small(entry * 16 + i);
}
inline unsigned n(std::uint64_t entry)
{
    return static_cast<unsigned>(mix(~entry) % (most_items + 1));
}
inline float a(std::uint64_t entry, unsigned i)
{
    return small(~(entry * most_items + i));
}
} // namespace closed_form

#endif
