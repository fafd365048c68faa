// What was counted of labels and of single features: Dirichlet counts per feature, outcome and label, and for the
// labels.
//
// A feature f with K outcomes owns K rows of every table; row `shape.row(f) + k` has one column per label.
// Prior and evidence are kept apart, so that merging adds exactly and forgetting scales the evidence alone.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "alpha.hpp"
#include "continuous.hpp"
#include "information.hpp"
#include "pooled.hpp"
#include "prior.hpp"
#include "random.hpp"
#include "shape.hpp"
#include "spread.hpp"
#include "thompson.hpp"
#include "views.hpp"

namespace ufodt {

class Counts {
  public:
    // `continuous` flags the features learned from values; `cuts` fixes their cut points, or leaves them to be found.
    Counts(Shape shape, PriorCounts prior, bool learns_labels, std::vector<std::uint8_t> continuous = {},
           Cuts cuts = {}, int n_thresholds = 0, const ViewSettings& views = {}, double spread = 0.0)
        : shape_(std::move(shape)),
          continuous_(shape_, std::move(continuous), std::move(cuts),
                      views.mode == Thresholds::none ? std::nullopt : std::optional(n_thresholds)),
          spread_(spread), prior_(std::move(prior), shape_),
          views_(views, continuous_.n_thresholds(), shape_.n_labels, prior_.view()), count_(shape_.n_cells(), 0.0),
          label_count_(shape_.n_labels, 0.0), learns_labels_(learns_labels), alpha_(shape_),
          promises_(shape_.n_features) {
        refresh();
    }

    const Shape& shape() const { return shape_; }
    const Prior& prior() const { return prior_; }
    const std::vector<double>& count() const { return count_; }
    const std::vector<double>& label_count() const { return label_count_; }
    double n_labelled() const { return std::accumulate(label_count_.begin(), label_count_.end(), 0.0); }
    bool learns_labels() const { return learns_labels_; }
    const LogMean& log_mean() const { return alpha_.log_mean(); }

    // From now on the prior of some features is shaped as their outcomes come over all labels.
    void pool(std::vector<std::uint8_t> features) {
        pooled_.pool(shape_, std::move(features));
        refresh();
    }

    const Continuous& continuous() const { return continuous_; }
    const Cuts& cuts() const { return continuous_.cuts(); }
    const Views& views() const { return views_; }
    void restore_views(std::vector<double> counts, std::vector<double> uses, std::vector<double> sums) {
        views_.restore(std::move(counts), std::move(uses), std::move(sums));
        promises_.forget();
    }

    void inject(PriorCounts injected) {
        prior_.inject(std::move(injected), shape_, learns_labels_);
        refresh();
    }
    void set_kept(double kept) {
        prior_.set_kept(kept);
        refresh();
    }

    // What was seen of a feature, as a model file has it.
    void restore(int feature, std::vector<double> cuts, std::vector<double> values, std::vector<double> counts,
                 std::int64_t n_seen) {
        continuous_.restore(feature, std::move(cuts), std::move(values), std::move(counts), n_seen);
        refresh_feature(feature);
    }

    void set_counts(std::vector<double> count, std::vector<double> label_count) {
        if (count.size() != count_.size() || label_count.size() != label_count_.size() || !are_counts(count) ||
            !are_counts(label_count)) {
            throw std::invalid_argument("counts must fit the problem and be from 0 to 1e150");
        }
        count_ = std::move(count);
        label_count_ = std::move(label_count);
        refresh();
    }

    // What was seen, as an outcome under the cut points of today; -1: it tells nothing yet.
    int outcome(const Seen& seen) const {
        if (!continuous_.has(seen.feature)) return seen.outcome;
        const std::vector<double>& cuts = continuous_.cuts(seen.feature);
        if (cuts.empty()) return -1;
        if (!views_.has(seen.feature)) return outcome_of(cuts, seen.value);
        const int number = seen.view - views_.first(seen.feature);  // of a threshold that may be gone by now
        return number >= 0 && number < static_cast<int>(cuts.size()) ? seen.value > cuts[number] : -1;
    }

    // What each feature tells about the label, in nats; of one with thresholds, the one that tells most.
    const Promises& promises() const {
        for (int f = 0; f < shape_.n_features; ++f) {
            if (!promises_.is_known(f)) promises_.set(f, promise(f));
        }
        return promises_;
    }

    // Whether a label that has come has come with few values of a feature, or a number is not cut by what it tells yet.
    bool is_little_known(int f) const {
        if (continuous_.is_found(f) && continuous_.has_wide_bins(f) && !continuous_.is_informed(f)) return true;
        for (int y = 0; y < shape_.n_labels; ++y) {
            double n = 0.0;
            for (int row = shape_.row(f); row < shape_.row(f + 1); ++row) n += count_[shape_.cell(row, y)];
            if (n < few_values && (label_count_[y] > 0.0 || !learns_labels_)) return true;
        }
        return false;
    }

