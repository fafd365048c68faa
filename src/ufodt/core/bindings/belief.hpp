// Belief: what is known about theta.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

Thresholds make_thresholds(const std::string& name) {
    if (name == "bins") return Thresholds::none;
    if (name == "exhaustive") return Thresholds::exhaustive;
    if (name == "exp3") return Thresholds::exp3;
    throw std::invalid_argument("no such thresholds: " + name);
}

void bind_belief(nb::module_& m) {
    nb::class_<Belief>(m, "Belief")
        .def(
            "__init__",
            [](Belief* self, const std::shared_ptr<Problem>& problem, const Table& prior, const Numbers& label_prior,
               bool learns_labels, const std::string& thresholds, int n_thresholds, bool teach_all, bool average,
               bool normalise, double eta, double view_prior, double spread) {
                if (!(spread >= 0.0 && spread <= 0.4)) throw std::invalid_argument("bins share from 0 to 0.4");
                if (n_thresholds < 0) throw std::invalid_argument("the number of thresholds must not be negative");
                const ViewSettings views{make_thresholds(thresholds), teach_all, average, normalise, eta};
                new (self) Belief(problem->shape, {to_cells(problem->shape, prior), to_vector(label_prior), view_prior},
                                  learns_labels, problem->continuous, problem->cuts, n_thresholds, views, spread);
            },
            "problem"_a, "prior"_a.noconvert(), "label_prior"_a.noconvert(), "learns_labels"_a, nb::kw_only(),
            "thresholds"_a = "bins", "n_thresholds"_a = 0, "teach_all"_a = true, "average"_a = false,
            "normalise"_a = true, "eta"_a = 0.01, "view_prior"_a = 1.0, "spread"_a = 0.0)
        .def_prop_ro("cuts", [](const Belief& b) { return b.cuts(); })
        .def(
            "sketch",
            [](const Belief& b, int feature) {
                check_feature(b.shape(), feature);
                const Sketch& sketch = b.continuous().sketch(feature);
                const std::size_t n = sketch.values().size();
                return std::make_tuple(
                    to_numpy(std::vector<double>(sketch.values())),
                    to_numpy(std::vector<double>(sketch.counts()), {n, static_cast<std::size_t>(b.shape().n_labels)}),
                    b.continuous().n_seen(feature));
            },
            "feature"_a)
        .def(
            "restore_sketch",
            [](Belief& b, int feature, std::vector<double> cuts, const Numbers& values, const Numbers& counts,
               std::int64_t n_seen) {
                check_feature(b.shape(), feature);
                b.restore(feature, std::move(cuts), to_vector(values), to_vector(counts), n_seen);
            },
            "feature"_a, "cuts"_a, "values"_a, "counts"_a, "n_seen"_a)
        .def("views",
             [](const Belief& b) {
                 const Views& v = b.views();
                 return std::make_tuple(to_numpy(std::vector<double>(v.counts())),
                                        to_numpy(std::vector<double>(v.uses())),
                                        to_numpy(std::vector<double>(v.sums())));
             })
        .def(
            "restore_views",
            [](Belief& b, const Numbers& counts, const Numbers& uses, const Numbers& sums) {
                b.restore_views(to_vector(counts), to_vector(uses), to_vector(sums));
            },
            "counts"_a, "uses"_a, "sums"_a)
        .def(
            "first_view",
            [](const Belief& b, int feature) {
                check_feature(b.shape(), feature);
                return b.views().has(feature) ? b.views().first(feature) : -1;
            },
            "feature"_a)
        .def_prop_ro(
            "promises",
            [](const Belief& b) {
                const Promises& all = b.promises();
                return std::make_tuple(to_numpy(std::vector<double>(all.least)),
                                       to_numpy(std::vector<double>(all.most)));
            },
            nb::rv_policy::move)
        .def(
            "inject",
            [](Belief& b, const Table& prior, const Numbers& label_prior, double view_prior) {
                b.inject({to_cells(b.shape(), prior), to_vector(label_prior), view_prior});
            },
            "prior"_a.noconvert(), "label_prior"_a.noconvert(), nb::kw_only(), "view_prior"_a)
        .def_prop_ro("is_injected", [](const Belief& b) { return b.prior().is_injected(); })
        .def_prop_ro("kept", [](const Belief& b) { return b.prior().kept(); })
        .def("set_kept", &Belief::set_kept, "kept"_a)
        .def_prop_ro(
            "prior", [](const Belief& b) { return table(b.shape(), b.prior().now().outcome); }, nb::rv_policy::move)
        .def_prop_ro(
            "counts", [](const Belief& b) { return table(b.shape(), b.count()); }, nb::rv_policy::move)
        .def_prop_ro(
            "label_prior", [](const Belief& b) { return to_numpy(b.prior().now().label); }, nb::rv_policy::move)
        .def_prop_ro(
            "label_counts", [](const Belief& b) { return to_numpy(std::vector<double>(b.label_count())); },
            nb::rv_policy::move)
        .def("learn_temper", &Belief::learn_temper)
        .def_prop_ro("overlap", [](const Belief& b) { return b.together().temper().overlap(); })
        .def_prop_ro(
            "temper", [](const Belief& b) { return to_numpy(b.together().sums()); }, nb::rv_policy::move)
        .def(
            "set_temper", [](Belief& b, const Numbers& sums) { b.together().set_sums(to_vector(sums)); },
            "sums"_a.noconvert())
        .def("learn_pairs", &Belief::learn_pairs)
        .def(
            "pool", [](Belief& b, const std::vector<std::uint8_t>& features) { b.pool(features); }, "features"_a)
        .def_prop_ro("is_paired", [](const Belief& b) { return b.together().uses_pairs(); })
        .def(
            "using_pairs",
            [](const Belief& b, bool uses) {
                Belief copy(b);
                copy.together().use_pairs(uses);
                return copy;
            },
            "uses"_a)
        .def_prop_ro("n_pairs", [](const Belief& b) { return b.together().pairs()->n_counts(); })
        .def_prop_ro(
            "pairs", [](const Belief& b) { return to_numpy(b.together().pairs()->counts()); }, nb::rv_policy::move)
        .def(
            "set_pairs",
            [](Belief& b, const Numbers& counts) { b.together().own_pairs().set_counts(to_vector(counts)); },
            "counts"_a.noconvert())
        .def(
            "add_pairs",
            [](Belief& b, const std::shared_ptr<Problem>& problem, const Outcomes& outcomes, const Labels& labels,
               const Table& values, const Numbers& weights) {
                std::vector<int> column;
                const Cases cases = make_cases(*problem, outcomes, values, column);
                check_fits(*problem, b);
                check_labels(b.shape(), labels, outcomes.shape(0));
                if (weights.size() != outcomes.shape(0)) throw std::invalid_argument("one weight per case");
                nb::gil_scoped_release free;
                b.add_pairs(cases, labels.data(), weights.data());
            },
            "problem"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert(),
            "weights"_a.noconvert())
        .def_prop_ro("learns_labels", &Belief::learns_labels)
        .def(
            "set_counts",
            [](Belief& b, const Table& counts, const Numbers& labels) {
                b.set_counts(to_cells(b.shape(), counts), to_vector(labels));
            },
            "counts"_a.noconvert(), "label_counts"_a.noconvert())
        .def("copy", [](const Belief& b) { return Belief(b); })
        .def(
            "update",
            [](Belief& b, const std::vector<std::pair<int, int>>& given, int label) {
                std::vector<Seen> evidence;
                for (const auto& [feature, outcome] : given) {
                    check_outcome(b.shape(), feature, outcome);
                    if (b.continuous().has(feature))
                        throw std::invalid_argument("a continuous feature is learned from its value");
                    evidence.push_back({feature, outcome});
                }
                check_label(b.shape(), label);
                b.update(evidence, label);
            },
            "evidence"_a, "label"_a)
        .def(
            "update_many",
            [](Belief& b, const std::shared_ptr<Problem>& problem, const Outcomes& outcomes, const Labels& labels,
               const std::optional<Table>& values) {
                std::vector<int> column;
                const Cases cases = make_cases(*problem, outcomes, values, column);
                check_fits(*problem, b);
                check_labels(b.shape(), labels, outcomes.shape(0));
                nb::gil_scoped_release free;
                b.update_many(cases, labels.data());
            },
            "problem"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert() = nb::none())
        .def("merge", &Belief::merge, "other"_a)
        .def(
            "discount",
            [](Belief& b, double gamma) {
                if (!(gamma >= 0.0 && gamma <= 1.0)) throw std::invalid_argument("gamma must be from 0 to 1");
                b.discount(gamma);
            },
            "gamma"_a)
        .def(
            "posteriors",
            [](const Belief& b, const std::shared_ptr<Problem>& problem, const Outcomes& outcomes, const Table& values,
               const std::vector<int>& views) {
                std::vector<int> column;
                const Cases cases = make_cases(*problem, outcomes, values, column);
                check_fits(*problem, b);
                const std::size_t m = b.shape().n_labels;
                if (views.size() != static_cast<std::size_t>(b.shape().n_features))
                    throw std::invalid_argument("one threshold per feature");
                std::vector<double> table, p;
                std::vector<Seen> evidence;
                for (std::size_t i = 0; i < cases.size(); ++i) {
                    evidence.clear();
                    for (int f = 0; f < b.shape().n_features; ++f) {
                        if (!cases.has(i, f)) continue;
                        evidence.push_back(cases.seen(i, f));
                        evidence.back().view = views[f];
                    }
                    b.posterior(evidence, p);
                    table.insert(table.end(), p.begin(), p.end());
                }
                return to_numpy(std::move(table), {cases.size(), m});
            },
            "problem"_a, "outcomes"_a.noconvert(), "values"_a.noconvert(), "views"_a)
        .def("mean",
             [](const Belief& b) {
                 Theta theta;
                 b.mean(all_features(b.shape()), theta);
                 return std::make_tuple(table(b.shape(), std::move(theta.p)), to_numpy(std::move(theta.label)));
             })
        .def(
            "draw",
            [](const Belief& b, std::uint64_t seed, std::uint64_t stream) {
                Random random(seed, stream);
                Theta theta;
                b.draw(random, all_features(b.shape()), theta);
                return table(b.shape(), std::move(theta.p));
            },
            nb::kw_only(), "seed"_a, "stream"_a = 0);
}

}  // namespace
}  // namespace ufodt
