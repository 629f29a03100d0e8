// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "class.hpp"
#include "job_run/timed_runs.hpp"

namespace CLI {
class App;
}

namespace ballast::ep {

/// A class and how it is computed.
struct plan {
  problem_class of;
  job_options options{};
  std::uint32_t repeat = 1;  ///< at least 1
};

struct finished_run {
  tally found;  ///< of the last complete repetition
  job_run::run_summary summary;
};

/// Runs a class on these devices, and checks the last complete repetition by is_right(). No task begins once
/// `stop_requested` returns true (any thread may call it); throws ballast::error if no repetition was
/// complete by then, and the exceptions of job_scheduler and its jobs.
finished_run run(device_list const& devices, plan const& asked, std::function<bool()> const& stop_requested);

/// Adds the subcommand `ep` to a command line. Running it prints to standard output, and begins no further
/// task or repetition once `stop_requested` (any thread may call it) returns true. Throws on any error:
/// ballast::error also for a wrong result, which is printed before.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::ep
