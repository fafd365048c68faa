// The vocabulary of the core: which rows and columns a table has, one environment, one thing seen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
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

// Natural logarithm good to 1e-7, written without branches so that loops over it vectorise; log(0) is about -88.
inline float quick_log(float x) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent = (bits - 0x3f3504f3) >> 23;  // puts the mantissa in [sqrt(1/2), sqrt(2))
    const auto mantissa = std::bit_cast<float>(bits - (exponent << 23));
    const float s = (mantissa - 1.0f) / (mantissa + 1.0f), s2 = s * s;
    const float series = 2.0f * s * (1.0f + s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9)))));
    return static_cast<float>(exponent) * 0.693147181f + series;
}

// Exponential good to 2e-7 for x <= 0, in the same way; vanishes below -87.
inline float quick_exp(float x) {
    x = x < -87.0f ? -87.0f : x;
    const float k = (x * 1.44269504f + 12582912.0f) - 12582912.0f;  // rounds to the nearest integer
    const float r = x - k * 0.693147181f;
    const float series =
        1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
    return series * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

// Call `work` with the number of labels, as a constant where there are two: the short loops over them then unroll.
template <class Work>
inline decltype(auto) with_labels(int n_labels, Work work) {
    if (n_labels == 2) return work(std::integral_constant<int, 2>());
    return work(n_labels);
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

    // Room for drawing: variates come in blocks, so what is to be drawn is laid side by side first.
    struct Gathered {
        std::vector<double> shape, squeeze, drawn;
        std::vector<int> views;

        void clear() { shape.clear(), squeeze.clear(), views.clear(); }
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

// The mean belief as logarithms, ready to be summed over the evidence; outcomes are relative to `total`.
struct LogMean {
    std::vector<double> outcome;  // n_cells: log of the count
    std::vector<double> total;    // n_features x n_labels: log of the sum of counts
    std::vector<double> label;    // n_labels: log of the count
};

}  // namespace ufodt
