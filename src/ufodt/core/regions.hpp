// The region of every hypothesis: the label of least expected loss given all its outcomes.
//
// Under naive Bayes the log-odds of a label against label 0 are a sum over the outcomes other than 0, one weight each.
// They are summed for many hypotheses side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lanes.hpp"
#include "logarithms.hpp"
#include "loss.hpp"
#include "shape.hpp"

namespace ufodt {

class Regions {
  public:
    void resize(const Shape& shape, int n_words) {
        shape_ = &shape;
        n_words_ = n_words;
        region_.assign(static_cast<std::size_t>(shape.n_labels) * n_words_, 0);
        logit_.assign(static_cast<std::size_t>(shape.n_labels) * n_words_ * 64, 0.0f);
    }

    // Take over the environment that hypotheses are drawn from.
    void set_theta(const Theta& theta, const std::vector<int>& features) {
        theta_ = &theta;
        weight_.resize(static_cast<std::size_t>(shape_->n_indicators()) * shape_->n_labels);
        with_number(shape_->n_labels, [&](auto m) {
            const float* const log_p = theta.log_p.data();
            const auto weigh = [&](int zero, int from, int to) {
                const float log_odds = log_p[from] - log_p[zero];
                for (int y = 0; y < m; ++y) weight_[to + y] = log_p[from + y] - log_p[zero + y] - log_odds;
            };
            for (const int f : features) {
                const int zero = shape_->first_row[f] * m, to = shape_->indicator(f, 1) * m,
                          n_outcomes = shape_->n_outcomes(f);
                weigh(zero, zero + m, to);
                if (n_outcomes == 2) continue;  // as most features are: a loop would be vectorised, for one round
                for (int k = 2; k < n_outcomes; ++k) weigh(zero, zero + k * m, to + (k - 1) * m);
            }
        });
    }

    // Find the region of every hypothesis: `lanes` holds their outcomes, one row of words per indicator; labels are
    // taken from `posterior`, outcomes of `features` from theta.
    void find(const std::uint64_t* lanes, const std::vector<double>& posterior, const std::vector<int>& features,
              const Loss& loss) {
        const int m = shape_->n_labels;
        logs_.resize(m);
        for (int y = 0; y < m; ++y) {
            float sum = quick_log(static_cast<float>(posterior[y]));
            for (const int f : features) sum += theta_->log_p[shape_->cell(shape_->row(f), y)];
            logs_[y] = sum;
        }
        used_.clear();
        for (const int f : features) {
            for (int k = 1; k < shape_->n_outcomes(f); ++k) used_.push_back(shape_->indicator(f, k));
        }
        int w = 0;
        for (; w + 2 <= n_words_; w += 2) find_likeliest<2>(lanes, w, !loss.is_uniform);
        if (w < n_words_) find_likeliest<1>(lanes, w, !loss.is_uniform);
        loss.is_uniform ? keep_last() : choose_by_loss(loss);
    }

    int of(int lane) const {
        int region = 0;
        while (!(lanes(region)[lane / 64] >> (lane % 64) & 1)) ++region;
        return region;
    }
    const std::uint64_t* lanes(int region) const {
        return region_.data() + static_cast<std::size_t>(region) * n_words_;
    }

  private:
    static constexpr int n_rows_per_word = 64 / n_lanes;

    const Shape* shape_ = nullptr;
    const Theta* theta_ = nullptr;
    int n_words_ = 0;
    std::vector<std::uint64_t> region_;  // per region: its lanes
    std::vector<float> weight_, logit_;  // log-odds against label 0: per (indicator, label), per (label, lane)
    std::vector<float> logs_;            // log P(label), with outcome 0 of every feature
    std::vector<float> chance_;          // P(label) of one hypothesis
    std::vector<Floats> p_;
    std::vector<int> used_;  // indicators that differ between hypotheses

