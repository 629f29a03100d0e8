// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "torsion_basin.hpp"

namespace ballast::nanodroplet {

/// How one chain that is kept in a region would have left it.
struct chain_exits {
  double trajectories = 0;  ///< how many are counted
  /// For each basin the sum of acceptance probabilities of proposals that ended there.
  std::array<double, torsion_basins> to{};

  double total() const;
};

/// The exits of one region's chains.
struct region_exits {
  std::uint32_t basin;
  std::vector<chain_exits> chains;
};

struct region_weight {
  double weight, error;  ///< its standard error; both NaN if the samplings do not determine them
};

/// The fraction of each region in the whole distribution, as far as the chains link the regions by exits in
/// both directions: see docs/explanation/nanodroplet-model.md. The weights of the largest linked set sum to
/// 1; if no two of several are linked, none is known.
std::vector<region_weight> weights_of(std::span<region_exits const> regions);

}  // namespace ballast::nanodroplet
