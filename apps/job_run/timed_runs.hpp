// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/job_scheduler.hpp"
#include "report/json_value.hpp"

namespace ballast::job_run {

/// One repetition of a program.
struct timed_run {
  double seconds = 0;       ///< from the first submission until the results are on the host
  double home_seconds = 0;  ///< the part of that after the last job had ended; on each rank its own
  std::uint64_t tasks = 0;
  moved_bytes moved{};
  std::uint64_t sent = 0, received = 0;  ///< bytes, by this rank
};

/// The deadline for results of jobs, which may take long on few cores.
deadline a_day_from_now();

/// The amount of work in a repetition, for the progress display of a long one.
struct counted_work {
  std::string name;                                               ///< the program's name; empty: nothing is
                                                                  ///< shown
  std::string unit;                                               ///< "steps"
  std::uint64_t units = 0;                                        ///< per repetition; 0: not known
  std::function<std::uint64_t(job_statistics const&)> done = {};  ///< units so far, over all repetitions
};

/// The work of a program whose job a policy cuts into tasks.
inline counted_work tasks_of(std::string name) {
  return {std::move(name), "tasks", 0, &job_statistics::tasks};
}

/// A program whose jobs are timed. All three functions wait for their prerequisites.
struct timed_program {
  std::function<void()> prepare;  ///< writes the inputs again, so that each repetition must move them
  /// Submits the jobs and returns the last one's completion; none: it was stopped before.
  std::function<std::optional<completion>()> submit;
  std::function<void()> bring_home;  ///< reads the results
  counted_work work = {};
};

/// Warns that a repetition does not count; throws ballast::error with `how_far` ("stopped after 3 tasks")
/// unless an earlier one was complete.
void tell_of_a_part(std::string const& how_far, std::size_t whole);

/// Prepares and runs the program this many times, at least once; fewer once `stop_requested` returns true.
/// With several ranks none begins a run before all have prepared it. A stopped run is the last and does not
/// count: if the scheduler was stopped, tell_of_a_part() reports it, otherwise the program must, and the
/// result may be empty. The first rank shows the progress on standard error, if it takes more than two
/// seconds. Nothing else may use the scheduler meanwhile. Exceptions of the program pass through.
std::vector<timed_run> repeated(job_scheduler& jobs, std::uint32_t times, timed_program const& program,
                                std::function<bool()> const& stop_requested);

/// Whether a program's result is right, and how it was checked.
struct verdict {
  bool is_right = false;
  std::string checked;  ///< "every element against the sequential program"
};

/// The verdict of the other ranks if only the first one reads the results.
inline verdict const checked_by_the_first_rank{true, "by the first rank"};

/// The common report of programs of jobs.
struct run_summary {
  std::vector<std::string> devices;  ///< names
  std::string policy;
  bool reuse = true;            ///< job_options::reuse
  std::vector<timed_run> runs;  ///< at least one
  verdict found;
  std::uint32_t rank = 0, ranks = 1;    ///< this rank, and the number of ranks that ran it together
  std::vector<std::string> costs = {};  ///< as job_statistics::costs
};

run_summary summary_of(job_scheduler const& jobs, device_list const& devices, job_options const& options,
                       std::vector<timed_run> runs, verdict found);

/// The members: seconds, and of these job_seconds and home_seconds (medians); repetitions; runs (of each:
/// seconds, job_seconds, home_seconds, tasks, bytes_moved); devices, costs, policy, reuse; tasks and
/// bytes_moved (of the last run, by direction); verified and checked. With several ranks also ranks, and the
/// first one's bytes_sent and bytes_received.
json_value::object members_of(run_summary const& of);
/// One JSON object of the program's own members and those of members_of(), in lines.
std::string json_text(json_value::object members, run_summary const& of);
/// A few lines for people.
std::string text_of(run_summary const& of);

/// Prints the text, unless another rank does.
void print(run_summary const& of, std::string const& text);
/// Throws ballast::error with the kind of check if the result is wrong.
void expect_right(run_summary const& of);

}  // namespace ballast::job_run
