// Hypotheses that differ, as the paper draws them: one after the other, those that were drawn before left out.
//
// A hypothesis is a row of bits, one for every outcome of a feature but the first, so that whether two are the same is
// a comparison of words; `transpose` turns rows into lanes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random.hpp"
#include "shape.hpp"

namespace ufodt {

// Bit j of word i becomes bit i of word j: blocks of 32 by 32 change places, then those of 16 by 16 within them, and so
// on (Warren, "Hacker's Delight", 7-3).
inline void transpose(std::uint64_t (&word)[64]) {
    std::uint64_t low = 0x00000000ffffffffULL;
    for (int width = 32; width > 0; width /= 2, low ^= low << width) {
        for (int i = 0; i < 64; i = (i + width + 1) & ~width) {
            const std::uint64_t swapped = (word[i] >> width ^ word[i + width]) & low;
            word[i] ^= swapped << width;
            word[i + width] ^= swapped;
        }
    }
}

class Distinct {
  public:
    // Draw until there are so many, but not for ever: labels from `posterior`, outcomes of `features` from theta.
    void draw(Random& random, const Shape& shape, const Theta& theta, const std::vector<double>& posterior,
              const std::vector<int>& features, int wanted, std::int64_t max_draws) {
        prepare(shape, theta, features, wanted);
        const int n_features = static_cast<int>(features.size());
        words_.resize(n_features + 1);
        for (std::int64_t i = 0; i < max_draws && n_ < wanted; ++i) {
            random.take(words_.data(), n_features + 1);
            const int label = pick(words_[0], shape.n_labels, [&](int y) { return posterior[y]; });
            row_.resize(row_.size() + n_row_words_, 0);
            std::uint64_t* const row = row_.data() + static_cast<std::size_t>(n_) * n_row_words_;
            const std::uint64_t* const zero = zero_.data() + static_cast<std::size_t>(label) * n_features;
            if (n_bits_ == n_features) {  // all are binary
                for (int w = 0; w < n_row_words_; ++w) {
                    std::uint64_t ones = 0;
                    for (int j = 64 * w; j < std::min(n_features, 64 * (w + 1)); ++j)
                        ones |= std::uint64_t{words_[j + 1] >> 11 >= zero[j]} << (j % 64);
                    row[w] = ones;
                }
            } else {
                for (int j = 0; j < n_features; ++j) {
                    const int f = features[j];
                    const int k = pick(words_[j + 1], shape.n_outcomes(f),
                                       [&](int each) { return theta.p[shape.cell(shape.row(f) + each, label)]; });
                    const int bit = bit_[j] + k - 1;
                    if (k > 0) row[bit / 64] |= std::uint64_t{1} << (bit % 64);
                }
            }
            if (is_new()) ++n_;
            else row_.resize(row_.size() - n_row_words_);
        }
    }

    int n() const { return n_; }

    // The lanes of 64 hypotheses, the first of which is number 64 times `block`: `use` is called with the number of a
    // bit and its lanes.
    template <class Use>
    void for_lanes(int block, Use use) const {
        const int first = 64 * block, n_rows = std::min(n_ - first, 64);
        for (int w = 0; w < n_row_words_; ++w) {
            std::uint64_t word[64] = {};
            for (int i = 0; i < n_rows; ++i) word[i] = row_[static_cast<std::size_t>(first + i) * n_row_words_ + w];
            transpose(word);
            for (int bit = 64 * w; bit < std::min(n_bits_, 64 * (w + 1)); ++bit) use(bit, word[bit % 64]);
        }
    }

  private:
    int n_ = 0, n_bits_ = 0, n_row_words_ = 0;
    std::vector<int> bit_;             // per feature on offer: that of its second outcome
    std::vector<std::uint64_t> zero_;  // per (label, feature on offer): P(first outcome) in units of 2^-53, rounded up
    std::vector<std::uint64_t> row_;   // the hypotheses, as bits
    std::vector<std::uint64_t> words_;
    std::vector<int> slot_;  // where a hypothesis is found by its hash: its number, -1 where there is none

    void prepare(const Shape& shape, const Theta& theta, const std::vector<int>& features, int wanted) {
        bit_.clear();
        n_ = n_bits_ = 0;
        for (const int f : features) {
            bit_.push_back(n_bits_);
            n_bits_ += shape.n_outcomes(f) - 1;
        }
        n_row_words_ = (n_bits_ + 63) / 64;
        zero_.clear();
        for (int y = 0; y < shape.n_labels; ++y) {
            for (const int f : features)
                zero_.push_back(static_cast<std::uint64_t>(std::ceil(theta.p[shape.cell(shape.row(f), y)] * 0x1p53)));
        }
        row_.clear();
        slot_.assign(std::bit_ceil(static_cast<std::size_t>(wanted) * 2), -1);
    }

    // Whether the last row is none of those before; if so, its place is taken.
    bool is_new() {
        const std::uint64_t* const last = row_.data() + static_cast<std::size_t>(n_) * n_row_words_;
        std::uint64_t hash = 0x243f6a8885a308d3ULL;
        for (int w = 0; w < n_row_words_; ++w) {
            hash = (hash ^ last[w]) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29;
        }
        for (std::size_t at = hash;; ++at) {
            int& number = slot_[at & (slot_.size() - 1)];
            if (number < 0) {
                number = n_;
                return true;
            }
            if (std::equal(last, last + n_row_words_, row_.data() + static_cast<std::size_t>(number) * n_row_words_))
                return false;
        }
    }

    // Which of n it is, by a word that was drawn.
    template <class Probability>
    static int pick(std::uint64_t word, int n, Probability p) {
        double u = Random::uniform(word);
        for (int i = 0; i < n - 1; ++i) {
            u -= p(i);
            if (u < 0.0) return i;
        }
        return n - 1;
    }
};

}  // namespace ufodt
