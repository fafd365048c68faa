// What is believed about theta: counts of labels and single features, and what the answers of a case say together.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "counts.hpp"
#include "logarithms.hpp"
#include "pairs.hpp"
#include "shape.hpp"
#include "temper.hpp"
#include "together.hpp"

namespace ufodt {

class Belief : public Counts {
  public:
    using Counts::Counts;

    // How far several answers are trusted, and which outcomes come together: learned once switched on, the latter not
    // for thresholds in place of bins.
    void learn_temper() { tempers_ = true; }
    void learn_pairs() {
        if (views().size() == 0) together_.learn_pairs(shape());
    }
    const Together& together() const { return together_; }
    Together& together() { return together_; }

    // One labelled case; a feature not asked teaches nothing.
    void update(const std::vector<Seen>& evidence, int label, const std::vector<Reward>& rewards = {}) {
        if (const int weight = tempers_ ? judging_weight(evidence) : 0; weight > 0) judge(evidence, label, weight);
        for (const Seen& seen : evidence) learn(seen, label, true);
        if (together_.has_pairs()) {
            rows_.clear();
            for (const Seen& seen : evidence) add_row(seen);
            if (rows_.size() > 1) together_.own_pairs().add(rows_, label, 1.0);
        }
        for (const Reward& each : rewards) reward(each);
        add_label(label, true);
    }

    // History in bulk: outcomes (-1 where not known) and, for continuous features, values; refreshed once at the end.
    void update_many(const Cases& cases, const std::int32_t* labels) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (labels[i] < 0) continue;
            for (int f = 0; f < shape().n_features; ++f) {
                if (cases.has(i, f)) learn(cases.seen(i, f), labels[i], false);
            }
            add_label(labels[i], false);
        }
        add_pairs(cases, labels);
        refresh();
    }

    // The pairs of a table, between the cut points that it leads to. They are added up first, so that whole weights
    // give the same bits in any order.
    void add_pairs(const Cases& cases, const std::int32_t* labels, const double* weights = nullptr) {
        if (!together_.has_pairs()) return;
        Pairs table(shape());
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (labels[i] < 0) continue;
            rows_.clear();
            for (int f = 0; f < shape().n_features; ++f) {
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
        const double of_label = label_count()[label];
        std::vector<double> counted(evidence.size());
        for (std::size_t i = 0; i < evidence.size(); ++i)
            counted[i] = recount(evidence[i], label, [own](double count) { return std::max(count - own, 0.0); });
        if (learns_labels()) set_label_count(label, std::max(of_label - own, 0.0));
        judge(evidence, label, weight, own);
        set_label_count(label, of_label);
        for (std::size_t i = 0; i < evidence.size(); ++i)
            recount(evidence[i], label, [&](double) { return counted[i]; });
    }

    // Adds the evidence of another belief that started from the same prior.
    void merge(const Belief& other) {
        if (!is_alike(other) || together_.has_pairs() != other.together_.has_pairs())
            throw std::invalid_argument("beliefs merge only when they started from the same prior");
        Pairs theirs = *other.together_.pairs();
        Counts::merge(other, [this](int f, const auto& before) { move_own_pairs(f, before); });
        for (int f = 0; f < shape().n_features; ++f) {
            if (continuous().is_found(f)) move_pairs(theirs, f, other.cuts()[f]);
        }
        together_.merge(other.together_, theirs);
    }

    // Forgets a fraction gamma of everything learned: the counts move towards the prior, or prior and counts towards an
    // injected one (the paper's "Handling Concept Drift").
    void discount(double gamma) {
        together_.scale(1.0 - gamma);
        scale(1.0 - gamma);
    }

    // Forgets everything; cut points stay until new ones are found.
    void clear() {
        together_.scale(0.0);
        Counts::clear();
    }

    // P(label | evidence) under the mean belief.
    void posterior(const std::vector<Seen>& evidence, std::vector<double>& p) const {
        Bonds bonds;
        const double n_answers = likelihood(evidence, p, together_.uses_pairs() ? &bonds : nullptr);
        const double trust = Temper::exponent(together_.temper().level(), n_answers);
        for (std::size_t y = 0; y < p.size(); ++y) p[y] = log_mean().label[y] + trust * (p[y] + bonds[y]);
        normalise(p, p);
    }

  private:
    static constexpr std::uint64_t all_judged = 512;  // labels, each of which is judged

    Together together_;
    bool tempers_ = false;
    std::vector<double> likelihood_;
    Bonds bonds_;
    std::vector<int> rows_;
    mutable std::vector<double> told_;  // scratch: the log likelihoods of one answer

    // Log of P(evidence | label) under the mean belief; returns how many answers that is. What pairs add to it goes to
    // `bonds`, if they are wanted.
    double likelihood(const std::vector<Seen>& evidence, std::vector<double>& log_p, Bonds* bonds,
                      const LeftOut& left_out = {}) const {
        const int m = shape().n_labels;
        Answers answers;
        log_p.assign(m, 0.0);
        told_.resize(m);
        for (const Seen& seen : evidence) {
            const int f = seen.feature, k = outcome(seen);
            if (k < 0) continue;
            for (int y = 0; y < m; ++y) {
                told_[y] = views().has(f)
                               ? views().log_mean(seen.view, k, y)
                               : log_mean().outcome[shape().cell(shape().row(f) + k, y)] - log_mean().total[f * m + y];
                log_p[y] += told_[y];
            }
            answers.add(told_);
            if (bonds) bonds->add(*together_.pairs(), shape().row(f) + k, told_, left_out);
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
            for (const double count : label_count()) key = mix(key) + std::bit_cast<std::uint64_t>(count);
            for (const Seen& seen : evidence)
                key = mix(key) + std::bit_cast<std::uint64_t>(seen.value) + static_cast<std::uint64_t>(outcome(seen));
        }
        return key * 0x9e3779b97f4a7c15 >> 62 == 0 ? 4 : 0;
    }

    void add_row(const Seen& seen) {
        if (const int k = outcome(seen); k >= 0) rows_.push_back(shape().row(seen.feature) + k);
    }

    void learn(const Seen& seen, int label, bool refreshes) {
        Counts::learn(seen, label, refreshes, [this](int f, const auto& before) { move_own_pairs(f, before); });
    }

    void move_own_pairs(int f, const std::vector<double>& before) {
        if (together_.has_pairs()) move_pairs(together_.own_pairs(), f, before);
    }

    // Pairs that were counted between other cut points of a feature; one that had none has no pairs.
    void move_pairs(Pairs& pairs, int f, const std::vector<double>& before) const {
        if (pairs.is_none() || before.empty() || before == cuts()[f]) return;
        pairs.move(f, continuous().shares(f, shape().n_outcomes(f), before));
    }
};

}  // namespace ufodt
