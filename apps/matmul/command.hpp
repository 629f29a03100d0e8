// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_run/timed_runs.hpp"
#include "shared_product.hpp"

namespace CLI {
class App;
}

namespace ballast::matmul {

/// A product and how it is computed.
struct plan {
  product_shape shape{512, 512, 512};
  product_kernel kernel = product_kernel::naive;
  job_options options{};
  std::uint32_t repeat = 1;  ///< at least 1
};

/// Up to this inner size, and as many rows and columns, every element is checked against the sequential
/// program; beyond, by passes_freivalds_test().
inline constexpr std::uint32_t max_fully_checked = 512;

/// Multiplies on these devices, and checks the last complete repetition. No task begins once `stop_requested`
/// returns true (any thread may call it); throws ballast::error if no repetition was complete by then, and
/// the exceptions of job_scheduler and its jobs.
job_run::run_summary run(device_list const& devices, plan const& asked,
                         std::function<bool()> const& stop_requested);

/// Adds the subcommand `matmul` to a command line. Running it prints to standard output, and begins no
/// further task or repetition once `stop_requested` (any thread may call it) returns true. Throws on any
/// error: ballast::error also for a wrong result, which is printed before.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::matmul
