// The policy under one fixed theta is a decision tree: every node that is reached is planned once and remembered.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "plan.hpp"

namespace ufodt {

class Tree {
  public:
    struct Node {
        int parent, branch;         // branch: what happened at the parent, see `branch_of`
        int feature;                // -1: a leaf
        int answer;                 // label of least expected loss here
        double price, probability;  // of the question; of the answer being right
        double spent;               // on the way here
        double threshold;           // for a feature with thresholds: the one in play
        int first_child;            // into `children`, n_outcomes + 2 entries, 0 where not reached yet
    };

    Tree(std::shared_ptr<const Problem> problem, Policy policy, const Belief& belief, const std::vector<int>& offered, std::uint64_t seed,
         std::uint64_t number)
        : plan_(std::move(problem), std::move(policy)), cuts_(belief.cuts()), has_views_(belief.views().size() > 0) {
        plan_.begin(belief, seed, number, offered);
        plan_.keep_mean();
        add(-1, 0);
    }

    const Shape& shape() const { return plan_.shape(); }
    const Problem& problem() const { return plan_.problem(); }
    const std::vector<Node>& nodes() const { return nodes_; }
    const double* posterior(int node) const { return posteriors_.data() + static_cast<std::size_t>(node) * shape().n_labels; }

    // Which way a case goes at a node: an outcome; K: the feature could not be had; K + 1: had, but it tells nothing yet.
    template <class Cases>
    int branch_of(int node, const Cases& cases, std::size_t i) const {
        const int f = nodes_[node].feature, n_outcomes = shape().n_outcomes(f);
        if (!cases.has(i, f)) return n_outcomes;
        const Seen seen = cases.seen(i, f);
        if (!problem().continuous[f]) return seen.outcome;
        if (cuts_[f].empty()) return n_outcomes + 1;
        return has_views_ ? seen.value > nodes_[node].threshold : outcome_of(cuts_[f], seen.value);
    }

    // The node reached by a branch, planned now if nobody came here before.
    int descend(int node, int branch) {
        const int slot = nodes_[node].first_child + branch;
        if (children_[slot] == 0) {
            const int made = add(node, branch);
            children_[slot] = made;
        }
        return children_[slot];
    }

  private:
    Plan plan_;
    Cuts cuts_;
    bool has_views_;
    std::vector<Node> nodes_;
    std::vector<int> children_;
    std::vector<double> posteriors_;  // nodes x labels: P(label | evidence) at each node
    int stands_at_ = -1;  // the node whose evidence the plan holds: the last one made

    int add(int parent, int branch) {
        std::vector<std::pair<int, int>> path;  // (node, branch) from here up to where the plan stands, or to the root
        int at = parent;
        for (int b = branch; at >= 0; b = nodes_[at].branch, at = nodes_[at].parent) {
            path.emplace_back(at, b);
            if (at == stands_at_) break;
        }
        if (at < 0) plan_.reset();
        for (auto step = path.rbegin(); step != path.rend(); ++step) {
            const int feature = nodes_[step->first].feature, n_outcomes = plan_.shape().n_outcomes(feature);
            if (step->second == n_outcomes) plan_.skip(feature, false);
            else plan_.observe(feature, step->second > n_outcomes ? -1 : step->second, true);
        }
        const Question question = plan_.next();
        std::vector<double> p;
        const int answer = plan_.predict(p), view = question.feature >= 0 ? plan_.view(question.feature) : -1;
        const double threshold = view >= 0 ? cuts_[question.feature][plan_.view_number(question.feature)] : 0.0;
        nodes_.push_back(
            {parent, branch, question.feature, answer, question.price, p[answer], plan_.spent(), threshold, static_cast<int>(children_.size())});
        posteriors_.insert(posteriors_.end(), p.begin(), p.end());
        if (question.feature >= 0) children_.resize(children_.size() + plan_.shape().n_outcomes(question.feature) + 2, 0);
        stands_at_ = static_cast<int>(nodes_.size()) - 1;
        return stands_at_;
    }
};

}  // namespace ufodt
