// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/job_scheduler.hpp"

namespace ballast::job_run {

/// One repetition of a program.
struct timed_run {
  double seconds = 0;  ///< from the first submission until the results are on the host
  std::uint64_t tasks = 0;
  moved_bytes moved{};
};

/// For results of jobs that may take long on few cores.
deadline a_day_from_now();

/// A program whose jobs are timed. Both wait for what they need.
struct timed_program {
  std::function<void()> prepare;  ///< writes the inputs anew, so that each repetition has to move them
  std::function<bool()> run;      ///< submits the jobs and reads the results; false: it was stopped before
};

/// Prepares and runs so many times, at least once; fewer once `stop_requested` says so. A run that was
/// stopped is the last and does not count, so there may be none. Nobody else may use the scheduler meanwhile.
/// What the program throws passes through.
std::vector<timed_run> repeated(job_scheduler& jobs, std::uint32_t times, timed_program const& program,
                                std::function<bool()> const& stop_requested);

}  // namespace ballast::job_run