    // Log-odds against label 0 of labels y..y+L-1 for W words of lanes, summed over the indicators in `used_`, and kept
    // if more than the likeliest label is wanted. A label gets the lanes in which it beats those before it, the best
    // of which `best` has.
    template <int L, int W>
    void sum_odds(const std::uint64_t* lanes, int w, int y, bool keep, Floats* best) {
        // Eight sums at once: an addition waits for the one before.
        constexpr int n_rows = std::min(W * n_rows_per_word, 8 / L);
        const int m = shape_->n_labels;
        for (int from = 0; from < W * n_rows_per_word; from += n_rows) {
            Floats odds[L][n_rows];
            for (int l = 0; l < L; ++l) {
                for (auto& o : odds[l]) o = Floats{} + (logs_[y + l] - logs_[0]);
            }
            for (const int j : used_) {
                const std::uint64_t* const words = lanes + static_cast<std::size_t>(j) * n_words_ + w;
                const float* weight = weight_.data() + static_cast<std::size_t>(j) * m + y;
                for (int q = 0; q < n_rows; ++q) {
                    const int row = from + q;
                    for (int l = 0; l < L; ++l)
                        add_where(odds[l][q], words[row / n_rows_per_word], row % n_rows_per_word, weight[l]);
                }
            }
            for (int l = 0; l < L; ++l) {
                std::uint64_t* const region = region_.data() + static_cast<std::size_t>(y + l) * n_words_ + w;
                float* const logit = logit_.data() + (static_cast<std::size_t>(y + l) * n_words_ + w) * 64;
                for (int q = 0; q < n_rows; ++q) {
                    const int row = from + q, shift = row % n_rows_per_word * n_lanes;
                    const Floats here = odds[l][q], before = y + l == 1 ? Floats{} : best[row];
                    const std::uint64_t beats = bits_of(here > before) << shift;
                    region[row / n_rows_per_word] = shift == 0 ? beats : region[row / n_rows_per_word] | beats;
                    best[row] = here > before ? here : before;
                    if (keep) store(logit + n_lanes * row, here);
                }
            }
        }
    }

    // For every label but the first, the hypotheses in W words of lanes whose likeliest label it is so far.
    template <int W>
    void find_likeliest(const std::uint64_t* lanes, int w, bool keep) {
        const int m = shape_->n_labels;
        Floats best[W * n_rows_per_word];
        int y = 1;
        for (; y + 1 < m; y += 2) sum_odds<2, W>(lanes, w, y, keep, best);
        if (y < m) sum_odds<1, W>(lanes, w, y, keep, best);
    }

    // A hypothesis belongs to the last label that beats those before it; to label 0 where none does.
    void keep_last() {
        std::uint64_t* const taken = region_.data();
        std::fill_n(taken, n_words_, 0);
        for (int y = shape_->n_labels - 1; y > 0; --y) {
            std::uint64_t* const region = region_.data() + static_cast<std::size_t>(y) * n_words_;
            for (int w = 0; w < n_words_; ++w) taken[w] |= region[w] &= ~taken[w];
        }
        for (int w = 0; w < n_words_; ++w) taken[w] = ~taken[w];
    }

    void choose_by_loss(const Loss& loss) {
        chance_.resize(shape_->n_labels);
        std::fill(region_.begin(), region_.end(), 0);
        for (int row = 0; row < n_rows_per_word * n_words_; ++row) {
            probabilities(row);
            for (int i = 0, lane = n_lanes * row; i < n_lanes; ++i, ++lane) {
                for (int y = 0; y < shape_->n_labels; ++y) chance_[y] = p_[y][i];
                const auto region = static_cast<std::size_t>(loss.best(chance_.data()).first);
                region_[region * n_words_ + lane / 64] |= 1ULL << (lane % 64);
            }
        }
    }

    // P(label | hypothesis) of one row of lanes, into `p_`.
    void probabilities(int row) {
        const int m = shape_->n_labels;
        p_.resize(m);
        Floats top = {}, sum = {};
        for (int y = 0; y < m; ++y) {
            p_[y] = load(logit_.data() + static_cast<std::size_t>(y) * n_words_ * 64 + n_lanes * row);
            top = p_[y] > top ? p_[y] : top;
        }
        for (int y = 0; y < m; ++y) sum += p_[y] = quick_exp(p_[y] - top);
        for (int y = 0; y < m; ++y) p_[y] /= sum;
    }
};

}  // namespace ufodt
