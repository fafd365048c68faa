// A world that moves: forget a little with every case (paper, algorithm 5), or a lot when the labels begin to surprise.
#pragma once

#include <algorithm>
#include <cmath>

namespace ufodt {

struct DriftSettings {
    double gamma = 0.0;       // forgotten before every case that is learned
    bool automatic = false;   // watch the surprise of the labels
    double slack = 0.1;       // nats by which surprise may exceed its mean
    double threshold = 6.0;   // nats of excess that mean the world moved
    double forget = 0.9;      // forgotten then
    bool operator==(const DriftSettings&) const = default;
};

// Page-Hinkley test on the surprise of each label: -log P(label | evidence) less its expectation, the entropy of the
// prediction. While the belief is right this has mean zero, whatever the labels' noise.
class Drift {
  public:
    explicit Drift(const DriftSettings& settings = {}) : settings_(settings) {}

    const DriftSettings& settings() const { return settings_; }

    // How much to forget before learning a label that had probability `p[label]`.
    double forget(const double* p, int n_labels, int label) {
        if (!settings_.automatic) return settings_.gamma;
        double entropy = 0.0;
        for (int y = 0; y < n_labels; ++y) entropy -= p[y] > 0.0 ? p[y] * std::log(p[y]) : 0.0;
        const double surprise = std::min(-std::log(std::max(p[label], 1e-300)), 5.0) - entropy;
        n_ += 1.0;
        mean_ += (surprise - mean_) / n_;
        excess_ = std::max(0.0, excess_ + surprise - std::max(mean_, 0.0) - settings_.slack);
        if (excess_ <= settings_.threshold) return settings_.gamma;
        n_ = mean_ = excess_ = 0.0;
        n_alarms_ += 1.0;
        return settings_.forget;
    }

    // Saved and restored as plain numbers.
    double n_ = 0.0, mean_ = 0.0, excess_ = 0.0, n_alarms_ = 0.0;

  private:
    DriftSettings settings_;
};

}  // namespace ufodt
