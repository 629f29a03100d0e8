// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballast/device/compute_device.hpp"
#include "ballast/job/job_options.hpp"

namespace CLI {
class App;
}

namespace ballast::job_run {

/// How a program of jobs is to run, as it was typed.
struct request {
  std::optional<std::string> devices;  ///< without it default_device_list()
  std::string policy = job_options{}.policy;
  std::uint32_t tasks = job_options{}.tasks;
  std::uint32_t repeat = 1;
  bool json = false;
};

/// Adds --devices, --policy, --tasks, --repeat and --json. `asked` must outlive the parsing.
void add_options(CLI::App& command, request& asked);

/// What a scheduler is to be told; it checks the policy's name.
job_options options_of(request const& asked);
/// Opens them. Throws bad_argument ("devices").
device_list devices_of(request const& asked);

}  // namespace ballast::job_run
