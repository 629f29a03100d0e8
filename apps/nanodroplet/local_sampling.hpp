// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "markov_chain.hpp"
#include "region_weights.hpp"

namespace ballast::nanodroplet {

/// The chains of one region, which are kept in it.
using region_chains = std::span<std::unique_ptr<markov_chain> const>;

/// What counts of a chain that is kept in a region: all but the first half, in which it forgets its start.
std::span<trajectory_record const> settled_part(markov_chain const& chain);

/// The potential scale reduction of Gelman and Rubin (1992), by which the spread of a quantity would shrink
/// if its chains, of equal length, went on for ever: near 1 once they tell the same. Infinite if that cannot
/// be said: fewer than two values a chain, or chains that stand still.
double scale_reduction(std::span<std::vector<double> const> chains);

/// The greatest of the potential energy and of each torsion. Chains of one length.
double scale_reduction_of(region_chains chains);

/// The chances of their settled parts to have left, by chain; temperature in K.
std::vector<chain_exits> exits_of(region_chains chains, double temperature);

/// Shares of a torsion's turn in bins of 15 degrees from -180 on.
constexpr std::size_t torsion_bins = 24;
using torsion_shares = std::array<std::array<double, torsion_bins>, m12::torsions>;

/// Of the settled parts.
torsion_shares torsion_shares_of(region_chains chains);

}  // namespace ballast::nanodroplet
