// How far several answers together are trusted: naive Bayes counts news twice that features share, and grows too sure.
//
// For the answer and its probabilities, n answers count as n^(1 - s) that share no news: their likelihood is raised to
// n^-s. One answer is always trusted in full; several are where the overlap s is 0, and are worth one where it is 1. It
// is the one under which the labels revealed so far were likeliest, chosen a little reluctantly. Planning trusts theta
// in full (docs/decisions/0011). The sums behind the choice are additive, as counts are: they merge and forget.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "logarithms.hpp"
#include "shape.hpp"

namespace ufodt {

// How many answers there are, each by what it tells: those that tell nothing are none, and beside a strong one a weak
// one is less than one. With w the most by which the log likelihoods of an answer differ between labels, this is
// (sum of w)^2 / (sum of w^2).
class Answers {
  public:
    void clear() { sum_ = squares_ = 0.0; }

    // One more, by its log likelihood under each label.
    void add(const std::vector<double>& log_p) {
        const auto [least, most] = std::minmax_element(log_p.begin(), log_p.end());
        sum_ += *most - *least;
        squares_ += (*most - *least) * (*most - *least);
    }

    double n() const { return squares_ > 0.0 ? sum_ * sum_ / squares_ : 0.0; }

  private:
    double sum_ = 0.0, squares_ = 0.0;
};

class Temper {
  public:
    static constexpr int n_levels = 5;  // of overlap, in quarters
    using Sums = std::array<double, n_levels>;

    int level() const { return level_; }
    double overlap() const { return level_ / 4.0; }
    const Sums& sums() const { return sums_; }
    void set_sums(const Sums& sums) {
        sums_ = sums;
        choose();
    }

    // How likely what came was at best, in nats, less what is asked for a choice that is not the first.
    double worth() const { return sums_[level_] - reluctance * level_; }

    static double exponent(int level, double n_answers) {
        if (level == 0) return 1.0;
        double product = 1.0;
        for (const double quarter = per_quarter(n_answers); level > 0; --level) product *= quarter;
        return product;
    }

    // A label was revealed after some answers, in `weight` cases: note how likely it was under each overlap. Neither of
    // the first two need be normalised. What the answers were likelier by, given the label, counts as well: `besides`.
    void learn(const std::vector<double>& log_prior, const std::vector<double>& log_likelihood, double n_answers,
               int label, double weight, double besides = 0.0) {
        const std::size_t m = log_prior.size();
        weight_.resize(m);
        const double quarter = per_quarter(n_answers);
        double trust = 1.0;
        for (int i = 0; i < n_levels; ++i, trust *= quarter) {
            double top = -INFINITY;
            for (std::size_t y = 0; y < m; ++y) top = std::max(top, log_prior[y] + trust * log_likelihood[y]);
            for (std::size_t y = 0; y < m; ++y)
                weight_[y] = static_cast<float>(log_prior[y] + trust * log_likelihood[y] - top);
            for (float& w : weight_) w = quick_exp(w);
            const double sum = std::accumulate(weight_.begin(), weight_.end(), 0.0);
            sums_[i] += weight * (log_prior[label] + trust * log_likelihood[label] - top -
                                  static_cast<double>(quick_log(static_cast<float>(sum))) + besides);
        }
        choose();
    }

    void merge(const Temper& other) {
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
        choose();
    }

    void scale(double factor) {
        for (double& sum : sums_) sum *= factor;
        choose();
    }

    static constexpr double reluctance = 3.0;  // nats by which each quarter of overlap must make labels likelier

  private:
    static double per_quarter(double n_answers) { return 1.0 / std::sqrt(std::sqrt(std::max(n_answers, 1.0))); }

    Sums sums_ = {};
    std::vector<float> weight_;
    int level_ = 0;

    void choose() {
        const auto worth = [&](int level) { return sums_[level] - reluctance * level; };
        level_ = 0;
        for (int level = 1; level < n_levels; ++level) {
            if (worth(level) > worth(level_)) level_ = level;
        }
    }
};

}  // namespace ufodt
