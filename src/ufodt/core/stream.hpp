// Whole streams: the online loop of the paper (algorithm 1), and a hold-out walked down the memoised tree.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace ufodt {

// One line per case. `asked` holds the questions of all cases one after the other, `n_asked` of each.
struct Record {
    std::vector<std::int32_t> predicted, n_asked, asked;
    std::vector<double> cost, probability;  // price paid; probability given to the predicted label

    void add(int label, double p, double spent, int questions) {
        predicted.push_back(label);
        probability.push_back(p);
        cost.push_back(spent);
        n_asked.push_back(questions);
    }
};

// For each case: plan, pay for what the plan asks (outcome -1: could not be had), answer, then learn if the label (>= 0) is known.
inline void run(Plan& plan, Belief& belief, std::uint64_t seed, std::uint64_t first, const std::int16_t* outcomes, const std::int32_t* labels,
                std::size_t n_cases, Record& record) {
    const int n_features = plan.shape().n_features;
    std::vector<std::pair<int, int>> evidence;
    std::vector<double> p;
    for (std::size_t i = 0; i < n_cases; ++i) {
        const std::int16_t* row = outcomes + i * n_features;
        plan.begin(belief, seed, first + i);
        evidence.clear();
        for (;;) {
            const Question question = plan.next();
            if (question.feature < 0) break;
            const int outcome = row[question.feature];
            if (outcome < 0) {
                plan.skip(question.feature);
                continue;
            }
            plan.observe(question.feature, outcome, true);
            evidence.emplace_back(question.feature, outcome);
            record.asked.push_back(question.feature);
        }
        const int answer = plan.predict(p);
        record.add(answer, p[answer], plan.spent(), static_cast<int>(evidence.size()));
        if (labels[i] >= 0) belief.update(evidence, labels[i]);
    }
}

// Answer every case from the tree; nothing is learned, and only questions on the path are paid for.
inline void evaluate(Tree& tree, const std::int16_t* outcomes, std::size_t n_cases, Record& record) {
    const int n_features = tree.shape().n_features;
    for (std::size_t i = 0; i < n_cases; ++i) {
        const std::int16_t* row = outcomes + i * n_features;
        int node = 0, n_asked = 0;
        double spent = 0.0;
        for (int feature; (feature = tree.nodes()[node].feature) >= 0;) {
            const int outcome = row[feature];
            if (outcome >= 0) {
                spent += tree.nodes()[node].price;
                record.asked.push_back(feature);
                ++n_asked;
            }
            node = tree.descend(node, outcome);
        }
        record.add(tree.nodes()[node].answer, tree.nodes()[node].probability, spent, n_asked);
    }
}

}  // namespace ufodt
