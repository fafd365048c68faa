// Hypotheses as bit lanes: one bit per hypothesis, one row of words per (feature, outcome) and per region.
//
// A hypothesis is one full vector of outcomes; its region is the label it calls for. Drawn with equal weight,
// every sum over hypotheses is a population count. Outcome 0 needs no row: it is what the others leave.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "criteria.hpp"
#include "distinct.hpp"
#include "lanes.hpp"
#include "loss.hpp"
#include "random.hpp"
#include "regions.hpp"
#include "shape.hpp"

namespace ufodt {

class Hypotheses {
  public:
    void resize(const Shape& shape, int n) {
        shape_ = &shape;
        n_ = n;
        n_words_ = (n + 63) / 64;
        lanes_.assign(static_cast<std::size_t>(shape.n_indicators()) * n_words_, 0);
        alive_.assign(n_words_, 0);
        regions_.resize(shape, n_words_);
        n_alive_ = 0;
    }

    // Take over the environment that hypotheses are drawn from.
    void set_theta(const Theta& theta, const std::vector<int>& features) {
        theta_ = &theta;
        regions_.set_theta(theta, features);
        fraction_.resize(static_cast<std::size_t>(shape_->n_indicators()) * shape_->n_labels);
        with_number(shape_->n_labels, [&](auto m) {
            const double* const p = theta.p.data();
            for (const int f : features) {
                const int zero = shape_->first_row[f] * m, n_outcomes = shape_->n_outcomes(f);
                if (n_outcomes == 2) {
                    std::uint64_t* const fraction = fraction_.data() + shape_->indicator(f, 1) * m;
                    for (int y = 0; y < m; ++y) fraction[y] = binary_fraction(p[zero + m + y]);
                    continue;
                }
                left_.assign(m, 1.0);
                for (int k = 1; k < n_outcomes; ++k) {  // among those not yet excluded: a chain of coin tosses
                    const int from = zero + k * m, to = shape_->indicator(f, k) * m;
                    for (int y = 0; y < m; ++y) {
                        fraction_[to + y] = binary_fraction(left_[y] > p[from + y] ? p[from + y] / left_[y] : 1.0);
                        left_[y] -= p[from + y];
                    }
                }
            }
        });
    }

    // Draw all hypotheses given the evidence: labels from `posterior`, outcomes of `features` from theta.
    //
    // Labels are drawn systematically (one uniform number places N evenly spaced points on the cumulative
    // posterior), so each label gets its share of N, rounded at random.
    void draw(Random& random, const std::vector<double>& posterior, const std::vector<int>& features,
              const Loss& loss) {
        const int m = shape_->n_labels;
        weights_.clear();
        n_drawn_ = n_alive_ = n_;
        std::fill(alive_.begin(), alive_.end(), 0);
        fill_lanes(alive_.data(), 0, n_);
        begin_.assign(m + 1, n_);
        begin_[0] = 0;
        const double offset = random.uniform();
        double cumulative = 0.0;
        for (int y = 0; y + 1 < m; ++y) {
            cumulative += posterior[y];
            begin_[y + 1] = std::clamp(static_cast<int>(cumulative * n_ + offset), begin_[y], n_);
        }
        high_.resize(static_cast<std::size_t>(n_words_) * 64 + 16);
        second_.assign(n_words_, 0);
        span_.clear();
        for (int lane = 0; lane + 512 <= 64 * n_words_; lane += 512) {
            span_.emplace_back(label_at(lane), label_at(lane + 511));
            const int from = begin_[span_.back().first + 1];
            fill_lanes(second_.data(), from, std::max(lane + 512, from));
        }
        for (const int f : features) {
            for (int k = 1; k < shape_->n_outcomes(f); ++k) draw_outcome(random, f, k);
        }
        regions_.find(lanes_.data(), posterior, features, loss);
    }

    // Draw until there are N distinct hypotheses, or as many as exist, but not for ever; each weighs P(h | evidence).
    void draw_distinct(Random& random, const std::vector<double>& posterior, const std::vector<int>& features,
                       const Loss& loss) {
        std::int64_t wanted = 1;
        for (const int f : features) wanted = std::min<std::int64_t>(wanted * shape_->n_outcomes(f), n_);
        distinct_.draw(random, *shape_, *theta_, posterior, features, static_cast<int>(wanted),
                       max_draws_per_hypothesis * wanted);
        n_drawn_ = n_alive_ = distinct_.n();
        std::fill(alive_.begin(), alive_.end(), 0);
        fill_lanes(alive_.data(), 0, n_alive_);
        std::fill(lanes_.begin(), lanes_.end(), 0);
        for (int w = 0; 64 * w < n_alive_; ++w) {
            distinct_.lanes(w, words_);
            for (const int f : features) {
                for (int k = 1; k < shape_->n_outcomes(f); ++k) lanes(f, k)[w] = words_[distinct_.first_bit(f) + k - 1];
            }
        }
        weigh(posterior, features);
        regions_.find(lanes_.data(), posterior, features, loss);
    }

