// Theta of what is still open, given what was told: where outcomes come in pairs, an answer changes what to expect of
// other questions. Of each that is the weighted mean of P(outcome | label, answer) over the answers (core/pairs.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "logarithms.hpp"
#include "pairs.hpp"
#include "shape.hpp"

namespace ufodt {

class Given {
  public:
    const Theta& theta() const { return given_; }

    // The answers from number `first` on are new, or the theta without them is: then all of them are.
    void tell(const Pairs& pairs, const Shape& shape, const std::vector<int>& told, std::size_t first,
              const std::vector<int>& open, const Theta& theta) {
        if (first == 0) {
            given_.p = theta.p;
            given_.log_p = theta.log_p;
            sum_.assign(theta.p.size(), 0.0);
            weight_.assign(shape.n_features, 0.0);
        }
        for (const int f : open) {
            const int from = shape.cell(shape.row(f), 0), to = shape.cell(shape.row(f + 1), 0);
            for (std::size_t i = first; i < told.size(); ++i)
                weight_[f] += pairs.add_given(told[i], f, theta.p.data() + from, sum_.data() + from, room_);
            const double scale = 1.0 / weight_[f];
            for (int cell = from; cell < to; ++cell) given_.p[cell] = sum_[cell] * scale;
        }
        // Of all cells, whether they have changed or not: in one go that takes less time.
        std::transform(given_.p.begin(), given_.p.end(), given_.log_p.begin(),
                       [](double x) { return quick_log(static_cast<float>(x)); });
    }

    // P(outcome | label) of one feature, `p`, given what was told.
    static void expect(const Pairs& pairs, const std::vector<int>& told, int feature, std::vector<double>& p) {
        std::vector<double> sum(p.size(), 0.0), room;
        double weight = 0.0;
        for (const int row : told) weight += pairs.add_given(row, feature, p.data(), sum.data(), room);
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = sum[i] / weight;
    }

  private:
    Theta given_;
    std::vector<double> sum_;     // of `Pairs::add_given`, over what was told
    std::vector<double> weight_;  // per feature: what that was multiplied by
    std::vector<double> room_;
};

}  // namespace ufodt
