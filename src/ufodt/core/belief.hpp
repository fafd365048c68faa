// What is believed about theta: Dirichlet counts per feature, outcome and label, and for the labels.
//
// A feature f with K outcomes owns K rows of every table; row `shape.row(f) + k` has one column per label.
// Prior and evidence are kept apart, so that merging adds exactly and forgetting scales the evidence alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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
#include "together.hpp"
#include "views.hpp"

namespace ufodt {

class Belief {
  public:
    // `continuous` flags the features learned from values; `cuts` fixes their cut points, or leaves them to be found.
    Belief(Shape shape, PriorCounts prior, bool learns_labels, std::vector<std::uint8_t> continuous = {},
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

    // How far several answers are trusted, and which outcomes come together: learned once switched on, the latter not
    // for thresholds in place of bins.
    void learn_temper() { tempers_ = true; }
    void learn_pairs() {
        if (views_.size() == 0) together_.learn_pairs(shape_);
    }
    const Together& together() const { return together_; }
    Together& together() { return together_; }

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

    // One labelled case; a feature not asked teaches nothing.
    void update(const std::vector<Seen>& evidence, int label, const std::vector<Reward>& rewards = {}) {
        if (const int weight = tempers_ ? judging_weight(evidence) : 0; weight > 0) judge(evidence, label, weight);
        for (const Seen& seen : evidence) learn(seen, label, true);
        if (together_.has_pairs()) {
            rows_.clear();
            for (const Seen& seen : evidence) add_row(seen);
            if (rows_.size() > 1) together_.own_pairs().add(rows_, label, 1.0);
        }
        for (const Reward& reward : rewards) views_.reward(reward.view, reward.amount);
        if (learns_labels_) set_label_count(label, label_count_[label] + 1.0);
    }

    // History in bulk: outcomes (-1 where not known) and, for continuous features, values; refreshed once at the end.
    void update_many(const Cases& cases, const std::int32_t* labels) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (labels[i] < 0) continue;
            for (int f = 0; f < shape_.n_features; ++f) {
                if (cases.has(i, f)) learn(cases.seen(i, f), labels[i], false);
            }
            if (learns_labels_) label_count_[labels[i]] += 1.0;
        }
        add_pairs(cases, labels);
        refresh();
    }

