// Whole streams: the paper's "Online Decision Tree Learning", and a hold-out walked down the memoised tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "drift.hpp"
#include "selection.hpp"
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

// What changes from case to case.
struct Learned {
    Belief& belief;
    Drift& drift;
    Selection& selection;
};

// The features on offer in a case: all, or the candidates of the selection, what is mandatory, and what these need.
inline void offer(const Selection& selection, const Belief& belief, bool explore, const Problem& problem,
                  std::uint64_t seed, std::uint64_t number, Offer& offer) {
    std::vector<int>& features = offer.features;
    const int n_features = problem.shape.n_features;
    if (!selection.on()) {
        if (static_cast<int>(features.size()) == n_features) return;
        features.resize(n_features);
        std::iota(features.begin(), features.end(), 0);
        return;
    }
    Random random(~seed, number);
    std::vector<std::uint8_t> is_offered;
    selection.candidates(belief, random, explore, is_offered, offer.merit);
    list_where(n_features, [&](int f) { return is_offered[f]; }, features);
    offer.candidates = features;
    const auto add = [&](const std::vector<int>& others) {
        for (const int f : others) {
            if (!std::exchange(is_offered[f], 1)) features.push_back(f);
        }
    };
    add(problem.mandatory);
    for (std::size_t i = 0; i < features.size(); ++i)
        add(problem.needs[features[i]]);  // and what these need, and so on
    if (features.size() > offer.candidates.size()) std::sort(features.begin(), features.end());
}

// Learn one labelled case: forget what drift says, then count.
inline void learn(Learned learned, const std::vector<Seen>& evidence, const std::vector<Reward>& rewards, int label) {
    learned.selection.update(learned.belief, evidence, label);
    learned.drift.learn(learned.belief, evidence, rewards, label);
}

// What is special about a cell of a table: known from the start, known not to be had, or charged for if it is not had.
enum class Mark : std::uint8_t { none, known, unavailable, charged };

// What is special about the cases of a table, as far as anything is.
struct Terms {
    const double* prices = nullptr;       // per cell
    const double* budgets = nullptr;      // per case
    const std::uint8_t* marks = nullptr;  // per cell

    CaseTerms of(std::size_t i, int n_features) const {
        CaseTerms terms;
        if (prices) terms.price.assign(prices + i * n_features, prices + (i + 1) * n_features);
        if (budgets) terms.budget = budgets[i];
        return terms;
    }
};

// For each case: plan, pay for what the plan asks, answer, then learn if the label (>= 0) is known. Where nothing is
// explored, every case has the random numbers of the first.
inline void run(Plan& plan, Learned learned, std::uint64_t seed, std::uint64_t first, const Cases& cases,
                const std::int32_t* labels, const Terms& terms, Record& record, bool explore) {
    const int n_features = plan.shape().n_features;
    std::vector<Seen> evidence;
    Offer offered;
    std::vector<double> p;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::uint64_t number = explore ? first + i : first;
        offer(learned.selection, learned.belief, explore, plan.problem(), seed, number, offered);
        plan.begin(learned.belief, seed, number, offered, terms.of(i, n_features),
                   explore ? learned.drift.n_draws() : 1);
        evidence.clear();
        const auto see = [&](int f, bool paid) {
            Seen seen = cases.seen(i, f);
            int outcome = seen.outcome;  // of a number that of now: it is learned from its value
            if (plan.problem().continuous[f]) {
                outcome = plan.outcome(f, seen.value);
                seen.view = plan.view(f);
            }
            plan.observe(f, outcome, paid);
            evidence.push_back(seen);
        };
        const auto is = [&](Mark mark, int f) {
            return terms.marks && terms.marks[i * n_features + f] == static_cast<std::uint8_t>(mark);
        };
        for (int f = 0; terms.marks && f < n_features; ++f) {
            if (is(Mark::known, f)) see(f, false);
        }
        for (int f = 0; terms.marks && f < n_features; ++f) {
            if (is(Mark::unavailable, f)) plan.skip(f, false);
        }
        int n_asked = 0;
        for (int f; (f = plan.next().feature) >= 0;) {
            if (!cases.has(i, f)) {
                plan.skip(f, is(Mark::charged, f));
                continue;
            }
            see(f, true);
            record.asked.push_back(f);
            ++n_asked;
        }
        const int answer = plan.predict(p);
        record.add(answer, p[answer], plan.spent(), n_asked);
        if (labels[i] >= 0) learn(learned, evidence, plan.rewards(), labels[i]);
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
        const double* p = tree.posterior(tree.leaf(cases, i));
        table.insert(table.end(), p, p + tree.shape().n_labels);
    }
}

// How far answers are trusted, from a table that was learned: the tree answers every case, as if it had not been. With
// several trees each has its share.
inline void learn_trust(Belief& belief, Tree& tree, const Cases& cases, const std::int32_t* labels,
                        const double* weights, double share) {
    // Cases that end at one leaf with one label have shown the same. A case of more weight than one is several.
    using Group = std::tuple<int, int, double>;  // leaf, label, and what each of them counted
    struct Alike {
        std::size_t first;  // of these cases
        double weight;
    };
    std::map<Group, Alike> groups;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const double weight = weights ? weights[i] : 1.0;
        if (labels[i] < 0 || weight == 0.0) continue;
        const Group group{tree.leaf(cases, i), labels[i], std::min(weight, 1.0)};
        groups.try_emplace(group, Alike{i, 0.0}).first->second.weight += weight;
    }
    std::vector<Seen> evidence;
    for (const int leaf : tree.leaves()) {
        for (auto at = groups.lower_bound({leaf, 0, 0.0}); at != groups.end() && std::get<0>(at->first) == leaf; ++at) {
            const auto& [_, label, own] = at->first;
            tree.evidence(leaf, cases, at->second.first, evidence);
            belief.learn_trust(evidence, label, share * at->second.weight, own);
        }
    }
}

}  // namespace ufodt
