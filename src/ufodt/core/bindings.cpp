// The border between Python and the core: every array is checked here, and bulk calls release the GIL.
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

#include "stream.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ufodt;

namespace {

using Outcomes = nb::ndarray<const std::int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

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

std::vector<double> to_vector(const Numbers& array) { return {array.data(), array.data() + array.size()}; }

nb::ndarray<nb::numpy, double> table(const Shape& shape, std::vector<double> values) {
    return to_numpy(std::move(values), {static_cast<std::size_t>(shape.n_rows), static_cast<std::size_t>(shape.n_labels)});
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

void check_cases(const Shape& shape, const Outcomes& outcomes) {
    if (static_cast<int>(outcomes.shape(1)) != shape.n_features) throw std::invalid_argument("one column per feature is expected");
    const std::int16_t* row = outcomes.data();
    for (std::size_t i = 0; i < outcomes.shape(0); ++i, row += shape.n_features) {
        for (int f = 0; f < shape.n_features; ++f) {
            if (row[f] < -1 || row[f] >= shape.n_outcomes(f)) throw std::out_of_range("an outcome is out of range");
        }
    }
}

void check_labels(const Shape& shape, const Labels& labels, std::size_t n_cases) {
    if (labels.shape(0) != n_cases) throw std::invalid_argument("one label per case is expected");
    for (std::size_t i = 0; i < n_cases; ++i) {
        if (labels.data()[i] < -1 || labels.data()[i] >= shape.n_labels) throw std::out_of_range("a label is out of range");
    }
}

std::shared_ptr<Problem> make_problem(const std::vector<int>& n_outcomes, int n_labels, std::vector<double> price, std::vector<double> later_price,
                                      std::vector<int> group, const Numbers& loss) {
    auto problem = std::make_shared<Problem>();
    problem->shape = Shape(n_outcomes, n_labels);
    const std::size_t n = n_outcomes.size();
    if (price.size() != n || later_price.size() != n || group.size() != n) throw std::invalid_argument("one price and group per feature is expected");
    for (std::size_t f = 0; f < n; ++f) {
        if (!std::isfinite(price[f]) || price[f] < 0.0 || !std::isfinite(later_price[f]) || later_price[f] < 0.0) {
            throw std::invalid_argument("prices must be finite and not negative");
        }
        if (group[f] < -1 || group[f] >= static_cast<int>(n)) throw std::invalid_argument("no such group");
        problem->n_groups = std::max(problem->n_groups, group[f] + 1);
    }
    if (loss.size() != static_cast<std::size_t>(n_labels) * n_labels) throw std::invalid_argument("the loss must be square in the labels");
    problem->price = std::move(price);
    problem->later_price = std::move(later_price);
    problem->group = std::move(group);
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
        stop.push_back({kind, value, n_children});
    }
    std::size_t wanted = stop.empty() ? 0 : 1;  // rules still to come in prefix order
    for (const Stop& rule : stop) {
        if (wanted == 0 || rule.n_children < 0) throw std::invalid_argument("the stop rule is not well formed");
        wanted += static_cast<std::size_t>(rule.n_children) - 1;
    }
    if (wanted != 0) throw std::invalid_argument("the stop rule is not well formed");
    return stop;
}

Criterion make_criterion(const std::string& name) {
    if (name == "ec2") return Criterion::ec2;
    if (name == "ig") return Criterion::ig;
    if (name == "us") return Criterion::us;
    if (name == "random") return Criterion::random;
    throw std::invalid_argument("no such criterion: " + name);
}

nb::tuple to_tuple(Record&& record) {
    return nb::make_tuple(to_numpy(std::move(record.predicted)), to_numpy(std::move(record.probability)), to_numpy(std::move(record.cost)),
                          to_numpy(std::move(record.n_asked)), to_numpy(std::move(record.asked)));
}

std::optional<std::tuple<int, double, double>> to_question(const Question& q) {
    if (q.feature < 0) return std::nullopt;
    return std::tuple{q.feature, q.price, q.gain};
}

void check_open(const Plan& plan, int feature) {
    if (!plan.is_open(feature)) throw std::invalid_argument("the feature was told or skipped before");
}

}  // namespace

