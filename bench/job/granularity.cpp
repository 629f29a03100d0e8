// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "job/benchmarks.hpp"
#include "job/race.hpp"

namespace ballast::bench {
namespace {

constexpr char const* swept_policies[] = {"master_worker", "fixed"};  // the paper's

/// The paper's numbers of tasks, without those above the job's number of units, which all give one task per
/// unit.
std::vector<std::uint32_t> task_counts(session const& now, program_kind const& kind) {
  std::vector<std::uint32_t> counts{2, 16};
  if (!now.quick()) counts = {1, 2, 4, 8, 16, 32, 64, 128};
  std::erase_if(counts, [&](std::uint32_t count) { return count > kind.units; });
  return counts;
}

std::string name_of(std::string const& policy, std::uint32_t tasks) {
  return policy + " " + std::to_string(tasks);
}

std::vector<contestant> contestants(session const& now, program_kind const& kind) {
  std::vector<contestant> all;
  all.push_back(as_jobs("learned", kind, now.devices(), {.policy = "learned"}));
  for (std::string const policy : swept_policies)
    for (auto const tasks : task_counts(now, kind))
      all.push_back(as_jobs(name_of(policy, tasks), kind, now.devices(), {.policy = policy, .tasks = tasks}));
  return all;
}

void measure_program(session& now, program_kind const& kind) {
  auto all = contestants(now, kind);
  race(now, kind, all);
  now.parameter("units of " + kind.name, kind.units);
  auto const counts = task_counts(now, kind);
  double best = seconds_of(all, name_of(swept_policies[0], counts.front()));
  for (auto const tasks : counts) {
    now.add(kind.name + ", learned", tasks, "s", all.front().seconds);  // the same for all, as a line
    for (std::string const policy : swept_policies) {
      auto const name = name_of(policy, tasks);
      now.add(kind.name + ", " + policy, tasks, "s",
              std::ranges::find(all, name, &contestant::name)->seconds);
      best = std::min(best, seconds_of(all, name));
    }
  }
  now.derived(kind.name + ": learned over the best of the sweep", seconds_of(all, "learned") / best);
}

}  // namespace

void measure_job_granularity(session& now, program_name name) {
  now.axes("A program by tasks of a job, and by the policy that needs no number", "tasks of a job", "seconds",
           true);
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 3);
  measure_program(now, job_program_of(now, name));
}

}  // namespace ballast::bench
