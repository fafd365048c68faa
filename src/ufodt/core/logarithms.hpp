// Logarithms and exponentials without branches, and always inlined, so that loops over them vectorise: the same bits on
// any processor.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shape.hpp"

namespace ufodt {

constexpr double bits_per_nat = 1.4426950408889634;

// Natural logarithm good to 1e-13 for normal positive numbers.
[[gnu::always_inline]] inline double smooth_log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdULL;             // puts the mantissa in [sqrt(1/2), sqrt(2))
    const std::uint64_t exponent = shifted >> 52 | -(shifted >> 63) << 12;  // with its sign
    const auto mantissa = std::bit_cast<double>(bits - (exponent << 52));
    const double k = std::bit_cast<double>(exponent + 0x4338000000000000ULL) - 0x1.8p52;  // as a double
    const double s = (mantissa - 1.0) / (mantissa + 1.0), t = s * s;
    const double series =
        1.0 + t * (1.0 / 3 +
                   t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * (1.0 / 13 + t * (1.0 / 15)))))));
    return k * 0.6931471805599453 + 2.0 * s * series;
}

// Each number, zero or more, times its logarithm.
inline void times_log(double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] *= smooth_log(std::max(x[i], 1e-300));
}

// Exponential good to 1e-15 for x <= 0; vanishes below -700.
[[gnu::always_inline]] inline double smooth_exp(double given) {
    const double x = std::max(given, -700.0);
    const double shifted = x * bits_per_nat + 0x1.8p52, k = shifted - 0x1.8p52;   // rounds to a whole number
    const double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b3ap-40;  // what is left, in two parts of log 2
    const double r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    const double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    const double high =
        (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800)) + r4 * (1.0 / 479001600);
    const double series = low + r4 * (middle + r4 * high);
    const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
    return given < -700.0 ? 0.0 : series * power;
}

// Natural logarithm good to 1e-7; log(0) is about -88.
[[gnu::always_inline]] inline float quick_log(float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;  // puts the mantissa in [sqrt(1/2), sqrt(2))
    const auto mantissa = std::bit_cast<float>(bits - (exponent << 23));
    const float s = (mantissa - 1.0f) / (mantissa + 1.0f), s2 = s * s;
    const float series = 2.0f * s * (1.0f + s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9)))));
    return static_cast<float>(exponent) * 0.693147181f + series;
}

// Exponential good to 2e-7 for x <= 0; vanishes below -87.
[[gnu::always_inline]] inline float quick_exp(float x) {
    x = x < -87.0f ? -87.0f : x;
    const float k = (x * 1.44269504f + 12582912.0f) - 12582912.0f;  // rounds to the nearest integer
    const float r = x - k * 0.693147181f;
    const float series =
        1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    return series * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

// Weights from their logarithms, up to a constant: they sum to 1. Both may be the same.
inline void normalise(const std::vector<double>& log_p, std::vector<double>& p) {
    const double top = *std::max_element(log_p.begin(), log_p.end());
    p.resize(log_p.size());
    with_number(static_cast<int>(p.size()), [&](auto m) {
        double sum = 0.0;
        for (int y = 0; y < m; ++y) p[y] = smooth_exp(log_p[y] - top);
        for (int y = 0; y < m; ++y) sum += p[y];
        for (int y = 0; y < m; ++y) p[y] /= sum;
    });
}

}  // namespace ufodt