    // Drop the hypotheses that disagree with an outcome.
    void observe(int feature, int outcome) {
        n_alive_ = 0;
        for (int w = 0; w < n_words_; ++w) {
            std::uint64_t others = 0;
            if (outcome == 0) {
                for (int k = 1; k < shape_->n_outcomes(feature); ++k) others |= lanes(feature, k)[w];
            }
            alive_[w] &= outcome == 0 ? ~others : lanes(feature, outcome)[w];
            n_alive_ += std::popcount(alive_[w]);
        }
    }

    int n_alive() const { return n_alive_; }
    int n_drawn() const { return n_drawn_; }

    // Count the survivors by region. To be called before `n_regions`, `all` and `split`.
    void count_regions() {
        live_.clear();
        totals_.clear();
        outcome_mass_.clear();
        all_ = {};
        for (int y = 0; y < shape_->n_labels; ++y) {
            const std::size_t at = live_.size();
            const std::uint64_t* const region = regions_.lanes(y);
            std::uint64_t any = 0;
            live_.resize(at + n_words_);
            for (int w = 0; w < n_words_; ++w) any |= live_[at + w] = alive_[w] & region[w];
            if (any == 0) {
                live_.resize(at);
                continue;
            }
            totals_.push_back(mass(live_.data() + at));
            all_.add(totals_.back());
        }
    }

    int n_regions() const { return static_cast<int>(totals_.size()); }
    const Part& all() const { return all_; }

    // The edges that the answer about each feature is expected to leave, as `edges_left` of its parts has it.
    void edges_left(const std::vector<int>& features, double* left) {
        const bool two_regions = weights_.empty() && n_regions() == 2;
        const std::uint64_t* ones[8];  // of binary features, as most are, to be counted together
        double* of[8];
        int n = 0;
        for (const int f : features) {
            if (two_regions && shape_->n_outcomes(f) == 2) {
                ones[n] = lanes(f, 1), of[n++] = left;
                if (n == 8) edges_of_two(ones, of, n), n = 0;
            } else {
                split(f, parts_);
                *left = ufodt::edges_left(parts_);
            }
            ++left;
        }
        if (n > 0) edges_of_two(ones, of, n);
    }

    // The survivors as a `Mixture`.
    Mixture mixture() const {
        Mixture all;
        for (const double total : totals_) all.add(total);
        return all;
    }

    // How the outcomes of one feature split the survivors, as `Part`s or as `Mixture`s.
    template <class Sum>
    void split(int feature, std::vector<Sum>& parts) {
        const int n_outcomes = shape_->n_outcomes(feature), n_regions = static_cast<int>(totals_.size());
        parts.resize(n_outcomes);
        weigh_outcomes();
        if (n_outcomes == 2) {
            Sum zero, one;
            for (int r = 0; r < n_regions; ++r) {
                const double here = mass(r, feature, 1);
                one.add(here);
                zero.add(std::max(totals_[r] - here, 0.0));  // rounding of weights must not leave a negative mass
            }
            parts[0] = zero, parts[1] = one;
            return;
        }
        left_ = totals_;
        for (int k = 1; k <= n_outcomes; ++k) {
            Sum part;
            for (int r = 0; r < n_regions; ++r) {
                const double here = k == n_outcomes ? std::max(left_[r], 0.0) : mass(r, feature, k);
                part.add(here);
                left_[r] -= here;
            }
            parts[k % n_outcomes] = part;  // outcome 0 is what the others leave
        }
    }

    // One hypothesis, for inspection.
    int n() const { return n_; }
    bool is_alive(int lane) const { return alive_[lane / 64] >> (lane % 64) & 1; }
    int region_of(int lane) const { return regions_.of(lane); }
    double weight_of(int lane) const { return weights_.empty() ? 1.0 : weights_[lane]; }
    int outcome_of(int lane, int feature) const {
        for (int k = 1; k < shape_->n_outcomes(feature); ++k) {
            if (lanes(feature, k)[lane / 64] >> (lane % 64) & 1) return k;
        }
        return 0;
    }

