// Whole streams: the online loop of the paper (algorithm 1), and a hold-out walked down the memoised tree.
#pragma once

#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "drift.hpp"
#include "selection.hpp"
#include "tree.hpp"

namespace ufodt {

// A table of cases: outcomes (-1: cannot be had) and, in columns of their own, the values of continuous features.
struct Cases {
    const std::int16_t* outcomes;
    const double* values;
    std::size_t n_cases;
    int n_features, n_values;
    const std::vector<int>* column;  // per feature: its column in `values`, -1 if it is not continuous

    std::size_t size() const { return n_cases; }
    bool has(std::size_t i, int f) const { return outcomes[i * n_features + f] >= 0; }
    Seen seen(std::size_t i, int f) const {
        const int c = (*column)[f];
        return {f, outcomes[i * n_features + f], c < 0 ? 0.0 : values[i * n_values + c]};
    }
};

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

// What changes from case to case.
struct Mind {
    Belief& belief;
    Drift& drift;
    Selection& selection;
};

// The features on offer in a case: all, or the candidates of the selection, what is mandatory, and what these need.
inline void offer(const Selection& selection, bool explore, const Problem& problem, std::uint64_t seed,
                  std::uint64_t number, std::vector<int>& features) {
    const int n_features = problem.shape.n_features;
    if (selection.on()) {
        Random random(~seed, number);
        selection.candidates(random, explore, features);
        const std::uint8_t *const from = problem.mandatory.data(), *const to = from + n_features, *at = from;
        for (; at < to && (at = static_cast<const std::uint8_t*>(std::memchr(at, 1, to - at))); ++at) {
            const auto f = static_cast<int>(at - from);
            if (!std::binary_search(features.begin(), features.end(), f))
                features.insert(std::upper_bound(features.begin(), features.end(), f), f);
        }
        for (std::size_t i = 0; problem.has_needs && i < features.size(); ++i) {  // with what they need, and so on
            for (const int f : problem.needs[features[i]]) {
                if (std::find(features.begin(), features.end(), f) == features.end()) features.push_back(f);
            }
        }
        if (problem.has_needs) std::sort(features.begin(), features.end());
    } else if (static_cast<int>(features.size()) != n_features) {
        features.resize(n_features);
        std::iota(features.begin(), features.end(), 0);
    }
}

// Learn one labelled case: forget what drift says, then count.
inline void learn(Mind mind, const std::vector<Seen>& evidence, const std::vector<Reward>& rewards, int label) {
    if (mind.selection.on()) mind.selection.update(mind.belief, evidence, label);
    mind.drift.learn(mind.belief, evidence, rewards, label);
}

// For each case: plan, pay for what the plan asks, answer, then learn if the label (>= 0) is known. `prices` may hold
// one row of prices per case. Where nothing is explored, every case has the random numbers of the first.
inline void run(Plan& plan, Mind mind, std::uint64_t seed, std::uint64_t first, const Cases& cases,
                const std::int32_t* labels, const double* prices, Record& record, bool explore = true) {
    const int n_features = plan.shape().n_features;
    std::vector<Seen> evidence;
    std::vector<int> offered;
    std::vector<double> p;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::uint64_t number = explore ? first + i : first;
        offer(mind.selection, explore, plan.problem(), seed, number, offered);
        CaseTerms terms;
        if (prices) terms.price.assign(prices + i * n_features, prices + (i + 1) * n_features);
        plan.begin(mind.belief, seed, number, offered, std::move(terms), explore ? mind.drift.n_draws() : 1);
        evidence.clear();
        for (;;) {
            const Question question = plan.next();
            if (question.feature < 0) break;
            if (!cases.has(i, question.feature)) {
                plan.skip(question.feature, false);
                continue;
            }
            Seen seen = cases.seen(i, question.feature);
            if (plan.problem().continuous[question.feature]) {
                seen.outcome = plan.outcome(question.feature, seen.value);
                seen.view = plan.view(question.feature);
            }
            plan.observe(question.feature, seen.outcome, true);
            evidence.push_back(seen);
            record.asked.push_back(question.feature);
        }
        const int answer = plan.predict(p);
        record.add(answer, p[answer], plan.spent(), static_cast<int>(evidence.size()));
        if (labels[i] >= 0) learn(mind, evidence, plan.rewards(), labels[i]);
    }
}

// Answer every case from the tree; nothing is learned, and only questions on the path are paid for.
inline void evaluate(Tree& tree, const Cases& cases, Record& record) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        int node = 0, n_asked = 0;
        for (int feature; (feature = tree.nodes()[node].feature) >= 0;) {
            if (cases.has(i, feature)) {
                record.asked.push_back(feature);
                ++n_asked;
            }
            node = tree.descend(node, tree.branch_of(node, cases, i));
        }
        const Tree::Node& leaf = tree.nodes()[node];
        record.add(leaf.answer, leaf.probability, leaf.spent, n_asked);
    }
}

// P(label | what is paid for) of every case, by the tree; one row of labels per case.
inline void posteriors(Tree& tree, const Cases& cases, std::vector<double>& table) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        int node = 0;
        while (tree.nodes()[node].feature >= 0) node = tree.descend(node, tree.branch_of(node, cases, i));
        table.insert(table.end(), tree.posterior(node), tree.posterior(node) + tree.shape().n_labels);
    }
}

}  // namespace ufodt
