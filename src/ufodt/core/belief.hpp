// What is believed about theta: Dirichlet counts per feature, outcome and label, and for the labels.
//
// A feature f with K outcomes owns K rows of every table; row `shape.row(f) + k` has one column per label.
// Prior and evidence are kept apart, so that merging adds exactly and forgetting scales the evidence alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "information.hpp"
#include "prior.hpp"
#include "random.hpp"
#include "shape.hpp"
#include "sketch.hpp"
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
        : shape_(std::move(shape)), continuous_(std::move(continuous)), cuts_(std::move(cuts)), spread_(spread),
          prior_(std::move(prior), shape_), learns_labels_(learns_labels) {
        continuous_.resize(shape_.n_features, 0);
        cuts_.resize(shape_.n_features);
        n_seen_.assign(shape_.n_features, 0);
        sketch_.assign(shape_.n_features, Sketch(shape_.n_labels));
        fixed_.resize(shape_.n_features);
        for (int f = 0; f < shape_.n_features; ++f) fixed_[f] = !cuts_[f].empty();
        n_cuts_.resize(shape_.n_features, 0);
        std::vector<int> n_views(shape_.n_features, 0);
        for (int f = 0; f < shape_.n_features; ++f) {
            if (!continuous_[f]) continue;
            if (fixed_[f]) n_cuts_[f] = static_cast<int>(cuts_[f].size());
            else n_cuts_[f] = views.mode == Thresholds::none ? shape_.n_outcomes(f) - 1 : n_thresholds;
            if (views.mode != Thresholds::none) n_views[f] = n_cuts_[f];
        }
        views_ = Views(views, n_views, shape_.n_labels, prior_.view());
        count_.assign(shape_.n_cells(), 0.0);
        label_count_.assign(shape_.n_labels, 0.0);
        alpha_.resize(count_.size());
        squeeze_.resize(count_.size());
        log_mean_.outcome.resize(count_.size());
        log_mean_.total.resize(static_cast<std::size_t>(shape_.n_features) * shape_.n_labels);
        log_mean_.label.resize(label_count_.size());
        promises_.least.resize(shape_.n_features);
        promises_.most.resize(shape_.n_features);
        refresh();
    }

    const Shape& shape() const { return shape_; }
    const Prior& prior() const { return prior_; }
    const std::vector<double>& count() const { return count_; }
    const std::vector<double>& label_count() const { return label_count_; }
    bool learns_labels() const { return learns_labels_; }
    const LogMean& log_mean() const { return log_mean_; }

    // How far several answers are trusted, and which outcomes come together: learned once switched on, the latter not
    // for thresholds in place of bins.
    void learn_temper() { tempers_ = true; }
    void learn_pairs() {
        if (views_.size() == 0) together_.learn_pairs(shape_);
    }
    const Together& together() const { return together_; }
    Together& together() { return together_; }

    const Cuts& cuts() const { return cuts_; }
    const Views& views() const { return views_; }
    void restore_views(std::vector<double> counts, std::vector<double> uses, std::vector<double> sums) {
        views_.restore(std::move(counts), std::move(uses), std::move(sums));
        std::fill(promises_.most.begin(), promises_.most.end(), -1.0);
    }
    bool is_continuous(int feature) const { return continuous_[feature]; }
    const Sketch& sketch(int feature) const { return sketch_[feature]; }
    std::int64_t n_seen(int feature) const { return n_seen_[feature]; }

    // One labelled case; a feature not asked teaches nothing.
    void update(const std::vector<Seen>& evidence, int label, const std::vector<Reward>& rewards = {}) {
        if (const int weight = tempers_ ? judging_weight() : 0; weight > 0) judge(evidence, label, weight);
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
            table.add(rows_, labels[i], weights ? weights[i] : 1.0);
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
        const bool one_shape = shape_ == other.shape_ && continuous_ == other.continuous_ && fixed_ == other.fixed_ &&
                               views_.has_same_places(other.views_);
        const bool one_prior = prior_.is_alike(other.prior_) && learns_labels_ == other.learns_labels_ &&
                               together_.has_pairs() == other.together_.has_pairs();
        if (!one_shape || !one_prior)
            throw std::invalid_argument("beliefs merge only when they started from the same prior");
        for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
        for (std::size_t i = 0; i < label_count_.size(); ++i) label_count_[i] += other.label_count_[i];
        Pairs theirs = *other.together_.pairs();
        prior_.fade(other.prior_.kept());  // the cases of both have made it fade
        for (int f = 0; f < shape_.n_features; ++f) {
            if (!continuous_[f]) continue;
            if (fixed_[f]) {
                if (views_.has(f)) views_.merge(f, other.views_);
                continue;
            }
            sketch_[f].merge(other.sketch_[f]);  // counted again below, between the cut points of both
            n_seen_[f] += other.n_seen_[f];
            if (n_seen_[f] >= first_cut) cut(f);
            else count_again(f);
            move_pairs(theirs, f, other.cuts_[f]);
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
        for (Sketch& sketch : sketch_) sketch.scale(1.0 - gamma);
        views_.scale(1.0 - gamma);
        refresh();
    }

    // Forgets everything; cut points stay until new ones are found.
    void clear() {
        std::fill(count_.begin(), count_.end(), 0.0);
        std::fill(label_count_.begin(), label_count_.end(), 0.0);
        together_.scale(0.0);
        prior_.fade(0.0);
        std::fill(n_seen_.begin(), n_seen_.end(), 0);
        for (Sketch& sketch : sketch_) sketch = Sketch(shape_.n_labels);
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
        const bool rise = are_finite(cuts) && are_finite(values) && std::is_sorted(values.begin(), values.end()) &&
                          std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) == cuts.end();
        const bool fit = fixed_[feature] ? cuts == cuts_[feature] : static_cast<int>(cuts.size()) <= n_cuts_[feature];
        if (!rise || !fit || n_seen < 0 || counts.size() != values.size() * shape_.n_labels || !are_counts(counts)) {
            throw std::invalid_argument("the sketch does not fit");
        }
        cuts_[feature] = std::move(cuts);
        sketch_[feature].restore(std::move(values), std::move(counts));
        n_seen_[feature] = n_seen;
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
        const int f = seen.feature;
        if (!continuous_[f]) return seen.outcome;
        if (cuts_[f].empty()) return -1;
        if (!views_.has(f)) return outcome_of(cuts_[f], seen.value);
        const int number = seen.view - views_.first(f);  // of a threshold that may be gone by now
        return number >= 0 && number < static_cast<int>(cuts_[f].size()) ? seen.value > cuts_[f][number] : -1;
    }

    // What each feature tells about the label, in nats; of one with thresholds, the one that tells most.
    const Promises& promises() const {
        for (int f = 0; f < shape_.n_features; ++f) {
            if (promises_.most[f] >= 0.0) continue;
            const Information told = promise(f);
            promises_.least[f] = told.least, promises_.most[f] = told.most;
        }
        return promises_;
    }

    // P(label | evidence) under the mean belief.
    void posterior(const std::vector<Seen>& evidence, std::vector<double>& p) const {
        Bonds bonds;
        const double n_answers = likelihood(evidence, p, together_.uses_pairs() ? &bonds : nullptr);
        const double trust = Temper::exponent(together_.temper().level(), n_answers);
        for (std::size_t y = 0; y < p.size(); ++y) p[y] = log_mean_.label[y] + trust * (p[y] + bonds[y]);
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
                               : log_mean_.outcome[shape_.cell(shape_.row(f) + k, y)] - log_mean_.total[f * m + y];
                log_p[y] += told_[y];
            }
            answers.add(told_);
            if (bonds) bonds->add(*together_.pairs(), shape_.row(f) + k, told_, left_out);
        }
        return answers.n();
    }

    // Notes how likely a label was that was revealed, in `weight` cases. A single answer is trusted in full. Of the
    // pairs that were counted, as many as `own` are of this case.
    void judge(const std::vector<Seen>& evidence, int label, double weight, double own = 0.0) {
        if (evidence.size() < 2) return;
        bonds_.clear();
        Bonds* const bonds = together_.has_pairs() ? &bonds_ : nullptr;
        const double n_answers = likelihood(evidence, likelihood_, bonds, {label, own});
        if (n_answers > 1.0 || bonds_.rows().size() > 1)
            together_.judge(log_mean_.label, likelihood_, bonds_, n_answers, label, weight);
    }

    // How many cases a label stands for that is judged now, 0 if it is not: of very many labels one in four will do,
    // and judging takes its time. Which one is as good as drawn, lest labels that take turns are always the same ones.
    int judging_weight() const {
        const auto n = static_cast<std::uint64_t>(std::accumulate(label_count_.begin(), label_count_.end(), 0.0));
        if (n < all_judged) return 1;
        return n * 0x9e3779b97f4a7c15 >> 62 == 0 ? 4 : 0;
    }

    void add_row(const Seen& seen) {
        if (const int k = outcome(seen); k >= 0) rows_.push_back(shape_.row(seen.feature) + k);
    }

    // Pairs that were counted between other cut points of a feature: each bin goes where its values went, as far as
    // the sketch tells under the label, or else under all, or else where its upper end is. A number without cut points
    // has no outcome that could come together with another.
    void move_pairs(Pairs& pairs, int f, const std::vector<double>& cuts) const {
        if (pairs.is_none() || cuts.empty() || cuts == cuts_[f]) return;
        if (cuts_[f].empty()) return pairs.move(f, [](int, int, int) { return 0.0; });
        const int m = shape_.n_labels, n = shape_.n_outcomes(f), all = m;
        const Sketch& sketch = sketch_[f];
        std::vector<double> moved(static_cast<std::size_t>(n) * n * (m + 1)),
            in_bin(static_cast<std::size_t>(n) * (m + 1));
        for (std::size_t i = 0; i < sketch.values().size(); ++i) {
            const int from = outcome_of(cuts, sketch.values()[i]), to = outcome_of(cuts_[f], sketch.values()[i]);
            for (int y = 0; y < m; ++y) {
                const double count = sketch.counts()[i * m + y];
                for (const int column : {y, all}) {
                    moved[(from * n + to) * (m + 1) + column] += count;
                    in_bin[from * (m + 1) + column] += count;
                }
            }
        }
        pairs.move(f, [&](int from, int to, int y) {
            const int column = in_bin[from * (m + 1) + y] > 0.0 ? y : all;
            const double of = in_bin[from * (m + 1) + column];
            if (of > 0.0) return moved[(from * n + to) * (m + 1) + column] / of;
            return to == outcome_of(cuts_[f], cuts[std::min<std::size_t>(from, cuts.size() - 1)]) ? 1.0 : 0.0;
        });
    }

    static constexpr std::uint64_t all_judged = 1024;  // labels, each of which is judged
    static constexpr std::int64_t first_cut = 8;       // values seen before a continuous feature is cut; a power of two
    static constexpr int informed_cut = 64;  // remembered for each bin: from here on by what is told, not by shares
    static constexpr double next_to_nothing = 1e-12;  // in place of 0, so that there are logarithms

    Shape shape_;
    std::vector<std::uint8_t> continuous_, fixed_;
    Cuts cuts_;
    std::vector<int> n_cuts_;  // cut points wanted of each continuous feature
    std::vector<Sketch> sketch_;
    std::vector<std::int64_t> n_seen_;
    Spread spread_;
    Views views_;
    Prior prior_;
    std::vector<double> count_, label_count_;
    bool learns_labels_;
    // Derived from prior + count, kept up to date entry by entry:
    std::vector<double> alpha_, squeeze_;
    LogMean log_mean_;
    mutable Promises promises_;  // once they were worked out since the last value; else the most is -1
    Together together_;
    bool tempers_ = false;
    std::vector<double> likelihood_;
    Bonds bonds_;
    std::vector<int> rows_;
    mutable std::vector<double> told_;  // scratch: the log likelihoods of one answer

    void learn(const Seen& seen, int label, bool refreshes) {
        const int f = seen.feature;
        int outcome = seen.outcome;
        if (continuous_[f]) {
            if (!fixed_[f]) {
                sketch_[f].add(seen.value, label);
                if (is_due(f, ++n_seen_[f])) {
                    cut(f);
                    if (refreshes) refresh_feature(f);
                    return;
                }
            }
            if (cuts_[f].empty()) return;
            if (views_.has(f)) {
                views_.learn(f, cuts_[f], seen.value, seen.view, label);
                promises_.most[f] = -1.0;
                return;
            }
            outcome = outcome_of(cuts_[f], seen.value);
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

    // Whether a feature is to be cut anew: when as many values came as it remembers, up to a power of two. Where
    // nothing is forgotten, that is at each doubling.
    bool is_due(int f, std::int64_t n_seen) const {
        if (n_seen < first_cut || n_seen % first_cut != 0) return false;
        const auto remembered =
            static_cast<std::uint64_t>(std::max(std::ceil(sketch_[f].weight()), static_cast<double>(first_cut)));
        return static_cast<std::uint64_t>(n_seen) % std::bit_ceil(remembered) == 0;
    }

    // New cut points for a feature; what was learned is counted again between them. One that had a single value so far
    // is cut there, as one that may be yes and was always no: another value may yet come. Not for thresholds, since
    // what Exp3 gained by this one would go to another of its rank.
    void cut(int f) {
        const Sketch& sketch = sketch_[f];
        const std::vector<double> before = cuts_[f];
        if (!views_.has(f) && sketch.weight() >= informed_cut * (n_cuts_[f] + 1))
            sketch.informative(n_cuts_[f], cuts_[f]);
        else sketch.quantiles(n_cuts_[f], cuts_[f]);
        if (cuts_[f].empty() && !views_.has(f)) cuts_[f] = sketch.values();
        count_again(f);
        if (together_.has_pairs()) move_pairs(together_.own_pairs(), f, before);
    }

    // What was seen of a feature, between the cut points that it has.
    void count_again(int f) {
        const Sketch& sketch = sketch_[f];
        if (views_.has(f)) views_.rebuild(f, cuts_[f], sketch);
        const auto cells = count_.begin();
        std::fill(cells + shape_.cell(shape_.row(f), 0), cells + shape_.cell(shape_.row(f + 1), 0), 0.0);
        if (is_viewed(views_, cuts_, f) || (cuts_[f].empty() && n_seen_[f] < first_cut)) return;
        for (std::size_t i = 0; i < sketch.values().size(); ++i) {
            const int row = shape_.row(f) + outcome_of(cuts_[f], sketch.values()[i]);
            for (int y = 0; y < shape_.n_labels; ++y)
                count_[shape_.cell(row, y)] += sketch.counts()[i * shape_.n_labels + y];
        }
    }

    // Whether the bins of a feature share what they count. Cut points of its own are there for a reason, and where
    // every bin has a single value, values are as good as categories.
    bool is_spread(int f) const {
        return !spread_.is_none() && continuous_[f] && !fixed_[f] && !views_.has(f) && !cuts_[f].empty() &&
               sketch_[f].values().size() > cuts_[f].size() + 1;
    }

    // Where a number has fewer bins than it was given outcomes, the others cannot come: they have no prior.
    int n_real_outcomes(int f) const {
        const bool has_bins = continuous_[f] && !views_.has(f) && !cuts_[f].empty();
        return has_bins ? static_cast<int>(cuts_[f].size()) + 1 : shape_.n_outcomes(f);
    }

    Information promise(int f) const {
        const int m = shape_.n_labels;
        if (!is_viewed(views_, cuts_, f)) {
            const double* const alpha = alpha_.data() + shape_.cell(shape_.row(f), 0);
            return information(n_real_outcomes(f), m, [=](int k, int y) { return alpha[k * m + y]; });
        }
        Information told{0.0, 0.0};
        for (int v = views_.first(f); v < views_.first(f) + static_cast<int>(cuts_[f].size()); ++v) {
            const Information here = information(2, m, [&](int k, int y) { return views_.alpha(v, k, y); });
            told.least = std::max(told.least, here.least), told.most = std::max(told.most, here.most);
        }
        return told;
    }

    void refresh_feature(int f) {
        const int m = shape_.n_labels, from = shape_.cell(shape_.row(f), 0), end = shape_.cell(shape_.row(f + 1), 0),
                  real = from + n_real_outcomes(f) * m;
        if (is_spread(f)) {
            const std::vector<double>& shared = spread_(&count_[from], n_real_outcomes(f), m);
            for (int cell = from; cell < real; ++cell)
                set_alpha(cell, spread_.sureness((cell - from) % m) * (prior_.outcome(cell) + shared[cell - from]));
        } else {
            for (int cell = from; cell < real; ++cell) refresh_cell(cell);
        }
        for (int cell = real; cell < end; ++cell)
            set_alpha(cell, next_to_nothing * std::min(prior_.outcome(cell), 1.0));
        for (int y = 0; y < m; ++y) refresh_total(f, y);
    }

    // After one count of a feature has changed.
    void refresh_count(int f, int cell, int label) {
        if (is_spread(f)) return refresh_feature(f);
        refresh_cell(cell);
        refresh_total(f, label);
    }

    void refresh_cell(int cell) { set_alpha(cell, prior_.outcome(cell) + count_[cell]); }

    void set_alpha(int cell, double alpha) {
        if (alpha_[cell] == alpha) return;
        alpha_[cell] = alpha;
        squeeze_[cell] = Random::squeeze(alpha_[cell]);
        log_mean_.outcome[cell] = std::log(alpha_[cell]);
    }

    void refresh_total(int feature, int label) {
        double total = 0.0;
        for (int row = shape_.row(feature); row < shape_.row(feature + 1); ++row)
            total += alpha_[shape_.cell(row, label)];
        log_mean_.total[feature * shape_.n_labels + label] = std::log(total);
        promises_.most[feature] = -1.0;
    }

    void refresh_label(int label) { log_mean_.label[label] = std::log(prior_.label(label) + label_count_[label]); }

    void refresh() {
        if (prior_.is_injected()) views_.set_prior(prior_.view());
        for (int f = 0; f < shape_.n_features; ++f) refresh_feature(f);
        for (int y = 0; y < shape_.n_labels; ++y) refresh_label(y);
    }

    Dirichlets dirichlets() const { return {shape_, alpha_, squeeze_, views_, cuts_}; }

    void take_labels(Theta& theta) const {
        const int m = shape_.n_labels;
        theta.label.resize(m);
        double sum = 0.0;
        for (int y = 0; y < m; ++y) sum += theta.label[y] = prior_.label(y) + label_count_[y];
        for (int y = 0; y < m; ++y) theta.label[y] /= sum;
    }
};

}  // namespace ufodt
