// What the criterion gives for every open feature; of a feature with thresholds, for the best of them or the one drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "case.hpp"
#include "criteria.hpp"

namespace ufodt {

class Gains {
  public:
    // A case begins, with the thresholds that were drawn with its theta.
    void reset(const Case& now) {
        rewards_.clear();
        if (now.views().size() == 0) return;
        view_ = now.theta().chosen;
        is_rewarded_.assign(view_.size(), 0);
    }

    // By the place in the open features, as `score` left it.
    double operator[](std::size_t at) const { return gain_[at]; }

    // The threshold in play for a feature, as a view; -1 where there is none.
    int view(const Case& now, int feature) const { return now.views().has(feature) ? view_[feature] : -1; }

    // Exp3's gains of this case, one for every feature that was on offer when it was first scored.
    const std::vector<Reward>& rewards() const { return rewards_; }

    // Gains by the criterion; where it sees no difference between the open features (all survivors agree), by information.
    void score(Case& now) {
        const Criterion criterion = now.policy().criterion;
        score(now, criterion, gain_);
        const bool informed = std::any_of(gain_.begin(), gain_.end(), [](double g) { return g > 0.0; });
        if (!informed && criterion != Criterion::ig) score(now, Criterion::ig, gain_);
    }

    // Gains by the criterion alone, for inspection: looking does not move a threshold.
    void look(Case& now, std::vector<double>& gain) {
        const std::vector<int> in_play = view_;
        score(now, now.policy().criterion, gain);
        view_ = in_play;
    }

  private:
    std::vector<double> gain_, likeliest_, chances_;
    std::vector<int> view_;  // per feature: the threshold in play
    std::vector<Reward> rewards_;
    std::vector<std::uint8_t> is_rewarded_;  // per feature: its gain is among them
    std::vector<Part> parts_;
    std::vector<Mixture> mixtures_;
    Mixture whole_;  // all survivors, as region information reads them

    void score(Case& now, Criterion criterion, std::vector<double>& gain) {
        now.survey();
        const std::vector<int>& open = now.open();
        const Shape& shape = now.shape();
        Hypotheses& hypotheses = now.hypotheses();
        gain.resize(open.size());
        if (criterion == Criterion::random) {  // from a stream of its own, so that asking changes nothing
            Random order(now.seed() + open.size(), ~now.number());
            for (double& g : gain) g = order.uniform();
        }
        const Part& all = hypotheses.all();
        const double by_share = 1.0 / std::max(all.mass * all.mass, 1e-300);  // EC2: as if the weights summed to one
        const bool by_mass = criterion == Criterion::ec2 || criterion == Criterion::us, by_region = criterion == Criterion::rig;
        const bool by_label = criterion != Criterion::random && !by_mass && !by_region;
        if (by_region) whole_ = hypotheses.sum<Mixture>();
        if (criterion == Criterion::ec2 && now.views().size() == 0) {
            hypotheses.edges_left(open, gain.data());
            for (double& g : gain) g = ec2(g, all) * by_share;
            return;
        }
        if (by_label || now.views().size() > 0) now.weigh_labels();
        const Theta& theta = now.in_mind();
        if (criterion == Criterion::ig) ig(shape, theta, now.posterior(), open, chances_, gain.data());
        for (std::size_t i = 0; i < open.size(); ++i) {
            const int f = open[i];
            if (by_mass) hypotheses.split(f, parts_);
            if (by_region) hypotheses.split(f, mixtures_);
            if (now.is_viewed(f)) score_views(now, criterion, f, gain[i]);
            else if (by_label && criterion != Criterion::ig) gain[i] = by_chance(criterion, now.posterior(), shape.n_outcomes(f), [&, row = shape.row(f)](int k, int y) { return theta.p[shape.cell(row + k, y)]; });
            else if (by_region) gain[i] = rig(mixtures_, whole_);
            else if (by_mass) gain[i] = criterion == Criterion::us ? us(parts_, all) : ec2(edges_left(parts_), all);
        }
        if (criterion == Criterion::ec2) {
            for (double& g : gain) g *= by_share;
        }
    }

    // Gain by Gini or ECED, from `chance(k, y)`, P(outcome k | label y).
    template <class Chance>
    double by_chance(Criterion criterion, const std::vector<double>& posterior, int n_outcomes, Chance chance) {
        return criterion == Criterion::gini ? gini(posterior, n_outcomes, chance) : eced(posterior, n_outcomes, chance, likeliest_);
    }

    // Gain of one threshold of a feature, whose hypotheses have been split.
    double above(Criterion criterion, const Part& all, const std::vector<double>& posterior, const double* above) {
        switch (criterion) {
            case Criterion::ec2: return ec2_above(parts_, all, posterior, above);
            case Criterion::us: return us_above(posterior, above);
            case Criterion::rig: return rig_above(mixtures_, whole_, posterior, above);
            case Criterion::gini:
            case Criterion::eced: return by_chance(criterion, posterior, 2, [above](int k, int y) { return k == 0 ? 1.0 - above[y] : above[y]; });
            case Criterion::ig:
            case Criterion::random: break;
        }
        return ig_above(posterior, above);
    }

    // The most that an answer could gain.
    static double most(Criterion criterion, const Part& all, const std::vector<double>& posterior) {
        switch (criterion) {
            case Criterion::ec2: return all.edges();
            case Criterion::gini: return 2.0 * label_edges(posterior);
            case Criterion::eced: return label_edges(posterior);
            default: return 1.0;  // bits, of a binary answer
        }
    }

    // The best threshold of a feature and its gain; where Exp3 chose one, the gain of that. Where Exp3 explores no more,
    // the best is the one that tells most about the label, whatever the criterion: over few survivors others err more.
    void score_views(const Case& now, Criterion criterion, int f, double& gain) {
        const Theta& theta = now.theta();
        const Views& views = now.views();
        const Part& all = now.hypotheses().all();
        const int m = now.shape().n_labels, n_cuts = static_cast<int>(now.cuts()[f].size());
        const bool chosen = theta.chosen[f] >= 0;
        const int first = chosen ? theta.chosen[f] : views.first(f), last = chosen ? first + 1 : first + n_cuts;
        if (criterion == Criterion::random) {  // the gain is the order; any threshold will do
            view_[f] = first + static_cast<int>(gain * 1e6) % (last - first);
            return;
        }
        const auto gain_of = [&](Criterion by, int v) { return above(by, all, now.posterior(), theta.view.data() + static_cast<std::size_t>(v) * m); };
        const Criterion by = !chosen && views.settings().mode == Thresholds::exp3 ? Criterion::ig : criterion;
        gain = -INFINITY;
        for (int v = first; v < last; ++v) {
            const double here = gain_of(by, v);
            if (here > gain) gain = here, view_[f] = v;
        }
        if (by != criterion) gain = gain_of(criterion, view_[f]);
        if (!chosen || is_rewarded_[f]) return;
        is_rewarded_[f] = 1;
        const double best = views.settings().normalise ? most(criterion, all, now.posterior()) : 1.0;
        rewards_.push_back({view_[f], best > 0.0 ? gain / best / theta.chance[f] : 0.0});
    }
};

}  // namespace ufodt
