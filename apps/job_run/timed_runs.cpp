// SPDX-License-Identifier: Apache-2.0
#include "timed_runs.hpp"

#include <chrono>
#include <optional>

namespace ballast::job_run {
namespace {

std::optional<timed_run> timed(job_scheduler& jobs, timed_program const& program) {
  program.prepare();
  auto const before = jobs.statistics();
  auto const begin = std::chrono::steady_clock::now();
  if (!program.run()) return std::nullopt;
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
  auto const after = jobs.statistics();
  return timed_run{took.count(), after.tasks - before.tasks, after.moved.since(before.moved)};
}

}  // namespace

deadline a_day_from_now() { return deadline::in(std::chrono::hours(24)); }

std::vector<timed_run> repeated(job_scheduler& jobs, std::uint32_t times, timed_program const& program,
                                std::function<bool()> const& stop_requested) {
  std::vector<timed_run> runs;
  do {
    auto const one = timed(jobs, program);
    if (!one) break;
    runs.push_back(*one);
  } while (runs.size() < times && !stop_requested());
  return runs;
}

}  // namespace ballast::job_run
