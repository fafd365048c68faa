// Theta from what is believed: one draw of it (Thompson sampling), or its mean.
#pragma once

#include <algorithm>
#include <vector>

#include "logarithms.hpp"
#include "random.hpp"
#include "shape.hpp"
#include "views.hpp"

namespace ufodt {

// P(outcome | label) of a feature from its views: the one in play, or the mean over all, weighted by their use.
inline void mix_views(const Views& views, const Cuts& cuts, const Shape& shape, int f, Theta& theta) {
    const int m = shape.n_labels, first = views.first(f), n_cuts = static_cast<int>(cuts[f].size());
    const auto p_of = [&](int v) { return theta.view.data() + static_cast<std::size_t>(v) * m; };
    double *const above = theta.p.data() + shape.cell(shape.row(f) + 1, 0), *const below = above - m;
    for (int y = 0; y < m; ++y) {
        if (theta.is_in_play) {
            above[y] = p_of(theta.chosen[f])[y];
        } else {
            double sum = 0.0, weight = 0.0;
            for (int v = first; v < first + n_cuts; ++v) {
                sum += views.use(v, y) * p_of(v)[y];
                weight += views.use(v, y);
            }
            above[y] = sum / weight;
        }
        below[y] = 1.0 - above[y];
    }
}

// The mean of the views of one feature, for a theta that was drawn without it.
inline void take_mean_of_views(const Views& views, const Cuts& cuts, const Shape& shape, int f, Theta& theta) {
    const int first = views.first(f), n_cuts = static_cast<int>(cuts[f].size());
    for (int v = first; v < first + n_cuts; ++v)
        views.mean(v, theta.view.data() + static_cast<std::size_t>(v) * shape.n_labels);
    if (theta.is_in_play) theta.chosen[f] = views.by_mean(f, n_cuts);
    mix_views(views, cuts, shape, f, theta);
}

// The belief about P(outcome | label), as far as drawing reads it.
struct Dirichlets {
    const Shape& shape;
    const std::vector<double>&alpha, &squeeze;  // per cell: prior + count, and `Random::squeeze` of it
    const Views& views;
    const Cuts& cuts;

    // One draw for some features: a Dirichlet per feature and label.
    void draw(Random& random, const std::vector<int>& features, Theta& theta) const {
        theta.p.resize(alpha.size());
        theta.is_in_play = true;
        if (views.size() == 0 && static_cast<int>(features.size()) == shape.n_features) {
            random.gammas(alpha.data(), squeeze.data(), theta.p.data(), shape.n_cells());
        } else {
            draw_some(random, features, theta);
        }
        if (views.size() > 0) take_views(&random, features, theta);
        normalise(features, theta, &random);
    }

    void mean(const std::vector<int>& features, Theta& theta, bool is_settled) const {
        theta.p = alpha;
        theta.is_in_play = true;
        if (views.size() > 0) take_views(nullptr, features, theta, is_settled);
        normalise(features, theta);
    }

  private:
    static constexpr double vanished = 1e-280;  // a sum of variates that is too small to divide by

    // The cells of some features, one after the other, or of those that are not seen through thresholds.
    template <class Work>
    void for_cells(const std::vector<int>& features, bool with_viewed, Work work) const {
        for (const int f : features) {
            if (with_viewed || !is_viewed(views, cuts, f))
                work(shape.cell(shape.row(f), 0), shape.cell(shape.row(f + 1), 0));
        }
    }

    static const double* gammas(Random& random, Theta::Gathered& all) {
        all.drawn.resize(all.shape.size());
        random.gammas(all.shape.data(), all.squeeze.data(), all.drawn.data(), static_cast<int>(all.shape.size()));
        return all.drawn.data();
    }

    // Gamma variates of some features, or of those that are not seen through thresholds.
    void draw_some(Random& random, const std::vector<int>& features, Theta& theta) const {
        theta.gathered.clear();
        for_cells(features, false,
                  [&](int from, int to) { theta.gathered.add(alpha.data() + from, squeeze.data() + from, to - from); });
        const double* drawn = gammas(random, theta.gathered);
        for_cells(features, false, [&](int from, int to) {
            std::copy_n(drawn, to - from, theta.p.begin() + from);
            drawn += to - from;
        });
    }

