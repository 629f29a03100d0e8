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
  double home_seconds = 0;  ///< of these, after the last job had ended, on this rank its own part
  std::uint64_t tasks = 0;
  moved_bytes moved{};
  std::uint64_t sent = 0, received = 0;  ///< bytes, by this rank
};

/// For results of jobs that may take long on few cores.
deadline a_day_from_now();

/// What a repetition is made of, for those who watch a long one.
struct counted_work {
  std::string name;                                               ///< of the program; empty: nothing is shown
  std::string unit;                                               ///< "steps"
  std::uint64_t units = 0;                                        ///< of a repetition; 0: not known
  std::function<std::uint64_t(job_statistics const&)> done = {};  ///< so far, of all repetitions
};

/// Of a program whose job is cut into tasks by a policy.
inline counted_work tasks_of(std::string name) {
  return {std::move(name), "tasks", 0, &job_statistics::tasks};
}

/// A program whose jobs are timed. All three functions wait for what they need.
struct timed_program {
  std::function<void()> prepare;  ///< writes the inputs anew, so that each repetition has to move them
  /// Submits the jobs and returns the last one's completion; none: it was stopped before.
  std::function<std::optional<completion>()> submit;
  std::function<void()> bring_home;  ///< reads the results
  counted_work work = {};
};

/// Warns of a repetition that is not told of; throws ballast::error with `how_far` ("stopped after 3 tasks")
/// unless one before it was whole.
void tell_of_a_part(std::string const& how_far, std::size_t whole);

/// Prepares and runs so many times, at least once; fewer once `stop_requested` says so. Of several ranks none
/// begins a run before all have prepared it. A run that was stopped is the last and does not count: if the
/// scheduler was stopped, tell_of_a_part() tells of it, else the program has to, and there may be none. The
/// first rank shows on standard error how far they are, if that takes more than two seconds. Nobody else may
/// use the scheduler meanwhile. What the program throws passes through.
std::vector<timed_run> repeated(job_scheduler& jobs, std::uint32_t times, timed_program const& program,
                                std::function<bool()> const& stop_requested);

/// Whether a program's result is right, and how that was found out.
struct verdict {
  bool is_right = false;
  std::string checked;  ///< "every element against the sequential program"
};

/// What the other ranks tell where the first one alone reads the results.
inline verdict const checked_by_the_first_rank{true, "by the first rank"};

/// What all programs of jobs tell of a run.
struct run_summary {
  std::vector<std::string> devices;  ///< names
  std::string policy;
  bool reuse = true;            ///< job_options::reuse
  std::vector<timed_run> runs;  ///< at least one
  verdict found;
  std::uint32_t rank = 0, ranks = 1;    ///< this one, of those that ran it together
  std::vector<std::string> costs = {};  ///< as job_statistics::costs
};

run_summary summary_of(job_scheduler const& jobs, device_list const& devices, job_options const& options,
                       std::vector<timed_run> runs, verdict found);

/// seconds, and of these job_seconds and home_seconds (medians), repetitions, runs (of each: seconds,
/// job_seconds, home_seconds, tasks, bytes_moved), devices, costs, policy, reuse, tasks and bytes_moved (of
/// the last run), by where they went, verified and checked; of several ranks also ranks, and bytes_sent and
/// bytes_received by the first.
json_value::object members_of(run_summary const& of);
/// One JSON object of what a program tells besides, and of these, in lines.
std::string json_text(json_value::object members, run_summary const& of);
/// A few lines for people.
std::string text_of(run_summary const& of);

/// Prints it, unless another rank does.
void print(run_summary const& of, std::string const& text);
/// Throws ballast::error with what was checked if the result is wrong.
void expect_right(run_summary const& of);

}  // namespace ballast::job_run
