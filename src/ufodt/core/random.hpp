// Random numbers: one stream per case, vectorised words, exact Bernoulli lanes, normal and gamma variates.
//
// The generator is xoshiro256++ (Blackman and Vigna) run in eight independent columns, so that a compiler
// turns each step into a few vector instructions. What comes out does not depend on the instruction set.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ufodt {

// As many bytes as fill the widest register. Results do not depend on it.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#else
constexpr int vector_bytes = 32;
#endif

// Several 64-bit words as one value. The second type may lie anywhere in memory.
using Words = std::uint64_t __attribute__((vector_size(vector_bytes)));
using LooseWords = std::uint64_t __attribute__((vector_size(vector_bytes), aligned(8), may_alias));

inline void store(std::uint64_t* to, Words words) { *reinterpret_cast<LooseWords*>(to) = words; }

// SplitMix64: turns a key into well-mixed words; used for seeding only.
inline std::uint64_t mix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

// Layers of the ziggurat for the normal density (Marsaglia and Tsang, 2000), 256 of equal area.
struct Ziggurat {
    static constexpr int n_layers = 256;
    static constexpr double tail = 3.6541528853610088;
    static constexpr double area = 0.00492867323399141;
    std::array<double, n_layers + 1> edge{};    // edge[i]: right edge of layer i, edge[256] = 0
    std::array<double, n_layers + 1> height{};  // density (unnormalised) at each edge

    Ziggurat() {
        const auto density = [](double x) { return std::exp(-0.5 * x * x); };
        edge[0] = area / density(tail);
        edge[1] = tail;
        for (int i = 2; i < n_layers; ++i) {
            edge[i] = std::sqrt(-2.0 * std::log(area / edge[i - 1] + density(edge[i - 1])));
        }
        edge[n_layers] = 0.0;
        for (int i = 0; i <= n_layers; ++i) height[i] = density(edge[i]);
    }
};

class Random {
  public:
    Random(std::uint64_t seed, std::uint64_t stream) { reseed(seed, stream); }

    // Start the stream numbered `stream` of `seed`; streams of one seed are independent.
    void reseed(std::uint64_t seed, std::uint64_t stream) {
        std::uint64_t key = seed;
        key = mix(key) ^ (stream * 0xd1342543de82ef95ULL);
        for (auto& row : state_) {
            for (int c = 0; c < n_columns; ++c) row[c / n_words][c % n_words] = mix(key);
        }
        position_ = n_buffer;
    }

    std::uint64_t word() {
        if (position_ == n_buffer) refill();
        return buffer_[position_++];
    }

    // The next `n` words, side by side (n at most 64); a few may be passed over.
    const std::uint64_t* words(int n) {
        if (position_ > n_buffer - n) refill();
        position_ += n;
        return buffer_.data() + position_ - n;
    }

    // Uniform on [0, 1) with 53 bits.
    double uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }

    double normal() {
        for (;;) {
            const std::uint64_t bits = word();
            const int layer = static_cast<int>(bits & 255);
            const double u = static_cast<double>(static_cast<std::int64_t>(bits) >> 10) * 0x1p-53;  // [-1, 1)
            const double x = u * ziggurat_.edge[layer];
            if (std::abs(x) < ziggurat_.edge[layer + 1]) return x;
            if (layer == 0) return normal_tail(bits >> 63);
            const double low = ziggurat_.height[layer], high = ziggurat_.height[layer + 1];
            if (low + uniform() * (high - low) < std::exp(-0.5 * x * x)) return x;
        }
    }

    // Gamma(shape, 1) by Marsaglia and Tsang (2000); `squeeze` is 1 / sqrt(9 (shape - 1/3)), kept by the caller.
    double gamma(double shape, double squeeze) {
        if (shape < 1.0) return small_gamma(shape);
        const double d = shape - 1.0 / 3.0;
        for (;;) {
            const double x = normal();
            const double root = 1.0 + squeeze * x;
            if (root <= 0.0) continue;
            const double v = root * root * root, u = uniform(), x2 = x * x;
            if (u < 1.0 - 0.0331 * x2 * x2) return d * v;
            if (std::log(u) < 0.5 * x2 + d * (1.0 - v + std::log(v))) return d * v;
        }
    }

    static double squeeze(double shape) { return 1.0 / std::sqrt(9.0 * (std::fmax(shape, 1.0) - 1.0 / 3.0)); }

  private:
    static constexpr int n_columns = 8;
    static constexpr int n_buffer = 64 * n_columns;
    static inline const Ziggurat ziggurat_{};

    static constexpr int n_words = vector_bytes / 8, n_parts = n_columns / n_words;

    Words state_[4][n_parts];
    alignas(64) std::array<std::uint64_t, n_buffer> buffer_;
    int position_ = n_buffer;

    void refill() {
        const auto rotate = [](Words x, int by) { return (x << by) | (x >> (64 - by)); };
        Words a[n_parts], b[n_parts], c[n_parts], d[n_parts];
        for (int i = 0; i < n_parts; ++i) a[i] = state_[0][i], b[i] = state_[1][i], c[i] = state_[2][i], d[i] = state_[3][i];
        for (int step = 0; step < n_buffer; step += n_columns) {
            for (int i = 0; i < n_parts; ++i) {  // side by side, so that one hides the latency of the other
                store(buffer_.data() + step + n_words * i, rotate(a[i] + d[i], 23) + a[i]);
                const Words shifted = b[i] << 17;
                c[i] ^= a[i];
                d[i] ^= b[i];
                b[i] ^= c[i];
                a[i] ^= d[i];
                c[i] ^= shifted;
                d[i] = rotate(d[i], 45);
            }
        }
        for (int i = 0; i < n_parts; ++i) state_[0][i] = a[i], state_[1][i] = b[i], state_[2][i] = c[i], state_[3][i] = d[i];
        position_ = 0;
    }

    double normal_tail(bool negative) {
        for (;;) {
            const double x = -std::log(1.0 - uniform()) / Ziggurat::tail;
            const double y = -std::log(1.0 - uniform());
            if (2.0 * y > x * x) return negative ? -(Ziggurat::tail + x) : Ziggurat::tail + x;
        }
    }

    // Shape below one: Gamma(shape + 1) times U^(1/shape).
    double small_gamma(double shape) {
        const double boost = std::log(1.0 - uniform()) / shape;
        return gamma(shape + 1.0, squeeze(shape + 1.0)) * std::exp(boost);
    }
};

