// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ballast/job_scheduler.hpp"
#include "job/benchmarks.hpp"
#include "job/race.hpp"

namespace ballast::bench {
namespace {

/// The paper's way: after each task, data that no task in flight uses leaves its device.
constexpr char const* naive = "naive";

std::string alone_on(compute_device const& device) { return "alone on " + device.name(); }

std::vector<contestant> pair_contestants(session const& now, program_kind const& kind) {
  std::vector<contestant> all;
  for (auto const& device : now.devices()) all.push_back(as_jobs(alone_on(*device), kind, {device}, {}));
  all.push_back(as_jobs(naive, kind, now.devices(), {.policy = "master_worker", .reuse = false}));
  for (auto const& policy : split_policies())
    all.push_back(
        as_jobs(std::string(policy.name), kind, now.devices(), {.policy = std::string(policy.name)}));
  return all;
}

/// The time if each device computed its share as fast as it computes the program alone.
double ideal_seconds(session const& now, std::vector<contestant> const& all) {
  double rate = 0;
  for (auto const& device : now.devices()) rate += 1 / seconds_of(all, alone_on(*device));
  return 1 / rate;
}

void derive(session& now, std::string const& program, std::vector<contestant> const& all) {
  auto const first = seconds_of(all, alone_on(*now.devices().front()));
  auto const ideal = ideal_seconds(now, all);
  for (auto const& device : now.devices())
    now.derived(program + ": " + device->name() + " over " + now.first()->name(),
                seconds_of(all, alone_on(*device)) / first);
  now.derived(program + ": ideal over static halves", ideal / seconds_of(all, "static"));
  for (auto const& policy : split_policies()) {
    std::string const name(policy.name);
    now.derived(program + ", " + name + ": over static halves",
                seconds_of(all, name) / seconds_of(all, "static"));
    now.derived(program + ", " + name + ": share of the ideal speed", ideal / seconds_of(all, name));
  }
}

}  // namespace

void measure_job_pair(session& now, program_name name) {
  now.axes("A program on several devices by every policy, and on each device alone", "", "seconds");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 7);
  auto const kind = job_program_of(now, name);
  auto all = pair_contestants(now, kind);
  race(now, kind, all);
  for (auto& one : all) now.add(one.name, "s", one.seconds);
  derive(now, kind.name, all);
}

}  // namespace ballast::bench
