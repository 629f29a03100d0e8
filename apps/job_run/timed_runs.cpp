// SPDX-License-Identifier: Apache-2.0
#include "timed_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/shared_array.hpp"
#include "report/progress.hpp"
#include "report/shown_progress.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace ballast::job_run {
namespace {

/// A meeting point of ranks: each receives the texts of all others.
class meeting_of_ranks {
 public:
  explicit meeting_of_ranks(job_scheduler& jobs) {
    if (jobs.ranks() > 1)
      here_.emplace(jobs, std::array<std::size_t, 1>{jobs.ranks()}, "ranks that are ready");
  }
  void wait() {
    if (!here_) return;
    std::ranges::fill(here_->write(own_elements), 1u);
    here_->read();
  }

 private:
  std::optional<shared_array<std::uint32_t>> here_;
};

/// The time when work ended, even if the thread waits for something else then.
class end_time {
 public:
  explicit end_time(completion const& of)
      : told_(of.then([at = at_] { *at = std::chrono::steady_clock::now(); })) {}
  std::chrono::steady_clock::time_point get() const {
    told_.wait_until(a_day_from_now());
    return *at_;
  }

 private:
  std::shared_ptr<std::chrono::steady_clock::time_point> at_ =
      std::make_shared<std::chrono::steady_clock::time_point>();
  completion told_;
};

/// Reads the results. Those of a stopped job count as lost; only the wait for the job reports the stop.
void bring_home(timed_program const& program, completion const& last) {
  try {
    program.bring_home();
  } catch (job_failed const&) {
    last.wait_until(a_day_from_now());
    throw;
  }
}

/// Runs the program once; nothing if it was stopped before its last job was submitted. Throws stopped if the
/// scheduler was stopped before the last job had run.
std::optional<timed_run> timed(job_scheduler& jobs, timed_program const& program) {
  auto const before = jobs.statistics();
  auto const begin = std::chrono::steady_clock::now();
  auto const last = program.submit();
  if (!last) return std::nullopt;
  end_time const computed(*last);
  bring_home(program, *last);
  auto const end = std::chrono::steady_clock::now();
  auto const after = jobs.statistics();
  std::chrono::duration<double> const took = end - begin, home = end - std::min(computed.get(), end);
  return timed_run{took.count(),
                   home.count(),
                   after.tasks - before.tasks,
                   after.moved.since(before.moved),
                   after.sent - before.sent,
                   after.received - before.received};
}

template <class Value>
double median_of(run_summary const& of, Value const& value) {
  std::vector<double> values;
  for (auto const& run : of.runs) values.push_back(value(run));
  return median(values);
}

double median_seconds(run_summary const& of) {
  return median_of(of, [](timed_run const& run) { return run.seconds; });
}
double job_seconds(timed_run const& run) { return run.seconds - run.home_seconds; }
double home_seconds(timed_run const& run) { return run.home_seconds; }

json_value runs_as_json(std::vector<timed_run> const& runs) {
  json_value::list all;
  for (auto const& run : runs)
    all.push_back(json_value::object{{"seconds", run.seconds},
                                     {"job_seconds", job_seconds(run)},
                                     {"home_seconds", run.home_seconds},
                                     {"tasks", run.tasks},
                                     {"bytes_moved", run.moved.all()}});
  return all;
}

json_value by_direction(moved_bytes const& moved) {
  return json_value::object{
      {"from_host", moved.from_host}, {"to_host", moved.to_host}, {"between_devices", moved.between_devices}};
}

}  // namespace

deadline a_day_from_now() { return deadline::in(std::chrono::hours(24)); }

void tell_of_a_part(std::string const& how_far, std::size_t whole) {
  if (whole == 0) throw error(how_far);
  write_log(log_level::warning,
            fmt::format("{} of repetition {}; what is told is of those before", how_far, whole + 1));
}

