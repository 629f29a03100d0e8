// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "droplet.hpp"

namespace ballast::nanodroplet {

struct minimised_droplet {
  droplet system;
  double energy;          ///< kcal/mol
  double greatest_force;  ///< on any atom, kcal/mol/A
  std::uint32_t iterations;
};

/// Lets a strained droplet relax: FIRE (Bitzek et al. 2006) on the calling thread, until no force exceeds
/// `force` kcal/mol/A or for so many iterations, or until `stop_requested` says so. The same start gives the
/// same bits.
minimised_droplet minimised(
    droplet start, std::uint32_t iterations, double force,
    std::function<bool()> const& stop_requested = [] { return false; });

}  // namespace ballast::nanodroplet
