// What is believed about theta: Dirichlet counts per feature, outcome and label, and for the labels.
//
// A feature f with K outcomes owns K rows of every table; row `shape.row(f) + k` has one column per label.
// Prior and evidence are kept apart, so that merging adds exactly and forgetting scales the evidence alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "random.hpp"

namespace ufodt {

struct Shape {
    int n_features = 0, n_labels = 0, n_rows = 0;
    std::vector<int> first_row;  // n_features + 1 entries

    Shape() = default;
    Shape(const std::vector<int>& n_outcomes, int labels) : n_features(static_cast<int>(n_outcomes.size())), n_labels(labels) {
        if (labels < 1 || labels > 256) throw std::invalid_argument("the number of labels must be 1 to 256");
        first_row.push_back(0);
        for (const int k : n_outcomes) {
            if (k < 2 || k > 1024) throw std::invalid_argument("a feature must have 2 to 1024 outcomes");
            first_row.push_back(first_row.back() + k);
        }
        n_rows = first_row.back();
    }
    int row(int feature) const { return first_row[feature]; }
    int n_outcomes(int feature) const { return first_row[feature + 1] - first_row[feature]; }
    int cell(int row, int label) const { return row * n_labels + label; }
    int n_cells() const { return n_rows * n_labels; }
    bool operator==(const Shape&) const = default;
};

// Natural logarithm good to 1e-7, written without branches so that loops over it vectorise; log(0) is about -88.
inline float quick_log(float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;  // puts the mantissa in [sqrt(1/2), sqrt(2))
    const auto mantissa = std::bit_cast<float>(bits - (exponent << 23));
    const float s = (mantissa - 1.0f) / (mantissa + 1.0f), s2 = s * s;
    const float series = 2.0f * s * (1.0f + s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9)))));
    return static_cast<float>(exponent) * 0.693147181f + series;
}

// One environment: P(outcome | label) for every row, and P(label).
struct Theta {
    std::vector<double> p;      // n_cells
    std::vector<float> log_p;   // n_cells
    std::vector<double> label;  // n_labels

    void take_logs() {
        log_p.resize(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) log_p[i] = quick_log(static_cast<float>(p[i]));
    }
};

// The mean belief as logarithms, ready to be summed over the evidence; outcomes are relative to `total`.
struct LogMean {
    std::vector<double> outcome;  // n_cells: log of the count
    std::vector<double> total;    // n_features x n_labels: log of the sum of counts
    std::vector<double> label;    // n_labels: log of the count
};

class Belief {
  public:
    Belief(Shape shape, std::vector<double> prior, std::vector<double> label_prior, bool learns_labels)
        : shape_(std::move(shape)), prior_(std::move(prior)), label_prior_(std::move(label_prior)), learns_labels_(learns_labels) {
        if (static_cast<int>(prior_.size()) != shape_.n_cells() || static_cast<int>(label_prior_.size()) != shape_.n_labels) {
            throw std::invalid_argument("the prior does not fit the problem");
        }
        const auto positive = [](double x) { return std::isfinite(x) && x > 0.0; };
        if (!std::all_of(prior_.begin(), prior_.end(), positive) || !std::all_of(label_prior_.begin(), label_prior_.end(), positive)) {
            throw std::invalid_argument("prior counts must be positive and finite");
        }
        count_.assign(prior_.size(), 0.0);
        label_count_.assign(label_prior_.size(), 0.0);
        alpha_.resize(prior_.size());
        squeeze_.resize(prior_.size());
        total_.resize(static_cast<std::size_t>(shape_.n_features) * shape_.n_labels);
        log_mean_.outcome.resize(prior_.size());
        log_mean_.total.resize(total_.size());
        log_mean_.label.resize(label_prior_.size());
        refresh();
    }

    const Shape& shape() const { return shape_; }
    const std::vector<double>& prior() const { return prior_; }
    const std::vector<double>& count() const { return count_; }
    const std::vector<double>& label_prior() const { return label_prior_; }
    const std::vector<double>& label_count() const { return label_count_; }
    bool learns_labels() const { return learns_labels_; }
    const LogMean& log_mean() const { return log_mean_; }

    // One labelled case: pairs of (feature, outcome); a feature not asked teaches nothing.
    template <class Pairs>
    void update(const Pairs& evidence, int label) {
        for (const auto& [feature, outcome] : evidence) {
            const int cell = shape_.cell(shape_.row(feature) + outcome, label);
            count_[cell] += 1.0;
            refresh_cell(cell);
            refresh_total(feature, label);
        }
        if (learns_labels_) {
            label_count_[label] += 1.0;
            refresh_label(label);
        }
    }

