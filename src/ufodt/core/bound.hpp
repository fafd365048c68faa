// A lower bound on what any policy pays, where the exact optimum is out of reach: an information relaxation.
//
// Whoever has paid for `depth` questions sees the outcomes of all other features for the price of one more. Nobody who
// is bound to pay for each can do better, so the best such clairvoyant pays no more than the optimum. What he is
// expected to lose once he has seen everything is averaged over drawn cases, the same ones for all evidence; his
// choices fit those cases, which makes the estimate lower still. Values are weighted by P(evidence), as in optimal.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "problem.hpp"
#include "purse.hpp"
#include "random.hpp"

namespace ufodt {

class Relaxation {
  public:
    static constexpr int max_depth = 4;  // rows of the evidence make up a key of 64 bits

    // `p` is P(outcome | label) per row, `label` is P(label); `n_cases` are drawn for each label.
    Relaxation(const Problem& problem, const double* p, std::span<const double> label, double worth, int n_cases,
               Random& random)
        : problem_(problem), p_(p), worth_(worth), m_(problem.shape.n_labels), n_cases_(n_cases),
          label_(label.begin(), label.end()) {
        purse_.take(problem, {});
        purse_.reset();
        purse_.find_duties(INFINITY, [](int) { return true; }, is_duty_);
        draw(random);
    }

    double bound(int depth) {
        known_.clear();
        is_known_.assign(problem_.shape.n_features, 0);
        weights_.resize(depth + 1);
        joints_.assign(depth + 1, label_);
        weights_[0] = likelihood_;
        return cost(purse_, 0, depth, 0);
    }

  private:
    const Problem& problem_;
    const double* p_;
    double worth_;
    int m_, n_cases_;
    std::vector<double> label_;
    Purse purse_;
    std::vector<int> outcomes_;                     // per drawn case and feature
    std::vector<double> likelihood_;                // per drawn case and label: P(label, outcomes), scaled case by case
    std::vector<std::vector<double>> weights_;      // the same per depth, with what is known in place of what was drawn
    std::vector<std::vector<double>> joints_;       // per depth: P(evidence, label)
    std::vector<int> known_;                        // rows of the evidence, in rising order
    std::vector<std::uint8_t> is_known_, is_duty_;  // per feature
    std::vector<std::unordered_map<std::uint64_t, double>> memo_ =
        std::vector<std::unordered_map<std::uint64_t, double>>(max_depth + 1);

    const Shape& shape() const { return problem_.shape; }
    std::size_t n_drawn() const { return static_cast<std::size_t>(n_cases_) * m_; }

    void draw(Random& random) {
        const int n = shape().n_features;
        outcomes_.resize(n_drawn() * n);
        likelihood_.resize(n_drawn() * m_);
        std::vector<double> logs(m_);
        for (std::size_t i = 0; i < n_drawn(); ++i) {
            const int y = static_cast<int>(i % m_);
            for (int z = 0; z < m_; ++z) logs[z] = std::log(label_[z]);
            for (int f = 0; f < n; ++f) {
                double left = random.uniform();
                int k = 0;
                while (k + 1 < shape().n_outcomes(f) && (left -= p_[shape().cell(shape().row(f) + k, y)]) >= 0.0) ++k;
                // Rounding must not draw what never comes.
                while (k > 0 && p_[shape().cell(shape().row(f) + k, y)] == 0.0) --k;
                outcomes_[i * n + f] = k;
                for (int z = 0; z < m_; ++z) logs[z] += std::log(p_[shape().cell(shape().row(f) + k, z)]);
            }
            const double top = *std::max_element(logs.begin(), logs.end());
            for (int z = 0; z < m_; ++z) likelihood_[i * m_ + z] = std::exp(logs[z] - top);
        }
    }

    double least_loss(const double* joint) const {
        return problem_.loss.least(joint, std::accumulate(joint, joint + m_, 0.0)).second;
    }

    // Expected loss of the best answer once every outcome has been seen.
    double loss_of_all(int at) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < n_drawn(); ++i) {
            const double* weight = weights_[at].data() + i * m_;
            const double mass = std::accumulate(weight, weight + m_, 0.0);
            if (mass > 0.0) sum += joints_[at][i % m_] * least_loss(weight) / mass;
        }
        return sum / n_cases_;
    }

    struct Offers {
        std::vector<int> features;
        bool must = false;
        double cheapest = INFINITY;
    };

    Offers offers(const Purse& purse) const {
        Offers found;
        for (int f = 0; f < shape().n_features; ++f) {
            if (is_known_[f] || !purse.is_allowed(f)) continue;
            if (is_duty_[f] && !found.must) found = {{}, true, INFINITY};
            if (found.must && !is_duty_[f]) continue;
            found.features.push_back(f);
            found.cheapest = std::min(found.cheapest, purse.price(f));
        }
        return found;
    }

    // Least cost from here on, with `left` questions to be paid for blindly.
    double cost(const Purse& purse, int at, int left, std::uint64_t key) {
        const auto kept = memo_[left].find(key);
        if (kept != memo_[left].end()) return kept->second;
        const double mass = std::accumulate(joints_[at].begin(), joints_[at].end(), 0.0);
        const Offers on_offer = offers(purse);
        double best = on_offer.must ? INFINITY : worth_ * least_loss(joints_[at].data());
        if (left == 0) {
            if (mass * on_offer.cheapest < best)
                best = std::min(best, mass * on_offer.cheapest + worth_ * loss_of_all(at));
        } else {
            for (const int f : on_offer.features) {
                if (mass * purse.price(f) < best) best = std::min(best, ask(purse, at, left, f, mass * purse.price(f)));
            }
        }
        memo_[left].emplace(key, best);
        return best;
    }

    double ask(const Purse& purse, int at, int left, int f, double paid) {
        Purse then = purse;
        then.buy(f);
        is_known_[f] = 1;
        double sum = paid;
        for (int k = 0; k < shape().n_outcomes(f); ++k) {
            const int row = shape().row(f) + k;
            const double* p = p_ + shape().cell(row, 0);
            for (int y = 0; y < m_; ++y) joints_[at + 1][y] = joints_[at][y] * p[y];
            const double mass = std::accumulate(joints_[at + 1].begin(), joints_[at + 1].end(), 0.0);
            if (mass <= 0.0) continue;
            if (!problem_.surcharge.empty() && !purse.is_computed(f)) sum += mass * problem_.surcharge[row];
            reweigh(at, f, p);
            const auto place = std::lower_bound(known_.begin(), known_.end(), row);
            const auto index = place - known_.begin();
            known_.insert(place, row);
            sum += cost(then, at + 1, left - 1, key_of());
            known_.erase(known_.begin() + index);
        }
        is_known_[f] = 0;
        return sum;
    }

    // The drawn cases with one outcome given in place of the one they have.
    void reweigh(int at, int f, const double* p) {
        const int n = shape().n_features;
        weights_[at + 1].resize(weights_[at].size());
        for (std::size_t i = 0; i < n_drawn(); ++i) {
            const double *from = weights_[at].data() + i * m_,
                         *drawn = p_ + shape().cell(shape().row(f) + outcomes_[i * n + f], 0);
            double* to = weights_[at + 1].data() + i * m_;
            for (int y = 0; y < m_; ++y) to[y] = from[y] > 0.0 ? from[y] * p[y] / drawn[y] : 0.0;
        }
    }

    std::uint64_t key_of() const {
        std::uint64_t key = 0;
        for (const int row : known_) key = key << 16 | static_cast<std::uint64_t>(row + 1);
        return key;
    }
};

}  // namespace ufodt
