// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "markov_chain.hpp"
#include "region_weights.hpp"

namespace ballast::nanodroplet {

/// The chains of one region, which never leave it.
using region_chains = std::span<std::unique_ptr<markov_chain> const>;

/// The records of a chain that count, if it is kept in a region: the second half, after it has forgotten its
/// start.
std::span<trajectory_record const> settled_part(markov_chain const& chain);

/// The potential scale reduction of Gelman and Rubin (1992): the factor by which the spread of a quantity
/// would shrink if its chains, of equal length, continued for ever; near 1 once they agree. Infinite if it
/// cannot be computed: fewer than two values per chain, or chains that stand still.
double scale_reduction(std::span<std::vector<double> const> chains);

/// The largest scale reduction over the potential energy and each torsion. The chains are of one length.
double scale_reduction_of(region_chains chains);

/// For each chain, the probabilities of leaving the region in its settled part; temperature in K.
std::vector<chain_exits> exits_of(region_chains chains, double temperature);

/// Fractions of a torsion's turn in bins of 15 degrees from -180 on.
constexpr std::size_t torsion_bins = 24;
using torsion_shares = std::array<std::array<double, torsion_bins>, m12::torsions>;

/// The shares over the chains' settled parts.
torsion_shares torsion_shares_of(region_chains chains);

}  // namespace ballast::nanodroplet