    // The pairs of a table, between the cut points that it leads to. They are added up first, so that whole weights
    // give the same bits in any order.
    void add_pairs(const Cases& cases, const std::int32_t* labels, const double* weights = nullptr) {
        if (!together_.has_pairs()) return;
        Pairs table(shape_);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (labels[i] < 0) continue;
            rows_.clear();
            for (int f = 0; f < shape_.n_features; ++f) {
                if (cases.has(i, f)) add_row(cases.seen(i, f));
            }
            table.count(rows_, labels[i], weights ? weights[i] : 1.0);
        }
        together_.own_pairs().merge(table);
    }

    // How far answers are trusted, from `weight` cases that were learned already: as if the one in question, which
    // counted as much as `own`, had not been.
    void learn_trust(const std::vector<Seen>& evidence, int label, double weight, double own) {
        if (!tempers_) return;
        const double of_label = label_count_[label];
        std::vector<double> counted(evidence.size());
        for (std::size_t i = 0; i < evidence.size(); ++i)
            counted[i] = recount(evidence[i], label, [own](double count) { return std::max(count - own, 0.0); });
        if (learns_labels_) set_label_count(label, std::max(of_label - own, 0.0));
        judge(evidence, label, weight, own);
        set_label_count(label, of_label);
        for (std::size_t i = 0; i < evidence.size(); ++i)
            recount(evidence[i], label, [&](double) { return counted[i]; });
    }

    // Adds the evidence of another belief that started from the same prior.
    void merge(const Belief& other) {
        const bool one_shape =
            shape_ == other.shape_ && continuous_.is_alike(other.continuous_) && views_.has_same_places(other.views_);
        const bool one_prior = prior_.is_alike(other.prior_) && pooled_.is_alike(other.pooled_) &&
                               learns_labels_ == other.learns_labels_ &&
                               together_.has_pairs() == other.together_.has_pairs();
        if (!one_shape || !one_prior)
            throw std::invalid_argument("beliefs merge only when they started from the same prior");
        for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
        for (std::size_t i = 0; i < label_count_.size(); ++i) label_count_[i] += other.label_count_[i];
        Pairs theirs = *other.together_.pairs();
        prior_.fade(other.prior_.kept());  // the cases of both have made it fade
        for (int f = 0; f < shape_.n_features; ++f) {
            if (!continuous_.is_found(f)) {
                if (views_.has(f)) views_.merge(f, other.views_);
                continue;
            }
            recut(f, [&] { continuous_.merge(f, other.continuous_); });
            move_pairs(theirs, f, other.cuts()[f]);
            if (views_.has(f)) views_.merge_uses(f, other.views_);
        }
        together_.merge(other.together_, theirs);
        refresh();
    }

    // Forgets a fraction gamma of everything learned: the counts move towards the prior, or prior and counts towards an
    // injected one (paper, algorithm 5).
    void discount(double gamma) {
        for (double& c : count_) c *= 1.0 - gamma;
        for (double& c : label_count_) c *= 1.0 - gamma;
        together_.scale(1.0 - gamma);
        prior_.fade(1.0 - gamma);
        continuous_.scale(1.0 - gamma);
        views_.scale(1.0 - gamma);
        refresh();
    }

    // Forgets everything; cut points stay until new ones are found.
    void clear() {
        std::fill(count_.begin(), count_.end(), 0.0);
        std::fill(label_count_.begin(), label_count_.end(), 0.0);
        together_.scale(0.0);
        prior_.fade(0.0);
        continuous_.clear();
        views_.scale(0.0);
        refresh();
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

    // P(label | evidence) under the mean belief.
    void posterior(const std::vector<Seen>& evidence, std::vector<double>& p) const {
        Bonds bonds;
        const double n_answers = likelihood(evidence, p, together_.uses_pairs() ? &bonds : nullptr);
        const double trust = Temper::exponent(together_.temper().level(), n_answers);
        for (std::size_t y = 0; y < p.size(); ++y) p[y] = log_mean().label[y] + trust * (p[y] + bonds[y]);
        const double top = *std::max_element(p.begin(), p.end());
        double sum = 0.0;
        for (double& x : p) sum += x = std::exp(x - top);
        for (double& x : p) x /= sum;
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

  private:
    // Log of P(evidence | label) under the mean belief; returns how many answers that is. What pairs add to it goes to
    // `bonds`, if they are wanted.
    double likelihood(const std::vector<Seen>& evidence, std::vector<double>& log_p, Bonds* bonds,
                      const LeftOut& left_out = {}) const {
        const int m = shape_.n_labels;
        Answers answers;
        log_p.assign(m, 0.0);
        told_.resize(m);
        for (const Seen& seen : evidence) {
            const int f = seen.feature, k = outcome(seen);
            if (k < 0) continue;
            for (int y = 0; y < m; ++y) {
                told_[y] = views_.has(f)
                               ? views_.log_mean(seen.view, k, y)
                               : log_mean().outcome[shape_.cell(shape_.row(f) + k, y)] - log_mean().total[f * m + y];
                log_p[y] += told_[y];
            }
            answers.add(told_);
            if (bonds) bonds->add(*together_.pairs(), shape_.row(f) + k, told_, left_out);
        }
        return answers.n();
    }

    // Notes how likely a label that was revealed was, and with pairs its answers, in `weight` cases. A single answer is
    // trusted in full. Of the pairs that were counted, as many as `own` are of this case.
    void judge(const std::vector<Seen>& evidence, int label, double weight, double own = 0.0) {
        if (evidence.size() < 2) return;
        bonds_.clear();
        Bonds* const bonds = together_.has_pairs() ? &bonds_ : nullptr;
        const double n_answers = likelihood(evidence, likelihood_, bonds, {label, own});
        if (n_answers > 1.0 || bonds_.rows().size() > 1)
            together_.judge(log_mean().label, likelihood_, bonds_, n_answers, label, weight);
    }

    // How many cases a label stands for that is judged now, 0 if it is not: of very many labels one in four will do,
    // and judging takes its time. Which one is as good as drawn, lest labels that take turns are always the same ones.
    // Where something is forgotten the number of labels comes to rest, so what was seen draws with it.
    int judging_weight(const std::vector<Seen>& evidence) const {
        const double sum = n_labelled();
        auto key = static_cast<std::uint64_t>(sum);
        if (key < all_judged) return 1;
        if (sum != std::floor(sum)) {
            for (const double count : label_count_) key = mix(key) + std::bit_cast<std::uint64_t>(count);
            for (const Seen& seen : evidence)
                key = mix(key) + std::bit_cast<std::uint64_t>(seen.value) + static_cast<std::uint64_t>(seen.outcome);
        }
        return key * 0x9e3779b97f4a7c15 >> 62 == 0 ? 4 : 0;
    }

    void add_row(const Seen& seen) {
        if (const int k = outcome(seen); k >= 0) rows_.push_back(shape_.row(seen.feature) + k);
    }

    // Pairs that were counted between other cut points of a feature; one that had none has no pairs.
    void move_pairs(Pairs& pairs, int f, const std::vector<double>& before) const {
        if (pairs.is_none() || before.empty() || before == cuts()[f]) return;
        pairs.move(f, continuous_.shares(f, shape_.n_outcomes(f), before));
    }

    static constexpr std::uint64_t all_judged = 512;  // labels, each of which is judged
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
    Together together_;
    bool tempers_ = false;
    std::vector<double> likelihood_;
    Bonds bonds_;
    std::vector<int> rows_;
    mutable std::vector<double> told_;  // scratch: the log likelihoods of one answer

    void learn(const Seen& seen, int label, bool refreshes) {
        const int f = seen.feature;
        int outcome = seen.outcome;
        if (continuous_.has(f)) {
            if (seen.view >= 0) views_.note_use(seen.view, label);
            if (continuous_.is_found(f) && continuous_.add(f, seen.value, label)) {
                recut(f, [&] { continuous_.cut(f); });
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

    // New cut points for a feature, by `change`; what was learned is counted again between them.
    template <class Change>
    void recut(int f, Change change) {
        const std::vector<double> before = cuts()[f];
        change();
        count_again(f);
        if (together_.has_pairs()) move_pairs(together_.own_pairs(), f, before);
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

    void refresh() {
        if (prior_.is_injected()) views_.set_prior(prior_.view());
        for (int f = 0; f < shape_.n_features; ++f) refresh_feature(f);
        for (int y = 0; y < shape_.n_labels; ++y) refresh_label(y);
    }

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
