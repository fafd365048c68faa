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
        for (std::vector<double>& given : given_label_) given.clear();
    }

    // In the order of the open features, as `score` left them.
    const std::vector<double>& of_open() const { return gain_; }

    // The threshold in play for a feature, as a view; -1 where there is none.
    int view(const Case& now, int feature) const { return now.views().has(feature) ? view_[feature] : -1; }

    // Have a threshold by the mean belief for a feature that is not on offer, or was not at first.
    void choose_view(const Case& now, int f) {
        view_[f] = now.views().by_mean(f, static_cast<int>(now.cuts()[f].size()));
    }

    // Exp3's gains of this case, one for every feature that was on offer when it was first scored; a case in which
    // nothing pays may end unscored.
    const std::vector<Reward>& rewards() const { return rewards_; }

    // Gains by the criterion; where it sees no difference between the open features (all survivors agree), by
    // information.
    void score(Case& now) {
        const Criterion criterion = now.policy().criterion;
        score(now, criterion, gain_);
        const bool informed = std::any_of(gain_.begin(), gain_.end(), [](double g) { return g > 0.0; });
        if (!informed && criterion != Criterion::ig) score(now, Criterion::ig, gain_);
    }

    // What every open feature tells about the label, in bits, whatever the criterion, through the thresholds in play.
    const std::vector<double>& told(const Case& now) {
        const Theta& theta = now.in_mind();
        told_.resize(now.open().size());
        inform(now, told_);
        for (std::size_t i = 0; i < told_.size() && !theta.is_in_play; ++i) {
            const int f = now.open()[i];
            if (now.is_viewed(f))
                told_[i] = ig_above(now.posterior(), theta.view.data() + view_[f] * now.shape().n_labels);
        }
        return told_;
    }

    // Gains by the criterion alone, for inspection: looking moves no threshold, and Exp3 learns nothing from it.
    void look(Case& now, std::vector<double>& gain) {
        const std::vector<int> view = view_;
        const std::vector<Reward> rewards = rewards_;
        const std::vector<std::uint8_t> is_rewarded = is_rewarded_;
        score(now, now.policy().criterion, gain);
        view_ = view;
        rewards_ = rewards;
        is_rewarded_ = is_rewarded;
    }

  private:
    std::vector<double> gain_, told_, likeliest_, chances_, plain_gain_;
    std::vector<int> plain_;              // open features without thresholds
    std::vector<double> view_gain_;       // of the views in play, in the order of the open features
    std::vector<double> given_label_[2];  // per (view, label), under the draw and under the mean: entropy of the answer
    std::vector<int> view_;               // per feature: the threshold in play
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
            Random order(now.seed(), ~(now.number() * (shape.n_features + 1) + open.size()));
            for (double& g : gain) g = order.uniform();
        }
        const Part& all = hypotheses.all();
        const double by_share = 1.0 / std::max(all.mass * all.mass, 1e-300);  // EC2: as if the weights summed to one
        const bool by_label = reads(criterion) == Reads::labels, by_region = criterion == Criterion::rig;
        const bool by_mass = reads(criterion) == Reads::hypotheses && !by_region;
        if (by_region) whole_ = hypotheses.mixture();
        if (criterion == Criterion::ec2 && now.views().size() == 0) {
            hypotheses.edges_left(open, gain.data());
            for (double& g : gain) g = ec2(g, all) * by_share;
            return;
        }
        if (by_label || now.views().size() > 0) now.weigh_labels();
        const Theta& theta = now.in_mind();
        if (criterion == Criterion::ig) {
            inform(now, gain);
            if (now.views().size() == 0) return;
            if (theta.is_in_play) return take_chosen(now, gain);
        }
        if (!theta.is_in_play) inform_of_views(now, criterion);
        const double* view_gain = view_gain_.data();
        for (std::size_t i = 0; i < open.size(); ++i) {
            const int f = open[i];
            const auto chance = [&, row = shape.row(f)](int k, int y) { return theta.p[shape.cell(row + k, y)]; };
            if (by_mass) hypotheses.split(f, parts_);
            if (by_region) hypotheses.split(f, mixtures_);
            if (now.is_viewed(f)) {
                score_views(now, criterion, f, view_gain, gain[i]);
            } else if (by_region) {
                gain[i] = rig(mixtures_, whole_);
            } else if (by_mass) {
                gain[i] = criterion == Criterion::us ? us(parts_, all) : ec2(edges_left(parts_), all);
            } else if (by_label && criterion != Criterion::ig) {
                gain[i] = by_chance(criterion, now.posterior(), shape.n_outcomes(f), chance);
            }
        }
        if (criterion == Criterion::ec2) {
            for (double& g : gain) g *= by_share;
        }
    }

    // Gain by Gini or ECED, from `chance(k, y)`, P(outcome k | label y).
    template <class Chance>
    double by_chance(Criterion criterion, const std::vector<double>& posterior, int n_outcomes, Chance chance) {
        return criterion == Criterion::gini ? gini(posterior, n_outcomes, chance)
                                            : eced(posterior, n_outcomes, chance, likeliest_);
    }

    // Gain of one threshold of a feature, whose hypotheses have been split.
    double gain_of_view(Criterion criterion, const Part& all, const std::vector<double>& posterior,
                        const double* above) {
        switch (criterion) {
            case Criterion::ec2: return ec2_above(parts_, all, posterior, above);
            case Criterion::us: return us_above(posterior, above);
            case Criterion::rig: return rig_above(mixtures_, whole_, posterior, above);
            case Criterion::gini:
            case Criterion::eced:
                return by_chance(criterion, posterior, 2,
                                 [above](int k, int y) { return k == 0 ? 1.0 - above[y] : above[y]; });
            case Criterion::ig:  // is worked out for all thresholds side by side
            case Criterion::random: break;
        }
        return 0.0;
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

    // The thresholds to choose from for a feature, as views: all, or the one that Exp3 drew.
    static std::pair<int, int> choices(const Case& now, int f) {
        const int chosen = now.in_mind().chosen[f], first = now.views().first(f);
        return chosen >= 0 ? std::pair{chosen, chosen + 1}
                           : std::pair{first, first + static_cast<int>(now.cuts()[f].size())};
    }

    // By what a threshold is searched for. Hypotheses are of all thresholds of a feature together, so criteria that
    // split them cannot tell one from another: then it is the one that tells most about the label. So it is where Exp3
    // explores no more, whatever the criterion: over few survivors others err more. The paper's way is kept.
    static Criterion searched_by(const Case& now, Criterion criterion, int f) {
        const ViewSettings& settings = now.views().settings();
        const bool splits = criterion == Criterion::ec2 || criterion == Criterion::rig;
        const bool by_what_it_tells = settings.mode == Thresholds::exp3 || (splits && !settings.average);
        return now.in_mind().chosen[f] < 0 && by_what_it_tells ? Criterion::ig : criterion;
    }

    // Information about the label, of every open feature, or only of those that have no thresholds to be looked at.
    void inform(const Case& now, std::vector<double>& gain) {
        const Theta& theta = now.in_mind();
        const std::vector<int>& open = now.open();
        if (theta.is_in_play) return ig(now.shape(), theta, now.posterior(), open, chances_, gain.data());
        plain_.clear();
        for (const int f : open) {
            if (!now.is_viewed(f)) plain_.push_back(f);
        }
        if (plain_.empty()) return;
        plain_gain_.resize(plain_.size());
        ig(now.shape(), theta, now.posterior(), plain_, chances_, plain_gain_.data());
        for (std::size_t i = 0, at = 0; i < open.size(); ++i) {
            if (!now.is_viewed(open[i])) gain[i] = plain_gain_[at++];
        }
    }

    // The same of the thresholds that are searched by it, all side by side.
    void inform_of_views(const Case& now, Criterion criterion) {
        const std::vector<double>& above = now.in_mind().view;
        std::vector<double>& given = given_label_[now.thinks_by_mean()];
        given.resize(above.size(), -1.0);  // not known yet
        chances_.resize(now.views().size());
        view_gain_.resize(now.views().size());
        std::size_t n = 0;
        with_number(now.shape().n_labels, [&](auto m) {
            const double* const posterior = now.posterior().data();
            for (const int f : now.open()) {
                if (!now.is_viewed(f) || searched_by(now, criterion, f) != Criterion::ig) continue;
                const auto [first, last] = choices(now, f);
                if (given[first * m] < 0.0) {
                    for (int i = first * m; i < last * m; ++i) given[i] = binary_entropy(above[i]);
                }
                for (int v = first; v < last; ++v, ++n) {
                    double chance = 0.0, entropy = 0.0;
                    for (int y = 0; y < m; ++y) {
                        chance += posterior[y] * above[v * m + y];
                        entropy += posterior[y] * given[v * m + y];
                    }
                    chances_[n] = chance;
                    view_gain_[n] = entropy;
                }
            }
        });
        for (std::size_t i = 0; i < n; ++i) view_gain_[i] = std::max(binary_entropy(chances_[i]) - view_gain_[i], 0.0);
    }

    // The best threshold of a feature and its gain; where Exp3 chose one, the gain of that. `view_gain` moves on behind
    // those of this feature.
    void score_views(const Case& now, Criterion criterion, int f, const double*& view_gain, double& gain) {
        const Theta& theta = now.in_mind();
        const Part& all = now.hypotheses().all();
        const auto [first, last] = choices(now, f);
        if (criterion == Criterion::random) {  // the gain is the order; any threshold will do
            view_[f] = first + static_cast<int>(gain * 1e6) % (last - first);
            return;
        }
        const auto gain_of = [&](int v) {
            return gain_of_view(criterion, all, now.posterior(),
                                theta.view.data() + static_cast<std::size_t>(v) * now.shape().n_labels);
        };
        const Criterion by = searched_by(now, criterion, f);
        gain = -INFINITY;
        for (int v = first; v < last; ++v) {
            const double here = by == Criterion::ig ? *view_gain++ : gain_of(v);
            if (here > gain) gain = here, view_[f] = v;
        }
        if (by != criterion) gain = gain_of(view_[f]);
        if (theta.chosen[f] >= 0 && !now.thinks_by_mean()) reward(now, criterion, f, gain);
    }

    // The thresholds that Exp3 chose, where the information of each is there already.
    void take_chosen(const Case& now, const std::vector<double>& gain) {
        const Theta& theta = now.in_mind();
        const std::vector<int>& open = now.open();
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!now.is_viewed(open[i])) continue;
            view_[open[i]] = theta.chosen[open[i]];
            if (!now.thinks_by_mean()) reward(now, Criterion::ig, open[i], gain[i]);
        }
    }

    // What Exp3 gained by the threshold in play for a feature, once in a case.
    void reward(const Case& now, Criterion criterion, int f, double gain) {
        if (is_rewarded_[f]) return;
        is_rewarded_[f] = 1;
        const bool normalises = now.views().settings().normalise;
        const double best = normalises ? most(criterion, now.hypotheses().all(), now.posterior()) : 1.0;
        rewards_.push_back({view_[f], best > 0.0 ? gain / best / now.theta().chance[f] : 0.0});
    }
};

}  // namespace ufodt
