// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/json_value.hpp"
#include "timed_runs.hpp"

namespace ballast::job_run {

/// Whether a program's result is right, and how that was found out.
struct verdict {
  bool is_right = false;
  std::string checked;  ///< "every element against the sequential program"
};

/// What all programs of jobs tell of a run.
struct run_summary {
  std::vector<std::string> devices;  ///< names
  std::string policy;
  bool reuse = true;            ///< job_options::reuse
  std::vector<timed_run> runs;  ///< at least one
  verdict found;
};

run_summary summary_of(device_list const& devices, job_options const& options, std::vector<timed_run> runs,
                       verdict found);

/// seconds (the median), repetitions, runs (of each: seconds, tasks, bytes_moved), devices, policy, reuse,
/// tasks and bytes_moved (of the last run), by where they went, verified and checked.
json_value::object members_of(run_summary const& of);
/// A few lines for people.
std::string text_of(run_summary const& of);

/// Throws ballast::error with what was checked if the result is wrong.
void expect_right(run_summary const& of);

}  // namespace ballast::job_run
