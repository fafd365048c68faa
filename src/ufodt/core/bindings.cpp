// What Python sees of the core. Bulk calls release the GIL.
#include "border.hpp"

using namespace nb::literals;
using namespace ufodt;

#define UFODT_MODULE(name, m) NB_MODULE(name, m)

UFODT_MODULE(UFODT_MODULE_NAME, m) {
    nb::set_leak_warnings(false);
    m.def("best_variant", [] {
#if defined(__x86_64__)
        const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
        const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
        return v4 ? "v4" : v3 ? "v3" : "baseline";
#else
        return "baseline";
#endif
    });
    m.attr("MAX_LABELS") = 256;
    m.attr("MAX_OUTCOMES") = 1024;
    m.attr("MAX_STATES") = Optimal::max_states;

    nb::class_<Problem>(m, "Problem")
        .def(nb::new_(&make_problem), "n_outcomes"_a, "n_labels"_a, "price"_a, "later_price"_a, "group"_a, "loss"_a, nb::kw_only(),
             "surcharge"_a = std::vector<double>(), "mandatory"_a = std::vector<std::uint8_t>(), "needs"_a = std::vector<std::vector<int>>(),
             "computed_from"_a = std::vector<std::vector<int>>(), "continuous"_a = std::vector<std::uint8_t>(), "cuts"_a = Cuts())
        .def_prop_ro("n_outcomes",
                     [](const Problem& p) {
                         std::vector<int> n;
                         for (int f = 0; f < p.shape.n_features; ++f) n.push_back(p.shape.n_outcomes(f));
                         return n;
                     })
        .def_prop_ro("n_features", [](const Problem& p) { return p.shape.n_features; })
        .def_prop_ro("n_labels", [](const Problem& p) { return p.shape.n_labels; })
        .def_prop_ro("n_rows", [](const Problem& p) { return p.shape.n_rows; })
        .def_prop_ro("continuous", [](const Problem& p) { return p.continuous; });

    nb::class_<Policy>(m, "Policy")
        .def(
            "__init__",
            [](Policy* self, const std::string& criterion, const std::vector<std::tuple<std::string, double, int>>& stop, double budget, int n_hypotheses,
               bool distinct, int redraw_below, bool predict_theta, bool plan_mean, std::size_t lookahead, bool greedy, bool mean_first) {
                if (n_hypotheses < 1 || n_hypotheses > 1'000'000) throw std::invalid_argument("n_hypotheses must be 1 to 1,000,000");
                if (redraw_below < 0) throw std::invalid_argument("redraw_below must not be negative");
                if (!(budget >= 0.0)) throw std::invalid_argument("the budget must not be negative");
                new (self) Policy{make_criterion(criterion), make_stop(stop), budget, n_hypotheses, distinct, redraw_below, predict_theta, plan_mean, lookahead, greedy, mean_first};
            },
            nb::kw_only(), "criterion"_a, "stop"_a, "budget"_a, "n_hypotheses"_a, "distinct"_a, "redraw_below"_a, "predict_theta"_a, "plan_mean"_a, "lookahead"_a = Policy().lookahead, "greedy"_a = false, "mean_first"_a = false);

    nb::class_<Drift>(m, "Drift")
        .def(
            "__init__",
            [](Drift* self, double gamma, bool automatic, double threshold) { new (self) Drift(DriftSettings{.gamma = gamma, .automatic = automatic, .threshold = threshold}); },
            nb::kw_only(), "gamma"_a = 0.0, "automatic"_a = false, "threshold"_a = 2.0)
        .def_prop_ro("n_alarms", [](const Drift& d) { return d.state().n_alarms; })
        .def_prop_ro("reserve", [](const Drift& d) { return d.reserve(); })
        .def("state",
             [](const Drift& d) {
                 const Drift::State& s = d.state();
                 std::vector<std::pair<std::vector<PySeen>, int>> recent;
                 for (const auto& [evidence, label] : s.recent) {
                     recent.emplace_back(std::vector<PySeen>(), label);
                     for (const Seen& seen : evidence) recent.back().first.emplace_back(seen.feature, seen.outcome, seen.value, seen.view);
                 }
                 return std::make_tuple(s.n, s.mean, s.excess, s.patience, s.lead, s.debt, s.n_alarms, s.age, std::move(recent));
             })
        .def(
            "restore",
            [](Drift& d, const Belief& belief, const std::tuple<double, double, double, double, double, double, std::int64_t, std::int64_t,
                                                                std::vector<std::pair<std::vector<PySeen>, int>>>& given,
               const Belief* reserve) {
                const auto& [n, mean, excess, patience, lead, debt, n_alarms, age, cases] = given;
                std::deque<Drift::Case> recent;
                for (const auto& [evidence, label] : cases) {
                    check_label(belief.shape(), label);
                    recent.emplace_back(make_evidence(belief, evidence), label);
                }
                d.restore({n, mean, excess, patience, lead, debt, n_alarms, age, std::move(recent)}, reserve ? std::optional<Belief>(*reserve) : std::nullopt);
            },
            "belief"_a, "state"_a, "reserve"_a.none());

    nb::class_<Selection>(m, "Selection")
        .def(
            "__init__",
            [](Selection* self, const std::shared_ptr<Problem>& problem, int size, double epsilon, double step, double radius) {
                new (self) Selection(SelectionSettings{size, epsilon, step, radius}, problem->shape);
            },
            "problem"_a, nb::kw_only(), "size"_a = 0, "epsilon"_a = 0.1, "step"_a = 0.2, "radius"_a = 10.0, nb::keep_alive<1, 2>())
        .def_prop_ro("on", &Selection::on)
        .def_prop_ro("weights", [](const Selection& s) { return to_numpy(std::vector<double>(s.weights())); }, nb::rv_policy::move)
        .def(
            "update_many",
            [](Selection& s, const Belief& belief, const std::shared_ptr<Problem>& problem, const Outcomes& outcomes, const Labels& labels, const std::optional<Values>& values,
               const std::optional<Numbers>& weights) {
                std::vector<int> column;
                const Cases cases = make_cases(*problem, outcomes, values, column);
                if (weights && weights->size() != outcomes.shape(0)) throw std::invalid_argument("one weight per case is expected");
                if (!(problem->shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
                check_labels(belief.shape(), labels, outcomes.shape(0));
                nb::gil_scoped_release free;
                if (!s.on()) return;
                if (weights) s.update_table(belief, cases, labels.data(), weights->data());
                else s.update_many(belief, cases, labels.data());
            },
            "belief"_a, "problem"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert() = nb::none(), "weights"_a.noconvert() = nb::none())
        .def("set_weights", [](Selection& s, const Numbers& weights) { s.set_weights(to_vector(weights)); }, "weights"_a);

    nb::class_<Belief>(m, "Belief")
        .def(
            "__init__",
            [](Belief* self, const std::shared_ptr<Problem>& problem, const Table& prior, const Numbers& label_prior, bool learns_labels,
               const std::string& thresholds, int n_thresholds, bool teach_all, bool average, bool normalise, double eta, double view_prior) {
                const ViewSettings views{thresholds == "exhaustive" ? Thresholds::exhaustive : thresholds == "exp3" ? Thresholds::exp3 : Thresholds::none,
                                         teach_all, average, normalise, eta};
                new (self) Belief(problem->shape, to_cells(problem->shape, prior), to_vector(label_prior), learns_labels, problem->continuous, problem->cuts, n_thresholds, views, view_prior);
            },
            "problem"_a, "prior"_a.noconvert(), "label_prior"_a.noconvert(), "learns_labels"_a, nb::kw_only(), "thresholds"_a = "", "n_thresholds"_a = 0, "teach_all"_a = true,
            "average"_a = false, "normalise"_a = true, "eta"_a = 0.01, "view_prior"_a = 1.0)
        .def_prop_ro("cuts", [](const Belief& b) { return b.cuts(); })
        .def("sketch",
             [](const Belief& b, int feature) {
                 check_feature(b.shape(), feature);
                 const Sketch& sketch = b.sketch(feature);
                 const std::size_t n = sketch.values().size();
                 return std::make_tuple(to_numpy(std::vector<double>(sketch.values())),
                                        to_numpy(std::vector<double>(sketch.counts()), {n, static_cast<std::size_t>(b.shape().n_labels)}), b.n_seen(feature));
             })
        .def("restore_sketch",
             [](Belief& b, int feature, std::vector<double> cuts, const Numbers& values, const Numbers& counts, std::int64_t n_seen) {
                 check_feature(b.shape(), feature);
                 if (counts.size() != values.size() * b.shape().n_labels || n_seen < 0) throw std::invalid_argument("the sketch does not fit");
                 b.restore(feature, std::move(cuts), to_vector(values), to_vector(counts), n_seen);
             })
        .def("views",
             [](const Belief& b) {
                 const Views& v = b.views();
                 return std::make_tuple(to_numpy(std::vector<double>(v.counts())), to_numpy(std::vector<double>(v.uses())), to_numpy(std::vector<double>(v.sums())));
             })
        .def("restore_views",
             [](Belief& b, const Numbers& counts, const Numbers& uses, const Numbers& sums) {
                 b.views().restore(to_vector(counts), to_vector(uses), to_vector(sums));
             })
        .def("first_view", [](const Belief& b, int feature) { return b.views().has(feature) ? b.views().first(feature) : -1; })
        .def(
            "inject",
            [](Belief& b, const Table& prior, const Numbers& label_prior, double view_prior) {
                b.inject({to_cells(b.shape(), prior), to_vector(label_prior), view_prior});
            },
            "prior"_a.noconvert(), "label_prior"_a.noconvert(), nb::kw_only(), "view_prior"_a)
        .def_prop_ro("is_injected", &Belief::is_injected)
        .def_prop_ro("kept", &Belief::kept)
        .def("set_kept", &Belief::set_kept, "kept"_a)
        .def_prop_ro("prior", [](const Belief& b) { return table(b.shape(), b.prior()); }, nb::rv_policy::move)
        .def_prop_ro("counts", [](const Belief& b) { return table(b.shape(), b.count()); }, nb::rv_policy::move)
        .def_prop_ro("label_prior", [](const Belief& b) { return to_numpy(b.label_prior()); }, nb::rv_policy::move)
        .def_prop_ro("label_counts", [](const Belief& b) { return to_numpy(std::vector<double>(b.label_count())); }, nb::rv_policy::move)
        .def("learn_temper", &Belief::learn_temper)
        .def_prop_ro("exponent", [](const Belief& b) { return b.temper().exponent(); })
        .def_prop_ro("temper", [](const Belief& b) { return to_numpy(std::vector<double>(b.temper().sums().begin(), b.temper().sums().end())); }, nb::rv_policy::move)
        .def(
            "set_temper",
            [](Belief& b, const Numbers& sums) {
                Temper::Sums all;
                if (sums.size() != all.size() || !std::all_of(sums.data(), sums.data() + sums.size(), [](double x) { return std::isfinite(x); })) {
                    throw std::invalid_argument("the sums of the exponents do not fit");
                }
                std::copy_n(sums.data(), all.size(), all.begin());
                b.temper().set_sums(all);
            },
            "sums"_a.noconvert())
        .def_prop_ro("learns_labels", &Belief::learns_labels)
        .def("set_counts", [](Belief& b, const Table& counts, const Numbers& labels) { b.set_counts(to_cells(b.shape(), counts), to_vector(labels)); }, "counts"_a.noconvert(),
             "label_counts"_a.noconvert())
        .def("copy", [](const Belief& b) { return Belief(b); })
        .def(
            "update",
            [](Belief& b, const std::vector<std::pair<int, int>>& given, int label) {
                std::vector<Seen> evidence;
                for (const auto& [feature, outcome] : given) {
                    check_outcome(b.shape(), feature, outcome);
                    if (b.is_continuous(feature)) throw std::invalid_argument("a continuous feature is learned from its value");
                    evidence.push_back({feature, outcome});
                }
                check_label(b.shape(), label);
                b.update(evidence, label);
            },
            "evidence"_a, "label"_a)
        .def(
            "update_many",
            [](Belief& b, const std::shared_ptr<Problem>& problem, const Outcomes& outcomes, const Labels& labels, const std::optional<Values>& values) {
                std::vector<int> column;
                const Cases cases = make_cases(*problem, outcomes, values, column);
                if (!(problem->shape == b.shape())) throw std::invalid_argument("the belief does not fit the problem");
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

    const auto check = [](const Problem& problem, const Belief& belief, const std::vector<double>& price) {
        if (!(problem.shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
        if (!price.empty() && static_cast<int>(price.size()) != problem.shape.n_features) throw std::invalid_argument("one price per feature is expected");
    };
    const auto begin = [check](Plan& plan, const Belief& belief, std::uint64_t seed, std::uint64_t number, const Selection* selection, const Drift* drift,
                               std::vector<double> price, double budget) {  // a case, in the memory of the last
        check(plan.problem(), belief, price);
        plan.begin(belief, seed, number, offered(plan.problem(), selection, seed, number), {std::move(price), budget}, drift ? drift->n_draws() : 1);
        plan.keep_mean();
    };
    nb::class_<Plan>(m, "Plan")
        .def(
            "__init__",
            [check, begin](Plan* self, const std::shared_ptr<Problem>& problem, const Policy& policy, const Belief& belief, std::uint64_t seed, std::uint64_t number,
                    const Selection* selection, const Drift* drift, std::vector<double> price, double budget) {
                check(*problem, belief, price);  // before there is a plan to destroy
                begin(*new (self) Plan(problem, policy), belief, seed, number, selection, drift, std::move(price), budget);
            },
            "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "selection"_a = nb::none(), "drift"_a = nb::none(), "price"_a = std::vector<double>(),
            "budget"_a = INFINITY)
        .def("begin", begin, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "selection"_a = nb::none(), "drift"_a = nb::none(), "price"_a = std::vector<double>(),
             "budget"_a = INFINITY)
        .def("reset", &Plan::reset)
        .def("next", [](Plan& plan) { return to_question(plan.next()); })
        .def("prepare", &Plan::prepare)
        .def(
            "observe",
            [](Plan& plan, int feature, int outcome, bool paid) {
                if (outcome != -1 || !plan.problem().continuous.at(feature)) check_outcome(plan.shape(), feature, outcome);
                check_open(plan, feature);
                std::vector<double> before;
                plan.predict(before);
                plan.observe(feature, outcome, paid);
                return nb::bytes(before.data(), before.size() * sizeof(double));  // P(label) before it, for explanations
            },
            "feature"_a, "outcome"_a, "paid"_a = true)
        .def(
            "skip",
            [](Plan& plan, int feature, bool charged) {
                check_feature(plan.shape(), feature);
                check_open(plan, feature);
                plan.skip(feature, charged);
            },
            "feature"_a, "charged"_a = false)
        .def("is_open",
             [](const Plan& plan, int feature) {
                 check_feature(plan.shape(), feature);
                 return plan.is_open(feature);
             })
        .def("outcome",
             [](Plan& plan, int feature, double value) {
                 check_feature(plan.shape(), feature);
                 return plan.outcome(feature, value);
             })
        .def("threshold",
             [](Plan& plan, int feature) {
                 check_feature(plan.shape(), feature);
                 return plan.view_number(feature);
             })
        .def("cuts",
             [](const Plan& plan, int feature) {
                 check_feature(plan.shape(), feature);
                 return plan.cuts(feature);
             })
        .def("rewards",
             [](const Plan& plan) {
                 std::vector<std::pair<int, double>> all;
                 for (const Reward& reward : plan.rewards()) all.emplace_back(reward.view, reward.amount);
                 return all;
             })
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
        .def("paying", &Plan::paying)
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
            [](Tree* self, const std::shared_ptr<Problem>& problem, const Policy& policy, const Belief& belief, std::uint64_t seed, std::uint64_t number,
               const Selection* selection) {
                if (!(problem->shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
                new (self) Tree(problem, policy, belief, offered(*problem, selection, seed, number), seed, number);
            },
            "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "selection"_a = nb::none())
        .def_prop_ro("n_nodes", [](const Tree& tree) { return tree.nodes().size(); })
        .def_prop_ro("cuts", [](const Tree& tree) { return tree.cuts(); })
        .def_prop_ro("has_thresholds", [](const Tree& tree) { return tree.has_views(); })
        .def(
            "unroll",
            [](Tree& tree, int max_depth, int max_missing, double min_share, std::size_t max_nodes, std::size_t n_steps) {
                if (tree.reached().empty() && tree.nodes().size() > 1) throw std::invalid_argument("the tree was walked down before");
                nb::gil_scoped_release free;
                return tree.unroll({max_depth, max_missing, min_share, max_nodes}, n_steps);
            },
            nb::kw_only(), "max_depth"_a, "max_missing"_a, "min_share"_a, "max_nodes"_a, "n_steps"_a)
        .def("unrolled",
             [](const Tree& tree) {
                 const std::size_t n = tree.reached().size();
                 std::vector<std::int32_t> whole;  // parent, branch, feature (-1: nothing is asked here), answer, whether it is asked
                 std::vector<double> real;         // price, spent, threshold, share
                 for (std::size_t i = 0; i < n; ++i) {
                     const Tree::Node& node = tree.nodes()[i];
                     const Tree::Reached& reached = tree.reached()[i];
                     whole.insert(whole.end(), {node.parent, node.branch, node.feature, node.answer, reached.is_asked});
                     real.insert(real.end(), {node.price, node.spent, node.threshold, reached.share});
                 }
                 return std::make_tuple(to_numpy(std::move(whole), {n, 5}), to_numpy(std::move(real), {n, 4}),
                                        to_numpy(std::vector<double>(tree.probabilities()), {n, static_cast<std::size_t>(tree.shape().n_labels)}));
             })
        .def(
            "evaluate",
            [](Tree& tree, const Outcomes& outcomes, const std::optional<Values>& values) {
                std::vector<int> column;
                const Cases cases = make_cases(tree.problem(), outcomes, values, column);
                Record record;
                {
                    nb::gil_scoped_release free;
                    evaluate(tree, cases, record);
                }
                return to_tuple(std::move(record));
            },
            "outcomes"_a.noconvert(), "values"_a.noconvert() = nb::none())
        .def(
            "posteriors",
            [](Tree& tree, const Outcomes& outcomes, const std::optional<Values>& values) {
                std::vector<int> column;
                const Cases cases = make_cases(tree.problem(), outcomes, values, column);
                std::vector<double> all;
                {
                    nb::gil_scoped_release free;
                    posteriors(tree, cases, all);
                }
                return to_numpy(std::move(all), {outcomes.shape(0), static_cast<std::size_t>(tree.shape().n_labels)});
            },
            "outcomes"_a.noconvert(), "values"_a.noconvert() = nb::none())
        .def(
            "expected",
            [](Tree& tree, const Belief& belief, const Table& theta, const Numbers& label) {
                check_theta(tree.shape(), theta, label);
                const std::vector<double> labels = to_vector(label);
                std::vector<Visit> visits;
                Expected expected;
                {
                    nb::gil_scoped_release free;
                    expected = Judge(tree, belief.cuts(), theta.data(), labels).judge(&visits);
                }
                return std::make_tuple(to_tuple(expected), to_table(visits));
            },
            "belief"_a, "theta"_a.noconvert(), "label"_a.noconvert());

    nb::class_<Optimum>(m, "Optimal")
        .def(
            "__init__",
            [](Optimum* self, const std::shared_ptr<Problem>& problem, const Table& theta, const Numbers& label, double worth,
               std::optional<std::vector<int>> open, std::vector<int> paid, std::vector<int> known, std::vector<double> price) {
                check_theta(problem->shape, theta, label);
                if (!(worth > 0.0 && std::isfinite(worth))) throw std::invalid_argument("the worth must be finite and above zero");
                if (!price.empty() && static_cast<int>(price.size()) != problem->shape.n_features) throw std::invalid_argument("one price per feature is expected");
                std::vector<int> features = open ? std::move(*open) : all_features(problem->shape);
                for (const std::vector<int>* list : {&features, &paid, &known}) {
                    for (const int f : *list) check_feature(problem->shape, f);
                }
                if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<int>()) != features.end()) throw std::invalid_argument("open features must rise");
                Optimum made{problem, to_cells(problem->shape, theta), to_vector(label), worth, std::move(features), std::move(paid), std::move(known), std::move(price)};
                {
                    nb::gil_scoped_release free;
                    made.solve();
                }
                new (self) Optimum(std::move(made));
            },
            "problem"_a, "theta"_a.noconvert(), "label"_a.noconvert(), nb::kw_only(), "worth"_a = 1.0, "open"_a = nb::none(), "paid"_a = std::vector<int>(),
            "known"_a = std::vector<int>(), "price"_a = std::vector<double>())
        .def_prop_ro("expected", [](const Optimum& o) { return to_tuple(o.expected); })
        .def_prop_ro("tree", [](const Optimum& o) { return to_table(o.tree); })
        .def(
            "question",
            [](const Optimum& o, const std::vector<std::pair<int, int>>& evidence) {
                std::vector<std::uint8_t> seen(o.problem->shape.n_features, 0);
                for (const auto& [feature, outcome] : evidence) {
                    check_outcome(o.problem->shape, feature, outcome);
                    if (!std::binary_search(o.open.begin(), o.open.end(), feature)) throw std::invalid_argument("the feature is not open");
                    if (seen[feature]++) throw std::invalid_argument("a feature came twice");
                }
                const int feature = o.optimal.question(evidence);
                return feature < 0 ? std::nullopt : std::optional<int>(feature);
            },
            "evidence"_a);

    m.def(
        "relaxed_bound",
        [](const std::shared_ptr<Problem>& problem, const Table& theta, const Numbers& label, double worth, int depth, int n_cases, std::uint64_t seed) {
            check_theta(problem->shape, theta, label);
            if (!(worth > 0.0 && std::isfinite(worth))) throw std::invalid_argument("the worth must be finite and above zero");
            if (depth < 0 || depth > Relaxation::max_depth || n_cases < 1 || problem->shape.n_rows >= 1 << 16) throw std::invalid_argument("the depth must be 0 to 4, and at least one case be drawn");
            const auto is_positive = [](double x) { return x > 0.0; };
            if (!std::all_of(theta.data(), theta.data() + theta.size(), is_positive) || !std::all_of(label.data(), label.data() + label.size(), is_positive)) {
                throw std::invalid_argument("theta must be above zero everywhere");
            }
            const std::vector<double> labels = to_vector(label);
            nb::gil_scoped_release free;
            Random random(seed, 0);
            return Relaxation(*problem, theta.data(), labels, worth, n_cases, random).bound(depth);
        },
        "problem"_a, "theta"_a.noconvert(), "label"_a.noconvert(), nb::kw_only(), "worth"_a, "depth"_a, "n_cases"_a, "seed"_a);

    m.def(
        "learn",
        [](Belief& belief, Drift& drift, Selection& selection, const std::vector<PySeen>& given, int label, const std::vector<std::pair<int, double>>& rewards) {
            const std::vector<Seen> evidence = make_evidence(belief, given);
            check_label(belief.shape(), label);
            std::vector<Reward> all;
            for (const auto& [view, amount] : rewards) {
                if (view < 0 || view >= belief.views().size() || !std::isfinite(amount)) throw std::out_of_range("no such threshold");
                all.push_back({view, amount});
            }
            learn({belief, drift, selection}, evidence, all, label);
        },
        "belief"_a, "drift"_a, "selection"_a, "evidence"_a, "label"_a, "rewards"_a = std::vector<std::pair<int, double>>());

    m.def(
        "run",
        [](const std::shared_ptr<Problem>& problem, const Policy& policy, Belief& belief, std::uint64_t seed, std::uint64_t number, const Outcomes& outcomes,
           const Labels& labels, const std::optional<Values>& values, Drift* drift, Selection* selection, const std::optional<Values>& prices) {
            if (!(problem->shape == belief.shape())) throw std::invalid_argument("the belief does not fit the problem");
            std::vector<int> column;
            const Cases cases = make_cases(*problem, outcomes, values, column);
            check_labels(problem->shape, labels, outcomes.shape(0));
            if (prices && (prices->shape(0) != outcomes.shape(0) || prices->shape(1) != outcomes.shape(1))) {
                throw std::invalid_argument("one price per case and feature is expected");
            }
            Drift still;
            Selection everything({}, problem->shape);
            Record record;
            {
                nb::gil_scoped_release free;
                Plan plan(problem, policy);
                run(plan, {belief, drift ? *drift : still, selection ? *selection : everything}, seed, number, cases, labels.data(),
                    prices ? prices->data() : nullptr, record);
            }
            return to_tuple(std::move(record));
        },
        "problem"_a, "policy"_a, "belief"_a, nb::kw_only(), "seed"_a, "number"_a, "outcomes"_a.noconvert(), "labels"_a.noconvert(), "values"_a.noconvert() = nb::none(), "drift"_a = nb::none(),
        "selection"_a = nb::none(), "prices"_a.noconvert() = nb::none());

    // Single pieces, for the tests that hold them against brute force and against theory.
    m.def(
        "score_masses",
        [](const std::string& criterion, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& mass) {
            const Criterion by = make_criterion(criterion);
            if (by != Criterion::us && by != Criterion::ec2 && by != Criterion::rig) throw std::invalid_argument("masses are scored by ec2, us or rig");
            const auto summed = [&]<class Sum>(Sum all, auto score) {
                std::vector<Sum> parts(mass.shape(0));
                for (std::size_t r = 0; r < mass.shape(1); ++r) {
                    double total = 0.0;
                    for (std::size_t k = 0; k < mass.shape(0); ++k) {
                        parts[k].add(mass.data()[k * mass.shape(1) + r]);
                        total += mass.data()[k * mass.shape(1) + r];
                    }
                    all.add(total);
                }
                return score(parts, all);
            };
            if (by == Criterion::rig) return summed(Mixture(), rig);
            return summed(Part(), [by](const auto& parts, const Part& all) { return by == Criterion::us ? us(parts, all) : ec2(edges_left(parts), all); });
        },
        "criterion"_a, "mass"_a);
    m.def(
        "draw_gamma",
        [](double shape, std::size_t n, std::uint64_t seed) {
            if (!(shape > 0.0 && std::isfinite(shape))) throw std::invalid_argument("the shape must be positive and finite");
            Random random(seed, 0);
            std::vector<double> drawn(n);
            random.gammas(std::vector<double>(n, shape).data(), std::vector<double>(n, Random::squeeze(shape)).data(), drawn.data(), static_cast<int>(n));
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