  private:
    const Shape* shape_ = nullptr;
    const Theta* theta_ = nullptr;
    static constexpr std::int64_t max_draws_per_hypothesis = 64;
    int n_ = 0, n_words_ = 0, n_drawn_ = 0, n_alive_ = 0;
    std::vector<std::uint64_t> lanes_, alive_, live_, words_;
    Distinct distinct_;
    Regions regions_;
    std::vector<std::uint64_t> fraction_;  // per (indicator, label): probability as binary fraction
    Part all_;                             // all survivors
    std::vector<Part> parts_;
    std::vector<double> weights_, totals_, left_;  // weights_ is empty when all weigh the same
    std::vector<double> outcome_mass_;             // region x bit of `distinct_`, once they were weighed
    std::vector<int> begin_;                       // lanes are sorted by the label they were drawn for
    std::vector<std::pair<int, int>> span_;        // of each eight words: the labels of their first and last lane
    std::vector<std::uint64_t> second_;            // and the lanes of the second label
    std::vector<std::int16_t> high_;  // per lane: top bits of a probability, as `bernoulli_bits` takes them

    std::uint64_t* lanes(int f, int k) {
        return lanes_.data() + static_cast<std::size_t>(shape_->indicator(f, k)) * n_words_;
    }
    const std::uint64_t* lanes(int f, int k) const {
        return lanes_.data() + static_cast<std::size_t>(shape_->indicator(f, k)) * n_words_;
    }

    // Set lanes from..to-1.
    static void fill_lanes(std::uint64_t* words, int from, int to) {
        for (int w = from / 64; w * 64 < to; ++w) {
            const int low = std::max(from - w * 64, 0), high = std::min(to - w * 64, 64);
            words[w] |= (high == 64 ? ~0ULL : (1ULL << high) - 1) & (~0ULL << low);
        }
    }

    // Mass of some lanes.
    double mass(const std::uint64_t* live) const {
        if (weights_.empty()) return count(live, live);
        double sum = 0.0;
        for_each(live, [&](int lane) { sum += weights_[lane]; });
        return sum;
    }

    // Mass of the survivors of a region, by its number among those that have any, that have an outcome above 0.
    double mass(int region, int feature, int outcome) const {
        if (weights_.empty())
            return count(live_.data() + static_cast<std::size_t>(region) * n_words_, lanes(feature, outcome));
        const int bit = distinct_.first_bit(feature) + outcome - 1;
        return outcome_mass_[static_cast<std::size_t>(region) * distinct_.n_bits() + bit];
    }

    // How many lanes both have.
    int count(const std::uint64_t* live, const std::uint64_t* lane) const {
        int count = 0, w = 0;
        for (; w + 4 <= n_words_; w += 4) {
            count += std::popcount(live[w] & lane[w]) + std::popcount(live[w + 1] & lane[w + 1]) +
                     std::popcount(live[w + 2] & lane[w + 2]) + std::popcount(live[w + 3] & lane[w + 3]);
        }
        for (; w < n_words_; ++w) count += std::popcount(live[w] & lane[w]);
        return count;
    }

    template <class Use>
    void for_each(const std::uint64_t* lanes, Use use) const {
        for (int w = 0; w < n_words_; ++w) {
            for (std::uint64_t rest = lanes[w]; rest; rest &= rest - 1) use(w * 64 + std::countr_zero(rest));
        }
    }

    // Where hypotheses have weights: what the survivors of each region that have an outcome weigh, of all outcomes side
    // by side.
    void weigh_outcomes() {
        if (weights_.empty() || !outcome_mass_.empty()) return;
        const auto n_bits = static_cast<std::size_t>(distinct_.n_bits());
        outcome_mass_.assign(totals_.size() * n_bits, 0.0);
        for (std::size_t r = 0; r < totals_.size(); ++r) {
            double* const sum = outcome_mass_.data() + r * n_bits;
            for_each(live_.data() + r * n_words_, [&](int lane) { distinct_.add_weight(lane, weights_[lane], sum); });
        }
    }

    // The edges left by up to eight binary features, whose outcome is 1 in the lanes `ones`, between two regions of
    // equal weights: between regions of a and b hypotheses there are a times b.
    void edges_of_two(const std::uint64_t* (&ones)[8], double* const (&left)[8], int n) const {
        for (int i = n; i < 8; ++i) ones[i] = ones[0];
        double in_a[8], in_b[8], edges[8];
        count_both(ones, live_.data(), live_.data() + n_words_, n_words_, in_a, in_b);
        for (int i = 0; i < 8; ++i) {
            const double out_a = totals_[0] - in_a[i], out_b = totals_[1] - in_b[i];
            edges[i] = (out_a + out_b) * (out_a * out_b) + (in_a[i] + in_b[i]) * (in_a[i] * in_b[i]);
        }
        for (int i = 0; i < n; ++i) *left[i] = edges[i];
    }

