// Random numbers: one stream per case, vectorised words, exact Bernoulli lanes, normal and gamma variates.
//
// The generator is xoshiro256++ (Blackman and Vigna) run in eight independent columns, so that a compiler
// turns each step into a few vector instructions. What comes out does not depend on the instruction set.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace ufodt {

// Four 64-bit words as one value: 256 lanes.
using Words = std::uint64_t __attribute__((vector_size(32)));

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
            for (auto& words : row) words = Words{mix(key), mix(key), mix(key), mix(key)};
        }
        position_ = n_buffer;
    }

    std::uint64_t word() {
        if (position_ == n_buffer) refill();
        return buffer_[position_++];
    }

    // Four words at once.
    Words four_words() {
        if (position_ > n_buffer - 4) refill();
        Words words;
        std::memcpy(&words, buffer_.data() + position_, sizeof words);
        position_ += 4;
        return words;
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
    static constexpr int n_buffer = 16 * n_columns;
    static inline const Ziggurat ziggurat_{};

    Words state_[4][n_columns / 4];
    alignas(64) std::array<std::uint64_t, n_buffer> buffer_;
    int position_ = n_buffer;

    void refill() {
        const auto rotate = [](Words x, int by) { return (x << by) | (x >> (64 - by)); };
        for (int half = 0; half < n_columns / 4; ++half) {
            Words a = state_[0][half], b = state_[1][half], c = state_[2][half], d = state_[3][half];
            for (int step = 0; step < n_buffer; step += n_columns) {
                const Words out = rotate(a + d, 23) + a, shifted = b << 17;
                std::memcpy(buffer_.data() + step + 4 * half, &out, sizeof out);
                c ^= a;
                d ^= b;
                b ^= c;
                a ^= d;
                c ^= shifted;
                d = rotate(d, 45);
            }
            state_[0][half] = a, state_[1][half] = b, state_[2][half] = c, state_[3][half] = d;
        }
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

inline bool any(Words x) { return (x[0] | x[1] | x[2] | x[3]) != 0; }

// One bit for each of the 256 lanes in `lanes`, set with the probability of its lane; lanes outside stay 0.
//
// Each lane compares a uniform number, drawn bit by bit, with the binary expansion of its probability, and is
// decided at the first bit in which they differ: 256 lanes need about ten rounds. `plane(level)` returns bit
// number `level` of the probability of every lane.
template <class Plane>
inline Words bernoulli_bits(Random& random, Words lanes, Plane plane) {
    Words undecided = lanes, ones = {};
    const auto toss = [&](int level) {
        const Words drawn = random.four_words(), wanted = plane(level);
        ones |= undecided & ~drawn & wanted;
        undecided &= ~(drawn ^ wanted);
    };
    for (int level = 63; level > 57; --level) toss(level);  // hardly ever enough, so not worth a look in between
    for (int level = 57; level >= 0 && any(undecided); --level) toss(level);
    return ones;
}

}  // namespace ufodt
