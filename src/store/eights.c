/* SPDX-License-Identifier: Apache-2.0
 * Eight words of w bits are w bytes, whichever w: where each stands in them is the same for every eight, so that shuffles and
 * shifts made once serve all. Functions that need AVX2 say so; none of them is called without. */
#include "store/eights.h"

#ifdef __x86_64__

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum {
    AHEAD = 12,  /* runs; about what a line from memory takes to come */
    FEW_BITS = 3 /* of a head's number, where all heads fit in one register */
};

/* How to take eight words apart: pair j (words 2j and 2j + 1) lies in the 16 bytes from byte pair_at[j] on. */
typedef struct eight {
    uint32_t pair_at[4];
    __m256i bytes[2];  /* of words 0 to 3, 4 to 7: which 8 bytes of its pair's 16 hold a word */
    __m256i shifts[2]; /* and from which bit of those on */
    __m256i mask;
    __m256i low; /* the m bits below a head's number, as often as values fit */
    __m128i m, tz;
    __m256i few; /* up to 8 heads of 4 bytes, or the only one, all over */
} eight;

bool tg_eights_suit(const tg_slot *slot)
{
    return slot->width >= 2 && slot->w > 0 && slot->w <= TG_BITS_NEAR && __builtin_cpu_supports("avx2");
}

WITH_AVX2 static void find_words(eight *it, uint32_t w)
{
    uint8_t bytes[8][8];
    uint64_t shifts[8];

    for (uint32_t i = 0; i < 8; i++) {
        uint32_t bit = i * w - 8 * (i / 2 * 2 * w / 8);

        it->pair_at[i / 2] = i / 2 * 2 * w / 8;
        shifts[i] = bit % 8;
        for (uint32_t b = 0; b < 8; b++)
            bytes[i][b] = (uint8_t)(bit / 8 + b);
    }
    for (uint32_t half = 0; half < 2; half++) {
        it->bytes[half] = _mm256_loadu_si256((const __m256i *)(const void *)bytes[4 * half]);
        it->shifts[half] = _mm256_loadu_si256((const __m256i *)(const void *)&shifts[4 * half]);
    }
    it->mask = _mm256_set1_epi64x((int64_t)tg_bits_mask(w));
}

WITH_AVX2 static eight eight_of(const tg_heads *heads, const tg_slot *slot)
{
    uint32_t few[8], n_heads, head_bits = slot->w - slot->m;
    eight it;

    find_words(&it, slot->w);
    it.m = _mm_cvtsi32_si128(slot->m);
    it.tz = _mm_cvtsi32_si128(slot->tz);
    if (slot->width == 3) {
        it.low = _mm256_set1_epi64x((int64_t)tg_bits_mask(slot->m));
        it.few = _mm256_set1_epi64x((int64_t)heads->eight[slot->head]);
        return it;
    }
    it.low = _mm256_set1_epi32((int32_t)tg_bits_mask(slot->m));
    n_heads = head_bits < FEW_BITS ? 1U << head_bits : 8;
    for (uint32_t i = 0; i < 8; i++)
        few[i] = heads->four[slot->head + i % n_heads];
    it.few = _mm256_loadu_si256((const __m256i *)(const void *)few);
    return it;
}

WITH_AVX2 static inline __m256i four_words(const eight *it, const uint8_t *from, uint32_t half)
{
    const uint8_t *first = from + it->pair_at[2 * half], *second = from + it->pair_at[2 * half + 1];
    __m256i pairs =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)first)),
                                _mm_loadu_si128((const __m128i *)(const void *)second), 1);

    pairs = _mm256_shuffle_epi8(pairs, it->bytes[half]);
    return _mm256_and_si256(_mm256_srlv_epi64(pairs, it->shifts[half]), it->mask);
}

/* How heads are found. */
typedef enum look_up { ONLY, OF_FEW, OF_MANY } look_up;

WITH_AVX2 static inline __attribute__((always_inline)) void
put_fours(const eight *it, const uint32_t *heads, __m256i a, __m256i b, look_up how, uint8_t *to)
{
    __m256 evens = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    __m256i words = _mm256_permute4x64_epi64(_mm256_castps_si256(evens), 0xd8), head = it->few,
            rest = how == ONLY ? words : _mm256_and_si256(words, it->low);

    if (how == OF_FEW)
        head = _mm256_permutevar8x32_epi32(it->few, _mm256_srl_epi32(words, it->m));
    else if (how == OF_MANY)
        head = _mm256_i32gather_epi32((const int *)(const void *)heads, _mm256_srl_epi32(words, it->m), 4);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_add_epi32(head, _mm256_sll_epi32(rest, it->tz)));
}

WITH_AVX2 static inline __attribute__((always_inline)) void
put_eights(const eight *it, const uint64_t *heads, __m256i words, look_up how, uint8_t *to)
{
    __m256i head = it->few, rest = how == ONLY ? words : _mm256_and_si256(words, it->low);

    if (how != ONLY)
        head =
            _mm256_i64gather_epi64((const long long *)(const void *)heads, _mm256_srl_epi64(words, it->m), 8);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_add_epi64(head, _mm256_sll_epi64(rest, it->tz)));
}

WITH_AVX2 static inline __attribute__((always_inline)) void decode_as(const tg_heads *heads,
                                                                      const tg_slot *slot, const tg_run *runs,
                                                                      uint32_t n_runs, uint8_t *to,
                                                                      uint32_t width, look_up how)
{
    const eight it = eight_of(heads, slot);
    const uint32_t *four = heads->four + slot->head;
    const uint64_t *eight_bytes = heads->eight + slot->head;

    for (uint32_t r = 0; r < n_runs; r++) {
        const uint8_t *from = runs[r].words + runs[r].at / 8;

        if (r + AHEAD < n_runs)
            __builtin_prefetch(runs[r + AHEAD].words + runs[r + AHEAD].at / 8);
        for (uint64_t left = runs[r].n; left > 0; left -= 8, from += slot->w, to += 8U << width) {
            __m256i a = four_words(&it, from, 0), b = four_words(&it, from, 1);

            if (width == 2) {
                put_fours(&it, four, a, b, how, to);
            } else {
                put_eights(&it, eight_bytes, a, how, to);
                put_eights(&it, eight_bytes, b, how, to + 32);
            }
        }
    }
}

WITH_AVX2 void tg_eights_decode(const tg_heads *heads, const tg_slot *slot, const tg_run *runs,
                                uint32_t n_runs, uint8_t *to)
{
    uint32_t head_bits = slot->w - slot->m;

    if (slot->width == 3 && head_bits == 0)
        decode_as(heads, slot, runs, n_runs, to, 3, ONLY);
    else if (slot->width == 3)
        decode_as(heads, slot, runs, n_runs, to, 3, OF_MANY);
    else if (head_bits == 0)
        decode_as(heads, slot, runs, n_runs, to, 2, ONLY);
    else if (head_bits <= FEW_BITS)
        decode_as(heads, slot, runs, n_runs, to, 2, OF_FEW);
    else
        decode_as(heads, slot, runs, n_runs, to, 2, OF_MANY);
}

#else

bool tg_eights_suit(const tg_slot *slot)
{
    (void)slot;
    return false;
}

void tg_eights_decode(const tg_heads *heads, const tg_slot *slot, const tg_run *runs, uint32_t n_runs,
                      uint8_t *to)
{
    (void)heads, (void)slot, (void)runs, (void)n_runs, (void)to;
}

#endif
