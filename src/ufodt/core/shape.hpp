// The vocabulary of the core: which rows and columns a table has, one environment, one thing seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace ufodt {

struct Shape {
    static constexpr int max_labels = 256, max_outcomes = 1024;

    int n_features = 0, n_labels = 0, n_rows = 0;
    std::vector<int> first_row;  // n_features + 1 entries

    Shape() = default;
    Shape(const std::vector<int>& n_outcomes, int labels)
        : n_features(static_cast<int>(n_outcomes.size())), n_labels(labels) {
        if (labels < 1 || labels > max_labels) throw std::invalid_argument("the number of labels must be 1 to 256");
        first_row.push_back(0);
        for (const int k : n_outcomes) {
            if (k < 2 || k > max_outcomes) throw std::invalid_argument("a feature must have 2 to 1024 outcomes");
            first_row.push_back(first_row.back() + k);
        }
        n_rows = first_row.back();
        if (std::int64_t{n_rows} * n_labels > std::numeric_limits<int>::max())
            throw std::length_error("the problem has too many outcomes and labels");
    }
    int row(int feature) const { return first_row[feature]; }
    int n_outcomes(int feature) const { return first_row[feature + 1] - first_row[feature]; }
    int cell(int row, int label) const { return row * n_labels + label; }
    int n_cells() const { return n_rows * n_labels; }

    // Of an outcome, among those that are not the first of their feature.
    int indicator(int feature, int outcome) const { return first_row[feature] - feature + outcome - 1; }
    int n_indicators() const { return n_rows - n_features; }
    bool operator==(const Shape&) const = default;
};

// Call `work` with a number of labels or outcomes, as a constant where it is two: short loops over them then unroll.
template <class Work>
inline decltype(auto) with_number(int n, Work work) {
    if (n == 2) return work(std::integral_constant<int, 2>());
    return work(n);
}

// One environment: P(outcome | label) for every row, and P(label).
struct Theta {
    std::vector<double> p;       // n_cells
    std::vector<float> log_p;    // n_cells
    std::vector<double> label;   // n_labels
    std::vector<double> view;    // n_views x n_labels: P(above | label)
    std::vector<int> chosen;     // per feature: the view in play, -1 if to be searched for
    std::vector<double> chance;  // per feature: with what probability it was chosen
    bool is_in_play = true;      // p is that of the views in play, so none is to be searched for nor taken the mean of

    // Room for drawing: variates come in blocks and logarithms in vectors, so their cells are laid side by side first.
    struct Gathered {
        std::vector<double> shape, squeeze, drawn;
        std::vector<float> logs;
        std::vector<int> viewed, views;  // features that have thresholds, and which of these are to be drawn

        void clear() { shape.clear(), squeeze.clear(), viewed.clear(), views.clear(); }
        void add(const double* shapes, const double* squeezes, int n) {
            shape.insert(shape.end(), shapes, shapes + n);
            squeeze.insert(squeeze.end(), squeezes, squeezes + n);
        }
    } gathered;
};

// One thing seen in a case. A continuous feature is learned from its value, any other from its outcome.
struct Seen {
    int feature, outcome;
    double value = 0.0;
    int view = -1;  // threshold in use
};

// A table of cases: outcomes (-1: cannot be had) and, in columns of their own, the values of continuous features.
struct Cases {
    const std::int16_t* outcomes;
    const double* values;
    std::size_t n_cases;
    int n_features, n_values;
    const std::vector<int>* column;  // per feature: its column in `values`, -1 if it is not continuous

    std::size_t size() const { return n_cases; }
    bool has(std::size_t i, int f) const { return outcomes[i * n_features + f] >= 0; }
    Seen seen(std::size_t i, int f) const {
        const int c = (*column)[f];
        return {f, outcomes[i * n_features + f], c < 0 ? 0.0 : values[i * n_values + c]};
    }
};

// A share of Exp3's sum: the importance-weighted gain of a view.
struct Reward {
    int view;
    double amount;
};

// Cut points of every feature; a value's outcome is the number of cut points below it. None for features that are
// not continuous, and for continuous ones of which too little has been seen.
using Cuts = std::vector<std::vector<double>>;

inline int outcome_of(const std::vector<double>& cuts, double value) {
    return static_cast<int>(std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin());
}

inline bool are_finite(const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); });
}

// Whether numbers may be counts: not negative, and such that their sums and products are finite.
inline bool are_counts(const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(), [](double x) { return x >= 0.0 && x <= 1e150; });
}

// The mean belief as logarithms, ready to be summed over the evidence; outcomes are relative to `total`.
struct LogMean {
    std::vector<double> outcome;  // n_cells: log of the count
    std::vector<double> total;    // n_features x n_labels: log of the sum of counts
    std::vector<double> label;    // n_labels: log of the count
};

}  // namespace ufodt
