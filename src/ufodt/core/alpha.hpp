// What is derived from prior and counts, kept up to date cell by cell: the Dirichlets that theta is drawn from, and the
// logarithms of their mean.
#pragma once

#include <cmath>
#include <vector>

#include "random.hpp"
#include "shape.hpp"

namespace ufodt {

class Alpha {
  public:
    explicit Alpha(const Shape& shape)
        : alpha_(shape.n_cells()), squeeze_(shape.n_cells()),
          log_mean_{std::vector<double>(shape.n_cells()),
                    std::vector<double>(static_cast<std::size_t>(shape.n_features) * shape.n_labels),
                    std::vector<double>(shape.n_labels)} {}

    const std::vector<double>& alpha() const { return alpha_; }
    const std::vector<double>& squeeze() const { return squeeze_; }
    const LogMean& log_mean() const { return log_mean_; }

    // `sum_up` must follow, once all outcomes of the feature are set.
    void set(int cell, double alpha) {
        if (alpha_[cell] == alpha) return;
        alpha_[cell] = alpha;
        squeeze_[cell] = Random::squeeze(alpha);
        log_mean_.outcome[cell] = std::log(alpha);
    }
    void sum_up(const Shape& shape, int feature, int label) {
        double total = 0.0;
        for (int row = shape.row(feature); row < shape.row(feature + 1); ++row) total += alpha_[shape.cell(row, label)];
        log_mean_.total[feature * shape.n_labels + label] = std::log(total);
    }
    void set_label(int label, double alpha) { log_mean_.label[label] = std::log(alpha); }

  private:
    std::vector<double> alpha_, squeeze_;  // per cell: prior + count, and `Random::squeeze` of it
    LogMean log_mean_;
};

}  // namespace ufodt
