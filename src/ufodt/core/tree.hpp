// The policy under one fixed theta is a decision tree: every node that is reached is planned once and remembered.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <queue>
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
        int view;                   // for a feature with thresholds: the one in play
        double threshold;           // its value
        int first_child;            // into `children`, n_outcomes + 2 entries, 0 where not reached yet
    };

    // How far to unroll: a node is asked at only within these, and answers where it stands otherwise.
    struct Limits {
        int max_depth;     // questions on a path
        int max_missing;   // features that could not be had on a path
        double min_share;  // probability of the outcomes on a path
        std::size_t max_nodes;
    };

    Tree(std::shared_ptr<const Problem> problem, Policy policy, const Belief& belief, const Offer& offered,
         std::uint64_t seed, std::uint64_t number)
        : plan_(std::move(problem), std::move(policy)), cuts_(belief.cuts()), has_views_(belief.views().size() > 0) {
        plan_.begin(belief, seed, number, offered);
        plan_.keep_mean(belief);
        add(-1, 0);
    }

    const Shape& shape() const { return plan_.shape(); }
    const Problem& problem() const { return plan_.problem(); }
    const std::vector<Node>& nodes() const { return nodes_; }
    const double* posterior(int node) const {
        return posteriors_.data() + static_cast<std::size_t>(node) * shape().n_labels;
    }
    const Cuts& cuts() const { return cuts_; }
    bool has_views() const { return has_views_; }

    // Which way a case goes at a node: an outcome; K: it could not be had; K + 1: it was, but tells nothing yet.
    int branch_of(int node, const Cases& cases, std::size_t i) const {
        const int f = nodes_[node].feature, n_outcomes = shape().n_outcomes(f);
        if (!cases.has(i, f)) return n_outcomes;
        const Seen seen = cases.seen(i, f);
        if (!problem().continuous[f]) return seen.outcome;
        if (cuts_[f].empty()) return n_outcomes + 1;
        return has_views_ ? seen.value > nodes_[node].threshold : outcome_of(cuts_[f], seen.value);
    }

    // The leaf at which a case ends.
    int leaf(const Cases& cases, std::size_t i) {
        int node = 0;
        while (nodes_[node].feature >= 0) node = descend(node, branch_of(node, cases, i));
        return node;
    }

    // The leaves reached so far, in an order that does not depend on which was reached first.
    std::vector<int> leaves() const {
        std::vector<int> found, open = {0};
        while (!open.empty()) {
            const int node = open.back(), feature = nodes_[node].feature;
            open.pop_back();
            if (feature < 0) found.push_back(node);
            for (int branch = 0; feature >= 0 && branch < shape().n_outcomes(feature) + 2; ++branch) {
                const int child = children_[nodes_[node].first_child + branch];
                if (child > 0) open.push_back(child);
            }
        }
        return found;
    }

    // What a case that ends at a leaf has shown on the way there.
    void evidence(int leaf, const Cases& cases, std::size_t i, std::vector<Seen>& seen) const {
        seen.clear();
        for (int node = nodes_[leaf].parent; node >= 0; node = nodes_[node].parent) {
            if (!cases.has(i, nodes_[node].feature)) continue;
            seen.push_back(cases.seen(i, nodes_[node].feature));
            seen.back().view = nodes_[node].view;
        }
    }

    // What is noted of each node while unrolling, beside `nodes`.
    struct Reached {
        double share;        // probability, by the belief that answers, of the outcomes on the path
        int depth, missing;  // features had and not had on the path
        bool is_asked;       // its children are there
    };
    const std::vector<Reached>& reached() const { return reached_; }

    // Make up to `n_steps` of the nodes within the limits ask, likeliest first, each with all its children. Returns
    // whether another call could do more. Meant for a tree that nothing else has walked down.
    bool unroll(const Limits& limits, std::size_t n_steps) {
        if (reached_.empty()) note(1.0, 0, 0);
        for (; n_steps > 0 && !frontier_.empty(); --n_steps) {
            const int node = -frontier_.top().second;
            const Reached from = reached_[node];
            const int feature = nodes_[node].feature, n_outcomes = shape().n_outcomes(feature);
            const bool is_number = problem().continuous[feature], tells = !is_number || !cuts_[feature].empty();
            int n_told = tells ? n_outcomes : 1;
            if (tells && is_number && !has_views_) n_told = static_cast<int>(cuts_[feature].size()) + 1;
            const bool may_miss = from.missing < limits.max_missing;
            if (nodes_.size() + n_told + may_miss > limits.max_nodes) return false;
            frontier_.pop();
            if (from.depth >= limits.max_depth || from.share < limits.min_share) continue;
            reached_[node].is_asked = true;
            stand_at(node);
            plan_.next();  // finds the threshold that the outlook is about
            std::vector<double> outlook;
            plan_.outlook(feature, outlook);
            const std::size_t width = shape().n_labels + 1;
            double sum = 0.0;  // less than one where there are fewer bins than outcomes
            for (int k = 0; k < n_told; ++k) sum += outlook[k * width];
            for (int k = 0; k < n_told; ++k) {
                descend(node, tells ? k : n_outcomes + 1);
                note(tells ? from.share * outlook[k * width] / sum : from.share, from.depth + 1, from.missing);
            }
            if (may_miss) {
                descend(node, n_outcomes);
                note(from.share, from.depth, from.missing + 1);
            }
        }
        return !frontier_.empty();
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
    int stands_at_ = -1;              // the node whose evidence the plan holds: the last one made

    std::vector<Reached> reached_;
    std::priority_queue<std::pair<double, int>> frontier_;  // (urgency, minus the node) of nodes that may ask

    // Write down the node made last. The belief does not know how often a value is missing; for what is unrolled first,
    // one in fifty is.
    void note(double share, int depth, int missing) {
        const int node = static_cast<int>(nodes_.size()) - 1;
        reached_.push_back({share, depth, missing, false});
        if (nodes_[node].feature >= 0) frontier_.emplace(share * std::pow(0.02, missing), -node);
    }

    // Bring the plan to the evidence of a node.
    void stand_at(int node) {
        if (node == stands_at_) return;
        std::vector<int> path;  // nodes from here up to where the plan stands, or to the root
        int at = node;
        for (; at != stands_at_ && nodes_[at].parent >= 0; at = nodes_[at].parent) path.push_back(at);
        if (at != stands_at_) plan_.reset();
        for (auto step = path.rbegin(); step != path.rend(); ++step) settle(nodes_[*step].parent, nodes_[*step].branch);
        stands_at_ = node;
    }

    void settle(int node, int branch) {
        const int feature = nodes_[node].feature, n_outcomes = plan_.shape().n_outcomes(feature);
        if (branch == n_outcomes) plan_.skip(feature, false);
        else plan_.observe(feature, branch > n_outcomes ? -1 : branch, true);
    }

    int add(int parent, int branch) {
        if (parent >= 0) {
            stand_at(parent);
            settle(parent, branch);
        }
        const Question question = plan_.next();
        std::vector<double> p;
        const int answer = plan_.predict(p), view = question.feature >= 0 ? plan_.view(question.feature) : -1;
        const double threshold = view >= 0 ? cuts_[question.feature][plan_.view_number(question.feature)] : 0.0;
        nodes_.push_back({parent, branch, question.feature, answer, question.price, p[answer], plan_.spent(), view,
                          threshold, static_cast<int>(children_.size())});
        posteriors_.insert(posteriors_.end(), p.begin(), p.end());
        if (question.feature >= 0)
            children_.resize(children_.size() + plan_.shape().n_outcomes(question.feature) + 2, 0);
        stands_at_ = static_cast<int>(nodes_.size()) - 1;
        return stands_at_;
    }
};

}  // namespace ufodt
