// From Python to the core and back: every array and number is checked here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bound.hpp"
#include "expected.hpp"
#include "stream.hpp"

namespace nb = nanobind;

namespace ufodt {
namespace {

using Outcomes = nb::ndarray<const std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// A table of one row per outcome and one column per label.
std::vector<double> to_cells(const Shape& shape, const Table& array) {
    if (static_cast<int>(array.shape(0)) != shape.n_rows || static_cast<int>(array.shape(1)) != shape.n_labels) {
        throw std::invalid_argument("one row per outcome and one column per label is expected");
    }
    return {array.data(), array.data() + array.size()};
}

std::vector<double> to_vector(const Numbers& array) { return {array.data(), array.data() + array.size()}; }

nb::ndarray<nb::numpy, double> table(const Shape& shape, std::vector<double> values) {
    return to_numpy(std::move(values),
                    {static_cast<std::size_t>(shape.n_rows), static_cast<std::size_t>(shape.n_labels)});
}

void check_feature(const Shape& shape, int feature) {
    if (feature < 0 || feature >= shape.n_features) throw std::out_of_range("no such feature");
}

void check_outcome(const Shape& shape, int feature, int outcome) {
    check_feature(shape, feature);
    if (outcome < 0 || outcome >= shape.n_outcomes(feature)) throw std::out_of_range("no such outcome");
}

void check_label(const Shape& shape, int label) {
    if (label < 0 || label >= shape.n_labels) throw std::out_of_range("no such label");
}

// A table of cases, checked; `column` must outlive it.
Cases make_cases(const Problem& problem, const Outcomes& outcomes, const std::optional<Values>& values,
                 std::vector<int>& column) {
    const Shape& shape = problem.shape;
    if (static_cast<int>(outcomes.shape(1)) != shape.n_features)
        throw std::invalid_argument("one column per feature is expected");
    int n_values = 0;
    column.assign(shape.n_features, -1);
    for (int f = 0; f < shape.n_features; ++f) {
        if (problem.continuous[f]) column[f] = n_values++;
    }
    if (n_values > 0 &&
        (!values || values->shape(0) != outcomes.shape(0) || static_cast<int>(values->shape(1)) != n_values)) {
        throw std::invalid_argument("one value per case and continuous feature is expected");
    }
    const Cases cases{outcomes.data(),   n_values > 0 ? values->data() : nullptr,
                      outcomes.shape(0), shape.n_features,
                      n_values,          &column};
    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (int f = 0; f < shape.n_features; ++f) {
            const int outcome = outcomes.data()[i * shape.n_features + f];
            if (outcome < -1 || outcome >= shape.n_outcomes(f)) throw std::out_of_range("an outcome is out of range");
            if (outcome >= 0 && problem.continuous[f] && !std::isfinite(cases.seen(i, f).value))
                throw std::invalid_argument("a value is not finite");
        }
    }
    return cases;
}

void check_labels(const Shape& shape, const Labels& labels, std::size_t n_cases) {
    if (labels.shape(0) != n_cases) throw std::invalid_argument("one label per case is expected");
    for (std::size_t i = 0; i < n_cases; ++i) {
        if (labels.data()[i] < -1 || labels.data()[i] >= shape.n_labels)
            throw std::out_of_range("a label is out of range");
    }
}

std::shared_ptr<Problem> make_problem(const std::vector<int>& n_outcomes, int n_labels, std::vector<double> price,
                                      std::vector<double> later_price, std::vector<int> group, const Numbers& loss,
                                      std::vector<double> surcharge, std::vector<std::uint8_t> mandatory,
                                      std::vector<std::vector<int>> needs, std::vector<std::vector<int>> computed_from,
                                      std::vector<std::uint8_t> continuous, Cuts cuts) {
    auto problem = std::make_shared<Problem>();
    problem->shape = Shape(n_outcomes, n_labels);
    const std::size_t n = n_outcomes.size();
    mandatory.resize(n), needs.resize(n), computed_from.resize(n), continuous.resize(n), cuts.resize(n);
    if (price.size() != n || later_price.size() != n || group.size() != n)
        throw std::invalid_argument("one price and group per feature is expected");
    if (!surcharge.empty() && static_cast<int>(surcharge.size()) != problem->shape.n_rows)
        throw std::invalid_argument("one surcharge per outcome is expected");
    for (std::size_t f = 0; f < n; ++f) {
        if (!std::isfinite(price[f]) || price[f] < 0.0 || !std::isfinite(later_price[f]) || later_price[f] < 0.0) {
            throw std::invalid_argument("prices must be finite and not negative");
        }
        if (group[f] < -1 || group[f] >= static_cast<int>(n)) throw std::invalid_argument("no such group");
        problem->n_groups = std::max(problem->n_groups, group[f] + 1);
        for (const int other : needs[f]) check_feature(problem->shape, other);
        for (const int other : computed_from[f]) check_feature(problem->shape, other);
        if (!std::is_sorted(cuts[f].begin(), cuts[f].end())) throw std::invalid_argument("cut points must rise");
        const bool fits =
            cuts[f].empty() || n_outcomes[f] == 2 || n_outcomes[f] == static_cast<int>(cuts[f].size()) + 1;
        if (!fits) throw std::invalid_argument("one more outcome than cut points is expected");
    }
    if (!std::all_of(surcharge.begin(), surcharge.end(), [](double x) { return std::isfinite(x) && x >= 0.0; })) {
        throw std::invalid_argument("surcharges must be finite and not negative");
    }
    if (loss.size() != static_cast<std::size_t>(n_labels) * n_labels)
        throw std::invalid_argument("the loss must be square in the labels");
    problem->price = std::move(price);
    problem->later_price = std::move(later_price);
    problem->surcharge = std::move(surcharge);
    problem->group = std::move(group);
    problem->mandatory = std::move(mandatory);
    problem->has_needs =
        std::any_of(needs.begin(), needs.end(), [](const std::vector<int>& list) { return !list.empty(); });
    problem->needs = std::move(needs);
    problem->computed_from = std::move(computed_from);
    problem->continuous = std::move(continuous);
    problem->cuts = std::move(cuts);
    problem->loss.n_labels = n_labels;
    problem->loss.of = to_vector(loss);
    for (int y = 0; y < n_labels; ++y) {
        for (int a = 0; a < n_labels; ++a) {
            if (!std::isfinite(problem->loss(y, a))) throw std::invalid_argument("the loss must be finite");
            problem->loss.zero_one &= problem->loss(y, a) == (y == a ? 0.0 : 1.0);
        }
    }
    return problem;
}

std::vector<int> all_features(const Shape& shape) {
    std::vector<int> features(shape.n_features);
    std::iota(features.begin(), features.end(), 0);
    return features;
}

std::vector<int> offered(const Problem& problem, const Selection* selection, bool explore, std::uint64_t seed,
                         std::uint64_t number) {
    if (!selection) return all_features(problem.shape);
    std::vector<int> features;
    offer(*selection, explore, problem, seed, number, features);
    return features;
}

// Evidence as Python gives it: (feature, outcome, value, view).
using PySeen = std::tuple<int, int, double, int>;

std::vector<Seen> make_evidence(const Belief& belief, const std::vector<PySeen>& given) {
    std::vector<Seen> evidence;
    for (const auto& [feature, outcome, value, view] : given) {
        check_feature(belief.shape(), feature);
        if (belief.is_continuous(feature)) {
            if (!std::isfinite(value)) throw std::invalid_argument("a value is not finite");
            const Views& views = belief.views();
            if (view != -1 && !(views.has(feature) && view >= views.first(feature) &&
                                view < views.first(feature) + views.n(feature))) {
                throw std::out_of_range("no such threshold");
            }
        } else {
            check_outcome(belief.shape(), feature, outcome);
        }
        evidence.push_back({feature, outcome, value, view});
    }
    return evidence;
}

std::vector<Stop> make_stop(const std::vector<std::tuple<std::string, double, int>>& rules) {
    std::vector<Stop> stop;
    for (const auto& [name, value, n_children] : rules) {
        Stop::Kind kind;
        if (name == "region") kind = Stop::Kind::region;
        else if (name == "confidence") kind = Stop::Kind::confidence;
        else if (name == "budget") kind = Stop::Kind::budget;
        else if (name == "cost_benefit") kind = Stop::Kind::cost_benefit;
        else if (name == "any") kind = Stop::Kind::any;
        else if (name == "all") kind = Stop::Kind::all;
        else throw std::invalid_argument("no such stop rule: " + name);
        const bool combines = kind == Stop::Kind::any || kind == Stop::Kind::all;
        const bool fine = kind == Stop::Kind::confidence     ? value > 0.0 && value <= 1.0
                          : kind == Stop::Kind::budget       ? value >= 0.0
                          : kind == Stop::Kind::cost_benefit ? value > 0.0 && std::isfinite(value)
                                                             : true;
        if (!fine || combines != (n_children > 0))
            throw std::invalid_argument("the stop rule is not well formed: " + name);
        stop.push_back({kind, value, n_children});
    }
    std::size_t wanted = stop.empty() ? 0 : 1;  // rules still to come in prefix order
    for (const Stop& rule : stop) {
        if (wanted == 0) throw std::invalid_argument("the stop rule is not well formed");
        wanted += static_cast<std::size_t>(rule.n_children) - 1;
    }
    if (wanted != 0) throw std::invalid_argument("the stop rule is not well formed");
    return stop;
}

Criterion make_criterion(const std::string& name) {
    for (const Trait& trait : traits) {
        if (name == trait.name) return trait.criterion;
    }
    throw std::invalid_argument("no such criterion: " + name);
}

Plans make_plans(const std::string& name) {
    if (name == "draw") return Plans::draw;
    if (name == "mean") return Plans::mean;
    if (name == "both") return Plans::both;
    throw std::invalid_argument("nothing to plan under is called " + name);
}

Thresholds make_thresholds(const std::string& name) {
    if (name == "bins") return Thresholds::none;
    if (name == "exhaustive") return Thresholds::exhaustive;
    if (name == "exp3") return Thresholds::exp3;
    throw std::invalid_argument("no such thresholds: " + name);
}

nb::tuple to_tuple(Record&& record) {
    return nb::make_tuple(to_numpy(std::move(record.predicted)), to_numpy(std::move(record.probability)),
                          to_numpy(std::move(record.cost)), to_numpy(std::move(record.n_asked)),
                          to_numpy(std::move(record.asked)));
}

// One environment given from outside: probabilities, of every feature's outcomes under each label and of the labels.
void check_theta(const Shape& shape, const Table& theta, const Numbers& label) {
    const std::vector<double> p = to_cells(shape, theta), labels = to_vector(label);
    if (static_cast<int>(labels.size()) != shape.n_labels)
        throw std::invalid_argument("one probability per label is expected");
    const auto is_one = [](double sum) { return std::abs(sum - 1.0) < 1e-6; };
    const auto fine = [](double x) { return x >= 0.0 && x <= 1.0 + 1e-6; };
    bool sums = is_one(std::accumulate(labels.begin(), labels.end(), 0.0));
    for (int f = 0; f < shape.n_features; ++f) {
        for (int y = 0; y < shape.n_labels; ++y) {
            double sum = 0.0;
            for (int row = shape.row(f); row < shape.row(f + 1); ++row) sum += p[shape.cell(row, y)];
            sums &= is_one(sum);
        }
    }
    if (!sums || !std::all_of(p.begin(), p.end(), fine) || !std::all_of(labels.begin(), labels.end(), fine)) {
        throw std::invalid_argument(
            "theta must hold probabilities that sum to one for each feature and label, and so must the labels");
    }
}

// The exact optimum of a whole case, with all that it refers to.
struct Optimum {
    std::shared_ptr<const Problem> problem;
    std::vector<double> theta, label;
    double worth;
    std::vector<int> open, paid, known;  // what may still be asked; what was paid for, and what was known for nothing
    std::vector<double> price;           // of this case, if not empty
    double budget;
    Optimal optimal = {};
    Expected expected = {};
    std::vector<Visit> tree = {};

