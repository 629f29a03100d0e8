// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/session.hpp"
#include "job/job_program.hpp"

namespace ballast::bench {

/// So many runs a policy that learns shall have seen.
inline constexpr std::size_t runs_to_learn = 5;

/// A program that is measured in one way, and compared with others.
struct contestant {
  std::string name;
  std::unique_ptr<job_program> program;
  bool learns = false;            ///< from run to run, so that it is to be warmed up in full; else once
  std::vector<double> seconds{};  ///< of the runs that count
  moved_bytes moved{};            ///< by the last of them
};

/// Its scheduler takes memory for the program's arrays, unless the options say how much: several share a
/// device.
contestant as_jobs(std::string name, program_kind const& kind, device_list const& devices,
                   job_options options);

/// Likewise as one job_sequence, which the devices share. The kind has one.
contestant as_sequence(std::string name, program_kind const& kind, device_list const& devices);

/// Runs all in turn, as often as the session repeats, so that all see the same machine, after as many runs
/// for nothing as it says of those that learn, and one of the others; tells the session whether the results
/// are right, and the same.
void race(session& now, program_kind const& kind, std::vector<contestant>& all);

/// The median of a contestant's seconds.
double seconds_of(std::vector<contestant> const& all, std::string const& name);

}  // namespace ballast::bench
