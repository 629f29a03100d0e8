// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "driver_threads.hpp"
#include "launch_mode.hpp"
#include "sampling.hpp"

namespace ballast::nanodroplet {

constexpr std::uint32_t max_conformers = 1000, max_chains = 1000, max_threads = 1024;
constexpr std::uint32_t max_steps = 1'000'000'000, max_iterations = 1'000'000;

/// What was typed.
struct command_request {
  std::uint32_t waters = 356;
  std::string solute = "m12";
  std::optional<std::uint32_t> conformers;  ///< 4 with a solute, else 1
  std::uint32_t chains = 4, steps = 1000, trajectory_steps = 20, discard = 0;
  std::uint32_t minimise = 300, threads = usual_threads(), xyz_every = 1;
  double time_step = 0.5, temperature = 300;
  std::uint64_t seed = 0;
  std::string launch = std::string(launch_modes().front().name);
  std::optional<std::string> devices, order, among, merge;
  std::optional<std::uint32_t> streams;
  std::string xyz;
  bool json = false;
};

/// What it means.
struct checked_request {
  sampling_plan plan;
  launch_mode const* mode;
  launch_options options;  ///< of a launch queue
  std::uint32_t discard;
};

/// Throws bad_argument with the option's name for what is illegal.
checked_request checked(command_request const& typed);

/// The devices of a mode that has any, else none. Opens them.
device_list devices_for(launch_mode const& mode, std::optional<std::string> const& typed);

}  // namespace ballast::nanodroplet
