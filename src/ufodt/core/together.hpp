// What the answers of one case say together: which outcomes come in pairs, and how far several answers are trusted,
// with pairs and as naive Bayes has them. What comes decides between the two, labels and answers alike: a plan is made
// of which answers to expect, and many more of these come than labels (docs/decisions/0017, 0021).
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "pairs.hpp"
#include "shape.hpp"
#include "temper.hpp"

namespace ufodt {

class Together {
  public:
    // Count pairs from now on, where there are not too many of them.
    void learn_pairs(const Shape& shape) { pairs_ = std::make_shared<Pairs>(shape); }
    bool has_pairs() const { return !pairs_->is_none(); }
    const std::shared_ptr<Pairs>& pairs() const { return pairs_; }  // who shares them goes on with those of now

    // Pairs to change: they are no one else's.
    Pairs& own_pairs() {
        if (pairs_.use_count() > 1) pairs_ = std::make_shared<Pairs>(*pairs_);
        std::atomic_thread_fence(std::memory_order_acquire);  // who held them before has read them
        return *pairs_;
    }

    // Pairs are used while labels and answers were likelier with them, or whatever these said once `use_pairs` was
    // called.
    bool uses_pairs() const {
        return has_pairs() && uses_pairs_.value_or(paired_.worth() > alone_.worth() + Temper::reluctance);
    }
    void use_pairs(bool uses) { uses_pairs_ = uses; }

    // The trust that suits the way in use.
    const Temper& temper() const { return uses_pairs() ? paired_ : alone_; }

    // A label was revealed, in `weight` cases; of the log likelihoods of the answers `bonds` is what pairs add, and is
    // judged with it.
    void judge(const std::vector<double>& log_prior, std::vector<double>& log_likelihood, const Bonds& bonds,
               double n_answers, int label, double weight) {
        alone_.learn(log_prior, log_likelihood, n_answers, label, weight);
        if (!has_pairs()) return;
        for (std::size_t y = 0; y < log_likelihood.size(); ++y) log_likelihood[y] += bonds[y];
        paired_.learn(log_prior, log_likelihood, n_answers, label, weight, bonds[label]);
    }

    // Adds what another has learned; its pairs come apart, since they may have to be moved first.
    void merge(const Together& other, const Pairs& theirs) {
        alone_.merge(other.alone_);
        paired_.merge(other.paired_);
        if (has_pairs()) own_pairs().merge(theirs);
    }

    void scale(double factor) {
        alone_.scale(factor);
        paired_.scale(factor);
        if (has_pairs()) own_pairs().scale(factor);
    }

    // The sums behind the choice, those with pairs last, if there are any.
    std::vector<double> sums() const {
        std::vector<double> all(alone_.sums().begin(), alone_.sums().end());
        if (has_pairs()) all.insert(all.end(), paired_.sums().begin(), paired_.sums().end());
        return all;
    }
    void set_sums(const std::vector<double>& all) {
        constexpr std::size_t n = Temper::n_levels;
        if (all.size() != (has_pairs() ? 2 * n : n) || !are_finite(all))
            throw std::invalid_argument("the sums of trust do not fit");
        Temper::Sums part;
        std::copy_n(all.begin(), n, part.begin());
        alone_.set_sums(part);
        if (!has_pairs()) return;
        std::copy_n(all.begin() + n, n, part.begin());
        paired_.set_sums(part);
    }

  private:
    std::shared_ptr<Pairs> pairs_ = std::make_shared<Pairs>();
    Temper alone_, paired_;  // trust in answers as naive Bayes has them, and with what pairs add
    std::optional<bool> uses_pairs_;
};

}  // namespace ufodt