    // One draw of theta for some features: a Dirichlet per feature and label; P(label) is its mean.
    void draw(Random& random, const std::vector<int>& features, Theta& theta) const {
        dirichlets().draw(random, features, theta);
        take_labels(theta);
    }

    // Its mean; where nothing is explored any more, all thresholds are on offer.
    void mean(const std::vector<int>& features, Theta& theta, bool is_settled = false) const {
        dirichlets().mean(features, theta, is_settled);
        take_labels(theta);
    }

  protected:
    // One thing seen under a label. Where cut points move, `moved` is called with the feature and those before.
    template <class Moved>
    void learn(const Seen& seen, int label, bool refreshes, Moved moved) {
        const int f = seen.feature;
        int outcome = seen.outcome;
        if (continuous_.has(f)) {
            if (seen.view >= 0) views_.note_use(seen.view, label);
            if (continuous_.is_found(f) && continuous_.add(f, seen.value, label)) {
                recut(f, [&] { continuous_.cut(f); }, moved);
                if (refreshes) refresh_feature(f);
                return;
            }
            const std::vector<double>& cuts = continuous_.cuts(f);
            if (cuts.empty()) return;
            if (views_.has(f)) {
                views_.learn(f, cuts, seen.value, seen.view, label);
                promises_.forget(f);
                return;
            }
            outcome = outcome_of(cuts, seen.value);
        }
        const int cell = shape_.cell(shape_.row(f) + outcome, label);
        count_[cell] += 1.0;
        if (refreshes) refresh_count(f, cell, label);
    }

    // Changes how often what was seen was counted under a label, and returns what it was.
    template <class Change>
    double recount(const Seen& seen, int label, Change change) {
        const int f = seen.feature, k = outcome(seen);
        if (k < 0) return 0.0;
        if (views_.has(f)) return views_.recount(seen.view, k, label, change);
        const int cell = shape_.cell(shape_.row(f) + k, label);
        const double before = count_[cell];
        count_[cell] = change(before);
        refresh_count(f, cell, label);
        return before;
    }

    void set_label_count(int label, double count) {
        label_count_[label] = count;
        refresh_label(label);
    }

    void reward(const Reward& reward) { views_.reward(reward.view, reward.amount); }

    void add_label(int label, bool refreshes) {
        if (!learns_labels_) return;
        label_count_[label] += 1.0;
        if (refreshes) refresh_label(label);
    }

    // Whether what both counted may be added.
    bool is_alike(const Counts& other) const {
        return shape_ == other.shape_ && continuous_.is_alike(other.continuous_) &&
               views_.has_same_places(other.views_) && prior_.is_alike(other.prior_) &&
               pooled_.is_alike(other.pooled_) && learns_labels_ == other.learns_labels_;
    }

    template <class Moved>
    void merge(const Counts& other, Moved moved) {
        for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
        for (std::size_t i = 0; i < label_count_.size(); ++i) label_count_[i] += other.label_count_[i];
        prior_.fade(other.prior_.kept());  // the cases of both have made it fade
        for (int f = 0; f < shape_.n_features; ++f) {
            if (!continuous_.is_found(f)) {
                if (views_.has(f)) views_.merge(f, other.views_);
                continue;
            }
            recut(f, [&] { continuous_.merge(f, other.continuous_); }, moved);
            if (views_.has(f)) views_.merge_uses(f, other.views_);
        }
        refresh();
    }

    // Forgets all but a share of what was counted.
    void scale(double kept) {
        for (double& c : count_) c *= kept;
        for (double& c : label_count_) c *= kept;
        prior_.fade(kept);
        continuous_.scale(kept);
        views_.scale(kept);
        refresh();
    }

    // The same of everything; cut points stay until new ones are found.
    void clear() {
        std::fill(count_.begin(), count_.end(), 0.0);
        std::fill(label_count_.begin(), label_count_.end(), 0.0);
        prior_.fade(0.0);
        continuous_.clear();
        views_.scale(0.0);
        refresh();
    }

    void refresh() {
        if (prior_.is_injected()) views_.set_prior(prior_.view());
        for (int f = 0; f < shape_.n_features; ++f) refresh_feature(f);
        for (int y = 0; y < shape_.n_labels; ++y) refresh_label(y);
    }

  private:
    static constexpr double few_values = 32.0;        // under a label
    static constexpr double next_to_nothing = 1e-12;  // in place of 0, so that there are logarithms

