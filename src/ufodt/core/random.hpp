// Random numbers: one stream per case, vectorised words, exact Bernoulli lanes, normal and gamma variates.
//
// The generator is xoshiro256++ (Blackman and Vigna) run in eight independent columns, so that a compiler
// turns each step into a few vector instructions. What comes out does not depend on the instruction set.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "logarithms.hpp"

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

// The double in [1, 2) whose fraction is the top 52 bits of a word.
inline double one_to_two(std::uint64_t word) { return std::bit_cast<double>(word >> 12 | 0x3ff0000000000000ULL); }

// One variate, uniform from 0 to 1, that belongs to a seed and the number of a case.
inline double uniform_of(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t key = ~seed;  // not the key of a stream
    key = mix(key) ^ (number * 0xd1342543de82ef95ULL);
    return one_to_two(mix(key)) - 1.0;
}

// Two normal variates from two words (Box and Muller, 1958): the angle lies in the first eighth of the circle, and bits
// that the fraction does not use say which eighth it is moved to.
inline std::pair<double, double> normal_pair(std::uint64_t first, std::uint64_t second) {
    const double radius = std::sqrt(-2.0 * smooth_log(2.0 - one_to_two(first)));
    const double a = (one_to_two(second) - 1.0) * 0.7853981633974483, t = a * a;
    const double sine =
        a * (1.0 - t * (1.0 / 6 - t * (1.0 / 120 - t * (1.0 / 5040 - t * (1.0 / 362880 - t * (1.0 / 39916800))))));
    const double cosine =
        1.0 - t * (1.0 / 2 -
                   t * (1.0 / 24 - t * (1.0 / 720 - t * (1.0 / 40320 - t * (1.0 / 3628800 - t * (1.0 / 479001600))))));
    const std::uint64_t p = std::bit_cast<std::uint64_t>(radius * sine),
                        q = std::bit_cast<std::uint64_t>(radius * cosine);
    const std::uint64_t swap = (p ^ q) & -(second & 1);
    return {std::bit_cast<double>(p ^ swap ^ (second & 2) << 62), std::bit_cast<double>(q ^ swap ^ (second & 4) << 61)};
}

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

    // The next `n` words, side by side (at most 512); a few may be passed over.
    const std::uint64_t* words(int n) {
        if (position_ > n_buffer - n) refill();
        position_ += n;
        return buffer_.data() + position_ - n;
    }

    // The next `n` words, none passed over.
    void take(std::uint64_t* out, int n) {
        while (n > 0) {
            if (position_ == n_buffer) refill();
            const int here = std::min(n, n_buffer - position_);
            out = std::copy_n(buffer_.data() + position_, here, out);
            position_ += here;
            n -= here;
        }
    }

    // Uniform on [0, 1) with 53 bits.
    double uniform() { return uniform(word()); }
    static double uniform(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

    double normal() {
        const std::uint64_t* const w = words(2);
        return normal_pair(w[0], w[1]).first;
    }

    // Gamma(shape, 1) variates by Marsaglia and Tsang (2000); callers keep `squeeze`, 1 / sqrt(9 (shape - 1/3)).
    //
    // Nearly all are accepted at once, many side by side; the others are drawn one by one. The sure acceptance,
    // u < 1 - 0.0331 x^4, is for shape 1. Acceptance is exp(-s h(x / sqrt(s))) with s = 1 / squeeze^2, convex in s for
    // a given ratio and 1 at s = 0, so a line in s that starts at 1 and lies below it at shape 1, where s = 6, stays
    // below: 0.0331 may shrink with squeeze^2.
    void gammas(const double* shape, const double* squeeze, double* out, int n) {
        constexpr int n_block = 32;
        for (int from = 0; from < n; from += n_block, shape += n_block, squeeze += n_block, out += n_block) {
            const std::uint64_t* const w = words(2 * n_block);
            double x[n_block], u[n_block];
            std::uint8_t accepted[n_block];
            for (int i = 0; i < n_block / 2; ++i) {
                const auto [a, b] = normal_pair(w[i], w[i + n_block / 2]);
                x[i] = a, x[i + n_block / 2] = b;
            }
            for (int i = 0; i < n_block; ++i) u[i] = one_to_two(w[n_block + i]) - 1.0;
            const int here = std::min(n - from, n_block);
            for (int i = 0; i < here; ++i) {
                const double root = 1.0 + squeeze[i] * x[i], x2 = x[i] * x[i];
                out[i] = (shape[i] - 1.0 / 3.0) * (root * root * root);
                accepted[i] = (shape[i] >= 1.0) & (root > 0.0) &
                              (u[i] < 1.0 - 6.0 * 0.0331 * (squeeze[i] * squeeze[i]) * (x2 * x2));
            }
            for (int i = 0; i < here; ++i) {
                if (!accepted[i]) out[i] = decide(shape[i], squeeze[i], x[i], u[i]);
            }
        }
    }

    static double squeeze(double shape) { return 1.0 / std::sqrt(9.0 * (std::fmax(shape, 1.0) - 1.0 / 3.0)); }

  private:
    static constexpr int n_columns = 8;
    static constexpr int n_buffer = 64 * n_columns;

    static constexpr int n_words = vector_bytes / 8, n_parts = n_columns / n_words;

    Words state_[4][n_parts];
    alignas(64) std::array<std::uint64_t, n_buffer> buffer_;
    int position_ = n_buffer;

    void refill() {
        const auto rotate = [](Words x, int by) { return (x << by) | (x >> (64 - by)); };
        Words a[n_parts], b[n_parts], c[n_parts], d[n_parts];
        for (int i = 0; i < n_parts; ++i)
            a[i] = state_[0][i], b[i] = state_[1][i], c[i] = state_[2][i], d[i] = state_[3][i];
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
        for (int i = 0; i < n_parts; ++i)
            state_[0][i] = a[i], state_[1][i] = b[i], state_[2][i] = c[i], state_[3][i] = d[i];
        position_ = 0;
    }

    // A gamma variate from a normal and a uniform one, or, where they are rejected, from fresh ones.
    double decide(double shape, double squeeze, double x, double u) {
        if (shape < 1.0) {  // Gamma(shape + 1) times U^(1/shape)
            const double boost = std::log(1.0 - uniform()) / shape;
            return decide(shape + 1.0, Random::squeeze(shape + 1.0), x, u) * std::exp(boost);
        }
        const double d = shape - 1.0 / 3.0;
        for (;; x = normal(), u = uniform()) {
            const double root = 1.0 + squeeze * x;
            if (root <= 0.0) continue;
            const double v = root * root * root;
            if (std::log(u) < 0.5 * x * x + d * (1.0 - v + std::log(v))) return d * v;
        }
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
        return static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8)));
    };
    const __m256i a = at(drawn), b = at(drawn + 4), x = at(wanted), y = at(wanted + 16);
    return {bits(_mm256_cmpgt_epi16(x, a), _mm256_cmpgt_epi16(y, b)),
            bits(_mm256_cmpeq_epi16(x, a), _mm256_cmpeq_epi16(y, b))};
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