    // History in bulk: rows of outcomes, -1 where not known; cells are refreshed once at the end.
    void update_many(const std::int16_t* outcomes, const std::int32_t* labels, std::size_t n_cases) {
        for (std::size_t i = 0; i < n_cases; ++i) {
            const std::int16_t* row = outcomes + i * shape_.n_features;
            if (labels[i] < 0) continue;
            for (int f = 0; f < shape_.n_features; ++f) {
                if (row[f] >= 0) count_[shape_.cell(shape_.row(f) + row[f], labels[i])] += 1.0;
            }
            if (learns_labels_) label_count_[labels[i]] += 1.0;
        }
        refresh();
    }

    // Adds the evidence of another belief that started from the same prior.
    void merge(const Belief& other) {
        if (!(shape_ == other.shape_) || prior_ != other.prior_ || label_prior_ != other.label_prior_ || learns_labels_ != other.learns_labels_) {
            throw std::invalid_argument("beliefs merge only when they started from the same prior");
        }
        for (std::size_t i = 0; i < count_.size(); ++i) count_[i] += other.count_[i];
        for (std::size_t i = 0; i < label_count_.size(); ++i) label_count_[i] += other.label_count_[i];
        refresh();
    }

    // Forgets a fraction gamma of everything learned: the counts move towards the prior (paper, algorithm 5).
    void discount(double gamma) {
        for (double& c : count_) c *= 1.0 - gamma;
        for (double& c : label_count_) c *= 1.0 - gamma;
        refresh();
    }

    void set_counts(std::vector<double> count, std::vector<double> label_count) {
        const auto fine = [](double x) { return std::isfinite(x) && x >= 0.0; };
        if (count.size() != count_.size() || label_count.size() != label_count_.size() || !std::all_of(count.begin(), count.end(), fine) ||
            !std::all_of(label_count.begin(), label_count.end(), fine)) {
            throw std::invalid_argument("counts must fit the problem and be finite and not negative");
        }
        count_ = std::move(count);
        label_count_ = std::move(label_count);
        refresh();
    }

    // One draw of theta: a Dirichlet per feature and label; P(label) is its mean.
    void draw(Random& random, Theta& theta) const {
        theta.p.resize(alpha_.size());
        for (std::size_t i = 0; i < alpha_.size(); ++i) theta.p[i] = random.gamma(alpha_[i], squeeze_[i]);
        normalise(theta);
    }

    void mean(Theta& theta) const {
        theta.p = alpha_;
        normalise(theta);
    }

  private:
    Shape shape_;
    std::vector<double> prior_, label_prior_, count_, label_count_;
    bool learns_labels_;
    // Derived from prior + count, kept up to date entry by entry:
    std::vector<double> alpha_, squeeze_, total_;
    LogMean log_mean_;

    void refresh_cell(int cell) {
        alpha_[cell] = prior_[cell] + count_[cell];
        squeeze_[cell] = Random::squeeze(alpha_[cell]);
        log_mean_.outcome[cell] = std::log(alpha_[cell]);
    }

    void refresh_total(int feature, int label) {
        const int i = feature * shape_.n_labels + label;
        total_[i] = 0.0;
        for (int row = shape_.row(feature); row < shape_.row(feature + 1); ++row) total_[i] += alpha_[shape_.cell(row, label)];
        log_mean_.total[i] = std::log(total_[i]);
    }

    void refresh_label(int label) { log_mean_.label[label] = std::log(label_prior_[label] + label_count_[label]); }

    void refresh() {
        for (int cell = 0; cell < shape_.n_cells(); ++cell) refresh_cell(cell);
        for (int label = 0; label < shape_.n_labels; ++label) {
            for (int f = 0; f < shape_.n_features; ++f) refresh_total(f, label);
            refresh_label(label);
        }
    }

    void normalise(Theta& theta) const {
        const int m = shape_.n_labels;
        for (int f = 0; f < shape_.n_features; ++f) {
            const int from = shape_.cell(shape_.row(f), 0), to = shape_.cell(shape_.row(f + 1), 0);
            for (int y = 0; y < m; ++y) {
                double sum = 1e-300;  // all variates of a tiny shape may vanish
                for (int cell = from + y; cell < to; cell += m) sum += theta.p[cell];
                const double scale = 1.0 / sum;
                for (int cell = from + y; cell < to; cell += m) theta.p[cell] *= scale;
            }
        }
        theta.label.resize(m);
        double sum = 0.0;
        for (int y = 0; y < m; ++y) sum += label_prior_[y] + label_count_[y];
        for (int y = 0; y < m; ++y) theta.label[y] = (label_prior_[y] + label_count_[y]) / sum;
        theta.take_logs();
    }
};

}  // namespace ufodt
