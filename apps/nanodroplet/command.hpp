// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "glat.hpp"
#include "launch_mode.hpp"
#include "sampling.hpp"

namespace CLI {
class App;
}

namespace ballast::nanodroplet {

constexpr std::uint32_t max_conformers = 1000, max_chains = 1000, max_threads = 1024;
constexpr std::uint32_t max_steps = 1'000'000'000, max_iterations = 1'000'000;

/// The user's request on the command line.
struct command_request {
  sampling_plan plan;  ///< without the fields that the next three determine
  std::string solute = "m12", protocol = "plain";
  std::optional<std::uint32_t> conformers;  ///< 4 with a solute, else 1
  std::uint32_t steps = 1000;
  std::uint32_t discard = 0, xyz_every = 1;
  std::string launch = std::string(launch_modes().front().name);
  std::optional<std::string> devices, order, key, merge;
  std::optional<std::uint32_t> streams;
  std::optional<std::uint32_t> look_every;
  std::optional<double> most_ratio, window;
  std::string xyz;
  bool json = false;
};

/// A command_request with checked values, in the form that a run needs.
struct checked_request {
  sampling_plan plan;
  launch_mode const* mode;
  launch_options options;  ///< of a launch queue
  std::uint32_t discard;
  std::optional<glat_rules> glat;  ///< with the protocol glat
};

/// Throws bad_argument with the option's name for illegal values.
checked_request checked(command_request const& typed);

/// The devices of a mode that uses any, else none. Opens them.
device_list devices_for(launch_mode const& mode, std::optional<std::string> const& typed);

/// A run's request and results.
struct finished_run {
  checked_request asked;
  std::vector<std::string> devices;  ///< names
  droplet start;                     ///< the first conformer as constructed
  std::vector<minimised_droplet> minimised;
  std::vector<std::unique_ptr<markov_chain>> chains;
  std::optional<launch_statistics> launches;  ///< of a launch queue
  double minimiser_seconds, seconds;  ///< the latter from the first launch to the last trajectory's end
  bool was_stopped;
  std::vector<region_outcome> regions;  ///< for the protocol glat: their chains are consecutive in `chains`

  std::uint64_t steps() const;
  double interactions_per_second() const;
};

/// Prepares the conformers and runs all chains, or with glat_rules all regions. Waits for them; ends early
/// once `stop_requested` returns true, with the chains' results so far. Writes frames of the first chain to
/// `xyz`, unless that is empty, every `xyz_every` trajectories. With `shows` a run of more than two seconds
/// shows its progress on standard error.
finished_run run_sampling(checked_request const& asked, device_list const& devices, std::string const& xyz,
                          std::uint32_t xyz_every, std::function<bool()> const& stop_requested,
                          bool shows = false);

/// Adds the subcommand `nanodroplet` to a command line. Running it prints to standard output, and ends early
/// once `stop_requested` (any thread may call it) returns true. Throws on any error: bad_argument,
/// CLI::ParseError, device_lost, timed_out.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::nanodroplet