// Eight words of 64 lanes side by side.
using Block = std::uint64_t __attribute__((vector_size(64)));

// The same as above for 512 lanes, those in `second` with one probability and the others with another; `fraction` holds
// the two. A lane says yes where its probability and a uniform number, added bit by bit from the lowest, carry out of
// the highest: a carry is the majority of three. Eight bits are added; whether those below carry into them is thrown
// once for each word. Every lane has exactly its chance; two lanes of a word have a covariance of up to 2^-18, which
// shows only where the chance is below 1/100: the number of a word's lanes that say yes then varies up to a quarter
// more than by chance.
inline Block bernoulli_block(Random& random, const Block& lanes, const Block& second,
                             const std::uint64_t (&fraction)[2]) {
    constexpr int n_bits = 8;
    const Block where[4] = {Block{}, ~second, second, ~Block{}};  // by the bit of the first and that of the second
    const std::uint64_t* const words = random.words(8 * (n_bits + 1));
    const auto drawn = [&](int i) {
        Block block;
        std::memcpy(&block, words + 8 * i, sizeof block);
        return block;
    };
    const auto carries = [&](std::uint64_t p) { return (Block)(drawn(n_bits) < Block{} + (p << n_bits)); };
    Block ones = (carries(fraction[0]) & ~second) | (carries(fraction[1]) & second);
    for (int i = 0; i < n_bits; ++i) {
        const int shift = 64 - n_bits + i;
        const Block here = drawn(i), &bit = where[(fraction[0] >> shift & 1) + 2 * (fraction[1] >> shift & 1)];
        ones = (ones & here) | (bit & (ones | here));
    }
    return lanes & ones;
}

}  // namespace ufodt
