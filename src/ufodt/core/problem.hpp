// What may be asked, what it costs, and what a mistake costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loss.hpp"
#include "shape.hpp"

namespace ufodt {

// Indices only, names live above.
struct Problem {
    Shape shape;
    std::vector<double> price, later_price;  // once another feature of the group has been paid for; infinite: as before
    std::vector<double> surcharge;           // per row: added to the price when that outcome comes; empty if none
    std::vector<int> group;                  // -1: none
    int n_groups = 0;
    std::vector<int> mandatory;                   // features that must be asked, each before those that it needs
    std::vector<std::size_t> n_steps;             // of each of them: how many questions it takes where nothing is known
    std::vector<std::vector<int>> needs;          // features that must be known before this one can be asked
    std::vector<std::vector<int>> computed_from;  // features that make this one free once all are known
    std::vector<std::uint8_t> continuous;
    Cuts cuts;  // fixed cut points of continuous features, where given
    Loss loss;
};

// The features on offer in a case.
struct Offer {
    std::vector<int> features;    // in index order
    std::vector<int> candidates;  // those that were selected, not only needed; empty: all
    std::vector<double> merit;  // of all features: by it others stand in for those that need not be asked; empty: none
};

}  // namespace ufodt
