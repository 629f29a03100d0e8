// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/session.hpp"
#include "job/job_program.hpp"

namespace ballast::bench {

/// A learning policy should have seen this many runs.
inline constexpr std::size_t runs_to_learn = 5;

/// A program measured in one way, for comparison with others.
struct contestant {
  std::string name;
  std::unique_ptr<job_program> program;
  bool learns = false;            ///< learns from run to run, so it warms up in full; false: one warm-up run
  std::vector<double> seconds{};  ///< of the recorded runs
  double first_seconds = 0;       ///< of the first run
  moved_bytes moved{};            ///< in the last recorded run
};

/// The program as jobs. Its scheduler allocates memory for the program's arrays, unless the options set the
/// amount: several contestants share a device.
contestant as_jobs(std::string name, program_kind const& kind, device_list const& devices,
                   job_options options);

/// Likewise the program as one job_sequence, each submission of which has so many steps. The kind must have
/// one.
contestant as_sequence(std::string name, program_kind const& kind, device_list const& devices,
                       job_options options = {}, std::uint32_t steps = ~0u);

/// Runs all contestants in turn, as often as the session repeats, so that disturbances affect all of them.
/// Before that, contestants that learn have the session's number of warm-up runs, the others one. Reports to
/// the session whether the results are right, and equal.
void race(session& now, program_kind const& kind, std::vector<contestant>& all);

/// The median of a contestant's seconds.
double seconds_of(std::vector<contestant> const& all, std::string const& name);

}  // namespace ballast::bench
