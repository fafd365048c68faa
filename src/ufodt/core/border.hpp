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

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
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

void check_fits(const Problem& problem, const Belief& belief) {
    if (!(problem.shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
}

void check_fits(const Shape& shape, const Selection& selection) {
    if (!selection.fits(shape)) throw std::invalid_argument("the selection does not fit the problem");
}

bool is_amount(double x) { return std::isfinite(x) && x >= 0.0; }

// Prices of a single case, where there are any.
void check_prices(const Problem& problem, const std::vector<double>& price) {
    if (!price.empty() && static_cast<int>(price.size()) != problem.shape.n_features)
        throw std::invalid_argument("one price per feature is expected");
    if (!std::all_of(price.begin(), price.end(), is_amount))
        throw std::invalid_argument("prices must be finite and not negative");
}

void check_worth(double worth) {
    if (!(worth > 0.0 && std::isfinite(worth))) throw std::invalid_argument("the worth must be finite and above zero");
}

void check_label(const Shape& shape, int label) {
    if (label < 0 || label >= shape.n_labels) throw std::out_of_range("no such label");
}

// A table of cases, checked; `column` must outlive it.
Cases make_cases(const Problem& problem, const Outcomes& outcomes, const std::optional<Table>& values,
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
    const Cases cases{.outcomes = outcomes.data(),
                      .values = n_values > 0 ? values->data() : nullptr,
                      .n_cases = outcomes.shape(0),
                      .n_features = shape.n_features,
                      .n_values = n_values,
                      .column = &column};
    std::vector<std::int16_t> n_outcomes(shape.n_features);
    for (int f = 0; f < shape.n_features; ++f) n_outcomes[f] = static_cast<std::int16_t>(shape.n_outcomes(f));
    bool are_in_range = true;
    const std::int16_t* row = outcomes.data();
    for (std::size_t i = 0; i < cases.size(); ++i, row += shape.n_features) {
        for (int f = 0; f < shape.n_features; ++f) are_in_range &= (row[f] >= -1) & (row[f] < n_outcomes[f]);
    }
    if (!are_in_range) throw std::out_of_range("an outcome is out of range");
    for (std::size_t i = 0; n_values > 0 && i < cases.size(); ++i) {
        for (int f = 0; f < shape.n_features; ++f) {
            if (problem.continuous[f] && cases.has(i, f) && !std::isfinite(cases.seen(i, f).value))
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

std::vector<int> all_features(const Shape& shape) {
    std::vector<int> features(shape.n_features);
    std::iota(features.begin(), features.end(), 0);
    return features;
}

Offer offered(const Problem& problem, const Belief& belief, const Selection* selection, bool explore,
              std::uint64_t seed, std::uint64_t number) {
    if (selection) check_fits(problem.shape, *selection);
    Offer offered;
    offer(selection ? *selection : Selection({}, problem), belief, explore, problem, seed, number, offered);
    return offered;
}

// Evidence as Python gives it: (feature, outcome, value, view).
using PySeen = std::tuple<int, int, double, int>;

std::vector<Seen> make_evidence(const Belief& belief, const std::vector<PySeen>& given) {
    std::vector<Seen> evidence;
    for (const auto& [feature, outcome, value, view] : given) {
        check_feature(belief.shape(), feature);
        if (belief.continuous().has(feature)) {
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

Criterion make_criterion(const std::string& name) {
    for (const Trait& trait : traits) {
        if (name == trait.name) return trait.criterion;
    }
    throw std::invalid_argument("no such criterion: " + name);
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

}  // namespace
}  // namespace ufodt
