// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "request.hpp"

namespace ballast::nanodroplet {

/// What a run was asked and what became of it.
struct finished_run {
  checked_request asked;
  std::vector<std::string> devices;  ///< names
  droplet start;                     ///< of the first conformer, as made
  std::vector<minimised_droplet> minimised;
  std::vector<std::unique_ptr<markov_chain>> chains;
  std::optional<launch_statistics> launches;  ///< of a launch queue
  double minimiser_seconds, seconds;  ///< the latter from the first launch to the last trajectory's end
  bool was_stopped;

  std::uint64_t steps() const;
  double interactions_per_second() const;
};

/// Prepares the conformers and runs all chains. Waits for them; ends early once `stop_requested` says so,
/// with what the chains have done until then. Frames of the first chain go to `xyz`, unless that is empty,
/// every so many trajectories.
finished_run run_sampling(checked_request const& asked, device_list const& devices, std::string const& xyz,
                          std::uint32_t xyz_every, std::function<bool()> const& stop_requested);

}  // namespace ballast::nanodroplet
