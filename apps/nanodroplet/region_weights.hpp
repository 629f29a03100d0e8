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
  /// By the basin where they ended the sum of their probabilities to be accepted there.
  std::array<double, torsion_basins> to{};

  double total() const;
};

/// What the chains of one region tell.
struct region_exits {
  std::uint32_t basin;
  std::vector<chain_exits> chains;
};

struct region_weight {
  double weight, error;  ///< its standard error; both no number (NaN) where the samplings do not tell
};

/// The share of each region in the whole distribution, as far as the chains link the regions by exits there
/// and back: see docs/explanation/nanodroplet-model.md. The weights of the largest linked set sum up to 1;
/// where no two of several are linked, none is known.
std::vector<region_weight> weights_of(std::span<region_exits const> regions);

}  // namespace ballast::nanodroplet
