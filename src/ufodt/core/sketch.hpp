// The values seen of one continuous feature, by label, in a bounded number of cells.
//
// While there is room every different value has a cell of its own; then the two neighbours of least weight
// together become one at their mean. Counts are never lost, so cut points can be moved at any time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ufodt {

class Sketch {
  public:
    explicit Sketch(int n_labels) : n_labels_(n_labels) {}

    static constexpr std::size_t capacity = 64;

    const std::vector<double>& values() const { return value_; }
    const std::vector<double>& counts() const { return count_; }  // cells x labels
    double weight() const {
        double sum = 0.0;
        for (const double w : weight_) sum += w;
        return sum;
    }

    void add(double value, int label) {
        const auto at = std::lower_bound(value_.begin(), value_.end(), value) - value_.begin();
        if (at == static_cast<std::ptrdiff_t>(value_.size()) || value_[at] != value) insert(at, value);
        count_[at * n_labels_ + label] += 1.0;
        weigh(at);
        if (value_.size() > capacity) merge_lightest();
    }

    void scale(double factor) {
        for (double& c : count_) c *= factor;
        for (std::size_t i = 0; i < value_.size(); ++i) weigh(i);
    }

    void merge(const Sketch& other) {
        for (std::size_t i = 0; i < other.value_.size(); ++i) {
            const auto at = std::lower_bound(value_.begin(), value_.end(), other.value_[i]) - value_.begin();
            if (at == static_cast<std::ptrdiff_t>(value_.size()) || value_[at] != other.value_[i])
                insert(at, other.value_[i]);
            for (int y = 0; y < n_labels_; ++y) count_[at * n_labels_ + y] += other.count_[i * n_labels_ + y];
            weigh(at);
        }
        while (value_.size() > capacity) merge_lightest();
    }

    void restore(std::vector<double> values, std::vector<double> counts) {
        value_ = std::move(values);
        count_ = std::move(counts);
        weight_.resize(value_.size());
        for (std::size_t i = 0; i < value_.size(); ++i) weigh(i);
    }

    // At most n cut points, each midway between two cells, that share the weight out evenly: whatever a heavy
    // value takes, the rest is divided among the bins that are left.
    void quantiles(int n, std::vector<double>& cuts) const {
        cuts.clear();
        double left = weight(), here = 0.0;
        for (std::size_t i = 0; i + 1 < value_.size() && static_cast<int>(cuts.size()) < n; ++i) {
            here += weight_[i];
            const double share = left / (n + 1 - static_cast<int>(cuts.size()));
            if (here + 0.5 * weight_[i + 1] < share) continue;
            cuts.push_back(between(i));
            left -= here;
            here = 0.0;
        }
    }

    // At most n cut points that keep the most information on the label: the partition of the cells into n + 1 bins
    // under which the labels are likeliest, by dynamic programming. Chance alone makes them likelier where there is
    // much to choose from: a cut point that is not one of the quantiles must make them so by the logarithm of the
    // places that it might have had.
    void informative(int n, std::vector<double>& cuts) const {
        const std::size_t n_cells = value_.size(), n_bins = std::min<std::size_t>(n + 1, n_cells);
        std::vector<double> likelihood((n_bins + 1) * (n_cells + 1), -INFINITY);  // of the first cells in so many bins
        std::vector<std::size_t> last(likelihood.size(), 0);                      // where the last of these bins begins
        const auto at = [&](std::size_t bins, std::size_t end) { return bins * (n_cells + 1) + end; };
        likelihood[at(0, 0)] = 0.0;
        quantiles(n, cuts);
        std::vector<double> choice(n_cells, std::log(static_cast<double>(n_cells)));  // of where a bin begins
        choice[0] = 0.0;
        for (const double cut : cuts)
            choice[std::upper_bound(value_.begin(), value_.end(), cut) - value_.begin()] = 0.0;
        std::vector<double> count(n_labels_);
        for (std::size_t end = 1; end <= n_cells; ++end) {
            std::fill(count.begin(), count.end(), 0.0);
            for (std::size_t begin = end; begin-- > 0;) {
                for (int y = 0; y < n_labels_; ++y) count[y] += count_[begin * n_labels_ + y];
                const double here = log_likelihood(count) - choice[begin];
                for (std::size_t bins = 1; bins <= n_bins; ++bins) {
                    const double all = likelihood[at(bins - 1, begin)] + here;
                    if (all > likelihood[at(bins, end)]) likelihood[at(bins, end)] = all, last[at(bins, end)] = begin;
                }
            }
        }
        cuts.clear();
        for (std::size_t bins = n_bins, end = n_cells; bins > 1; --bins) {
            end = last[at(bins, end)];
            cuts.push_back(between(end - 1));
        }
        std::reverse(cuts.begin(), cuts.end());
    }

  private:
    int n_labels_;
    std::vector<double> value_, weight_, count_;

    // The weight of a cell is the sum of its counts, to the last bit: a sketch goes on the same once written and read.
    void weigh(std::size_t at) {
        weight_[at] = 0.0;
        for (int y = 0; y < n_labels_; ++y) weight_[at] += count_[at * n_labels_ + y];
    }

    // A cut point between a cell and the next: midway, unless rounding takes that to where it parts nothing.
    double between(std::size_t at) const {
        const double low = value_[at], high = value_[at + 1], middle = 0.5 * low + 0.5 * high;
        return middle >= low && middle < high ? middle : low;
    }

    // Of the labels in one bin, each counted once more than it was seen.
    static double log_likelihood(const std::vector<double>& count) {
        double total = 0.0, sum = 0.0, seen = 0.0;
        for (const double c : count) {
            total += c + 1.0;
            seen += c;
            sum += c * std::log(c + 1.0);
        }
        return sum - seen * std::log(total);
    }

    void insert(std::ptrdiff_t at, double value) {
        value_.insert(value_.begin() + at, value);
        weight_.insert(weight_.begin() + at, 0.0);
        count_.insert(count_.begin() + at * n_labels_, n_labels_, 0.0);
    }

    void merge_lightest() {
        std::size_t at = 0;
        for (std::size_t i = 1; i + 1 < value_.size(); ++i) {
            const double here = weight_[i] + weight_[i + 1], best = weight_[at] + weight_[at + 1];
            if (here < best || (here == best && value_[i + 1] - value_[i] < value_[at + 1] - value_[at])) at = i;
        }
        const double total = weight_[at] + weight_[at + 1];
        if (total > 0.0) {
            const double low = value_[at], high = value_[at + 1];
            const double sum = weight_[at] * low + weight_[at + 1] * high;
            const double mean =
                std::isfinite(sum) ? sum / total : weight_[at] / total * low + weight_[at + 1] / total * high;
            value_[at] = std::clamp(mean, low, high);  // rounding must not take it past a neighbour
        }
        for (int y = 0; y < n_labels_; ++y) count_[at * n_labels_ + y] += count_[(at + 1) * n_labels_ + y];
        weigh(at);
        value_.erase(value_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        weight_.erase(weight_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        const auto from = count_.begin() + static_cast<std::ptrdiff_t>((at + 1) * n_labels_);
        count_.erase(from, from + n_labels_);
    }
};

}  // namespace ufodt