    // Variates of tiny shapes all vanish; what remains of the Dirichlet is all weight on one outcome, by the shapes.
    double pick_corner(Random& random, int from, int to, Theta& theta) const {
        const int m = shape.n_labels;
        double total = 0.0;
        for (int cell = from; cell < to; cell += m) total += alpha[cell];
        double left = random.uniform() * total;
        int corner = from;
        for (int cell = from; cell < to; cell += m) {
            theta.p[cell] = 0.0;
            if (left >= 0.0) corner = cell;
            left -= alpha[cell];
        }
        return theta.p[corner] = 1.0;
    }

    // The same of a threshold: all weight on one side.
    static double pick_side(Random& random, double below, double above) {
        return random.uniform() * (below + above) < above ? 1.0 : 0.0;
    }

    // P(above) of the views of every feature, drawn (or the mean without `random`), and of the feature's two outcomes.
    // Exp3 chooses one of them, unless nothing is explored any more and all were taught: then the best is searched for.
    void take_views(Random* random, const std::vector<int>& features, Theta& theta, bool is_settled = false) const {
        const int m = shape.n_labels;
        const bool exp3 = views.settings().mode == Thresholds::exp3 && !(is_settled && views.settings().teach_all);
        const bool one_in_play = exp3 && !views.settings().average;
        theta.is_in_play = one_in_play;
        theta.view.resize(static_cast<std::size_t>(views.size()) * m);
        theta.chosen.assign(shape.n_features, -1);
        theta.chance.assign(shape.n_features, 1.0);
        theta.gathered.clear();
        std::vector<int>& viewed = theta.gathered.viewed;
        for (const int f : features) {
            if (is_viewed(views, cuts, f)) viewed.push_back(f);
        }
        if (exp3 && random) views.pick(*random, viewed, cuts, theta.chosen, theta.chance);
        for (const int f : viewed) {
            const int n_cuts = static_cast<int>(cuts[f].size()), first = views.first(f);
            if (exp3 && !random) theta.chosen[f] = views.by_mean(f, n_cuts);
            const int from = one_in_play ? theta.chosen[f] : first, to = from + (one_in_play ? 1 : n_cuts);
            for (int v = from; v < to; ++v) theta.gathered.views.push_back(v);
        }
        if (random) views.gather(theta.gathered);
        const double* drawn = random ? gammas(*random, theta.gathered) : nullptr;
        const double* shape_of = theta.gathered.shape.data();
        for (const int v : theta.gathered.views) {
            double* const p = theta.view.data() + static_cast<std::size_t>(v) * m;
            if (!random) {
                views.mean(v, p);
                continue;
            }
            for (int y = 0; y < m; ++y) {
                const double sum = drawn[m + y] + drawn[y];
                p[y] = sum > vanished ? drawn[m + y] / sum : pick_side(*random, shape_of[y], shape_of[m + y]);
            }
            drawn += 2 * m;
            shape_of += 2 * m;
        }
        for (const int f : viewed) mix_views(views, cuts, shape, f, theta);
    }

    void normalise(const std::vector<int>& features, Theta& theta, Random* random = nullptr) const {
        double* const p = theta.p.data();
        theta.log_p.resize(theta.p.size());
        with_number(shape.n_labels, [&](auto m) {
            for (const int f : features) {
                with_number(shape.n_outcomes(f), [&, from = shape.first_row[f] * m](auto n) {
                    for (int y = 0; y < m; ++y) {
                        double sum = 0.0;
                        for (int k = 0; k < n; ++k) sum += p[from + k * m + y];
                        if (sum < vanished && random) [[unlikely]]
                            sum = pick_corner(*random, from + y, from + n * m, theta);
                        const double scale = 1.0 / sum;
                        for (int k = 0; k < n; ++k) p[from + k * m + y] *= scale;
                    }
                });
            }
        });
        const auto take_log = [](double x) { return quick_log(static_cast<float>(x)); };
        if (static_cast<int>(features.size()) == shape.n_features) {
            std::transform(p, p + shape.n_cells(), theta.log_p.begin(), take_log);
            return;
        }
        std::vector<double>& some = theta.gathered.drawn;
        some.clear();
        for_cells(features, true, [&](int from, int to) { some.insert(some.end(), p + from, p + to); });
        theta.gathered.logs.resize(some.size());
        std::transform(some.begin(), some.end(), theta.gathered.logs.begin(), take_log);
        const float* logs = theta.gathered.logs.data();
        for_cells(features, true, [&](int from, int to) {
            std::copy_n(logs, to - from, theta.log_p.begin() + from);
            logs += to - from;
        });
    }
};

}  // namespace ufodt