    Shape shape_;
    Continuous continuous_;
    Spread spread_;
    Prior prior_;
    Pooled pooled_;
    Views views_;
    std::vector<double> count_, label_count_;
    bool learns_labels_;
    Alpha alpha_;  // of prior + count
    mutable Promises promises_;

    // New cut points for a feature, by `change`; what was learned is counted again between them.
    template <class Change, class Moved>
    void recut(int f, Change change, Moved moved) {
        const std::vector<double> before = cuts()[f];
        change();
        count_again(f);
        moved(f, before);
    }

    // What was seen of a feature, between the cut points that it has.
    void count_again(int f) {
        if (views_.has(f)) views_.rebuild(f, cuts()[f], continuous_.sketch(f));
        double* const cells = count_.data() + shape_.cell(shape_.row(f), 0);
        std::fill_n(cells, shape_.n_outcomes(f) * shape_.n_labels, 0.0);
        if (!is_viewed(views_, cuts(), f)) continuous_.count(f, cells);
    }

    // Whether the bins of a feature share what they count. Cut points of its own are there for a reason.
    bool is_spread(int f) const {
        return !spread_.is_none() && continuous_.is_found(f) && !views_.has(f) && !cuts()[f].empty() &&
               continuous_.has_wide_bins(f);
    }

    // Where a number has fewer bins than it was given outcomes, the others cannot come: they have no prior.
    int n_real_outcomes(int f) const {
        const bool has_bins = continuous_.has(f) && !views_.has(f) && !cuts()[f].empty();
        return has_bins ? static_cast<int>(cuts()[f].size()) + 1 : shape_.n_outcomes(f);
    }

    Information promise(int f) const {
        const int m = shape_.n_labels;
        if (!is_viewed(views_, cuts(), f)) {
            const double* const alpha = alpha_.alpha().data() + shape_.cell(shape_.row(f), 0);
            return information(n_real_outcomes(f), m, [=](int k, int y) { return alpha[k * m + y]; });
        }
        Information told{0.0, 0.0};
        for (int v = views_.first(f); v < views_.first(f) + static_cast<int>(cuts()[f].size()); ++v) {
            const Information here = information(2, m, [&](int k, int y) { return views_.alpha(v, k, y); });
            told.least = std::max(told.least, here.least), told.most = std::max(told.most, here.most);
        }
        return told;
    }

    void refresh_feature(int f) {
        if (pooled_.has(f)) reshape(f);
        refresh_cells(f);
    }

    bool reshape(int f) { return pooled_.find(shape_, f, &count_[shape_.cell(shape_.row(f), 0)]); }

    void refresh_cells(int f) {
        const int m = shape_.n_labels, from = shape_.cell(shape_.row(f), 0), end = shape_.cell(shape_.row(f + 1), 0),
                  real = from + n_real_outcomes(f) * m;
        if (is_spread(f)) {
            const std::vector<double>& shared = spread_(&count_[from], n_real_outcomes(f), m);
            for (int cell = from; cell < real; ++cell)
                alpha_.set(cell, spread_.sureness((cell - from) % m) * (prior_.outcome(cell) + shared[cell - from]));
        } else {
            for (int cell = from; cell < real; ++cell) refresh_cell(cell);
        }
        for (int cell = real; cell < end; ++cell)
            alpha_.set(cell, next_to_nothing * std::min(prior_.outcome(cell), 1.0));
        for (int y = 0; y < m; ++y) refresh_total(f, y);
    }

    // After one count of a feature has changed.
    void refresh_count(int f, int cell, int label) {
        if (is_spread(f)) return refresh_feature(f);
        if (pooled_.has(f) && reshape(f)) return refresh_cells(f);
        refresh_cell(cell);
        refresh_total(f, label);
    }

    void refresh_cell(int cell) {
        alpha_.set(cell, prior_.outcome(cell) * pooled_.factor(cell / shape_.n_labels) + count_[cell]);
    }

    void refresh_total(int f, int label) {
        alpha_.sum_up(shape_, f, label);
        promises_.forget(f);
    }

    void refresh_label(int label) { alpha_.set_label(label, prior_.label(label) + label_count_[label]); }

    Dirichlets dirichlets() const { return {shape_, alpha_.alpha(), alpha_.squeeze(), views_, cuts()}; }

    void take_labels(Theta& theta) const {
        const int m = shape_.n_labels;
        theta.label.resize(m);
        double sum = 0.0;
        for (int y = 0; y < m; ++y) sum += theta.label[y] = prior_.label(y) + label_count_[y];
        for (int y = 0; y < m; ++y) theta.label[y] /= sum;
    }
};

}  // namespace ufodt