    // P(h | evidence) of all hypotheses, 64 side by side, up to a factor: criteria multiply weights, and the product of
    // hundreds of features would be too small for that.
    void weigh(const std::vector<double>& posterior, const std::vector<int>& features) {
        weights_.assign(static_cast<std::size_t>(n_words_) * 64, 0.0);
        std::vector<int> exponent(n_words_, INT_MIN);  // weights are to be multiplied by 2 to this
        for (int w = 0; 64 * w < n_drawn_; ++w) {
            double* const weight = weights_.data() + 64 * w;
            for (int y = 0; y < shape_->n_labels; ++y) {
                double p[64];
                int power = 0;
                std::fill_n(p, 64, posterior[y]);
                for (std::size_t at = 0; at < features.size(); ++at) {
                    const int f = features[at];
                    const double* const chance = theta_->p.data() + shape_->cell(shape_->row(f), y);
                    double of[64];
                    std::fill_n(of, 64, chance[0]);
                    for (int k = 1; k < shape_->n_outcomes(f); ++k) {
                        const std::uint64_t has = lanes(f, k)[w];
                        const double here = chance[k * shape_->n_labels];
                        for (std::uint64_t i = 0; i < 64; ++i) of[i] = has >> i & 1 ? here : of[i];
                    }
                    for (int i = 0; i < 64; ++i) p[i] *= of[i];
                    if (at % 8 == 7) power -= raise(p, std::min(64, n_drawn_ - 64 * w));
                }
                if (exponent[w] < power) {
                    lower(weight, exponent[w] == INT_MIN ? 0 : power - exponent[w]);
                    exponent[w] = power;
                }
                lower(p, exponent[w] - power);
                for (int i = 0; i < 64; ++i) weight[i] += p[i];
            }
        }
        const int most = *std::max_element(exponent.begin(), exponent.end());
        for (int w = 0; 64 * w < n_drawn_; ++w) lower(weights_.data() + 64 * w, most - exponent[w]);
        std::fill(weights_.begin() + n_drawn_, weights_.end(), 0.0);
    }

    // Outcome k of feature f among the lanes that no lower outcome (above 0) has taken.
    void draw_outcome(Random& random, int f, int k) {
        const int n_words = n_words_;
        const std::uint64_t* const fraction =
            fraction_.data() + static_cast<std::size_t>(shape_->indicator(f, k)) * shape_->n_labels;
        std::uint64_t* const out = lanes(f, k);
        int w = 0;
        for (; w + 8 <= n_words; w += 8) {  // blocks of two labels or one, as there are with few labels
            const auto [first, last] = span_[w / 8];
            if (last > first + 1) break;
            Block open, second = {};
            std::memcpy(&open, alive_.data() + w, sizeof open);
            if (last > first) std::memcpy(&second, second_.data() + w, sizeof second);
            const Block ones = bernoulli_block(random, open, second, {fraction[first], fraction[last]});
            std::memcpy(out + w, &ones, sizeof ones);
        }
        if (w < n_words) draw_words(random, fraction, out, w);
        for (int j = 1; j < k; ++j) {
            const std::uint64_t* const taken = lanes(f, j);
            for (w = 0; w < n_words; ++w) out[w] &= ~taken[w];
        }
    }

    // The label that a lane was drawn for.
    int label_at(int lane) const {
        return static_cast<int>(std::upper_bound(begin_.begin() + 1, begin_.end() - 1, lane) - begin_.begin()) - 1;
    }

    // One outcome of the lanes from word `from` on, word by word.
    void draw_words(Random& random, const std::uint64_t* fraction, std::uint64_t* out, int from) {
        const int m = shape_->n_labels;
        const int* const begin = begin_.data();
        std::int16_t* const high = high_.data();
        for (int y = 0; y < m; ++y) {  // sixteen lanes at a time; what runs over is overwritten by the next label
            const Shorts top = Shorts{} + static_cast<std::int16_t>((fraction[y] >> 48) ^ 0x8000);
            for (int lane = begin[y], end = begin[y + 1]; lane < end; lane += 16) store(high + lane, top);
        }
        for (int w = from; w < n_words_; ++w) {
            out[w] = bernoulli_bits(random, alive_[w], high + 64 * w, [=](int lane) {
                return fraction[std::upper_bound(begin + 1, begin + m, 64 * w + lane) - begin - 1];
            });
        }
    }
};

}  // namespace ufodt
