// Hypotheses that differ, as the paper draws them: one after the other, those that were drawn before left out.
//
// A hypothesis is a row of bits, one for every outcome of a feature but the first, so that whether two are the same is
// a comparison of words; lanes are the same bits the other way round.
#pragma once

#include <algorithm>
#include <bit>
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
        const std::size_t n_features = features.size();
        for (std::int64_t i = 0; i < max_draws && n_ < wanted; ++i) {
            random.take(words_.data(), static_cast<int>(n_features) + 1);
            const int label = pick(words_[0], shape.n_labels, [&](int y) { return posterior[y]; });
            std::uint64_t* const row = row_of(n_);
            if (is_binary_) {
                draw_binary(zero_.data() + static_cast<std::size_t>(label) * n_bits_, row);
            } else {
                std::fill_n(row, n_row_words_, 0);
                for (std::size_t j = 0; j < n_features; ++j) {
                    const int f = features[j];
                    const int k = pick(words_[j + 1], shape.n_outcomes(f),
                                       [&](int each) { return theta.p[shape.cell(shape.row(f) + each, label)]; });
                    const int bit = first_bit_[f] + k - 1;
                    if (k > 0) row[bit / 64] |= std::uint64_t{1} << (bit % 64);
                }
            }
            n_ += is_new();
        }
    }

    int n() const { return n_; }

    // The bit of the second outcome of a feature on offer; the third has the next, and so on.
    int first_bit(int feature) const { return first_bit_[feature]; }

    // How many bits there are, rounded up; of as many numbers, adds `weight` to those whose bit a hypothesis has.
    int n_bits() const { return n_bits_; }
    void add_weight(int hypothesis, double weight, double* sum) const {
        const std::uint64_t* const row = row_of(hypothesis);
        for (int bit = 0; bit < n_bits_; bit += n_block, sum += n_block) {
            const std::uint64_t bits = row[bit / 64] >> (bit % 64);
            for (std::uint64_t i = 0; i < n_block; ++i) sum[i] += bits >> i & 1 ? weight : 0.0;
        }
    }

    // The lanes of 64 hypotheses, the first of which is number 64 times `block`, one word for each bit.
    void lanes(int block, std::vector<std::uint64_t>& words) const {
        const int first = 64 * block, n_rows = std::min(n_ - first, 64);
        words.clear();
        for (int w = 0; w < n_row_words_; ++w) {
            std::uint64_t word[64] = {};
            for (int i = 0; i < n_rows; ++i) word[i] = row_of(first + i)[w];
            transpose(word);
            words.insert(words.end(), word, word + 64);
        }
    }

  private:
    static constexpr int n_block = 8;  // bits that are worked on side by side

    int n_ = 0, n_bits_ = 0, n_row_words_ = 0;
    bool is_binary_ = true;           // all features on offer are
    std::vector<int> first_bit_;      // per feature
    std::vector<std::int64_t> zero_;  // per (label, binary feature on offer): P(first outcome) times 2^53, rounded up
    std::vector<std::uint64_t> row_;  // the hypotheses, and the one that is being drawn
    std::vector<std::uint64_t> words_;
    std::vector<int> slot_;  // where a hypothesis is found by its hash: its number, -1 where there is none

    std::uint64_t* row_of(int hypothesis) { return row_.data() + static_cast<std::size_t>(hypothesis) * n_row_words_; }
    const std::uint64_t* row_of(int hypothesis) const { return const_cast<Distinct*>(this)->row_of(hypothesis); }

    void prepare(const Shape& shape, const Theta& theta, const std::vector<int>& features, int wanted) {
        first_bit_.assign(shape.n_features, 0);
        n_ = n_bits_ = 0;
        for (const int f : features) {
            first_bit_[f] = n_bits_;
            n_bits_ += shape.n_outcomes(f) - 1;
        }
        is_binary_ = n_bits_ == static_cast<int>(features.size());
        n_bits_ = (n_bits_ + n_block - 1) / n_block * n_block;
        n_row_words_ = (n_bits_ + 63) / 64;
        zero_.clear();
        for (int y = 0; y < shape.n_labels && is_binary_; ++y) {
            for (const int f : features)
                zero_.push_back(static_cast<std::int64_t>(std::ceil(theta.p[shape.cell(shape.row(f), y)] * 0x1p53)));
            zero_.resize(static_cast<std::size_t>(n_bits_) * (y + 1), std::int64_t{1} << 53);  // never less
        }
        row_.resize(static_cast<std::size_t>(wanted) * n_row_words_);
        words_.resize(std::max(features.size(), static_cast<std::size_t>(n_bits_)) + 1);
        slot_.assign(std::bit_ceil(static_cast<std::size_t>(wanted) * 2), -1);
    }

    // Features of two outcomes by the words drawn: the second where a word, as a number from 0 to 1, is not less than
    // the chance of the first.
    void draw_binary(const std::int64_t* zero, std::uint64_t* row) const {
        const std::uint64_t* word = words_.data() + 1;
        for (int bit = 0; bit < n_bits_; bit += n_block, word += n_block, zero += n_block) {
            std::uint64_t ones = 0;
            for (std::uint64_t i = 0; i < n_block; ++i)
                ones |= static_cast<std::int64_t>(word[i] >> 11) >= zero[i] ? std::uint64_t{1} << i : 0;
            row[bit / 64] = (bit % 64 == 0 ? 0 : row[bit / 64]) | ones << (bit % 64);
        }
    }

    // Whether the row that was drawn last is none of those before; if so, its place is taken.
    bool is_new() {
        const std::uint64_t* const last = row_of(n_);
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
            if (std::equal(last, last + n_row_words_, row_of(number))) return false;
        }
    }

    // Which of n it is, by a word that was drawn.
    template <class Probability>
    static int pick(std::uint64_t word, int n, Probability p) {
        double left = Random::uniform(word);
        int which = 0;
        for (int i = 0; i < n - 1; ++i) which += (left -= p(i)) >= 0.0;  // no branch, which none could foresee
        return which;
    }
};

}  // namespace ufodt