std::vector<timed_run> repeated(job_scheduler& jobs, std::uint32_t times, timed_program const& program,
                                std::function<bool()> const& stop_requested) {
  std::vector<timed_run> runs;
  std::optional<shown_progress> shown;
  auto const& [name, unit, units, done] = program.work;
  if (jobs.rank() == 0 && !name.empty())
    shown.emplace(progress(name, units * times, unit, progress_on(stderr)),
                  [&jobs, &done = done] { return done(jobs.statistics()); });
  meeting_of_ranks meeting(jobs);
  do {
    program.prepare();
    meeting.wait();
    auto const before = jobs.statistics().tasks;
    try {
      auto const one = timed(jobs, program);
      if (!one) break;
      runs.push_back(*one);
    } catch (stopped const&) {
      tell_of_a_part(fmt::format("stopped after {} tasks", jobs.statistics().tasks - before), runs.size());
      break;
    }
  } while (runs.size() < times && !stop_requested());
  return runs;
}

run_summary summary_of(job_scheduler const& jobs, device_list const& devices, job_options const& options,
                       std::vector<timed_run> runs, verdict found) {
  run_summary summary{{}, options.policy, options.reuse, std::move(runs), std::move(found)};
  for (auto const& device : devices) summary.devices.push_back(device->name());
  summary.rank = jobs.rank(), summary.ranks = jobs.ranks();
  summary.costs = jobs.statistics().costs;
  return summary;
}

json_value::object members_of(run_summary const& of) {
  auto const& last = of.runs.back();
  json_value::object members{{"seconds", median_seconds(of)},
                             {"job_seconds", median_of(of, job_seconds)},
                             {"home_seconds", median_of(of, home_seconds)},
                             {"repetitions", of.runs.size()},
                             {"runs", runs_as_json(of.runs)},
                             {"devices", json_value::list_of(of.devices)},
                             {"costs", json_value::list_of(of.costs)},
                             {"policy", of.policy},
                             {"reuse", of.reuse},
                             {"tasks", last.tasks},
                             {"bytes_moved", last.moved.all()},
                             {"bytes_moved_by_direction", by_direction(last.moved)},
                             {"verified", of.found.is_right},
                             {"checked", of.found.checked}};
  if (of.ranks == 1) return members;
  members.emplace_back("ranks", of.ranks);
  members.emplace_back("bytes_sent", last.sent);
  members.emplace_back("bytes_received", last.received);
  return members;
}

std::string json_text(json_value::object members, run_summary const& of) {
  std::ranges::move(members_of(of), std::back_inserter(members));
  return json_value(std::move(members)).text(2) + "\n";
}

std::string text_of(run_summary const& of) {
  auto const& last = of.runs.back();
  auto const where = of.ranks == 1 ? "" : fmt::format("{} ranks, the first ", of.ranks);
  auto const exchanged = of.ranks == 1 ? ""
                                       : fmt::format("it sent {} to other ranks and received {}\n",
                                                     byte_size(last.sent), byte_size(last.received));
  return fmt::format(
      "{}on {}, policy {}{}\n{} (median of {}), {} of it to bring the results home after the last job\n"
      "the last run: {} tasks, {} from the host, {} to it, {} between devices\n{}{}: {}\n",
      where, fmt::join(of.devices, ", "), of.policy, of.reuse ? "" : ", no reuse",
      with_unit(median_seconds(of), "s"), of.runs.size(), with_unit(median_of(of, home_seconds), "s"),
      last.tasks, byte_size(last.moved.from_host), byte_size(last.moved.to_host),
      byte_size(last.moved.between_devices), exchanged, of.found.is_right ? "right" : "WRONG",
      of.found.checked);
}

void print(run_summary const& of, std::string const& text) {
  if (of.rank == 0) std::cout << text;
}

void expect_right(run_summary const& of) {
  if (!of.found.is_right) throw error("the result is wrong; checked: " + of.found.checked);
}

}  // namespace ballast::job_run