    void solve() {
        Purse purse;
        purse.take(*problem, {price, INFINITY});
        purse.reset();
        for (const int f : paid) purse.pay(f, -1), purse.know(f);
        for (const int f : known) purse.know(f);
        optimal.solve(*problem, theta.data(), label, open, purse, worth, budget);
        expected = optimal.unroll(&tree);
    }
};

std::tuple<double, double, double, double> to_tuple(const Expected& e) {
    return {e.price, e.loss, e.accuracy, e.n_asked};
}

// A policy's tree: one row of (parent, branch, feature, answer) per node, parents first, and P(node).
nb::tuple to_table(const std::vector<Visit>& visits) {
    std::vector<std::int32_t> nodes;
    std::vector<double> probability;
    for (const Visit& v : visits) {
        nodes.insert(nodes.end(), {v.parent, v.branch, v.feature, v.answer});
        probability.push_back(v.probability);
    }
    return nb::make_tuple(to_numpy(std::move(nodes), {visits.size(), 4}), to_numpy(std::move(probability)));
}

std::optional<std::tuple<int, double, double>> to_question(const Question& q) {
    if (q.feature < 0) return std::nullopt;
    return std::tuple{q.feature, q.price, q.gain};
}

void check_open(const Plan& plan, int feature) {
    if (plan.is_settled(feature)) throw std::invalid_argument("the feature was told or skipped before");
}

}  // namespace
}  // namespace ufodt
