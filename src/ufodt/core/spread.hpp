// What the bins of a number count once neighbours have shared: beside a value others will fall, some of them beyond a
// cut point. Between few values and many bins this is what a kernel is to a density.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ufodt {

class Spread {
  public:
    // `share`: what two neighbouring bins give each other at first, as a share of the smaller one.
    explicit Spread(double share) : first_(share) {}

    bool is_none() const { return first_ == 0.0; }

    // The counts of n bins (rows) under m labels (columns), shared.
    //
    // Over all labels two neighbours give each other equally many: so what is the same under all of them stays as it
    // is, and a frequent value does not drown what lies beside it. The more was seen under a label, the less is shared.
    const std::vector<double>& operator()(const double* count, int n, int m) {
        in_bin_.assign(n, 0.0);
        share_.assign(m, 0.0);
        for (int k = 0; k < n; ++k) {
            for (int y = 0; y < m; ++y) in_bin_[k] += count[k * m + y], share_[y] += count[k * m + y];
        }
        for (double& share : share_) share = first_ / std::sqrt(1.0 + share / few);
        shared_.assign(count, count + static_cast<std::size_t>(n) * m);
        for (int k = 0; k + 1 < n; ++k) {
            const double smaller = std::min(in_bin_[k], in_bin_[k + 1]);
            if (smaller == 0.0) continue;
            const double up = smaller / in_bin_[k], down = smaller / in_bin_[k + 1];
            for (int y = 0; y < m; ++y) {
                const double given = share_[y] * (up * count[k * m + y] - down * count[(k + 1) * m + y]);
                shared_[k * m + y] -= given;
                shared_[(k + 1) * m + y] += given;
            }
        }
        return shared_;
    }

    // How many values that are not shared would be as sure as one that is, under a label: what one puts into three bins
    // varies less than what it puts into one.
    double sureness(int label) const {
        const double w = share_[label], own = 1.0 - 2.0 * w;
        return 1.0 / (own * own + 2.0 * w * w);
    }

  private:
    static constexpr double few = 300.0;  // values under a label, from which on the share falls with their root
    double first_;
    std::vector<double> in_bin_, share_, shared_;  // values of a bin, the share of a label, the counts
};

}  // namespace ufodt
