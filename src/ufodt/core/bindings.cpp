// What Python sees of the core: each noun is bound in its part of `bindings/`. Bulk calls release the GIL.
#include "bindings/belief.hpp"
#include "bindings/drift.hpp"
#include "bindings/optimal.hpp"
#include "bindings/pieces.hpp"
#include "bindings/plan.hpp"
#include "bindings/problem.hpp"
#include "bindings/selection.hpp"
#include "bindings/stream.hpp"
#include "bindings/tree.hpp"

using namespace ufodt;

#define UFODT_MODULE(name, m) NB_MODULE(name, m)

UFODT_MODULE(UFODT_MODULE_NAME, m) {
    nb::set_leak_warnings(false);
    m.def("best_variant", [] {
#if defined(__x86_64__)
        const bool v3 =
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
        const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512cd");
        if (v4) return "v4";
        return v3 ? "v3" : "baseline";
#else
        return "baseline";
#endif
    });
    m.attr("MAX_LABELS") = Shape::max_labels;
    m.attr("MAX_OUTCOMES") = Shape::max_outcomes;
    m.attr("MAX_STATES") = Optimal::max_states;
    m.attr("SKETCH_CELLS") = Sketch::capacity;

    bind_problem(m);
    bind_policy(m);
    bind_drift(m);
    bind_selection(m);
    bind_belief(m);
    bind_plan(m);
    bind_tree(m);
    bind_optimal(m);
    bind_bound(m);
    bind_stream(m);
    bind_pieces(m);
}
