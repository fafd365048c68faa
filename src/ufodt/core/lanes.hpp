// Vectors of lanes: as many hypotheses side by side as a register holds.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "random.hpp"

namespace ufodt {

using Floats = float __attribute__((vector_size(vector_bytes)));
using Ints = std::int32_t __attribute__((vector_size(vector_bytes)));
constexpr int n_lanes = vector_bytes / 4;  // lanes that fit one vector of floats
using LooseFloats = float __attribute__((vector_size(vector_bytes), aligned(4), may_alias));

using Shorts = std::int16_t __attribute__((vector_size(32)));
using LooseShorts = std::int16_t __attribute__((vector_size(32), aligned(2), may_alias));

inline void store(std::int16_t* to, Shorts shorts) { *reinterpret_cast<LooseShorts*>(to) = shorts; }
inline Floats load(const float* from) { return *reinterpret_cast<const LooseFloats*>(from); }
inline void store(float* to, Floats floats) { *reinterpret_cast<LooseFloats*>(to) = floats; }

// Exponential good to 2e-7 for x <= 0; vanishes below -87.
inline Floats quick_exp(Floats x) {
    const Floats low = Floats{} - 87.0f;
    x = x < low ? low : x;
    const Floats k = (x * 1.44269504f + 12582912.0f) - 12582912.0f;  // rounds to the nearest integer
    const Floats r = x - k * 0.693147181f;
    const Floats series =
        1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    return series * (Floats)((__builtin_convertvector(k, Ints) + 127) << 23);
}

// Multiplies 64 weights, of which n count, by a power of two once these are small; returns its exponent.
inline int raise(double* weights, int n) {
    if (*std::max_element(weights, weights + n) >= 0x1p-256) return 0;
    for (int i = 0; i < 64; ++i) weights[i] *= 0x1p256;
    return 256;
}

// Divides 64 weights by a power of two.
inline void lower(double* weights, int exponent) {
    if (exponent == 0) return;
    for (int i = 0; i < 64; ++i) weights[i] = std::ldexp(weights[i], -exponent);
}

// Add `weight` to the lanes of row q whose bit in `word` is set.
inline void add_where(Floats& sum, const std::uint64_t& word, int q, float weight) {
#if defined(__AVX512F__)
    std::uint16_t bits;
    std::memcpy(&bits, reinterpret_cast<const char*>(&word) + 2 * q, sizeof bits);
    sum = (Floats)_mm512_mask_add_ps((__m512)sum, bits, (__m512)sum, _mm512_set1_ps(weight));
#else
    constexpr Ints bit[4] = {{1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7},
                             {1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15},
                             {1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 1 << 23},
                             {1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30, INT32_MIN}};
    const Ints spread = Ints{} + static_cast<std::int32_t>(word >> (q < 4 ? 0 : 32));
    sum += (Floats)(((spread & bit[q % 4]) == bit[q % 4]) & (Ints)(Floats{} + weight));
#endif
}

// A bit for every lane, set where a comparison holds.
inline std::uint64_t bits_of(Ints holds) {
#if defined(__AVX512DQ__)
    return _mm512_movepi32_mask((__m512i)holds);
#elif defined(__AVX2__)
    return static_cast<std::uint64_t>(_mm256_movemask_ps((__m256)holds));
#else
    std::uint64_t bits = 0;
    for (int i = 0; i < n_lanes; ++i) bits |= static_cast<std::uint64_t>(holds[i] & 1) << i;
    return bits;
#endif
}

// Of eight rows of words: how many of their lanes are in `a`, and how many in `b`.
inline void count_both(const std::uint64_t* const (&rows)[8], const std::uint64_t* a, const std::uint64_t* b,
                       int n_words, double (&in_a)[8], double (&in_b)[8]) {
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
    const auto count = [](__m512i words) {  // the bits of each word, a nibble at a time from a table
        const __m512i nibble = _mm512_set1_epi8(15),
                      bits = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100);
        const __m512i low = _mm512_shuffle_epi8(bits, words & nibble),
                      high = _mm512_shuffle_epi8(bits, (words >> 4) & nibble);
        return _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
    };
    __m512i both[8];  // per row, for each word: what is in a and, 32 bits above, what is in b
    for (int w = 0; w < n_words; w += 8) {
        const auto some = static_cast<__mmask8>(n_words - w < 8 ? (1 << (n_words - w)) - 1 : 255);
        const __m512i here_a = _mm512_maskz_loadu_epi64(some, a + w), here_b = _mm512_maskz_loadu_epi64(some, b + w);
        for (int i = 0; i < 8; ++i) {
            const __m512i row = _mm512_maskz_loadu_epi64(some, rows[i] + w);
            const __m512i here = count(row & here_a) + (count(row & here_b) << 32);
            both[i] = w == 0 ? here : both[i] + here;
        }
    }
    // Half of one and half of another, side by side, and the other halves added: eight rows of words become one sum.
    const auto join = [](__m512i x, __m512i y) {
        return _mm512_shuffle_i64x2(x, y, 0x88) + _mm512_shuffle_i64x2(x, y, 0xdd);
    };
    for (int i = 0; i < 4; ++i)
        both[i] =
            _mm512_unpacklo_epi64(both[2 * i], both[2 * i + 1]) + _mm512_unpackhi_epi64(both[2 * i], both[2 * i + 1]);
    const __m512i sums = join(join(both[0], both[1]), join(both[2], both[3]));
    _mm512_storeu_pd(in_a, _mm512_cvtepi64_pd(sums & _mm512_set1_epi64(0xffffffff)));
    _mm512_storeu_pd(in_b, _mm512_cvtepi64_pd(_mm512_srli_epi64(sums, 32)));
#else
    for (int i = 0; i < 8; ++i) {
        std::int64_t ones_a = 0, ones_b = 0;
        int w = 0;
        for (; w + 8 <= n_words; w += 8) {  // unrolled
            for (int v = w; v < w + 8; ++v)
                ones_a += std::popcount(a[v] & rows[i][v]), ones_b += std::popcount(b[v] & rows[i][v]);
        }
        for (; w < n_words; ++w) ones_a += std::popcount(a[w] & rows[i][w]), ones_b += std::popcount(b[w] & rows[i][w]);
        in_a[i] = static_cast<double>(ones_a), in_b[i] = static_cast<double>(ones_b);
    }
#endif
}

}  // namespace ufodt
