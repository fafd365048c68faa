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
        int parent, branch;        // branch: outcome taken at the parent; n_outcomes there means "could not be had"
        int feature;               // -1: a leaf
        int answer;                // label of least expected loss here
        double price, probability; // of the question; of the answer being right
        int first_child;           // into `children`, n_outcomes + 1 entries, 0 where not reached yet
    };

    // The belief must not change while the tree is in use, unless it is kept by the plan.
    Tree(std::shared_ptr<const Problem> problem, Policy policy, const Belief& belief, std::uint64_t seed, std::uint64_t number)
        : plan_(std::move(problem), std::move(policy)) {
        plan_.begin(belief, seed, number);
        plan_.keep_mean();
        add(-1, 0);
    }

    const Shape& shape() const { return plan_.shape(); }
    const std::vector<Node>& nodes() const { return nodes_; }
    int child(int node, int branch) const { return children_[nodes_[node].first_child + branch]; }

    // The node reached from `node` by an outcome (-1: could not be had), planned now if nobody came here before.
    int descend(int node, int outcome) {
        const int n_outcomes = plan_.shape().n_outcomes(nodes_[node].feature), branch = outcome < 0 ? n_outcomes : outcome;
        const int slot = nodes_[node].first_child + branch;
        if (children_[slot] == 0) {
            const int made = add(node, branch);
            children_[slot] = made;
        }
        return children_[slot];
    }

  private:
    Plan plan_;
    std::vector<Node> nodes_;
    std::vector<int> children_;

    int add(int parent, int branch) {
        std::vector<std::pair<int, int>> path;  // (node, branch) from here up to the root
        for (int at = parent, b = branch; at >= 0; b = nodes_[at].branch, at = nodes_[at].parent) path.emplace_back(at, b);
        plan_.reset();
        for (auto step = path.rbegin(); step != path.rend(); ++step) {
            const int feature = nodes_[step->first].feature;
            if (step->second == plan_.shape().n_outcomes(feature)) plan_.skip(feature);
            else plan_.observe(feature, step->second, true);
        }
        const Question& question = plan_.next();
        std::vector<double> p;
        const int answer = plan_.predict(p);
        nodes_.push_back({parent, branch, question.feature, answer, question.price, p[answer], static_cast<int>(children_.size())});
        if (question.feature >= 0) children_.resize(children_.size() + plan_.shape().n_outcomes(question.feature) + 1, 0);
        return static_cast<int>(nodes_.size()) - 1;
    }
};

}  // namespace ufodt
