// Thresholds of continuous features as the paper has them: each cut point is a binary view of the feature, with a
// Beta of its own per label. Which view is in play is searched for in each case, or learned by Exp3 ("Threshold
// Selection").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "logarithms.hpp"
#include "random.hpp"
#include "shape.hpp"
#include "sketch.hpp"

namespace ufodt {

enum class Thresholds : std::uint8_t { none, exhaustive, exp3 };

struct ViewSettings {
    Thresholds mode = Thresholds::none;
    bool teach_all = true;  // a paid value teaches every threshold of its feature; paper: only the one in use
    bool average = false;   // paper: hypotheses are drawn from the mean over views, weighted by their use
    bool normalise = true;  // Exp3 gains as a share of what could be gained; paper: raw
    double eta = 0.01;
};

class Views {
  public:
    Views() = default;
    Views(const ViewSettings& settings, const std::vector<int>& n_views, int n_labels, double prior)
        : settings_(settings), m_(n_labels), prior_(prior) {
        first_.push_back(0);
        for (const int n : n_views) first_.push_back(first_.back() + n);
        count_.assign(static_cast<std::size_t>(size()) * 2 * m_, 0.0);
        alpha_.assign(count_.size(), 0.0);
        squeeze_.assign(count_.size(), 0.0);
        use_.assign(static_cast<std::size_t>(size()) * m_, 1.0);
        sum_.assign(size(), 0.0);
        most_telling_.assign(n_views.size(), -1);
        for (int v = 0; v < size(); ++v) refresh(v);
    }

    const ViewSettings& settings() const { return settings_; }
    bool has(int feature) const { return !first_.empty() && first_[feature + 1] > first_[feature]; }
    int size() const { return first_.empty() ? 0 : first_.back(); }
    int first(int feature) const { return first_[feature]; }
    int n(int feature) const { return first_[feature + 1] - first_[feature]; }

    // Prior and count of `bit` (above the threshold: 1) under a label.
    double alpha(int view, int bit, int label) const { return alpha_[cell(view, bit, label)]; }

    // log of the mean probability of `bit` under a label.
    double log_mean(int view, int bit, int label) const {
        return std::log(alpha_[cell(view, bit, label)]) -
               std::log(alpha_[cell(view, 0, label)] + alpha_[cell(view, 1, label)]);
    }

    void note_use(int view, int label) { use_[static_cast<std::size_t>(view) * m_ + label] += 1.0; }

    void learn(int feature, const std::vector<double>& cuts, double value, int used, int label) {
        for (int v = first(feature), k = 0; k < static_cast<int>(cuts.size()); ++k, ++v) {
            // A value that came without a plan teaches all.
            if (!settings_.teach_all && used >= 0 && v != used) continue;
            const std::size_t at = cell(v, value > cuts[k], label);
            count_[at] += 1.0;
            refresh_cell(at);
        }
        most_telling_[feature] = -1;
    }

    // Changes how often `bit` was counted under a label, and returns what it was.
    template <class Change>
    double recount(int view, int bit, int label, Change change) {
        const std::size_t at = cell(view, bit, label);
        const double before = count_[at];
        count_[at] = change(before);
        refresh_cell(at);
        return before;
    }

    // Whether another has the thresholds of every feature at the same places.
    bool has_same_places(const Views& other) const { return first_ == other.first_; }

    void reward(int view, double amount) { sum_[view] += amount; }

    // Count again, after the cut points have moved.
    void rebuild(int feature, const std::vector<double>& cuts, const Sketch& sketch) {
        for (int v = first(feature), k = 0; v < first(feature) + n(feature); ++v, ++k) {
            std::fill_n(count_.begin() + cell(v, 0, 0), 2 * m_, 0.0);
            for (std::size_t i = 0; k < static_cast<int>(cuts.size()) && i < sketch.values().size(); ++i) {
                for (int y = 0; y < m_; ++y)
                    count_[cell(v, sketch.values()[i] > cuts[k], y)] += sketch.counts()[i * m_ + y];
            }
            refresh(v);
        }
        most_telling_[feature] = -1;
    }

    void scale(double factor) {
        for (double& c : count_) c *= factor;
        for (double& u : use_) u = 1.0 + factor * (u - 1.0);
        for (double& s : sum_) s *= factor;
        refresh_all();
    }

    void set_prior(double prior) {
        prior_ = prior;
        refresh_all();
    }

    // Adds what was learned elsewhere of a feature whose thresholds are the same there.
    void merge(int feature, const Views& other) {
        for (int v = first(feature); v < first(feature) + n(feature); ++v) {
            for (std::size_t i = cell(v, 0, 0); i < cell(v + 1, 0, 0); ++i) count_[i] += other.count_[i];
            refresh(v);
        }
        most_telling_[feature] = -1;
        merge_uses(feature, other);
    }

    // How often thresholds were used and what Exp3 gained by them, each added to the one of the same rank.
    void merge_uses(int feature, const Views& other) {
        for (int v = first(feature); v < first(feature) + n(feature); ++v) {
            for (std::size_t i = static_cast<std::size_t>(v) * m_; i < static_cast<std::size_t>(v + 1) * m_; ++i)
                use_[i] += other.use_[i] - 1.0;
            sum_[v] += other.sum_[v];
        }
    }

    // What is to be drawn for the views listed: below the threshold under each label, then above it.
    void gather(Theta::Gathered& all) const {
        for (const int v : all.views) all.add(alpha_.data() + cell(v, 0, 0), squeeze_.data() + cell(v, 0, 0), 2 * m_);
    }