#define UFODT_MODULE(name, m) NB_MODULE(name, m)

UFODT_MODULE(UFODT_MODULE_NAME, m) {
    nb::set_leak_warnings(false);
#if defined(__x86_64__)
    m.def("supports_v3", [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"); });
#else
    m.def("supports_v3", [] { return false; });
#endif
    m.attr("MAX_LABELS") = 256;
    m.attr("MAX_OUTCOMES") = 1024;

    nb::class_<Problem>(m, "Problem")
        .def(nb::new_(&make_problem), "n_outcomes"_a, "n_labels"_a, "price"_a, "later_price"_a, "group"_a, "loss"_a)
        .def_prop_ro("n_features", [](const Problem& p) { return p.shape.n_features; })
        .def_prop_ro("n_labels", [](const Problem& p) { return p.shape.n_labels; })
        .def_prop_ro("n_rows", [](const Problem& p) { return p.shape.n_rows; });

    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const std::string& criterion, const std::vector<std::tuple<std::string, double, int>>& stop, double budget, int n_hypotheses,
               bool distinct, int redraw_below, bool predict_theta, bool plan_mean) {
                if (n_hypotheses < 1 || n_hypotheses > 1'000'000) throw std::invalid_argument("n_hypotheses must be 1 to 1,000,000");
                if (redraw_below < 0) throw std::invalid_argument("redraw_below must not be negative");
                if (!(budget >= 0.0)) throw std::invalid_argument("the budget must not be negative");
                new (self) Policy{make_criterion(criterion), make_stop(stop), budget, n_hypotheses, distinct, redraw_below, predict_theta, plan_mean};
            },
            nb::kw_only(), "criterion"_a, "stop"_a, "budget"_a, "n_hypotheses"_a, "distinct"_a, "redraw_below"_a, "predict_theta"_a, "plan_mean"_a);

    nb::class_<Belief>(m, "Belief")
        .def(
            "__init__",
            [](Belief* self, const std::shared_ptr<Problem>& problem, const Numbers& prior, const Numbers& label_prior, bool learns_labels) {
                new (self) Belief(problem->shape, to_vector(prior), to_vector(label_prior), learns_labels);
            },
            "problem"_a, "prior"_a, "label_prior"_a, "learns_labels"_a)
        .def_prop_ro("prior", [](const Belief& b) { return table(b.shape(), b.prior()); }, nb::rv_policy::move)
        .def_prop_ro("counts", [](const Belief& b) { return table(b.shape(), b.count()); }, nb::rv_policy::move)
        .def_prop_ro("label_prior", [](const Belief& b) { return to_numpy(std::vector<double>(b.label_prior())); }, nb::rv_policy::move)
        .def_prop_ro("label_counts", [](const Belief& b) { return to_numpy(std::vector<double>(b.label_count())); }, nb::rv_policy::move)
        .def_prop_ro("learns_labels", &Belief::learns_labels)
        .def("set_counts", [](Belief& b, const Numbers& counts, const Numbers& labels) { b.set_counts(to_vector(counts), to_vector(labels)); }, "counts"_a,
             "label_counts"_a)
        .def("copy", [](const Belief& b) { return Belief(b); })
        .def(
            "update",
            [](Belief& b, const std::vector<std::pair<int, int>>& evidence, int label) {
                for (const auto& [feature, outcome] : evidence) check_outcome(b.shape(), feature, outcome);
                check_label(b.shape(), label);
                b.update(evidence, label);
            },
            "evidence"_a, "label"_a)
        .def(
            "update_many",
            [](Belief& b, const Outcomes& outcomes, const Labels& labels) {
                check_cases(b.shape(), outcomes);
                check_labels(b.shape(), labels, outcomes.shape(0));
                nb::gil_scoped_release free;
                b.update_many(outcomes.data(), labels.data(), outcomes.shape(0));
            },
            "outcomes"_a, "labels"_a)
        .def("merge", &Belief::merge, "other"_a)
        .def(
            "discount",
            [](Belief& b, double gamma) {
                if (!(gamma >= 0.0 && gamma <= 1.0)) throw std::invalid_argument("gamma must be from 0 to 1");
                b.discount(gamma);
            },
            "gamma"_a)
        .def("mean",
             [](const Belief& b) {
                 Theta theta;
                 b.mean(theta);
                 return std::make_tuple(table(b.shape(), std::move(theta.p)), to_numpy(std::move(theta.label)));
             })
        .def(
            "draw",
            [](const Belief& b, std::uint64_t seed, std::uint64_t stream) {
                Random random(seed, stream);
                Theta theta;
                b.draw(random, theta);
                return table(b.shape(), std::move(theta.p));
            },
            nb::kw_only(), "seed"_a, "stream"_a = 0);

    nb::class_<Plan>(m, "Plan")
        .def(
            "__init__",
            [](Plan* self, const std::shared_ptr<Problem>& problem, const Policy& policy, const Belief& belief, std::uint64_t seed, std::uint64_t number) {
                if (!(problem->shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
                new (self) Plan(problem, policy);
                self->begin(belief, seed, number);
                self->keep_mean();
            },
            "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a)
        .def("reset", &Plan::reset)
        .def("next", [](Plan& plan) { return to_question(plan.next()); })
        .def("prepare", &Plan::prepare)
        .def(
            "observe",
            [](Plan& plan, int feature, int outcome, bool paid) {
                check_outcome(plan.shape(), feature, outcome);
                check_open(plan, feature);
                plan.observe(feature, outcome, paid);
            },
            "feature"_a, "outcome"_a, "paid"_a = true)
        .def(
            "skip",
            [](Plan& plan, int feature) {
                check_feature(plan.shape(), feature);
                check_open(plan, feature);
                plan.skip(feature);
            },
            "feature"_a)
        .def("price",
             [](const Plan& plan, int feature) {
                 check_feature(plan.shape(), feature);
                 return plan.price(feature);
             })
        .def_prop_ro("spent", &Plan::spent)
        .def("predict",
             [](const Plan& plan) {
                 std::vector<double> p;
                 const int answer = plan.predict(p);
                 return std::make_tuple(answer, std::move(p));
             })
        .def("gains",
             [](Plan& plan) {
                 std::vector<double> gain;
                 plan.gains(gain);
                 std::vector<std::tuple<int, double, double>> all;
                 for (std::size_t i = 0; i < gain.size(); ++i) {
                     const int f = plan.open_features()[i];
                     all.emplace_back(f, plan.price(f), gain[i]);
                 }
                 return all;
             })
        .def("outlook",
             [](const Plan& plan, int feature) {
                 check_feature(plan.shape(), feature);
                 std::vector<double> rows;
                 plan.outlook(feature, rows);
                 return to_numpy(std::move(rows), {static_cast<std::size_t>(plan.shape().n_outcomes(feature)), static_cast<std::size_t>(plan.shape().n_labels) + 1});
             })
        .def("theta", [](const Plan& plan) { return std::make_tuple(table(plan.shape(), plan.theta().p), to_numpy(std::vector<double>(plan.theta().label))); })
        .def(
            "hypotheses",
            [](Plan& plan) {
                plan.prepare();
                const Hypotheses& all = plan.hypotheses();
                const int n_features = plan.shape().n_features;
                std::vector<std::int32_t> outcomes, regions;
                std::vector<double> weights;
                for (int lane = 0; lane < all.n(); ++lane) {
                    if (!all.is_alive(lane)) continue;
                    for (int f = 0; f < n_features; ++f) outcomes.push_back(plan.is_open(f) ? all.outcome_of(lane, f) : -1);
                    regions.push_back(all.region_of(lane));
                    weights.push_back(all.weight_of(lane));
                }
                const std::size_t n = regions.size();
                return std::make_tuple(to_numpy(std::move(outcomes), {n, static_cast<std::size_t>(n_features)}), to_numpy(std::move(regions)),
                                       to_numpy(std::move(weights)));
            });

    nb::class_<Tree>(m, "Tree")
        .def(
            "__init__",
            [](Tree* self, const std::shared_ptr<Problem>& problem, const Policy& policy, const Belief& belief, std::uint64_t seed, std::uint64_t number) {
                if (!(problem->shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
                new (self) Tree(problem, policy, belief, seed, number);
            },
            "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a)
        .def_prop_ro("n_nodes", [](const Tree& tree) { return tree.nodes().size(); })
        .def(
            "evaluate",
            [](Tree& tree, const Outcomes& outcomes) {
                check_cases(tree.shape(), outcomes);
                Record record;
                {
                    nb::gil_scoped_release free;
                    evaluate(tree, outcomes.data(), outcomes.shape(0), record);
                }
                return to_tuple(std::move(record));
            },
            "outcomes"_a);

    m.def(
        "run",
        [](const std::shared_ptr<Problem>& problem, const Policy& policy, Belief& belief, std::uint64_t seed, std::uint64_t number, const Outcomes& outcomes,
           const Labels& labels) {
            if (!(problem->shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
            check_cases(problem->shape, outcomes);
            check_labels(problem->shape, labels, outcomes.shape(0));
            Record record;
            {
                nb::gil_scoped_release free;
                Plan plan(problem, policy);
                run(plan, belief, seed, number, outcomes.data(), labels.data(), outcomes.shape(0), record);
            }
            return to_tuple(std::move(record));
        },
        "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "outcomes"_a, "labels"_a);

    // Single pieces, for the tests that hold them against brute force and against theory.
    m.def(
        "score_masses",
        [](const std::string& criterion, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& mass) {
            const std::vector<double> values(mass.data(), mass.data() + mass.size());
            const int n_outcomes = static_cast<int>(mass.shape(0)), n_regions = static_cast<int>(mass.shape(1));
            std::vector<double> totals(n_regions, 0.0);
            for (std::size_t i = 0; i < values.size(); ++i) totals[i % n_regions] += values[i];
            const double total = sum_of(totals.data(), n_regions);
            return make_criterion(criterion) == Criterion::us ? us(values, n_outcomes, n_regions, total)
                                                              : ec2(values, n_outcomes, n_regions, total, edge_weight(totals.data(), n_regions, total));
        },
        "criterion"_a, "mass"_a);
    m.def(
        "draw_gamma",
        [](double shape, std::size_t n, std::uint64_t seed) {
            Random random(seed, 0);
            std::vector<double> drawn(n);
            for (double& x : drawn) x = random.gamma(shape, Random::squeeze(shape));
            return to_numpy(std::move(drawn));
        },
        "shape"_a, "n"_a, nb::kw_only(), "seed"_a);
    m.def(
        "draw_normal",
        [](std::size_t n, std::uint64_t seed) {
            Random random(seed, 0);
            std::vector<double> drawn(n);
            for (double& x : drawn) x = random.normal();
            return to_numpy(std::move(drawn));
        },
        "n"_a, nb::kw_only(), "seed"_a);
    m.def(
        "draw_words",
        [](std::size_t n, std::uint64_t seed, std::uint64_t stream) {
            Random random(seed, stream);
            std::vector<std::uint64_t> drawn(n);
            for (auto& x : drawn) x = random.word();
            return to_numpy(std::move(drawn));
        },
        "n"_a, nb::kw_only(), "seed"_a, "stream"_a = 0);
}
