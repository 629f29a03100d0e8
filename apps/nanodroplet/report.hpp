// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "markov_chain.hpp"
#include "region_weights.hpp"
#include "report/json_value.hpp"

namespace ballast::nanodroplet {

/// Means over trajectories of one or several chains; NaN over none.
struct chain_summary {
  std::uint64_t trajectories = 0, accepted = 0;
  energy_terms potential;  ///< kcal/mol
  double temperature = 0;  ///< of the kinetic energy, K
  double boltzmann_factor = 0,
         boltzmann_error = 0;  ///< of exp(-dH / kT), which is 1 once the chain has settled
  double energy_error = 0;     ///< of dH in kT, including rejected trajectories
  double gyration_radius = 0, greatest_radius = 0;  ///< A; the latter is the maximum, no mean

  double acceptance() const { return static_cast<double>(accepted) / static_cast<double>(trajectories); }
  /// erfc(sqrt(<dH / kT>) / 2), which approximates the acceptance once the chain has settled.
  double expected_acceptance() const;
};

/// Means over the records of these chains, all of one size, without the first `discarded` of each.
chain_summary summary_of(std::span<std::unique_ptr<markov_chain> const> chains, double temperature,
                         std::size_t discarded);

/// The same for a run's chains, without the trajectories that its protocol discards.
chain_summary summary_of_run(finished_run const& run, std::size_t first, std::size_t count);

/// One letter for each trajectory: 1 accepted, 0 rejected.
std::string decisions_of(markov_chain const& chain);

/// A droplet's size and its energies in kcal/mol.
json_value energies_as_json(droplet const& start);
std::string energies_as_text(droplet const& start);

/// The start's energies, as energies_as_json() and energies_as_text() report them, and the chains' results.
json_value run_as_json(finished_run const& run);
std::string run_as_text(finished_run const& run);

/// For the protocol glat: the regions' weights, each region, and the weighted sum of their distributions.
std::vector<region_weight> weights_of_run(finished_run const& run);
json_value regions_as_json(finished_run const& run);
json_value global_as_json(finished_run const& run);
std::string regions_as_text(finished_run const& run);

}  // namespace ballast::nanodroplet