    // P(above | label) of one view, on the mean.
    void mean(int view, double* p) const {
        for (int y = 0; y < m_; ++y)
            p[y] = alpha_[cell(view, 1, y)] / (alpha_[cell(view, 0, y)] + alpha_[cell(view, 1, y)]);
    }
    double use(int view, int label) const { return use_[static_cast<std::size_t>(view) * m_ + label]; }

    // Exp3: of each feature listed, all of which have thresholds, draw a view from the softmax of eta times the sums;
    // its probability goes to `chance`. Where gains are normalised, one time in twenty it is any view: the softmax
    // alone may settle on a poor one for good.
    void pick(Random& random, const std::vector<int>& features, const Cuts& cuts, std::vector<int>& chosen,
              std::vector<double>& chance) const {
        share_.clear();
        for (const int f : features) {
            const double* const sum = sum_.data() + first(f);
            const double top = *std::max_element(sum, sum + cuts[f].size());
            for (std::size_t k = 0; k < cuts[f].size(); ++k) share_.push_back(settings_.eta * (sum[k] - top));
        }
        for (double& share : share_) share = smooth_exp(share);  // of all features side by side
        const double any = settings_.normalise ? any_view : 0.0;
        const double* share = share_.data();
        for (const int f : features) {
            const int n = static_cast<int>(cuts[f].size());
            const double total = std::accumulate(share, share + n, 0.0), drawn = random.uniform();
            int k = 0;
            if (drawn < any) {
                k = static_cast<int>(drawn / any * n);
            } else {
                const double upto = (drawn - any) / (1.0 - any) * total;
                double below = 0.0;
                for (int i = 0; i + 1 < n; ++i)
                    k += (below += share[i]) <= upto;  // no branch, which none could foresee
            }
            chosen[f] = first(f) + k;
            chance[f] = (1.0 - any) * share[k] / total + any / n;
            share += n;
        }
    }

    // The view to look through by the mean belief: the one that tells most or, where only the one in use learns, the
    // one that Exp3 found best.
    int by_mean(int feature, int n_cuts) const {
        if (settings_.teach_all) return most_telling(feature, n_cuts);
        const auto from = sum_.begin() + first(feature);
        return first(feature) + static_cast<int>(std::max_element(from, from + n_cuts) - from);
    }

    const std::vector<double>& counts() const { return count_; }
    const std::vector<double>& uses() const { return use_; }
    const std::vector<double>& sums() const { return sum_; }
    void restore(std::vector<double> counts, std::vector<double> uses, std::vector<double> sums) {
        const bool fit = counts.size() == count_.size() && uses.size() == use_.size() && sums.size() == sum_.size();
        if (!fit || !are_finite(sums) || !are_counts(counts) || !are_counts(uses))
            throw std::invalid_argument("the thresholds do not fit");
        count_ = std::move(counts), use_ = std::move(uses), sum_ = std::move(sums);
        refresh_all();
    }

  private:
    static constexpr double any_view = 1.0 / 20;  // the share of Exp3's draws that its sums have no say in

    ViewSettings settings_;
    int m_ = 0;
    double prior_ = 1.0;
    std::vector<int> first_;                       // per feature: its first view; n_features + 1 entries
    std::vector<double> count_, alpha_, squeeze_;  // per (view, bit, label)
    std::vector<double> use_, sum_;                // per (view, label): how often in use; per view: Exp3's sum of gains
    mutable std::vector<double> share_;            // scratch: the softmax of some features, or what views of one tell
    mutable std::vector<int> most_telling_;        // per feature, once it was looked for since the last value; else -1

    std::size_t cell(int view, int bit, int label) const {
        return (static_cast<std::size_t>(view) * 2 + bit) * m_ + label;
    }

    // The view that tells most about the label, by the values seen; every view has counted them all.
    int most_telling(int feature, int n_cuts) const {
        int& found = most_telling_[feature];
        if (found >= 0) return found;
        const double* const alpha = alpha_.data() + cell(first(feature), 0, 0);
        const int n_rows = 2 * n_cuts;
        share_.resize(static_cast<std::size_t>(n_rows) * (m_ + 1));
        double* const sums = share_.data() + static_cast<std::size_t>(n_rows) * m_;  // per side of each threshold
        std::fill_n(sums, n_rows, 0.0);
        for (int row = 0; row < n_rows; ++row) {
            for (int y = 0; y < m_; ++y) sums[row] += share_[row * m_ + y] = alpha[row * m_ + y];
        }
        times_log(share_.data(), share_.size());
        double best = -INFINITY;
        found = first(feature);
        for (int k = 0; k < n_cuts; ++k) {
            double told = -sums[2 * k] - sums[2 * k + 1];  // less what all have in common
            for (int i = 2 * k * m_; i < 2 * (k + 1) * m_; ++i) told += share_[i];
            if (told > best) best = told, found = first(feature) + k;
        }
        return found;
    }

    void refresh_all() {
        for (int v = 0; v < size(); ++v) refresh(v);
        std::fill(most_telling_.begin(), most_telling_.end(), -1);
    }

    void refresh(int view) {
        for (std::size_t i = cell(view, 0, 0); i < cell(view + 1, 0, 0); ++i) refresh_cell(i);
    }

    void refresh_cell(std::size_t at) {
        alpha_[at] = prior_ + count_[at];
        squeeze_[at] = Random::squeeze(alpha_[at]);
    }
};

// Whether a feature is seen through thresholds, with a belief of its own for each, and some were found.
inline bool is_viewed(const Views& views, const Cuts& cuts, int feature) {
    return views.has(feature) && !cuts[feature].empty();
}

}  // namespace ufodt
