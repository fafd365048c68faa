// How far several answers together are trusted: naive Bayes counts news twice that features share, and grows too sure.
//
// For the answer and its probabilities, the likelihood of the evidence is raised to an exponent of at most 1, the one
// under which the labels revealed so far were likeliest. Planning trusts theta in full (docs/decisions/0011). The sums
// behind the choice are additive, as counts are: they merge and forget.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "logarithms.hpp"
#include "shape.hpp"

namespace ufodt {

class Temper {
  public:
    static constexpr std::array<double, 5> exponents = {1.0, 0.85, 0.7, 0.55, 0.4};
    using Sums = std::array<double, exponents.size()>;

    double exponent() const { return exponents[chosen_]; }
    const Sums& sums() const { return sums_; }
    void set_sums(const Sums& sums) {
        sums_ = sums;
        choose();
    }

    // A label was revealed: note how likely it was under each exponent. Neither argument need be normalised.
    void learn(const std::vector<double>& log_prior, const std::vector<double>& log_likelihood, int label) {
        const std::size_t m = log_prior.size();
        weight_.resize(m);
        for (std::size_t i = 0; i < exponents.size(); ++i) {
            double top = -INFINITY;
            for (std::size_t y = 0; y < m; ++y) top = std::max(top, log_prior[y] + exponents[i] * log_likelihood[y]);
            for (std::size_t y = 0; y < m; ++y)
                weight_[y] = static_cast<float>(log_prior[y] + exponents[i] * log_likelihood[y] - top);
            for (float& w : weight_) w = quick_exp(w);
            const double sum = std::accumulate(weight_.begin(), weight_.end(), 0.0);
            sums_[i] += log_prior[label] + exponents[i] * log_likelihood[label] - top -
                        static_cast<double>(quick_log(static_cast<float>(sum)));
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

  private:
    static constexpr double margin = 3.0;  // nats by which another exponent must beat 1, or it stays
    Sums sums_ = {};
    std::vector<float> weight_;
    std::size_t chosen_ = 0;

    void choose() {
        chosen_ = std::max_element(sums_.begin(), sums_.end()) - sums_.begin();
        if (sums_[chosen_] < sums_[0] + margin) chosen_ = 0;
    }
};

}  // namespace ufodt
