// What following the planner is expected to pay, exactly: its tree is unrolled and every outcome weighed by theta.
#pragma once

#include <stdexcept>
#include <vector>

#include "optimal.hpp"
#include "tree.hpp"

namespace ufodt {

class Judge {
  public:
    static constexpr std::size_t max_nodes = 2'000'000;

    // `p` is P(outcome | label) per row: the theta that the tree is judged by, whatever it was planned with.
    Judge(Tree& tree, const double* p, const std::vector<double>& label) : tree_(tree), p_(p), label_(label) {}

    // What is expected, and in `visits` the nodes that it comes from.
    Expected judge(std::vector<Visit>& visits) {
        Expected sum;
        visit(0, -1, -1, label_, visits, sum);
        return sum;
    }

  private:
    Tree& tree_;
    const double* p_;
    const std::vector<double>& label_;

    void visit(int node, int parent, int branch, const std::vector<double>& joint, std::vector<Visit>& visits,
               Expected& sum) {
        const Tree::Node here = tree_.nodes()[node];  // a copy: descending adds nodes
        const Shape& shape = tree_.shape();
        double mass = 0.0;
        for (const double q : joint) mass += q;
        const int at = static_cast<int>(visits.size());
        visits.push_back({parent, branch, here.feature, here.answer, mass});
        if (here.feature < 0) {
            sum.price += mass * here.spent;
            sum.accuracy += joint[here.answer];
            for (int y = 0; y < shape.n_labels; ++y) sum.loss += joint[y] * tree_.problem().loss(y, here.answer);
            return;
        }
        if (tree_.nodes().size() > max_nodes) throw std::length_error("the policy has too many nodes");
        sum.n_asked += mass;
        const int f = here.feature, n_outcomes = shape.n_outcomes(f);
        if (tree_.problem().continuous[f] && tree_.cuts()[f].empty()) {  // had, but it tells nothing yet
            visit(tree_.descend(node, n_outcomes + 1), at, 0, joint, visits, sum);
            return;
        }
        std::vector<double> next(joint.size());
        for (int k = 0; k < n_outcomes; ++k) {
            const double* p = p_ + shape.cell(shape.row(f) + k, 0);
            double left = 0.0;
            for (int y = 0; y < shape.n_labels; ++y) left += next[y] = joint[y] * p[y];
            if (left > 0.0) visit(tree_.descend(node, k), at, k, next, visits, sum);
        }
    }
};

}  // namespace ufodt
