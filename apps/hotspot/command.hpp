// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_run/timed_runs.hpp"
#include "plate.hpp"

namespace CLI {
class App;
}

namespace ballast::hotspot {

/// A few numbers of a plate's temperatures, in double precision: T[0][0], T[rows / 2][columns / 2] and T[rows
/// - 1][columns - 1].
struct summary {
  double sum, first, middle, last;
};

/// `temperature` holds the cells of the plate, at least one. Real is float or double.
template <class Real>
summary summary_of(plate const& of, std::span<Real const> temperature);

enum class precision : std::uint8_t { float32, float64 };

/// "single" or "double"; throws bad_argument ("precision"), which lists them.
precision precision_named(std::string_view name);

/// Names of files; no file if empty.
struct run_files {
  std::string temperature,
      power;  ///< initial values, by read_numbers(); if empty, fill_temperature() and fill_power()
  std::string output, picture;  ///< of the final state: write_numbers() and write_picture()
};

/// A simulation and how it is computed.
struct plan {
  plate of{512, 512};  ///< with cells
  std::uint32_t steps = 1000;
  chip_size chip = chip_size::scaled;
  precision in = precision::float32;
  run_files files{};
  job_options options{};
  std::uint32_t repeat = 1;  ///< at least 1
};

struct finished_run {
  summary end;  ///< of the last complete repetition
  job_run::run_summary how;
};

/// Up to this many cells times steps the whole run is checked against the sequential program; beyond, only
/// its last step.
inline constexpr std::uint64_t max_checked_cells = std::uint64_t{1} << 29;

/// Simulates on these devices, checks the last complete repetition, and writes its files if it is right. Once
/// `stop_requested` returns true it ends with the complete repetitions so far, and logs a warning if one more
/// was begun. If the first one is stopped it throws ballast::error with the number of steps made. Throws the
/// exceptions of job_scheduler and its jobs, and ballast::error for files (an unwritable one before anything
/// else) and for lack of memory.
finished_run run(device_list const& devices, plan const& asked, std::function<bool()> const& stop_requested);

/// Adds the subcommand `hotspot` to a command line. Running it prints to standard output, and skips further
/// repetitions once `stop_requested` (any thread may call it) returns true. Throws on any error:
/// ballast::error also for a wrong result, which is printed before.
void add_command(CLI::App& app, std::function<bool()> stop_requested);

}  // namespace ballast::hotspot
