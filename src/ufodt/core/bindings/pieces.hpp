// Single pieces, for the tests that hold them against brute force and against theory.
#pragma once

#include "../border.hpp"

namespace ufodt {
namespace {

using namespace nb::literals;

void bind_pieces(nb::module_& m) {
    m.def(
        "score_masses",
        [](const std::string& criterion, const Table& mass) {
            const Criterion by = make_criterion(criterion);
            if (by != Criterion::us && by != Criterion::ec2 && by != Criterion::rig)
                throw std::invalid_argument("masses are scored by ec2, us or rig");
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
            return summed(Part(), [by](const auto& parts, const Part& all) {
                return by == Criterion::us ? us(parts, all) : ec2(edges_left(parts), all);
            });
        },
        "criterion"_a, "mass"_a);
    m.def(
        "draw_gamma",
        [](double shape, std::size_t n, std::uint64_t seed) {
            if (!(shape > 0.0 && std::isfinite(shape)))
                throw std::invalid_argument("the shape must be positive and finite");
            Random random(seed, 0);
            std::vector<double> drawn(n);
            random.gammas(std::vector<double>(n, shape).data(), std::vector<double>(n, Random::squeeze(shape)).data(),
                          drawn.data(), static_cast<int>(n));
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

}  // namespace
}  // namespace ufodt
