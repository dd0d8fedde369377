/* SPDX-License-Identifier: Apache-2.0
 * A seeded generator whose numbers are the same with every compiler and library (xoshiro256**, Blackman and Vigna). */
#ifndef BENCH_RANDOM_HXX
#define BENCH_RANDOM_HXX

#include <cstdint>

class Random
{
  public:
    explicit Random(std::uint64_t seed)
    {
        for (auto &word : state)
            word = mix(seed += 0x9E3779B97F4A7C15u);
    }

    std::uint64_t next()
    {
        const std::uint64_t result = rotate(state[1] * 5, 7) * 9;
        const std::uint64_t t = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= t;
        state[3] = rotate(state[3], 45);
        return result;
    }

    /** In [0, n), n > 0; the bias of 2^-32 does not matter here. */
    std::uint64_t below(std::uint64_t n)
    {
        return n >> 32 ? next() % n : ((next() >> 32) * n) >> 32;
    }

    /** In [0, 1). */
    double unit()
    {
        return static_cast<double>(next() >> 11) * 0x1p-53;
    }

    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

  private:
    static std::uint64_t rotate(std::uint64_t x, int n)
    {
        return (x << n) | (x >> (64 - n));
    }
    std::uint64_t state[4];
};

#endif