// A probability as a 64-bit binary fraction, most significant bit first.
inline std::uint64_t binary_fraction(double p) {
    if (p <= 0.0) return 0;
    if (p >= 1.0) return ~0ULL;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(p * 0x1p63)) << 1;
}

// Which of 32 lanes have drawn < wanted (first) or drawn == wanted (second); a word holds the numbers of four lanes.
inline std::pair<std::uint32_t, std::uint32_t> compare(const std::uint64_t* drawn, const std::int16_t* wanted) {
#if defined(__AVX512BW__)
    const __m512i a = _mm512_loadu_si512(drawn), x = _mm512_loadu_si512(wanted);
    return {_mm512_cmplt_epi16_mask(a, x), _mm512_cmpeq_epi16_mask(a, x)};
#elif defined(__AVX2__)
    const auto at = [](const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); };
    const auto bits = [](__m256i low, __m256i high) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8)));
    };
    const __m256i a = at(drawn), b = at(drawn + 4), x = at(wanted), y = at(wanted + 16);
    return {bits(_mm256_cmpgt_epi16(x, a), _mm256_cmpgt_epi16(y, b)), bits(_mm256_cmpeq_epi16(x, a), _mm256_cmpeq_epi16(y, b))};
#else
    std::uint32_t less = 0, equal = 0;
    for (int i = 0; i < 32; ++i) {
        const auto number = static_cast<std::int16_t>(drawn[i / 4] >> (16 * (i % 4)));
        less |= static_cast<std::uint32_t>(number < wanted[i]) << i;
        equal |= static_cast<std::uint32_t>(number == wanted[i]) << i;
    }
    return {less, equal};
#endif
}

// One bit for each of the 64 lanes that is in `lanes`, set with the probability of its lane; the others are 0.
//
// Each lane compares a uniform number with its probability as a binary fraction: first 16 bits of both, given as
// signed numbers (`high`, the top bits with the sign flipped), and only on a tie the other 48. `fraction(lane)`
// returns all 64 bits of the probability.
template <class Fraction>
inline std::uint64_t bernoulli_bits(Random& random, std::uint64_t lanes, const std::int16_t* high, Fraction fraction) {
    const std::uint64_t* drawn = random.words(16);
    const auto [less0, equal0] = compare(drawn, high);
    const auto [less1, equal1] = compare(drawn + 8, high + 32);
    std::uint64_t ones = lanes & (less0 | static_cast<std::uint64_t>(less1) << 32);
    for (std::uint64_t ties = lanes & (equal0 | static_cast<std::uint64_t>(equal1) << 32); ties; ties &= ties - 1) {
        const int lane = std::countr_zero(ties);
        ones |= static_cast<std::uint64_t>(random.word() >> 16 < (fraction(lane) & 0xffffffffffffULL)) << lane;
    }
    return ones;
}

}  // namespace ufodt
