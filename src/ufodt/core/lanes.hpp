// Vectors of lanes: as many hypotheses side by side as a register holds.
#pragma once

#include <cstdint>
#include <cstring>

#include "random.hpp"

namespace ufodt {

using Floats = float __attribute__((vector_size(vector_bytes)));
using Ints = std::int32_t __attribute__((vector_size(vector_bytes)));
using Bytes = std::uint8_t __attribute__((vector_size(vector_bytes / 4)));
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
    const Floats series = 1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    return series * (Floats)((__builtin_convertvector(k, Ints) + 127) << 23);
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

}  // namespace ufodt
